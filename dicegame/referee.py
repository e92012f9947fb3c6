"""One game: ask the seat to decide, check, apply, and tell the observers. The only loop there is, for every game and every player."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dicegame.dice import DiceSource, player_seed
from dicegame.errors import EXIT_INTERNAL, DicegameError, SaveError
from dicegame.games.base import Answer, Change, Decision, Engine, Fell, Forfeit, Outcome, Past, Phase, Throw, Undo
from dicegame.games.events import Dice, Event, Faulted
from dicegame.games.highdice import HighDice, HighDiceState
from dicegame.players.base import BotFault, Player, Request, Seating
from dicegame.players.treatment import OnFault
from dicegame.text import _, quote


class Observer(Protocol):
    """Whoever sees a game happen: a record, a screen, the events of a program. Called in the order in which things happen."""

    def event(self, event: Event, state: Any) -> None:  # noqa: ANN401 - the state of any engine
        """Something happened; `state` is the one that it led to."""

    def throw(self, throw: Throw, dice: Dice) -> None:
        """Dice fell, with their place in the dice function; their event follows."""

    def answer(self, seat: int, request_id: int, answer: Answer) -> None:
        """A seat answered the request with this id; what it led to follows."""

    def over(self, outcome: Outcome) -> None:
        """The game is over."""


class Host(Protocol):
    """Whoever runs the table for those outside: asked before dice fall, since some dice wait for a person's word."""

    def resumed(self, engine: Engine[Any], state: Any) -> None:  # noqa: ANN401 - the state of any engine
        """All that had been played before is played again; from here on it is live."""

    def before_throw(self, engine: Engine[Any], state: Any, *, may_undo: bool) -> Answer | None:  # noqa: ANN401 - any engine's
        """Return None to let the dice fall, or what is wanted instead."""


STRIKES = 3  # faults in a game that cost it all the same where decisions are substituted


@dataclass(frozen=True, slots=True)
class SeatFault:
    """A fault in a game: which seat, its code, and what it did."""

    seat: int
    code: str
    detail: str


class GameVoid(DicegameError):
    """A game broke through no fault of a player: it is not scored, and played again."""

    code = "void"
    exit_code = EXIT_INTERNAL


