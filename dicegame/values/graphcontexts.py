"""What a turn is played for where house rules remember: the standing between turns, or in a last turn how far one is behind."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from dicegame.errors import InputError
from dicegame.games.pushluck import PushLuckState
from dicegame.games.standing import Standing, required_points
from dicegame.rules.model import End, HotDice, PushLuckRules, Reach
from dicegame.rules.table import Table
from dicegame.text import _, quote
from dicegame.values.choices import Choices
from dicegame.values.graph import Limits, Packing, banked, busted, last_row, reached
from dicegame.values.graphfile import SolvedGraph
from dicegame.values.within import FORBIDDEN, Stakes


class LastTurn(NamedTuple):
    """A last turn: the steps that it needs before it may bank, those that it is behind, and what a tie there is worth."""

    need: int
    behind: int
    tie: float


class GraphContexts:
    """The contexts of one rule set and its solved values: a standing's key, or a `LastTurn`."""

    def __init__(self, rules: PushLuckRules, choices: Choices, table: Table, solved: SolvedGraph) -> None:
        self.rules = rules
        self._solved = solved
        self._unit = choices.unit
        self._packing = Packing.of(rules, table)
        self._final = rules.end is End.FINAL_ROUND
        self._exact = rules.reach is Reach.EXACT
        must = rules.hot_dice is HotDice.MUST_ROLL or rules.score.nothing.roll_again
        self._least_bust = 0.0 if must else min(choices.bust)

    @property
    def slots(self) -> int:
        """How many slots a store of turn values needs."""
        return len(self._solved.keys)

    def slot(self, context: int | LastTurn) -> int | None:
        """Return the slot of a context in a store; None for one that has none."""
        return self._solved.place(context) if isinstance(context, int) else None

    def of(self, state: PushLuckState) -> int | LastTurn:
        """Return the context of the turn of `state`.

        Raises:
            InputError: no game comes to it.
        """
        standing, seat = state.standing, state.seat
        if standing.final is not None:
            behind = standing.scores[1 - seat] - standing.scores[seat]
            row, steps = last_row(behind, self._unit, opened=standing.opened[seat])
            need = -(-required_points(self.rules, standing, seat) // self._unit)
            return LastTurn(max(1, need), steps, 0.0 if row % 2 else 0.5)
        key = self._packing.key(standing, seat)
        if not self._packing.fits(standing) or self._solved.place(key) is None:
            message = _("no game of %s comes to this position, so that its chances are not known")
            raise InputError(message % quote(self.rules.name))
        return key

    def stakes(self, context: int | LastTurn) -> Stakes:
        """Return what a turn in this context is played for."""
        if isinstance(context, LastTurn):
            return _last(context)
        standing = self._packing.standing(context)
        limits = Limits.of(self.rules, self._unit, standing, 0)
        lost = self._left(busted(self.rules, standing))
        return (self._in_final_game if self._final else self._sudden)(standing, limits, lost)

    def _left(self, standing: Standing) -> float:
        """Return what seat 0 has left of the win before a turn of seat 1."""
        return 1 - self._solved.value(self._packing.key(standing, 1))

    def _sudden(self, standing: Standing, limits: Limits, lost: float) -> Stakes:
        need, end, exact = limits.need, limits.end, self._exact
        hit = end if limits.hit else end - 1  # the last steps that an exact target allows

        @cache
        def bank(x: int) -> float:
            if x < need or (exact and x > hit):
                return FORBIDDEN
            return 1.0 if x >= end else self._left(banked(self.rules, standing, x * self._unit))

        return Stakes(bank, lost, lambda: hit + 1 if exact else max(need, end), rising=False)

    def _in_final_game(self, standing: Standing, limits: Limits, lost: float) -> Stakes:
        need, end = limits.need, limits.end
        over = reached(self.rules, self._unit, standing, end)
        last = self._solved.last[over.row]

        def beaten(x: int) -> float:
            return last[min(over.behind + x, len(last) - 1)]

        @cache
        def bank(x: int) -> float:
            if x < need:
                return FORBIDDEN
            return 1 - beaten(x) if x >= end else self._left(banked(self.rules, standing, x * self._unit))

        def top() -> int:
            x = max(need, end)
            while beaten(x) > self._least_bust * (1 - lost) and over.behind + x < len(last) - 1:
                x += 1
            return x

        return Stakes(bank, lost, top, rising=False)


def _last(turn: LastTurn) -> Stakes:
    """Return what a last turn is played for: a higher score wins, an equal one is worth one half."""

    def bank(x: int) -> float:
        if x < turn.need:
            return FORBIDDEN
        return 1.0 if x > turn.behind else turn.tie if x == turn.behind else 0.0

    return Stakes(bank, 0.0, lambda: max(turn.need, turn.behind + 1), rising=True)
