"""Turns of games whose seats all play as one built-in does: the frozen table by which the luck of other players can be judged.

The value of a roll that is yet to fall is exactly the mean of what its faces are worth, whoever plays: what a player's luck needs. What
its faces are worth is what the built-in would make of them, whatever the player does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dicegame.rules.model import PushLuckRules
from dicegame.rules.table import Keep
from dicegame.values.contexts import LAST, Context
from dicegame.values.exact import policy_kernels
from dicegame.values.exact.evaluate import solved_by
from dicegame.values.exact.kernels import Array
from dicegame.values.exact.laws import FewLaws
from dicegame.values.exact.policy_kernels import Way
from dicegame.values.exact.ways import Setting
from dicegame.values.policies import Policy, policy_of
from dicegame.values.solved import Solved


class PolicyTurns:
    """The turns of a rule set in which both seats play as a built-in does that needs no solved values.

    `solved` has the values between turns; its places are those of `values.contexts.Contexts`.
    """

    def __init__(self, rules: PushLuckRules, word: str) -> None:
        """Work out the values between turns, in about a second.

        Raises:
            RulesError: the rule set can't be evaluated exactly, and which rule is why.
            PlayerError: the player has no fixed way to play.
            ValueError: it plays by solved values, and these serve.
        """
        setting = Setting.of(rules)
        self._player = FewLaws(setting, policy_of(word, rules, setting.table))
        self.solved: Solved = solved_by(self._player)
        self._values = np.asarray(self.solved.values).reshape(setting.axis.size, setting.axis.size)
        self._last = self._player.last

    def turn(self, context: Context) -> PolicyTurn:
        """Return the turn in a context."""
        player, axis = self._player, self._player.setting.axis
        need, far = max(1, axis.needs(context.mover)), axis.missing(context.mover)
        if context.other == LAST:
            turning = player.ways.last(need, context.behind)
            steps = np.arange(turning.end + 1)
            bank = np.where(steps > context.behind, 1.0, np.where(steps == context.behind, 0.5, 0.0))
            lost = float(bank[0])
        else:
            trails = far - axis.missing(context.other)
            turning = player.ways.way(need, far, player.ways.limits(trails), player.reach)
            bank = self._banking(context, turning.end)
            lost = float(1 - self._values[context.other, axis.after_bust(context.mover)])
        rolled = np.empty((player.menus.dice, turning.end + 1))
        policy_kernels.policy_turn(turning.end, lost, bank, turning.way, player.menus, rolled)
        return PolicyTurn(player.policy, turning.way, axis.unit, lost, bank, rolled)

    def _banking(self, context: Context, end: int) -> Array:
        """Return the mover's chances after banking 0, 1, ... `end` steps."""
        setting = self._player.setting
        board, far = setting.board, setting.axis.missing(context.mover)
        bank = np.ones(end + 1)
        below = min(far, end + 1)
        bank[:below] = 1 - self._values[context.other, far - np.arange(below)]
        if setting.final and end >= far:
            last = self._last[board.row[context.other]]
            behind = board.missing[context.other] - far + np.arange(far, end + 1)
            bank[far:] = 1 - last[np.minimum(behind, len(last) - 1)]
        return bank


@dataclass(frozen=True, slots=True, eq=False)
class PolicyTurn:
    """What a turn is worth to a seat that goes on as the built-in does.

    `lost` is the chance after a bust, `bank[x]` that after banking `x` steps, and `rolled[n - 1, x]` that before rolling `n` dice with
    `x` steps in the turn. All that is beyond the arrays is as it is at their end.
    """

    policy: Policy
    way: Way
    unit: int
    lost: float
    bank: Array
    rolled: Array

    def rolling(self, dice: int, steps: int) -> float:
        """Return the chance before rolling so many dice with so many steps in the turn."""
        return float(self.rolled[dice - 1, min(steps, len(self.bank) - 1)])

    def pick(self, keeps: Sequence[Keep], steps: int) -> tuple[Keep, bool]:
        """Return what the built-in does with a roll: which of its (legal) keeps it takes, and whether it banks."""
        steps = min(steps, len(self.bank) - 1)
        if self.policy.taken.in_order:
            keep = self.policy.ordered(keeps)[0]
            return keep, steps + keep.points // self.unit >= self.way.least[self._kind(keep)]
        keep = max(keeps, key=lambda keep: self._best(keep, steps))  # the first of equal ones
        banks = keep.may_bank and self.way.bank[steps + keep.points // self.unit] >= self._best(keep, steps)
        return keep, bool(banks)

    def fallen(self, keeps: Sequence[Keep], steps: int) -> float:
        """Return the chance with a roll that lies and has these legal keeps, with so many steps in the turn before it."""
        keep, banks = self.pick(keeps, steps)
        then = min(steps + keep.points // self.unit, len(self.bank) - 1)
        return float(self.bank[then] if banks else self.rolled[keep.roll - 1, then])

    def _kind(self, keep: Keep) -> int:
        dice = len(self.rolled)
        if not keep.may_bank:
            return dice
        return dice + 1 if self.policy.rolls_hot(keep) else keep.roll - 1

    def _best(self, keep: Keep, steps: int) -> float:
        return float(self.way.best[self._kind(keep) * self.way.stride + steps + keep.points // self.unit])
