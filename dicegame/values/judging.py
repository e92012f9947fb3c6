"""What all judges of decisions share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from dicegame.games.base import Decision


@dataclass(frozen=True, slots=True)
class Valued:
    """A decision and its value: the chance of the seat that makes it to win the game, a shared win counting for its share."""

    decision: Decision
    value: float


class Judge(Protocol):
    """Whoever tells what positions, decisions and dice of games of one rule set are worth; two for the two engines.

    `approximate` says that values are not those of perfect play of all, and `rounding` how far a value that was looked up may be from
    the exact one (0: not at all). `checksum` is that of the table of values, where there is one.
    """

    approximate: bool
    rounding: float
    checksum: str | None

    def chance(self, state: Any, seat: int) -> float:  # noqa: ANN401 - the state of any engine
        """Return the chance of `seat` to win from here, in whatever phase; its share of the win once the game is over."""

    def decisions(self, state: Any) -> list[Valued]:  # noqa: ANN401 - the state of any engine
        """Return every legal decision of the seat to decide with its chance to win after it, the best first."""

    def luck(self, before: Any, after: Any) -> tuple[float, ...]:  # noqa: ANN401 - the state of any engine
        """Return by seat how far a throw moved its chance from the mean over the dice."""
