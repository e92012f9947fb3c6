"""The tutor: warns before a decision that costs too much, lets it be taken back, and is still there when a game is gone on with."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from dicegame.text import LANGUAGES
from tests.cli.process import run
from tests.terminal.sessions import ESCAPE, Terminal, plain
from tests.terminal.test_prompts import TWO, play

FIRST = ("ten-thousand", *TWO, "--dice", "1 5 3 3 6 2 / 1 1 1 2 3 4")
ROLLED = ("ten-thousand", *TWO, "--dice", "1 5 3 3 6 2 / 1 1 1 2 3")
WARNING = (
    "Wait: 1 5 bank costs 3.1% of the games (it wins 48.4%, and 1 roll 51.5%).\n"
    "1 roll rather than 1 5 bank: rolling 5 dice busts only 7.7% of the time.\n"
    "Do it all the same? (yes / no) "
)
ON = "The tutor is on: it warns before a decision that costs more than %s of the games."


def test_a_costly_decision_is_taken_back_for_another_one(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "play", *ROLLED, "--tutor", size=(50, 90))
    assert ON % "2%" in terminal.prompt()
    assert terminal.ask("1 5 bank").endswith(WARNING)
    assert "yes: it is done; no or undo: it is taken back." in terminal.ask("?")
    assert "Ada: 0, Bob: 0" in terminal.ask("score")
    shown = terminal.ask("no")
    assert "Taken back.\nKeep which dice, then roll or bank? " in shown
    assert "Ada keeps 1 for 100: 100 in this turn" in terminal.ask("1 roll")
    assert "Wait" not in terminal.seen.split("Taken back.")[1]
    terminal.child.close(force=True)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_costly_decision_is_played_all_the_same(lang: str, tmp_path: Path) -> None:
    """In 40 columns, with the language's own words, first what to keep and then the bank."""
    terminal = Terminal(tmp_path, "play", *FIRST, "--tutor", lang=lang, size=(50, 40))
    terminal.prompt()
    terminal.ask("1 5")
    shown = terminal.ask(terminal.say("bank"))
    warning = "Wait: %(decision)s costs %(cost)s of the games (it wins %(chance)s, and %(better)s %(best)s)."
    assert terminal.words(warning).split("%")[0] in shown
    assert all(len(line) <= 40 for line in shown.split("\n")[1:])
    assert "Bob" in terminal.ask(terminal.say("yes"))
    assert "150" in terminal.ask(terminal.say("score"))
    terminal.child.close(force=True)


def test_undo_takes_a_warned_decision_back_too_and_quit_leaves_it_unmade(tmp_path: Path) -> None:
    shown = play(tmp_path, *FIRST, "--tutor", typed=["1 5 bank", "undo", "1 5", "bank", "quit"])
    assert shown.count(WARNING) == 2
    assert f"{WARNING}undo\nTaken back.\nKeep which dice" in shown
    assert "Ada: 0, Bob: 0" in play(tmp_path, "--resume", typed=["quit"])


def test_what_costs_less_is_played_without_a_word(tmp_path: Path) -> None:
    assert "Wait" not in play(tmp_path, *FIRST, "--tutor", "3.5", typed=["1 5 bank", "quit"])
    assert "Wait" in play(tmp_path, *FIRST, "--tutor", "3", typed=["1 5 bank", "no", "quit"])
    assert "Wait" in play(tmp_path, *FIRST, "--tutor=0", typed=["5 roll", "no", "quit"])
    assert "Wait" not in play(tmp_path, *ROLLED, "--tutor=0", typed=["1 roll", "quit"])
    assert "Wait" not in play(tmp_path, *FIRST, typed=["1 5 bank", "quit"])


def test_the_tutor_is_kept_with_the_game(tmp_path: Path) -> None:
    """Through a kill and a resume; switched off and on by its word, with the cost that was said."""
    first = Terminal(tmp_path, "play", *FIRST, "--tutor", "2.5")
    first.prompt()
    os.kill(first.child.pid, signal.SIGKILL)
    first.end()
    again = Terminal(tmp_path, "play", "--resume", size=(50, 90))
    assert ON % "2.5%" in again.prompt()
    assert again.ask("1 5 bank").endswith(WARNING)
    again.ask("no")
    assert "The tutor is off." in again.ask("tutor")
    assert "Bob: roll, or undo?" in again.ask("1 5 bank")
    os.kill(again.child.pid, signal.SIGKILL)
    again.end()
    off = play(tmp_path, "--resume", typed=["undo", "1 5 bank", "undo", "tutor", "1 5 bank", "quit"])
    assert "Ada: 150, Bob: 0" in off
    assert off.count("Wait: ") == 1
    assert ON % "2%" in off
    assert ON % "2%" in play(tmp_path, "--resume", typed=["quit"])
    assert ON % "4%" in play(tmp_path, "--resume", "--tutor", "4", typed=["quit"])  # keeps what it says
    switched = play(tmp_path, "--resume", typed=["tutor", "tutor", "1 5 bank", "quit"])
    assert switched.count(ON % "4%") == 2
    assert "Wait" not in switched


