"""One turn of push your luck by itself: the odds of its rolls, and the play that makes the most points on average.

Scores, opening, house rules and the end of the game are left out: what counts is the points of the turn, and of the rule set's limits
only the minimum to bank. With `x` turn points and `n` dice to roll next, and the value of a bust `b` (0 unless given):

    R(n, x) = sum over the rolls of n dice of P(roll) * (b if it is a bust, else the best of its keeps (p, m): V(m, x + p))
    V(m, x) = the larger of x (banking, where it is allowed) and R(m, x); R(m, x) where the dice must be rolled

The recursion has no upper end, but far up it is a straight line: whoever has much at stake banks wherever the dice allow it, so that
R(n, x) = slope * x + constant with a slope that is the chance to get to bank. `_far` finds these lines exactly, and the points
from which on they hold because no other choice can overtake them any more; below, the values are worked out one by one, downward.
Where a roll can never bust the slope is 1, and there may be a number of dice that one always rolls.

Rolls that leave the same choice are merged, and a keep is dropped where another makes more points with the same dice to roll. More
dice to roll are not always better, so nothing else is dropped.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from dicegame.rules.table import Dice, Table, rolls

# Where rolls that can hardly bust push the point from which on the lines hold beyond this many steps, the lines are used from
# here on all the same. They are the value of a way to play, so that the result is a bound from below, and a very close one.
MOST_STEPS = 100_000
_TIE = 1e-12

_Option = tuple[int, int, bool]  # steps of points, dice of the next roll, whether one may bank
_Choices = list[
    tuple[int, tuple[_Option, ...]]
]  # rolls of a number of dice that leave the same options, with their weight
_Line = tuple[Fraction, Fraction]  # slope, constant


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn that makes the most points on average.

    `most_points` is that average; infinite where a turn can be kept going for ever. `bank_at` holds for 1, 2, ... dice to roll next
    the least turn points from which on banking is best, and None where one never banks with so many dice.
    """

    most_points: float
    bank_at: list[int | None]
    _unit: int = field(repr=False)
    _values: list[list[float]] = field(repr=False)
    _lines: list[_Line] = field(repr=False)

    def rolling(self, dice: int, points: int) -> float:
        """Return the average points of a turn that has `points` (a sum of the rule set's points) and now rolls `dice` dice."""
        if self.most_points == math.inf:
            return math.inf
        steps, rest = divmod(points, self._unit)
        if rest:
            raise ValueError(points)
        values = self._values[dice - 1]
        if steps < len(values):
            return values[steps] * self._unit
        slope, constant = self._lines[dice - 1]
        return float((slope * steps + constant) * self._unit)


def bust_chance(table: Table, n: int, room: int | None = None) -> Fraction:
    """Return the chance that a roll of `n` dice is a bust.

    `room` are the points that are missing to a target which must be hit exactly: no keep may bring more.
    """
    if room is None:
        return _chance(n, table.busts)
    return _chance(n, lambda dice: all(keep.points > room for keep in table.roll(dice).keeps))


def bust_odds(table: Table) -> list[Fraction]:
    """Return the chance that a roll of 1, 2, ... dice is a bust, up to all dice of the rule set."""
    return [bust_chance(table, n) for n in range(1, table.rules.dice + 1)]


def hot_dice_odds(table: Table) -> list[Fraction]:
    """Return the chance that all dice of a roll of 1, 2, ... dice can be kept at once, so that all dice come back."""

    def whole(dice: Dice) -> bool:
        return any(keep.left == 0 for keep in table.roll(dice).keeps)

    return [_chance(n, whole) for n in range(1, table.rules.dice + 1)]


