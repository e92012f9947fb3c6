"""What a mark in high dice is worth: the exact chance to win the round, or not to lose it, and the mark of the computer player.

Nothing is estimated: what a seat's dice may come to is counted for every seat, and seats are independent of each other. All is done in
whole numbers and divided once.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from math import lcm, prod

from dicegame.games.events import Dice
from dicegame.games.highdice import HighDice, HighDiceState, keeps_of, rank
from dicegame.rules.model import MAX_SEATS, HighRule
from dicegame.rules.table import rolls

_SHARES = lcm(*range(1, MAX_SEATS + 1))  # can be shared out among any number of seats


def best_mark(engine: HighDice, state: HighDiceState, seat: int) -> Dice:
    """Return the keep with the best chance for `seat`; of equal ones that with the fewest rerolled dice, then the first by faces."""
    table = _Table(engine, state, seat)
    return max(keeps_of(state.dice[seat]), key=table.chance)


def chances(engine: HighDice, state: HighDiceState, seat: int) -> list[tuple[Dice, Fraction]]:
    """Return every keep of `seat`, in the order of `keeps_of`, with its `chance`."""
    table = _Table(engine, state, seat)
    return [(keep, table.chance(keep)) for keep in keeps_of(state.dice[seat])]


def chance(engine: HighDice, state: HighDiceState, seat: int, keep: Dice) -> Fraction:
    """Return the chance of `seat` to win the round with this keep, or not to lose it where a loser is sought.

    A tie among k seats falls to each with 1/k. Of the other seats the dice and the marks in `state` are known; who has not marked
    stands pat.
    """
    return _Table(engine, state, seat).chance(keep)


class _Table:
    """What one seat is up against: how much of the round each of its ranks takes, worked out once for all its keeps."""

    def __init__(self, engine: HighDice, state: HighDiceState, seat: int) -> None:
        self._rule = engine.rules.rule
        self._dice = engine.rules.dice
        self._loses = engine.rules.counts_losses
        others = [other for other in state.order if other != seat]
        held = [state.dice[other] if (keep := state.keeps[other]) is None else keep for other in others]
        self._others = [self._falls(keep) for keep in held]
        self._ways = _SHARES * prod(6 ** (self._dice - len(keep)) for keep in held)
        self._taken: dict[int, int] = {}

    def chance(self, keep: Dice) -> Fraction:
        ways = sum(n * self._takes(value) for value, n in self._falls(keep).items())
        found = Fraction(ways, self._ways * 6 ** (self._dice - len(keep)))
        return 1 - found if self._loses else found

    def _falls(self, keep: Dice) -> dict[int, int]:
        return falls(self._rule, tuple(sorted(keep)), self._dice - len(keep))

    def _takes(self, value: int) -> int:
        """Return in how many of the others' ways, times `_SHARES`, a seat of rank `value` is the one that is found."""
        if value not in self._taken:
            level = [1]  # by how many others are level with it: the ways in which none is beyond
            for other in self._others:
                same = other.get(value, 0)
                behind = sum(n for v, n in other.items() if (v > value if self._loses else v < value))
                level = [a * behind + b * same for a, b in zip([*level, 0], [0, *level], strict=True)]
            self._taken[value] = sum(n * (_SHARES // k) for k, n in enumerate(level, 1))
        return self._taken[value]


@cache
def falls(rule: HighRule, keep: Dice, rerolled: int) -> dict[int, int]:
    """Return in how many of the 6**rerolled ways these dice come to each rank; `keep` ascending. Not to be changed."""
    ways: Counter[int] = Counter()
    for dice, n in rolls(rerolled):
        ways[rank(rule, keep + dice)] += n
    return ways
