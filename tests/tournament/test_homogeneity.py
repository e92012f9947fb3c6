"""Bad machines are found by their results, and good ones are left alone: `scipy` is the oracle of the distribution."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from dicegame.tournament.homogeneity import Suspect, homogeneity, upper_gamma

stats = pytest.importorskip("scipy.stats")
special = pytest.importorskip("scipy.special")

Counts = dict[str, dict[str, Counter[float]]]


@pytest.mark.parametrize("a", [0.5, 1.0, 1.5, 2.0, 7.5, 50.0, 400.0])
@pytest.mark.parametrize("part", [0.0, 1e-3, 0.2, 0.9, 1.0, 1.1, 2.0, 5.0])
def test_the_gamma_function_is_right(a: float, part: float) -> None:
    x = part * (a + 1)
    assert upper_gamma(a, x) == pytest.approx(special.gammaincc(a, x), rel=1e-10, abs=1e-15)


def test_known_values_of_chi_square() -> None:
    assert upper_gamma(1 / 2, 3.841458820694124 / 2) == pytest.approx(0.05, rel=1e-9)
    assert upper_gamma(10 / 2, 29.58829844507442 / 2) == pytest.approx(0.001, rel=1e-9)


def _counts(rng: random.Random, workers: dict[str, float], blocks: int, pairings: int = 3) -> Counts:
    """Return what so many blocks of two games a pairing came to, given the chance of the first place at each worker."""
    counts: Counts = {}
    names = list(workers)
    for pairing in range(pairings):
        by_worker = counts.setdefault(f"1-{pairing + 2}", {name: Counter() for name in names})
        for _block in range(blocks):
            name = rng.choice(names)
            chance = workers[name] * (0.5 + 0.25 * pairing)  # the pairings differ, the workers need not
            by_worker[name][sum(rng.random() < chance for _game in range(2)) / 2] += 1
    return counts


def test_one_table_agrees_with_scipy() -> None:
    counts = _counts(random.Random(1), {"a": 1.0, "b": 0.8}, 400, 1)
    table = [[counts["1-2"][worker][share] for share in (0.0, 0.5, 1.0)] for worker in "ab"]
    found = homogeneity(counts, 1.0)
    chance = stats.chi2_contingency(table, correction=False).pvalue
    assert [suspect.worker for suspect in found] == ["a", "b"]
    assert found[0].chance == pytest.approx(min(1.0, 2 * chance), rel=1e-9)


def test_a_faultless_cluster_is_rarely_suspected() -> None:
    rng = random.Random(2)
    runs = 600
    wrong = sum(bool(homogeneity(_counts(rng, dict.fromkeys("abcd", 1.0), 120), 0.05)) for _run in range(runs))
    assert 0.02 * runs < wrong < 0.075 * runs


def test_a_bad_machine_is_found_and_no_other() -> None:
    counts = _counts(random.Random(3), {"good": 1.0, "fair": 1.0, "bad": 0.7, "fine": 1.0}, 1500)
    found = homogeneity(counts)
    assert [suspect.worker for suspect in found] == ["bad"]
    assert found[0].share < found[0].expected - 0.1
    assert found[0].chance < 0.001
    assert found[0].blocks == sum(by_worker["bad"].total() for by_worker in counts.values())


def test_of_two_machines_that_differ_both_are_named() -> None:
    found = homogeneity(_counts(random.Random(4), {"a": 1.0, "b": 0.6}, 1500))
    assert {suspect.worker for suspect in found} == {"a", "b"}


def test_too_little_to_tell() -> None:
    few: Counts = {"1-2": {"a": Counter({1.0: 3}), "b": Counter({0.0: 3})}}
    assert homogeneity(few, 0.05) == []
    assert homogeneity({}) == []
    assert homogeneity({"1-2": {"a": Counter({1.0: 1000})}}) == []
    apart: Counts = {"1-2": {"a": Counter({1.0: 1000})}, "1-3": {"b": Counter({0.0: 1000})}}
    assert homogeneity(apart) == []


def test_a_worker_that_joined_late_is_compared_with_what_it_played() -> None:
    rng = random.Random(5)
    counts = _counts(rng, {"a": 1.0, "b": 1.0}, 1500, 2)
    counts["1-3"]["late"] = Counter({0.0: 200})
    found = homogeneity(counts)
    assert [suspect.worker for suspect in found] == ["late"]
    assert isinstance(found[0], Suspect)
    assert found[0].blocks == 200
