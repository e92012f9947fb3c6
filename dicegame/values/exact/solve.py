"""Solving a rule set for two seats: backward induction over pairs of places, on every core.

Positions are worked out in the order of what both seats miss together: a bank leads to less. A bust leads back to the same pair with
the other seat to move, so the two values of a pair are solved together (Neller and Presser, "Optimal Play of the Dice Game Pig",
2004; Busche and Neller, "Optimal Play of the Farkle Dice Game", 2017). Where busts cost points the pairs depend on each other, and all
of them are worked out again and again until nothing changes; see `values.exact.falling`.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from dicegame.errors import RulesError
from dicegame.rules.model import End, PushLuckRules, Reach
from dicegame.rules.table import Table
from dicegame.text import _, quote
from dicegame.values import solved
from dicegame.values.axis import Axis, key_of
from dicegame.values.choices import Choices, compile_choices
from dicegame.values.exact import kernels
from dicegame.values.exact.anderson import Progress
from dicegame.values.exact.kernels import Array, Places, Rolls
from dicegame.values.graphfile import SolvedGraph
from dicegame.values.solved import SUFFIX, Solved, cache_folder
from dicegame.values.turn import can_last

TOLERANCE = 1e-13  # of a value between two steps of Newton's method, which then is much closer
MOST_BEHIND = 20_000  # steps: no rule set that can bust comes near
TIE = 0.5


@dataclass(frozen=True, slots=True)
class Work:
    """What a solving is made of: the rule set's choices and places as arrays, and how many threads work."""

    axis: Axis
    rolls: Rolls
    places: Places
    threads: int


def solve(
    rules: PushLuckRules, *, progress: Progress | None = None, threads: int | None = None, merge: bool = False
) -> Solved:
    """Return the exact values of a rule set, worked out here and now.

    Args:
        rules: the rule set.
        progress: told from time to time which part of the work is done, from 0 to 1.
        threads: how many threads work; every core that may be used unless given.
        merge: of keeps that leave equally many dice to roll look only at the one with the most points. In a final round fewer can be
            better (who stays just below the target leaves the last word to itself), so this is not quite perfect play there; it is
            how such games have been solved elsewhere, and how figures are compared.

    Raises:
        RulesError: it can't be solved exactly, and which rule is why.
    """
    work = prepare(rules, threads=threads, merge=merge)
    values = np.full((work.axis.size, work.axis.size), 0.5)
    values[:, 0] = values[0, :] = 0.0
    if work.axis.penalty:
        from dicegame.values.exact.falling import settle_falling  # noqa: PLC0415 - built upon this module

        settle_falling(rules, work, values, progress)
    else:
        _induce(work, values, progress)
    last = [array("d", row) for row in work.places.last]
    return Solved(key_of(rules), work.axis, array("d", values.ravel()), (last[0], last[-1]), 0.0, "")


def solve_and_keep(rules: PushLuckRules, *, progress: Progress | None = None) -> Solved | SolvedGraph:
    """Return the exact values of a rule set, and keep them in this user's cache, if it can be written.

    Those of a larger target that the cache has stay there, if they serve this one as well.

    Raises:
        RulesError: it can't be solved exactly, and which rule is why.
    """
    if rules.house.remembers:
        from dicegame.values.exact.graph import solve_graph_and_keep  # noqa: PLC0415 - built upon this module

        return solve_graph_and_keep(rules, progress=progress)
    found = solve(rules, progress=progress)
    path = cache_folder() / f"{found.key}{SUFFIX}"
    with suppress(OSError, solved.DamagedValues):
        if solved.read(path).axis.target > found.axis.target:
            return found
    with suppress(OSError):
        found = solved.write(path, found)
        solved.forget()
    return found


def prepare(rules: PushLuckRules, *, threads: int | None = None, merge: bool = False) -> Work:
    """Return the arrays that a rule set is solved with.

    Raises:
        RulesError: it can't be solved exactly, and which rule is why.
    """
    table = Table(rules)
    axis = Axis.of(rules, table)
    if can_last(table):
        raise RulesError(_("%s can't be solved: a turn can go on for ever without a bust") % quote(rules.name))
    final = rules.end is End.FINAL_ROUND
    exact = rules.reach is Reach.EXACT
    choices = compile_choices(table, every=exact or (final and not merge))
    needs = (axis.required, axis.opening)[: 2 if axis.unopened else 1]
    last = last_turns(compile_choices(table), [(need, TIE) for need in needs]) if final else np.zeros((1, 1))
    beyond = last.shape[1] if final else 1
    rolls = rolls_of(choices, max(axis.far, axis.opening) + beyond + choices.furthest + 2)
    places = places_of(axis, last, rules, 0.0 if rolls.must else min(choices.bust))
    return Work(axis, rolls, places, threads or cores())


