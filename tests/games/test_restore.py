"""A described state comes back as it was: over random games, from hands, and with a word for whatever is wrong."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegame.errors import InputError
from dicegame.games import engine_for
from dicegame.games.base import Decision, Engine, Phase
from dicegame.games.highdice import HighDice
from dicegame.games.pushluck import PushLuck
from dicegame.rules.load import load, presets
from dicegame.rules.model import HighDiceRules
from tests.games.transcript import rules_of
from tests.rules.strategies import push_luck_rules

LONGEST = 2_000  # decisions and throws of one random game


def assert_comes_back(engine: Engine[Any], state: Any) -> None:
    described = json.loads(json.dumps(engine.describe(state)))
    again = engine.restore(described, state.seat)
    assert again.seat == state.seat
    assert again.phase is Phase.DECIDE
    assert engine.describe(again) == described
    assert engine.decisions(again) == engine.decisions(state)
    decision = engine.decisions(state)[0]
    assert [type(event) for event in engine.decide(again, decision)[1]] == [
        type(event) for event in engine.decide(state, decision)[1]
    ]


def play_through(engine: Engine[Any], seats: int, seed: int) -> int:
    """Play a random game with forfeits; return how many states came back."""
    rng = random.Random(seed)
    state, _events = engine.start(seats)
    seen = 0
    for _step in range(LONGEST):
        if state.phase is Phase.OVER:
            break
        if state.phase is Phase.DECIDE:
            seen += 1
            assert_comes_back(engine, state)
            state, _events = engine.decide(state, rng.choice(engine.decisions(state)))
        else:
            throws = engine.throws(state)
            state, _events = engine.thrown(state, [tuple(rng.choices(range(1, 7), k=t.dice)) for t in throws])
        left = [seat for seat in range(seats) if not state.out[seat]]
        if state.phase is not Phase.OVER and len(left) > 2 and rng.random() < 0.01:
            state, _events = engine.forfeit(state, rng.choice(left))
    return seen


@pytest.mark.parametrize("name", presets())
@pytest.mark.parametrize("seats", [1, 2, 4])
def test_every_decision_of_a_game_comes_back(name: str, seats: int) -> None:
    engine = engine_for(load(name))
    low, high = engine.rules.seats
    assert play_through(engine, min(max(seats, low), high), seats) > 0


@given(push_luck_rules(), st.integers(1, 8), st.integers(0, 1 << 30))
def test_every_decision_of_any_rule_set_comes_back(rules: Any, seats: int, seed: int) -> None:
    play_through(PushLuck(rules), seats, seed)


@given(
    st.integers(1, 5),
    st.sampled_from(["sum-high", "sum-low", "triple-pair"]),
    st.sampled_from(["winner", "loser"]),
    st.integers(2, 8),
    st.integers(0, 1 << 30),
)
def test_every_mark_comes_back(dice: int, rule: str, find: str, seats: int, seed: int) -> None:
    dice = 3 if rule == "triple-pair" else dice
    play_through(HighDice(HighDiceRules(name="test", dice=dice, rule=rule, find=find)), seats, seed)  # type: ignore[arg-type]


def test_marks_of_later_seats_stand() -> None:
    engine = HighDice(HighDiceRules(name="test"))
    state = engine.restore({"dice": [[1, 2, 3], [4, 4, 5], [6, 6, 6]], "keeps": [None, [5, 4], None]})
    assert (state.seat, state.keeps) == (0, (None, (4, 5), None))
    state, _events = engine.decide(state, Decision((3,)))
    assert state.seat == 2


def test_a_state_by_hand_needs_scores_and_dice_alone() -> None:
    engine = PushLuck(rules_of("ten-thousand"))
    state = engine.restore({"scores": [0, 0], "dice": [1, 2, 3, 4, 6, 6]})
    assert [(o.keep, o.bank) for o in engine.options(state)] == [((1,), True)]
    assert engine.describe(state) == {
        "scores": [0, 0],
        "opened": [True, True],
        "out": [False, False],
        "busts": [0, 0],
        "turn": 1,
        "turn_points": 0,
        "dice": [1, 2, 3, 4, 6, 6],
        "target": 10_000,
        "final_round": None,
    }


def test_what_must_be_brought_comes_back() -> None:
    engine = PushLuck(rules_of("thousand"))
    unopened = engine.restore({"scores": [0, 300], "dice": [1, 2, 3, 4, 6]})
    assert unopened.required == 75
    assert engine.restore({"scores": [0, 300], "dice": [1, 2, 3, 4, 6]}, 1).required == 25
    classic = PushLuck(rules_of("thousand-classic"))
    assert classic.restore({"scores": [220, 0], "dice": [1, 2, 3, 4, 6]}).required == 80
    barrel = {"scores": [880, 0], "dice": [1, 2, 3, 4, 6], "barrel": {"seat": 0, "tries": 2}}
    state = classic.restore(barrel)
    assert state.required == 120
    assert state.standing.barrel == (0, 2)


def test_points_to_beat_are_those_of_the_scores() -> None:
    engine = PushLuck(rules_of("ten-thousand"))
    described = {"scores": [0, 10_300, 10_050], "dice": [1, 1, 1], "final_round": {"by": 2, "score": 10_300}}
    assert engine.final_round(engine.restore(described)) == (2, 10_300)


PUSH_LUCK_FAULTS = [
    (None, "a state is a JSON object"),
    ([1, 2], "a state is a JSON object"),
    ({"scores": [0]}, "dice is wrong: a list of 1 to 6 faces"),
    ({"dice": [1]}, "scores is wrong: a list with a value for every seat"),
    ({"scores": [], "dice": [1]}, "scores is wrong"),
    ({"scores": [0, "0"], "dice": [1]}, "scores is wrong: a whole number"),
    ({"scores": [True], "dice": [1]}, "scores is wrong: a whole number"),
    ({"scores": [0, -50], "dice": [1]}, "scores is wrong: a whole number of at least 0"),
    ({"scores": [0, 1 << 60], "dice": [1]}, "scores is wrong"),
    ({"scores": [0] * 9, "dice": [1]}, "seats for 1 to 7 players, not for 9"),
    ({"scores": [0], "dice": [0]}, "dice is wrong"),
    ({"scores": [0], "dice": [7]}, "dice is wrong"),
    ({"scores": [0], "dice": [1.0]}, "dice is wrong"),
    ({"scores": [0], "dice": "1"}, "dice is wrong"),
    ({"scores": [0], "dice": [1] * 7}, "dice is wrong"),
    ({"scores": [0], "dice": [2, 3, 4, 4, 6, 6]}, "nothing is asked with 2 3 4 4 6 6"),
    ({"scores": [0], "dice": [1], "turn": 0}, "turn is wrong: a whole number of at least 1"),
    ({"scores": [0], "dice": [1], "turn_points": -1}, "turn_points is wrong"),
    ({"scores": [0], "dice": [1], "turnpoints": 50}, "no field turnpoints; did you mean turn_points?"),
    ({"scores": [0], "dice": [1], "weather": 1}, "no field weather; it has scores, opened"),
    ({"scores": [0], "dice": [1], "bolts": [0]}, "no field bolts"),
    ({"scores": [0], "dice": [1], "target": 5000}, "target is wrong: 10000"),
    ({"scores": [0, 0], "dice": [1], "out": [False]}, "out is wrong: a list of 2 values"),
    ({"scores": [0, 0], "dice": [1], "out": [0, 0]}, "out is wrong: true or false"),
    ({"scores": [0, 0], "dice": [1], "out": [True, True]}, "seat 0 is not in this game"),
    ({"scores": [0, 0], "dice": [1], "busts": [0]}, "busts is wrong"),
    ({"scores": [10_000, 0], "dice": [1]}, "final_round is missing"),
    ({"scores": [10_000, 0], "dice": [1], "final_round": 0}, "final_round is wrong: an object"),
    ({"scores": [10_000, 0], "dice": [1], "final_round": {"by": 2, "score": 10_000}}, "final_round.by is wrong"),
    ({"scores": [10_000, 0], "dice": [1], "final_round": {"by": 0, "score": 10_000}}, "seat 0 started the final round"),
    ({"scores": [0, 10_000], "dice": [1], "final_round": {"by": 1, "score": 1}}, "final_round.score is wrong: 10000"),
    ({"scores": [0, 10_000], "dice": [1], "final_round": {"to": 1}}, "no field final_round.to"),
]


@pytest.mark.parametrize(("described", "said"), PUSH_LUCK_FAULTS)
def test_wrong_push_luck_states_are_refused(described: object, said: str) -> None:
    with pytest.raises(InputError) as caught:
        PushLuck(rules_of("ten-thousand")).restore(described)
    assert said in caught.value.message
    assert caught.value.exit_code == 2


def test_seat_that_is_not_there_is_refused() -> None:
    engine = PushLuck(rules_of("ten-thousand"))
    for seat in (-1, 2):
        with pytest.raises(InputError, match="not in this game"):
            engine.restore({"scores": [0, 0], "dice": [1]}, seat)
    with pytest.raises(InputError, match="not in this game"):
        engine.restore({"scores": [0, 0], "dice": [1], "out": [True, False]}, 0)


@pytest.mark.parametrize(
    ("described", "said"),
    [
        ({"scores": [1000, 0], "dice": [1, 2, 3, 4, 6]}, "the game is over"),
        ({"scores": [0, 0], "dice": [1], "final_round": {"by": 0, "score": 0}}, "final_round is wrong: null"),
        (
            {"scores": [500, 0], "dice": [1], "barrel": {"seat": 0, "tries": 0}},
            "seat 0 can't be on the barrel with 500",
        ),
        ({"scores": [880, 0], "dice": [1], "barrel": {"seat": 0, "tries": 3}}, "barrel.tries is wrong"),
        ({"scores": [880, 0], "dice": [1], "barrel": {"seat": 2, "tries": 0}}, "barrel.seat is wrong"),
        ({"scores": [0, 0], "dice": [1, 1, 1, 1, 1]}, "nothing is asked with 1 1 1 1 1"),
    ],
)
def test_wrong_states_with_house_rules_are_refused(described: object, said: str) -> None:
    with pytest.raises(InputError) as caught:
        PushLuck(rules_of("thousand-classic")).restore(described)
    assert said in caught.value.message


DICE = [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    ("described", "said"),
    [
        ({}, "dice is wrong: a list with a value for every seat"),
        ({"dice": [[1, 2, 3]]}, "seats for 2 to 8 players, not for 1"),
        ({"dice": [[1, 2, 3], [1, 2]]}, "dice is wrong: 3 dice for every seat"),
        ({"dice": DICE, "out": [True, False]}, "dice is wrong: 3 dice for every seat"),
        ({"dice": [[1, 2, 3], []]}, "nobody has a mark to make"),
        ({"dice": DICE, "keeps": [[1], [4]]}, "nobody has a mark to make"),
        ({"dice": DICE, "keeps": [[1, 1], None]}, "keeps is wrong: dice that the seat has"),
        ({"dice": DICE, "keeps": [[4], None]}, "keeps is wrong: dice that the seat has"),
        ({"dice": DICE, "rule": "sum-low"}, "rule is wrong: sum-high"),
        ({"dice": DICE, "find": "loser"}, "find is wrong: winner"),
        ({"dice": DICE, "order": [1, 0]}, "order is wrong: [0, 1]"),
        ({"dice": DICE, "wins": [1, 0]}, "wins is wrong: a whole number from 0 to 0"),
        ({"dice": DICE, "to": 0}, "to is wrong"),
        ({"dice": DICE, "scores": [0, 0]}, "no field scores"),
    ],
)
def test_wrong_marks_are_refused(described: object, said: str) -> None:
    with pytest.raises(InputError) as caught:
        HighDice(HighDiceRules(name="test")).restore(described)
    assert said in caught.value.message


def test_wrong_seat_to_mark_is_refused() -> None:
    with pytest.raises(InputError, match="seat 0 is to mark here, not seat 1"):
        HighDice(HighDiceRules(name="test")).restore({"dice": DICE}, 1)


def test_nobody_marks_without_rerolls() -> None:
    with pytest.raises(InputError, match="nobody has a mark to make"):
        HighDice(HighDiceRules(name="test", reroll=False)).restore({"dice": DICE})


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KNOWN = ["scores", "opened", "out", "busts", "turn", "turn_points", "dice", "target", "final_round", "bolts", "barrel",
         "falls", "round", "rule", "find", "wins", "losses", "to", "keeps", "order"]  # fmt: skip


@given(st.sampled_from(["ten-thousand", "thousand-classic", "dix-mille", "high-dice"]), st.data())
def test_anything_is_a_state_or_an_input_error(name: str, data: st.DataObject) -> None:
    engine = engine_for(load(name))
    described = data.draw(st.dictionaries(st.sampled_from(KNOWN), ANYTHING, max_size=4) | ANYTHING)
    if data.draw(st.booleans()) and isinstance(described, dict):
        described |= {"scores": [0, 0], "dice": [1, 2, 3, 4, 6]} if name != "high-dice" else {"dice": DICE}
    try:
        state = engine.restore(described, data.draw(st.sampled_from([None, 0, 1])))
    except InputError:
        return
    assert engine.decisions(state)
