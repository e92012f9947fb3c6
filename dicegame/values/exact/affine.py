"""The fixed point of a sweep over values that both seats' ways of play make linear: no choice depends on the values.

Sweeping again and again gets there, but slowly where most turns bust and cost points. BiCGSTAB (H. A. van der Vorst, SIAM Journal on
Scientific and Statistical Computing 13, 1992) on what a sweep leaves undone gets there in few sweeps, and in a few hundred at worst.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dicegame.values.exact.anderson import Progress
from dicegame.values.exact.kernels import Array

SETTLED = 3e-15  # the largest change in a sweep after which the rest is left alone: little more than rounding
MOST_STEPS = 500  # before the method begins anew from where it is
MOST_STARTS = 20
POLISHING = 3  # plain sweeps at the end

Sweep = Callable[[Array], None]


def settle_affine(values: Array, sweep: Sweep, progress: Progress | None = None) -> None:
    """Change `values` to those that `sweep`, which works values out anew in place, leaves as they are.

    `progress` is told from time to time which part of the work is done, from 0 to 1.
    """
    constant = _swept(np.zeros_like(values), sweep)
    least = np.inf
    for _start in range(MOST_STARTS):
        change = _swept(values, sweep) - values
        most = float(np.abs(change).max())
        if most <= SETTLED or most > least / 2:
            break  # there, or as near as rounding lets one come
        least = most
        _bicgstab(values, change, lambda v: v - (_swept(v, sweep) - constant), progress)
    for _round in range(POLISHING):
        sweep(values)


def _bicgstab(values: Array, residue: Array, apply: Callable[[Array], Array], progress: Progress | None) -> None:
    """Add to `values` what takes their `residue` away, as `apply` says what any change of values does to it."""
    shadow = residue.copy()
    direction, applied = np.zeros_like(values), np.zeros_like(values)
    rho = alpha = omega = 1.0
    first = float(np.abs(residue).max())
    for _step in range(MOST_STEPS):
        before, rho = rho, float(np.vdot(shadow, residue))
        if rho == 0.0 or omega == 0.0:
            return
        direction = residue + rho / before * alpha / omega * (direction - omega * applied)
        applied = apply(direction)
        alpha = rho / float(np.vdot(shadow, applied))
        half = residue - alpha * applied
        moved = apply(half)
        whole = float(np.vdot(moved, moved))
        omega = float(np.vdot(moved, half)) / whole if whole else 0.0
        values += alpha * direction + omega * half
        residue = half - omega * moved
        most = float(np.abs(residue).max())
        if progress is not None:
            progress(min(1.0, max(0.0, 1 - np.log(max(most, SETTLED) / SETTLED) / np.log(first / SETTLED))))
        if most <= SETTLED:
            return


def _swept(values: Array, sweep: Sweep) -> Array:
    after = values.copy()
    sweep(after)
    return after
