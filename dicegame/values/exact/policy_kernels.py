"""The compiled inner loops for players with a fixed way to play: where their turns lead, and what a game between two of them is worth.

A turn is followed forwards: `mass` holds, by dice to roll and steps in the turn, how likely the turn comes there, and every roll hands
it on to where the player's choice leads. What it leads to is the *law* of the turn: the chance of every bank, of an instant win, and
else of a bust. Steps from `top` on are counted as `top`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dicegame.values.exact import kernels
from dicegame.values.exact.kernels import Array, Places, Rolls
from dicegame.values.policies import ALIKE

BUST, BANKED = -1, -2
TINY = 1e-20  # a chance to come somewhere that is not followed further


class Menus(NamedTuple):
    """What the rolls leave a player to choose from, in the order in which it prefers them where it has an order.

    Set `s` of `n + 1` dice is one of `set_start[n]` to `set_start[n + 1]`, its choices likewise. A choice has a kind and steps. Of the
    kinds, `k` under `dice` is that `k + 1` dice are rolled next, or one banks; `dice` that all dice must be rolled; `dice + 1`, which
    only some players tell from `dice - 1`, that they are hot and one may bank. `stays` is the chance of a roll that is not made again.
    """

    dice: int
    bust: Array
    win: Array
    stays: Array
    set_start: Array
    chance: Array
    choice_start: Array
    kind: Array
    steps: Array


class Way(NamedTuple):
    """How a player plays one turn, by what it may choose.

    `ordered`: it takes the first choice that makes at most `room` steps, and banks from `least[kind]` steps on. Otherwise it takes the
    first choice whose `best` (at `kind * stride + steps`, negative where there is none) is the largest, or less by no more than
    `alike`, and banks where `bank` (by steps) is as good as that.
    """

    ordered: bool
    room: int
    least: Array
    best: Array
    bank: Array
    stride: int
    alike: float


class Board(NamedTuple):
    """The axis as arrays, by place: steps missing, the place after a bust, and the row in `last`; and if there is a final round."""

    missing: Array
    after_bust: Array
    row: Array
    final: bool


class Laws(NamedTuple):
    """The laws of a player's turns: that of a pair of places (mover, other) is number `index[mover, other]`.

    `chance` from `start[k]` to `start[k + 1]` are the chances to bank 0, 1, 2, ... steps by law `k`; `win` that of an instant win.
    What is left is a bust. `last` is, by row and by the steps behind, the chance in a last turn, a tie counting one half; further
    behind it is the last of them.
    """

    index: Array
    start: Array
    chance: Array
    win: Array
    last: Array


@njit(cache=True, nogil=True)
def picks(n: int, x: int, way: Way, menus: Menus, to: Array, then: Array) -> None:
    """Fill in what the player does with each roll of `n + 1` dice and `x` steps in the turn.

    By set of choices: `to` is the number of dice it then rolls, less one, or `BANKED`, or `BUST`; `then` the steps that it has.
    """
    choice_start, kinds, more = (
        menus.choice_start,
        menus.kind,
        menus.steps,
    )  # a look-up in the loop would count references
    least, best, bank = way.least, way.best, way.bank
    for s in range(menus.set_start[n], menus.set_start[n + 1]):
        enough = 0.0
        if not way.ordered:
            for c in range(choice_start[s], choice_start[s + 1]):
                if x + more[c] <= way.room:
                    enough = max(enough, best[kinds[c] * way.stride + x + more[c]] - way.alike)
        to[s], then[s] = BUST, x
        for c in range(choice_start[s], choice_start[s + 1]):
            kind, steps = kinds[c], x + more[c]
            if steps > way.room or not (way.ordered or best[kind * way.stride + steps] >= enough):
                continue
            banks = steps >= least[kind] if way.ordered else kind != menus.dice and bank[steps] >= enough
            to[s], then[s] = BANKED if banks else min(kind, menus.dice - 1), steps
            break


@njit(cache=True, nogil=True)
def hand_on(n: int, chance: float, top: int, menus: Menus, to: Array, then: Array, mass: Array, ends: Array) -> None:
    """Hand the chance to roll `n + 1` dice (once they are not rolled again) on to where the player's picks lead."""
    of_set = menus.chance
    for s in range(menus.set_start[n], menus.set_start[n + 1]):
        steps = min(then[s], top)
        if to[s] == BANKED:
            ends[steps] += chance * of_set[s]
        elif to[s] != BUST:
            mass[to[s], steps] += chance * of_set[s]


