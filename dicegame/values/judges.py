"""The judge for a game: of either engine, of solved values."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from dicegame.errors import RulesError
from dicegame.games.base import Engine
from dicegame.games.highdice import HighDice
from dicegame.games.pushluck import PushLuck
from dicegame.rules.model import PushLuckRules
from dicegame.text import _, join, ltr, quote
from dicegame.values import graphfile, solved
from dicegame.values.extra import need_solver
from dicegame.values.graph import rules_on
from dicegame.values.graphfile import SolvedGraph
from dicegame.values.judging import Judge
from dicegame.values.marks import HighDiceJudge
from dicegame.values.position import PushLuckJudge
from dicegame.values.solved import Solved

PERFECT = "optimal"  # the player whose table serves unless another is named
_shared: Path | None = None  # a folder for turn values, where many games are played


class NotSolved(RulesError):
    """A rule set that nobody has solved on this machine, and whose values do not come with the package."""

    code = "not_solved"


def share_turns(folder: Path | None) -> None:
    """From here on keep turn values in files of this folder, for all processes that do the same; None: no longer."""
    global _shared  # noqa: PLW0603 - a process plays one match
    _shared = folder


def judge_for(engine: Engine[Any], seats: int) -> Judge:
    """Return the judge of games of so many seats.

    Raises:
        NotSolved: the rule set has to be solved first; says how.
        RulesError: it can't be solved, and which rule is why; or there is only one seat.
    """
    if isinstance(engine, HighDice):
        return HighDiceJudge(engine, seats)
    if not isinstance(engine, PushLuck):
        raise TypeError(engine)
    if seats < 2:
        raise RulesError(_("a seat alone has nobody to win against: there is nothing to judge"))
    if seats > 2 and engine.rules.house.remembers:
        message = _("%(name)s can only be judged between two players: because of %(fields)s")
        raise RulesError(message % {"name": quote(engine.rules.name), "fields": join(rules_on(engine.rules))})
    found = find_values(engine.rules)
    if found is None:
        message = _("the values of %(name)s are not there yet: %(command)s works them out")
        raise NotSolved(message % {"name": quote(engine.rules.name), "command": ltr("dicegame solve")})
    shared = None if _shared is None else _shared / f"{found.checksum[:16]}.turns"
    return PushLuckJudge(engine, seats, found, shared)


def find_values(rules: PushLuckRules) -> Solved | SolvedGraph | None:
    """Return the solved values of a rule set, from the cache of this user or as shipped; None if nobody has solved it.

    Raises:
        RulesError: it can't be solved, and which rule is why.
    """
    return graphfile.find(rules) if rules.house.remembers else solved.find(rules)


def is_solved(rules: PushLuckRules, seats: int) -> bool:
    """Say at once whether the solved values of a rule set are there, and serve so many seats."""
    if rules.house.remembers:
        return seats == 2 and graphfile.kept(rules) is not None
    try:
        return solved.find(rules) is not None
    except RulesError:
        return False


class LuckJudge(Protocol):
    """Whoever tells the luck of a throw, by a table that has this checksum (None where it is no table)."""

    checksum: str | None

    def luck(self, before: Any, after: Any) -> tuple[float, ...]:  # noqa: ANN401 - the state of any engine
        """Return by seat how far a throw moved its chance from the mean over the dice, which is exactly 0."""


def luck_judge(engine: Engine[Any], seats: int, player: str) -> LuckJudge:
    """Return who measures luck by the table of perfect play (`optimal`), or of another built-in against itself.

    High dice has but one table.

    Raises:
        InputError: the table is of a built-in, and what it is worked out with is not installed.
        NotSolved: the rule set has to be solved first; says how.
        RulesError: it can't be solved, and which rule is why; or there is only one seat.
        PlayerError: the player has no fixed way to play.
    """
    if player == PERFECT or not isinstance(engine, PushLuck):
        return judge_for(engine, seats)
    need_solver()
    from dicegame.values.exact.luck import PolicyLuck  # noqa: PLC0415 - heavy, and only for such matches

    return PolicyLuck(engine, player)
