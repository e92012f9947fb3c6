"""Packed records: made whole again they are the very records that are written while the games are played."""

from __future__ import annotations

import json
import random
import shlex
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dicegame.errors import RecordError
from dicegame.match.packed import BriefRecord, unpack
from dicegame.match.plan import BlockSpec
from dicegame.match.play import GameResult, Lanes, MatchSpec, Records, play_blocks
from dicegame.players.sandbox import Sandbox
from dicegame.players.treatment import OnFault, Treatment
from dicegame.record.verify import verify_bytes
from dicegame.rules.load import as_data, load, presets
from dicegame.rules.model import HighDiceRules, RuleSet

SEED = bytes(range(32))
ME = "python:tests.match.test_packed"
FAULTY = shlex.join([sys.executable, str(Path(__file__).with_name("faulty.py"))])
SPEAKING = shlex.join([sys.executable, str(Path(__file__).parent.parent / "tournament" / "speaking.py")])
SUBSTITUTED = Treatment(sandbox=Sandbox.NONE, on_fault=OnFault.SUBSTITUTE)
FORFEITED = Treatment(sandbox=Sandbox.NONE)


def well(message: dict[str, Any]) -> dict[str, Any]:
    """Decide by the first option."""
    if "options" in message:
        option = message["options"][0]
        return {"keep": option["keep"], "bank": option["bank"]}
    return {"keep": message["state"]["dice"][message["seat"]]}


def now_and_then(message: dict[str, Any]) -> dict[str, Any]:
    """Break down in some decisions, each time in another way."""
    fate = random.Random(str(message["state"])).randrange(12)
    if fate == 0:
        raise RuntimeError("what now?")
    if fate == 1:
        return {"keep": [7], "bank": False}
    if fate == 2:
        return {"nothing": True}
    return well(message)


def always(_message: dict[str, Any]) -> dict[str, Any]:
    """Never decide."""
    raise RuntimeError("no")


def played(
    rules: RuleSet,
    words: tuple[str, ...],
    treatment: Treatment = FORFEITED,
    records: Records = Records.ALL,
    blocks: int = 2,
) -> list[GameResult]:
    names = tuple(f"p{place}" for place in range(len(words)))
    spec = MatchSpec(rules, words, names, treatment, records=records)
    lanes = Lanes(spec)
    try:
        return play_blocks(lanes, [BlockSpec.of(SEED, block) for block in range(blocks)]).games
    finally:
        lanes.close()


def same(rules: RuleSet, words: tuple[str, ...], treatment: Treatment = FORFEITED, blocks: int = 2) -> list[GameResult]:
    """Play the same games twice, packed and whole, and compare."""
    packed = played(rules, words, treatment, blocks=blocks)
    whole = played(rules, words, treatment, Records.WHOLE, blocks)
    data = as_data(rules)
    for small, game in zip(packed, whole, strict=True):
        assert game.record is not None
        assert small.packed is not None
        assert unpack(small.packed, rules, data) == b"".join(game.record.lines)
    return packed


def quick(rules: RuleSet) -> RuleSet:
    """Return the rule set with a lower target, where it has one that can be lower."""
    if isinstance(rules, HighDiceRules) or not rules.target or rules.target <= 2000:
        return rules
    return load(rules.name, target=rules.target // 5)


@pytest.mark.parametrize("name", presets())
@pytest.mark.parametrize("seats", [2, 3])
def test_a_packed_record_is_the_whole_one(name: str, seats: int) -> None:
    words = ("random", "house", "random") if name == "high-dice" else ("house", "greedy", "random")
    games = same(quick(load(name)), words[:seats], blocks=1)
    assert len(games) == seats


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ten-thousand", ["target=1000", "minimum=300", "score.three_pairs=1500"]),
        ("thousand", ["target=300", "open=50"]),
        ("high-dice", ["find=loser", "dice=4"]),
        ("high-dice", ["rule=triple-pair", "to=1"]),
        ("high-dice", ["rule=sum-low", "dice=2"]),
    ],
)
def test_house_rules_are_kept(name: str, changes: list[str]) -> None:
    rules = load(name, changes)
    same(rules, ("random", "random", "random"))


@pytest.mark.parametrize("treatment", [FORFEITED, SUBSTITUTED], ids=["forfeit", "substitute"])
@pytest.mark.parametrize("player", ["now_and_then", "always", "well"])
@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("name", ["ten-thousand", "thousand", "high-dice"])
def test_faults_are_kept(treatment: Treatment, player: str, seats: int, name: str) -> None:
    words = (f"{ME}:{player}", "random", f"{ME}:now_and_then")[:seats]
    games = same(quick(load(name)), words, treatment)
    assert player != "always" or all(game.faults for game in games)


