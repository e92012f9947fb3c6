"""High dice against its oracles, its examples, every phase of a forfeit, and properties over random matches."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicegame.dice import parse_script
from dicegame.errors import IllegalDecision, InputError, Refusal
from dicegame.games.base import Decision, Engine, Outcome, Phase, Reason, Throw
from dicegame.games.events import Dice, Event, Marked, Replayed, Revealed, Rolled, RoundEnds, WentOut
from dicegame.games.highdice import HighDice, HighDiceState, keeps_of, placed, rank
from dicegame.games.pushluck import PushLuck
from dicegame.rules.load import load
from dicegame.rules.model import Find, HighDiceRules, HighRule, PushLuckRules

NOBODY: frozenset[int] = frozenset()


def highdice(**fields: Any) -> HighDice:
    return HighDice(HighDiceRules(name="test", **fields))


class Table:
    """A match as a transcript: every step checks what it waits for, keeps the events, and that no state was changed."""

    def __init__(self, seats: int, **fields: Any) -> None:
        self.engine = highdice(**fields)
        self.state, self.events = self.engine.start(seats)

    def _step(self, step: tuple[HighDiceState, list[Event]]) -> list[Event]:
        self.state, self.events = step
        return self.events

    def throw(self, script: str) -> list[Event]:
        assert self.phase() is Phase.THROW
        return self._step(self.engine.thrown(self.state, parse_script(script) if script else []))

    def mark(self, seat: int, *keep: int) -> list[Event]:
        assert self.phase() is Phase.DECIDE
        assert self.state.seat == seat
        return self._step(self.engine.decide(self.state, Decision(keep)))

    def pat(self, *seats: int) -> None:
        for seat in seats:
            self.mark(seat, *self.state.dice[seat])

    def change(self, seat: int, *keep: int, again: frozenset[int] = NOBODY) -> list[Event]:
        return self._step(self.engine.change(self.state, seat, keep, again))

    def forfeit(self, seat: int) -> list[Event]:
        return self._step(self.engine.forfeit(self.state, seat))

    def phase(self) -> Phase:
        return self.state.phase

    def revealing(self) -> bool:
        return self.state.revealing

    def keeps(self) -> tuple[Dice | None, ...]:
        return self.state.keeps

    @property
    def wanted(self) -> list[tuple[int, int, int, int]]:
        return [(t.seat, t.turn, t.roll, t.dice) for t in self.engine.throws(self.state)]


# Oracles


@pytest.mark.parametrize(
    ("dice", "odds"), list(enumerate(["1/6", "73/648", "361/3888", "7553/93312", "7631/104976"], 1))
)
@pytest.mark.parametrize("rule", [HighRule.SUM_HIGH, HighRule.SUM_LOW])
def test_two_sums_tie_with_the_published_odds(rule: HighRule, dice: int, odds: str) -> None:
    ranks = Counter(rank(rule, faces) for faces in product(range(1, 7), repeat=dice))
    assert Fraction(sum(n * n for n in ranks.values()), 36**dice) == Fraction(odds)


UNIQUE_BEST = {
    1: [0.763889, 0.694444, 0.629501, 0.569059],
    2: [0.838156, 0.806268, 0.782417, 0.762759],
    3: [0.865606, 0.838895, 0.819257, 0.803774],
}


@pytest.mark.parametrize(("dice", "seats"), list(product(UNIQUE_BEST, range(3, 7))))
def test_the_best_sum_is_unique_with_the_odds_of_the_table(dice: int, seats: int) -> None:
    ranks = Counter(rank(HighRule.SUM_HIGH, faces) for faces in product(range(1, 7), repeat=dice))
    below = {value: sum(n for v, n in ranks.items() if v < value) for value in ranks}
    unique = sum(seats * n * below[value] ** (seats - 1) for value, n in ranks.items())
    assert unique / 6 ** (dice * seats) == pytest.approx(UNIQUE_BEST[dice][seats - 3], abs=5e-7)


@pytest.mark.parametrize("find", list(Find))
@pytest.mark.parametrize(
    ("seats", "dice", "odds"),
    [(2, 1, 5 / 6), (2, 2, 1 - 73 / 648), (3, 1, 0.763889), (4, 1, 0.694444), (5, 1, 0.629501)],
)
def test_the_engine_replays_exactly_the_ties_of_all_throws_there_are(
    find: Find, seats: int, dice: int, odds: float
) -> None:
    engine = highdice(dice=dice, reroll=False, find=find, to=1)
    state, _events = engine.start(seats)
    each = list(product(range(1, 7), repeat=dice))
    decided = sum(not engine.thrown(state, list(throws))[0].replaying for throws in product(each, repeat=seats))
    assert decided / 6 ** (dice * seats) == pytest.approx(odds, abs=5e-7)


def test_three_dice_hold_6_triples_90_pairs_and_120_others_in_order() -> None:
    kinds: dict[int, list[int]] = {1: [], 2: [], 3: []}
    for faces in product(range(1, 7), repeat=3):
        kinds[len(set(faces))].append(rank(HighRule.TRIPLE_PAIR, faces))
    assert [len(kinds[n]) for n in (1, 2, 3)] == [6, 90, 120]
    assert max(kinds[3]) < min(kinds[2])
    assert max(kinds[2]) < min(kinds[1])


@pytest.mark.parametrize(
    ("rule", "better", "worse"),
    [
        ("triple-pair", "2 2 6", "3 5 6"),
        ("triple-pair", "1 1 1", "6 6 5"),
        ("triple-pair", "1 1 2", "4 5 6"),
        ("triple-pair", "2 2 2", "1 1 1"),
        ("triple-pair", "2 2 1", "6 1 1"),
        ("triple-pair", "4 5 6", "6 5 3"),
        ("sum-high", "6 1 1", "5 1 1"),
        ("sum-low", "5 1 1", "6 1 1"),
    ],
)
def test_better_dice_rank_higher(rule: str, better: str, worse: str) -> None:
    (a,), (b,) = parse_script(better), parse_script(worse)
    assert rank(HighRule(rule), a) > rank(HighRule(rule), b)


@pytest.mark.parametrize(
    ("rule", "one", "other"), [("triple-pair", "6 6 2", "5 6 6"), ("triple-pair", "1 5 6", "3 4 5")]
)
def test_equal_dice_rank_equal(rule: str, one: str, other: str) -> None:
    (a,), (b,) = parse_script(one), parse_script(other)
    assert rank(HighRule(rule), a) == rank(HighRule(rule), b)


# A round


def test_a_round_as_a_transcript() -> None:
    table = Table(2, to=2)
    assert table.events == []
    assert table.wanted == [(0, 0, 0, 3), (1, 0, 0, 3)]
    assert not table.revealing()
    assert table.throw("6 2 1 / 5 5 3") == [Rolled(0, (6, 2, 1)), Rolled(1, (5, 5, 3))]
    assert table.wanted == []
    assert table.mark(0, 6) == [Marked(0, (6,))]
    assert table.mark(1, 5, 5) == [Marked(1, (5, 5))]
    assert table.revealing()
    assert table.wanted == [(0, 0, 1, 2), (1, 0, 1, 1)]
    assert table.throw("4 4 / 1") == [Revealed(((6, 4, 4), (5, 5, 1))), RoundEnds(0, None, (1, 0), (0, 0))]
    assert table.wanted == [(0, 1, 0, 3), (1, 1, 0, 3)]
    assert table.state.order == (1, 0)


def test_describe_tells_the_fields_of_the_message_in_order() -> None:
    table = Table(2, to=2, reroll=True)
    for _round in range(2):
        table.throw("6 6 6 / 1 1 1" if table.state.round == 1 else "1 1 1 / 6 6 6")
        table.pat(*table.state.order)
        table.throw("")
    table.throw("6 2 1 / 5 5 3")
    table.mark(0, 6)
    told = table.engine.describe(table.state)
    assert list(told.items()) == [
        ("round", 3),
        ("rule", "sum-high"),
        ("find", "winner"),
        ("wins", [1, 1]),
        ("losses", [0, 0]),
        ("out", [False, False]),
        ("to", 2),
        ("dice", [[6, 2, 1], [5, 5, 3]]),
        ("keeps", [[6], None]),
        ("order", [0, 1]),
    ]
    assert type(told["rule"]) is type(told["find"]) is str


def test_a_seat_that_is_out_is_described_without_dice_and_mark() -> None:
    table = Table(3)
    table.throw("6 6 6 / 1 1 1 / 2 2 2")
    table.mark(0, 6)
    table.forfeit(0)
    told = table.engine.describe(table.state)
    assert told["dice"] == [[], [1, 1, 1], [2, 2, 2]]
    assert told["keeps"] == [None, None, None]
    assert told["order"] == [1, 2]
    assert told["out"] == [True, False, False]


def test_a_reveal_without_rerolls_goes_on_without_a_throw() -> None:
    table = Table(2)
    table.throw("6 2 1 / 5 5 3")
    table.pat(0, 1)
    assert table.phase() is Phase.THROW
    assert table.revealing()
    assert table.wanted == []
    assert table.throw("") == [Revealed(((6, 2, 1), (5, 5, 3))), RoundEnds(1, None, (0, 1), (0, 0))]
    assert table.state.outcome == Outcome((0, 1), (1,), Reason.ROUNDS)
    assert table.phase() is Phase.OVER
    assert table.wanted == []
    assert table.engine.decisions(table.state) == []


def test_with_reroll_off_the_first_roll_counts_and_is_revealed() -> None:
    table = Table(2, reroll=False, to=2)
    assert table.throw("6 6 6 / 5 5 3") == [
        Rolled(0, (6, 6, 6)),
        Rolled(1, (5, 5, 3)),
        Revealed(((6, 6, 6), (5, 5, 3))),
        RoundEnds(0, None, (1, 0), (0, 0)),
    ]
    assert table.phase() is Phase.THROW
    assert not table.revealing()


@pytest.mark.parametrize(
    ("dice", "keep", "rerolled", "lie"),
    [
        ((6, 2, 6, 1), (6,), (3, 4, 5), (6, 3, 4, 5)),
        ((2, 6, 6, 1), (1, 6), (3, 4), (3, 6, 4, 1)),
        ((2, 2, 2), (2, 2), (5,), (2, 2, 5)),
        ((1, 2, 3), (), (4, 5, 6), (4, 5, 6)),
        ((3, 1, 2), (1, 2, 3), (), (3, 1, 2)),
    ],
)
def test_rerolled_dice_fall_where_they_lay_and_the_leftmost_of_equal_faces_stay(
    dice: Dice, keep: Dice, rerolled: Dice, lie: Dice
) -> None:
    assert placed(dice, keep, rerolled) == lie
    table = Table(2, dice=len(dice))
    table.throw(f"{''.join(map(str, dice))} / {'1' * len(dice)}")
    table.mark(0, *keep)
    table.pat(1)
    revealed = table.throw("".join(map(str, rerolled)))[0]
    assert revealed == Revealed((lie, (1,) * len(dice)))


def test_who_decides_first_moves_on_by_one_each_round() -> None:
    table = Table(3, to=5)
    orders = []
    for _round in range(4):
        table.throw("6 6 6 / 1 1 1 / 2 2 2")
        orders.append(table.state.order)
        assert table.wanted == []
        table.pat(*table.state.order)
        table.throw("")
    assert orders == [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 1, 2)]


def test_the_order_leaves_out_who_is_out() -> None:
    table = Table(3, to=5)
    table.forfeit(1)
    assert table.state.order == (0, 2)
    table.throw("6 6 6 / 1 1 1")
    table.pat(0, 2)
    table.throw("")
    assert table.state.round == 2
    assert table.state.order == (2, 0)  # it would be for seat 1 to begin
    assert table.state.seat == 2


def test_a_mark_may_name_its_faces_in_any_order_and_a_bank_is_ignored() -> None:
    table = Table(2)
    table.throw("6 2 1 / 5 5 3")
    state, events = table.engine.decide(table.state, Decision((2, 1, 6), bank=True))
    assert events == [Marked(0, (1, 2, 6))]
    assert state.keeps == ((1, 2, 6), None)


@pytest.mark.parametrize(
    ("keep", "reason"),
    [((5,), Refusal.NOT_THERE), ((6, 6), Refusal.NOT_THERE), ((0,), Refusal.NOT_A_FACE), ((7,), Refusal.NOT_A_FACE)],
)
def test_a_mark_of_other_dice_is_refused_with_its_reason(keep: Dice, reason: Refusal) -> None:
    table = Table(2)
    table.throw("6 2 1 / 5 5 3")
    for refused in (table.engine.check, table.engine.decide):
        with pytest.raises(IllegalDecision) as caught:
            refused(table.state, Decision(keep))
        assert caught.value.reason is reason


def test_decisions_go_from_fewer_rerolled_dice_to_more_then_by_faces() -> None:
    table = Table(2)
    table.throw("5 3 5 / 1 1 1")
    keeps = [decision.keep for decision in table.engine.decisions(table.state)]
    assert keeps == [(3, 5, 5), (3, 5), (5, 5), (3,), (5,), ()]


# Changing marks


def test_a_changed_mark_is_a_mark_again_and_the_others_stand() -> None:
    table = Table(3)
    table.throw("6 2 1 / 5 5 3 / 4 4 4")
    table.mark(0, 6)
    assert table.change(0, 2, 6) == [Marked(0, (2, 6))]
    assert table.state.seat == 1
    table.mark(1, 5, 5)
    table.mark(2)
    assert table.change(1) == [Marked(1, ())]
    assert table.keeps() == ((2, 6), (), ())
    assert table.revealing()
    assert table.wanted == [(0, 0, 1, 1), (1, 0, 1, 3), (2, 0, 1, 3)]


def test_seats_that_marked_later_are_asked_again_and_no_others() -> None:
    table = Table(4)
    table.throw("6 2 1 / 5 5 3 / 4 4 4 / 3 3 3")
    table.pat(0, 1, 2, 3)
    assert table.change(1, 5, again=frozenset({0, 1, 2})) == [Marked(1, (5,))]
    assert table.keeps() == ((1, 2, 6), (5,), None, (3, 3, 3))
    assert table.phase() is Phase.DECIDE
    assert table.state.seat == 2
    table.mark(2, 4)
    assert table.revealing()


def test_later_is_by_the_order_of_the_round() -> None:
    table = Table(2, to=2)
    table.throw("6 6 6 / 1 1 1")
    table.pat(0, 1)
    table.throw("")
    table.throw("6 2 1 / 5 5 3")
    table.pat(1, 0)
    table.change(1, 5, again=frozenset({0}))
    assert table.keeps() == (None, (5,))
    table.mark(0)
    table.change(0, 6, again=frozenset({1}))
    assert table.keeps() == ((6,), (5,))


def test_a_refused_change_leaves_all_marks() -> None:
    table = Table(2)
    table.throw("6 2 1 / 5 5 3")
    table.pat(0, 1)
    before = copy.deepcopy(table.state)
    with pytest.raises(IllegalDecision):
        table.change(0, 5, again=frozenset({1}))
    assert table.state == before


def test_no_mark_can_be_changed_before_it_is_made_or_after_the_reveal() -> None:
    table = Table(2)
    table.throw("6 2 1 / 6 2 1")
    with pytest.raises(AssertionError):
        table.change(0, 6)
    table.pat(0, 1)
    table.throw("")
    assert table.state.replaying
    with pytest.raises(AssertionError):
        table.change(0, 6)


def test_steps_out_of_their_phase_are_our_own_mistakes() -> None:
    table = Table(2)
    for step in (table.engine.check, table.engine.decide):
        with pytest.raises(AssertionError):
            step(table.state, Decision(()))
    table.throw("6 2 1 / 6 2 1")
    with pytest.raises(AssertionError):
        table.engine.thrown(table.state, [])


# Replays


def test_equal_bests_replay_all_their_dice_until_one_remains() -> None:
    table = Table(4, to=1)
    table.throw("6 6 1 / 6 5 2 / 1 1 1 / 6 4 3")
    table.pat(0, 1, 2, 3)
    revealed = Revealed(((6, 6, 1), (6, 5, 2), (1, 1, 1), (6, 4, 3)))
    assert table.throw("") == [revealed, Replayed((0, 1, 3))]
    assert not table.revealing()
    assert table.wanted == [(0, 0, 2, 3), (1, 0, 2, 3), (3, 0, 2, 3)]
    assert table.throw("1 1 1 / 2 2 2 / 1 2 3") == [
        Rolled(0, (1, 1, 1)),
        Rolled(1, (2, 2, 2)),
        Rolled(3, (1, 2, 3)),
        Replayed((1, 3)),
    ]
    assert table.wanted == [(1, 0, 3, 3), (3, 0, 3, 3)]
    assert table.throw("1 1 2 / 1 1 1")[2:] == [RoundEnds(1, None, (0, 1, 0, 0), (0,) * 4)]
    assert table.state.outcome == Outcome((0, 1, 0, 0), (1,), Reason.ROUNDS)


def test_a_replay_belongs_to_its_round() -> None:
    table = Table(2, to=2)
    table.throw("1 1 1 / 1 1 1")
    table.pat(0, 1)
    table.throw("")
    assert table.state.round == 1
    table.throw("1 1 1 / 1 1 1")
    assert table.wanted == [(0, 0, 3, 3), (1, 0, 3, 3)]
    table.throw("1 1 1 / 1 1 2")
    assert table.state.round == 2
    assert table.wanted == [(0, 1, 0, 3), (1, 1, 0, 3)]
    table.throw("1 1 1 / 1 1 1")
    table.pat(1, 0)
    table.throw("")
    assert table.wanted == [(0, 1, 2, 3), (1, 1, 2, 3)]


def test_with_reroll_off_ties_replay_as_well() -> None:
    table = Table(2, reroll=False, dice=1)
    assert table.throw("4 / 4")[2:] == [Revealed(((4,), (4,))), Replayed((0, 1))]
    assert table.wanted == [(0, 0, 2, 1), (1, 0, 2, 1)]
    assert table.throw("4 / 5")[2:] == [RoundEnds(1, None, (0, 1), (0, 0))]


def test_sum_low_finds_the_12_a_loser_at_once() -> None:
    table = Table(3, dice=2, rule="sum-low", find="loser", to=1)
    table.throw("3 4 / 6 1 / 6 6")
    table.pat(0, 1, 2)
    assert table.throw("")[1:] == [RoundEnds(None, 2, (0, 0, 0), (0, 0, 1))]
    assert table.state.outcome == Outcome((0, 0, 1), (0, 1), Reason.ROUNDS)


def test_sum_high_lets_the_7s_replay_for_the_loser() -> None:
    table = Table(3, dice=2, find="loser", to=1)
    table.throw("3 4 / 6 1 / 6 6")
    table.pat(0, 1, 2)
    assert table.throw("")[1:] == [Replayed((0, 1))]
    # the 12 stands whatever the replay brings
    assert table.throw("6 6 / 6 5")[2:] == [RoundEnds(None, 1, (0, 0, 0), (0, 1, 0))]


# Matches


def test_three_seats_with_one_loss_each_play_on() -> None:
    table = Table(3, dice=1, reroll=False, find="loser")
    assert table.state.to == 2
    table.throw("1 / 5 / 6")
    table.throw("5 / 1 / 6")
    table.throw("6 / 5 / 1")
    assert table.state.losses == (1, 1, 1)
    assert table.phase() is Phase.THROW
    table.throw("6 / 1 / 5")
    assert table.state.outcome == Outcome((1, 2, 1), (0, 2), Reason.ROUNDS)


def test_two_seats_always_count_wins() -> None:
    table = Table(2, dice=1, reroll=False, find="loser", to=2)
    assert table.throw("1 / 5")[-1] == RoundEnds(None, 0, (0, 1), (0, 0))
    assert table.throw("4 / 4")[-1] == Replayed((0, 1))
    assert table.throw("4 / 5")[-1] == RoundEnds(None, 0, (0, 2), (0, 0))
    assert table.state.outcome == Outcome((0, 2), (1,), Reason.ROUNDS)


def test_two_seats_play_one_round_by_default_and_more_seats_to_two() -> None:
    assert [Table(seats).state.to for seats in (2, 3, 8)] == [1, 2, 2]
    table = Table(3, dice=1, reroll=False)
    table.throw("6 / 1 / 1")
    assert table.state.outcome is None
    table.throw("6 / 1 / 1")
    assert table.state.outcome == Outcome((2, 0, 0), (0,), Reason.ROUNDS)


@pytest.mark.parametrize("seats", [0, 1, 9])
def test_a_table_of_another_size_is_refused(seats: int) -> None:
    with pytest.raises(InputError, match=f"2 to 8 players, not for {seats}"):
        highdice().start(seats)


def test_two_seats_play_to_three_at_most() -> None:
    assert highdice(to=3).start(2)[0].to == 3
    assert highdice(to=4).start(3)[0].to == 4
    with pytest.raises(InputError, match="1, 2 or 3 wins, not to 4"):
        highdice(to=4).start(2)


# Forfeits


@pytest.mark.parametrize("steps", range(7))
@pytest.mark.parametrize("quitter", [0, 1])
@pytest.mark.parametrize("find", list(Find))
def test_the_last_of_two_wins_at_once_in_every_phase(find: Find, quitter: int, steps: int) -> None:
    table = Table(2, dice=1, to=3, find=find)
    walk: list[Callable[[], object]] = [
        lambda: table.throw("6 / 1"),
        lambda: table.mark(0, 6),
        lambda: table.mark(1),
        lambda: table.throw("6"),
        lambda: table.throw("3 / 3"),
        lambda: table.throw("6 / 1"),
    ]
    for step in walk[:steps]:
        step()
    wins = table.state.wins
    assert table.forfeit(quitter) == [WentOut(quitter)]
    assert table.state.outcome == Outcome(wins, (1 - quitter,), Reason.FORFEIT)
    assert table.wanted == []


def test_where_a_loser_is_sought_who_forfeits_is_the_match_loser() -> None:
    table = Table(4, dice=1, reroll=False, find="loser", to=3)
    table.throw("1 / 5 / 6 / 4")
    assert table.forfeit(2) == [WentOut(2)]
    assert table.state.outcome == Outcome((1, 0, 0, 0), (0, 1, 3), Reason.FORFEIT)
    assert table.phase() is Phase.OVER


def test_where_a_winner_is_sought_the_others_play_on_to_the_same_number_of_wins() -> None:
    table = Table(3, dice=1)
    assert table.forfeit(1) == [WentOut(1)]
    assert table.state.outcome is None
    assert table.state.to == 2
    assert table.wanted == [(0, 0, 0, 1), (2, 0, 0, 1)]
    table.throw("6 / 5")
    table.pat(0, 2)
    assert table.throw("")[0] == Revealed(((6,), (), (5,)))
    assert table.state.wins == (1, 0, 0)
    table.forfeit(0)
    assert table.state.outcome == Outcome((1, 0, 0), (2,), Reason.FORFEIT)


def test_a_forfeit_in_the_middle_of_marking_asks_the_next_seat() -> None:
    table = Table(3)
    table.throw("6 6 6 / 5 5 5 / 4 4 4")
    table.mark(0, 6)
    table.forfeit(1)
    assert table.phase() is Phase.DECIDE
    assert table.state.seat == 2
    table.mark(2, 4)
    assert table.wanted == [(0, 0, 1, 2), (2, 0, 1, 2)]


def test_a_forfeit_of_the_last_seat_to_mark_leads_to_the_reveal() -> None:
    table = Table(3)
    table.throw("6 6 6 / 5 5 5 / 4 4 4")
    table.mark(0, 6)
    table.pat(1)
    table.forfeit(2)
    assert table.revealing()
    assert table.wanted == [(0, 0, 1, 2)]


def test_a_seat_that_forfeits_out_of_turn_takes_its_mark_and_dice_along() -> None:
    table = Table(3)
    table.throw("6 6 6 / 5 5 5 / 4 4 4")
    table.pat(0)
    table.forfeit(0)
    assert table.state.seat == 1
    table.pat(1, 2)
    assert table.throw("") == [Revealed(((), (5, 5, 5), (4, 4, 4))), RoundEnds(1, None, (0, 1, 0), (0, 0, 0))]


def test_a_forfeit_at_the_reveal_goes_on_with_the_others() -> None:
    table = Table(3)
    table.throw("6 6 6 / 5 5 5 / 4 4 4")
    table.mark(0)
    table.pat(1)
    table.mark(2)
    table.forfeit(0)
    assert table.wanted == [(2, 0, 1, 3)]
    table.throw("6 6 6")
    assert table.state.wins == (0, 0, 1)


def test_a_replay_goes_on_without_who_forfeits_and_falls_to_the_last_of_the_level_seats() -> None:
    table = Table(4, dice=1, reroll=False)
    table.throw("6 / 6 / 6 / 1")
    assert table.forfeit(1) == [WentOut(1)]
    assert table.wanted == [(0, 0, 2, 1), (2, 0, 2, 1)]
    assert table.forfeit(0) == [WentOut(0), RoundEnds(2, None, (0, 0, 1, 0), (0,) * 4)]
    assert table.state.round == 2
    assert table.wanted == [(2, 1, 0, 1), (3, 1, 0, 1)]


def test_a_replay_that_a_forfeit_decides_may_decide_the_match() -> None:
    table = Table(3, dice=1, reroll=False, to=1)
    table.throw("6 / 6 / 1")
    table.forfeit(0)
    assert table.state.outcome == Outcome((0, 1, 0), (1,), Reason.ROUNDS)


def test_a_forfeit_of_a_seat_that_does_not_replay_leaves_the_replay() -> None:
    table = Table(3, dice=1, reroll=False)
    table.throw("6 / 6 / 1")
    table.forfeit(2)
    assert table.wanted == [(0, 0, 2, 1), (1, 0, 2, 1)]


@pytest.mark.parametrize("find", list(Find))
@pytest.mark.parametrize("seats", [2, 3])
def test_where_nobody_is_left_nobody_wins(seats: int, find: Find) -> None:
    table = Table(seats, find=find)
    for seat in range(seats):
        table.forfeit(seat)
    assert table.state.outcome == Outcome((0,) * seats, (), Reason.FORFEIT)


# Properties

configurations = st.fixed_dictionaries(
    {
        "dice": st.integers(1, 5),
        "reroll": st.booleans(),
        "rule": st.sampled_from(HighRule),
        "find": st.sampled_from(Find),
        "to": st.none() | st.integers(1, 3),
    }
).map(lambda fields: {**fields, "dice": 3} if fields["rule"] is HighRule.TRIPLE_PAIR else fields)


def roll(rng: random.Random, throw: Throw) -> Dice:
    return tuple(rng.choices(range(1, 7), k=throw.dice))


def step(
    engine: HighDice, state: HighDiceState, rng: random.Random, trouble: float
) -> tuple[HighDiceState, list[Event]]:
    """Go one step on with random dice, a random legal mark, or trouble: somebody forfeits or changes a mark."""
    if rng.random() < trouble:
        marked = [seat for seat in state.order if state.keeps[seat] is not None]
        if marked and (state.revealing or state.phase is Phase.DECIDE) and rng.random() < 0.8:
            seat = rng.choice(marked)
            again = frozenset(rng.sample(range(len(state.out)), rng.randint(0, len(state.out))))
            return engine.change(state, seat, rng.choice(keeps_of(state.dice[seat])), again)
        return engine.forfeit(state, rng.choice(state.order))
    if state.phase is Phase.DECIDE:
        return engine.decide(state, rng.choice(engine.decisions(state)))
    return engine.thrown(state, [roll(rng, throw) for throw in engine.throws(state)])


@given(fields=configurations, seats=st.integers(2, 8), seed=st.integers(0, 2**32), trouble=st.sampled_from([0, 0.1]))
@settings(max_examples=150, deadline=None)
def test_every_match_ends_and_no_state_is_changed_in_place(
    fields: dict[str, Any], seats: int, seed: int, trouble: float
) -> None:
    engine, rng = highdice(**fields), random.Random(seed)
    state, _none = engine.start(seats)
    events: list[Event] = []
    thrown: set[tuple[int, int, int]] = set()
    for _step in range(5000):
        if state.phase is Phase.OVER:
            break
        before = copy.deepcopy(state)
        places = [(throw.seat, throw.turn, throw.roll) for throw in engine.throws(state)]
        assert places == sorted(places)
        after, happened = step(engine, state, rng, trouble)
        assert state == before
        if any(isinstance(event, Rolled | Revealed) for event in happened):
            assert thrown.isdisjoint(places)
            thrown.update(places)
        events += happened
        state = after
    assert state.outcome is not None
    rounds = [event for event in events if isinstance(event, RoundEnds)]
    assert sum(state.wins) + sum(state.losses) == len(rounds)
    losing = engine.rules.find is Find.LOSER and seats > 2
    assert state.outcome.scores == (state.losses if losing else state.wins)
    assert not any(state.wins if losing else state.losses)
    assert state.outcome.winners
    assert not any(state.out[seat] for seat in state.outcome.winners)
    if state.outcome.reason is Reason.ROUNDS:
        assert max(state.outcome.scores) == state.to
        found = {seat for seat in range(seats) if (state.outcome.scores[seat] == state.to) is not losing}
        assert set(state.outcome.winners) == {seat for seat in found if not state.out[seat]}
    else:
        assert any(isinstance(event, WentOut) for event in events)


@given(dice=st.lists(st.integers(1, 6), min_size=1, max_size=5).map(tuple), seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_every_listed_mark_is_accepted_and_every_other_refused(dice: Dice, seed: int) -> None:
    engine, rng = highdice(dice=len(dice)), random.Random(seed)
    state, _events = engine.thrown(engine.start(2)[0], [dice, dice])
    listed = [decision.keep for decision in engine.decisions(state)]
    assert len(set(listed)) == len(listed)
    assert listed == sorted(listed, key=lambda keep: (-len(keep), keep))
    for size in range(len(dice) + 2):
        for keep in combinations_with_replacement(range(1, 7), size):
            shuffled = tuple(rng.sample(keep, size))
            if keep in listed:
                after, events = engine.decide(state, Decision(shuffled))
                assert events == [Marked(0, keep)]
                assert after.keeps == (keep, None)
            else:
                with pytest.raises(IllegalDecision):
                    engine.check(state, Decision(shuffled))


# Both engines


def test_high_dice_is_an_engine_like_the_other() -> None:
    engine: Engine[HighDiceState] = highdice()
    assert engine.rules.engine == "highdice"


def test_the_phase_leads_the_loop_of_push_your_luck_too() -> None:
    rules = load("thousand")
    assert isinstance(rules, PushLuckRules)
    engine = PushLuck(rules)
    state, _events = engine.start(2)
    assert state.phase is Phase.THROW
    assert engine.thrown(state, [(1, 2, 3, 4, 6)])[0].phase is Phase.DECIDE
    assert engine.thrown(state, [(1, 1, 1, 1, 1)])[0].phase is Phase.OVER
