"""Saved games: what is on disk, who may go on with it, and that a kill at any moment loses nothing."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import pytest

from dicegame.dice import Dice
from dicegame.errors import DicegameError, SaveError, UnfinishedError
from dicegame.games.base import Answer, Decision, Fell
from dicegame.players.base import Player, Request, Silent
from dicegame.players.builtin import make
from dicegame.record.verify import verify
from dicegame.rules.load import load
from dicegame.saves import Setup, find_saved, games_folder, saved_games
from dicegame.session import Session
from tests.cli.process import COMMAND, environment, run
from tests.cli.wire import Live, piped

GOOD = '{"type":"decision","keep":[1],"bank":true}'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of our own, for this process too."""
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    return tmp_path


class Leaves(Silent):
    """A person who answers as written down, and then leaves."""

    def __init__(self, answers: list[Answer]) -> None:
        self._answers = iter(answers)

    def decide(self, request: Request) -> Answer:
        try:
            return next(self._answers)
        except StopIteration:
            raise UnfinishedError("left") from None


def setup(*players: str, rules: str = "ten-thousand", **fields: Any) -> Setup:
    names = [f"{player} {seat}" for seat, player in enumerate(players)]
    return Setup(load(rules), list(players), names, **fields)


def never(error: DicegameError) -> None:
    raise AssertionError(error.message)


def left(game: Setup, *answers: Answer, ask: Callable[[int, int], Dice] | None = None) -> str:
    """Play a game until its people leave; return its id."""
    session = Session(game, warn=never)
    players: list[Player] = [Leaves(list(answers)) if word == "human" else make(word) for word in game.specs]
    with pytest.raises(UnfinishedError):
        session.play(players, ask=ask)
    assert session.is_saved
    return session.id


def files() -> list[str]:
    return sorted(path.name for path in games_folder().glob("*"))


SEED = bytes(range(32))


# What is on disk


def test_an_unfinished_game_stays_and_is_found_by_the_beginning_of_its_id(home: Path) -> None:
    assert saved_games() == []
    game = left(setup("human", "random", seed=SEED, stream=3, predictable=True, record=str(home / "r")))
    assert files() == [f"{game}.jsonl"]
    folder, path = games_folder(), games_folder() / f"{game}.jsonl"
    assert (folder.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)
    for found in (find_saved(game), find_saved(game[:-2]), *saved_games()):
        assert (found.id, found.path) == (game, path)
        assert found.setup.specs == ["human", "random"]
        assert found.setup.names == ["human 0", "random 1"]
        assert (found.setup.seed, found.setup.stream, found.setup.predictable) == (SEED, 3, True)
        assert (found.setup.dice, found.setup.rules.name) == ("seeded", "ten-thousand")
        assert found.setup.record == str(home / "r")
        assert [type(step) for step in found.past] == [Fell]
    assert SEED.hex() not in (home / "r").read_text()
    with pytest.raises(SaveError, match="there is no saved game nope"):
        find_saved("nope")


def test_a_game_over_the_dice_of_a_key_is_saved_with_it_and_the_next_one_has_others(home: Path) -> None:
    game = setup("human", "random", dice_key=SEED, rotation=1, predictable=True)
    found = find_saved(left(game)).setup
    assert (found.seed, found.dice_key, found.rotation, found.key()) == (None, SEED, 1, SEED)
    again = found.again()
    assert (again.dice_key, again.rotation, again.predictable) == (None, 0, False)
    assert again.key() not in {None, SEED}


def test_a_saved_game_may_say_nothing_of_a_key(home: Path) -> None:
    game = left(setup("human", "house", seed=SEED))
    path = games_folder() / f"{game}.jsonl"
    head, rest = path.read_bytes().split(b"\n", 1)
    told = json.loads(head)
    del told["dice_key"], told["rotation"]
    path.write_bytes(json.dumps(told).encode() + b"\n" + rest)
    assert find_saved(game).setup.key() == setup("human", "house", seed=SEED).key()


