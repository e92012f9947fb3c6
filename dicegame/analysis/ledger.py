"""Judge a recorded game: what every step did to the chances, booked under what caused it."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Any

from dicegame.analysis.estimate import of_many
from dicegame.analysis.judged import Account, Chances, Judged, JudgedDecision, JudgedThrow, Moment
from dicegame.analysis.steps import Decided, Fell, Remarked, Step, TakenBack, steps
from dicegame.games.base import Decision, Engine, Outcome, Phase, Reason, Throw
from dicegame.games.highdice import HighDiceState
from dicegame.games.pushluck import MAX_ROLLS, PushLuckState
from dicegame.record.read import Record
from dicegame.values.judging import Judge
from dicegame.values.position import PushLuckJudge

_NOISE = 1e-12  # of floating-point numbers: what differs less is as good


def judge_record(record: Record, engine: Engine[Any], judge: Judge) -> Judged:
    """Judge a game by its record, as far as that goes.

    Args:
        record: the record, as it was read.
        engine: the engine of its rule set.
        judge: the judge of games of this rule set and so many seats.

    Raises:
        RecordError: a line does not fit into the game.
    """
    ledger = _Ledger(engine, judge, len(record.header.players))
    for step in steps(record, engine):
        ledger.book(step)
    return ledger.judged()


@dataclass(slots=True)
class _Entry:
    """One step: the chances that it led to, and what of their change luck, a loss, rounding and all else explain, by seat."""

    chances: Chances
    luck: Chances
    loss: Chances
    rounding: Chances
    other: Chances
    fell: JudgedThrow | None = None
    decided: JudgedDecision | None = None
    moment: Moment | None = None


class _Ledger:
    """The steps of a game so far, each with its entry: a step that is taken back takes its entry along."""

    def __init__(self, engine: Engine[Any], judge: Judge, seats: int) -> None:
        self._judge = judge
        self._seats = seats
        self._none: Chances = (0.0,) * seats
        self._alike = 2 * judge.rounding + _NOISE
        self._state, _events = engine.start(seats)
        chances, none = self._chances(self._state), self._none
        self._entries = [_Entry(chances, none, none, none, none, moment=Moment(self._state.seat, 0, chances))]

    def book(self, step: Step) -> None:
        """Book a step."""
        before, self._state = self._entries[-1].chances, step.after
        if isinstance(step, TakenBack):
            self._entries.pop()
            return
        none = self._none
        entry = _Entry(self._chances(step.after), none, none, none, none)
        if isinstance(step, Fell):
            entry.luck = self._judge.luck(step.before, step.after)
            entry.fell = JudgedThrow(step.throws, step.dice, entry.luck) if step.throws else None
        elif isinstance(step, Decided | Remarked):
            if isinstance(step, Remarked):
                self._drop(step)
            self._decide(entry, step)
        rest = tuple(map(fsum, zip(entry.chances, _minus(before), _minus(entry.luck), _minus(entry.loss), strict=True)))
        if self._looked_up(step):
            entry.rounding = rest
        else:
            entry.other = rest
        entry.moment = self._moment(entry.chances)
        self._entries.append(entry)

    def judged(self) -> Judged:
        """Return all that was booked."""
        entries = self._entries
        outcome: Outcome | None = self._state.outcome
        return Judged(
            seats=self._seats,
            approximate=self._judge.approximate,
            rounding=self._judge.rounding,
            values=self._judge.solved.checksum if isinstance(self._judge, PushLuckJudge) else None,
            shares=None if outcome is None else entries[-1].chances,
            decisions=tuple(entry.decided for entry in entries if entry.decided is not None),
            throws=tuple(entry.fell for entry in entries if entry.fell is not None),
            moments=tuple(entry.moment for entry in entries if entry.moment is not None),
            accounts=tuple(self._account(seat) for seat in range(self._seats)),
        )

    def _estimated(self) -> bool:
        """Say whether chances are estimated here, and only between turns."""
        return isinstance(self._judge, PushLuckJudge) and self._seats - sum(self._state.out) > 2

    def _chances(self, state: Any) -> Chances:  # noqa: ANN401 - the state of any engine
        if state.outcome is None and isinstance(self._judge, PushLuckJudge) and self._estimated():
            return of_many(self._judge, state)
        return tuple(self._judge.chance(state, seat) for seat in range(self._seats))

    def _decide(self, entry: _Entry, step: Decided | Remarked) -> None:
        """Put a decision beside the best one; what it lost falls to the others alike."""
        state = step.before
        seat = state.seat
        if state.phase is not Phase.DECIDE or (isinstance(step, Remarked) and seat != step.seat):
            return  # a mark out of turn: nobody was to decide it here
        decided = entry.decided = self._beside(state, step.decision, isinstance(step, Decided) and step.substituted)
        others = self._seats - 1 - sum(state.out)
        entry.loss = tuple(
            -decided.loss if s == seat else 0.0 if state.out[s] else decided.loss / others for s in range(self._seats)
        )

    def _beside(self, state: Any, made: Decision, substituted: bool) -> JudgedDecision:  # noqa: ANN401 - of any engine
        valued = self._judge.decisions(state)
        best = valued[0]
        value = next(v.value for v in valued if v.decision == made)
        if isinstance(state, HighDiceState):
            dice, points, place = state.dice[state.seat], 0, (state.round - 1, 0)
        else:
            dice, points, place = state.dice, state.turn_points, (state.standing.turns[state.seat] - 1, state.rolls - 1)
        return JudgedDecision(
            throw=Throw(state.seat, *place, len(dice)),
            dice=dice,
            points=points,
            decision=made,
            best=made if best.value - value <= self._alike else best.decision,
            value=value,
            best_value=best.value,
            choices=len(valued),
            substituted=substituted,
        )

    def _drop(self, step: Remarked) -> None:
        """Take out the decisions of this round that no longer stand; what they did to the chances becomes other."""
        round_, gone = step.before.round - 1, step.again | {step.seat}
        for entry in self._entries:
            decided = entry.decided
            if decided is not None and decided.throw.turn == round_ and decided.throw.seat in gone:
                entry.decided = None
                entry.other = tuple(map(sum, zip(entry.other, entry.loss, strict=True)))
                entry.loss = self._none

    def _looked_up(self, step: Step) -> bool:
        """Say whether all that is left of a step's change comes from values that were looked up."""
        if self._judge.approximate or not isinstance(step, Fell | Decided):
            return False
        outcome: Outcome | None = step.after.outcome
        if outcome is not None and outcome.reason is Reason.TURN_LIMIT:
            return False
        return not (
            isinstance(step.before, PushLuckState) and isinstance(step, Decided) and step.before.rolls >= MAX_ROLLS
        )

    def _moment(self, chances: Chances) -> Moment | None:
        """Return the moment to show here; none within a turn where chances are only estimated between turns."""
        state = self._state
        if isinstance(state, HighDiceState):
            return Moment(state.seat, state.round - 1, chances)
        if state.outcome is None and state.rolls and self._estimated():
            return None
        return Moment(state.seat, state.standing.turns[state.seat] - 1, chances)

    def _account(self, seat: int) -> Account:
        entries = self._entries
        losses = [entry.loss[seat] for entry in entries]
        return Account(
            start=entries[0].chances[seat],
            end=entries[-1].chances[seat],
            luck=fsum(entry.luck[seat] for entry in entries),
            errors=fsum(-loss for loss in losses if loss < 0),
            given=fsum(loss for loss in losses if loss > 0),
            rounding=fsum(entry.rounding[seat] for entry in entries),
            other=fsum(entry.other[seat] for entry in entries),
        )


def _minus(values: Chances) -> Chances:
    return tuple(-value for value in values)
