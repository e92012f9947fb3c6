"""The yardstick itself: games worked out by hand, exact fractions, and the real engine turn by turn.

By hand: `p` is the chance of what is wanted with one die, mostly 1/6 (the only face that scores is a 1, worth 100), and `q = 1 - p`.
V(a, b) is the value for the seat to move, which misses `a` hundreds while the other misses `b`.
"""

from __future__ import annotations

import random
from collections import defaultdict
from fractions import Fraction
from typing import Any

import pytest

from dicegame.games.base import Decision
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.rules.load import check
from dicegame.rules.model import PushLuckRules
from dicegame.rules.table import Dice, rolls
from tests.values.naive_game import Decide, Perfect, Position, decided, perfect, policy_value, random_rules, start
from tests.values.naive_turn import Game, Next, Turn, seen_by

CLOSE = 1e-13  # what rounding may leave
USUAL: dict[str, Any] = {"single": {"1": 100, "5": 50}, "three": {"1": 500, "2": 100, "3": 150, "4": 200, "5": 250}}


def rules_of(target: int, **fields: Any) -> PushLuckRules:
    data = {"name": "tiny", "dice": 1, "score": {"single": {"1": 100}}, **fields, "target": target, "seats": [2, 2]}
    rules = check(data, "tiny")
    assert isinstance(rules, PushLuckRules)
    return rules


def value(target: int, **fields: Any) -> float:
    rules = rules_of(target, **fields)
    return perfect(rules)(start(rules))


def hold(rules: PushLuckRules, at: int) -> Decide:
    """Keep the most points and bank at so many or more."""
    engine = PushLuck(rules)

    def decide(state: PushLuckState) -> tuple[Dice, bool]:
        keep = engine.keeps(state)[0]
        total = state.turn_points + keep.points
        return keep.keep, total >= at and engine.bank_refusal(state, keep) is None

    return decide


# A turn that wins with chance w, or else passes to the other seat: V = w + (1 - w)(1 - V) = 1 / (2 - w).
@pytest.mark.parametrize(
    ("fields", "wins"),
    [
        ({}, Fraction(1, 6)),
        ({"target": 30}, Fraction(1, 6)),  # going over is fine
        ({"instant_win": [[6]]}, Fraction(2, 6)),
        ({"score": {"single": {"1": 100, "2": 50}}, "target": 50, "reach": "exact"}, Fraction(1, 6)),  # a 1 is a bust
        ({"minimum": 200}, Fraction(1, 36)),
        ({"open": 200}, Fraction(1, 36)),
        ({"score": {"single": {"1": 100}, "nothing": {"roll_again": True}}}, Fraction(1)),
        # two dice; one is enough, and of two 1s one is kept, so that banking is allowed
        ({"dice": 2, "hot_dice": "must-roll"}, Fraction(11, 36)),
        # a 1 first, and then the other 100 with the die that is left, which may not be banked: one of two dice, and so on
        ({"dice": 2, "hot_dice": "must-roll", "minimum": 150, "target": 150}, None),
        # three dice: 76 rolls win; 15 leave a pair, and all come back and must be rolled, the 100 points standing
        ({"dice": 3, "hot_dice": "must-roll", "pair_left": [2, 3, 4, 5, 6]}, Fraction(76, 201)),
        # one way or the other a 6 comes back, with points that win
        ({"score": {"single": {"1": 100}, "nothing": {"points": 50, "roll_again": True}}}, Fraction(1)),
    ],
)
def test_a_turn_that_wins_or_passes(fields: dict[str, Any], wins: Fraction | None) -> None:
    if wins is None:
        # R: two dice with 0 or with 200 points and more. With 200: any 1 wins (11/36). With 0: 11 is 200 (1/36), a single 1 (10/36)
        # rolls one die, which is 200 with 1/6.
        again = Fraction(1, 36) + Fraction(10, 36) * Fraction(1, 6)
        wins = again * Fraction(11, 36)
    fields = dict(fields)
    assert value(fields.pop("target", 100), **fields) == pytest.approx(float(1 / (2 - wins)), abs=CLOSE)


