"""What stands between two turns of push your luck, and what the end of a turn does to it: penalties and house rules.

The order after every turn: busts in a row, bolts, barrel, overtaking, and last every seat that the dump truck empties. A winning bank
ends the game before any of it; the engine sees to that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from dicegame.games.events import Cause, Event, Penalized
from dicegame.rules.model import PushLuckRules


@dataclass(slots=True)
class Standing:
    """The table between turns, by seat: scores, who has opened, who is out, busts in a row, turns begun.

    `final` is the seat that started the final round. With house rules: `bolts` and `falls` by seat, and `barrel`, the seat on the
    barrel with the tries that it has failed there.
    """

    scores: tuple[int, ...]
    opened: tuple[bool, ...]
    out: tuple[bool, ...]
    busts: tuple[int, ...]
    turns: tuple[int, ...]
    final: int | None = None
    bolts: tuple[int, ...] = ()
    falls: tuple[int, ...] = ()
    barrel: tuple[int, int] | None = None

    def copy(self) -> Standing:
        """Return a standing that may be changed (four times as fast as `dataclasses.replace`, once a turn)."""
        return Standing(
            self.scores,
            self.opened,
            self.out,
            self.busts,
            self.turns,
            self.final,
            self.bolts,
            self.falls,
            self.barrel,
        )

    def best_other(self, seat: int) -> int | None:
        """Return the best score among the other seats still in the game; None if there are none."""
        best = None
        for other, score in enumerate(self.scores):
            if other != seat and not self.out[other] and (best is None or score > best):
                best = score
        return best


T = TypeVar("T")


def changed(values: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    """Return `values` with that of `seat` replaced."""
    return (*values[:seat], value, *values[seat + 1 :])


def pit_end(rules: PushLuckRules, score: int) -> int | None:
    """Return the score that leads out of the pit that `score` lies in; None outside pits."""
    return next((high for low, high in rules.house.pits if low <= score < high), None)


def required_points(rules: PushLuckRules, standing: Standing, seat: int) -> int:
    """Return how many points a turn of `seat` needs before it may bank: to open, the minimum, out of a pit, off the barrel."""
    required = rules.minimum if standing.opened[seat] else max(rules.minimum, rules.open)
    if rules.house.pits:
        end = pit_end(rules, standing.scores[seat])
        if end is not None:
            required = max(required, end - standing.scores[seat])
    if standing.barrel and standing.barrel[0] == seat:
        required = max(required, rules.target - standing.scores[seat])
    return required


class Settling:
    """The end of one turn: changes a copy of the standing step by step and collects the penalties as events."""

    def __init__(self, rules: PushLuckRules, standing: Standing, seat: int) -> None:
        self.rules = rules
        self.before = standing
        self.standing = standing.copy()
        self.seat = seat
        self.events: list[Event] = []

    def after_bust(self) -> None:
        """Count the bust, and the bolt; a seat on the barrel has failed a try."""
        rules, standing, seat = self.rules, self.standing, self.seat
        busts = standing.busts[seat] + 1
        costs = bool(rules.penalty.busts) and busts >= rules.penalty.busts
        standing.busts = changed(standing.busts, seat, 0 if costs else busts)
        if costs:
            self._lose(seat, rules.penalty.points, Cause.BUSTS)
        on_barrel = standing.barrel is not None and standing.barrel[0] == seat
        in_pit = pit_end(rules, self.before.scores[seat]) is not None
        if rules.house.bolts and standing.opened[seat] and not on_barrel and not in_pit:
            self._bolt()
        if on_barrel and standing.barrel is not None:
            tries = standing.barrel[1] + 1
            standing.barrel = (seat, tries)
            if tries >= rules.house.tries:
                self._fall(seat)
        self._last()

    def after_bank(self, score: int) -> None:
        """Write `score` down for the banking seat, then the barrel and overtaking."""
        standing, seat = self.standing, self.seat
        if standing.busts[seat]:
            standing.busts = changed(standing.busts, seat, 0)
        if not standing.opened[seat]:
            standing.opened = changed(standing.opened, seat, value=True)
        standing.scores = changed(standing.scores, seat, score)
        house = self.rules.house
        if house.barrel and self.rules.target - house.barrel <= score < self.rules.target:
            self._climb(score - (self.rules.target - house.barrel))
        if house.overtaking:
            self._overtake(standing.scores[seat])
        self._last()

    def _lose(self, seat: int, points: int, cause: Cause) -> None:
        score = self.standing.scores[seat]
        left = max(score - points, min(score, self.rules.floor))
        self.standing.scores = changed(self.standing.scores, seat, left)
        self.events.append(Penalized(seat, score - left, cause, left))

    def _bolt(self) -> None:
        bolts = self.standing.bolts[self.seat] + 1
        costs = bolts >= self.rules.house.bolts
        self.standing.bolts = changed(self.standing.bolts, self.seat, 0 if costs else bolts)
        if costs:
            self._lose(self.seat, self.rules.house.bolt_points, Cause.BOLTS)

    def _climb(self, over: int) -> None:
        if over:
            self._lose(self.seat, over, Cause.BARREL)
        if self.standing.barrel is not None:
            self._fall(self.standing.barrel[0])
        self.standing.barrel = (self.seat, 0)

    def _fall(self, seat: int) -> None:
        falls = self.standing.falls[seat] + 1
        self.standing.barrel = None
        last = falls >= self.rules.house.falls
        self.standing.falls = changed(self.standing.falls, seat, 0 if last else falls)
        self._lose(seat, self.standing.scores[seat] if last else self.rules.house.fall_points, Cause.FALL)

    def _overtake(self, score: int) -> None:
        before = self.before.scores
        for other, theirs in enumerate(before):
            if other == self.seat or self.standing.out[other] or not self.standing.opened[other]:
                continue
            if before[self.seat] <= theirs < score:
                self._lose(other, self.rules.house.overtaking, Cause.OVERTAKEN)

    def _last(self) -> None:
        standing, house = self.standing, self.rules.house
        if house.dump_truck:
            for seat, score in enumerate(standing.scores):
                if score == house.dump_truck and not standing.out[seat]:
                    self._lose(seat, score, Cause.DUMP_TRUCK)
        if standing.barrel is not None and standing.scores[standing.barrel[0]] != self.rules.target - house.barrel:
            standing.barrel = None
