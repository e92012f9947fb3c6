"""A bot under examination: one process at a time, started afresh when it is lost, its times kept, and every line that it should not say.

What makes a step of the examination fail is raised as `Trouble`; lines that are no answer at all are passed over here and collected, so
that one slip (a greeting on standard output) does not hide everything else.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dicegame import protocol
from dicegame.errors import IllegalDecision, InvalidDecision
from dicegame.games.base import Decision, Engine, Outcome, Throw
from dicegame.games.events import Dice, Event
from dicegame.games.notation import format_decision, format_dice
from dicegame.games.pushluck import PushLuck
from dicegame.match.states import Chair, names_of
from dicegame.players.base import BotFault, FaultCode, Request, Seating
from dicegame.players.bots import BotProgram
from dicegame.players.containment import Containment
from dicegame.players.conversation import Conversation, Ending, OnLine, decision_of, refusal_of
from dicegame.players.treatment import Clock
from dicegame.text import _, clean, ltr, number, quote

KEPT_STRAYS = 20
_FOREVER = 1e6  # seconds; poll takes no more than 2^31 milliseconds
_LAST_WORDS = (
    1.0  # seconds in which a bot that was late may still show, once its input ends, that it only forgot to flush
)

Message = dict[str, Any]
Change = Callable[[Message], Message]  # what is done to a message before it is sent


class Trouble(Exception):
    """What makes a step fail, in words that the bot's author can act on."""


class Refused(Trouble):
    """A bot that can't be refereed at all: its `ready` is wrong."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A decision, how long it took in seconds, and why it is not legal (None where it is)."""

    decision: Decision
    seconds: float
    refusal: IllegalDecision | None


def exchange(engine: Engine[Any], state: Any, decision: Decision) -> str:  # noqa: ANN401 - any engine's
    """Return a question and its answer in short: `1 2 3 4 6 6 > 1 bank`, in high dice `5 5 3 > 5 5`."""
    if isinstance(engine, PushLuck):
        return ltr(f"{format_dice(state.dice)} > {clean(format_decision(decision), 60)}")
    return ltr(f"{format_dice(state.dice[state.seat])} > {clean(format_dice(decision.keep), 60) or '-'}")


