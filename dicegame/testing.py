"""Doubles for tests, of bots and of what plays with them: a scripted player, a fake bot, fixed dice, and a whole game in one call.

    game = play(["python3 mine.py", Scripted(["5 bank"])], target=1000, dice="1 1 1 2 3 4 / 5 2 3 4 6 6")
    assert game.moves == ["A 1 1 1 bank", "B 5 bank"]
    assert game.winners == (0,)

Everything here raises `AssertionError` where a test's own script does not fit the game, so that any test runner shows it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

from dicegame import protocol
from dicegame.dice import DiceSource, ScriptedDice, SeededDice, parse_script, seed_from_text, stream_key
from dicegame.errors import IllegalDecision, InvalidDecision
from dicegame.games import engine_for
from dicegame.games.base import Answer, Decision, Engine, Outcome, Throw
from dicegame.games.events import Dice, Event
from dicegame.games.notation import format_decision, format_dice, parse_decision, parse_faces
from dicegame.games.pushluck import PushLuck
from dicegame.players.base import BotFault, FaultCode, Player, Request, Seating, Silent
from dicegame.players.builtin import make
from dicegame.players.conversation import decision_of
from dicegame.players.factory import Factory
from dicegame.players.treatment import OnFault, Treatment
from dicegame.referee import Referee, SeatFault
from dicegame.rules.load import load
from dicegame.rules.model import RuleSet

__all__ = ["FakeBot", "Played", "Scripted", "ask", "fixed_dice", "play"]

Message = dict[str, Any]
Said = str | bytes | Mapping[str, Any] | None  # what a fake bot answers


def fixed_dice(text: str) -> ScriptedDice:
    """Return dice that fall as written: `1 2 3 4 6 6 / 5 5 2`, a roll between slashes or on a line of its own."""
    return ScriptedDice(parse_script(text))


def _parsed(text: str, engine: Engine[Any]) -> Decision:
    """Return a decision from its text: `1 5 bank`, or in high dice the faces that are kept (`5 5`; `-` for none)."""
    return parse_decision(text) if isinstance(engine, PushLuck) else Decision(tuple(sorted(parse_faces(text))))


def _written(decision: Decision, *, push_luck: bool) -> str:
    return format_decision(decision) if push_luck else format_dice(decision.keep) or "-"


class Scripted(Silent):
    """A player that decides what is written down, one decision after the other.

    `asked` holds the `decide` messages that it got. Where the script ends, `then` (the word of a built-in player, such as `house`) plays
    on; without one the test fails. It fails, too, where a decision of the script is not legal.
    """

    def __init__(self, decisions: Sequence[str], *, then: str | None = None) -> None:
        """Take a script: `1 5 bank`, `2 2 2 roll`; in high dice the faces that are kept, such as `5 5`, or `-` for none."""
        self.asked: list[Message] = []
        self._script = list(decisions)
        self._next = 0
        self._then = None if then is None else make(then)
        self._game = ""

    def begin(self, seating: Seating) -> None:
        """Take a seat in a new game; the script goes on where it was."""
        self._game = seating.game
        if self._then is not None:
            self._then.begin(seating)

    def decide(self, request: Request) -> Answer:
        """Return the next decision of the script."""
        engine, state = request.engine, request.state
        self.asked.append(protocol.decide(request.id, self._game, request.seat, engine, state))
        if self._next == len(self._script):
            if self._then is not None:
                return self._then.decide(request)
            raise AssertionError(
                f"the script of {self._next} decisions has ended, and seat {request.seat} is asked more"
            )
        text = self._script[self._next]
        self._next += 1
        try:
            decision = _parsed(text, engine)
            engine.check(state, decision)
        except (InvalidDecision, IllegalDecision) as error:
            raise AssertionError(f"decision {self._next} of the script, {text!r}: {error.message}") from None
        return decision

    def done(self) -> None:
        """Fail unless the whole script was played."""
        if self._next < len(self._script):
            raise AssertionError(
                f"decision {self._next + 1} of the script, {self._script[self._next]!r}, was not asked for"
            )


class FakeBot:
    """An external bot without a process: it hears every message that a bot would, and answers as a transcript says.

        bot = FakeBot()
        bot.expect({"type": "game", "seat": 0})
        bot.expect({"type": "decide", "state": {"dice": [1, 5, 3, 3, 6, 2]}}, answers="1 5 bank")
        bot.expect({"type": "result", "winners": [0]})
        play([bot, "house"], target=150, dice="1 5 3 3 6 2 / 2 3 4 4 6 6")
        bot.done()

    What is expected is a part of a message: keys that are not named may hold anything, and `...` in the place of a value does, too.
    Messages come in the order of the transcript. Those that want no answer may come in between; a `decide` must be the next one expected.
    `heard` holds all of them.

    An answer is text (`1 5 bank`), fields of a `decision` message, or a whole line as bytes, which goes through the same checks as the
    line of a real bot. None is no answer at all: the bot times out. `fail` lets the next question end in any other fault, and needs no
    place in the transcript.
    """

    def __init__(self, *, events: bool = False, decide: Callable[[Message], Said] | None = None) -> None:
        """Make a bot that knows no transcript yet.

        Args:
            events: whether it asks to be told what happens.
            decide: what it answers where the transcript has ended: a bot's own function may stand here.
        """
        self.heard: list[Message] = []
        self.faults: list[BotFault] = []
        self.watches = events
        self._decide = decide
        self._expected: deque[tuple[Mapping[str, Any], Said]] = deque()
        self._failures: deque[BotFault] = deque()
        self._seating: Seating | None = None
        self._alive = False
        self._next_id = 0

    # The transcript

    def expect(self, message: Mapping[str, Any], answers: Said = None) -> Self:
        """Add a message to the transcript, and what is answered to it."""
        self._expected.append((message, answers))
        return self

    def fail(self, code: FaultCode | str, detail: str = "as the test wants it", *, blameless: bool = False) -> Self:
        """Let the next question (that has no such failure yet) end in this fault; a blameless one makes the game void."""
        self._failures.append(BotFault(FaultCode(code), detail, blameless=blameless))
        return self

    def done(self) -> None:
        """Fail unless all that was expected has come."""
        if self._expected:
            raise AssertionError(f"never came: {dict(self._expected[0][0])}")

    # A player

    def begin(self, seating: Seating) -> None:
        """Take a seat."""
        self._seating = seating
        self._enter()

    def _enter(self) -> None:
        seating = self._seating
        assert seating is not None, "a game has begun"
        if not self._alive:
            self._alive = True
            self._next_id = 0
            self._hear(protocol.hello(start_ms=None, decision_ms=None, reserve_ms=None))
        self._hear(
            protocol.game(
                seating.game,
                seating.engine,
                players=seating.players,
                seat=seating.seat,
                seed=seating.seed,
                commitment=seating.commitment,
            )
        )

    def decide(self, request: Request) -> Decision:
        """Answer as the transcript says.

        Raises:
            BotFault: it says so, or its answer is none that is legal.
        """
        if not self._alive:
            self._enter()
        self._next_id += 1
        try:
            return self._answer(request)
        except BotFault as fault:
            self.faults.append(fault)
            self._hear(protocol.error(self._next_id, fault.code, fault.detail))
            self._alive = fault.code in {FaultCode.ILLEGAL, FaultCode.PROTOCOL, FaultCode.TIMED_OUT}
            raise

    def _answer(self, request: Request) -> Decision:
        game = self._seating.game if self._seating is not None else ""
        engine = request.engine
        question = protocol.decide(self._next_id, game, request.seat, engine, request.state)
        if self._failures:
            self.heard.append(_plain(question))
            if self._expected and _matches(self._expected[0][0], self.heard[-1]):
                self._expected.popleft()
            raise self._failures.popleft()
        said = self._hear(question)
        if said is None:
            raise BotFault(FaultCode.TIMED_OUT, "no answer in time: did you flush?")
        try:
            decision = self._understood(said, engine)
            engine.check(request.state, decision)
        except InvalidDecision as error:
            raise BotFault(FaultCode.PROTOCOL, error.message) from None
        except IllegalDecision as error:
            raise BotFault(FaultCode.ILLEGAL, error.message) from None
        return decision

    def _understood(self, said: str | bytes | Mapping[str, Any], engine: Engine[Any]) -> Decision:
        if isinstance(said, str):
            return _parsed(said, engine)
        if isinstance(said, Mapping):
            said = protocol.line_of({"type": "decision", "id": self._next_id, **said})
        message = protocol.parse(said)
        if isinstance(message, protocol.Ready):
            raise InvalidDecision("ready is said once, at the start")
        if message.id != self._next_id:
            raise InvalidDecision(f"answered id {message.id}, expected {self._next_id}")
        return decision_of(message, engine)

    def _hear(self, message: Message) -> Said:
        """Take in a message and return the answer to it."""
        told = _plain(message)
        self.heard.append(told)
        if self._expected and _matches(self._expected[0][0], told):
            return self._expected.popleft()[1]
        if told["type"] != "decide":
            return None
        if self._expected:
            raise AssertionError(f"expected: {dict(self._expected[0][0])}\nbut heard: {told}")
        if self._decide is None:
            raise AssertionError(f"nothing more was expected, but heard: {told}")
        return self._decide(told)

    def replayed(self, request: Request, decision: Decision) -> None:
        """Pass over a decision of the past."""

    def dismissed(self) -> None:
        """Begin the next game with a fresh process, as a real bot would."""
        self._alive = False

    def end(self, outcome: Outcome) -> None:
        """Hear the result."""
        if self._alive and self._seating is not None:
            self._hear(protocol.result(self._seating.game, outcome, None))

    # An observer, for bots that asked for events

    def event(self, event: Event, state: object) -> None:  # noqa: ARG002 - an observer's signature
        """Hear what happened."""
        if self._alive and self._seating is not None:
            self._hear(protocol.event(self._seating.game, event))

    def throw(self, throw: Throw, dice: Dice) -> None:
        """Hear nothing: the event follows."""

    def answer(self, seat: int, request_id: int, answer: object) -> None:
        """Hear nothing: the event follows."""

    def over(self, outcome: Outcome) -> None:
        """Hear nothing: `end` does."""


def _plain(value: Any) -> Any:  # noqa: ANN401 - a message or a part of one
    """Return a message as JSON would bring it: lists for tuples, plain texts for constants."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return str(value) if isinstance(value, str) else value


