"""The messages of protocol 1: those that go out are built here, those that come in are validated here.

One JSON object a line. What goes out is compact, `type` first, keys in the documented order. What comes in is taken strictly (no
`"6"` for 6, no 1.0), unknown fields are ignored, and whatever is wrong is said in words that the author of a bot can act on.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence
from typing import Annotated, Any, get_args

import orjson
from pydantic import Field, TypeAdapter, ValidationError

from dicegame import __version__, messages
from dicegame.errors import InvalidDecision
from dicegame.games.base import Engine, Outcome
from dicegame.games.events import Event, RoundEnds
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.rules.load import as_data
from dicegame.rules.model import Reach
from dicegame.text import N_, _, clean, number, quote

VERSION = 1
LINE_BYTES = 65_536

# What comes in; what goes out is built below, to the models in `messages`
Ready = messages.Ready
Answer = messages.DecisionAnswer
_incoming: TypeAdapter[Ready | Answer] = TypeAdapter(Annotated[Ready | Answer, Field(discriminator="type")])


def encode(message: dict[str, Any]) -> str:
    """Return a message as its line, without the line's end."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)


def line_of(message: dict[str, Any]) -> bytes:
    """Return a message as its line in UTF-8, with its end. orjson writes it six times as fast as the standard library."""
    return orjson.dumps(message, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE)


def parse(line: bytes) -> Ready | Answer:
    """Return the message that a line holds.

    Raises:
        InvalidDecision: it is no message, and why.
    """
    try:
        return _incoming.validate_json(line)
    except ValidationError as error:
        raise InvalidDecision(_what_is_wrong(line, error)) from None


