"""The examples of the rules of high dice, word for word, played by the real program over JSON."""

from __future__ import annotations

import pytest

from tests.cli.wire import Played, game, lines, piped

NO_REROLL = ("--set", "reroll=false")


def rounds(played: Played) -> list[str]:
    return played.of("replay", "round", "result")


def test_a_round_is_decided_in_the_order_that_moves_on_by_one() -> None:
    played = game(
        """
        6 2 1 > keep 6
        5 5 3 > keep 5 5
        4 1
        6
        1 6 6 > keep 2 3
        3 2 2 > keep 6 1
        5
        1
        3 3 3 > keep 3 3 3
        4 4 2 > keep 4 2 4
        """,
        *("high-dice", "human", "human", "--set", "to=2"),
    )
    assert played.story == lines(
        """
        hello
        game A
        game B
        roll A 6 2 1
        roll B 5 5 3
        decide A
        mark A 6
        decide B
        mark B 5 5
        reveal 6 4 1 / 5 5 6
        round winner B wins 0 1 losses 0 0
        roll A 1 6 6
        roll B 3 2 2
        decide B
        mark B 2 3
        decide A
        mark A 1 6
        reveal 1 6 5 / 3 2 1
        round winner A wins 1 1 losses 0 0
        roll A 3 3 3
        roll B 4 4 2
        decide A
        mark A 3 3 3
        decide B
        mark B 2 4 4
        reveal 3 3 3 / 4 4 2
        round winner B wins 1 2 losses 0 0
        result 1 2 | B | rounds
        """
    )
    first, second, third, *_ = [m["state"] for m in played.decides()]
    assert (first["dice"], first["keeps"], second["keeps"]) == ([[6, 2, 1], [5, 5, 3]], [None, None], [[6], None])
    assert [m["state"]["order"] for m in played.decides()] == [[0, 1], [0, 1], [1, 0], [1, 0], [0, 1], [0, 1]]
    assert [m["id"] for m in played.decides()] == [1, 2, 3, 4, 5, 6]
    assert (third["round"], third["wins"], third["losses"], third["out"], third["to"]) == (
        2,
        [0, 1],
        [0, 0],
        [False, False],
        2,
    )
    line = next(line for line in played.lines if '"decide"' in line)
    assert line.endswith(
        '"seat":0,"decision_ms":null,"reserve_ms":null,"state":{"round":1,"rule":"sum-high","find":"winner","wins":[0,0],'
        '"losses":[0,0],"out":[false,false],"to":2,"dice":[[6,2,1],[5,5,3]],"keeps":[null,null],"order":[0,1]}}'
    )


def test_marks_that_the_dice_do_not_hold_are_refused_and_any_bank_is_ignored() -> None:
    played = game(
        """
        6 2 1 > keep 6 6 > keep 7 > keep 5 > {"type":"decision","keep":[1,6,2],"bank":false}
        5 5 3 > {"type":"decision","keep":[5,5,3],"bank":"x"} > {"type":"decision","keep":[],"bank":null}
        1 1 1
        """,
        *("high-dice", "human", "human"),
    )
    assert played.of("error", "mark") == lines(
        """
        error illegal: kept 6 6, but there is only 1 die with a 6 in 6 2 1
        error illegal: kept 7, but a die has the faces 1 to 6
        error illegal: kept 5, but there is no 5 in 6 2 1
        mark A 1 2 6
        error protocol: the field bank is wrong: true or false is expected
        mark B -
        """
    )
    assert played.of("reveal") == ["reveal 6 2 1 / 1 1 1"]


@pytest.mark.parametrize(
    ("rule", "better", "worse"),
    [
        ("triple-pair", "2 2 6", "3 5 6"),
        ("triple-pair", "1 1 1", "6 6 5"),
        ("triple-pair", "1 1 2", "4 5 6"),
        ("sum-high", "1 3 6", "1 1 6"),
        ("sum-low", "1 1 6", "1 3 6"),
    ],
)
def test_what_beats_what(rule: str, better: str, worse: str) -> None:
    script = f"{better}\n{worse}\n{worse}\n{better}\n{better}\n{worse}"
    played = game(script, *("high-dice", "greedy", "greedy", *NO_REROLL, "--set", f"rule={rule}", "--set", "to=2"))
    assert rounds(played) == lines(
        """
        round winner A wins 1 0 losses 0 0
        round winner B wins 1 1 losses 0 0
        round winner A wins 2 1 losses 0 0
        result 2 1 | A | rounds
        """
    )


def test_pairs_count_by_their_face_only_and_equal_ones_replay() -> None:
    played = game(
        "6 6 2\n6 6 5\n6 6 5\n6 5 6\n1 2 4\n2 2 1",
        *("high-dice", "greedy", "greedy", *NO_REROLL, "--set", "rule=triple-pair"),
    )
    assert played.story[1:] == lines(
        """
        roll A 6 6 2
        roll B 6 6 5
        reveal 6 6 2 / 6 6 5
        replay A B
        roll A 6 6 5
        roll B 6 5 6
        replay A B
        roll A 1 2 4
        roll B 2 2 1
        round winner B wins 0 1 losses 0 0
        result 0 1 | B | rounds
        """
    )