def test_of_several_games_one_must_be_named(home: Path) -> None:
    games = [left(setup("human", "house", seed=SEED)) for _ in range(3)]
    os.utime(games_folder() / f"{games[1]}.jsonl", ns=(2**62, 2**62))
    assert saved_games()[0].id == games[1]
    assert {saved.id for saved in saved_games()} == set(games)
    with pytest.raises(SaveError):
        find_saved(games[0][:2])
    asked = piped("play", "--json", "--resume", home=home)
    assert asked.code == 2
    assert asked.error["message"].startswith(f"say which game to go on with: {games[1]}, ")
    assert all(game in asked.error["message"] for game in games)


def test_files_that_are_no_saved_games_are_passed_over(home: Path) -> None:
    game = left(setup("human", "house", seed=SEED))
    folder = games_folder()
    whole = (folder / f"{game}.jsonl").read_bytes()
    head, header, rest = whole.split(b"\n", 2)
    for name, content in {
        "empty": b"",
        "garbage": b"\xff\x00\n",
        "head": head,
        "header": head + b"\n" + header[:-5],
        "no-head": header + b"\n" + rest,
        "wrong": whole.replace(b'"format":1', b'"format":2'),
        "seats": head + b"\n" + header.replace(b'"human",', b"") + b"\n" + rest,
        "unknown": whole + b'{"type":"note"}\n',
    }.items():
        (folder / f"{name}.jsonl").write_bytes(content)
        with pytest.raises(DicegameError) as caught:
            find_saved(name)
        assert caught.value.exit_code == 2
        done = run("play", "--json", "--resume", name, home=home) if name in {"garbage", "unknown"} else None
        assert done is None or (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    (folder / "folder.jsonl").mkdir()
    (folder / "dangling.jsonl").symlink_to("nowhere")
    assert [saved.id for saved in saved_games()] == [game]


def test_a_game_that_was_played_to_its_end_is_gone(home: Path) -> None:
    session = Session(setup("random", "random", seed=SEED, rules="thousand"), warn=never)
    session.play([make("random"), make("random")])
    assert files() == []
    assert not session.is_saved
    # Killed after its result was written, and before it was removed.
    game = left(setup("human", "house", seed=SEED))
    with (games_folder() / f"{game}.jsonl").open("a") as file:
        file.write('{"type":"result","scores":[0,0],"winners":[0],"reason":"target"}\n')
    assert saved_games() == []
    with pytest.raises(SaveError, match=f"the game {game} was played to its end"):
        find_saved(game)


def test_a_copied_file_is_a_game_of_its_own(home: Path) -> None:
    game = left(setup("human", "house", seed=SEED))
    (games_folder() / "copy.jsonl").write_bytes((games_folder() / f"{game}.jsonl").read_bytes())
    copy = find_saved("copy")
    session = Session(copy.setup, warn=never, saved=copy)
    with pytest.raises(UnfinishedError):
        session.play([Leaves([]), make("house")])
    assert files() == [f"{game}.jsonl", "copy.jsonl"]


# Going on


def test_a_game_goes_on_where_it_was_with_the_same_dice(home: Path) -> None:
    game = left(setup("human", "random", seed=SEED))
    (fell,) = find_saved(game).past
    for n in range(3):
        saved = find_saved(game)
        assert saved.past == (fell,)
        session = Session(saved.setup, warn=never, saved=saved)
        assert session.id == game
        with pytest.raises(UnfinishedError):
            session.play([Leaves([]), make("random")])
        assert files() == [f"{game}.jsonl"], n


def test_what_was_played_elsewhere_since_it_was_chosen_is_not_lost(home: Path) -> None:
    game = left(setup("human", "house", dice="scripted", script=[(1, 2, 3, 4, 6, 6), (2, 3, 4, 4, 6, 6), (1,) * 6]))
    chosen = find_saved(game)
    assert piped("play", "--json", "--resume", game, answers=GOOD, home=home).of("bank") == ["bank A 100 100"]
    session = Session(chosen.setup, warn=never, saved=chosen)
    with pytest.raises(UnfinishedError):
        session.play([Leaves([]), make("house")])
    assert [step for step in find_saved(game).past if isinstance(step, Decision)] == [Decision((1,), bank=True)]
    again = [json.dumps({"type": "decision", "keep": [1] * 6, "bank": True})]
    assert piped("play", "--json", "--resume", game, answers="\n".join(again), home=home).code == 2
    with pytest.raises(SaveError):
        Session(chosen.setup, warn=never, saved=chosen)


def test_real_dice_are_not_asked_for_again_and_need_a_person(home: Path) -> None:
    rolls = iter([(1, 5, 3, 3, 6, 2), (1, 1, 2, 3), (5, 2)])
    asked = []

    def ask(seat: int, dice: int) -> Dice:
        asked.append((seat, dice))
        try:
            return next(rolls)
        except StopIteration:
            raise UnfinishedError("nobody there") from None

    game = left(setup("human", "house", dice="typed"), Decision((1, 5)), ask=ask)
    assert asked == [(0, 6), (0, 4)]
    over_json = piped("play", "--json", "--resume", game, home=home)
    assert (over_json.code, over_json.error["code"]) == (2, "save")
    assert "someone must type them in at a terminal" in over_json.error["message"]
    saved = find_saved(game)
    assert saved.past == (Fell((1, 5, 3, 3, 6, 2)), Decision((1, 5)), Fell((1, 1, 2, 3)))
    session = Session(saved.setup, warn=never, saved=saved)
    with pytest.raises(UnfinishedError):
        session.play([Leaves([Decision((1, 1))]), make("house")], ask=ask)
    assert asked == [(0, 6), (0, 4), (0, 2)]
    assert [step.dice for step in find_saved(game).past if isinstance(step, Fell)][-1] == (5, 2)


def test_another_game_of_the_same_kind_has_other_dice() -> None:
    guessable = setup("human", "house", seed=SEED, predictable=True, record="r")
    assert [guessable.again().key(), guessable.again().again().key()] != [guessable.key()] * 2
    assert (guessable.again().stream, guessable.again().again().stream, guessable.again().seed) == (1, 2, SEED)
    secret = setup("human", "house", seed=SEED)
    assert secret.again().seed not in {SEED, secret.again().seed}
    assert guessable.again().record is None


# Two at once


def test_a_game_that_is_being_played_can_not_be_gone_on_with(home: Path) -> None:
    with Live("play", "--json", "human", "house", "--seed", "x", home=home) as live:
        asked = live.until("decide")[-1]
        refused = piped("play", "--json", "--resume", asked["game"], home=home)
        assert (refused.code, refused.lines) == (2, [])
        assert (refused.error["code"], refused.error["message"]) == ("save", "this game is being played elsewhere")
        chosen = find_saved(asked["game"])
        with pytest.raises(SaveError, match="being played elsewhere"):
            Session(chosen.setup, warn=never, saved=chosen)
        live.process.kill()
        live.process.wait()
        with Live("play", "--json", "--resume", asked["game"], home=home) as again:
            assert again.until("decide")[-1] == asked


def test_of_many_that_go_on_with_it_at_once_one_gets_it(home: Path) -> None:
    game = left(setup("human", "house", seed=SEED))
    command = [*COMMAND, "play", "--json", "--resume", game]
    pipe = subprocess.PIPE
    env = environment(home)
    runs = [subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env) for _ in range(4)]
    try:
        with ThreadPoolExecutor(len(runs)) as pool:
            ends = as_completed([pool.submit(one.wait, 60) for one in runs])
            # Whoever gets it waits for an answer; the others end by themselves.
            assert [next(ends).result() for _ in range(3)] == [2, 2, 2]
            for one in runs:
                one.kill()
    finally:
        for one in runs:
            one.kill()
            one.communicate()
    assert [saved.id for saved in saved_games()] == [game]


