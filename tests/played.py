"""One game in this process, by script: dice, what each seat answers as it is asked, and what the host wants instead of dice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dicegame.dice import ScriptedDice, TypedDice, parse_script
from dicegame.games import engine_for
from dicegame.games.base import Answer, Decision, Engine, Fell, Forfeit, Outcome, Past, Undo
from dicegame.games.notation import parse_decision
from dicegame.players.base import Request, Seating, Silent
from dicegame.referee import Referee
from dicegame.rules.load import load
from tests.record.games import Story

Asked = list[tuple[int, int, bool]]


class Scripted(Silent):
    """A player that answers as written down, and writes down what it was asked: seat, id, whether an undo is possible."""

    def __init__(self, answers: Iterator[Answer], asked: Asked) -> None:
        self._answers = answers
        self._asked = asked
        self.seatings: list[Seating] = []
        self.replays: list[Decision] = []
        self.ends: list[Outcome] = []

    def begin(self, seating: Seating) -> None:
        self.seatings.append(seating)

    def decide(self, request: Request) -> Answer:
        self._asked.append((request.seat, request.id, request.may_undo))
        return next(self._answers)

    def replayed(self, request: Request, decision: Decision) -> None:
        self.replays.append(decision)

    def end(self, outcome: Outcome) -> None:
        self.ends.append(outcome)


class Host:
    """Lets dice fall, but for what is written down: what is wanted instead, by the number of the wait (from 0)."""

    def __init__(self, instead: dict[int, Answer]) -> None:
        self._instead = instead
        self.waits: list[bool] = []
        self.resumes: list[Any] = []

    def resumed(self, engine: Engine[Any], state: Any) -> None:
        self.resumes.append(state)

    def before_throw(self, engine: Engine[Any], state: Any, *, may_undo: bool) -> Answer | None:
        self.waits.append(may_undo)
        return self._instead.get(len(self.waits) - 1)


class Played:
    """One game by script: answers of the seats in the order in which they are asked, `1 5 bank`, `keep 1`, `undo` or `out 0`."""

    def __init__(
        self,
        rules: str,
        dice: str | Sequence[str],
        answers: str,
        *,
        seats: int = 2,
        people: Sequence[int] = (0, 1, 2),
        typed: bool = False,
        instead: dict[int, Answer] | None = None,
        past: Sequence[Past] = (),
        changes: Sequence[str] = (),
    ) -> None:
        self.asked: Asked = []
        self.story = Story()
        self.host = Host(instead or {})
        told = iter([_answer(text.strip()) for text in answers.split("/") if text.strip()])
        self.players = [Scripted(told, self.asked) for _ in range(seats)]
        rolls = parse_script(dice if isinstance(dice, str) else " / ".join(dice))
        script = iter(rolls)
        self.left = script
        self.referee = Referee(
            engine_for(load(rules, changes)),
            self.players,
            TypedDice(lambda _seat, _n: next(script)) if typed else ScriptedDice(rolls),
            people=frozenset(people) & frozenset(range(seats)),
            observers=[self.story],
            host=self.host,
        )
        self.outcome = self.referee.play(past)

    @property
    def events(self) -> list[str]:
        return [told[1].event for told in self.story.told if told[0] == "event"]

    @property
    def past(self) -> list[Past]:
        """What a record of this game would hold."""
        found: list[Past] = []
        for told in self.story.told:
            if told[0] == "throw":
                found.append(Fell(told[2]))
            elif told[0] == "answer":
                found.append(told[3])
            elif told[0] == "event" and told[1].event == "reveal" and not isinstance(found[-1], Fell):
                found.append(Fell(()))
        return found


def _answer(text: str) -> Answer:
    kind, _, rest = text.partition(" ")
    if kind == "keep":
        return Decision(tuple(int(face) for face in rest.split()))
    if kind in {"undo", "out"}:
        return Undo() if kind == "undo" else Forfeit(int(rest))
    return parse_decision(text)
