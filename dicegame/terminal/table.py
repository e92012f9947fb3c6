"""The table that people sit at: the console, the screen, and what every prompt understands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dicegame.errors import InvalidDecision
from dicegame.games.base import Decision, Engine, Forfeit, Undo
from dicegame.games.events import Dice
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.rules.describe import describe
from dicegame.rules.model import RuleSet
from dicegame.rules.table import Keep
from dicegame.terminal.console import Console
from dicegame.terminal.layout import unbroken
from dicegame.terminal.screen import Screen
from dicegame.terminal.words import Typed, parse, word
from dicegame.text import _, join, ltr, percent
from dicegame.values.risk import bust_after, room_after

if TYPE_CHECKING:  # the judge is imported when it is asked
    from dicegame.terminal.advice import Adviser

EVERYWHERE = ("hint", "odds", "tutor", "rules", "score", "undo", "save", "forfeit", "quit")
TUTOR = 2.0  # percent of the games that a decision may cost without a warning, unless it is said


class Leave(Exception):
    """Somebody said quit: the game stays saved."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a prompt stands: what is possible there, besides what is everywhere.

    `state` is that of any engine, None before a game has begun; `help_` says what is possible; `may_undo` is whether the last
    decision can be taken back, `forfeits` the seat that may give up, if one may. `kept` are the dice that are kept already in a
    decision which is not whole yet.
    """

    state: Any
    help_: Callable[[], None]
    may_undo: bool = False
    forfeits: int | None = None
    kept: Dice | None = None


class Table:
    """What the people of one game share.

    `game` is the id by which the game is gone on with; None where it can't be saved. `people` are the seats at this keyboard.
    `reveal_now` says that somebody said reveal (high dice): who has not marked stands pat. `tutor` is how many percent of the games a
    decision may cost before the tutor warns; None while it is off.
    """

    def __init__(self, console: Console, screen: Screen, people: frozenset[int], engine: Engine[Any]) -> None:
        self.console = console
        self.screen = screen
        self.people = people
        self.engine = engine
        self.game: str | None = None
        self.reveal_now = False
        self.tutor: float | None = None
        self.tutor_changed: Callable[[float | None], None] = lambda _tutor: None
        self._tutor_before = TUTOR  # the last one that was on
        self._silent = False  # the tutor has said why it can't say anything
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
        key = keep.roll, room_after(engine, state, keep)
        if key not in self._odds:
            self._odds[key] = ltr(percent(bust_after(engine, state, keep)))
        return self._odds[key]

    @cached_property
    def adviser(self) -> Adviser:
        """Who tells what decisions are worth in this game."""
        from dicegame.terminal.advice import Adviser

        return Adviser(self.engine, len(self.screen.names))

    def lets(self, state: Any, decision: Decision) -> bool:  # noqa: ANN401 - any engine's
        """Say whether a decision of a person is to be carried out: the tutor has nothing to say against it, or is not heeded.

        Raises:
            Leave: somebody said quit instead.
            EndOfInput: nobody types any more.
        """
        if self.tutor is None:
            return True
        from dicegame.terminal.tutor import lets

        return lets(self, state, decision, self.tutor)

    def silence_tutor(self, reason: str) -> None:
        """Say, once, why the tutor has nothing to say in this game."""
        if not self._silent:
            self._silent = True
            self.console.complain(_("the tutor has nothing to say: %s") % reason)

    def say_tutor(self) -> None:
        """Say that the tutor is on, if it is."""
        if self.tutor is None:
            return
        digits = next(digits for digits in range(5) if round(self.tutor, digits) == self.tutor or digits == 4)
        message = _("The tutor is on: it warns before a decision that costs more than %(cost)s of the games.")
        self.console.say(message % {"cost": unbroken(ltr(percent(self.tutor / 100, digits)))})

    def _answered(self, command: str, place: Place) -> bool:
        """Do what is the same everywhere; say whether it was that."""
        console = self.console
        match command:
            case "help":
                place.help_()
                console.say(_("Everywhere: %s") % join([word(name) for name in EVERYWHERE]))
            case "rules":
                say_rules(console, self.screen.rules)
            case "tutor":
                self._switch_tutor()
            case "score" | "hint" | "odds" if place.state is None:
                console.say(_("The game has not begun."))
            case "hint":
                from dicegame.terminal.hint import say_hint

                say_hint(self, place)
            case "odds":
                from dicegame.terminal.chances import say_odds

                say_odds(self, place)
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

    def _switch_tutor(self) -> None:
        """Switch the tutor on, or off."""
        if self.tutor is None:
            self.tutor = self._tutor_before
        else:
            self._tutor_before, self.tutor = self.tutor, None
            self.console.say(_("The tutor is off."))
        self.tutor_changed(self.tutor)
        self.say_tutor()

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
