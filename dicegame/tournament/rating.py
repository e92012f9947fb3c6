"""Ratings of two-seat games: Bradley-Terry by maximum likelihood on the blocks of all pairings at once, so that order never matters.

The chance that a beats b is 1 / (1 + exp(b - a)). What counts is the share of a block's games that each side won, as a fraction: so a
shared win is two halves. Errors are clustered by block, since the games of a block fall over the same dice: the sandwich H^-1 B H^-1,
with H the curvature of the likelihood and B the sum over blocks of the squares of their scores, is that of K.-Y. Liang and S. L. Zeger,
Longitudinal data analysis using generalized linear models, Biometrika 73 (1986), with the working correlation of independence. It
needs no more of a pairing than its number of blocks, the sum of their means and the sum of the squares of these.

The prior gives every entrant so many pseudo-win blocks and as many pseudo-loss blocks, spread evenly over all the others: who always
loses, and groups that never met, get finite ratings. For two entrants this is the interval of `dicegame.match.stats`, on another scale.

Ratings are shown around the mean of all entrants, but what their intervals bound is the difference from the core: the largest group
that is linked by wins in both directions, its members weighted by what their games tell. How far below the others an entrant is that
never won, nothing bounds; measured from a mean with such an entrant in it nobody's rating would be bounded. That a rating is finite
just within such groups was shown by L. R. Ford, Solution of a ranking problem from binary comparisons, American Mathematical Monthly 64
(1957).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import mul

from dicegame.match.stats import half_width, t_below

ELO = 400 / math.log(10)  # Elo points a unit of the logarithm of the odds
PRIOR = 1.0  # pseudo-win blocks of either of two entrants, and as many pseudo-loss blocks
TURNS = 200  # Newton's steps at most; ten are usual
CLOSE = 1e-13  # a step below this ends the search, in units of the logarithm of the odds

Matrix = list[list[float]]


@dataclass(frozen=True, slots=True)
class Results:
    """What two entrants' blocks against each other came to: their number, and the sums of `first`'s means and of their squares."""

    first: int
    second: int
    blocks: float
    total: float
    squares: float

    def turned(self) -> Results:
        """Return the same as `second` sees it."""
        n, total = self.blocks, self.total
        return Results(self.second, self.first, n, n - total, n - 2 * total + self.squares)


@dataclass(frozen=True, slots=True)
class Ratings:
    """The fit. `values` are ratings by entrant around the mean of all, in units of the logarithm of the odds; Elo is `ELO` times that.

    `covariance` is that of the values, in the order of `numbers`. `effective` is how many blocks the rating of each rests on: fewer
    than it played where some opponents tell little. `core` has the members of the core with their weights, which add up to 1; all
    entrants where wins link no two in both directions. `above` are those whom no wins link to all of the core, not even through
    others: they may be as much better as one likes; `below` are those who may be as much worse.
    """

    numbers: tuple[int, ...]
    values: dict[int, float]
    covariance: Matrix
    effective: dict[int, float]
    core: dict[int, float]
    above: frozenset[int]
    below: frozenset[int]

    def elo(self, number: int) -> float:
        """Return the Elo difference of an entrant from the field's mean."""
        return self.values[number] * ELO

    def elo_intervals(self, level: float = 0.95) -> dict[int, tuple[float, float]]:
        """Return the intervals of the Elo of all; an end is infinite where the blocks don't bound it, as for one that never won.

        They bound the difference from the core's mean, and are shown around the same zero as `elo`. They are made on the scale of the
        chance to beat an average opponent, as those of win rates are, and brought back from there: on the scale of ratings
        themselves they would be cut short exactly where a lopsided result leaves them open.
        """
        weights = [self.core.get(number, 0.0) for number in self.numbers]
        mean = sum(map(mul, weights, self.values.values()))
        with_mean = [sum(map(mul, weights, row)) for row in self.covariance]
        of_mean = sum(map(mul, weights, with_mean))
        found = {}
        for i, number in enumerate(self.numbers):
            rest = 1 - weights[i]  # from the core's mean to that of its other members
            error = math.sqrt(max(self.covariance[i][i] - 2 * with_mean[i] + of_mean, 0.0)) / rest
            chance, spread, df = _on_chances((self.values[number] - mean) / rest, error, self.effective[number])
            half = half_width(spread, df, self.effective[number], level)
            low = -math.inf if number in self.below else mean * ELO + _elo_of(chance - half) * rest
            high = math.inf if number in self.above else mean * ELO + _elo_of(chance + half) * rest
            found[number] = (low, high)
        return found

    def superiority(self, one: int, other: int) -> float:
        """Return the likelihood that `one` is the better of two: Student's t of the chance to win against one half."""
        i, j = self.numbers.index(one), self.numbers.index(other)
        square = self.covariance[i][i] + self.covariance[j][j] - 2 * self.covariance[i][j]
        effective = min(self.effective[one], self.effective[other])
        difference = self.values[one] - self.values[other]
        chance, spread, df = _on_chances(difference, math.sqrt(max(square, 0.0)), effective)
        if spread <= 0:
            return 0.5 + math.copysign(0.5, difference) if difference else 0.5
        return t_below((chance - 0.5) / spread, df)


