"""Gates: what a match must come to for a build to pass. A sequential test, and a least win rate; both ask for the first player."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dicegame.match.result import MatchResult
from dicegame.match.sequential import Decision
from dicegame.match.watch import Ending


class Outcome(StrEnum):
    """What a gate says; the value is the word used for programs."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Floor:
    """A least win rate, compared with what the first player came to: it fails below it, certain or not.

    `interval` holds the true rate with 95 % probability: the watched one where the match ended by what was watched, else the plain one.
    """

    floor: float
    rate: float
    interval: tuple[float, float]
    games: int

    @classmethod
    def of(cls, result: MatchResult, floor: float) -> Floor:
        """Compare; where luck is measured it is taken out."""
        adjusted = result.adjusted(0)
        rate = result.players[0].wins / max(result.games, 1) if adjusted is None else adjusted.rate
        interval = result.interval(0) if adjusted is None else adjusted.interval
        watched = result.watch.watched.interval()
        if watched is not None and result.ended in {Ending.DECIDED, Ending.PRECISION}:
            interval = watched
        return cls(floor, rate, interval, result.games)

    @property
    def outcome(self) -> Outcome:
        """Whether the rate reaches the floor; undecided where nothing was played."""
        if not self.games:
            return Outcome.UNDECIDED
        return Outcome.PASS if self.rate >= self.floor else Outcome.FAIL

    @property
    def certain(self) -> bool:
        """Whether the whole interval is on the rate's side of the floor."""
        return not self.interval[0] <= self.floor <= self.interval[1]

    def as_json(self) -> dict[str, Any]:
        """Return what `--json` prints of it."""
        return {"floor": self.floor, "rate": self.rate, "passed": self.outcome is Outcome.PASS, "certain": self.certain}


def sprt_outcome(result: MatchResult) -> Outcome | None:
    """Return what the sequential test says; None where there is none."""
    if result.watch.sprt is None:
        return None
    said = {Decision.ACCEPT: Outcome.PASS, Decision.REJECT: Outcome.FAIL, Decision.UNDECIDED: Outcome.UNDECIDED}
    return said[result.watch.sprt.decision]
