"""What a match came to: wins with an interval, mean scores, faults, what each player used. Kept as sums, however many the games."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dicegame.match.bundles import Bundle, bundles
from dicegame.match.play import GameResult, MatchSpec, TaskResult, Usage
from dicegame.match.stats import interval_of_sums, t_quantile
from dicegame.match.watch import Ending, Watch
from dicegame.rules.model import MAX_SEATS

KEPT_FAULTS = 100  # faults a player of which all is kept
# A win, in the parts that it may be shared in: whole numbers add up alike in any order.
WHOLE = math.lcm(*range(1, MAX_SEATS + 1))
FINE = 10**12  # parts of a win that adjusted wins are counted in, for the same reason


@dataclass(slots=True)
class PlayerResult:
    """One player's part. `parts` are the wins in parts of `WHOLE`, `squares` the sum of the squares of every block's parts.

    `adjusted` and `adjusted_squares` are the same for the wins less luck, in parts of `FINE`.
    """

    name: str
    parts: int = 0
    squares: int = 0
    adjusted: int = 0
    adjusted_squares: int = 0
    score: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    usage: Usage = field(default_factory=Usage)

    @property
    def wins(self) -> float:
        """The games won; of a shared win its share."""
        return self.parts / WHOLE


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A luck-adjusted win rate (which may leave 0 to 1), its standard error and its 95 % interval by Student's t on the blocks."""

    rate: float
    standard_error: float | None
    interval: tuple[float, float]

    def as_json(self) -> dict[str, Any]:
        """Return what `--json` prints of it; an interval without bounds, of less than two blocks, is null."""
        interval = None if self.standard_error is None else list(self.interval)
        return {"win_rate": self.rate, "interval": interval, "standard_error": self.standard_error}


@dataclass(slots=True)
class MatchResult:
    """A whole match, or what was played of it. `reports` are the first faults of every player, `checksum` that of the luck's table.

    `watch` has what was watched of its blocks, and `ended` why it ended before all of its games were played, if it did by itself.
    """

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
    checksum: str | None = None
    watch: Watch = field(default_factory=Watch)
    ended: Ending | None = None

    def add(self, task: TaskResult) -> None:
        """Take in the games of one task: whole blocks."""
        rotations = self.spec.players
        for start in range(0, len(task.games), rotations):
            self._block(task.games[start : start + rotations])
        for player, usage in zip(self.players, task.usage, strict=True):
            player.usage.add(usage)
        self.watch.take(task.games, rotations)

    def _block(self, games: Sequence[GameResult]) -> None:
        self.blocks += 1
        for place, player in enumerate(self.players):
            parts = sum(round(game.shares[place] * WHOLE) for game in games)
            player.parts += parts
            player.squares += parts * parts
            fine = sum(round((game.shares[place] - game.luck[place]) * FINE) for game in games if game.luck is not None)
            player.adjusted += fine
            player.adjusted_squares += fine * fine
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

    def standard_error(self, place: int) -> float | None:
        """Return the standard error of a player's win rate, from its blocks; None for fewer than two."""
        player = self.players[place]
        return _standard_error(self.blocks, player.parts, player.squares, WHOLE * self.spec.players)

    def adjusted(self, place: int) -> Adjusted | None:
        """Return a player's luck-adjusted win rate; None where luck is not measured."""
        player, whole = self.players[place], FINE * self.spec.players
        if self.spec.luck is None:
            return None
        rate = player.adjusted / (whole * max(self.blocks, 1))
        error = _standard_error(self.blocks, player.adjusted, player.adjusted_squares, whole)
        if error is None:
            return Adjusted(rate, None, (-math.inf, math.inf))
        half = t_quantile(0.975, self.blocks - 1) * error
        return Adjusted(rate, error, (rate - half, rate + half))

    def never_ready(self) -> list[str]:
        """Return the names of the bots that never once got ready."""
        return [p.name for p in self.players if p.faults["start_failed"] and not p.usage.ready]

    def why_never_ready(self, name: str) -> str:
        """Return what is known of why a bot never got ready."""
        return next(str(bundle.fault) for bundle in self.reports if bundle.player == name)

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        watched = self.watch.watched.interval()
        return {
            "rules": self.spec.rules.name,
            "games": self.games,
            "blocks": self.blocks,
            "seed": self.seed,
            "seed_predictable": self.spec.predictable,
            "commitment": self.commitment,
            "containment": self.level,
            "players": [self._player_json(place) for place in range(len(self.players))],
            "adjusted": self._adjusted_json(),
            "luck": None if self.spec.luck is None else {"player": self.spec.luck, "checksum": self.checksum},
            "watched": None if watched is None else list(watched),
            "sprt": self.watch.sprt_json(self.spec.players),
            "void": self.void,
            "interrupted": self.interrupted,
            "ended": None if self.ended is None else str(self.ended),
            "seconds": round(self.seconds, 3),
            "reports": [bundle.as_json() for bundle in self.reports],
        }

    def _adjusted_json(self) -> list[dict[str, Any]] | None:
        found = [self.adjusted(place) for place in range(len(self.players))]
        return [adjusted.as_json() for adjusted in found if adjusted is not None] or None

    def _player_json(self, place: int) -> dict[str, Any]:
        player = self.players[place]
        usage, games = player.usage, max(self.games, 1)
        times = usage.times
        return {
            "name": player.name,
            "wins": player.wins,
            "win_rate": player.wins / games,
            "interval": list(self.interval(place)),
            "standard_error": self.standard_error(place),
            "mean_score": player.score / games,
            "faults": dict(player.faults),
            "decision_ms": {"median": times.quantile(0.5) * 1000, "p99": times.quantile(0.99) * 1000}
            if times.count
            else None,
            "cpu_seconds": {"on_turn": usage.on_turn_cpu, "off_turn": usage.off_turn_cpu} if times.count else None,
            "memory_bytes": usage.memory or None,
        }


def _standard_error(blocks: int, total: int, squares: int, whole: int) -> float | None:
    """Return the standard error of the mean of the blocks from their sums in parts of `whole`; whole numbers lose nothing."""
    if blocks < 2:
        return None
    return math.sqrt(max(blocks * squares - total * total, 0) / (blocks * blocks * (blocks - 1))) / whole
