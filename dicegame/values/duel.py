"""One round of high dice between two seats under best play: the seat that marks second sees the first mark, and both know it.

All that matters of a keep is its spread: in how many ways the dice come to each rank. Most keeps share one with others (five dice have
462 keeps and, compared by sum, 81 spreads), so that whole tables of chances are small. All is counted in whole numbers and divided
once. A round that is level is replayed with all dice and without marks, and so falls to each of the two with 1/2. Whether a round
seeks the best or the worst is the same to two seats: one is found, and the round is the other's, or its own.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache, cached_property
from operator import mul

from dicegame.games.events import Dice
from dicegame.games.highdice import keeps_of
from dicegame.rules.model import HighRule
from dicegame.rules.table import rolls
from dicegame.values.chances import falls


class Duel:
    """The rounds of two seats by one rule with so many dice; what was worked out is kept for all matches."""

    def __init__(self, rule: HighRule, dice: int) -> None:
        self._rule = rule
        self._dice = dice
        self._ranks = sorted(falls(rule, (), dice))
        self._whole = 2 * 36**dice  # what the ways of `_wins` are out of
        self._known: dict[tuple[int, ...], int] = {}  # the number of each spread
        self._spreads: list[tuple[int, ...]] = []  # in how many of 6**dice ways each rank falls
        self._beaten: list[
            tuple[int, ...]
        ] = []  # how much of a spread each rank beats: two for a way behind it, one for a level way
        self._of_keep: dict[Dice, int] = {}
        self._of_dice: dict[Dice, frozenset[int]] = {}
        self._counted: dict[tuple[int, int], int] = {}

    def marked(self, keep: Dice, other: Dice) -> Fraction:
        """Return the chance of the seat that keeps `keep` against one that keeps `other`."""
        return Fraction(self._wins(self._spread(keep), self._spread(other)), self._whole)

    def answered(self, keep: Dice, dice: Dice) -> Fraction:
        """Return the chance of the seat that keeps `keep` against one that sees this and marks `dice` best."""
        return Fraction(self._least(self._spread(keep), dice), self._whole)

    def lying(self, dice: Dice, other: Dice) -> Fraction:
        """Return the chance of the seat that marks `dice` first against one that then marks `other`."""
        return Fraction(max(self._least(mark, other) for mark in self._options(dice)), self._whole)

    @cached_property
    def thrown(self) -> Fraction:
        """The chance of the seat that marks first, before any dice have fallen."""
        ways: Counter[frozenset[int]] = Counter()
        for dice, n in rolls(self._dice):
            ways[self._options(dice)] += n
        against = []
        for mark in range(len(self._spreads)):
            wins = [self._wins(mark, other) for other in range(len(self._spreads))]
            against.append([min(map(wins.__getitem__, others)) for others in ways])
        weights = list(ways.values())
        total = 0
        for marks, n in ways.items():
            best = map(max, zip(*(against[mark] for mark in marks), strict=True))
            total += n * sum(map(mul, weights, best))
        return Fraction(total, self._whole * 36**self._dice)

    def _least(self, mark: int, dice: Dice) -> int:
        return min(self._wins(mark, other) for other in self._options(dice))

    def _wins(self, mark: int, other: int) -> int:
        """Return in how many of `_whole` ways one spread wins against another."""
        pair = mark, other
        if pair not in self._counted:
            self._counted[pair] = sum(map(mul, self._spreads[mark], self._beaten[other]))
        return self._counted[pair]

    def _options(self, dice: Dice) -> frozenset[int]:
        """Return the different spreads that there are to choose from."""
        ascending = tuple(sorted(dice))
        if ascending not in self._of_dice:
            self._of_dice[ascending] = frozenset(map(self._spread, keeps_of(ascending)))
        return self._of_dice[ascending]

    def _spread(self, keep: Dice) -> int:
        if keep not in self._of_keep:
            known = falls(self._rule, tuple(sorted(keep)), self._dice - len(keep))
            spread = tuple(known.get(rank, 0) * 6 ** len(keep) for rank in self._ranks)
            self._of_keep[keep] = self._number(spread)
        return self._of_keep[keep]

    def _number(self, spread: tuple[int, ...]) -> int:
        if spread not in self._known:
            self._known[spread] = len(self._spreads)
            self._spreads.append(spread)
            self._beaten.append(tuple(2 * sum(spread[:place]) + level for place, level in enumerate(spread)))
        return self._known[spread]


@cache
def duel(rule: HighRule, dice: int) -> Duel:
    """Return the rounds of two by this rule: the same object for every match."""
    return Duel(rule, dice)