class Referee:
    """Runs one game. Make one a game; `play` returns its outcome."""

    def __init__(
        self,
        engine: Engine[Any],
        players: Sequence[Player],
        source: DiceSource,
        *,
        names: Sequence[str] = (),
        game: str = "game",
        commitment: str | None = None,
        seed_key: bytes = b"",
        rotation: int = 0,
        people: frozenset[int] = frozenset(),
        on_fault: OnFault = OnFault.FORFEIT,
        observers: Sequence[Observer] = (),
        host: Host | None = None,
    ) -> None:
        """Seat the players.

        Args:
            engine: the game that is played.
            players: by seat.
            source: where dice come from.
            names: the players' names by seat; for messages and records.
            game: the id of the game.
            commitment: what was published of the dice before the game, if anything.
            seed_key: what the players' own seeds are drawn from; nothing of it can be found out from them.
            rotation: which game over the same dice this is: players' own seeds differ.
            people: the seats whose decisions can be taken back.
            on_fault: what becomes of a seat whose bot broke the protocol.
            observers: who is told of everything.
            host: who is asked before dice that wait for a person's word.
        """
        self.engine = engine
        self.players = players
        self.source = source
        self.names = tuple(names) or tuple(f"seat {seat}" for seat in range(len(players)))
        self.game = game
        self.commitment = commitment
        self.seed_key = seed_key
        self.rotation = rotation
        self.people = people
        self.on_fault = on_fault
        self.observers = list(observers)
        self.host = host
        self._back: Any = None  # the state that an undo returns to
        self._past: deque[Past] = deque()
        self.decisions = 0  # asked for so far
        self.faults: list[SeatFault] = []
        self._strikes = [0] * len(players)

    def play(self, past: Iterable[Past] = ()) -> Outcome:
        """Play to the end; `past` is what was answered and what fell before, where a game is gone on with.

        Raises:
            SaveError: the dice of the past are not those of this game.
            GameVoid: it broke through no fault of a player.
        """
        engine = self.engine
        for seat, player in enumerate(self.players):
            seed = player_seed(self.seed_key, seat, self.rotation)
            player.begin(Seating(self.game, engine, self.names, seat, seed, self.commitment))
        self.observers += [player for player in self.players if player.watches]  # type: ignore[misc]  # watching is observing
        self._past = deque(past)
        state, events = engine.start(len(self.players))
        live = self._live(state)
        self._tell(events, state)
        while True:
            if not live:
                live = self._live(state)
            phase = state.phase
            if phase is Phase.DECIDE:
                state = self._ask(state)
            elif phase is Phase.THROW:
                state = self._throw(state)
            else:
                break
        outcome: Outcome = state.outcome
        for player in self.players:
            player.end(outcome)
        for observer in self.observers:
            observer.over(outcome)
        return outcome

    def _live(self, state: Any) -> bool:  # noqa: ANN401 - the state of any engine
        """Tell the host once nothing of the past is left; return whether that is so."""
        if self._past:
            return False
        if self.host is not None:
            self.host.resumed(self.engine, state)
        return True

    def _tell(self, events: list[Event], state: Any) -> None:  # noqa: ANN401 - the state of any engine
        """Tell every observer what happened; `state` is the one that all of it led to."""
        for observer in self.observers:
            for event in events:
                observer.event(event, state)

    def _ask(self, state: Any) -> Any:  # noqa: ANN401 - the state of any engine
        """Get an answer of the seat to decide and return the state that it leads to."""
        seat = state.seat
        self.decisions += 1
        request = Request(self.decisions, seat, self.engine, state, self._back is not None)
        if not self._past:
            try:
                answer = self.players[seat].decide(request)
            except BotFault as fault:
                return self._fault(state, request, fault)
            return self._apply(state, request, answer)
        past = self._past.popleft()
        if isinstance(past, Fell):
            raise SaveError(_("the saved game does not fit together: dice where a decision is due"))
        if isinstance(past, Decision):
            self.players[seat].replayed(request, past)
        return self._apply(state, request, past)

    def _fault(self, state: Any, request: Request, fault: BotFault) -> Any:  # noqa: ANN401 - the state of any engine
        """Tell of a fault, and act on it: decide for the seat, or take it out of the game."""
        if fault.blameless:
            name, what = quote(self.names[request.seat]), fault.detail
            raise GameVoid(_("the game is void: %(name)s could not help it: %(what)s") % {"name": name, "what": what})
        seat = request.seat
        self._strikes[seat] += 1
        self.faults.append(SeatFault(seat, fault.code, fault.detail))
        self._tell([Faulted(seat, fault.code)], state)
        if self.on_fault is OnFault.SUBSTITUTE and self._strikes[seat] < STRIKES:
            return self._apply(state, request, self.engine.substitute(state))
        self.players[seat].dismissed()
        return self._apply(state, request, Forfeit(seat))

    def _throw(self, state: Any) -> Any:  # noqa: ANN401 - the state of any engine
        """Let the dice fall that the state waits for, or do what the host wants instead."""
        answer: Answer | None = None
        if self._past:
            first = self._past[0]
            if not isinstance(first, Fell | Decision):
                self._past.popleft()
                answer = first
        elif self.host is not None:
            answer = self.host.before_throw(self.engine, state, may_undo=self._back is not None)
        if answer is not None:
            return self._apply(state, Request(self.decisions, state.seat, self.engine, state), answer)
        throws = self.engine.throws(state)
        if not throws and self._past and self._past[0] == Fell(()):
            self._past.popleft()  # a reveal in which nobody rolled again
        if self._past or self.observers:
            fallen = [self._dice(throw) for throw in throws]
        else:
            roll = self.source.roll
            fallen = [roll(throw.seat, throw.turn, throw.roll, throw.dice) for throw in throws]
        before = state
        state, events = self.engine.thrown(state, fallen)
        self._back = before if throws and self.source.kind == "typed" else None
        if self.observers:
            self._tell(events, state)
        return state

    def _dice(self, throw: Throw) -> Dice:
        """Return the dice of a throw, told to every observer; those of the past must be the ones that the source gives."""
        source = self.source
        if self._past:
            fell = self._past.popleft()
            if not isinstance(fell, Fell):
                raise SaveError(_("the saved game does not fit together: a decision where dice are due"))
            dice = fell.dice
            if len(dice) != throw.dice:
                raise SaveError(_("the saved game does not fit together: the wrong number of dice"))
            if source.kind != "typed" and source.roll(throw.seat, throw.turn, throw.roll, throw.dice) != dice:
                raise SaveError(_("the saved game does not fit together: its dice are not those of its seed"))
        else:
            dice = source.roll(throw.seat, throw.turn, throw.roll, throw.dice)
        for observer in self.observers:
            observer.throw(throw, dice)
        return dice

    def _apply(self, state: Any, request: Request, answer: Answer) -> Any:  # noqa: ANN401 - the state of any engine
        for observer in self.observers:
            observer.answer(request.seat, request.id, answer)
        events: list[Event]
        if isinstance(answer, Decision):
            after, events = self.engine.decide(state, answer)
            self._back = state if request.seat in self.people else None
        elif isinstance(answer, Undo):
            if self._back is None:
                raise SaveError(_("the saved game does not fit together: nothing could be taken back"))
            after, events = self._back, []
            self._back = None
        elif isinstance(answer, Change):
            after, events = self._change(state, answer)
            self._back = None
        else:
            if not 0 <= answer.seat < len(self.players) or state.out[answer.seat]:
                raise SaveError(_("the saved game does not fit together: a seat gives up that is not in the game"))
            after, events = self.engine.forfeit(state, answer.seat)
            self._back = None
        if self.observers:
            self._tell(events, after)
        return after

    def _change(self, state: Any, change: Change) -> tuple[HighDiceState, list[Event]]:  # noqa: ANN401 - the state of any engine
        """Put a person's new mark down; computers that marked after it are asked again."""
        if not isinstance(self.engine, HighDice) or not self.engine.may_change(state, change.seat):
            raise SaveError(_("the saved game does not fit together: a mark is changed that was not made"))
        computers = frozenset(range(len(self.players))) - self.people
        return self.engine.change(state, change.seat, change.keep, computers)
