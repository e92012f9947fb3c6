"""Whole games on a real terminal: each of the three, in each language, to its end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dicegame.text import LANGUAGES
from tests.terminal.sessions import ESCAPE, ISOLATES, Terminal, play_to_end

HAS_ARABIC = re.compile(r"[\u0600-\u06ff]")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_ten_thousand(lang: str, tmp_path: Path) -> None:
    terminal = Terminal(
        tmp_path, "play", "ten-thousand", "human:Zoé", "IA=house", "--target", "2000", "--seed", "a", lang=lang
    )
    play_to_end(terminal, [f"{terminal.say('all')} {terminal.say('bank')}"])
    assert terminal.end() == 0
    seen = terminal.seen
    assert terminal.words("Final round!") in seen
    assert terminal.words("Bust!") in seen
    assert "┌───┐" in seen
    assert re.search(r"Zoé\W+\d{4}|IA\W+\d{4}", seen)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_thousand(lang: str, tmp_path: Path) -> None:
    """In English words, which every language understands; one keep at a time, then bank or, where that is refused, roll."""
    terminal = Terminal(
        tmp_path, "play", "thousand", "human:Zoé", "human:Bob", "--target", "300", "--seed", "b", lang=lang
    )
    play_to_end(terminal, ["all", "bank", "roll"])
    assert terminal.end() == 0
    assert terminal.words("The game is over.") in terminal.seen


@pytest.mark.parametrize("lang", LANGUAGES)
def test_high_dice(lang: str, tmp_path: Path) -> None:
    """Best of three, replays included: the first throws of the first round are level."""
    dice = "1 1 1 / 1 1 1 / 2 2 2 / 3 3 3 / 1 2 3 / 1 2 4 / 5 6 / 1 1 1 / 6 6 6"
    terminal = Terminal(
        tmp_path, "play", "high-dice", "human:Zoé", "human:Bob", "--set", "to=2", "--dice", dice, lang=lang
    )
    terminal.prompt()
    terminal.ask(terminal.say("all"))
    level = terminal.ask(terminal.say("all"))
    assert terminal.say("reveal") in level
    assert terminal.say("replay") in terminal.ask(terminal.say("reveal"))
    assert terminal.say("roll") in terminal.ask(terminal.say("replay"))
    terminal.ask(terminal.say("roll"))
    terminal.ask(f"4 {terminal.say('reveal')}")
    for _attempt in range(10):
        if terminal.words("The game is over.") in terminal.seen:
            break
        terminal.ask(terminal.say("roll"))
        terminal.ask(f"{terminal.say('all')} {terminal.say('reveal')}")
    terminal.send(terminal.say("quit"))
    assert terminal.end() == 0
    assert terminal.seen.count("Bob") > 5


def test_arabic_isolates_every_name_number_and_row_of_dice(tmp_path: Path) -> None:
    """In logical order, right to left: whatever is not Arabic stands in an isolate, and every isolate is closed in its line."""
    terminal = Terminal(
        tmp_path, "play", "ten-thousand", "human:Zoé", "IA=house", "--target", "1000", "--seed", "c", lang="ar"
    )
    play_to_end(terminal, ["all bank"])
    terminal.end()
    for line in ESCAPE.sub("", terminal.raw).replace("\r", "").split("\n"):
        if not HAS_ARABIC.search(line):
            continue
        assert len(re.findall("[\u2066\u2067\u2068]", line)) == line.count("\u2069"), line
        shown = line.split(terminal.words("Keep which dice, then %(roll)s or %(bank)s?")[:6])[0]
        outside = re.sub("[\u2066-\u2068][^\u2069]*\u2069", "", shown)
        assert not re.search(r"[A-Za-z0-9]", re.sub("[\u2066-\u2069]", "", outside)), line
    assert ISOLATES.search(terminal.raw)


def test_bare_command_asks_and_remembers(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    for answer in ("", "2", "Ada", "Bob", "1", "700"):
        terminal.prompt()
        terminal.send(answer)
    shown = terminal.prompt()
    assert "Ada, turn 1" in shown
    assert "Ada: 0, Bob: 0" in shown
    assert "IA" not in terminal.seen
    terminal.send("quit")
    assert terminal.end() == 0
    again = Terminal(tmp_path)
    for _question in range(6):
        again.prompt()
        again.send("")
    assert "Ada: 0, Bob: 0" in again.prompt()
    assert "[700]" in again.seen
    again.send("quit")
    assert again.end() == 0


def test_bare_command_sets_high_dice_up(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    for answer in ("3", "1", "Ada", "2", "1", "2", "1", "1", "1", "2"):
        terminal.prompt()
        terminal.send(answer)
    shown = terminal.prompt()
    assert re.search(r"Ada rolls \d \d\n", shown)
    assert re.search(r"IA rolls \d \d\n", shown)
    for _attempt in range(100):
        shown = terminal.ask("all")
        if "replay" in shown:
            terminal.ask("replay")
        elif "reveal" in shown:
            shown = terminal.ask("reveal")
        if "The game is over." in terminal.seen:
            break
    assert "A drink for: " in terminal.seen
    terminal.send("quit")
    assert terminal.end() == 0


def test_again_keeps_a_tally_and_other_rules_asks(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "play", "ten-thousand", "human:Ada", "--target", "50")
    for game in range(1, 4):
        for _attempt in range(100):
            shown = terminal.prompt()
            if "The game is over." in shown:
                break
            terminal.send("all bank")
        if game > 1:
            assert f"Games won, out of {game}: Ada {game}" in shown
        terminal.send("again" if game < 3 else "other rules")
    assert "Which game?" in terminal.prompt()
    terminal.send("quit")
    assert terminal.end() == 0
