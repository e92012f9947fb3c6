"""Read a rule set: a preset by name, a file, and the changes made to it on the command line.

Whatever is wrong is told at once, each fault with its path in the file, what is wrong and what would be right.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from dicegame.errors import Fault, RulesError
from dicegame.rules.faults import faults_in
from dicegame.rules.model import HighDiceRules, PushLuckRules, RuleSet
from dicegame.text import N_, _, clean, join, ltr, ngettext, number, quote

PRESETS = Path(__file__).with_name("presets")
MAX_BYTES = 65_536  # a rule set takes one or two thousand; TOML's parser needs minutes for what is meant to be long
_ENGINES: dict[str, type[PushLuckRules | HighDiceRules]] = {"pushluck": PushLuckRules, "highdice": HighDiceRules}
_REPAIRS = 5
_FIRST = ("ten-thousand", "thousand", "high-dice")
# What pydantic calls a fault -> our words; the parts in braces come from the fault's context.
_WORDS = {
    "missing": (N_("is missing"), N_("give it")),
    "int_type": (N_("is not a whole number"), N_("digits without quotes, like 500")),
    "int_from_float": (N_("is not a whole number"), N_("digits without quotes, like 500")),
    "bool_type": (N_("is neither true nor false"), N_("true, or false, without quotes")),
    "string_type": (N_("is not a text"), N_('a text in quotes, like "mine"')),
    "dict_type": (N_("is not a table"), N_("a table like {{1 = 100, 5 = 50}}")),
    "model_type": (N_("is not a table"), N_("a table, with a line [name] or in braces")),
    "tuple_type": (N_("is not a list"), N_("a list like [1, 5]")),
    "list_type": (N_("is not a list"), N_("a list, in square brackets")),
    "float_type": (N_("is not a number"), N_("digits without quotes, like 0.02")),
    "greater_than": (N_("is too small"), N_("more than {gt}")),
    "less_than": (N_("is too large"), N_("less than {lt}")),
    "greater_than_equal": (N_("is too small"), N_("{ge} or more")),
    "less_than_equal": (N_("is too large"), N_("{le} or less")),
    "too_short": (N_("has too few entries"), N_("{min_length} or more")),
    "too_long": (N_("has too many entries"), N_("{max_length} or fewer")),
    "string_too_short": (N_("is empty"), N_("at least one character")),
    "string_too_long": (N_("is too long"), N_("{max_length} characters or fewer")),
    "string_unicode": (N_("has characters that can't be shown"), N_("letters, digits and signs only")),
    "string_pattern_mismatch": (N_("has characters that can't be shown"), N_("letters, digits and signs only")),
    "enum": (N_("is no such choice"), N_("one of {expected}")),
    "literal_error": (N_("is no such choice"), N_("{expected}")),
}


def presets() -> list[str]:
    """Return the names of the rule sets that come with the program, the three games first."""
    names = sorted(path.stem for path in PRESETS.glob("*.toml"))
    return [*_FIRST, *(name for name in names if name not in _FIRST)]


def load(source: str, changes: Iterable[str] = (), target: int | None = None) -> RuleSet:
    """Return the rule set that `source` names: a preset, or else a file.

    Args:
        source: the name of a preset, or the path of a TOML file (or of a JSON file, as `rules show --json` prints).
        changes: texts `FIELD=VALUE`, the field dotted (`score.three_pairs=1500`), the value as in TOML or a bare word.
        target: another target; the same as the change `target=N`.

    Raises:
        RulesError: with every fault that was found.
    """
    data, where = _read(source)
    faults = [fault for change in changes if (fault := _change(data, change))]
    if target is not None:
        data["target"] = target
    return check(data, where, faults)


def check(data: dict[str, Any], where: str, faults: Iterable[Fault] = ()) -> RuleSet:
    """Return the rule set that `data` describes; `where` names it in the error.

    Raises:
        RulesError: with every fault: those given, those of single fields, and those of fields together as far as these can be told.
    """
    found = list(faults)
    engine = data.get("engine", "pushluck")
    model = _ENGINES.get(engine) if isinstance(engine, str) else None
    if model is None:
        found.append(Fault("engine", _("is no such choice"), _('"pushluck" or "highdice"')))
        raise _error(where, found)
    rules, of_fields = _validate(model, data)
    found += of_fields
    if rules is not None:
        found += faults_in(rules, frozenset(fault.path.split("[")[0].split(".")[0] for fault in of_fields))
    if found or rules is None:
        raise _error(where, found)
    return rules


def as_data(rules: RuleSet) -> dict[str, Any]:
    """Return the whole rule set as plain data, every field in its place: what messages, records and `--json` carry."""
    return rules.model_dump(mode="json")


def preset_text(name: str) -> str:
    """Return the file of a preset as it stands."""
    return (PRESETS / f"{name}.toml").read_text(encoding="utf-8")


def count_of(where: str, faults: list[Fault]) -> str:
    """Return the line over a list of faults: what is at fault and how many there are."""
    n = len(faults)
    return ngettext("%(where)s: %(n)s fault", "%(where)s: %(n)s faults", n) % {"where": quote(where), "n": number(n)}


def _error(where: str, faults: list[Fault]) -> RulesError:
    return RulesError(count_of(where, faults), tuple(faults))


def _read(source: str) -> tuple[dict[str, Any], str]:
    """Return the raw data of a preset or file, and the name that errors call it by."""
    if source in presets():
        return tomllib.loads(preset_text(source)), source
    path = Path(source)
    try:
        if not path.is_file():
            raise RulesError(_unknown(source))
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RulesError(_("can't read %(file)s: %(reason)s") % {"file": quote(source), "reason": reason}) from error
    if len(raw) > MAX_BYTES:
        raise RulesError(_("%s is too large to be a rule set") % quote(source))
    return _parse(raw, path), source


def _parse(raw: bytes, path: Path) -> dict[str, Any]:
    where = quote(str(path))
    try:
        text = raw.decode("utf-8-sig")
        data = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise RulesError(_("%s is not UTF-8 text") % where) from error
    except (ValueError, RecursionError) as error:
        message = _("%(file)s can't be read: %(reason)s") % {"file": where, "reason": clean(str(error))}
        raise RulesError(message) from error
    if not isinstance(data, dict):
        raise RulesError(_("%s is not a table of fields") % where)
    return {"name": path.stem, **data}


def _unknown(source: str) -> str:
    near = get_close_matches(source, presets(), n=1)
    if near:
        message = _("there is no rule set and no file named %(name)s; did you mean %(near)s?")
        return message % {"name": quote(source), "near": ltr(near[0])}
    return _("there is no rule set and no file named %s; `dicegame rules list` names them") % quote(source)


def _change(data: dict[str, Any], change: str) -> Fault | None:
    """Apply one `FIELD=VALUE` to the raw data; return the fault if that can't be done."""
    field, sign, text = change.partition("=")
    keys = field.strip().split(".")
    if not sign or not all(keys):
        return Fault(clean(change), _("is not FIELD=VALUE"), "target=5000")
    try:
        value = tomllib.loads(f"x = {text}")["x"] if "\n" not in text else text
    except (ValueError, RecursionError):  # not TOML: a bare word, or what no field takes, and then its type is at fault
        value = text.strip()
    place = data
    for key in keys[:-1]:
        inner = place.get(key)
        if inner is None:
            inner = place[key] = {}
        if not isinstance(inner, dict):
            return Fault(clean(field), _("is not a table"), _("name a field that the rule set has"))
        place = inner
    place[keys[-1]] = value
    return None


