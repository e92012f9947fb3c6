"""Why a decision is refused, in words that its author can act on; one function a reason."""

from __future__ import annotations

from collections import Counter

from dicegame.errors import IllegalDecision, Refusal
from dicegame.games.events import Dice
from dicegame.games.notation import format_dice
from dicegame.rules.table import Keep, Roll
from dicegame.text import _, clean, ltr, ngettext, number


def not_these_dice(keep: Dice, dice: Dice) -> IllegalDecision | None:
    """Return the refusal of a keep that these dice don't hold; None if they do."""
    wrong = next((face for face in keep if not 1 <= face <= 6), None)
    if wrong is not None:
        shown = ltr(clean(str(wrong), 20))
        return IllegalDecision(Refusal.NOT_A_FACE, _("kept %s, but a die has the faces 1 to 6") % shown, face=wrong)
    for face, wanted in Counter(keep).items():
        there = dice.count(face)
        if wanted > there:
            shown = ltr(clean(format_dice(keep), 60))  # whoever answered may have named any number of dice
            values = {"keep": shown, "face": ltr(face), "n": number(there), "dice": ltr(format_dice(dice))}
            message = ngettext(
                "kept %(keep)s, but there is only %(n)s die with a %(face)s in %(dice)s",
                "kept %(keep)s, but there are only %(n)s dice with a %(face)s in %(dice)s",
                there,
            )
            if there == 0:
                message = _("kept %(keep)s, but there is no %(face)s in %(dice)s")
            return IllegalDecision(Refusal.NOT_THERE, message % values, face=face)
    return None


def no_keep(keep: Dice, dice: Dice, roll: Roll) -> IllegalDecision:
    """Return the refusal of a keep that is not among the legal keeps of this roll."""
    if not keep:
        return IllegalDecision(Refusal.EMPTY, _("kept nothing: keep at least one die that scores"))
    missing = not_these_dice(keep, dice)
    if missing:
        return missing
    scoring: Counter[int] = max(
        (Counter(k.keep) for k in roll.keeps if Counter(k.keep) <= Counter(keep)), key=Counter.total, default=Counter()
    )
    idle = tuple(sorted((Counter(keep) - scoring).elements()))
    values = {"keep": ltr(format_dice(keep)), "idle": ltr(format_dice(idle)), "dice": ltr(format_dice(dice))}
    if any(Counter(idle) <= Counter(k.keep) for k in roll.keeps):
        message = _("kept %(keep)s, but %(idle)s scores only together with other dice of %(dice)s")
    else:
        message = _("kept %(keep)s, but %(idle)s is part of no combination of %(dice)s")
    return IllegalDecision(Refusal.NO_COMBINATION, message % values, idle=list(idle))


def over_target(keep: Keep, total: int, target: int) -> IllegalDecision:
    """Return the refusal of a keep that goes over a target which must be hit exactly."""
    values = {"keep": ltr(format_dice(keep.keep)), "total": number(total), "target": number(target)}
    message = _("kept %(keep)s, but that makes %(total)s, and exactly %(target)s must be hit") % values
    return IllegalDecision(Refusal.OVER_TARGET, message, total=total)


def must_roll() -> IllegalDecision:
    """Return the refusal of a bank after all dice came back, or after a roll that must be followed by another."""
    return IllegalDecision(Refusal.MUST_ROLL, _("all dice come back and must be rolled: no bank here"))


def too_few(total: int, required: int) -> IllegalDecision:
    """Return the refusal of a bank below what this turn must bring."""
    missing = required - total
    message = ngettext(
        "no bank yet: this turn has %(total)s points and needs %(required)s; %(missing)s more is missing",
        "no bank yet: this turn has %(total)s points and needs %(required)s; %(missing)s more are missing",
        missing,
    )
    values = {"total": number(total), "required": number(required), "missing": number(missing)}
    return IllegalDecision(Refusal.TOO_FEW_POINTS, message % values, missing=missing)
