"""The statistics of a match against printed tables, exact enumeration and the definitions themselves."""

from __future__ import annotations

import math
import pickle
import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegame.match import stats
from dicegame.match.stats import Quantiles, block_interval, interval_of_sums, mean_interval, percentile, t_quantile

PROBABILITIES = (0.6, 0.75, 0.9, 0.95, 0.975, 0.99, 0.995)
# As printed in the tables of textbooks (StatSoft, Electronic Statistics Textbook): six digits and more.
PRINTED = """
  1  0.324920 1.000000 3.077684 6.313752 12.70620 31.82052 63.65674
  2  0.288675 0.816497 1.885618 2.919986 4.30265 6.96456 9.92484
  3  0.276671 0.764892 1.637744 2.353363 3.18245 4.54070 5.84091
  4  0.270722 0.740697 1.533206 2.131847 2.77645 3.74695 4.60409
  5  0.267181 0.726687 1.475884 2.015048 2.57058 3.36493 4.03214
  6  0.264835 0.717558 1.439756 1.943180 2.44691 3.14267 3.70743
  7  0.263167 0.711142 1.414924 1.894579 2.36462 2.99795 3.49948
  8  0.261921 0.706387 1.396815 1.859548 2.30600 2.89646 3.35539
  9  0.260955 0.702722 1.383029 1.833113 2.26216 2.82144 3.24984
 10  0.260185 0.699812 1.372184 1.812461 2.22814 2.76377 3.16927
 20  0.256743 0.686954 1.325341 1.724718 2.08596 2.52798 2.84534
 30  0.255605 0.682756 1.310415 1.697261 2.04227 2.45726 2.75000
"""
# scipy.stats.t.ppf, scipy 1.17.1: p = 0.95, 0.975, 0.995
COMPUTED = {
    1: (6.313751515, 12.706204736, 63.656741162),
    2: (2.919985580, 4.302652730, 9.924843201),
    40: (1.683851013, 2.021075390, 2.704459267),
    120: (1.657650899, 1.979930405, 2.617421145),
    199: (1.652546746, 1.971956544, 2.600760216),
    200: (1.652508101, 1.971896224, 2.600634436),
    201: (1.652469842, 1.971836507, 2.600509919),
    500: (1.647906854, 1.964719837, 2.585697835),
    10_000: (1.645006018, 1.960201240, 2.576321047),
}
Interval = Callable[[Sequence[float]], tuple[float, float]]
MEANS = st.lists(st.floats(0, 1), max_size=40)


def half_a_digit(printed: str) -> float:
    """Return what half of one in the last printed digit is."""
    return 0.5 * 10.0 ** -len(printed.partition(".")[2])


@pytest.mark.parametrize("row", PRINTED.strip().splitlines(), ids=lambda row: f"df {row.split()[0]}")
def test_t_quantiles_are_those_of_the_printed_tables(row: str) -> None:
    df, *printed = row.split()
    for p, text in zip(PROBABILITIES, printed, strict=True):
        assert abs(t_quantile(p, int(df)) - float(text)) <= half_a_digit(text), p
        assert t_quantile(1 - p, int(df)) == pytest.approx(-float(text), abs=half_a_digit(text))


@pytest.mark.parametrize("df", COMPUTED)
def test_t_quantiles_are_those_of_another_program(df: int) -> None:
    found = [t_quantile(p, df) for p in (0.95, 0.975, 0.995)]
    assert found == pytest.approx(COMPUTED[df], rel=1e-9)


@pytest.mark.parametrize("p", [0.5001, 0.6, 0.9, 0.975, 0.995, 0.9995, 1 - 1e-6])
def test_series_and_expansion_meet(p: float) -> None:
    for df in (stats.SERIES_UP_TO, stats.SERIES_UP_TO + 1, 2 * stats.SERIES_UP_TO):
        assert stats._expanded(p, df) == pytest.approx(stats._inverted(p, df), rel=5e-9)


