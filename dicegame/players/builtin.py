"""The built-in players: fixed ways to play every game, all of them by the same table as the engine.

In high dice every one of them but `random` and `optimal` marks what wins the round (or does not lose it) most often; see `values.chances`.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

from dicegame.errors import PlayerError
from dicegame.games.base import Decision
from dicegame.games.highdice import HighDice
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.players.base import Player, Request, Seating, Silent
from dicegame.players.optimal import MaxPoints, Optimal
from dicegame.rules.model import End
from dicegame.rules.table import Back, Keep
from dicegame.text import N_, _, ltr, quote
from dicegame.values.chances import best_mark
from dicegame.values.policies import Threshold


class _MostPoints(Silent, ABC):
    """Keeps the most points (of equal ones fewer dice, then the first in ascending order); subclasses say when to bank."""

    def begin(self, seating: Seating) -> None:
        """Take a seat in a new game."""
        engine = seating.engine
        if isinstance(engine, PushLuck):
            self._sudden = engine.rules.end is End.SUDDEN
            self._target = engine.rules.target
            self._threshold = Threshold.of(engine.rules, engine.table.unit)

    def decide(self, request: Request) -> Decision:
        """Return the decision."""
        engine, state = request.engine, request.state
        if isinstance(engine, HighDice):
            return Decision(best_mark(engine, state, request.seat))
        keep = self._keep(engine, state)
        total = state.turn_points + keep.points
        may_bank = keep.may_bank and total >= state.required
        return Decision(keep.keep, may_bank and self._banks(state, keep, total))

    def _keep(self, engine: PushLuck, state: PushLuckState) -> Keep:
        return engine.keeps(state)[0]

    @abstractmethod
    def _banks(self, state: PushLuckState, keep: Keep, total: int) -> bool:
        """Say whether to bank, where it may, the `total` that this turn has with the keep."""

    def _ends_well(self, state: PushLuckState, total: int) -> bool | None:
        """Say whether to bank where the end decides it: yes where it wins at once; in a final round only in front. None elsewhere."""
        standing = state.standing
        mine = standing.scores[state.seat] + total
        if standing.final is None:
            if mine < self._target:
                return None
            return True if self._sudden or standing.best_other(state.seat) is None else None
        best = standing.best_other(state.seat)
        return best is None or mine > best


class House(_MostPoints):
    """The default opponent: banks at a threshold that rises when it trails and falls when few dice are left."""

    def _banks(self, state: PushLuckState, keep: Keep, total: int) -> bool:
        decided = self._ends_well(state, total)
        if decided is not None:
            return decided
        standing = state.standing
        best = standing.best_other(state.seat)
        trails = 0 if best is None else best - standing.scores[state.seat]
        return total >= self._threshold.at(trails, keep.roll)


class Hold(_MostPoints):
    """Banks at `at` turn points or more, hot dice or not; `roll_hot` makes it roll hot dice whatever it has, unless banking wins."""

    def __init__(self, at: int, *, roll_hot: bool = False) -> None:
        self._at = at
        self._roll_hot = roll_hot

    def _banks(self, state: PushLuckState, keep: Keep, total: int) -> bool:
        decided = self._ends_well(state, total)
        if decided is not None:
            return decided
        if self._roll_hot and keep.back is Back.HOT:
            return False
        return total >= self._at


class Cautious(_MostPoints):
    """Keeps the fewest dice that score, of those the most points, and banks as soon as it may."""

    def _keep(self, engine: PushLuck, state: PushLuckState) -> Keep:
        return min(engine.keeps(state), key=lambda keep: (len(keep.keep), -keep.points, keep.keep))

    def _banks(self, state: PushLuckState, keep: Keep, total: int) -> bool:  # noqa: ARG002 - always
        return True


class Random(Silent):
    """Uniform over all legal decisions."""

    def begin(self, seating: Seating) -> None:
        """Take a seat; the seed of the game decides all."""
        self._random = random.Random(seating.seed)

    def decide(self, request: Request) -> Decision:
        """Return any legal decision."""
        decisions: list[Decision] = request.engine.decisions(request.state)
        return self._random.choice(decisions)

    def replayed(self, request: Request, decision: Decision) -> None:  # noqa: ARG002 - only the draw counts
        """Draw again what was drawn before the game was resumed."""
        self.decide(request)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a built-in: its name, what it means, its default as text (None: it must be given), and how it is read."""

    name: str
    meaning: str
    default: str | None
    read: Callable[[str], object]
    right: str


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """One built-in: its name, what it does in a line, how it is made, its parameters, and the level it is for people."""

    name: str
    summary: str
    make: Callable[..., Player]
    parameters: tuple[Parameter, ...] = ()
    level: str | None = None
    fixed: dict[str, object] = field(default_factory=dict)


