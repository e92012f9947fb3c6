"""Prove a record: the commitment, every roll, every decision, every event, and the result that follows from them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dicegame import dice as dice_function
from dicegame.errors import DecisionError, InputError, RecordError
from dicegame.games import engine_for
from dicegame.games.base import Decision, Phase, Throw
from dicegame.games.events import Dice, Event, Faulted
from dicegame.games.highdice import HighDice
from dicegame.games.notation import format_dice
from dicegame.record.lines import (
    ChangeLine,
    DecisionLine,
    EventLine,
    ForfeitLine,
    Header,
    KeyLine,
    Line,
    ResultLine,
    ThrowLine,
    UndoLine,
    event_of,
    is_person,
)
from dicegame.record.read import Record, read, read_bytes
from dicegame.text import _, ltr, number

OPENED, PENDING, NONE, WRONG = "opened", "pending", "none", "wrong"


@dataclass(slots=True)
class Verdict:
    """What a record proves.

    `commitment` is `opened` (the key fits what was published), `pending` (not opened yet), `none` (nothing was published: a seed that
    can be guessed, scripted or typed dice) or `wrong`. `rolls` and `decisions` count what was checked. `fault` says what is wrong
    first, and `line` where; both are None in a valid record.
    """

    valid: bool
    commitment: str
    rolls: int
    decisions: int
    fault: str | None = None
    line: int | None = None

    def as_json(self) -> dict[str, object]:
        """Return the object that `--json` prints."""
        fault = None if self.fault is None else {"line": self.line, "what": self.fault}
        counted = {"commitment": self.commitment, "rolls": self.rolls, "decisions": self.decisions}
        return {"valid": self.valid, **counted, "fault": fault}


class _Wrong(Exception):
    """Something in the record does not follow."""


def verify(path: str) -> Verdict:
    """Check a record from its first line to its last.

    Raises:
        RecordError: it can't be read at all. What can be read but is wrong is a verdict.
    """
    return _verify(lambda: read(path))


def verify_bytes(raw: bytes, name: str) -> Verdict:
    """Check a record that is in memory already; `name` is what errors call it.

    Raises:
        RecordError: it can't be read at all.
    """
    return _verify(lambda: read_bytes(raw, name))


def _verify(read_it: Callable[[], Record]) -> Verdict:
    try:
        record = read_it()
    except RecordError as error:
        line = error.fields.get("line")
        if not isinstance(line, int):
            raise
        what = str(error.fields["what"])
        return Verdict(valid=False, commitment=NONE, rolls=0, decisions=0, fault=what, line=line)
    return _Check(record).run()


class _Check:
    """Plays a record again beside its lines."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.engine: Any = engine_for(record.rules)
        keys = [line.dice_key for _number, line in record.lines if isinstance(line, KeyLine)]
        self.key = bytes.fromhex(keys[-1]) if keys and keys[-1] else None
        self.verdict = Verdict(valid=True, commitment=NONE, rolls=0, decisions=0)
        self.state: Any = None
        self.back: Any = None
        self.expected: deque[Event] = deque()
        self.throws: list[Throw] = []
        self.fallen: list[Dice] = []
        self.ended = self.opened = False

    def run(self) -> Verdict:
        self.at = 1
        try:
            self._walk()
        except (_Wrong, DecisionError, InputError) as error:
            verdict = self.verdict
            verdict.valid, verdict.line = False, self.at
            verdict.fault = error.message if isinstance(error, DecisionError | InputError) else str(error)
        return self.verdict

    def _walk(self) -> None:
        self._commitment(self.record.header)
        self.state, events = self.engine.start(len(self.record.header.players))
        self.expected = deque(events)
        for place, line in self.record.lines:
            self.at = place
            self._line(line)
        self.at += 1
        if self.record.cut:
            raise _Wrong(_("the last line is cut off"))
        if not self.ended:
            raise _Wrong(_("the record breaks off before the result"))

    def _commitment(self, header: Header) -> None:
        if header.commitment is None:
            return
        if self.key is None:
            self.verdict.commitment = PENDING
            return
        if dice_function.commitment(self.key) != header.commitment:
            self.verdict.commitment = WRONG
            raise _Wrong(_("the key at the end does not open the commitment"))
        self.verdict.commitment = OPENED

    def _line(self, line: Line) -> None:
        if isinstance(line, Header):
            raise _Wrong(_("a second header"))
        if isinstance(line, KeyLine):
            if not self.ended:
                raise _Wrong(_("a key before the result"))
            if self.opened:
                raise _Wrong(_("a second key"))
            self.opened = True
            return
        if self.ended:
            raise _Wrong(_("nothing but the key may follow the result"))
        if isinstance(line, EventLine):
            self._event(line)
            return
        if self.expected:
            raise _Wrong(_("the event %s is missing") % self.expected[0].event)
        if isinstance(line, ThrowLine):
            self._throw(line)
        elif self.fallen:
            raise _Wrong(_("a throw is missing"))
        elif isinstance(line, ResultLine):
            self._result(line)
        else:
            self._answer(line)

    def _event(self, line: EventLine) -> None:
        if line.event == Faulted.event and not self.expected and self.state.phase is Phase.DECIDE:
            happened = event_of(line)
            if not isinstance(happened, Faulted) or happened.seat != self.state.seat:
                raise _Wrong(_("the event %s does not follow from what was played") % line.event)
            return  # what a bot did wrong does not follow from the game; what became of it does
        if not self.expected and self.state.phase is Phase.THROW and not self.engine.throws(self.state):
            self._fall([])  # a reveal in which nobody rolls again
        if not self.expected:
            raise _Wrong(_("the event %s does not follow from what was played") % line.event)
        wanted = self.expected.popleft()
        if event_of(line) != wanted:
            raise _Wrong(_("the event %(found)s is not the one that follows: %(wanted)s") % _both(line, wanted))

    def _throw(self, line: ThrowLine) -> None:
        if self.state.phase is not Phase.THROW:
            raise _Wrong(_("dice fall where none are due"))
        if not self.fallen:
            self.throws = self.engine.throws(self.state)
        place = len(self.fallen)
        wanted = self.throws[place] if place < len(self.throws) else None
        if wanted is None or (line.seat, line.turn, line.roll, len(line.dice)) != _place(wanted):
            raise _Wrong(_("this throw is not the one that is due here"))
        if self.key is not None:
            right = dice_function.roll(self.key, line.seat, line.turn, line.roll, len(line.dice))
            if right != line.dice:
                shown = {"right": ltr(format_dice(right)), "found": ltr(format_dice(line.dice))}
                raise _Wrong(_("these dice are not those of the key: %(right)s, not %(found)s") % shown)
        self.verdict.rolls += 1
        self.fallen.append(line.dice)
        if len(self.fallen) == len(self.throws):
            self._fall(self.fallen)

    def _fall(self, dice: list[Dice]) -> None:
        before = self.state
        self.state, events = self.engine.thrown(self.state, dice)
        self.expected = deque(events)
        self.back = before if dice and self.record.header.dice == "typed" else None
        self.fallen = []

    def _answer(self, line: Line) -> None:
        before = self.state
        if before.phase is Phase.OVER:
            raise _Wrong(_("the game is over, and nothing but the result may follow"))
        events: list[Event] = []
        match line:
            case DecisionLine():
                if self.state.phase is not Phase.DECIDE or line.seat != self.state.seat:
                    raise _Wrong(_("a decision of seat %s where none is due") % number(line.seat))
                self.state, events = self.engine.decide(self.state, Decision(line.keep, line.bank))
                self.verdict.decisions += 1
                self.back = before
            case UndoLine():
                if self.back is None:
                    raise _Wrong(_("nothing could be taken back here"))
                self.state, self.back = self.back, None
            case ChangeLine():
                if not isinstance(self.engine, HighDice) or not self.engine.may_change(self.state, line.seat):
                    raise _Wrong(_("seat %s has no mark that could be changed") % number(line.seat))
                specs = self.record.header.specs
                computers = frozenset(seat for seat, spec in enumerate(specs) if not is_person(spec))
                self.state, events = self.engine.change(self.state, line.seat, line.keep, computers)
                self.back = None
            case ForfeitLine():
                if line.seat >= len(self.record.header.players) or self.state.out[line.seat]:
                    raise _Wrong(_("seat %s is not in the game") % number(line.seat))
                self.state, events = self.engine.forfeit(self.state, line.seat)
                self.back = None
        self.expected = deque(events)

    def _result(self, line: ResultLine) -> None:
        if self.state.outcome is None:
            raise _Wrong(_("a result before the game is over"))
        if self.state.outcome != line.outcome():
            raise _Wrong(_("the result does not follow from what was played"))
        self.ended = True


def _place(throw: Throw) -> tuple[int, int, int, int]:
    return throw.seat, throw.turn, throw.roll, throw.dice


def _both(line: EventLine, wanted: Event) -> dict[str, object]:
    return {"found": line.event, "wanted": wanted.event}
