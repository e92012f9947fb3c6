"""The judge of the game at a table, made when it is first asked for, and how decisions and chances are worded."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from dicegame.errors import RulesError
from dicegame.games.base import Decision, Engine
from dicegame.games.highdice import HighDice
from dicegame.games.notation import format_dice
from dicegame.games.pushluck import PushLuck
from dicegame.terminal.layout import unbroken
from dicegame.terminal.words import word
from dicegame.text import _, ltr, percent
from dicegame.values.judges import judge_for
from dicegame.values.judging import Judge
from dicegame.values.turn import Turn, best_turn

NOISE = 1e-9  # of floating-point numbers: what differs less is equal
_FINEST = 4  # digits of a percentage: what shipped values are rounded to


class Adviser:
    """Answers for one game what positions and decisions are worth."""

    def __init__(self, engine: Engine[Any], seats: int) -> None:
        self.engine = engine
        self._seats = seats
        self.refusal = ""  # why there is no judge

    @cached_property
    def judge(self) -> Judge | None:
        """The judge; None where the game can't be judged, as `refusal` then tells."""
        try:
            return judge_for(self.engine, self._seats)
        except RulesError as error:
            self.refusal = error.message
            return None

    @cached_property
    def turn(self) -> Turn | None:
        """The turn that makes the most points; None for high dice, which has none."""
        return best_turn(self.engine.table) if isinstance(self.engine, PushLuck) else None

    def alike(self, one: float, other: float) -> bool:
        """Say whether two values are as good as each other, as far as the judge can tell."""
        rounding = self.judge.rounding if self.judge else 0.0
        return abs(one - other) <= 2 * rounding + NOISE

    def caveat(self, state: Any) -> str | None:  # noqa: ANN401 - any engine's
        """Return what the judge's values are not exact for in this state, if they are not."""
        if self.judge is None or not self.judge.approximate or len(state.out) - sum(state.out) < 3:
            return None
        if isinstance(self.engine, HighDice):
            return _("This is an approximation: the exact chances of three or more players are not known.")
        return _(
            "This is an approximation: with three or more players, it is the chance against the best other score alone."
        )

    def said(self, decision: Decision) -> str:
        """Return a decision as it is typed, in the user's language."""
        if isinstance(self.engine, HighDice):
            whole = len(decision.keep) == self.engine.rules.dice
            return unbroken(word("all") if whole else ltr(format_dice(decision.keep)) or word("none"))
        return unbroken(f"{ltr(format_dice(decision.keep))} {word('bank' if decision.bank else 'roll')}")


def shown(chance: float) -> str:
    """Return a chance, or a difference of two, as a percentage: with more digits where it would else look like none or all."""
    if not NOISE < chance < 1 - NOISE:
        return unbroken(ltr(percent(round(chance), 0)))
    for digits in range(1, _FINEST + 1):
        if 0 < round(chance * 100, digits) < 100:
            return unbroken(ltr(percent(chance, digits)))
    finest = 10.0 ** -(_FINEST + 2)
    return unbroken(ltr(f"<{percent(finest, _FINEST)}" if chance < 0.5 else f">{percent(1 - finest, _FINEST)}"))
