"""Exact values of high dice: oracles, every dice and every mark played out naively, luck that is nothing on average."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicegame.games.base import Decision, Phase
from dicegame.games.events import Dice
from dicegame.games.highdice import HighDice, HighDiceState
from dicegame.rules.model import Find, HighDiceRules, HighRule
from dicegame.rules.table import rolls
from dicegame.values.chances import best_mark, chance, falls
from dicegame.values.duel import duel
from dicegame.values.marks import HighDiceJudge

KINDS = [(rule, dice) for rule in HighRule for dice in (1, 2, 3) if rule is not HighRule.TRIPLE_PAIR or dice == 3]
FIRST = {
    1: Fraction(1, 2),
    2: Fraction(11663, 23328),
    3: Fraction(93307, 186624),
}  # of sums, by the naive recursion below


def judged(seats: int, **fields: Any) -> tuple[HighDice, HighDiceJudge, HighDiceState]:
    """Return an engine, its judge and the first state of a match."""
    engine = HighDice(HighDiceRules(name="test", **fields))
    return engine, HighDiceJudge(engine, seats), engine.start(seats)[0]


def at(state: HighDiceState, dice: list[Dice], keeps: list[Dice | None] | None = None) -> HighDiceState:
    """Put dice and marks on the table."""
    state.dice, state.keeps = tuple(dice), tuple(keeps or [None] * len(dice))
    return state


# A second implementation, from the rules as they are told: every face of every die, no ranks and no shared chances.


def better(rule: HighRule, dice: Dice) -> tuple[int, int]:
    if rule is not HighRule.TRIPLE_PAIR:
        return 0, sum(dice) if rule is HighRule.SUM_HIGH else -sum(dice)
    alike = [(dice.count(face), face) for face in range(1, 7) if dice.count(face) > 1]
    return max(alike, default=(0, sum(dice)))


@cache
def naive_falls(rule: HighRule, dice: int, keep: Dice) -> list[tuple[int, int]]:
    return [better(rule, keep + fallen) for fallen in product(range(1, 7), repeat=dice - len(keep))]


@cache
def naive_wins(rule: HighRule, dice: int, keep: Dice, other: Dice) -> Fraction:
    """Return the chance of a keep against another by laying out every way in which both may fall."""
    mine, theirs = naive_falls(rule, dice, keep), naive_falls(rule, dice, other)
    points = sum(2 * (one > two) + (one == two) for one in mine for two in theirs)
    return Fraction(points, 2 * len(mine) * len(theirs))


@cache
def naive_keeps(dice: Dice) -> list[Dice]:
    """Return every keep, from fewer rerolled dice to more, then by faces."""
    masks = product((True, False), repeat=len(dice))
    keeps = {tuple(sorted(face for face, stays in zip(dice, mask, strict=True) if stays)) for mask in masks}
    return sorted(keeps, key=lambda keep: (-len(keep), keep))


@cache
def naive_answered(rule: HighRule, keep: Dice, other: Dice) -> Fraction:
    """Return the chance of a first mark against the best reply of a seat that has these dice."""
    return min(naive_wins(rule, len(other), keep, reply) for reply in naive_keeps(other))


@cache
def naive_first(rule: HighRule, dice: int) -> Fraction:
    total = Fraction(0)
    for one in combinations_with_replacement(range(1, 7), dice):
        for two in combinations_with_replacement(range(1, 7), dice):
            ways = prod(factorial(dice) // prod(map(factorial, Counter(roll).values())) for roll in (one, two))
            total += ways * max(naive_answered(rule, keep, two) for keep in naive_keeps(one))
    return total * Fraction(1, 36**dice)


# The round of two


@pytest.mark.parametrize(
    ("dice", "odds"), list(enumerate(["1/6", "73/648", "361/3888", "7553/93312", "7631/104976"], 1))
)
@pytest.mark.parametrize("rule", [HighRule.SUM_HIGH, HighRule.SUM_LOW])
def test_two_sums_tie_with_the_published_odds(rule: HighRule, dice: int, odds: str) -> None:
    assert Fraction(sum(n * n for n in falls(rule, (), dice).values()), 36**dice) == Fraction(odds)


@pytest.mark.parametrize(("rule", "dice"), KINDS)
def test_who_marks_first_wins_as_often_as_by_playing_everything(rule: HighRule, dice: int) -> None:
    first = naive_first(rule, dice)
    assert duel(rule, dice).thrown == first
    if rule is not HighRule.TRIPLE_PAIR:
        assert first == FIRST[dice]
    _engine, judge, state = judged(2, rule=rule, dice=dice)
    assert (judge.chance(state, 0), judge.chance(state, 1)) == (float(first), float(1 - first))


@pytest.mark.parametrize("dice", [1, 2, 3, 4, 5])
def test_high_and_low_are_mirrors_and_to_mark_first_is_never_better(dice: int) -> None:
    high, low = duel(HighRule.SUM_HIGH, dice), duel(HighRule.SUM_LOW, dice)
    assert high.thrown == low.thrown
    assert 0.499 < high.thrown <= 0.5


@pytest.mark.parametrize(("rule", "dice"), KINDS)
def test_every_first_mark_of_any_dice_is_worth_what_the_best_reply_leaves(rule: HighRule, dice: int) -> None:
    faces = list(combinations_with_replacement(range(1, 7), dice))
    chosen = random.Random(dice).sample(list(product(faces, faces)), 36)
    for one, two in chosen:
        _engine, judge, state = judged(2, rule=rule, dice=dice)
        decisions = judge.decisions(at(state, [one, two]))
        naive = [(naive_answered(rule, keep, two), keep) for keep in naive_keeps(one)]
        naive.sort(key=lambda pair: -pair[0])
        assert [value.decision.keep for value in decisions] == [keep for _won, keep in naive]
        assert [value.value for value in decisions] == [float(won) for won, _keep in naive]
        assert judge.chance(state, 0) == decisions[0].value


@pytest.mark.parametrize(("rule", "dice"), KINDS)
def test_the_reply_is_the_best_there_is_against_the_mark_that_is_seen(rule: HighRule, dice: int) -> None:
    source = random.Random(dice)
    for _case in range(40):
        one, two = (tuple(source.choices(range(1, 7), k=dice)) for _seat in range(2))
        seen = source.choice(naive_keeps(one))
        engine, judge, state = judged(2, rule=rule, dice=dice, find=source.choice(list(Find)))
        decisions = judge.decisions(at(state, [one, two], [seen, None]))
        naive = [(naive_wins(rule, dice, keep, seen), keep) for keep in naive_keeps(two)]
        naive.sort(key=lambda pair: -pair[0])
        assert [(value.value, value.decision.keep) for value in decisions] == [
            (float(won), keep) for won, keep in naive
        ]
        assert decisions[0].decision.keep == best_mark(engine, state, 1)
        assert judge.chance(state, 0) == float(1 - naive[0][0])


def test_a_die_against_a_die_by_hand() -> None:
    _engine, judge, state = judged(2, dice=1)
    # a 3 that stands meets a new die in the 2's place: it wins against 1 and 2, and half of the 3s; new dice are even
    decisions = judge.decisions(at(state, [(3,), (2,)]))
    assert [(value.decision.keep, value.value) for value in decisions] == [((), 0.5), ((3,), 5 / 12)]
    decisions = judge.decisions(at(state, [(4,), (2,)]))
    assert [(value.decision.keep, value.value) for value in decisions] == [((4,), 7 / 12), ((), 0.5)]
    # against a 5 that may stand, too, a new die wins with 6 and half of the 5s
    decisions = judge.decisions(at(state, [(4,), (5,)]))
    assert [(value.decision.keep, value.value) for value in decisions] == [((), 0.25), ((4,), 0.0)]


def test_of_equal_marks_the_one_with_fewer_rerolled_dice_comes_first_then_the_first_by_faces() -> None:
    _engine, judge, state = judged(2, rule="triple-pair", find="loser")
    decisions = judge.decisions(at(state, [(6, 1, 6), (6, 1, 1)], [None, (1, 1, 6)]))
    assert [(value.decision.keep, value.value) for value in decisions[:2]] == [((1, 6, 6), 1.0), ((6, 6), 1.0)]
    decisions = judge.decisions(at(state, [(4, 2, 3), (1, 1, 2)], [None, (1, 1, 2)]))
    assert [value.decision.keep for value in decisions[:3]] == [(2,), (3,), (4,)]
    assert {value.value for value in decisions[:3]} == {31 / 72}


def test_marks_of_seats_with_the_same_dice_are_answered_alike_whoever_sits_where() -> None:
    engine, judge, state = judged(2, dice=2, to=2)
    one, two = (6, 2), (5, 3)
    here = judge.decisions(at(state, [one, two]))
    state, _events = engine.start(2)
    state.round, state.wins = 2, (0, 0)  # the second seat begins
    there = judge.decisions(at(state, [two, one]))
    assert [value.decision for value in here] == [value.decision for value in there]


@pytest.mark.parametrize(("one", "two"), [(None, (2, 5)), ((6,), None), (None, None), ((), ())])
def test_marks_in_any_order_count(one: Dice | None, two: Dice | None) -> None:
    """People may change marks: the first may be to mark while the other's stands."""
    rule = HighRule.SUM_HIGH
    _engine, judge, state = judged(2, dice=2)
    got = judge.chance(at(state, [(2, 6), (2, 5)], [one, two]), 0)
    firsts = naive_keeps((2, 6)) if one is None else [one]
    seconds = naive_keeps((2, 5)) if two is None else [two]
    assert got == float(max(min(naive_wins(rule, 2, keep, reply) for reply in seconds) for keep in firsts))


