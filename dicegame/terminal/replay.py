"""A recorded game, played again for the screen."""

from __future__ import annotations

from dicegame.dice import TypedDice
from dicegame.errors import RecordError
from dicegame.games import engine_for
from dicegame.games.base import Answer
from dicegame.games.events import Dice
from dicegame.players.base import Player, Request, Silent
from dicegame.record.lines import is_person
from dicegame.record.read import Record
from dicegame.referee import Referee
from dicegame.terminal.console import Console
from dicegame.terminal.screen import Screen
from dicegame.text import _


class _End(Exception):
    """The record ends before the game."""


class _Absent(Silent):
    """A seat of a record: what it decided is in there, and nothing after it."""

    def decide(self, request: Request) -> Answer:  # noqa: ARG002 - a player's signature
        """Decide nothing: the record has ended."""
        raise _End


def _no_dice(seat: int, dice: int) -> Dice:  # noqa: ARG001 - asks nobody
    raise _End


def replay(console: Console, record: Record) -> None:
    """Print a recorded game again.

    Raises:
        RecordError: it breaks off in the middle (what is there is printed first).
        DicegameError: a decision in it is not legal.
    """
    seats = len(record.header.players)
    screen = Screen(console, record.rules, record.header.players, frozenset(range(seats)))
    players: list[Player] = [_Absent() for _seat in range(seats)]
    people = frozenset(seat for seat, spec in enumerate(record.header.specs) if is_person(spec))
    referee = Referee(engine_for(record.rules), players, TypedDice(_no_dice), people=people, observers=[screen])
    try:
        referee.play(record.past())
    except _End:
        console.say()
        raise RecordError(_("the record breaks off before the result")) from None
