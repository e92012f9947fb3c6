"""The rules of `thousand`, and the house rules of `thousand-classic`, sentence by sentence, played by the real program over JSON."""

from __future__ import annotations

from tests.cli.wire import Played, after, game, lines

SEATS = ("human", "human")
TWO = ("thousand-classic", *SEATS)
THREE = (*TWO, "human")
BUST = "2 2 3 4 6"
# Turns that bank exactly so many points, in rolls and answers.
TO_880 = "6 6 6 6 6 > 6 6 6 6 6 roll\n2 3 4 5 6 > 2 3 4 5 6 roll\n3 3 3 2 2 > 3 3 3 bank"
TO_100 = "1 1 1 3 4 > 1 1 1 bank"


def penalties(played: Played) -> list[str]:
    return played.of("bank", "penalty", "result")


# thousand


def test_thousand_opening_and_minimum_say_how_many_points_are_missing() -> None:
    played = game(
        """
        5 2 2 3 6 > 5 bank > 5 roll
        5 2 3 6 > 5 bank
        1 2 3 4 5 > 1 2 3 4 5 bank
        5 2 2 3 6 > 5 bank > 5 roll
        2 3 4 6
        """,
        *("thousand", *SEATS, "--set", "minimum=75"),
    )
    missing = "no bank yet: this turn has 50 points and needs 75; 25 more are missing"
    assert played.of("error") == [f"error illegal: {missing}"] * 2
    assert played.options("A", "5 2 2 3 6") == {"5": (50, 4, False)}
    assert [m["state"]["opened"] for m in played.decides()][-1] == [True, True]
    assert played.of("bank") == ["bank A 100 100", "bank B 125 125"]
    usual = game("5 2 2 3 6 > 5 bank > 5 roll\n5 2 3 6 > 5 bank\n2 2 3 4 6\n5 2 3 6 6 > 5 bank", "thousand", *SEATS)
    assert usual.of("bank", "bust", "error") == [
        f"error illegal: {missing}",
        "bank A 100 100",
        "bust B 0",
        "bank A 50 150",
    ]


def test_thousand_a_pair_left_brings_all_dice_and_rescues_nobody() -> None:
    played = game(
        """
        1 1 5 3 3 > 1 1 5 roll
        1 2 2 3 4 > 1 roll
        1 5 2 2 > 1 5 roll
        1 1 1 3 4 > 1 1 1 roll
        2 2
        2 2 2 1 1 > 2 2 2 roll
        3 3
        2 3 4 5 6 > 2 3 4 5 6 bank
        """,
        *("thousand", *SEATS),
    )
    assert played.of("all_dice", "hot_dice", "bust", "bank") == lines(
        """
        all_dice A
        all_dice A
        bust A 1500
        bust B 200
        hot_dice A
        bank A 250 250
        """
    )
    assert list(played.options("A", "1 1 5 3 3").items())[:2] == [("1 1 5", (250, 5, True)), ("1 1", (200, 3, True))]
    assert played.options("A", "1 5 2 2")["1"] == (100, 3, True)


def test_thousand_ends_at_once_and_over_the_target_is_fine() -> None:
    played = game(
        """
        2 2 2 2 5 > 2 2 2 2 bank
        1 2 3 4 5 > 1 5 bank
        2 2 2 2 2 > 2 2 2 2 2 bank
        """,
        *("thousand", *SEATS),
    )
    assert after(played, "roll A 2 2 2 2 2")[1:] == lines(
        """
        keep A 2 2 2 2 2 800 800
        hot_dice A
        bank A 800 1200
        result 1200 150 | A | target
        """
    )
    assert list(played.options("B", "1 2 3 4 5").items())[:2] == [
        ("1 5", (150, 3, True)),
        ("1 2 3 4 5", (125, 5, True)),
    ]
    assert played.options("A", "2 2 2 2 5")["2 2 2 2"] == (400, 1, True)