def best_turn(table: Table, bust: float = 0.0) -> Turn:
    """Return the turn that makes the most points on average; a bust is worth `bust`, for players whose busts have a price.

    Exact but for the rounding of floating-point numbers (see `MOST_STEPS` for the exception).
    """
    n = table.rules.dice
    choices = [_choices(table, size) for size in range(1, n + 1)]
    if n in _endless(choices):
        return Turn(math.inf, [None] * n, table.unit, [], [])
    lines, top = _far(choices, Fraction(bust) / table.unit)
    minimum = -(-table.rules.minimum // table.unit)
    start = min(max(math.ceil(top), minimum), max(MOST_STEPS, minimum))
    values, bank_from = _Downward(choices, lines, minimum, bust / table.unit).run(start)
    banked = {roll for sets in choices for _weight, options in sets for _points, roll, may_bank in options if may_bank}
    bank_at = [None if i is None or k not in banked else i * table.unit for k, i in enumerate(bank_from, 1)]
    return Turn(values[n - 1][0] * table.unit, bank_at, table.unit, values, lines)


def can_last(table: Table) -> bool:
    """Say whether a turn can be kept going for ever: some way to keep never leads to a bust."""
    choices = [_choices(table, size) for size in range(1, table.rules.dice + 1)]
    return table.rules.dice in _endless(choices)


def _chance(n: int, holds: Callable[[Dice], bool]) -> Fraction:
    return Fraction(sum(ways for dice, ways in rolls(n) if holds(dice)), 6**n)


def _choices(table: Table, n: int) -> _Choices:
    """Return what the rolls of `n` dice leave to choose from, busts left out; points count in steps of the table's unit."""
    merged: Counter[tuple[_Option, ...]] = Counter()
    for dice, ways in rolls(n):
        options = _options(table, dice)
        if options:
            merged[options] += ways
    return [(ways, options) for options, ways in merged.items()]


def _options(table: Table, dice: Dice) -> tuple[_Option, ...]:
    most: dict[tuple[int, bool], int] = {}
    for keep in table.roll(dice).keeps:
        kind = keep.roll, keep.may_bank
        most[kind] = max(most.get(kind, 0), keep.points // table.unit)
    return tuple(sorted((points, roll, may_bank) for (roll, may_bank), points in most.items()))


def _endless(choices: list[_Choices]) -> set[int]:
    """Return the numbers of dice that one can go on rolling for ever: every roll leaves a keep that leads to another of them."""
    able = set(range(1, len(choices) + 1))
    while True:
        stay = {n for n in able if _always(choices[n - 1], n, able)}
        if stay == able:
            return able
        able = stay


def _always(sets: _Choices, n: int, able: set[int]) -> bool:
    whole = sum(ways for ways, _options in sets) == 6**n
    return whole and all(any(roll in able for _points, roll, _bank in options) for _ways, options in sets)


def _far(choices: list[_Choices], bust: Fraction) -> tuple[list[_Line], Fraction]:
    """Return the lines that R(n, x) follows for large x, and the steps from which on they hold.

    The slopes first: only all dice can be such that they must be rolled, so one equation gives theirs and the others follow. Then
    the constants, by policy iteration among the options with the largest slope: every policy comes to an end, as `_endless` was
    asked before.
    """
    slopes = _slopes(choices)
    constants = [Fraction(0)] * len(choices)
    while True:
        picked = [[_pick(options, slopes, constants) for _ways, options in sets] for sets in choices]
        better = _constants(choices, picked, bust)
        if better == constants:
            break
        constants = better
    lines = list(zip(slopes, constants, strict=True))
    return lines, max(_crossings(choices, lines), default=Fraction(0))


def _slopes(choices: list[_Choices]) -> list[Fraction]:
    bank = [sum(ways for ways, options in sets if any(o[2] for o in options)) for sets in choices]
    must = [sum(ways for ways, options in sets if not any(o[2] for o in options)) for sets in choices]
    of_all = Fraction(bank[-1], 6 ** len(choices) - must[-1])
    return [(b + m * of_all) / 6**n for n, (b, m) in enumerate(zip(bank, must, strict=True), 1)]


@dataclass(frozen=True, slots=True)
class _Pick:
    """The option that is best far up: its own part of the constant, and the number of dice rolled next (0: it banks)."""

    slope: Fraction
    constant: Fraction
    own: Fraction
    roll: int


def _pick(options: tuple[_Option, ...], slopes: list[Fraction], constants: list[Fraction]) -> _Pick:
    def picks() -> Iterator[_Pick]:
        for points, roll, may_bank in options:
            slope, constant = slopes[roll - 1], constants[roll - 1]
            if may_bank:
                yield _Pick(Fraction(1), Fraction(points), Fraction(points), 0)
            if not may_bank or slope == 1:
                yield _Pick(slope, slope * points + constant, slope * points, roll)

    return max(picks(), key=lambda pick: (pick.slope, pick.constant, -pick.roll))


def _constants(choices: list[_Choices], picked: list[list[_Pick]], bust: Fraction) -> list[Fraction]:
    """Return the constants under these picks: the solution of one linear equation for each number of dice."""
    n = len(choices)
    rows = []
    for k, (sets, picks) in enumerate(zip(choices, picked, strict=True)):
        row = [Fraction(int(k == column)) for column in range(n)]
        right = bust * (1 - Fraction(sum(ways for ways, _options in sets), 6 ** (k + 1)))
        for (ways, _options), pick in zip(sets, picks, strict=True):
            chance = Fraction(ways, 6 ** (k + 1))
            right += chance * pick.own
            if pick.roll:
                row[pick.roll - 1] -= chance
        rows.append([*row, right])
    return _solve(rows)


def _solve(rows: list[list[Fraction]]) -> list[Fraction]:
    """Solve linear equations by elimination; each row ends in its right side."""
    n = len(rows)
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                rows[i] = [value - rows[i][k] * own for value, own in zip(rows[i], rows[k], strict=True)]
    return [row[n] for row in rows]


def _crossings(choices: list[_Choices], lines: list[_Line]) -> Iterator[Fraction]:
    """Yield the points where a choice that is best far up overtakes another one."""
    for slope, constant in lines:
        if slope < 1:
            yield constant / (1 - slope)
    slopes, constants = [list(part) for part in zip(*lines, strict=True)]
    for sets in choices:
        for _ways, options in sets:
            best = _pick(options, slopes, constants)
            for points, roll, may_bank in options:
                slope, constant = lines[roll - 1]
                if not may_bank and slope < best.slope:
                    yield (slope * points + constant - best.constant) / (best.slope - slope)


class _Downward:
    """The recursion from the lines down to no points, all in steps.

    `active` are the numbers of dice that one would roll rather than bank, at the points reached so far; going down they only
    become more. Of the keeps after which one banks anyway only the one with the most points counts, so that there is little to
    choose far up.
    """

    def __init__(self, choices: list[_Choices], lines: list[_Line], minimum: int, bust: float) -> None:
        self.choices = choices
        self.lines = [(float(slope), float(constant)) for slope, constant in lines]
        self.exact = lines
        self.minimum = minimum
        self.bust = bust
        self.dice = len(choices)
        self.furthest = max(points for sets in choices for _ways, options in sets for points, _roll, _bank in options)
        self.rolled: list[list[float]] = []  # R, by dice and steps
        self.best: list[list[float]] = []  # V where one may bank
        self.active: set[int] = set()

    def run(self, start: int) -> tuple[list[list[float]], list[int | None]]:
        """Return R by number of dice and steps, and the steps from which on one banks."""
        beyond = start + self.furthest + 1
        self.rolled = [[slope * i + constant for i in range(beyond)] for slope, constant in self.lines]
        self.best = [[max(float(i), value) for i, value in enumerate(values)] for values in self.rolled]
        bank_from = [self._line_ends(n) for n in range(1, self.dice + 1)]
        self.active = {n for n, i in enumerate(bank_from, 1) if i is None or i > start}
        plans = self._plans()
        for i in range(start - 1, -1, -1):
            joined = [n for n in range(1, self.dice + 1) if self._step(n, i, plans[n - 1]) and n not in self.active]
            for n in joined:
                bank_from[n - 1] = i + 1
            if joined:
                self.active.update(joined)
                plans = self._plans()
        return self.rolled, bank_from

    def _line_ends(self, n: int) -> int | None:
        """Return the steps from which on banking is best by the lines alone; None if it never is."""
        slope, constant = self.exact[n - 1]
        if slope < 1:
            return max(self.minimum, math.ceil(constant / (1 - slope)))
        return None if constant > 0 else self.minimum

    def _step(self, n: int, i: int, plan: _Plan) -> bool:
        """Work out R and V of `n` dice at `i` steps; say whether rolling beats banking there."""
        total = plan.constant + plan.slope * i
        for ways, bank, options in plan.groups:
            most = i + bank if bank >= 0 else -math.inf
            for values, points in options:
                value = values[i + points]
                most = max(value, most)
            total += ways * most
        rolls_all = 6**n
        value = total / (rolls_all - plan.again)
        if plan.again and plan.again_may_bank and i >= self.minimum and value < i:
            value = (total + plan.again * i) / rolls_all
        self.rolled[n - 1][i] = value
        better = i < self.minimum or value > i * (1 + _TIE)
        self.best[n - 1][i] = value if better else float(i)
        return better

    def _plans(self) -> list[_Plan]:
        return [self._plan(n, sets) for n, sets in enumerate(self.choices, 1)]

    def _plan(self, n: int, sets: _Choices) -> _Plan:
        """Merge the options once more, for the numbers of dice that are active."""
        all_active = len(self.active) == self.dice
        merged: Counter[tuple[int, tuple[_Option, ...]]] = Counter()
        plan = _Plan()
        plan.constant = self.bust * (6**n - sum(ways for ways, _options in sets))
        for ways, options in sets:
            if options[-1][0] == 0:  # nothing scored and nothing is earned: this very roll again
                plan.again += ways
                plan.again_may_bank = options[-1][2]
                continue
            bank = -1 if all_active else max((points for points, _roll, may_bank in options if may_bank), default=-1)
            merged[bank, tuple(o for o in options if o[1] in self.active or not o[2])] += ways
        for (bank, options), ways in merged.items():
            if options:
                lists = [((self.best if o[2] else self.rolled)[o[1] - 1], o[0]) for o in options]
                plan.groups.append((ways, bank, lists))
            else:
                plan.slope += ways
                plan.constant += ways * bank
        return plan


@dataclass(slots=True)
class _Plan:
    """How R of one number of dice is summed up: rolls that bank (slope and constant), rolls with a choice, rolls made again."""

    slope: float = 0.0
    constant: float = 0.0
    groups: list[tuple[int, int, list[tuple[list[float], int]]]] = field(default_factory=list)
    again: int = 0
    again_may_bank: bool = False
