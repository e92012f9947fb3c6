"""The judge for a game: of either engine, of solved values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dicegame.errors import RulesError
from dicegame.games.base import Engine
from dicegame.games.highdice import HighDice
from dicegame.games.pushluck import PushLuck
from dicegame.text import _, ltr, quote
from dicegame.values.judging import Judge
from dicegame.values.marks import HighDiceJudge
from dicegame.values.position import PushLuckJudge
from dicegame.values.solved import find

_shared: Path | None = None  # a file of turn values, where many games are played


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
    solved = find(engine.rules)
    if solved is None:
        message = _("the values of %(name)s are not there yet: %(command)s works them out")
        raise NotSolved(message % {"name": quote(engine.rules.name), "command": ltr("dicegame solve")})
    shared = None if _shared is None else _shared / f"{solved.checksum[:16]}.turns"
    return PushLuckJudge(engine, seats, solved, shared)


def luck_judge(engine: Engine[Any], seats: int, player: str) -> Judge:
    """Return who measures luck by the table of a built-in player.

    Raises:
        NotSolved: the rule set has to be solved first; says how.
        RulesError: it can't be solved, and which rule is why; or there is only one seat.
    """
    return judge_for(engine, seats)
