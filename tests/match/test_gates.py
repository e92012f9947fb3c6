"""A match as a gate for a build: sequential test, least rate, precision, time, files; by the real program."""

from __future__ import annotations

import json
import random
import shlex
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from dicegame.cli.gates import parse_elos, parse_rate
from dicegame.errors import InputError
from dicegame.match.gates import Floor, Outcome
from dicegame.match.play import GameResult
from dicegame.match.sequential import Decision, Sprt
from dicegame.match.watch import Ending, Watch
from tests.cli.process import run
from tests.hostile.harness import bwrap_works

BETTER = ("hold:at=300", "hold:at=1000")  # by about 100 Elo
NASTY = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1, "name": "nasty"}), flush=True)
    elif message["type"] == "decide":
        print("<script>alert(1)</script> | `x` \\x1b[31m \\x00 ]]>", flush=True)
"""


def match(*args: str) -> tuple[int, dict[str, Any]]:
    ended = run("match", *args, "--json")
    assert ended.returncode in {0, 1, 3, 4}, ended.stderr
    return ended.returncode, json.loads(ended.stdout)


def test_decision_is_made_by_the_same_blocks_whatever_the_workers() -> None:
    found = [
        match(*BETTER, "--games", "20000", "--sprt", "0,20", "--seed", "gates", "--workers", workers)
        for workers in ("1", "2")
    ]
    assert [code for code, _result in found] == [0, 0]
    one, two = (result["sprt"] for _code, result in found)
    assert one == two
    assert one["decision"] == "accept"
    assert found[0][1]["watched"] == found[1][1]["watched"]
    assert one["blocks"] >= 100
    assert one["elo"] == [0, 20]
    assert one["bounds"] == pytest.approx([-2.944, 2.944], abs=1e-3)
    assert one["llr"] >= 2.944
    assert one["saved"] == one["plain_games"] - 2 * one["blocks"] == 3931 - 2 * one["blocks"]
    for _code, result in found:
        assert result["ended"] == "decided"
        assert result["blocks"] >= result["sprt"]["blocks"]
        assert result["games"] < 20_000


def test_words_tell_the_decision_and_what_it_saved() -> None:
    ended = run("match", *BETTER[::-1], "--games", "20000", "--sprt", "0,20", "--seed", "gates")
    assert ended.returncode == 1
    words = " ".join(ended.stdout.split())
    assert "reject: hold:at=1000 against hold:at=300 is worth 0 Elo rather than 20; decided after" in words
    assert "games saved against a plain test (5% error, 95% power)" in words
    assert "95% interval that may be watched, after" in words


def test_undecided_is_a_code_of_its_own() -> None:
    code, result = match("house", "house", "--games", "60", "--sprt", "0,20")
    assert (code, result["sprt"]["decision"], result["sprt"]["blocks"]) == (4, "undecided", 30)
    assert result["sprt"]["saved"] is None
    assert (result["ended"], result["watched"]) == (None, None)
    quiet = run("match", "house", "house", "--games", "60", "--sprt", "0,20", "--quiet")
    assert (quiet.returncode, quiet.stderr) == (4, "")
    assert quiet.stdout.startswith("undecided between 0 and 20 Elo after 30 blocks (60 games): the log-likelihood")


def test_with_luck_taken_out_thirty_blocks_may_do() -> None:
    options = ("--games", "2000", "--sprt", "0,20", "--rules", "thousand", "--luck", "--seed", "gates")
    code, result = match("hold:at=300", "random", *options)
    assert (code, result["sprt"]["decision"], result["sprt"]["adjusted"]) == (0, "accept", True)
    assert 30 <= result["sprt"]["blocks"] < 100


@pytest.mark.parametrize(("players", "code"), [(BETTER, 0), (BETTER[::-1], 1)])
def test_least_rate_goes_by_what_is_found(players: tuple[str, str], code: int) -> None:
    found, result = match(*players, "--games", "200", "--fail-under", "50%", "--seed", "gates")
    assert found == code
    assert result["fail_under"]["floor"] == 0.5
    assert result["fail_under"]["rate"] == result["players"][0]["win_rate"]
    assert result["fail_under"]["passed"] == (code == 0)
    low, high = result["players"][0]["interval"]
    assert result["fail_under"]["certain"] == (not low <= 0.5 <= high)


def test_words_say_whether_the_interval_excludes_it() -> None:
    ended = run("match", *BETTER, "--games", "100", "--fail-under", "0.999", "--quiet")
    assert ended.returncode == 1
    assert "less than 99.90%; the 95% interval, " in " ".join(ended.stdout.split())
    assert "leaves no doubt" in " ".join(ended.stdout.split())
    doubtful = run("match", "house", "house", "--games", "20", "--fail-under", "0.45", "--quiet")
    assert doubtful.returncode == 0
    assert "does not exclude the opposite" in " ".join(doubtful.stdout.split())


def test_a_failure_goes_before_no_decision() -> None:
    code, result = match("house", "house", "--games", "20", "--sprt", "0,20", "--fail-under", "60")
    assert (code, result["sprt"]["decision"]) == (1, "undecided")


def test_precision_ends_a_match() -> None:
    code, result = match("house", "greedy", "--games", "100000", "--precision", "10%", "--target", "1000")
    assert (code, result["ended"]) == (0, "precision")
    low, high = result["watched"]
    assert (high - low) / 2 <= 0.1
    assert result["games"] < 20_000


def test_time_ends_a_match_and_a_test_without_decision() -> None:
    code, result = match("house", "house", "--games", "1000000", "--sprt", "-1,1", "--max-time", "1")
    assert (code, result["ended"], result["sprt"]["decision"]) == (4, "time", "undecided")
    assert result["games"] < 1_000_000
    told = run("match", "house", "house", "--games", "1000000", "--max-time", "0.001")
    assert told.returncode == 0
    assert "The time was over" in told.stdout


def test_nothing_played_is_no_failure_and_no_pass() -> None:
    assert Floor(0.5, 0.0, (0.0, 1.0), games=0).outcome is Outcome.UNDECIDED
    assert Floor(0.5, 0.5, (0.1, 0.9), games=2).outcome is Outcome.PASS


def test_quiet_says_nothing() -> None:
    ended = run("match", "house", "greedy", "--games", "2", "--quiet")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sprt", "20"), "two Elo differences"),
        (("--sprt", "20,0"), "two Elo differences"),
        (("--sprt", "nan,20"), "two Elo differences"),
        (("--fail-under", "most"), "a share such as 0.52 or 52%"),
        (("--fail-under", "101"), "a share such as"),
        (("--fail-under", "-0.1"), "a share such as"),
        (("--fail-under", "1"), "might be 1% or 100%"),
        (("--precision", "nan"), "a share such as"),
        (("--junit", "no/such/folder/file.xml"), "can't write"),
    ],
)
def test_what_makes_no_sense_is_said(options: tuple[str, ...], said: str) -> None:
    ended = run("match", "house", "greedy", "--games", "2", *options)
    assert ended.returncode == 2
    assert said in " ".join(ended.stderr.split())


def test_a_sequential_test_is_for_two() -> None:
    ended = run("match", "house", "greedy", "house", "--sprt", "0,20")
    assert ended.returncode == 2
    assert "--sprt is for two players" in ended.stderr


def test_rates_and_elos() -> None:
    for text in ("52%", "52", "0.52", " 52.0 %"):
        assert parse_rate(text, "--fail-under") == pytest.approx(0.52)
    assert (parse_rate("1%", "x"), parse_rate("1.0", "x"), parse_rate("0", "x")) == (0.01, 1, 0)
    assert parse_elos("-5, 5.5") == (-5, 5.5)
    for text in ("", "0,0", "0,2000", "a,b", "1,2,3", "inf,inf"):
        with pytest.raises(InputError):
            parse_elos(text)


@pytest.fixture
def nasty(tmp_path: Path) -> str:
    script = tmp_path / "nasty.py"
    script.write_text(NASTY)
    return shlex.join([sys.executable, str(script)])


def test_predictable_dice_are_no_gate_for_bots_outside_the_sandbox(nasty: str) -> None:
    for gate in (("--sprt", "0,20"), ("--fail-under", "0.5")):
        ended = run("match", nasty, "house", "--games", "2", "--seed", "x", "--sandbox", "none", *gate)
        assert ended.returncode == 2
        assert "with --seed" in ended.stderr
        assert "could know the dice" in " ".join(ended.stderr.split())
    plain = ("match", nasty, "house", "--games", "2", "--sandbox", "none")
    assert run(*plain, "--seed", "x").returncode == 0
    assert run(*plain, "--fail-under", "0.5").returncode == 1
    if bwrap_works():
        inside = run("match", nasty, "house", "--games", "2", "--seed", "x", "--fail-under", "0.5")
        assert inside.returncode == 1


def test_files_for_build_servers_hold_gates_and_faults_and_what_bots_say_is_harmless(
    nasty: str, tmp_path: Path
) -> None:
    junit, markdown = tmp_path / "junit.xml", tmp_path / "summary.md"
    files = ("--junit", str(junit), "--markdown", str(markdown))
    code, result = match(nasty, "house", "--games", "4", "--fail-under", "30", "--sprt", "0,20", *files)
    assert code == 1
    suite = ET.parse(junit).getroot()  # noqa: S314 - our own
    cases = {(case.get("classname"), case.get("name")): case.find("failure") for case in suite}
    name = result["players"][0]["name"]
    assert list(cases) == [
        ("gates", "--sprt 0,20"),
        ("gates", "--fail-under 30%"),
        (f"faults of {name}", "protocol"),
        ("faults of house", "none"),
    ]
    kinds = [None if failure is None else failure.get("type") for failure in cases.values()]
    assert kinds == ["undecided", "fail", "protocol", None]
    assert (suite.get("tests"), suite.get("failures")) == ("4", "3")
    faults = cases[f"faults of {name}", "protocol"]
    assert faults is not None
    assert faults.text is not None
    assert faults.text.count("dicegame play") == 4
    text = markdown.read_text(encoding="utf-8")
    assert "<script>" not in text
    assert "❌ `--fail-under 30%`" in text
    assert "❔ `--sprt 0,20`" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 4
    assert all(line.replace("\\|", "").count("|") == 7 for line in rows)
    assert not any(ord(character) < 32 and character != "\n" for character in text)


def game(block: int, rotation: int, share: float) -> GameResult:
    return GameResult(block, rotation, [0, 0], [share, 1 - share], "won", 1, [])


def test_blocks_are_taken_in_their_order_and_nothing_after_a_decision_counts() -> None:
    rng = random.Random(1)
    shares = [[float(rng.random() < 0.7) for _rotation in range(2)] for _block in range(400)]
    plain = Sprt(0, 40)
    for games in shares:
        plain.add(sum(games) / 2)
    assert plain.decision is Decision.ACCEPT
    for seed in range(5):
        order = list(range(400))
        random.Random(seed).shuffle(order)
        watch = Watch(sprt=Sprt(0, 40))
        for block in order:
            watch.take([game(block, rotation, share) for rotation, share in enumerate(shares[block])], 2)
        assert watch.ending is Ending.DECIDED
        assert watch.sprt == plain
        assert watch.used == plain.blocks


def test_a_gap_is_waited_for() -> None:
    watch = Watch()
    watch.take([game(block, rotation, 0.5) for block in (0, 1, 3) for rotation in range(2)], 2)
    assert watch.used == 2
    watch.take([game(2, rotation, 0.5) for rotation in range(2)], 2)
    assert watch.used == 4
