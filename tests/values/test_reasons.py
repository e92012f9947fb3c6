"""Every reason that is given is true: checked against what the engine does, and against the judge's own chances."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from dicegame.games import engine_for
from dicegame.games.base import Decision, Phase
from dicegame.games.events import AllDiceCame, Busted, Event, FinalRoundBegins, HotDiceCame, Kept, Penalized
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.rules.load import load
from dicegame.rules.model import Reach
from dicegame.rules.table import rolls
from dicegame.values.judges import judge_for
from dicegame.values.judging import Judge, Valued
from dicegame.values.reasons import LITTLE, SMALL_RISK, Reason, Why, reasons

GAMES = [("ten-thousand", 2), ("ten-thousand", 3), ("thousand", 2), ("thousand", 4), ("dix-mille", 2), ("kcd", 2)]
POSITIONS = 60


@cache
def engine_of(name: str) -> PushLuck:
    engine = engine_for(load(name))
    assert isinstance(engine, PushLuck)
    return engine


@cache
def judge_of(name: str, seats: int) -> Judge:
    return judge_for(engine_of(name), seats)


def position(name: str, scores: tuple[int, ...], dice: str, **known: Any) -> PushLuckState:
    """Return the state of a decision of seat 0 (or `seat`), described as messages do."""
    seat = known.pop("seat", 0)
    return engine_of(name).restore({"scores": list(scores), "dice": [int(c) for c in dice], **known}, seat)


def positions(name: str, seats: int, count: int) -> Iterator[PushLuckState]:
    """Yield states of decisions: turns from scores all over the game, many of them near its end, played at random."""
    engine, chosen = engine_of(name), random.Random(f"{name}{seats}")
    target, unit = engine.rules.target, engine.table.unit
    while count:
        far = [
            chosen.choice((chosen.randrange(0, target, unit), target - unit * chosen.randrange(1, 30)))
            for _s in range(seats)
        ]
        scores = tuple(max(0, score) for score in far)
        dice = [chosen.randint(1, 6) for _die in range(engine.rules.dice)]
        if not engine.table.roll(tuple(dice)).keeps or engine.table.roll(tuple(dice)).instant_win:
            continue
        state = engine.restore({"scores": list(scores), "dice": dice}, chosen.randrange(seats))
        while state.outcome is None and count:
            if state.phase is Phase.THROW:
                [throw] = engine.throws(state)
                state, _events = engine.thrown(state, [tuple(chosen.randint(1, 6) for _die in range(throw.dice))])
                continue
            yield state
            count -= 1
            state, _events = engine.decide(state, chosen.choice(engine.decisions(state)))


class Facts:
    """What one decision really leads to."""

    def __init__(self, engine: PushLuck, state: PushLuckState, decision: Decision) -> None:
        self.engine, self.seat = engine, state.seat
        self.after, self.events = engine.decide(state, decision)
        self.kept = next(event for event in self.events if isinstance(event, Kept))
        self.score = state.standing.scores[state.seat] + self.kept.turn_points
        rest = [score for s, score in enumerate(state.standing.scores) if s != state.seat and not state.out[s]]
        self.lead = self.score - max(rest)

    def has(self, kind: type[Event]) -> bool:
        return any(isinstance(event, kind) for event in self.events)

    @property
    def dice(self) -> int:
        return self.engine.throws(self.after)[0].dice if self.after.phase is Phase.THROW else 0

    def rolled(self) -> Iterator[tuple[int, PushLuckState, list[Event]]]:
        """Yield what the next roll leads to, with the ways in which it falls."""
        for dice, ways in rolls(self.dice):
            fell, events = self.engine.thrown(self.after, [dice])
            yield ways, fell, events

    def bust(self) -> tuple[float, PushLuckState | None, list[Event]]:
        """Return the chance of a bust of the next roll, and where one leads."""
        busts = [
            (ways, fell, events) for ways, fell, events in self.rolled() if any(isinstance(e, Busted) for e in events)
        ]
        chance = sum(ways for ways, _fell, _events in busts) / 6**self.dice
        return (chance, busts[0][1], busts[0][2]) if busts else (0.0, None, [])


def holds(  # noqa: PLR0911 - a case a reason
    reason: Reason, judge: Judge, engine: PushLuck, state: PushLuckState, better: Valued, other: Valued
) -> bool:
    """Say whether a reason is true."""
    mine, theirs = Facts(engine, state, better.decision), Facts(engine, state, other.decision)
    banks = better.decision.bank, other.decision.bank
    standing, target, seat = state.standing, engine.rules.target, state.seat
    odds = 0.0 if banks[0] else mine.bust()[0]
    other_odds = 0.0 if banks[1] else theirs.bust()[0]
    match reason.why:
        case Why.WINS:
            return banks[0] and mine.after.outcome is not None and mine.after.outcome.winners == (seat,)
        case Why.STARTS_LAST_ROUND:
            return mine.has(FinalRoundBegins) and mine.after.outcome is None and 0 < reason.points == mine.lead
        case Why.LAST_WORD_GIVEN:
            return theirs.has(FinalRoundBegins) and not mine.has(FinalRoundBegins) and 0 < reason.points == theirs.lead
        case Why.LAST_WORD_KEPT:
            return theirs.has(FinalRoundBegins) and banks[0] and mine.score < target
        case Why.SAFE:
            kept = banks == (True, False) and reason.points == mine.kept.turn_points and reason.dice == theirs.dice
            return kept and reason.odds == other_odds and reason.odds > 0
        case Why.PENALTY:
            lost = next(event for event in theirs.bust()[2] if isinstance(event, Penalized))
            return lost.seat == seat and 0 < reason.points == lost.points
        case Why.BEHIND:
            return banks == (False, True) and standing.final is not None and 0 < reason.points == -theirs.lead
        case Why.LEVEL:
            outcome = theirs.after.outcome
            return outcome is not None and seat in outcome.winners and len(outcome.winners) > 1
        case Why.SMALL_RISK:
            return reason.dice == mine.dice and reason.odds == odds and odds <= SMALL_RISK
        case Why.ALL_BACK:
            back = mine.has(HotDiceCame) or mine.has(AllDiceCame)
            return back and reason.dice == mine.dice == engine.rules.dice and reason.odds == odds <= SMALL_RISK
        case Why.LITTLE_TO_LOSE:
            bust = mine.bust()[1]
            assert bust is not None
            cost = other.value - judge.chance(bust, seat)
            true = len(standing.scores) > 2 or reason.share == pytest.approx(cost, abs=1e-5)
            return (
                banks == (False, True)
                and reason.points == theirs.kept.turn_points
                and true
                and 0 < reason.share <= LITTLE
            )
        case Why.UNLESS_BUST:
            bust = mine.bust()[1]
            assert bust is not None
            mean = (better.value - odds * judge.chance(bust, seat)) / (1 - odds)
            true = len(standing.scores) > 2 or reason.share == pytest.approx(mean, abs=1e-5)
            return reason.odds == odds and true and reason.share >= better.value
        case Why.NEAR_TARGET:
            rest = max(score for s, score in enumerate(standing.scores) if s != seat)
            near = reason.points == target - standing.scores[reason.seat] and standing.scores[reason.seat] == rest
            return near and reason.seat != seat and 0 < reason.points <= target / 10 and standing.final is None
        case Why.CANT_BANK:
            most = max(keep.points for keep in engine.keeps(state)) + state.turn_points
            return not any(d.bank for d in engine.decisions(state)) and 0 < reason.points == state.required - most
        case Why.MORE_DICE:
            dice = reason.dice == mine.dice > theirs.dice == reason.others
            return dice and reason.odds == odds and other_odds == reason.other_odds > odds
        case Why.LESS_RISK:
            return reason.odds == odds and other_odds == reason.other_odds > odds
        case Why.MORE_POINTS:
            return 0 < reason.points == mine.kept.points - theirs.kept.points and banks[0] == banks[1]
        case Why.POINTS_FIRST:
            more = 0 < reason.points == mine.kept.points - theirs.kept.points
            return more and reason.odds == odds and other_odds == reason.other_odds < odds
        case Why.MUST_HIT:
            return engine.rules.reach is Reach.EXACT and 0 <= reason.points == target - mine.score


@pytest.mark.parametrize(("name", "seats"), GAMES)
def test_every_reason_is_true(name: str, seats: int) -> None:
    engine, judge = engine_of(name), judge_of(name, seats)
    told = 0
    for state in positions(name, seats, POSITIONS):
        best, *others = judge.decisions(state)
        for other in others[:4]:
            if best.value - other.value < 1e-5:
                continue
            for reason in reasons(judge, engine, state, best, other):
                told += 1
                assert holds(reason, judge, engine, state, best, other), (reason, state, best, other)
    assert told > POSITIONS


def why(name: str, state: PushLuckState, better: str, other: str) -> list[Reason]:
    """Return the reasons for two decisions that are written like `1 5 bank`."""
    engine, judge = engine_of(name), judge_of(name, len(state.out))
    named = {
        " ".join([*map(str, v.decision.keep), "bank" if v.decision.bank else "roll"]): v for v in judge.decisions(state)
    }
    assert named[better].value > named[other].value
    found = reasons(judge, engine, state, named[better], named[other])
    assert all(holds(reason, judge, engine, state, named[better], named[other]) for reason in found)
    return found


ONE_DIE, TWO_DICE = 2 / 3, 4 / 9
FOUR_DICE, FIVE_DICE, SIX_DICE = 17 / 108, 25 / 324, 5 / 216
CASES = [
    ("ten-thousand", (3000, 3000), "152", {"turn_points": 500}, "1 5 bank", "1 5 roll",
     [Reason(Why.SAFE, points=650, dice=1, odds=ONE_DIE)]),
    ("ten-thousand", (0, 0), "153362", {}, "1 roll", "1 5 bank", [Reason(Why.SMALL_RISK, dice=5, odds=FIVE_DICE)]),
    ("ten-thousand", (0, 0), "153362", {}, "1 roll", "5 roll", [Reason(Why.MORE_POINTS, points=50)]),
    ("ten-thousand", (0, 0), "153362", {}, "1 roll", "1 5 roll",
     [Reason(Why.MORE_DICE, dice=5, others=4, odds=FIVE_DICE, other_odds=FOUR_DICE)]),
    ("ten-thousand", (4000, 4000), "111555", {}, "1 1 1 5 5 5 roll", "1 1 1 roll",
     [Reason(Why.ALL_BACK, dice=6, odds=SIX_DICE), Reason(Why.MORE_POINTS, points=500)]),
    ("ten-thousand", (9700, 10_000), "123466", {"final_round": {"by": 1, "score": 10_000}}, "1 roll", "1 bank",
     [Reason(Why.BEHIND, points=200)]),
    ("ten-thousand", (9950, 10_000), "123466", {"final_round": {"by": 1, "score": 10_000}}, "1 bank", "1 roll",
     [Reason(Why.WINS)]),
    ("ten-thousand", (8950, 9200), "111526", {}, "1 1 1 bank", "1 1 1 5 bank", [Reason(Why.LAST_WORD_KEPT)]),
    ("ten-thousand", (9950, 3150), "152332", {}, "1 roll", "1 bank", [Reason(Why.LAST_WORD_GIVEN, points=6900)]),
    ("ten-thousand", (9800, 2950), "354545", {}, "5 5 5 bank", "5 5 5 roll",
     [Reason(Why.STARTS_LAST_ROUND, points=7350), Reason(Why.SAFE, points=500, dice=3, odds=5 / 18)]),
    ("thousand", (0, 950), "12344", {}, "1 roll", "1 bank",
     [Reason(Why.SMALL_RISK, dice=4, odds=FOUR_DICE), Reason(Why.NEAR_TARGET, points=50, seat=1)]),
    ("farkle", (0, 0), "153362", {}, "1 roll", "5 roll",
     [Reason(Why.MORE_POINTS, points=50), Reason(Why.CANT_BANK, points=350)]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "scores", "dice", "known", "better", "other", "wanted"), CASES)
def test_reasons_of_known_positions(
    name: str,
    scores: tuple[int, ...],
    dice: str,
    known: dict[str, Any],
    better: str,
    other: str,
    wanted: list[Reason],
) -> None:
    assert why(name, position(name, scores, dice, **known), better, other) == wanted


def test_a_roll_that_risks_much_tells_what_it_may_bring() -> None:
    state = position("ten-thousand", (1700, 9800), "14", turn_points=500)
    little, unless = why("ten-thousand", state, "1 roll", "1 bank")[:2]
    assert (little.why, unless.why) == (Why.LITTLE_TO_LOSE, Why.UNLESS_BUST)
    assert unless.odds == ONE_DIE


def test_a_level_bank_only_shares_the_win() -> None:
    state = position("ten-thousand", (9900, 10_000), "123466", final_round={"by": 1, "score": 10_000})
    bank, roll = Valued(Decision((1,), bank=True), 0.5), Valued(Decision((1,)), 0.6)
    engine, judge = engine_of("ten-thousand"), judge_of("ten-thousand", 2)
    assert reasons(judge, engine, state, roll, bank)[0] == Reason(Why.LEVEL)


@pytest.mark.parametrize(("score", "cost"), [(2000, 500), (-2200, 300), (-2500, 0)])
def test_a_bust_that_costs_points_is_told(score: int, cost: int) -> None:
    """Three busts in a row cost 500, down to a floor of -2500; a judge is not asked here."""
    engine, judge = engine_of("farkle-facebook"), judge_of("ten-thousand", 2)
    state = position("farkle-facebook", (score, 0), "152", turn_points=500, busts=[2, 0])
    bank, roll = Valued(Decision((1, 5), bank=True), 0.5), Valued(Decision((1, 5)), 0.4)
    found = reasons(judge, engine, state, bank, roll)
    assert found[0].why is Why.SAFE
    assert found[1:] == ([Reason(Why.PENALTY, points=cost)] if cost else [])
    assert all(holds(reason, judge, engine, state, bank, roll) for reason in found)
    calm = position("farkle-facebook", (score, 0), "152", turn_points=500, busts=[1, 0])
    assert len(reasons(judge, engine, calm, bank, roll)) == 1


def test_a_target_that_must_be_hit_leaves_room() -> None:
    near = position("dix-mille", (9350, 9300), "453153")
    assert [reason.why for reason in why("dix-mille", near, "5 roll", "1 roll")] == [Why.LESS_RISK]
