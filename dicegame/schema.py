"""One JSON Schema of all that is written or read as JSON lines: the messages of protocol 1, the records, and the rule sets in them.

`protocol.schema.json` beside this file is what it came to; a test compares the two, and `python -m tests.schema` writes it anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from dicegame import messages
from dicegame.record.lines import EventLine, Header, Line
from dicegame.rules.model import HighDiceRules, PushLuckRules

FILE = Path(__file__).with_name("protocol.schema.json")
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_RULE_SETS = (PushLuckRules, HighDiceRules)
_LENGTHS = {"minLength": "minItems", "maxLength": "maxItems"}  # pydantic takes a list that it converts first for a text
_Definitions = dict[str, dict[str, Any]]


def schema() -> dict[str, Any]:
    """Return the whole schema: any line of the protocol or of a record is valid by it.

    Among its definitions are one for each message, line and rule set, named as its model is, and one for all that the referee sends
    (`FromReferee`; `Decide` and `Event` in it), all that a bot sends (`FromBot`), all lines of a record (`RecordLine`), and the rule
    sets as messages and records carry them (`RuleSet`).
    """
    referee, events = messages.from_referee(), messages.event_messages().values()
    lines: tuple[type[BaseModel], ...] = get_args(Line)
    models: list[type[BaseModel]] = [*referee, *messages.FROM_BOT, *lines, *_RULE_SETS]
    _map, generated = models_json_schema([(model, "validation") for model in models], schema_generator=_Generator)
    definitions: _Definitions = generated["$defs"]
    _whole_rules(definitions)
    del definitions[Header.__name__]["properties"]["program"]["default"]  # the version of the day
    definitions[EventLine.__name__] |= _any_event(definitions, events)
    decides = (messages.DecidePushLuck, messages.DecideHighDice)
    others = [model for model in referee if model not in events and model not in decides]
    groups = {
        "Decide": _group("A decision that is wanted.", decides),
        "Event": _group("What happens at the table.", events),
        "FromReferee": _group("What the referee sends.", others, "Decide", "Event"),
        "FromBot": _group("What a bot sends.", messages.FROM_BOT),
        "RecordLine": _group("A line of a record.", lines),
        "RuleSet": _group("A rule set, with every field, as messages and records carry it.", _RULE_SETS),
    }
    return {
        "$schema": DIALECT,
        "title": "dicegame, protocol 1",
        "description": "A line of the protocol or of a record. Fields, types and values may be added.",
        "anyOf": [_ref("FromReferee"), _ref("FromBot"), _ref("RecordLine")],
        "$defs": dict(sorted((definitions | groups).items())),
    }


def as_text() -> str:
    """Return the schema as the file holds it."""
    return json.dumps(schema(), indent=2) + "\n"


class _Generator(GenerateJsonSchema):
    """pydantic's own, but a constant is required, and what is only pydantic's way to say "may be left out" is left out."""

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        return _is_constant(field["schema"]) or super().field_is_required(field, total)

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if _is_constant(schema) or schema.get("default", ...) is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """In JSON the faces that points stand at are texts; that an object may hold anything goes without saying."""
        generated = super().dict_schema(schema)
        if generated.get("additionalProperties") is True:
            del generated["additionalProperties"]
        if schema.get("keys_schema", {}).get("type") == "int":
            generated["propertyNames"] = {"pattern": "^[1-6]$"}
        return generated

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ANN401, ARG002 - pydantic's signature
        return False


def _is_constant(schema: Any) -> bool:  # noqa: ANN401 - any of pydantic's many schemas
    inner = schema["schema"] if schema["type"] == "default" else schema
    return bool(inner["type"] == "literal" and len(inner["expected"]) == 1)


def _whole_rules(definitions: _Definitions) -> None:
    """Make of the rule sets as files may hold them the rule sets as messages carry them: whole, and open to fields to come."""
    for definition in definitions.values():
        if definition.get("additionalProperties") is False:
            del definition["additionalProperties"]
            definition["required"] = list(definition["properties"])
            for field in definition["properties"].values():
                field.pop("default", None)
                for wrong, right in _LENGTHS.items():
                    if field.get("type") == "array" and wrong in field:
                        field[right] = field.pop(wrong)


def _any_event(definitions: _Definitions, events: Iterable[type[BaseModel]]) -> dict[str, Any]:
    """Return what a record's line of an event must be besides: an event message, less the id of the game."""
    found = []
    for event in events:
        message = definitions[event.__name__]
        fields = {name: field for name, field in message["properties"].items() if name not in ("type", "game")}
        required = [name for name in message["required"] if name in fields]
        either = {"oneOf": message["oneOf"]} if "oneOf" in message else {}
        found.append({**either, "properties": fields, "required": required})
    return {"anyOf": found}


def _group(description: str, models: Iterable[type[BaseModel]], *more: str) -> dict[str, Any]:
    names = [*(model.__name__ for model in models), *more]
    return {"description": description, "anyOf": [_ref(name) for name in names]}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}
