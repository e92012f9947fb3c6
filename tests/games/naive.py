"""What happens between turns a second time, straight from the words of the rules: one open ledger, changed in place, step by step."""

from __future__ import annotations

from typing import Any


class Ledger:
    """The table of a game whose rule set is given as plain data: `bust`, `bank` and `forfeit` do what the rules say."""

    def __init__(self, data: dict[str, Any], seats: int) -> None:
        self.data, self.house, self.penalty = data, data["house"], data["penalty"]
        self.scores = [0] * seats
        self.opened = [data["open"] == 0] * seats
        self.out = [False] * seats
        self.busts = [0] * seats
        self.bolts = [0] * seats
        self.falls = [0] * seats
        self.turns = [0] * seats
        self.rider: int | None = None  # the seat on the barrel
        self.tries = 0
        self.starter: int | None = None  # of the final round
        self.winners: list[int] | None = None
        self.reason = ""
        self.seat = 0
        self.turns[0] = 1

    @property
    def edge(self) -> int:
        """The score of the barrel."""
        return int(self.data["target"] - self.house["barrel"])

    def in_pit(self, seat: int) -> int | None:
        """Return the score that leads out of the pit in which the seat stands."""
        for low, high in self.house["pits"]:
            if low <= self.scores[seat] < high:
                return int(high)
        return None

    def least(self) -> int:
        """Return what the turn of the seat to move must bring before it may be banked."""
        seat, least = self.seat, self.data["minimum"]
        if not self.opened[seat] and self.data["open"] > least:
            least = self.data["open"]
        way_out = self.in_pit(seat)
        if way_out is not None and way_out - self.scores[seat] > least:
            least = way_out - self.scores[seat]
        if self.rider == seat and self.data["target"] - self.scores[seat] > least:
            least = self.data["target"] - self.scores[seat]
        return int(least)

    def bust(self) -> None:
        """End the turn without points."""
        seat = self.seat
        counts = self.opened[seat] and self.in_pit(seat) is None and self.rider != seat
        self.busts[seat] += 1
        if self.busts[seat] == self.penalty["busts"]:
            self.busts[seat] = 0
            self._take(seat, self.penalty["points"])
        if self.house["bolts"] and counts:
            self.bolts[seat] += 1
            if self.bolts[seat] == self.house["bolts"]:
                self.bolts[seat] = 0
                self._take(seat, self.house["bolt_points"])
        if self.rider == seat:
            self.tries += 1
            if self.tries == self.house["tries"]:
                self._fall(seat)
        self._dump()
        self._pass_on()

    def bank(self, points: int) -> None:
        """End the turn by writing so many points down."""
        seat, before = self.seat, list(self.scores)
        self.scores[seat] += points
        if self.data["end"] == "sudden" and self.scores[seat] >= self.data["target"]:
            self.winners, self.reason = [seat], "target"
            return
        self.opened[seat] = True
        self.busts[seat] = 0
        if self.house["barrel"] and self.edge <= self.scores[seat] < self.data["target"]:
            self.scores[seat] = self.edge
            if self.rider is not None:
                self._fall(self.rider)
            self.rider, self.tries = seat, 0
        now = self.scores[seat]
        if self.house["overtaking"]:
            for other in range(len(before)):
                was_ahead_or_level, is_behind = before[other] >= before[seat], before[other] < now
                if was_ahead_or_level and is_behind and self.opened[other] and not self.out[other] and other != seat:
                    self._take(other, self.house["overtaking"])
        self._dump()
        if self.data["end"] == "final-round" and self.starter is None and self.scores[seat] >= self.data["target"]:
            self.starter = seat
        self._pass_on()

    def forfeit(self, seat: int) -> None:
        """Take a seat out."""
        self.out[seat] = True
        if self.rider == seat:
            self.rider = None
        left = [s for s, out in enumerate(self.out) if not out]
        if len(left) <= 1:
            self.winners, self.reason = left, "forfeit"
        elif seat == self.seat:
            self._pass_on()

    def instant_win(self) -> None:
        """End the game for the seat to move."""
        self.winners, self.reason = [self.seat], "instant_win"

    def described(self, turn_points: int, dice: list[int]) -> dict[str, Any]:
        """Return what a message says of the table."""
        marks = [score for score, out in zip(self.scores, self.out, strict=True) if not out]
        told: dict[str, Any] = {
            "scores": self.scores,
            "opened": self.opened,
            "out": self.out,
            "busts": self.busts,
            "turn": self.turns[self.seat],
            "turn_points": turn_points,
            "dice": dice,
            "target": self.data["target"],
            "final_round": None if self.starter is None else {"by": self.starter, "score": max(marks)},
        }
        if any(self.house[rule] for rule in ("barrel", "pits", "bolts", "dump_truck", "overtaking")):
            told["bolts"] = self.bolts
            told["barrel"] = None if self.rider is None else {"seat": self.rider, "tries": self.tries}
            told["falls"] = self.falls
        return told

    def _take(self, seat: int, points: int) -> None:
        self.scores[seat] = max(self.scores[seat] - points, self.data["floor"])

    def _fall(self, seat: int) -> None:
        self.rider = None
        self.falls[seat] += 1
        if self.falls[seat] == self.house["falls"]:
            self.falls[seat] = 0
            self.scores[seat] = 0
        else:
            self._take(seat, self.house["fall_points"])

    def _dump(self) -> None:
        for seat, score in enumerate(self.scores):
            if score and score == self.house["dump_truck"] and not self.out[seat]:
                self.scores[seat] = 0
        if self.rider is not None and self.scores[self.rider] != self.edge:
            self.rider = None

    def _pass_on(self) -> None:
        n = len(self.scores)
        for step in range(1, n + 1):
            seat = (self.seat + step) % n
            if seat == self.starter:
                self._highest("target")
                return
            if not self.out[seat]:
                if self.starter is None and self.turns[seat] == self.data["max_turns"]:
                    self._highest("turn_limit")
                    return
                self.seat = seat
                self.turns[seat] += 1
                return

    def _highest(self, reason: str) -> None:
        left = {seat: score for seat, score in enumerate(self.scores) if not self.out[seat]}
        self.winners = [seat for seat, score in left.items() if score == max(left.values())]
        self.reason = reason
