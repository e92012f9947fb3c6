"""The tutor: warns before a decision that costs too much is carried out, and lets it be taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dicegame.games.base import Decision, Undo
from dicegame.games.highdice import HighDiceState
from dicegame.terminal.advice import shown
from dicegame.terminal.hint import say_why
from dicegame.terminal.words import Typed, word
from dicegame.text import _
from dicegame.values.judging import Judge, Valued

if TYPE_CHECKING:  # the table imports this module when its tutor is on
    from dicegame.terminal.table import Table


def lets(table: Table, state: Any, decision: Decision, most: float) -> bool:  # noqa: ANN401 - any engine's
    """Say whether a decision is to be carried out: if it costs at most `most` percent of the games, or is wanted all the same.

    Raises:
        Leave: somebody said quit instead.
        EndOfInput: nobody types any more.
    """
    judge = table.adviser.judge
    if judge is None:
        table.silence_tutor(table.adviser.refusal)
        return True
    valued = judge.decisions(state)
    made = next(v for v in valued if (v.decision.keep, v.decision.bank) == (decision.keep, decision.bank))
    return _accepted(table, judge, state, valued[0], made, most)


def unmarked(state: HighDiceState, seat: int, again: frozenset[int]) -> HighDiceState:
    """Return the state in which `seat` marks anew, once all have marked; `again` are the seats that then mark after it once more."""
    after = state.order[state.order.index(seat) + 1 :]
    cleared = {seat, *again.intersection(after)}
    return replace(state, keeps=tuple(None if s in cleared else keep for s, keep in enumerate(state.keeps)))


def _accepted(table: Table, judge: Judge, state: Any, best: Valued, made: Valued, most: float) -> bool:  # noqa: ANN401 - any engine's
    adviser, console = table.adviser, table.console
    cost = best.value - made.value
    if cost * 100 <= most or adviser.alike(best.value, made.value):
        return True
    said = {
        "decision": adviser.said(made.decision),
        "cost": shown(cost),
        "chance": shown(made.value),
        "better": adviser.said(best.decision),
        "best": shown(best.value),
    }
    message = _("Wait: %(decision)s costs %(cost)s of the games (it wins %(chance)s, and %(better)s %(best)s).")
    console.say(message % said, fg="yellow")
    say_why(table, judge, state, best, made)
    caveat = adviser.caveat(state)
    if caveat is not None:
        console.say(caveat)
    return _wanted_all_the_same(table, state)


def _wanted_all_the_same(table: Table, state: Any) -> bool:  # noqa: ANN401 - any engine's
    from dicegame.terminal.table import Place

    def help_() -> None:
        said = {"yes": word("yes"), "no": word("no"), "undo": word("undo")}
        table.console.say(_("%(yes)s: it is done; %(no)s or %(undo)s: it is taken back.") % said)

    question = _("Do it all the same? (%(yes)s / %(no)s)") % {"yes": word("yes"), "no": word("no")}
    while True:
        typed = table.read(question, Place(state, help_, may_undo=True))
        if typed == Typed(None, ("yes",)):
            return True
        if isinstance(typed, Undo) or typed == Typed(None, ("no",)):
            table.console.say(_("Taken back."))
            return False
        help_()