# The match


def test_a_match_of_two_is_worked_out_from_its_end() -> None:
    first = FIRST[2]
    engine, judge, state = judged(2, dice=2, to=2)
    decider = first  # the third round is begun by the seat that began
    second = 1 - first  # of seat 0, in the round that the other begins
    start = first * (second + (1 - second) * decider) + (1 - first) * second * decider
    assert judge.chance(state, 0) == float(start)
    state.round, state.wins = 2, (1, 0)
    assert judge.chance(state, 0) == float(second + (1 - second) * decider)
    assert judge.chance(state, 0) + judge.chance(state, 1) == pytest.approx(1, abs=1e-15)
    assert not judge.approximate
    assert engine.throws(state)


@pytest.mark.parametrize("to", [1, 2, 3])
@pytest.mark.parametrize("reroll", [True, False])
def test_to_seek_the_loser_of_two_is_to_seek_the_winner(to: int, reroll: bool) -> None:
    worth = []
    for find in Find:
        _engine, judge, state = judged(2, to=to, find=find, reroll=reroll)
        worth.append(judge.chance(state, 0))
    assert worth[0] == worth[1]
    assert reroll or worth[0] == 0.5


def test_a_replay_is_even_and_the_end_is_what_it_is() -> None:
    engine, judge, state = judged(2, dice=1, reroll=False)
    tied, _events = engine.thrown(state, [(4,), (4,)])
    assert [judge.chance(tied, seat) for seat in (0, 1)] == [0.5, 0.5]
    over, _events = engine.thrown(tied, [(4,), (5,)])
    assert [judge.chance(over, seat) for seat in (0, 1)] == [0, 1]
    assert judge.luck(tied, over) == (-0.5, 0.5)
    assert judge.decisions(over) == judge.decisions(tied) == []


