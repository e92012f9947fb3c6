"""The examples of the rules of push your luck, word for word, played by the real program over JSON."""

from __future__ import annotations

import json

import pytest

from tests.cli.process import run
from tests.cli.wire import after, checked, game, lines, piped

TWO = ("human", "human")


# The messages themselves


def test_every_byte_of_a_short_game() -> None:
    played = game("1 2 3 4 6 6 > 1 bank", "human", "--target", "100")
    rules = run("rules", "show", "ten-thousand", "--json").stdout.strip().replace('"target":10000', '"target":100')
    assert played.messages[1]["seed"] < 2**31
    name, seed = played.messages[1]["game"], str(played.messages[1]["seed"])
    version = played.messages[0]["referee"]["version"]
    expected = lines(
        """
        {"type":"hello","protocol":1,"protocols":[1],"referee":{"name":"dicegame","version":"VERSION"},
        "limits":{"start_ms":null,"decision_ms":null,"reserve_ms":null,"line_bytes":65536}}
        {"type":"game","game":"G","name":"ten-thousand","rules":RULES,
        "players":["Player"],"seat":0,"seed":SEED,"dice_commitment":null}
        {"type":"event","game":"G","event":"turn","seat":0}
        {"type":"event","game":"G","event":"roll","seat":0,"dice":[1,2,3,4,6,6]}
        {"type":"decide","id":1,"game":"G","seat":0,"decision_ms":null,"reserve_ms":null,
        "state":{"scores":[0],"opened":[true],"out":[false],"busts":[0],"turn":1,"turn_points":0,
        "dice":[1,2,3,4,6,6],"target":100,"final_round":null},
        "options":[{"keep":[1],"points":100,"roll":5,"bank":true}]}
        {"type":"event","game":"G","event":"keep","seat":0,"dice":[1],"points":100,"turn_points":100}
        {"type":"event","game":"G","event":"bank","seat":0,"points":100,"score":100}
        {"type":"event","game":"G","event":"final_round","seat":0,"score":100}
        {"type":"result","game":"G","scores":[100],"winners":[0],"reason":"target","dice_key":null}
        """
    )
    text = "".join(expected).replace("}{", "}\n{").replace('"G"', f'"{name}"').replace("RULES", rules)
    assert played.lines == text.replace("SEED", seed).replace("VERSION", version).splitlines()


def test_with_seeded_dice_the_result_opens_the_commitment_unless_the_seed_is_a_text() -> None:
    played = piped("play", "--json", "human", "hold:at=300", "--target", "50", answers="{}\n" * 4)
    assert played.code == 2
    commitments = [m["dice_commitment"] for m in played.messages if m["type"] == "game"]
    assert [len(bytes.fromhex(c)) for c in commitments] == [32]
    # Computers alone: no game line, since there is no client seat; the events are told all the same.
    alone = piped("play", "--json", "random", "random", "--target", "50")
    assert alone.story[:2] == ["hello", "turn A"]
    assert len(bytes.fromhex(alone.messages[-1]["dice_key"])) == 32
    text = [piped("play", "--json", "random", "random", "--target", "1000", "--seed", "x") for _ in range(2)]
    assert text[0].story == text[1].story
    assert text[0].messages[-1]["dice_key"] == text[1].messages[-1]["dice_key"]


def test_one_game_line_a_client_seat_and_what_players_are_called() -> None:
    assert game("2 3 4 4 6 6").messages[1]["players"] == ["Player", "IA"]
    played = game("2 2 3 4 6", "thousand", "human:Ann", "house", "Bob=client", "house")
    assert played.story[:4] == ["hello", "game A", "game C", "turn A"]
    assert {tuple(m["players"]) for m in played.messages[1:3]} == {("Ann", "house", "Bob", "house 2")}
    seeds = [m["seed"] for m in played.messages[1:3]]
    assert seeds[0] != seeds[1]
    assert len({m["game"] for m in played.messages[1:]}) == 1


# A turn


def test_a_refused_keep_says_why_and_the_same_question_comes_again() -> None:
    played = game("1 2 3 4 6 6 > 2 bank > 1 2 roll > 1 bank", *TWO)
    assert played.story == lines(
        """
        hello
        game A
        game B
        turn A
        roll A 1 2 3 4 6 6
        decide A 1 2 3 4 6 6
        error illegal: kept 2, but 2 is part of no combination of 1 2 3 4 6 6
        decide A 1 2 3 4 6 6
        error illegal: kept 1 2, but 2 is part of no combination of 1 2 3 4 6 6
        decide A 1 2 3 4 6 6
        keep A 1 100 100
        bank A 100 100
        turn B
        """
    )
    asked = [line for line in played.lines if '"decide"' in line]
    assert asked == asked[:1] * 3
    assert [m["id"] for m in played.messages if m["type"] == "error"] == [1, 1]


