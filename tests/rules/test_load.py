"""Reading rule sets: what is refused, with its path and a remedy; every way a file can be bad; changes on the command line."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from dicegame.errors import Fault, RulesError
from dicegame.rules.load import MAX_BYTES, as_data, check, load, preset_text, presets
from dicegame.rules.model import HighDiceRules, PushLuckRules

SINGLES = "score.single = {1 = 100, 5 = 50}\n"


def faults_of(text: str) -> dict[str, Fault]:
    """Return the faults of a rule set written as TOML, by path; each with what is wrong and what would be right."""
    with pytest.raises(RulesError) as caught:
        check({"name": "mine", **tomllib.loads(text)}, "mine.toml")
    error = caught.value
    assert error.faults
    assert all(fault.what and fault.right for fault in error.faults)
    assert error.exit_code == 2
    lines = error.message.splitlines()
    assert lines[0].startswith("mine.toml: ")
    assert [line.strip() for line in lines[1:]] == [str(fault) for fault in error.faults]
    listed = error.as_json()["faults"]
    assert listed == [{"path": fault.path, "what": fault.what, "right": fault.right} for fault in error.faults]
    return {fault.path: fault for fault in error.faults}


REFUSED = [
    # What games.md lists.
    ("targte = 5000\n" + SINGLES, "targte", "no field", "target"),
    (SINGLES + "score.straight = 5", "score.straight", "no field", "straights"),
    (SINGLES + "house.bolt = 3", "house.bolt", "no field", "bolts"),
    (SINGLES + "penalty.bust = 3", "penalty.bust", "no field", "busts"),
    (SINGLES + "score.nothing.point = 3", "score.nothing.point", "no field", "points"),
    (SINGLES + "zzz = 3", "zzz", "no field", "known here: name, engine"),
    ("target = 5000", "score", "no die can ever score", "6 dice"),
    ("score.single = {1 = 0}", "score", "no die can ever score", "6 dice"),
    ("score.nothing.points = 500", "score", "no die can ever score", "6 dice"),
    (
        "dice = 4\nscore.straights = [{faces = [1, 2, 3, 4, 5], points = 5}]\n" + SINGLES,
        "score.straights[0].faces",
        "needs 5",
        "5",
    ),
    ("dice = 2\nscore.three = {1 = 100}\n" + SINGLES, "score.three", "needs 3 dice, but there are 2", "3"),
    ("dice = 3\nscore.four = {1 = 100}\n" + SINGLES, "score.four", "needs 4", "4"),
    ("dice = 4\nscore.five = {1 = 100}\n" + SINGLES, "score.five", "needs 5", "5"),
    ("dice = 5\nscore.six = {1 = 100}\n" + SINGLES, "score.six", "needs 6", "6"),
    ("dice = 5\nscore.three_pairs = 750\n" + SINGLES, "score.three_pairs", "needs 6", "6"),
    ("dice = 5\nscore.two_triplets = 750\n" + SINGLES, "score.two_triplets", "needs 6", "6"),
    ("dice = 5\nscore.four_and_pair = 750\n" + SINGLES, "score.four_and_pair", "needs 6", "6"),
    ("dice = 4\nscore.full_house = 750\n" + SINGLES, "score.full_house", "needs 5", "5"),
    ("target = 0\n" + SINGLES, "target", "too small", "1 or more"),
    ("targets = [0]\n" + SINGLES, "targets[0]", "too small", "1 or more"),
    ("target = 975\nreach = 'exact'\n" + SINGLES, "target", "975 can't be hit exactly", "sum"),
    ("target = 100\nreach = 'exact'\nscore.three = {1 = 60, 2 = 35}", "target", "100 can't be hit exactly", "sum"),
    ("targets = [5000, 10000, 10025]\nreach = 'exact'\n" + SINGLES, "targets[2]", "10025 can't", "sum"),
    ("target = 400\nreach = 'exact'\nminimum = 450\n" + SINGLES, "target", "at least 450", "450 or more"),
    ("target = 400\nreach = 'exact'\nopen = 450\n" + SINGLES, "target", "at least 450", "450 or more"),
    ("end = 'final-round'\nreach = 'exact'\n" + SINGLES, "reach", "final-round", "sudden"),
    ("end = 'final-round'\nhouse.barrel = 120\n" + SINGLES, "house.barrel", "final-round", "sudden"),
    ("end = 'final-round'\nhouse.pits = [[200, 300]]\n" + SINGLES, "house.pits", "final-round", "sudden"),
    ("seats = [4, 2]\n" + SINGLES, "seats", "wrong way round", "[2, 4]"),
    ("house.pits = [[300, 200]]\n" + SINGLES, "house.pits[0]", "wrong way round", "[200, 300]"),
    ("house.pits = [[200, 200]]\n" + SINGLES, "house.pits[0]", "wrong way round", "leave it out"),
    # What else can't be played.
    ("house.pits = [[600, 700], [200, 300]]\n" + SINGLES, "house.pits[1]", "out of order", "ascending"),
    ("house.pits = [[200, 300], [250, 400]]\n" + SINGLES, "house.pits[1]", "overlap", "ascending"),
    ("house.pits = [[9000, 11000]]\n" + SINGLES, "house.pits[0]", "between 1 and 10000", "[9000, 10000]"),
    ("house.pits = [[0, 300]]\n" + SINGLES, "house.pits[0]", "between 1", "[1, 300]"),
    ("house.pits = [[20000, 30000]]\n" + SINGLES, "house.pits[0]", "between 1", "leave it out"),
    ("house.barrel = 10000\n" + SINGLES, "house.barrel", "as wide as the whole target", "less"),
    ("seats = [0, 4]\n" + SINGLES, "seats", "1 to 8 seats", "[1, 4]"),
    ("seats = [2, 9]\n" + SINGLES, "seats", "1 to 8 seats", "[2, 8]"),
    ("instant_win = [[1, 1, 1]]\n" + SINGLES, "instant_win[0]", "3 faces", "6"),
    ("dice = 2\npair_left = [2]\n" + SINGLES, "pair_left", "needs 3", "3"),
    ("dice = 1\nhot_dice = 'must-roll'\n" + SINGLES, "hot_dice", "nothing could ever be banked", "may-bank"),
    ("engine = 'highdice'\nrule = 'triple-pair'\ndice = 4", "dice", "three dice", "3"),
    ("engine = 'highdice'\nseats = [1, 4]", "seats", "two players", "[2, 4]"),
    ("engine = 'highdice'\nscore.three_pairs = 4", "score", "no field", "known here"),
    ("engine = 'chess'", "engine", "no such choice", "pushluck"),
    ("engine = 5", "engine", "no such choice", "pushluck"),
    # Single fields: types and bounds.
    ("dice = '6'\n" + SINGLES, "dice", "not a whole number", "like 500"),
    ("dice = true\n" + SINGLES, "dice", "not a whole number", "like 500"),
    ("dice = 7\n" + SINGLES, "dice", "too large", "6 or less"),
    ("dice = 0\n" + SINGLES, "dice", "too small", "1 or more"),
    ("target = 5000.0\n" + SINGLES, "target", "not a whole number", "like 500"),
    ("target = 2026-01-01\n" + SINGLES, "target", "not a whole number", "like 500"),
    ("floor = nan\n" + SINGLES, "floor", "not a whole number", "like 500"),
    ("floor = 1\n" + SINGLES, "floor", "too large", "0 or less"),
    ("open = -1\n" + SINGLES, "open", "too small", "0 or more"),
    (f"target = 0x{'f' * 5000}\n" + SINGLES, "target", "too large", "1000000000 or less"),
    (f"seats = [0x{'f' * 5000}, 1]\n" + SINGLES, "seats[0]", "too large", "or less"),
    ("seats = [2]\n" + SINGLES, "seats[1]", "missing", "give"),
    ("seats = [2, 3, 4]\n" + SINGLES, "seats", "too many entries", "2 or fewer"),
    ("seats = 4\n" + SINGLES, "seats", "not a list", "[1, 5]"),
    ("seats = {2 = 4}\n" + SINGLES, "seats", "not a list", "[1, 5]"),
    ("end = 'never'\n" + SINGLES, "end", "no such choice", '"final-round", "sudden"'),
    ("hot_dice = ['may-bank']\n" + SINGLES, "hot_dice", "no such choice", '"must-roll"'),
    ("tie = 'first'\n" + SINGLES, "tie", "no such choice", '"share"'),
    ("name = 5\n" + SINGLES, "name", "not a text", "quotes"),
    ("name = ''\n" + SINGLES, "name", "empty", "one character"),
    ('name = "a\\u001bb"\n' + SINGLES, "name", "can't be shown", "letters"),
    (f"name = '{'x' * 61}'\n" + SINGLES, "name", "too long", "60"),
    ("score = 5", "score", "not a table", "[name]"),
    ("score.single = [100]", "score.single", "not a table", "{1 = 100, 5 = 50}"),
    ("score.single = {7 = 100, 1 = 100}", "score.single.7", "no face of a die", "1 to 6"),
    ("score.single = {one = 100, 1 = 100}", "score.single.one", "no face of a die", "1 to 6"),
    ("score.single = {01 = 100, 1 = 100}", "score.single.01", "no face of a die", "1 to 6"),
    ("score.single = {1 = -100, 5 = 50}", "score.single.1", "too small", "0 or more"),
    ("score.single = {1 = '100', 5 = 50}", "score.single.1", "not a whole number", "like 500"),
    ("score.straights = [{faces = [1, 7], points = 5}]\n" + SINGLES, "score.straights[0].faces[1]", "too large", "6"),
    ("score.straights = [{faces = [1], points = 5}]\n" + SINGLES, "score.straights[0].faces", "too few", "2 or more"),
    ("score.straights = [{faces = [1, 2]}]\n" + SINGLES, "score.straights[0].points", "missing", "give"),
    (
        "score.nothing.roll_again = 1\n" + SINGLES,
        "score.nothing.roll_again",
        "neither true nor false",
        "true, or false",
    ),
]


@pytest.mark.parametrize(
    ("text", "path", "what", "right"), REFUSED, ids=[f"{i}-{row[1]}" for i, row in enumerate(REFUSED)]
)
def test_a_fault_is_refused_with_its_path_the_reason_and_what_is_right(
    text: str, path: str, what: str, right: str
) -> None:
    found = faults_of(text)
    assert list(found) == [path]
    assert what in found[path].what
    assert right in found[path].right


@pytest.mark.parametrize(
    "text",
    [
        "target = 975\nreach = 'exact'\nscore.single = {1 = 100, 5 = 25}",
        "target = 95\nreach = 'exact'\nscore.three = {1 = 60, 2 = 35}",
        "target = 500\nreach = 'exact'\nscore.single = {1 = 300}\nscore.nothing.points = 500",
        "target = 450\nreach = 'exact'\nminimum = 450\n" + SINGLES,
        "target = 999999999\nreach = 'exact'\nscore.single = {1 = 3}",
        "house.pits = [[200, 300], [300, 400]]\nhouse.barrel = 9600\n" + SINGLES,
        "dice = 1\nscore.single = {6 = 1}",
        "seats = [8, 8]\n" + SINGLES,
        "dice = 2\nhot_dice = 'must-roll'\nscore.straights = [{faces = [1, 2], points = 5}]\n" + SINGLES,
        "engine = 'highdice'\nto = 1000\ndice = 5",
    ],
)
def test_what_can_be_played_is_not_refused(text: str) -> None:
    assert check({"name": "mine", **tomllib.loads(text)}, "mine.toml").name == "mine"


def test_every_fault_is_told_at_once_those_of_one_field_and_those_of_several() -> None:
    found = faults_of(
        """
        name = ""
        dice = 5
        target = 0
        seats = [7, 1]
        end = "final-round"
        reach = "exact"
        open = "much"
        pair_lfet = [2]
        instant_win = [[1, 1]]
        [score]
        single = {1 = 100, 8 = 50}
        six = {1 = 8000}
        three_pairs = 750
        straights = [{faces = [1, 2, 3], points = 0}]
        [house]
        barrel = 120
        pits = [[5]]
        [penalty]
        points = -1
        """
    )
    assert set(found) == {
        *("name", "target", "seats", "reach", "open", "pair_lfet", "instant_win[0]", "score.single.8", "score.six"),
        *("score.three_pairs", "score.straights[0].points", "house.barrel", "house.pits[0][1]", "penalty.points"),
    }


def test_a_fault_hides_what_can_not_be_judged_without_its_field() -> None:
    """Nothing is said of fields together where one of them is not known; each would be a guess."""
    assert list(faults_of("score.single = {1 = -100}")) == ["score.single.1"]
    assert list(faults_of("dice = 7\ninstant_win = [[1, 1, 1, 1, 1, 1, 1]]\n" + SINGLES)) == ["dice"]
    assert list(faults_of("target = 'far'\nhouse.pits = [[20000, 30000]]\n" + SINGLES)) == ["target"]
    assert list(faults_of("reach = 'exact'\nscore.single = {1 = 100, 5 = '50'}\ntarget = 950")) == ["score.single.5"]
    assert list(faults_of("engine = 'highdice'\nrule = 'triple-pair'\ndice = 'three'\nseats = '2'")) == [
        "dice",
        "seats",
    ]


def test_without_a_name_the_other_faults_are_told_as_well() -> None:
    with pytest.raises(RulesError) as caught:
        check({"seats": [5, 2], "score": {"single": {"1": 1}}}, "record")
    assert [fault.path for fault in caught.value.faults] == ["name", "seats"]


# Files


def write(path: Path, content: str | bytes) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def refusal_of(source: str, *changes: str) -> str:
    with pytest.raises(RulesError) as caught:
        load(source, changes)
    return caught.value.message


def test_a_file_is_read_as_toml_and_takes_its_name_from_its_path(tmp_path: Path) -> None:
    rules = load(write(tmp_path / "mine.toml", SINGLES))
    assert rules.name == "mine"
    assert load(write(tmp_path / "other.rules", 'name = "own"\n' + SINGLES)).name == "own"
    assert load(write(tmp_path / "bom.toml", "\ufeff" + SINGLES)) == rules.model_copy(update={"name": "bom"})
    assert load(write(tmp_path / "crlf.toml", SINGLES.replace("\n", "\r\n"))).name == "crlf"


@pytest.mark.parametrize("name", presets())
def test_a_json_file_is_read_as_rules_show_prints_it(name: str, tmp_path: Path) -> None:
    rules = load(name)
    assert load(write(tmp_path / "shown.json", json.dumps(as_data(rules)))) == rules
    assert load(write(tmp_path / "bom.json", "\ufeff" + json.dumps(as_data(rules), indent=2))) == rules


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("latin.toml", b"name = '\xe9'\n", "not UTF-8"),
        ("binary.toml", bytes(range(256)), "not UTF-8"),
        ("utf16.toml", SINGLES.encode("utf-16"), "not UTF-8"),
        ("nul.toml", b"name = '\0'\n", "can't be read"),
        ("empty.toml", b"", "no die can ever score"),
        ("words.toml", b"this is no rule set", "can't be read"),
        ("twice.toml", b"dice = 5\ndice = 6\n", "can't be read"),
        ("huge-number.toml", b"target = " + b"9" * 5000, "can't be read"),
        ("deep.toml", b"score = " + b"[" * 20000, "can't be read"),
        ("deep-keys.toml", b"[" + b".".join([b"a"] * 3000) + b"]\nb = 1\n", "a: is no field"),
        ("large.toml", b"#" * (MAX_BYTES + 1), "too large"),
        ("empty.json", b"", "can't be read"),
        ("words.json", b"{dice: 5}", "can't be read"),
        ("list.json", b"[1, 2]", "not a table of fields"),
        ("number.json", b"5", "not a table of fields"),
        ("null.json", b"null", "not a table of fields"),
        ("deep.json", b'{"score":' + b"[" * 20000 + b"]" * 20000 + b"}", "can't be read"),
        ("less-deep.json", b'{"score":' + b"[" * 900 + b"]" * 900 + b"}", "score: is not a table"),
        ("huge-number.json", b'{"target": ' + b"9" * 5000 + b"}", "can't be read"),
        ("surrogate.json", b'{"\\ud800": 1, "score": {"single": {"1": 1}}}', "can't be shown"),
        ("surrogate-name.json", b'{"name": "\\ud800", "score": {"single": {"1": 1}}}', "name: has characters"),
        ("nan.json", b'{"target": NaN, "score": {"single": {"1": 1}}}', "target: is not a whole number"),
        ("key.json", b'{"[key]": 1, "score": {"[key]": 2, "single": {"1": 1}}}', "[key]: is no field"),
        ("null-field.json", b'{"target": null, "score": {"single": {"1": 1}}}', "target: is not a whole number"),
    ],
)
def test_a_file_that_is_no_rule_set_is_refused_in_words(file: str, content: bytes, said: str, tmp_path: Path) -> None:
    message = refusal_of(write(tmp_path / file, content))
    assert said in message
    assert file in message


def test_what_is_no_file_is_refused_in_words(tmp_path: Path) -> None:
    assert "did you mean ten-thousand?" in refusal_of("ten-thousnd")
    assert "rules list" in refusal_of("quite another")
    assert "no file named" in refusal_of("")
    assert "no file named" in refusal_of(str(tmp_path))
    assert "no file named" in refusal_of(str(tmp_path / "missing.toml"))
    assert "no file named" in refusal_of(write(tmp_path / "a.toml", SINGLES) + "/b.toml")
    assert "no file named" in refusal_of("a\0b")
    assert "can't read" in refusal_of("x" * 5000)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert "no file named" in refusal_of(str(tmp_path / "loop"))
    os.mkfifo(tmp_path / "fifo")
    assert "no file named" in refusal_of(str(tmp_path / "fifo"))


def test_a_file_that_can_not_be_read_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "closed.toml"
    write(path, SINGLES)
    path.chmod(0)
    unreadable = str(path) if os.geteuid() else "/proc/self/mem"  # root reads everything but what gives an I/O error
    assert f"can't read {unreadable}: " in refusal_of(unreadable)


def test_an_error_shows_no_control_characters_of_a_name(tmp_path: Path) -> None:
    for message in (refusal_of("\x1b[31mred\n"), refusal_of(write(tmp_path / "a\x1bb.toml", "x = ["))):
        assert "\x1b" not in message
        assert "\n" not in message


def test_a_fault_shows_no_control_characters_of_a_field() -> None:
    with pytest.raises(RulesError) as caught:
        check({"name": "x", "a\x1b\nb": 1, "score": {"single": {"\x1b": 1}}}, "w\x1b")
    assert "\x1b" not in caught.value.message
    assert len(caught.value.message.splitlines()) == 1 + len(caught.value.faults)


# Changes


@pytest.mark.parametrize(
    ("change", "path", "value"),
    [
        ("target=5000", "target", 5000),
        (" target = 5_000 ", "target", 5000),
        ("score.three_pairs=1500", "score.three_pairs", 1500),
        ("score.single={1 = 10}", "score.single", {"1": 10}),
        ("score.single.6=60", "score.single", {"1": 100, "5": 50, "6": 60}),
        ("score.straights=[{faces = [1, 2, 3], points = 5}]", "score.straights", [{"faces": [1, 2, 3], "points": 5}]),
        ("score.nothing.roll_again=true", "score.nothing.roll_again", True),
        ("end=sudden", "end", "sudden"),
        ('end="sudden"', "end", "sudden"),
        ("hot_dice = must-roll", "hot_dice", "must-roll"),
        ("seats=[2, 4]", "seats", [2, 4]),
        ("pair_left=[2,3]", "pair_left", [2, 3]),
        ("house.dump_truck=555", "house.dump_truck", 555),
        ("penalty.busts=3", "penalty.busts", 3),
        ("name=my own rules", "name", "my own rules"),
        ("name=a=b", "name", "a=b"),
        ("floor=-500", "floor", -500),
    ],
)
def test_a_change_sets_one_field(change: str, path: str, value: object) -> None:
    changed: Any = as_data(load("ten-thousand", [change]))
    expected: Any = as_data(load("ten-thousand"))
    *tables, field = path.split(".")
    place = expected
    for table in tables:
        place = place[table]
    place[field] = value
    assert changed == expected


def test_changes_apply_in_their_order_and_the_target_last() -> None:
    rules = load("thousand", ["target=500", "target=700", "open=50"], target=800)
    assert isinstance(rules, PushLuckRules)
    assert (rules.target, rules.open) == (800, 50)
    assert isinstance(load("high-dice", ["dice=2", "rule=sum-low"]), HighDiceRules)


def test_changes_of_one_call_leave_no_trace_in_the_next() -> None:
    load("core", ["score.single.6=60", "house.bolts=2"])
    assert as_data(load("core")) == as_data(check(tomllib.loads(preset_text("core")), "core"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("target", "target: is not FIELD=VALUE"),
        ("", "is not FIELD=VALUE"),
        ("=5", "=5: is not FIELD=VALUE"),
        ("score..single=5", "is not FIELD=VALUE"),
        (".target=5", "is not FIELD=VALUE"),
        ("target=", "target: is not a whole number"),
        ("target=much", "target: is not a whole number"),
        ("target=5\nend = 'sudden'", "target: is not a whole number"),
        ("target=" + "9" * 5000, "target: is not a whole number"),
        ("target=" + "[" * 5000, "target: is not a whole number"),
        ("target=-5", "target: is too small"),
        ("traget=5", "traget: is no field of a rule set; did you mean target?"),
        ("target.x=5", "target.x: is not a table"),
        ("score.straights.0.points=5", "score.straights.0.points: is not a table"),
        ("score.single.7=5", "score.single.7: is no face of a die"),
        ("engine=highdice", "score: is no field"),
        (".".join("a" * 5000) + "=1", "a: is no field"),
        ("\ud800=1", "can't be shown"),
        ("name=\ud800", "name: has characters that can't be shown"),
    ],
)
def test_a_change_that_can_not_be_made_is_refused_in_words(change: str, said: str) -> None:
    assert said in refusal_of("ten-thousand", change)


def test_a_bad_change_is_told_together_with_the_other_faults() -> None:
    message = refusal_of("ten-thousand", "nonsense", "dice=9", "seats=[3, 2]")
    assert "3 faults" in message
    assert all(path in message for path in ("nonsense:", "dice:", "seats:"))