@pytest.mark.parametrize(
    ("find", "scores", "shares"),
    [
        ("winner", (0, 0, 0), ["1/3", "1/3", "1/3"]),
        ("winner", (1, 0, 0), ["17/27", "5/27", "5/27"]),
        ("winner", (1, 1, 0), ["4/9", "4/9", "1/9"]),
        ("loser", (1, 0, 0), ["5/27", "11/27", "11/27"]),
        ("loser", (1, 1, 0), ["5/18", "5/18", "4/9"]),
    ],
)
def test_a_party_has_rounds_that_fall_to_all_alike(find: str, scores: tuple[int, ...], shares: list[str]) -> None:
    _engine, judge, state = judged(3, find=find)
    if find == "loser":
        state.losses = scores
    else:
        state.wins = scores
    assert [judge.chance(state, seat) for seat in range(3)] == [float(Fraction(share)) for share in shares]
    assert judge.approximate
    assert not judged(3, find=find, reroll=False)[1].approximate


@pytest.mark.parametrize("find", list(Find))
def test_a_party_marks_against_what_is_seen_and_dice_that_stand_pat(find: Find) -> None:
    engine, judge, state = judged(4, find=find)
    lie: list[Dice] = [(6, 5, 1), (4, 4, 1), (6, 3, 3), (2, 2, 2)]
    state.wins = state.losses = (1, 0, 0, 1)
    at(state, lie, [(5, 6), None, None, None])
    decisions = judge.decisions(state)
    assert decisions[0].decision.keep == best_mark(engine, state, 1)
    rounds = [chance(engine, state, 1, value.decision.keep) for value in decisions]
    assert rounds == sorted(rounds, reverse=True)
    gain = {
        round(float((a.value - b.value) / (p - q)), 9)
        for a, b, p, q in zip(decisions, decisions[1:], rounds, rounds[1:], strict=False)
        if p > q
    }
    assert len(gain) == 1  # what the round is worth
    assert gain.pop() > 0