def test_every_slip_has_its_own_words() -> None:
    played = game(
        """
        1 5 3 3 6 2 > {"type":"decision","keep":[],"bank":true} > 1 1 roll > 7 roll > 1 5 bank
        1 5 3 3 6 2 > 4 bank > 3 3 roll > 3 3 5 roll > 5 1 roll
        2 3 4 6
        """,
        *TWO,
    )
    assert played.of("error") == lines(
        """
        error illegal: kept nothing: keep at least one die that scores
        error illegal: kept 1 1, but there is only 1 die with a 1 in 1 5 3 3 6 2
        error illegal: kept 7, but a die has the faces 1 to 6
        error illegal: kept 4, but there is no 4 in 1 5 3 3 6 2
        error illegal: kept 3 3, but 3 3 is part of no combination of 1 5 3 3 6 2
        error illegal: kept 3 3 5, but 3 3 is part of no combination of 1 5 3 3 6 2
        """
    )
    # "With 1 5 3 3 6 2, keeping 1 and 5 is 150", in any order.
    assert played.of("keep") == ["keep A 1 5 150 150", "keep B 1 5 150 150"]
    assert played.of("bank", "bust") == ["bank A 150 150", "bust B 150"]


def test_combinations_never_reach_across_rolls() -> None:
    played = game(
        """
        5 5 2 3 4 6 > 5 5 roll
        5 2 3 4 > 5 5 5 bank > 5 bank
        2 3 4 4 6 6
        """,
        *TWO,
    )
    assert played.of("keep", "bank") == ["keep A 5 5 100 100", "keep A 5 50 150", "bank A 150 150"]
    assert played.of("error") == ["error illegal: kept 5 5 5, but there is only 1 die with a 5 in 5 2 3 4"]
    assert after(played, "roll B 2 3 4 4 6 6") == ["bust B 0", "turn A"]


def test_a_keep_takes_its_largest_total_and_less_than_everything_may_be_kept() -> None:
    played = game(
        """
        1 1 1 1 5 5 > 1 bank
        4 3 3 3 4 3 > 3 3 3 3 4 roll > 3 3 3 3 roll
        2 2
        2 1 3 4 5 6 > 1 2 3 4 5 6 roll
        2 2 3 3 4 4 > 2 2 3 3 4 4 bank
        """,
        *TWO,
    )
    options = played.options("A", "1 1 1 1 5 5")
    assert list(options.items())[:2] == [("1 1 1 1 5 5", (2100, 6, True)), ("1 1 1 1 5", (2050, 1, True))]
    assert options["1"] == (100, 5, True)
    assert len(options) == 14  # 0 to 4 ones with 0 to 2 fives, but not nothing at all
    assert list(played.options("B", "4 3 3 3 4 3")) == ["3 3 3 3 4 4", "3 3 3 3", "3 3 3"]
    assert played.options("B", "4 3 3 3 4 3")["3 3 3 3 4 4"] == (750, 6, True)
    assert after(played, "roll A 2 1 3 4 5 6") == lines(
        """
        decide A 2 1 3 4 5 6
        keep A 1 2 3 4 5 6 1500 1500
        hot_dice A
        roll A 2 2 3 3 4 4
        decide A 2 2 3 3 4 4
        keep A 2 2 3 3 4 4 750 2250
        hot_dice A
        bank A 2250 2350
        turn B
        """
    )
    assert played.of("bust") == ["bust B 600"]


def test_hot_dice_may_be_banked_except_where_they_must_be_rolled() -> None:
    played = game(
        """
        1 2 2 2 3 4 > 1 2 2 2 roll
        5 3 > 5 roll
        1 > 1 bank > 1 roll
        2 2 2 3 3 3 > 2 2 2 3 3 3 bank > 2 2 2 bank
        """,
        *("dix-mille", *TWO, "--set", "open=50"),
    )
    assert played.options("A", "1") == {"1": (100, 6, False)}
    assert played.of("error") == ["error illegal: all dice come back and must be rolled: no bank here"] * 2
    assert played.of("hot_dice", "bank") == ["hot_dice A", "bank A 650 650"]
    pair = game("1 1 5 3 3 > 1 1 5 bank > 1 bank", "thousand", *TWO, "--set", "hot_dice=must-roll")
    assert pair.of("error") == ["error illegal: all dice come back and must be rolled: no bank here"]
    assert pair.of("bank") == ["bank A 100 100"]


# The end


def test_the_final_round() -> None:
    played = game(
        """
        1 1 1 2 3 4 > 1 1 1 bank
        1 1 1 2 3 4 > 1 1 1 roll
        5 2 3 > 5 bank
        1 1 1 5 3 4 > 1 1 1 5 bank
        """,
        *("human", "human", "human", "--target", "1000"),
    )
    assert played.of("turn", "final_round", "result") == lines(
        """
        turn A
        final_round A 1000
        turn B
        turn C
        result 1000 1050 1050 | B C | target
        """
    )
    marks = [(m["seat"], m["state"]["final_round"]) for m in played.decides()]
    at_1000, at_1050 = {"by": 0, "score": 1000}, {"by": 0, "score": 1050}
    assert marks == [(0, None), (1, at_1000), (1, at_1000), (2, at_1050)]
    assert [m["rules"]["targets"] for m in played.messages[1:2]] == [[5000, 10000, 15000]]


