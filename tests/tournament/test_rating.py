"""Ratings against two independent programs, worked examples, and what must hold of any."""

from __future__ import annotations

import math
import random
from itertools import combinations

import choix
import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dicegame.match.stats import interval_of_sums, t_below
from dicegame.tournament.rating import ELO, Ratings, Results, fit
from tests.tournament.drawn import chance, duel

Blocks = dict[tuple[int, int], list[list[float]]]  # by pair, the results of the first in the two games of each block


def drawn(seed: int, count: int = 6, alike: float = 0.3) -> Blocks:
    """Return blocks of a round robin of unequal numbers, in which nobody only wins or only loses."""
    rng = random.Random(seed)
    ratings = {number: rng.gauss(0, 0.7) for number in range(1, count + 1)}
    found: Blocks = {}
    for i, j in combinations(ratings, 2):
        p = chance(ratings, i, j)
        found[i, j] = [[game[0] for game in duel(p, rng, alike)] for _block in range(rng.randrange(5, 30))]
    return found


def results(blocks: Blocks) -> list[Results]:
    found = []
    for (i, j), games in blocks.items():
        means = [sum(block) / 2 for block in games]
        found.append(Results(i, j, len(means), sum(means), sum(mean * mean for mean in means)))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_ratings_are_those_of_choix(seed: int) -> None:
    blocks = drawn(seed)
    won = [
        (i - 1, j - 1) if result else (j - 1, i - 1)
        for (i, j), games in blocks.items()
        for block in games
        for result in block
    ]
    theirs = choix.ilsr_pairwise(6, won, alpha=0.0, tol=1e-12)
    ours = fit(results(blocks), prior=0)
    assert [ours.values[number] for number in range(1, 7)] == pytest.approx(theirs - theirs.mean(), abs=1e-8)
    assert ours.elo(1) == pytest.approx(ours.values[1] * 173.7177927613)


@pytest.mark.parametrize("seed", range(5))
def test_ratings_and_clustered_covariance_are_those_of_statsmodels(seed: int) -> None:
    """A logistic regression whose clusters are the blocks; shared wins count as halves in both."""
    rng = random.Random(seed)
    blocks = drawn(seed)
    for games in blocks.values():
        games[0] = [0.5, rng.choice([0.0, 0.5, 1.0])]
    rows: list[list[float]] = []
    answers: list[float] = []
    groups: list[int] = []
    for (i, j), pair in blocks.items():
        for block in pair:
            group = len(groups)
            for result in block:
                rows.append([float(number == i) - float(number == j) for number in range(2, 7)])  # the first is at 0
                answers.append(result)
                groups.append(group)
    model = sm.GLM(np.array(answers), np.array(rows), family=sm.families.Binomial())
    theirs = model.fit(
        cov_type="cluster", cov_kwds={"groups": np.array(groups), "use_correction": False}, tol=1e-13, maxiter=200
    )
    ours = fit(results(blocks), prior=0)
    assert [ours.values[n] - ours.values[1] for n in range(2, 7)] == pytest.approx(theirs.params, abs=1e-7)
    to_differences = np.hstack([-np.ones((5, 1)), np.eye(5)])
    covariance = to_differences @ np.array(ours.covariance) @ to_differences.T
    assert covariance == pytest.approx(theirs.cov_params(), abs=1e-7)


def test_two_entrants_have_the_interval_of_a_match() -> None:
    """On another scale: half of the difference to the other is the difference to the field's mean."""
    for means in ([1.0, 0.5, 1.0, 0.0, 0.5], [1.0], [0.0] * 30, [0.5] * 7, [1.0] * 9 + [0.5]):
        total, squares = sum(means), sum(mean * mean for mean in means)
        ratings = fit([Results(1, 2, len(means), total, squares)])
        low, high = interval_of_sums(len(means), total, squares)
        for number, (a, b) in ((1, (low, high)), (2, (1 - high, 1 - low))):
            found = ratings.elo_intervals()[number]
            for end, rate in zip(found, (a, b), strict=True):
                if 1e-9 < rate < 1 - 1e-9:
                    assert end == pytest.approx(ELO * math.log(rate / (1 - rate)) / 2)
                else:
                    assert end == math.copysign(math.inf, rate - 0.5)


def test_a_worked_example() -> None:
    """Three wins of four: odds of three, 190.85 Elo between the two."""
    ratings = fit([Results(7, 3, 2, 1.5, 1.25)], prior=0)
    assert ratings.elo(7) - ratings.elo(3) == pytest.approx(190.8485)
    assert ratings.elo(7) == pytest.approx(-ratings.elo(3))
    # with a block won and a block lost more: 2.5 of 4
    assert fit([Results(7, 3, 2, 1.5, 1.25)]).elo(7) == pytest.approx(ELO * math.log(5 / 3) / 2)


