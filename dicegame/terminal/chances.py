"""The word `odds`: the chances of a roll, and in this position of everything that can be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicegame.games.base import Decision, Phase
from dicegame.games.highdice import HighDice, HighDiceState
from dicegame.games.notation import format_dice
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.terminal.advice import NOISE, shown
from dicegame.terminal.hint import say_standing, say_unknown
from dicegame.terminal.layout import columns
from dicegame.terminal.words import word
from dicegame.text import _, ltr, ngettext, number
from dicegame.values.judging import Judge
from dicegame.values.markreasons import round_chances
from dicegame.values.turn import bust_odds, hot_dice_odds

if TYPE_CHECKING:  # the table imports this module when it is asked for odds
    from dicegame.terminal.table import Place, Table

_NO = "-"
_INDENT = 2


def say_odds(table: Table, place: Place) -> None:
    """Say the odds of a roll of any number of dice, and those of this place."""
    adviser, state = table.adviser, place.state
    engine, judge = adviser.engine, adviser.judge
    if isinstance(engine, PushLuck):
        _say_rolls(table, engine)
        if state.phase is Phase.DECIDE:
            _say_keeps(table, engine, state)
    if state.phase is not Phase.DECIDE:
        say_standing(table, state)
        return
    if judge is None:
        say_unknown(table)
    elif isinstance(engine, HighDice):
        _say_marks(table, engine, judge, state)
    caveat = adviser.caveat(state)
    if caveat is not None:
        table.console.say(caveat)


def _say_rolls(table: Table, engine: PushLuck) -> None:
    """Say how often a roll of 1, 2, ... dice is a bust, and how often hot dice."""
    rows, lines = [[_("dice"), _("bust"), _("hot dice")]], []
    for n, (bust, hot) in enumerate(zip(bust_odds(engine.table), hot_dice_odds(engine.table), strict=True), 1):
        said = {
            "dice": ngettext("%(n)s die", "%(n)s dice", n) % {"n": number(n)},
            "bust": shown(float(bust)),
            "hot": shown(float(hot)),
        }
        rows.append([str(n), said["bust"], said["hot"]])
        lines.append(_("%(dice)s: bust %(bust)s, hot dice %(hot)s") % said)
    table.console.say(_("The odds of a roll:"), bold=True)
    _say_rows(table, rows, lines)


def _say_keeps(table: Table, engine: PushLuck, state: PushLuckState) -> None:
    """Say for everything that can be kept the odds of a bust after it, and the chance to win after banking and after rolling."""
    judge = table.adviser.judge
    valued = [] if judge is None else judge.decisions(state)
    rolled = {found.decision.keep: shown(found.value) for found in valued if not found.decision.bank}
    banked = {found.decision.keep: shown(found.value) for found in valued if found.decision.bank}
    rows, lines = [[_("kept"), _("bust"), *([word("roll"), word("bank")] if judge else [])]], []
    for keep in engine.keeps(state):
        dice, bust = ltr(format_dice(keep.keep)), table.bust_odds(engine, state, keep)
        roll, bank = rolled.get(keep.keep, _NO), banked.get(keep.keep, _NO)
        rows.append([dice, bust, *([roll, bank] if judge else [])])
        message = _("%(dice)s: bust %(bust)s")
        if judge is not None:
            message = _("%(dice)s: bust %(bust)s; wins %(roll)s rolled, %(bank)s banked")
            if bank == _NO:
                message = _("%(dice)s: bust %(bust)s; wins %(roll)s rolled")
        lines.append(message % {"dice": dice, "bust": bust, "roll": roll, "bank": bank})
    title = _("What can be kept: the odds of a bust then, and the chance to win after each:")
    table.console.say(title if judge else _("What can be kept, and the odds of a bust then:"), bold=True)
    _say_rows(table, rows, lines)


def _say_marks(table: Table, engine: HighDice, judge: Judge, state: HighDiceState) -> None:
    """Say for every mark the chance to win the match with it, and the round where that is another one."""
    valued, won = judge.decisions(state), round_chances(engine, state)
    rounds = any(abs(float(won[found.decision.keep]) - found.value) > NOISE for found in valued)
    losing = engine.rules.counts_losses and len(state.out) > 2
    of_round = _("round not lost") if losing else _("round")
    rows, lines = [[_("kept"), *([of_round] if rounds else []), _("match")]], []
    for found in valued:
        share = shown(float(won[found.decision.keep]))
        said = {"dice": table.adviser.said(Decision(found.decision.keep)), "match": shown(found.value), "round": share}
        message = _("%(dice)s: %(match)s")
        if rounds:
            message = _("%(dice)s: match %(match)s, round %(round)s")
            if losing:
                message = _("%(dice)s: match %(match)s, round not lost %(round)s")
        rows.append([said["dice"], *([share] if rounds else []), said["match"]])
        lines.append(message % said)
    table.console.say(_("Every mark, with the chance to win:"), bold=True)
    _say_rows(table, rows, lines)


def _say_rows(table: Table, rows: list[list[str]], lines: list[str]) -> None:
    """Print a table, or the same in lines where there is no room for it or words run from right to left."""
    shaped = columns(rows, indent=_INDENT)
    for line in lines if shaped is None else shaped:
        table.console.say(line, indent=_INDENT)
