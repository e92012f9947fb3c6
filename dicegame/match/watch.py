"""Watches a match while it is played: takes its blocks in their order, whatever order they are played in, and says when it may end.

So what is decided is decided by the dice and the players alone, not by which worker was faster: a decision after n blocks is made by
blocks 0 to n - 1, and stands whatever was played beyond.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from dicegame.match.play import GameResult
from dicegame.match.sequential import Decision, Sprt, Watched, plain_games


class Ending(StrEnum):
    """Why a match ended before all its games were played; the value is the word used for programs."""

    DECIDED = "decided"
    PRECISION = "precision"
    TIME = "time"


@dataclass(slots=True)
class Watch:
    """What is watched of the first player's results: the interval always, a sequential test and a precision where they are wanted.

    With `adjusted` it is the results with luck taken out that count. `precision` is the half of the watched interval's width at which
    the match may end. `ending` is set by the block that brings it about; nothing after that block counts.
    """

    adjusted: bool = False
    sprt: Sprt | None = None
    precision: float | None = None
    ending: Ending | None = None
    watched: Watched = field(init=False)
    _waiting: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.watched = Watched(self.adjusted)

    @property
    def used(self) -> int:
        """How many blocks were taken in, from the first one on without a gap."""
        return self.watched.sums.blocks

    def take(self, games: Sequence[GameResult], rotations: int) -> None:
        """Take in whole blocks of so many games each; those that come before their turn wait for it."""
        for start in range(0, len(games), rotations):
            block = games[start : start + rotations]
            total = sum(game.shares[0] for game in block)
            if self.adjusted:
                total -= sum(game.luck[0] for game in block if game.luck is not None)
            self._waiting[block[0].block] = total / rotations
        while self.ending is None and self.used in self._waiting:
            self._next(self._waiting.pop(self.used))
        if self.ending is not None:
            self._waiting.clear()

    def _next(self, mean: float) -> None:
        self.watched.add(mean)
        if self.sprt is not None and self.sprt.add(mean) is not Decision.UNDECIDED:
            self.ending = Ending.DECIDED
        elif self.precision is not None and self._precise(self.precision):
            self.ending = Ending.PRECISION

    def _precise(self, wanted: float) -> bool:
        interval = self.watched.interval()
        return interval is not None and (interval[1] - interval[0]) / 2 <= wanted

    def saved(self, games_a_block: int) -> int | None:
        """Return how many games the sequential test needed less than a plain test; negative for more, None without a decision."""
        if self.sprt is None or self.sprt.decision is Decision.UNDECIDED:
            return None
        return plain_games(self.sprt.elo0, self.sprt.elo1) - self.sprt.blocks * games_a_block

    def sprt_json(self, games_a_block: int) -> dict[str, Any] | None:
        """Return what `--json` prints of the sequential test; None where there is none."""
        if self.sprt is None:
            return None
        return {
            "elo": [self.sprt.elo0, self.sprt.elo1],
            "decision": str(self.sprt.decision),
            "llr": self.sprt.llr,
            "bounds": list(self.sprt.bounds),
            "blocks": self.sprt.blocks,
            "adjusted": self.adjusted,
            "plain_games": plain_games(self.sprt.elo0, self.sprt.elo1),
            "saved": self.saved(games_a_block),
        }
