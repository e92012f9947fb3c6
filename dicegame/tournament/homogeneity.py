"""Whether all machines play the same game: the results of each against those of all the others, by a chi-square test.

Who plays a block says nothing about how it ends: a machine whose results differ is broken, or too slow for a bot's clock.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

LEVEL = 0.001  # how often one machine or more of a faultless cluster is suspected
LEAST_EXPECTED = 5.0  # blocks; below that the chi-square distribution is no good approximation
_STEPS, _PRECISE, _TINY = 10_000, 1e-15, 1e-300

Counts = Mapping[str, Mapping[str, Counter[float]]]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A worker whose results differ from those of the others, and how far.

    `blocks` are those that it played; `share` the mean share of their games that the first place won there, `expected` what the others
    make of the same pairings. `chance` is how often a faultless cluster shows as much at any of its workers.
    """

    worker: str
    blocks: int
    share: float
    expected: float
    chance: float


def homogeneity(counts: Counts, level: float = LEVEL) -> list[Suspect]:
    """Return the workers whose results differ from all the others', the worst first; of two workers that differ, both.

    A worker is compared with the sum of the others, pairing by pairing, over the shares of a block that the first place may win;
    the statistics add up. P-values are multiplied by the number of workers (Bonferroni). The worst is then left out and the rest
    compared again, or it would throw suspicion on all of them.

    Args:
        counts: by pairing and worker, how many blocks ended with which share (0 to 1) of their games won by the first place.
        level: how often one worker or more of a faultless cluster is suspected.
    """
    left = sorted({worker for workers in counts.values() for worker in workers})
    tries = len(left)
    found: list[Suspect] = []
    while len(left) > 1:
        tests = {worker: _against_others(counts, worker, left) for worker in left}
        worst = min(tests, key=lambda worker: (tests[worker][1], -tests[worker][0]))
        chance = min(1.0, tests[worst][1] * tries)
        if chance > level or chance >= 1:
            break
        named = left if len(left) == 2 else [worst]
        found += [_suspect(counts, worker, left, chance) for worker in named]
        left.remove(worst)
    return found


def _against_others(counts: Counts, worker: str, workers: Iterable[str]) -> tuple[float, float]:
    """Return the chi-square statistic of a worker against the others, and its p-value."""
    total, freedom = 0.0, 0
    for by_worker in counts.values():
        ours = by_worker.get(worker, Counter())
        others = _together(by_worker, worker, workers)
        statistic, categories = _chi_square(ours, others)
        total += statistic
        freedom += categories - 1
    return total, upper_gamma(freedom / 2, total / 2) if freedom else 1.0


def _together(by_worker: Mapping[str, Counter[float]], worker: str, workers: Iterable[str]) -> Counter[float]:
    others: Counter[float] = Counter()
    for other in workers:
        if other != worker:
            others.update(by_worker.get(other, Counter()))
    return others


def _chi_square(ours: Counter[float], others: Counter[float]) -> tuple[float, int]:
    """Return the chi-square statistic of two rows of counts, and the number of categories that it is made of.

    Neighbouring categories are taken together until `LEAST_EXPECTED` are expected in each of both rows; 0 and 1 where that leaves one.
    """
    here, there = ours.total(), others.total()
    if not here or not there:
        return 0.0, 1
    least = LEAST_EXPECTED * (here + there) / min(here, there)  # of both rows together
    columns: list[tuple[int, int]] = []
    first, second = 0, 0
    for share in sorted({*ours, *others}):
        first, second = first + ours[share], second + others[share]
        if first + second >= least:
            columns.append((first, second))
            first, second = 0, 0
    if columns and first + second:
        last = columns.pop()
        columns.append((last[0] + first, last[1] + second))
    part = here / (here + there)
    statistic = 0.0
    for a, b in columns:
        expected = (a + b) * part
        statistic += (a - expected) ** 2 / expected + (a - expected) ** 2 / (a + b - expected)
    return (statistic, len(columns)) if len(columns) > 1 else (0.0, 1)


def _suspect(counts: Counts, worker: str, workers: Iterable[str], chance: float) -> Suspect:
    blocks, won, expected = 0, 0.0, 0.0
    for by_worker in counts.values():
        ours = by_worker.get(worker, Counter())
        others = _together(by_worker, worker, workers)
        if ours.total() and others.total():
            blocks += ours.total()
            won += sum(share * count for share, count in ours.items())
            expected += ours.total() * sum(share * count for share, count in others.items()) / others.total()
    return Suspect(worker, blocks, won / blocks, expected / blocks, chance)


def upper_gamma(a: float, x: float) -> float:
    """Return the regularised upper incomplete gamma function Q(a, x), for a > 0 and x >= 0.

    Q(k/2, c/2) is how often chi-square with k degrees of freedom exceeds c. By the series of P below a + 1, above it by the continued
    fraction, with the method of Lentz (Press and others, Numerical Recipes, 6.2).
    """
    if x <= 0:
        return 1.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        for step in range(1, _STEPS):
            term *= x / (a + step)
            total += term
            if term < total * _PRECISE:
                break
        return max(0.0, 1 - total * front)
    b = x + 1 - a
    c, d = 1 / _TINY, 1 / b
    fraction = d
    for step in range(1, _STEPS):
        numerator = -step * (step - a)
        b += 2
        d = 1 / (_not_zero(numerator * d + b))
        c = _not_zero(b + numerator / c)
        fraction *= d * c
        if abs(d * c - 1) < _PRECISE:
            break
    return front * fraction


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
