"""Forfeits of push your luck, at every place where one can happen."""

from __future__ import annotations

import pytest

from dicegame.games.base import Outcome, Phase, Reason
from tests.games.transcript import Game


def test_a_forfeit_before_the_throw_passes_the_turn() -> None:
    game = Game("ten-thousand", 3).play("A forfeit")
    assert game.told == ["out A", "turn B"]
    assert (game.to_move, game.state.out) == ("B", (True, False, False))
    assert game.play("B bust\nC bust").to_move == "B"


def test_a_forfeit_in_the_middle_of_a_turn_loses_its_points_and_keeps_the_score() -> None:
    game = (
        Game("ten-thousand", 3)
        .play("A +400\nB bust\nC bust\nA 1 1 1 2 3 4 > 1 1 1 roll")
        .roll("1 2 3")
        .play("A forfeit")
    )
    assert game.told == ["out A", "turn B"]
    assert (game.scores, game.state.turn_points, game.state.phase) == ((400, 0, 0), 0, Phase.THROW)
    assert game.engine.throws(game.state)[0].dice == 6


@pytest.mark.parametrize("rolled", [False, True])
def test_a_forfeit_of_another_seat_leaves_the_turn_as_it_is(*, rolled: bool) -> None:
    game = Game("ten-thousand", 3).play("A 1 2 3 4 6 6 > 1 roll")
    if rolled:
        game.roll("1 2 3 4 6")
    before = (game.state.phase, game.engine.throws(game.state), game.engine.options(game.state), game.state.turn_points)
    game.play("B forfeit")
    assert game.told == ["out B"]
    assert (
        game.state.phase,
        game.engine.throws(game.state),
        game.engine.options(game.state),
        game.state.turn_points,
    ) == before


def test_a_seat_that_went_out_during_another_s_turn_is_passed_over_after_it() -> None:
    game = Game("ten-thousand", 3).play("A 1 2 3 4 6 6 > 1 roll\nB forfeit\nA 1 2 3 4 6 > 1 bank")
    assert (game.scores, game.to_move) == ((200, 0, 0), "C")


@pytest.mark.parametrize(("who", "left"), [("A", 1), ("B", 0)])
@pytest.mark.parametrize("rolled", [False, True])
def test_the_last_seat_left_wins_at_once_with_the_scores_as_they_stand(who: str, left: int, *, rolled: bool) -> None:
    game = Game("ten-thousand", 2).play("A +400\nB +900")
    if rolled:
        game.roll("1 1 1 2 3 4")
    game.play(f"{who} forfeit")
    assert game.outcome == Outcome((400, 900), (left,), Reason.FORFEIT)
    assert game.told == [f"out {who}"]


def test_the_last_of_four_wins_whoever_is_ahead() -> None:
    game = Game("ten-thousand", 4).play("A +900\nB forfeit\nA forfeit\nD forfeit")
    assert game.outcome == Outcome((900, 0, 0, 0), (2,), Reason.FORFEIT)


def test_without_any_seat_left_nobody_wins() -> None:
    game = Game("ten-thousand", 1).play("A +400\nA forfeit")
    assert game.outcome == Outcome((400,), (), Reason.FORFEIT)


def test_a_seat_that_is_out_is_passed_over_and_can_not_win() -> None:
    game = Game("ten-thousand", 3, "max_turns=2").play("A +900\nB +400\nC bust\nA forfeit\nB bust\nC +300")
    assert game.outcome == Outcome((900, 400, 300), (1,), Reason.TURN_LIMIT)


def test_a_seat_that_is_out_is_no_longer_the_best_other() -> None:
    game = Game("ten-thousand", 3).play("A +900\nB +400\nA forfeit")
    assert game.state.standing.best_other(2) == 400
    assert game.state.standing.best_other(1) == 0
    assert Game("ten-thousand", 1).state.standing.best_other(0) is None


# In the final round


def test_the_final_round_ends_at_the_place_of_the_seat_that_started_it_and_went_out() -> None:
    game = Game("ten-thousand", 4).play("A bust\nB +10000\nB forfeit\nC +400\nD +500")
    assert game.engine.final_round(game.state) == (1, 500)
    game.play("A +300")
    assert game.outcome == Outcome((300, 10_000, 400, 500), (3,), Reason.TARGET)


def test_the_score_of_a_seat_that_went_out_is_no_mark_to_beat() -> None:
    game = Game("ten-thousand", 3).play("A +11000\nB +10500\nA forfeit")
    assert game.engine.final_round(game.state) == (0, 10_500)
    assert game.engine.describe(game.state)["final_round"] == {"by": 0, "score": 10_500}
    assert game.play("C +10600").outcome.winners == (2,)


def test_a_seat_that_could_still_beat_the_start_may_go_out() -> None:
    game = Game("ten-thousand", 3).play("A +10000\nC forfeit\nB +400")
    assert game.outcome == Outcome((10_000, 400, 0), (0,), Reason.TARGET)
    game = Game("ten-thousand", 3).play("A +10000\nB forfeit\nC +10500")
    assert game.outcome == Outcome((10_000, 0, 10_500), (2,), Reason.TARGET)


def test_the_last_seat_of_the_final_round_may_go_out_on_its_turn() -> None:
    game = Game("ten-thousand", 3).play("A +10000\nB +10500\nC 1 2 3 4 6 6 > 1 roll\nC forfeit")
    assert game.outcome == Outcome((10_000, 10_500, 0), (1,), Reason.TARGET)
    assert game.told == ["out C"]


def test_all_but_one_going_out_ends_the_final_round_at_once() -> None:
    game = Game("ten-thousand", 3).play("A +10000\nA forfeit\nB forfeit")
    assert game.outcome == Outcome((10_000, 0, 0), (2,), Reason.FORFEIT)


def test_a_seat_that_went_out_before_the_final_round_has_no_turn_in_it() -> None:
    game = Game("ten-thousand", 4).play("A bust\nB bust\nD forfeit\nC +10000\nA bust\nB bust")
    assert game.outcome.winners == (2,)
    assert game.story("turn") == [f"turn {seat}" for seat in "ABCAB"]


# With house rules


def test_a_seat_that_is_out_is_not_overtaken() -> None:
    game = Game("thousand-classic", 3).play("A +100\nB +90\nA forfeit\nC +150")
    assert game.scores == (100, 40, 150)


def test_the_barrel_is_free_when_the_seat_on_it_goes_out() -> None:
    game = Game("thousand-classic", 3).play("A +880\nB bust\nA forfeit")
    assert game.engine.describe(game.state)["barrel"] is None
    game.play("C +900")
    assert (game.scores, game.state.standing.falls) == ((880, 0, 880), (0, 0, 0))
    assert game.engine.describe(game.state)["barrel"] == {"seat": 2, "tries": 0}


def test_a_seat_goes_out_of_the_barrel_on_its_own_turn() -> None:
    game = Game("thousand-classic", 3).play("A +880\nB bust\nC bust\nA forfeit\nB +880")
    assert game.scores == (880, 880, 0)
    assert game.story("penalty") == []


def test_the_count_of_turns_goes_on_where_seats_are_out() -> None:
    game = Game("ten-thousand", 3, "max_turns=3").play(
        "A bust\nB bust\nC bust\nA forfeit\nB bust\nC bust\nB bust\nC bust"
    )
    assert game.outcome == Outcome((0, 0, 0), (1, 2), Reason.TURN_LIMIT)
