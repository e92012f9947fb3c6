"""Seats that are decided over JSON lines on one pair of streams: `play --json`.

One channel serves every such seat. Nothing is asked of it but its lines: there is no clock, `ready` is optional and an answer
without an id counts for the question that stands.
"""

from __future__ import annotations

from typing import Any, BinaryIO

from dicegame import protocol
from dicegame.errors import DecisionError, InputError, InvalidDecision, UnfinishedError, UnsupportedError
from dicegame.games.base import Answer, Decision, Outcome, Throw
from dicegame.games.events import Dice, Event
from dicegame.games.pushluck import PushLuck
from dicegame.players.base import Request, Seating, Silent
from dicegame.text import _, number, quote

TRIES = 3  # wrong answers to one question that are forgiven
FLOODED = "flooded"


class Channel:
    """Lines out and in, bounded; also the observer that tells the other side what happens."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader = reader
        self._writer = writer
        self._live = False
        self._game = ""
        self.dice_key: str | None = None  # what the result opens

    def send(self, message: dict[str, Any]) -> None:
        """Send one message.

        Raises:
            UnfinishedError: nobody reads any more.
        """
        try:
            self._writer.write(protocol.encode(message).encode("utf-8", "replace") + b"\n")
            self._writer.flush()
        except OSError as error:
            raise UnfinishedError(_("nobody reads the output any more: %s") % (error.strerror or error)) from error

    def receive(self) -> bytes:
        """Return the next line, without its end.

        Raises:
            UnfinishedError: there is none.
            DecisionError: it is too long; what is left of it has been dropped.
        """
        line = self._reader.readline(protocol.LINE_BYTES + 1)
        if not line:
            raise UnfinishedError(_("end of input in the middle of the game"))
        if len(line) > protocol.LINE_BYTES:
            while line and not line.endswith(b"\n"):
                line = self._reader.readline(protocol.LINE_BYTES)
            raise DecisionError(_("the line is longer than %s bytes") % number(protocol.LINE_BYTES))
        return line.rstrip(b"\r\n")

    def hello(self) -> None:
        """Send the first message: no limit of time."""
        self.send(protocol.hello(start_ms=None, decision_ms=None, reserve_ms=None))

    def open(self, game: str, dice_key: bytes | None) -> None:
        """Begin a game with this id, whose result will open this key."""
        self._game = game
        self.dice_key = dice_key.hex() if dice_key else None

    def before_throw(self, engine: Any, state: Any, *, may_undo: bool) -> Answer | None:  # noqa: ANN401, ARG002 - a host's signature
        """Let dice fall as they are due."""
        return None

    def resumed(self, engine: Any, state: Any) -> None:  # noqa: ANN401, ARG002 - a host's signature
        """Begin to tell what happens."""
        self._live = True

    def event(self, event: Event, state: Any) -> None:  # noqa: ANN401, ARG002 - an observer's signature
        """Tell what happened."""
        if self._live:
            self.send(protocol.event(self._game, event))

    def throw(self, throw: Throw, dice: Dice) -> None:
        """Say nothing: the event follows."""

    def answer(self, seat: int, request_id: int, answer: Answer) -> None:
        """Say nothing: the event follows."""

    def over(self, outcome: Outcome) -> None:
        """Say nothing yet: the result is told once the record is whole."""

    def result(self, outcome: Outcome) -> None:
        """Tell the result: the last line.

        Raises:
            UnfinishedError: nobody reads any more.
        """
        self.send(protocol.result(self._game, outcome, self.dice_key))


class Client(Silent):
    """One seat of a channel."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._game = ""

    def begin(self, seating: Seating) -> None:
        """Tell the other side about the game and its seat."""
        self._game = seating.game
        message = seating.message()
        self._channel.send(message)

    def decide(self, request: Request) -> Decision:
        """Ask until the answer is a legal decision, forgiving a few that are not.

        Raises:
            InputError: one wrong answer too many.
            UnfinishedError: the input ended.
            UnsupportedError: the other side says that it does not play this game.
        """
        question = protocol.decide(request.id, self._game, request.seat, request.engine, request.state)
        self._channel.send(question)
        wrong = 0
        while True:
            try:
                decision = self._answer(request)
            except DecisionError as error:
                code = FLOODED if type(error) is DecisionError else error.code
                self._channel.send(protocol.error(request.id, code, error.message))
                wrong += 1
                if wrong > TRIES:
                    message = _("too many wrong answers to decision %(id)s; the last: %(what)s")
                    raise InputError(message % {"id": number(request.id), "what": error.message}) from error
                self._channel.send(question)
                continue
            if decision is not None:
                return decision

    def _answer(self, request: Request) -> Decision | None:
        """Return the decision that the next line holds; None where the line is to be passed over."""
        message = protocol.parse(self._channel.receive())
        if isinstance(message, protocol.Ready):
            if message.protocol != protocol.VERSION:
                text = _("protocol %(theirs)s is not spoken here, only %(ours)s")
                raise InvalidDecision(text % {"theirs": number(message.protocol), "ours": number(protocol.VERSION)})
            rules = request.engine.rules
            if message.games is not None and not {rules.name, rules.engine} & set(message.games):
                raise UnsupportedError(_("the program at the other end does not play %s") % quote(rules.name))
            return None
        if message.id is not None and message.id != request.id:
            if 1 <= message.id < request.id:
                return None  # decided long ago
            text = _("answered id %(answered)s, expected %(expected)s")
            answered = quote(str(message.id), 20)  # a number may have thousands of digits
            raise InvalidDecision(text % {"answered": answered, "expected": number(request.id)})
        if message.bank is None and isinstance(request.engine, PushLuck):
            raise InvalidDecision(_("the field %s is missing") % "bank")
        decision = Decision(tuple(sorted(message.keep)), bool(message.bank), message.reason())
        request.engine.check(request.state, decision)
        return decision
