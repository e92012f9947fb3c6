"""The words `hint` and `odds`: what is best and why, in every language, at every prompt, on narrow terminals, and without judges."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from dicegame.text import LANGUAGES
from tests.cli.process import environment, run
from tests.terminal.sessions import ESCAPE, Terminal, plain
from tests.terminal.test_prompts import TWO, play

FIRST = ("ten-thousand", *TWO, "--dice", "1 5 3 3 6 2")
HAS_ARABIC = re.compile(r"[\u0600-\u06ff]")
PROBE = """
import sys
from dicegame.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as error:
    assert not error.code, error.code
print("\\n".join(sys.modules), file=sys.stderr)
"""


def test_hint_lists_the_best_and_says_why(tmp_path: Path) -> None:
    shown = play(tmp_path, *FIRST, typed=["hint", "quit"])
    assert (
        "hint\nThe best here, with the chance to win if all play their best:\n"
        "  1 roll: 51.5%\n"
        "  5 roll: 51.1%, costs 0.4% of the games\n"
        "  1 5 roll: 50.4%, costs 1.1% of the games\n"
        "  1 5 bank: 48.4%, costs 3.1% of the games\n"
        "1 roll rather than 5 roll: it makes 50 more.\n"
        "1 roll rather than 1 5 bank: rolling 5 dice busts only 7.7% of the time.\n"
        "Keep which dice"
    ) in shown


def test_odds_of_rolls_and_of_everything_that_can_be_kept(tmp_path: Path) -> None:
    shown = play(tmp_path, *FIRST, typed=["odds", "quit"])
    assert "The odds of a roll:\n  dice   bust  hot dice\n  1     66.7%     33.3%\n  2     44.4%     11.1%\n" in shown
    assert (
        "  6      2.3%      8.4%\nWhat can be kept: the odds of a bust then, and the chance to win after each:\n"
        in shown
    )
    assert "  kept   bust   roll   bank\n  1 5   15.7%  50.4%  48.4%\n  1      7.7%  51.5%  47.8%\n" in shown


@pytest.mark.parametrize("lang", LANGUAGES)
def test_hint_and_odds_speak_every_language(lang: str, tmp_path: Path) -> None:
    """On a real terminal of 40 columns; the word is the language's own."""
    terminal = Terminal(tmp_path, "play", *FIRST, lang=lang, size=(50, 40))
    terminal.prompt()
    shown = terminal.ask(terminal.say("hint"))
    whole = " ".join(shown.split())
    assert terminal.words("The best here, with the chance to win if all play their best:") in whole
    assert re.search(rf"1 {terminal.say('roll')}[\s ]?: 51[.,]5", whole), whole
    assert re.search(r"1 5 \S+[\s ]?: 48[.,]4", whole)
    odds = terminal.ask(terminal.say("odds"))
    assert terminal.words("The odds of a roll:") in odds
    assert re.search(r"66[.,]7", odds)
    assert re.search(r"51[.,]5", odds)
    for line in (shown + odds).split("\n"):
        assert len(line.removesuffix(terminal.say("hint")).removesuffix(terminal.say("odds"))) <= 41, line
    raw = ESCAPE.sub("", terminal.raw).replace("\r", "")
    for line in raw.split(terminal.say("odds"))[1].split("\n") if lang == "ar" else ():
        outside = re.sub("[\u2066-\u2068][^\u2069]*\u2069", "", line)
        assert len(re.findall("[\u2066\u2067\u2068]", line)) == line.count("\u2069"), line
        assert not HAS_ARABIC.search(line) or not re.search(r"[A-Za-z0-9]", outside), line
    terminal.send("quit")
    assert terminal.end() == 0


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_hint_without_colour(env: dict[str, str], tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "play", "zilch", *TWO, "--dice", "1 5 3 3 6 2", env=env)
    terminal.prompt()
    assert "The chance to win is not known here" in terminal.ask("hint")
    assert not ESCAPE.search(terminal.raw)
    terminal.child.close(force=True)


def test_before_dice_the_standing_is_told(tmp_path: Path) -> None:
    shown = play(tmp_path, *FIRST, typed=["1 5 bank", "hint", "odds", "quit"])
    standing = "The chance to win now, if all play their best: Ada 48.4%, Bob 51.6%\nBob: roll, or undo?"
    assert f"hint\n{standing}" in shown
    assert f"  6      2.3%      8.4%\n{standing}" in shown


def test_a_hint_with_dice_kept_tells_of_these_too(tmp_path: Path) -> None:
    shown = play(tmp_path, *FIRST, typed=["5", "hint", "5 bank", "quit"])
    assert "  1 roll: 51.5%\n  5 roll: 51.1%, costs 0.4% of the games\n" in shown
    assert "  5 bank: 47.2%, costs 4.3% of the games\n" in shown
    assert "5 roll rather than 5 bank: rolling 5 dice busts only 7.7% of the time.\n" in shown


def test_the_last_turn_is_told_as_such(tmp_path: Path) -> None:
    dice = "1 1 1 2 3 4 / 5 5 2 3 3 4"
    typed = ["all bank", "roll", "hint", "quit"]
    shown = play(tmp_path, "ten-thousand", *TWO, "--target", "500", "--dice", dice, typed=typed)
    assert "this is the last turn, and banking now ends it 900 behind." in shown
    assert "5 5 bank: 0%" in shown