def test_two_that_are_left_of_a_party_are_judged_exactly() -> None:
    engine, judge, state = judged(3, dice=2, to=1)
    state, _events = engine.forfeit(state, 1)
    assert [judge.chance(state, seat) for seat in range(3)] == [float(FIRST[2]), 0, float(1 - FIRST[2])]
    state.round = 2  # the seat that would begin is out: the next one does
    assert [judge.chance(state, seat) for seat in range(3)] == [float(1 - FIRST[2]), 0, float(FIRST[2])]
    one, two = (2, 6), (1, 4)
    values = judge.decisions(at(state, [one, (), two]))
    assert values[0].value == float(max(naive_answered(HighRule.SUM_HIGH, keep, one) for keep in naive_keeps(two)))


def test_two_that_count_losses_are_judged_too() -> None:
    """A state that only someone who writes it down can make: three began, two are left, and the loser is sought."""
    engine, judge, _state = judged(3, dice=1, find="loser")
    state = engine.restore({"dice": [[4], [2], []], "losses": [0, 1, 0], "to": 2})
    shares = [judge.chance(state, seat) for seat in range(3)]
    assert shares == pytest.approx([7 / 12 + 5 / 12 / 2, 5 / 24, 0], abs=1e-15)
    assert judge.decisions(state)[0].value == shares[0]


def test_the_longest_match_is_judged_at_once() -> None:
    engine, judge, state = judged(8, dice=1, to=1000)
    assert judge.approximate
    assert [judge.chance(state, seat) for seat in range(8)] == [0.125] * 8
    state.wins = (999, *[0] * 7)
    assert judge.chance(state, 0) > 0.8
    at(state, [(3,)] * 8)
    assert judge.decisions(state)[0].decision.keep == best_mark(engine, state, 0)


# Luck


