"""The compiled loops for rule sets in which scores fall."""

from __future__ import annotations

import numpy as np
from numba import njit

from dicegame.values.exact.kernels import Array, Places, Rolls, value_of

HANDED_ON = 1e-3  # of the largest change: what is handed on more finely is lost among what the usual turn gets wrong
MOST_ROUNDS = 100


@njit(cache=True, nogil=True)
def residues(pairs: Array, values: Array, places: Places, rolls: Rolls, wrong: Array, slope: Array) -> float:
    """Work all these positions out from the values so far; fill in how wrong those are, and each turn's chance of a bust.

    Returns how wrong one is at most.
    """
    best = np.empty((rolls.dice + 1) * rolls.stride)
    slopes = np.empty((rolls.dice + 1) * rolls.stride)
    bank = np.empty(rolls.stride)
    most = 0.0
    for p in range(pairs.shape[0]):
        i, j = pairs[p, 0], pairs[p, 1]
        lost = 1.0 - values[j, places.after_bust[i]]
        value, tilt = value_of(i, j, lost, values, places, rolls, best, slopes, bank)
        wrong[i, j] = value - values[i, j]
        slope[i, j] = tilt
        most = max(most, abs(wrong[i, j]))
    return most


@njit(cache=True, nogil=True)
def hand_on(pairs: Array, wrong: Array, slope: Array, usual: Array, places: Places, change: Array) -> None:
    """Fill in what the values change by if what is wrong is handed on, from those that a turn leads to to those that lead to them.

    `usual` is how often a turn that does not bust banks so many steps.
    """
    change[:] = wrong
    for _round in range(MOST_ROUNDS):
        most = moved = 0.0
        for p in range(pairs.shape[0]):
            i, j = pairs[p, 0], pairs[p, 1]
            far = places.missing[i]
            handed = 0.0
            for x in range(1, far):
                handed += usual[x] * change[j, far - x]
            new = wrong[i, j] - slope[i, j] * change[j, places.after_bust[i]] - (1.0 - slope[i, j]) * handed
            moved = max(moved, abs(new - change[i, j]))
            most = max(most, abs(new))
            change[i, j] = new
        if moved <= HANDED_ON * most:
            break
