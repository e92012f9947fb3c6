"""Scoring against a second implementation, published figures and exact odds."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import gcd

import pytest
from hypothesis import given, settings

from dicegame.rules.load import as_data, load, presets
from dicegame.rules.model import PushLuckRules
from dicegame.rules.table import Roll, Table, rolls
from tests.rules.naive import Keep, Naive, multisets, sub_multisets
from tests.rules.strategies import push_luck_rules

PUSH_LUCK = [name for name in presets() if isinstance(load(name), PushLuckRules)]


def table_of(name: str, *changes: str) -> Table:
    rules = load(name, changes)
    assert isinstance(rules, PushLuckRules)
    return Table(rules)


def as_naive(roll: Roll) -> dict[tuple[int, ...], Keep]:
    return {k.keep: Keep(k.points, k.roll, k.back.value, k.may_bank) for k in roll.keeps}


def check_roll(table: Table, naive: Naive, dice: tuple[int, ...]) -> None:
    """Hold all that `Table.roll` says of one roll against the second implementation."""
    roll = table.roll(dice)
    expected = naive.keeps(dice)
    assert as_naive(roll) == expected
    assert [k.keep for k in roll.keeps] == sorted(expected, key=lambda kept: (-expected[kept].points, len(kept), kept))
    assert roll.by_keep == {k.keep: k for k in roll.keeps}
    assert all(k.left == len(dice) - len(k.keep) for k in roll.keeps)
    assert roll.instant_win == any(sorted(faces) == sorted(dice) for faces in naive.data["instant_win"])


def test_the_product_is_tried_on_every_rule_set_that_pushes_luck() -> None:
    assert len(PUSH_LUCK) == 12
    assert set(presets()) - set(PUSH_LUCK) == {"high-dice"}


@pytest.mark.parametrize("name", PUSH_LUCK)
def test_every_roll_and_every_choice_of_its_dice_scores_as_the_words_say(name: str) -> None:
    table = table_of(name)
    naive = Naive(as_data(table.rules))
    for n in range(1, table.rules.dice + 1):
        for dice in multisets(n):
            check_roll(table, naive, dice)
            for kept in sub_multisets(dice):
                assert table.points(kept) == naive.points(kept)


@pytest.mark.parametrize("name", PUSH_LUCK)
def test_the_parts_of_a_keep_use_exactly_its_dice_and_add_up_to_its_points(name: str) -> None:
    table = table_of(name)
    naive = Naive(as_data(table.rules))
    for dice in multisets(table.rules.dice):
        for keep in table.roll(dice).keeps:
            parts = table.parts(keep.keep)
            assert sorted(face for part in parts for face in part.dice) == list(keep.keep)
            assert sum(part.points for part in parts) == keep.points
            if naive.points(keep.keep) is not None:
                assert all(naive.group(part.dice) is not None for part in parts)
                assert all(part.points <= (naive.group(part.dice) or 0) for part in parts)
            else:
                assert [part.name for part in parts] == ["nothing scores"]


@settings(max_examples=150)
@given(push_luck_rules())
def test_any_rule_set_scores_as_the_words_say(rules: PushLuckRules) -> None:
    table, naive = Table(rules), Naive(as_data(rules))
    chosen = random.Random(7).sample(multisets(rules.dice), 6)
    for dice in [*chosen, *(tuple(sorted(faces)) for faces in rules.instant_win), chosen[0][1:]]:
        if dice:
            check_roll(table, naive, dice)


def test_parts_are_called_by_what_they_are() -> None:
    table = table_of("ten-thousand")
    named = {
        (1,): ["single die"],
        (1, 5): ["single die", "single die"],
        (2, 2, 2): ["three of a kind"],
        (3, 3, 3, 3): ["four of a kind"],
        (1, 4, 4, 4, 4, 4): ["five of a kind", "single die"],
        (6, 6, 6, 6, 6, 6): ["six of a kind"],
        (1, 2, 3, 4, 5, 6): ["straight"],
        (2, 2, 3, 3, 4, 4): ["three pairs"],
        (2, 2, 3, 3, 3, 3): ["three pairs"],
    }
    for keep, names in named.items():
        assert sorted(part.name for part in table.parts(keep)) == names
    farkle = table_of("farkle")
    assert [part.name for part in farkle.parts((2, 2, 2, 3, 3, 3))] == ["two triplets"]
    assert [part.name for part in farkle.parts((2, 2, 3, 3, 3, 3))] == ["four and a pair"]
    house = table_of("core", "score.full_house=1500")
    assert [part.name for part in house.parts((2, 2, 3, 3, 3))] == ["full house"]
    zilch = table_of("zilch")
    assert [(p.dice, p.points, p.name) for p in zilch.parts((2, 2, 3, 4, 4, 6))] == [
        ((2, 2, 3, 4, 4, 6), 500, "nothing scores")
    ]


def test_how_dice_lie_does_not_matter() -> None:
    table = table_of("thousand")
    for dice in [(1, 1, 2, 2, 5), (2, 3, 4, 5, 6), (1, 2, 2, 2, 6), (2, 2, 3, 4, 6), (1, 1, 1, 1, 1)]:
        fresh = table_of("thousand")
        assert all(fresh.roll(lying).keeps == table.roll(dice).keeps for lying in permutations(dice))


def test_dice_that_can_not_score_have_no_points() -> None:
    table = table_of("ten-thousand")
    assert table.points(()) is None
    assert table.points((2,)) is None
    assert table.points((1, 1, 2)) is None
    assert table.points((1, 1)) == 200


@pytest.mark.parametrize("name", PUSH_LUCK)
def test_the_unit_is_the_largest_number_that_divides_all_points(name: str) -> None:
    table = table_of(name)
    naive = Naive(as_data(table.rules))
    scored = [naive.points(dice) or 0 for n in range(1, table.rules.dice + 1) for dice in multisets(n)]
    assert table.unit == gcd(*scored, table.rules.score.nothing.points)


CORE = """0:1440 50:3600 100:6660 150:6120 200:7293 250:4236 300:2904 350:1026 400:1720 450:1086 500:2306 550:690 600:1893
    650:816 700:1117 750:405 800:296 850:60 900:40 1000:1221 1050:960 1100:500 1150:120 1200:60 1250:6 1300:20 1400:20
    1500:20 1600:20 2000:1"""
TEN_THOUSAND = """0:1080 50:3600 100:6120 150:5400 200:6600 250:4140 300:2280 350:900 400:1530 450:1050 500:2270 550:450
    600:1790 650:690 700:1090 750:2325 800:448 850:156 900:151 950:30 1000:1475 1050:960 1100:380 1200:188 1250:96 1300:131
    1350:30 1400:35 1500:740 1600:39 1650:6 1700:6 2000:264 2050:120 2100:21 2400:19 2450:6 2500:6 3200:1 4000:25 4050:6
    4800:1 8000:1"""


@pytest.mark.parametrize(("name", "published"), [("core", CORE), ("ten-thousand", TEN_THOUSAND)])
def test_the_best_scores_of_all_46656_rolls_of_six_dice_are_the_oracle_s(name: str, published: str) -> None:
    expected = {int(points): int(ways) for points, ways in (entry.split(":") for entry in published.split())}
    table = table_of(name)

    def best(dice: tuple[int, ...]) -> int:
        keeps = table.roll(dice).keeps
        return keeps[0].points if keeps else 0

    assert sum(expected.values()) == 6**6
    assert Counter(best(dice) for dice in product(range(1, 7), repeat=6)) == expected
    by_weight: Counter[int] = Counter()
    for dice, ways in rolls(6):
        by_weight[best(dice)] += ways
    assert by_weight == expected


def bust_odds(table: Table, n: int) -> Fraction:
    return sum((Fraction(ways, 6**n) for dice, ways in rolls(n) if not table.roll(dice).keeps), Fraction(0))


FEW = [Fraction(2, 3), Fraction(4, 9), Fraction(5, 18), Fraction(17, 108), Fraction(25, 324)]
WITH_PAIRS = ["ten-thousand", "dm-a", "cardgames", "farkle", "farkle-facebook", "greed", "dix-mille"]


@pytest.mark.parametrize("name", PUSH_LUCK)
def test_bust_odds_of_up_to_five_dice_are_the_oracle_s(name: str) -> None:
    table = table_of(name)
    assert [bust_odds(table, n) for n in range(1, 5)] == FEW[:4]
    assert bust_odds(table, 5) == FEW[4]


@pytest.mark.parametrize("name", ["core", "kcd"])
def test_bust_odds_of_six_dice_without_three_pairs(name: str) -> None:
    assert bust_odds(table_of(name), 6) == Fraction(1440, 46656)


@pytest.mark.parametrize("name", WITH_PAIRS)
def test_bust_odds_of_six_dice_with_three_pairs(name: str) -> None:
    assert bust_odds(table_of(name), 6) == Fraction(5, 216)


def test_six_dice_never_bust_where_nothing_scores_too() -> None:
    zilch = table_of("zilch")
    assert bust_odds(zilch, 6) == 0
    nothing = sum(
        ways for dice, ways in rolls(6) if zilch.parts(zilch.roll(dice).keeps[0].keep)[0].name == "nothing scores"
    )
    assert Fraction(nothing, 6**6) == Fraction(5, 216)


def test_the_rolls_of_n_dice_are_all_there_with_their_ways() -> None:
    for n in range(1, 7):
        listed = dict(rolls(n))
        assert sorted(listed) == multisets(n)
        assert sum(listed.values()) == 6**n
    assert dict(rolls(4)) == Counter(tuple(sorted(dice)) for dice in product(range(1, 7), repeat=4))
