"""The questions before a game: their defaults, their help, wrong answers, and what is remembered. Piped in, after a first short game."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.cli.process import run
from tests.terminal.sessions import Terminal, plain

FIRST_GAME = ("play", "ten-thousand", "human:Zed", "--target", "50", "--dice", "1 1 1 1 1 1")


def answer(home: Path, *answers: str) -> str:
    """Return what is shown once `other rules` is said after a game and these lines are typed; the end of input leaves."""
    typed = "".join(line + "\n" for line in ("all bank", "other rules", *answers))
    played = run(*FIRST_GAME, input=typed, home=home, env={"COLUMNS": "100"})
    assert "Traceback" not in played.stderr
    return plain(played.stdout).split("other rules\n", 1)[1]


def settings(home: Path) -> Path:
    return home / "config" / "dicegame" / "settings.json"


def remember(home: Path, **said: object) -> None:
    settings(home).parent.mkdir(parents=True, exist_ok=True)
    settings(home).write_text(json.dumps(said), encoding="utf-8")


def test_help_is_there_at_every_question(tmp_path: Path) -> None:
    shown = answer(tmp_path, "?", "", "?", "", "?", "Ada", "?", "", "?", "", "quit")
    assert shown.count("Return alone takes what stands in brackets; quit leaves.") == 5
    assert shown.count("Which game?") == 2
    assert shown.count("A computer player?") == 2
    assert "Ada, turn 1" in shown


@pytest.mark.parametrize("line", ["0", "9", "0000000010", "-1", "²", "/", "\x01\x1b[2J", "x" * 4000, "1" * 4000])
def test_a_wrong_game_gets_one_line_and_the_question_again(line: str, tmp_path: Path) -> None:
    shown = answer(tmp_path, line, "thousand", "quit")
    assert shown.count("Your choice?") == 2
    assert "\x1b" not in shown
    assert "How many people?" in shown


def test_names_are_remembered_at_their_places(tmp_path: Path) -> None:
    answer(tmp_path, "", "3", "Ann", "Bob", "Cid", "1", "", "quit")
    answer(tmp_path, "", "2", "Cid", "Ann", "1", "", "quit")
    shown = answer(tmp_path, "", "3", "", "", "", "1", "", "score", "quit")
    assert "Cid: 0, Ann: 0, Player 3: 0" in shown


@pytest.mark.parametrize("name", ["\x1b[2J", "", "x" * 100, "Bad\u202e"])
def test_a_remembered_name_that_is_none_is_forgotten(name: str, tmp_path: Path) -> None:
    remember(tmp_path, names=[name, "Ann"])
    shown = answer(tmp_path, "", "", "", "", "", "quit")
    assert "Ann, turn 1" in shown


def test_a_target_that_is_none_any_more_is_not_offered(tmp_path: Path) -> None:
    remember(tmp_path, targets={"ten-thousand": -5})
    shown = answer(tmp_path, "", "", "", "", "", "score", "quit")
    assert "[10000]" in shown
    assert "Played to 10000." in shown


def test_a_computer_is_remembered_past_a_game_without_a_seat_for_it(tmp_path: Path) -> None:
    answer(tmp_path, "thousand", "3", "A", "B", "C", "easy", "", "quit")
    answer(tmp_path, "thousand", "4", "A", "B", "C", "D", "", "quit")
    assert "Your choice? [2]" in answer(tmp_path, "thousand", "3", "", "", "")


def test_a_rule_file_is_found_again_from_elsewhere(tmp_path: Path) -> None:
    house = tmp_path / "sunday.toml"
    house.write_text("dice = 3\ntarget = 500\nscore = {single = {1 = 100}}\n", encoding="utf-8")
    shown = answer(tmp_path, str(house), "1", "Ada", "", "", "quit")
    assert "sunday: push your luck, 3 dice, the first at 500 wins." in shown
    assert json.loads(settings(tmp_path).read_text(encoding="utf-8"))["game"] == str(house)
    house.unlink()
    gone = answer(tmp_path, "", "quit")
    assert "Your choice? [1]" in gone
    assert "How many people?" in gone


def test_a_rule_file_of_high_dice_offers_what_it_says(tmp_path: Path) -> None:
    house = tmp_path / "party.toml"
    house.write_text('engine = "highdice"\ndice = 2\nrule = "sum-low"\nfind = "loser"\nto = 3\n', encoding="utf-8")
    remember(tmp_path, high_dice={"dice": 5, "stakes": "drink"})
    shown = answer(tmp_path, str(house), "2", "A", "B", "2", *[""] * 6, "rules", "quit")
    assert "Played with 2 dice." in shown
    assert "whoever first loses 3 rounds loses the match" in shown
    assert json.loads(settings(tmp_path).read_text(encoding="utf-8"))["high_dice"]["dice"] == 5


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b'{"game": 5}', b'{"game": "../nowhere", "computer": "x"}'])
def test_settings_that_can_not_be_read_are_the_usual_ones(content: bytes, tmp_path: Path) -> None:
    remember(tmp_path)
    settings(tmp_path).write_bytes(content)
    assert "Player 1, turn 1" in answer(tmp_path, *[""] * 5, "quit")


def test_interrupt_and_end_of_input_leave_the_questions(tmp_path: Path) -> None:
    for answers in ([], ["1"], ["1", "1"], ["1", "1", "Ada"], ["1", "1", "Ada", "1"]):
        terminal = Terminal(tmp_path)
        for line in answers:
            terminal.prompt()
            terminal.send(line)
        terminal.prompt()
        terminal.child.kill(signal.SIGINT)
        assert terminal.end() == 130
        assert terminal.seen.endswith("\ndicegame: interrupted\n")
    ended = Terminal(tmp_path)
    ended.prompt()
    ended.child.sendeof()
    assert ended.end() == 0
    assert not settings(tmp_path).exists()


def test_the_perfect_computer_is_offered_where_the_game_is_solved(tmp_path: Path) -> None:
    """In every game that comes with the program but those that can't be solved; and not to more points than are solved."""
    screen = answer(tmp_path, "thousand", "1", "A", "perfect", "100000", "1000", "quit")
    assert "perfect" in screen
    assert "Nobody has solved that yet" in screen
    screen = answer(tmp_path, "zilch", "1", "A", "perfect", "hard", "", "quit")
    assert "perfect" not in screen.split("A computer player?")[1].split("Your choice?")[0]
