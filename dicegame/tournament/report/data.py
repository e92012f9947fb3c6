"""What the page shows beyond the overview: how the standings came about, the faults, and as many games as are wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from dicegame.tournament.reader import Reader, StoredFault, StoredGame
from dicegame.tournament.report.overview import Overview, overview
from dicegame.tournament.report.replays import packed
from dicegame.tournament.shares import Part, Share
from dicegame.tournament.sums import PairingSums

TRACKS = 5  # entrants whose way is drawn: more lines can't be told apart
STEPS = 60  # points of such a way
KEPT_FAULTS = 100  # faults that are told in full


@dataclass(frozen=True, slots=True)
class Point:
    """An entrant's win rate, with its 95 % interval, after so many of its blocks."""

    blocks: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Track:
    """The way of one entrant's win rate to where it stands: the same share of every pairing's blocks at each point."""

    number: int
    points: list[Point]


@dataclass(frozen=True, slots=True)
class Report:
    """All that a page is made of. `records` are those of `games` that have one, packed for the player in the page."""

    overview: Overview
    tracks: list[Track]
    faults: list[StoredFault]
    games: list[StoredGame]
    records: dict[str, str] = field(default_factory=dict)


def gather(reader: Reader, games: int) -> Report:
    """Read what a page is made of, with at most so many games: those with faults first, else the first ones of every pairing.

    Raises:
        StoreError: the store can't be read.
        RecordError: a record in it is damaged.
    """
    with reader.instant():
        told = overview(reader)
        faults = reader.faults(KEPT_FAULTS)
        chosen, everything = _chosen(reader, told, faults, games)
        records = _records(reader, chosen, everything=everything)
        return Report(told, list(_tracks(reader, told)), faults, chosen, records)


def _chosen(reader: Reader, told: Overview, faults: Sequence[StoredFault], most: int) -> tuple[list[StoredGame], bool]:
    """Return the games of the page, and whether these are all."""
    if told.progress.games_played <= most:
        return list(reader.games()), True
    names = dict.fromkeys(fault.game for fault in faults)
    found = {name: reader.game(name) for name in islice(names, most)}
    pairings = [sums for sums in told.sums if sums.blocks]
    each = max((most - len(found)) // max(len(pairings), 1), 1)
    for pairing in pairings:
        if len(found) >= most:
            break
        for game in islice(reader.games(pairing.pairing), each):
            if len(found) < most:
                found.setdefault(game.id, game)
    return list(found.values()), False


def _records(reader: Reader, games: Sequence[StoredGame], *, everything: bool) -> dict[str, str]:
    if everything:
        return {name: packed(record) for name, record in reader.records()}
    found = ((game.id, reader.record(game.id)) for game in games)
    return {name: packed(record) for name, record in found if record is not None}


def _tracks(reader: Reader, told: Overview) -> Iterator[Track]:
    """Yield the ways of the first entrants in the standings."""
    top = [row.number for row in told.standings.rows if row.games][:TRACKS]
    parts: dict[int, list[list[Part]]] = {number: [[] for _step in range(STEPS)] for number in top}
    for sums in told.sums:
        if sums.blocks and not parts.keys().isdisjoint(sums.entrants):
            for step, counted in enumerate(_steps(reader, sums)):
                for number, part in zip(sums.entrants, counted, strict=True):
                    if number in parts:
                        parts[number][step].append(Part(frozenset(sums.entrants), *part))
    for number in top:
        points: dict[int, Point] = {}
        for counted_here in parts[number]:
            blocks = sum(part.blocks for part in counted_here)
            if blocks:
                share = Share.of(counted_here)
                points[blocks] = Point(blocks, share.rate, *share.interval())
        yield Track(number, list(points.values()))


def _steps(reader: Reader, pairing: PairingSums) -> Iterator[list[tuple[int, float, float]]]:
    """Yield, at every step, the blocks and the sums of the means and of their squares of every place, over so much of a pairing."""
    places = len(pairing.entrants)
    totals, squares, done = [0.0] * places, [0.0] * places, 0
    means = reader.block_means(pairing.pairing)
    for step in range(1, STEPS + 1):
        for block in islice(means, round(pairing.blocks * step / STEPS) - done):
            done += 1
            for place, mean in enumerate(block):
                totals[place] += mean
                squares[place] += mean * mean
        yield [(done, total, square) for total, square in zip(totals, squares, strict=True)]