def total_luck(engine: HighDice, judge: HighDiceJudge, state: HighDiceState) -> list[float]:
    """Return the average luck of each seat over all ways in which the throw of this state can fall."""
    thrown = [list(rolls(throw.dice)) for throw in engine.throws(state)]
    total = [0.0] * len(state.out)
    for fallen in product(*thrown):
        after, _events = engine.thrown(state, [dice for dice, _ways in fallen])
        for seat, luck in enumerate(judge.luck(state, after)):
            total[seat] += luck * prod(ways for _dice, ways in fallen)
    ways = prod(sum(ways for _dice, ways in each) for each in thrown)
    return [luck / ways for luck in total]


def nothing(luck: list[float]) -> bool:
    return all(abs(part) < 1e-12 for part in luck)


@pytest.mark.parametrize("find", list(Find))
@pytest.mark.parametrize("reroll", [True, False])
@pytest.mark.parametrize(
    ("seats", "dice", "to", "scores"),
    [
        (2, 1, 1, (0, 0)),
        (2, 2, 3, (2, 1)),
        (2, 1, 2, (0, 1)),
        (3, 1, 2, (1, 0, 0)),
        (3, 1, 1, (0, 0, 0)),
        (4, 1, 90, (7, 89, 0, 3)),
    ],
)
def test_first_throws_are_no_luck_on_average(
    find: Find, reroll: bool, seats: int, dice: int, to: int, scores: tuple[int, ...]
) -> None:
    engine, judge, state = judged(seats, dice=dice, find=find, reroll=reroll, to=to)
    state.wins = state.losses = scores
    for state.round in range(1, seats + 1):
        assert nothing(total_luck(engine, judge, state))


@pytest.mark.parametrize("rule", list(HighRule))
def test_first_throws_of_three_dice_are_no_luck_on_average(rule: HighRule) -> None:
    engine, judge, state = judged(2, rule=rule, to=2)
    assert nothing(total_luck(engine, judge, state))


@pytest.mark.parametrize("find", list(Find))
def test_first_throws_of_two_dice_in_three_seats_are_no_luck_on_average(find: Find) -> None:
    engine, judge, state = judged(3, dice=2, find=find)
    assert nothing(total_luck(engine, judge, state))


@st.composite
def tables(draw: st.DrawFn) -> tuple[HighDice, HighDiceJudge, HighDiceState]:
    """Draw a match in which all have marked, some may be out, and no more than three dice are thrown."""
    rule = draw(st.sampled_from(HighRule))
    dice = 3 if rule is HighRule.TRIPLE_PAIR else draw(st.integers(1, 3))
    seats, find = draw(st.integers(2, 4)), draw(st.sampled_from(Find))
    to = draw(st.integers(1, 3)) if seats == 2 else draw(st.sampled_from((1, 2, 3, 50)))
    engine, judge, state = judged(seats, rule=rule, dice=dice, find=find, to=to)
    state.wins = state.losses = tuple(draw(st.integers(0, to - 1)) for _seat in range(seats))
    state.round = draw(st.integers(1, 2 * seats))
    gone = draw(st.integers(0, seats - 2)) if find is Find.WINNER else 0
    state, _events = engine.thrown(state, [draw(st.tuples(*[st.integers(1, 6)] * dice)) for _seat in range(seats)])
    room = 3
    while state.phase is Phase.DECIDE:
        keeps = [decision for decision in engine.decisions(state) if dice - len(decision.keep) <= room]
        mark = draw(st.sampled_from(keeps))
        room -= dice - len(mark.keep)
        state, _events = engine.decide(state, mark)
    for seat in draw(st.permutations(range(seats)))[:gone]:
        state, _events = engine.forfeit(state, seat)
    return engine, judge, state


