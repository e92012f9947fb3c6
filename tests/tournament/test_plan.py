"""Tournament files: what is right is understood, what is wrong is told all at once, and the plan never changes."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegame.cli.common import bot_options, treatment_of
from dicegame.errors import DicegameError, PlanError, PlayerError, RulesError
from dicegame.rules.load import presets
from dicegame.tournament.plan import (
    MOST_PAIRINGS,
    EntrantTable,
    Format,
    LimitsTable,
    Plan,
    check_file,
    check_more,
    entrants_of,
    identity_of,
    make_plan,
    pairings_of,
    read_file,
)
from dicegame.tournament.sums import Entrant
from tests.tournament.workers import PLAYERS, planned

BOT = Path(__file__).resolve().parent.parent.parent / "bots" / "python"
WHOLE = """
[tournament]
name = "Autumn"
rules = "thousand"
set = ["seats=[2,4]"]
target = 1000
format = "gauntlet"
seats = 2
blocks = 40
challengers = ["Ada", "greedy"]
precision = 0.02
seed = "x"
luck = "optimal"
records = "faults"

[limits]
decision_ms = 200
reserve_ms = 0
start_ms = 3000
clock = false
sandbox = "none"
memory = 64
on_fault = "substitute"
freeze = true

[[entrant]]
name = "Ada"
player = "house"

[[entrant]]
player = "greedy"

[[entrant]]
player = "Bob=hold:at=300"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refused(folder: Path, text: str) -> list[tuple[str, str, str]]:
    with pytest.raises(PlanError) as caught:
        read_file(written(folder, text))
    return [(fault.path, fault.what, fault.right) for fault in caught.value.faults]


def names_of(*tables: dict[str, str], folder: Path | None = None) -> list[str]:
    return [entrant.name for entrant in entrants_of([EntrantTable(**table) for table in tables], folder)]


def test_a_whole_file_is_understood(tmp_path: Path) -> None:
    file = read_file(written(tmp_path, WHOLE))
    entrants = entrants_of(file.entrant, tmp_path)
    assert [(e.number, e.name, e.word, e.identity) for e in entrants] == [
        (1, "Ada", "house", None),
        (2, "greedy", "greedy", None),
        (3, "Bob", "hold:at=300", None),
    ]
    plan = make_plan(file, entrants, tmp_path)
    assert (plan.name, plan.format, plan.seats, plan.blocks, plan.rounds) == ("Autumn", Format.GAUNTLET, 2, 40, None)
    assert (plan.challengers, plan.precision, plan.predictable, str(plan.records)) == (
        ("Ada", "greedy"),
        0.02,
        True,
        "faults",
    )
    assert (plan.source, plan.rules.name, plan.luck) == ("thousand", "thousand", "optimal")
    assert plan.luck_checksum
    assert plan.rules_data["target"] == 1000
    assert plan.options[:4] == ("--set", "seats=[2,4]", "--target", "1000")


def test_a_file_need_not_say_much() -> None:
    file = check_file({}, "nothing")
    assert file.tournament.format == "round-robin"
    assert not file.entrant
    with pytest.raises(PlanError, match="too few entries"):
        make_plan(file, [])


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    text = """
        tornament = 1
        [tournament]
        nam = "x"
        format = "round"
        seats = 1
        blocks = 0
        rounds = "many"
        challengers = []
        precision = 0.7
        luck = ""
        seed = 5
        set = "target=5"
        [limits]
        decision = 5
        memory = 1
        clock = "no"
        [[entrant]]
        name = ""
        player = "house"
        [[entrant]]
        nme = "x"
    """
    found = {path: (what, right) for path, what, right in refused(tmp_path, text)}
    assert found.keys() == {
        "tornament",
        "tournament.nam",
        "tournament.format",
        "tournament.seats",
        "tournament.blocks",
        "tournament.rounds",
        "tournament.challengers",
        "tournament.precision",
        "tournament.luck",
        "tournament.seed",
        "tournament.set",
        "limits.decision",
        "limits.memory",
        "limits.clock",
        "entrant[0].name",
        "entrant[1].nme",
        "entrant[1].player",
    }
    assert found["tornament"] == ("is no field of a tournament file", "did you mean tournament?")
    assert found["tournament.nam"][1] == "did you mean name?"
    assert found["limits.decision"][1] == "did you mean decision_ms?"
    assert found["entrant[1].nme"][1] == "did you mean name?"
    assert found["entrant[1].player"] == ("is missing", "give it")
    assert found["tournament.seats"] == ("is too small", "2 or more")
    assert found["tournament.precision"] == ("is too large", "less than 0.5")
    assert found["tournament.set"] == ("is not a list", "a list, in square brackets")
    assert found["entrant[0].name"] == ("is empty", "at least one character")
    assert '"swiss"' in found["tournament.format"][1]
    assert all(what and right for what, right in found.values()), "always what, and what would be right"


