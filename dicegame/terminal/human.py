"""A person at the keyboard, as a player."""

from __future__ import annotations

from dicegame.errors import DecisionError, IllegalDecision
from dicegame.games.base import Answer, Decision, Forfeit, Undo
from dicegame.games.events import Dice
from dicegame.games.highdice import HighDiceState
from dicegame.games.notation import format_dice
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.players.base import Request, Silent
from dicegame.rules.table import Keep
from dicegame.terminal.table import Place, Table, marked
from dicegame.terminal.words import Typed, word
from dicegame.text import _, ltr, ngettext, number

SHOWN = 6  # options that are listed without being asked for


class Human(Silent):
    """Asks until there is an answer that is legal."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def decide(self, request: Request) -> Answer:
        """Return what the person in this seat decides."""
        if isinstance(request.engine, PushLuck):
            return _Turn(self._table, request, request.engine).ask()
        return self._mark(request)

    def _mark(self, request: Request) -> Answer:
        """Ask for a mark in high dice: the dice to hold on to."""
        table, state = self._table, request.state
        dice: Dice = state.dice[request.seat]
        if table.reveal_now:
            return Decision(tuple(sorted(dice)))
        said = {"name": table.screen.name(request.seat), "dice": ltr(format_dice(dice))}
        table.console.say()
        table.console.say(_("%(name)s: %(dice)s") % said, bold=True)
        table.console.dice(dice)
        self._help_mark()
        while True:
            typed = table.read(_("Keep?"), Place(state, self._help_mark, request.may_undo, request.seat))
            if isinstance(typed, Undo | Forfeit):
                return typed
            answer = self._marked(typed, request, state)
            if answer is not None and table.lets(state, answer):
                return answer
            table.reveal_now = False

    def _marked(self, typed: Typed, request: Request, state: HighDiceState) -> Decision | None:
        table = self._table
        dice = state.dice[request.seat]
        keep, reveal = marked(typed, dice)
        if typed == Typed(None, ("reveal",)):
            keep = tuple(sorted(dice))
        if keep is None:
            self._help_mark()
            return None
        decision = Decision(keep)
        try:
            request.engine.check(state, decision)
        except IllegalDecision as error:
            table.console.complain(error.message)
            return None
        table.reveal_now = reveal
        return decision

    def _help_mark(self) -> None:
        said = {"all": word("all"), "none": word("none"), "reveal": word("reveal")}
        message = _(
            "Type the dice to keep; the others are rolled again. %(all)s: stand pat, %(none)s: reroll all, %(reveal)s: done."
        )
        self._table.console.say(message % said)


class _Turn:
    """One decision of push your luck: first what to keep, then bank or roll, together or apart."""

    def __init__(self, table: Table, request: Request, engine: PushLuck) -> None:
        self.table = table
        self.request = request
        self.engine = engine
        self.state: PushLuckState = request.state
        self.keep: Keep | None = None

    def ask(self) -> Answer:
        """Return the decision, or what else is wanted."""
        table = self.table
        self._options(SHOWN)
        while True:
            undo = self.keep is not None or self.request.may_undo
            kept = None if self.keep is None else self.keep.keep
            typed = table.read(self._prompt(), Place(self.state, self._help, undo, self.request.seat, kept))
            if isinstance(typed, Undo) and self.keep is not None:
                self.keep = None
                table.console.say(_("Taken back."))
                continue
            if isinstance(typed, Undo | Forfeit):
                return typed
            try:
                decision = self._decide(typed)
            except DecisionError as error:
                table.console.complain(error.message)
                continue
            if decision is None:
                continue
            if table.lets(self.state, decision):
                return decision
            self.keep = None

    def _prompt(self) -> str:
        roll, bank = word("roll"), word("bank")
        if self.keep is None:
            return _("Keep which dice, then %(roll)s or %(bank)s?") % {"roll": roll, "bank": bank}
        if self._refusal(self.keep) is not None:
            return _("%s?") % roll
        return _("%(roll)s or %(bank)s?") % {"roll": roll, "bank": bank}

    def _decide(self, typed: Typed) -> Decision | None:
        """Do what the line says; return the decision once it is whole.

        Raises:
            DecisionError: that can't be done. Dice that were kept to be banked too early stay kept.
        """
        commands = list(typed.commands)
        keep = self.keep
        if typed.faces is not None:
            keep = self._kept(tuple(sorted(typed.faces)))
        elif "all" in commands:
            commands.remove("all")
            keep = self._all()
        last = commands.pop() if commands else None
        if commands or last not in {None, "bank", "roll"}:
            message = _("here one keeps dice, then says %(roll)s or %(bank)s")
            raise DecisionError(message % {"roll": word("roll"), "bank": word("bank")})
        if keep is None:
            keep = self._only()
        if last is None:
            self.keep = keep
            self._say_kept(keep)
            return None
        if last == "bank":
            refusal = self._refusal(keep)
            if refusal is not None:
                self.keep = keep
                raise refusal
        return Decision(keep.keep, last == "bank")

    def _kept(self, faces: Dice) -> Keep:
        self.engine.check(self.state, Decision(faces))
        return next(keep for keep in self.engine.keeps(self.state) if keep.keep == faces)

    def _all(self) -> Keep:
        """Return the keep of everything that scores."""
        return max(self.engine.keeps(self.state), key=lambda keep: (len(keep.keep), keep.points))

    def _only(self) -> Keep:
        """Return the one keep there is; with a choice, somebody has to choose."""
        keeps = self.engine.keeps(self.state)
        if len(keeps) > 1:
            message = _("first say which dice to keep, like %(dice)s or %(all)s")
            raise DecisionError(message % {"dice": ltr(format_dice(keeps[0].keep)), "all": word("all")})
        return keeps[0]

    def _refusal(self, keep: Keep) -> IllegalDecision | None:
        return self.engine.bank_refusal(self.state, keep)

    def _say_kept(self, keep: Keep) -> None:
        total = self.state.turn_points + keep.points
        said = {
            "dice": ltr(format_dice(keep.keep)),
            "points": number(keep.points),
            "total": number(total),
            "next": self._next(keep),
        }
        self.table.console.say(_("%(dice)s for %(points)s makes %(total)s in this turn; %(next)s.") % said)
        refusal = self._refusal(keep)
        if refusal is not None:
            self.table.console.complain(refusal.message)

    def _next(self, keep: Keep) -> str:
        message = ngettext("then %(n)s die (bust %(odds)s)", "then %(n)s dice (bust %(odds)s)", keep.roll)
        return message % {"n": number(keep.roll), "odds": self.table.bust_odds(self.engine, self.state, keep)}

    def _help(self) -> None:
        """Say what is possible: all that can be kept, or what follows the dice that are kept."""
        self._options(None)
        said = {"all": word("all"), "roll": word("roll"), "bank": word("bank")}
        message = _("%(all)s keeps everything that scores; then %(roll)s or %(bank)s, in the same line or the next.")
        self.table.console.say(message % said)
        if self.keep is not None:
            self._say_kept(self.keep)

    def _options(self, most: int | None) -> None:
        """List what can be kept, for how much, and the odds of what follows; `most` of it, and all for None."""
        console, state = self.table.console, self.state
        keeps = self.engine.keeps(state)
        if state.required > state.turn_points:
            message = ngettext(
                "To be banked, this turn needs %s point.", "To be banked, this turn needs %s points.", state.required
            )
            console.say(message % number(state.required))
        if state.turn_points:
            console.say(_("In this turn: %s. What can be kept:") % number(state.turn_points))
        else:
            console.say(_("What can be kept:"))
        for keep in keeps[:most]:
            said = {"dice": ltr(format_dice(keep.keep)), "points": number(keep.points), "next": self._next(keep)}
            console.say(_("%(dice)s: %(points)s, %(next)s") % said, indent=2)
        if most is not None and len(keeps) > most:
            more = len(keeps) - most
            message = ngettext("and %(n)s more; %(help)s lists it", "and %(n)s more; %(help)s lists them", more)
            console.say(message % {"n": number(more), "help": word("help")}, indent=2)