@pytest.mark.parametrize("treatment", [FORFEITED, SUBSTITUTED], ids=["forfeit", "substitute"])
def test_what_real_bots_do_wrong_and_say_is_kept(treatment: Treatment) -> None:
    words = (f"{FAULTY} 'last die'", f"{SPEAKING} badly")
    games = same(load("ten-thousand", target=1000), words, treatment, blocks=3)
    assert any(game.faults for game in games)
    assert any(b'"why"' in unpack_of(game) for game in games)


def unpack_of(game: GameResult) -> bytes:
    rules = load("ten-thousand", target=1000)
    assert game.packed is not None
    return unpack(game.packed, rules, as_data(rules))


def test_a_packed_record_is_small_and_proves_itself() -> None:
    rules = load("ten-thousand")
    (first, *_rest) = played(rules, ("house", "cautious"), blocks=1)
    assert first.packed is not None
    whole = unpack(first.packed, rules, as_data(rules))
    assert verify_bytes(whole, "whole").valid
    assert len(first.packed) < len(whole) / 10


def lines_of(packed: bytes) -> list[Any]:
    return [json.loads(line) for line in zlib.decompress(packed).splitlines()]


def pack(lines: list[Any]) -> bytes:
    return zlib.compress(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


@pytest.fixture(scope="module")
def game() -> bytes:
    (first, *_rest) = played(load("ten-thousand", target=1000), ("house", f"{ME}:now_and_then"), SUBSTITUTED)
    assert first.packed is not None
    return first.packed


def damages() -> Iterator[tuple[str, Callable[[list[Any]], None]]]:
    def of(kind: str, field: str, value: object) -> Callable[[list[Any]], None]:
        def change(lines: list[Any]) -> None:
            line = next(line for line in lines if line["type"] == kind)
            line[field] = value

        return change

    yield "no header", lambda lines: lines.pop(0)
    yield "a list for a header", lambda lines: lines.__setitem__(0, [1])
    yield "no players", of("record", "players", [])
    yield "one player", of("record", "players", ["one"])
    yield "seven players", of("record", "players", ["one"] * 7)
    yield "an illegal decision", of("decision", "keep", [7])
    yield "a decision of nothing", of("decision", "keep", [])
    yield "a huge number", of("decision", "keep", [10**30])
    yield "a text for dice", of("decision", "keep", "111")
    yield "a decision less", lambda lines: lines.remove(next(line for line in lines if line["type"] == "decision"))
    yield "a decision more", lambda lines: lines.insert(-2, lines[-3])
    yield "the end is missing", lambda lines: lines.pop()
    yield "no result", lambda lines: lines.pop(-2)
    yield "another result", of("result", "scores", [1, 2])
    yield "another winner", of("result", "winners", [0, 1])
    yield "another key", of("key", "dice_key", "00" * 32)
    yield "no key", of("key", "dice_key", None)
    yield "an event of another kind", lambda lines: lines.insert(1, {"type": "event", "event": "rolled"})
    yield "an unknown fault", lambda lines: lines.insert(1, {"type": "event", "event": "fault", "seat": 0, "code": "x"})


@pytest.mark.parametrize(("what", "damage"), list(damages()), ids=[what for what, _damage in damages()])
def test_a_record_that_does_not_fit_together_is_told(
    game: bytes, what: str, damage: Callable[[list[Any]], None]
) -> None:
    lines = lines_of(game)
    damage(lines)
    rules = load("ten-thousand", target=1000)
    with pytest.raises(RecordError):
        unpack(pack(lines), rules, as_data(rules))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damaged_bytes_never_do_worse_than_an_error(game: bytes, data: st.DataObject) -> None:
    rules = load("ten-thousand", target=1000)
    place = data.draw(st.integers(0, len(game) - 1))
    byte = data.draw(st.none() | st.integers(0, 255))  # another byte, or everything from here on is missing
    damaged = game[:place] if byte is None else game[:place] + bytes([byte]) + game[place + 1 :]
    if damaged == game:
        return
    try:
        assert unpack(damaged, rules, as_data(rules)) == unpack(game, rules, as_data(rules))
    except RecordError:
        return
    assert place < 2, "only what zlib itself passes over"


def test_a_bomb_is_not_unpacked() -> None:
    rules = load("ten-thousand")
    bomb = zlib.compress(b" " * (1 << 28))
    with pytest.raises(RecordError):
        unpack(bomb, rules, as_data(rules))


def test_nothing_but_what_does_not_follow_is_kept(game: bytes) -> None:
    kinds = {line["type"] for line in lines_of(game)}
    assert kinds <= {"record", "decision", "event", "forfeit", "result", "key"}
    assert "rules" not in lines_of(game)[0]
    assert BriefRecord().lines == []