def places_of(axis: Axis, last: Array, rules: PushLuckRules, least_bust: float) -> Places:
    """Return an axis as arrays; `last` has a row by steps behind for seats that have opened, and one for those that have not."""
    numbers = range(axis.size)
    exact = rules.reach is Reach.EXACT
    final = rules.end is End.FINAL_ROUND
    return Places(
        missing=np.array([axis.missing(i) for i in numbers]),
        needed=np.array([axis.needs(i) for i in numbers]),
        after_bust=np.array([axis.after_bust(i) for i in numbers]),
        row=np.array([int(i >= (axis.far + 1) * axis.counts) for i in numbers]),
        last=last,
        final=final,
        exact=exact,
        rising=not (final or exact),
        least_bust=least_bust,
    )


def rolls_of(choices: Choices, stride: int) -> Rolls:
    """Return choices as arrays, for turns of up to `stride` steps."""
    set_start, choice_start = [0], [0]
    chances: list[float] = []
    place: list[int] = []
    for of_n in choices.sets:
        for chance, found in of_n:
            chances.append(chance)
            place += [kind * stride + steps for kind, steps in found]
            choice_start.append(len(place))
        set_start.append(len(chances))
    must = any(kind == choices.must_roll for of_n in choices.sets for _chance, found in of_n for kind, _steps in found)
    return Rolls(
        choices.dice,
        stride,
        must,
        np.array(choices.bust),
        np.array(choices.win),
        np.array(choices.again),
        np.array(set_start),
        np.array(chances),
        np.array(choice_start),
        np.array(place),
    )


def least_turns(rules: PushLuckRules) -> float | None:
    """Return the least expected number of turns to the target of a seat that plays alone; None where scores can fall.

    Raises:
        RulesError: it can't be solved exactly, and which rule is why.
    """
    work = prepare(rules, threads=1)
    axis = work.axis
    if axis.penalty:
        return None
    turns = np.zeros(axis.target + 1)
    return float(kernels.alone(turns, axis.required, axis.opening, work.places.exact, work.rolls))


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def last_turns(choices: Choices, rows: list[tuple[int, float]]) -> Array:
    """Return the chances in a last turn by the steps behind, in a row for each pair of the steps that it needs and what a tie is worth.

    All are as long as the longest, and go on as they end. There more points are never worse, so that merged choices do.
    """
    found: list[Array] = []
    furthest = choices.furthest
    for need, tie in rows:
        length = 512
        while True:
            chances = np.zeros(length)
            rolls = rolls_of(choices, length + need + furthest + 2)
            used = kernels.last_turns(chances, need, tie, furthest, rolls)
            if used <= length or length > MOST_BEHIND:
                break
            length *= 2
        found.append(chances[:used])
    longest = max(map(len, found))
    return np.array([np.pad(row, (0, longest - len(row)), mode="edge") for row in found])


def _diagonals(axis: Axis) -> Iterator[Array]:
    """Yield the unordered pairs of places that can meet, by what both seats miss together, from little to much."""
    far = axis.target
    for total in range(2, 2 * far + 1):
        less = np.arange(max(1, total - far), total // 2 + 1)
        more = total - less
        pairs = [np.stack([more, less], axis=1)]
        if axis.unopened:
            new = axis.place(0, opened=False)
            pairs.append(np.stack([new + more, less], axis=1))
            if total % 2 == 0:
                pairs.append(np.array([[new + total // 2] * 2]))
        yield np.concatenate(pairs)


def _induce(work: Work, values: Array, progress: Progress | None) -> None:
    """Solve all pairs, diagonal by diagonal, starting each from what its neighbours foretell."""
    done, whole = 0, sum(len(pairs) for pairs in _diagonals(work.axis))
    with ThreadPoolExecutor(work.threads) as pool:
        for pairs in _diagonals(work.axis):
            _foretell(values, pairs[:, 0], pairs[:, 1], work.axis)
            _foretell(values, pairs[:, 1], pairs[:, 0], work.axis)
            parts = [pairs[start :: work.threads] for start in range(min(work.threads, len(pairs)))]
            for future in [pool.submit(_solve_part, work, values, np.ascontiguousarray(part)) for part in parts]:
                future.result()
            done += len(pairs)
            if progress is not None:
                progress(done / whole)


def _solve_part(work: Work, values: Array, pairs: Array) -> int:
    turns: int = kernels.solve_pairs(pairs, TOLERANCE, values, work.places, work.rolls)
    return turns


def _foretell(values: Array, movers: Array, others: Array, axis: Axis) -> None:
    """Put down a guess for positions whose neighbours are solved: as if the surface had no twist there."""
    block = axis.far + 1
    known = (movers % block > 3) & (others % block > 3)
    a, b = movers[known], others[known]
    values[a, b] = np.clip(values[a - 1, b] + values[a, b - 1] - values[a - 1, b - 1], 0.0, 1.0)