@pytest.mark.parametrize(
    "text", ["[tournament", "a = \udcff", "x = 1\nx = 2", "name = " + "[" * 5000, "#" * (1 << 20) + "\n\n"]
)
def test_what_is_no_toml_is_an_error_of_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(PlanError) as caught:
        read_file(path)
    assert "plan.toml" in caught.value.message


def test_a_file_that_is_not_there_or_no_file_is_told(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path, Path("a\0b")):
        with pytest.raises(PlanError, match="can't read"):
            read_file(path)


def fault_paths(players: tuple[str, ...], **table: Any) -> list[str]:
    with pytest.raises(PlanError) as caught:
        planned(players, **table)
    return [fault.path for fault in caught.value.faults]


def test_what_a_format_does_not_have_is_refused_all_at_once() -> None:
    asked = {"seats": 3, "precision": 0.1, "challengers": ["Eve"]}
    wanted = ["tournament.seats", "tournament.precision", "tournament.challengers", "tournament.challengers", "entrant"]
    assert fault_paths(PLAYERS[:2], format="swiss", **asked) == wanted
    assert fault_paths(PLAYERS[:2], format="knockout", rounds=2) == ["tournament.rounds"]
    assert fault_paths(PLAYERS[:2], format="round-robin", rounds=2) == ["tournament.rounds"]
    assert fault_paths((), format="gauntlet") == ["entrant"]
    assert fault_paths(PLAYERS[:1]) == ["entrant"]
    assert fault_paths(PLAYERS[:3], seats=4) == ["entrant"]


def test_strange_challengers_are_named() -> None:
    with pytest.raises(PlanError) as caught:
        planned(PLAYERS[:3], format="gauntlet", challengers=["house", "Eve", "Mallory"])
    (fault,) = caught.value.faults
    assert "Eve" in fault.what
    assert "Mallory" in fault.what
    assert "house" not in fault.what
    assert "greedy" in fault.right


def test_a_gauntlet_is_run_by_the_first_entrant_unless_it_says_otherwise() -> None:
    assert planned(PLAYERS[:3], format="gauntlet")[0].challengers == ("house",)
    assert planned(PLAYERS[:3], format="gauntlet", challengers=["random"])[0].challengers == ("random",)
    assert planned(PLAYERS[:3])[0].challengers == ()


@given(st.integers(2, 30), st.integers(2, 4), st.integers(1, 3))
def test_pairings_are_counted_as_they_are_made(entrants: int, seats: int, challengers: int) -> None:
    from itertools import combinations  # noqa: PLC0415

    if entrants < seats or challengers > entrants:
        return
    tables = list(combinations(range(entrants), seats))
    assert pairings_of(Format.ROUND_ROBIN, seats, entrants, challengers) == len(tables)
    asked = sum(min(table) < challengers for table in tables)
    assert pairings_of(Format.GAUNTLET, seats, entrants, challengers) == asked


def test_too_many_pairings_are_refused_before_they_are_made() -> None:
    many = tuple(f"p{number}=house" for number in range(400))
    assert fault_paths(many) == ["entrant"]
    assert fault_paths(many[:100], rules="high-dice", target=None, seats=7) == ["entrant"]
    assert planned(many, format="swiss")[0].format is Format.SWISS
    plan, _entrants = planned(many, format="gauntlet")
    with pytest.raises(PlanError):
        check_more(plan, MOST_PAIRINGS + 5)
    check_more(plan, 900)


def test_rules_that_can_not_be_played_are_told() -> None:
    with pytest.raises(RulesError, match="did you mean thousand"):
        planned(rules="thousnad")
    with pytest.raises(RulesError, match="scroe"):
        planned(set=["scroe.tree=5"])
    with pytest.raises(DicegameError, match="seats for"):
        planned((*PLAYERS, "x=house", "y=house"), rules="thousand", set=["seats=[2,4]"], seats=5)
    with pytest.raises(DicegameError):
        planned(luck="nobody")


# Entrants


def test_names_are_given_or_found_and_no_two_are_alike(tmp_path: Path) -> None:
    assert names_of({"player": "house"}, {"player": "house"}) == ["house", "house 2"]
    assert names_of({"player": "a=house"}, {"player": "house", "name": "b"}) == ["a", "b"]
    assert names_of({"player": "a=house", "name": "b"}) == ["b"], "what the name says counts"
    assert names_of({"player": "house", "name": " Ada  Lovelace "}) == ["Ada Lovelace"]
    for name in ("hold:at=300", "human:Bob", "human", "python:x", "a=b", "é ü", "العربية"):
        assert names_of({"player": "house", "name": name}) == [name]


