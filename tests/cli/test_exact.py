"""`match --exact` and `simulate` as a user runs them: real processes, their output, their exit codes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.process import run

THOUSAND = ("--rules", "thousand")


def result(*args: str) -> Any:
    """Return the one JSON object that a command prints, which must succeed."""
    done = run(*args, "--json", timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def refused(*args: str) -> str:
    """Return what a command says on stderr, which must be refused for its input."""
    done = run(*args, timeout=300)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    return done.stderr


def test_exact_chances() -> None:
    """A mirror of the known figure: who moves first; and both seats averaged one half."""
    word = "hold:at=300,hot=roll"
    found = result("match", word, f"Bob={word}", "--exact", "--rules", "core")
    assert (found["rules"], found["players"]) == ("core", ["hold:at=300,hot=roll", "Bob"])
    assert found["win_probability"] == pytest.approx([0.5, 0.5], abs=1e-12)
    assert found["by_first"][0] == pytest.approx([0.535216, 0.464784], abs=5e-7)
    assert found["by_first"][1] == pytest.approx([0.464784, 0.535216], abs=5e-7)


def test_exact_chances_for_people() -> None:
    done = run("match", "house", "cautious", "--exact", *THOUSAND, timeout=300)
    assert done.returncode == 0
    first, second, third = done.stdout.splitlines()
    assert first == "thousand: exact chances to win, a tie counting one half"
    assert second.startswith("house: wins ")
    assert third.startswith("cautious: wins ")


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("house", "house", "--games", "5"), "it takes no --games"),
        (("house", "house", "--records", "somewhere"), "it takes no --records"),
        (("house", "house", "--luck", "optimal"), "it takes no --luck"),
        (("house", "house", "--no-clock"), "it takes no --no-clock"),
        (("house",), "--exact is for two players, and here are 1"),
        (("house", "house", "house"), "--exact is for two players, and here are 3"),
        (("house", "random"), "random has no fixed way to play"),
        (("human", "house"), "human has no fixed way to play"),
        (("house", "house", "--rules", "high-dice"), "push-your-luck rule sets"),
        (("house", "house", "--rules", "thousand-classic"), "can't be solved exactly"),
    ],
)
def test_what_cannot_be_evaluated(args: tuple[str, ...], why: str) -> None:
    assert why in refused("match", *args, "--exact")


def test_bulk_play() -> None:
    args = ("simulate", "hold:at=300", "house", *THOUSAND, "--games", "200000", "--seed", "text")
    found, again = result(*args), result(*args, "--workers", "1")
    assert (found["rules"], found["players"], found["seed"]) == ("thousand", ["hold:at=300", "house"], "text")
    assert found["games"] == 200_000
    for field in ("win_probability", "by_first", "standard_error", "mean_turns", "ties"):
        assert found[field] == again[field], field
    assert found["games_per_second"] > 0
    exact = result("match", "hold:at=300", "house", "--exact", *THOUSAND)
    difference = abs(found["win_probability"][0] - exact["win_probability"][0])
    assert difference <= 4 * found["standard_error"][0]
    for row, errors, chances in zip(
        found["by_first"], found["by_first_standard_error"], exact["by_first"], strict=True
    ):
        assert abs(row[0] - chances[0]) <= 4 * errors[0]


def test_a_seed_of_its_own_plays_the_same_games_again() -> None:
    args = ("simulate", "greedy", "cautious", *THOUSAND, "--games", "1000")
    found = result(*args)
    assert result(*args, "--seed", found["seed"])["win_probability"] == found["win_probability"]


def test_bulk_play_for_people() -> None:
    done = run("simulate", "house", "house", *THOUSAND, "--games", "1000", env={"COLUMNS": "200"}, timeout=300)
    assert done.returncode == 0
    first, second, third = done.stdout.splitlines()
    assert first.startswith("thousand: 1000 games of ")
    assert second.startswith("house: wins ")
    assert third.startswith("house 2: wins ")


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("house", "random"), "random has no fixed way to play"),
        (("house",), "takes 2 values"),
        (("house", "house", "--rules", "high-dice"), "push-your-luck rule sets"),
        (("house", "house", "--games", "0"), "--games"),
    ],
)
def test_what_cannot_be_simulated(args: tuple[str, ...], why: str) -> None:
    assert why in refused("simulate", *args)