@given(st.floats(0.5001, 1 - 1e-6), st.integers(1, 199))
def test_quantile_is_the_inverse_of_the_distribution_and_falls_with_more_freedom(p: float, df: int) -> None:
    t = t_quantile(p, df)
    assert stats._within(math.atan(t / math.sqrt(df)), df) == pytest.approx(2 * p - 1, abs=1e-12)
    assert t > t_quantile(p, df + 1) > statistics.NormalDist().inv_cdf(p)


def test_closed_forms() -> None:
    for p in (0.51, 0.75, 0.975, 0.9999):
        assert t_quantile(p, 1) == pytest.approx(math.tan(math.pi * (p - 0.5)), rel=1e-11)  # Cauchy
        assert t_quantile(p, 2) == pytest.approx((2 * p - 1) / math.sqrt(2 * p * (1 - p)), rel=1e-11)
    assert t_quantile(0.5, 7) == 0
    assert t_quantile(0.975, 10**9) == pytest.approx(1.959964, abs=1e-6)


@pytest.mark.parametrize(("p", "df"), [(0, 5), (1, 5), (-0.1, 5), (1.5, 5), (math.nan, 5), (0.9, 0), (0.9, -3)])
def test_no_quantile_of_what_is_no_probability(p: float, df: int) -> None:
    with pytest.raises(ValueError, match=str(df)):
        t_quantile(p, df)


def matches(win: float, blocks: int) -> Iterator[tuple[list[float], float]]:
    """Yield the block means of every match of so many blocks of two independent games, with its probability."""
    lost, shared, won = (1 - win) ** 2, 2 * win * (1 - win), win**2
    for a in range(blocks + 1):
        for b in range(blocks - a + 1):
            c = blocks - a - b
            ways = comb(blocks, a) * comb(blocks - a, b)
            yield [0.0] * a + [0.5] * b + [1.0] * c, ways * lost**a * shared**b * won**c


def coverage(interval: Interval, win: float, blocks: int) -> float:
    """Return the exact chance that the interval holds the true win rate."""
    total = covered = 0.0
    for means, chance in matches(win, blocks):
        total += chance
        low, high = interval(means)
        covered += chance * (low <= win <= high)
    assert total == pytest.approx(1)
    return covered


def plain_z(means: Sequence[float]) -> tuple[float, float]:
    half = 1.959964 * statistics.stdev(means) / math.sqrt(len(means))
    return statistics.fmean(means) - half, statistics.fmean(means) + half


@pytest.mark.parametrize(("win", "plain"), [(0.65, 0.92), (0.95, 0.64), (0.99, 0.18)])
def test_interval_of_ten_blocks_covers_where_plain_z_does_not(win: float, plain: float) -> None:
    assert coverage(plain_z, win, 10) == pytest.approx(plain, abs=0.005)
    assert coverage(block_interval, win, 10) >= 0.95
    assert coverage(block_interval, 1 - win, 10) >= 0.95


RATES = (*(percent / 100 for percent in range(50, 100)), 0.995, 0.999)


@pytest.mark.parametrize("blocks", [2, 3, 5, 10, 20, 30])
def test_interval_covers_at_any_win_rate(blocks: int) -> None:
    for win in RATES:
        assert coverage(block_interval, win, blocks) >= 0.95, win


def covered(win: float, values: Sequence[float], chances: Sequence[float], blocks: int) -> float:
    """Return the exact chance that the interval holds the true rate, of blocks whose means have these values."""
    logs = [math.log(chance) if chance else -math.inf for chance in chances]
    held = 0.0
    for counts in counts_of(blocks, len(values)):
        total = sum(count * value for count, value in zip(counts, values, strict=True))
        squares = sum(count * value * value for count, value in zip(counts, values, strict=True))
        low, high = interval_of_sums(blocks, total, squares)
        if low <= win <= high:
            log = math.lgamma(blocks + 1)
            for count, one in zip(counts, logs, strict=True):
                log += count * one - math.lgamma(count + 1) if count else 0.0
            held += math.exp(log)
    return held


