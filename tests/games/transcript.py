"""Games of push your luck as transcripts: one line a roll, `A 1 5 3 3 6 2 > 1 5 bank`, seat letter first.

After the `>` stands the decision, or what happens without one: `bust`, or `win` (as they fall). In place of dice, `A +500` is a
whole turn that banks exactly so many points, `A bust` a turn that busts at once, and `B forfeit` a seat that goes out.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Self

import pytest

from dicegame.errors import IllegalDecision
from dicegame.games.base import Decision, Option, Outcome, Phase
from dicegame.games.events import Event
from dicegame.games.notation import format_decision, format_dice, parse_decision, parse_faces
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.rules.load import load
from dicegame.rules.model import PushLuckRules

# Turns that bank what is wanted: rolls of all dice that come back with so many points, and those that a turn ends with.
_SIX_HOT = {
    8000: "111111",
    4000: "555555",
    2400: "333333",
    1600: "222222",
    1500: "123456",
    1200: "111222",
    750: "223344",
    600: "222444",
    500: "222333",
    400: "222155",
}
_SIX_LAST = {50: "5", 100: "1", 150: "15", 200: "11", 250: "115", 300: "1155", 350: "3335"}
_CLASSIC_HOT = {
    600: "66666",
    500: "55555",
    400: "44444",
    300: "33333",
    250: "23456",
    200: "22222",
    125: "12345",
    100: "111",
    50: "555",
    30: "333",
    25: "115",
}
_CLASSIC_LAST = {5: "5", 10: "1", 15: "15", 20: "11"}
_THOUSAND_HOT = {800: "22222", 500: "555", 400: "444", 300: "333", 250: "23456"}
_THOUSAND_LAST = {50: "5", 100: "1", 150: "15", 200: "11"}


def rules_of(name: str, *changes: str) -> PushLuckRules:
    """Return a preset with changes."""
    rules = load(name, changes)
    assert isinstance(rules, PushLuckRules)
    return rules


def told(event: Event) -> str:
    """Return an event in one line: its kind, its seat as a letter, and its other values."""
    values = [getattr(event, field.name) for field in fields(event)]
    seat = chr(ord("A") + values[0])
    rest = [format_dice(v) if isinstance(v, tuple) else str(v) for v in values[1:]]
    return " ".join([event.event, seat, *rest])


def snapshot(state: PushLuckState) -> PushLuckState:
    """Return a copy of all of a state that could be changed in place."""
    return replace(state, standing=replace(state.standing))


class Game:
    """A game that is played by transcript; every step is watched for states changed in place."""

    def __init__(self, rules: PushLuckRules | str, seats: int, *changes: str) -> None:
        self.engine = PushLuck(rules_of(rules, *changes) if isinstance(rules, str) else rules)
        self.state, self.events = self.engine.start(seats)
        self.last: list[Event] = []

    @property
    def scores(self) -> tuple[int, ...]:
        return self.state.standing.scores

    @property
    def outcome(self) -> Outcome:
        assert self.state.outcome is not None, "the game goes on"
        return self.state.outcome

    @property
    def to_move(self) -> str:
        """The letter of the seat whose turn it is; nothing where the game is over."""
        return "" if self.state.phase is Phase.OVER else chr(ord("A") + self.state.seat)

    @property
    def told(self) -> list[str]:
        """What the last line of the transcript brought, one line an event."""
        return [told(event) for event in self.last]

    def story(self, *kinds: str) -> list[str]:
        """Return all that happened so far of these kinds."""
        return [told(event) for event in self.events if event.event in kinds]

    def play(self, transcript: str) -> Self:
        """Play the lines of a transcript."""
        for line in filter(None, map(str.strip, transcript.splitlines())):
            self.last = []
            seat, rest = line.split(maxsplit=1)
            if rest == "forfeit":
                self._step(self.engine.forfeit(self.state, ord(seat) - ord("A")))
                continue
            assert seat == self.to_move, f"{line!r}, but {self.to_move!r} is to move"
            if rest == "bust":
                self._bust()
            elif rest.startswith("+"):
                self._score(int(rest))
            else:
                dice, _, answer = (part.strip() for part in rest.partition(">"))
                self._line(dice, answer)
        return self

    def roll(self, dice: str) -> Self:
        """Throw dice and wait for the decision."""
        self.last = []
        self._throw(dice)
        assert self.state.phase is Phase.DECIDE
        return self

    def options(self) -> dict[str, Option]:
        """Return the options, by their keep as text, in their order."""
        return {format_dice(option.keep): option for option in self.engine.options(self.state)}

    def offered(self) -> list[str]:
        """Return every legal decision as text."""
        return [format_decision(decision) for decision in self.engine.decisions(self.state)]

    def refused(self, answer: str | Decision) -> IllegalDecision:
        """Return why the answer is refused; the state must stand, and the decision must not be listed."""
        decision = parse_decision(answer) if isinstance(answer, str) else answer
        before = snapshot(self.state)
        with pytest.raises(IllegalDecision) as caught:
            self.engine.check(self.state, decision)
        with pytest.raises(IllegalDecision) as again:
            self.engine.decide(self.state, decision)
        assert caught.value.as_json() == again.value.as_json()
        assert self.state == before
        assert replace(decision, keep=tuple(sorted(decision.keep))) not in self.engine.decisions(self.state)
        return caught.value

    def _step(self, step: tuple[PushLuckState, list[Event]]) -> None:
        self.state, happened = step
        self.last += happened
        self.events += happened
        json.dumps(self.engine.describe(self.state))

    def _throw(self, dice: str) -> None:
        (throw,) = self.engine.throws(self.state)
        faces = parse_faces(dice)
        assert throw.seat == self.state.seat
        assert throw.dice == len(faces), f"{dice}, but {throw.dice} dice are rolled"
        before, state = snapshot(self.state), self.state
        self._step(self.engine.thrown(state, [faces]))
        assert state == before

    def _line(self, dice: str, answer: str) -> None:
        self._throw(dice)
        if answer in ("bust", "win"):
            kinds = [event.event for event in self.last]
            assert ("bust" in kinds) == (answer == "bust")
            assert self.state.phase is not Phase.DECIDE
            return
        assert self.state.phase is Phase.DECIDE, f"{dice} asks for no decision: {self.told}"
        before, state = snapshot(self.state), self.state
        decision = parse_decision(answer)
        assert decision in self.engine.decisions(state), f"{answer!r} is not offered for {dice}: {self.offered()}"
        self._step(self.engine.decide(state, decision))
        assert state == before

    def _bust(self) -> None:
        (throw,) = self.engine.throws(self.state)
        self._line(format_dice((2, 3, 4, 6, 2, 3)[: throw.dice]), "bust")

    def _score(self, points: int) -> None:
        """Bank exactly so many points: the largest rolls first that bring all dice back, then a last one."""
        rules = self.engine.rules
        ones = rules.score.single[1]
        hot, last = (
            (_SIX_HOT, _SIX_LAST)
            if rules.dice == 6
            else (_CLASSIC_HOT, _CLASSIC_LAST)
            if ones == 10
            else (_THOUSAND_HOT, _THOUSAND_LAST)
        )
        left = points
        while left:
            fitting = next((p for p in sorted(hot, reverse=True) if p <= left), None)
            if fitting is None:
                fitting, keep = left, last[left]
            else:
                keep = hot[fitting]
            left -= fitting
            # Two 2s fill up a keep of three of five dice (they bring all dice back); worthless dice fill up the others.
            spare = "22" if rules.dice - len(keep) == 2 else "23463"
            dice = keep + spare[: rules.dice - len(keep)]
            self._line(dice, f"{keep} {'roll' if left else 'bank'}")
