"""What a position of push your luck is worth: the judge of decisions and of dice, from solved values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, Protocol

from dicegame.games.base import Decision, Phase, Reason
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.games.standing import Standing
from dicegame.rules.model import End, PushLuckRules, Reach
from dicegame.rules.table import Dice, Keep
from dicegame.values.choices import Choice, Choices, compile_choices
from dicegame.values.contexts import Contexts
from dicegame.values.graphcontexts import GraphContexts
from dicegame.values.graphfile import SolvedGraph
from dicegame.values.judging import Valued
from dicegame.values.solved import Solved
from dicegame.values.turnstore import StoredTurn, in_plain_python, open_store
from dicegame.values.within import Stakes, TurnValues

KEPT_TURNS = 64  # of which all values are kept
KEPT_STORED = 60_000  # whose values lie in a store: more than a game to 10 000 has pairs of places
# How much of the luck of a duel goes along best with the results, by seats in the game.
SHARE = {3: 0.95, 4: 0.9, 5: 0.85}
SHARE_OF_MORE = 0.8


class TurnOf(Protocol):
    """The values of one turn."""

    @property
    def lost(self) -> float:
        """The mover's chance after a bust."""

    def banking(self, steps: int) -> float:
        """Return the chance after banking so many steps; negative where that is not allowed."""

    def best(self, choices: Sequence[Choice], steps: int) -> float:
        """Return the chance with the best of these choices, with so many steps in the turn."""

    def rolling(self, dice: int, steps: int) -> float:
        """Return the chance before rolling so many dice with so many steps in the turn."""


class TurnContexts(Protocol):
    """Tells what the values of a turn depend on, and what it is played for; `slots` are those of a store of turn values."""

    @property
    def slots(self) -> int:
        """How many slots a store needs."""

    def slot(self, context: Any) -> int | None:  # noqa: ANN401 - of its own kind
        """Return the slot of a context in a store; None for one that has none."""

    def of(self, state: PushLuckState) -> Hashable:
        """Return the context of the turn of `state`."""

    def stakes(self, context: Any) -> Stakes:  # noqa: ANN401 - of its own kind
        """Return what a turn in this context is played for."""