def _matches(expected: Any, told: Any) -> bool:  # noqa: ANN401 - messages or parts of them
    """Say whether a message has all that is expected of it."""
    if expected is ...:
        return True
    if isinstance(expected, Mapping):
        return isinstance(told, dict) and all(
            key in told and _matches(value, told[key]) for key, value in expected.items()
        )
    if isinstance(expected, list | tuple):
        return isinstance(told, list) and len(told) == len(expected) and all(map(_matches, expected, told))
    return bool(expected == told) and isinstance(told, bool) == isinstance(expected, bool)


@dataclass(slots=True)
class Played:
    """A game that was played, and an observer while it is: what happened, who decided what, who broke the rules, and the outcome."""

    events: list[Event] = field(default_factory=list)
    decisions: list[tuple[int, Decision]] = field(default_factory=list)
    faults: list[SeatFault] = field(default_factory=list)
    outcome: Outcome | None = None
    push_luck: bool = True

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores by seat."""
        return self._outcome.scores

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won."""
        return self._outcome.winners

    @property
    def reason(self) -> str:
        """Why the game ended: `target`, `rounds`, `forfeit`, ..."""
        return str(self._outcome.reason)

    @property
    def moves(self) -> list[str]:
        """What was decided, a text each: `A 1 5 bank`; in high dice `A 5 5`, `A -` for rerolling all. Seats are letters."""
        return [f"{_letter(seat)} {_written(decision, push_luck=self.push_luck)}" for seat, decision in self.decisions]

    @property
    def story(self) -> list[str]:
        """What happened, a text each: the word of the event, then its values in the order of the message: `bank A 450 2850`."""
        return [_told(event) for event in self.events]

    @property
    def _outcome(self) -> Outcome:
        if self.outcome is None:
            raise AssertionError("the game is not over")
        return self.outcome

    def event(self, event: Event, state: object) -> None:  # noqa: ARG002 - an observer's signature
        """Keep what happened."""
        self.events.append(event)

    def throw(self, throw: Throw, dice: Dice) -> None:
        """Keep nothing: the event follows."""

    def answer(self, seat: int, request_id: int, answer: Answer) -> None:  # noqa: ARG002 - an observer's signature
        """Keep a decision."""
        if isinstance(answer, Decision):
            self.decisions.append((seat, answer))

    def over(self, outcome: Outcome) -> None:
        """Keep the outcome."""
        self.outcome = outcome


