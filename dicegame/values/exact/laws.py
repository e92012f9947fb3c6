"""The laws of a fixed player's turns in one rule set: where its turn leads, and how likely, in every place of a game.

A player that takes its keeps in a fixed order, or plays for the most points, plays alike in most places, so that it has few laws. One
that plays for the best chance has one for every pair of places: these are worked out when they are needed, some pairs at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np

from dicegame.text import _, ltr, quote
from dicegame.values.axis import Axis
from dicegame.values.choices import compile_choices
from dicegame.values.exact import policy_kernels
from dicegame.values.exact.kernels import Array
from dicegame.values.exact.policy_kernels import Laws, Menus
from dicegame.values.exact.solve import MOST_BEHIND, TIE, cores, places_of, rolls_of
from dicegame.values.exact.ways import MOST_STEPS, Setting, Turning, menus_of, ways_of
from dicegame.values.judges import NotSolved
from dicegame.values.policies import Policy, Taken, policy_of
from dicegame.values.solved import Solved, find

FAR_TAIL = 1e-18  # what a law may leave out: a chance that no number could tell from 0
FIRST_REACH = 512


class FixedPlayer(ABC):
    """A player with a fixed way to play, in one rule set."""

    def __init__(self, setting: Setting, policy: Policy, menus: Menus) -> None:
        self.setting = setting
        self.policy = policy
        self.menus = menus

    @abstractmethod
    def laws(self, pairs: Array) -> Laws:
        """Return the laws of its turns at (at least) these pairs of places (mover, other)."""

    @cached_property
    def odds(self) -> Array:
        """The chances to end a last turn in front and level: an array by row of the place, by steps behind, and of these two.

        Further behind they are the last ones: of an instant win, and of nothing.
        """
        rows = [self._odds(need) for need in self.setting.needs()]
        longest = max(map(len, rows))
        return np.array([np.pad(row, ((0, longest - len(row)), (0, 0)), mode="edge") for row in rows])

    @property
    def last(self) -> Array:
        """What a last turn is worth, by row of the place and steps behind; a tie is worth one half."""
        return self.odds[:, :, 0] + TIE * self.odds[:, :, 1]

    def _odds(self, need: int) -> Array:
        if not self.setting.final:
            return np.zeros((1, 2))
        found: list[tuple[float, float]] = []
        for behind in range(MOST_BEHIND):
            ends, win = self._last_law(need, behind)
            beats, level = float(ends[behind + 1 :].sum()), float(ends[behind])
            found.append((win + beats, level))
            if beats + level < FAR_TAIL:
                break
        return np.array(found)

    @abstractmethod
    def _last_law(self, need: int, behind: int) -> tuple[Array, float]:
        """Return the chances to bank 0, 1, ... steps (`behind` + 1 or more among them) in a last turn, and that of an instant win."""


class FewLaws(FixedPlayer):
    """A player with few laws: all of them are worked out at once."""

    def __init__(self, setting: Setting, policy: Policy) -> None:
        """Compile a player.

        Raises:
            ValueError: it plays for the best chance.
        """
        self.ways = ways_of(setting, policy)
        super().__init__(setting, policy, self.ways.menus)
        self.reach = FIRST_REACH  # steps to which a turn without an end is followed
        self._found: dict[object, int] = {}
        self._chances: list[Array] = []
        self._wins: list[float] = []

    def laws(self, pairs: Array) -> Laws:  # noqa: ARG002 - it is quicker to have them all
        """Return all laws."""
        return self._laws

    @cached_property
    def _laws(self) -> Laws:
        axis, missing = self.setting.axis, self.setting.board.missing
        trails = {steps: self.ways.limits(steps) for steps in range(-axis.far, axis.far + 1)}
        classes = {limits: number for number, limits in enumerate(dict.fromkeys(trails.values()))}
        of_trails = np.array([classes[trails[steps]] for steps in sorted(trails)])
        index = np.zeros((axis.size, axis.size), dtype=np.int32)
        for place in range(axis.size):
            ids = np.array([self._law(max(1, axis.needs(place)), axis.missing(place), limits) for limits in classes])
            index[place] = ids[of_trails[missing[place] - missing + axis.far]]
        start = np.concatenate([[0], np.cumsum([len(c) for c in self._chances])])
        return Laws(index, start, np.concatenate(self._chances), np.array(self._wins), self.last)

    def _law(self, need: int, far: int, limits: tuple[int, ...]) -> int:
        """Return the number of a law, which is worked out if nothing like it was before."""
        turning = self.ways.way(need, far, limits, self.reach)
        way = turning.way
        key = tuple(way.least), way.room, turning.end, need if not way.ordered else None
        if key not in self._found:
            ends, win = self._spread(turning)
            while turning.endless and ends[-1] > FAR_TAIL and self.reach < MOST_STEPS:
                self.reach *= 2
                turning = self.ways.way(need, far, limits, self.reach)
                ends, win = self._spread(turning)
            self._found[key] = len(self._chances)
            self._chances.append(ends[: length_without_tail(ends)])
            self._wins.append(win)
        return self._found[key]

    def _last_law(self, need: int, behind: int) -> tuple[Array, float]:
        return self._spread(self.ways.last(need, behind))

    def _spread(self, turning: Turning) -> tuple[Array, float]:
        ends = np.zeros(turning.end + 1)
        mass = np.zeros((self.menus.dice, turning.end + 1))
        return ends, policy_kernels.spread(turning.end, turning.way, self.menus, mass, ends)


class ManyLaws(FixedPlayer):
    """A player with a law for every pair of places: that which plays for the best chance, by solved values."""

    def __init__(self, setting: Setting, policy: Policy, solved: Solved, threads: int) -> None:
        super().__init__(setting, policy, menus_of(setting, policy))
        rules, axis, board = setting.rules, setting.axis, setting.board
        choices = self._choices = compile_choices(setting.table, every=setting.exact or setting.final)
        last = np.array([solved.last[0], solved.last[1]][: len(setting.needs())])
        self._rolls = rolls_of(choices, max(axis.far, axis.opening) + last.shape[1] + choices.furthest + 2)
        self._last_rolls = self._rolls
        self._places = places_of(axis, last, rules, 0.0 if self._rolls.must else min(choices.bust))
        self._values = _values_at(solved, axis)
        self._threads = threads
        beyond = 0 if not setting.final else self._rolls.stride - choices.furthest - 1
        needed = np.maximum(1, self._places.needed)
        self._reach = np.full_like(needed, beyond) if beyond else np.maximum(board.missing, needed)
        self._index = np.zeros((axis.size, axis.size), dtype=np.int32)

    def laws(self, pairs: Array) -> Laws:
        """Return the laws at these pairs; they are good until others are asked for."""
        reach = self._reach[pairs[:, 0]]
        start = np.concatenate([[0], np.cumsum(reach + 1)])
        chance, win = np.empty(start[-1]), np.empty(len(pairs))
        parts = np.array_split(np.arange(len(pairs)), self._threads)
        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(lambda part: self._fill(pairs, reach, start, chance, win, part), parts))
        self._index[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
        return Laws(self._index, start, chance, win, self.last)

    def _fill(self, pairs: Array, reach: Array, start: Array, chance: Array, win: Array, part: Array) -> None:
        if len(part):
            slots = slice(part[0], part[-1] + 1)
            rest = self._values, self._places, self._rolls, self.menus, chance, win[slots]
            policy_kernels.perfect_laws(pairs[slots], reach[slots], start[slots], *rest)

    def _last_law(self, need: int, behind: int) -> tuple[Array, float]:
        top = max(need, behind + 1)
        if top + self._choices.furthest >= self._last_rolls.stride:
            self._last_rolls = rolls_of(self._choices, 2 * (top + self._choices.furthest))
        ends = np.zeros(top + 1)
        return ends, policy_kernels.perfect_last(behind, need, self._last_rolls, self.menus, ends)


def fixed_player(setting: Setting, word: str, threads: int | None = None) -> FixedPlayer:
    """Return the built-in that a word names.

    Raises:
        PlayerError: it has no fixed way to play.
        NotSolved: it plays by solved values, and there are none.
    """
    rules = setting.rules
    policy = policy_of(word, rules, setting.table)
    if policy.taken is not Taken.BEST_CHANCE:
        return FewLaws(setting, policy)
    solved = find(rules)
    if solved is None:
        message = _("the values of %(name)s are not there yet: %(command)s works them out")
        raise NotSolved(message % {"name": quote(rules.name), "command": ltr("dicegame solve")})
    return ManyLaws(setting, policy, solved, threads or cores())


def length_without_tail(ends: Array, tail: float = FAR_TAIL) -> int:
    """Return how many chances there are before the last ones that together make no more than `tail`."""
    return len(ends) - int(np.searchsorted(np.cumsum(ends[::-1]), tail, side="right"))


def _values_at(solved: Solved, axis: Axis) -> Array:
    """Return solved values by the places of an axis whose target may be smaller."""
    held, size = solved.axis, solved.axis.size
    values = np.asarray(solved.values, dtype=np.float64).reshape(size, size)
    blocks = range(axis.counts * (2 if axis.unopened else 1))
    kept = np.array([block * (held.far + 1) + missing for block in blocks for missing in range(axis.far + 1)])
    return np.ascontiguousarray(values[np.ix_(kept, kept)])
