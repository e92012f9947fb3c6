"""How a fixed player plays one turn, compiled: what it chooses from, and how it chooses in a place of a game or in a last turn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dicegame.errors import RulesError
from dicegame.rules.model import PushLuckRules
from dicegame.rules.table import Keep, Table, rolls
from dicegame.text import _, quote
from dicegame.values.axis import Axis
from dicegame.values.exact.kernels import FORBIDDEN, Array
from dicegame.values.exact.policy_kernels import Board, Menus, Way
from dicegame.values.exact.solve import places_of
from dicegame.values.policies import Policy, Taken
from dicegame.values.turn import best_turn, can_last

NEVER = 1 << 40  # steps that nobody has
MOST_STEPS = 1 << 16  # of a turn that has no end; no rule set that can bust comes near
WINS = 1e18  # points: more than any turn makes


@dataclass(frozen=True, slots=True)
class Setting:
    """A rule set for two seats, compiled."""

    rules: PushLuckRules
    table: Table
    axis: Axis
    board: Board
    final: bool
    exact: bool

    @classmethod
    def of(cls, rules: PushLuckRules) -> Setting:
        """Compile a rule set.

        Raises:
            RulesError: it can't be evaluated exactly, and which rule is why.
        """
        table = Table(rules)
        axis = Axis.of(rules, table)
        if can_last(table):
            raise RulesError(_("%s can't be solved: a turn can go on for ever without a bust") % quote(rules.name))
        places = places_of(axis, np.zeros((1, 1)), rules, 0.0)
        board = Board(places.missing, places.after_bust, places.row, places.final)
        return cls(rules, table, axis, board, places.final, places.exact)

    def start(self) -> int:
        """Return the place of a seat at the start of a game."""
        return self.axis.place(self.axis.target, opened=not self.axis.unopened)

    def needs(self) -> list[int]:
        """Return the steps that a bank needs by the row of a place: after the first bank of a seat, and before it."""
        return [max(1, need) for need in (self.axis.required, self.axis.opening)[: 2 if self.axis.unopened else 1]]


def menus_of(setting: Setting, policy: Policy) -> Menus:
    """Compile what the rolls leave to choose from, as this player prefers it.

    Where one choice can't be worse than another of its kind in the player's eyes, only the better one is there.
    """
    table, dice = setting.table, setting.rules.dice
    every = setting.exact or (setting.final and policy.taken is Taken.BEST_CHANCE)
    bust, win, again = np.zeros(dice), np.zeros(dice), np.zeros(dice)
    chances: list[float] = []
    choices: list[tuple[int, int]] = []
    set_start, choice_start = [0], [0]
    for n in range(dice):
        merged: dict[tuple[tuple[int, int], ...], int] = {}
        for faces, ways in rolls(n + 1):
            roll = table.roll(faces)
            found = () if roll.instant_win else _choices(setting, policy, policy.ordered(roll.keeps), every=every)
            if roll.instant_win:
                win[n] += ways / 6 ** (n + 1)
            elif not found:
                bust[n] += ways / 6 ** (n + 1)
            elif found == ((dice, 0),):
                again[n] += ways / 6 ** (n + 1)
            else:
                merged[found] = merged.get(found, 0) + ways
        for found, ways in merged.items():
            chances.append(ways / 6 ** (n + 1))
            choices += found
            choice_start.append(len(choices))
        set_start.append(len(chances))
    kinds, steps = np.array(choices, dtype=np.int64).T
    starts = np.array(set_start), np.array(chances), np.array(choice_start)
    return Menus(dice, bust, win, 1 - again, *starts, np.ascontiguousarray(kinds), np.ascontiguousarray(steps))


def _choices(setting: Setting, policy: Policy, keeps: Sequence[Keep], *, every: bool) -> tuple[tuple[int, int], ...]:
    dice, unit = setting.rules.dice, setting.axis.unit
    found: dict[tuple[int, int], None] = {}
    for keep in keeps:
        kind = dice if not keep.may_bank else dice + 1 if policy.rolls_hot(keep) else keep.roll - 1
        if every or not any(kind == other for other, _steps in found):
            found[kind, keep.points // unit] = None
    choices = tuple(found)
    return choices if every or not policy.taken.in_order else choices[:1]


@dataclass(frozen=True, slots=True)
class Turning:
    """A way to play a turn, and the steps from which on all is alike: with no end in sight (`endless`), those asked for."""

    way: Way
    end: int
    endless: bool


class Ways(ABC):
    """The ways of a player that plays alike in most places.

    What it minds of a place are the steps that a bank `need`s, those that are missing (`far`), and its `limits`.
    """

    def __init__(self, setting: Setting, policy: Policy) -> None:
        self.setting = setting
        self.menus = menus_of(setting, policy)
        self.furthest = int(self.menus.steps.max())
        self._policy = policy

    @abstractmethod
    def limits(self, trails: int) -> tuple[int, ...]:
        """Return what the player makes of being so many steps behind."""

    @abstractmethod
    def way(self, need: int, far: int, limits: tuple[int, ...], reach: int = 0) -> Turning:
        """Return the way before a final round; a turn without an end is followed up to `reach` steps."""

    @abstractmethod
    def last(self, need: int, behind: int) -> Turning:
        """Return the way in a last turn, so many steps behind."""

    def _room(self, far: int) -> int:
        return far if self.setting.exact else NEVER


class OrderedWays(Ways):
    """The ways of a player that takes its keeps in a fixed order; its limits are the steps from which it banks, by kind."""

    def limits(self, trails: int) -> tuple[int, ...]:
        """Return the steps from which the player banks."""
        unit, dice, policy = self.setting.axis.unit, self.menus.dice, self._policy
        points = [policy.bank_from(n, trails * unit) for n in range(1, dice + 1)]
        points += [None, policy.bank_from(dice, trails * unit, hot=True)]
        return tuple(NEVER if p is None else -(-p // unit) for p in points)

    def way(self, need: int, far: int, limits: tuple[int, ...], reach: int = 0) -> Turning:
        """Return the way: it banks from its limits on, and where that wins at once."""
        wins = NEVER if self.setting.final or not self._policy.minds_end else far
        least = self._least(need, [min(limit, wins) for limit in limits])
        banked = [limit for kind, limit in enumerate(least) if kind != self.menus.dice]
        highest = max((limit for limit in banked if limit < NEVER), default=0) + self.furthest
        endless = max(banked) >= NEVER or (self.menus.kind == self.menus.dice).any()
        if not self.setting.final and (endless or highest >= max(need, far)):
            return Turning(self._banking(least, self._room(far)), max(need, far), endless=False)
        end = max(highest, reach) if endless else highest
        return Turning(self._banking(least, NEVER), min(end, MOST_STEPS), endless=bool(endless))

    def last(self, need: int, behind: int) -> Turning:
        """Return the way: where the player minds the end it banks as soon as it is in front."""
        front = behind + 1 if self._policy.minds_end else 0
        least = self._least(need, [front] * (self.menus.dice + 2))
        return Turning(self._banking(least, NEVER), max(need, behind + 1), endless=False)

    def _least(self, need: int, limits: list[int]) -> tuple[int, ...]:
        return tuple(NEVER if kind == self.menus.dice else max(need, limit) for kind, limit in enumerate(limits))

    def _banking(self, least: tuple[int, ...], room: int) -> Way:
        return Way(True, room, np.array(least), np.zeros(0), np.zeros(0), 0, 0.0)


class PointsWays(Ways):
    """The ways of a player that plays for the most points a turn. It banks at once where that wins, as much as it can."""

    def __init__(self, setting: Setting, policy: Policy) -> None:
        super().__init__(setting, policy)
        self._turn = best_turn(setting.table)
        self._rolled = np.zeros((self.menus.dice, 0))

    def limits(self, trails: int) -> tuple[int, ...]:  # noqa: ARG002 - it minds no scores
        """Return nothing: the scores don't count."""
        return ()

    def way(self, need: int, far: int, limits: tuple[int, ...], reach: int = 0) -> Turning:  # noqa: ARG002 - no limits
        """Return the way: it takes and banks what makes the most points."""
        if self.setting.final:
            end = min(max(need, reach), MOST_STEPS)
            return Turning(self._playing(need, NEVER, end), end, endless=True)
        end = max(need, far)
        return Turning(self._playing(need, far, end), end, endless=False)

    def last(self, need: int, behind: int) -> Turning:
        """Return the way: it banks in front only, and takes its keeps as ever."""
        start = max(need, behind + 1)
        way = self._playing(need, start, start)
        way.bank[:start] = FORBIDDEN
        return Turning(way, start, endless=False)

    def _playing(self, need: int, wins: int, end: int) -> Way:
        """Return the way where banking wins from `wins` steps on."""
        length, unit = end + self.furthest + 1, self.setting.axis.unit
        rolled = self._worth_rolling(length)
        bank = np.arange(length) * float(unit)
        bank[:need] = FORBIDDEN
        bank[max(need, wins) :] = WINS
        best = np.concatenate([np.maximum(bank, rolled).ravel(), rolled[-1]])
        return Way(False, self._room(wins), np.zeros(0, dtype=np.int64), best, bank, length, 0.0)

    def _worth_rolling(self, length: int) -> Array:
        """Return the points of a turn before it rolls 1, 2, ... dice, by the steps that it has."""
        known = self._rolled.shape[1]
        if known < length:
            step = self.setting.table.unit // self.setting.axis.unit  # no turn has a number of steps between
            more = np.zeros((self.menus.dice, length - known))
            for x in range(known, length):
                if x % step == 0:
                    more[:, x - known] = [
                        self._turn.rolling(n, x * self.setting.axis.unit) for n in range(1, self.menus.dice + 1)
                    ]
            self._rolled = np.concatenate([self._rolled, more], axis=1)
        return self._rolled[:, :length]


def ways_of(setting: Setting, policy: Policy) -> Ways:
    """Return the ways of a player that does not play for the best chance.

    Raises:
        ValueError: it does.
    """
    if policy.taken is Taken.BEST_CHANCE:
        raise ValueError(policy.word)
    return OrderedWays(setting, policy) if policy.taken.in_order else PointsWays(setting, policy)
