"""The schema on disk is that of the models, and all that is really written is valid by both, field by field and in order."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError

from dicegame import dice, protocol
from dicegame.errors import InvalidDecision
from dicegame.games import engine_for
from dicegame.games.base import Change, Decision, Forfeit, Outcome, Phase, Undo
from dicegame.games.events import Event, Faulted
from dicegame.messages import FROM_BOT, DecisionAnswer, Ready, event_messages, from_referee, model_of
from dicegame.record.lines import Header, Line, any_line
from dicegame.record.write import RecordWriter
from dicegame.rules.load import as_data, load, presets
from dicegame.rules.model import RuleSet
from dicegame.schema import FILE, as_text
from tests.cli.process import run
from tests.rules.strategies import push_luck_rules

SCHEMA: dict[str, Any] = json.loads(FILE.read_bytes())
DEFINITIONS = SCHEMA["$defs"]
VALID = {
    name: Draft202012Validator({"$schema": SCHEMA["$schema"], "$ref": f"#/$defs/{name}", "$defs": DEFINITIONS})
    for name in DEFINITIONS
}
KEY = bytes(range(32))
Tell = Callable[[dict[str, Any]], None]


class RandomGame:
    """A random game: everything that a referee would send goes to `tell`, everything that a record holds to `record`."""

    def __init__(
        self, rules: RuleSet, seats: int, seed: int, tell: Tell, record: RecordWriter | None = None, steps: int = 20_000
    ) -> None:
        self.rng = random.Random(seed)
        self.engine = engine_for(rules)
        self.tell, self.record = tell, record
        self.asked = 0
        self.commitment = dice.commitment(KEY) if seed % 2 else None
        names = [f"seat {seat}" for seat in range(seats)]
        for seat in range(seats):
            tell(
                protocol.game(
                    "g1",
                    self.engine,
                    players=names,
                    seat=seat,
                    seed=dice.player_seed(KEY, seat),
                    commitment=self.commitment,
                )
            )
        if record:
            specs = ["random"] * seats
            data = as_data(rules)
            record.header(
                Header(
                    game="g1", rules=data, players=names, specs=specs, dice="seeded", commitment=dice.commitment(KEY)
                )
            )
        self.state, events = self.engine.start(seats)
        self._happened(events)
        for _ in range(steps):
            if self.state.phase is Phase.OVER:
                self._over(self.state.outcome)
                break
            self.state, events = self._step(seats)
            self._happened(events)

    def _step(self, seats: int) -> Any:
        engine, state = self.engine, self.state
        if seats > 2 and self.rng.random() < 0.002:
            return self._forfeit()
        if state.phase is Phase.THROW:
            throws = engine.throws(state)
            fell = [dice.roll(KEY, t.seat, t.turn, t.roll, t.dice) for t in throws]
            for throw, faces in zip(throws, fell, strict=True):
                if self.record:
                    self.record.throw(throw, faces)
            return engine.thrown(state, fell)
        self.asked += 1
        times = (1000, self.rng.randrange(10_000)) if self.asked % 2 else (None, None)
        question = protocol.decide(self.asked, "g1", state.seat, engine, state, times)
        self.tell(question)
        line = protocol.decide_line(self.asked, "g1", state.seat, engine, state, times)
        assert line.decode() == protocol.encode(question) + "\n", "what bots are asked at speed is the same"
        decision: Decision = self.rng.choice(engine.decisions(state))
        if self.record:
            self.record.answer(state.seat, self.asked, decision)
        return engine.decide(state, decision)

    def _forfeit(self) -> Any:
        seat = self.rng.choice([seat for seat, out in enumerate(self.state.out) if not out])
        self._happened([Faulted(seat, "crashed")])
        if self.record:
            self.record.answer(seat, self.asked, Forfeit(seat))
        return self.engine.forfeit(self.state, seat)

    def _happened(self, events: list[Event]) -> None:
        for event in events:
            self.tell(protocol.event("g1", event))
            if self.record:
                self.record.event(event, self.state)

    def _over(self, outcome: Outcome) -> None:
        self.tell(protocol.result("g1", outcome, KEY.hex() if self.commitment else None))
        if self.record:
            self.record.over(outcome)
            self.record.key(KEY)


def checked(message: dict[str, Any]) -> str:
    """Hold a message against its model and the schema; return the name of the model.

    The model writes it exactly as it was: every key is a field, in the order of the fields, down to the last.
    """
    line = protocol.encode(message)
    assert protocol.line_of(message).decode() == line + "\n"
    model = model_of(message)
    assert protocol.encode(model.model_validate_json(line).model_dump(mode="json", exclude_unset=True)) == line
    assert VALID[model.__name__].is_valid(json.loads(line)), line
    return model.__name__


def seats_of(rules: RuleSet) -> list[int]:
    low, high = rules.seats
    return sorted({max(low, 2), (low + high + 1) // 2, high})


def test_schema_on_disk_is_that_of_the_models() -> None:
    assert FILE.read_text(encoding="utf-8") == as_text(), "python -m tests.schema writes it anew"


def test_schema_is_valid() -> None:
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(SCHEMA)


def test_command_prints_the_file_as_it_is_and_imports_nothing_of_weight() -> None:
    program = (
        "import sys; from dicegame.cli.schema import schema; schema([], standalone_mode=False); "
        "assert not {'pydantic', 'dicegame.rules'} & set(sys.modules)"
    )
    ended = run(command=(sys.executable, "-c", program))
    assert (ended.stdout, ended.stderr, ended.returncode) == (FILE.read_text(encoding="utf-8"), "", 0)


def test_every_model_has_its_definition_and_its_group() -> None:
    def models(group: str) -> Iterator[str]:
        for ref in DEFINITIONS[group]["anyOf"]:
            name = ref["$ref"].removeprefix("#/$defs/")
            yield from models(name) if "anyOf" in DEFINITIONS[name] and name in {"Decide", "Event"} else [name]

    assert sorted(models("FromReferee")) == sorted(model.__name__ for model in from_referee())
    assert sorted(models("FromBot")) == sorted(model.__name__ for model in FROM_BOT)
    assert sorted(models("RecordLine")) == sorted(model.__name__ for model in Line.__args__)
    assert sorted(models("Event")) == sorted(model.__name__ for model in event_messages().values())
    assert [ref["$ref"].rpartition("/")[2] for ref in SCHEMA["anyOf"]] == ["FromReferee", "FromBot", "RecordLine"]


def test_constants_are_required() -> None:
    seen: Counter[str] = Counter()
    for name, definition in DEFINITIONS.items():
        for field, what in definition.get("properties", {}).items():
            if "const" in what:
                assert field in definition["required"], (name, field)
                seen[field] += 1
    assert seen["type"] == len(from_referee()) + len(FROM_BOT) + len(Line.__args__)
    assert seen["event"] == len(Event.__args__)
    assert (seen["protocol"], seen["format"], seen["engine"]) == (1, 1, 2)


@pytest.mark.parametrize("name", presets())
def test_whole_games_of_a_preset_are_valid(name: str, tmp_path: Path) -> None:
    changes = () if "high" in name or "thousand" in name else ("target=1500",)
    rules = load(name, changes)
    assert VALID["RuleSet"].is_valid(as_data(rules))
    seen: Counter[str] = Counter()

    def tell(message: dict[str, Any]) -> None:
        seen[checked(message)] += 1

    for seed, seats in enumerate(seats_of(rules)):
        path = tmp_path / f"{seats}.jsonl"
        record = RecordWriter(path)
        game = RandomGame(rules, seats, seed, tell, record)
        record.close()
        assert game.state.phase is Phase.OVER, "the game has no end"
        for line in path.read_bytes().splitlines():
            model = type(any_line.validate_json(line))
            assert VALID[model.__name__].is_valid(json.loads(line)), line
            seen[model.__name__] += 1
    wanted = {
        "Game",
        "Result",
        "Header",
        "ThrowLine",
        "DecisionLine",
        "EventLine",
        "ResultLine",
        "KeyLine",
        "RollEvent",
    }
    wanted |= {"DecideHighDice", "RevealEvent", "RoundEvent"} if "high" in name else {"DecidePushLuck", "BankEvent"}
    assert wanted <= set(seen)


def test_such_games_see_every_event() -> None:
    """Else the test above would hold of nothing."""
    seen: Counter[str] = Counter()

    def tell(message: dict[str, Any]) -> None:
        seen[checked(message)] += 1
        state = message.get("state", {})
        seen["on the barrel"] += bool(state.get("barrel"))
        seen["in the final round"] += bool(state.get("final_round"))

    for name in ("thousand-classic", "ten-thousand"):
        for seed in range(4):
            RandomGame(load(name, ("target=1000",)), 4, seed, tell)
    for find, rule, seats in (("winner", "sum-low", 3), ("loser", "triple-pair", 4), ("loser", "sum-high", 2)):
        for seed in range(3):
            RandomGame(load("high-dice", (f"find={find}", f"rule={rule}")), seats, seed, tell)
    assert {model.__name__ for model in event_messages().values()} <= set(seen)
    assert seen["on the barrel"]
    assert seen["in the final round"]


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(rules=push_luck_rules(), seats=st.integers(1, 8), seed=st.integers(0, 2**32))
def test_games_of_any_rule_set_are_valid(rules: RuleSet, seats: int, seed: int) -> None:
    told: list[dict[str, Any]] = []
    RandomGame(rules, seats, seed, told.append, steps=60)
    for message in told:
        checked(message)


NAMES = [*(model.__name__ for model in from_referee()), "DecidePushLuck with house rules", "RoundEvent of a loser"]


@cache
def samples() -> dict[str, dict[str, Any]]:
    """Return a message of every kind, and two where a kind has two shapes."""
    found: dict[str, dict[str, Any]] = {}

    def tell(message: dict[str, Any]) -> None:
        shape = (
            "with house rules" if "bolts" in message.get("state", {}) else "of a loser" if "loser" in message else ""
        )
        found.setdefault(f"{model_of(message).__name__} {shape}".strip(), json.loads(protocol.encode(message)))

    tell(protocol.hello(start_ms=10_000, decision_ms=1000, reserve_ms=10_000))
    tell(protocol.error(1, "illegal", "kept 2, but 2 is part of no combination of 1 3 4"))
    tell(protocol.bye())
    tell(protocol.event("g1", Faulted(0, "timed_out")))
    for seed in range(3):
        for name, change in (("ten-thousand", "target=1000"), ("thousand-classic", "max_turns=50")):
            RandomGame(load(name, (change,)), 3, seed, tell)
        for find in ("winner", "loser"):
            RandomGame(load("high-dice", (f"find={find}",)), 3, seed, tell)
    return found


def test_there_is_a_valid_sample_of_every_message() -> None:
    assert sorted(samples()) == sorted(NAMES)
    for message in samples().values():
        checked(message)
    checked(protocol.hello(start_ms=None, decision_ms=None, reserve_ms=None))
    checked(protocol.error(None, "flooded", ""))


@pytest.mark.parametrize("name", NAMES)
def test_no_field_of_a_message_may_be_missing_or_of_another_type(name: str) -> None:
    message = samples()[name]
    assert VALID["FromReferee"].is_valid(message)
    model, valid = model_of(message), VALID[model_of(message).__name__]
    for field in message:
        rest = {key: value for key, value in message.items() if key != field}
        for wrong in (rest, {**message, field: [None]}, {**message, field: {"x": 1.5}}):
            assert not valid.is_valid(wrong), (field, wrong)
            with pytest.raises(ValidationError):
                model.model_validate_json(json.dumps(wrong))


@pytest.mark.parametrize("missing", ["bolts", "barrel", "falls"])
def test_house_rules_that_remember_come_together(missing: str) -> None:
    message = samples()["DecidePushLuck with house rules"]
    state = {key: value for key, value in message["state"].items() if key != missing}
    assert not VALID["DecidePushLuck"].is_valid({**message, "state": state})
    with pytest.raises(ValidationError, match="come together"):
        model_of(message).model_validate_json(json.dumps({**message, "state": state}))


def test_a_round_has_a_winner_or_a_loser() -> None:
    both = {**samples()["RoundEvent"], "loser": 1}
    assert not VALID["RoundEvent"].is_valid(both)
    with pytest.raises(ValidationError, match="either"):
        model_of(both).model_validate_json(json.dumps(both))
    line = {key: value for key, value in both.items() if key != "game"}
    assert not VALID["RecordLine"].is_valid(line)
    del line["loser"]
    assert VALID["RecordLine"].is_valid(line)


@pytest.mark.parametrize("name", NAMES)
def test_fields_that_are_not_known_are_no_fault(name: str) -> None:
    message = {**samples()[name], "later": 1}
    if "rules" in message:
        message["rules"] = {**message["rules"], "later": 1}
        assert VALID["FromReferee"].is_valid(message)
        return
    model_of(message).model_validate_json(json.dumps(message))
    assert VALID["FromReferee"].is_valid(message)


@pytest.mark.parametrize(
    ("message", "model"),
    [
        ({"type": "ready", "protocol": 1, "name": "x"}, Ready),
        (
            {
                "type": "ready",
                "protocol": 1,
                "name": "x",
                "version": "2",
                "author": "y",
                "games": ["thousand"],
                "events": True,
            },
            Ready,
        ),
        ({"type": "ready", "protocol": 1, "name": "x", "version": None, "author": None, "games": None}, Ready),
        ({"type": "decision", "keep": [1, 1]}, DecisionAnswer),
        ({"type": "decision", "id": 41, "keep": [], "bank": False, "why": "so", "mood": "good"}, DecisionAnswer),
    ],
)
def test_what_a_bot_may_say_is_valid_and_no_less(message: dict[str, Any], model: type[BaseModel]) -> None:
    assert isinstance(protocol.parse(json.dumps(message).encode()), model)
    assert VALID["FromBot"].is_valid(message)
    for field in DEFINITIONS[model.__name__]["required"]:
        rest = {key: value for key, value in message.items() if key != field}
        assert not VALID["FromBot"].is_valid(rest)
        with pytest.raises(InvalidDecision):
            protocol.parse(json.dumps(rest).encode())


@pytest.mark.parametrize("answer", [Undo(), Change(1, (2, 2)), Forfeit(0), Decision((1,), bank=True, why="so")])
def test_every_answer_is_a_valid_line(answer: Any, tmp_path: Path) -> None:
    record = RecordWriter(tmp_path / "record")
    record.answer(0, 1, answer)
    record.close()
    line = (tmp_path / "record").read_bytes()
    assert VALID["RecordLine"].is_valid(json.loads(line))
    assert type(any_line.validate_json(line)).__name__ in DEFINITIONS


@pytest.mark.parametrize(
    "line",
    [
        {"type": "event", "event": "bank", "seat": 0, "points": 50},
        {"type": "event", "event": "unheard of"},
        {"type": "record", "game": "g", "rules": {}, "players": ["a"], "specs": ["a"], "dice": "seeded"},
        {"type": "throw", "seat": 0, "turn": 0, "roll": 0, "dice": [7]},
        {"type": "key"},
        {"type": "hello"},
        {},
    ],
)
def test_what_is_no_line_is_not_valid(line: dict[str, Any]) -> None:
    assert not VALID["RecordLine"].is_valid(line)
