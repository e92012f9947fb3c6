"""An entrant's win share over several pairings, each with the same weight, and its error, from the sums of each pairing's blocks.

The variance is that of stratified sampling: within each pairing, never between them, since against whom one plays is no chance. A single
block has no variance within: such pairings are put together, and their spread (which is too much rather than too little) counts; so
W. G. Cochran, *Sampling Techniques*, third edition, Wiley 1977, sections 5.4 and 5A.12 (collapsed strata).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from dicegame.match.result import Adjusted
from dicegame.match.stats import interval_of_sums, t_quantile, with_pseudo_blocks


@dataclass(frozen=True, slots=True)
class Part:
    """One entrant in one pairing: who plays there, how many blocks, and the sums of its block means and of their squares."""

    entrants: frozenset[int]
    blocks: int
    total: float
    squares: float


@dataclass(frozen=True, slots=True)
class Share:
    """A win share. `effective` is how many equal blocks of one pairing would weigh as much; `variance` that of `rate`, with its `df`.

    With one block alone `df` is 0 and the variance unknown (0 here); without blocks `effective` is 0 too.
    """

    rate: float
    effective: float
    variance: float
    df: int

    @classmethod
    def of(cls, parts: Iterable[Part]) -> Share:
        """Put pairings together; those of the same entrants are one, whatever the round."""
        merged = _merged(parts)
        if not merged:
            return cls(0.0, 0.0, 0.0, 0)
        rates = [total / blocks for blocks, total, _squares in merged]
        rate = math.fsum(rates) / len(rates)
        effective = len(merged) ** 2 / math.fsum(1 / blocks for blocks, _total, _squares in merged)
        groups = []  # of blocks: the variance of their part of the sum of the rates, and its degrees of freedom
        for blocks, total, squares in merged:
            if blocks > 1:
                groups.append((max(squares - total * total / blocks, 0.0) / (blocks - 1) / blocks, blocks - 1))
        single = [own for own, (blocks, _total, _squares) in zip(rates, merged, strict=True) if blocks == 1]
        if single and len(merged) > 1:
            about, df = (math.fsum(single) / len(single), len(single) - 1) if len(single) > 1 else (rate, 1)
            spread = math.fsum((own - about) ** 2 for own in single) / df
            groups.append((spread * len(single), df))
        variance = math.fsum(variance for variance, _df in groups)
        return cls(rate, effective, variance / len(merged) ** 2, _freedom(variance, groups))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval of a rate from 0 to 1, with the two pseudo-blocks of `dicegame.match.stats`."""
        return interval_of_sums(*self._sums(), level, self.df)

    def with_pseudo_blocks(self) -> tuple[float, float, int]:
        """Return the rate, its standard error and the degrees of freedom, with these two blocks."""
        return with_pseudo_blocks(*self._sums(), self.df)

    def _sums(self) -> tuple[float, float, float]:
        """Return the sums that so many equal blocks of one pairing would have."""
        n = self.effective
        squares = n * (self.rate * self.rate + self.variance * max(n - 1, 0.0))
        return n, n * self.rate, squares

    def adjusted(self) -> Adjusted:
        """Return it as a luck-adjusted rate, which may leave 0 to 1: by Student's t, without pseudo-blocks."""
        if not self.df:
            return Adjusted(self.rate, None, (-math.inf, math.inf))
        error = math.sqrt(self.variance)
        half = t_quantile(0.975, self.df) * error
        return Adjusted(self.rate, error, (self.rate - half, self.rate + half))


def _merged(parts: Iterable[Part]) -> list[tuple[int, float, float]]:
    """Return blocks, sum and squares of each set of entrants, in an order of their own; added exactly, so that no order shows."""
    found: dict[tuple[int, ...], list[Part]] = {}
    for part in parts:
        if part.blocks:
            found.setdefault(tuple(sorted(part.entrants)), []).append(part)
    return [
        (sum(p.blocks for p in same), math.fsum(p.total for p in same), math.fsum(p.squares for p in same))
        for _entrants, same in sorted(found.items())
    ]


def _freedom(variance: float, groups: Iterable[tuple[float, int]]) -> int:
    """Return the degrees of freedom of a sum of variances: F. E. Satterthwaite, Biometrics 2 (1946). All of them where none varies."""
    if not variance:
        return sum(df for _variance, df in groups)
    return max(math.floor(variance * variance / math.fsum(own * own / df for own, df in groups) + 1e-9), 1)
