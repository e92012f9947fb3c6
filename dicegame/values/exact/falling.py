"""Solving where busts cost points: scores fall, so that every pair of places depends on every other.

All turns are worked out from the values so far, again and again. By itself that settles slowly, as whatever is wrong in one place is
handed on by every penalty. So what is wrong is handed on at once: with each turn's own chance of a bust, and with the points that a
turn like any other banks, the same for all places. That foretells nearly all of the change, and a few rounds are enough.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from dicegame.rules.model import Penalty, PushLuckRules
from dicegame.values.exact import falling_kernels, kernels
from dicegame.values.exact.anderson import Progress, settle
from dicegame.values.exact.kernels import Array
from dicegame.values.exact.solve import Work, solve

NUDGE = 1e-3  # of a value, to see what it counts for in a turn


def settle_falling(rules: PushLuckRules, work: Work, values: Array, progress: Progress | None) -> None:
    """Fill in the values of all positions."""
    _guess(rules, work, values)
    pairs = all_pairs(work)
    usual = _usual_turn(work, values)
    wrong, slope, change = np.zeros_like(values), np.zeros_like(values), np.zeros_like(values)
    with ThreadPoolExecutor(work.threads) as pool:
        parts = [np.ascontiguousarray(pairs[start :: work.threads]) for start in range(work.threads)]

        def once() -> float:
            futures = [
                pool.submit(falling_kernels.residues, part, values, work.places, work.rolls, wrong, slope)
                for part in parts
            ]
            most = max(future.result() for future in futures)
            falling_kernels.hand_on(pairs, wrong, slope, usual, work.places, change)
            values[:] = np.clip(values + change, 0.0, 1.0)
            return most

        settle(values, once, progress)


def _guess(rules: PushLuckRules, work: Work, values: Array) -> None:
    """Begin with the values of the game in which busts cost nothing, whatever seats have bust before: they are not far off."""
    axis = work.axis
    free = rules.model_copy(update={"penalty": Penalty(), "target": axis.far * axis.unit})
    plain = solve(free, threads=work.threads)
    size, block = plain.axis.size, axis.far + 1
    known = np.array(plain.values).reshape(size, size)
    blocks = axis.counts * (2 if axis.unopened else 1)
    for p in range(blocks):
        for q in range(blocks):
            mine, theirs = (
                block if b >= axis.counts else 0 for b in (p, q)
            )  # places of unopened seats come second there
            part = known[mine : mine + block, theirs : theirs + block]
            values[p * block : (p + 1) * block, q * block : (q + 1) * block] = np.where(part > 0, part, 0.5)
    values[:, ::block] = values[::block, :] = 0.0


def all_pairs(work: Work) -> Array:
    """Return all positions (mover, other), from little missing to much, and from many busts in a row to few."""
    axis = work.axis
    places = [place for place in range(axis.size) if axis.missing(place)]
    found = np.array([(mover, other) for mover in places for other in places])
    busts = found // (axis.far + 1) % axis.counts
    missing = found % (axis.far + 1)
    return np.ascontiguousarray(found[np.lexsort((-busts.sum(axis=1), missing.sum(axis=1)))])


def _usual_turn(work: Work, values: Array) -> Array:
    """Return how often a turn from far away that does not bust banks 0, 1, ... steps: what a nudge to each bank does to its value."""
    axis, rolls = work.axis, work.rolls
    place = axis.place(axis.far)
    best, slope = np.empty((rolls.dice + 1) * rolls.stride), np.empty((rolls.dice + 1) * rolls.stride)
    bank = np.empty(rolls.stride)
    lost = 1 - values[place, axis.after_bust(place)]
    top = kernels.fill_bank(bank, place, place, lost, values, work.places)
    flat, _slope = kernels.turn(bank, top, lost, False, rolls, best, slope)
    usual = np.zeros(axis.far + 1)
    for x in range(1, axis.far + 1):
        if bank[x] >= 0:
            nudged = bank.copy()
            nudged[x] += NUDGE
            usual[x] = max(0.0, kernels.turn(nudged, top, lost, False, rolls, best, slope)[0] - flat)
    return usual / max(usual.sum(), 1e-300)