class Examinee:
    """The bot that is examined. Close it in the end."""

    def __init__(
        self, program: BotProgram, containment: Containment, clock: Clock, on_line: OnLine | None = None
    ) -> None:
        self.clock = clock
        self.ready: protocol.Ready | None = None
        self.starts: list[float] = []  # seconds of every start that ended in `ready`
        self.times: list[float] = []  # seconds of every decision
        self.strays: list[str] = []  # lines that are no answer, and why; the first few
        self.stray_count = 0
        self._program = program
        self._containment = containment
        self._on_line = on_line
        self._conversation: Conversation | None = None
        self.game = ""
        self._games = 0
        self._next_id = 0
        self._reserve = 0.0

    # One process

    def fresh(self, change: Change | None = None) -> None:
        """Start another process and shake hands.

        Raises:
            Trouble: it does not get ready.
        """
        line = self.start(change)
        self.meet(line)

    def start(self, change: Change | None = None) -> bytes:
        """Start another process, say hello, and return the line with which it says that it is ready.

        Raises:
            Trouble: it can't be started, or is not ready in time.
        """
        self.leave()
        clock = self.clock
        begun = time.monotonic()
        deadline = begun + clock.start_ms / 1000
        try:
            self._conversation = Conversation(self._program, self._containment, on_line=self._on_line)
        except BotFault as fault:
            raise Trouble(f"{fault.code}: {fault.detail}") from None
        self._next_id = 0
        times = (clock.decision_ms, clock.reserve_ms) if clock.running else (None, None)
        hello = protocol.hello(start_ms=clock.start_ms, decision_ms=times[0], reserve_ms=times[1])
        self._send(hello, change)
        while True:
            line = self._receive(deadline, "ready")
            if _type_of(line) == "ready":
                break
            self._stray(line, _("ready is expected first"))
        self.starts.append(time.monotonic() - begun)
        return line

    def meet(self, line: bytes) -> None:
        """Take in a `ready` line.

        Raises:
            Refused: it can't be played with.
        """
        try:
            ready = protocol.parse(line)
        except InvalidDecision as error:
            raise Refused(error.message) from None
        assert isinstance(ready, protocol.Ready)
        if ready.protocol != protocol.VERSION:
            text = _("protocol %(theirs)s is not spoken here, only %(ours)s")
            raise Refused(text % {"theirs": number(ready.protocol), "ours": number(protocol.VERSION)})
        self.ready = ready

    def leave(self) -> None:
        """Leave the process that runs, if one does: what it said unasked is noted, then it is ended."""
        conversation, self._conversation = self._conversation, None
        if conversation is not None:
            self._unasked(conversation)
            conversation.close()

    def end(self, seconds: float, *, bye: bool, close: bool) -> Ending:
        """Ask the running process to go; see `Conversation.end`."""
        conversation = self._running()
        ending = conversation.end(seconds, bye=bye, close=close)
        for line in ending.lines:
            self._stray(line, _("it is not asked for anything any more"))
        return ending

    @property
    def running(self) -> bool:
        """Whether there is a process to ask."""
        return self._conversation is not None

    def _running(self) -> Conversation:
        assert self._conversation is not None, "no process was started"
        return self._conversation

    # A game

    def enter(self, chair: Chair, seed: int = 1, change: Change | None = None) -> None:
        """Tell the process, started if there is none, that a game begins."""
        self._games += 1
        seating = Seating(f"check-{self._games}", chair.engine, names_of(chair.seats), chair.seat, seed, None)
        self.sit(seating, change)

    def sit(self, seating: Seating, change: Change | None = None) -> None:
        """Tell of a game as a referee seated it."""
        if self._conversation is None:
            self.fresh()
        self.game = seating.game
        self._reserve = self.clock.reserve_ms / 1000
        told = seating.message()
        self._send(told, change)

    def tell(self, message: Message, change: Change | None = None) -> None:
        """Send a message that wants no answer."""
        self._send(message, change)

    def result(self, outcome: Outcome, change: Change | None = None) -> None:
        """Tell how the game ended."""
        self._send(protocol.result(self.game, outcome, None), change)

    def ask(self, engine: Engine[Any], state: Any, change: Change | None = None) -> Reply:  # noqa: ANN401 - any engine's
        """Put a state to the seat that is to decide in it.

        Raises:
            Trouble: there is no answer in time, or none that can be understood; the process is gone then.
        """
        self._unasked(self._running())
        self._next_id += 1
        question = protocol.decide(self._next_id, self.game, state.seat, engine, state)
        clock = self.clock
        if clock.running:
            question |= {"decision_ms": clock.decision_ms, "reserve_ms": int(self._reserve * 1000)}
        begun = time.monotonic()
        deadline = begun + (clock.decision_ms / 1000 + self._reserve if clock.running else _FOREVER)
        self._send(question, change)
        answer = self._answer(deadline)
        took = time.monotonic() - begun
        self.times.append(took)
        self._reserve = max(0.0, self._reserve - max(0.0, took - clock.decision_ms / 1000))
        try:
            decision = decision_of(answer, engine)
        except InvalidDecision as error:
            raise self._lost(f"{FaultCode.PROTOCOL}: {error.message}") from None
        return Reply(decision, took, refusal_of(engine, state, decision))

    def _answer(self, deadline: float) -> protocol.Answer:
        """Return the answer to the question that stands; lines that are none are noted and passed over."""
        while True:
            line = self._receive(deadline, "decision")
            try:
                message = protocol.parse(line)
            except InvalidDecision as error:
                if _type_of(line) == "decision":
                    raise self._lost(f"{FaultCode.PROTOCOL}: {error.message}") from None
                self._stray(line, error.message)
                continue
            if isinstance(message, protocol.Ready):
                self._stray(line, _("ready is said once, at the start"))
            elif message.id == self._next_id:
                return message
            elif message.id is None:
                raise self._lost(f"{FaultCode.PROTOCOL}: {_('the field %s is missing') % 'id'}")
            elif 1 <= message.id < self._next_id:
                self._stray(line, _("a second answer to the same question"))
            else:
                text = _("answered id %(answered)s, expected %(expected)s")
                values = {"answered": number(message.id), "expected": number(self._next_id)}
                raise self._lost(f"{FaultCode.PROTOCOL}: {text % values}")

    # The wire

    def _send(self, message: Message, change: Change | None = None) -> None:
        self._running().send(change(message) if change else message)

    def _receive(self, deadline: float, wanted: str) -> bytes:
        conversation = self._running()
        try:
            return conversation.receive(deadline)
        except BotFault as fault:
            said = conversation.autopsy(fault)
            if fault.code is FaultCode.TIMED_OUT and self._kept_back(conversation, wanted):
                said = _(
                    "timed_out: the answer came only when the bot's input ended: flush standard output after every line"
                )
            raise self._lost(said) from None

    @staticmethod
    def _kept_back(conversation: Conversation, wanted: str) -> bool:
        """Say whether a late bot had its answer ready and did not flush it: then it comes out at its end."""
        return any(_type_of(line) == wanted for line in conversation.end(_LAST_WORDS, bye=False).lines)

    def _lost(self, said: str) -> Trouble:
        """Give the process up."""
        conversation, self._conversation = self._conversation, None
        if conversation is not None:
            conversation.close()
        return Trouble(said)

    def _unasked(self, conversation: Conversation) -> None:
        """Note what came while no answer was due."""
        try:
            for _line in range(KEPT_STRAYS):
                line = conversation.pending()
                if line is None:
                    return
                self._stray(line, _("a line that nobody asked for"))
        except BotFault as fault:
            self._stray(b"", fault.detail)

    def _stray(self, line: bytes, why: str) -> None:
        self.stray_count += 1
        if len(self.strays) < KEPT_STRAYS:
            if _type_of(line) is None:
                why = _("it is no message; print what is not meant for the referee to stderr")
            shown = quote(clean(line.decode("utf-8", "replace"), 100))
            self.strays.append(_("%(line)s (%(why)s)") % {"line": shown, "why": why} if line else why)


