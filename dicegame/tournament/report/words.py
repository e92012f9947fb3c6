"""The words of the page: what its script says, and how numbers and codes are said in it."""

from __future__ import annotations

import math

from dicegame.games.base import Reason
from dicegame.games.events import Cause
from dicegame.text import _, decimal, ltr, ngettext, percent
from dicegame.tournament.plan import Format

MOST_DICE = 8  # forms of words are made for as many


def script_words() -> dict[str, object]:
    """Return what the page's script says, with places for names and numbers as gettext has them; `many` by number of dice."""
    return {
        "turn": _("%(name)s, turn %(turn)s"),
        "roll": _("%(name)s rolls %(dice)s"),
        "keep": _("%(name)s keeps %(dice)s for %(points)s: %(turn_points)s in this turn"),
        "bank": _("%(name)s banks %(points)s and has %(score)s"),
        "bust": _("Bust!"),
        "lost": _("%(name)s loses the %(lost)s of this turn"),
        "hot": _("Hot dice!"),
        "all": _("Just a pair is left: all dice come back!"),
        "final": _("Final round!"),
        "final_score": _("%(name)s has %(score)s; everyone else has one more turn"),
        "penalty": {
            Cause.BUSTS: _("%(name)s has bust too often in a row: minus %(points)s, now %(score)s"),
            Cause.BOLTS: _("%(name)s has too many turns without points: minus %(points)s, now %(score)s"),
            Cause.BARREL: _("%(name)s is on the barrel and stands at %(score)s (minus %(points)s)"),
            Cause.FALL: _("%(name)s falls off the barrel: minus %(points)s, now %(score)s"),
            Cause.OVERTAKEN: _("%(name)s is overtaken: minus %(points)s, now %(score)s"),
            Cause.DUMP_TRUCK: _("The dump truck takes all %(points)s points of %(name)s"),
        },
        "pat": _("%(name)s stands pat on %(keep)s"),
        "reroll_all": _("%(name)s rerolls everything"),
        "mark": [
            ngettext(
                "%(name)s keeps %(keep)s and rerolls %(n)s die", "%(name)s keeps %(keep)s and rerolls %(n)s dice", n
            )
            for n in range(MOST_DICE + 1)
        ],
        "reveal": _("Reveal!"),
        "dice": _("%(name)s: %(dice)s"),
        "level": _("Level: %s roll again."),
        "wins_round": _("%s wins the round."),
        "loses_round": _("%s loses the round."),
        "fault": _("%(name)s: fault (%(code)s)"),
        "out": _("%s is out of the game"),
        "says": _("%(name)s says: %(why)s"),
        "over": _("The game is over."),
        "nobody": _("Nobody wins."),
        "wins": _("%s wins!"),
        "share": _("%s share the win!"),
        "loses": _("%s loses the match!"),
        "score": _("%(name)s: %(score)s"),
        "comma": _(", "),
        "play": _("Play"),
        "pause": _("Pause"),
        "none": _("No game fits."),
        "unrecorded": _("No record of this game was kept: only its result is known."),
        "unreadable": _("This browser can't unpack the record."),
        "step": _("step %(step)s of %(steps)s"),
        "reasons": {reason: reason_word(reason) for reason in Reason},
        "copied": _("Copied"),
    }


def reason_word(reason: str) -> str:
    """Return why a game was over, in words; a reason that is not known as it is."""
    words = {
        Reason.TARGET: _("the target was reached"),
        Reason.INSTANT_WIN: _("an instant win"),
        Reason.ROUNDS: _("the rounds were decided"),
        Reason.TURN_LIMIT: _("every seat had all its turns"),
        Reason.FORFEIT: _("a seat was forfeited"),
        Reason.VOID: _("the game was void"),
    }
    return words.get(Reason(reason), reason) if reason in set(Reason) else reason


def format_word(form: Format) -> str:
    """Return the name of a format."""
    return {
        Format.ROUND_ROBIN: _("round robin"),
        Format.GAUNTLET: _("gauntlet"),
        Format.SWISS: _("Swiss"),
        Format.KNOCKOUT: _("knockout"),
    }[form]


def rate(share: float, digits: int = 1) -> str:
    """Return a share of one as it stands in a table."""
    return ltr(percent(share, digits))


def elo(value: float) -> str:
    """Return a difference of ratings with its sign; one of nothing without."""
    rounded = round(value)
    return ltr(f"{rounded:+d}" if rounded else "0")


def signed(share: float) -> str:
    """Return a difference of shares with its sign."""
    sign = "+" if round(share, 3) > 0 else "-" if round(share, 3) < 0 else ""
    return ltr(sign + percent(abs(share)))


def rates(interval: tuple[float, float] | None) -> str:
    """Return an interval of shares; nothing where there is none, or where it has no bounds."""
    if interval is None or not all(map(math.isfinite, interval)):
        return ""
    return _("%(low)s to %(high)s") % {"low": rate(interval[0]), "high": rate(interval[1])}


def elos(interval: tuple[float, float] | None) -> str:
    """Return an interval of ratings; an end without bound is left open."""
    if interval is None:
        return ""
    low, high = interval
    if math.isfinite(low) and math.isfinite(high):
        return _("%(low)s to %(high)s") % {"low": elo(low), "high": elo(high)}
    if math.isfinite(low):
        return _("from %s") % elo(low)
    return _("up to %s") % elo(high) if math.isfinite(high) else ""


def milliseconds(value: float) -> str:
    """Return a time with as many digits as tell something."""
    return ltr(decimal(value, 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3))


def mebibytes(value: int) -> str:
    """Return an amount of memory in MiB, without the unit."""
    return ltr(decimal(value / (1 << 20), 1))
