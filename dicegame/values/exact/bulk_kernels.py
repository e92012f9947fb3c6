"""The compiled loops that play whole games between two fixed players, turn by turn from the laws of their turns.

Where a turn leads is drawn from its law by the alias method (A. J. Walker, ACM Transactions on Mathematical Software 3, 1977; made as
M. D. Vose tells, IEEE Transactions on Software Engineering 17, 1991): one random number, two look-ups. The random numbers are those of
SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from dicegame.values.exact.kernels import Array
from dicegame.values.exact.policy_kernels import Board

# Where a turn leads, beside a number of steps that are banked: to nothing, to victory at once.
BUST, MOST, WIN = 0, 32_766, 32_767
Number = Any  # of numpy, with a sign or without
LANES = 4  # games side by side
GAMMA = np.uint64(0x9E3779B97F4A7C15)
WON, LEVEL, LOST = 0, 1, 2


class Draws(NamedTuple):
    """The laws of both players, ready to be drawn from.

    That of player `p` at a pair of places (mover, other) is number `index[p, mover, other]`. Of law `k` there are columns from
    `start[k]` to `start[k + 1]`, all as likely; column `c` leads to `codes[2 * c]` with the chance `stay[c]`, and else to the next. `odds`
    are the chances to win a last turn and to end it level, by player, row of the place, steps behind, and these two. `missing` and
    `after_bust` are those of the board, without a sign.
    """

    index: Array
    start: Array
    stay: Array
    codes: Array
    odds: Array
    missing: Array
    after_bust: Array


@njit(cache=True, nogil=True)
def count_columns(start: Array, chance: Array, win: Array, tail: float, columns: Array) -> None:
    """Fill in how many columns each law needs, if the largest numbers of steps that together have a chance of `tail` are left out."""
    for k in range(len(win)):
        rest, found = 0.0, 1 + (win[k] > 0.0)
        for at in range(start[k + 1] - 1, start[k], -1):
            rest += chance[at]
            found += chance[at] > 0.0 and rest > tail
        columns[k] = found


@njit(cache=True, nogil=True)
def fill_columns(start: Array, chance: Array, win: Array, first: Array, stay: Array, codes: Array) -> None:
    """Make the columns of each law from `first` on, as many as were counted."""
    for k in range(len(win)):
        columns = first[k + 1] - first[k]
        to = np.empty(columns, dtype=np.uint16)
        weights = np.empty(columns)
        to[0], used, sure = BUST, 1, win[k]
        if win[k] > 0.0:
            to[1], weights[1], used = WIN, win[k], 2
        at = start[k]
        while used < columns:
            at += 1
            if chance[at] > 0.0:
                to[used], weights[used] = min(at - start[k], MOST), chance[at]
                sure += chance[at]
                used += 1
        weights[0] = max(0.0, 1.0 - sure)
        alias(to, weights, stay[first[k] : first[k + 1]], codes[2 * first[k] : 2 * first[k + 1]])


@njit(cache=True, nogil=True)
def alias(to: Array, weights: Array, stay: Array, codes: Array) -> None:
    """Make the columns of one law: what is too little in one is filled up with what is too much in another."""
    n = len(to)
    part = weights * (n / weights.sum())
    little, much = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    littles = muches = 0
    for c in range(n):
        codes[2 * c] = codes[2 * c + 1] = to[c]
        stay[c] = 1.0
        if part[c] < 1.0:
            little[littles] = c
            littles += 1
        else:
            much[muches] = c
            muches += 1
    while littles and muches:
        littles -= 1
        small, large = little[littles], much[muches - 1]
        stay[small] = part[small]
        codes[2 * small + 1] = to[large]
        part[large] -= 1.0 - part[small]
        if part[large] < 1.0:
            muches -= 1
            little[littles] = large
            littles += 1


@njit(cache=True, nogil=True)
def fraction(state: Number) -> float:
    """Return the random number, from 0 to 1, of a state of SplitMix64."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return np.float64(np.int64(state >> np.uint64(11))) * 2.0**-53


@njit(cache=True, nogil=True)
def last_turn(who: int, row: int, behind: int, at: float, odds: Array) -> int:
    """Return who wins by the last turn of player `who`: 0, 1, or 2 for both. `at` is a random number."""
    behind = min(behind, odds.shape[2] - 1)
    wins, level = odds[who, row, behind, 0], odds[who, row, behind, 1]
    return who if at < wins else 2 if at < wins + level else 1 - who


@njit(cache=True, nogil=True)
def play(games: int, state: Number, start: int, most_turns: int, draws: Draws, board: Board, results: Array) -> int:
    """Play games from both players' place `start`, the players moving first in turn; return how many turns they took.

    Adds up in `results` how often player 0 won, was level and lost, by who moved first. `state` is where the random numbers begin,
    `most_turns` the limit of turns for each seat.

    A few games are played side by side, a turn of each in turn, so that the processor need not wait for the memory. Numbers without a
    sign save it the question whether an index counts from the end.
    """
    index, first, stay, codes = draws.index, draws.start, draws.stay, draws.codes
    missing, after_bust, row = draws.missing, draws.after_bust, board.row
    one, two = np.uint64(1), np.uint64(2)
    z: Number = np.uint64(state)
    movers = np.zeros(LANES, dtype=np.uint64)
    mine, other = np.full(LANES, start, dtype=np.uint64), np.full(LANES, start, dtype=np.uint64)
    left, number = np.full(LANES, 2 * most_turns), np.zeros(LANES, dtype=np.int64)
    lanes = begun = min(games, LANES)
    number[:] = np.arange(LANES)
    movers[1::2] = one
    turns = 0
    while lanes:
        lane: Number = np.uint64(0)
        while lane < lanes:
            who, i, j = movers[lane], mine[lane], other[lane]
            law = np.uint64(index[who, i, j])
            z += GAMMA
            at = fraction(z) * np.int64(first[law + one] - first[law])
            column = np.uint64(np.int64(at))
            beyond = at - np.int64(column) >= stay[first[law] + column]
            code = codes[two * (first[law] + column) + np.uint64(beyond)]
            far = missing[i]
            left[lane] -= 1
            mine[lane] = j
            other[lane] = after_bust[i] if code == BUST else far - code
            movers[lane] = one - who
            if code < far and left[lane]:
                lane += one
                continue
            winner: Number = np.int64(who)
            if code < far:  # by the limit of turns the highest score wins
                misses, others = missing[other[lane]], missing[j]
                winner = winner if misses < others else 2 if misses == others else 1 - winner
            elif board.final and code != WIN:
                z += GAMMA
                behind: Number = np.int64(missing[j]) + np.int64(code) - np.int64(far)
                winner = last_turn(1 - winner, row[j], behind, fraction(z), draws.odds)
                turns += 1
            turns += 2 * most_turns - int(left[lane])
            results[number[lane] & 1, WON if winner == 0 else LEVEL if winner == 2 else LOST] += 1
            if begun < games:
                number[lane], movers[lane] = begun, begun & 1
                mine[lane] = other[lane] = start
                left[lane] = 2 * most_turns
                begun += 1
            else:
                lanes -= 1
                number[lane], movers[lane], left[lane] = number[lanes], movers[lanes], left[lanes]
                mine[lane], other[lane] = mine[lanes], other[lanes]
    return turns
