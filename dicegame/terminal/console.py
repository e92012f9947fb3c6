"""A plain terminal: lines out, wrapped and coloured where it can show that; lines in, bounded and safe. No full-screen drawing."""

from __future__ import annotations

import os
import sys
import time

import click

from dicegame.errors import UnfinishedError
from dicegame.terminal.layout import width, wrap
from dicegame.text import _, writable

MAX_LINE = 4096
_PIPS = {
    1: ("   ", " o ", "   "),
    2: ("o  ", "   ", "  o"),
    3: ("o  ", " o ", "  o"),
    4: ("o o", "   ", "o o"),
    5: ("o o", " o ", "o o"),
    6: ("o o", "o o", "o o"),
}
_DIE_WIDTH = 6  # five columns and a space


class EndOfInput(UnfinishedError):
    """Nobody types any more."""


class Console:
    """Where the game is seen and typed.

    `color` None leaves colour to the terminal; `ascii_only` draws without Unicode. `pace` is how long, in seconds, a step of the
    computer stands before the next; none off a terminal.
    """

    def __init__(self, *, color: bool | None = None, ascii_only: bool = False, pace: float = 0.0) -> None:
        on_terminal = sys.stdout.isatty()
        dumb = os.environ.get("TERM") == "dumb"
        self.color = on_terminal and not dumb if color is None else color
        self.unicode = not ascii_only and _can_draw(sys.stdout.encoding)
        self.draws = on_terminal and not dumb
        self.pace = pace if on_terminal else 0.0
        self._echo = not sys.stdin.isatty()

    def say(self, text: str = "", *, bold: bool = False, fg: str | None = None, indent: int = 0) -> None:
        """Print a line, wrapped at the terminal's width."""
        for line in wrap(text, indent=indent, hang=2 if indent else 0).split("\n"):
            self._write(self.styled(line, bold=bold, fg=fg) + "\n")

    def complain(self, message: str) -> None:
        """Say what was wrong with a line; nothing has changed."""
        self.say(message[:1].upper() + message[1:], fg="yellow")

    def styled(self, text: str, *, bold: bool = False, fg: str | None = None) -> str:
        """Return `text` in this style where the terminal shows colour."""
        return click.style(text, fg=fg, bold=bold or None) if self.color and (bold or fg) else text

    def dice(self, faces: tuple[int, ...], fg: str | None = None) -> bool:
        """Draw large dice with their digits below; return False, drawing nothing, where the terminal can't show them."""
        if not self.draws or len(faces) * _DIE_WIDTH > width():
            return False
        edge, side, pip = ("┌───┐", "│", "●") if self.unicode else ("+---+", "|", "o")
        foot = "└───┘" if self.unicode else edge
        rows = [" ".join(edge for _face in faces)]
        rows += [" ".join(f"{side}{_PIPS[face][row]}{side}" for face in faces).replace("o", pip) for row in range(3)]
        rows += [" ".join(foot for _face in faces)]
        for row in rows:
            self._write(self.styled(row, fg=fg) + "\n")
        self._write("  " + "     ".join(map(str, faces)) + "\n")
        return True

    def ask(self, prompt: str) -> str:
        """Return the next line that is typed, without its end.

        Raises:
            EndOfInput: there is none.
        """
        while True:
            self._write(self.styled(wrap(prompt), bold=True) + " ")
            line = sys.stdin.readline(MAX_LINE + 1)
            if not line:
                self._write("\n")
                raise EndOfInput(_("end of input"))
            if len(line) > MAX_LINE:
                while line and not line.endswith("\n"):
                    line = sys.stdin.readline(MAX_LINE)
                self._write("\n")
                self.complain(_("that line is too long"))
                continue
            line = line.rstrip("\r\n")
            if self._echo:
                self._write((line if line.isprintable() else "") + "\n")
            return line

    def pause(self) -> None:
        """Let a step of the computer stand for a moment."""
        if self.pace > 0:
            time.sleep(self.pace)

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def _can_draw(encoding: str | None) -> bool:
    try:
        "┌●└".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return writable("en", encoding)
