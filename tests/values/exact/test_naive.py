"""The compiled solver against plain recursion over all states of small games, rule set by rule set, to 1e-12."""

from __future__ import annotations

import pytest

from dicegame.games.base import Decision, Phase
from dicegame.games.pushluck import PushLuck
from dicegame.rules.model import PushLuckRules
from dicegame.values.exact.solve import solve
from dicegame.values.position import PushLuckJudge
from dicegame.values.solved import Solved
from tests.values.naive_game import Position, perfect, random_rules

QUICK = (1, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 16, 17, 19, 21, 22, 23, 24)
LONG = (0, 2, 13, 25)  # mostly with a final round, where a turn has no upper end


@pytest.mark.parametrize("seed", [*QUICK, *(pytest.param(seed, marks=pytest.mark.slow) for seed in LONG)])
def test_every_position_has_the_naive_value(seed: int) -> None:
    rules = random_rules(seed)
    solved, naive = solve(rules), perfect(rules)
    compared = 0
    for position, value in naive.values.items():
        if not position.final and can_be(rules, position):
            compared += 1
            assert solved.value(*places(rules, solved, position)) == pytest.approx(value, abs=1e-12), position
    assert compared > 8


def places(rules: PushLuckRules, solved: Solved, position: Position) -> list[int]:
    axis = solved.axis
    return [
        axis.place(
            -(-(rules.target - score) // axis.unit),
            opened=opened or not axis.unopened,
            busts=busts if axis.penalty else 0,
        )
        for score, opened, busts in zip(position.scores, position.opened, position.busts, strict=True)
    ]


def can_be(rules: PushLuckRules, position: Position) -> bool:
    """Say whether a game can come to this: a seat that has not opened has no points, where points can't be lost."""
    new = [score for score, opened in zip(position.scores, position.opened, strict=True) if not opened]
    return bool(rules.penalty.busts) or all(score == 0 for score in new)


@pytest.mark.parametrize("seed", [7, 9, 11, 17, 23])
def test_the_judge_gives_the_naive_value_of_every_roll(seed: int) -> None:
    """Before each roll of whole games, and after each decision, in plain Python."""
    rules = random_rules(seed)
    naive = perfect(rules)
    engine = PushLuck(rules)
    judge = PushLuckJudge(engine, 2, solve(rules))
    state, _events = engine.start(2)
    fall = 0
    while state.phase is not Phase.OVER:
        if state.phase is Phase.DECIDE:
            best = judge.decisions(state)[0].decision
            state, _events = engine.decide(state, Decision(best.keep, best.bank))
            continue
        standing = state.standing
        seats = (state.seat, 1 - state.seat)
        position = Position(
            (standing.scores[seats[0]], standing.scores[seats[1]]),
            (standing.opened[seats[0]], standing.opened[seats[1]]),
            final=standing.final is not None,
        )
        rolled = naive.rolling(position)[state.turn_points, state.free]
        assert judge.chance(state, state.seat) == pytest.approx(rolled, abs=1e-12)
        fall += 1
        dice = tuple((fall * 7 + 5 * i * i + fall // 6) % 6 + 1 for i in range(state.free))
        state, _events = engine.thrown(state, [dice])
    assert fall > 5
