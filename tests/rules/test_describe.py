"""The rules in words: every field that is on is told, nothing else is, and every number stands in the data."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from pydantic import BaseModel

from dicegame import text
from dicegame.rules.describe import describe, summary
from dicegame.rules.load import as_data, load, presets
from dicegame.rules.model import HighDiceRules, House, Nothing, Penalty, PushLuckRules, RuleSet, Score, Straight
from tests.rules.strategies import push_luck_rules


@pytest.fixture
def speak() -> Iterator[Any]:
    before = os.environ.get("LANGUAGE")
    yield text.use
    text.use("en")
    os.environ.pop("LANGUAGE")
    if before is not None:
        os.environ["LANGUAGE"] = before


def told(rules: RuleSet) -> str:
    return "\n".join(line for section in describe(rules) for line in [section.title, *section.lines])


def lines(name: str, *changes: str) -> list[str]:
    return [line for section in describe(load(name, changes)) for line in section.lines]


def numbers_in(value: Any) -> set[int]:
    """Return every number of the data, the faces that stand as keys included."""
    if isinstance(value, dict):
        return set().union(*(numbers_in(v) for v in value.values()), *(numbers_in(k) for k in value))
    if isinstance(value, list):
        return set().union(*map(numbers_in, value))
    if isinstance(value, str):
        return {int(value)} if value.isdecimal() else set()
    return {value} if isinstance(value, int) else set()


def follows(rules: RuleSet) -> set[int]:
    """Return the numbers that follow from the data: multiples, where the barrel stands, wins by seats, and the score 0."""
    if isinstance(rules, HighDiceRules):
        return {rules.wins_needed(2), rules.wins_needed(3)}
    score, found = rules.score, {0, rules.target - rules.house.barrel}
    for kind in (score.single, score.three, score.four, score.five, score.six):
        found |= {points // face for face, points in kind.items() if points % face == 0}
        found |= {points // score.three[face] for face, points in kind.items() if score.three.get(face)}
    return found


def check_numbers(rules: RuleSet) -> None:
    said = {int(n) for n in re.findall(r"(?<![\w-])-?\d+", told(rules))}
    assert said <= numbers_in(as_data(rules)) | follows(rules)


@pytest.mark.parametrize("name", presets())
def test_every_number_in_the_words_stands_in_the_data(name: str) -> None:
    check_numbers(load(name))


@settings(max_examples=100, deadline=None)
@given(push_luck_rules())
def test_any_rule_set_can_be_told_and_says_no_number_of_its_own(rules: PushLuckRules) -> None:
    check_numbers(rules)
    assert all(section.title and section.lines and all(section.lines) for section in describe(rules))


@pytest.mark.parametrize("language", text.LANGUAGES)
@pytest.mark.parametrize("name", presets())
def test_every_preset_is_told_in_every_language(name: str, language: str, speak: Any) -> None:
    speak(language)
    rules = load(name)
    said = told(rules)
    assert "%(" not in said
    assert "%(" not in summary(rules)
    assert said.count("\u2066") == said.count("\u2069")
    assert ("\u2066" in said) == (language == "ar")
    if isinstance(rules, PushLuckRules):
        assert str(rules.target) in said
        assert str(rules.target) in summary(rules)


# field -> (a rule set, what turns the field on or changes it, what is then said and was not before)
FIELDS = {
    "dice": ("core", ["dice=4"], "Played with 4 dice."),
    "target": ("core", ["target=7777"], "a score of 7777 or more wins"),
    "targets": ("core", ["targets=[5000, 10000]"], "these targets: 5000, 10000."),
    "end": ("core", ["end=final-round"], "starts the final round"),
    "reach": ("core", ["reach=exact"], "a score of exactly 10000"),
    "seats": ("core", ["seats=[2, 4]"], "For 2 to 4 players."),
    "open": ("core", ["open=350"], "first bank needs a turn of at least 350 points"),
    "minimum": ("core", ["minimum=350"], "Every bank needs a turn of at least 350 points"),
    "hot_dice": ("core", ["hot_dice=must-roll"], "they must be rolled"),
    "pair_left": ("core", ["pair_left=[2, 6]"], "exactly one pair of the same face, if that face is one of these: 2, 6."),
    "instant_win": ("core", ["instant_win=[[6, 1, 1, 1, 1, 1]]"], "1 1 1 1 1 6 in one roll wins the game at once."),
    "tie": ("core", [], "share the win"),
    "max_turns": ("core", ["max_turns=77"], "After 77 turns each"),
    "floor": ("core", ["floor=-300"], "below -300"),
    "score.single": ("core", ["score.single.4=35"], "4: 35"),
    "score.three": ("core", ["score.three.2=225"], "2: 225"),
    "score.four": ("core", ["score.four.2=888"], "four of a kind: 2: 888"),
    "score.five": ("core", ["score.five.2=888"], "five of a kind: 2: 888"),
    "score.six": ("core", ["score.six.2=888"], "six of a kind: 2: 888"),
    "score.straights": ("core", ["score.straights=[{faces=[3, 1, 2], points=125}]"], "straight 1 2 3: 125"),
    "score.three_pairs": ("core", ["score.three_pairs=888"], "three pairs: 888"),
    "score.four_and_pair_is_three_pairs": (
        "farkle-facebook", ["score.four_and_pair_is_three_pairs=true"], "A four of a kind and a pair count as three pairs",
    ),
    "score.two_triplets": ("core", ["score.two_triplets=888"], "two triplets: 888"),
    "score.four_and_pair": ("core", ["score.four_and_pair=888"], "four and a pair: 888"),
    "score.full_house": ("core", ["score.full_house=888"], "full house: 888"),
    "score.nothing.points": ("core", ["score.nothing.points=888"], "it earns 888 points"),
    "score.nothing.roll_again": ("core", ["score.nothing.roll_again=true"], "all dice must be rolled again"),
    "penalty.busts": ("core", ["penalty={busts=4, points=888}"], "After 4 busts in a row"),
    "penalty.points": ("zilch", ["penalty.points=888"], "888 points are lost"),
    "house.barrel": ("core", ["house.barrel=400"], "Barrel: whoever would stand at 9600 or more but below 10000"),
    "house.tries": ("thousand-classic", ["house.tries=7"], "With 7 busts there"),
    "house.falls": ("thousand-classic", ["house.falls=7"], "fall number 7"),
    "house.fall_points": ("thousand-classic", ["house.fall_points=88"], "A fall costs 88 points"),
    "house.pits": ("core", ["house.pits=[[200, 350]]"], "stands at 200 or more but below 350"),
    "house.bolts": ("core", ["house.bolts=4"], "Bolt number 4"),
    "house.bolt_points": ("thousand-classic", ["house.bolt_points=88"], "costs 88 points, and the count"),
    "house.dump_truck": ("core", ["house.dump_truck=550"], "a score of exactly 550"),
    "house.overtaking": ("core", ["house.overtaking=70"], "loses 70 points"),
    "high.dice": ("high-dice", ["dice=5"], "Played with 5 dice."),
    "high.reroll": ("high-dice", ["reroll=false"], "The first roll counts."),
    "high.rule": ("high-dice", ["rule=sum-low"], "The smaller sum is better."),
    "high.find": ("high-dice", ["find=loser"], "A round is lost by the worst dice."),
    "high.to": ("high-dice", ["to=5"], "Two players: whoever first wins 5 rounds"),
    "high.stakes": ("high-dice", ["stakes=drink"], "drinks"),
    "high.seats": ("high-dice", ["seats=[2, 5]"], "For 2 to 5 players."),
}  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "said"), FIELDS.values(), ids=FIELDS)
def test_a_field_is_told_once_it_is_on_and_not_before(name: str, changes: list[str], said: str) -> None:
    assert said in told(load(name, changes))
    if changes:
        assert said not in told(load(name))


def test_no_field_of_the_model_is_forgotten() -> None:
    def fields(model: type[BaseModel], prefix: str, *without: str) -> set[str]:
        return {prefix + field for field in model.model_fields if field not in without}

    expected = fields(PushLuckRules, "", "name", "engine", "score", "penalty", "house")
    expected |= fields(Score, "score.", "nothing") | fields(Nothing, "score.nothing.")
    expected |= fields(Penalty, "penalty.") | fields(House, "house.")
    expected |= fields(HighDiceRules, "high.", "name", "engine")
    assert set(Straight.model_fields) == {"faces", "points"}
    assert set(FIELDS) == expected


def test_points_are_told_by_their_pattern_where_there_is_one() -> None:
    said = lines("ten-thousand")
    assert "three of a kind: 1: 1000; 2 to 6: 100 times the face" in said
    assert "four of a kind: 2 times the three of a kind" in said
    assert "six of a kind: 8 times the three of a kind" in said
    assert "four of a kind: any face: 1000" in lines("cardgames")
    assert "six of a kind: 1 to 6: 1000 times the face" in lines("dix-mille")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("score.four.6=1201", "four of a kind: 1: 2000; 2 to 5: 200 times the face; 6: 1201"),
        ("score.four.6=0", "four of a kind: 1: 2000; 2 to 5: 200 times the face"),
        ("score.three.4=401", "three of a kind: 1: 1000; 2: 200; 3: 300; 4: 401; 5: 500; 6: 600"),
        ("score.three={1=1000, 3=300, 4=400, 5=500}", "three of a kind: 1: 1000; 3 to 5: 100 times the face"),
        ("score.three={2=70, 3=70, 4=70, 5=71}", "three of a kind: 2 to 4: 70; 5: 71"),
        ("score.three={2=71, 4=71, 5=71, 6=70}", "three of a kind: 2: 71; 4: 71; 5: 71; 6: 70"),
        ("score.three={1=7, 2=15, 3=22, 4=30}", "three of a kind: 1: 7; 2: 15; 3: 22; 4: 30"),
        (
            "score.four={1=1000, 2=200, 3=300, 4=400, 5=500, 6=600}",
            "four of a kind: 1: 1000; 2 to 6: 100 times the face",
        ),
    ],
)
def test_a_pattern_is_told_only_where_the_data_has_it(change: str, said: str) -> None:
    assert said in lines("ten-thousand", change)


def test_what_is_off_is_not_told() -> None:
    assert [section.title for section in describe(load("core"))] == ["The game", "A turn", "Points"]
    off = ["score.four_and_pair_is_three_pairs=true", "penalty.busts=3", "house.bolts=3", "house.bolt_points=0"]
    assert told(load("core", off)) == told(load("core"))
    assert told(load("core", ["house.fall_points=5", "house.tries=9"])) == told(load("core"))


def test_exceptions_are_told_only_where_they_can_occur() -> None:
    bolts = next(line for line in lines("thousand-classic") if line.startswith("Bolts"))
    assert "first bank" in bolts
    assert "pit" in bolts
    assert "barrel" in bolts
    alone = next(line for line in lines("core", "house.bolts=3") if line.startswith("Bolts"))
    assert "don't count" not in alone
    assert "not banked yet" not in "\n".join(lines("core", "house.overtaking=50"))


def test_the_roll_in_which_nothing_scores_is_told_as_it_is_played() -> None:
    must = "must be rolled again, without banking"
    assert must in told(load("zilch"))
    assert must not in told(load("zilch", ["score.nothing.roll_again=false"]))
    assert told(load("zilch", ["hot_dice=must-roll"])).count("must be rolled") == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ten-thousand", "push your luck, 6 dice, to 10000, with a final round"),
        ("thousand", "push your luck, 5 dice, the first at 1000 wins"),
        ("dix-mille", "push your luck, 6 dice, the first at exactly 10000 wins"),
        ("high-dice", "high dice, 3 dice, the larger sum is better"),
    ],
)
def test_a_summary_is_a_few_words(name: str, said: str) -> None:
    assert summary(load(name)) == said
