"""What every prompt understands, what it tells, and that nothing is lost by a slip. Piped in: each line answers one prompt."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.process import run
from tests.terminal.sessions import plain, said, worded

TWO = ("human:Ada", "human:Bob")


def play(home: Path, *arguments: str, typed: list[str], code: int = 0) -> str:
    """Return what a game shows in which these lines are typed, without line ends in the middle of sentences."""
    played = run("play", *arguments, input="".join(line + "\n" for line in typed), env={"COLUMNS": "100"}, home=home)
    assert played.returncode == code, played.stderr
    assert "Traceback" not in played.stderr
    return plain(played.stdout)


@pytest.mark.parametrize("lang", ["en", "fr", "ru", "ar"])
def test_real_dice_are_asked_for_at_a_prompt_like_any_other(lang: str, tmp_path: Path) -> None:
    commands = ("help", "score", "rules", "undo", "save", "forfeit", "no", "quit")
    typed = ["", "x", *(said(lang, command) for command in commands)]
    shown = play(tmp_path, "ten-thousand", *TWO, "--dice", "ask", "--lang", lang, typed=typed)
    messages = (
        "There is nothing to take back here.", "Saved, as every decision is.", "Points", "not understood here: %s",
        "The game is saved. To go on with it: %s",
    )  # fmt: skip
    for message in messages:
        assert worded(lang, message).partition("%")[0].lower() in shown.lower()


def test_a_slip_with_real_dice_leaves_the_undo_there(tmp_path: Path) -> None:
    typed = ["1 5 3 3 6 2", "1 bank", "1 2", "undo", "1 5 bank", "quit"]
    shown = play(tmp_path, "ten-thousand", *TWO, "--dice", "ask", typed=typed)
    after = shown.split("6 dice with faces from 1 to 6, please")[1]
    assert after.startswith("\nBob rolls 6 dice. What fell? (or undo) undo\nTaken back.\n")
    assert "Ada: 150, Bob: 0" in after


def test_real_dice_of_several_seats_are_saved_one_by_one(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    arguments = ("high-dice", *TWO, "--set", "reroll=false", "--dice", "ask", "--record", str(record))
    play(tmp_path, *arguments, typed=["1 2 3", "quit"])
    shown = play(tmp_path, "--resume", typed=["?", "score", "4 4", "4 4 4", "quit"])
    assert "Ada rolls" not in shown
    assert "Ada: 1 2 3, sum 6\n  Bob: 4 4 4, sum 12\n  Bob wins the round." in shown
    assert run("verify", str(record)).returncode == 0


def test_a_reveal_with_real_dice_that_is_taken_back_stands_on_the_card_once(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    typed = ["1 1 1", "1 1 1", "all", "all", "reveal", "2 2 2", "3 3 3", "undo", "4 4 4", "5 5 5"]
    typed += ["1 2 3", "1 2 4", "reveal", "quit"]
    arguments = ("high-dice", *TWO, "--set", "to=2", "--dice", "ask", "--record", str(record))
    shown = play(tmp_path, *arguments, typed=typed)
    card = shown.split("The game is over.")[1]
    assert card.count("Bob wins the round.") == 2
    assert card.count("Level, rolled again:\n    Ada: 4 4 4, sum 12\n    Bob: 5 5 5, sum 15\n") == 1
    assert "2 2 2" not in card
    assert run("verify", str(record)).returncode == 0
    assert run("replay", str(record), env={"COLUMNS": "100"}).stdout.endswith(card.split("\nagain")[0] + "\n")


def test_the_card_shows_the_dice_of_every_replay(tmp_path: Path) -> None:
    dice = "1 1 1 / 1 1 1 / 2 2 2 / 2 2 2 / 3 3 4 / 3 3 3"
    typed = ["reveal", "replay", "replay", "quit"]
    shown = play(tmp_path, "high-dice", *TWO, "--dice", dice, typed=typed)
    assert "Level: Ada, Bob roll again.\nreplay to roll again: replay\nAda: 2 2 2, sum 6\n" in shown
    assert (
        "Round 1\n  Ada: 1 1 1, sum 3\n  Bob: 1 1 1, sum 3\n"
        "  Level, rolled again:\n    Ada: 2 2 2, sum 6\n    Bob: 2 2 2, sum 6\n"
        "  Level, rolled again:\n    Ada: 3 3 4, sum 10\n    Bob: 3 3 3, sum 9\n  Ada wins the round.\n"
    ) in shown


@pytest.mark.parametrize("where", ["reveal", "round"])
def test_whoever_sits_alone_may_give_up_while_dice_wait(where: str, tmp_path: Path) -> None:
    typed = ["all"] if where == "reveal" else ["all", "reveal"]
    dice = "6 6 6 / 1 1 1 / 1 1 1"
    arguments = ("high-dice", "human:Ada", "house", "--set", "to=3", "--dice", dice)
    shown = play(tmp_path, *arguments, typed=[*typed, "forfeit", "no", "forfeit", "yes", "quit"])
    assert shown.count("Ada gives up and can't win any more. Sure?") == 2
    assert "house wins!" in shown
    two = play(tmp_path, "high-dice", *TWO, "--dice", dice, typed=["all", "all", "forfeit", "quit"])
    assert "change a mark? forfeit\nOnly in one's own turn\n" in two


def test_computers_play_on_without_a_word_when_nobody_is_left_at_the_keyboard(tmp_path: Path) -> None:
    arguments = ("high-dice", "human:Ada", "house", "random", "--seed", "f", "--set", "to=2")
    shown = play(tmp_path, *arguments, typed=["forfeit", "yes", "quit"])
    assert "Round 2" in shown.split("The game is over.")[1]
    assert "roll?" not in shown


def test_a_mark_is_changed_and_revealed_in_one_line(tmp_path: Path) -> None:
    dice = "6 6 1 / 1 1 2 / 5 / 4 4"
    shown = play(tmp_path, "high-dice", *TWO, "--dice", dice, typed=["6 6", "all", "Bob 2 reveal", "quit"])
    assert (
        "Bob changes a mark.\nBob keeps 2 and rerolls 2 dice\nReveal!\nAda: 6 6 5, sum 17\nBob: 4 4 2, sum 10" in shown
    )


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_the_agreement_is_a_prompt_like_any_other(answer: str, tmp_path: Path) -> None:
    arguments = ("high-dice", *TWO, "--set", "stakes=dare", "--dice", "1 1 1 / 2 2 2")
    typed = ["?", "", "score", "save", "rules", "all", answer, "reveal", "quit"]
    shown = play(tmp_path, *arguments, typed=typed)
    assert "yes or no?\nEverywhere: hint, odds, tutor, rules, score, undo, save, forfeit, quit\n" in shown
    assert "The game has not begun." in shown
    assert ("A dare for Ada: " in shown) is (answer == "yes")
    left = play(tmp_path, *arguments, typed=["quit"])
    assert "The game is saved." in left


def test_the_prompt_after_a_game_answers_too(tmp_path: Path) -> None:
    typed = ["all bank", "", "?", "score", "rules", "undo", "save", "again", "all bank", "score", "quit"]
    shown = play(tmp_path, "ten-thousand", "human:Ada", "--target", "50", "--dice", "1 1 1 1 1 1", typed=typed)
    assert shown.count("again: the same once more; other rules: choose anew; quit: leave.") == 2
    assert "quit? score\nAda: 8000\nGames won, out of 1: Ada 1\n" in shown
    assert shown.count("The game is over\n") == 2
    assert "Ada: 8000\nGames won, out of 2: Ada 2\n" in shown


def test_help_says_what_follows_the_dice_that_are_kept(tmp_path: Path) -> None:
    shown = play(tmp_path, "ten-thousand", *TWO, "--dice", "1 5 3 3 6 2", typed=["1", "?", "quit"])
    assert shown.count("1 for 100 makes 100 in this turn; then 5 dice (bust 7.7%).") == 2


def test_what_a_bank_needs_is_told_before_it_is_tried(tmp_path: Path) -> None:
    dice = "5 2 3 4 6 / 1 2 3 4"
    shown = play(tmp_path, "thousand", *TWO, "--dice", dice, typed=["5 roll", "1", "quit"])
    assert "To be banked, this turn needs 75 points.\nWhat can be kept:\n" in shown
    assert "To be banked, this turn needs 75 points.\nIn this turn: 50. What can be kept:\n" in shown
    assert "needs" not in play(tmp_path, "ten-thousand", *TWO, typed=["?", "quit"])


def test_odds_of_a_bust_know_a_target_that_must_be_hit_exactly(tmp_path: Path) -> None:
    """100 are missing: after a 5 there is room for 50, and of one die only a 5 fits."""
    arguments = ("dix-mille", *TWO, "--set", "target=100", "--set", "open=0", "--dice", "5 2 2 3 3 4")
    shown = play(tmp_path, *arguments, "--set", "score.three_pairs=0", typed=["5", "quit"])
    assert "5: 50, then 5 dice (bust 40.2%)" in shown  # (5/6)**5 without a 5


def test_a_game_for_one_has_no_final_round(tmp_path: Path) -> None:
    arguments = ("ten-thousand", "human:Ada", "--target", "50", "--dice", "1 2 3 4 6 6")
    shown = play(tmp_path, *arguments, typed=["all bank", "quit"])
    assert "Final round!" not in shown
    assert "Ada wins!" in shown


def test_the_final_round_tells_what_is_to_beat(tmp_path: Path) -> None:
    dice = "1 1 1 2 3 4 / 5 2 2 3 3 4"
    shown = play(tmp_path, "ten-thousand", *TWO, "--target", "500", "--dice", dice, typed=["all bank", "roll", "quit"])
    assert "Bob, turn 1\nAda: 1000, Bob: 0\nFinal round: 1000 to beat.\n" in shown
    again = play(tmp_path, "--resume", typed=["quit"])
    assert "The game goes on.\nAda: 1000, Bob: 0\nPlayed to 500.\nFinal round: 1000 to beat.\n" in again


def test_the_score_tells_what_house_rules_count(tmp_path: Path) -> None:
    nothing = "2 3 4 6 6"
    dice = f"6 6 6 6 6 / {nothing} / 2 3 4 5 6 / {nothing} / 1 1 1 2 3 / {nothing} / {nothing} / {nothing} / 1 2 3 4 6"
    typed = ["all bank", "roll", "all bank", "roll", "all bank", "roll", "score", "quit"]
    shown = play(tmp_path, "thousand-classic", *TWO, "--dice", dice, typed=typed)
    assert "Ada is on the barrel and stands at 880 (minus 70)" in shown
    assert "Bob, turn 3\nAda: 880, Bob: 0\nAda is on the barrel, with 3 tries left.\n" in shown
    score = shown.split("score\n")[1]
    assert score.startswith(
        "Ada: 880, Bob: 0\nPlayed to 1000.\nTurns without points: Ada 0, Bob 0\nFalls off the barrel: Ada 0, Bob 0\n"
        "Ada is on the barrel, with 2 tries left.\n"
    )
    busts = play(tmp_path, "farkle-facebook", *TWO, typed=["score", "quit"])
    assert "Busts in a row: Ada 0, Bob 0" in busts


def test_a_round_that_is_gone_on_with_shows_all_dice_and_marks(tmp_path: Path) -> None:
    arguments = ("high-dice", *TWO, "house", "--dice", "6 2 1 / 5 5 3 / 1 1 1 / 4 4")
    play(tmp_path, *arguments, typed=["6", "quit"])
    shown = play(tmp_path, "--resume", typed=["quit"])
    assert "Ada: 6 2 1\nAda keeps 6 and rerolls 2 dice\nBob: 5 5 3\nhouse: 1 1 1\n\nBob: 5 5 3\n" in shown


def test_a_game_begins_with_what_is_played(tmp_path: Path) -> None:
    shown = play(tmp_path, "thousand", *TWO, "--target", "500", typed=["quit"])
    assert shown.startswith(
        "thousand: push your luck, 5 dice, the first at 500 wins.\nAt every prompt, ? lists what is"
    )
    assert "the first at 500 wins" not in play(tmp_path, "--resume", typed=["quit"])


def test_long_prompts_are_wrapped(tmp_path: Path) -> None:
    for lang in ("en", "fr", "ru", "ar"):
        arguments = ("play", "ten-thousand", *TWO, "--lang", lang)
        played = run(*arguments, input="forfeit\nno\nquit\n", env={"COLUMNS": "40"}, home=tmp_path)
        typed = {"forfeit", "no", "quit"}
        for line in plain(played.stdout).split("\n"):
            prompt, _sign, answer = line.rpartition(" ")
            assert len(prompt if answer in typed else line) <= 40, line


def test_names_in_a_record_can_not_steer_the_terminal(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    run("play", "ten-thousand", "Ada=house", "house", "--record", str(record), "--target", "500", home=tmp_path)
    head, *rest = record.read_text(encoding="utf-8").splitlines(keepends=True)
    header = json.loads(head)
    header["players"][0] = "\x1b[2JAda\u202e"
    record.write_text(json.dumps(header) + "\n" + "".join(rest), encoding="utf-8")
    replayed = run("replay", str(record))
    assert replayed.returncode == 0
    assert "Ada" in replayed.stdout
    assert "\x1b" not in replayed.stdout
    assert "\u202e" not in replayed.stdout


def test_output_that_is_lost_leaves_the_game_saved(tmp_path: Path) -> None:
    command = f"exec {sys.executable} -m dicegame play human:Ada human:Bob > /dev/full"
    lost = run(command=("sh", "-c", command), home=tmp_path)
    assert lost.returncode == 2
    assert lost.stderr.count("\n") == 1
    assert "No space left on device; the game is saved: dicegame play --resume" in lost.stderr
    assert "Ada: 0, Bob: 0" in play(tmp_path, "--resume", typed=["score", "quit"])


def test_a_name_and_its_score_stand_in_one_line(tmp_path: Path) -> None:
    arguments = ("play", "high-dice", *["house"] * 8, "--seed", "s")
    shown = run(*arguments, env={"COLUMNS": "40"}, home=tmp_path).stdout
    scores = shown.split("Rounds won:\n")[1].splitlines()
    assert "house 4: 0," in " ".join(scores[:2])
    assert not any(line.endswith(":") for line in scores)
