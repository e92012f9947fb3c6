"""The statistics of one match: intervals by Student's t on the means of its blocks, percentiles, and times kept in bounded memory.

A block is all rotations of one dice stream. Blocks are independent of each other, games within one are not: so it is the block means
that are counted, never the games.

A&S is M. Abramowitz and I. A. Stegun (editors), *Handbook of Mathematical Functions*, National Bureau of Standards, 1964, chapter 26.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import NormalDist, fmean, stdev

CONTINUITY = (
    0.2  # of a block: half of one is the whole correction, but the pseudo-blocks do the greater part of its work
)
SERIES_UP_TO = 200  # degrees of freedom; beyond, the expansion is as exact as floating point
FASTEST, SLOWEST = 1e-6, 1e3  # seconds that are told apart; what is beyond counts as these
ERROR = 0.01  # relative, of a time between them: the most by which a quantile may be off
_GROWTH = (1 + ERROR) / (1 - ERROR)
_PER_LOG = 1 / math.log(_GROWTH)
_LAST = math.ceil(math.log(SLOWEST / FASTEST) * _PER_LOG)


@lru_cache(1024)
def t_quantile(p: float, df: int) -> float:
    """Return the t below which Student's distribution with `df` degrees of freedom has the probability `p`.

    Right to eight digits for every p from 1e-6 to 1 - 1e-6.

    Args:
        p: between 0 and 1, both excluded.
        df: a whole number of degrees of freedom, 1 or more.

    Raises:
        ValueError: one of them is out of range.
    """
    if not 0 < p < 1 or df < 1:
        raise ValueError((p, df))
    if p == 0.5:
        return 0.0
    if p < 0.5:
        return -t_quantile(1 - p, df)
    return _expanded(p, df) if df > SERIES_UP_TO else _inverted(p, df)


def t_below(t: float, df: int) -> float:
    """Return the probability that Student's distribution with `df` degrees of freedom is below `t`: the inverse of `t_quantile`."""
    return 0.5 + math.copysign(min(_within(math.atan(abs(t) / math.sqrt(df)), df), 1.0) / 2, t)


def _within(angle: float, df: int) -> float:
    """Return the probability that |t| is at most sqrt(df) * tan(angle): A&S 26.7.3 for odd, 26.7.4 for even `df`."""
    if df == 1:
        return 2 * angle / math.pi
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = df % 2
    term = cosine if odd else 1.0
    total = term
    for k in range(2 + odd, df - 1, 2):
        term *= (k - 1) / k * cosine * cosine
        total += term
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


def _inverted(p: float, df: int) -> float:
    """Return the quantile (p above a half) by halving the interval of the angle until floating point can't."""
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        if _within(middle, df) < 2 * p - 1:
            low = middle
        else:
            high = middle
    return math.sqrt(df) * math.tan(low)


def _expanded(p: float, df: int) -> float:
    """Return the quantile by the expansion of Cornish and Fisher in powers of 1 / df: A&S 26.7.5."""
    x = NormalDist().inv_cdf(p)
    square = x * x
    terms = (
        (square + 1) / 4,
        ((5 * square + 16) * square + 3) / 96,
        (((3 * square + 19) * square + 17) * square - 15) / 384,
        ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92_160,
    )
    return x * (1 + sum(term / float(df) ** power for power, term in enumerate(terms, 1)))


