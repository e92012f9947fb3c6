"""The rule sets as data: what a rule file may say, field by field.

Both models are closed (an unknown field is a fault), strict (no `"6"` for 6) and frozen. What no single field can tell (a straight
longer than the dice, bounds the wrong way round) is checked in `rules.faults`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Face = Annotated[int, Field(ge=1, le=6)]
Points = Annotated[int, Field(ge=0, le=1_000_000)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Faces = tuple[Face, ...]

MAX_SEATS = 8
MAX_DICE = 6
MOST_ENTRIES = 64  # of any list, so that a whole rule set fits well into a line of the protocol
_FACE_NAMES = {str(face): face for face in range(1, 7)}


class End(StrEnum):
    """How a game ends once a score reaches the target."""

    FINAL_ROUND = "final-round"
    SUDDEN = "sudden"


class Reach(StrEnum):
    """Whether the target may be passed."""

    AT_LEAST = "at-least"
    EXACT = "exact"


class HotDice(StrEnum):
    """What a player may do when all dice come back."""

    MAY_BANK = "may-bank"
    MUST_ROLL = "must-roll"


class HighRule(StrEnum):
    """How dice are compared in high dice."""

    SUM_HIGH = "sum-high"
    SUM_LOW = "sum-low"
    TRIPLE_PAIR = "triple-pair"


class Find(StrEnum):
    """Whom a round of high dice looks for."""

    WINNER = "winner"
    LOSER = "loser"


class Stakes(StrEnum):
    """What stands on the final card of high dice for whoever lost."""

    SCORE = "score"
    DRINK = "drink"
    DARE = "dare"
    TRUTH = "truth"


def _faces_as_numbers(value: object) -> object:
    """Turn the keys of `{1 = 100}`, which files can only write as text, into numbers."""
    if not isinstance(value, dict):
        return value
    return {_FACE_NAMES.get(k, k) if isinstance(k, str) else k: v for k, v in value.items()}


def _tuple(value: object) -> object:
    """Accept a list, which is what files have, for a tuple, which is what can't change."""
    return tuple(value) if isinstance(value, list) else value


PerFace = Annotated[dict[Face, Points], BeforeValidator(_faces_as_numbers)]
FaceList = Annotated[Faces, BeforeValidator(_tuple)]
Bound = Annotated[int, Field(ge=-1_000_000_000, le=1_000_000_000)]
Bounds = Annotated[tuple[Bound, Bound], BeforeValidator(_tuple)]
_lenient = Field(strict=False)


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Straight(_Model):
    """A combination of these faces, one die each."""

    faces: Annotated[FaceList, Field(min_length=2, max_length=MAX_DICE)]
    points: Annotated[int, Field(ge=1, le=1_000_000)]


class Nothing(_Model):
    """What a roll of all dice earns when nothing in it scores."""

    points: Points = 0
    roll_again: bool = False


class Score(_Model):
    """The points of every combination; 0 or absent is no combination."""

    single: PerFace = Field(default_factory=dict)
    three: PerFace = Field(default_factory=dict)
    four: PerFace = Field(default_factory=dict)
    five: PerFace = Field(default_factory=dict)
    six: PerFace = Field(default_factory=dict)
    straights: Annotated[tuple[Straight, ...], BeforeValidator(_tuple), Field(max_length=MOST_ENTRIES)] = ()
    three_pairs: Points = 0
    four_and_pair_is_three_pairs: bool = False
    two_triplets: Points = 0
    four_and_pair: Points = 0
    full_house: Points = 0
    nothing: Nothing = Nothing()


class Penalty(_Model):
    """The price of several busts in a row."""

    busts: Annotated[int, Field(ge=0, le=1000)] = 0
    points: Points = 0


class House(_Model):
    """House rules that remember: all are off unless a rule set turns them on."""

    barrel: Count = 0
    tries: Annotated[int, Field(ge=1, le=1000)] = 3
    falls: Annotated[int, Field(ge=1, le=1000)] = 3
    fall_points: Points = 100
    pits: Annotated[tuple[Bounds, ...], BeforeValidator(_tuple), Field(max_length=MOST_ENTRIES)] = ()
    bolts: Annotated[int, Field(ge=0, le=1000)] = 0
    bolt_points: Points = 100
    dump_truck: Annotated[int, Field(ge=0, le=1_000_000_000)] = 0
    overtaking: Points = 0

    @property
    def remembers(self) -> bool:
        """Whether messages carry what these rules remember: bolts, the barrel and falls."""
        return bool(self.barrel or self.pits or self.bolts or self.dump_truck or self.overtaking)


Name = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$")]
Target = Annotated[int, Field(ge=1, le=1_000_000_000)]


class PushLuckRules(_Model):
    """A rule set of the push-your-luck engine."""

    name: Name
    engine: Literal["pushluck"] = "pushluck"
    dice: Annotated[int, Field(ge=1, le=MAX_DICE)] = 6
    target: Target = 10_000
    targets: Annotated[tuple[Target, ...], BeforeValidator(_tuple), Field(max_length=MOST_ENTRIES)] = ()
    end: Annotated[End, _lenient] = End.SUDDEN
    reach: Annotated[Reach, _lenient] = Reach.AT_LEAST
    seats: Bounds = (1, 7)
    open: Count = 0
    minimum: Count = 0
    hot_dice: Annotated[HotDice, _lenient] = HotDice.MAY_BANK
    pair_left: FaceList = ()
    instant_win: Annotated[tuple[FaceList, ...], BeforeValidator(_tuple), Field(max_length=MOST_ENTRIES)] = ()
    tie: Literal["share"] = "share"
    max_turns: Annotated[int, Field(ge=1, le=1_000_000)] = 1000
    floor: Annotated[int, Field(ge=-1_000_000_000, le=0)] = 0
    score: Score = Score()
    penalty: Penalty = Penalty()
    house: House = House()

    def offered_targets(self) -> tuple[int, ...]:
        """Return the targets that a new game offers: the target alone unless the file names several."""
        return self.targets or (self.target,)


class HighDiceRules(_Model):
    """A rule set of the high-dice engine."""

    name: Name
    engine: Literal["highdice"] = "highdice"
    dice: Annotated[int, Field(ge=1, le=5)] = 3
    reroll: bool = True
    rule: Annotated[HighRule, _lenient] = HighRule.SUM_HIGH
    find: Annotated[Find, _lenient] = Find.WINNER
    to: Annotated[int, Field(ge=1, le=1000)] | None = None
    stakes: Annotated[Stakes, _lenient] = Stakes.SCORE
    seats: Bounds = (2, MAX_SEATS)

    def wins_needed(self, seats: int) -> int:
        """Return how many wins (or losses) end a match of `seats`: `to`, or 1 for two seats and 2 for more."""
        if self.to is not None:
            return self.to
        return 1 if seats == 2 else 2

    @property
    def counts_losses(self) -> bool:
        """Whether losses are what is sought; with two seats wins are counted all the same."""
        return self.find is Find.LOSER


RuleSet = PushLuckRules | HighDiceRules
