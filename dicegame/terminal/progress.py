"""How far a long piece of work is: a bar with the time left on a terminal, elsewhere a plain line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Self

import click

from dicegame.text import _, percent

LINE_SECONDS = 5.0
PARTS = 1000


class Progress:
    """A bar on stderr where that is a terminal; elsewhere what is said now and then. A context manager."""

    def __init__(self, label: str, length: int) -> None:
        self._done = 0
        self._said = time.monotonic()
        self._bar = click.progressbar(length=length, label=label, file=sys.stderr) if sys.stderr.isatty() else None

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)

    def at(self, done: int, line: Callable[[], str]) -> None:
        """Show that so much is done; `line` says it where there is no bar."""
        if self._bar is not None:
            self._bar.update(max(done - self._done, 0))
            self._done = max(done, self._done)
        elif time.monotonic() - self._said >= LINE_SECONDS:
            self._said = time.monotonic()
            click.echo(line(), err=True)


class PartsDone(Progress):
    """Shows which part of the work is done: call `show` with a number from 0 to 1."""

    def __init__(self, label: str) -> None:
        super().__init__(label, PARTS)
        self._label = label

    def show(self, part: float) -> None:
        """Show that this part is done."""
        self.at(int(part * PARTS), lambda: _("%(what)s: %(part)s done") % {"what": self._label, "part": percent(part)})
