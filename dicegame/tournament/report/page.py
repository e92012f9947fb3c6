"""The page: one HTML file that holds a whole tournament, and asks nothing of any network.

Everything that an entrant, a bot or a file may have said is cleaned of control characters and escaped by the template; the script gets
it as JSON and only ever sets text. The content security policy lets nothing run but the one script of the page.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dicegame import __version__
from dicegame.rules.model import HighDiceRules
from dicegame.text import _, clean, language, ltr, ngettext, number, percent
from dicegame.tournament.reader import StoredFault
from dicegame.tournament.report import charts, notes
from dicegame.tournament.report.columns import columns
from dicegame.tournament.report.data import Report
from dicegame.tournament.report.words import elo, elos, rate, rates, script_words, signed
from dicegame.tournament.standings import Row

MOST_CROSSED = 40  # entrants in the cross table, and in a chart
WITH_INTERVALS = 12  # up to so many entrants the cross table has intervals
STEPS = 4  # of colour, to either side of the middle
_LINE, _LOG, _COMMAND = 600, 500, 20_000  # characters of a line that are shown
_WIRE = 10  # lines of what passed between a bot and the referee
RIGHT_TO_LEFT = {"ar"}


@dataclass(frozen=True, slots=True)
class Square:
    """A square of the cross table: what it says, what it says below, and its step of colour (empty: they did not meet)."""

    said: str
    small: str = ""
    step: str = ""


def page(report: Report) -> str:
    """Return the page."""
    environment = Environment(
        loader=PackageLoader("dicegame.tournament.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = (_source(name) for name in ("page.css", "page.js"))
    told, drawn = report.overview, _charts(report)
    shown = {"standings", "faults", "games", "setup", *drawn}
    shown |= {"cross", "seats"} if told.standings.cells else set()
    return environment.get_template("page.html").render(
        lang=language(),
        direction="rtl" if language() in RIGHT_TO_LEFT else "ltr",
        version=__version__,
        name=clean(told.plan.name),
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        policy=f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'",
        told=told,
        shown=shown,
        notes=notes,
        columns=columns(told.standings, told.plan.seats),
        cross=_cross(report),
        tracked={track.number for track in report.tracks},
        charts={name: Markup(chart) for name, chart in drawn.items()},  # noqa: S704 - made by an XML writer
        faults=[_fault(report, fault) for fault in report.faults],
        data=_data(report),
        left_out=_left_out(report),
        w=_words(report),
        clean=clean,
        rate=rate,
        rates=rates,
        number=number,
    )


def _source(name: str) -> str:
    return "\n" + files(__package__).joinpath("templates", name).read_text(encoding="utf-8").strip() + "\n"


def _hash(source: str) -> str:
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode("ascii")
    return f"'sha256-{digest}'"


# The tables


def _cross(report: Report) -> list[tuple[Row, list[Square]]]:
    standings = report.overview.standings
    rows = [row for row in standings.rows if row.games][:MOST_CROSSED]
    small = len(rows) <= WITH_INTERVALS
    found = []
    for row in rows:
        squares = []
        for column in rows:
            cell = standings.cells.get((row.number, column.number))
            if cell is None:
                squares.append(Square("–" if row is column else ""))
            else:
                even = 1 / report.overview.plan.seats
                step = _step(cell.win_rate, even)
                squares.append(Square(rate(cell.win_rate, 0), rates(cell.interval) if small else "", step))
        found.append((row, squares))
    return found


def _step(share: float, even: float) -> str:
    """Return the step of colour of a share: w for those above an even share, l for those below, with 0 to `STEPS`."""
    room = 1 - even if share > even else even
    step = round(abs(share - even) / room * STEPS)
    return f"{'w' if share > even else 'l'}{step}" if step else "even"


# The charts


def _charts(report: Report) -> dict[str, str]:
    told = report.overview
    rows = [row for row in told.standings.rows if row.games][:MOST_CROSSED]
    found: dict[str, str] = {}
    if rows:
        found["ratings"] = _ratings(rows, told.plan.seats)
    lines = [(track, row) for track in report.tracks for row in rows if row.number == track.number and track.points]
    if any(len(track.points) > 1 for track, _row in lines):
        found["tracks"] = charts.tracks(
            [(number_of(row), track) for track, row in lines],
            _("Win rates over the blocks"),
            _("How the win rates of the first in the table, and their 95%% intervals, came to where they are: %s.")
            % _("; ").join(f"{clean(row.name)} {rate(row.win_rate)}" for _track, row in lines),
            lambda value: percent(value, 0),
            _("blocks played by the entrant"),
        )
    lucky = [row for row in rows if row.adjusted is not None]
    if lucky:
        found["luck"] = _luck(lucky, told.plan.seats)
    return found


def number_of(row: Row) -> str:
    """Return what stands for an entrant where there is no room for its name: its rank."""
    return str(row.rank)


def _ratings(rows: Sequence[Row], seats: int) -> str:
    """Return the chart of the ratings, or with more than two seats of the win rates."""
    if seats == 2:
        rated = [row for row in rows if row.elo is not None and row.elo_interval is not None]
        made = [
            charts.Bar(_named(row), f"{elo(row.elo or 0)} ({elos(row.elo_interval)})", row.elo or 0, row.elo_interval)
            for row in rated
            if row.elo_interval is not None
        ]
        title, what = _("Elo ratings"), _("Ratings above or below the mean of the field, with 95%% intervals: %s.")
        tick, middle = elo, 0.0
    else:
        made = [
            charts.Bar(_named(row), f"{rate(row.win_rate)} ({rates(row.interval)})", row.win_rate, row.interval)
            for row in rows
        ]
        title, what = _("Win rates"), _("Shares of the games won, with 95%% intervals: %s.")
        tick, middle = lambda value: percent(value, 0), 1 / seats
    return charts.bars(made, "ratings", title, what % _described(made), tick, middle)


def _luck(rows: Sequence[Row], seats: int) -> str:
    made = []
    for row in rows:
        if row.adjusted is not None:
            said = {"rate": rate(row.adjusted.rate), "luck": signed(row.win_rate - row.adjusted.rate)}
            words = _("%(rate)s, luck %(luck)s") % said
            made.append(charts.Bar(_named(row), words, row.adjusted.rate, row.adjusted.interval, row.win_rate))
    what = _("Shares of the games won without the luck of the dice, and what luck added or took: %s.")
    return charts.bars(
        made, "luck", _("Luck and skill"), what % _described(made), lambda value: percent(value, 0), 1 / seats
    )


def _named(row: Row) -> str:
    return f"{row.rank}  {clean(row.name)}"


def _described(made: Sequence[charts.Bar]) -> str:
    return _("; ").join(f"{bar.name} {bar.said}" for bar in made)


# The faults


def _fault(report: Report, fault: StoredFault) -> dict[str, Any]:
    bundle = fault.bundle or {}
    shown = {game.id for game in report.games}
    return {
        "name": clean(report.overview.names.get(fault.entrant, "?")),
        "game": clean(fault.game),
        "code": clean(fault.code),
        "detail": clean(str(bundle.get("detail", "")), _LOG),
        "exit": bundle.get("exit"),
        "wire": [clean(str(line), _LINE) for line in bundle.get("wire", [])[-_WIRE:]],
        "log": [clean(line, _LOG) for line in str(bundle.get("log") or "").split("\n") if line],
        "again": clean(str(bundle.get("again", "")), _COMMAND),
        "whole": fault.bundle is not None,
        "here": fault.game in shown,
    }


# What the script reads


def _data(report: Report) -> dict[str, Any]:
    return {
        "words": script_words(),
        "names": {str(number): clean(name) for number, name in report.overview.names.items()},
        "high": isinstance(report.overview.plan.rules, HighDiceRules),
        "games": [
            [game.id, game.entrants, game.scores, [round(share, 4) for share in game.shares], game.reason]
            for game in report.games
        ],
        "records": report.records,
    }


def _left_out(report: Report) -> str:
    shown, played = len(report.games), report.overview.progress.games_played
    missing = sum(game.id not in report.records for game in report.games)
    said = []
    if shown < played:
        counts = {"shown": number(shown), "played": number(played)}
        said.append(
            _("%(shown)s of %(played)s games are in this page: those with faults, and the first of every pairing.")
            % counts
        )
    if missing:
        message = ngettext("Of %s game no record was kept.", "Of %s games no record was kept.", missing)
        said.append(message % number(missing))
    return " ".join(said)


def _words(report: Report) -> dict[str, str]:
    """Return the words of the template."""
    faults = report.overview.faults
    return {
        "skip": _("Skip to the content"),
        "contents": _("Contents"),
        "summary": _("Summary"),
        "status": _("Status"),
        "games": _("Games"),
        "leader": _("In front"),
        "faults": _("Faults"),
        "notes": _("To be known"),
        "standings": _("Standings"),
        "sort": _("A heading sorts the table; once more turns it about."),
        "scroll": _("table, can be scrolled"),
        "rank": _("Rank"),
        "name": _("Name"),
        "withdrawn": _("withdrawn"),
        "cross": _("Cross table"),
        "cross_what": _("The share of their games that the entrant of the row won against that of the column."),
        "cross_more": _("with its 95% interval") if len(report.overview.standings.rows) <= WITH_INTERVALS else "",
        "only": _("Only the first %s in the table are shown.") % number(MOST_CROSSED),
        "ratings": _("Ratings"),
        "ratings_what": _("With 95% intervals, clustered by block. The table of the standings has the numbers."),
        "tracks": _("Convergence"),
        "tracks_what": _("How the win rates of the first in the table came about, with their 95% intervals."),
        "luck": _("Luck and skill"),
        "luck_what": _(
            "Full dots: the share won without the luck of the dice, with its 95% interval. Rings: what was really won."
        ),
        "seats": _("Seats"),
        "seats_what": _("How often whoever moved first, second and so on won."),
        "seat": _("Seat"),
        "wins": _("Wins"),
        "interval": _("95% interval"),
        "fault_count": ngettext("%s fault", "%s faults", faults) % number(faults),
        "fault_some": _("The first %s are told here.") % number(len(report.faults))
        if len(report.faults) < faults
        else "",
        "fault_brief": _("Only its code was kept."),
        "no_faults": _("There were none."),
        "exit": _("exit code or signal"),
        "wire": _("The last lines, both ways"),
        "log": _("The end of its log"),
        "again": _("This plays the game again"),
        "copy_it": _("Copy"),
        "replay": _("Replay the game %s"),
        "games_what": _("Choose a game and go through it step by step; the arrow keys do it too."),
        "entrant": _("Entrant"),
        "opponent": _("Against"),
        "everyone": _("everyone"),
        "game": _("Game"),
        "first": _("First step"),
        "back": _("Step back"),
        "on": _("Next step"),
        "last": _("Last step"),
        "play": _("Play"),
        "place": _("Step"),
        "told": _("What happened so far"),
        "no_games": _("No game is in this page."),
        "no_script": _("This needs JavaScript."),
        "setup": _("How it was set up"),
        "player": _("Player"),
        "identity": _("Hash of its folder"),
        "made_by": _("Made by %s") % ltr(f"dicegame {__version__}"),
    }
