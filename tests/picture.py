"""The picture in the README: a game on a real terminal, drawn from what the program printed. `python -m tests.picture` draws it anew."""

from __future__ import annotations

import io
import re
import sys
import tempfile
from pathlib import Path

import pexpect
from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).with_suffix(".svg")
COLUMNS = 72
DICE = "1 5 3 3 6 2 / 4 4 4 1 / 1 1 5 2 3 4 / 2 3 4 6 6 2"
TYPED = ["1 5 roll", "all", "roll", "all bank"]


def session() -> str:
    """Return what a game of four decisions prints on a terminal, with its colours."""
    with tempfile.TemporaryDirectory() as home:
        env = {
            "PATH": "/usr/bin:/bin",
            "HOME": home,
            "XDG_STATE_HOME": home,
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
        }
        arguments = ["-m", "dicegame", "play", "ten-thousand", "human:Zoé", "IA=house", "--pace", "0", "--dice", DICE]
        child = pexpect.spawn(
            sys.executable, arguments, env=env, dimensions=(60, COLUMNS), encoding="utf-8", timeout=30
        )
        log = io.StringIO()
        child.logfile_read = log
        for line in TYPED:
            child.expect(r"\?(\x1b\[0m)? ")
            child.sendline(line)
        child.expect("IA")
        child.close(force=True)
    return log.getvalue()


def draw() -> str:
    """Return the picture as SVG, the same at every run."""
    printed = session().replace("\r\n", "\n")
    lines = ["$ dicegame play ten-thousand human:Zoé IA=house", *printed.split("\n")]
    end = next(i for i, line in enumerate(lines) if "Zoé" in line and "banks" in line)
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for line in lines[: end + 1]:
        console.print(Text.from_ansi(line))
    svg = console.export_svg(title="dicegame", unique_id="dicegame")
    return re.sub(r"@font-face \{.*?\}\n", "", svg, flags=re.DOTALL)  # no fonts from elsewhere


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
