"""The lines of a record, one model a kind. Reading is strict: what a line must hold, it holds."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from dicegame import __version__
from dicegame.games.base import Outcome, Reason
from dicegame.games.events import Event
from dicegame.rules.model import MAX_SEATS

_Face = Annotated[int, Field(ge=1, le=6)]
_Seat = Annotated[int, Field(ge=0, lt=MAX_SEATS)]
_Hex = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Line(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class Header(_Line):
    """The first line: what is played, by whom, and with which dice. `specs` are the players as the command line names them."""

    type: Literal["record"] = "record"
    format: Literal[1] = 1
    program: str = f"dicegame {__version__}"
    game: str
    rules: dict[str, Any]
    players: Annotated[list[str], Field(min_length=1, max_length=MAX_SEATS)]
    specs: Annotated[list[str], Field(min_length=1, max_length=MAX_SEATS)]
    dice: Literal["seeded", "scripted", "typed"]
    seed_predictable: bool = False
    stream: int = 0
    commitment: _Hex | None = None


class ThrowLine(_Line):
    """Dice that fell, with their place in the dice function."""

    type: Literal["throw"]
    seat: _Seat
    turn: Annotated[int, Field(ge=0)]
    roll: Annotated[int, Field(ge=0)]
    dice: tuple[_Face, ...]


class DecisionLine(_Line):
    """A decision; without `bank` a mark of high dice."""

    type: Literal["decision"]
    id: int
    seat: _Seat
    keep: tuple[int, ...]
    bank: bool = False
    why: str | None = None


class UndoLine(_Line):
    """The last decision (or the last roll, where people type in real dice) is taken back."""

    type: Literal["undo"]


class ChangeLine(_Line):
    """Another mark in place of the one that `seat` made."""

    type: Literal["change"]
    seat: _Seat
    keep: tuple[int, ...]


class ForfeitLine(_Line):
    """A seat gives up."""

    type: Literal["forfeit"]
    seat: _Seat


class EventLine(_Line):
    """What happened, as in the messages, without `game`."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    type: Literal["event"]
    event: str


class ResultLine(_Line):
    """The end of the game."""

    type: Literal["result"]
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    reason: Annotated[Reason, Field(strict=False)]

    def outcome(self) -> Outcome:
        """Return the outcome that the line tells."""
        return Outcome(self.scores, self.winners, self.reason)


class KeyLine(_Line):
    """What opens the commitment; null for dice that no key made."""

    type: Literal["key"]
    dice_key: _Hex | None


Line = Header | ThrowLine | DecisionLine | UndoLine | ChangeLine | ForfeitLine | EventLine | ResultLine | KeyLine
any_line: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="type")])
_events: dict[str, TypeAdapter[Event]] = {kind.event: TypeAdapter(kind) for kind in get_args(Event)}


def event_of(line: EventLine) -> Event | None:
    """Return the event that a line tells; None if it is none that is known, or lacks a field."""
    adapter = _events.get(line.event)
    try:
        return adapter.validate_json(json.dumps(line.model_extra), strict=True) if adapter else None
    except ValidationError:
        return None


def is_person(spec: str) -> bool:
    """Say whether a player's spec names someone outside who may take decisions back: a person, or a client that stands for one."""
    return spec.split(":", maxsplit=1)[0] in {"human", "client"}
