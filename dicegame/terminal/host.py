"""The host of a game with people: the moments at which dice wait for somebody's word, and the dice that people throw themselves."""

from __future__ import annotations

from functools import partial
from typing import Any

from dicegame.errors import DecisionError
from dicegame.games.base import Answer, Change, Decision, Engine, Forfeit, Phase, Undo
from dicegame.games.events import Dice
from dicegame.games.highdice import HighDiceState
from dicegame.games.notation import format_dice
from dicegame.games.refusals import not_these_dice
from dicegame.terminal.table import Place, Table, marked
from dicegame.terminal.words import Typed, parse, word
from dicegame.text import _, ltr, ngettext, number


class PeopleHost:
    """Asks the people at `table` before dice fall; with `real_dice` they throw, and type in what fell."""

    def __init__(self, table: Table, *, real_dice: bool = False) -> None:
        self.table = table
        self.console = table.console
        self.screen = table.screen
        self._real_dice = real_dice
        self._fell: Dice | None = None  # typed in, and not yet asked for
        self._state: Any = None  # in which the dice are thrown

    def resumed(self, engine: Engine[Any], state: Any) -> None:  # noqa: ANN401, ARG002 - any engine's
        """Begin to say what happens; in a game that is gone on with, say first where it stands."""
        if not self.screen.quiet:
            return
        self.screen.quiet = False
        self.console.say(_("The game goes on."), bold=True)
        self.screen.standing(state, whole=True)
        self.table.say_tutor()
        if isinstance(state, HighDiceState):
            self.screen.lying(state)
        elif state.phase is Phase.DECIDE:
            said = {"name": self.screen.name(state.seat), "points": number(state.turn_points)}
            self.console.say(_("%(name)s has %(points)s in this turn, and rolled") % said)
            if not self.console.dice(state.dice):
                self.console.say(ltr(format_dice(state.dice)))

    def before_throw(self, engine: Engine[Any], state: Any, *, may_undo: bool) -> Answer | None:  # noqa: ANN401 - any engine's
        """Wait for somebody's word where dice wait for it; return what is wanted instead of them, if anything."""
        self._state = state
        answer = self._wait_for_word(engine, state, may_undo=may_undo) if self._people_in(state) else None
        if answer is None and self._real_dice:
            answer = self._ask_first(engine, state, may_undo=may_undo)
        return answer

    def ask_dice(self, seat: int, dice: int) -> Dice:
        """Return what was rolled for a seat with real dice."""
        fell, self._fell = self._fell, None
        state = self.screen.state if self._state is None else self._state  # None: gone on with between two throws
        while fell is None:
            typed = self.table.read(self._what_fell(seat, dice), Place(state, self._help_dice))
            fell = self._taken(typed, dice)
        return fell

    def _people_in(self, state: Any) -> list[int]:  # noqa: ANN401 - any engine's
        return [seat for seat in sorted(self.table.people) if not state.out[seat]]

    def _wait_for_word(self, engine: Engine[Any], state: Any, *, may_undo: bool) -> Answer | None:  # noqa: ANN401 - any engine's
        if isinstance(state, HighDiceState):
            return self._before_high_dice(state, may_undo=may_undo)
        throw = engine.throws(state)[0]
        if may_undo and throw.roll == 0 and throw.seat in self.table.people and not self._real_dice:
            prompt = _("%(name)s: %(roll)s, or %(undo)s?")
            said = {"name": self.screen.name(throw.seat), "roll": word("roll"), "undo": word("undo")}
            return self._wait(
                "roll", prompt % said, Place(state, partial(self._help_word, "roll"), may_undo, throw.seat)
            )
        return None

    def _wait(self, command: str, prompt: str, place: Place) -> Answer | None:
        """Wait until somebody says `command`; return what is wanted instead, if anything."""
        while True:
            typed = self.table.read(prompt, place)
            if isinstance(typed, Undo | Forfeit):
                return typed
            if typed == Typed(None, (command,)):
                return None
            self._only(command)

    def _only(self, command: str) -> None:
        self.console.complain(_("type %s to go on") % word(command))

    def _help_word(self, command: str) -> None:
        self.console.say(_("%s: the dice are rolled.") % word(command))

    def _before_high_dice(self, state: HighDiceState, *, may_undo: bool) -> Answer | None:
        people = self._people_in(state)
        alone = people[0] if len(people) == 1 else None  # whoever says that they give up
        if state.revealing:
            if self.table.reveal_now:
                self.table.reveal_now = False
                return None
            return self._before_reveal(state, Place(state, partial(self._help_reveal, state), may_undo, alone))
        if self._real_dice:
            return None
        if state.replaying:
            prompt = _("%s to roll again:") % word("replay")
            return self._wait("replay", prompt, Place(state, partial(self._help_word, "replay"), may_undo, alone))
        if state.round > 1:
            prompt = _("Round %(round)s: %(roll)s?") % {"round": number(state.round), "roll": word("roll")}
            return self._wait("roll", prompt, Place(state, partial(self._help_word, "roll"), may_undo, alone))
        return None

    def _before_reveal(self, state: HighDiceState, place: Place) -> Answer | None:
        """Wait for the word that fixes the table; until then marks may be changed."""
        pat = all(keep is None or len(keep) == len(state.dice[seat]) for seat, keep in enumerate(state.keeps))
        prompt = _("%s (no reroll), or change a mark?") if pat else _("%s, or change a mark?")
        while True:
            line = self.console.ask(prompt % word("reveal"))
            try:
                change = self._change(line, state)
                answer = self.table.understood(line, place) if change is None else None
            except DecisionError as error:
                self.console.complain(error.message)
                continue
            if change is not None:
                if self._lets(state, change):
                    return change
                self.table.reveal_now = False
            if answer == Typed(None, ("reveal",)):
                return None
            if isinstance(answer, Typed):
                self._only("reveal")
            elif answer is not None:
                return answer

    def _help_reveal(self, state: HighDiceState) -> None:
        seat = self._people_in(state)[0]
        example = f"{self.screen.name(seat)} {ltr(format_dice(state.dice[seat][:2]))}"
        self._help_word("reveal")
        self.console.say(_("To change a mark, type a name and the dice to keep, like: %s") % example)

    def _change(self, line: str, state: HighDiceState) -> Change | None:
        """Return the change of a mark that a line asks for; None if it asks for something else.

        Raises:
            DecisionError: it names dice that the seat does not have, or is not understood.
        """
        seats = self._people_in(state)
        named = [seat for seat in seats if line.casefold().startswith(self.screen.names[seat].casefold() + " ")]
        if named:
            seat = max(named, key=lambda s: len(self.screen.names[s]))
            rest = line[len(self.screen.names[seat]) :]
        elif len(seats) == 1:
            seat, rest = seats[0], line
        else:
            return None
        keep, reveal = marked(parse(rest), state.dice[seat])
        if keep is None:
            return None
        refusal = not_these_dice(keep, state.dice[seat])
        if refusal is not None:
            raise refusal
        self.table.reveal_now = reveal
        return Change(seat, keep)

    def _lets(self, state: HighDiceState, change: Change) -> bool:
        """Say whether a mark is to be changed: the tutor has nothing to say against it, or is not heeded."""
        if self.table.tutor is None:
            return True
        from dicegame.terminal.tutor import unmarked

        computers = frozenset(range(len(state.out))) - self.table.people
        return self.table.lets(unmarked(state, change.seat, computers), Decision(change.keep))

    # Dice that people throw themselves

    def _ask_first(self, engine: Engine[Any], state: Any, *, may_undo: bool) -> Answer | None:  # noqa: ANN401 - any engine's
        """Ask what fell in the first of the throws that are due; return what is wanted instead, if anything.

        The others are asked for one by one as the first is written down, so that none is lost.
        """
        throw = next(iter(engine.throws(state)), None)
        self._fell = None
        while throw is not None and self._fell is None:
            forfeits = throw.seat if throw.seat in self.table.people else None
            prompt = self._what_fell(throw.seat, throw.dice, undo=may_undo)
            typed = self.table.read(prompt, Place(state, self._help_dice, may_undo, forfeits))
            if isinstance(typed, Undo | Forfeit):
                return typed
            self._fell = self._taken(typed, throw.dice)
        return None

    def _what_fell(self, seat: int, dice: int, *, undo: bool = False) -> str:
        message = ngettext("%(name)s rolls %(n)s die. What fell?", "%(name)s rolls %(n)s dice. What fell?", dice)
        if undo:
            message = ngettext(
                "%(name)s rolls %(n)s die. What fell? (or %(undo)s)",
                "%(name)s rolls %(n)s dice. What fell? (or %(undo)s)",
                dice,
            )
        return message % {"name": self.screen.name(seat), "n": number(dice), "undo": word("undo")}

    def _help_dice(self) -> None:
        self.console.say(_("Throw, and type the faces as the dice lie, like %s.") % ltr("1 5 3"))

    def _taken(self, typed: Typed | Undo | Forfeit, dice: int) -> Dice | None:
        """Return the dice that were typed in; None, and a complaint, if they are no such roll."""
        faces = typed.faces if isinstance(typed, Typed) and not typed.commands else None
        if faces is not None and len(faces) == dice and all(1 <= face <= 6 for face in faces):
            return faces
        message = ngettext("%s die with a face from 1 to 6, please", "%s dice with faces from 1 to 6, please", dice)
        self.console.complain(message % number(dice))
        return None