def fit(results: Iterable[Results], prior: float = PRIOR) -> Ratings:
    """Return the ratings of all who played a block.

    Args:
        results: what pairs of entrants came to; several of one pair are added up, and their order does not matter.
        prior: the pseudo-win blocks, and as many pseudo-loss blocks, of either of two entrants; 0 is no prior at all. Each of k has
            sqrt(2 / k) as many: with as many as of two, the pseudo-wins of a weak half of the field over a strong half would pull these
            together by more than the intervals say (measured: of 8 in two halves with 520 Elo between each and the mean they held 90 %).

    Raises:
        ValueError: without a prior there is no greatest likelihood: some entrants only won or only lost against the rest.
    """
    played = _merged(results)
    numbers = tuple(sorted({number for pair in played for number in pair}))
    if not numbers:
        return Ratings((), {}, [], {}, {}, frozenset(), frozenset())
    place = {number: i for i, number in enumerate(numbers)}
    pseudo = prior * math.sqrt(2 / len(numbers)) / (len(numbers) - 1)
    pairs = []
    for one, other in combinations(numbers, 2):
        blocks, total, squares = played.get((one, other), (0.0, 0.0, 0.0))
        if blocks or pseudo:
            pairs.append(_Pair(place[one], place[other], blocks + 2 * pseudo, total + pseudo, squares + pseudo))
    values = _greatest(pairs, len(numbers))
    inverse = _inverse(_curvature(pairs, values))
    information = _information(pairs, values)
    effective = [total * total / square if square else 0.0 for total, square in information]
    core, above, below = _core(numbers, played, [total for total, _square in information])
    return Ratings(
        numbers,
        dict(zip(numbers, values, strict=True)),
        _sandwich(pairs, values, inverse),
        dict(zip(numbers, effective, strict=True)),
        core,
        above,
        below,
    )


@dataclass(frozen=True, slots=True)
class _Pair:
    """What one pair of places came to, pseudo-blocks included."""

    i: int
    j: int
    blocks: float
    total: float
    squares: float

    def chance(self, values: Sequence[float]) -> float:
        return _chance(values[self.i] - values[self.j])


def _chance(difference: float) -> float:
    """Return 1 / (1 + exp(-difference)) without overflow."""
    small = math.exp(-abs(difference))
    return (1.0 if difference >= 0 else small) / (1 + small)


def _elo_of(chance: float) -> float:
    """Return the Elo difference that wins with this chance; infinite for one of 0 or 1 and beyond."""
    if not 0 < chance < 1:
        return math.copysign(math.inf, chance - 0.5)
    return ELO * math.log(chance / (1 - chance))


