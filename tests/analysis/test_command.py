"""`dicegame analyze` as it is run: its JSON, its words, its picture, and what it says of records that it can't judge."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as ET

import pytest
from pydantic import BaseModel, ConfigDict

from tests.analysis.games import CLOSE, lines_of
from tests.cli.process import run

SVG = "{http://www.w3.org/2000/svg}"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
Grade = Literal["fine", "doubtful", "bad", "very bad"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Answer(_Strict):
    keep: list[int]
    bank: bool


class Decision(Answer):
    seat: int
    turn: int
    roll: int
    dice: list[int]
    turn_points: int
    best: Answer
    value: float
    best_value: float
    loss: float
    grade: Grade
    forced: bool
    substituted: bool


class Roll(_Strict):
    seat: int
    turn: int
    roll: int
    dice: list[int]
    luck: float
    lucks: list[float]
    together: bool


class Player(_Strict):
    name: str
    error_rate: float | None
    errors: float
    luck: float
    result: float | None
    adjusted: float | None
    start: float
    end: float
    given: float
    rounding: float
    other: float
    decisions: int
    grades: dict[Grade, int]


class Values(_Strict):
    checksum: str
    rounding: float


class Moment(_Strict):
    seat: int
    turn: int
    chances: list[float]


class Analysis(_Strict):
    rules: str
    complete: bool
    reason: str | None
    approximate: bool
    values: Values | None
    players: list[Player]
    decisions: list[Decision]
    rolls: list[Roll]
    chances: list[Moment]


def record(path: Path, *arguments: str, code: int = 0) -> Path:
    ended = run("play", "--json", *arguments, "--record", str(path))
    assert ended.returncode == code, ended.stderr
    return path


def analysis(path: Path, *arguments: str) -> Analysis:
    ended = run("analyze", "--json", str(path), *arguments)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.count("\n") == 1
    return Analysis.model_validate_json(ended.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("analysis")


@pytest.fixture(scope="module")
def two(folder: Path) -> Path:
    return record(folder / "two", "thousand", "house", "Ann=random", "--seed", "d")


@pytest.fixture(scope="module")
def three(folder: Path) -> Path:
    return record(folder / "three", "ten-thousand", "house", "random", "greedy", "--target", "2000", "--seed", "a")


@pytest.fixture(scope="module")
def high(folder: Path) -> Path:
    return record(folder / "high", "high-dice", "house", "random", "--set", "to=3", "--seed", "a")


# JSON


def test_every_throw_and_decision_of_the_record_is_judged(two: Path, three: Path, high: Path) -> None:
    for path in (two, three, high):
        found = analysis(path)
        lines = lines_of(path)
        thrown = [(line["seat"], line["turn"], line["roll"], line["dice"]) for line in lines if line["type"] == "throw"]
        decided = [
            (line["seat"], sorted(line["keep"]), line["bank"] and found.rules != "high-dice")
            for line in lines
            if line["type"] == "decision"
        ]
        assert [(r.seat, r.turn, r.roll, r.dice) for r in found.rolls] == thrown
        assert [(d.seat, d.keep, d.bank) for d in found.decisions] == decided
        assert found.complete
        assert found.reason == next(line["reason"] for line in lines if line["type"] == "result")
        assert found.approximate == (path == three)
        for player in found.players:
            assert sum(player.grades.values()) == player.decisions


def test_what_it_comes_to(two: Path, high: Path) -> None:
    for path in (two, high):
        found = analysis(path)
        for seat, player in enumerate(found.players):
            assert player.result is not None
            assert player.adjusted is not None
            given = player.start + player.luck - player.errors + player.given + player.rounding + player.other
            assert abs(player.result - given) < CLOSE
            assert abs(player.result - player.luck - player.adjusted) < CLOSE
            free = [decided for decided in found.decisions if decided.seat == seat and not decided.forced]
            assert player.errors == pytest.approx(sum(decided.loss for decided in free), abs=CLOSE)
            assert player.decisions == len(free)
            assert player.error_rate == pytest.approx(player.errors / len(free), abs=CLOSE)
            assert player.luck == pytest.approx(sum(r.lucks[seat] for r in found.rolls if not r.together), abs=CLOSE)
        for roll in found.rolls:
            assert roll.luck == roll.lucks[roll.seat]
        assert found.chances[0].chances == [player.start for player in found.players]
        assert found.chances[-1].chances == [player.result for player in found.players]
        for decided in found.decisions:
            assert decided.loss == decided.best_value - decided.value >= 0
            assert (decided.best == Answer(keep=decided.keep, bank=decided.bank)) == (decided.loss < 2e-6)


def test_dice_that_fall_together_count_once(high: Path) -> None:
    found = analysis(high)
    assert any(roll.together for roll in found.rolls)
    for first, then in zip(found.rolls, found.rolls[1:], strict=False):
        assert not then.together or (then.lucks == first.lucks and then.turn == first.turn)


def test_the_values_that_were_used_are_named(two: Path, high: Path) -> None:
    values = analysis(two).values
    assert values is not None
    assert re.fullmatch("[0-9a-f]{64}", values.checksum)
    assert values.rounding == 5e-7
    assert analysis(high).values is None


def test_one_player_only(two: Path) -> None:
    whole, part = analysis(two), analysis(two, "--player", "Ann")
    assert part.decisions == [decided for decided in whole.decisions if decided.seat == 1]
    assert part.rolls == [roll for roll in whole.rolls if roll.seat == 1]
    assert part.players == whole.players
    ended = run("analyze", str(two), "--player", "Bob")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "dicegame: there is no player Bob in this record; there are house, Ann\n"


# Words


def test_what_people_read(two: Path) -> None:
    found = analysis(two)
    said = run("analyze", str(two), env={"COLUMNS": "100"}).stdout
    assert said.startswith("thousand: house, Ann\n\nhouse\n  result ")
    listed = re.findall(r"^  (?:house|Ann), turn .* costs ([0-9.]+)% \((doubtful|bad|very bad)\); ", said, re.MULTILINE)
    graded = [decided for decided in found.decisions if decided.grade != "fine"]
    assert [grade for _cost, grade in listed] == [d.grade for d in sorted(graded, key=lambda d: -d.loss)]
    assert [float(cost) for cost, _grade in listed] == sorted([float(cost) for cost, _grade in listed], reverse=True)
    luckiest = max(found.rolls, key=lambda roll: roll.luck)
    name = found.players[luckiest.seat].name
    dice = " ".join(map(str, luckiest.dice))
    first = f"  {name}, turn {luckiest.turn + 1}, rolled {dice}: +{luckiest.luck * 100:.1f}%\n"
    assert f"The luckiest rolls:\n{first}" in said
    assert "The chance of house to win over the game:\n100%┤" in said
    player = found.players[0]
    assert f"luck {player.luck * 100:+.1f}%, own errors {-player.errors * 100:+.1f}%" in said.replace("\n    ", " ")


def test_all_decisions_in_order(two: Path) -> None:
    found = analysis(two)
    said = run("analyze", str(two), "--all", env={"COLUMNS": "100"}).stdout
    part = said[said.index("Every decision:\n") : said.index("\n\nThe luckiest")]
    told = re.findall(r"^  (house|Ann), turn (\d+),", part, re.MULTILINE)
    assert told == [(found.players[d.seat].name, str(d.turn + 1)) for d in found.decisions]


def test_three_seats_are_told_to_be_approximate(three: Path) -> None:
    said = " ".join(run("analyze", str(three)).stdout.split())
    assert "This is an approximation: with three or more players" in said
    assert "The chances to win over the game: 1 house, 2 random, 3 greedy" in said
    assert "own errors" not in said  # the sum is not theirs alone


def test_marks_and_rounds(high: Path) -> None:
    said = run("analyze", str(high), "--all", env={"COLUMNS": "100"}).stdout
    assert re.search(r"house, round 1, rolled (\d ){2}\d: ", said)
    assert re.search(r", all rolled [1-6 ]+ / [1-6 ]+: [+-]", said)


@pytest.mark.parametrize("columns", [40, 20])
def test_narrow(columns: int, two: Path, three: Path) -> None:
    for path in (two, three):
        said = run("analyze", str(path), env={"COLUMNS": str(columns)}).stdout
        assert max(map(len, said.split("\n"))) <= columns


def test_without_unicode_and_colour(two: Path) -> None:
    bare = run("analyze", str(two), "--ascii", "--no-color").stdout
    assert bare.isascii()
    assert "100%+" in bare
    assert not ESCAPE.search(run("analyze", str(two), env={"NO_COLOR": "1"}).stdout)
    coloured = run("analyze", str(two), "--color", "--ascii").stdout
    assert ESCAPE.search(coloured)
    assert ESCAPE.sub("", coloured) == bare


@pytest.mark.parametrize("language", ["fr", "ru", "ar"])
def test_other_languages(language: str, two: Path, high: Path) -> None:
    for path in (two, high):
        ended = run("analyze", str(path), "--lang", language, "--svg", str(path) + ".svg")
        assert (ended.returncode, ended.stderr) == (0, "")
        rows = [row for row in ended.stdout.split("\n") if "┤" in row or "│" in row]
        assert len(rows) == 11
        if language == "ar":  # read from right to left, a chart of equal rows that stay as they are
            assert len({len(row) for row in rows}) == 1
            assert all(row[0] == "\u2066" and row[-1] == "\u2069" for row in rows)
        assert "\ufffd" not in Path(str(path) + ".svg").read_text(encoding="utf-8")


# The picture


def test_picture(two: Path, three: Path, folder: Path) -> None:
    for path, seats in ((two, 2), (three, 3)):
        found, file = analysis(path), folder / "picture.svg"
        assert run("analyze", str(path), "--svg", str(file)).returncode == 0
        root = ET.parse(file).getroot()  # noqa: S314 - our own
        lines = root.findall(f"{SVG}polyline")
        assert len(lines) == seats
        for seat, line in enumerate(lines):
            points = [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
            assert [x for x, _y in points] == sorted(x for x, _y in points)
            heights = [y for _x, y in points]
            chances = [moment.chances[seat] for moment in found.chances]
            assert len(points) == len(chances)
            top = min(y for line in lines for y in [float(p.split(",")[1]) for p in line.attrib["points"].split()])
            bottom = max(y for line in lines for y in [float(p.split(",")[1]) for p in line.attrib["points"].split()])
            assert chances == pytest.approx([(bottom - y) / (bottom - top) for y in heights], abs=1e-4)
        names = [text.text for text in root.findall(f"{SVG}text")]
        assert {player.name for player in found.players} <= set(names)
        title = root.find(f"{SVG}title")
        assert title is not None
        assert title.text == f"{found.rules}: {', '.join(player.name for player in found.players)}"


def test_picture_with_any_name_is_well_formed(two: Path, folder: Path) -> None:
    lines = lines_of(two)
    lines[0]["players"] = ["<&\"'>\u0000\u001b[2J", "x" * 300]
    path = folder / "names"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    file = folder / "names.svg"
    ended = run("analyze", str(path), "--svg", str(file))
    assert ended.returncode == 0
    assert "\u001b" not in ended.stdout
    texts = [text.text or "" for text in ET.parse(file).getroot().findall(f"{SVG}text")]  # noqa: S314 - our own
    assert any(text.startswith("<&\"'>\ufffd\ufffd[2J") for text in texts)
    bad = run("analyze", str(path), "--svg", str(folder / "none" / "x"))
    assert bad.returncode == 2
    assert "can't write" in bad.stderr


# Records that are not whole, or can't be judged


def test_a_cut_record_is_judged_as_far_as_it_goes(two: Path, folder: Path) -> None:
    whole = analysis(two)
    raw = two.read_bytes().splitlines(keepends=True)
    path = folder / "cut"
    for cut, half in ((1, b""), (2, raw[2][:-3]), (len(raw) // 2, raw[len(raw) // 2][:-3]), (len(raw) - 2, b"")):
        path.write_bytes(b"".join(raw[:cut]) + half)
        found = analysis(path)
        assert found.complete == (cut == len(raw) - 2)
        assert found.decisions == whole.decisions[: len(found.decisions)]
        assert found.rolls == whole.rolls[: len(found.rolls)]
        if not found.complete:
            assert {(player.result, player.adjusted) for player in found.players} == {(None, None)}
            assert sum(player.end for player in found.players) == pytest.approx(1)
        said = run("analyze", str(path))
        assert said.returncode == 0
        assert ("The record breaks off before the result" in said.stdout) != found.complete


def test_a_record_that_does_not_fit_is_refused_where_it_is_wrong(two: Path, high: Path, folder: Path) -> None:
    path = folder / "wrong"
    for source in (two, high):
        lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
        for kind in ("throw", "decision"):
            at = next(i for i, line in enumerate(lines) if json.loads(line)["type"] == kind)
            for changed in (lines[:at] + lines[at + 1 :], lines[:at] + [lines[at]] * 2 + lines[at + 1 :]):
                path.write_text("".join(changed), encoding="utf-8")
                ended = run("analyze", str(path))
                assert (ended.returncode, ended.stdout) == (2, "")
                assert re.match(rf"dicegame: {path}, line \d+: ", ended.stderr)
    lines = two.read_text(encoding="utf-8").splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if json.loads(line)["type"] == "decision")
    lines[at] = json.dumps({**json.loads(lines[at]), "keep": [2]}) + "\n"
    path.write_text("".join(lines), encoding="utf-8")
    error = json.loads(run("analyze", "--json", str(path)).stderr)["error"]
    assert (error["code"], error["line"]) == ("record", at + 1)
    assert "kept 2" in error["message"]


def test_a_false_result_is_refused_and_a_void_one_is_told(two: Path, folder: Path) -> None:
    lines, path = lines_of(two), folder / "results"
    throw = next(i for i, line in enumerate(lines) if line["type"] == "throw")
    result = next(i for i, line in enumerate(lines) if line["type"] == "result")
    early = lines[: throw + 2]
    void = {"type": "result", "scores": [0, 0], "winners": [], "reason": "void"}
    for changed, words in (
        ([*lines[:result], {**lines[result], "winners": [0, 1]}], "the result does not follow from what was played"),
        ([*early, lines[result]], "a result before the game is over"),
        ([*early, void], "The game was void: it has no result."),
    ):
        path.write_text("".join(json.dumps(line) + "\n" for line in changed), encoding="utf-8")
        ended = run("analyze", str(path))
        assert ended.returncode == (0 if void in changed else 2)
        assert words in (ended.stdout if void in changed else ended.stderr)


def test_what_can_t_be_judged(folder: Path) -> None:
    for arguments, code, words in (
        (("ten-thousand", "house"), "rules", "a seat alone has nobody to win against"),
        (("ten-thousand", "house", "house", "--set", "minimum=350"), "not_solved", "dicegame solve"),
        (("thousand-classic", "house", "house"), "rules", "house.barrel"),
    ):
        path = record(folder / "refused", *arguments, "--seed", "a")
        ended = run("analyze", "--json", str(path))
        assert (ended.returncode, ended.stdout) == (2, "")
        error = json.loads(ended.stderr)["error"]
        assert error["code"] == code
        assert words in error["message"]
    missing = run("analyze", str(folder / "missing"))
    assert missing.returncode == 2
    assert "can't read" in missing.stderr


def test_values_in_the_cache_are_used(two: Path, tmp_path: Path) -> None:
    """Solved here, they are not rounded, and nothing is left over."""
    program = (
        "from dicegame.values.exact.solve import solve_and_keep\n"
        "from dicegame.rules.load import load\n"
        "solve_and_keep(load('thousand'))\n"
    )
    assert run("-c", program, command=(sys.executable,), env={"DICEGAME_CACHE": str(tmp_path)}).returncode == 0
    ended = run("analyze", "--json", str(two), env={"DICEGAME_CACHE": str(tmp_path)})
    found = Analysis.model_validate_json(ended.stdout)
    assert found.values is not None
    assert found.values.rounding == 0
    assert max(abs(player.rounding) for player in found.players) < CLOSE
    shipped = analysis(two)
    for one, other in zip(found.players, shipped.players, strict=True):
        assert one.errors == pytest.approx(other.errors, abs=1e-4)
        assert one.luck == pytest.approx(other.luck, abs=1e-4)


# Faults


BOT = """
def bad(message):
    return {"keep": [1, 1, 1, 1, 1, 1], "bank": True} if message["id"] > 2 else {"keep": message["options"][0]["keep"], "bank": False}
