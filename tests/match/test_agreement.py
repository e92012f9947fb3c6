"""The engine, the perfect player, the exact evaluation, the bulk simulation and the luck adjustment agree with each other."""

from __future__ import annotations

import pytest

from dicegame.dice import seed_from_text
from dicegame.match.local import cores
from dicegame.match.play import MatchSpec
from dicegame.match.run import run_match
from dicegame.rules.load import load
from dicegame.rules.model import PushLuckRules
from dicegame.values.exact.evaluate import evaluate
from dicegame.values.exact.simulate import Simulation

GAMES, BULK = 20_000, 200_000


@pytest.mark.slow
def test_optimal_against_a_simple_player_four_ways() -> None:
    """`optimal` against `hold:at=300` to 10 000: within four standard errors, and those of the adjusted rate are much smaller."""
    rules = load("ten-thousand")
    assert isinstance(rules, PushLuckRules)
    words = ("optimal", "hold:at=300")
    first, second = evaluate(rules, *words)
    exact = (first + second) / 2
    assert 0.75 < exact < 0.85

    bulk = Simulation(rules, *words).run(BULK, seed_from_text("bulk"))
    assert bulk.share == pytest.approx(exact, abs=4 * bulk.standard_error)
    for by_first, value, error in zip(bulk.by_first, (first, second), bulk.errors_by_first, strict=True):
        assert by_first == pytest.approx(value, abs=4 * error)

    spec = MatchSpec(rules, words, words, luck="optimal")
    result = run_match(spec, seed_from_text("referee"), GAMES // 2, workers=len(cores()))
    assert result.games == GAMES
    plain = result.standard_error(0)
    adjusted = result.adjusted(0)
    assert plain is not None
    assert adjusted is not None
    assert adjusted.standard_error is not None
    assert result.players[0].wins / GAMES == pytest.approx(exact, abs=4 * plain)
    assert adjusted.rate == pytest.approx(exact, abs=4 * adjusted.standard_error)
    assert adjusted.standard_error < plain / 1.8
