"""What a match came to: wins with an interval, mean scores, faults, what each player used. Kept as sums, however many the games."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dicegame.match.bundles import Bundle, bundles
from dicegame.match.play import GameResult, MatchSpec, TaskResult, Usage
from dicegame.match.stats import interval_of_sums
from dicegame.rules.model import MAX_SEATS

KEPT_FAULTS = 100  # faults a player of which all is kept
# A win, in the parts that it may be shared in: whole numbers add up alike in any order.
WHOLE = math.lcm(*range(1, MAX_SEATS + 1))


@dataclass(slots=True)
class PlayerResult:
    """One player's part. `parts` are the wins in parts of `WHOLE`, `squares` the sum of the squares of every block's parts."""

    name: str
    parts: int = 0
    squares: int = 0
    score: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    usage: Usage = field(default_factory=Usage)

    @property
    def wins(self) -> float:
        """The games won; of a shared win its share."""
        return self.parts / WHOLE


@dataclass(slots=True)
class MatchResult:
    """A whole match, or what was played of it. `reports` are the first faults of every player."""

    spec: MatchSpec
    seed: str | None
    commitment: str
    level: str
    players: list[PlayerResult]
    games: int = 0
    blocks: int = 0
    void: int = 0
    decisions: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    reports: list[Bundle] = field(default_factory=list)

    def add(self, task: TaskResult) -> None:
        """Take in the games of one task: whole blocks."""
        rotations = self.spec.players
        for start in range(0, len(task.games), rotations):
            self._block(task.games[start : start + rotations])
        for player, usage in zip(self.players, task.usage, strict=True):
            player.usage.add(usage)

    def _block(self, games: Sequence[GameResult]) -> None:
        self.blocks += 1
        for place, player in enumerate(self.players):
            parts = sum(round(game.shares[place] * WHOLE) for game in games)
            player.parts += parts
            player.squares += parts * parts
        for game in games:
            self.games += 1
            self.void += game.attempts - 1
            self.decisions += game.decisions
            for place, player in enumerate(self.players):
                player.score += game.scores[place]
            for (place, fault), bundle in zip(game.faults, bundles(self.spec, game), strict=True):
                player = self.players[place]
                player.faults[fault.code] += 1
                if player.faults.total() <= KEPT_FAULTS:
                    self.reports.append(bundle)

    def interval(self, place: int) -> tuple[float, float]:
        """Return the 95 % interval of a player's win rate: by t on the block means, with one pseudo-win and one pseudo-loss block."""
        player, whole = self.players[place], WHOLE * self.spec.players
        return interval_of_sums(self.blocks, player.parts / whole, player.squares / (whole * whole))

    def never_ready(self) -> list[str]:
        """Return the names of the bots that never once got ready."""
        return [p.name for p in self.players if p.faults["start_failed"] and not p.usage.ready]

    def why_never_ready(self, name: str) -> str:
        """Return what is known of why a bot never got ready."""
        return next(str(bundle.fault) for bundle in self.reports if bundle.player == name)

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        return {
            "rules": self.spec.rules.name,
            "games": self.games,
            "blocks": self.blocks,
            "seed": self.seed,
            "seed_predictable": self.spec.predictable,
            "commitment": self.commitment,
            "containment": self.level,
            "players": [self._player_json(place) for place in range(len(self.players))],
            "adjusted": None,
            "void": self.void,
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 3),
            "reports": [bundle.as_json() for bundle in self.reports],
        }

    def _player_json(self, place: int) -> dict[str, Any]:
        player = self.players[place]
        usage, games = player.usage, max(self.games, 1)
        times = usage.times
        return {
            "name": player.name,
            "wins": player.wins,
            "win_rate": player.wins / games,
            "interval": list(self.interval(place)),
            "mean_score": player.score / games,
            "faults": dict(player.faults),
            "decision_ms": {"median": times.quantile(0.5) * 1000, "p99": times.quantile(0.99) * 1000}
            if times.count
            else None,
            "cpu_seconds": {"on_turn": usage.on_turn_cpu, "off_turn": usage.off_turn_cpu} if times.count else None,
            "memory_bytes": usage.memory or None,
        }
