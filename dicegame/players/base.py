"""What a player is: one small interface for people, built-in players, programs outside and replays; the referee can't tell them apart."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from dicegame import protocol
from dicegame.games.base import Answer, Decision, Engine, Outcome


@dataclass(frozen=True, slots=True)
class Seating:
    """What a player is told as a game begins. `seed` is for its own random numbers and says nothing about the dice."""

    game: str
    engine: Engine[Any]
    players: tuple[str, ...]
    seat: int
    seed: int
    commitment: str | None

    def message(self) -> dict[str, Any]:
        """Return what a program outside is told: the `game` message."""
        return protocol.game(
            self.game, self.engine, players=self.players, seat=self.seat, seed=self.seed, commitment=self.commitment
        )


@dataclass(slots=True)
class Request:
    """A decision that is wanted. `id` counts from 1; `may_undo` says whether the last decision can still be taken back."""

    id: int
    seat: int
    engine: Any
    state: Any
    may_undo: bool = False


class FaultCode(StrEnum):
    """What a bot did wrong; see protocol.md."""

    START_FAILED = "start_failed"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    PROTOCOL = "protocol"
    ILLEGAL = "illegal"
    FLOODED = "flooded"


class BotFault(Exception):
    """A bot broke the protocol: the code, and what it did in words that its author can act on.

    `blameless` says that the bot could not help it, so that the game is void.
    """

    def __init__(self, code: FaultCode, detail: str, *, blameless: bool = False) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.blameless = blameless


class Player(Protocol):
    """Whoever decides for a seat."""

    @property
    def watches(self) -> bool:
        """Whether the player is also an observer, and wants to be told what happens."""

    def begin(self, seating: Seating) -> None:
        """Take a seat in a new game."""

    def decide(self, request: Request) -> Answer:
        """Return a legal decision, or what else is wanted instead.

        Raises:
            BotFault: a program outside did something else.
        """

    def replayed(self, request: Request, decision: Decision) -> None:
        """Hear of a decision made in this seat before the game was resumed."""

    def dismissed(self) -> None:
        """Hear that a fault has cost the seat the game."""

    def end(self, outcome: Outcome) -> None:
        """Hear that the game is over."""


class Silent:
    """A player without a memory: does nothing at the beginning, the end, or a resume."""

    watches = False

    def begin(self, seating: Seating) -> None:
        """Take a seat in a new game."""

    def replayed(self, request: Request, decision: Decision) -> None:
        """Hear of a decision made in this seat before the game was resumed."""

    def end(self, outcome: Outcome) -> None:
        """Hear that the game is over."""

    def dismissed(self) -> None:
        """Hear that a fault has cost the seat the game."""