def _points(text: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= value <= 1_000_000_000:
        raise ValueError(text)
    return value


def _hot(text: str) -> bool:
    return {"roll": True, "bank": False}[text]


BUILT_INS = {
    built_in.name: built_in
    for built_in in (
        BuiltIn(
            "house",
            N_("banks at a threshold: 300 of 10 000, more when it trails, less when few dice are left"),
            House,
            level=N_("normal"),
        ),
        BuiltIn(
            "cautious",
            N_("keeps the fewest dice that score and banks as soon as it may"),
            Cautious,
            level=N_("easy"),
        ),
        BuiltIn(
            "hold",
            N_("keeps the most points and banks at a fixed number of turn points"),
            Hold,
            (
                Parameter("at", N_("turn points to bank at"), None, _points, N_("a number of points, like at=350")),
                Parameter("hot", N_("what to do with hot dice: bank or roll"), "bank", _hot, "hot=bank, hot=roll"),
            ),
        ),
        BuiltIn("greedy", N_("keeps the most points and banks as soon as it may: hold:at=1"), Hold, fixed={"at": 1}),
        BuiltIn(
            "maxpoints",
            N_("makes the most points a turn, whatever the scores"),
            MaxPoints,
            level=N_("hard"),
        ),
        BuiltIn(
            "optimal",
            N_(
                "wins most against a best opponent: exactly with two seats; with more, as if against the best other alone"
            ),
            Optimal,
            level=N_("perfect"),
        ),
        BuiltIn("random", N_("any legal decision, each as likely as the others"), Random),
    )
}
_KEYWORDS = {"hot": "roll_hot"}


def make(spec: str) -> Player:
    """Return the built-in that `spec` names: `house`, `hold:at=350,hot=roll`.

    Raises:
        PlayerError: there is no such built-in, or a parameter is unknown, missing or wrong.
    """
    name, _colon, rest = spec.partition(":")
    built_in = BUILT_INS.get(name)
    if built_in is None:
        raise PlayerError(_("there is no built-in player named %s") % quote(name))
    known = {parameter.name: parameter for parameter in built_in.parameters}
    given: dict[str, object] = dict(built_in.fixed)
    for item in filter(None, rest.split(",")):
        key, _sign, value = item.partition("=")
        if key not in known:
            message = (
                _("%(player)s has no parameter %(parameter)s; it has: %(known)s")
                if known
                else _("%(player)s has no parameters")
            )
            raise PlayerError(message % {"player": ltr(name), "parameter": quote(key), "known": ltr(", ".join(known))})
        try:
            given[_KEYWORDS.get(key, key)] = known[key].read(value)
        except (ValueError, KeyError):
            message = _("%(player)s: %(item)s is wrong; right would be %(right)s")
            values = {"player": ltr(name), "item": quote(item), "right": _(known[key].right)}
            raise PlayerError(message % values) from None
    for parameter in built_in.parameters:
        if parameter.default is None and parameter.name not in given:
            message = _("%(player)s needs %(parameter)s: %(right)s")
            values = {"player": ltr(name), "parameter": ltr(parameter.name), "right": _(parameter.right)}
            raise PlayerError(message % values)
    return built_in.make(**given)