def counts_of(blocks: int, kinds: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to share so many blocks out."""
    if kinds == 1:
        yield (blocks,)
        return
    for first in range(blocks + 1):
        for rest in counts_of(blocks - first, kinds - 1):
            yield (first, *rest)


@pytest.mark.parametrize("blocks", [*range(1, 42, 4), 41, 60, 100, 150, 400])
def test_interval_covers_where_blocks_are_all_won_or_all_lost(blocks: int) -> None:
    """The hardest blocks: the docstring's table, and its bounds from 100 blocks on."""
    found = {win: covered(win, (0.0, 1.0), (1 - win, win), blocks) for win in RATES}
    assert min(found.values()) >= 0.94
    if blocks >= 100:
        assert max(chance for win, chance in found.items() if win <= 0.9) <= 0.975


@pytest.mark.parametrize("blocks", [100, 200])
def test_interval_is_not_too_wide_from_a_hundred_blocks_on(blocks: int) -> None:
    for win in (0.5, 0.7, 0.9):
        lost, even, won = (1 - win) ** 2, 2 * win * (1 - win), win * win  # independent games
        assert 0.94 <= covered(win, (0.0, 0.5, 1.0), (lost, even, won), blocks) <= 0.98
    for even in (0.5, 0.8, 0.9):  # mirrored seats: most blocks are one win each
        win = even / 2 + (1 - even) * 0.6
        assert 0.94 <= covered(win, (0.0, 0.5, 1.0), ((1 - even) * 0.4, even, (1 - even) * 0.6), blocks) <= 0.98


@pytest.mark.parametrize("even", [0.001, 0.05, 0.3, 0.8, 0.99])
@pytest.mark.parametrize("blocks", [1, 4, 12, 20])
def test_interval_covers_blocks_of_two_games_in_any_mixture(blocks: int, even: float) -> None:
    for part in (0.5, 0.6, 0.75, 0.9, 0.97, 1.0):
        won = (1 - even) * part
        assert covered(won + even / 2, (0.0, 0.5, 1.0), (1 - even - won, even, won), blocks) >= 0.94


@pytest.mark.parametrize("blocks", [1, 3, 8])
def test_interval_covers_blocks_of_three_games(blocks: int) -> None:
    rng = random.Random(blocks)
    values = (0.0, 1 / 3, 2 / 3, 1.0)
    for _mixture in range(25):
        weights = [rng.random() ** 8 for _value in values]  # some of them nearly nothing
        chances = [weight / sum(weights) for weight in weights]
        win = sum(value * chance for value, chance in zip(values, chances, strict=True))
        assert covered(win, values, chances, blocks) >= 0.94


@given(MEANS, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_block_interval_is_as_defined(means: list[float], level: float) -> None:
    low, high = block_interval(means, level)
    plain = mean_interval([*means, 1.0, 0.0], level)
    more = 0.2 / (len(means) + 2)
    assert (low, high) == pytest.approx((max(plain[0] - more, 0), min(plain[1] + more, 1)))
    assert (low, high) == pytest.approx(
        interval_of_sums(len(means), sum(means), sum(mean * mean for mean in means), level)
    )
    mirrored = block_interval([1 - mean for mean in means], level)
    assert mirrored == pytest.approx((1 - high, 1 - low))
    if means:
        assert low - 1e-9 <= statistics.fmean(means) <= high + 1e-9
    assert 0 <= low < high <= 1


def test_no_blocks_tell_nothing_and_many_nearly_all() -> None:
    assert block_interval([]) == (0, 1)
    # mean 1001 / 1002, variance 1 / 1002, t = 1.962337 with 1001 degrees of freedom, and a fifth of a block
    assert block_interval([1.0] * 1000) == pytest.approx(((1001 - 1.962337 - 0.2) / 1002, 1), abs=1e-9)
    assert block_interval([0.4, 0.6] * 50_000) == pytest.approx((0.5 - 0.00062, 0.5 + 0.00062), abs=1e-5)


def test_mean_interval_of_a_worked_example() -> None:
    # mean 3, standard deviation sqrt(2.5), t = 2.776445 with four degrees of freedom
    half = 2.776445 * math.sqrt(2.5 / 5)
    assert mean_interval([1, 2, 3, 4, 5]) == pytest.approx((3 - half, 3 + half), abs=1e-6)
    assert mean_interval([7, 7, 7]) == (7, 7)
    assert mean_interval([7]) == mean_interval([]) == (-math.inf, math.inf)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30), st.integers(2, 20))
