"""Bulk simulation: millions of games between two fixed players, compiled, on every core.

Games are played in parts, each with random numbers of its own that follow from the seed and the number of the part, so that the result
does not depend on how many threads play.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from dicegame.rules.model import PushLuckRules
from dicegame.values.exact import bulk_kernels
from dicegame.values.exact.bulk_kernels import LEVEL, WON, Draws
from dicegame.values.exact.evaluate import pairs_that_meet
from dicegame.values.exact.kernels import Array
from dicegame.values.exact.laws import FixedPlayer, fixed_player
from dicegame.values.exact.solve import cores
from dicegame.values.exact.ways import Setting

PART = 1 << 16  # games; even, so that each player moves first in half of them
MOST_PAIRS = 1 << 14  # whose laws are held at once
TAIL = 1e-12  # the chance of the rarest turns of a law, which are left out
_SEED = b"dice-simulate-v1\0"

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Simulated:
    """What games came to. `results` has how often the first player won, was level and lost, by who moved first."""

    rules: PushLuckRules
    games: int
    results: tuple[tuple[int, int, int], tuple[int, int, int]]
    turns: int
    seconds: float

    @property
    def by_first(self) -> tuple[float, float]:
        """The first player's share of the wins where it moves first, and where the other does; a tie counts one half."""
        one, two = (self._share(row) for row in self.results)
        return one, two

    @property
    def share(self) -> float:
        """The first player's share of all wins."""
        return sum(self.by_first) / 2

    @property
    def standard_error(self) -> float:
        """The standard error of `share`: both halves of the games vary on their own."""
        return math.hypot(*self.errors_by_first) / 2

    @property
    def errors_by_first(self) -> tuple[float, float]:
        """The standard errors of `by_first`."""
        one, two = (math.sqrt(self._variance(row)) for row in self.results)
        return one, two

    @property
    def ties(self) -> int:
        """How many games ended level."""
        return sum(row[LEVEL] for row in self.results)

    @staticmethod
    def _share(row: tuple[int, int, int]) -> float:
        return (row[WON] + row[LEVEL] / 2) / sum(row)

    @classmethod
    def _variance(cls, row: tuple[int, int, int]) -> float:
        """Return the variance of a share."""
        games, share = sum(row), cls._share(row)
        return max(0.0, (row[WON] + row[LEVEL] / 4) / games - share * share) / games


class Simulation:
    """Two fixed players of a rule set, ready to play any number of games."""

    def __init__(self, rules: PushLuckRules, first: str, second: str, *, threads: int | None = None) -> None:
        """Work out the laws of both; `threads` work and play, one for every core that may be used unless given.

        Raises:
            RulesError: the rule set can't be evaluated exactly, and which rule is why; or it must be solved first.
            PlayerError: one of them has no fixed way to play.
        """
        self._setting = Setting.of(rules)
        self._threads = threads or cores()
        player = fixed_player(self._setting, first, self._threads)
        other = player if first == second else fixed_player(self._setting, second, self._threads)
        self._draws = _draws(player, other)
        self._play(b"", 0, 0)  # compiles, so that games are timed alone

    def run(self, games: int, seed: bytes, progress: Progress | None = None) -> Simulated:
        """Play games (an even number of them) and return what they came to; `progress` is told how many are done."""
        begun = time.perf_counter()
        results = np.zeros((2, 3), dtype=np.int64)
        turns = done = 0
        pool = ThreadPoolExecutor(self._threads)
        try:
            for part, found, taken in pool.map(lambda part: self._play(seed, *part), _parts(games)):
                results += found
                turns += taken
                done += part
                if progress is not None:
                    progress(done)
        finally:
            pool.shutdown(cancel_futures=True)  # who interrupts does not wait for the rest
        one, two = ((int(row[0]), int(row[1]), int(row[2])) for row in results)
        return Simulated(self._setting.rules, done, (one, two), turns, time.perf_counter() - begun)

    def _play(self, seed: bytes, number: int, games: int) -> tuple[int, Array, int]:
        results = np.zeros((2, 3), dtype=np.int64)
        state = int.from_bytes(sha256(_SEED + seed + number.to_bytes(8, "big")).digest()[:8], "big")
        limit = self._setting.rules.max_turns
        start, board = self._setting.start(), self._setting.board
        turns = bulk_kernels.play(games, np.uint64(state), start, limit, self._draws, board, results)
        return games, results, turns


