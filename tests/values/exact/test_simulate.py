"""Bulk simulation and the real referee agree with the exact values, and simulation with itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from dicegame.dice import SeededDice, seed_from_text, stream_key
from dicegame.games.pushluck import PushLuck
from dicegame.players.builtin import make
from dicegame.referee import Referee
from dicegame.rules.model import PushLuckRules
from dicegame.values.exact import bulk_kernels
from dicegame.values.exact.evaluate import evaluate
from dicegame.values.exact.simulate import PART, Simulated, Simulation, simulate
from tests.values.exact.fixed import rules_of

SEED = seed_from_text("simulate")


def close(found: Simulated, exact: Sequence[float]) -> None:
    """Within four standard errors, by who moves first."""
    for share, error, value in zip(found.by_first, found.errors_by_first, exact, strict=True):
        assert abs(share - value) <= 4 * error + 1e-6


@pytest.mark.parametrize(
    "name",
    ["ten-thousand", "thousand", "dix-mille", "core"],
)
@pytest.mark.parametrize(
    "words", [("hold:at=300", "hold:at=400,hot=roll"), ("house", "maxpoints"), ("cautious", "greedy")]
)
def test_simulation_agrees_with_the_exact_value(name: str, words: tuple[str, str]) -> None:
    rules = rules_of(name)
    close(simulate(rules, words, 200_000, SEED), evaluate(rules, *words))


def test_perfect_play_in_bulk() -> None:
    rules = rules_of("thousand")
    close(simulate(rules, ("optimal", "house"), 200_000, SEED), evaluate(rules, "optimal", "house"))


def test_the_same_seed_plays_the_same_games_on_any_number_of_threads() -> None:
    rules = rules_of("ten-thousand", target=1_000)
    games = 3 * PART + 10
    one = Simulation(rules, "house", "hold:at=300", threads=1).run(games, SEED)
    three = Simulation(rules, "house", "hold:at=300", threads=3).run(games, SEED)
    assert (one.results, one.turns, one.games) == (three.results, three.turns, games)
    assert simulate(rules, ("house", "hold:at=300"), games, b"other").results != one.results
    assert [sum(row) for row in one.results] == [games // 2, games // 2]


def test_an_odd_number_of_games_becomes_even() -> None:
    assert simulate(rules_of("thousand"), ("house", "house"), 7, SEED).games == 8


def test_progress_is_told_to_the_end() -> None:
    done: list[int] = []
    simulate(rules_of("thousand"), ("house", "house"), 2 * PART, SEED, progress=done.append)
    assert done == [PART, 2 * PART]


def test_the_limit_of_turns_ends_games() -> None:
    """Nobody ever banks, so that all games end level."""
    found = simulate(rules_of("ten-thousand", "max_turns=5"), ("hold:at=1000000000",) * 2, 100, SEED)
    assert (found.ties, found.turns, found.share) == (100, 1000, 0.5)


def test_columns_have_the_law_that_they_were_made_from() -> None:
    weights = np.array([0.3, 0.05, 0.4, 0.0001, 0.2499])
    to, stay, codes = np.arange(5, dtype=np.uint16), np.empty(5, dtype=np.float64), np.empty(10, dtype=np.uint16)
    bulk_kernels.alias(to, weights, stay, codes)
    law = np.zeros(5)
    for column in range(5):
        law[codes[2 * column]] += stay[column] / 5
        law[codes[2 * column + 1]] += (1 - stay[column]) / 5
    assert law == pytest.approx(weights / weights.sum(), abs=1e-15)


def test_random_numbers_are_those_of_splitmix64() -> None:
    """The first outputs from state 1234567, as Vigna's reference implementation prints them."""
    state = np.uint64(1234567)
    for wanted in (6457827717110365317, 3203168211198807973, 9817491932198370423):
        with np.errstate(over="ignore"):
            state += bulk_kernels.GAMMA
        assert bulk_kernels.fraction(state) == (wanted >> 11) * 2.0**-53


@pytest.mark.parametrize(
    ("name", "target", "words"),
    [
        ("ten-thousand", 2_000, ("hold:at=300", "house")),
        ("thousand", 1_000, ("maxpoints", "hold:at=200,hot=roll")),
        ("dix-mille", 1_500, ("house", "maxpoints")),
        ("farkle-facebook", 1_500, ("hold:at=350", "cautious")),
    ],
)
def test_the_referee_agrees_with_the_exact_value(name: str, target: int, words: tuple[str, str]) -> None:
    rules = rules_of(name, target=target)
    first, second = evaluate(rules, *words)
    games = 1_500
    for exact, seated in ((first, words), (1 - second, words[::-1])):
        share, squares = _played(rules, seated, games)
        assert abs(share - exact) <= 4 * math.sqrt((squares - share * share) / games)


def _played(rules: PushLuckRules, words: tuple[str, str], games: int) -> tuple[float, float]:
    """Return the mean share of the first seat's wins, and the mean of its square."""
    engine, players = PushLuck(rules), [make(word) for word in words]
    shares = []
    for stream in range(games):
        key = stream_key(SEED, stream)
        outcome = Referee(engine, players, SeededDice(key), seed_key=key).play()
        shares.append((0 in outcome.winners) / len(outcome.winners))
    return sum(shares) / games, sum(share * share for share in shares) / games