"""


def test_faults_forfeit_or_are_decided_for(folder: Path) -> None:
    (folder / "faulty.py").write_text(BOT, encoding="utf-8")
    env = {"PYTHONPATH": f"{folder}:{Path(__file__).parent.parent.parent}"}
    for policy in ("forfeit", "substitute"):
        path = folder / policy
        played = run(
            "play", "--json", "thousand", "python:faulty:bad", "house", "--on-fault", policy, "--seed", "b",
            "--record", str(path), env=env,
        )  # fmt: skip
        assert played.returncode == 0, played.stderr
        lines = lines_of(path)
        faults = [i for i, line in enumerate(lines) if line.get("event") == "fault"]
        found = analysis(path)
        helped = [decided for decided in found.decisions if decided.substituted]
        assert len(helped) == sum(lines[i + 1]["type"] == "decision" for i in faults)
        assert bool(helped) == (policy == "substitute")
        assert {decided.seat for decided in helped} <= {0}
        assert found.reason == "forfeit"
        one, other = found.players
        assert (one.result, other.result) == (0, 1)
        assert one.other < -0.01
        assert one.other == pytest.approx(-other.other, abs=CLOSE)
        said = " ".join(run("analyze", str(path), "--all").stdout.split())
        assert ("the referee decided, after a fault" in said) == (policy == "substitute")
        assert "other -" in said
