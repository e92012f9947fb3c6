"""The reasons why one decision is better than another, in words."""

from __future__ import annotations

from typing import Any

from dicegame.games.base import Engine
from dicegame.games.highdice import HighDice
from dicegame.games.notation import format_dice
from dicegame.games.pushluck import PushLuck
from dicegame.rules.model import HighDiceRules
from dicegame.terminal.advice import NOISE, shown
from dicegame.terminal.screen import Screen, what_they_are
from dicegame.text import _, decimal, ltr, ngettext, number
from dicegame.values.judging import Judge, Valued
from dicegame.values.markreasons import MEAN, MarkReason, MarkWhy, mark_reasons
from dicegame.values.reasons import Reason, Why, reasons

MOST = 2  # reasons told for a pair of decisions


def why(
    screen: Screen,
    judge: Judge,
    engine: Engine[Any],
    state: Any,  # noqa: ANN401 - any engine's
    better: Valued,
    other: Valued,
) -> str | None:
    """Return in a clause why the one decision is better than the other; None where nothing simple tells it."""
    clauses: list[str] = []
    if isinstance(engine, PushLuck):
        clauses = [clause(screen, reason) for reason in reasons(judge, engine, state, better, other)]
    elif isinstance(engine, HighDice):
        found = mark_reasons(engine, state, better.decision.keep, other.decision.keep)
        told = [r for r in found if r.why is not MarkWhy.ROUND or abs(r.share - better.value) > NOISE]
        clauses = [mark_clause(screen, engine.rules, reason) for reason in told]
    return _("; ").join(clauses[:MOST]) if clauses else None


def clause(screen: Screen, reason: Reason) -> str:
    """Return a reason of push your luck in words."""
    said = {
        "points": number(reason.points),
        "dice": number(reason.dice),
        "others": number(reason.others),
        "odds": shown(reason.odds),
        "other_odds": shown(reason.other_odds),
        "share": shown(reason.share),
        "name": screen.name(reason.seat),
    }
    return {**_of_ends(), **_of_risks(reason.dice)}[reason.why] % said


def _of_ends() -> dict[Why, str]:
    return {
        Why.WINS: _("banking wins the game"),
        Why.STARTS_LAST_ROUND: _("banking starts the final round with a lead of %(points)s"),
        Why.PENALTY: _("a bust would now cost %(points)s of the score"),
        Why.BEHIND: _("this is the last turn, and banking now ends it %(points)s behind"),
        Why.LEVEL: _("banking now only shares the win"),
        Why.LAST_WORD_GIVEN: _(
            "banking starts the final round with a lead of %(points)s, and leaves the last word to the others"
        ),
        Why.LAST_WORD_KEPT: _(
            "a score below the target does not start the final round, in which the others have the last word"
        ),
        Why.NEAR_TARGET: _("%(name)s is only %(points)s short of the target"),
        Why.CANT_BANK: _("%(points)s more are needed before anything can be banked"),
        Why.MUST_HIT: _("the target must be hit exactly, and this leaves %(points)s to it"),
        Why.MORE_POINTS: _("it makes %(points)s more"),
    }


def _of_risks(dice: int) -> dict[Why, str]:
    return {
        Why.SAFE: ngettext(
            "banking keeps %(points)s, which rolling %(dice)s die loses %(odds)s of the time",
            "banking keeps %(points)s, which rolling %(dice)s dice loses %(odds)s of the time",
            dice,
        ),
        Why.SMALL_RISK: ngettext(
            "rolling %(dice)s die busts only %(odds)s of the time",
            "rolling %(dice)s dice busts only %(odds)s of the time",
            dice,
        ),
        Why.ALL_BACK: ngettext(
            "%(dice)s die comes back, and busts only %(odds)s of the time",
            "all %(dice)s dice come back, and bust only %(odds)s of the time",
            dice,
        ),
        Why.MORE_DICE: ngettext(
            "it leaves %(dice)s die to roll, not %(others)s: a bust %(odds)s of the time instead of %(other_odds)s",
            "it leaves %(dice)s dice to roll, not %(others)s: a bust %(odds)s of the time instead of %(other_odds)s",
            dice,
        ),
        Why.LESS_RISK: _("a bust comes %(odds)s of the time instead of %(other_odds)s"),
        Why.POINTS_FIRST: _(
            "it makes %(points)s more, though a bust comes %(odds)s of the time instead of %(other_odds)s"
        ),
        Why.LITTLE_TO_LOSE: _("banking %(points)s wins only %(share)s more of the games than a bust"),
        Why.UNLESS_BUST: _(
            "a bust comes %(odds)s of the time, and otherwise the chance to win is %(share)s on average"
        ),
    }


def mark_clause(screen: Screen, rules: HighDiceRules, reason: MarkReason) -> str:
    """Return a reason of high dice in words."""
    said = {
        "dice": ltr(format_dice(reason.dice)),
        "face": ltr(format_dice(reason.dice[:1])),
        "mean": ltr(decimal(float(MEAN), 1)),
        "share": shown(reason.share),
        "other_share": shown(reason.other_share),
        "name": screen.name(reason.seat),
    }
    losing = rules.counts_losses and len(screen.names) > 2
    match reason.why:
        case MarkWhy.CERTAIN:
            message = _("it can't lose the round") if losing else _("it is certain to win the round")
        case MarkWhy.HOPELESS:
            message = _("the other is certain to lose the round") if losing else _("the other can't win the round")
        case MarkWhy.ANSWERED:
            message = _("the other can't win the round against the best answer")
        case MarkWhy.STANDS:
            said["is"] = what_they_are(rules, reason.dice)
            message = _("%(name)s stands on: %(is)s")
        case MarkWhy.KEEPS_TOGETHER:
            pair = len(reason.dice) == 2
            message = _("the pair of %(face)s stays together") if pair else _("the triple of %(face)s stays together")
        case MarkWhy.ROUND:
            message = (
                _("it does not lose the round %(share)s of the time, the other %(other_share)s")
                if losing
                else _("it wins the round %(share)s of the time, the other %(other_share)s")
            )
        case _:
            message = _against_the_mean(reason)
    return message % said


def _against_the_mean(reason: MarkReason) -> str:
    if reason.why is MarkWhy.ROLLS_THE_WORSE:
        return ngettext(
            "%(dice)s is worse than what a die makes on average (%(mean)s)",
            "%(dice)s are each worse than what a die makes on average (%(mean)s)",
            len(reason.dice),
        )
    return ngettext(
        "%(dice)s is better than what a die makes on average (%(mean)s)",
        "%(dice)s are each better than what a die makes on average (%(mean)s)",
        len(reason.dice),
    )