def _letter(seat: int) -> str:
    return chr(ord("A") + seat)


_SEATS = {"seat", "winner", "loser"}


def _told(event: Event) -> str:
    """Return an event as one line."""
    words = [event.event]
    for one in fields(event):
        value = getattr(event, one.name)
        if value is None:
            continue
        if one.name in {"winner", "loser", "wins", "losses"}:
            words.append(one.name)
        if one.name in _SEATS:
            words.append(_letter(value))
        elif one.name == "seats":
            words.append(" ".join(map(_letter, value)))
        elif isinstance(value, tuple):
            rolls = value and isinstance(value[0], tuple)
            words.append(" / ".join(format_dice(dice) or "-" for dice in value) if rolls else format_dice(value) or "-")
        else:
            words.append(str(value))
    return " ".join(words)


def play(
    players: Sequence[Player | str],
    *,
    rules: RuleSet | str = "ten-thousand",
    changes: Sequence[str] = (),
    target: int | None = None,
    dice: DiceSource | str | None = None,
    seed: str = "test",
    names: Sequence[str] = (),
    on_fault: OnFault | str = OnFault.FORFEIT,
    treatment: Treatment | None = None,
) -> Played:
    """Play one game and return all about it. Bots in processes of their own are ended with it.

    Args:
        players: by seat: players, or the words of the command line (`house`, `python3 mine.py`, the folder of a bot).
        rules: a rule set, the name of one, or a file.
        changes: changes to it, as `--set` takes them: `score.three_pairs=1500`.
        target: another target.
        dice: rolls as text (see `fixed_dice`), or another source; without either they are drawn from `seed`.
        seed: a text; the same one gives the same dice.
        names: what the players are called.
        on_fault: `forfeit` or `substitute`.
        treatment: clock, limits and sandbox of bots in processes of their own.

    Raises:
        AssertionError: a script does not fit the game.
        DiceError: the dice as text do not, or ran out.
        GameVoid: the game broke through no fault of a player.
    """
    engine = engine_for(load(rules, changes, target) if isinstance(rules, str) else rules)
    key = stream_key(seed_from_text(seed), 0)
    if dice is None:
        dice = SeededDice(key)
    played = Played(push_luck=isinstance(engine, PushLuck))
    called = list(names) or [f"player-{seat}" for seat in range(len(players))]
    with Factory(treatment) as factory:
        seated = [
            factory.player(player, name) if isinstance(player, str) else player
            for player, name in zip(players, called, strict=True)
        ]
        referee = Referee(
            engine,
            seated,
            fixed_dice(dice) if isinstance(dice, str) else dice,
            names=called,
            seed_key=key,
            on_fault=OnFault(on_fault),
            observers=[played],
        )
        referee.play()
    played.faults = referee.faults
    return played