class PushLuckJudge:
    """Judges positions of one rule set.

    With two seats everything is exact for perfect play of both, but for the rounding of shipped values. With more, a seat is judged
    as if it played against the best of the others alone (`approximate`).
    """

    def __init__(self, engine: PushLuck, seats: int, solved: Solved | SolvedGraph, shared: Path | None = None) -> None:
        """Judge games of so many seats by these values; `shared` is a file of turn values that others read and fill as well."""
        rules = engine.rules
        self.engine = engine
        self.seats = seats
        self.solved = solved
        self.approximate = seats > 2
        self.rounding = solved.rounding
        self.checksum: str | None = solved.checksum
        self.choices: Choices = compile_choices(
            engine.table,
            every=rules.reach is Reach.EXACT or rules.end is End.FINAL_ROUND or isinstance(solved, SolvedGraph),
        )
        self.contexts: TurnContexts = (
            Contexts(rules, self.choices, solved)
            if isinstance(solved, Solved)
            else GraphContexts(rules, self.choices, engine.table, solved)
        )
        self._unit = self.choices.unit
        self._exact = rules.reach is Reach.EXACT
        self._known: dict[Dice, tuple[Choice, ...]] = {}  # what a roll leaves to choose from
        self._turns: OrderedDict[Hashable, TurnOf] = OrderedDict()
        self._standing: Standing | None = None  # whose turn is at hand
        self._at_hand: TurnOf | None = None
        self._store = None if shared is None else open_store(shared, self.contexts.slots, self.choices.dice)
        self._rolled = None if self._store is None else _worker(rules, self.choices, solved)

    def chance(self, state: PushLuckState, seat: int) -> float:
        """Return the chance of `seat` to win from here: before dice fall, at a decision, or when it is over (its share of the win)."""
        if state.outcome is not None:
            winners = state.outcome.winners
            return 1 / len(winners) if seat in winners else 0.0
        turn = self._turn(state)
        steps = state.turn_points // self._unit
        mine = self._best(state, turn) if state.phase is Phase.DECIDE else turn.rolling(state.free, steps)
        if seat == state.seat:
            return mine
        rest = [s for s, out in enumerate(state.out) if not out and s != state.seat]
        return (1 - mine) / len(rest) if seat in rest else 0.0

    def decisions(self, state: PushLuckState) -> list[Valued]:
        """Return every legal decision with the mover's chance after it, the best first; of equal ones the earlier option."""
        turn, found = self._turn(state), []
        for option in self.engine.options(state):
            steps = (state.turn_points + option.points) // self._unit
            if option.bank:
                found.append(Valued(Decision(option.keep, bank=True), turn.banking(steps)))
            found.append(Valued(Decision(option.keep), turn.rolling(option.roll, steps)))
        return sorted(found, key=lambda valued: -valued.value)

    def luck(self, before: PushLuckState, after: PushLuckState) -> tuple[float, ...]:
        """Return the luck of one throw by seat: how far it moved each seat's chance from its mean over the dice, which is exactly 0.

        With more than two seats it is made from the luck in a duel with the best other seat; see `by_seat`.
        """
        turn = self._turn(before)
        if after.phase is Phase.DECIDE:
            fallen = self._best(after, turn)
        else:
            won = after.outcome is not None and after.outcome.reason is Reason.INSTANT_WIN
            fallen = 1.0 if won else turn.lost
        moved = fallen - turn.rolling(before.free, before.turn_points // self._unit)
        return by_seat(moved, before)

    def _best(self, state: PushLuckState, turn: TurnOf) -> float:
        """Return the chance with the best choice, as the recursion sees it."""
        roll = state.roll
        if roll is None:
            raise AssertionError("no decision is awaited")
        if self._exact:
            choices = self._choices_of(self.engine.keeps(state))
        else:
            known = self._known.get(roll.dice)
            choices = self._known[roll.dice] = self._choices_of(roll.keeps) if known is None else known
        return turn.best(choices, state.turn_points // self._unit)

    def _choices_of(self, keeps: Sequence[Keep]) -> tuple[Choice, ...]:
        return tuple({(self.choices.kind(keep), keep.points // self._unit) for keep in keeps})

    def _turn(self, state: PushLuckState) -> TurnOf:
        if state.standing is self._standing and self._at_hand is not None:
            return self._at_hand
        context = self.contexts.of(state)
        turn = self._turns.get(context)
        if turn is None:
            turn = self._turns[context] = self._work_out(context)
            if len(self._turns) > (KEPT_TURNS if self._store is None else KEPT_STORED):
                self._turns.popitem(last=False)
        else:
            self._turns.move_to_end(context)
        self._standing, self._at_hand = state.standing, turn
        return turn

    def _work_out(self, context: Hashable) -> TurnOf:
        stakes = self.contexts.stakes(context)
        slot = None if self._store is None else self.contexts.slot(context)
        if self._store is None or slot is None:
            return TurnValues(self.choices, stakes)

        def fill() -> list[float]:
            return in_plain_python(self.choices, stakes) if self._rolled is None else self._rolled(context)

        return StoredTurn(self.choices, stakes, self._store.numbers, self._store.slot(slot, fill))


def _worker(
    rules: PushLuckRules, choices: Choices, solved: Solved | SolvedGraph
) -> Callable[[Any], list[float]] | None:
    """Return what works turns out fast; None where there is none, or the extra that it needs is not installed."""
    if not isinstance(solved, Solved):
        return None
    try:
        from dicegame.values.exact.turns import CompiledTurns  # noqa: PLC0415 - heavy, and only for many games
    except ImportError:
        return None
    return CompiledTurns(rules, choices, solved).rolled


def by_seat(moved: float, state: PushLuckState) -> tuple[float, ...]:
    """Return what a throw moved by seat, from how far it moved the mover's chance in a duel with the best other seat.

    With two seats in the game the one wins what the other loses. With more a part of it counts (`SHARE`), at the others' cost in equal
    parts: any such part leaves the mean at 0, and this one goes along best with the results.
    """
    seat = state.seat
    if len(state.out) == 2:
        return (moved, -moved) if seat == 0 else (-moved, moved)
    rest = [other for other, out in enumerate(state.out) if not out and other != seat]
    moved *= SHARE.get(len(rest) + 1, SHARE_OF_MORE)
    others = -moved / len(rest)
    return tuple(moved if s == seat else others if s in rest else 0.0 for s in range(len(state.out)))
