"""A tournament for people at a terminal: its standings, who beat whom, and what should be known of the results."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from dicegame.terminal.layout import say, title, width
from dicegame.terminal.tournament_live import LiveStandings
from dicegame.text import _, clean, isolate, join, language, ltr, number, quote
from dicegame.tournament.reader import Reader
from dicegame.tournament.report import notes
from dicegame.tournament.report.columns import Column, columns
from dicegame.tournament.report.overview import Overview, overview
from dicegame.tournament.report.words import rate, rates
from dicegame.tournament.standings import Row

if TYPE_CHECKING:  # rich is imported where there is a table to draw
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

__all__ = ["LiveStandings", "say_tournament", "tournament_json"]

LEAST_WIDTH = 60  # columns of a terminal, below which there is no table
IN_A_PIPE = 400  # columns where nobody sees a screen: a row of a table is one line there
MOST_CROSSED = 20  # entrants in the cross table


def tournament_json(reader: Reader) -> dict[str, Any]:
    """Return the object that `tournament show --json` prints."""
    return overview(reader).as_json()


def say_tournament(reader: Reader) -> None:
    """Print the standings of a tournament and all that belongs to them."""
    told = overview(reader)
    title(quote(told.plan.name))
    say(notes.headline(told))
    say(f"{notes.games(told)}. {notes.state(told)}")
    shown = columns(told.standings, told.plan.seats)
    if told.standings.rows:
        say()
        title(_("Standings"))
        if not (_tables() and _standings(told, shown)):
            _stacked(told.standings.rows, shown)
    if told.standings.cells:
        say()
        title(_("Cross table"))
        _cross(told)
    if told.standings.seat_advantage:
        say()
        _seats(told)
    for note in notes.notes(told):
        say(note, hang=2)
    say()
    for word, values in notes.facts(told):
        for value in values:
            say(_("%(what)s: %(value)s") % {"what": word, "value": value}, hang=2)


def _tables() -> bool:
    """Say whether there is room for tables; where words run from right to left their columns would be turned about."""
    return language() != "ar" and (not _on_screen() or width() >= LEAST_WIDTH)


def _on_screen() -> bool:
    return sys.stdout.isatty() or "COLUMNS" in os.environ


def _console() -> Console:
    from rich.console import Console

    context = click.get_current_context(silent=True)
    color = None if context is None else context.color  # as the environment wants it; None leaves it to the terminal
    if color is None:
        color = sys.stdout.isatty()
    columns = shutil.get_terminal_size((80, 24)).columns if _on_screen() else IN_A_PIPE
    return Console(
        width=columns,
        force_terminal=color,
        color_system="auto" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def _standings(told: Overview, shown: Sequence[Column]) -> bool:
    """Draw the standings with as many columns as there is room for; return False, drawing nothing, where not one has any."""
    console, rows = _console(), told.standings.rows
    whole = _standings_table(rows, shown, below=False)
    if _fits(console, whole):
        _draw(console, whole)
        return True
    kept: list[Column] = []
    for column in sorted(shown, key=lambda column: column.weight):
        wanted = [one for one in shown if one in kept or one is column]
        if _fits(console, _standings_table(rows, wanted, below=True)):
            kept = wanted
    if not kept:
        return False
    _draw(console, _standings_table(rows, kept, below=True))
    left = [column.heading for column in shown if column not in kept]
    if left:
        say(_("Left out, since there is no room: %s") % join(left), hang=2)
    return True


def _fits(console: Console, table: Table) -> bool:
    """Say whether every column has the room that it asks for."""
    return console.measure(table, options=console.options.update(max_width=IN_A_PIPE)).maximum <= console.width


def _standings_table(rows: Sequence[Row], shown: Sequence[Column], *, below: bool) -> Table:
    table = _table()
    table.add_column("#", justify="right", style="dim", no_wrap=True)
    table.add_column(_("Name"), style="bold", no_wrap=True)
    for column in shown:
        table.add_column(column.heading, justify="right", no_wrap=True)
    for row in rows:
        cells = [_cell(column, row, below=below) for column in shown]
        table.add_row(number(row.rank), _name(row), *cells)
    return table


def _name(row: Row) -> str:
    name = clean(row.name)
    return _("%s (withdrawn)") % name if row.withdrawn else name


def _cell(column: Column, row: Row, *, below: bool) -> Text:
    from rich.text import Text

    if column.value(row) is None:
        return Text("")
    text, small = Text(column.said(row)), column.small(row)
    if small:
        text.append(f"\n{small}" if below else f" ({small})", style="dim")
    return text


def _table() -> Table:
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold", collapse_padding=True)


def _draw(console: Console, table: Table) -> None:
    """Print a table without blanks at the ends of its lines."""
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        sys.stdout.write(line.rstrip() + "\n")
    sys.stdout.flush()


def _stacked(rows: Sequence[Row], shown: Sequence[Column]) -> None:
    """Print the standings an entrant after the other, a line a figure: for narrow terminals, and for ears."""
    for row in rows:
        say(f"{ltr(f'{row.rank}.')} {isolate(_name(row))}")
        for column in shown:
            if column.value(row) is not None:
                small = column.small(row)
                value = f"{column.said(row)} ({small})" if small else column.said(row)
                say(_("%(what)s: %(value)s") % {"what": column.heading, "value": value}, indent=2, hang=2)


def _cross(told: Overview) -> None:
    rows = [row for row in told.standings.rows if row.games]
    shown = rows[:MOST_CROSSED]
    if len(shown) < len(rows):
        say(_("Only the first %s in the table are shown.") % number(MOST_CROSSED))
    if not _tables():
        for line in _met(told, shown):
            say(line, hang=2)
        return
    console = _console()
    names = max(len(_name(row)) for row in shown) + 6
    room = max((console.width - names) // 6, 1)
    for start in range(0, len(shown), room):
        _draw(console, _cross_table(told, shown, shown[start : start + room]))


def _cross_table(told: Overview, rows: Sequence[Row], across: Sequence[Row]) -> Table:
    from rich.text import Text

    table = _table()
    table.add_column("#", justify="right", style="dim", no_wrap=True)
    table.add_column(_("Name"), style="bold", no_wrap=True)
    for column in across:
        table.add_column(number(column.rank), justify="right", no_wrap=True)
    even = 1 / told.plan.seats
    for row in rows:
        cells = []
        for column in across:
            cell = told.standings.cells.get((row.number, column.number))
            if cell is None:
                cells.append(Text("-" if row is column else ""))
                continue
            low, high = cell.interval
            style = "green" if low > even else "red" if high < even else ""
            cells.append(Text(rate(cell.win_rate, 0), style=style))
        table.add_row(number(row.rank), _name(row), *cells)
    return table


def _met(told: Overview, rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for every two who met."""
    for place, row in enumerate(rows):
        for other in rows[place + 1 :]:
            cell = told.standings.cells.get((row.number, other.number))
            if cell is not None:
                said = {"name": quote(row.name), "other": quote(other.name), "rate": rate(cell.win_rate)}
                said |= {"interval": rates(cell.interval)}
                yield _("%(name)s against %(other)s: %(rate)s (%(interval)s)") % said


def _seats(told: Overview) -> None:
    for share in told.standings.seat_advantage:
        said = {"seat": number(share.seat + 1), "rate": rate(share.win_rate), "interval": rates(share.interval)}
        say(_("Whoever moved as number %(seat)s won %(rate)s (95%% interval %(interval)s)") % said, hang=2)