def test_thousand_five_ones_in_one_roll_win_as_they_fall_and_only_so() -> None:
    played = game(
        """
        1 1 1 3 4 > 1 1 1 roll
        1 1       > 1 1 roll
        2 2 3 4 6
        1 1 1 1 1
        """,
        *("thousand", *SEATS, "--target", "5000"),
    )
    assert played.options("A", "1 1") == {"1 1": (200, 5, True), "1": (100, 1, True)}
    assert after(played, "turn B") == ["roll B 1 1 1 1 1", "result 0 0 | B | instant_win"]


# thousand-classic


def test_the_barrel_is_climbed_at_880_exactly_and_left_by_120_in_one_turn() -> None:
    played = game(
        f"""
        6 6 6 6 6 > 6 6 6 6 6 roll
        2 3 4 5 6 > 2 3 4 5 6 roll
        1 1 1 2 3 > 1 1 roll
        3 3 3     > 3 3 3 bank
        {BUST}
        1 1 1 3 4 > 1 1 1 bank > 1 1 1 roll
        1 5       > 1 bank > 1 5 roll
        5 2 3 4 6 > 5 bank
        """,
        *TWO,
    )
    assert penalties(played) == [
        "bank A 900 900",
        "penalty A 20 barrel 880",
        "bank A 120 1000",
        "result 1000 0 | A | target",
    ]
    assert played.of("error") == [
        "error illegal: no bank yet: this turn has 100 points and needs 120; 20 more are missing",
        "error illegal: no bank yet: this turn has 110 points and needs 120; 10 more are missing",
    ]
    state = played.decide("A", "1 1 1 3 4")["state"]
    assert {k: state[k] for k in ("scores", "barrel", "falls", "bolts")} == {
        "scores": [880, 0],
        "barrel": {"seat": 0, "tries": 0},
        "falls": [0, 0],
        "bolts": [0, 0],
    }


def test_three_busts_on_the_barrel_are_a_fall_and_the_third_fall_leaves_nothing() -> None:
    climb_again = "1 1 1 2 2 > 1 1 1 bank"
    played = game(
        f"""
        {TO_880}
        {BUST}
        {BUST}\n{BUST}\n{BUST}\n{BUST}\n{BUST}
        {BUST}
        {climb_again}
        {BUST}\n{BUST}\n{BUST}\n{BUST}\n{BUST}\n{BUST}
        {BUST}
        {climb_again}
        {BUST}\n{BUST}\n{BUST}\n{BUST}\n{BUST}\n{BUST}
        1 1 1 3 4 > 1 1 1 roll
        """,
        *TWO,
    )
    assert penalties(played) == [
        "bank A 880 880",
        "penalty A 100 fall 780",
        "bank A 100 880",
        "penalty A 100 fall 780",
        "bank A 100 880",
        "penalty A 880 fall 0",
    ]
    # Busts on the barrel are no bolts, nor are those of a seat that has not opened.
    assert {tuple(m["state"]["bolts"]) for m in played.decides()} == {(0, 0)}
    assert played.decides()[-1]["state"]["falls"] == [0, 0]
    assert [m["state"]["falls"] for m in played.decides() if m["state"]["scores"][0] == 780] == [[1, 0], [2, 0]]


def test_another_seat_that_climbs_on_pushes_the_first_one_off_and_does_not_overtake_it_as_well() -> None:
    played = game(
        f"""
        {TO_880}
        6 6 6 6 6 > 6 6 6 6 6 roll
        2 3 4 5 6 > 2 3 4 5 6 roll
        1 1 2 3 4 > 1 1 bank
        {BUST}
        1 2 2 3 4 > 1 bank
        {BUST}
        1 1 1 2 2 > 1 1 1 bank > 1 1 1 roll
        1 1 2 3 4 > 1 1 bank
        """,
        *TWO,
    )
    assert penalties(played) == [
        "bank A 880 880",
        "bank B 870 870",
        "bank B 10 880",
        "penalty A 100 fall 780",
        "bank B 120 1000",
        "result 780 1000 | B | target",
    ]


def test_a_jump_from_below_the_barrel_to_the_target_wins() -> None:
    played = game("6 6 6 6 6 > 6 6 6 6 6 roll\n4 4 4 4 4 > 4 4 4 4 4 bank", *TWO)
    assert penalties(played) == ["bank A 1000 1000", "result 1000 0 | A | target"]


