"""The command in the bundle of a fault plays that very game again: the same dice, seats, seeds and decisions, and the same fault."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from dicegame.players.specs import MAX_NAME, named, names, parse
from dicegame.record.verify import verify
from tests.hostile.harness import Ended, Match

# Decides by the seed of the game, and does something illegal in its third turn and in every later one.
CARELESS = """
import json, random, sys

for line in sys.stdin:
    message = json.loads(line)
    answer = None
    if message["type"] == "hello":
        answer = {"type": "ready", "protocol": 1, "name": "careless"}
    elif message["type"] == "game":
        chance = random.Random(message["seed"])
    elif message["type"] == "decide":
        state = message["state"]
        answer = {"type": "decision", "id": message["id"], "keep": [7], "bank": False}
        if "options" not in message:
            dice = state["dice"][message["seat"]]
            answer["keep"] = [7] if state["round"] >= 3 else [face for face in dice if chance.random() < 0.5]
        elif state["turn"] < 3:
            option = chance.choice(message["options"])
            answer |= {"keep": option["keep"], "bank": option["bank"] and chance.random() < 0.5}
    elif message["type"] == "bye":
        break
    if answer is not None:
        print(json.dumps(answer), flush=True)
"""


def careless(folder: Path) -> str:
    """Return the command line of a bot, as it is typed in this folder."""
    (folder / "careless.py").write_text(CARELESS, encoding="utf-8")
    return shlex.join([sys.executable, "careless.py"])


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a record without what names the game and tells of its commitment."""
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for field in ("game", "commitment", "seed_predictable"):
        del read[0][field]
    return read


def played_again(match: Match, again: str) -> tuple[Ended, list[dict[str, Any]]]:
    """Run a command of a bundle in the folder of its match; return how it ended and the record of the game."""
    record = match.folder / "again.jsonl"
    ended = match.run(*shlex.split(again)[1:], "--record", str(record))
    verdict = verify(str(record))
    assert verdict.valid, verdict
    return ended, lines(record)


@pytest.mark.parametrize(
    ("players", "options"),
    [
        (["{bot}", "random"], ["--target", "3000"]),
        (["mine={bot}", "house", "hold:at=350,hot=roll"], ["--rules", "thousand", "--on-fault", "substitute"]),
        (["{bot}", "random", "{bot}", "random"], ["--set", "minimum=350", "--set", "score.three_pairs=1500"]),
        (
            ["greedy", "it={bot}"],
            ["--rules", "my rules/a=b.toml", "--freeze", "--no-clock", "--on-fault", "substitute"],
        ),
        (["random", "{bot}", "random"], ["--rules", "high-dice", "--set", "to=4", "--decision-ms", "5000"]),
    ],
    ids=["two", "three, substitute", "four, twice the same", "a rule file", "high dice"],
)
def test_the_command_of_a_bundle_plays_the_game_again(tmp_path: Path, players: list[str], options: list[str]) -> None:
    match = Match(tmp_path / "the match")
    (match.folder / "my rules").mkdir()
    rules = match.run("rules", "show", "ten-thousand", "--toml").stdout.replace("target = 10000", "target = 4000")
    (match.folder / "my rules" / "a=b.toml").write_text(rules, encoding="utf-8")
    bot = careless(match.folder)
    ended = match.play([player.format(bot=bot) for player in players], *options, games=len(players))
    assert ended.code == 0, ended.stderr
    reports = ended.result["reports"]
    assert len(reports) == sum(sum(faults.values()) for faults in ended.faults.values())
    games = {report["game"]: report for report in reports}
    assert len(games) > 1  # in several rotations
    for game, report in games.items():
        record = match.records / f"{game}.jsonl"
        lost, again = played_again(match, report["again"])
        played = lines(record)
        assert again[1:] == played[1:]
        assert [line for line in again if line.get("event") == "fault"], "the record tells where it happened"
        assert (again[0]["rules"], again[0]["specs"]) == (played[0]["rules"], played[0]["specs"])
        assert [name.replace(" ", "-") for name in played[0]["players"]] == again[0]["players"]
        assert again[-1]["dice_key"] == report["dice_key"]
        assert f"{report['player'].replace(' ', '-')}: illegal: {report['detail']}" in lost.stderr
        assert lost.code == (3 if played[-2]["reason"] == "forfeit" else 0)


def test_every_fault_is_told_without_records_too(tmp_path: Path) -> None:
    match = Match(tmp_path)
    players = [careless(tmp_path), "house"]
    fixed = ["--games", "4", "--seed", "one", "--workers", "1", "--sandbox", "none", "--target", "4000"]
    told = match.run("match", *players, *fixed, "--json").result["reports"]
    kept = match.run("match", *players, *fixed, "--json", "--records", "kept").result["reports"]
    assert told == kept
    assert [report["game"] for report in told] == ["match-0-0", "match-0-1", "match-1-0", "match-1-1"]
    assert [json.loads(path.read_text()) for path in sorted((tmp_path / "kept").glob("*-fault-0.json"))] == told
    shown = match.run("match", *players, *fixed).stdout.splitlines()
    commands = [line.strip() for line in shown if line.startswith("  dicegame play ")]
    assert commands == [report["again"] for report in told[:3]]


def test_the_faults_of_one_game_share_one_command(tmp_path: Path) -> None:
    match = Match(tmp_path)
    fixed = ["--games", "2", "--workers", "1", "--sandbox", "none", "--on-fault", "substitute"]
    shown = match.run("match", "house", careless(tmp_path), *fixed).stdout
    assert shown.count("game match-0-0: illegal: kept 7, but a die has the faces 1 to 6") == 3
    assert shown.count("  dicegame play ") == 1


def test_no_more_than_a_hundred_faults_of_a_player_are_told(tmp_path: Path) -> None:
    match = Match(tmp_path)
    (tmp_path / "mine.py").write_text("def wrong(question):\n    return [7], True\n", encoding="utf-8")
    ended = match.run("match", "python:mine:wrong", "house", "--games", "250", "--json")
    assert ended.faults["wrong"] == {"illegal": 250}
    assert [report["player"] for report in ended.result["reports"]] == ["wrong"] * 100
    again = match.run(*shlex.split(ended.result["reports"][99]["again"])[1:], "--record", "again.jsonl")
    assert again.code == 0
    assert '"event":"fault","seat":' in (tmp_path / "again.jsonl").read_text()


@pytest.mark.parametrize(
    ("word", "name", "written"),
    [
        ("house", "house", "house=house"),
        ("python3 mine.py --fast", "mine", "mine=python3 mine.py --fast"),
        ("house", "house 2", "house-2=house"),
        ("house", "a name of 24 letters abc 2", "name-of-24-letters-abc-2=house"),
        ("hold:at=350,hot=roll", "hold:at=350,hot=roll", "hold:at=350,hot=roll"),
        ("hold:at=350,hot=roll", "hold:at=350,hot=roll 2", "hold-at-350-hot-roll-2=hold:at=350,hot=roll"),
    ],
)
def test_a_word_that_gives_a_name(word: str, name: str, written: str) -> None:
    assert named(word, name) == written
    spec = parse(written)
    assert spec.word == word
    [called] = names([spec])
    assert len(called) <= MAX_NAME
    assert called == name or " " in name
