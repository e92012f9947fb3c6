"""A tournament while it is played: a table that renews itself on a terminal, elsewhere a plain line now and then; all on stderr."""

from __future__ import annotations

import sys
import textwrap
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Self

import click

from dicegame.match.bundles import Bundle
from dicegame.text import _, clean, decimal, isolate, language, ltr, ngettext, number, quote
from dicegame.tournament.reader import Progress
from dicegame.tournament.report.words import elo, rate, rates
from dicegame.tournament.standings import Row, Standings

if TYPE_CHECKING:  # rich is imported where there is something to draw
    from rich.console import Console, Group, RenderableType
    from rich.live import Live

REDRAWN, RATED, PLAIN = 0.25, 2.0, 10.0  # seconds between two pictures, two standings, two plain lines
SHARE = 20  # standings take at most one part in so many of the time
WINDOW = 30.0  # seconds over which games a second are counted
SHOWN_FAULTS = 3
_WIDE = 72  # columns from which intervals have room
_LOW = 10  # rows of a terminal on which little is shown
_FAULT = 200  # characters of a fault


class LiveStandings:
    """Shows a tournament while it is played. A context manager; `update` is called at every wake-up of whoever plays it."""

    def __init__(self, name: str, *, quiet: bool = False) -> None:
        """Show the tournament `name`; nothing at all where `quiet`."""
        self._name = clean(name)
        self._quiet = quiet
        self._live: Live | None = None
        self._standings: Standings | None = None
        self._rated = self._drawn = -1e9
        self._said = time.monotonic()
        self._pause = RATED
        self._speed: deque[tuple[float, int]] = deque()
        self._faults: deque[Bundle] = deque(maxlen=SHOWN_FAULTS)  # the last one first
        self._count = 0

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            context = click.get_current_context(silent=True)
            plain = context is not None and context.color is False
            console = Console(
                stderr=True, color_system=None if plain else "auto", highlight=False, markup=False, emoji=False
            )
            if not console.is_dumb_terminal:
                self._live = Live(
                    console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
                )
                self._live.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.__exit__(None, None, None)  # puts the cursor back, whatever happened

    def update(self, progress: Progress, standings: Callable[[], Standings], faults: Sequence[Bundle] = ()) -> None:
        """Show how far it is.

        Args:
            progress: how far.
            standings: makes the standings; called now and then only.
            faults: those since the last call.
        """
        now = time.monotonic()
        self._faults.extendleft(faults)
        self._count += len(faults)
        self._measure(now, progress.games_played)
        if self._quiet:
            return
        if self._live is None:
            if now - self._said >= PLAIN:
                self._said = now
                self._rate(standings)
                click.echo(self._line(progress), err=True)
        elif now - self._drawn >= REDRAWN:
            self._drawn = now
            if now - self._rated >= self._pause:
                self._rate(standings)
                self._rated = time.monotonic()
            self._live.update(self._picture(progress, self._live.console), refresh=True)

    def _rate(self, standings: Callable[[], Standings]) -> None:
        begun = time.monotonic()
        self._standings = standings()
        self._pause = max(RATED, SHARE * (time.monotonic() - begun))

    # What is said

    def _measure(self, now: float, games: int) -> None:
        self._speed.append((now, games))
        while len(self._speed) > 2 and now - self._speed[1][0] >= WINDOW:
            self._speed.popleft()

    def _a_second(self) -> float:
        (begun, before), (now, games) = self._speed[0], self._speed[-1]
        return (games - before) / (now - begun) if now > begun else 0.0

    def _how_far(self, progress: Progress) -> str:
        speed = self._a_second()
        said = {
            "done": number(progress.games_played),
            "games": number(progress.games_planned),
            "rate": ltr(decimal(speed, 1)),
        }
        line = _("%(done)s of %(games)s games, %(rate)s a second") % said
        missing = progress.games_planned - progress.games_played
        if speed > 0 and missing > 0:
            line = _("%(line)s, %(time)s left") % {"line": line, "time": duration(missing / speed)}
        return line

    def _line(self, progress: Progress) -> str:
        line = self._how_far(progress)
        first = self._rows()[:1]
        if first:
            said = {"line": line, "name": isolate(clean(first[0].name)), "rate": rate(first[0].win_rate)}
            line = _("%(line)s; in front: %(name)s with %(rate)s") % said
        if self._count:
            line = f"{line}; {ngettext('%s fault', '%s faults', self._count) % number(self._count)}"
        return line

    def _rows(self) -> list[Row]:
        return [row for row in self._standings.rows if row.games] if self._standings is not None else []

    # What is drawn

    def _picture(self, progress: Progress, console: Console) -> Group:
        from rich.console import Group
        from rich.text import Text

        room = console.height - 1  # the cursor's line
        head = [Text(self._name, style="bold")] if room > _LOW else []
        head += [Text(line) for line in textwrap.wrap(self._how_far(progress), max(console.width - 1, 10))]
        parts: list[RenderableType] = [*head, *([self._bar(progress)] if room > len(head) + 2 else [])]
        faults = list(self._faults)[: max((room - _LOW // 2) // 4, 0)] if room > _LOW // 2 else []
        rows = self._rows()[: max(room - len(parts) - len(faults) - 1, 0)]
        if rows:
            parts.append(self._table(rows, console.width))
        parts += [Text(self._fault(bundle), style="yellow") for bundle in faults]
        for part in parts:
            if isinstance(part, Text):
                part.no_wrap, part.overflow = True, "ellipsis"
        return Group(*parts)

    @staticmethod
    def _bar(progress: Progress) -> RenderableType:
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        total = max(progress.games_planned, progress.games_played, 1)
        line = Table.grid(expand=True)  # a bar alone does not end its line
        line.add_row(ProgressBar(total=total, completed=progress.games_played))
        return line

    def _table(self, rows: Sequence[Row], width: int) -> RenderableType:
        from rich.table import Table
        from rich.text import Text

        if language() == "ar":  # columns would be turned about
            lines = [f"{number(row.rank)} {isolate(clean(row.name))} {rate(row.win_rate)}" for row in rows]
            return Text("\n".join(lines), no_wrap=True, overflow="ellipsis")
        wide = width >= _WIDE
        rated = any(row.elo is not None for row in rows)
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("#", justify="right", style="dim", no_wrap=True)
        table.add_column(_("Name"), no_wrap=True, overflow="ellipsis", ratio=None, max_width=None if wide else 16)
        table.add_column(_("Wins"), justify="right", no_wrap=True)
        if wide:
            table.add_column(_("95% interval"), justify="right", no_wrap=True)
        if rated:
            table.add_column(_("Elo"), justify="right", no_wrap=True)
        table.add_column(_("Faults"), justify="right", no_wrap=True, overflow="ellipsis")
        for row in rows:
            cells = [rate(row.win_rate), *([rates(row.interval)] if wide else [])]
            cells += [elo(row.elo) if row.elo is not None else ""] if rated else []
            table.add_row(number(row.rank), clean(row.name), *cells, number(sum(row.faults.values())))
        return table

    @staticmethod
    def _fault(bundle: Bundle) -> str:
        fault = bundle.fault
        said = {"name": quote(bundle.player), "game": ltr(clean(fault.game)), "fault": quote(str(fault), _FAULT)}
        return _("%(name)s, game %(game)s: %(fault)s") % said


def duration(seconds: float) -> str:
    """Return a time as hours, minutes and seconds; days first where there are any."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    text = f"{hours % 24}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
    days = hours // 24
    return (
        ngettext("%(n)s day, %(time)s", "%(n)s days, %(time)s", days) % {"n": number(days), "time": ltr(text)}
        if days
        else ltr(text)
    )
