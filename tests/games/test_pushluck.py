"""The push-your-luck engine: turns, ends, opening and minimum, penalties, forfeits, and what it tells."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dicegame.errors import InputError, Refusal
from dicegame.games.base import Outcome, Phase, Reason, Throw
from dicegame.games.pushluck import MAX_ROLLS, PushLuck
from tests.games.transcript import Game, rules_of

# A turn


def test_a_turn_is_told_in_its_order() -> None:
    game = Game("ten-thousand", 2)
    assert [event.event for event in game.events] == ["turn"]
    game.play("A 1 5 3 3 6 2 > 1 5 roll")
    assert game.told == ["roll A 1 5 3 3 6 2", "keep A 1 5 150 150"]
    game.play("A 5 5 5 1 > 1 5 5 5 roll")
    assert game.told == ["roll A 5 5 5 1", "keep A 1 5 5 5 600 750", "hot_dice A"]
    game.play("A 6 2 2 3 4 5 > 5 bank")
    assert game.told == ["roll A 6 2 2 3 4 5", "keep A 5 50 800", "bank A 800 800", "turn B"]
    game.play("B 2 3 4 4 6 6 > bust")
    assert game.told == ["roll B 2 3 4 4 6 6", "bust B 0", "turn A"]


def test_throws_are_numbered_by_a_seat_s_own_turns_and_the_rolls_of_a_turn() -> None:
    game = Game("ten-thousand", 2)
    assert game.engine.throws(game.state) == [Throw(seat=0, turn=0, roll=0, dice=6)]
    game.play("A 1 5 3 3 6 2 > 1 roll")
    assert game.engine.throws(game.state) == [Throw(seat=0, turn=0, roll=1, dice=5)]
    game.roll("1 2 3 4 6")
    assert game.engine.throws(game.state) == []
    game = Game("ten-thousand", 2).play("A bust\nB bust\nA bust\nB 1 2 3 4 6 6 > 1 roll")
    assert game.engine.throws(game.state) == [Throw(seat=1, turn=1, roll=1, dice=5)]


def test_a_bust_loses_the_turn_and_leaves_the_score() -> None:
    game = Game("ten-thousand", 2).play("A +400\nB bust\nA 1 1 1 2 3 4 > 1 1 1 roll\nA 2 3 4 > bust")
    assert game.scores == (400, 0)
    assert game.told == ["roll A 2 3 4", "bust A 1000", "turn B"]


def test_hot_dice_may_be_banked_and_are_told_all_the_same() -> None:
    game = Game("ten-thousand", 2).play("A 2 1 3 4 5 6 > 1 2 3 4 5 6 bank")
    assert game.told[1:] == ["keep A 1 2 3 4 5 6 1500 1500", "hot_dice A", "bank A 1500 1500", "turn B"]


def test_keeping_less_than_everything_that_scores_is_allowed() -> None:
    game = Game("ten-thousand", 2).roll("1 1 1 5 5 2")
    assert [option.points for option in game.options().values()] == sorted(
        (option.points for option in game.options().values()), reverse=True
    )
    assert {"5", "1", "1 1", "5 5", "1 1 1", "1 1 1 5 5"} <= set(game.options())


def test_banking_is_listed_before_rolling_on() -> None:
    assert Game("ten-thousand", 2).roll("1 5 3 3 6 2").offered() == [
        *("1 5 bank", "1 5 roll", "1 bank", "1 roll", "5 bank", "5 roll")
    ]


def test_a_turn_of_too_many_rolls_is_a_bust() -> None:
    game = Game("ten-thousand", 2).play("A 1 2 3 4 6 6 > 1 roll")
    game.state = replace(game.state, rolls=MAX_ROLLS - 1)
    assert game.engine.throws(game.state)[0].roll == 2**16 - 1
    game.play("A 1 2 3 4 6 > 1 roll")
    assert game.told == ["roll A 1 2 3 4 6", "keep A 1 100 200", "bust A 200", "turn B"]
    game = Game("ten-thousand", 2).play("A 1 2 3 4 6 6 > 1 roll")
    game.state = replace(game.state, rolls=MAX_ROLLS - 1)
    assert game.play("A 1 2 3 4 6 > 1 bank").scores == (200, 0)


def test_nothing_is_decided_or_listed_where_the_game_is_over() -> None:
    game = Game("thousand", 2).play("A 1 1 1 1 1 > win")
    assert game.state.phase is Phase.OVER
    assert (game.engine.throws(game.state), game.engine.decisions(game.state), game.options()) == ([], [], {})
    game = Game("ten-thousand", 2).roll("1 2 3 4 6 6").play("B forfeit")
    assert (game.engine.throws(game.state), game.engine.decisions(game.state), game.options()) == ([], [], {})


def test_a_rule_set_is_played_by_as_many_as_it_says() -> None:
    assert len(Game("thousand", 4).scores) == 4
    for seats in (0, 1, 5):
        with pytest.raises(InputError):
            PushLuck(rules_of("thousand")).start(seats)


# Must roll


def test_must_roll_forbids_the_bank_on_hot_dice() -> None:
    game = Game("dix-mille", 2).roll("1 2 3 4 5 6")
    assert game.refused("1 2 3 4 5 6 bank").reason is Refusal.MUST_ROLL
    assert not game.options()["1 2 3 4 5 6"].bank
    assert game.options()["1 2 3 4 5"].bank
    game = Game("dix-mille", 2).play("A 1 2 3 4 5 6 > 1 2 3 4 5 6 roll\nA 1 2 3 4 6 6 > 1 bank")
    assert game.scores == (1300, 0)


def test_must_roll_forbids_the_bank_after_pair_left_too() -> None:
    game = Game("thousand", 2, "hot_dice=must-roll").roll("1 1 5 3 3")
    assert game.refused("1 1 5 bank").reason is Refusal.MUST_ROLL
    assert game.options()["1 1"].bank
    assert Game("thousand", 2).roll("1 1 5 3 3").options()["1 1 5"].bank


# Opening and minimum


def test_below_the_opening_nothing_is_banked_and_above_it_the_minimum_stays() -> None:
    game = Game("thousand", 2).roll("5 2 3 3 4")
    assert game.refused("5 bank").fields["missing"] == 25
    game = Game("thousand", 2).play("A 5 2 3 3 4 > 5 roll\nA 5 2 3 4 > 5 bank")
    assert (game.scores, game.state.standing.opened) == ((100, 0), (True, False))
    assert game.play("B bust\nA +50").scores == (150, 0)
    game = Game("thousand", 2, "minimum=100").play("A +100\nB bust").roll("5 2 3 3 4")
    assert game.refused("5 bank").fields["missing"] == 50


def test_the_larger_of_opening_and_minimum_opens() -> None:
    assert Game("thousand", 2, "minimum=150").state.required == 150
    assert Game("thousand", 2).state.required == 75
    assert Game("thousand", 2).play("A +100\nB bust").state.required == 25


def test_a_seat_that_opened_stays_open_when_its_score_falls_to_nothing() -> None:
    game = Game("thousand-classic", 2).play("A +555\nB bust")
    assert (game.scores, game.state.standing.opened, game.state.required) == ((0, 0), (True, False), 0)


def test_everyone_is_open_where_nothing_is_needed_to_open() -> None:
    assert Game("ten-thousand", 3).state.standing.opened == (True, True, True)


# Ends


def test_sudden_end_wins_at_once_with_more_than_the_target_too() -> None:
    game = Game("thousand", 3).play("A +900\nB +950\nC bust\nA +150")
    assert game.outcome == Outcome((1050, 950, 0), (0,), Reason.TARGET)
    assert game.told[-1] == "bank A 150 1050"


def test_the_final_round_ends_before_the_seat_that_started_it() -> None:
    game = Game("ten-thousand", 3).play("A bust\nB +10000\nC +10500\nA +400")
    assert game.outcome == Outcome((400, 10_000, 10_500), (2,), Reason.TARGET)
    assert game.story("final_round") == ["final_round B 10000"]


def test_the_final_round_is_told_after_the_bank() -> None:
    game = Game("ten-thousand", 2).play("A +10000")
    assert game.told[-3:] == ["bank A 10000 10000", "final_round A 10000", "turn B"]
    assert game.engine.describe(game.state)["final_round"] == {"by": 0, "score": 10_000}


def test_one_seat_alone_ends_its_game_by_banking_the_target() -> None:
    game = Game("ten-thousand", 1).play("A +9950\nA bust\nA +50")
    assert game.outcome == Outcome((10_000,), (0,), Reason.TARGET)
    assert Game("core", 1, "target=100").play("A +100").outcome == Outcome((100,), (0,), Reason.TARGET)


def test_five_1s_win_as_they_fall_opened_or_not() -> None:
    game = Game("thousand", 2).play("A +500\nB 1 1 1 1 1 > win")
    assert game.outcome == Outcome((500, 0), (1,), Reason.INSTANT_WIN)
    assert game.told == ["roll B 1 1 1 1 1"]


def test_five_1s_win_also_after_all_dice_came_back() -> None:
    game = Game("thousand", 2).play("A 1 1 5 3 3 > 1 1 5 roll\nA 1 1 1 1 1 > win")
    assert game.outcome == Outcome((0, 0), (0,), Reason.INSTANT_WIN)


def test_fewer_dice_that_are_all_1s_win_nothing() -> None:
    game = Game("thousand", 2).play("A 1 2 3 4 6 > 1 roll").roll("1 1 1 1")
    assert game.options()["1 1 1 1"].points == 2000


def test_an_instant_win_ends_the_final_round_whatever_the_scores() -> None:
    game = Game("ten-thousand", 3, "instant_win=[[3, 3, 3, 3, 3, 3]]").play("A +10000\nB 3 3 3 3 3 3 > win")
    assert game.outcome == Outcome((10_000, 0, 0), (1,), Reason.INSTANT_WIN)


def test_an_instant_win_may_be_dice_that_score_nothing_in_any_order() -> None:
    game = Game("core", 2, "instant_win=[[2, 3, 4, 6, 6, 4]]").play("A 6 4 2 3 4 6 > win")
    assert game.outcome == Outcome((0, 0), (0,), Reason.INSTANT_WIN)


def test_the_turn_limit_ends_the_game_for_the_highest_score() -> None:
    game = Game("ten-thousand", 3, "max_turns=2").play("A +400\nB +500\nC +500\nA bust\nB bust\nC bust")
    assert game.outcome == Outcome((400, 500, 500), (1, 2), Reason.TURN_LIMIT)


def test_a_final_round_is_played_out_beyond_the_turn_limit() -> None:
    game = Game("ten-thousand", 2, "max_turns=1").play("A +400\nB +10000\nA +10500")
    assert game.outcome == Outcome((10_900, 10_000), (0,), Reason.TARGET)


# The exact target


def test_keeps_that_go_over_an_exact_target_are_not_offered() -> None:
    game = Game("core", 2, "reach=exact", "target=150").roll("1 1 5 2 3 4")
    assert list(game.options()) == ["1 5", "1", "5"]
    refusal = game.refused("1 1 bank")
    assert (refusal.reason, refusal.fields["total"]) == (Refusal.OVER_TARGET, 200)
    assert "exactly 150 must be hit" in refusal.message
    assert game.refused("1 1 roll").reason is Refusal.OVER_TARGET
    assert game.refused("1 2 roll").reason is Refusal.NO_COMBINATION
    game = Game("core", 2, "reach=exact", "target=150").play("A 1 1 5 2 3 4 > 1 5 bank")
    assert game.outcome == Outcome((150, 0), (0,), Reason.TARGET)


def test_a_roll_whose_every_keep_goes_over_is_a_bust() -> None:
    game = Game("core", 2, "reach=exact", "target=150").play("A 1 2 3 4 6 6 > 1 bank\nB bust\nA 1 1 2 3 4 6 > bust")
    assert game.told == ["roll A 1 1 2 3 4 6", "bust A 0", "turn B"]
    game = Game("core", 2, "reach=exact", "target=150").play("A 1 2 3 4 6 6 > 1 roll\nA 1 2 3 4 6 > bust")
    assert game.told == ["roll A 1 2 3 4 6", "bust A 100", "turn B"]


def test_six_1s_win_an_exact_game_although_their_points_go_over() -> None:
    game = Game("dix-mille", 2).play("A 1 1 1 1 1 1 > win")
    assert game.outcome == Outcome((0, 0), (0,), Reason.INSTANT_WIN)


def test_hot_dice_on_an_exact_target_that_must_be_rolled_can_only_bust() -> None:
    game = Game("dix-mille", 2, "target=1200").play("A 1 2 3 4 5 6 > 1 2 3 4 5 6 roll\nA 5 5 1 2 3 4 > bust")
    assert game.scores == (0, 0)


# Nothing scores, and penalties


def test_zilch_six_dice_without_score_are_500_and_must_be_rolled_again() -> None:
    game = Game("zilch", 2).roll("2 3 4 4 6 6")
    assert game.offered() == ["2 3 4 4 6 6 roll"]
    assert game.refused("2 3 4 4 6 6 bank").reason is Refusal.MUST_ROLL
    assert game.refused("2 roll").reason is Refusal.NO_COMBINATION
    game = Game("zilch", 2).play("A 2 3 4 4 6 6 > 2 3 4 4 6 6 roll")
    assert game.told[1:] == ["keep A 2 3 4 4 6 6 500 500", "hot_dice A"]
    assert game.play("A 5 2 2 3 4 6 > 5 bank").scores == (550, 0)


def test_zilch_fewer_dice_without_score_are_a_bust() -> None:
    game = Game("zilch", 2).play("A 1 2 3 4 6 6 > 1 roll\nA 2 3 4 4 6 > bust")
    assert game.scores == (0, 0)


def test_nothing_without_another_roll_may_be_banked() -> None:
    game = Game("zilch", 2, "score.nothing.roll_again=false").play("A 2 3 4 4 6 6 > 2 3 4 4 6 6 bank")
    assert game.scores == (500, 0)


def test_a_penalty_stops_at_the_floor_and_tells_what_was_really_lost() -> None:
    game = Game("farkle-facebook", 1, "floor=-600").play(
        "A bust\nA bust\nA bust\nA bust\nA bust\nA bust\nA bust\nA bust\nA bust"
    )
    assert game.story("penalty") == ["penalty A 500 busts -500", "penalty A 100 busts -600", "penalty A 0 busts -600"]


def test_a_bank_breaks_a_row_of_busts() -> None:
    game = Game("farkle-facebook", 1).play("A bust\nA bust\nA +300\nA bust\nA bust")
    assert (game.scores, game.state.standing.busts) == ((300,), (2,))


def test_busts_in_a_row_are_counted_where_they_cost_nothing() -> None:
    game = Game("ten-thousand", 2).play("A bust\nB +400\nA bust\nB bust")
    assert game.engine.describe(game.state)["busts"] == [2, 1]
    assert game.play("A +400").state.standing.busts == (0, 1)


# What it tells


def test_describe_tells_what_messages_carry_in_their_order() -> None:
    game = Game("ten-thousand", 2).play("A +2400\nB +3100\nA 1 5 2 3 3 4 > 1 5 roll").roll("1 2 3 4")
    described = game.engine.describe(game.state)
    assert list(described.items()) == [
        ("scores", [2400, 3100]),
        ("opened", [True, True]),
        ("out", [False, False]),
        ("busts", [0, 0]),
        ("turn", 2),
        ("turn_points", 150),
        ("dice", [1, 2, 3, 4]),
        ("target", 10_000),
        ("final_round", None),
    ]


def test_describe_tells_what_house_rules_remember() -> None:
    game = Game("thousand-classic", 2).play("A +880\nB +100\nA bust\nB bust")
    described = game.engine.describe(game.state)
    assert list(described)[-3:] == ["bolts", "barrel", "falls"]
    assert (described["bolts"], described["barrel"], described["falls"]) == ([0, 1], {"seat": 0, "tries": 1}, [0, 0])
    assert Game("thousand-classic", 2).engine.describe(Game("thousand-classic", 2).state)["barrel"] is None