@given(table=tables())
@settings(max_examples=60, deadline=None)
def test_a_reveal_is_no_luck_on_average(table: tuple[HighDice, HighDiceJudge, HighDiceState]) -> None:
    engine, judge, state = table
    assert nothing(total_luck(engine, judge, state))
    shares = [judge.chance(state, seat) for seat in range(len(state.out))]
    assert sum(shares) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("find", list(Find))
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_replay_is_no_luck_on_average(seats: int, find: Find) -> None:
    engine, judge, state = judged(seats, dice=1, find=find, reroll=False, to=2)
    state, _events = engine.thrown(state, [(3,)] * seats)
    assert len(state.replaying) == seats
    assert nothing(total_luck(engine, judge, state))
    if seats > 2:
        sought = 6 if find is Find.WINNER else 1
        state, _events = engine.thrown(state, [(3,), *[(sought,)] * (seats - 1)])
        assert state.replaying == tuple(range(1, seats))
        assert nothing(total_luck(engine, judge, state))


def test_a_replay_after_a_forfeit_is_no_luck_on_average() -> None:
    engine, judge, state = judged(4, dice=1, reroll=False)
    state, _events = engine.thrown(state, [(3,)] * 4)
    for seat in (2, 0):
        state, _events = engine.forfeit(state, seat)
        assert judge.chance(state, seat) == 0
        assert nothing(total_luck(engine, judge, state))


def test_a_first_throw_after_forfeits_is_no_luck_on_average() -> None:
    engine, judge, state = judged(4, dice=1)
    for seat in (2, 0):
        state, _events = engine.forfeit(state, seat)
        assert nothing(total_luck(engine, judge, state))
        after, _events = engine.thrown(state, [(seat + 1,)] * (4 - sum(state.out)))
        assert sum(judge.luck(state, after)) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("rule", list(HighRule))
@pytest.mark.parametrize("find", list(Find))
@pytest.mark.parametrize("to", [1, 2, 3])
def test_a_result_is_the_start_and_all_luck_less_all_errors(rule: HighRule, find: Find, to: int) -> None:
    """Whole matches of two, marks at random and best ones: nothing is left over."""
    source = random.Random(f"{rule} {find} {to}")
    for game in range(12):
        dice = 3 if rule is HighRule.TRIPLE_PAIR else 1 + game % 5
        engine, judge, state = judged(2, rule=rule, dice=dice, find=find, to=to)
        worth = [judge.chance(state, seat) for seat in (0, 1)]
        while state.phase is not Phase.OVER:
            if state.phase is Phase.THROW:
                fell = [tuple(source.choices(range(1, 7), k=throw.dice)) for throw in engine.throws(state)]
                after, _events = engine.thrown(state, fell)
                worth = [part + luck for part, luck in zip(worth, judge.luck(state, after), strict=True)]
            else:
                decisions = judge.decisions(state)
                made = decisions[0] if source.random() < 0.5 else source.choice(decisions)
                worth[state.seat] -= decisions[0].value - made.value
                worth[1 - state.seat] += decisions[0].value - made.value
                after, _events = engine.decide(state, made.decision)
                assert judge.chance(after, state.seat) == pytest.approx(made.value, abs=1e-12)
            state = after
        assert state.outcome is not None
        result = [float(seat in state.outcome.winners) for seat in (0, 1)]
        assert worth == pytest.approx(result, abs=1e-9)


@pytest.mark.parametrize("find", list(Find))
def test_every_legal_mark_is_valued_once(find: Find) -> None:
    engine, judge, state = judged(5, dice=5, find=find)
    at(state, [(1, 2, 3, 4, 6)] * 5, [(6,), (4, 6), None, None, None])
    decisions = judge.decisions(state)
    assert sorted(value.decision.keep for value in decisions) == sorted(d.keep for d in engine.decisions(state))
    assert all(0 <= value.value <= 1 for value in decisions)


def test_luck_is_asked_of_throws_only() -> None:
    engine, judge, state = judged(2)
    after, _events = engine.thrown(state, [(1, 2, 3), (4, 5, 6)])
    marked, _events = engine.decide(after, Decision((3,)))
    with pytest.raises(AssertionError):
        judge.luck(after, marked)
