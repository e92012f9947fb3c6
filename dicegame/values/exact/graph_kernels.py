"""The compiled inner loops over standings whose house rules remember: see `kernels` for one turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dicegame.values.exact.kernels import FORBIDDEN, Array, Rolls, turn


class Leads(NamedTuple):
    """What turns lead to, by standing, as arrays: see `values.graph.Graph`.

    `last` has the chances in a last turn, by row and by steps behind. `least_bust` is the smallest chance of a bust.
    """

    need: Array
    end: Array
    hit: Array
    bust: Array
    first: Array
    then: Array
    row: Array
    behind: Array
    last: Array
    final: bool
    exact: bool
    least_bust: float


class Blocks(NamedTuple):
    """Standings in the order in which they are worked out: block `b` is `order[start[b]]` to `order[start[b + 1]]`.

    In a block that is a `circle` every bust leads to the next standing, and from the last one to the first; any other is one standing.
    """

    order: Array
    start: Array
    circle: Array


@njit(cache=True, nogil=True)
def fill_bank(bank: Array, i: int, lost: float, values: Array, leads: Leads) -> int:
    """Fill in what banking is worth in standing `i` by steps; return the `top` of `kernels.turn`."""
    need, end, length = leads.need[i], leads.end[i], bank.shape[0]
    bank[: min(need, length)] = FORBIDDEN
    first = leads.first[i] - need
    for x in range(need, end):
        bank[x] = 1.0 - values[leads.then[first + x]]
    start = max(need, end)
    if leads.exact:
        bank[end:] = FORBIDDEN
        if not leads.hit[i]:
            return end
        if end >= need:
            bank[end] = 1.0
        return end + 1
    if not leads.final:
        bank[start:] = 1.0
        return start
    last, behind = leads.last[leads.row[i]], leads.behind[i]
    top = -1
    for x in range(start, length):
        d = min(behind + x, last.shape[0] - 1)
        bank[x] = 1.0 - last[d]
        if top < 0 and (last[d] <= leads.least_bust * (1.0 - lost) or d == last.shape[0] - 1):
            top = x
    return top


@njit(cache=True, nogil=True)
def work_out(blocks: Blocks, low: int, high: int, values: Array, fresh: Array, leads: Leads, rolls: Rolls) -> float:
    """Work the standings of blocks `low` to `high` out anew, from `values` into `fresh`; return the largest change."""
    best = np.empty((rolls.dice + 1) * rolls.stride)
    slope = np.empty((rolls.dice + 1) * rolls.stride)
    bank = np.empty(rolls.stride)
    change = 0.0
    for b in range(low, high):
        block = blocks.order[blocks.start[b] : blocks.start[b + 1]]
        tilts = np.zeros(block.shape[0])
        for j in range(block.shape[0]):
            i = block[j]
            lost = 1.0 - values[leads.bust[i]]
            top = fill_bank(bank, i, lost, values, leads)
            fresh[i], tilts[j] = turn(bank, top, lost, False, rolls, best, slope)
        if blocks.circle[b]:
            close_circle(block, tilts, values, fresh)
        for i in block:
            change = max(change, abs(fresh[i] - values[i]))
    return change


@njit(cache=True, nogil=True)
def close_circle(block: Array, tilts: Array, values: Array, fresh: Array) -> None:
    """Solve the standings of a circle of busts together: one step of Newton's method.

    The value of a turn moves by its tilt with that of a bust, which is 1 less the value of the next standing. So every value is
    `fixed + factor * value`, of the value of the first standing, which the last one leads back to.
    """
    last = block.shape[0] - 1
    fixed, factor = 0.0, 1.0
    for j in range(last, -1, -1):
        before = values[block[0 if j == last else j + 1]]
        fixed = fresh[block[j]] + tilts[j] * (before - fixed)
        factor = -tilts[j] * factor
    if 1.0 - factor < 1e-9:
        return  # nothing but busts
    value = fixed / (1.0 - factor)
    for j in range(last, -1, -1):
        before = values[block[0 if j == last else j + 1]]
        value = fresh[block[j]] + tilts[j] * (before - value)
        fresh[block[j]] = min(1.0, max(0.0, value))


@njit(cache=True, nogil=True)
def take_over(blocks: Blocks, low: int, high: int, values: Array, fresh: Array) -> None:
    """Put the standings of blocks `low` to `high` from `fresh` into `values`."""
    for p in range(blocks.start[low], blocks.start[high]):
        values[blocks.order[p]] = fresh[blocks.order[p]]