@pytest.mark.parametrize(
    "tables",
    [
        [{"player": "house", "name": "x"}, {"player": "greedy", "name": "x"}],
        [{"player": "x=house"}, {"player": "greedy", "name": "x"}],
        [{"player": "house"}, {"player": "greedy", "name": "house"}],
        [{"player": "greedy", "name": "house 2"}, {"player": "house"}, {"player": "random", "name": "house"}],
    ],
)
def test_two_of_the_same_name_are_refused(tables: list[dict[str, str]]) -> None:
    with pytest.raises(PlayerError, match="two entrants have the name"):
        names_of(*tables)


def test_a_name_that_somebody_has_already_is_refused() -> None:
    before = [Entrant(1, "house", "house"), Entrant(2, "x", "greedy")]
    with pytest.raises(PlayerError, match="two entrants have the name"):
        entrants_of([EntrantTable(player="x=random")], before=before)
    (added,) = entrants_of([EntrantTable(player="house")], before=before)
    assert (added.number, added.name) == (3, "house 2")


@pytest.mark.parametrize("name", ["a\x1b[31mb", "a\u202eb", " ", "\t"])
def test_names_that_can_not_be_shown_are_refused(name: str) -> None:
    with pytest.raises(PlayerError, match="can't be shown"):
        names_of({"player": "house", "name": name})


@pytest.mark.parametrize("word", ["human", "human:Ada", "client", "x=human", "Ada=human:Bob"])
def test_people_do_not_take_part(word: str) -> None:
    with pytest.raises(PlayerError, match="no human"):
        names_of({"player": word})
    with pytest.raises(PlayerError, match="no human"):
        names_of({"player": word, "name": "Eve"})


@pytest.mark.parametrize("word", ["hose", "hold:at=many", "./none", "x=", "a b c", "x" * 4000, "'", "a\0b", "-"])
def test_a_player_that_is_not_there_is_told(word: str) -> None:
    with pytest.raises(PlayerError):
        names_of({"player": word})


