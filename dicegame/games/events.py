"""What happens at a table, one small class a kind: what everyone there can see, in the order in which it happens.

The class attribute `event` is the word that messages and records use; the fields are those of the message, in its order.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

Dice = tuple[int, ...]


class Cause(StrEnum):
    """What a penalty is for."""

    BUSTS = "busts"
    BOLTS = "bolts"
    BARREL = "barrel"
    FALL = "fall"
    OVERTAKEN = "overtaken"
    DUMP_TRUCK = "dump_truck"


@dataclass(slots=True)
class TurnBegins:
    """A turn of `seat` begins."""

    event: ClassVar = "turn"
    seat: int


@dataclass(slots=True)
class Rolled:
    """`seat` rolled `dice`, as they lie."""

    event: ClassVar = "roll"
    seat: int
    dice: Dice


@dataclass(slots=True)
class Kept:
    """`seat` kept `dice` for `points`, which makes `turn_points` in this turn."""

    event: ClassVar = "keep"
    seat: int
    dice: Dice
    points: int
    turn_points: int


@dataclass(slots=True)
class Banked:
    """`seat` wrote `points` down; `score` is before any penalty."""

    event: ClassVar = "bank"
    seat: int
    points: int
    score: int


@dataclass(slots=True)
class Busted:
    """A roll without a legal keep; `lost` turn points are gone."""

    event: ClassVar = "bust"
    seat: int
    lost: int


@dataclass(slots=True)
class HotDiceCame:
    """All dice are set aside and all come back; also when the points are then banked."""

    event: ClassVar = "hot_dice"
    seat: int


@dataclass(slots=True)
class AllDiceCame:
    """Just one pair that brings all dice back was left."""

    event: ClassVar = "all_dice"
    seat: int


@dataclass(slots=True)
class FinalRoundBegins:
    """`seat` reached the target with `score`; every other seat has one more turn."""

    event: ClassVar = "final_round"
    seat: int
    score: int


@dataclass(slots=True)
class Penalized:
    """`seat` lost `points` because of `cause` and now has `score`."""

    event: ClassVar = "penalty"
    seat: int
    points: int
    cause: Cause
    score: int


@dataclass(slots=True)
class Marked:
    """`seat` holds on to `keep` and will reroll its other dice."""

    event: ClassVar = "mark"
    seat: int
    keep: Dice


@dataclass(slots=True)
class Revealed:
    """All marked dice are rolled: the dice of every seat as they lie now (empty for a seat that is out)."""

    event: ClassVar = "reveal"
    dice: tuple[Dice, ...]


@dataclass(slots=True)
class Replayed:
    """These seats are level and roll all their dice again."""

    event: ClassVar = "replay"
    seats: tuple[int, ...]


@dataclass(slots=True)
class RoundEnds:
    """A round found its `winner` or its `loser` (the other is None)."""

    event: ClassVar = "round"
    winner: int | None = None
    loser: int | None = None
    wins: tuple[int, ...] = ()
    losses: tuple[int, ...] = ()


@dataclass(slots=True)
class Faulted:
    """`seat` broke the protocol or the rules: `code` is one of the fault codes."""

    event: ClassVar = "fault"
    seat: int
    code: str


@dataclass(slots=True)
class WentOut:
    """`seat` is out of the game."""

    event: ClassVar = "out"
    seat: int


Event = (
    TurnBegins
    | Rolled
    | Kept
    | Banked
    | Busted
    | HotDiceCame
    | AllDiceCame
    | FinalRoundBegins
    | Penalized
    | Marked
    | Revealed
    | Replayed
    | RoundEnds
    | Faulted
    | WentOut
)