def _validate(model: type[PushLuckRules | HighDiceRules], data: dict[str, Any]) -> tuple[RuleSet | None, list[Fault]]:
    """Return the rule set and the faults of single fields; where there are faults, the rule set without the fields at fault."""
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
    faults = [fault_of(model, detail) for detail in details[:100]]
    rest = data
    for _attempt in range(_REPAIRS):
        for detail in details:
            rest = _without(rest, _keys(detail))
        try:
            return model.model_validate({"name": "?", **rest}), faults
        except ValidationError as error:
            details = error.errors(include_url=False, include_input=False)
    return None, faults


def _keys(detail: ErrorDetails) -> tuple[str, ...]:
    """Return the keys that lead to what is at fault, as far as tables go: of a list the whole, its places have no meaning alone."""
    loc, kind = detail["loc"], detail["type"]
    if kind == "missing" or _names_a_key(detail):
        loc = loc[:-1] if len(loc) > 1 else loc
    keys: list[str] = []
    for part in loc:
        if isinstance(part, int) and not (keys and keys[-1] in _PER_FACE):
            break
        keys.append(str(part))
    return tuple(keys)


def _without(data: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """Return the data without what these keys lead to; only the tables on the way are copied."""
    if not keys or keys[0] not in data:
        return data
    first, *others = keys
    if not others:
        return {key: value for key, value in data.items() if key != first}
    inner = data[first]
    return {**data, first: _without(inner, tuple(others))} if isinstance(inner, dict) else data


def fault_of(model: type[BaseModel], detail: ErrorDetails, unknown: str = N_("is no field of a rule set")) -> Fault:
    """Return what pydantic found wrong with a file in words: where, what, and what would be right; `unknown` is said of a strange field."""
    loc, kind = detail["loc"], detail["type"]
    path = _path(loc)
    if kind == "extra_forbidden":
        known = _fields_at(model, loc[:-1])
        near = get_close_matches(str(loc[-1]), known, n=1)
        right = _("did you mean %s?") % near[0] if near else _("known here: %s") % join(known)
        return Fault(path, _(unknown), right)
    if _names_a_key(detail):
        return Fault(_path(loc[:-1]), _("is no face of a die"), _("1 to 6"))
    if kind in _WORDS:
        what, right = _WORDS[kind]
        return Fault(path, _(what), _(right).format(**_context(detail)))
    return Fault(path, clean(detail["msg"]))


def _names_a_key(detail: ErrorDetails) -> bool:
    """Say whether a key is at fault and not what stands at it: pydantic then adds a part of its own to the place."""
    return detail["loc"][-1:] == ("[key]",) and detail["type"] != "extra_forbidden"


def _context(detail: ErrorDetails) -> dict[str, Any]:
    """Return what the words of a fault may name; choices as a list in the user's language."""
    context = dict(detail.get("ctx", {}))
    if "expected" in context:
        context["expected"] = join([f'"{choice}"' for choice in re.findall(r"'([^']*)'", context["expected"])])
    return context


def _path(loc: tuple[int | str, ...]) -> str:
    path = ""
    for part in loc:
        path += f"[{part}]" if isinstance(part, int) and path.rsplit(".", 1)[-1] not in _PER_FACE else f".{part}"
    return clean(path.removeprefix("."))


_PER_FACE = {"single", "three", "four", "five", "six"}


def _fields_at(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """Return the names of the fields of the table at `loc`."""
    for part in loc:
        field = model.model_fields.get(str(part))
        if field is None:
            continue
        inner = [t for t in (field.annotation, *getattr(field.annotation, "__args__", ())) if isinstance(t, type)]
        model = next((t for t in inner if issubclass(t, BaseModel)), model)
    return list(model.model_fields)
