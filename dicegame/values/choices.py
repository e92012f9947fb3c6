"""A rule set compiled to arrays: what the rolls of 1, 2, ... dice leave to choose from, and how often.

It is read off the table that the engine plays by. Points count in *steps* of the rule set's unit (the greatest common divisor of
everything that scores or costs; with house rules, that scores). What a keep leads to is a *kind*: `m - 1` where `m` dice would be
rolled next and one may bank instead, and `dice` where all dice come back and must be rolled.

Rolls that leave the same choices are merged. More points with the same dice to roll are never worse, so of each kind only the most
points are kept; where they may be worse (an exact target, house rules) every choice is kept.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from dicegame.rules.model import PushLuckRules, Reach
from dicegame.rules.table import Dice, Keep, Table, rolls

Choice = tuple[int, int]  # kind, steps
Sets = tuple[tuple[float, tuple[Choice, ...]], ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """The compiled rule set.

    By number of dice to roll, from 1: `bust` is the chance of a bust, `win` that of an instant win, `again` that of a roll which
    changes nothing and must be rolled again, and `sets` what the other rolls leave to choose from, each with its chance. `furthest`
    are the most steps that one keep makes.
    """

    dice: int
    unit: int
    bust: tuple[float, ...]
    win: tuple[float, ...]
    again: tuple[float, ...]
    sets: tuple[Sets, ...]
    furthest: int

    @property
    def must_roll(self) -> int:
        """The kind of keeps after which all dice must be rolled."""
        return self.dice

    def kind(self, keep: Keep) -> int:
        """Return what a keep leads to."""
        return keep.roll - 1 if keep.may_bank else self.dice


def unit_of(rules: PushLuckRules, table: Table) -> int:
    """Return the largest number that every score of a game is a multiple of; with house rules, that every turn is.

    There scores may be anything, and are not counted in steps.
    """
    costs: tuple[int, ...] = ()
    if rules.penalty.busts and not rules.house.remembers:
        costs += (rules.penalty.points, -rules.floor)
    return gcd(table.unit, *costs)


def compile_choices(table: Table, *, every: bool | None = None) -> Choices:
    """Compile a rule set. `every` keeps choices that are never better; by default only where they may be."""
    rules = table.rules
    if every is None:
        every = rules.reach is Reach.EXACT or rules.house.remembers
    unit = unit_of(rules, table)
    bust, win, again, sets = [], [], [], []
    for n in range(1, rules.dice + 1):
        busts = wins = stays = 0
        merged: Counter[tuple[Choice, ...]] = Counter()
        for dice, ways in rolls(n):
            roll = table.roll(dice)
            if roll.instant_win:
                wins += ways
                continue
            choices = choices_of(table, dice, unit, every=every)
            if not choices:
                busts += ways
            elif choices == ((rules.dice, 0),):
                stays += ways
            else:
                merged[choices] += ways
        whole = 6**n
        bust.append(float(Fraction(busts, whole)))
        win.append(float(Fraction(wins, whole)))
        again.append(float(Fraction(stays, whole)))
        sets.append(tuple((ways / whole, choices) for choices, ways in merged.items()))
    furthest = max(steps for of_n in sets for _chance, choices in of_n for _kind, steps in choices)
    return Choices(rules.dice, unit, tuple(bust), tuple(win), tuple(again), tuple(sets), furthest)


def choices_of(table: Table, dice: Dice, unit: int, *, every: bool) -> tuple[Choice, ...]:
    """Return what one roll leaves to choose from; empty for a bust."""
    found: set[Choice] = set()
    most: dict[int, int] = {}
    for keep in table.roll(dice).keeps:
        kind = keep.roll - 1 if keep.may_bank else table.rules.dice
        steps = keep.points // unit
        found.add((kind, steps))
        most[kind] = max(most.get(kind, 0), steps)
    return tuple(sorted(found if every else most.items()))
