"""What a tournament's games add up to, pairing by pairing: all that standings are made of, however many the games."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from dicegame.match.play import Usage


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who takes part: a number from 1 that never changes, a name, the PLAYER word, and what tells its program from a changed one.

    `identity` is the hash of an external bot's folder; None for players that come with the program.
    """

    number: int
    name: str
    word: str
    identity: str | None = None
    withdrawn: bool = False


@dataclass(slots=True)
class PlaceSums:
    """What one entrant of a pairing came to; its place is where the pairing names it.

    `means` and `squares` are the sums, over whole blocks, of the share of a block's games that it won (0 to 1) and of that share
    squared; `adjusted` and `adjusted_squares` the same with the luck taken out, 0 where luck is not measured. `seat_wins` are its wins
    in each seat (a shared win counts its share), `score` the sum of its scores.
    """

    seat_wins: list[float]
    means: float = 0.0
    squares: float = 0.0
    adjusted: float = 0.0
    adjusted_squares: float = 0.0
    score: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    usage: Usage = field(default_factory=Usage)

    @property
    def wins(self) -> float:
        """The games won; of a shared win its share."""
        return sum(self.seat_wins)


@dataclass(slots=True)
class PairingSums:
    """What the blocks of one pairing came to: `entrants` by place, and the sums of each. A block has as many games as places.

    `void` counts the games that had to be played again through nobody's fault, `luck` says whether luck is measured.
    """

    pairing: str
    entrants: tuple[int, ...]
    blocks: int
    places: list[PlaceSums]
    void: int = 0
    decisions: int = 0
    luck: bool = False

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.blocks * len(self.entrants)
