"""The terminal as it is: interrupted, killed, narrow, colourless, dumb, without Unicode, piped, and fed with rubbish."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pexpect
import pyte
import pytest

from tests.cli.process import run
from tests.terminal.sessions import ESCAPE, Terminal, play_to_end

PLAY = ("play", "ten-thousand", "human:Ada", "human:Bob")


def _last_roll(shown: str) -> str:
    return str(re.findall(r"rolls ([1-6 ]+)\n", shown)[-1])


def test_interrupt_saves_and_resume_goes_on_with_the_same_dice(tmp_path: Path) -> None:
    first = Terminal(tmp_path, *PLAY, "--seed", "no bust at once")
    lying = _last_roll(first.prompt())
    first.child.sendintr()
    assert first.end() == 130
    assert "the game is saved: dicegame play --resume" in first.seen.replace("\n", "")
    again = Terminal(tmp_path, "play", "--resume")
    shown = again.prompt()
    assert "The game goes on." in shown
    assert "Ada has 0 in this turn, and rolled" in shown
    assert f"  {'     '.join(lying.split())}\n" in shown
    again.send("quit")
    assert again.end() == 0


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM])
def test_killed_game_goes_on_from_the_last_decision(how: signal.Signals, tmp_path: Path) -> None:
    """Ada banks; the program dies while Bob is asked; the bank stands, and can still be taken back."""
    first = Terminal(tmp_path, *PLAY, "--dice", "1 1 1 2 3 4 / 5 5 2 3 4 6")
    first.prompt()
    assert "Bob: roll, or undo?" in first.ask("all bank")
    os.kill(first.child.pid, how)
    assert first.end() == -how
    again = Terminal(tmp_path, "play", "--resume")
    shown = again.prompt()
    assert "Ada: 1000, Bob: 0" in shown
    shown = again.ask("undo")
    assert "Taken back." in shown
    assert "1 1 1: 1000" in shown
    again.ask("1 bank")
    assert _last_roll(again.ask("roll")) == "5 5 2 3 4 6"
    assert "Ada: 100, Bob: 0" in again.ask("score")
    again.child.close(force=True)


def test_closed_terminal_loses_nothing(tmp_path: Path) -> None:
    first = Terminal(tmp_path, *PLAY)
    first.prompt()
    first.child.close(force=False)
    again = Terminal(tmp_path, "play", "--resume")
    assert "The game goes on." in again.prompt()
    again.child.close(force=True)


def test_resume_lists_the_games_when_there_are_several(tmp_path: Path) -> None:
    for names in (("human:Ada", "human:Bob"), ("human:Eve", "house")):
        left = Terminal(tmp_path, "play", "thousand", *names)
        left.prompt()
        left.send("quit")
        assert left.end() == 0
    again = Terminal(tmp_path, "play", "--resume")
    listed = again.prompt()
    assert re.search(r"1\) thousand, Eve, house, begun", listed)
    assert re.search(r"2\) thousand, Ada, Bob, begun", listed)
    assert "a number from 1 to 2, please" in again.ask("9").lower()
    assert "Ada" in again.ask("2")
    again.send("quit")
    assert again.end() == 0
    assert run("play", "--resume", "nothing", home=tmp_path).returncode == 2


def test_undo_until_new_dice_are_seen(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, *PLAY, "--dice", "1 5 2 2 3 4 / 1 1 1 2 3 4")
    terminal.prompt()
    assert "nothing to take back" in terminal.ask("undo")
    assert "roll or bank?" in terminal.ask("1 5")
    assert "Keep which dice" in terminal.ask("undo")
    assert "undo?" in terminal.ask("5 bank")
    shown = terminal.ask("undo")
    assert "1 5: 150" in shown
    terminal.ask("1 bank")
    terminal.ask("roll")
    assert "nothing to take back" in terminal.ask("undo")
    assert "Ada: 100, Bob: 0" in terminal.ask("score")
    terminal.child.close(force=True)


def test_marks_may_be_changed_until_the_reveal_and_computers_think_again(tmp_path: Path) -> None:
    dice = "6 6 1 / 1 1 2 / 5 5 5 / 3 / 4 4"
    arguments = ("play", "high-dice", "human:Ada", "human:Bob", "house", "--dice", dice)
    terminal = Terminal(tmp_path, *arguments)
    terminal.prompt()
    terminal.ask("6 6")
    shown = terminal.ask("all")
    assert "house stands pat" in shown
    shown = terminal.ask("Bob 2")
    assert "Bob changes a mark." in shown
    assert "house" in shown.split("Bob changes a mark.")[1]
    assert "there is no 4 in 1 1 2" in terminal.ask("bob 4")
    shown = terminal.ask("reveal")
    assert "Bob: 4 4 2, sum 10" in shown
    terminal.child.close(force=True)


def test_forty_columns(tmp_path: Path) -> None:
    terminal = Terminal(
        tmp_path, "play", "ten-thousand", "human:Ada", "house", "--target", "1000", "--seed", "n", size=(30, 40)
    )
    play_to_end(terminal, ["?", "rules", "all bank"])
    assert terminal.end() == 0
    typed = {"?", "rules", "all bank", "quit"}
    for line in terminal.seen.split("\n"):
        shown = line
        for word in typed:
            shown = shown.removesuffix(word)
        assert len(shown) <= 40, line
    assert "┌───┐ ┌───┐ ┌───┐ ┌───┐ ┌───┐ ┌───┐" in terminal.seen


def test_large_dice_are_seen_as_dice(tmp_path: Path) -> None:
    """Through a terminal emulator: what a person really sees, in 40 columns."""
    terminal = Terminal(tmp_path, "play", "ten-thousand", "human:Ada", "--dice", "1 5 3 3 6 2", size=(24, 40))
    terminal.prompt()
    screen = pyte.Screen(40, 24)
    pyte.Stream(screen).feed(terminal.raw)
    rows = [row.rstrip() for row in screen.display]
    top = rows.index("┌───┐ ┌───┐ ┌───┐ ┌───┐ ┌───┐ ┌───┐")
    assert rows[top + 1 : top + 4] == [
        "│   │ │● ●│ │●  │ │●  │ │● ●│ │●  │",
        "│ ● │ │ ● │ │ ● │ │ ● │ │● ●│ │   │",
        "│   │ │● ●│ │  ●│ │  ●│ │● ●│ │  ●│",
    ]
    assert rows[top + 5] == "  1     5     3     3     6     2"
    terminal.child.close(force=True)


@pytest.mark.parametrize(
    ("env", "colours"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_colour_on_a_terminal(env: dict[str, str], colours: bool, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, *PLAY, "--dice", "1 1 1 2 3 4", env=env)
    terminal.prompt()
    assert bool(ESCAPE.search(terminal.raw)) is colours
    assert ("┌" in terminal.raw) is (env.get("TERM") != "dumb")
    assert "Ada rolls 1 1 1 2 3 4" in terminal.seen
    terminal.child.close(force=True)


def test_colour_in_a_pipe(tmp_path: Path) -> None:
    arguments = (*PLAY, "--dice", "1 1 1 2 3 4")
    assert not ESCAPE.search(run(*arguments, home=tmp_path).stdout)
    assert ESCAPE.search(run(*arguments, env={"FORCE_COLOR": "1"}, home=tmp_path).stdout)
    assert ESCAPE.search(run(*arguments, "--color", home=tmp_path).stdout)
    assert not ESCAPE.search(run(*arguments, "--no-color", env={"FORCE_COLOR": "1"}, home=tmp_path).stdout)


@pytest.mark.parametrize("how", [["--ascii"], []])
def test_without_unicode(how: list[str], tmp_path: Path) -> None:
    env = {} if how else {"PYTHONIOENCODING": "ascii"}
    terminal = Terminal(tmp_path, *PLAY, "--dice", "1 1 1 2 3 4", *how, env=env)
    terminal.prompt()
    assert terminal.raw.isascii()
    assert "+---+ +---+" in terminal.raw
    terminal.child.close(force=True)


def test_language_that_the_terminal_cannot_write_is_english(tmp_path: Path) -> None:
    played = run(*PLAY, "--lang", "ru", "--dice", "1 1 1 2 3 4", env={"PYTHONIOENCODING": "latin-1"}, home=tmp_path)
    assert "Ada rolls 1 1 1 2 3 4" in played.stdout
    french = run(*PLAY, "--lang", "fr", "--dice", "1 1 1 2 3 4", env={"PYTHONIOENCODING": "utf-8"}, home=tmp_path)
    assert "Ada rolls" not in french.stdout


def test_input_by_pipe(tmp_path: Path) -> None:
    """What is piped in is shown as if it were typed, and the end of input saves the game."""
    dice = "1 1 1 2 3 4 / 5 5 2 3 4 6"
    played = run(*PLAY, "--dice", dice, input="1 1 1 bank\nroll\n5 5\n", home=tmp_path)
    assert "Keep which dice, then roll or bank? 1 1 1 bank\n" in played.stdout
    assert "roll or bank? \n" in played.stdout
    assert played.returncode == 2
    assert "end of input; the game is saved: dicegame play --resume" in played.stderr
    assert played.stderr.count("\n") == 1
    again = run("play", "--resume", input="score\nquit\n", home=tmp_path)
    assert "Ada: 1000, Bob: 0" in again.stdout
    assert again.returncode == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "Type what to do; ? lists it."),
        ("2", "Kept 2, but 2 is part of no combination of 1 2 3 4 6 6"),
        ("1 1", "Kept 1 1, but there is only 1 die with a 1 in 1 2 3 4 6 6"),
        ("7", "Kept 7, but a die has the faces 1 to 6"),
        ("bank 5", "there is no 5 in 1 2 3 4 6 6"),
        ("xyzzy", "Not understood here: xyzzy"),
        ("\x01\x02\x1b[2J", "Not understood here:"),
        ("1 reveal", "Here one keeps dice, then says roll or bank"),
        ("1" * 5000, "That line is too long"),
        ("9" * 4000, "Kept 9, but a die has the faces 1 to 6"),
        ("١ roll", "Ada keeps 1 for 100"),
    ],
)
def test_rubbish_gets_one_clear_line(line: str, said: str, tmp_path: Path) -> None:
    played = run(*PLAY, "--dice", "1 2 3 4 6 6", input=line + "\nquit\n", home=tmp_path)
    assert said in played.stdout.replace("\n", " ")
    assert "Traceback" not in played.stderr
    assert "\x1b" not in played.stdout


def test_a_megabyte_without_end(tmp_path: Path) -> None:
    played = run(*PLAY, "--dice", "1 2 3 4 6 6", input="1 " * 500_000 + "\nall\nquit\n", home=tmp_path)
    assert played.stdout.count("That line is too long") == 1
    assert "1 for 100 makes 100" in played.stdout
    assert len(played.stdout) < 5000
    assert played.returncode == 0


def test_real_dice_are_typed_in_and_a_slip_is_taken_back(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "play", "ten-thousand", "human:Ada", "house", "--dice", "ask")
    assert "Ada rolls 6 dice. What fell?" in terminal.prompt()
    assert "6 dice with faces from 1 to 6, please" in terminal.ask("1 2 3")
    assert "6 dice with faces" in terminal.ask("1 2 3 4 5 7")
    assert "1 2: " not in terminal.ask("112345")
    assert "What fell?" in terminal.ask("undo")
    terminal.ask("1 5 3 3 6 2")
    shown = terminal.ask("1 5 bank")
    assert "house rolls 6 dice. What fell?" in shown
    assert "1 5: 150" in terminal.ask("undo")
    assert "house rolls 6 dice" in terminal.ask("1 bank")
    os.kill(terminal.child.pid, signal.SIGKILL)
    terminal.end()
    again = Terminal(tmp_path, "play", "--resume")
    assert "house rolls 6 dice" in again.prompt()
    assert "Ada: 100, house: 0" in again.seen
    again.child.close(force=True)


def test_computer_steps_can_be_followed(tmp_path: Path) -> None:
    """On a terminal a step stands for the pace before the next is shown; the order of arrival tells, not a clock."""
    terminal = Terminal(tmp_path, "play", "ten-thousand", "house", "house", "--seed", "p", pace="60")
    terminal.expect(r"rolls [1-6 ]+\r\n(.*\r\n)+  [1-6]     ")
    with pytest.raises(pexpect.TIMEOUT):
        terminal.child.expect("keeps", timeout=1)
    terminal.child.sendintr()
    assert terminal.end() == 130
    fast = run("play", "ten-thousand", "house", "house", "--seed", "p", "--pace", "60", home=tmp_path)
    assert fast.returncode == 0


def test_forfeit_leaves_the_others_playing(tmp_path: Path) -> None:
    terminal = Terminal(
        tmp_path, "play", "ten-thousand", "human:Ada", "human:Bob", "human:Eve", "--target", "1000", "--seed", "f"
    )
    terminal.prompt()
    assert "Sure?" in terminal.ask("forfeit")
    assert "Keep which dice" in terminal.ask("no")
    terminal.ask("forfeit")
    assert "Ada is out of the game" in terminal.ask("yes")
    terminal.ask("forfeit")
    terminal.send("yes")
    assert "Eve wins!" in terminal.prompt()
    terminal.child.close(force=True)
