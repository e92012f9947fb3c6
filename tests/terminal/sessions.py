"""Real terminal sessions: the program on a pseudo-terminal, driven by what it shows, in any language."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pexpect

from dicegame import text
from dicegame.terminal.words import word
from tests.cli.process import environment

TIMEOUT = 30
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
ISOLATES = re.compile("[\u2066-\u2069]")
END = pexpect.EOF


def said(lang: str, command: str) -> str:
    """Return how a command is said in a language."""
    text.use(lang)
    try:
        return word(command)
    finally:
        text.use("en")


def worded(lang: str, message: str) -> str:
    """Return a message of the program in a language, without isolates."""
    text.use(lang)
    try:
        return text._(message)
    finally:
        text.use("en")


class Terminal:
    """One session; `seen` is all that was shown so far, without colours and directional isolates."""

    def __init__(
        self,
        home: str | Path,
        *arguments: str,
        lang: str = "en",
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] = (50, 80),
        pace: str = "0",
    ) -> None:
        """Start `dicegame ARGUMENTS` on a terminal of this size (rows, columns); `play` without a pause for the computer."""
        self.lang = lang
        settings = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "LANGUAGE": lang, **(env or {})}
        if arguments[:1] == ("play",):
            arguments = (*arguments, "--pace", pace)
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "dicegame", *arguments],
            env=environment(home, settings),
            dimensions=size,
            encoding="utf-8",
            timeout=TIMEOUT,
            echo=True,
        )
        self.child.delaybeforesend = None
        self.raw = ""

    def say(self, command: str) -> str:
        """Return how a command is said in the session's language."""
        return said(self.lang, command)

    def words(self, message: str) -> str:
        """Return a message of the program in the session's language, without isolates."""
        return worded(self.lang, message)

    def prompt(self) -> str:
        """Wait until the program waits for a line (a prompt ends in a sign and a space, without a line's end); return what came."""
        return self._until(re.compile(r"[?؟:\])]\S*(\x1b\[0m)? $"))

    def expect(self, wanted: str) -> str:
        """Wait until `wanted` (a regular expression) is shown; return what came before and with it."""
        return self._until(re.compile(wanted))

    def send(self, line: str) -> None:
        """Type a line."""
        self.child.sendline(line)

    def ask(self, line: str) -> str:
        """Type a line and return what is shown until the next prompt."""
        self.send(line)
        return self.prompt()

    def end(self) -> int:
        """Wait for the end of the program; return its exit code (minus the signal, if one ended it)."""
        self._until(END)
        self.child.close()
        if self.child.signalstatus:
            return -int(self.child.signalstatus)
        return int(self.child.exitstatus)

    @property
    def seen(self) -> str:
        """All that was shown so far, without colours and isolates."""
        return plain(self.raw)

    def _until(self, wanted: re.Pattern[str] | type[pexpect.EOF]) -> str:
        self.child.expect([wanted])
        came = self.child.before + (self.child.after if isinstance(self.child.after, str) else "")
        self.raw += came
        return plain(came)


def plain(shown: str) -> str:
    """Return what was shown without colours, isolates and carriage returns."""
    return ISOLATES.sub("", ESCAPE.sub("", shown)).replace("\r", "")


def play_to_end(terminal: Terminal, answers: Sequence[str], most: int = 400) -> None:
    """Type `answers` in turn, again and again, at every prompt until the game is over, then say quit."""
    over = terminal.words("The game is over.")
    for turn in range(most):
        if over in terminal.prompt():
            terminal.send(terminal.say("quit"))
            return
        terminal.send(answers[turn % len(answers)])
    raise AssertionError(terminal.seen[-2000:])
