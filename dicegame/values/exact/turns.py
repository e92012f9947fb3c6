"""Turn values of solved rule sets by the compiled loops: what fills the slots of a store fast."""

from __future__ import annotations

import numpy as np

from dicegame.rules.model import PushLuckRules
from dicegame.values.choices import Choices
from dicegame.values.contexts import LAST, Context
from dicegame.values.exact import kernels
from dicegame.values.exact.solve import TIE, places_of, rolls_of
from dicegame.values.solved import Solved
from dicegame.values.turnstore import STEPS


class CompiledTurns:
    """Works turns out; `choices` must be those that the values were solved with."""

    def __init__(self, rules: PushLuckRules, choices: Choices, solved: Solved) -> None:
        axis, size = solved.axis, solved.axis.size
        last = np.array([solved.last[0], solved.last[1]]) if axis.unopened else np.array([solved.last[0]])
        beyond = max(axis.far, axis.opening) + max(last.shape[1], STEPS) + choices.furthest + 2
        self._rolls = rolls_of(choices, beyond)
        self._values = np.asarray(solved.values, dtype=np.float64).reshape(size, size)
        self._places = places_of(axis, last, rules, 0.0 if self._rolls.must else min(choices.bust))
        self._axis = axis

    def rolled(self, context: Context) -> list[float]:
        """Return the values of rolling 1, 2, ... dice, each for the steps in the turn that a slot holds, one after the other."""
        found = np.empty((self._rolls.dice, STEPS))
        if context.other == LAST:
            kernels.rolled_last(context.behind, self._axis.needs(context.mover), TIE, self._rolls, found)
        else:
            kernels.rolled(context.mover, context.other, self._values, self._places, self._rolls, found)
        numbers: list[float] = found.ravel().tolist()
        return numbers
