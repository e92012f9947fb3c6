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
    assert [bot["name"] for bot in listed["bots"]] == ["house", "cautious", "hold", "greedy", "random"]
    assert listed["bots"][2]["parameters"][0] == {"name": "at", "meaning": "turn points to bank at", "default": None}
    for lang in ("en", "fr", "ru", "ar"):
        shown = run("bot", "list", "--lang", lang, env={"COLUMNS": "40"}).stdout
        assert max(map(len, plain(shown).splitlines())) <= 40