def test_the_loser_of_7_7_and_12() -> None:
    three = ("high-dice", "greedy", "greedy", "greedy", *NO_REROLL, "--set", "find=loser", "--set", "to=1")
    low = game("1 2 4\n2 2 3\n6 5 1", *three, "--set", "rule=sum-low")
    assert rounds(low) == ["round loser C wins 0 0 0 losses 0 0 1", "result 0 0 1 | A B | rounds"]
    high = game("1 2 4\n2 2 3\n6 5 1\n1 1 1\n6 6 6", *three, "--set", "rule=sum-high")
    assert rounds(high) == ["replay A B", "round loser A wins 0 0 0 losses 1 0 0", "result 1 0 0 | B C | rounds"]


def test_three_seats_with_one_loss_each_play_on() -> None:
    six, one = "6 6 6", "1 1 1"
    script = f"{one}\n{six}\n{six}\n{six}\n{one}\n{six}\n{six}\n{six}\n{one}\n{six}\n{one}\n{six}"
    played = game(script, "high-dice", *["greedy"] * 3, *NO_REROLL, "--set", "find=loser")
    assert rounds(played) == lines(
        """
        round loser A wins 0 0 0 losses 1 0 0
        round loser B wins 0 0 0 losses 1 1 0
        round loser C wins 0 0 0 losses 1 1 1
        round loser B wins 0 0 0 losses 1 2 1
        result 1 2 1 | A C | rounds
        """
    )


def test_two_seats_count_wins_also_where_a_loser_is_sought() -> None:
    played = game(
        "1\n6\n1\n6",
        "high-dice",
        *["greedy"] * 2,
        *NO_REROLL,
        "--set",
        "find=loser",
        "--set",
        "to=2",
        "--set",
        "dice=1",
    )
    assert rounds(played) == [
        "round loser A wins 0 1 losses 0 0",
        "round loser A wins 0 2 losses 0 0",
        "result 0 2 | B | rounds",
    ]


def test_a_replay_is_among_those_who_tie_alone_and_is_no_round_of_its_own() -> None:
    played = game(
        """
        6 6 > keep 6 6
        1 1 > keep 1 1
        6 6 > keep 6 6
        2 3 > keep 2 3
        1 2
        2 1
        3 3
        1 1
        1 1 > keep 2 2
        2 2 > keep 3 3
        3 3 > keep 4 4
        4 4 > keep 1 1
        """,
        *("high-dice", *["human"] * 4, "--set", "dice=2"),
    )
    assert rounds(played) == lines(
        """
        replay A C
        replay A C
        round winner A wins 1 0 0 0 losses 0 0 0 0
        round winner D wins 1 0 0 1 losses 0 0 0 0
        """
    )
    assert played.of("reveal") == ["reveal 6 6 / 1 1 / 6 6 / 2 3", "reveal 1 1 / 2 2 / 3 3 / 4 4"]
    in_turn = [(m["state"]["round"], m["seat"]) for m in played.decides()]
    assert in_turn == [(1, 0), (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (2, 0)]
    assert played.decides()[-1]["state"]["order"] == [1, 2, 3, 0]
    assert played.decides()[-1]["state"]["keeps"] == [None, [2, 2], [3, 3], [4, 4]]


def test_how_many_rounds_a_match_takes() -> None:
    two, three = ("high-dice", "greedy", "greedy", *NO_REROLL), ("high-dice", *["greedy"] * 3, *NO_REROLL)
    first, second, third = "6 6 6\n1 1 1", "1 1 1\n6 6 6", "1 1 1\n1 1 2\n6 6 6"
    assert rounds(game(first, *two))[-1] == "result 1 0 | A | rounds"
    best_of_five = f"{first}\n{second}\n{first}\n{second}\n{second}"
    assert rounds(game(best_of_five, *two, "--set", "to=3"))[-1] == "result 2 3 | B | rounds"
    assert rounds(game(f"{third}\n{third}", *three))[-1] == "result 0 0 2 | C | rounds"
    assert rounds(game("\n".join([third] * 4), *three, "--set", "to=4"))[-1] == "result 0 0 4 | C | rounds"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["human", "human", "--set", "to=4"], "two players play to 1, 2 or 3 wins, not to 4"),
        (["human", "human", "--set", "rule=triple-pair", "--set", "dice=4"], "dice: "),
        (["human", "human", "--set", "dice=6"], "dice: is too large; 5 or less"),
        (["human"] * 9, "has seats for 2 to 8 players, not for 9"),
    ],
)
def test_matches_that_are_refused(args: list[str], words: str) -> None:
    played = piped("play", "--json", "high-dice", *args)
    assert (played.code, played.lines) == (2, [])
    assert words in played.error["message"]


def test_the_computer_sees_the_marks_made_before_its_own() -> None:
    # A stands pat on 12 with two dice. For B, 6 5 can only reach it with the 6 kept; pat would lose for sure.
    pat = game("6 6 > keep 6 6\n6 5\n6", "high-dice", "human", "house", "--set", "dice=2")
    assert pat.of("mark", "reveal", "replay") == ["mark A 6 6", "mark B 6", "reveal 6 6 / 6 6", "replay A B"]
    # A rerolls all: 6 5 is better kept.
    all_of_them = game("6 6 > keep\n6 5\n1 1", "high-dice", "human", "house", "--set", "dice=2")
    assert all_of_them.of("mark", "result") == ["mark A -", "mark B 5 6", "result 0 1 | B | rounds"]
