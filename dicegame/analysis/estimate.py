"""About how likely each of three or more seats is to win a game of push your luck, from the chances of every two of them.

Only for showing how a game went, and for what is left over beside luck and errors: best play of several seats is not known.
"""

from __future__ import annotations

from dataclasses import replace

from dicegame.analysis.judged import Chances
from dicegame.games.pushluck import PushLuckState
from dicegame.values.contexts import Context
from dicegame.values.position import PushLuckJudge
from dicegame.values.solved import Solved

_CERTAIN = 1e-9  # no chance between two is taken to be nearer to 0 or 1


def of_many(judge: PushLuckJudge, state: PushLuckState) -> Chances:
    """Return by seat the estimated chances as the turn of `state` begins."""
    seats, final = judge.seats, state.standing.final
    around = [seat % seats for seat in range(state.seat, state.seat + seats)]
    left = [seat for seat in around if not state.out[seat]]
    if final is None:
        chances = _coupled(judge, state, left)
    else:
        waiting = [seat for seat in around[: around.index(final)] if seat in left]
        chances = _last_turns(judge, state, left, waiting)
    whole = sum(chances.values())
    return tuple(chances.get(seat, 0.0) / whole for seat in range(seats))


def _coupled(judge: PushLuckJudge, state: PushLuckState, left: list[int]) -> dict[int, float]:
    """Return the chances that go with those of all pairs, `left` being in the order of their turns.

    1 / (1 + the odds of each other seat against this one), as in Price, Knerr, Personnaz and Dreyfus, "Pairwise Neural Network
    Classifiers with Probabilistic Outputs", 1995: exact where the odds between two are those of their strengths.
    """
    against = dict.fromkeys(left, 0.0)
    for place, first in enumerate(left):
        for other in left[place + 1 :]:
            context = _between(judge, state, first, other)
            wins = min(max(_values(judge).value(context.mover, context.other), _CERTAIN), 1 - _CERTAIN)
            against[first] += (1 - wins) / wins
            against[other] += wins / (1 - wins)
    return {seat: 1 / (1 + odds) for seat, odds in against.items()}


def _last_turns(judge: PushLuckJudge, state: PushLuckState, left: list[int], waiting: list[int]) -> dict[int, float]:
    """Return the chances in a final round: who waits for a last turn may pass the best, and who comes after may pass that seat."""
    standing = state.standing
    best = max(standing.scores[seat] for seat in left)
    ahead = [seat for seat in left if standing.scores[seat] == best]
    chances, stays = dict.fromkeys(left, 0.0), 1.0
    for seat in reversed(waiting):
        behind = _between(judge, state, seat, ahead[0]).behind
        passes = _values(judge).last_turn(behind, opened=standing.opened[seat])
        chances[seat] = passes * stays
        stays *= 1 - passes
    for seat in ahead:
        chances[seat] += stays / len(ahead)
    return chances


def _between(judge: PushLuckJudge, state: PushLuckState, first: int, other: int) -> Context:
    """Return the context of a turn of `first` as if only it and `other` were left in the game."""
    standing = state.standing.copy()
    standing.out = tuple(seat not in {first, other} for seat in range(judge.seats))
    context = judge.contexts.of(replace(state, standing=standing, seat=first))
    if not isinstance(context, Context):
        raise TypeError(context)
    return context


def _values(judge: PushLuckJudge) -> Solved:
    """Return the values by places: rule sets that have others are only judged between two."""
    if not isinstance(judge.solved, Solved):
        raise TypeError(judge.solved)
    return judge.solved
