"""A record played again through its engine, step by step: what a judge needs of it.

Only what happened to the game is followed. Whether the dice are those of the key, and whether every event was told, is for
`record.verify` to prove.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from dicegame.errors import DecisionError, InputError
from dicegame.games.base import Decision, Engine, Phase, Reason, Throw
from dicegame.games.events import Dice, Faulted
from dicegame.games.highdice import HighDice
from dicegame.record.lines import (
    ChangeLine,
    DecisionLine,
    EventLine,
    ForfeitLine,
    Line,
    ResultLine,
    ThrowLine,
    UndoLine,
    is_person,
)
from dicegame.record.read import Record, wrong_line
from dicegame.text import _, number, quote


@dataclass(frozen=True, slots=True)
class Fell:
    """Dice that fell together; none at a reveal in which nobody rolled again."""

    before: Any
    after: Any
    throws: tuple[Throw, ...]
    dice: tuple[Dice, ...]


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision; `substituted` says that the referee made it for a seat that had broken the protocol."""

    before: Any
    after: Any
    decision: Decision
    substituted: bool = False


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The last step is undone."""

    after: Any


@dataclass(frozen=True, slots=True)
class Remarked:
    """A mark of high dice is put in the place of another, by `seat`; `again` are the seats whose own marks fell with it.

    `before` is the state without any of these marks.
    """

    before: Any
    after: Any
    seat: int
    decision: Decision
    again: frozenset[int]


@dataclass(frozen=True, slots=True)
class GaveUp:
    """A seat went out of the game."""

    after: Any


Step = Fell | Decided | TakenBack | Remarked | GaveUp


_ANSWERS = DecisionLine | UndoLine | ChangeLine | ForfeitLine


class _Misfit(Exception):
    """A line does not follow from those before it."""


def steps(record: Record, engine: Engine[Any]) -> Iterator[Step]:
    """Yield what happened in a recorded game, in order, as far as the record goes.

    Raises:
        RecordError: a line does not fit into the game; says which.
    """
    walk = _Walk(record, engine)
    for place, line in record.lines:
        try:
            step = walk.line(line)
        except _Misfit as error:
            raise wrong_line(quote(record.path), place, str(error)) from None
        except (DecisionError, InputError) as error:
            raise wrong_line(quote(record.path), place, error.message) from None
        if step is not None:
            yield step


class _Walk:
    """A game on the way: its state, the throws that have fallen of those that fall together, and what an undo leads back to."""

    def __init__(self, record: Record, engine: Engine[Any]) -> None:
        self._engine = engine
        self._typed = record.header.dice == "typed"
        specs = record.header.specs
        self._computers = frozenset(seat for seat, spec in enumerate(specs) if not is_person(spec))
        self._seats = len(specs)
        self._state, _events = engine.start(self._seats)
        self._throws: list[Throw] = []
        self._dice: list[Dice] = []
        self._back: Any = None
        self._faulted = False

    def line(self, line: Line) -> Step | None:
        """Take one line; return the step that it makes, if it makes one."""
        if isinstance(line, _ANSWERS):
            if self._dice:
                raise _Misfit(_("a throw is missing"))
            if self._state.phase is Phase.OVER:
                raise _Misfit(_("the game is over, and nothing but the result may follow"))
        step: Step | None = None
        match line:
            case ThrowLine():
                step = self._throw(line)
            case EventLine():
                step = self._event(line)
            case DecisionLine():
                step = self._decide(line)
            case UndoLine():
                step = self._undo()
            case ChangeLine():
                step = self._change(line)
            case ForfeitLine():
                step = self._forfeit(line)
            case ResultLine():
                self._result(line)
            case _:
                pass  # the key, which is not for here to check
        return step

    def _event(self, line: EventLine) -> Step | None:
        self._faulted = self._faulted or line.event == Faulted.event
        waits = self._state.phase is Phase.THROW and not self._engine.throws(self._state)
        return self._fall() if line.event == "reveal" and waits else None

    def _throw(self, line: ThrowLine) -> Step | None:
        if self._state.phase is not Phase.THROW:
            raise _Misfit(_("dice fall where none are due"))
        if not self._dice:
            self._throws = self._engine.throws(self._state)
        wanted = self._throws[len(self._dice)] if self._throws else None
        if wanted is None or Throw(line.seat, line.turn, line.roll, len(line.dice)) != wanted:
            raise _Misfit(_("this throw is not the one that is due here"))
        self._dice.append(line.dice)
        return self._fall() if len(self._dice) == len(self._throws) else None

    def _fall(self) -> Fell:
        before, dice = self._state, self._dice
        self._state, _events = self._engine.thrown(before, dice)
        self._back = before if dice and self._typed else None
        throws = tuple(self._throws) if dice else ()
        self._throws, self._dice = [], []
        return Fell(before, self._state, throws, tuple(dice))

    def _decide(self, line: DecisionLine) -> Decided:
        before = self._state
        if before.phase is not Phase.DECIDE or line.seat != before.seat:
            raise _Misfit(_("a decision of seat %s where none is due") % number(line.seat))
        bank = line.bank and not isinstance(self._engine, HighDice)
        decision = Decision(tuple(sorted(line.keep)), bank)
        self._state, _events = self._engine.decide(before, decision)
        self._back = before
        faulted, self._faulted = self._faulted, False
        return Decided(before, self._state, decision, faulted)

    def _undo(self) -> TakenBack:
        if self._back is None:
            raise _Misfit(_("nothing could be taken back here"))
        self._state, self._back = self._back, None
        return TakenBack(self._state)

    def _change(self, line: ChangeLine) -> Remarked:
        engine, state, seat = self._engine, self._state, line.seat
        if not isinstance(engine, HighDice) or not engine.may_change(state, seat):
            raise _Misfit(_("seat %s has no mark that could be changed") % number(seat))
        self._state, _events = engine.change(state, seat, line.keep, self._computers)
        again = frozenset(s for s, keep in enumerate(state.keeps) if keep is not None and self._state.keeps[s] is None)
        gone = again | {seat}
        before = replace(state, keeps=tuple(None if s in gone else keep for s, keep in enumerate(state.keeps)))
        self._back = None
        return Remarked(before, self._state, seat, Decision(tuple(sorted(line.keep))), again)

    def _forfeit(self, line: ForfeitLine) -> GaveUp:
        if line.seat >= self._seats or self._state.out[line.seat]:
            raise _Misfit(_("seat %s is not in the game") % number(line.seat))
        self._state, _events = self._engine.forfeit(self._state, line.seat)
        self._back, self._faulted = None, False
        return GaveUp(self._state)

    def _result(self, line: ResultLine) -> None:
        outcome = self._state.outcome
        if line.reason is Reason.VOID:
            return
        if outcome is None:
            raise _Misfit(_("a result before the game is over"))
        if outcome != line.outcome():
            raise _Misfit(_("the result does not follow from what was played"))