# Kills and full disks


def test_a_kill_while_a_game_is_being_taken_up_again_loses_nothing(home: Path) -> None:
    game = left(setup("human", "random", seed=SEED))
    path = games_folder() / f"{game}.jsonl"
    whole = path.read_bytes()
    for moment in ("spawned", "hello", "game", "decide"):
        with Live("play", "--json", "--resume", game, home=home) as live:
            if moment != "spawned":
                live.until(moment)
            live.process.kill()
            live.process.wait()
        assert path.read_bytes() == whole, moment
    path.with_suffix(".new").write_bytes(whole[:100])  # as a kill in the middle of writing it anew leaves it
    with Live("play", "--json", "--resume", game, home=home) as live:
        live.until("decide")
        live.stdin.close()
        assert live.ended().code == 2
    assert files() == [f"{game}.jsonl"]
    assert path.read_bytes() == whole


def test_a_last_line_cut_off_by_a_crash_is_no_hindrance(home: Path) -> None:
    game = left(setup("human", "house", seed=SEED))
    path = games_folder() / f"{game}.jsonl"
    whole = path.read_bytes()
    first_throw = whole.index(b'{"type":"throw"')
    for end in range(first_throw, len(whole), 7):
        path.write_bytes(whole[:end])
        saved = find_saved(game)
        session = Session(saved.setup, warn=never, saved=saved)
        with pytest.raises(UnfinishedError):
            session.play([Leaves([]), make("house")])
        assert path.read_bytes() == whole


