"""The columns of the standings: one list of them for the terminal and the page; only those in which there is something."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dicegame.text import _, decimal, ltr, number
from dicegame.tournament.report.words import elo, elos, mebibytes, milliseconds, rate, rates
from dicegame.tournament.standings import Row, Standings

Value = Callable[[Row], float | None]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading and what it means; of a row what it is sorted by (None: nothing is known), and what is said.

    `small` is said below, where there is room. Those of a great `weight` are left out first.
    """

    key: str
    heading: str
    meaning: str
    weight: int
    value: Value
    said: Callable[[Row], str]
    small: Callable[[Row], str] = lambda _row: ""


def columns(standings: Standings, seats: int) -> list[Column]:
    """Return the columns after the name in which at least one row has something."""
    return [c for c in _all(seats) if any(c.value(row) is not None for row in standings.rows)]


def _all(seats: int) -> Iterator[Column]:
    yield Column(
        "wins", _("Wins"), _("share of the games won, with its 95% interval"), 1,
        lambda r: r.win_rate if r.games else None, lambda r: rate(r.win_rate), lambda r: rates(r.interval),
    )  # fmt: skip
    if seats == 2:
        yield Column(
            "elo", _("Elo"), _("rating above or below the mean of the field, with its 95% interval"), 2,
            lambda r: r.elo, lambda r: "" if r.elo is None else elo(r.elo), lambda r: elos(r.elo_interval),
        )  # fmt: skip
    yield Column(
        "adjusted", _("Without luck"), _("share of the games won with the luck of the dice taken out, with its 95% interval"), 2,
        lambda r: None if r.adjusted is None or not r.games else r.adjusted.rate,
        lambda r: "" if r.adjusted is None else rate(r.adjusted.rate),
        lambda r: rates(r.adjusted.interval) if r.adjusted else "",
    )  # fmt: skip
    yield Column("games", _("Games"), _("games played"), 3, lambda r: r.games, lambda r: number(r.games))
    yield Column(
        "superiority", _("Above next"), _("likelihood that it is better than the next in the table"), 4,
        lambda r: r.superiority, lambda r: "" if r.superiority is None else rate(r.superiority),
    )  # fmt: skip
    yield Column(
        "points", _("Points"), _("mean score of a game"), 5,
        lambda r: r.mean_score if r.games else None, lambda r: ltr(decimal(r.mean_score, 1)),
    )  # fmt: skip
    yield Column(
        "faults", _("Faults"), _("faults of the protocol, the rules or the clock"), 3,
        _faults, lambda r: number(sum(r.faults.values())), codes,
    )  # fmt: skip
    yield from _used()


def _used() -> Iterator[Column]:
    for key, heading, meaning in (
        ("median", _("Median ms"), _("milliseconds for a decision: half took less")),
        ("p99", _("99% ms"), _("milliseconds for a decision: 99% took less")),
    ):
        yield Column(key, heading, meaning, 6, _time(key), _said(_time(key), milliseconds))
    yield Column(
        "cpu", _("CPU ms"), _("milliseconds of processor time a decision"), 6,
        lambda r: r.cpu_ms, _said(lambda r: r.cpu_ms, milliseconds),
    )  # fmt: skip
    yield Column(
        "memory", _("MiB"), _("most memory at a time, in MiB"), 6,
        lambda r: r.memory, _said(lambda r: r.memory, lambda value: mebibytes(int(value))),
    )  # fmt: skip


def _faults(row: Row) -> float | None:
    return sum(row.faults.values()) or (0 if row.decision_ms else None)


def codes(row: Row) -> str:
    """Return the codes of a row's faults with how often each came."""
    return ", ".join(ltr(f"{code} {count}") for code, count in row.faults.items())


def _time(key: str) -> Value:
    return lambda row: None if row.decision_ms is None else row.decision_ms[key]


def _said(value: Value, say: Callable[[float], str]) -> Callable[[Row], str]:
    def said(row: Row) -> str:
        known = value(row)
        return "" if known is None else say(known)

    return said
