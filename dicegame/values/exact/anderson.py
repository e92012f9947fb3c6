"""Sweeping over values until they stand still, accelerated by what the last sweeps did."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dicegame.values.exact.kernels import Array

SETTLED = 3e-15  # the largest change in a sweep after which the rest is left alone: little more than rounding
CLOSE = 1e-13  # the largest change from which on
LATE = 10  # more sweeps are enough
DEPTH = 5  # sweeps that are mixed

Progress = Callable[[float], None]


def settle(values: Array, sweep: Callable[[], float], progress: Progress | None) -> int:
    """Call `sweep`, which works all `values` out anew and returns the largest change, until they stand still.

    A change that is left can stand for an error many times as large, where most turns bust and little comes of one sweep.

    `progress` is told from time to time which part of the work is done, from 0 to 1. Returns how many sweeps it took.
    """
    mixed = _Anderson(values)
    first, sweeps, late = 0.0, 0, 0
    while True:
        change = sweep()
        sweeps += 1
        late += change <= CLOSE
        if change <= SETTLED or late > LATE:
            return sweeps
        first = first or change
        if progress is not None:
            progress(min(1.0, max(0.0, 1 - np.log(change / SETTLED) / np.log(first / SETTLED))))
        mixed.step(values)


class _Anderson:
    """Anderson's acceleration of a fixed-point iteration (Walker and Ni 2011), over the last few steps."""

    def __init__(self, values: Array) -> None:
        self._before = values.copy()
        self._results: list[Array] = []
        self._residues: list[Array] = []

    def step(self, values: Array) -> None:
        """Replace what a sweep led to by the mixture of the last ones that comes closest to standing still."""
        result = values.copy()
        self._results = [*self._results[-DEPTH:], result]
        self._residues = [*self._residues[-DEPTH:], result - self._before]
        if len(self._residues) > 1:
            newest = self._residues[-1].ravel()
            steps = np.stack([newest - old.ravel() for old in self._residues[:-1]], axis=1)
            weights = np.linalg.lstsq(steps, newest, rcond=None)[0]
            for weight, old in zip(weights, self._results[:-1], strict=True):
                values -= weight * (result - old)
            np.clip(values, 0.0, 1.0, out=values)
        self._before = values.copy()
