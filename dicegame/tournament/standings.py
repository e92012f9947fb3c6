"""The standings of a tournament: who is how good, how sure that is, and what everyone used, from the sums of all pairings.

With two seats entrants are ranked by their Bradley-Terry ratings. With more seats they are ranked by their win share over balanced
rotations: models of whole rankings put a bot that wins less often but comes second more above one that wins more. All intervals are of
95 %, clustered by block. Nothing here depends on the order of games, pairings or entrants.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dicegame.match.play import Usage
from dicegame.match.result import Adjusted
from dicegame.match.stats import interval_of_sums, t_below
from dicegame.tournament.rating import Ratings, Results, fit
from dicegame.tournament.shares import Part, Share
from dicegame.tournament.sums import Entrant, PairingSums, PlaceSums


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant's standing.

    `win_rate` is the mean over its opponents (with more seats: over the tables it sat at), each with the same weight however many
    blocks were played against it; 0, with the interval 0 to 1, where nothing was played. `elo` is the difference from the field's mean,
    None with more than two seats or without games; an end of `elo_interval` is infinite where the games don't bound it, as of one that
    never won. `adjusted` is
    the win rate with luck taken out. `decision_ms` has "median" and "p99", `cpu_ms` is the processor time of its processes a decision, on
    turn and off, `memory` their peak in bytes; None for players without a process. `superiority` is the likelihood that it is better
    than the next row.
    """

    rank: int
    number: int
    name: str
    games: int
    blocks: int
    wins: float
    win_rate: float
    interval: tuple[float, float]
    elo: float | None
    elo_interval: tuple[float, float] | None
    adjusted: Adjusted | None
    mean_score: float
    faults: dict[str, int]
    decision_ms: dict[str, float] | None
    cpu_ms: float | None
    memory: int | None
    superiority: float | None
    withdrawn: bool

    def as_json(self) -> dict[str, Any]:
        """Return the object that is exported; an end without bounds is null."""
        told: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        told["interval"] = list(self.interval)
        told["elo_interval"] = None if self.elo_interval is None else [_finite(end) for end in self.elo_interval]
        told["adjusted"] = None if self.adjusted is None else self.adjusted.as_json()
        return told


@dataclass(frozen=True, slots=True)
class Cell:
    """How one entrant did in the games with another: its share of their wins. With more seats others won some of them too."""

    games: int
    blocks: int
    win_rate: float
    interval: tuple[float, float]
    adjusted: Adjusted | None

    def as_json(self) -> dict[str, Any]:
        """Return the object that is exported."""
        adjusted = None if self.adjusted is None else self.adjusted.as_json()
        return {**asdict(self), "interval": list(self.interval), "adjusted": adjusted}


@dataclass(frozen=True, slots=True)
class SeatShare:
    """How often whoever sat in a seat (from 0, in the order of moving) won."""

    seat: int
    win_rate: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Standings:
    """The whole table: `rows` from the best down; `cells` by row's and column's entrant number, where they met.

    `superiority` is the likelihood, of every two entrants with games, that the first is the better one. `seat_advantage` is empty
    where nothing was played.
    """

    rows: list[Row]
    cells: dict[tuple[int, int], Cell]
    superiority: dict[tuple[int, int], float]
    seat_advantage: list[SeatShare]

    def as_json(self) -> dict[str, Any]:
        """Return the object that is exported; cells and likelihoods are lists, since JSON has no pairs as keys."""
        return {
            "rows": [row.as_json() for row in self.rows],
            "cells": [{"row": a, "column": b, **cell.as_json()} for (a, b), cell in self.cells.items()],
            "superiority": [{"row": a, "column": b, "likelihood": p} for (a, b), p in self.superiority.items()],
            "seat_advantage": [asdict(share) for share in self.seat_advantage],
        }


def standings(entrants: Sequence[Entrant], sums: Sequence[PairingSums], seats: int) -> Standings:
    """Return the standings.

    Args:
        entrants: all who take part, withdrawn ones too.
        sums: what the blocks of every pairing came to; they are not changed.
        seats: how many seats a game has.
    """
    ordered = sorted((s for s in sums if s.blocks), key=lambda s: (s.pairing, s.entrants))
    sides = {entrant.number: _Side(entrant, ordered) for entrant in entrants}
    ratings = fit(_results(ordered)) if seats == 2 else None
    elos = {} if ratings is None else {n: (ratings.elo(n), span) for n, span in ratings.elo_intervals().items()}
    ranked = sorted(sides.values(), key=lambda side: _order(side, ratings))
    superiority = _superiority([side for side in ranked if side.parts], ratings, seats)
    rows = [
        side.row(
            rank,
            elos.get(side.entrant.number),
            superiority.get((side.entrant.number, after.entrant.number)) if after else None,
        )
        for rank, (side, after) in enumerate(zip(ranked, [*ranked[1:], None], strict=True), 1)
    ]
    return Standings(rows, _cells(ranked, ordered), superiority, _seat_advantage(ordered, seats))


def _results(sums: Iterable[PairingSums]) -> list[Results]:
    return [Results(s.entrants[0], s.entrants[1], s.blocks, s.places[0].means, s.places[0].squares) for s in sums]


def _order(side: _Side, ratings: Ratings | None) -> tuple[bool, float, float, int]:
    """Return what rows are sorted by: those without games last; ratings and rates that differ by rounding alone are equal."""
    if not side.parts:
        return True, 0.0, 0.0, side.entrant.number
    rating = 0.0 if ratings is None else round(-ratings.values[side.entrant.number], 9)
    return False, rating, round(-side.share.rate, 9), side.entrant.number


