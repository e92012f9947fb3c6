"""The two strongest built-ins: `optimal`, which wins most, and `maxpoints`, which makes most points a turn."""

from __future__ import annotations

from typing import Any

from dicegame.games.base import Decision, Engine
from dicegame.games.highdice import HighDice
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.players.base import Request, Seating, Silent
from dicegame.rules.model import End
from dicegame.rules.table import Keep
from dicegame.values.chances import best_mark
from dicegame.values.judges import judge_for
from dicegame.values.judging import Judge
from dicegame.values.policies import ALIKE
from dicegame.values.turn import Turn, best_turn


class Optimal(Silent):
    """Wins most against a best opponent.

    Exact with two seats; with more it plays as if the best other score were its only opponent. Alone it makes the most of every turn.
    """

    def __init__(self) -> None:
        self._judged: tuple[Engine[Any], int] | None = None
        self._judge: Judge | None = None
        self._alone = MaxPoints()

    def begin(self, seating: Seating) -> None:
        """Take a seat in a new game.

        Raises:
            RulesError: the rule set is not solved yet, or can't be.
        """
        game = seating.engine, len(seating.players)
        if game != self._judged:
            self._judge = judge_for(*game) if len(seating.players) > 1 else None
            self._judged = game
        self._alone.begin(seating)

    def decide(self, request: Request) -> Decision:
        """Return the best decision; of equally good ones the first by the order of the options."""
        if self._judge is None:
            return self._alone.decide(request)
        valued = self._judge.decisions(request.state)
        enough = valued[0].value - ALIKE
        good = {(v.decision.keep, v.decision.bank) for v in valued if v.value >= enough}
        ordered: list[Decision] = request.engine.decisions(request.state)
        return next(decision for decision in ordered if (decision.keep, decision.bank) in good)


class MaxPoints(Silent):
    """Makes the most points a turn, whatever the scores; it banks where that wins at once, and in a final round only in front."""

    def __init__(self) -> None:
        self._engine: PushLuck | None = None
        self._best: Turn | None = None

    def begin(self, seating: Seating) -> None:
        """Take a seat in a new game."""
        if isinstance(seating.engine, PushLuck) and self._engine is not seating.engine:
            self._engine = seating.engine
            self._best = None

    def decide(self, request: Request) -> Decision:
        """Return the decision."""
        engine: Any = request.engine
        if isinstance(engine, HighDice):
            return Decision(best_mark(engine, request.state, request.seat))
        return self._pushed(engine, request.state)

    def _pushed(self, engine: PushLuck, state: PushLuckState) -> Decision:
        if self._best is None:
            self._best = best_turn(engine.table)
        turn, keeps = self._best, engine.keeps(state)
        ahead = self._ahead(engine, state)
        for keep in keeps:
            if ahead is not None and state.turn_points + keep.points >= ahead and self._may_bank(state, keep):
                return Decision(keep.keep, bank=True)
        best = max(keeps, key=lambda keep: self._worth(turn, state, keep))
        total = state.turn_points + best.points
        last = state.standing.final is not None
        bank = not last and self._may_bank(state, best) and total >= turn.rolling(best.roll, total)
        return Decision(best.keep, bank)

    def _may_bank(self, state: PushLuckState, keep: Keep) -> bool:
        return keep.may_bank and state.turn_points + keep.points >= state.required

    def _worth(self, turn: Turn, state: PushLuckState, keep: Keep) -> float:
        total = state.turn_points + keep.points
        rolled = turn.rolling(keep.roll, total)
        return max(total, rolled) if self._may_bank(state, keep) else rolled

    @staticmethod
    def _ahead(engine: PushLuck, state: PushLuckState) -> int | None:
        """Return the turn points whose bank decides the game for this seat; None where none does."""
        standing, rules = state.standing, engine.rules
        mine, best = standing.scores[state.seat], standing.best_other(state.seat)
        if standing.final is not None:
            return 0 if best is None else best - mine + 1
        return rules.target - mine if rules.end is End.SUDDEN or best is None else None