def ask(
    player: Player | str,
    state: Mapping[str, Any],
    *,
    rules: RuleSet | str = "ten-thousand",
    changes: Sequence[str] = (),
    target: int | None = None,
    seat: int | None = None,
    treatment: Treatment | None = None,
) -> str:
    """Put one state to a player and return its decision: `1 5 bank`; in high dice the faces that it keeps, `-` for none.

    Args:
        player: a player, or its word as in `play`.
        state: what a `decide` message holds under `state`; scores and dice are enough, in high dice the dice alone.
        rules: a rule set, the name of one, or a file.
        changes: changes to it, as `--set` takes them.
        target: another target.
        seat: the seat that is to decide; the first that can be unless given.
        treatment: clock, limits and sandbox of a bot in a process of its own.

    Raises:
        BotFault: it gave no legal answer in time.
        InputError: there is no such state.
    """
    engine = engine_for(load(rules, changes, target) if isinstance(rules, str) else rules)
    asked = engine.restore(state, seat)
    seats = len(asked.out)
    names = tuple(f"player-{place}" for place in range(seats))
    with Factory(treatment) as factory:
        seated = factory.player(player, names[asked.seat]) if isinstance(player, str) else player
        seated.begin(Seating("ask", engine, names, asked.seat, 1, None))
        decision = seated.decide(Request(1, asked.seat, engine, asked))
    assert isinstance(decision, Decision), "it decides"
    return _written(decision, push_luck=isinstance(engine, PushLuck))