class _Side:
    """One entrant's part in all pairings."""

    def __init__(self, entrant: Entrant, sums: Iterable[PairingSums]) -> None:
        self.entrant = entrant
        self.parts = [
            (s, place) for s in sums for n, place in zip(s.entrants, s.places, strict=True) if n == entrant.number
        ]
        self.share = Share.of(_plain(s, place) for s, place in self.parts)
        self.pseudo = self.share.with_pseudo_blocks()

    def row(self, rank: int, elo: tuple[float, tuple[float, float]] | None, superiority: float | None) -> Row:
        """Return the row of this entrant."""
        games = sum(s.games for s, _place in self.parts)
        faults: Counter[str] = Counter()
        usage = Usage()
        for _s, place in self.parts:
            faults.update(place.faults)
            usage.add(place.usage)
        times = usage.times
        return Row(
            rank=rank,
            number=self.entrant.number,
            name=self.entrant.name,
            games=games,
            blocks=sum(s.blocks for s, _place in self.parts),
            wins=math.fsum(place.wins for _s, place in self.parts),
            win_rate=self.share.rate,
            interval=self.share.interval(),
            elo=None if elo is None else elo[0],
            elo_interval=None if elo is None else elo[1],
            adjusted=_adjusted(self.parts),
            mean_score=sum(place.score for _s, place in self.parts) / max(games, 1),
            faults={code: faults[code] for code in sorted(faults)},
            decision_ms={"median": times.median * 1000, "p99": times.p99 * 1000} if times.count else None,
            cpu_ms=(usage.on_turn_cpu + usage.off_turn_cpu) / times.count * 1000 if times.count else None,
            memory=usage.memory or None,
            superiority=superiority,
            withdrawn=self.entrant.withdrawn,
        )


def _plain(sums: PairingSums, place: PlaceSums) -> Part:
    return Part(frozenset(sums.entrants), sums.blocks, place.means, place.squares)


def _adjusted(parts: Iterable[tuple[PairingSums, PlaceSums]]) -> Adjusted | None:
    """Return the luck-adjusted rate over these parts; None where luck is not measured."""
    measured = [
        Part(frozenset(s.entrants), s.blocks, place.adjusted, place.adjusted_squares) for s, place in parts if s.luck
    ]
    return Share.of(measured).adjusted() if measured else None


def _superiority(sides: Sequence[_Side], ratings: Ratings | None, seats: int) -> dict[tuple[int, int], float]:
    """Return the likelihood for every two entrants that the first is better: by their ratings, or by their win shares.

    Two who share tables take wins from each other, which the sums don't show: they are taken to vary against each other as all
    those at a table do on average, which is the most where they often don't meet.
    """
    found = {}
    for i, one in enumerate(sides):
        for other in sides[i + 1 :]:
            a, b = one.entrant.number, other.entrant.number
            if ratings is not None:
                likelihood = ratings.superiority(a, b)
            else:
                (rate, error, df), (rate2, error2, df2) = one.pseudo, other.pseudo
                square = error * error + error2 * error2 + 2 * error * error2 / (seats - 1)
                likelihood = t_below((rate - rate2) / math.sqrt(square), min(df, df2))
            found[a, b] = likelihood
            found[b, a] = 1 - likelihood
    return found


def _cells(ranked: Sequence[_Side], sums: Iterable[PairingSums]) -> dict[tuple[int, int], Cell]:
    met: dict[tuple[int, int], list[tuple[PairingSums, PlaceSums]]] = {}
    for s in sums:
        for number, place in zip(s.entrants, s.places, strict=True):
            for other in s.entrants:
                if other != number:
                    met.setdefault((number, other), []).append((s, place))
    found = {}
    for row in ranked:
        for column in ranked:
            key = (row.entrant.number, column.entrant.number)
            if key in met:
                found[key] = _cell(met[key])
    return found


def _cell(parts: Sequence[tuple[PairingSums, PlaceSums]]) -> Cell:
    share = Share.of(_plain(s, place) for s, place in parts)
    games, blocks = sum(s.games for s, _place in parts), sum(s.blocks for s, _place in parts)
    return Cell(games, blocks, share.rate, share.interval(), _adjusted(parts))


def _seat_advantage(sums: Sequence[PairingSums], seats: int) -> list[SeatShare]:
    """Return how often each seat won, over all games.

    Of how a seat's wins vary from block to block the sums hold a part: with a and b the results of one entrant in the two seats of a
    block, the first seat wins (a + 1 - b) / 2 of it and the entrant (a + b) / 2, and the variances of these two add up to
    half those of a and of b, which without shared wins follow from their means (with shared wins they are less, and the interval
    too wide rather than too narrow). With more seats the games of a block count as if they had all gone alike: the interval is too wide.
    """
    blocks = sum(s.blocks for s in sums)
    if not blocks:
        return []
    wins = [math.fsum(place.seat_wins[seat] for s in sums for place in s.places) for seat in range(seats)]
    found = []
    for seat, won in enumerate(wins):
        rate = won / (blocks * seats)
        variance = rate * (1 - rate)
        if seats == 2:
            firsts = [math.fsum(s.places[0].seat_wins[k] for s in sums) / blocks for k in range(2)]
            mean = math.fsum(s.places[0].means for s in sums) / blocks
            squares = math.fsum(s.places[0].squares for s in sums) / blocks
            variance = max(sum(p * (1 - p) for p in firsts) / 2 - (squares - mean * mean), 0.0)
        found.append(SeatShare(seat, rate, interval_of_sums(blocks, blocks * rate, blocks * (rate * rate + variance))))
    return found


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None
