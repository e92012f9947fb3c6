"""The presets hold what the rules say of them, field by field, and the defaults are the documented ones."""

from __future__ import annotations

from typing import Any

import pytest

from dicegame.rules.load import as_data, check, load, preset_text, presets
from dicegame.rules.model import HighDiceRules, PushLuckRules


def alike(ones: int, *, times: int = 1) -> dict[str, int]:
    """100 times the face, and another value for 1s; all of it so many times."""
    return {"1": ones * times, **{str(face): 100 * face * times for face in range(2, 7)}}


def flat(points: int) -> dict[str, int]:
    return {str(face): points for face in range(1, 7)}


SINGLES = {"1": 100, "5": 50}
DOUBLING = {
    "three": alike(1000),
    "four": alike(1000, times=2),
    "five": alike(1000, times=4),
    "six": alike(1000, times=8),
}
FLAT = {"four": flat(1000), "five": flat(2000), "six": flat(3000)}
ALL_SIX = [1, 2, 3, 4, 5, 6]
LOW, HIGH = [1, 2, 3, 4, 5], [2, 3, 4, 5, 6]
TENS = {"1": 100, **{str(face): 10 * face for face in range(2, 7)}}


def straight(points: int, faces: list[int] = ALL_SIX) -> dict[str, Any]:
    return {"faces": faces, "points": points}


NO_SCORE: dict[str, Any] = {
    **{field: {} for field in ("single", "three", "four", "five", "six")},
    "straights": [],
    **dict.fromkeys(("three_pairs", "two_triplets", "four_and_pair", "full_house"), 0),
    "four_and_pair_is_three_pairs": False,
    "nothing": {"points": 0, "roll_again": False},
}
NO_HOUSE = {
    **dict.fromkeys(("barrel", "bolts", "dump_truck", "overtaking"), 0),
    "tries": 3,
    "falls": 3,
    "fall_points": 100,
    "pits": [],
    "bolt_points": 100,
}
DEFAULTS: dict[str, Any] = {
    "engine": "pushluck",
    "dice": 6,
    "target": 10000,
    "targets": [],
    "end": "sudden",
    "reach": "at-least",
    "seats": [1, 7],
    "open": 0,
    "minimum": 0,
    "hot_dice": "may-bank",
    "pair_left": [],
    "instant_win": [],
    "tie": "share",
    "max_turns": 1000,
    "floor": 0,
    "penalty": {"busts": 0, "points": 0},
    "house": NO_HOUSE,
}
THOUSAND = {
    "dice": 5,
    "target": 1000,
    "seats": [2, 4],
    "open": 75,
    "pair_left": [2, 3, 4, 6],
    "instant_win": [[1, 1, 1, 1, 1]],
}
FINAL = {"end": "final-round"}
THREE_BUSTS = {"minimum": 300, "penalty": {"busts": 3, "points": 500}}
CLASSIC_HOUSE = {
    "barrel": 120,
    "tries": 3,
    "falls": 3,
    "fall_points": 100,
    "pits": [[200, 300], [600, 700]],
    "bolts": 3,
    "bolt_points": 100,
    "dump_truck": 555,
    "overtaking": 50,
}
PAIRS_COUNT = {"four_and_pair_is_three_pairs": True}
CORE = {"single": SINGLES, "three": alike(1000)}
PRESETS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "ten-thousand": (
        {**FINAL, "targets": [5000, 10000, 15000]},
        {"single": SINGLES, **DOUBLING, "straights": [straight(1500)], "three_pairs": 750, **PAIRS_COUNT},
    ),
    "thousand": (
        {**THOUSAND, "minimum": 25},
        {
            **CORE,
            "four": alike(1000, times=2),
            "five": alike(1000, times=4),
            "straights": [straight(125, LOW), straight(250, HIGH)],
        },
    ),
    "core": ({}, CORE),
    "dm-a": (FINAL, {**CORE, "straights": [straight(1500)], "three_pairs": 1000, **PAIRS_COUNT}),
    "farkle": (
        {**FINAL, "open": 500},
        {
            "single": SINGLES,
            "three": alike(300),
            **FLAT,
            "straights": [straight(1500)],
            "three_pairs": 1500,
            "two_triplets": 2500,
            "four_and_pair": 1500,
        },
    ),
    "cardgames": (FINAL, {**CORE, **FLAT, "straights": [straight(2500)], "three_pairs": 1500, **PAIRS_COUNT}),
    "farkle-facebook": (
        {**THREE_BUSTS, "floor": -2500},
        {
            **CORE,
            "four": alike(1000, times=2),
            "five": alike(1000, times=3),
            "six": alike(1000, times=4),
            "straights": [straight(1500)],
            "three_pairs": 750,
        },
    ),
    "zilch": (
        {**FINAL, **THREE_BUSTS, "floor": -1_000_000},
        {
            "single": SINGLES,
            **DOUBLING,
            "straights": [straight(1500)],
            "three_pairs": 1500,
            **PAIRS_COUNT,
            "nothing": {"points": 500, "roll_again": True},
        },
    ),
    "kcd": (
        {"target": 4000},
        {"single": SINGLES, **DOUBLING, "straights": [straight(500, LOW), straight(750, HIGH), straight(1500)]},
    ),
    "greed": (
        FINAL,
        {"single": SINGLES, **DOUBLING, "straights": [straight(1200)], "three_pairs": 800, **PAIRS_COUNT},
    ),
    "dix-mille": (
        {"reach": "exact", "open": 500, "hot_dice": "must-roll", "instant_win": [[1] * 6]},
        {
            **CORE,
            "four": alike(1000, times=2),
            "five": alike(1000, times=4),
            "six": {str(face): 1000 * face for face in range(1, 7)},
            "straights": [straight(1200), straight(600, LOW), straight(600, HIGH)],
            "three_pairs": 600,
        },
    ),
    "thousand-classic": (
        {**THOUSAND, "house": CLASSIC_HOUSE},
        {
            "single": {"1": 10, "5": 5},
            "three": TENS,
            "four": {face: 2 * points for face, points in TENS.items()},
            "five": {face: 10 * points for face, points in TENS.items()},
            "straights": [straight(125, LOW), straight(250, HIGH)],
        },
    ),
}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_holds_what_the_rules_say_of_it(name: str) -> None:
    fields, score = PRESETS[name]
    assert as_data(load(name)) == {"name": name, **DEFAULTS, **fields, "score": {**NO_SCORE, **score}}


