"""Every reason for a mark is true: checked by throwing all dice."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from dicegame.games import engine_for
from dicegame.games.base import Decision
from dicegame.games.events import Dice
from dicegame.games.highdice import HighDice, HighDiceState, keeps_of, rank
from dicegame.rules.load import load
from dicegame.rules.model import HighDiceRules, HighRule
from dicegame.values.markreasons import MarkReason, MarkWhy, mark_reasons, round_chances
from dicegame.values.marks import HighDiceJudge


def engine_of(**rules: Any) -> HighDice:
    base = load("high-dice")
    assert isinstance(base, HighDiceRules)
    engine = engine_for(base.model_copy(update=rules))
    assert isinstance(engine, HighDice)
    return engine


def lying(engine: HighDice, *dice: Dice, marks: tuple[Dice, ...] = ()) -> HighDiceState:
    """Return the first round with these dice on the table, and the first marks made."""
    state, _events = engine.start(len(dice))
    state, _events = engine.thrown(state, list(dice))
    for keep in marks:
        state, _events = engine.decide(state, Decision(keep))
    return state


def won(rule: HighRule, keep: Dice, against: Dice, dice: int) -> Fraction:
    """Return the chance of a keep against another one, all ways of both thrown; level falls to each with one half."""
    wins: Fraction = Fraction(0)
    for mine in product(range(1, 7), repeat=dice - len(keep)):
        for theirs in product(range(1, 7), repeat=dice - len(against)):
            one, other = rank(rule, keep + mine), rank(rule, against + theirs)
            wins += Fraction(2 * (one > other) + (one == other), 2)
    return wins / Fraction(6 ** (2 * dice - len(keep) - len(against)))


def holds(  # noqa: PLR0911 - a case a reason
    reason: MarkReason, rule: HighRule, better: Dice, other: Dice, pat: Dice
) -> bool:
    """Say whether a reason is true in a round of two against dice that stand pat."""
    mine, theirs, dice = Counter(better), Counter(other), len(pat)
    low = rule is HighRule.SUM_LOW
    match reason.why:
        case MarkWhy.CERTAIN:
            return won(rule, better, pat, dice) == 1
        case MarkWhy.HOPELESS:
            return won(rule, other, pat, dice) == 0
        case MarkWhy.ANSWERED:
            return False  # nobody has to answer
        case MarkWhy.ROLLS_THE_WORSE:
            only = tuple(sorted((theirs - mine).elements()))
            return reason.dice == only != () and all(face > 3.5 if low else face < 3.5 for face in only)
        case MarkWhy.KEEPS_THE_BETTER:
            only = tuple(sorted((mine - theirs).elements()))
            return reason.dice == only != () and all(face < 3.5 if low else face > 3.5 for face in only)
        case MarkWhy.KEEPS_TOGETHER:
            [face] = set(reason.dice)
            return len(reason.dice) == mine[face] > max(theirs[face], 1)
        case MarkWhy.STANDS:
            return reason.dice == pat and reason.seat == 0
        case MarkWhy.ROUND:
            shares = won(rule, better, pat, dice), won(rule, other, pat, dice)
            return (reason.share, reason.other_share) == tuple(map(float, shares))


@pytest.mark.parametrize(("rule", "dice"), [("sum-high", 2), ("sum-low", 2), ("triple-pair", 3)])
def test_every_reason_against_dice_that_stand_pat_is_true(rule: str, dice: int) -> None:
    engine = engine_of(rule=HighRule(rule), dice=dice)
    throws = list(combinations_with_replacement(range(1, 7), dice))
    told: Counter[MarkWhy] = Counter()
    for first in throws[:: 1 if dice == 2 else 9]:
        for second in throws[:: 1 if dice == 2 else 5]:
            state = lying(engine, first, second, marks=(first,))
            best, *others = HighDiceJudge(engine, 2).decisions(state)
            for other in others:
                if other.value == best.value:
                    continue
                for reason in mark_reasons(engine, state, best.decision.keep, other.decision.keep):
                    told[reason.why] += 1
                    assert holds(reason, engine.rules.rule, best.decision.keep, other.decision.keep, first), reason
    sums = {MarkWhy.KEEPS_THE_BETTER, MarkWhy.ROLLS_THE_WORSE} if dice == 2 else {MarkWhy.KEEPS_TOGETHER}
    assert set(told) == {MarkWhy.CERTAIN, MarkWhy.HOPELESS, MarkWhy.STANDS, MarkWhy.ROUND} | sums


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("find", ["winner", "loser"])
def test_chances_in_the_round_are_the_judges_own(find: str, seats: int) -> None:
    """A match of one round is won as its round is, between two; the order of the marks is the same in every match."""
    engine = engine_of(find=load("high-dice", ("find=" + find,)).find, to=1 if seats == 2 else 2)  # type: ignore[union-attr]  # it is high dice
    for dice in [((6, 5, 1), (4, 4, 2)), ((1, 2, 3), (6, 6, 6)), ((3, 4, 4), (3, 4, 4))]:
        state = lying(engine, *dice, *[(2, 5, 5)] * (seats - 2))
        judged = HighDiceJudge(engine, seats).decisions(state)
        chances = round_chances(engine, state)
        assert set(chances) == set(keeps_of(dice[0]))
        assert [v.decision.keep for v in judged] == sorted(chances, key=lambda keep: -chances[keep])
        if seats == 2:
            assert {v.decision.keep: v.value for v in judged} == {keep: float(share) for keep, share in chances.items()}


def test_what_hangs_on_marks_to_come_is_not_called_certain() -> None:
    """Ada's 18 wins for certain between two, who can but be level with it; among three, as long as a mark is to come, nothing is."""
    two, three = engine_of(), engine_of(to=2)
    sure = mark_reasons(two, lying(two, (6, 6, 6), (5, 6, 6)), (6, 6, 6), ())
    assert MarkWhy.CERTAIN not in [reason.why for reason in sure]  # Bob may throw 18 as well
    beaten = mark_reasons(two, lying(two, (1, 3, 5), (3, 6, 2)), (5,), (1, 3, 5))
    assert [reason.why for reason in beaten] == [MarkWhy.ANSWERED]
    open_ = mark_reasons(three, lying(three, (6, 5, 1), (4, 4, 2), (3, 3, 3)), (5, 6), (1, 5, 6))
    assert [reason.why for reason in open_] == [MarkWhy.ROLLS_THE_WORSE, MarkWhy.ROUND]
    assert open_[-1].share == 1
    marked = lying(three, (6, 5, 1), (4, 4, 2), (3, 3, 3), marks=((1, 5, 6), (2, 4, 4)))
    last = mark_reasons(three, marked, (), (3, 3, 3))
    assert [reason.why for reason in last] == [MarkWhy.HOPELESS]


def test_reasons_among_three_tell_only_what_is_known() -> None:
    engine = engine_of(to=2)
    state = lying(engine, (6, 2, 1), (4, 4, 2), (3, 3, 3))
    found = mark_reasons(engine, state, (6,), (1, 6))
    assert [reason.why for reason in found] == [MarkWhy.ROLLS_THE_WORSE, MarkWhy.ROUND]
    assert found[0].dice == (1,)
