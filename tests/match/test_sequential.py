"""The sequential test and the watched interval: error rates by seeded simulation, worked examples, players without variance."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import product

import pytest

from dicegame.match.sequential import Decision, Sprt, Watched, expected, plain_games
from dicegame.match.stats import block_interval

Draw = Callable[[random.Random, float], float]  # a block mean with this expectation


def independent(rng: random.Random, p: float) -> float:
    return ((rng.random() < p) + (rng.random() < p)) / 2


def alike(rng: random.Random, p: float) -> float:
    return float(rng.random() < p)


def mirrored(rng: random.Random, p: float) -> float:
    """Four blocks of five are one win each, at a rate near one half."""
    even = 1.6 * min(p, 1 - p)
    at = rng.random()
    return 1.0 if at < p - even / 2 else 0.5 if at < p + even / 2 else 0.0


def adjusted(rng: random.Random, p: float) -> float:
    return p + rng.gauss(0, 0.07)


KINDS: list[Draw] = [independent, alike, mirrored]


def decided(sprt: Sprt, draw: Draw, p: float, cap: int, rng: random.Random) -> Sprt:
    while sprt.blocks < cap and sprt.add(draw(rng, p)) is Decision.UNDECIDED:
        pass
    return sprt


@pytest.mark.parametrize(("draw", "elos"), [*product(KINDS, [(0.0, 40.0), (-30.0, 30.0), (100.0, 160.0)])])
def test_errors_of_the_sequential_test_are_within_their_bounds(draw: Draw, elos: tuple[float, float]) -> None:
    rng = random.Random(f"{draw.__name__} {elos}")
    runs = 400
    for true, wrong in ((elos[0], Decision.ACCEPT), (elos[1], Decision.REJECT)):
        ends = [decided(Sprt(*elos), draw, expected(true), 3000, rng) for _run in range(runs)]
        errors = sum(end.decision is wrong for end in ends) / runs
        assert errors <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)
        assert sum(end.decision is Decision.UNDECIDED for end in ends) / runs < 0.02
        assert min(end.blocks for end in ends) >= 100


def test_errors_with_luck_taken_out_are_within_their_bounds_and_it_ends_far_sooner() -> None:
    rng = random.Random(5)
    runs, elos = 500, (0.0, 20.0)
    for true, wrong in ((elos[0], Decision.ACCEPT), (elos[1], Decision.REJECT)):
        ends = [decided(Sprt(*elos, adjusted=True), adjusted, expected(true), 3000, rng) for _run in range(runs)]
        assert sum(end.decision is wrong for end in ends) / runs <= 0.05
        assert min(end.blocks for end in ends) >= 30
        assert sum(end.blocks for end in ends) / runs < 60


def test_identical_players_are_decided_on_and_break_nothing() -> None:
    """Over mirrored dice every block is one win each: no variance at all."""
    assert decided(Sprt(0, 20), lambda _rng, _p: 0.5, 0.5, 500, random.Random(1)).decision is Decision.REJECT
    assert decided(Sprt(-20, 0), lambda _rng, _p: 0.5, 0.5, 500, random.Random(1)).decision is Decision.ACCEPT
    assert decided(Sprt(0, 20, adjusted=True), lambda _rng, _p: 0.5, 0.5, 500, random.Random(1)).blocks == 30
    even = decided(Sprt(-10, 10), lambda _rng, _p: 0.5, 0.5, 500, random.Random(1))
    assert (even.decision, even.blocks) == (Decision.UNDECIDED, 500)
    assert even.llr == pytest.approx(0)
    watched = Watched()
    for _block in range(200):
        watched.add(0.5)
    interval = watched.interval()
    assert interval is not None
    assert 0.45 < interval[0] < 0.5 < interval[1] < 0.55


def test_who_wins_everything_or_nothing_is_decided_on() -> None:
    for result, decision in ((1.0, Decision.ACCEPT), (0.0, Decision.REJECT)):
        end = decided(Sprt(0, 20), lambda _rng, _p, result=result: result, 0.5, 1000, random.Random(1))  # type: ignore[misc]
        assert (end.decision, end.blocks) == (decision, 100)


def test_likelihood_ratio_of_a_worked_example() -> None:
    """60 blocks of one win each and 60 won: mean 0.75, and with the pseudo-blocks a variance of 8.6967 / 121."""
    sprt = Sprt(0, 40)
    for mean in [0.5, 1.0] * 50:
        sprt.add(mean)
    s1 = 1 / (1 + 10**-0.1)
    middle = (0.5 + s1) / 2
    centre = 76 / 102
    variance = (63.5 - 102 * centre * centre) / 101 * middle * (1 - middle) / (centre * (1 - centre))
    assert sprt.llr == pytest.approx((s1 - 0.5) * (75 - 100 * middle) / variance)
    assert sprt.bounds == pytest.approx((-2.944439, 2.944439))
    assert (sprt.decision, sprt.blocks) == (Decision.ACCEPT, 100)
    assert sprt.add(0.0) is Decision.ACCEPT
    assert sprt.blocks == 100


def test_plain_games_are_those_of_the_textbook() -> None:
    """Of 51 against 49 %, and of 5 Elo."""
    assert plain_games(0, 400 * math.log10(51 / 49)) == 32_487
    assert plain_games(0, 5) == pytest.approx((1.959964 + 1.644854) ** 2 * 0.25 / (expected(5) - 0.5) ** 2, abs=1)
    assert expected(0) == 0.5
    assert expected(400) == pytest.approx(10 / 11)


@pytest.mark.parametrize(("draw", "p"), [*product(KINDS, [0.5, 0.9]), (alike, 0.98), (independent, 0.99)])
def test_watched_interval_misses_in_less_than_five_percent_of_runs(draw: Draw, p: float) -> None:
    rng = random.Random(f"{draw.__name__} {p}")
    runs, missed = 300, 0
    for _run in range(runs):
        watched = Watched()
        for _block in range(600):
            watched.add(draw(rng, p))
            interval = watched.interval()
            if interval is not None and not interval[0] <= p <= interval[1]:
                missed += 1
                break
    assert missed / runs < 0.05


def test_watched_interval_of_adjusted_blocks_may_leave_0_to_1_and_misses_as_seldom() -> None:
    rng = random.Random(3)
    missed = 0
    for _run in range(300):
        watched = Watched(adjusted=True)
        outside = False
        for _block in range(400):
            watched.add(adjusted(rng, 0.999))
            interval = watched.interval()
            outside |= interval is not None and not interval[0] <= 0.999 <= interval[1]
        assert interval is not None
        assert interval[1] > 1
        missed += outside
    assert missed / 300 < 0.05


def test_watched_interval_begins_at_fifty_blocks_and_is_half_as_wide_again_at_two_hundred() -> None:
    rng = random.Random(2)
    watched, means = Watched(), []
    for block in range(1, 201):
        means.append(independent(rng, 0.6))
        watched.add(means[-1])
        assert (watched.interval() is None) == (block < 50)
    interval = watched.interval()
    assert interval is not None
    plain = block_interval(means)
    assert 1.4 < (interval[1] - interval[0]) / (plain[1] - plain[0]) < 1.65