def test_decisions_that_are_equally_good_are_called_so(tmp_path: Path) -> None:
    """In the last turn of all, once ahead of the other, every bank wins."""
    dice = "1 2 3 4 6 6 / 1 1 1 5 5 2"
    typed = ["1 bank", "roll", "hint", "quit"]
    shown = play(tmp_path, "ten-thousand", *TWO, "--target", "50", "--dice", dice, typed=typed)
    assert "  1 1 1 5 5 bank: 100%\n  1 1 1 5 bank: 100%, just as good\n" in shown
    assert "bank rather than" in shown.replace("1 1 1 5 5 bank rather", "bank rather")
    assert "banking wins the game." in shown


def test_three_players_are_told_that_it_is_an_approximation(tmp_path: Path) -> None:
    shown = play(
        tmp_path, "ten-thousand", *TWO, "house", "--dice", "1 5 3 3 6 2", typed=["hint", "1 5 bank", "hint", "quit"]
    )
    line = (
        "This is an approximation: with three or more players, it is the chance against the best other score alone.\n"
    )
    assert shown.replace("\n", " ").count(line.rstrip()) == 2
    assert "if all play their best: Bob 51.6%\n" in shown


@pytest.mark.parametrize(
    ("game", "why"),
    [
        (("zilch", *TWO), "zilch has too many positions to be solved"),
        (("thousand-classic", *TWO), "thousand-classic can't be solved exactly: house."),
        (("ten-thousand", "human:Ada"), "a seat alone has nobody to win against: there is nothing to judge"),
        (
            ("ten-thousand", *TWO, "--set", "score.three_pairs=800"),
            "the values of ten-thousand are not there yet: dicegame solve",
        ),
    ],
)
def test_a_game_that_is_not_solved_gets_the_most_points_instead(
    game: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    dice = "1 5 3 3 6 2" if game[0] != "thousand-classic" else "1 5 3 3 6"
    shown = play(tmp_path, *game, "--dice", dice, typed=["hint", "odds", "quit"])
    assert shown.replace("\n", " ").count(f"The chance to win is not known here: {why}") == 2
    assert "The most points of this turn on average (that is not the chance to win):\n  1 roll: " in shown
    assert "Scores, a first bank and house rules are left out here." in shown
    assert "What can be kept, and the odds of a bust then:\n  kept   bust\n" in shown


def test_marks_of_high_dice(tmp_path: Path) -> None:
    dice = "1 5 3 / 3 6 2"
    shown = play(tmp_path, "high-dice", *TWO, "--dice", dice, typed=["hint", "odds", "all", "all", "hint", "quit"])
    assert (
        "The best here, with the chance to win if all play their best:\n  5: 39.0%\n"
        "  3 5: 31.7%, costs 7.3% of the games\n  none: 26.3%, costs 12.6% of the games\n"
        "  3: 19.9%, costs 19.1% of the games\n  all: 0%, costs 39.0% of the games\n"
        "5 rather than 3 5: 3 is worse than what a die makes on average (3.5).\n"
        "5 rather than all: the other can't win the round against the best answer.\n"
    ) in shown
    assert "Every mark, with the chance to win:\n  kept  match\n  5     39.0%\n" in shown
    assert "The chance to win now, if all play their best: Ada 0%, Bob 100%\nreveal (no reroll)" in shown
    longer = play(tmp_path, "high-dice", *TWO, "--set", "to=2", "--dice", dice, typed=["hint", "odds", "quit"])
    assert "it wins the round 39.0% of the time, the other 31.7%." in longer.replace("\n", " ")
    assert "  kept  round  match\n  5     39.0%" in longer


def test_high_dice_of_three_that_seek_a_loser(tmp_path: Path) -> None:
    arguments = ("high-dice", *TWO, "house", "--set", "find=loser", "--dice", "4 6 1 / 3 6 2 / 4 4 4")
    shown = play(tmp_path, *arguments, typed=["hint", "odds", "quit"])
    assert "  kept  round not lost  match\n" in shown
    assert "This is an approximation: the exact chances of three or more players are not known.\n" in shown
    narrow = run("play", *arguments, "--lang", "ar", input="odds\nquit\n", home=tmp_path)
    assert "الجولة بلا خسارة" in plain(narrow.stdout)


def test_before_and_after_a_game_there_is_nothing_to_judge(tmp_path: Path) -> None:
    arguments = ("high-dice", *TWO, "--set", "stakes=dare", "--dice", "1 1 1 / 2 2 2")
    typed = ["hint", "odds", "no", "all", "all", "reveal", "hint", "odds", "tutor", "quit"]
    shown = play(tmp_path, *arguments, typed=typed)
    assert shown.count("The game has not begun.") == 2
    assert shown.count("The game is over\n") == 3


def _modules(home: Path, typed: str) -> set[str]:
    arguments = ("play", *FIRST, "--tutor")
    command = [sys.executable, "-c", PROBE, *arguments]
    ended = subprocess.run(
        command, input=typed, env=environment(home), capture_output=True, encoding="utf-8", check=True
    )
    return set(ended.stderr.split())


def test_the_judge_comes_with_the_first_hint_and_needs_no_arrays(tmp_path: Path) -> None:
    assert "dicegame.terminal.advice" not in _modules(tmp_path, "quit\n")
    asked = _modules(tmp_path, "hint\nodds\n1 bank\nno\nquit\n")
    assert {"dicegame.values.judges", "dicegame.terminal.chances", "dicegame.terminal.tutor"} <= asked
    assert not {"numpy", "numba"} & asked
