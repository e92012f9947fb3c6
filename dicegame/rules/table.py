"""The compiled rule set: for every roll its legal keeps, their points and what is rolled next.

The engine, the built-in players, `score`, `odds` and the solver all play by this one table. It is filled roll by roll as rolls turn
up: the 462 rolls of six dice at once would cost more than a program's whole start.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import combinations, combinations_with_replacement
from math import factorial, gcd, prod

from dicegame.rules.model import HotDice, PushLuckRules
from dicegame.text import N_

Dice = tuple[int, ...]
_Counts = tuple[int, ...]
_KINDS = (
    (1, "single", N_("single die")),
    (3, "three", N_("three of a kind")),
    (4, "four", N_("four of a kind")),
    (5, "five", N_("five of a kind")),
    (6, "six", N_("six of a kind")),
)
STRAIGHT = N_("straight")
THREE_PAIRS = N_("three pairs")
TWO_TRIPLETS = N_("two triplets")
FOUR_AND_PAIR = N_("four and a pair")
FULL_HOUSE = N_("full house")
NOTHING = N_("nothing scores")


class Back(Enum):
    """Whether all dice come back after a keep, and why."""

    NO = "no"
    HOT = "hot_dice"
    PAIR = "all_dice"


@dataclass(frozen=True, slots=True)
class Combination:
    """Dice that score together: ascending faces, points, and the English name of what they are."""

    dice: Dice
    points: int
    name: str


@dataclass(frozen=True, slots=True)
class Keep:
    """A legal keep of one roll.

    `keep` holds the faces kept, ascending; `points` the largest total over all ways to split them into combinations; `left` how many
    dice of the roll were not kept; `roll` how many dice the next roll has; `back` why all dice come back, if they do; `may_bank`
    whether banking after it is allowed as far as the dice go (the minimum is the engine's business).
    """

    keep: Dice
    points: int
    left: int
    roll: int
    back: Back
    may_bank: bool


@dataclass(frozen=True, slots=True)
class Roll:
    """A roll with its legal keeps: by points descending, then fewer dice, then faces ascending. No keeps: a bust.

    `written` keeps the options as messages carry them, by the points that a bank still needs.
    """

    dice: Dice
    keeps: tuple[Keep, ...]
    by_keep: dict[Dice, Keep]
    instant_win: bool
    written: dict[int, bytes] = field(default_factory=dict, compare=False, repr=False)


class Table:
    """The rolls of one rule set; ask it with `roll`."""

    def __init__(self, rules: PushLuckRules) -> None:
        self.rules = rules
        self.combinations = combinations_of(rules)
        self.unit = gcd(*(c.points for c in self.combinations), rules.score.nothing.points)
        needs = [(_counts(c.dice), c) for c in self.combinations]
        self._needs = [need for need, _combination in needs]
        self._by_lowest = [[pair for pair in needs if pair[1].dice[0] == face] for face in range(1, 7)]
        self._splits: dict[_Counts, tuple[int, Combination | None] | None] = {(0,) * 6: (0, None)}
        self._points: dict[Dice, int | None] = {}
        self._rolls: dict[Dice, Roll] = {}
        self._instant = {tuple(sorted(faces)) for faces in rules.instant_win}

    def roll(self, dice: Dice) -> Roll:
        """Return the roll of these dice (in any order) with its legal keeps."""
        try:
            return self._rolls[dice]
        except KeyError:
            pass
        ascending = tuple(sorted(dice))
        found = self._rolls.get(ascending)
        if found is None:
            found = self._rolls[ascending] = self._compile(ascending)
        self._rolls[dice] = found
        return found

    def busts(self, dice: Dice) -> bool:
        """Say whether this roll has no legal keep: quicker than making the roll, where nothing else is asked of it."""
        nothing = self.rules.score.nothing
        if (nothing.points or nothing.roll_again) and len(dice) == self.rules.dice:
            return False
        counts = _counts(dice)
        return not any(all(map(int.__le__, need, counts)) for need in self._needs)

    def points(self, keep: Dice) -> int | None:
        """Return the largest total that these dice score, every one of them used; None if one of them can't score."""
        found = self._split(_counts(keep))
        return found[0] if found and keep else None

    def parts(self, keep: Dice) -> list[Combination]:
        """Return the combinations that make up the largest total of a legal keep (one way of them)."""
        left = _counts(keep)
        parts: list[Combination] = []
        while any(left):
            found = self._split(left)
            if found is None or found[1] is None:
                return [Combination(keep, self.rules.score.nothing.points, NOTHING)]
            parts.append(found[1])
            left = _minus(left, _counts(found[1].dice))
        return parts

    def _compile(self, dice: Dice) -> Roll:
        keeps = []
        whole = len(dice) == self.rules.dice
        subsets = {keep for size in range(1, len(dice) + 1) for keep in combinations(dice, size)}
        for keep in subsets:
            points = self._points.get(keep, -1)
            if points == -1:
                points = self._points[keep] = self.points(keep)
            if points is not None:
                keeps.append(self._keep(dice, keep, points))
        nothing = self.rules.score.nothing
        if not keeps and whole and (nothing.points or nothing.roll_again):
            back = self._keep(dice, dice, nothing.points)
            keeps.append(Keep(dice, back.points, 0, back.roll, Back.HOT, back.may_bank and not nothing.roll_again))
        keeps.sort(key=lambda k: (-k.points, len(k.keep), k.keep))
        return Roll(dice, tuple(keeps), {k.keep: k for k in keeps}, whole and dice in self._instant)

    def _keep(self, dice: Dice, keep: Dice, points: int) -> Keep:
        left = len(dice) - len(keep)
        back = Back.NO
        if left == 0:
            back = Back.HOT
        elif left == 2 and self.rules.pair_left:
            a, b = (face for face, n in enumerate(_minus(_counts(dice), _counts(keep)), 1) for _ in range(n))
            if a == b and a in self.rules.pair_left:
                back = Back.PAIR
        must_roll = back is not Back.NO and self.rules.hot_dice is HotDice.MUST_ROLL
        return Keep(keep, points, left, left if back is Back.NO else self.rules.dice, back, not must_roll)

    def _split(self, counts: _Counts) -> tuple[int, Combination | None] | None:
        """Return the best total of exactly these dice and the combination that its best split begins with."""
        if counts in self._splits:
            return self._splits[counts]
        lowest = next(i for i, n in enumerate(counts) if n)
        best: tuple[int, Combination | None] | None = None
        for need, combination in self._by_lowest[lowest]:
            if all(map(int.__le__, need, counts)):
                rest = self._split(_minus(counts, need))
                # Of equal totals the split that begins with the larger combination reads better.
                if rest is not None and (best is None or rest[0] + combination.points >= best[0]):
                    best = (rest[0] + combination.points, combination)
        self._splits[counts] = best
        return best


def _counts(dice: Dice) -> _Counts:
    count = dice.count
    return count(1), count(2), count(3), count(4), count(5), count(6)


def _minus(a: _Counts, b: _Counts) -> _Counts:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def combinations_of(rules: PushLuckRules) -> list[Combination]:
    """Return every combination that scores under `rules` and fits its dice; smaller ones first."""
    score = rules.score
    found: list[Combination] = []
    for size, kind, name in _KINDS:
        found += [Combination((face,) * size, points, name) for face, points in getattr(score, kind).items() if points]
    found += [Combination(tuple(sorted(s.faces)), s.points, STRAIGHT) for s in score.straights]
    pairs = list(combinations(range(1, 7), 2))
    ordered = [(a, b) for a in range(1, 7) for b in range(1, 7) if a != b]
    if score.full_house:
        found += [_combine((a, 3), (b, 2), points=score.full_house, name=FULL_HOUSE) for a, b in ordered]
    if score.three_pairs:
        three = [
            _combine(*((f, 2) for f in faces), points=score.three_pairs, name=THREE_PAIRS)
            for faces in combinations(range(1, 7), 3)
        ]
        found += three
        if score.four_and_pair_is_three_pairs:
            found += [_combine((a, 4), (b, 2), points=score.three_pairs, name=THREE_PAIRS) for a, b in ordered]
    if score.four_and_pair:
        found += [_combine((a, 4), (b, 2), points=score.four_and_pair, name=FOUR_AND_PAIR) for a, b in ordered]
    if score.two_triplets:
        found += [_combine((a, 3), (b, 3), points=score.two_triplets, name=TWO_TRIPLETS) for a, b in pairs]
    return sorted((c for c in found if len(c.dice) <= rules.dice), key=lambda c: len(c.dice))


def _combine(*groups: tuple[int, int], points: int, name: str) -> Combination:
    return Combination(tuple(sorted(face for face, n in groups for _ in range(n))), points, name)


def rolls(n: int) -> Iterator[tuple[Dice, int]]:
    """Yield every roll of `n` dice, ascending, with the number of ways it falls out of 6**n."""
    for dice in combinations_with_replacement(range(1, 7), n):
        yield dice, factorial(n) // prod(factorial(k) for k in _counts(dice))