def test_two_steps_of_one_die() -> None:
    # V11 = 6/11. With 100 in hand, banking is worth 1 - V(b, 1), rolling p + q(1 - V).
    # V21 = p(1 - V11) + q(1 - V12), V12 = p + q(1 - V21): V21 = 5/66 + 25/36 V21 = 30/121, V12 = 96/121; rolling on would be worth
    # 1/6 + 25/121 < 5/11. V22 = p(1 - V21) + q(1 - V22) = 696/1331; rolling on would be worth 1/6 + 5/6 * 635/1331 < 91/121.
    values = perfect(rules_of(200))
    assert values(Position((100, 100))) == pytest.approx(6 / 11, abs=CLOSE)
    assert values(Position((0, 100))) == pytest.approx(30 / 121, abs=CLOSE)
    assert values(Position((100, 0))) == pytest.approx(96 / 121, abs=CLOSE)
    assert values(Position((0, 0))) == pytest.approx(696 / 1331, abs=CLOSE)
    assert values.rolling(Position((0, 0)))[100, 1] == pytest.approx(1 / 6 + 5 / 6 * 635 / 1331, abs=CLOSE)


def test_the_final_round_and_its_tie() -> None:
    # The last turn catches up 100 k with p**k and then shares the win (going on is worth p < 1/2): F(k) = p**k / 2.
    # Banking the first 100 is worth 1 - 1/12; going on is worth p(1 - F(2)) + q(1 - V), less. V = 11/72 + q(1 - V) = 71/132.
    values = perfect(rules_of(100, end="final-round"))
    for k in range(1, 8):
        last = values(Position((0, 100 * k), final=True))
        assert last == pytest.approx(0.5 / 6**k, rel=1e-14)
    assert values(Position((0, 0))) == pytest.approx(71 / 132, abs=CLOSE)


def test_a_lead_of_one_in_the_final_round_wins_it_all() -> None:
    # Two faces score, 1: 100 and 2: 50; 50 behind. A 1 wins. A 2 may be banked for a half, or rolled: 2/6. L = 1/6 + 1/6 * 1/2.
    values = perfect(rules_of(100, end="final-round", score={"single": {"1": 100, "2": 50}}))
    assert values(Position((50, 100), final=True)) == pytest.approx(3 / 12, abs=CLOSE)


def test_a_bust_that_costs_down_to_the_floor() -> None:
    # A bust costs 100, but no score falls below -100. Both at -100: x; only the mover: z; only the other: y; none: s.
    # y = p + q(1 - x), s = p + q(1 - y). At -100 a 1 may be banked, but rolling on is better in both:
    # x = p**2 + (q + pq)(1 - x) = 36/71, z = p**2 + (q + pq)(1 - y).
    rules = rules_of(100, penalty={"busts": 1, "points": 100}, floor=-100)
    values = perfect(rules)
    expected = {(-100, -100): 36 / 71, (0, -100): 41 / 71, (-100, 0): 1121 / 2556, (0, 0): 221 / 426}
    for scores, exact in expected.items():
        assert values(Position(scores)) == pytest.approx(exact, abs=CLOSE)
    assert 1 - 36 / 71 * 5 / 6 > 1121 / 2556  # the better place is worth more


def test_busts_in_a_row_are_counted() -> None:
    # The second bust in a row costs 100 of 100; a bank starts the count again. Who has bust once is worse off, and its other better.
    values = perfect(rules_of(200, penalty={"busts": 2, "points": 100}))
    fresh, warned = values(Position((100, 100))), values(Position((100, 100), busts=(1, 0)))
    other = values(Position((100, 100), busts=(0, 1)))
    assert warned < fresh < other
    # V(100, 100; 1, 0) = p + q(1 - V(100, 0)), where the mover has nothing to lose any more
    behind = values(Position((100, 0)))
    assert warned == pytest.approx(1 / 6 + 5 / 6 * (1 - behind), abs=CLOSE)


