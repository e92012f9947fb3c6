"""What stands on the final card of high dice for whoever lost: nothing, a drink, a dare or a question. A line of text, no more."""

from __future__ import annotations

import random
from pathlib import Path

from dicegame.errors import InputError
from dicegame.games.base import Outcome
from dicegame.rules.model import HighDiceRules, RuleSet, Stakes
from dicegame.text import N_, _, clean, isolate, quote

_DARES = (
    N_("Speak in rhyme until the next game is over."),
    N_("Sing the first line of a song of your choice."),
    N_("Balance a die on the back of your hand for a minute."),
    N_("Make everyone at the table laugh."),
    N_("Throw the next dice with your other hand."),
    N_("Say the alphabet backwards, as far as you get."),
    N_("Play the next game standing up."),
    N_("Fetch something to drink for the winner."),
)
_TRUTHS = (
    N_("What was the last thing that you put off until tomorrow?"),
    N_("Which game do you always lose, and to whom?"),
    N_("What would you do with a day that nobody knows about?"),
    N_("Which rule of a game have you bent without saying so?"),
    N_("What is the most useless thing that you know by heart?"),
    N_("Which compliment do you still remember?"),
    N_("What were you sure of as a child that turned out wrong?"),
    N_("When were you last lucky?"),
)
MAX_BYTES = 100_000


def read_list(path: str) -> list[str]:
    """Return the lines of a file of one's own dares or questions.

    Raises:
        InputError: it can't be read, or holds no line.
    """
    shown = quote(path)
    try:
        with Path(path).open("rb") as file:
            text = file.read(MAX_BYTES).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or _("not UTF-8 text")
        raise InputError(_("can't read %(file)s: %(reason)s") % {"file": shown, "reason": reason}) from error
    lines = [clean(line.strip()) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        raise InputError(_("%s has no line to draw from") % shown)
    return lines


def needs_agreement(rules: RuleSet) -> bool:
    """Say whether everyone has to agree before the game: to a dare, or to a question."""
    return isinstance(rules, HighDiceRules) and rules.stakes in {Stakes.DARE, Stakes.TRUTH}


def losers(outcome: Outcome) -> list[int]:
    """Return the seats that the stakes are for: all that did not win; nobody where there is no winner."""
    return [seat for seat in range(len(outcome.scores)) if seat not in outcome.winners] if outcome.winners else []


def line_for(rules: HighDiceRules, names: str, own: list[str] | None) -> str | None:
    """Return the line of the final card for whoever lost; None where only the score is at stake.

    Args:
        rules: the rule set.
        names: who lost, as one text.
        own: the user's own list of dares or questions, if there is one.
    """
    match rules.stakes:
        case Stakes.DRINK:
            return _("A drink for: %s.") % names
        case Stakes.DARE:
            return _("A dare for %(names)s: %(text)s") % {"names": names, "text": _drawn(_DARES, own)}
        case Stakes.TRUTH:
            return _("A question for %(names)s: %(text)s") % {"names": names, "text": _drawn(_TRUTHS, own)}
        case _:
            return None


def _drawn(usual: tuple[str, ...], own: list[str] | None) -> str:
    return isolate(random.choice(own)) if own else _(random.choice(usual))
