"""One turn from inside, in plain Python: what rolling, banking and every choice is worth to the seat to move.

The same recursion as the compiled one: downwards in turn points, a choice is worth the larger of banking and rolling on, and a roll
the mean of its best choices. Values are worked out only as far down as somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dicegame.values.choices import Choice, Choices

FORBIDDEN = -1.0
STANDS = 1e-17  # a change that is none
_Arrays = list[list[float]]


@dataclass(frozen=True, slots=True)
class Stakes:
    """What a turn is played for, as the mover's chance to win.

    `bank(x)` is its chance after banking `x` steps, negative where that is not allowed; `lost` that after a bust. From `top()` steps
    on more points change nothing, or banking is best wherever it is allowed, or everything is forbidden. `rising` says that more
    points in the turn are never worse.
    """

    bank: Callable[[int], float]
    lost: float
    top: Callable[[], int]
    rising: bool


class TurnValues:
    """The values of one turn; see the module."""

    def __init__(self, choices: Choices, stakes: Stakes) -> None:
        self._choices = choices
        self._stakes = stakes
        self._top = stakes.top()
        self._length = self._top + choices.furthest + 1
        self._banks = [stakes.bank(x) for x in range(self._length)]
        dice = choices.dice
        must = any(kind == dice for of_n in choices.sets for _chance, found in of_n for kind, _steps in found)
        self._best: _Arrays = [list(self._banks) for _kind in range(dice + 1)]
        self._must = must
        self._bound = [2.0] * dice
        self._down = self._top  # the lowest steps that are worked out
        self._plans = [
            [(chance, [(self._best[kind], steps) for kind, steps in found]) for chance, found in of_n]
            for of_n in choices.sets
        ]
        self._far_up()

    @property
    def lost(self) -> float:
        """The mover's chance after a bust."""
        return self._stakes.lost

    def banking(self, steps: int) -> float:
        """Return the chance after banking so many steps; negative where that is not allowed."""
        return self._banks[steps] if steps < self._length else self._stakes.bank(steps)

    def after(self, kind: int, steps: int) -> float:
        """Return the chance after a keep of this kind that makes so many steps in the turn: the better of banking and rolling."""
        if steps < self._top:
            self._work_down_to(steps)
            return self._best[kind][steps]
        if steps < self._length:
            return self._best[kind][steps]
        banked = self._stakes.bank(steps)
        further = self._best[kind][-1]
        return further if banked < 0 or kind == self._choices.dice else max(banked, further)

    def best(self, choices: Sequence[Choice], steps: int) -> float:
        """Return the chance with the best of these choices, with so many steps in the turn."""
        return max(self.after(kind, steps + more) for kind, more in choices)

    def rolling(self, dice: int, steps: int) -> float:
        """Return the chance before rolling so many dice with so many steps in the turn."""
        n = dice - 1
        choices = self._choices
        self._work_down_to(steps + 1)
        if steps + choices.furthest < self._length:
            return self._roll(n, steps)
        total = choices.win[n] + choices.bust[n] * self.lost
        for chance, found in choices.sets[n]:
            most = max(self.after(kind, steps + more) for kind, more in found)
            total += chance * (self.lost if most < 0 else most)
        return total / (1 - choices.again[n])

    def _far_up(self) -> None:
        """Fill in what lies beyond, where points change nothing any more: the values of rolling settle as a roll can bust or win."""
        dice, top = self._choices.dice, self._top
        if self._banks[top] < 0:
            return
        if self._must:
            self._best[dice][top:] = [0.0] * (self._length - top)  # what must be rolled is not worth a bank
        change = 1.0
        while change >= STANDS:
            change = 0.0
            for kind in range(dice + self._must):
                values, value = self._best[kind], self._roll(min(kind, dice - 1), top)
                if value > values[top]:
                    change = max(change, value - values[top])
                    values[top:] = [max(value, known) for known in values[top:]]

    def _roll(self, n: int, x: int) -> float:
        choices = self._choices
        total = choices.win[n] + choices.bust[n] * self._stakes.lost
        for chance, found in self._plans[n]:
            most = FORBIDDEN
            for values, steps in found:
                value = values[x + steps]
                if value > most:  # noqa: PLR1730 - a call of max() doubles the time
                    most = value
            total += chance * (self._stakes.lost if most < 0 else most)
        return total / (1 - choices.again[n])

    def _work_down_to(self, steps: int) -> None:
        if steps >= self._down:
            return
        best, bound, rising, last = self._best, self._bound, self._stakes.rising, self._choices.dice - 1
        for x in range(self._down - 1, steps - 1, -1):
            stake = self._banks[x]
            for n in range(last + 1):
                wanted = self._must and n == last
                if rising and stake >= bound[n] and not wanted:
                    continue  # banked, as further up: a roll is worth no more here than there
                value = bound[n] = self._roll(n, x)
                if wanted:
                    best[last + 1][x] = value
                best[n][x] = max(stake, value)
        self._down = steps