def test_percentiles_are_those_of_the_standard_library(values: list[float], parts: int) -> None:
    ascending = sorted(values)
    found = [percentile(ascending, i / parts) for i in range(1, parts)]
    assert found == pytest.approx(statistics.quantiles(values, n=parts, method="inclusive"), abs=1e-6)
    assert (percentile(ascending, 0), percentile(ascending, 1)) == (ascending[0], ascending[-1])
    assert percentile([5.0], 0.3) == 5.0


def test_no_percentile_of_nothing() -> None:
    for values, q in (([], 0.5), ([1.0], -0.1), ([1.0], 1.1)):
        with pytest.raises(ValueError, match=str(len(values))):
            percentile(values, q)


TIMES = st.lists(st.floats(math.log(1e-6), math.log(1e3)).map(math.exp), min_size=1, max_size=60)
SHARES = st.one_of(st.sampled_from([0.0, 0.5, 0.99, 1.0]), st.floats(0, 1))


def counted(times: Sequence[float]) -> Quantiles:
    histogram = Quantiles()
    for seconds in times:
        histogram.add(seconds)
    return histogram


@given(TIMES, SHARES)
def test_histogram_is_off_by_one_percent_at_most(times: list[float], q: float) -> None:
    histogram = counted(times)
    exact = sorted(times)[max(math.ceil(q * len(times)), 1) - 1]
    assert histogram.quantile(q) == pytest.approx(exact, rel=0.01 + 1e-9)
    assert histogram.median == histogram.quantile(0.5) <= histogram.p99 == histogram.quantile(0.99)


@given(TIMES, TIMES, TIMES)
def test_histograms_of_workers_merge_to_that_of_all(one: list[float], two: list[float], three: list[float]) -> None:
    whole = Quantiles()
    for part in (three, one, two):
        whole.merge(pickle.loads(pickle.dumps(counted(part))))  # noqa: S301 - our own, as between processes
    assert whole == counted([*one, *two, *three])
    copied = whole.copy()
    whole.clear()
    assert whole == Quantiles()
    assert copied.count == len(one) + len(two) + len(three)


def test_a_histogram_stays_small() -> None:
    rng = random.Random(1)
    histogram = counted([math.exp(rng.uniform(math.log(1e-7), math.log(1e4))) for _ in range(50_000)])
    assert histogram.count == 50_000
    assert len(histogram.buckets) <= 1050
    assert len(pickle.dumps(histogram)) < 10_000


def test_times_beyond_the_bounds_count_as_the_bounds() -> None:
    assert counted([0.0, 1e-9, -1.0]).quantile(1) == pytest.approx(1e-6, rel=0.01)
    assert counted([5000.0, math.inf]).quantile(0) == pytest.approx(1e3, rel=0.01)


def test_no_quantile_of_no_times() -> None:
    for histogram, q in ((Quantiles(), 0.5), (counted([1.0]), 1.5), (counted([1.0]), -0.5)):
        with pytest.raises(ValueError, match=str(histogram.count)):
            histogram.quantile(q)
