"""The compiled inner loops: one turn under best play, and the two turns of a pair of positions solved together.

A turn is worked out downwards in turn points. `best` holds, at `kind * stride + steps`, what the mover's chance is after a keep of
that kind (see `values.choices`) with so many steps in the turn: the larger of banking and rolling, or rolling alone. `slope` holds its
derivative by `lost`, the mover's chance after a bust. A negative chance stands for what is not allowed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

Array = Any  # of numpy; numba takes no narrower word
FORBIDDEN = -1.0
NEWTON_STEPS = 60
FAR_ROUNDS = 10_000
STANDS = 1e-17  # a change that is none


class Rolls(NamedTuple):
    """Choices as arrays: set `s` of `n + 1` dice is one of `set_start[n]` to `set_start[n + 1]`, its choices likewise.

    A choice is the place that its kind has in `best` with no steps (`kind * stride`) plus its own steps. `must` says whether there are
    keeps after which one must roll.
    """

    dice: int
    stride: int
    must: bool
    bust: Array
    win: Array
    again: Array
    set_start: Array
    chance: Array
    choice_start: Array
    place: Array


class Places(NamedTuple):
    """The axis as arrays, by place: steps missing, steps needed to bank, and the place after a bust; and how the game ends.

    `last` has the chance in one last turn by steps behind, in a row for seats that have opened and one for those that have not;
    `row` says which. `rising` says that more points in a turn are never worse. `least_bust` is the smallest chance of a bust.
    """

    missing: Array
    needed: Array
    after_bust: Array
    row: Array
    last: Array
    final: bool
    exact: bool
    rising: bool
    least_bust: float


@njit(cache=True, nogil=True)
def roll_value(n: int, at: int, lost: float, rolls: Rolls, best: Array, slope: Array) -> tuple[float, float]:
    """Return the value and the slope of rolling `n + 1` dice with `at` steps in the turn."""
    total = rolls.win[n] + rolls.bust[n] * lost
    tilt = rolls.bust[n]
    chance, choice_start, place = rolls.chance, rolls.choice_start, rolls.place
    for s in range(rolls.set_start[n], rolls.set_start[n + 1]):
        first = choice_start[s]
        where = at + place[first]
        most = best[where]
        for c in range(first + 1, choice_start[s + 1]):
            here = at + place[c]
            value = best[here]
            if value > most:
                most = value
                where = here
        if most < 0.0:
            total += chance[s] * lost
            tilt += chance[s]
        else:
            total += chance[s] * most
            tilt += chance[s] * slope[where]
    stays = 1.0 - rolls.again[n]
    return total / stays, tilt / stays


@njit(cache=True, nogil=True)
def far_up(bank: Array, top: int, lost: float, rolls: Rolls, best: Array, slope: Array) -> None:
    """Fill in what lies at `top` steps and beyond, where points change nothing any more, or nothing is allowed.

    There the values of rolling are those of one and the same position again and again: they settle quickly, as a roll can bust or win.
    """
    dice, stride, length = rolls.dice, rolls.stride, bank.shape[0]
    for k in range(dice + 1):
        best[k * stride + top : k * stride + length] = bank[top:]
        slope[k * stride + top : k * stride + length] = 0.0
    if bank[top] < 0.0:
        return
    if rolls.must:  # what must be rolled is not worth a bank
        best[dice * stride + top : dice * stride + length] = 0.0
    for _round in range(FAR_ROUNDS):
        if settle_far(top, length, lost, rolls, best, slope) < STANDS:
            break


@njit(cache=True, nogil=True)
def settle_far(top: int, length: int, lost: float, rolls: Rolls, best: Array, slope: Array) -> float:
    """Work out once what rolling is worth at `top` steps, for all that lies beyond; return the largest change."""
    dice, stride = rolls.dice, rolls.stride
    change = 0.0
    for k in range(dice + rolls.must):
        value, tilt = roll_value(min(k, dice - 1), top, lost, rolls, best, slope)
        if value <= best[k * stride + top]:
            continue
        change = max(change, value - best[k * stride + top])
        for x in range(k * stride + top, k * stride + length):
            if value > best[x]:
                best[x] = value
                slope[x] = tilt
    return change


@njit(cache=True, nogil=True)
def turn(
    bank: Array, top: int, lost: float, rising: bool, rolls: Rolls, best: Array, slope: Array
) -> tuple[float, float]:
    """Work one turn out; return the value of its first roll and the slope.

    `bank` has the mover's chance after banking, by steps: up to `top`, from where on more points change nothing (or banking is best,
    or forbidden altogether), and as many more as one keep can make. Where more points are never worse (`rising`) the value of a roll
    further up is a bound on that of the same roll here, and what is banked anyway need not be worked out.
    """
    dice, stride = rolls.dice, rolls.stride
    far_up(bank, top, lost, rolls, best, slope)
    bound = np.full(dice, 2.0)
    for x in range(top - 1, -1, -1):
        stake = bank[x]
        for n in range(dice):
            wanted = rolls.must and n == dice - 1
            if rising and stake >= bound[n] and not wanted:
                best[n * stride + x] = stake
                slope[n * stride + x] = 0.0
                continue
            value, tilt = roll_value(n, x, lost, rolls, best, slope)
            bound[n] = value
            if wanted:
                best[dice * stride + x] = value
                slope[dice * stride + x] = tilt
            banks = stake >= value
            best[n * stride + x] = stake if banks else value
            slope[n * stride + x] = 0.0 if banks else tilt
    return best[(dice - 1) * stride], slope[(dice - 1) * stride]


@njit(cache=True, nogil=True)
def fill_bank(bank: Array, mover: int, other: int, lost: float, values: Array, places: Places) -> int:
    """Fill in what banking is worth for the mover by steps; return the `top` of `turn`."""
    far = places.missing[mover]
    need = max(places.needed[mover], 1)
    length = bank.shape[0]
    bank[:need] = FORBIDDEN
    for x in range(need, far):
        bank[x] = 1.0 - values[other, far - x]
    start = max(need, far)
    if places.exact:
        bank[far:] = FORBIDDEN
        if far >= need:
            bank[far] = 1.0
        return far + 1
    if not places.final:
        bank[start:] = 1.0
        return start
    last = places.last[places.row[other]]
    behind = places.missing[other] - far
    top = -1
    for x in range(start, length):
        d = min(behind + x, last.shape[0] - 1)
        bank[x] = 1.0 - last[d]
        if top < 0 and (last[d] <= places.least_bust * (1.0 - lost) or d == last.shape[0] - 1):
            top = x
    return top


@njit(cache=True, nogil=True)
def value_of(mover: int, other: int, lost: float, values: Array, places: Places, rolls: Rolls, best: Array, slope: Array,
             bank: Array) -> tuple[float, float]:  # fmt: skip
    """Return the value and the slope of the turn of `mover` against `other` where a bust is worth `lost`."""
    top = fill_bank(bank, mover, other, lost, values, places)
    return turn(bank, top, lost, places.rising, rolls, best, slope)


@njit(cache=True, nogil=True)
def solve_pair(i: int, j: int, tolerance: float, values: Array, places: Places, rolls: Rolls, best: Array, slope: Array,
               bank: Array) -> int:  # fmt: skip
    """Solve the two positions with one seat at place `i` and the other at `j`, which busts lead back and forth between.

    Newton's method: the value of a turn is convex and piecewise linear in that of a bust, so the two lines at the last guess meet at
    the next one, and the guesses end in a few steps. Returns how many turns were worked out.
    """
    u, v = values[i, j], values[j, i]
    turns = 0
    for _step in range(NEWTON_STEPS):
        first, tilt = value_of(i, j, 1.0 - v, values, places, rolls, best, slope, bank)
        turns += 1
        right = first + tilt * v
        if i == j:
            new_u = new_v = right / (1.0 + tilt)
        else:
            second, other_tilt = value_of(j, i, 1.0 - u, values, places, rolls, best, slope, bank)
            turns += 1
            other_right = second + other_tilt * u
            rest = 1.0 - tilt * other_tilt
            new_u = (right - tilt * other_right) / rest
            new_v = (other_right - other_tilt * right) / rest
        change = max(abs(new_u - u), abs(new_v - v))
        u, v = new_u, new_v
        if change <= tolerance:
            break
    values[i, j] = u
    values[j, i] = v
    return turns


@njit(cache=True, nogil=True)
def solve_pairs(pairs: Array, tolerance: float, values: Array, places: Places, rolls: Rolls) -> int:
    """Solve pairs of places none of which depends on another; return how many turns were worked out."""
    best = np.empty((rolls.dice + 1) * rolls.stride)
    slope = np.empty((rolls.dice + 1) * rolls.stride)
    bank = np.empty(rolls.stride)
    turns = 0
    for p in range(pairs.shape[0]):
        turns += solve_pair(pairs[p, 0], pairs[p, 1], tolerance, values, places, rolls, best, slope, bank)
    return turns


@njit(cache=True, nogil=True)
def last_turns(chances: Array, need: int, tie: float, reach: int, rolls: Rolls) -> int:
    """Fill in the chance in one last turn by steps behind: more points win, as many are worth `tie`. Return how many there are.

    `reach` is how far one keep goes; more than there was room for says that more room is needed.

    It ends where the chance falls no further: that of being further behind is the last one, of an instant win or of nothing.
    """
    best = np.empty((rolls.dice + 1) * rolls.stride)
    slope = np.empty((rolls.dice + 1) * rolls.stride)
    bank = np.empty(rolls.stride)
    start = max(need, 1)
    for behind in range(chances.shape[0]):
        for x in range(rolls.stride):
            bank[x] = FORBIDDEN if x < start else 1.0 if x > behind else tie if x == behind else 0.0
        value, _tilt = turn(bank, max(start, behind + 1), 0.0, True, rolls, best, slope)
        chances[behind] = value
        if behind >= start + reach and chances[behind - reach] - value <= 1e-17:  # what must be made anyway is no step
            return behind + 1
    return chances.shape[0] + 1


@njit(cache=True, nogil=True)
def rolled(mover: int, other: int, values: Array, places: Places, rolls: Rolls, found: Array) -> None:
    """Fill in the values of rolling, by dice and by steps in the turn, of the turn of `mover` against `other`."""
    best = np.empty((rolls.dice + 1) * rolls.stride)
    slope = np.empty((rolls.dice + 1) * rolls.stride)
    bank = np.empty(rolls.stride)
    lost = 1.0 - values[other, places.after_bust[mover]]
    value_of(mover, other, lost, values, places, rolls, best, slope, bank)
    fill_rolled(lost, rolls, best, slope, found)


@njit(cache=True, nogil=True)
def rolled_last(behind: int, need: int, tie: float, rolls: Rolls, found: Array) -> None:
    """Fill in the values of rolling, by dice and by steps in the turn, of a last turn that is so many steps behind."""
    best = np.empty((rolls.dice + 1) * rolls.stride)
    slope = np.empty((rolls.dice + 1) * rolls.stride)
    bank = np.empty(rolls.stride)
    start = max(need, 1)
    for x in range(rolls.stride):
        bank[x] = FORBIDDEN if x < start else 1.0 if x > behind else tie if x == behind else 0.0
    turn(bank, max(start, behind + 1), 0.0, True, rolls, best, slope)
    fill_rolled(0.0, rolls, best, slope, found)


@njit(cache=True, nogil=True)
def fill_rolled(lost: float, rolls: Rolls, best: Array, slope: Array, found: Array) -> None:
    """Fill in the values of rolling once a turn is worked out."""
    for n in range(rolls.dice):
        for x in range(found.shape[1]):
            found[n, x] = roll_value(n, x, lost, rolls, best, slope)[0]


@njit(cache=True, nogil=True)
def alone(turns: Array, need: int, opening: int, exact: bool, rolls: Rolls) -> float:
    """Fill in the least expected number of turns of a seat that plays alone, by the steps that it misses.

    Return that of a seat which misses the most of them and has not opened yet: its first bank needs `opening` steps.
    """
    best = np.empty((rolls.dice + 1) * rolls.stride)
    slope = np.empty((rolls.dice + 1) * rolls.stride)
    bank = np.empty(rolls.stride)
    turns[0] = 0.0
    for far in range(1, turns.shape[0]):
        turns[far] = turns_alone(far, turns, max(need, 1), exact, rolls, best, slope, bank)
    return turns_alone(turns.shape[0] - 1, turns, max(opening, 1), exact, rolls, best, slope, bank)


@njit(cache=True, nogil=True)
def turns_alone(
    far: int, turns: Array, start: int, exact: bool, rolls: Rolls, best: Array, slope: Array, bank: Array
) -> float:
    """Return the least expected number of turns from `far` steps away, by Newton's method.

    `turn` makes the most of a chance, so what is left of `whole` turns, more than any game takes, is made the most of.
    """
    top = far + 1 if exact else max(start, far)
    guess = turns[far - 1] + 1.0
    most = np.max(turns[:far])
    for _step in range(NEWTON_STEPS):
        whole = 2.0 * max(guess, most) + 1.0
        for x in range(bank.shape[0]):
            if x < start or (exact and x > far):
                bank[x] = FORBIDDEN
            else:
                bank[x] = 1.0 - (turns[far - x] if x < far else 0.0) / whole
        value, tilt = turn(bank, top, 1.0 - guess / whole, False, rolls, best, slope)
        # guess = 1 + whole * (1 - value), and value moves by `tilt` with the value of a bust, 1 - guess / whole
        after = (1.0 + whole * (1.0 - value) - tilt * guess) / (1.0 - tilt)
        change = abs(after - guess)
        guess = after
        if change <= 1e-13 * guess:
            break
    return guess
