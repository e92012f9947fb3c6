"""Matches against known truth: exact chances lie inside the intervals as often as they should, and mirrored seats save games."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dicegame.dice import seed_from_text
from dicegame.match.local import cores
from dicegame.match.plan import BlockSpec
from dicegame.match.play import Lanes, MatchSpec, play_blocks
from dicegame.match.run import run_match
from dicegame.match.sequential import Watched
from dicegame.match.stats import block_interval, mean_interval
from dicegame.rules.load import load
from dicegame.rules.model import PushLuckRules
from dicegame.values.exact.evaluate import evaluate

EACH = 20  # blocks a match
PAIRS = [
    ("hold:at=250", "hold:at=1000"),
    ("hold:at=300", "random"),
    ("house", "cautious"),
    ("house", "greedy"),
    ("house", "hold:at=350"),
    ("greedy", "maxpoints"),
    ("cautious", "hold:at=300"),
    ("random", "greedy"),
    ("random", "random"),
    ("hold:at=300", "hold:at=300"),
]


def block_means(spec: MatchSpec, blocks: int) -> tuple[list[float], list[float]]:
    """Return the first player's share of every block, plain and with luck taken out where that is measured."""
    lanes = Lanes(spec)
    games = play_blocks(lanes, [BlockSpec.of(seed_from_text("truth"), n) for n in range(blocks)]).games
    lanes.close()
    pairs = list(zip(games[::2], games[1::2], strict=True))
    plain = [(one.shares[0] + two.shares[0]) / 2 for one, two in pairs]
    adjusted = [
        m - (one.luck[0] + two.luck[0]) / 2 for m, (one, two) in zip(plain, pairs, strict=True) if one.luck and two.luck
    ]
    return plain, adjusted


def inside(
    interval: Callable[[list[float]], tuple[float, float]], means: list[float], each: int, truth: float
) -> float:
    """Return of how many matches of so many blocks the interval holds the truth."""
    matches = [means[start : start + each] for start in range(0, len(means), each)]
    return sum(low <= truth <= high for low, high in map(interval, matches)) / len(matches)


@pytest.mark.parametrize(("words", "target"), [(("hold:at=300", "hold:at=600"), 1500), (("house", "greedy"), 1000)])
def test_exact_chances_lie_inside_the_intervals(words: tuple[str, str], target: int) -> None:
    rules = load("ten-thousand", (), target)
    assert isinstance(rules, PushLuckRules)
    truth = sum(evaluate(rules, *words)) / 2
    means, _adjusted = block_means(MatchSpec(rules, words, words), 1000)
    for each in (1, 3, EACH, 60):
        assert inside(block_interval, means, each, truth) >= 0.94, each
    watched = Watched()
    for mean in means:
        watched.add(mean)
        interval = watched.interval()
        assert interval is None or interval[0] <= truth <= interval[1]


def test_exact_chances_lie_inside_the_intervals_with_luck_taken_out() -> None:
    rules = load("ten-thousand", (), 1000)
    assert isinstance(rules, PushLuckRules)
    words = ("hold:at=300", "hold:at=600")
    truth = sum(evaluate(rules, *words)) / 2
    plain, adjusted = block_means(MatchSpec(rules, words, words, luck="hold:at=300"), 800)
    assert inside(block_interval, plain, EACH, truth) >= 0.94
    assert inside(mean_interval, adjusted, EACH, truth) >= 0.9  # 40 matches: one more or less is 2.5 %
    low, high = mean_interval(adjusted)
    assert low <= truth <= high
    assert high - low < (mean_interval(plain)[1] - mean_interval(plain)[0]) / 2


def saving(words: tuple[str, str], blocks: int) -> float:
    """Return how many times less the mean of a mirrored block varies than that of two independent games with this win rate."""
    result = run_match(
        MatchSpec(load("ten-thousand"), words, words), seed_from_text("mirrors"), blocks, workers=len(cores())
    )
    rate, error = result.players[0].wins / result.games, result.standard_error(0)
    assert error is not None
    return rate * (1 - rate) / 2 / (error * error * blocks) if error else float("inf")


@pytest.mark.slow
def test_mirrored_seats_save_games_between_players_of_like_strength() -> None:
    assert saving(("hold:at=250", "hold:at=300"), 10_000) >= 3.5


@pytest.mark.slow
@pytest.mark.parametrize("words", PAIRS, ids="-".join)
def test_mirrored_seats_never_cost_games(words: tuple[str, str]) -> None:
    assert saving(words, 2500) >= 0.95
