"""The built-in players: what each keeps and when it banks, against the words of the rules and published figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dicegame.errors import PlayerError
from dicegame.games import engine_for
from dicegame.games.base import Decision
from dicegame.games.highdice import HighDice
from dicegame.games.notation import format_decision, parse_faces
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.games.standing import Standing, required_points
from dicegame.players.base import Player, Request, Seating
from dicegame.players.builtin import BUILT_INS, make
from dicegame.rules.load import load, presets
from dicegame.rules.model import End, PushLuckRules
from tests.rules.strategies import push_luck_rules


def engine_of(name: str, *changes: str) -> PushLuck:
    engine = engine_for(load(name, changes))
    assert isinstance(engine, PushLuck)
    return engine


def at_table(
    engine: PushLuck,
    dice: str | Sequence[int],
    scores: Sequence[int] = (0, 0),
    *,
    turn: int = 0,
    final: int | None = None,
    out: Sequence[int] = (),
    opened: bool = True,
) -> PushLuckState:
    """Return a state in which seat 0 is to decide, with `turn` points so far, or None where its roll is a bust."""
    seats = len(scores)
    zeros = (0,) * seats
    gone = tuple(seat in out for seat in range(seats))
    standing = Standing(tuple(scores), (opened,) * seats, gone, zeros, (1,) * seats, final, zeros, zeros)
    lie = parse_faces(dice) if isinstance(dice, str) else tuple(dice)
    need = required_points(engine.rules, standing, 0)
    return PushLuckState(standing, 0, turn, 1, len(lie), need, lie, engine.table.roll(lie))


def seated(spec: str, engine: PushLuck | HighDice, *, seed: int = 1) -> Player:
    player = make(spec)
    player.begin(Seating("g", engine, ("a", "b"), 0, seed, None))
    return player


def decision(spec: str, engine: PushLuck, state: PushLuckState) -> str:
    """Return what a built-in decides, as text; it must be legal."""
    answer = seated(spec, engine).decide(Request(1, 0, engine, state))
    assert isinstance(answer, Decision)
    engine.check(state, answer)
    return format_decision(answer)


def banks(spec: str, engine: PushLuck, dice: str, scores: Sequence[int] = (0, 0), **more: Any) -> bool:
    return decision(spec, engine, at_table(engine, dice, scores, **more)).endswith("bank")


# house, by the numbers of the rules


@pytest.mark.parametrize(
    ("trails", "four", "three", "two", "one"),
    [
        (-5000, 300, 250, 200, 200),
        (0, 300, 250, 200, 200),
        (950, 300, 250, 200, 200),
        (1000, 350, 300, 250, 250),
        (1950, 350, 300, 250, 250),
        (2000, 400, 350, 300, 300),
        (5950, 550, 500, 450, 450),
        (6000, 600, 550, 500, 500),
        (9900, 600, 550, 500, 500),
    ],
)
def test_house_banks_at_its_threshold(trails: int, four: int, three: int, two: int, one: int) -> None:
    engine = engine_of("ten-thousand")
    scores = (max(0, -trails), max(0, trails))
    for threshold, kept, dice in ((four, 100, "12346"), (three, 100, "1234"), (two, 100, "123"), (one, 100, "12")):
        for turn in range(0, 900, 50):
            assert banks("house", engine, dice, scores, turn=turn) == (turn + kept >= threshold), (dice, turn)
    # All dice come back: six dice, no fewer.
    assert banks("house", engine, "1", scores, turn=four - 100)
    assert not banks("house", engine, "1", scores, turn=four - 150)


@pytest.mark.parametrize(
    ("target", "trails", "threshold"),
    [
        (5000, 0, 150),  # steps of 25 are rounded down to the unit, and that is none
        (5000, 4500, 150),
        (15_000, 0, 450),
        (15_000, 1499, 450),
        (15_000, 1500, 500),  # 75 is rounded down to 50
        (15_000, 14_999, 750),
        (20_000, 2000, 700),
        (25_000, 0, 750),
        (1000, 0, 50),  # 30 is rounded down to nothing: at once
    ],
)
def test_house_scales_with_the_target_and_rounds_down_to_the_unit(target: int, trails: int, threshold: int) -> None:
    engine = engine_of("ten-thousand", f"target={target}")
    for turn in range(0, 900, 50):
        assert banks("house", engine, "523346"[:5], (0, trails), turn=turn) == (turn + 50 >= threshold), turn


def test_house_in_thousand_has_numbers_of_its_own_whatever_the_target() -> None:
    for target in ("target=1000", "target=3000"):
        engine = engine_of("thousand", target, "dice=6", "instant_win=[]")
        for trails, threshold in ((0, 150), (99, 150), (100, 175), (599, 275), (600, 300), (900, 300)):
            for dice, less in (("123466", 0), ("12346", 0), ("1246", 25), ("124", 50), ("12", 50)):
                for turn in range(0, 400, 25):
                    expected = turn + 100 >= threshold - less
                    assert banks("house", engine, dice, (0, trails), turn=turn) == expected, (trails, dice, turn)
    closed = engine_of("thousand")
    assert not banks("house", closed, "523", turn=0, opened=False)
    assert banks("house", closed, "1246", turn=25, opened=False)


def test_house_in_a_final_round_banks_once_it_is_ahead_and_never_before() -> None:
    engine = engine_of("ten-thousand")
    for turn, ahead in ((0, False), (900, False), (950, False), (1000, True)):
        state = {"turn": turn, "final": 1}
        assert banks("house", engine, "12346", (9950, 11_000), **state) == ahead
    # Equal is not ahead, and who has given up is no mark to beat.
    assert not banks("house", engine, "12346", (9000, 10_000, 10_100), turn=1000, final=1)
    assert banks("house", engine, "12346", (9000, 10_000, 10_100), turn=1000, final=1, out=[2])
    assert banks("house", engine, "12346", (9000, 10_000), turn=0, final=1, out=[1])
    assert banks("house", engine, "12346", (9000, 8000), turn=0, final=1)


def test_house_banks_at_once_where_that_wins() -> None:
    sudden = engine_of("core")
    assert banks("house", sudden, "12346", (9900, 9950))
    assert not banks("house", sudden, "12346", (9850, 9900))
    assert banks("house", sudden, "123466", (9850, 0), turn=50)
    assert banks("house", engine_of("ten-thousand"), "12346", (9900,))
    # Not where it only starts the final round.
    assert not banks("house", engine_of("ten-thousand"), "12346", (9900, 9950))
    exact = engine_of("dix-mille")
    assert banks("house", exact, "12346", (9900, 0))
    assert decision("house", exact, at_table(exact, "11234", (9900, 0))) == "1 bank"


def test_house_never_banks_below_the_minimum() -> None:
    engine = engine_of("farkle-facebook", "target=5000")
    assert not banks("house", engine, "12", turn=150)
    assert banks("house", engine, "12", turn=200)


def test_who_has_given_up_is_not_trailed() -> None:
    engine = engine_of("ten-thousand")
    assert banks("house", engine, "12346", (0, 9000), turn=200, out=[1])
    assert not banks("house", engine, "12346", (0, 9000), turn=200)


# What is kept


def test_the_most_points_then_fewer_dice_then_ascending() -> None:
    engine = engine_of("ten-thousand")
    assert decision("house", engine, at_table(engine, "115346")) == "1 1 5 bank"
    assert decision("house", engine, at_table(engine, "333343")) == "3 3 3 3 3 bank"
    bare = ("three={}", "four={}", "five={}", "six={}", "three_pairs=0")
    long = engine_of(
        "ten-thousand",
        *(f"score.{change}" for change in ("single={1=100}", *bare, "straights=[{faces=[1,2,3,4,5], points=100}]")),
    )
    assert decision("greedy", long, at_table(long, "543216")) == "1 bank"
    same = "straights=[{faces=[2,3,4], points=100}, {faces=[1,2,3], points=100}]"
    first = engine_of("ten-thousand", *(f"score.{change}" for change in ("single={6=50}", *bare, same)))
    assert decision("greedy", first, at_table(first, "4321")) == "1 2 3 bank"


def test_cautious_keeps_the_fewest_dice_and_banks_as_soon_as_it_may() -> None:
    engine = engine_of("ten-thousand")
    assert decision("cautious", engine, at_table(engine, "115346")) == "1 bank"
    assert decision("cautious", engine, at_table(engine, "552346")) == "5 bank"
    assert decision("cautious", engine, at_table(engine, "222346")) == "2 2 2 bank"
    opening = engine_of("farkle")
    assert decision("cautious", opening, at_table(opening, "115346", opened=False)) == "1 roll"


# hold, greedy, random


def test_hold_banks_at_its_number_hot_dice_or_not_unless_told_to_roll_them() -> None:
    engine = engine_of("ten-thousand")
    for turn in range(0, 600, 50):
        assert banks("hold:at=350", engine, "12346", turn=turn) == (turn + 100 >= 350)
        assert banks("hold:at=350", engine, "1", turn=turn) == (turn + 100 >= 350)
        assert banks("hold:at=350,hot=bank", engine, "1", turn=turn) == (turn + 100 >= 350)
        assert not banks("hold:at=350,hot=roll", engine, "1", turn=turn)
        assert banks("greedy", engine, "12346", turn=turn)
    assert banks("hold:hot=roll,at=350", engine_of("core"), "1", (9000, 0), turn=900)  # banking wins
    must = engine_of("dix-mille")
    assert not banks("hold:at=50", must, "1", turn=2000)
    # In a final round like house.
    for spec in ("greedy", "hold:at=50,hot=roll"):
        assert not banks(spec, engine, "12346", (9000, 10_000), turn=900, final=1)
        assert banks(spec, engine, "12346", (9000, 10_000), turn=950, final=1)


def test_random_is_uniform_over_all_legal_decisions() -> None:
    engine = engine_of("ten-thousand")
    state = at_table(engine, "115346")
    legal = [format_decision(decision) for decision in engine.decisions(state)]
    assert len(legal) == 10
    player = seated("random", engine)
    drawn: Counter[str] = Counter()
    for _ in range(10_000):
        answer = player.decide(Request(1, 0, engine, state))
        assert isinstance(answer, Decision)
        drawn[format_decision(answer)] += 1
    assert set(drawn) == set(legal)
    assert all(900 < n < 1100 for n in drawn.values())
    # The seed of the game decides all, and a replayed decision takes its draw.
    twins = [seated("random", engine, seed=7), seated("random", engine, seed=7)]
    first = twins[0].decide(Request(1, 0, engine, state))
    assert isinstance(first, Decision)
    twins[1].replayed(Request(1, 0, engine, state), first)
    answers = [[twin.decide(Request(2, 0, engine, state)) for _ in range(20)] for twin in twins]
    assert answers[0] == answers[1]


# The words of the rules, a second time, for every rule set


def by_the_words(engine: PushLuck, state: PushLuckState) -> str:
    """Return what house decides."""
    rules, standing, unit = engine.rules, state.standing, engine.table.unit
    option = min(engine.options(state), key=lambda o: (-o.points, len(o.keep), o.keep))
    total = state.turn_points + option.points
    others = [score for s, score in enumerate(standing.scores) if s != state.seat and not standing.out[s]]
    mine = standing.scores[state.seat]
    if standing.final is not None:
        wants = not others or mine + total > max(others)
    elif mine + total >= rules.target and (rules.end is End.SUDDEN or not others):
        wants = True
    else:
        base, step, per, three, few = (300, 50, 1000, 50, 100)
        if rules.name == "thousand":
            base, step, per, three, few = (150, 25, 100, 25, 50)
        else:
            base, step, per, three, few = (
                number * rules.target // 10_000 // unit * unit for number in (base, step, per, three, few)
            )
        behind = max(0, max(others) - mine) if others else 0
        threshold = base + step * min(6, behind // per if per else 0)
        threshold -= three if option.roll == 3 else few if option.roll < 3 else 0
        wants = total >= threshold
    return format_decision(Decision(option.keep, wants and option.bank))


@st.composite
def decisions_of(draw: st.DrawFn, rules: PushLuckRules) -> tuple[PushLuck, PushLuckState]:
    engine = PushLuck(rules)
    dice = draw(st.lists(st.integers(1, 6), min_size=1, max_size=rules.dice))
    below = st.integers(0, rules.target // engine.table.unit - 1).map(lambda n: n * engine.table.unit)
    scores = draw(st.lists(below, min_size=1, max_size=4))
    final = None
    if rules.end is End.FINAL_ROUND and len(scores) > 1 and draw(st.booleans()):
        final, scores[1] = 1, scores[1] + rules.target
    out = draw(st.sets(st.integers(1, 3), max_size=2))
    opened = draw(st.booleans())
    state = at_table(engine, dice, scores, turn=draw(below), final=final, out=sorted(out), opened=opened)
    assume(engine.keeps(state))
    return engine, state


PRESETS = [rules for rules in map(load, presets()) if isinstance(rules, PushLuckRules)]
ANY_RULES = st.one_of(st.sampled_from(PRESETS), push_luck_rules())


@settings(max_examples=400)
@given(ANY_RULES.flatmap(decisions_of))
def test_house_by_the_words_of_the_rules(case: tuple[PushLuck, PushLuckState]) -> None:
    assert decision("house", *case) == by_the_words(*case)


UNSOLVED = [
    *sorted(BUILT_INS.keys() - {"optimal"}),
    "hold:at=1,hot=roll",
    "hold:at=1000000000",
]  # play what nobody has solved


@settings(max_examples=150)
@given(ANY_RULES.flatmap(decisions_of), st.sampled_from(UNSOLVED))
def test_every_built_in_decides_legally_in_every_rule_set(case: tuple[PushLuck, PushLuckState], name: str) -> None:
    decision("hold:at=5" if name == "hold" else name, *case)


# Words that are wrong


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("nobody", "there is no built-in player named nobody"),
        ("", "there is no built-in player named "),
        ("House", "there is no built-in player named House"),
        ("hold", "hold needs at: a number of points, like at=350"),
        ("hold:", "hold needs at: a number of points, like at=350"),
        ("hold:hot=roll", "hold needs at: a number of points, like at=350"),
        ("hold:at", "hold: at is wrong; right would be a number of points, like at=350"),
        ("hold:at=", "hold: at= is wrong; right would be a number of points, like at=350"),
        ("hold:at=0", "hold: at=0 is wrong; right would be a number of points, like at=350"),
        ("hold:at=-5", "hold: at=-5 is wrong; right would be a number of points, like at=350"),
        ("hold:at=3.5", "hold: at=3.5 is wrong; right would be a number of points, like at=350"),
        ("hold:at=x\x1b[2J", "hold: at=x\ufffd[2J is wrong; right would be a number of points, like at=350"),
        ("hold:at=٣", "hold: at=٣ is wrong; right would be a number of points, like at=350"),
        ("hold:at=1000000001", "hold: at=1000000001 is wrong; right would be a number of points, like at=350"),
        ("hold:at=" + "9" * 5000, " is wrong; right would be a number of points, like at=350"),
        ("hold:at=300,hot=cold", "hold: hot=cold is wrong; right would be hot=bank, hot=roll"),
        ("hold:at=300,to=5", "hold has no parameter to; it has: at, hot"),
        ("greedy:at=300", "greedy has no parameters"),
        ("house:level=9", "house has no parameters"),
    ],
)
def test_words_that_name_no_player_say_what_would_be_right(spec: str, words: str) -> None:
    with pytest.raises(PlayerError) as caught:
        make(spec)
    assert words in caught.value.message
    assert len(caught.value.message) < 400
    assert caught.value.exit_code == 2
