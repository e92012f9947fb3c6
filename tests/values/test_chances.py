"""The computer's marks in high dice, against a naive second implementation and cases that can be worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dicegame.games.events import Dice
from dicegame.games.highdice import HighDice, HighDiceState, keeps_of
from dicegame.rules.model import Find, HighDiceRules, HighRule
from dicegame.values.chances import best_mark, chance


def table(dice: list[Dice], keeps: list[Dice | None], **fields: Any) -> tuple[HighDice, HighDiceState]:
    """Return a first round in which these dice lie and these marks are made."""
    engine = HighDice(HighDiceRules(name="test", dice=len(dice[0]), **fields))
    state, _events = engine.start(len(dice))
    state.dice, state.keeps = tuple(dice), tuple(keeps)
    return engine, state


def naive_order(rule: HighRule, dice: Dice) -> tuple[int, int]:
    """Return what dice are worth, worked out as the rules tell it and not as the engine does."""
    if rule is not HighRule.TRIPLE_PAIR:
        return 0, sum(dice) if rule is HighRule.SUM_HIGH else 100 - sum(dice)
    for alike in (3, 2):
        for face in range(1, 7):
            if dice.count(face) == alike:
                return alike, face
    return 0, sum(dice)


def naive_chance(engine: HighDice, state: HighDiceState, seat: int, keep: Dice) -> Fraction:
    """Return the chance by playing every way in which all rerolled dice can fall."""
    rules = engine.rules
    held = [state.dice[s] if (mark := state.keeps[s]) is None else mark for s in range(len(state.dice))]
    held[seat] = keep
    found, ways = Fraction(0), 0
    for rerolled in product(*(list(product(range(1, 7), repeat=rules.dice - len(h))) for h in held)):
        worth = [naive_order(rules.rule, h + r) for h, r in zip(held, rerolled, strict=True)]
        sought = min(worth) if rules.find is Find.LOSER else max(worth)
        ways += 1
        if worth[seat] == sought:
            found += Fraction(1, worth.count(sought))
    return 1 - found / ways if rules.find is Find.LOSER else found / ways


def subsets(dice: Dice) -> set[Dice]:
    return {
        tuple(sorted(face for face, stays in zip(dice, held, strict=True) if stays))
        for held in product((True, False), repeat=len(dice))
    }


@st.composite
def situations(draw: st.DrawFn) -> tuple[HighDice, HighDiceState, int]:
    """Draw a round with few enough dice to reroll that every way can be played."""
    rule = draw(st.sampled_from(HighRule))
    dice = 3 if rule is HighRule.TRIPLE_PAIR else draw(st.integers(1, 3))
    seats = draw(st.integers(2, 5))
    lie = [draw(st.tuples(*[st.integers(1, 6)] * dice)) for _seat in range(seats)]
    keeps = [draw(st.none() | st.sampled_from(sorted(subsets(faces)))) for faces in lie]
    seat = draw(st.integers(0, seats - 1))
    keeps[seat] = None
    assume(sum(dice - len(keep) for keep in keeps if keep is not None) <= 2)
    return *table(lie, keeps, rule=rule, find=draw(st.sampled_from(Find))), seat


@given(situation=situations())
@settings(max_examples=80, deadline=None)
def test_chances_and_the_best_mark_are_those_of_playing_every_way(
    situation: tuple[HighDice, HighDiceState, int],
) -> None:
    engine, state, seat = situation
    chances = {keep: naive_chance(engine, state, seat, keep) for keep in subsets(state.dice[seat])}
    assert {keep: chance(engine, state, seat, keep) for keep in chances} == chances
    best = max(chances.values())
    wanted = min((keep for keep in chances if chances[keep] == best), key=lambda keep: (-len(keep), keep))
    assert best_mark(engine, state, seat) == wanted


@pytest.mark.parametrize("find", list(Find))
@pytest.mark.parametrize("dice", [1, 2, 5])
@pytest.mark.parametrize("seats", [2, 3, 8])
def test_where_all_reroll_everything_nobody_is_ahead(seats: int, dice: int, find: Find) -> None:
    engine, state = table([(1,) * dice] * seats, [()] * seats, find=find)
    winning = Fraction(1, seats)
    assert chance(engine, state, seats - 1, ()) == (winning if find is Find.WINNER else 1 - winning)


@pytest.mark.parametrize("find", list(Find))
def test_the_chances_of_all_seats_sum_to_the_round(find: Find) -> None:
    marks: list[Dice | None] = [(6,), (5, 5), None, ()]
    engine, state = table([(6, 2, 1), (5, 5, 3), (4, 4, 4), (1, 1, 1)], marks, find=find)
    held = [state.dice[2] if mark is None else mark for mark in marks]
    total = sum(chance(engine, state, seat, keep) for seat, keep in enumerate(held))
    assert total == (1 if find is Find.WINNER else 3)


def test_a_die_against_a_die_by_hand() -> None:
    engine, state = table([(3,), (4,)], [None, None])
    assert chance(engine, state, 0, (3,)) == 0
    assert chance(engine, state, 0, ()) == Fraction(2, 6) + Fraction(1, 2) * Fraction(1, 6)
    assert best_mark(engine, state, 0) == ()
    assert best_mark(engine, state, 1) == (4,)  # the other has not marked yet: it counts as standing pat


def test_a_mark_that_can_be_seen_counts() -> None:
    engine, state = table([(1,), (3,)], [(), None])
    # 3 stands against one die: (2 + 1/2) / 6, less than the half that a new die has
    assert chance(engine, state, 1, (3,)) == Fraction(5, 12)
    assert best_mark(engine, state, 1) == ()


def test_a_tie_among_three_falls_to_each_with_a_third() -> None:
    engine, state = table([(6,), (6,), (6,)], [None] * 3)
    assert chance(engine, state, 0, (6,)) == Fraction(1, 3)
    engine, state = table([(6,), (6,), (6,)], [None] * 3, find="loser")
    assert chance(engine, state, 0, (6,)) == Fraction(2, 3)


def test_equal_chances_go_to_fewer_rerolled_dice() -> None:
    engine, state = table([(6, 6, 6), (6, 1, 1)], [None, None], rule="triple-pair", find="loser")
    assert chance(engine, state, 0, (6, 6)) == 1  # a pair of 6s is enough, and still it stands pat
    assert best_mark(engine, state, 0) == (6, 6, 6)


def test_equal_chances_with_as_many_dice_go_to_the_first_keep() -> None:
    engine, state = table([(4, 2, 3), (1, 1, 2)], [None, None], rule="triple-pair")
    assert [chance(engine, state, 0, (face,)) for face in (2, 3, 4)] == [Fraction(31, 72)] * 3
    assert chance(engine, state, 0, ()) < Fraction(31, 72)
    assert chance(engine, state, 0, (2, 3)) == Fraction(1, 3)
    assert best_mark(engine, state, 0) == (2,)


def test_a_seat_that_is_out_is_nobody_to_beat() -> None:
    engine, state = table([(6,), (3,), (2,)], [None] * 3)
    state, _events = engine.forfeit(state, 0)
    assert chance(engine, state, 1, (3,)) == 1
    assert best_mark(engine, state, 1) == (3,)


def test_a_keep_may_be_named_in_any_order() -> None:
    engine, state = table([(6, 2, 1), (5, 5, 3)], [None, None])
    assert chance(engine, state, 0, (6, 2)) == chance(engine, state, 0, (2, 6))


def test_the_largest_table_is_worked_out() -> None:
    """Eight seats of five dice, all marks open: the best of the 32 keeps, and the same by asking for each alone."""
    lie: list[Dice] = [(1, 2, 3, 4, 6)] * 8
    engine, state = table(lie, [(6,), (4, 6), (), (6,), (3, 6), (), (6,), None])
    chances = [chance(engine, state, 7, keep) for keep in keeps_of(lie[7])]
    assert len(chances) == 32
    assert chance(engine, state, 7, best_mark(engine, state, 7)) == max(chances)
