"""The house rules of "Thousand": barrel, pits, bolts, dump truck and overtaking, each alone and in their order."""

from __future__ import annotations

import pytest

from dicegame.errors import Refusal
from dicegame.games.base import Outcome, Reason
from tests.games.transcript import Game


def classic(seats: int = 2, *changes: str) -> Game:
    return Game("thousand-classic", seats, *changes)


def alone(*changes: str) -> Game:
    """A game of one seat, where nobody else gets in the way."""
    return Game("thousand-classic", 1, "seats=[1, 4]", *changes)


# Barrel


@pytest.mark.parametrize(
    ("points", "penalty"), [(880, []), (905, ["penalty A 25 barrel 880"]), (995, ["penalty A 115 barrel 880"])]
)
def test_who_would_stand_at_880_or_more_stands_on_the_barrel_at_880(points: int, penalty: list[str]) -> None:
    game = classic().play(f"A +{points}")
    assert game.scores == (880, 0)
    assert game.state.standing.barrel == (0, 0)
    assert game.told[-2 - len(penalty) :] == [f"bank A {points} {points}", *penalty, "turn B"]


def test_below_880_nobody_is_on_the_barrel() -> None:
    assert classic().play("A +875").state.standing.barrel is None


def test_off_the_barrel_the_missing_120_must_come_in_one_turn() -> None:
    game = alone().play("A +880").roll("1 1 1 3 4")
    assert game.state.required == 120
    refusal = game.refused("1 1 1 bank")
    assert (refusal.reason, refusal.fields["missing"]) == (Refusal.TOO_FEW_POINTS, 20)
    game = alone().play("A +880\nA 1 1 1 2 2 > 1 1 1 roll\nA 1 1 3 4 6 > 1 1 bank")
    assert game.outcome == Outcome((1000,), (0,), Reason.TARGET)
    assert alone().play("A +880\nA +300").outcome.scores == (1180,)


def test_the_third_failure_on_the_barrel_is_a_fall() -> None:
    game = alone().play("A +880\nA bust\nA bust")
    assert (game.scores, game.state.standing.barrel) == ((880,), (0, 2))
    game.play("A bust")
    assert game.told[-2:] == ["penalty A 100 fall 780", "turn A"]
    assert (game.scores, game.state.standing.barrel, game.state.standing.falls) == ((780,), None, (1,))
    assert game.state.required == 0


def test_who_climbs_again_has_three_tries_again() -> None:
    game = alone().play("A +880\nA bust\nA bust\nA bust\nA +100\nA bust\nA bust")
    assert (game.scores, game.state.standing.barrel) == ((880,), (0, 2))


def test_the_third_fall_costs_all_points_and_the_count_starts_again() -> None:
    climb = "A +100\nA bust\nA bust\nA bust"
    game = alone().play(f"A +780\n{climb}\n{climb}")
    assert (game.scores, game.state.standing.falls) == ((780,), (2,))
    game.play(climb)
    assert (game.scores, game.state.standing.falls) == ((0,), (0,))
    assert game.story("penalty") == ["penalty A 100 fall 780", "penalty A 100 fall 780", "penalty A 880 fall 0"]
    assert game.state.standing.opened == (True,)
    assert game.play(f"A +780\n{climb}").state.standing.falls == (1,)


def test_a_seat_that_climbs_pushes_the_other_off() -> None:
    game = classic().play("A +880\nB +870\nA bust\nB +10")
    assert (game.state.standing.barrel, game.state.standing.falls) == ((1, 0), (1, 0))
    game.play("A +105")
    assert (game.scores, game.state.standing.barrel, game.state.standing.falls) == ((880, 780), (0, 0), (1, 1))
    assert game.told[-3:] == ["penalty A 5 barrel 880", "penalty B 100 fall 780", "turn B"]