def test_high_dice_holds_what_the_rules_say_of_it() -> None:
    assert as_data(load("high-dice")) == {
        "name": "high-dice",
        "engine": "highdice",
        "dice": 3,
        "reroll": True,
        "rule": "sum-high",
        "find": "winner",
        "to": None,
        "stakes": "score",
        "seats": [2, 8],
    }


def test_the_three_games_are_named_first_and_every_preset_is_known_here() -> None:
    assert presets()[:3] == ["ten-thousand", "thousand", "high-dice"]
    assert sorted(presets()) == sorted([*PRESETS, "high-dice"])
    assert presets()[3:] == sorted(presets()[3:])


@pytest.mark.parametrize("name", presets())
def test_a_preset_round_trips_and_its_file_tells_its_name(name: str) -> None:
    rules = load(name)
    assert rules.name == name
    assert check(as_data(rules), "again") == rules
    assert f'name = "{name}"' in preset_text(name)


def test_fields_that_are_left_out_take_their_defaults() -> None:
    rules = check({"name": "least", "score": {"single": {"1": 1}}}, "least")
    assert as_data(rules) == {"name": "least", **DEFAULTS, "score": {**NO_SCORE, "single": {"1": 1}}}


def test_a_new_game_offers_the_target_alone_unless_a_rule_set_names_several() -> None:
    several, one = load("ten-thousand"), load("core")
    assert isinstance(several, PushLuckRules)
    assert isinstance(one, PushLuckRules)
    assert several.offered_targets() == (5000, 10000, 15000)
    assert one.offered_targets() == (10000,)


def test_a_match_of_high_dice_is_to_one_for_two_seats_and_to_two_for_more() -> None:
    rules, to = load("high-dice"), load("high-dice", ["to=3", "find=loser"])
    assert isinstance(rules, HighDiceRules)
    assert isinstance(to, HighDiceRules)
    assert [rules.wins_needed(seats) for seats in (2, 3, 8)] == [1, 2, 2]
    assert [to.wins_needed(seats) for seats in (2, 3, 8)] == [3, 3, 3]
    assert (rules.counts_losses, to.counts_losses) == (False, True)


def test_house_rules_are_off_unless_they_are_turned_on() -> None:
    remembering = [name for name in PRESETS if isinstance(r := load(name), PushLuckRules) and r.house.remembers]
    assert remembering == ["thousand-classic"]