@njit(cache=True, nogil=True)
def spread(top: int, way: Way, menus: Menus, mass: Array, ends: Array) -> float:
    """Fill in the chances to bank 0, 1, ... `top` steps (or more); return that of an instant win.

    `mass` (by dice and steps) is room to work in; it holds nothing before and after.
    """
    to, then = np.empty(len(menus.chance), dtype=np.int64), np.empty(len(menus.chance), dtype=np.int64)
    ends[: top + 1] = 0.0
    mass[menus.dice - 1, 0] = 1.0
    win = 0.0
    for x in range(top + 1):
        again = True
        while again:
            again = False
            for n in range(menus.dice):
                chance = mass[n, x] / menus.stays[n]
                mass[n, x] = 0.0
                if chance > TINY:
                    picks(n, x, way, menus, to, then)
                    hand_on(n, chance, top, menus, to, then, mass, ends)
                    win += chance * menus.win[n]
                    again = x == top  # all other rolls lead to more steps
    return win


@njit(cache=True, nogil=True)
def worth_rolling(
    n: int, top: int, lost: float, bank: Array, menus: Menus, to: Array, then: Array, rolled: Array
) -> float:
    """Return what rolling `n + 1` dice is worth by the player's picks, if it goes on in its way."""
    of_set = menus.chance
    total = menus.bust[n] * lost + menus.win[n]
    for s in range(menus.set_start[n], menus.set_start[n + 1]):
        steps = min(then[s], top)
        worth = lost if to[s] == BUST else bank[steps] if to[s] == BANKED else rolled[to[s], steps]
        total += of_set[s] * worth
    return total / menus.stays[n]


@njit(cache=True, nogil=True)
def policy_turn(top: int, lost: float, bank: Array, way: Way, menus: Menus, rolled: Array) -> None:
    """Fill in, by dice and steps up to `top`, what rolling is worth to a player that goes on in its way.

    `bank` are the chances after banking so many steps, `lost` that after a bust. Each value is exactly the mean, over the rolls, of what
    the player's choice is worth: `bank` where it banks, and else the value of its next roll.
    """
    to, then = np.empty(len(menus.chance), dtype=np.int64), np.empty(len(menus.chance), dtype=np.int64)
    rolled[:, top] = lost
    change = 1.0
    while change > 1e-17:
        change = 0.0
        for n in range(menus.dice):
            picks(n, top, way, menus, to, then)
            value = worth_rolling(n, top, lost, bank, menus, to, then, rolled)
            change = max(change, abs(value - rolled[n, top]))
            rolled[n, top] = value
    for x in range(top - 1, -1, -1):
        for n in range(menus.dice):
            picks(n, x, way, menus, to, then)
            rolled[n, x] = worth_rolling(n, top, lost, bank, menus, to, then, rolled)


@njit(cache=True, nogil=True)
def perfect_laws(pairs: Array, reach: Array, start: Array, values: Array, places: Places, rolls: Rolls, menus: Menus,
                 chance: Array, win: Array) -> None:  # fmt: skip
    """Fill in the laws of perfect turns at `pairs` (mover, other), each from its `start` on; `reach` is the `top` of each."""
    best = np.empty((rolls.dice + 1) * rolls.stride)
    slope = np.empty((rolls.dice + 1) * rolls.stride)
    bank = np.empty(rolls.stride)
    mass = np.zeros((rolls.dice, rolls.stride))
    none = np.zeros(0, dtype=np.int64)
    for p in range(pairs.shape[0]):
        i, j = pairs[p, 0], pairs[p, 1]
        lost = 1.0 - values[j, places.after_bust[i]]
        top = kernels.fill_bank(bank, i, j, lost, values, places)
        kernels.turn(bank, top, lost, places.rising, rolls, best, slope)
        way = Way(False, rolls.stride, none, best, bank, rolls.stride, ALIKE)
        win[p] = spread(reach[p], way, menus, mass, chance[start[p] :])


