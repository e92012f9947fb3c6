"""How a seat's place in a game between turns is numbered, and which rule sets can be solved that way.

What counts of a seat is what it misses to the target, whether it has opened, and its busts in a row where those have a price. The
target itself does not count, so that one table serves every smaller target, unless scores can fall: then they fall to a floor,
which is a place of its own for every target.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from dicegame.errors import RulesError
from dicegame.rules.load import as_data
from dicegame.rules.model import PushLuckRules
from dicegame.rules.table import Table
from dicegame.text import _, number, quote
from dicegame.values.choices import unit_of

MOST_PLACES = 1200  # of one seat: its square is the number of positions
_FREE = ("name", "engine", "target", "targets", "seats", "max_turns", "tie", "house")


@dataclass(frozen=True, slots=True)
class Axis:
    """The places of one seat: `far + 1` for what it misses (in steps of `unit`), times `counts` busts in a row, twice if unopened.

    `required` and `opening` are the steps that a turn needs before it may bank, after and before the first bank.
    """

    unit: int
    target: int
    far: int
    counts: int
    unopened: bool
    required: int
    opening: int
    penalty: int

    @classmethod
    def of(cls, rules: PushLuckRules, table: Table) -> Axis:
        """Return the places of a rule set.

        Raises:
            RulesError: what happens between turns depends on more than this, or there would be too many places.
        """
        refuse_unsolvable(rules)
        unit = unit_of(rules, table)
        target = -(-rules.target // unit)
        penalty = rules.penalty.points // unit if rules.penalty.busts else 0
        far = target + (-rules.floor // unit if penalty else 0)
        counts = rules.penalty.busts if penalty else 1
        required = -(-rules.minimum // unit)
        opening = max(required, -(-rules.open // unit))
        axis = cls(unit, target, far, counts, rules.open > 0, required, opening, penalty)
        if axis.size > MOST_PLACES:
            field = "penalty" if penalty else "target"
            message = _(
                "%(name)s has too many positions to be solved (%(size)s by seat, at most %(most)s): because of %(field)s"
            )
            values = {"name": quote(rules.name), "size": number(axis.size), "most": number(MOST_PLACES), "field": field}
            raise RulesError(message % values)
        return axis

    @property
    def size(self) -> int:
        """How many places there are."""
        return (self.far + 1) * self.counts * (2 if self.unopened else 1)

    @property
    def positions(self) -> int:
        """How many pairs of places there are between turns, the seat to move first: those that a game to `target` can come to."""
        if self.penalty:
            return (self.size - self.size // (self.far + 1)) ** 2
        return self.target**2 + (self.target * (self.target + 2) if self.unopened else 0)

    def place(self, missing: int, *, opened: bool = True, busts: int = 0) -> int:
        """Return the number of a place: what is missed in steps, whether the seat has opened, its busts in a row."""
        block = busts if opened else self.counts + busts
        return block * (self.far + 1) + missing

    def missing(self, place: int) -> int:
        """Return the steps that a seat in this place misses."""
        return place % (self.far + 1)

    def needs(self, place: int) -> int:
        """Return the steps that a turn from this place needs before it may bank."""
        return self.opening if place // (self.far + 1) >= self.counts else self.required

    def after_bust(self, place: int) -> int:
        """Return the place that a bust leads to."""
        if not self.penalty:
            return place
        block, missing = divmod(place, self.far + 1)
        flag, busts = divmod(block, self.counts)
        if busts + 1 < self.counts:
            return place + self.far + 1
        return self.place(min(missing + self.penalty, self.far), opened=not flag)


def refuse_unsolvable(rules: PushLuckRules) -> None:
    """Raise `RulesError`, naming the rule, where what happens between turns depends on more than an axis holds (but see `graph`)."""
    house = rules.house
    for field, on in (
        ("house.barrel", house.barrel),
        ("house.pits", house.pits),
        ("house.bolts", house.bolts),
        ("house.dump_truck", house.dump_truck),
        ("house.overtaking", house.overtaking),
    ):
        if on:
            message = _("%(name)s can't be solved exactly: %(field)s makes too much of the game's past count")
            raise RulesError(message % {"name": quote(rules.name), "field": field})


def key_of(rules: PushLuckRules) -> str:
    """Return what identifies the values of a rule set: a hash of all that they depend on. The target only where scores can fall.

    House rules count where one of those that remember is on.
    """
    data = as_data(rules)
    free = {field: value for field, value in data.items() if field not in _FREE}
    if rules.house.remembers or (rules.penalty.busts and rules.penalty.points):
        free["target"] = rules.target
    if rules.house.remembers:
        free["house"] = data["house"]
    text = json.dumps(free, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
