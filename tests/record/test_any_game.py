"""Any game of any rule set: its record is valid, and tells the whole game again, from any of its moments on."""

from __future__ import annotations

import contextlib
import random
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dicegame.cli.main import run
from dicegame.errors import RecordError
from dicegame.games.base import Fell
from dicegame.players.base import Request, Silent
from dicegame.record.read import read
from dicegame.record.verify import NONE, OPENED, verify
from dicegame.rules.load import load
from dicegame.rules.model import RuleSet
from tests.record.games import Restless, Story, Table, high_dice_rules
from tests.rules.strategies import push_luck_rules

_numbers = count()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


@st.composite
def tables(draw: st.DrawFn) -> Table:
    rules: RuleSet = draw(st.one_of(push_luck_rules(), high_dice_rules()))
    least = rules.seats[0] if draw(st.booleans()) else 2
    specs = draw(st.lists(st.sampled_from(["human", "random", "house"]), min_size=max(least, 1), max_size=4))
    return Table(rules, specs, draw(st.sampled_from(["seeded", "typed"])), draw(st.integers(0, 10**6)))


class Silenced(Silent):
    """Nobody: the record holds every answer."""

    def decide(self, request: Request) -> Any:
        raise AssertionError("the record ends before the game")


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(tables())
def test_a_record_is_valid_and_plays_the_game_again(folder: Path, table: Table) -> None:
    path = folder / str(next(_numbers))
    story = table.record(path)
    verdict = verify(str(path))
    assert (verdict.valid, verdict.fault) == (True, None)
    assert verdict.commitment == (OPENED if table.kind == "seeded" else NONE)
    assert verdict.rolls == sum(told[0] == "throw" for told in story.told)
    record = read(path)
    assert record.result() == story.told[-1][1]
    again, host = Story(), Restless(random.Random(), frozenset())
    assert table.play(again, past=record.past(), host=host) == record.result()
    assert again.told == story.told
    assert len(host.resumes) == 1
    path.unlink()


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(tables().filter(lambda table: table.kind == "seeded"), st.data())
def test_with_any_part_of_the_past_what_is_told_begins_the_same(
    folder: Path, table: Table, data: st.DataObject
) -> None:
    path = folder / str(next(_numbers))
    story = table.record(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: data.draw(st.integers(1, len(lines)))]))
    past = read(path).past()
    again = Story()
    table.play(again, past=past)
    answers = sum(not isinstance(step, Fell) for step in past)
    kept = [told for told in again.told if told[0] == "answer"][:answers]
    assert kept == [told for told in story.told if told[0] == "answer"][:answers]
    path.unlink()


@settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.data(), st.sampled_from(["thousand", "high-dice"]))
def test_no_byte_of_a_record_can_be_changed_unseen_or_crash_anything(
    folder: Path, capfd: pytest.CaptureFixture[str], data: st.DataObject, name: str
) -> None:
    path = folder / name
    if not path.exists():
        specs = ["human", "random"] if name == "thousand" else ["human", "human", "house"]
        Table(load(name), specs, seed=3).record(path)
    raw = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] = data.draw(st.integers(0, 255).filter(lambda byte: byte != raw[place]))
    changed = folder / "changed"
    changed.write_bytes(raw)
    with contextlib.suppress(RecordError):
        assert not verify(str(changed)).valid or _meant(changed) == _meant(path)
    assert run(["replay", str(changed)]) in {0, 2}
    assert run(["verify", str(changed)]) in {0, 1, 2}
    assert "Traceback" not in capfd.readouterr().err


def _meant(path: Path) -> list[tuple[Any, ...]]:
    """Return what a record says happened: all that a header does not tell, and no ids and reasons."""
    story = []
    for _number, line in read(path).lines:
        fields = line.model_dump(exclude={"id", "why"})
        if fields["type"] == "event":
            fields = {k: v for k, v in fields.items() if k in EVENT_FIELDS}
        story.append(tuple(sorted(fields.items(), key=str)))
    return story


EVENT_FIELDS = {
    *("type", "event", "seat", "dice", "points", "turn_points", "score", "lost", "cause", "keep", "seats"),
    *("winner", "loser", "wins", "losses"),
}
