"""How the built-in players with a fixed way to play decide, as data: which keep they take, and from how many turn points they bank.

`players.builtin` and `players.optimal` play by this; here it is written down so that it can be evaluated and simulated without a game.
All but `cautious` mind the end: they bank where that wins at once, and in a final round they bank as soon as they are in front and not
before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from dicegame.errors import PlayerError
from dicegame.rules.model import PushLuckRules
from dicegame.rules.table import Back, Keep, Table
from dicegame.text import _, ltr, quote

SCALE = 10_000  # the target that the numbers of `house` are given for
ALIKE = 1e-9  # chances that are closer are equally good to a player, however they were worked out


@dataclass(frozen=True, slots=True)
class Threshold:
    """The numbers of `house`: bank at `base`, plus `step` for every whole `per` that it trails (at most `most`), minus for few dice."""

    base: int
    step: int
    per: int
    most: int
    three_dice: int
    few_dice: int

    @classmethod
    def of(cls, rules: PushLuckRules, unit: int) -> Threshold:
        """Return the numbers for a rule set: those of `thousand`, or else those for 10 000 points scaled to its target."""
        if rules.name == "thousand":
            return cls(150, 25, 100, 6, 25, 50)

        def scaled(points: int) -> int:
            return points * rules.target // SCALE // unit * unit

        return cls(scaled(300), scaled(50), max(scaled(1000), unit), 6, scaled(50), scaled(100))

    def at(self, trails: int, dice: int) -> int:
        """Return the turn points to bank at, `trails` points behind the best other score, with so many dice to roll next."""
        points = self.base + self.step * min(max(trails, 0) // self.per, self.most)
        if dice == 3:
            return points - self.three_dice
        return points - self.few_dice if dice < 3 else points


class Taken(Enum):
    """Which of its keeps a player takes."""

    MOST_POINTS = "the most points, of equal ones the fewest dice"
    FEWEST_DICE = "the fewest dice, of equal ones the most points"
    BEST_TURN = "what makes the most points of a turn on average"
    BEST_CHANCE = "what wins most against a best opponent"

    @property
    def in_order(self) -> bool:
        """Whether the keep is the first one of a fixed order, so that turn points and the rest of the game don't count."""
        return self in {Taken.MOST_POINTS, Taken.FEWEST_DICE}


@dataclass(frozen=True, slots=True)
class Policy:
    """One fixed way to play.

    Where the keep is taken `in_order`, it banks from `at` turn points on, or at those of `threshold`; with `roll_hot` it always rolls
    hot dice. The others bank where that is at least as good as rolling. `minds_end` is what the module says of the end.
    """

    word: str
    taken: Taken
    at: int = 0
    roll_hot: bool = False
    threshold: Threshold | None = None
    minds_end: bool = True

    def bank_from(self, dice: int, trails: int, *, hot: bool = False) -> int | None:
        """Return the turn points to bank at, `trails` points behind, with so many dice (`hot`) to roll next; None: it rolls them."""
        if hot and self.roll_hot:
            return None
        return self.at if self.threshold is None else self.threshold.at(trails, dice)

    def ordered(self, keeps: Sequence[Keep]) -> Sequence[Keep]:
        """Return keeps, given by points, in the order in which this player prefers them, as far as an order tells."""
        if self.taken is Taken.FEWEST_DICE:
            return sorted(keeps, key=lambda keep: (len(keep.keep), -keep.points, keep.keep))
        return keeps

    def rolls_hot(self, keep: Keep) -> bool:
        """Say whether this keep brings hot dice that the player treats otherwise than as many others."""
        return self.roll_hot and keep.back is Back.HOT


def policy_of(word: str, rules: PushLuckRules, table: Table) -> Policy:
    """Return how the built-in that a (valid) word names plays this rule set.

    Raises:
        PlayerError: it has no fixed way to play, or is no built-in.
    """
    name, _colon, rest = word.partition(":")
    given = dict(item.partition("=")[::2] for item in rest.split(",") if item)
    if name == "house":
        return Policy(word, Taken.MOST_POINTS, threshold=Threshold.of(rules, table.unit))
    if name == "hold":
        return Policy(word, Taken.MOST_POINTS, at=int(given["at"]), roll_hot=given.get("hot") == "roll")
    known = {
        "greedy": Policy(word, Taken.MOST_POINTS),
        "cautious": Policy(word, Taken.FEWEST_DICE, minds_end=False),
        "maxpoints": Policy(word, Taken.BEST_TURN),
        "optimal": Policy(word, Taken.BEST_CHANCE),
    }
    if name not in known:
        message = _("%(player)s has no fixed way to play that could be worked out; these have: %(known)s")
        names = ", ".join(["hold:at=N", "house", *known])
        raise PlayerError(message % {"player": quote(word), "known": ltr(names)})
    return known[name]
