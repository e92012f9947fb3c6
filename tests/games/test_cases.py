"""Cases that other programs of this kind got wrong, row by row."""

from __future__ import annotations

import pytest

from dicegame.errors import Refusal
from dicegame.games.base import Decision, Reason
from tests.games.transcript import Game

# Scoring: rule set, dice, keeps that are offered with their points and the dice of the next roll, keeps that are not offered.
SCORING = [
    ("ten-thousand", "213456", {"123456": (1500, 6)}, []),
    ("ten-thousand", "654321", {"123456": (1500, 6)}, []),
    ("ten-thousand", "433343", {"3333": (600, 2), "333344": (750, 6), "333": (300, 3)}, ["4", "44", "33334", "3334"]),
    ("farkle-facebook", "433343", {"3333": (600, 2), "333": (300, 3)}, ["4", "44", "33334", "3334", "333344"]),
    ("ten-thousand", "112346", {"11": (200, 4), "1": (100, 5)}, ["112"]),
    ("core", "334333", {"333": (300, 3)}, ["3333", "33333", "33", "3"]),
    ("ten-thousand", "334333", {"33333": (1200, 1), "3333": (600, 2), "333": (300, 3)}, ["33", "3", "333334"]),
    ("ten-thousand", "111155", {"111155": (2100, 6), "1111": (2000, 2)}, []),
    ("ten-thousand", "111111", {"111111": (8000, 6)}, []),
    ("cardgames", "111123", {"1111": (1100, 2), "111": (1000, 3)}, []),
    ("core", "122234", {"1222": (300, 2)}, []),
    ("core", "555552", {"55555": (600, 1)}, []),
    ("core", "511112", {"11115": (1150, 1)}, []),
    ("kcd", "123455", {"123455": (550, 6), "12345": (500, 1)}, []),
    ("kcd", "112345", {"112345": (600, 6)}, []),
    ("kcd", "234565", {"234556": (800, 6), "23456": (750, 1)}, []),
    ("thousand", "12345", {"12345": (125, 5), "15": (150, 3)}, ["1234"]),
    ("thousand", "23456", {"23456": (250, 5), "5": (50, 4)}, []),
]


@pytest.mark.parametrize(("name", "dice", "offered", "missing"), SCORING)
def test_scoring(name: str, dice: str, offered: dict[str, tuple[int, int]], missing: list[str]) -> None:
    game = Game(name, 2).roll(dice)
    found = {keep.replace(" ", ""): (option.points, option.roll) for keep, option in game.options().items()}
    assert {keep: found.get(keep) for keep in offered} == offered
    for keep in missing:
        assert keep not in found
        assert game.refused(f"{keep} roll").reason is Refusal.NO_COMBINATION


@pytest.mark.parametrize(
    ("name", "dice", "best"),
    [
        ("ten-thousand", "111155", 2100),
        ("ten-thousand", "433343", 750),
        ("farkle-facebook", "433343", 600),
        ("ten-thousand", "334333", 1200),
        ("core", "334333", 300),
        ("core", "511112", 1150),
        ("core", "555552", 600),
        ("thousand", "12345", 150),
        ("thousand", "23456", 250),
        ("kcd", "123455", 550),
    ],
)
def test_the_first_option_is_the_best(name: str, dice: str, best: int) -> None:
    assert next(iter(Game(name, 2).roll(dice).options().values())).points == best


# Keeping


def test_dice_of_two_rolls_never_combine() -> None:
    game = Game("ten-thousand", 2).play("A 5 2 3 4 6 2 > 5 roll").roll("55212")
    assert max(option.points for option in game.options().values()) == 200
    game = Game("ten-thousand", 2).play("A 5 5 2 3 4 6 > 5 5 roll").roll("5234")
    assert {keep: option.points for keep, option in game.options().items()} == {"5": 50}
    assert game.state.turn_points == 100


def test_a_die_of_no_combination_is_named() -> None:
    game = Game("ten-thousand", 2).roll("123466")
    refusal = game.refused("1 2 roll")
    assert refusal.reason is Refusal.NO_COMBINATION
    assert refusal.fields["idle"] == [2]
    assert refusal.message == "kept 1 2, but 2 is part of no combination of 1 2 3 4 6 6"
    assert game.refused("2 roll").fields["idle"] == [2]
    assert game.options()["1"].points == 100


def test_a_die_that_scores_only_with_others_is_named_as_such() -> None:
    refusal = Game("ten-thousand", 2).roll("133346").refused("1 3 roll")
    assert (refusal.reason, refusal.fields["idle"]) == (Refusal.NO_COMBINATION, [3])
    assert refusal.message == "kept 1 3, but 3 scores only together with other dice of 1 3 3 3 4 6"