def test_the_tutor_is_switched_before_a_game_is_gone_on_with(tmp_path: Path) -> None:
    """At the question whether everyone agrees, which comes before what was played is played again."""
    arguments = ("high-dice", *TWO, "--set", "stakes=dare", "--dice", "6 6 1 / 4 5 2 / 1 1")
    play(tmp_path, *arguments, typed=["no", "6 6", "quit"])
    [path] = (tmp_path / "state" / "dicegame" / "games").glob("*.jsonl")
    before = path.read_bytes()
    assert ON % "2%" in play(tmp_path, "--resume", typed=["tutor", "no", "quit"])
    assert path.read_bytes() == before.replace(b'"tutor":null', b'"tutor":2.0')
    shown = play(tmp_path, "--resume", typed=["no", "all", "no", "quit"])
    assert shown.count("Wait: ") == 1


def test_the_next_game_has_the_tutor_of_the_last(tmp_path: Path) -> None:
    arguments = (
        "ten-thousand",
        "human:Ada",
        "house",
        "--target",
        "50",
        "--dice",
        "1 1 1 1 1 1 / 2 3 4 6 6 2",
        "--tutor",
    )
    shown = play(tmp_path, *arguments, typed=["all bank", "again", "quit"])
    assert shown.count(ON % "2%") == 2
    typed = ["all bank", "other rules", "1", "1", "Ada", "house", "", "quit"]
    assert play(tmp_path, *arguments, typed=typed).count(ON % "2%") == 2


def test_with_real_dice(tmp_path: Path) -> None:
    arguments = ("ten-thousand", "human:Ada", "house", "--dice", "ask", "--tutor")
    shown = play(tmp_path, *arguments, typed=["1 5 3 3 6 2", "1 5 bank", "no", "1 roll", "1 1 1 2 3", "quit"])
    assert WARNING in shown
    assert "Ada keeps 1 for 100: 100 in this turn" in shown


def test_marks_and_their_changes_are_warned_of(tmp_path: Path) -> None:
    dice = "6 6 1 / 4 5 2 / 3 / 1 / 6"
    typed = [
        "none",
        "no",
        "6 6 reveal",
        "all reveal",
        "no",
        "4 5",
        "Bob 2",
        "no",
        "Bob 2 reveal",
        "no",
        "reveal",
        "quit",
    ]
    shown = play(tmp_path, "high-dice", *TWO, "--set", "to=2", "--dice", dice, "--tutor", "1", typed=typed)
    assert "Wait: none costs 29.3% of the games (it wins 39.4%, and 6 6 68.6%)." in shown
    assert "6 6 rather than none: 6 6 are each better than what a die makes on average (3.5);" in shown
    assert "Ada keeps 6 6 and rerolls 1 die" in shown
    assert shown.count("Taken back.\n") == shown.count("Wait: ")
    assert "Bob changes a mark" not in shown
    assert "Reveal!" in shown


def test_a_mark_that_is_taken_back_reveals_nothing(tmp_path: Path) -> None:
    """`reveal` would stand pat for everybody who has not marked."""
    arguments = ("high-dice", *TWO, "--set", "to=2", "--dice", "1 1 6 / 4 5 2", "--tutor", "1")
    shown = play(tmp_path, *arguments, typed=["reveal", "no", "6", "quit"])
    assert "Wait: all costs" in shown
    assert "Bob: 4 5 2\nType the dice to keep" in shown


def test_a_game_that_is_not_solved_has_a_silent_tutor(tmp_path: Path) -> None:
    shown = play(
        tmp_path,
        "zilch",
        *TWO,
        "--tutor",
        "--dice",
        "1 5 3 3 6 2 / 1 2 3 4 6",
        typed=["5 roll", "1 roll", "quit"],
        code=2,
    )
    assert shown.replace("\n", " ").count("The tutor has nothing to say: zilch has too many positions") == 1
    assert "Wait" not in shown


def test_three_players_are_warned_by_an_approximation(tmp_path: Path) -> None:
    shown = play(tmp_path, *FIRST[:3], "human:Eve", *FIRST[3:], "--tutor", typed=["1 5 bank", "no", "quit"])
    assert "This is an approximation: with three or more players" in shown.split("Wait: ")[1]


def test_without_colour(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "play", *FIRST, "--tutor", env={"NO_COLOR": "1"})
    terminal.prompt()
    terminal.ask("1 5 bank")
    assert not ESCAPE.search(terminal.raw)
    terminal.child.close(force=True)
    coloured = run("play", *FIRST, "--tutor", "--color", input="1 5 bank\nno\nquit\n", home=tmp_path)
    assert "\x1b[33mWait" in coloured.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--tutor", "--json"), "--tutor needs a person at a terminal, not --json"),
        (("--tutor", "thousand"), "thousand is no number from 0 to 100; without a number the option stands last"),
        (("--tutor=101",), "101 is no number from 0 to 100"),
        (("--tutor=nan",), "nan is no number from 0 to 100"),
        (("--tutor=",), " is no number from 0 to 100"),
    ],
)
def test_wrong_use_gets_one_clear_line(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    ended = run("play", *arguments, home=tmp_path)
    assert ended.returncode == 2
    assert said in " ".join(plain(ended.stderr).split())
    assert "Traceback" not in ended.stderr


def test_a_saved_game_of_before_the_tutor_has_none(tmp_path: Path) -> None:
    play(tmp_path, *FIRST, "--tutor", typed=["quit"])
    [path] = (tmp_path / "state" / "dicegame" / "games").glob("*.jsonl")
    path.write_text(path.read_text(encoding="utf-8").replace(',"tutor":2.0', "", 1), encoding="utf-8")
    assert "tutor" not in play(tmp_path, "--resume", typed=["1 5 bank", "quit"]).lower()
