"""Published and independently computed values of perfect play, to the digits in which they were given.

The chance of the seat to move, ties as one half. The values of games with a final round come from two solvers that look, of keeps
which leave equally many dice, only at the one with the most points; so does ours where it is asked to `merge` them.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dicegame.rules.load import load
from dicegame.rules.model import PushLuckRules
from dicegame.values.exact.falling import all_pairs
from dicegame.values.exact.falling_kernels import residues
from dicegame.values.exact.solve import least_turns, prepare, solve
from dicegame.values.solved import SHIPPED, Solved, read


def rules_of(name: str, *changes: str, target: int | None = None) -> PushLuckRules:
    rules = load(name, changes, target)
    assert isinstance(rules, PushLuckRules)
    return rules


def mover(solved: Solved, missing: int, other: int | None = None) -> float:
    """The chance of the seat to move by the points that both miss; the other as many unless given."""
    unit, axis = solved.axis.unit, solved.axis
    return solved.value(axis.place(missing // unit), axis.place((missing if other is None else other) // unit))


def test_core() -> None:
    """Knizia's game; fairest if the second player starts with 200 (Busche and Neller 2017)."""
    core = solve(rules_of("core"))
    assert mover(core, 10_000) == pytest.approx(0.5369530318, abs=5e-11)
    assert mover(core, 10_000, 9_900) == pytest.approx(0.52053521, abs=5e-9)
    assert mover(core, 10_000, 9_800) == pytest.approx(0.50400219, abs=5e-9)
    assert mover(core, 10_000, 9_750) == pytest.approx(0.49570121, abs=5e-9)
    assert mover(core, 5_000) == pytest.approx(0.55141584, abs=5e-9)
    assert mover(core, 1_000) == pytest.approx(0.60238968, abs=5e-9)
    assert mover(core, 500) == pytest.approx(0.67562066, abs=5e-9)
    assert mover(core, 50) == pytest.approx(0.97005988, abs=5e-9)
    assert least_turns(rules_of("core")) == pytest.approx(23.00399000, abs=5e-9)


def test_with_straights_and_pairs() -> None:
    dm_a = solve(rules_of("dm-a", "end=sudden"))
    assert mover(dm_a, 5_000) == pytest.approx(0.5495227462, abs=5e-11)
    assert mover(dm_a, 10_000) == pytest.approx(0.5354234210, abs=5e-11)
    assert least_turns(rules_of("dm-a")) == pytest.approx(19.73007741, abs=5e-9)


def test_flat_values() -> None:
    cards = solve(rules_of("cardgames", "end=sudden"))
    assert mover(cards, 10_000) == pytest.approx(0.5325189, abs=5e-8)


def test_thousand() -> None:
    for changes, value in (((), 0.5764872831), (("pair_left=[]",), 0.5716945747)):
        solved = solve(rules_of("thousand", *changes))
        start = solved.axis.place(1000 // 25, opened=False)
        assert solved.value(start, start) == pytest.approx(value, abs=5e-11)
    assert mover(solve(rules_of("thousand")), 500) == pytest.approx(0.6307418215, abs=5e-11)


@pytest.mark.slow
def test_final_round() -> None:
    dm_a = solve(rules_of("dm-a"), merge=True)
    assert mover(dm_a, 5_000) == pytest.approx(0.5461656506, abs=5e-11)
    assert mover(dm_a, 10_000) == pytest.approx(0.5341877369, abs=5e-11)


@pytest.mark.slow
def test_ten_thousand() -> None:
    solved = solve(rules_of("ten-thousand"), merge=True)
    assert mover(solved, 5_000) == pytest.approx(0.5457947250, abs=5e-11)
    assert mover(solved, 10_000) == pytest.approx(0.5337583852, abs=5e-11)
    assert mover(solved, 1_000) == pytest.approx(0.5781894059, abs=5e-11)
    assert mover(solved, 1_000, 500) == pytest.approx(0.4316948646, abs=5e-11)


def test_one_last_turn() -> None:
    """The chance of one last turn to win by points behind, a tie counting one half."""
    last = solve(rules_of("ten-thousand", target=50)).last[0]
    behind = [last[points // 50] for points in (300, 500, 1000, 2000)]
    assert behind == pytest.approx([0.7799223958, 0.5326645915, 0.3059494458, 0.0792551797], abs=5e-11)


def test_fewer_points_can_be_better_before_a_final_round() -> None:
    """Who stays just below the target has the last word: looking at every keep is worth something, and never less."""
    rules = rules_of("ten-thousand", target=1_000)
    every, merged = solve(rules), solve(rules, merge=True)
    assert mover(every, 1_000, 500) > mover(merged, 1_000, 500) + 1e-5
    assert mover(merged, 1_000, 500) == pytest.approx(0.4316948646, abs=5e-11)


def test_all_cores_and_one_agree() -> None:
    rules = rules_of("thousand")
    assert list(solve(rules, threads=1).values) == list(solve(rules, threads=4).values)


@pytest.mark.slow
def test_farkle_where_busts_in_a_row_cost() -> None:
    """The published chance of the first player (Busche), and all positions at once: one more round changes none of them.

    Working them all out takes a quarter of an hour; that no position is off by more than the rounding shows as much.
    """
    rules = rules_of("farkle-facebook")
    shipped = read(SHIPPED / "farkle-facebook.values")
    start = shipped.axis.place(10_000 // 50)
    assert shipped.value(start, start) == pytest.approx(0.53487, abs=5e-6)
    work = prepare(rules)
    values = np.array(shipped.values).reshape(shipped.axis.size, shipped.axis.size)
    wrong, slope = np.zeros_like(values), np.zeros_like(values)
    pairs = all_pairs(work)
    parts = [np.ascontiguousarray(pairs[start :: work.threads]) for start in range(work.threads)]
    with ThreadPoolExecutor(work.threads) as pool:
        futures = [pool.submit(residues, part, values, work.places, work.rolls, wrong, slope) for part in parts]
        assert max(future.result() for future in futures) < 1.1e-6