def _on_chances(difference: float, error: float, effective: float) -> tuple[float, float, int]:
    """Return the chance to win at a difference of ratings, its standard error, and the degrees of freedom."""
    chance = _chance(difference)
    df = max(math.floor(effective + 1e-9) - 1, 1)
    return chance, chance * (1 - chance) * error * math.sqrt((df + 1) / df), df


def _merged(results: Iterable[Results]) -> dict[tuple[int, int], tuple[float, float, float]]:
    """Return blocks, sum and squares by pair, the smaller number first; added exactly, so that no order shows in the last digit."""
    parts: dict[tuple[int, int], list[tuple[float, float, float]]] = {}
    for r in results:
        if r.blocks:
            turned = r if r.first < r.second else r.turned()
            parts.setdefault((turned.first, turned.second), []).append((turned.blocks, turned.total, turned.squares))
    added = {}
    for pair, found in sorted(parts.items()):
        blocks, total, squares = (math.fsum(column) for column in zip(*found, strict=True))
        added[pair] = (blocks, total, squares)
    return added


def _greatest(pairs: Sequence[_Pair], size: int) -> list[float]:
    """Return the values of the greatest likelihood, of mean 0, by Newton's steps, halved while one would make it smaller."""
    values = [0.0] * size
    now = _likelihood(pairs, values)
    for _turn in range(TURNS):
        slope = [0.0] * size
        for pair in pairs:
            more = pair.total - pair.blocks * pair.chance(values)
            slope[pair.i] += more
            slope[pair.j] -= more
        try:
            step = _solve(_cholesky(_curvature(pairs, values)), slope)
        except ValueError:  # as flat as floating point can tell: values run away
            break
        length = max(map(abs, step))
        if length < CLOSE * max(1.0, *map(abs, values)):
            return _centred(values)
        for _half in range(60):
            tried = [value + part for value, part in zip(values, step, strict=True)]
            then = _likelihood(pairs, tried)
            if then >= now - 1e-12 * abs(now):
                break
            step = [part / 2 for part in step]
        values, now = _centred(tried), then
    raise ValueError("no greatest likelihood: a prior is needed")


def _centred(values: Sequence[float]) -> list[float]:
    mean = math.fsum(values) / len(values)
    return [value - mean for value in values]


def _likelihood(pairs: Sequence[_Pair], values: Sequence[float]) -> float:
    """Return the logarithm of the likelihood; a block counts once, since a constant factor changes neither fit nor sandwich."""
    total = 0.0
    for pair in pairs:
        d = values[pair.i] - values[pair.j]
        # log of the chance of a win and of a loss: -log(1 + exp(-d)) and the same less d
        win = min(d, 0.0) - math.log1p(math.exp(-abs(d)))
        total += pair.blocks * win - (pair.blocks - pair.total) * d
    return total


def _laplacian(size: int, weights: Iterable[tuple[int, int, float]]) -> Matrix:
    """Return the sum of weight * d d', d being +1 at i and -1 at j."""
    matrix = [[0.0] * size for _row in range(size)]
    for i, j, weight in weights:
        matrix[i][i] += weight
        matrix[j][j] += weight
        matrix[i][j] -= weight
        matrix[j][i] -= weight
    return matrix


def _curvature(pairs: Sequence[_Pair], values: Sequence[float]) -> Matrix:
    """Return minus the second derivative of the likelihood, with a constant added that fixes the mean and changes no difference."""
    size = len(values)
    weights = [(pair.i, pair.j, pair.blocks * (p := pair.chance(values)) * (1 - p)) for pair in pairs]
    matrix = _laplacian(size, weights)
    constant = sum(matrix[i][i] for i in range(size)) / (size * size)
    return [[entry + constant for entry in row] for row in matrix]


def _sandwich(pairs: Sequence[_Pair], values: Sequence[float], inverse: Matrix) -> Matrix:
    """Return the covariance of the values. The curvature's constant drops out: every block's score sums to 0 over the entrants."""
    weights = []
    for pair in pairs:
        p = pair.chance(values)
        weights.append((pair.i, pair.j, max(pair.squares - 2 * p * pair.total + p * p * pair.blocks, 0.0)))
    return _product(_product(inverse, _laplacian(len(values), weights)), inverse)


