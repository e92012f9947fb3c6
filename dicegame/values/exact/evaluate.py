"""The exact value of a game between two fixed players: policy evaluation, without a game being played.

As in solving, pairs of places are worked out in the order of what both seats miss together, and a bust, which leads back to the same
pair with the other seat to move, makes two linear equations of each. Where busts cost points all pairs are swept until nothing changes.

A rule set's limit of turns is left out: play that never ends counts one half.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import numpy as np

from dicegame.rules.model import PushLuckRules
from dicegame.values.axis import Axis, key_of
from dicegame.values.exact import policy_kernels
from dicegame.values.exact.affine import settle_affine
from dicegame.values.exact.anderson import Progress
from dicegame.values.exact.kernels import Array
from dicegame.values.exact.laws import FixedPlayer, fixed_player
from dicegame.values.exact.ways import Setting
from dicegame.values.solved import Solved


def evaluate(
    rules: PushLuckRules, first: str, second: str, *, progress: Progress | None = None, threads: int | None = None
) -> tuple[float, float]:
    """Return the chances of the first player to win the game when it moves first, and when the other does.

    A tie counts one half.

    Args:
        rules: the rule set.
        first: a built-in with a fixed way to play.
        second: its opponent, another or the same.
        progress: told from time to time which part of the work is done, from 0 to 1.
        threads: how many threads work where that helps; every core that may be used unless given.

    Raises:
        RulesError: the rule set can't be evaluated exactly, and which rule is why; or it must be solved first.
        PlayerError: one of them has no fixed way to play.
    """
    setting = Setting.of(rules)
    player = fixed_player(setting, first, threads)
    other = player if first == second else fixed_player(setting, second, threads)
    a, b = values_between(player, other, progress)
    start = setting.start()
    return float(a[start, start]), 1.0 - float(b[start, start])


def policy_values(rules: PushLuckRules, word: str) -> Solved:
    """Return the values of every pair of places for two seats that both play as this built-in does.

    The key is that of the rule set and the player's word.

    Raises:
        RulesError: the rule set can't be evaluated exactly, and which rule is why; or it must be solved first.
        PlayerError: the player has no fixed way to play.
    """
    return solved_by(fixed_player(Setting.of(rules), word))


def solved_by(player: FixedPlayer) -> Solved:
    """Return the values of every pair of places for two seats that both play as this player does."""
    values, _same = values_between(player, player)
    last = [array("d", row) for row in player.last]
    setting = player.setting
    key = f"{key_of(setting.rules)}:{player.policy.word}"
    return Solved(key, setting.axis, array("d", values.ravel()), (last[0], last[-1]), 0.0, "")


def values_between(a: FixedPlayer, b: FixedPlayer, progress: Progress | None = None) -> tuple[Array, Array]:
    """Return the chances of each player where it is to move, by its own place and that of the other."""
    axis, board = a.setting.axis, a.setting.board
    both = np.full((1 if a is b else 2, axis.size, axis.size), 0.5)
    both[:, :, 0] = both[:, 0, :] = 0.0
    values, others = both[0], both[-1]
    if axis.penalty:
        _sweep(a, b, both, progress)
        return values, others
    diagonals = list(pairs_that_meet(axis))
    done, whole = 0, sum(map(len, diagonals))
    for pairs in diagonals:
        laws = a.laws(pairs)
        policy_kernels.evaluate_pairs(pairs, laws, laws if a is b else b.laws(pairs), values, others, board)
        done += len(pairs)
        if progress is not None:
            progress(done / whole)
    return values, others


def pairs_that_meet(axis: Axis) -> Iterator[Array]:
    """Yield the pairs of places that can meet, each both ways, in groups that do not depend on later ones.

    By what both seats miss together, from little to much; where scores can fall all of them are one group, within which they are in
    that order, and from many busts in a row to few.
    """
    far = axis.far
    if axis.penalty:
        places = np.array([place for place in range(axis.size) if axis.missing(place)])
        pairs = np.stack(np.meshgrid(places, places, indexing="ij"), axis=-1).reshape(-1, 2)
        missing = (pairs % (far + 1)).sum(axis=1)
        busts = (pairs // (far + 1) % axis.counts).sum(axis=1)
        yield np.ascontiguousarray(pairs[np.lexsort((-busts, missing))])
        return
    for total in range(2, 2 * far + 1):
        mine = np.arange(max(1, total - far), min(far, total - 1) + 1)
        pairs = np.stack([mine, total - mine], axis=1)
        if axis.unopened and total > far:
            new = axis.place(far, opened=False)
            more = [(new, total - far), (total - far, new)] + ([(new, new)] if total == 2 * far else [])
            pairs = np.concatenate([pairs, more])
        yield pairs


def _sweep(a: FixedPlayer, b: FixedPlayer, both: Array, progress: Progress | None) -> None:
    """Sweep over all pairs until nothing changes."""
    (pairs,) = pairs_that_meet(a.setting.axis)
    laws = a.laws(pairs)
    other_laws = laws if a is b else b.laws(pairs)
    board = a.setting.board
    settle_affine(
        both,
        lambda values: policy_kernels.sweep_pairs(pairs, laws, other_laws, values[0], values[-1], board),
        progress,
    )
