"""The table that people sit at: the console, the screen, and what every prompt understands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dicegame.errors import InvalidDecision
from dicegame.games.base import Forfeit, Undo
from dicegame.games.events import Dice
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.rules.describe import describe
from dicegame.rules.model import Reach, RuleSet
from dicegame.rules.table import Keep
from dicegame.terminal.console import Console
from dicegame.terminal.screen import Screen
from dicegame.terminal.words import Typed, parse, word
from dicegame.text import _, join, ltr, percent
from dicegame.values.turn import bust_chance

EVERYWHERE = ("rules", "score", "undo", "save", "forfeit", "quit")


class Leave(Exception):
    """Somebody said quit: the game stays saved."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a prompt stands: what is possible there, besides what is everywhere.

    `state` is that of any engine, None before a game has begun; `help_` says what is possible; `may_undo` is whether the last
    decision can be taken back, `forfeits` the seat that may give up, if one may.
    """

    state: Any
    help_: Callable[[], None]
    may_undo: bool = False
    forfeits: int | None = None


class Table:
    """What the people of one game share.

    `game` is the id by which the game is gone on with; None where it can't be saved. `people` are the seats at this keyboard.
    `reveal_now` says that somebody said reveal (high dice): who has not marked stands pat.
    """

    def __init__(self, console: Console, screen: Screen, people: frozenset[int]) -> None:
        self.console = console
        self.screen = screen
        self.people = people
        self.game: str | None = None
        self.reveal_now = False
        self._odds: dict[tuple[int, int | None], str] = {}

    def read(self, prompt: str, place: Place) -> Typed | Undo | Forfeit:
        """Return what somebody types that is not answered on the spot: faces, and commands for this place.

        Raises:
            Leave: somebody said quit.
            EndOfInput: nobody types any more.
        """
        while True:
            line = self.console.ask(prompt)
            try:
                answer = self.understood(line, place)
            except InvalidDecision as error:
                self.console.complain(error.message)
                continue
            if answer is not None:
                return answer

    def understood(self, line: str, place: Place) -> Typed | Undo | Forfeit | None:
        """Return what one line says, as `read` does; None if it has been answered on the spot.

        Raises:
            InvalidDecision: a word in it is neither faces nor a command.
            Leave: it says quit.
        """
        typed = parse(line)
        if not typed.commands and typed.faces is None:
            self.console.say(_("Type what to do; %s lists it.") % word("help"))
            return None
        command = typed.commands[0] if len(typed.commands) == 1 and typed.faces is None else None
        if command == "undo" and place.may_undo:
            return Undo()
        if command == "forfeit":
            return self._forfeit(place)
        return None if command is not None and self._answered(command, place) else typed

    def yes(self, question: str, state: Any = None) -> bool:  # noqa: ANN401 - any engine's
        """Return whether somebody says yes to a question.

        Raises:
            Leave: somebody said quit instead.
        """

        def help_() -> None:
            self.console.say(_("%(yes)s or %(no)s?") % {"yes": word("yes"), "no": word("no")})

        while True:
            typed = self.read(question, Place(state, help_))
            if typed in {Typed(None, ("yes",)), Typed(None, ("no",))}:
                return typed == Typed(None, ("yes",))
            help_()

    def bust_odds(self, engine: PushLuck, state: PushLuckState, keep: Keep) -> str:
        """Return the chance that the roll after this keep busts, as it is shown."""
        room = None
        if engine.rules.reach is Reach.EXACT:
            room = engine.rules.target - state.standing.scores[state.seat] - state.turn_points - keep.points
        key = keep.roll, room
        if key not in self._odds:
            self._odds[key] = ltr(percent(float(bust_chance(engine.table, keep.roll, room))))
        return self._odds[key]

    def _answered(self, command: str, place: Place) -> bool:
        """Do what is the same everywhere; say whether it was that."""
        console = self.console
        match command:
            case "help":
                place.help_()
                console.say(_("Everywhere: %s") % join([word(name) for name in EVERYWHERE]))
            case "rules":
                say_rules(console, self.screen.rules)
            case "score" if place.state is None:
                console.say(_("The game has not begun."))
            case "score":
                self.screen.standing(place.state, whole=True)
            case "save":
                self._saved()
            case "quit":
                raise Leave
            case "undo":
                console.say(_("There is nothing to take back here."))
            case _:
                return False
        return True

    def _saved(self) -> None:
        if self.game is None:
            self.console.complain(_("this game can't be saved here"))
        else:
            self.console.say(_("Saved, as every decision is."))
            self.console.say(_("To go on later: %s") % ltr(f"dicegame play --resume {self.game}"))

    def _forfeit(self, place: Place) -> Forfeit | None:
        """Return that the seat of this place gives up, if somebody is sure of it."""
        seat = place.forfeits
        if seat is None:
            self.console.complain(_("only in one's own turn"))
            return None
        question = _("%(name)s gives up and can't win any more. Sure? (%(yes)s / %(no)s)")
        said = {"name": self.screen.name(seat), "yes": word("yes"), "no": word("no")}
        return Forfeit(seat) if self.yes(question % said, place.state) else None


def say_rules(console: Console, rules: RuleSet) -> None:
    """Say the rules in words, made from the rule set."""
    for title, lines in describe(rules):
        console.say(title, bold=True)
        for line in lines:
            console.say(line, indent=2)


def marked(typed: Typed, dice: Dice) -> tuple[Dice | None, bool]:
    """Return the mark that a line says in high dice, and whether it says reveal after it.

    The mark is ascending: the dice kept, `all` or `none`; None if the line says none.
    """
    reveal = typed.commands[-1:] == ("reveal",)
    commands = typed.commands[:-1] if reveal else typed.commands
    if typed.faces is not None:
        return (None if commands else tuple(sorted(typed.faces))), reveal
    keeps: dict[tuple[str, ...], Dice] = {("all",): tuple(sorted(dice)), ("none",): ()}
    return keeps.get(commands), reveal