def simulate(
    rules: PushLuckRules,
    words: tuple[str, str],
    games: int,
    seed: bytes,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Simulated:
    """Play games between two built-ins with a fixed way to play; each moves first in half of them.

    Args:
        rules: the rule set.
        words: both players.
        games: how many games; one more if the number is odd.
        seed: what the random numbers are made from: the same games every time.
        threads: how many threads play; every core that may be used unless given.
        progress: told from time to time how many games are done.

    Raises:
        RulesError: the rule set can't be evaluated exactly, and which rule is why; or it must be solved first.
        PlayerError: one of them has no fixed way to play.
    """
    return Simulation(rules, *words, threads=threads).run(games + games % 2, seed, progress)


def _parts(games: int) -> Iterator[tuple[int, int]]:
    """Yield the number of each part and how many games it has."""
    for number, begun in enumerate(range(0, games, PART)):
        yield number, min(PART, games - begun)


def _draws(player: FixedPlayer, other: FixedPlayer) -> Draws:
    pairs = list(pairs_that_meet(player.setting.axis))
    columns = _Columns()
    indices = [columns.add(one, pairs) for one in ((player,) if player is other else (player, other))]
    odds = [player.odds, other.odds]
    longest = max(o.shape[1] for o in odds)
    padded = [np.pad(o, ((0, 0), (0, longest - o.shape[1]), (0, 0)), mode="edge") for o in odds]
    index = np.stack([indices[0], indices[-1]])
    board = player.setting.board
    unsigned = board.missing.astype(np.uint32), board.after_bust.astype(np.uint32)
    return Draws(index, *columns.joined(), np.stack(padded), *unsigned)


class _Columns:
    """The columns of the laws of both players, one after the other."""

    def __init__(self) -> None:
        self._laws = 0
        self._counts: list[Array] = []
        self._parts: list[tuple[Array, Array]] = []

    def add(self, player: FixedPlayer, pairs: list[Array]) -> Array:
        """Add the laws of a player; return their numbers by pair of places."""
        size = player.setting.axis.size
        index = np.zeros((size, size), dtype=np.uint32)
        known = None
        for some in (part for group in pairs for part in np.array_split(group, -(-len(group) // MOST_PAIRS))):
            laws = player.laws(some)
            if laws.start is not known:
                self._add(laws.start, laws.chance, laws.win)
                before, known = self._laws - len(laws.win), laws.start
            index[some[:, 0], some[:, 1]] = before + laws.index[some[:, 0], some[:, 1]]
        return index

    def _add(self, start: Array, chance: Array, win: Array) -> None:
        counts = np.empty(len(win), dtype=np.int64)
        bulk_kernels.count_columns(start, chance, win, TAIL, counts)
        first = np.concatenate([[0], np.cumsum(counts)])
        stay, codes = np.empty(first[-1], dtype=np.float32), np.empty(2 * first[-1], dtype=np.uint16)
        bulk_kernels.fill_columns(start, chance, win, first, stay, codes)
        self._laws += len(win)
        self._counts.append(counts)
        self._parts.append((stay, codes))

    def joined(self) -> tuple[Array, Array, Array]:
        """Return where the columns of each law start, and both parts of all columns."""
        start = np.concatenate([[0], np.cumsum(np.concatenate(self._counts))]).astype(np.uint64)
        stay, codes = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        return start, stay, codes