def test_out_of_a_pit_a_turn_must_lead_and_a_penalty_can_put_one_in() -> None:
    played = game(
        f"""
        2 3 4 5 6 > 2 3 4 5 6 bank
        {BUST}
        {BUST}
        {BUST}
        4 4 4 2 2 > 4 4 4 bank > 4 4 4 roll
        5 2 3 4 6 > 5 bank > 5 roll
        5 2 3 4 > 5 bank
        3 3 3 3 3 > 3 3 3 3 3 roll
        5 2 3 4 6 > 5 bank
        1 1 1 3 4 > 1 bank > 1 1 1 bank
        """,
        *TWO,
    )
    assert penalties(played) == [
        "bank A 250 250",
        "bank A 50 300",
        "bank B 305 305",
        "penalty A 50 overtaken 250",
        "bank A 100 350",
        "penalty B 50 overtaken 255",
    ]
    assert played.of("error") == [
        f"error illegal: no bank yet: this turn has {has} points and needs 50; {50 - has} more are missing"
        for has in (40, 45, 10)
    ]
    assert [m["state"]["bolts"] for m in played.decides()] == [[0, 0]] * len(played.decides())


def test_the_third_bolt_costs_100_not_in_a_row_and_counted_only_once_opened_and_outside_pits() -> None:
    played = game(
        f"""
        {BUST}
        {TO_100}
        1 1 1 2 2 > 1 1 1 bank
        {BUST}
        {BUST}
        {BUST}
        1 2 2 3 4 > 1 roll
        5 2 3 6 > 5 bank
        {BUST}
        {BUST}
        1 1 1 2 2 > 1 1 1 bank
        {BUST}
        {BUST}
        {BUST}
        1 2 2 3 4 > 1 roll
        """,
        *(*TWO, "--set", "house.overtaking=0"),
    )
    assert penalties(played) == [
        "bank B 100 100",
        "bank A 100 100",
        "bank A 15 115",
        "penalty B 100 bolts 0",
        "bank B 100 100",
        "penalty A 100 bolts 15",
    ]
    assert [m["state"]["bolts"] for m in played.decides()] == [
        [0, 0],
        [0, 0],
        [1, 2],
        [1, 2],
        [2, 0],
        [1, 1],
    ]


def test_the_dump_truck_empties_a_score_of_555_however_it_is_reached() -> None:
    played = game(
        """
        5 5 5 5 5 > 5 5 5 5 5 roll
        5 5 5 2 2 > 5 5 5 roll
        5 2 3 4 6 > 5 bank
        4 4 4 4 4 > 4 4 4 4 4 roll
        2 2 2 2 2 > 2 2 2 2 2 roll
        5 2 3 4 6 > 5 bank
        5 2 3 4 6 > 5 bank
        """,
        *TWO,
    )
    assert penalties(played) == [
        "bank A 555 555",
        "penalty A 555 dump_truck 0",
        "bank B 605 605",
        "penalty A 0 overtaken 0",
        "bank A 5 5",
    ]
    by_penalty = game(
        """
        6 6 6 6 6 > 6 6 6 6 6 roll
        5 2 3 4 6 > 5 bank
        6 6 6 6 6 > 6 6 6 6 6 roll
        1 2 3 4 6 > 1 bank
        """,
        *TWO,
    )
    assert penalties(by_penalty)[-2:] == ["penalty A 50 overtaken 555", "penalty A 555 dump_truck 0"]


def test_to_be_equalled_is_not_to_be_passed_and_who_has_not_opened_can_not_be() -> None:
    played = game(
        f"""
        {TO_100}
        {TO_100}
        {BUST}
        {BUST}
        5 2 3 4 6 > 5 bank
        {BUST}
        {TO_100}
        """,
        *THREE,
    )
    assert penalties(played) == [
        "bank A 100 100",
        "bank B 100 100",
        "bank B 5 105",
        "penalty A 50 overtaken 50",
        "bank A 100 150",
        "penalty B 50 overtaken 55",
    ]


def test_five_ones_win_at_once_here_too_whatever_the_scores() -> None:
    played = game(f"{TO_880}\n1 1 1 1 1", *TWO)
    assert played.of("result") == ["result 880 0 | B | instant_win"]