def test_a_barrel_of_two_tries_and_one_fall() -> None:
    # To 100 from the barrel at 0 (100 before the target): nobody climbs on from 0 but by a bank, and the first 100 win: 6/11.
    assert value(100, house={"barrel": 50}) == pytest.approx(6 / 11, abs=CLOSE)
    # 1: 100 to a target of 200, barrel 100: who banks 100 is on it. At most 2 failures, then 0 and the count of falls anew.
    rules = rules_of(200, house={"barrel": 100, "tries": 2, "falls": 1})
    values = perfect(rules)
    first = values(Position((100, 0), barrel=(0, 0)))
    second = values(Position((100, 0), barrel=(0, 1)))
    assert second < first
    # failing the second time leaves both with nothing
    assert second == pytest.approx(1 / 6 + 5 / 6 * (1 - values(start(rules))), abs=CLOSE)
    # failing the first time leaves the mover there
    other = values(Position((0, 100), barrel=(1, 1)))
    assert first == pytest.approx(1 / 6 + 5 / 6 * (1 - other), abs=CLOSE)


def test_fixed_players_of_one_die() -> None:
    # To 200. "All" rolls until it has 200: 1/36 a turn. "Step" banks each 100.
    rules = rules_of(200)
    # 35 turns of 36 change nothing, and a last bit lost in each of them adds up.
    whole, step = hold(rules, 200), hold(rules, 1)
    assert policy_value(rules, whole, whole) == pytest.approx((36 / 71, 35 / 71), abs=5 * CLOSE)
    assert policy_value(rules, step, step) == pytest.approx((696 / 1331, 635 / 1331), abs=5 * CLOSE)
    # step against all: with 100 to go u = p + q * 35/36 u = 36/41; with 200 u' = 35/36 (p u + q u') = 1260/1681
    assert policy_value(rules, step, whole) == pytest.approx((1260 / 1681, 1225 / 1681), abs=5 * CLOSE)
    assert sum(policy_value(rules, step, whole)) + sum(policy_value(rules, whole, step)) == pytest.approx(
        2, abs=5 * CLOSE
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"hot_dice": "must-roll", "open": 150},
        {"end": "final-round", "instant_win": [[2, 2, 2]]},
        {"reach": "exact", "penalty": {"busts": 2, "points": 100}, "floor": -100},
    ],
)
def test_nobody_does_better_than_perfectly(fields: dict[str, Any]) -> None:
    rules = rules_of(300, dice=3, score=USUAL, **fields)
    values = perfect(rules)
    first, second = policy_value(rules, values.decide, values.decide)
    assert (first, second) == pytest.approx((values(start(rules)), 1 - values(start(rules))), abs=1e-13)
    for at in (100, 250):
        against = policy_value(rules, values.decide, hold(rules, at))
        assert against[0] > first - 1e-13
        assert against[1] > second - 1e-13


def exact_row(values: Perfect, position: Position) -> dict[Next, Fraction]:
    """Return how likely the best turn leads to what, in fractions."""
    turn = Turn(values.game, position, perfect=True)
    choose = turn.greedy(values.values, turn.rolling(values.values))
    waiting: dict[tuple[int, int], Fraction] = defaultdict(Fraction, {(0, values.game.rules.dice): Fraction(1)})
    ends: dict[Next, Fraction] = defaultdict(Fraction)
    while waiting:
        points, n = min(waiting)
        chance = waiting.pop((points, n))
        for fall in values.game.falls[n]:
            p = chance * fall.ways / 6**n
            if not turn.legal(points, fall):
                ends[turn.bust] += p
                continue
            offer, bank = choose(points, fall)
            if bank:
                ends[turn.bank[min(points + offer.points, turn.top)]] += p
            else:
                waiting[points + offer.points, offer.dice] += p
    return ends