@pytest.mark.parametrize(
    ("answer", "reason", "said"),
    [
        ("bank", Refusal.EMPTY, "kept nothing"),
        ("roll", Refusal.EMPTY, "kept nothing"),
        ("1 1 roll", Refusal.NOT_THERE, "kept 1 1, but there is only 1 die with a 1 in 1 2 3 4 6 6"),
        ("6 6 6 bank", Refusal.NOT_THERE, "kept 6 6 6, but there are only 2 dice with a 6 in 1 2 3 4 6 6"),
        ("5 bank", Refusal.NOT_THERE, "kept 5, but there is no 5 in 1 2 3 4 6 6"),
        ("7 roll", Refusal.NOT_A_FACE, "kept 7, but a die has the faces 1 to 6"),
        ("1 0 roll", Refusal.NOT_A_FACE, "kept 0, but a die has the faces 1 to 6"),
    ],
)
def test_a_keep_that_can_not_be_made_has_its_own_reason(answer: str, reason: Refusal, said: str) -> None:
    refusal = Game("ten-thousand", 2).roll("123466").refused(answer)
    assert refusal.reason is reason
    assert said in refusal.message


def test_a_negative_face_and_thousands_of_faces_are_refused_in_a_short_line() -> None:
    game = Game("ten-thousand", 2).roll("123466")
    assert game.refused(Decision((-1,))).reason is Refusal.NOT_A_FACE
    assert len(game.refused(Decision((10**400,))).message) < 200
    many = game.refused(Decision((1,) * 30_000))
    assert many.reason is Refusal.NOT_THERE
    assert len(many.message) < 200


def test_a_keep_may_be_given_in_any_order() -> None:
    game = Game("ten-thousand", 2).roll("153362")
    state, _events = game.engine.decide(game.state, Decision((5, 1), bank=True))
    assert state.standing.scores == (150, 0)


def test_thousand_a_pair_left_brings_all_dice_back() -> None:
    game = Game("thousand", 2).roll("11533")
    assert game.options()["1 1 5"].roll == 5
    game = Game("thousand", 2).play("A 1 1 5 3 3 > 1 1 5 roll\nA 2 3 4 6 6 > bust")
    assert game.story("all_dice", "bust") == ["all_dice A", "bust A 250"]
    after_one = Game("thousand", 2).play("A 1 2 3 4 6 > 1 roll").roll("1522")
    assert after_one.options()["1 5"].roll == 5
    assert after_one.options()["1"].roll == 3


def test_thousand_a_pair_of_1s_or_5s_or_two_kinds_left_bring_nothing_back() -> None:
    assert Game("thousand", 2).roll("15522").options()["1"].roll == 4
    assert Game("thousand", 2).roll("22255").options()["2 2 2"].roll == 2
    assert Game("thousand", 2).roll("22211").options()["2 2 2"].roll == 2
    assert Game("thousand", 2).roll("22234").options()["2 2 2"].roll == 2
    assert Game("thousand", 2).roll("22233").options()["2 2 2"].roll == 5
    assert Game("thousand", 2).roll("22266").options()["2 2 2"].roll == 5


def test_thousand_below_75_nothing_can_be_banked_before_opening() -> None:
    game = Game("thousand", 2).roll("52346")
    refusal = game.refused("5 bank")
    assert (refusal.reason, refusal.fields["missing"]) == (Refusal.TOO_FEW_POINTS, 25)
    assert "50 points and needs 75; 25 more are missing" in refusal.message
    assert game.offered() == ["2 3 4 5 6 bank", "2 3 4 5 6 roll", "5 roll"]


# Turns and ends


def test_hot_dice_over_several_rolls_bring_six_dice_and_the_points_stand() -> None:
    game = Game("ten-thousand", 2).play(
        """
        A 1 2 3 4 6 6 > 1 roll
        A 5 2 3 4 6 > 5 roll
        A 2 2 2 3 > 2 2 2 roll
        A 1 > 1 roll
        """
    )
    assert game.story("hot_dice") == ["hot_dice A"]
    assert [(throw.dice, throw.roll) for throw in game.engine.throws(game.state)] == [(6, 4)]
    assert game.state.turn_points == 450
    assert game.play("A 5 2 3 4 6 6 > 5 bank").scores == (500, 0)


def test_to_bank_exactly_the_target_is_to_reach_it() -> None:
    game = Game("thousand", 2).play("A +900\nB bust\nA +100")
    assert (game.outcome.scores, game.outcome.winners, game.outcome.reason) == ((1000, 0), (0,), Reason.TARGET)
    game = Game("ten-thousand", 2).play("A +9900\nB bust\nA +100")
    assert game.told[-2:] == ["final_round A 10000", "turn B"]
    game.play("B bust")
    assert (game.outcome.scores, game.outcome.winners, game.outcome.reason) == ((10_000, 0), (0,), Reason.TARGET)


