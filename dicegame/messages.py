"""Every message of protocol 1 as a model: what comes in is validated by these, what goes out is held against them in the tests.

The models of what goes out are for the schema and for tests alone (they are built when first used): on the way to a bot messages are
plain dicts, made in `protocol` with the same fields in the same order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, Self, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from dicegame.games.base import Reason
from dicegame.games.events import Dice, Event, RoundEnds
from dicegame.rules.model import MAX_DICE, MAX_SEATS, Faces, Find, HighDiceRules, HighRule, Name, PushLuckRules
from dicegame.text import clean

WHY_LIMIT = 500

T = TypeVar("T")
BySeat = Annotated[tuple[T, ...], Field(min_length=1, max_length=MAX_SEATS)]
Natural = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Seat = Annotated[int, Field(ge=0, lt=MAX_SEATS)]
Hex = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Ready(BaseModel):
    """A bot says that it is ready, and who it is."""

    model_config = ConfigDict(strict=True, extra="ignore")

    type: Literal["ready"]
    protocol: int
    name: Annotated[str, Field(max_length=1000)]
    version: str | None = None
    author: str | None = None
    games: list[str] | None = None
    events: bool = False


class DecisionAnswer(BaseModel):
    """A bot's decision: the faces it keeps, and whether it then banks."""

    model_config = ConfigDict(strict=True, extra="ignore")

    type: Literal["decision"]
    id: int | None = None
    keep: list[int]
    bank: bool | None = None
    why: str | None = None

    def reason(self) -> str | None:
        """Return the bot's own words for the record, made safe and short."""
        return clean(self.why, WHY_LIMIT) if self.why else None


FROM_BOT: tuple[type[BaseModel], ...] = (Ready, DecisionAnswer)


class Outgoing(BaseModel):
    """A message of the referee, or a part of one: open, since fields may be added."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, defer_build=True)


class Referee(Outgoing):
    """The program that referees."""

    name: str
    version: str


class Limits(Outgoing):
    """The limits of time, in milliseconds, and of the length of a line; null where there is no clock."""

    start_ms: Natural | None
    decision_ms: Natural | None
    reserve_ms: Natural | None
    line_bytes: Positive


class Hello(Outgoing):
    """The first message: who referees, and within which limits."""

    type: Literal["hello"]
    protocol: Literal[1]
    protocols: Annotated[tuple[Positive, ...], Field(min_length=1)]
    referee: Referee
    limits: Limits


class Game(Outgoing):
    """A game begins; `seed` is for the bot's own random numbers and says nothing about the dice."""

    type: Literal["game"]
    game: str
    name: Name
    rules: Annotated[PushLuckRules | HighDiceRules, Field(discriminator="engine")]
    players: BySeat[str]
    seat: Seat
    seed: Annotated[int, Field(ge=0, lt=1 << 31)]
    dice_commitment: Hex | None


class FinalRound(Outgoing):
    """Who started the final round, and the points to beat in it."""

    by: Seat
    score: int


class Barrel(Outgoing):
    """The seat on the barrel, and the tries that it has failed there."""

    seat: Seat
    tries: Natural


class StatePushLuck(Outgoing):
    """The table before a push-your-luck decision; the last three only where the rule set has house rules that remember."""

    model_config = ConfigDict(
        json_schema_extra={
            "dependentRequired": {
                "bolts": ["barrel", "falls"],
                "barrel": ["bolts", "falls"],
                "falls": ["bolts", "barrel"],
            }
        }
    )

    scores: BySeat[int]
    opened: BySeat[bool]
    out: BySeat[bool]
    busts: BySeat[Natural]
    turn: Positive
    turn_points: Natural
    dice: Annotated[Faces, Field(min_length=1, max_length=MAX_DICE)]
    target: Positive
    final_round: FinalRound | None
    bolts: BySeat[Natural] = Field(default_factory=tuple)
    barrel: Barrel | None = None
    falls: BySeat[Natural] = Field(default_factory=tuple)

    @model_validator(mode="after")
    def _all_three_or_none(self) -> Self:
        if len(self.model_fields_set & {"bolts", "barrel", "falls"}) not in (0, 3):
            raise ValueError("bolts, barrel and falls come together")
        return self