def _type_of(line: bytes) -> str | None:
    """Return the type of the message that a line holds; None where it holds none."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    kind = message.get("type") if isinstance(message, dict) else None
    return kind if isinstance(kind, str) else None


class Candidate:
    """The examinee in a seat of a whole game: a player for the referee.

    `judge` is told every reply and raises `Trouble` to stop the game; `spare` says of which states the bot is not asked at all.
    """

    def __init__(
        self, examinee: Examinee, judge: Callable[[Request, Reply], None], spare: Callable[[Request], bool]
    ) -> None:
        self._examinee = examinee
        self._judge = judge
        self._spare = spare
        self.events = 0  # sent to it

    @property
    def watches(self) -> bool:
        """Whether the bot asked for events."""
        ready = self._examinee.ready
        return ready is not None and ready.events

    def begin(self, seating: Seating) -> None:
        """Take a seat."""
        self._examinee.sit(seating)

    def decide(self, request: Request) -> Decision:
        """Return the bot's decision, or where there is none that is legal and the judge lets it pass, another in its place."""
        if self._spare(request):
            spared: Decision = request.engine.substitute(request.state)
            return spared
        reply = self._examinee.ask(request.engine, request.state)
        self._judge(request, reply)
        decision: Decision = request.engine.substitute(request.state) if reply.refusal else reply.decision
        return decision

    def replayed(self, request: Request, decision: Decision) -> None:
        """Do nothing: examinations are not resumed."""

    def dismissed(self) -> None:
        """Do nothing: nothing is forfeited in an examination."""

    def end(self, outcome: Outcome) -> None:
        """Tell the result."""
        self._examinee.result(outcome)

    def event(self, event: Event, state: object) -> None:  # noqa: ARG002 - an observer's signature
        """Tell what happened."""
        self.events += 1
        self._examinee.tell(protocol.event(self._examinee.game, event))

    def throw(self, throw: Throw, dice: Dice) -> None:
        """Say nothing: the event follows."""

    def answer(self, seat: int, request_id: int, answer: object) -> None:
        """Say nothing: the event follows."""

    def over(self, outcome: Outcome) -> None:
        """Say nothing: `end` does."""
