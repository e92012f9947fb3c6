"""The loop itself, with players in this process: what may be taken back, changed or given up, and who hears of what, in which order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dicegame.dice import ScriptedDice, SeededDice, parse_script
from dicegame.errors import IllegalDecision, SaveError
from dicegame.games import engine_for
from dicegame.games.base import Change, Decision, Fell, Forfeit, Outcome, Past, Reason, Undo
from dicegame.players.builtin import make
from dicegame.referee import Referee
from dicegame.rules.load import load
from tests.played import Asked, Played, Scripted
from tests.record.games import Story

BUST = "2 3 4 4 6 6"
# Who hears of what


def test_observers_hear_everything_in_its_order() -> None:
    game = Played("ten-thousand", ["1 2 3 4 6 6", BUST], "1 bank", changes=["max_turns=1"])
    heard = [(told[0], getattr(told[1], "event", told[1])) for told in game.story.told]
    first, last = game.story.told[1][1], game.story.told[7][1]
    assert heard == [
        ("event", "turn"),
        ("throw", first),
        ("event", "roll"),
        ("answer", 0),
        ("event", "keep"),
        ("event", "bank"),
        ("event", "turn"),
        ("throw", last),
        ("event", "roll"),
        ("event", "bust"),
        ("over", game.outcome),
    ]
    assert [(t.seat, t.turn, t.roll, t.dice) for t in (first, last)] == [(0, 0, 0, 6), (1, 0, 0, 6)]
    assert game.outcome == Outcome((100, 0), (0,), Reason.TURN_LIMIT)
    assert [player.ends for player in game.players] == [[game.outcome]] * 2


def test_every_event_of_a_step_comes_with_the_state_that_the_step_led_to() -> None:
    states: list[Any] = []

    class Watcher(Story):
        def event(self, event: Any, state: Any) -> None:
            states.append((event.event, state.standing.scores))

    watcher = Watcher()
    engine = engine_for(load("ten-thousand", ["target=50"]))
    Referee(engine, [make("greedy")], ScriptedDice(parse_script("1 2 3 4 6 6")), observers=[watcher]).play()
    assert states == [
        ("turn", (0,)),
        ("roll", (0,)),
        ("keep", (100,)),
        ("bank", (100,)),
        ("final_round", (100,)),
    ]


def test_players_are_seated_with_names_and_seeds_of_their_own() -> None:
    engine = engine_for(load("ten-thousand", ["max_turns=1"]))
    asked: Asked = []
    players = [Scripted(iter(()), asked) for _ in range(3)]
    source = ScriptedDice(parse_script(f"{BUST}/{BUST}/{BUST}"))
    Referee(engine, players, source, names=["a", "b", "c"], game="g7", commitment="cc", seed_key=b"k").play()
    seated = [seating for player in players for seating in player.seatings]
    assert [(s.game, s.players, s.seat, s.commitment) for s in seated] == [
        ("g7", ("a", "b", "c"), n, "cc") for n in range(3)
    ]
    assert len({s.seed for s in seated}) == 3
    assert all(0 <= s.seed < 2**31 for s in seated)
    assert not asked


# Undo


def test_a_person_s_decision_can_be_taken_back_until_dice_fall() -> None:
    game = Played(
        "ten-thousand", ["1 5 2 3 6 6", BUST], "1 5 roll / 1 bank", instead={1: Undo()}, changes=["max_turns=1"]
    )
    # The four dice never fell: the decision was taken back while they were waited for.
    assert game.host.waits == [False, True, True]
    assert game.asked == [(0, 1, False), (0, 2, False)]
    assert game.outcome.scores == (100, 0)
    assert game.events == ["turn", "roll", "keep", "keep", "bank", "turn", "roll", "bust"]


def test_a_bank_can_be_taken_back_by_whoever_is_next_but_only_once() -> None:
    game = Played(
        "ten-thousand",
        ["1 5 2 3 6 6", BUST],
        "1 bank / 1 5 bank",
        instead={1: Undo()},
        changes=["max_turns=1"],
    )
    assert game.host.waits == [False, True, True]
    assert game.outcome.scores == (150, 0)


@pytest.mark.parametrize("person", [0, 1])
def test_only_a_person_s_decision_and_only_before_dice_can_be_taken_back(person: int) -> None:
    game = Played(
        "ten-thousand",
        ["1 2 3 4 6 6", "1 2 3 4 6 6", "1 2 3 4 6"],
        "1 bank / 1 roll / 1 bank",
        people=[person],
        changes=["max_turns=1"],
    )
    assert game.host.waits == [False, person == 0, person == 1]
    assert game.asked == [(0, 1, False), (1, 2, False), (1, 3, False)]


def test_an_undo_of_nothing_is_refused() -> None:
    with pytest.raises(SaveError, match="nothing could be taken back"):
        Played("ten-thousand", [BUST], "", instead={0: Undo()})
    with pytest.raises(SaveError, match="nothing could be taken back"):
        Played("ten-thousand", ["1 2 3 4 6 6", "1 2 3 4 6 6"], "1 bank / undo", changes=["max_turns=1"])


def test_in_high_dice_a_mark_is_taken_back_until_another_seat_has_marked() -> None:
    dice = ["6 2 1", "5 5 3", "1 1", "2 2 2"]
    game = Played("high-dice", dice, "keep 6 / undo / keep 6 2 1 / keep", instead={1: Change(0, (6,))})
    # B may take A's mark back, and its own while the reveal is waited for; after a change nothing.
    assert game.asked == [(0, 1, False), (1, 2, True), (0, 3, False), (1, 4, True)]
    assert game.host.waits == [False, True, False]
    own = Played("high-dice", dice[:2], "keep 1 2 6 / keep / keep 3 5 5", instead={1: Undo()})
    assert own.asked == [(0, 1, False), (1, 2, True), (1, 3, False)]
    assert own.outcome.winners == (1,)
    computer = Played("high-dice", dice[:2], "keep 1 2 6 / keep 3 5 5", people=[0])
    assert computer.host.waits == [False, False]


def test_typed_dice_can_be_taken_back_as_well() -> None:
    game = Played(
        "ten-thousand",
        ["1 2 3 4 6 6", "1 5 2 3 4 6", BUST],
        "undo / 1 5 bank",
        typed=True,
        changes=["max_turns=1"],
    )
    assert game.asked == [(0, 1, True), (0, 2, True)]
    assert game.outcome.scores == (150, 0)
    assert game.events == ["turn", "roll", "roll", "keep", "bank", "turn", "roll", "bust"]
    taken_back = [told[3] for told in game.story.told if told[0] == "answer"]
    assert taken_back == [Undo(), Decision((1, 5), bank=True)]


def test_after_the_result_nothing_is_asked_any_more() -> None:
    game = Played("core", ["1 2 3 4 6 6", "1 2 3 4 6 6"], "1 bank", changes=["target=100"])
    assert (game.host.waits, len(game.asked)) == ([False], 1)
    assert game.outcome == Outcome((100, 0), (0,), Reason.TARGET)


# Changes and forfeits


def test_a_change_asks_the_computers_again_that_had_marked_later_with_new_ids() -> None:
    game = Played(
        "high-dice",
        ["6 2 1", "5 5 3", "4 4 4", "1 1", "6 6 6"],
        "keep 1 2 6 / keep 3 5 5 / keep 4 4 4 / keep 3 5 5 / keep",
        seats=3,
        people=[0],
        instead={1: Change(0, (6,))},
        changes=["to=1"],
    )
    assert game.asked == [(0, 1, False), (1, 2, True), (2, 3, False), (1, 4, False), (2, 5, False)]
    assert game.events[3:9] == ["mark", "mark", "mark", "mark", "mark", "mark"]
    assert game.events[9:] == ["reveal", "round"]
    assert game.outcome.winners == (2,)
    # Those who marked before the one who changes are not asked again, nor are people.
    before = Played(
        "high-dice",
        ["6 2 1", "5 5 3", "4 4 4", "1 1"],
        "keep 1 2 6 / keep 3 5 5 / keep 4 4 4",
        seats=3,
        people=[1, 2],
        instead={1: Change(2, (4,))},
        changes=["to=1"],
    )
    assert [seat for seat, *_ in before.asked] == [0, 1, 2]


def test_a_forfeit_takes_a_seat_out_and_the_others_play_on() -> None:
    game = Played(
        "ten-thousand",
        ["1 2 3 4 6 6", "1 2 3 4 6 6", "5 2 3 4 6 6"],
        "out 0 / 1 bank / 5 bank",
        seats=3,
        changes=["max_turns=1"],
    )
    assert game.events[:5] == ["turn", "roll", "out", "turn", "roll"]
    assert game.outcome == Outcome((0, 100, 50), (1,), Reason.TURN_LIMIT)
    by_host = Played("ten-thousand", [BUST], "", instead={1: Forfeit(1)})
    assert by_host.outcome == Outcome((0, 0), (0,), Reason.FORFEIT)


def test_an_illegal_answer_of_a_player_is_not_swallowed() -> None:
    with pytest.raises(IllegalDecision):
        Played("ten-thousand", ["1 2 3 4 6 6"], "2 bank")


# A past


GAMES: dict[str, Callable[..., Played]] = {
    "undo and bank": lambda **more: Played(
        "ten-thousand",
        ["1 5 2 3 6 6", "1 2 3 4 6 6", "5 2 3 4 6"],
        "1 5 roll / 1 bank / 1 roll / 5 bank",
        instead={1: Undo()},
        changes=["max_turns=1"],
        **more,
    ),
    "marks": lambda **more: Played(
        "high-dice",
        ["6 2 1", "5 5 3", "4 4 4", "1 1", "6 6 6"],
        "keep 1 2 6 / keep 3 5 5 / keep 4 4 4 / keep 3 5 5 / keep",
        seats=3,
        people=[0],
        instead={1: Change(0, (6,))},
        changes=["to=1"],
        **more,
    ),
    # A gives up after a round in which all stood pat, and B after another one.
    "out after standing pat": lambda **more: Played(
        "high-dice",
        ["6 6 6", "5 5 5", "4 4 4", "1 1 1", "2 2 2"],
        "keep 6 6 6 / keep 5 5 5 / keep 4 4 4 / keep 1 1 1 / keep 2 2 2",
        seats=3,
        instead={2: Forfeit(0), 5: Forfeit(1)},
        **more,
    ),
}


@pytest.mark.parametrize("name", GAMES)
def test_a_game_goes_on_from_its_whole_past_to_the_same_end(name: str) -> None:
    game = GAMES[name]()
    again = GAMES[name](past=game.past)
    assert again.story.told == game.story.told
    assert (again.asked, again.outcome) == ([], game.outcome)
    assert [p.replays for p in again.players] == [
        [t[3] for t in game.story.told if t[0] == "answer" and isinstance(t[3], Decision) and t[1] == seat]
        for seat in range(len(again.players))
    ]


def test_who_gives_up_between_rounds_keeps_the_rounds_won() -> None:
    game = GAMES["out after standing pat"]()
    assert game.outcome == Outcome((1, 0, 1), (2,), Reason.FORFEIT)
    assert game.events.count("round") == 2
    # Without a sign of the reveals, the past would tell that A gave up before the first one.
    assert [step for step in game.past if not isinstance(step, Decision)][3:] == [
        Fell(()),
        Forfeit(0),
        Fell((1, 1, 1)),
        Fell((2, 2, 2)),
        Fell(()),
        Forfeit(1),
    ]


def test_the_host_hears_once_when_a_game_is_live_and_observers_hear_the_past_before() -> None:
    game = GAMES["undo and bank"]()
    for n in range(len(game.past) + 1):
        again = Played(
            "ten-thousand",
            ["1 5 2 3 6 6", "1 2 3 4 6 6", "5 2 3 4 6"],
            " / ".join(
                ["1 5 roll", "1 bank", "1 roll", "5 bank"][sum(isinstance(p, Decision) for p in game.past[:n]) :]
            ),
            past=game.past[:n],
            instead={1: Undo()} if n == 0 else {0: Undo()} if n < 3 else {},
            changes=["max_turns=1"],
        )
        assert again.outcome == game.outcome
        assert again.story.told == game.story.told
        assert len(again.host.resumes) == 1


@pytest.mark.parametrize(
    ("past", "words"),
    [
        ([Fell((1, 2, 3, 4, 6, 6)), Fell((1, 1, 1, 1, 1, 1))], "dice where a decision is due"),
        ([Decision((1,), bank=True)], "a decision where dice are due"),
        ([Fell((1, 2, 3, 4, 6, 5))], "its dice are not those of its seed"),
        ([Fell((1, 2, 3))], "the wrong number of dice"),
        ([Fell(())], "the wrong number of dice"),
        ([Fell((1,) * 60)], "the wrong number of dice"),
        ([Undo()], "nothing could be taken back"),
        ([Change(0, ())], "a mark is changed that was not made"),
        ([Forfeit(7)], "a seat gives up that is not in the game"),
        ([Forfeit(-1)], "a seat gives up that is not in the game"),
    ],
)
def test_a_past_that_does_not_fit_is_refused(past: list[Past], words: str) -> None:
    with pytest.raises(SaveError, match=words):
        Played("ten-thousand", ["1 2 3 4 6 6"], "", past=past)


@pytest.mark.parametrize(
    ("past", "words"),
    [
        ([Change(0, ())], "a mark is changed that was not made"),
        ([Fell((6, 2, 1)), Fell((5, 5, 3)), Change(0, (6,))], "a mark is changed"),
        ([Fell((6, 2, 1)), Fell((5, 5, 3)), Decision((6,)), Decision(()), Change(2, (6,))], "a mark is changed"),
        ([Fell((6, 2, 1)), Fell((5, 5, 3)), Decision((6,)), Decision(()), Change(-1, (6,))], "a mark is changed"),
        ([Fell((6, 2, 1)), Fell((5, 5, 3)), Decision((6,)), Decision(()), Fell((1,))], "the wrong number of dice"),
        ([Forfeit(0), Forfeit(0)], "a seat gives up that is not in the game"),
    ],
)
def test_a_past_of_high_dice_that_does_not_fit_is_refused(past: list[Past], words: str) -> None:
    with pytest.raises(SaveError, match=words):
        Played("high-dice", ["6 2 1", "5 5 3"], "", past=past, seats=2 if len(past) > 2 else 3)


def test_without_observers_the_game_is_the_same() -> None:
    outcomes = []
    for observers in ([], [Story()]):
        players = [make("random"), make("hold:at=300"), make("house")]
        referee = Referee(
            engine_for(load("thousand")), players, SeededDice(b"k" * 32), seed_key=b"s", observers=observers
        )
        outcomes.append(referee.play())
    assert outcomes[0] == outcomes[1]
