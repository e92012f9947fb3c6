"""The intervals of standings hold the truth as often as they say: seeded simulations of few blocks and lopsided fields."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from dicegame.tournament.rating import ELO, Results, fit
from dicegame.tournament.shares import Part, Share
from tests.tournament.drawn import chance, duel

FIELDS = {
    "even": [0.0] * 8,
    "spread": [-2.0, -1.0, -0.5, -0.2, 0.2, 0.5, 1.0, 2.0],
    "lopsided": [-6.0, -3.0, -1.0, 0.0, 0.0, 1.0, 3.0, 6.0],
    "one never wins": [-9.0] + [0.0] * 7,
    "two halves": [-3.0] * 4 + [3.0] * 4,
}
RATES = {
    "even": [0.5] * 7,
    "spread": [0.05, 0.2, 0.4, 0.5, 0.6, 0.8, 0.95],
    "strong": [0.97] * 7,
    "two": [0.5, 0.999],
}


def results(ratings: dict[int, float], blocks: int, alike: float, rng: random.Random) -> list[Results]:
    found = []
    for i, j in combinations(ratings, 2):
        p = chance(ratings, i, j)
        means = [sum(game[0] for game in duel(p, rng, alike)) / 2 for _block in range(blocks)]
        found.append(Results(i, j, blocks, sum(means), sum(mean * mean for mean in means)))
    return found


@pytest.mark.parametrize("alike", [0.0, 1.0])
@pytest.mark.parametrize("blocks", [1, 3, 8])
@pytest.mark.parametrize("field", FIELDS)
def test_elo_intervals_hold_the_difference_from_the_core(field: str, blocks: int, alike: float) -> None:
    ratings = dict(enumerate(FIELDS[field], 1))
    rng = random.Random(f"{field} {blocks} {alike}")
    held, runs = 0, 120
    for _run in range(runs):
        found = fit(results(ratings, blocks, alike, rng))
        shift = sum(w * (found.values[n] - ratings[n]) for n, w in found.core.items())
        for number, (low, high) in found.elo_intervals().items():
            held += low - 1e-6 <= (ratings[number] + shift) * ELO <= high + 1e-6
    assert held / (8 * runs) >= 0.94


@pytest.mark.parametrize("alike", [0.0, 1.0])
@pytest.mark.parametrize("blocks", [1, 2, 5, 20])
@pytest.mark.parametrize("rates", RATES)
def test_win_share_intervals_hold_the_mean_over_the_opponents(rates: str, blocks: int, alike: float) -> None:
    rng = random.Random(f"{rates} {blocks} {alike}")
    held, runs = 0, 600
    for _run in range(runs):
        parts = []
        for opponent, p in enumerate(RATES[rates], 2):
            means = [sum(game[0] for game in duel(p, rng, alike)) / 2 for _block in range(blocks)]
            parts.append(Part(frozenset({1, opponent}), blocks, sum(means), sum(mean * mean for mean in means)))
        low, high = Share.of(parts).interval()
        held += low <= sum(RATES[rates]) / len(RATES[rates]) <= high
    assert held / runs >= 0.94