def test_in_the_final_round_the_mark_to_beat_is_the_best_so_far() -> None:
    game = Game("ten-thousand", 3).play("A +10000\nB +10500").roll("1 5 2 3 4 6")
    assert game.engine.final_round(game.state) == (0, 10_500)
    game = Game("ten-thousand", 3).play("A +10000\nB +10500\nC +10200")
    assert (game.outcome.scores, game.outcome.winners) == ((10_000, 10_500, 10_200), (1,))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_in_the_final_round_equals_share_the_win_whoever_came_first(order: tuple[int, int, int]) -> None:
    game = Game("ten-thousand", 3)
    points = [0, 0, 0]
    points[order[0]] = points[order[1]] = 10_500
    points[order[2]] = 9_000
    for seat in range(3):
        game.play(f"{'ABC'[seat]} +{points[seat]}")
    while game.to_move:
        game.play(f"{game.to_move} bust")
    assert game.outcome.winners == tuple(sorted(order[:2]))


def test_in_the_final_round_every_other_seat_has_exactly_one_turn() -> None:
    game = Game("ten-thousand", 4).play("A bust\nB bust\nC +10000\nD bust\nA bust\nB bust")
    assert game.story("turn") == [f"turn {seat}" for seat in "ABCDAB"]
    assert game.outcome.winners == (2,)


def test_the_penalty_for_three_busts_in_a_row_comes_once_and_the_count_starts_again() -> None:
    game = Game("farkle-facebook", 1)
    for _ in range(7):
        game.play("A bust")
    assert game.story("penalty") == ["penalty A 500 busts -500", "penalty A 500 busts -1000"]
    assert game.state.standing.busts == (1,)
    game.play("A +300\nA bust\nA bust")
    assert game.scores == (-700,)


def test_the_minimum_to_bank_stands_near_the_target_too() -> None:
    game = Game("farkle-facebook", 1).play("A +9950").roll("111234")
    assert game.refused("1 1 bank").fields["missing"] == 100
    assert game.refused("1 bank").fields["missing"] == 200
    assert game.options()["1 1 1"].bank


def test_classic_to_be_equalled_is_not_to_be_passed() -> None:
    game = Game("thousand-classic", 2).play("A +120\nB +100\nA bust\nB +20")
    assert (game.scores, game.story("penalty")) == ((120, 120), [])
    assert game.play("A bust\nB +5").scores == (70, 125)
    assert game.story("penalty") == ["penalty A 50 overtaken 70"]


def test_thousand_two_dice_that_fall_2_2_are_a_bust() -> None:
    Game("thousand", 2).play("A 1 1 1 3 4 > 1 1 1 roll\nA 2 2 > bust")


def test_classic_to_be_pushed_off_the_barrel_is_not_to_be_overtaken_as_well() -> None:
    game = Game("thousand-classic", 2).play("A +880\nB +870\nA bust\nB +10")
    assert game.scores == (780, 880)
    assert game.story("penalty") == ["penalty A 100 fall 780"]


def test_classic_555_becomes_0_by_banking_and_by_a_penalty() -> None:
    game = Game("thousand-classic", 2).play("A +555")
    assert game.scores == (0, 0)
    assert game.told[-3:] == ["bank A 555 555", "penalty A 555 dump_truck 0", "turn B"]
    assert game.state.standing.opened == (True, False)
    game = Game("thousand-classic", 2).play("A +605\nB +610")
    assert game.told[-3:] == ["penalty A 50 overtaken 555", "penalty A 555 dump_truck 0", "turn A"]
    assert game.scores == (0, 610)


def test_classic_out_of_a_pit_the_turn_must_lead() -> None:
    game = Game("thousand-classic", 2).play("A +250\nB bust\nA 3 3 3 2 2 > 3 3 3 roll").roll("1 5 2 3 3")
    assert game.refused("1 5 bank").fields["missing"] == 5
    game = Game("thousand-classic", 2).play("A +250\nB bust\nA +50\nB bust\nA +5")
    assert game.scores == (305, 0)


@pytest.mark.parametrize(("score", "least"), [(195, 0), (200, 100), (295, 5), (300, 0), (600, 100), (695, 5), (700, 0)])
def test_classic_a_pit_begins_with_its_first_score_and_ends_before_its_second(score: int, least: int) -> None:
    game = Game("thousand-classic", 2).play(f"A +{score}\nB bust")
    assert game.state.required == least


def test_classic_a_penalty_can_put_one_into_a_pit() -> None:
    game = Game("thousand-classic", 2).play("A +320\nB +325").roll("1 1 5 2 3")
    assert game.scores == (270, 325)
    assert game.refused("1 1 5 bank").fields["missing"] == 5