class Option(Outgoing):
    """A legal keep: its points, how many dice the next roll would have, and whether banking after it is allowed."""

    keep: Annotated[Faces, Field(min_length=1, max_length=MAX_DICE)]
    points: Natural
    roll: Annotated[int, Field(ge=1, le=MAX_DICE)]
    bank: bool


class StateHighDice(Outgoing):
    """The table before a mark in high dice."""

    round: Positive
    rule: HighRule
    find: Find
    wins: BySeat[Natural]
    losses: BySeat[Natural]
    out: BySeat[bool]
    to: Positive
    dice: BySeat[Faces]
    keeps: BySeat[Faces | None]
    order: BySeat[Seat]


class _Decide(Outgoing):
    type: Literal["decide"]
    id: Positive
    game: str
    seat: Seat
    decision_ms: Natural | None
    reserve_ms: Natural | None


class DecidePushLuck(_Decide):
    """A push-your-luck decision is wanted."""

    state: StatePushLuck
    options: Annotated[tuple[Option, ...], Field(min_length=1)]


class DecideHighDice(_Decide):
    """A mark in high dice is wanted."""

    state: StateHighDice


class ErrorMessage(Outgoing):
    """What was wrong with the last answer; `code` is one of the fault codes."""

    type: Literal["error"]
    id: int | None
    code: str
    message: str


class Result(Outgoing):
    """The end of a game; `dice_key` opens the commitment."""

    type: Literal["result"]
    game: str
    scores: BySeat[int]
    winners: tuple[Seat, ...]
    reason: Reason
    dice_key: Hex | None


class Bye(Outgoing):
    """Nothing more is asked: the bot is to exit."""

    type: Literal["bye"]


class EventMessage(Outgoing):
    """Something that everyone at the table sees; one model a kind is made of the classes in `games.events`."""

    type: Literal["event"]
    game: str


class _RoundMessage(EventMessage):
    """A round found its `winner` or its `loser`; the message holds the one that was sought."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["winner"]}, {"required": ["loser"]}]})

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if len(self.model_fields_set & {"winner", "loser"}) != 1:
            raise ValueError("a round has either a winner or a loser")
        return self


# What the whole numbers of an event are, by the names of its fields; all others are amounts.
_FIELDS: dict[str, Any] = {
    "seat": Seat,
    "winner": Seat,
    "loser": Seat,
    "seats": tuple[Seat, ...],
    "keep": Faces,
    "wins": BySeat[Natural],
    "losses": BySeat[Natural],
}
_HINTS: dict[Any, Any] = {Dice: Faces, tuple[Dice, ...]: BySeat[Faces]}


@cache
def event_messages() -> dict[str, type[EventMessage]]:
    """Return the models of the event messages by their words."""
    return {kind.event: _event_message(kind) for kind in get_args(Event)}


def _event_message(kind: type[Event]) -> type[EventMessage]:
    """Return the model of one kind; a field whose default is None is left out of the message where it is None."""
    base = _RoundMessage if kind is RoundEnds else EventMessage
    hints = get_type_hints(kind)
    fields: dict[str, Any] = {"event": (Literal[kind.event], ...)}
    for field in dataclasses.fields(kind):
        hint = _FIELDS.get(field.name) or _HINTS.get(hints[field.name], hints[field.name])
        fields[field.name] = (hint, None if field.default is None else ...)
    name = "".join(part.capitalize() for part in kind.event.split("_")) + "Event"
    doc = kind.__doc__ if base is EventMessage else base.__doc__
    return create_model(name, __base__=base, __module__=__name__, __doc__=doc, **fields)


@cache
def from_referee() -> tuple[type[Outgoing], ...]:
    """Return the models of all that the referee sends."""
    before: list[type[Outgoing]] = [Hello, Game, DecidePushLuck, DecideHighDice]
    return (*before, *event_messages().values(), ErrorMessage, Result, Bye)


def model_of(message: Mapping[str, Any]) -> type[Outgoing]:
    """Return the model of a message of the referee.

    Raises:
        KeyError: it has no such messages.
    """
    kind = message["type"]
    if kind == "event":
        return event_messages()[message["event"]]
    if kind == "decide":
        return DecidePushLuck if "options" in message else DecideHighDice
    models: dict[str, type[Outgoing]] = {
        "hello": Hello,
        "game": Game,
        "error": ErrorMessage,
        "result": Result,
        "bye": Bye,
    }
    return models[kind]