def block_interval(block_means: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    """Return the interval of a win rate from the means of its blocks (each from 0 to 1).

    Student's t on the block means and two more, one block all won and one all lost, and `CONTINUITY` of a block more to each side, cut
    at 0 and 1. Without these two the interval of few or lopsided blocks is far too narrow: in four of five matches of ten blocks of two
    games at 99:1 the blocks are all alike, and it has no width at all. Without the rest, which is a part of the correction for continuity
    of F. Yates (Supplement to the Journal of the Royal Statistical Society 1, 1934), it is a little too narrow wherever blocks are all won
    or all lost. The interval holds the mean of the blocks; with no blocks it is all from 0 to 1.

    The least chance, at level 0.95, that it holds the true rate, counted out over all results of so many blocks, for rates in steps of
    0.05 %. Between the two kinds lie blocks of three values in any mixture, and blocks of three games:

    =======  ======================  =================
    blocks   all won or all lost     two games that are
             (the least of all)      independent
    =======  ======================  =================
    1, 2     100 %                   100 %
    5        97.4 %                  99.3 %
    10       94.9 %                  98.7 %
    20       94.7 %                  97.4 %
    41       94.3 % (no less at any) 96.5 %
    100      94.5 %                  95.9 %
    200      94.5 %                  95.6 %
    =======  ======================  =================

    From 100 blocks on, at rates of 10 to 90 %, the most is 97.3 %. Only blocks that are nearly all alike (more than nine of ten are
    even, as of two that play almost the same) have more than 98 %.
    """
    return interval_of_sums(
        len(block_means), math.fsum(block_means), math.fsum(mean * mean for mean in block_means), level
    )


def interval_of_sums(
    blocks: float, total: float, squares: float, level: float = 0.95, df: int | None = None
) -> tuple[float, float]:
    """Return the same interval from the number of blocks, the sum of their means and the sum of the squares of these.

    Where several pairings are put together `blocks` is how many equal blocks they are worth, which need not be whole, and `df` the
    degrees of freedom of their variance, if there are fewer than so many blocks have.
    """
    mean, error, freedom = with_pseudo_blocks(blocks, total, squares, df)
    half = half_width(error, freedom, blocks + 2, level)
    return max(mean - half, 0.0), min(mean + half, 1.0)


def with_pseudo_blocks(blocks: float, total: float, squares: float, df: int | None = None) -> tuple[float, float, int]:
    """Return the mean of the blocks and of the two that are added to them, its standard error, and the degrees of freedom."""
    n = blocks + 2
    mean = (total + 1) / n
    variance = max((squares + 1) / n - mean * mean, 0.0) * n / (n - 1)
    return mean, math.sqrt(variance / n), math.floor(n + 1e-9) - 1 if df is None else df + 2


def half_width(error: float, df: int, blocks: float, level: float = 0.95) -> float:
    """Return half the width of the interval of a rate with this standard error, from so many blocks with the two that are added."""
    return t_quantile((1 + level) / 2, df) * error + CONTINUITY / blocks


def mean_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    """Return Student's interval of the mean of independent values; without bounds where there are fewer than two."""
    if len(values) < 2:
        return -math.inf, math.inf
    mean = fmean(values)
    half = t_quantile((1 + level) / 2, len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return mean - half, mean + half


def percentile(sorted_values: Sequence[float], q: float) -> float:
    """Return the quantile `q` (0 to 1) of values in ascending order, linear between two neighbours.

    Definition 7 of R. J. Hyndman and Y. Fan, Sample Quantiles in Statistical Packages, The American Statistician 50 (1996).

    Raises:
        ValueError: there are no values, or q is out of range.
    """
    if not sorted_values or not 0 <= q <= 1:
        raise ValueError((len(sorted_values), q))
    place = q * (len(sorted_values) - 1)
    below = math.floor(place)
    above = min(below + 1, len(sorted_values) - 1)
    low, high = sorted_values[below], sorted_values[above]
    return low + (high - low) * (place - below)


@dataclass(slots=True)
class Quantiles:
    """Times as they come, in bounded memory: a histogram whose buckets grow by a constant factor.

    A quantile is off by at most `ERROR` of itself. At most a thousand buckets are kept, and only those that hold something. Histograms
    of several workers can be pickled and merged; the order does not matter. The buckets are those of C. Masson, J. E. Rim and
    H. K. Lee, DDSketch: A Fast and Fully-Mergeable Quantile Sketch with Relative-Error Guarantees, VLDB 2019.
    """

    count: int = 0
    buckets: dict[int, int] = field(default_factory=dict)

    def add(self, seconds: float) -> None:
        """Count one time."""
        if seconds <= FASTEST:
            bucket = 0
        elif seconds >= SLOWEST:
            bucket = _LAST
        else:
            bucket = math.ceil(math.log(seconds / FASTEST) * _PER_LOG)
        self.count += 1
        self.buckets[bucket] = self.buckets.get(bucket, 0) + 1

    def merge(self, other: Quantiles) -> None:
        """Count all times of another histogram too."""
        self.count += other.count
        for bucket, count in other.buckets.items():
            self.buckets[bucket] = self.buckets.get(bucket, 0) + count

    def copy(self) -> Quantiles:
        """Return another histogram of the same times."""
        return Quantiles(self.count, self.buckets.copy())

    def clear(self) -> None:
        """Forget all times."""
        self.count = 0
        self.buckets.clear()

    def quantile(self, q: float) -> float:
        """Return a time (seconds) within `ERROR` of the smallest that at least the share `q` of all does not exceed.

        Raises:
            ValueError: there are no times, or q is not from 0 to 1.
        """
        if not self.count or not 0 <= q <= 1:
            raise ValueError((self.count, q))
        rank, seen, bucket = max(math.ceil(q * self.count), 1), 0, 0
        for bucket in sorted(self.buckets):
            seen += self.buckets[bucket]
            if seen >= rank:
                break
        return FASTEST * _GROWTH**bucket * (1 - ERROR)

    @property
    def median(self) -> float:
        """The time that half of all do not exceed."""
        return self.quantile(0.5)

    @property
    def p99(self) -> float:
        """The time that 99 of 100 do not exceed."""
        return self.quantile(0.99)
