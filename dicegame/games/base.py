"""What both engines share: decisions, options, outcomes, the throws that an engine asks for, and the engine's own shape.

A game is a loop that the referee holds and that a state's phase leads: dice are thrown, or `seat` decides, until the game is over. Every
step turns a state into a new state and the events that happened; no state is ever changed in place.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, Protocol, TypeVar

from dicegame.errors import InputError
from dicegame.games.events import Dice, Event
from dicegame.rules.model import HighDiceRules, RuleSet
from dicegame.text import _, number, quote


class Reason(StrEnum):
    """Why a game is over."""

    TARGET = "target"
    INSTANT_WIN = "instant_win"
    ROUNDS = "rounds"
    TURN_LIMIT = "turn_limit"
    FORFEIT = "forfeit"
    VOID = "void"


class Phase(Enum):
    """What a game waits for."""

    THROW = "throw"
    DECIDE = "decide"
    OVER = "over"


@dataclass(slots=True)
class Throw:
    """Dice that are wanted: `dice` of them, by the coordinates of the dice function (all from 0)."""

    seat: int
    turn: int
    roll: int
    dice: int


@dataclass(slots=True)
class Decision:
    """What a seat decides: the faces it keeps (ascending) and, where one pushes one's luck, whether it then banks.

    `why` is the decider's own short text, for the record only.
    """

    keep: Dice
    bank: bool = False
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the last decision."""


@dataclass(frozen=True, slots=True)
class Change:
    """Put another mark in place of that of `seat`, before the reveal."""

    seat: int
    keep: Dice


@dataclass(frozen=True, slots=True)
class Forfeit:
    """`seat` gives up: it is out, and the others play on."""

    seat: int


Answer = Decision | Undo | Change | Forfeit


@dataclass(frozen=True, slots=True)
class Fell:
    """The dice of one throw of a game that was played before."""

    dice: Dice


Past = Answer | Fell


@dataclass(slots=True)
class Option:
    """A legal keep: its points, how many dice the next roll would have, and whether one may bank after it."""

    keep: Dice
    points: int
    roll: int
    bank: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: the scores by seat, the seats that won, and why it ended."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    reason: Reason


MAX_WINS_OF_TWO = 3  # the longest match of two at high dice: best of five


def check_seats(rules: RuleSet, seats: int) -> None:
    """Raise `InputError` unless the rule set is for so many seats, and two of them don't play for too long."""
    low, high = rules.seats
    if not low <= seats <= high:
        message = _("%(name)s has seats for %(low)s to %(high)s players, not for %(seats)s")
        raise InputError(
            message % {"name": quote(rules.name), "low": number(low), "high": number(high), "seats": number(seats)}
        )
    if isinstance(rules, HighDiceRules) and seats == 2 and rules.wins_needed(seats) > MAX_WINS_OF_TWO:
        message = _("two players play to 1, 2 or 3 wins, not to %(to)s")
        raise InputError(message % {"to": number(rules.wins_needed(seats))})


class GameState(Protocol):
    """What every state tells: what it waits for and of whom, who is out, and the outcome once there is one."""

    @property
    def phase(self) -> Phase:
        """Whether dice are to be thrown, `seat` is to decide, or the game is over."""

    @property
    def seat(self) -> int:
        """The seat that is to decide, or to throw."""

    @property
    def out(self) -> tuple[bool, ...]:
        """Which seats have forfeited."""

    @property
    def outcome(self) -> Outcome | None:
        """The end of the game; None while it goes on."""


S = TypeVar("S", bound=GameState)


class Engine(Protocol[S]):
    """One game's rules at work. Engines hold the compiled rule set and nothing of a game."""

    @property
    def rules(self) -> RuleSet:
        """The rule set that is played."""

    def start(self, seats: int) -> tuple[S, list[Event]]:
        """Return the first state of a game of `seats`, and what happened."""

    def throws(self, state: S) -> list[Throw]:
        """Return the throws that the state waits for, in the order in which they fall.

        Empty where it waits for a decision or is over; and in a phase of throws where nobody has dice to roll, which then goes on
        with no dice at all.
        """

    def thrown(self, state: S, dice: list[Dice]) -> tuple[S, list[Event]]:
        """Go on with the dice of those throws, each as it lies, in their order."""

    def check(self, state: S, decision: Decision) -> None:
        """Raise `IllegalDecision`, saying why, unless the seat to decide may decide this."""

    def decide(self, state: S, decision: Decision) -> tuple[S, list[Event]]:
        """Apply a decision of the seat to decide.

        Raises:
            IllegalDecision: it is not legal; the state stands.
        """

    def decisions(self, state: S) -> list[Decision]:
        """Return every legal decision here, in the documented order of the options, banking before rolling."""

    def substitute(self, state: S) -> Decision:
        """Return the decision that is made for a seat that makes none."""

    def forfeit(self, state: S, seat: int) -> tuple[S, list[Event]]:
        """Take `seat` out of the game, whoever's turn it is."""

    def describe(self, state: S) -> dict[str, Any]:
        """Return the state as messages carry it: plain data, keys in the documented order."""

    def restore(self, described: object, seat: int | None = None) -> S:
        """Return the state of a decision of `seat` from what `describe` wrote; without a seat, of the one that it can only be.

        Raises:
            InputError: it is no such state of this rule set.
        """
