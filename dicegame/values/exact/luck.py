"""Luck by the frozen table of a built-in against itself: what removes most of it between players that resemble that one."""

from __future__ import annotations

import hashlib
from array import array
from collections import OrderedDict

from dicegame.games.base import Phase, Reason
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.games.standing import Standing
from dicegame.values.choices import compile_choices
from dicegame.values.contexts import Context, Contexts
from dicegame.values.exact.frozen import PolicyTurn, PolicyTurns
from dicegame.values.position import KEPT_STORED, by_seat


class PolicyLuck:
    """Tells the luck of throws; `checksum` is that of the table."""

    def __init__(self, engine: PushLuck, word: str) -> None:
        """Work the table out.

        Raises:
            RulesError: the rule set can't be evaluated exactly, and which rule is why.
            PlayerError: the player has no fixed way to play.
        """
        self._engine = engine
        self._turns = PolicyTurns(engine.rules, word)
        solved = self._turns.solved
        self.checksum: str | None = hashlib.sha256(array("d", solved.values)).hexdigest()
        self._contexts = Contexts(engine.rules, compile_choices(engine.table), solved)
        self._unit = solved.axis.unit
        self._kept: OrderedDict[Context, PolicyTurn] = OrderedDict()
        self._standing: Standing | None = None  # whose turn is at hand
        self._at_hand: PolicyTurn | None = None

    def luck(self, before: PushLuckState, after: PushLuckState) -> tuple[float, ...]:
        """Return the luck of one throw by seat; its mean over the dice is exactly 0, whoever plays."""
        turn, steps = self._turn(before), before.turn_points // self._unit
        if after.phase is Phase.DECIDE:
            fallen = turn.fallen(self._engine.keeps(after), steps)
        else:
            won = after.outcome is not None and after.outcome.reason is Reason.INSTANT_WIN
            fallen = 1.0 if won else turn.lost
        return by_seat(fallen - turn.rolling(before.free, steps), before)

    def _turn(self, state: PushLuckState) -> PolicyTurn:
        if state.standing is self._standing and self._at_hand is not None:
            return self._at_hand
        context = self._contexts.of(state)
        turn = self._kept.get(context)
        if turn is None:
            turn = self._kept[context] = self._turns.turn(context)
            if len(self._kept) > KEPT_STORED:
                self._kept.popitem(last=False)
        self._standing, self._at_hand = state.standing, turn
        return turn