def test_who_always_loses_breaks_nothing() -> None:
    everyone = [Results(i, j, 20, 10, 6) for i, j in combinations(range(1, 5), 2)]
    winless = [Results(i, 5, 20, 20, 20) for i in range(1, 5)]
    ratings = fit(everyone + winless)
    assert -1200 < ratings.elo(5) < -500
    low, high = ratings.elo_intervals()[5]
    assert low == -math.inf
    assert high < -250
    assert all(math.isfinite(end) for end in ratings.elo_intervals()[1])
    assert ratings.superiority(1, 5) > 0.9999
    with pytest.raises(ValueError, match="prior"):
        fit(everyone + winless, prior=0)


def test_groups_that_never_met_are_rated_and_said_to_be_open() -> None:
    apart = [Results(1, 2, 50, 30, 22), Results(3, 4, 50, 30, 22), Results(4, 5, 50, 20, 12)]
    ratings = fit(apart)
    assert set(ratings.core) == {3, 4, 5}
    assert ratings.above == ratings.below == {1, 2}
    intervals = ratings.elo_intervals()
    assert intervals[1] == (-math.inf, math.inf)
    assert intervals[3][0] < ratings.elo(3) < intervals[3][1] < intervals[3][0] + 300
    assert ratings.superiority(1, 2) > 0.95
    assert 0.2 < ratings.superiority(1, 3) < 0.8
    joined = fit([*apart, Results(2, 3, 2, 1, 0.5)])
    assert set(joined.core) == {1, 2, 3, 4, 5}
    assert not joined.above | joined.below
    with pytest.raises(ValueError, match="prior"):
        fit(apart, prior=0)


def test_nobody_and_pairings_without_blocks() -> None:
    assert fit([]) == Ratings((), {}, [], {}, {}, frozenset(), frozenset())
    assert fit([Results(1, 2, 0, 0, 0), Results(2, 3, 5, 3, 2)]).numbers == (2, 3)


def test_identical_players_over_mirrored_dice() -> None:
    """Every block is one win each: no variance at all, and yet an interval."""
    ratings = fit([Results(i, j, 100, 50, 25) for i, j in combinations(range(1, 4), 2)])
    assert ratings.elo(1) == pytest.approx(0)
    low, high = ratings.elo_intervals()[1]
    assert -20 < low < 0 < high < 20
    assert ratings.superiority(1, 2) == pytest.approx(0.5)


PAIRS = list(combinations(range(1, 6), 2))


@settings(max_examples=30)
@given(st.permutations(PAIRS), st.lists(st.booleans(), min_size=10, max_size=10), st.integers(0, 5))
def test_order_does_not_matter_and_neither_does_who_is_named_first(
    order: list[tuple[int, int]], turned: list[bool], seed: int
) -> None:
    blocks = drawn(seed, count=5)
    plain = results(blocks)
    by_pair = {(r.first, r.second): r for r in plain}
    shuffled = [by_pair[pair].turned() if turn else by_pair[pair] for pair, turn in zip(order, turned, strict=True)]
    one, two = fit(plain), fit(shuffled)
    assert one.values == pytest.approx(two.values, abs=1e-10)
    for number in range(1, 6):
        assert one.elo_intervals()[number] == pytest.approx(two.elo_intervals()[number], abs=1e-7)
    assert fit([by_pair[pair] for pair in order]) == one  # to the last bit


def test_parts_of_a_pairing_add_up() -> None:
    whole = fit([Results(1, 2, 10, 6, 5), Results(2, 3, 8, 3, 2)])
    parts = fit([Results(2, 1, 4, 2, 2), Results(2, 3, 8, 3, 2), Results(1, 2, 6, 4, 3)])
    assert whole.values == pytest.approx(parts.values)


@given(st.floats(-30, 30), st.integers(1, 300))
def test_distribution_of_t_is_a_distribution(t: float, df: int) -> None:
    assert 0 <= t_below(t, df) <= 1
    assert t_below(t, df) + t_below(-t, df) == pytest.approx(1)


def test_distribution_of_t_by_another_program() -> None:
    for df in (1, 2, 7, 40, 333):
        for t in (-6.0, -1.3, 0.0, 0.2, 2.5, 9.0):
            assert t_below(t, df) == pytest.approx(stats.t.cdf(t, df), abs=1e-10)