@pytest.mark.parametrize("fields", [{}, {"reach": "exact"}, {"pair_left": [2, 3, 4, 6], "minimum": 100}])
def test_the_values_are_those_of_exact_fractions(fields: dict[str, Any]) -> None:
    values = perfect(rules_of(400, dice=3, score=USUAL, **fields))
    exact: dict[Position, Fraction] = {}
    for a, b in sorted({p.scores for p in values.values}, key=sum, reverse=True):
        mine, other = Position((a, b)), Position((b, a))
        row, back = exact_row(values, mine), exact_row(values, other)
        p, q = row.pop(other), back.pop(mine)
        c = sum(x * (Fraction(to) if isinstance(to, float) else 1 - exact[to]) for to, x in row.items())
        d = sum(x * (Fraction(to) if isinstance(to, float) else 1 - exact[to]) for to, x in back.items())
        exact[mine] = (c + p - p * (d + q)) / (1 - p * q)  # v = c + p(1 - w), w = d + q(1 - v)
    assert len(exact) == 64
    assert max(abs(values(position) - float(v)) for position, v in exact.items()) < CLOSE


def engine_turn(engine: PushLuck, position: Position, decide: Decide) -> tuple[dict[Next, float], set[int]]:
    """Let the real engine play one turn with every roll: how likely it ends how, and what the other seat must then bring to bank."""
    standing = position.standing()
    ends: dict[Next, float] = defaultdict(float)
    required = set()

    def passed(state: PushLuckState, chance: float) -> bool:
        if state.outcome is not None:
            ends[float(0 in state.outcome.winners) / len(state.outcome.winners)] += chance
        elif state.seat == 1:
            ends[seen_by(engine.rules, state.standing, 1)] += chance
            required.add(state.required)
        return state.outcome is not None or state.seat == 1

    begun = PushLuckState(
        standing, 0, 0, 0, engine.rules.dice, Turn(Game(engine.rules), position, perfect=False).required
    )
    waiting = {(0, engine.rules.dice): (1.0, begun)}
    while waiting:
        points, n = min(waiting)
        chance, state = waiting.pop((points, n))
        for dice, ways in rolls(n) if chance > 1e-15 else ():
            p = chance * ways / 6**n
            fallen, _events = engine.thrown(state, [dice])
            if not passed(fallen, p):
                after, _events = engine.decide(fallen, Decision(*decide(fallen)))
                if not passed(after, p):
                    key = (after.turn_points, after.free)
                    waiting[key] = (waiting.get(key, (0.0, after))[0] + p, after)
    return ends, required


@pytest.mark.parametrize("house", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_turns_lead_where_the_engine_leads(seed: int, *, house: bool) -> None:
    rules = random_rules(seed, house=house)
    game, engine = Game(rules), PushLuck(rules)
    draw = random.Random(seed)
    position = start(rules)
    for _ in range(12):
        decide = hold(rules, draw.choice([1, 2, 4]) * game.unit)
        turn = Turn(game, position, perfect=False)
        found, required = engine_turn(engine, position, decide)
        spread = turn.spread(decided(turn, decide), game.falls)
        assert all(abs(spread.get(to, 0.0) - found.get(to, 0.0)) < 1e-12 for to in spread.keys() | found.keys())
        nexts = sorted((to for to in found if isinstance(to, Position)), key=repr)
        assert required == {Turn(game, to, perfect=False).required for to in nexts}
        position = draw.choice(nexts) if nexts else start(rules)


@pytest.mark.parametrize("house", [False, True])
def test_random_rules_are_always_the_same_and_various(*, house: bool) -> None:
    drawn = [random_rules(seed, house=house) for seed in range(60)]
    assert drawn == [random_rules(seed, house=house) for seed in range(60)]
    used = {field for rules in drawn for field, x in rules.model_dump(exclude_defaults=True).items() if x}
    wanted = {"minimum", "open", "pair_left", "instant_win", "penalty", "floor", "hot_dice", "end", "reach"}
    assert wanted | ({"house"} if house else set()) <= used