def test_the_default_computer_banks_in_the_final_round_once_it_is_ahead_and_never_before() -> None:
    played = game(
        """
        1 1 1 2 3 4 > 1 1 1 bank
        1 1 1 2 3 4
        2 3 5
        """,
        *("--target", "1000"),
    )
    assert after(played, "turn B") == lines(
        """
        roll B 1 1 1 2 3 4
        keep B 1 1 1 1000 1000
        roll B 2 3 5
        keep B 5 50 1050
        bank B 1050 1050
        result 1000 1050 | B | target
        """
    )


def test_one_seat_alone_ends_by_banking_the_target_and_an_instant_win_ends_a_final_round_too() -> None:
    alone = game("1 1 1 2 3 4 > 1 1 1 roll\n1 2 3 > 1 bank", "human", "--target", "1100")
    assert alone.of("result") == ["result 1100 | A | target"]
    instant = game(
        "1 2 3 4 5 6 > 1 2 3 4 5 6 bank\n2 2 2 2 2 2",
        *(*TWO, "--target", "1500", "--set", "instant_win=[[2,2,2,2,2,2]]"),
    )
    assert after(instant, "final_round A 1500") == lines("turn B\nroll B 2 2 2 2 2 2\nresult 1500 0 | B | instant_win")


def test_at_the_turn_limit_the_highest_score_wins() -> None:
    played = game("1 2 3 4 6 6 > 1 bank\n5 2 3 4 6 6 > 5 bank", *TWO, "--set", "max_turns=1")
    assert played.of("result") == ["result 100 50 | A | turn_limit"]


def test_exactly_the_target_and_over_it_the_turn_is_lost() -> None:
    played = game(
        """
        1 1 1 2 3 4 > 1 1 1 bank
        2 3 4 4 6 6
        5 5 2 3 4 6 > 5 5 roll > 5 roll
        1 2 2 3 4
        2 3 4 4 6 6
        5 2 3 4 6 6 > 5 bank
        """,
        *("core", *TWO, "--target", "1050", "--set", "reach=exact"),
    )
    assert played.of("error") == ["error illegal: kept 5 5, but that makes 1100, and exactly 1050 must be hit"]
    assert played.options("A", "5 5 2 3 4 6") == {"5": (50, 5, True)}
    assert played.of("bust", "result") == ["bust B 0", "bust A 50", "bust B 0", "result 1050 0 | A | target"]


def test_too_many_seats_are_refused_before_anything_is_sent() -> None:
    for args in (["human"] * 8, ["thousand", *["human"] * 5], ["thousand", "human"], ["high-dice", "human"]):
        played = piped("play", "--json", *args)
        assert (played.code, played.lines, played.error["code"]) == (2, [], "input")
        assert f"not for {args.count('human')}" in played.error["message"]


# Other rule sets


def test_the_penalty_of_three_busts_in_a_row_and_the_minimum_near_the_target() -> None:
    bust = "2 3 4 4 6 6"
    played = game(
        f"""
        {bust}\n{bust}\n{bust}
        1 1 2 3 4 6 > 1 1 bank > 1 1 roll
        1 2 3 4 > 1 bank
        """,
        *("farkle-facebook", "human", "--target", "100"),
    )
    assert played.of("bust", "penalty", "error", "bank") == lines(
        """
        bust A 0
        bust A 0
        bust A 0
        penalty A 500 busts -500
        error illegal: no bank yet: this turn has 200 points and needs 300; 100 more are missing
        bank A 300 -200
        """
    )
    assert played.decides()[0]["state"]["busts"] == [0]


def test_a_roll_without_score_may_be_worth_points_and_another_roll() -> None:
    played = game("2 3 4 4 6 6 > 2 3 4 4 6 6 bank > 2 3 4 4 6 6 roll\n1 2 3 4 6 6 > 1 bank", "zilch", "human")
    assert played.options("A", "2 3 4 4 6 6") == {"2 3 4 4 6 6": (500, 6, False)}
    assert played.of("keep", "hot_dice", "bank") == [
        "keep A 2 3 4 4 6 6 500 500",
        "hot_dice A",
        "keep A 1 100 600",
        "bank A 600 600",
    ]


def test_the_options_are_those_of_score() -> None:
    rolls = ["1 2 3 4 5 5", "2 3 4 5 6 5", "1 1 1 1 5 5"]
    args = ("--rules", "kcd", "--json")
    scored = [json.loads(run("score", *args, *roll.split()).stdout)["options"] for roll in rolls]
    best = [" ".join(map(str, options[0]["keep"])) for options in scored]
    transcript = "\n".join(f"{roll} > {keep} bank" for roll, keep in zip(rolls, best, strict=True))
    asked = [decide["options"] for decide in game(transcript, "kcd", "human").decides()]
    same = ("keep", "points", "roll")
    assert [[[o[k] for k in same] for o in options] for options in asked] == [
        [[o[k] for k in same] for o in options] for options in scored
    ]


def test_the_checker_of_lines_is_not_blind() -> None:
    with pytest.raises(AssertionError):
        checked('{"type":"event","game":"g","event":"turn","seat":0,"more":1}')
    with pytest.raises(AssertionError):
        checked('{"type":"event", "game":"g","event":"turn","seat":0}')
