"""The luck of a game, measured while it is played: what is taken out of a result to tell more from fewer games.

The adjusted result of a seat is its result minus the sum of its luck, over all throws of the game. Luck is judged by one frozen table,
and its mean over the dice is exactly 0 whatever is played, so the adjusted result has the mean of the plain one and varies far less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dicegame.games.base import Answer, Engine, Outcome, Throw
from dicegame.games.events import Dice, Event
from dicegame.values.judges import LuckJudge


class LuckMeter:
    """An observer that adds up the luck of one game by seat, in `luck`."""

    def __init__(self, judge: LuckJudge, engine: Engine[Any], seats: int) -> None:
        self.luck = [0.0] * seats
        self._judge = judge
        self._state: Any = engine.start(seats)[0]
        self._fallen = False

    def event(self, event: Event, state: Any) -> None:  # noqa: ANN401, ARG002 - the state of any engine
        """Judge the throw that led to `state`, if one did."""
        if self._fallen:
            self._fallen = False
            for seat, moved in enumerate(self._judge.luck(self._state, state)):
                self.luck[seat] += moved
        self._state = state

    def throw(self, throw: Throw, dice: Dice) -> None:  # noqa: ARG002 - the state has them
        """Remember that dice fell: the next state is theirs."""
        self._fallen = True

    def answer(self, seat: int, request_id: int, answer: Answer) -> None:
        """Hear of an answer: no luck."""

    def over(self, outcome: Outcome) -> None:
        """Hear of the end."""


def by_player(luck: Sequence[float], order: Sequence[int]) -> list[float]:
    """Return the luck by player; `order` is who sits in each seat."""
    found = [0.0] * len(order)
    for seat, player in enumerate(order):
        found[player] = luck[seat]
    return found
