"""Pairings with known chances, drawn from a seeded source: what standings are tried on."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

from dicegame.match.play import Usage
from dicegame.tournament.sums import Entrant, PairingSums, PlaceSums

Games = list[list[float]]  # by rotation, the share of the win by place


def entrants(count: int) -> list[Entrant]:
    return [Entrant(number, f"player {number}", "house") for number in range(1, count + 1)]


def pairing_of(name: str, numbers: Sequence[int], blocks: Sequence[Games]) -> PairingSums:
    """Add blocks up as the store does: in rotation r, place p sits in seat (p + r) % seats."""
    seats = len(numbers)
    places = [PlaceSums([0.0] * seats) for _number in numbers]
    for games in blocks:
        for at, place in enumerate(places):
            mean = sum(game[at] for game in games) / seats
            place.means += mean
            place.squares += mean * mean
            for rotation, game in enumerate(games):
                place.seat_wins[(at + rotation) % seats] += game[at]
    return PairingSums(name, tuple(numbers), len(blocks), places)


def chance(ratings: dict[int, float], one: int, other: int) -> float:
    """Return the chance that one beats the other, ratings in units of the logarithm of the odds."""
    return 1 / (1 + math.exp(ratings[other] - ratings[one]))


def duel(p: float, rng: random.Random, alike: float = 0.0) -> Games:
    """Return a block of two games; with the chance `alike` both go the same way."""
    first = rng.random() < p
    second = first if rng.random() < alike else rng.random() < p
    return [[float(first), float(not first)], [float(second), float(not second)]]


def round_robin(
    count: int,
    blocks: Callable[[int, int], int],
    p: Callable[[int, int], float],
    rng: random.Random,
    alike: float = 0.0,
) -> list[PairingSums]:
    """Return a round robin of two seats."""
    return [
        pairing_of(f"{i}-{j}", (i, j), [duel(p(i, j), rng, alike) for _block in range(blocks(i, j))])
        for i, j in combinations(range(1, count + 1), 2)
    ]


def used(
    sums: PairingSums, place: int, *, faults: dict[str, int], cpu: float, memory: int, times: Sequence[float]
) -> None:
    """Give a place of a pairing faults and usage."""
    usage = Usage(on_turn_cpu=cpu, off_turn_cpu=cpu / 2, memory=memory)
    for seconds in times:
        usage.times.add(seconds)
    sums.places[place].faults = Counter(faults)
    sums.places[place].usage = usage
