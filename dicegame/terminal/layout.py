"""How lines are laid out: wrapped at the terminal's width, the same in a pipe, what reads left to right never torn apart."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap

import click

from dicegame.text import language

_NARROWEST, _WIDEST = 20, 100  # longer lines are hard to read
_ISOLATED = re.compile("[\u2066\u2068][^\u2066-\u2069]*\u2069")
_SIGN = re.compile(r" (?=[;:!?»])")  # French writes a space before them
_UNBROKEN = "\u00a0"
_GAP = "  "


def width() -> int:
    """Return how many columns a line may have."""
    return min(max(shutil.get_terminal_size((80, 24)).columns, _NARROWEST), _WIDEST)


def say(text: str = "", *, indent: int = 0, hang: int = 0) -> None:
    """Print a paragraph, wrapped; every line is indented, and those after the first by `hang` more."""
    click.echo(wrap(text, indent=indent, hang=hang))


def row(text: str, *, hang: int = 0) -> None:
    """Print one row of a result: wrapped on a screen, one line in a pipe, where programs read it."""
    on_screen = sys.stdout.isatty() or "COLUMNS" in os.environ
    click.echo(wrap(text, hang=hang) if on_screen else text)


def title(text: str) -> None:
    """Print a title: bold where the terminal can."""
    click.echo(click.style(wrap(text), bold=True))


def unbroken(text: str) -> str:
    """Return `text` so that no line ends in it."""
    return text.replace(" ", _UNBROKEN)


def columns(rows: list[list[str]], *, indent: int = 0) -> list[str] | None:
    """Return the lines of a table, its first column to the left and the others to the right.

    None where the terminal is too narrow for it, or where words run from right to left, so that columns would be turned about.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if language() == "ar" or indent + sum(widths) + len(_GAP) * (len(widths) - 1) > width():
        return None
    return [
        _GAP.join([first.ljust(widths[0]), *(cell.rjust(n) for cell, n in zip(cells, widths[1:], strict=True))])
        for first, *cells in rows
    ]


def wrap(text: str, *, indent: int = 0, hang: int = 0) -> str:
    """Return `text` in lines; a row of dice that must read left to right is not torn apart."""
    whole = _ISOLATED.sub(lambda match: unbroken(match[0]), text)
    whole = _SIGN.sub(_UNBROKEN, whole)
    lines = textwrap.wrap(
        whole,
        width(),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hang),
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace(_UNBROKEN, " ")
