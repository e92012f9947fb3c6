"""`rules`, `score` and `odds` as a user runs them: real processes, their output, their exit codes."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from dicegame import __version__
from dicegame.rules.load import as_data, load, preset_text, presets
from dicegame.rules.model import PushLuckRules
from dicegame.rules.table import Table
from tests.cli.process import run

NARROW = {"COLUMNS": "40"}


def result(*args: str) -> Any:
    """Return the one JSON object that a command prints, which must succeed."""
    done = run(*args, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def refused(*args: str) -> str:
    """Return what a command says on stderr, which must be refused for its input."""
    done = run(*args)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


def error(*args: str) -> Any:
    """Return the error object of a command under --json."""
    return json.loads(refused(*args, "--json"))["error"]


# -- score


def test_score_tells_the_keeps_of_a_roll_as_the_contract_has_it() -> None:
    assert result("score", "5", "1", "3") == {
        "rules": "ten-thousand",
        "dice": [1, 3, 5],
        "bust": False,
        "instant_win": False,
        "options": [
            {
                "keep": [1, 5],
                "points": 150,
                "roll": 1,
                "parts": [
                    {"dice": [1], "points": 100, "is": "single die"},
                    {"dice": [5], "points": 50, "is": "single die"},
                ],
            },
            {"keep": [1], "points": 100, "roll": 2, "parts": [{"dice": [1], "points": 100, "is": "single die"}]},
            {"keep": [5], "points": 50, "roll": 2, "parts": [{"dice": [5], "points": 50, "is": "single die"}]},
        ],
    }


def test_score_says_that_a_roll_is_a_bust_and_that_is_no_failure() -> None:
    scored = result("score", "234466")
    assert scored["bust"] is True
    assert scored["options"] == []
    done = run("score", "234466")
    assert (done.returncode, done.stdout) == (0, "2 3 4 4 6 6 is a bust: nothing scores.\n")


@pytest.mark.parametrize("dice", [["1", "5", "3"], ["153"], ["1,5", "3"], ["1,5,3"], ["1 5 3"]])
def test_dice_may_be_written_in_several_ways(dice: list[str]) -> None:
    assert run("score", *dice).stdout == (
        "1 5: 150 = 100 (single die 1) + 50 (single die 5); 1 die left to roll\n"
        "1: 100 (single die); 2 dice left to roll\n"
        "5: 50 (single die); 2 dice left to roll\n"
    )


def test_score_says_what_comes_back() -> None:
    assert run("score", "234561").stdout.startswith("1 2 3 4 5 6: 1500 (straight); hot dice, all 6 dice come back\n")
    assert "a pair is left, all 5 dice come back" in run("score", "11533", "--rules", "thousand").stdout
    assert "all 6 dice come back (no bank)" in run("score", "123456", "--rules", "dix-mille").stdout
    assert run("score", "11111", "--rules", "thousand").stdout.startswith("1 1 1 1 1 wins the game at once.\n")
    assert result("score", "11111", "--rules", "thousand")["instant_win"] is True


def test_equal_parts_are_told_together() -> None:
    assert run("score", "1125").stdout.startswith("1 1 5: 250 = 2 x 100 (single die 1) + 50 (single die 5); 1 die left")


def test_a_roll_in_which_nothing_scores_may_earn_points() -> None:
    scored = result("score", "223446", "--rules", "zilch")
    part = {"dice": [2, 2, 3, 4, 4, 6], "points": 500, "is": "nothing scores"}
    assert scored["options"] == [{"keep": [2, 2, 3, 4, 4, 6], "points": 500, "roll": 6, "parts": [part]}]
    assert result("score", "2234", "--rules", "zilch")["bust"] is True


def test_changes_to_the_rules_are_scored() -> None:
    options = result("score", "123456", "--set", "score.straights=[]", "--set", "score.single.6=10")["options"]
    assert [option["points"] for option in options] == [160, 150, 110, 100, 60, 50, 10]


@pytest.mark.parametrize("name", ["ten-thousand", "cardgames", "thousand"])
def test_the_parts_add_up_to_the_points_and_to_the_keep(name: str) -> None:
    for option in result("score", "11155", "--rules", name)["options"]:
        assert sum(part["points"] for part in option["parts"]) == option["points"]
        assert sorted(die for part in option["parts"] for die in part["dice"]) == option["keep"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["7"], "7 is not the face of a die: the faces are 1 to 6"),
        (["1", "0"], "0 is not the face of a die: the faces are 1 to 6"),
        (["1", "x"], "x is not the face of a die"),
        (["1111111"], "a roll of this rule set has at most 6 dice, not 7"),
        (["111111", "--rules", "thousand"], "a roll of this rule set has at most 5 dice, not 6"),
        ([""], "no dice given: name the faces of a roll, like 1 5 3"),
        (["1", "--rules", "high-dice"], "high-dice has no keeps and banks"),
        (["1", "--rules", "tenthousand"], "did you mean ten-thousand?"),
        (["1", "--set", "score.singel=3"], "score.singel: is no field of a rule set; did you mean single?"),
    ],
)
def test_what_can_not_be_scored_is_refused_in_a_sentence(args: list[str], said: str) -> None:
    message = refused("score", *args)
    assert message.startswith("dicegame: ")
    assert said in message
    assert said in error("score", *args)["message"] + "\n" + refused("score", *args)


def test_errors_under_json_are_one_object_with_a_code() -> None:
    assert error("score", "17") == {
        "code": "dice", "message": "7 is not the face of a die: the faces are 1 to 6", "face": 7,
    }  # fmt: skip
    assert error("score")["code"] == "usage"
    assert error("rules", "show", "nowhere.toml")["code"] == "rules"


def test_an_option_is_one_line_in_a_pipe_and_wrapped_on_a_screen() -> None:
    assert len(run("score", "111555").stdout.splitlines()) == len(result("score", "111555")["options"])
    lines = run("score", "15", env={"COLUMNS": "40"}).stdout.splitlines()
    assert lines[:2] == ["1 5: 150 = 100 (single die 1) + 50", "  (single die 5); hot dice, all 6 dice"]


# -- odds


def test_odds_tell_chances_and_the_best_turn_as_the_contract_has_it() -> None:
    odds = result("odds")
    assert list(odds) == ["rules", "bust", "hot_dice", "turn"]
    assert odds["rules"] == "ten-thousand"
    assert [chance["exact"] for chance in odds["bust"]] == ["2/3", "4/9", "5/18", "17/108", "25/324", "5/216"]
    assert odds["bust"][0] == {"dice": 1, "exact": "2/3", "probability": 2 / 3}
    assert [chance["dice"] for chance in odds["hot_dice"]] == [1, 2, 3, 4, 5, 6]
    assert odds["hot_dice"][0] == {"dice": 1, "exact": "1/3", "probability": 1 / 3}
    assert odds["turn"]["most_points"] == pytest.approx(553.9872436, abs=1e-6)
    assert odds["turn"]["bank_at"] == [300, 250, 450, 1050, 3100, 16550]


def test_odds_of_a_turn_that_never_ends_have_null_for_the_most() -> None:
    every_face = "score.single={1=100, 2=20, 3=30, 4=40, 5=50, 6=60}"
    assert result("odds", "--set", every_face)["turn"] == {"most_points": None, "bank_at": [None] * 6}
    assert "for ever" in run("odds", "--set", every_face).stdout


def test_odds_are_an_aligned_table() -> None:
    lines = run("odds").stdout.splitlines()
    assert lines[0] == "ten-thousand: what a roll and a turn are worth"
    assert lines[2:5] == [
        "dice            bust        hot dice  bank from",
        "   1     2/3 = 66.7%     1/3 = 33.3%        300",
        "   2     4/9 = 44.4%     1/9 = 11.1%        250",
    ]
    assert "A turn makes 553.99 points on average" in "\n".join(lines)
    assert len({len(line) for line in lines[2:9]}) == 1


def test_odds_are_sentences_where_a_table_does_not_fit_or_is_not_read() -> None:
    assert "1 die: bust 2/3 = 66.7%, hot dice 1/3" in run("odds", env=NARROW).stdout
    arabic = run("odds", "--lang", "ar").stdout
    assert "\u20662/3 = 66.7%\u2069" in arabic
    assert len([line for line in arabic.splitlines() if "2/3" in line]) == 1


def test_a_number_of_dice_with_which_one_never_banks_is_told() -> None:
    assert run("odds", "--rules", "zilch").stdout.splitlines()[8].split()[-1] == "never"
    assert result("odds", "--rules", "zilch")["bust"][5] == {"dice": 6, "exact": "0", "probability": 0.0}


# -- rules


def test_rules_list_names_every_preset_with_a_line() -> None:
    done = run("rules", "list")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines()] == presets()
    assert "ten-thousand      push your luck, 6 dice, to 10000, with a final round\n" in done.stdout
    listed = result("rules", "list")["rules"]
    assert [rules["name"] for rules in listed] == presets()
    assert listed[0] == {"name": "ten-thousand", "engine": "pushluck", "dice": 6, "target": 10000, "seats": [1, 7]}
    assert listed[2]["target"] is None


@pytest.mark.parametrize("name", ["dix-mille", "thousand-classic", "high-dice"])
def test_rules_show_prints_the_whole_rule_set_as_messages_carry_it(name: str) -> None:
    assert result("rules", "show", name) == json.loads(json.dumps(as_data(load(name))))


def test_rules_show_tells_the_rules_in_words() -> None:
    done = run("rules", "show", "thousand", "--target", "500")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("thousand\n\nThe game\n  - Played with 5 dice.\n")
    assert "Whoever first banks a score of 500 or more wins at once." in done.stdout
    assert "\x1b" not in done.stdout


def test_titles_are_bold_only_where_colour_is_wanted() -> None:
    assert "\x1b[1mthousand" in run("rules", "show", "thousand", env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b" not in run("rules", "show", "thousand", env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout


@pytest.mark.parametrize("language", ["en", "fr", "ru", "ar"])
@pytest.mark.parametrize(
    "args",
    [
        ["rules", "list"], ["rules", "show", "thousand-classic"], ["rules", "show", "high-dice"], ["odds"],
        ["score", "111555"], ["score", "223446", "--rules", "zilch"],
    ],
)  # fmt: skip
def test_forty_columns_are_enough_in_every_language(args: list[str], language: str) -> None:
    done = run(*args, "--lang", language, env=NARROW)
    assert (done.returncode, done.stderr) == (0, "")
    shown = [
        line.translate({0x2066: None, 0x2067: None, 0x2068: None, 0x2069: None}) for line in done.stdout.splitlines()
    ]
    assert max(map(len, shown)) <= 40
    # what reads left to right in Arabic is not torn apart
    assert all(line.count("\u2066") + line.count("\u2068") == line.count("\u2069") for line in done.stdout.splitlines())


@pytest.mark.parametrize("name", ["dix-mille", "thousand-classic", "high-dice"])
def test_the_file_to_begin_house_rules_from_is_that_of_the_preset(name: str, tmp_path: Path) -> None:
    shown = run("rules", "show", name, "--toml").stdout
    assert shown == preset_text(name)
    changed = run("rules", "show", name, "--toml", "--set", "seats=[2, 3]").stdout
    file = tmp_path / "mine.toml"
    file.write_text(changed, encoding="utf-8")
    assert load(str(file)) == load(name, ["seats=[2, 3]"])
    assert "seats = [2, 3]\n" in changed


def test_a_file_is_shown_as_toml_too(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(
        '{"name": "mine", "score": {"single": {"1": 100}}, "house": {"pits": [[20, 30], [40, 50]]}}', encoding="utf-8"
    )
    shown = tomllib.loads(run("rules", "show", str(file), "--toml").stdout)
    assert shown["name"] == "mine"
    assert shown["house"]["pits"] == [[20, 30], [40, 50]]


def test_a_file_is_one_kind_of_text_at_a_time() -> None:
    assert "exclude each other" in error("rules", "show", "core", "--toml")["message"]


def test_rules_check_says_that_a_file_is_right(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("dice = 3\ntarget = 500\nscore = {single = {1 = 100}}\n", encoding="utf-8")
    done = run("rules", "check", str(file), env={"COLUMNS": "100"})
    assert (done.returncode, done.stderr) == (0, "")
    said = " ".join(done.stdout.split())
    assert said.endswith("mine.toml is right: push your luck, 3 dice, the first at 500 wins")
    checked = result("rules", "check", str(file))
    assert checked == {"valid": True, "name": "mine", "engine": "pushluck", "dice": 3, "target": 500, "seats": [1, 7]}


def test_rules_check_tells_every_fault_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text('dice = 9\ntarget = 0\nend = "soon"\ncolour = 1\n[score]\nsingle = {1 = "x"}\n', encoding="utf-8")
    message = refused("rules", "check", str(file))
    for path in ("dice:", "target:", "end:", "colour:", "score.single.1:"):
        assert path in message
    told = error("rules", "check", str(file))
    assert told["code"] == "rules"
    assert {"dice", "target", "end", "colour", "score.single.1"} <= {fault["path"] for fault in told["faults"]}


@pytest.mark.parametrize("content", [b"\xff\xfe", b"dice = ", b"[[[[", b""])
def test_a_file_that_is_no_rule_set_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "odd.toml"
    file.write_bytes(content)
    assert "odd.toml" in refused("rules", "check", str(file))
    assert "nowhere.toml" in refused("rules", "check", "nowhere.toml")
    assert refused("rules", "check", str(tmp_path))


def test_words_from_a_file_can_not_steer_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "odd.toml"
    file.write_text('name = "a\u202eb"\nscore = {single = {1 = 100}}\n', encoding="utf-8")
    for args in (["rules", "show"], ["odds", "--rules"]):
        assert "\u202e" not in run(*args, str(file)).stdout


# -- all of them


@pytest.mark.parametrize(
    "args", [["score"], ["odds"], ["rules"], ["rules", "list"], ["rules", "show"], ["rules", "check"]], ids=" ".join
)
def test_help_is_there_and_light(args: list[str]) -> None:
    code = (
        "import sys; from dicegame.cli.main import run; code = run(sys.argv[1:]); "
        "print(sorted({m.partition('.')[0] for m in sys.modules} & {'pydantic', 'tomli_w', 'numpy', 'rich', 'fractions'}), code)"
    )
    done = run(*args, "--help", command=(sys.executable, "-c", code))
    assert done.stderr == ""
    assert done.stdout.startswith("Usage: dicegame " + " ".join(args))
    assert "--lang" in done.stdout
    assert done.stdout.endswith("\n[] 0\n")


def test_the_options_that_results_share_are_on_every_command() -> None:
    for args in (["score"], ["odds"], ["rules", "show"]):
        said = run(*args, "--help").stdout
        assert all(option in said for option in ("--json", "--set", "--target", "--lang"))


def test_an_output_that_knows_no_foreign_letters_is_written_all_the_same() -> None:
    for args in (["rules", "show", "thousand-classic"], ["odds"], ["score", "111"]):
        done = run(*args, "--lang", "ru", env={"PYTHONIOENCODING": "ascii"})
        assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_leaves_early_leaves_no_traceback() -> None:
    line = f"{sys.executable} -m dicegame rules show thousand-classic | head -n 1"
    done = run(command=("sh", "-c", line))
    assert done.stdout == "thousand-classic\n"
    assert "Traceback" not in done.stderr


def test_the_program_plays_by_the_table_that_it_shows() -> None:
    rules = load("ten-thousand")
    assert isinstance(rules, PushLuckRules)
    table = Table(rules)
    shown = result("score", "112346")["options"]
    assert [(tuple(o["keep"]), o["points"], o["roll"]) for o in shown] == [
        (k.keep, k.points, k.roll) for k in table.roll((1, 1, 2, 3, 4, 6)).keeps
    ]


def test_python_m_dicegame_is_the_command() -> None:
    done = run("--version", command=(sys.executable, "-m", "dicegame"))
    assert (done.returncode, done.stdout) == (0, f"dicegame {__version__}\n")