@pytest.fixture
def small_files() -> Iterator[None]:
    """Let files of this process grow to 4 KiB only, as on a disk that fills up."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_fills_up_is_told_of_once_and_the_game_goes_on(home: Path, small_files: None) -> None:
    told: list[DicegameError] = []
    game = setup("random", "random", seed=SEED, rules="thousand-classic", record=str(home / "record"))
    session = Session(game, warn=told.append)
    outcome = session.play([make("random"), make("random")])
    assert outcome.winners
    assert [error.code for error in told] == ["save", "record"]
    assert "File too large; the game goes on, but it can't be resumed" in told[0].message
    assert "File too large; the game goes on, but it is not recorded" in told[1].message
    assert session.record_failed
    assert files() == []
    assert not verify(str(home / "record")).valid


class Switches(Leaves):
    """A person who switches the tutor before every answer; `switch` does it."""

    switch: Callable[[float], None]

    def decide(self, request: Request) -> Answer:
        self.switch(request.id / 2)
        return super().decide(request)


def test_a_tutor_that_is_switched_is_in_the_copy_and_the_game_goes_on_in_it(home: Path) -> None:
    session = Session(setup("human", dice="scripted", script=[(1, 2, 3, 4, 6, 6), (1, 1, 1, 2, 3)]), warn=never)
    person = Switches([Decision((1,))])
    person.switch = session.change_tutor
    with pytest.raises(UnfinishedError):
        session.play([person])
    saved = find_saved(session.id)
    assert saved.setup.tutor == 1.0
    assert saved.path.stat().st_mode & 0o777 == 0o600
    assert saved.past == (Fell((1, 2, 3, 4, 6, 6)), Decision((1,)), Fell((1, 1, 1, 2, 3)))
    assert files() == [f"{session.id}.jsonl"]
    assert saved.setup.again().tutor == 1.0


def test_a_tutor_that_can_not_be_written_leaves_the_copy_as_it_was(home: Path, small_files: None) -> None:
    session = Session(setup("human", "house", seed=SEED), warn=never)
    whole = session.copy_path.read_bytes()
    session.copy_path.write_bytes(whole + b" " * (4096 - len(whole)))  # what stands in it fits, and no letter more
    session.change_tutor(12.25)
    assert session.setup.tutor == 12.25
    assert session.copy_path.read_bytes().startswith(whole)
    assert session.is_saved
    session.close()
    assert files() == [f"{session.id}.jsonl"]
