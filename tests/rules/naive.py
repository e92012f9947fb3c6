"""Scoring a second time, straight from the words of the rules: slow, plain, and built in another way than `rules.table`.

"The kept dice can be split completely into scoring combinations; the points are the largest total over all such splits": so every
partition of the dice into groups is tried, and every group is scored by what its combination is called. Nothing is shared with the
product but the rule set as plain data.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Any, NamedTuple

Dice = tuple[int, ...]
Group = tuple[int, ...]


class Keep(NamedTuple):
    """A legal keep: its points, the dice of the next roll, why all dice come back, and whether the dice allow a bank."""

    points: int
    roll: int
    back: str
    may_bank: bool


@cache
def partitions(n: int) -> list[list[list[int]]]:
    """Return every way to split the places 0 to n - 1 into groups: 1, 2, 5, 15, 52 and 203 ways for one to six."""
    if n == 0:
        return [[]]
    found = []
    for smaller in partitions(n - 1):
        found += [[*smaller[:i], [*group, n - 1], *smaller[i + 1 :]] for i, group in enumerate(smaller)]
        found.append([*smaller, [n - 1]])
    return found


def multisets(n: int) -> list[Dice]:
    """Return every roll of `n` dice, ascending."""
    return list(combinations_with_replacement(range(1, 7), n))


def sub_multisets(dice: Dice) -> set[Dice]:
    """Return every choice of one or more of these dice, ascending."""
    return {kept for n in range(1, len(dice) + 1) for kept in combinations(sorted(dice), n)}


class Naive:
    """The scoring of one rule set, given as plain data (`as_data`)."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.score = data["score"]
        self._groups: dict[Group, int | None] = {}
        self._points: dict[Dice, int | None] = {}

    def group(self, group: Group) -> int | None:
        """Return what these dice score as one combination; None if they are none."""
        if group not in self._groups:
            self._groups[group] = max((p for p in self._as_one(group) if p), default=None)
        return self._groups[group]

    def _as_one(self, group: Group) -> list[int]:
        score, n = self.score, len(group)
        alike = {1: "single", 3: "three", 4: "four", 5: "five", 6: "six"}
        found = []
        if len(set(group)) == 1 and n in alike:
            found.append(score[alike[n]].get(str(group[0]), 0))
        found += [s["points"] for s in score["straights"] if sorted(s["faces"]) == sorted(group)]
        counts = sorted(Counter(group).values())
        if counts == [2, 2, 2] or (counts == [2, 4] and score["four_and_pair_is_three_pairs"]):
            found.append(score["three_pairs"])
        if counts == [2, 4]:
            found.append(score["four_and_pair"])
        if counts == [3, 3]:
            found.append(score["two_triplets"])
        if counts == [2, 3]:
            found.append(score["full_house"])
        return found

    def points(self, keep: Dice) -> int | None:
        """Return the largest total over all splits of these ascending dice; None if no split scores completely."""
        if keep not in self._points:
            best: int | None = None
            for partition in partitions(len(keep)):
                total = 0
                for places in partition:
                    points = self.group(tuple([keep[i] for i in places]))
                    if points is None:
                        break
                    total += points
                else:
                    best = total if best is None else max(best, total)
            self._points[keep] = best
        return self._points[keep]

    def keeps(self, dice: Dice) -> dict[Dice, Keep]:
        """Return every legal keep of a roll; none means a bust."""
        found = {}
        for kept in sub_multisets(dice):
            points = self.points(kept)
            if points is not None:
                found[kept] = self._keep(dice, kept, points)
        nothing = self.score["nothing"]
        if not found and len(dice) == self.data["dice"] and (nothing["points"] or nothing["roll_again"]):
            earned = self._keep(dice, dice, nothing["points"])
            found[tuple(sorted(dice))] = earned._replace(may_bank=earned.may_bank and not nothing["roll_again"])
        return found

    def _keep(self, dice: Dice, kept: Dice, points: int) -> Keep:
        left = list(dice)
        for face in kept:
            left.remove(face)
        back = "no"
        if not left:
            back = "hot_dice"
        elif any(left == [face, face] for face in self.data["pair_left"]):
            back = "all_dice"
        must_roll = back != "no" and self.data["hot_dice"] == "must-roll"
        return Keep(points, self.data["dice"] if back != "no" else len(left), back, not must_roll)
