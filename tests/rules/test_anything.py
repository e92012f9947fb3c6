"""Whatever comes in place of a rule set: it loads, or a RulesError says why; nothing else ever happens."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dicegame.errors import RulesError
from dicegame.rules.load import as_data, check, load, preset_text, presets
from dicegame.rules.model import RuleSet
from tests.rules.strategies import anything, damaged


def loads_or_is_refused(read: Callable[[], RuleSet]) -> RulesError | None:
    """Read a rule set: what loads must round-trip; return the refusal of what does not, which must be fit to be shown."""
    try:
        rules = read()
    except RulesError as error:
        refusal = error
    else:
        assert check(json.loads(json.dumps(as_data(rules))), "again") == rules
        return None
    json.dumps(refusal.as_json())
    assert not {c for c in refusal.message if unicodedata.category(c)[0] == "C"} - {"\n"}
    assert refusal.message.count("\n") == len(refusal.faults)
    assert len(refusal.faults) <= 200
    assert all(fault.what for fault in refusal.faults)
    return refusal


@settings(max_examples=200)
@given(st.dictionaries(st.text(max_size=5), anything(), max_size=3), st.sampled_from(["pushluck", "highdice"]))
@example({"[key]": 1}, "pushluck")
@example({"score": {"[key]": 1}}, "pushluck")
def test_any_data(data: dict[str, Any], engine: str) -> None:
    loads_or_is_refused(lambda: check(data, "drawn"))
    loads_or_is_refused(lambda: check({"name": "x", "engine": engine, **data}, "drawn"))


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from(presets()))
def test_any_damage_to_a_preset(data: st.DataObject, name: str) -> None:
    broken = data.draw(damaged(as_data(load(name))))
    refusal = loads_or_is_refused(lambda: check(broken, "drawn"))
    assert refusal is None or refusal.faults


@settings(max_examples=200)
@given(st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode)), st.sampled_from([".toml", ".json"]))
def test_any_file(tmp_path_factory: pytest.TempPathFactory, raw: bytes, suffix: str) -> None:
    path = tmp_path_factory.getbasetemp() / f"drawn{suffix}"
    path.write_bytes(raw)
    assert loads_or_is_refused(lambda: load(str(path)))


@settings(max_examples=200)
@given(st.sampled_from(presets()), st.data())
def test_a_preset_s_file_with_any_cut_and_graft(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    text = preset_text(name)
    start = data.draw(st.integers(0, len(text)))
    end = start + data.draw(st.integers(0, 5))
    graft = data.draw(
        st.one_of(st.text(max_size=6), st.sampled_from(["[", "{", "=", "-", "9" * 20, '"', ".", "1 = 1"]))
    )
    path = tmp_path_factory.getbasetemp() / "graft.toml"
    path.write_text(text[:start] + graft + text[end:], encoding="utf-8")
    loads_or_is_refused(lambda: load(str(path)))


FIELDS = ["target", "score.single.1", "seats", "house.pits", "end", "score", "a.b"]
CHANGES = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=20),
    st.tuples(st.sampled_from(FIELDS), st.text(st.characters(exclude_categories=()))).map("=".join),
)


@settings(max_examples=200)
@given(st.sampled_from(["core", "thousand-classic", "high-dice"]), st.lists(CHANGES, min_size=1, max_size=3))
def test_any_changes(name: str, changes: list[str]) -> None:
    refusal = loads_or_is_refused(lambda: load(name, changes))
    assert refusal is None or refusal.faults


@settings(max_examples=100)
@given(st.text(st.characters(exclude_categories=())))
def test_any_name_of_a_rule_set(source: str) -> None:
    assert source in presets() or loads_or_is_refused(lambda: load(f"no/such/{source}"))
