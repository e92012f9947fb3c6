"""`dicegame match` with bots of every kind: exit codes, what `bot.toml` may say, rotations, workers, and players of this process."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

from dicegame.record.verify import verify
from tests.hostile.harness import Match, bwrap_works

CAREFUL = """
import random

class Careful:
    def __init__(self, game):
        self.random = random.Random(game["seed"])

    def __call__(self, question):
        option = self.random.choice(question["options"])
        return option["keep"], option["bank"] and self.random.random() < 0.5

class Breaks:
    def __init__(self, game):
        raise RuntimeError("no luck")

def raises(question):
    raise ValueError("a slip\\x1b[31m")

def leaves(question):
    raise SystemExit(5)

def rubbish(question):
    return "keep the 1"

def illegal(question):
    return [7], True

def message(question):
    return {"keep": question["options"][0]["keep"], "bank": False}
"""

# How a match ends


def test_a_bot_that_does_not_play_this_game_ends_the_match(tmp_path: Path) -> None:
    match = Match(tmp_path)
    ended = match.play(["house", match.bot("plays_only_high_dice")], games=2)
    assert (ended.code, ended.stdout) == (2, "")
    assert ended.error == {"code": "unsupported", "message": "hostile does not play ten-thousand, only high-dice"}
    match.left_clean()


def test_it_plays_what_it_says_it_plays(tmp_path: Path) -> None:
    match = Match(tmp_path)
    ended = match.play(["house", match.bot("plays_only_high_dice")], "--rules", "high-dice", games=4)
    assert ended.code == 0
    assert not any(ended.faults.values())


@pytest.mark.parametrize("behaviour", ["never_ready", "exits_at_start"])
def test_a_bot_that_is_never_ready_ends_the_match_early(tmp_path: Path, behaviour: str) -> None:
    match = Match(tmp_path)
    ended = match.play(["house", match.bot(behaviour)], "--start-ms", "200", games=1000)
    assert ended.code == 3
    assert ended.result["games"] < 50
    assert ended.faults == {"house": {}, "hostile": {"start_failed": ended.result["games"]}}
    assert ended.error["code"] == "start_failed"
    assert ended.error["player"] == "hostile"
    match.left_clean()


def test_in_words_too(tmp_path: Path) -> None:
    match = Match(tmp_path)
    ended = match.run(
        "match", "house", match.bot("exits_at_start"), "--games", "2", "--workers", "1", "--sandbox", "none"
    )
    assert ended.code == 3
    told = "never got ready: start_failed: before it was ready: it exited (exit code 3); its log ends: no licence found"
    assert f"dicegame: hostile {told}" in ended.stderr
    assert "start_failed: 2 faults" in ended.stdout
    assert "containment of the bots: supervised" in ended.stdout


@pytest.mark.parametrize(
    "word", ["no-such-bot", "./no/such/bot", "no-such-program --fast", "python:nothing:here", "python:random"]
)
def test_what_is_no_player_at_all(tmp_path: Path, word: str) -> None:
    match = Match(tmp_path)
    ended = match.play(["house", word], games=2)
    assert ended.code == 2
    assert ended.error["code"] == "player"
    assert "Traceback" not in ended.stderr


def test_a_sandbox_that_can_not_be_had(tmp_path: Path) -> None:
    match = Match(tmp_path)
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: not permitted' >&2; exit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    path = match.environment["PATH"]
    for sandbox, code in (("require", 2), ("bwrap", 2), ("auto", 0)):
        options = ["--games", "2", "--workers", "1", "--sandbox", sandbox, "--json"]
        ended = match.run("match", "house", match.bot("fair"), *options, PATH=f"{tmp_path}:{path}")
        assert ended.code == code
        if code:
            assert ended.error["message"] == "the sandbox can't be had here: bwrap: not permitted"
        else:
            assert ended.result["containment"] == "supervised"


def test_the_level_that_was_reached_is_said(tmp_path: Path) -> None:
    match = Match(tmp_path)
    ended = match.play(["house", match.bot("fair")], games=2, sandbox="auto")
    assert ended.result["containment"] == ("bwrap" if bwrap_works() else "supervised")


# bot.toml


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "bot.toml is not there: a folder is a bot if it has one"),
        ("command = ", "bot.toml: "),
        ("name = 'x'", "bot.toml, command: Field required"),
        ("command = []", "bot.toml, command: "),
        ("command = 'python3 bot.py'", "bot.toml, command: "),
        ("command = ['true']\ncolour = 'red'", "bot.toml, colour: "),
        ("command = ['true']\nneeds = [1]", "bot.toml, needs.0: "),
        ("command = ['true']\nbuild = ['sh', '-c', 'echo no compiler; exit 1']", "no compiler"),
        ("command = ['true']\nbuild = ['no-such-compiler']", "can't build "),
        ("\xff", "bot.toml: "),
    ],
)
def test_faults_of_a_bot_toml(tmp_path: Path, text: str | None, words: str) -> None:
    match = Match(tmp_path)
    folder = tmp_path / "bot"
    folder.mkdir()
    if text is not None:
        (folder / "bot.toml").write_bytes(text.encode("latin-1"))
    ended = match.play(["house", str(folder)], games=2)
    assert ended.code == 2
    assert ended.error["code"] == "player"
    assert words in ended.error["message"], ended.error


def test_a_file_that_is_not_executable(tmp_path: Path) -> None:
    match = Match(tmp_path)
    (tmp_path / "bot.py").write_text("print()")
    ended = match.play(["house", str(tmp_path / "bot.py")], games=2)
    assert (ended.code, ended.error["code"]) == (2, "player")
    assert "is not executable" in ended.error["message"]


def test_a_bot_is_built_once(tmp_path: Path) -> None:
    match = Match(tmp_path)
    folder = tmp_path / "bot"
    folder.mkdir()
    build = f"echo built >> {tmp_path}/builds; echo 'exec {match.command('fair')}' > bot.sh"
    (folder / "bot.toml").write_text(
        f"command = ['sh', 'bot.sh']\nbuild = ['sh', '-c', '''{build}''']\nname = 'built'\n"
    )
    for _time in range(2):
        ended = match.play(["house", str(folder)], games=2)
        assert ended.faults == {"house": {}, "built": {}}
    assert (tmp_path / "builds").read_text() == "built\n"


# Players of this process


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("raises", "crashed", "ValueError: a slip�[31m"),
        ("leaves", "crashed", "SystemExit: 5"),
        ("Breaks", "crashed", "RuntimeError: no luck"),
        ("rubbish", "protocol", "the answer is neither a decision nor a pair of keep and bank"),
        ("illegal", "illegal", "kept 7, but a die has the faces 1 to 6"),
        ("message", None, ""),
        ("Careful", None, ""),
    ],
)
def test_python_players(tmp_path: Path, name: str, code: str | None, words: str) -> None:
    match = Match(tmp_path)
    (tmp_path / "mine.py").write_text(CAREFUL)
    ended = match.play(["house", f"python:mine:{name}", "greedy"], "--target", "2000", games=6)
    assert ended.code == 0, ended.stderr
    assert ended.result["games"] == 6
    assert ended.faults == {"house": {}, name: {} if code is None else {code: 6}, "greedy": {}}
    for path in match.records.glob("*-fault-0.json"):
        assert json.loads(path.read_text())["detail"] == words


# Blocks


def _games(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.glob("*.jsonl")}


def test_the_same_seed_gives_the_same_games_with_any_number_of_workers(tmp_path: Path) -> None:
    match = Match(tmp_path)
    (tmp_path / "mine.py").write_text(CAREFUL)
    players = ["house", "python:mine:Careful", match.bot("fair")]
    played = []
    for workers in ("1", "2"):
        options = [
            "--games",
            "30",
            "--seed",
            "same",
            "--json",
            "--sandbox",
            "none",
            "--records",
            str(tmp_path / workers),
        ]
        ended = match.run("match", *players, *options, "--workers", workers, "--target", "3000")
        assert ended.code == 0, ended.stderr
        told = ended.result
        del told["seconds"]
        for player in told["players"]:
            for measured in ("decision_ms", "cpu_seconds", "memory_bytes"):
                del player[measured]
        played.append((told, _games(tmp_path / workers)))
    assert played[0] == played[1]
    assert len(played[0][1]) == 30


def test_seats_rotate_over_the_same_dice(tmp_path: Path) -> None:
    match = Match(tmp_path)
    ended = match.play(["a=house", "b=greedy", "c=random"], games=6)
    assert ended.code == 0
    for block in range(2):
        first = set()
        for rotation in range(3):
            lines = [
                json.loads(line)
                for line in (match.records / f"match-{block}-{rotation}.jsonl").read_text().splitlines()
            ]
            assert lines[0]["players"] == [["a", "b", "c"][(seat - rotation) % 3] for seat in range(3)]
            first.add(tuple(next(line["dice"] for line in lines if line["type"] == "throw")))
            keys = lines[-1]["dice_key"]
        assert len(first) == 1
        assert len(keys) == 64


@pytest.mark.parametrize(("seats", "games"), [(2, 20), (3, 12), (4, 48), (5, 100)])
def test_no_process_ever_sees_two_rotations_of_a_block(tmp_path: Path, seats: int, games: int) -> None:
    """Three seats have a lane of processes for each rotation; beyond, bots are restarted between the rotations of a batch."""
    match = Match(tmp_path)
    seen = tmp_path / "seen"
    seen.mkdir()
    bots = [match.bot("spies", seen, name=f"spy{number}") for number in range(2)]
    players = [*bots, "house", "greedy", "random"][:seats]
    ended = match.play(players, "--target", "1000", "--decision-ms", "20000", games=games)
    assert ended.code == 0, ended.stderr
    assert not any(ended.faults.values())
    blocks = defaultdict(set)
    seeds = defaultdict(list)
    for process in seen.iterdir():
        games_seen = [line.split() for line in process.read_text().splitlines()]
        numbers = [game.split("-")[1] for game, _seat, _seed in games_seen]
        assert len(numbers) == len(set(numbers)), (process.name, games_seen)
        for game, seat, seed in games_seen:
            blocks[game].add((seat, process.name))
            seeds[game.split("-")[1]].append(seed)
    assert len(blocks) == games
    assert {len(players) for players in blocks.values()} == {2}
    for drawn in seeds.values():
        assert len(drawn) == len(set(drawn)) == 2 * seats  # another for every seat and rotation


def test_the_wire_log_holds_both_directions_of_every_bot(tmp_path: Path) -> None:
    match = Match(tmp_path)
    log = tmp_path / "wire"
    bots = [match.bot("fair", name="a"), match.bot("fair_with_events", name="b")]
    match.play(bots, "--wire-log", str(log), "--target", "1000", games=2)
    lines = [line.split(" ", 3) for line in log.read_text().splitlines()]
    assert [float(line[0]) for line in lines] == sorted(float(line[0]) for line in lines)
    kinds: dict[str, list[str]] = defaultdict(list)
    for _time, name, way, text in lines:
        kinds[name].append(way + json.loads(text)["type"])
    for name in "ab":
        assert kinds[name].count(">hello") == kinds[name].count("<ready") == 2
        assert kinds[name].count(">decide") == kinds[name].count("<decision") > 2
        assert kinds[name].count(">result") == kinds[name].count(">bye") == 2
    assert ">event" in kinds["b"]
    assert ">event" not in kinds["a"]


# A single game


@pytest.mark.parametrize(
    ("behaviour", "code", "words"),
    [
        ("fair", 0, ""),
        ("exits_on_turn", 3, "hostile: crashed: it exited (exit code 7); its log ends: Traceback: division by zero"),
        ("never_ready", 3, "hostile: start_failed: before it was ready: no answer in time: did you flush?"),
        ("keeps_what_is_not_there", 3, "hostile: illegal: kept "),
        ("plays_only_high_dice", 2, "hostile does not play ten-thousand, only high-dice"),
    ],
)
@pytest.mark.parametrize("as_json", [True, False])
def test_a_single_game(tmp_path: Path, behaviour: str, code: int, words: str, as_json: bool) -> None:
    match = Match(tmp_path)
    options = ["--sandbox", "none", "--start-ms", "1000", "--record", "game.jsonl", *["--json"] * as_json]
    ended = match.run("play", "ten-thousand", "house", match.bot(behaviour), *options)
    assert ended.code == code, ended.stderr
    assert words in ended.stderr
    assert "Traceback (" not in ended.stderr
    if code != 2:
        verdict = verify(str(tmp_path / "game.jsonl"))
        assert (verdict.valid, verdict.commitment) == (True, "opened")
    match.left_clean()
