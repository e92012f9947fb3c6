"""How far a long piece of work is: a bar with the time left on a terminal, elsewhere a plain line now and then."""

from __future__ import annotations

import sys
import time
from typing import Self

import click

from dicegame.text import _, percent

LINE_SECONDS = 5.0
PARTS = 1000


class PartsDone:
    """Shows on stderr which part of the work is done. A context manager; call `show` with a number from 0 to 1."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._done = 0
        self._said = time.monotonic()
        self._bar = click.progressbar(length=PARTS, label=label, file=sys.stderr) if sys.stderr.isatty() else None

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)

    def show(self, part: float) -> None:
        """Show that this part is done."""
        done = max(self._done, int(part * PARTS))
        if self._bar is not None:
            self._bar.update(done - self._done)
        elif time.monotonic() - self._said >= LINE_SECONDS:
            self._said = time.monotonic()
            click.echo(_("%(what)s: %(part)s done") % {"what": self._label, "part": percent(part)}, err=True)
        self._done = done
