"""What a turn is played for: the places of the seat to move and of the one it plays against, and what banking and busting are worth."""

from __future__ import annotations

from typing import NamedTuple

from dicegame.games.pushluck import PushLuckState
from dicegame.games.standing import Standing
from dicegame.rules.model import End, HotDice, PushLuckRules, Reach
from dicegame.values.choices import Choices
from dicegame.values.solved import Solved
from dicegame.values.within import FORBIDDEN, Stakes

LAST = -1  # the place of the other seat in a last turn, where only the steps behind count


class Context(NamedTuple):
    """All that the values of a turn depend on: the places of both seats; or in a last turn the steps behind (`other` is `LAST`)."""

    mover: int
    other: int
    behind: int = 0


class Contexts:
    """The contexts of one rule set and its solved values."""

    def __init__(self, rules: PushLuckRules, choices: Choices, solved: Solved) -> None:
        self.rules = rules
        self.axis = solved.axis
        self._solved = solved
        self._final = rules.end is End.FINAL_ROUND
        self._exact = rules.reach is Reach.EXACT
        must = rules.hot_dice is HotDice.MUST_ROLL or rules.score.nothing.roll_again
        self._least_bust = 0.0 if must else min(choices.bust)

    @property
    def slots(self) -> int:
        """How many slots a store of turn values needs."""
        return self.axis.size**2 + 2 * len(self._solved.last[0])

    def slot(self, context: Context) -> int | None:
        """Return the slot of a context in a store; None for one that has none."""
        if context.other != LAST:
            return context.mover * self.axis.size + context.other
        length = len(self._solved.last[0])
        if not 0 < context.behind < length:
            return None
        return self.axis.size**2 + self._row(context.mover) * length + context.behind

    def of(self, state: PushLuckState) -> Context:
        """Return the context of the turn of `state`: against the best of the other seats."""
        standing, seat = state.standing, state.seat
        mover = self._place(standing, seat)
        best = _best_other(standing, seat)
        if standing.final is not None:
            return Context(mover, LAST, -(-(standing.scores[best] - standing.scores[seat]) // self.axis.unit))
        return Context(mover, self._place(standing, best))

    def stakes(self, context: Context) -> Stakes:
        """Return what a turn in this context is played for."""
        need = max(self.axis.needs(context.mover), 1)
        if context.other == LAST:
            return _last(need, context.behind)
        return self._in_final_game(context, need) if self._final else self._sudden(context, need)

    def _row(self, place: int) -> int:
        """Return 0 for a place of a seat that has opened, 1 for one that has not."""
        return int(place >= (self.axis.far + 1) * self.axis.counts)

    def _place(self, standing: Standing, seat: int) -> int:
        axis = self.axis
        missing = -(-(self.rules.target - standing.scores[seat]) // axis.unit)
        opened = standing.opened[seat] or not axis.unopened
        busts = standing.busts[seat] if axis.penalty else 0
        return axis.place(max(0, min(missing, axis.far)), opened=opened, busts=busts)

    def _lost(self, context: Context) -> float:
        return 1 - self._solved.value(context.other, self.axis.after_bust(context.mover))

    def _sudden(self, context: Context, need: int) -> Stakes:
        values, first, far = self._solved.values, context.other * self.axis.size, self.axis.missing(context.mover)
        exact, start = self._exact, max(need, far)

        def bank(x: int) -> float:
            if x < need or (exact and x > far):
                return FORBIDDEN
            return 1.0 if x >= far else 1 - values[first + far - x]

        return Stakes(bank, self._lost(context), lambda: far + 1 if exact else start, rising=not exact)

    def _in_final_game(self, context: Context, need: int) -> Stakes:
        """Return the stakes where whoever reaches the target leaves one more turn to the other.

        More points can be worse there: who stays just below the target has the last word. Far above it one banks, where rolling on
        risks more than the other's chance to come that far; or else more points change nothing any more.
        """
        values, first, far = self._solved.values, context.other * self.axis.size, self.axis.missing(context.mover)
        behind = self.axis.missing(context.other) - far
        last = self._solved.last[self._row(context.other)]
        lost = self._lost(context)

        def beaten(x: int) -> float:
            return last[min(behind + x, len(last) - 1)]

        def bank(x: int) -> float:
            if x < need:
                return FORBIDDEN
            return 1 - (values[first + far - x] if x < far else beaten(x))

        def top() -> int:
            x = max(need, far)
            while beaten(x) > self._least_bust * (1 - lost) and behind + x < len(last) - 1:
                x += 1
            return x

        return Stakes(bank, lost, top, rising=False)


def _best_other(standing: Standing, seat: int) -> int:
    """Return the other seat with the best score."""
    if len(standing.out) == 2:
        return 1 - seat
    rest = [other for other, out in enumerate(standing.out) if other != seat and not out]
    return max(rest, key=standing.scores.__getitem__)


def _last(need: int, behind: int) -> Stakes:
    """Return what a last turn is played for: a higher score wins, an equal one is worth one half."""

    def level(x: int) -> float:
        return 1.0 if x > behind else 0.5 if x == behind else 0.0

    return Stakes(lambda x: FORBIDDEN if x < need else level(x), level(0), lambda: max(need, behind + 1), rising=True)