def test_a_third_fall_by_being_pushed_costs_all_points() -> None:
    game = classic(2, "house.falls=1").play("A +880\nB +900")
    assert game.told[-4:] == ["bank B 900 900", "penalty B 20 barrel 880", "penalty A 880 fall 0", "turn A"]


def test_a_jump_from_below_the_barrel_to_the_target_wins_and_nothing_follows() -> None:
    game = classic().play("A +880\nB +875\nA bust\nB +125")
    assert game.outcome == Outcome((880, 1000), (1,), Reason.TARGET)
    assert game.told[-1] == "bank B 125 1000"


def test_a_winning_bank_costs_nobody_anything() -> None:
    game = classic(3).play("A +880\nB bust\nC +700\nA bust\nB +1000")
    assert game.outcome == Outcome((880, 1000, 700), (1,), Reason.TARGET)
    assert game.story("penalty") == []


def test_failures_on_the_barrel_are_no_bolts() -> None:
    game = alone().play("A +100\nA bust\nA bust\nA +780\nA bust\nA bust\nA bust")
    assert game.scores == (780,)
    assert game.state.standing.bolts == (2,)
    assert game.play("A bust").told[-2:] == ["penalty A 100 bolts 680", "turn A"]


# Pits


def test_one_may_fall_into_a_pit_by_banking_and_must_lead_out_of_it() -> None:
    game = alone().play("A +200").roll("1 1 1 3 4")
    assert game.state.required == 100
    assert not game.options()["1 1"].bank
    assert game.options()["1 1 1"].bank
    assert alone().play("A +200\nA +100").scores == (300,)
    assert alone().play("A +200\nA +500").scores == (700,)


def test_out_of_one_pit_into_the_other_is_out() -> None:
    game = alone().play("A +250\nA +400")
    assert (game.scores, game.state.required) == ((650,), 50)


def test_out_of_a_pit_one_may_win() -> None:
    assert alone().play("A +650\nA +350").outcome == Outcome((1000,), (0,), Reason.TARGET)


def test_the_minimum_stands_in_a_pit_too() -> None:
    assert alone("minimum=50").play("A +290").state.required == 50
    assert alone("minimum=50").play("A +210").state.required == 90


# Bolts


def test_the_third_bolt_costs_100_and_need_not_follow_the_others() -> None:
    game = alone().play("A +400\nA bust\nA +10\nA bust\nA +10")
    assert (game.scores, game.state.standing.bolts) == ((420,), (2,))
    game.play("A bust")
    assert game.told == ["roll A 2 3 4 6 2", "bust A 0", "penalty A 100 bolts 320", "turn A"]
    assert game.state.standing.bolts == (0,)
    assert game.play("A bust\nA bust\nA bust").scores == (220,)


def test_bolts_take_no_more_than_there_is() -> None:
    game = alone().play("A +75\nA bust\nA bust\nA bust")
    assert game.told[-2:] == ["penalty A 75 bolts 0", "turn A"]


def test_before_opening_nothing_is_a_bolt() -> None:
    game = alone().play("A bust\nA bust\nA bust\nA +100\nA bust\nA bust")
    assert (game.scores, game.state.standing.bolts) == ((100,), (2,))


def test_in_a_pit_bolts_are_neither_counted_nor_forgotten() -> None:
    game = alone().play("A +100\nA bust\nA bust\nA +150\nA bust\nA bust\nA bust")
    assert (game.scores, game.state.standing.bolts) == ((250,), (2,))
    assert game.play("A +50\nA bust").scores == (200,)


# Dump truck


def test_exactly_555_becomes_0_and_nothing_else() -> None:
    assert alone().play("A +550").scores == (550,)
    assert alone().play("A +560").scores == (560,)
    assert alone().play("A +550\nA +5").scores == (0,)


def test_bolts_can_lead_onto_the_dump_truck() -> None:
    game = alone("house.pits=[]").play("A +655\nA bust\nA bust\nA bust")
    assert game.told[-3:] == ["penalty A 100 bolts 555", "penalty A 555 dump_truck 0", "turn A"]