# Bots and files in the folder of the tournament file


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a bot in it, a script and a rule set, which is not the current folder."""
    folder = tmp_path / "with a space"
    folder.mkdir()
    shutil.copytree(BOT, folder / "mine")
    shutil.copy(BOT / "bot.py", folder / "script.py")
    program = folder / "runs"
    program.write_text("#!/bin/sh\nexec true\n", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (folder / "mine.toml").write_text("target = 1500\n[score]\nsingle = {1 = 100}\n", encoding="utf-8")
    away = tmp_path / "away"
    away.mkdir()
    monkeypatch.chdir(away)
    return folder


def word_of(player: str, folder: Path | None) -> str:
    (entrant,) = entrants_of([EntrantTable(player=player)], folder)
    return entrant.word


def test_paths_count_from_the_folder_of_the_file(elsewhere: Path) -> None:
    assert word_of("mine", elsewhere) == str(elsewhere / "mine")
    assert word_of("./mine", elsewhere) == str(elsewhere / "mine")
    assert word_of("me=mine", elsewhere) == str(elsewhere / "mine")
    assert word_of("runs", elsewhere) == str(elsewhere / "runs")
    assert shlex.split(word_of(f"{sys.executable} script.py", elsewhere)) == [
        sys.executable,
        str(elsewhere / "script.py"),
    ]
    assert shlex.split(word_of(f"me={sys.executable} script.py -x", elsewhere))[1:] == [
        str(elsewhere / "script.py"),
        "-x",
    ]
    assert shlex.split(word_of("./runs fast", elsewhere)) == [str(elsewhere / "./runs"), "fast"]
    assert word_of(str(elsewhere / "mine"), None) == str(elsewhere / "mine")
    with pytest.raises(PlayerError):
        word_of("mine", None)


def test_a_file_of_the_folder_takes_no_name_that_comes_with_the_program(elsewhere: Path) -> None:
    for name in ("house", "thousand", "python3"):
        (elsewhere / name).mkdir()
    assert word_of("house", elsewhere) == "house"
    assert word_of("house", None) == "house"
    assert word_of("me=house", elsewhere) == "house"
    (elsewhere / "ten-thousand").write_text("no rules at all", encoding="utf-8")
    file = check_file({"entrant": [{"player": "house"}, {"player": "greedy"}]}, "tests")
    assert make_plan(file, entrants_of(file.entrant), elsewhere).source == "ten-thousand"


def test_rules_are_looked_for_in_the_folder_of_the_file(elsewhere: Path) -> None:
    file = check_file(
        {"tournament": {"rules": "mine.toml"}, "entrant": [{"player": "house"}, {"player": "greedy"}]}, "tests"
    )
    plan = make_plan(file, entrants_of(file.entrant), elsewhere)
    assert plan.source == str(elsewhere / "mine.toml")
    assert plan.rules_data["target"] == 1500
    with pytest.raises(RulesError):
        make_plan(file, entrants_of(file.entrant))


def test_a_bot_is_known_by_what_is_in_its_folder(elsewhere: Path) -> None:
    (entrant,) = entrants_of([EntrantTable(player="mine")], elsewhere)
    assert entrant.identity is not None
    assert identity_of(entrant.word) == entrant.identity
    with (elsewhere / "mine" / "bot.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert identity_of(entrant.word) != entrant.identity
    shutil.rmtree(elsewhere / "mine")
    assert identity_of(entrant.word) is None
    assert identity_of("house") is None
    assert identity_of("python:json:loads") is None


# The plan


def test_a_plan_is_kept_as_text_and_comes_back_the_same(tmp_path: Path) -> None:
    file = read_file(written(tmp_path, WHOLE))
    plan = make_plan(file, entrants_of(file.entrant))
    again = Plan.model_validate_json(plan.as_text())
    assert again == plan
    assert again.as_text() == plan.as_text()
    assert again.hash == plan.hash
    assert again.rules == plan.rules
    assert again == plan, "also once its rules were made"
    assert len(plan.hash) == 64
    assert json.loads(plan.as_text())["rules_data"] == plan.rules_data


@pytest.mark.parametrize("name", presets())
def test_the_rules_of_a_plan_are_those_that_were_named(name: str) -> None:
    from dicegame.rules.load import load  # noqa: PLC0415

    plan, _entrants = planned(("a=random", "b=random"), rules=name, target=None)
    assert Plan.model_validate_json(plan.as_text()).rules == load(name)


CHANGES: dict[str, tuple[str, str, set[str]]] = {
    "name": ('"Autumn"', '"Winter"', {"name"}),
    "rules": ('rules = "thousand"', 'rules = "ten-thousand"', {"source", "rules_data"}),
    "a rule": ("seats=[2,4]", "seats=[2,5]", {"options", "rules_data"}),
    "target": ("target = 1000", "target = 500", {"options", "rules_data"}),
    "blocks": ("blocks = 40", "blocks = 41", {"blocks"}),
    "challengers": ('["Ada", "greedy"]', '["greedy"]', {"challengers"}),
    "precision": ("0.02", "0.03", {"precision"}),
    "luck": ('luck = "optimal"', "", {"luck"}),
    "seed": ('seed = "x"', "", {"predictable"}),
    "records": ('"faults"', '"all"', {"records"}),
    "limits": ("memory = 64", "memory = 65", {"options", "limits"}),
    "nothing": ("[limits]", "\n[limits]  # as before", set()),
}


@pytest.mark.parametrize("what", list(CHANGES))
def test_changes_are_named(tmp_path: Path, what: str) -> None:
    old, new, fields = CHANGES[what]
    assert WHOLE.count(old) == 1
    plans = []
    for text in (WHOLE, WHOLE.replace(old, new)):
        file = read_file(written(tmp_path, text))
        plans.append(make_plan(file, entrants_of(file.entrant)))
    assert set(plans[0].changes(plans[1])) - {"luck_checksum"} == fields
    assert (plans[0].hash == plans[1].hash) == (not fields)


# Limits


@click.command()
@bot_options
def treated(**options: Any) -> None:
    """Nothing: its options are parsed."""


LIMITS = st.builds(
    LimitsTable,
    decision_ms=st.integers(1, 86_400_000),
    reserve_ms=st.integers(0, 86_400_000),
    start_ms=st.integers(1, 86_400_000),
    clock=st.booleans(),
    sandbox=st.sampled_from(["auto", "bwrap", "none", "require"]),
    memory=st.integers(16, 1 << 20),
    on_fault=st.sampled_from(["forfeit", "substitute"]),
    freeze=st.booleans(),
)


@given(LIMITS)
def test_the_options_of_limits_are_those_of_match_and_mean_the_same(limits: LimitsTable) -> None:
    parsed = treated.make_context("match", limits.options()).params
    assert treatment_of(**parsed) == limits.treatment()


def test_limits_are_those_of_match_where_nothing_is_said() -> None:
    parsed = treated.make_context("match", []).params
    assert treatment_of(**parsed) == LimitsTable().treatment()
    assert LimitsTable().options() == []


def test_the_example_of_this_test_is_what_people_write() -> None:
    assert set(tomllib.loads(WHOLE)) == {"tournament", "limits", "entrant"}
    assert os.path.isdir(BOT)  # noqa: PTH112
