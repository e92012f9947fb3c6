"""`play` at its command line: who is meant, which saved game, options that don't go together, and what TAB offers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.cli.process import COMMAND, environment, run
from tests.terminal.sessions import plain


@pytest.mark.parametrize("word", ["human", "human:Ada", "client", "cautious", "hold:at=300", "Ada=house", "random"])
def test_players_alone_play_the_default_game(word: str) -> None:
    shown = run("play", word, "client", "--json").stdout
    assert json.loads(shown.splitlines()[1])["name"] == "ten-thousand"


def test_a_rule_file_may_have_any_name(tmp_path: Path) -> None:
    house = tmp_path / "a=b.toml"
    house.write_text('name = "mine"\ndice = 3\ntarget = 100\nscore = {single = {1 = 100}}\n', encoding="utf-8")
    played = run("play", str(house), "human", input="quit\n")
    assert played.stdout.startswith("mine: ")
    assert run("play", "nowhere=nobody").stderr.startswith("dicegame: there is no player")


KEY = "0d1501e16604a7a1577079c506d56f3745d84e876346b2025feffe4875f6c3e0"  # a vector of protocol.md, with these dice


def test_dice_of_a_key_that_was_told(tmp_path: Path) -> None:
    arguments = ("play", "random", "random", "--dice-key", KEY, "--record", str(tmp_path / "r"))
    decisions = {}
    for rotation in ((), ("--rotation", "0"), ("--rotation", "1")):
        assert run(*arguments, *rotation).returncode == 0
        lines = [json.loads(line) for line in (tmp_path / "r").read_text(encoding="utf-8").splitlines()]
        assert (lines[0]["seed_predictable"], lines[0]["commitment"]) == (True, None)
        thrown = {(line["seat"], line["turn"], line["roll"]): line["dice"] for line in lines if line["type"] == "throw"}
        assert thrown[0, 0, 0] == [6, 3, 2, 6, 5, 4]
        assert thrown[1, 0, 0] == [1, 1, 3, 1, 1, 1]
        assert lines[-1] == {"type": "key", "dice_key": KEY}
        decisions[rotation] = [(line["keep"], line["bank"]) for line in lines if line["type"] == "decision"]
    assert decisions[()] == decisions["--rotation", "0"] != decisions["--rotation", "1"]  # players' own random numbers


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--dice-key", KEY, "--seed", "x"], "--seed, --dice and --dice-key exclude each other"),
        (["--dice-key", KEY, "--dice", "ask"], "--seed, --dice and --dice-key exclude each other"),
        (["--seed", "x", "--dice", "ask"], "--seed, --dice and --dice-key exclude each other"),
        (["--rotation", "1"], "--rotation goes with --dice-key"),
        (["--dice-key", KEY, "--rotation", "8"], "8 is not in the range 0<=x<=7"),
        (["--dice-key", KEY, "--resume"], "--resume goes on with a game as it is"),
        (["--dice-key", KEY[:-1]], f"{KEY[:-1]} is no key of dice: it has 64 digits, 0 to 9 and a to f"),
        (["--dice-key", f" {KEY[1:]}"], "is no key of dice"),
    ],
)
def test_options_that_name_dice_and_do_not_go(options: list[str], words: str) -> None:
    refused = run("play", *options)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert words in refused.stderr


@pytest.mark.parametrize(("policy", "code"), [("forfeit", 3), ("substitute", 0)])
def test_what_a_fault_costs_in_a_single_game(policy: str, code: int, tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    bot.write_text("#!/bin/sh\nread hello\necho '{\"type\":\"ready\",\"protocol\":1,\"name\":\"x\"}'\nread game\n"
                   "read question\necho rubbish\nwhile read more; do :; done\n", encoding="utf-8")  # fmt: skip
    bot.chmod(0o755)
    record = tmp_path / "r"
    target = ("--target", "50", "--dice", "5 2 3 4 6 6 / 1 2 3 4 6 6")
    ended = run("play", "ten-thousand", str(bot), "house", "--on-fault", policy, *target, "--record", str(record))
    assert ended.returncode == code, ended.stderr
    assert "bot: protocol: line is not JSON" in ended.stderr
    assert ('"type":"forfeit"' in record.read_text(encoding="utf-8")) == (policy == "forfeit")


def test_stakes_of_ones_own_need_stakes(tmp_path: Path) -> None:
    dares = tmp_path / "dares.txt"
    dares.write_text("Hop.\n", encoding="utf-8")
    arguments = ("play", "high-dice", "human:Ada", "human:Bob", "--stakes-file", str(dares))
    refused = run(*arguments)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "dicegame: --stakes-file is for high dice with stakes=dare or stakes=truth\n"
    dice = "1 1 1 / 2 2 2"
    played = run(*arguments, "--set", "stakes=dare", "--dice", dice, input="yes\nreveal\nquit\n")
    assert "A dare for Ada: Hop." in played.stdout


def test_a_saved_game_that_is_not_clear_is_asked_for(tmp_path: Path) -> None:
    for _game in range(2):
        run("play", "human:Ada", "human:Bob", input="quit\n", home=tmp_path)
    unclear = run("play", "--resume", "20", home=tmp_path)
    assert unclear.returncode == 2
    ids = sorted(path.stem for path in (tmp_path / "state" / "dicegame" / "games").glob("*.jsonl"))
    assert unclear.stderr == f"dicegame: say which game to go on with: {', '.join(ids)}\n"
    assert "there is no saved game" in run("play", "--resume", "xx", home=tmp_path).stderr


def test_saved_games_are_listed_by_the_users_clock(tmp_path: Path) -> None:
    for _game in range(2):
        run("play", "human:Ada", "human:Bob", input="quit\n", home=tmp_path)
    path = next((tmp_path / "state" / "dicegame" / "games").glob("*.jsonl"))
    started = datetime.fromisoformat(json.loads(path.read_text(encoding="utf-8").splitlines()[0])["started"])
    listed = run("play", "--resume", input="?\nquit\n", home=tmp_path, env={"TZ": "Asia/Tokyo"}).stdout
    assert f"begun {started.astimezone(ZoneInfo('Asia/Tokyo')):%Y-%m-%d %H:%M}" in listed
    assert listed.count("Which saved game?") == 2


def test_interrupt_before_a_game_is_one_line(tmp_path: Path) -> None:
    for _game in range(2):
        run("play", "human:Ada", "human:Bob", input="quit\n", home=tmp_path)
    asking = subprocess.Popen(
        [*COMMAND, "play", "--resume"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(tmp_path), text=True,
    )  # fmt: skip
    assert asking.stdout is not None
    shown = ""
    while not shown.endswith("Its number? "):
        shown += asking.stdout.read(1)
    asking.send_signal(signal.SIGINT)
    _out, err = asking.communicate(timeout=60)
    assert (asking.returncode, err) == (130, "dicegame: interrupted\n")


@pytest.mark.parametrize(
    "words",
    ["replay ", "verify ", "rules check ", "play --record ", "play high-dice --stakes-file ", "replay re"],
)
def test_tab_completes_files_where_files_are_wanted(words: str) -> None:
    said = f"dicegame {words}"
    env = {
        "_DICEGAME_COMPLETE": "bash_complete",
        "COMP_WORDS": said,
        "COMP_CWORD": str(len(said.split(" ")) - 1),
    }
    ended = subprocess.run(
        [sys.executable, "-m", "dicegame"], env={**os.environ, **env}, capture_output=True, text=True, check=True
    )
    assert ended.stdout.startswith("file,")


def test_the_built_ins_are_listed_as_one_object_and_in_40_columns() -> None:
    listed = json.loads(run("bot", "list", "--json").stdout)
    assert [bot["name"] for bot in listed["bots"]] == [
        "house",
        "cautious",
        "hold",
        "greedy",
        "maxpoints",
        "optimal",
        "random",
    ]
    assert listed["bots"][2]["parameters"][0] == {"name": "at", "meaning": "turn points to bank at", "default": None}
    for lang in ("en", "fr", "ru", "ar"):
        shown = run("bot", "list", "--lang", lang, env={"COLUMNS": "40"}).stdout
        assert max(map(len, plain(shown).splitlines())) <= 40