def _information(pairs: Sequence[_Pair], values: Sequence[float]) -> list[tuple[float, float]]:
    """Return by entrant the sum of what its blocks tell of it, and the sum of the squares of what each tells.

    The square of the first by the second is how many equal blocks would tell as surely: F. E. Satterthwaite, An Approximate
    Distribution of Estimates of Variance Components, Biometrics 2 (1946).
    """
    sums = [0.0] * len(values)
    squares = [0.0] * len(values)
    for pair in pairs:
        p = pair.chance(values)
        weight = p * (1 - p)
        for place in (pair.i, pair.j):
            sums[place] += pair.blocks * weight
            squares[place] += pair.blocks * weight * weight
    return list(zip(sums, squares, strict=True))


def _core(
    numbers: Sequence[int], played: dict[tuple[int, int], tuple[float, float, float]], information: Sequence[float]
) -> tuple[dict[int, float], frozenset[int], frozenset[int]]:
    """Return the core with its weights, who may be above it without bounds, and who below."""
    reached = _reached(numbers, played)  # by place, as bits: whom wins lead to
    size = len(numbers)
    groups = {frozenset(j for j in range(size) if reached[i] >> j & 1 and reached[j] >> i & 1) for i in range(size)}
    largest = max(groups, key=lambda group: (len(group), math.fsum(information[i] for i in group), -min(group)))
    core = sorted(largest) if len(largest) > 1 else range(size)
    total = math.fsum(information[i] for i in core)
    above = frozenset(numbers[i] for i in range(size) if not all(reached[j] >> i & 1 for j in core))
    below = frozenset(numbers[i] for i in range(size) if not all(reached[i] >> j & 1 for j in core))
    return {numbers[i]: information[i] / total for i in core}, above, below


def _reached(numbers: Sequence[int], played: dict[tuple[int, int], tuple[float, float, float]]) -> list[int]:
    """Return by place, as bits, those whom it won anything from, and so on through others: S. Warshall's closure (1962)."""
    place = {number: i for i, number in enumerate(numbers)}
    reached = [1 << i for i in range(len(numbers))]
    for (one, other), (blocks, total, _squares) in played.items():
        if total > 0:
            reached[place[one]] |= 1 << place[other]
        if total < blocks:
            reached[place[other]] |= 1 << place[one]
    for k in range(len(numbers)):
        through = reached[k]
        for i in range(len(numbers)):
            if reached[i] >> k & 1:
                reached[i] |= through
    return reached


def _cholesky(matrix: Matrix) -> Matrix:
    """Return the rows of the lower triangle L with L L' = matrix.

    Raises:
        ValueError: it is not positive definite.
    """
    rows: Matrix = []
    for i, entries in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            row.append((entries[j] - sum(map(mul, row, rows[j]))) / rows[j][j])
        rest = entries[i] - sum(map(mul, row, row))
        if not rest > 1e-14 * entries[i]:
            raise ValueError("not positive definite")
        row.append(math.sqrt(rest))
        rows.append(row)
    return rows


def _solve(lower: Matrix, right: Sequence[float]) -> list[float]:
    """Return x with L L' x = right."""
    found: list[float] = []
    for row, value in zip(lower, right, strict=True):
        found.append((value - sum(map(mul, row, found))) / row[-1])
    for i in reversed(range(len(found))):
        row = lower[i]
        x = found[i] = found[i] / row[-1]
        for j in range(i):
            found[j] -= row[j] * x
    return found


def _inverse(matrix: Matrix) -> Matrix:
    size, lower = len(matrix), _cholesky(matrix)
    return [_solve(lower, [float(i == j) for j in range(size)]) for i in range(size)]


def _product(one: Matrix, other: Matrix) -> Matrix:
    columns = list(zip(*other, strict=True))
    return [[sum(map(mul, row, column)) for column in columns] for row in one]