@njit(cache=True, nogil=True)
def perfect_last(behind: int, start: int, rolls: Rolls, menus: Menus, ends: Array) -> float:
    """Fill in the chances of banks in a perfect last turn, `behind` steps behind; return that of an instant win.

    A bank needs `start` steps.
    """
    best = np.empty((rolls.dice + 1) * rolls.stride)
    slope = np.empty((rolls.dice + 1) * rolls.stride)
    bank = np.empty(rolls.stride)
    for x in range(rolls.stride):
        bank[x] = kernels.FORBIDDEN if x < start else 1.0 if x > behind else 0.5 if x == behind else 0.0
    top = max(start, behind + 1)
    kernels.turn(bank, top, 0.0, True, rolls, best, slope)
    way = Way(False, rolls.stride, np.zeros(0, dtype=np.int64), best, bank, rolls.stride, ALIKE)
    return spread(top, way, menus, np.zeros((rolls.dice, rolls.stride)), ends)


@njit(cache=True, nogil=True)
def law_worth(i: int, j: int, laws: Laws, others: Array, last: Array, board: Board) -> tuple[float, float]:
    """Return what all but a bust of the mover's turn at places `i` (its own) and `j` is worth to it, and how likely all that is.

    `others` are the chances of the other player where it moves, by its place and then the other one; `last` those in its last turns.
    """
    k = laws.index[i, j]
    first = laws.start[k]
    length = laws.start[k + 1] - first
    far = board.missing[i]
    total = sure = laws.win[k]
    for x in range(1, min(far, length)):
        chance = laws.chance[first + x]
        sure += chance
        total += chance * (1.0 - others[j, far - x])
    behind, furthest = board.missing[j] - far, last.shape[1] - 1
    for x in range(far, length):
        chance = laws.chance[first + x]
        sure += chance
        beaten = last[board.row[j], min(behind + x, furthest)] if board.final else 0.0
        total += chance * (1.0 - beaten)
    return total, min(sure, 1.0)


@njit(cache=True, nogil=True)
def evaluate_pairs(pairs: Array, laws_a: Laws, laws_b: Laws, a: Array, b: Array, board: Board) -> None:
    """Work out, pair by pair, the chances of player A at the first place and player B at the second, each where it moves.

    `a` is by A's place and B's, `b` by B's place and A's. A bust leads back to the same pair with the other to move, so the two are
    solved together. Play that never ends counts one half.
    """
    for p in range(pairs.shape[0]):
        i, j = pairs[p, 0], pairs[p, 1]
        worth_a, sure_a = law_worth(i, j, laws_a, b, laws_b.last, board)
        worth_b, sure_b = law_worth(j, i, laws_b, a, laws_a.last, board)
        ends = sure_a + sure_b - sure_a * sure_b
        if ends <= 0.0:
            a[i, j] = b[j, i] = 0.5
            continue
        # u = worth_a + (1 - sure_a) * (1 - v), and v likewise; `ends` is 1 - (1 - sure_a) * (1 - sure_b)
        a[i, j] = (worth_a + (1.0 - sure_a) * (sure_b - worth_b)) / ends
        b[j, i] = (worth_b + (1.0 - sure_b) * (sure_a - worth_a)) / ends


@njit(cache=True, nogil=True)
def sweep_pairs(pairs: Array, laws_a: Laws, laws_b: Laws, a: Array, b: Array, board: Board) -> None:
    """Work all positions of `pairs` out anew, in this order. For scores that fall: a bust leads elsewhere."""
    for p in range(pairs.shape[0]):
        i, j = pairs[p, 0], pairs[p, 1]
        worth, sure = law_worth(i, j, laws_a, b, laws_b.last, board)
        a[i, j] = worth + (1.0 - sure) * (1.0 - b[j, board.after_bust[i]])
        worth, sure = law_worth(j, i, laws_b, a, laws_a.last, board)
        b[j, i] = worth + (1.0 - sure) * (1.0 - a[i, board.after_bust[j]])