def test_a_fall_can_lead_onto_the_dump_truck() -> None:
    game = alone("house.fall_points=325").play("A +880\nA bust\nA bust\nA bust")
    assert game.told[-3:] == ["penalty A 325 fall 555", "penalty A 555 dump_truck 0", "turn A"]


def test_the_dump_truck_passes_nobody_else() -> None:
    """B passes A on its way to 555 and is emptied; that A is ahead again changes nothing."""
    game = classic().play("A +500\nB +555")
    assert game.told[-4:] == ["bank B 555 555", "penalty A 50 overtaken 450", "penalty B 555 dump_truck 0", "turn A"]
    assert game.scores == (450, 0)


# Overtaking


def test_everyone_who_is_passed_loses_50_once() -> None:
    game = classic(4).play("A +100\nB +90\nC +80\nD +400")
    assert game.scores == (50, 40, 30, 400)
    assert game.told[-4:] == [
        "penalty A 50 overtaken 50",
        "penalty B 50 overtaken 40",
        "penalty C 50 overtaken 30",
        "turn A",
    ]


def test_who_was_level_and_is_behind_was_passed() -> None:
    assert classic().play("A +100\nB +100").scores == (100, 100)
    assert classic().play("A +100\nB +100\nA bust\nB +5").scores == (50, 105)


def test_who_was_behind_before_is_not_passed_again() -> None:
    game = classic().play("A +100\nB +150\nA bust\nB +50")
    assert game.scores == (50, 200)


def test_who_has_not_opened_can_not_be_passed() -> None:
    game = classic(3).play("A bust\nB +100\nC bust\nA +120")
    assert game.scores == (120, 50, 0)


def test_who_lost_everything_stays_open_and_can_be_passed_at_0() -> None:
    game = classic().play("A +555\nB +100")
    assert game.told[-3:] == ["bank B 100 100", "penalty A 0 overtaken 0", "turn A"]


def test_overtaking_compares_with_the_score_after_the_barrel() -> None:
    game = classic().play("A +870\nB +860\nA bust\nB +45")
    assert game.scores == (820, 880)
    assert game.told[-4:] == ["bank B 45 905", "penalty B 25 barrel 880", "penalty A 50 overtaken 820", "turn A"]


def test_penalties_come_in_their_order() -> None:
    """One bank that is trimmed, pushes A off, passes C, and empties C."""
    game = classic(3).play("A +880\nB +350\nC +605")
    assert game.scores == (880, 300, 605)
    game.play("A bust\nB +600")
    assert game.told[-6:] == [
        "bank B 600 900",
        "penalty B 20 barrel 880",
        "penalty A 100 fall 780",
        "penalty C 50 overtaken 555",
        "penalty C 555 dump_truck 0",
        "turn C",
    ]


def test_seats_are_emptied_in_their_order_after_all_else() -> None:
    game = classic(3).play("A +605\nB +605\nC +610")
    assert game.told[-5:] == [
        *("penalty A 50 overtaken 555", "penalty B 50 overtaken 555"),
        *("penalty A 555 dump_truck 0", "penalty B 555 dump_truck 0", "turn A"),
    ]


# Each rule alone


def test_without_house_rules_the_same_game_costs_nothing() -> None:
    game = Game("thousand-classic", 2, "house={}").play(
        "A +555\nB +600\nA bust\nB bust\nA bust\nB bust\nA bust\nB +300"
    )
    assert game.scores == (555, 900)
    assert game.story("penalty") == []
    assert "bolts" not in game.engine.describe(game.state)


@pytest.mark.parametrize(
    "field", ["house.barrel=120", "house.pits=[[200, 300]]", "house.bolts=3", "house.dump_truck=5"]
)
def test_any_house_rule_alone_is_told_in_messages(field: str) -> None:
    game = Game("thousand", 2, field)
    assert list(game.engine.describe(game.state))[-3:] == ["bolts", "barrel", "falls"]