def _what_is_wrong(line: bytes, error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    kind, context = first["type"], first.get("ctx", {})
    field = quote(".".join(map(str, first["loc"][1:])), 60)
    if kind == "json_invalid":
        return _not_json(line, str(context.get("error", "")))
    if kind == "dict_type" and not field:
        return _("line is not a JSON object")
    if kind == "union_tag_not_found":
        return _('the message has no type: it begins {"type":"decision",...}')
    if kind == "union_tag_invalid":
        return _("unknown type %s: decision and ready are known") % quote(str(context.get("tag", "")), 60)
    if kind == "missing":
        return _("the field %s is missing") % field
    wanted = {"int": _("a whole number"), "list": _("a list"), "bool": _("true or false"), "string": _("a text")}
    right = next((words for start, words in wanted.items() if kind.startswith(start)), clean(first["msg"], 100))
    return _("the field %(field)s is wrong: %(right)s is expected") % {"field": field, "right": right}


_SLIPS = {  # what the parser says -> what it means
    "number out of range": N_("a number has too many digits"),
    "recursion limit": N_("nested too deep"),
    "trailing characters": N_("one message a line"),
    "key must be a string": N_("keys stand in double quotes"),
}


def _not_json(line: bytes, reason: str) -> str:
    """Say where a line stops being JSON, with the likely slip where it can be told."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        return _("line is not UTF-8: byte %s") % number(error.start + 1)
    column = reason.rpartition("column ")[2]
    place = max(int(column), 1) if column.isdigit() else 1
    if not line.strip():
        return _("the line is empty")
    if line.startswith(codecs.BOM_UTF8):
        return _("the line begins with a byte order mark: write UTF-8 without one")
    if line.lstrip().startswith((b"{", b"[")):
        said = _("line is not JSON: column %s") % number(place)
        slip = next((words for start, words in _SLIPS.items() if reason.startswith(start)), None)
        return f"{said}; {_(slip)}" if slip else said
    return _("line is not JSON: column %s; stdout is the wire: print anything else to stderr") % number(place)


def hello(*, start_ms: int | None, decision_ms: int | None, reserve_ms: int | None) -> dict[str, Any]:
    """Return the first message; a limit is None where there is no clock."""
    limits = {"start_ms": start_ms, "decision_ms": decision_ms, "reserve_ms": reserve_ms, "line_bytes": LINE_BYTES}
    referee = {"name": "dicegame", "version": __version__}
    return {"type": "hello", "protocol": VERSION, "protocols": [VERSION], "referee": referee, "limits": limits}


def game(
    game_id: str, engine: Engine[Any], *, players: Sequence[str], seat: int, seed: int, commitment: str | None
) -> dict[str, Any]:
    """Return what a seat is told as a game begins."""
    return {
        "type": "game",
        "game": game_id,
        "name": engine.rules.name,
        "rules": as_data(engine.rules),
        "players": list(players),
        "seat": seat,
        "seed": seed,
        "dice_commitment": commitment,
    }


def options(engine: Engine[Any], state: object) -> list[dict[str, Any]] | None:
    """Return the options of a push-your-luck decision as messages carry them; None in other games."""
    if not isinstance(engine, PushLuck) or not isinstance(state, PushLuckState):
        return None
    found = engine.options(state)
    return [{"keep": list(o.keep), "points": o.points, "roll": o.roll, "bank": o.bank} for o in found]


_Times = tuple[int | None, int | None]


def _question(
    request_id: int,
    game_id: str,
    seat: int,
    engine: Engine[Any],
    state: Any,  # noqa: ANN401 - any engine's
    times: _Times,
) -> dict[str, Any]:
    """Return `decide` without its options."""
    return {
        "type": "decide",
        "id": request_id,
        "game": game_id,
        "seat": seat,
        "decision_ms": times[0],
        "reserve_ms": times[1],
        "state": engine.describe(state),
    }


def decide(
    request_id: int,
    game_id: str,
    seat: int,
    engine: Engine[Any],
    state: Any,  # noqa: ANN401 - any engine's
    times: _Times = (None, None),
) -> dict[str, Any]:
    """Return the question that a seat must answer; `times` are the milliseconds for it and of the reserve, None without a clock."""
    message = _question(request_id, game_id, seat, engine, state, times)
    offered = options(engine, state)
    if offered is not None:
        message["options"] = offered
    return message


def decide_line(
    request_id: int,
    game_id: str,
    seat: int,
    engine: Engine[Any],
    state: Any,  # noqa: ANN401 - any engine's
    times: _Times,
) -> bytes:
    """Return the line of `decide` with the options of a roll as they were written the first time: what bots are asked, at speed."""
    message = _question(request_id, game_id, seat, engine, state, times)
    if isinstance(engine, PushLuck):
        message["options"] = orjson.Fragment(_written_options(engine, state))
    return line_of(message)


def _written_options(engine: PushLuck, state: PushLuckState) -> bytes:
    """Return the options as JSON. They depend on the roll and on what a bank still needs, but for targets that must be hit exactly."""
    roll, need = state.roll, max(0, state.required - state.turn_points)
    if roll is None or engine.rules.reach is Reach.EXACT:
        return orjson.dumps(options(engine, state))
    written = roll.written.get(need)
    if written is None:
        written = roll.written[need] = orjson.dumps(options(engine, state))
    return written


def event_fields(event: Event) -> dict[str, Any]:
    """Return an event's word and fields as messages and records carry them."""
    fields: dict[str, Any] = {"event": event.event}
    for name in event.__slots__:
        value = getattr(event, name)
        if value is not None:
            fields[name] = value
    return fields


_EVENT_HEADS = {kind: f'{{"type":"event","event":"{kind.event}",'.encode() for kind in get_args(Event)}


def event_line(happened: Event) -> bytes:
    """Return what happened as the line of a record: `event` without the game, and four times as fast."""
    if isinstance(happened, RoundEnds):
        return line_of({"type": "event", **event_fields(happened)})
    return _EVENT_HEADS[type(happened)] + orjson.dumps(happened)[1:] + b"\n"


def event(game_id: str, happened: Event) -> dict[str, Any]:
    """Return what happened as a message."""
    return {"type": "event", "game": game_id, **event_fields(happened)}


def error(request_id: int | None, code: str, message: str) -> dict[str, Any]:
    """Return what was wrong with the last answer."""
    return {"type": "error", "id": request_id, "code": code, "message": message}


def outcome_fields(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as messages and records carry it."""
    return {"scores": outcome.scores, "winners": outcome.winners, "reason": str(outcome.reason)}


def result(game_id: str, outcome: Outcome, dice_key: str | None) -> dict[str, Any]:
    """Return the end of a game; the key opens the commitment."""
    return {"type": "result", "game": game_id, **outcome_fields(outcome), "dice_key": dice_key}


def bye() -> dict[str, Any]:
    """Return the last message: nothing more is asked."""
    return {"type": "bye"}
