"""Rule sets at the edge of what can be played, without house rules, against plain recursion."""

from __future__ import annotations

from typing import Any

import pytest

from dicegame.games.pushluck import PushLuck
from dicegame.rules.load import check
from dicegame.rules.model import PushLuckRules
from dicegame.values.exact.solve import solve
from dicegame.values.position import PushLuckJudge
from tests.values.exact.test_naive import can_be, places
from tests.values.naive_game import perfect

SMALL: dict[str, Any] = {"name": "small", "seats": [2, 2], "dice": 2, "target": 300}
CORNERS: dict[str, dict[str, Any]] = {
    "an opening beyond any keep, final round": {"end": "final-round", "open": 250, "score": {"single": {"1": 50}}},
    "the minimum beyond an exact target": {
        "reach": "exact",
        "minimum": 150,
        "instant_win": [[6, 6]],
        "score": {"single": {"1": 100, "5": 50}},
    },
}


@pytest.mark.parametrize("name", CORNERS)
def test_every_position_has_the_naive_value(name: str) -> None:
    rules = check(SMALL | CORNERS[name], "small")
    assert isinstance(rules, PushLuckRules)
    solved, naive = solve(rules), perfect(rules)
    engine = PushLuck(rules)
    judge = PushLuckJudge(engine, 2, solved)
    for position, value in naive.values.items():
        if position.final or not can_be(rules, position):
            continue
        assert solved.value(*places(rules, solved, position)) == pytest.approx(value, abs=1e-12), position
        state, _events = engine.start(2)
        state.standing = position.standing()
        assert judge.chance(state, 0) == pytest.approx(value, abs=1e-12), position
