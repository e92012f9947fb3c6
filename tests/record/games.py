"""Games for the tests of records: played in this process by people who decide, undo, change and give up at random."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from dicegame import dice as dice_function
from dicegame.dice import Dice, DiceSource, SeededDice, TypedDice
from dicegame.games import engine_for
from dicegame.games.base import Answer, Change, Decision, Engine, Forfeit, Outcome, Past, Phase, Throw, Undo
from dicegame.games.events import Event
from dicegame.games.highdice import HighDiceState, keeps_of
from dicegame.players.base import Player, Request, Silent
from dicegame.players.builtin import make
from dicegame.record.lines import Header
from dicegame.record.write import RecordWriter
from dicegame.referee import Referee
from dicegame.rules.load import as_data
from dicegame.rules.model import Find, HighDiceRules, HighRule, RuleSet

LONGEST = 20_000  # where every roll scores and hot dice must be rolled, a turn has 65 536 rolls


@dataclass
class Story:
    """An observer that writes down everything it is told."""

    told: list[tuple[Any, ...]] = field(default_factory=list)

    def event(self, event: Event, state: Any) -> None:
        self.told.append(("event", event))
        if len(self.told) > LONGEST:
            reject()

    def throw(self, throw: Throw, dice: Dice) -> None:
        self.told.append(("throw", throw, dice))

    def answer(self, seat: int, request_id: int, answer: Answer) -> None:
        self.told.append(("answer", seat, request_id, answer))

    def over(self, outcome: Outcome) -> None:
        self.told.append(("over", outcome))


class Fickle(Silent):
    """A person who decides at random, takes back whatever may be taken back, and sometimes gives up."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def decide(self, request: Request) -> Answer:
        mood = self._chance.random()
        if request.may_undo and mood < 0.2:
            return Undo()
        if mood > 0.985:
            return Forfeit(request.seat)
        if mood > 0.6 and isinstance(request.state, HighDiceState):
            return pat(request)
        decisions: list[Decision] = request.engine.decisions(request.state)
        return self._chance.choice(decisions)


class Restless:
    """A host whose people undo, change their marks and give up at random before dice fall."""

    def __init__(self, chance: random.Random, people: frozenset[int]) -> None:
        self._chance = chance
        self._people = people
        self.resumes: list[Any] = []

    def resumed(self, engine: Engine[Any], state: Any) -> None:
        self.resumes.append(state)

    def before_throw(self, engine: Engine[Any], state: Any, *, may_undo: bool) -> Answer | None:
        mood = self._chance.random()
        if may_undo and mood < 0.2:
            return Undo()
        left = sorted(seat for seat in self._people if not state.out[seat])
        if left and mood > 0.95:
            return Forfeit(self._chance.choice(left))
        if isinstance(state, HighDiceState) and state.revealing and left and mood > 0.7:
            seat = self._chance.choice(left)
            return Change(seat, self._chance.choice(keeps_of(state.dice[seat])))
        return None


@dataclass
class Table:
    """What a game is played with; `play` plays it, as often as wanted and each time the same."""

    rules: RuleSet
    specs: list[str]
    kind: str = "seeded"
    seed: int = 0

    @property
    def key(self) -> bytes:
        return dice_function.stream_key(dice_function.seed_from_text(str(self.seed)), 0)

    @property
    def people(self) -> frozenset[int]:
        return frozenset(seat for seat, spec in enumerate(self.specs) if spec == "human")

    @property
    def header(self) -> Header:
        names = [f"{spec} {seat}" for seat, spec in enumerate(self.specs)]
        commitment = dice_function.commitment(self.key) if self.kind == "seeded" else None
        kind: Any = self.kind
        return Header(
            game="g", rules=as_data(self.rules), players=names, specs=self.specs, dice=kind, commitment=commitment
        )

    def source(self) -> DiceSource:
        if self.kind == "seeded":
            return SeededDice(self.key)
        chance = random.Random(self.seed)
        return TypedDice(lambda _seat, n: tuple(chance.choices(range(1, 7), k=n)))

    def play(self, *observers: Any, past: list[Past] | None = None, host: Any = None) -> Outcome:
        """Play the game; with a past, it goes on from there."""
        chance = random.Random(self.seed)
        players: list[Player] = [Fickle(chance) if spec == "human" else make(spec) for spec in self.specs]
        referee = Referee(
            engine_for(self.rules),
            players,
            self.source(),
            seed_key=self.key,
            people=self.people,
            observers=observers,
            host=host or Restless(chance, self.people),
        )
        return referee.play(past or ())

    def record(self, path: Path) -> Story:
        """Play and record the game; return what happened."""
        story, writer = Story(), RecordWriter(path)
        writer.header(self.header)
        self.play(writer, story)
        writer.key(self.key if self.kind == "seeded" else None)
        writer.close()
        return story


@st.composite
def high_dice_rules(draw: st.DrawFn) -> HighDiceRules:
    """Draw a rule set of high dice."""
    rule = draw(st.sampled_from(HighRule))
    return HighDiceRules(
        name="drawn",
        dice=3 if rule is HighRule.TRIPLE_PAIR else draw(st.integers(1, 5)),
        reroll=draw(st.booleans()),
        rule=rule,
        find=draw(st.sampled_from(Find)),
        to=draw(st.integers(1, 3)),
    )


def pat(request: Request) -> Decision:
    """Return the mark of a seat that stands pat."""
    assert request.state.phase is Phase.DECIDE
    return Decision(tuple(sorted(request.state.dice[request.seat])))
