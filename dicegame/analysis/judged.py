"""What an analysis finds: judged decisions and throws, moments of the game, and what it comes to for every seat.

All values are chances to win the game, from 0 to 1, a shared win counting for its share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from dicegame.games.base import Decision, Throw
from dicegame.games.events import Dice

Chances = tuple[float, ...]  # by seat


class Grade(StrEnum):
    """How good a decision was."""

    FINE = "fine"
    DOUBTFUL = "doubtful"
    BAD = "bad"
    VERY_BAD = "very bad"


# Losses from which a decision is no longer fine. Programs for backgammon draw such lines at 0.02, 0.04 and 0.08 of a chance; a game
# has more and smaller decisions here.
BOUNDS = ((0.05, Grade.VERY_BAD), (0.02, Grade.BAD), (0.005, Grade.DOUBTFUL))


def grade(loss: float) -> Grade:
    """Return the grade of a decision that lost so much of the chance to win."""
    return next((given for bound, given in BOUNDS if loss >= bound), Grade.FINE)


@dataclass(frozen=True, slots=True)
class JudgedDecision:
    """A decision beside the best one there was.

    `throw` is the throw that it answers, with its place in the dice function, and `dice` are its own, as they lie. `points` are those
    of the turn before it (push your luck). `choices` counts the legal decisions; `substituted` says that the referee made it.
    """

    throw: Throw
    dice: Dice
    points: int
    decision: Decision
    best: Decision
    value: float
    best_value: float
    choices: int
    substituted: bool = False

    @property
    def loss(self) -> float:
        """How much of its chance to win the seat gave away."""
        return self.best_value - self.value

    @property
    def grade(self) -> Grade:
        """How good the decision was."""
        return grade(self.loss)

    @property
    def forced(self) -> bool:
        """Whether there was nothing to decide."""
        return self.choices == 1


@dataclass(frozen=True, slots=True)
class JudgedThrow:
    """Dice that fell together, seat by seat, and what they did to each seat's chance, over the mean of all that could have fallen."""

    throws: tuple[Throw, ...]
    dice: tuple[Dice, ...]
    luck: Chances


@dataclass(frozen=True, slots=True)
class Moment:
    """How likely each seat was to win: in the turn (or round) of this number, from 0, of `seat`."""

    seat: int
    turn: int
    chances: Chances


@dataclass(slots=True)
class Account:
    """What a game came to for one seat.

    `start` and `end` are its chances before the first throw and where the record ends (there its share of the win, once the game is
    over). The rest adds up from the one to the other: `luck` of all throws, the other seats' too; less its own `errors`; more `given`,
    what the errors of others gave it; `rounding`, where values that are looked up don't quite fit together; and `other`: what came
    from giving up, from a limit on turns, from marks that were changed, or from a judge that is not exact.
    """

    start: float = 0.0
    end: float = 0.0
    luck: float = 0.0
    errors: float = 0.0
    given: float = 0.0
    rounding: float = 0.0
    other: float = 0.0


@dataclass(frozen=True)
class Judged:
    """A judged game.

    `approximate` and `rounding` are those of the judge, and `values` is the checksum of what it looks up, if anything. `shares` are
    the seats' shares of the win; None where the record ends before the game does.
    """

    seats: int
    approximate: bool
    rounding: float
    values: str | None
    shares: Chances | None
    decisions: tuple[JudgedDecision, ...]
    throws: tuple[JudgedThrow, ...]
    moments: tuple[Moment, ...]
    accounts: tuple[Account, ...]

    def of(self, seat: int) -> Sequence[JudgedDecision]:
        """Return the decisions of a seat, in order."""
        return [judged for judged in self.decisions if judged.throw.seat == seat]

    def error_rate(self, seat: int) -> float | None:
        """Return what a seat lost by decision, forced ones left out; None where it had none to make."""
        free = [judged.loss for judged in self.of(seat) if not judged.forced]
        return sum(free) / len(free) if free else None

    def adjusted(self, seat: int) -> float | None:
        """Return the result of a seat less the luck of all throws; None without a result."""
        return None if self.shares is None else self.shares[seat] - self.accounts[seat].luck

    @cached_property
    def grades(self) -> tuple[Counter[Grade], ...]:
        """By seat how many decisions had each grade, forced ones left out."""
        return tuple(
            Counter(judged.grade for judged in self.of(seat) if not judged.forced) for seat in range(self.seats)
        )
