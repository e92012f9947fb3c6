"""`dicegame score`: what a roll is worth, keep by keep."""

from __future__ import annotations

from collections import Counter
from itertools import starmap
from typing import TYPE_CHECKING

import click

from dicegame.cli.common import json_option, lang_option, load_push_luck, print_json, rules_option
from dicegame.text import _, ltr, ngettext, number

if TYPE_CHECKING:
    from dicegame.rules.table import Combination, Dice, Keep, Roll, Table


@click.command(
    "score",
    help=_("Show what a roll is worth: every legal keep, and how it is made up.\n\nDICE are faces: 1 5 3, or 153."),
)
@click.argument("dice", nargs=-1, required=True, metavar="DICE...")
@rules_option
@json_option
@lang_option
def score(dice: tuple[str, ...], source: str, changes: tuple[str, ...], target: int | None, as_json: bool) -> None:
    """Score one roll."""
    from dicegame.rules.table import Table

    table = Table(load_push_luck(source, changes, target))
    roll = table.roll(_faces(" ".join(dice), table.rules.dice))
    if as_json:
        print_json(_as_json(table, roll))
    else:
        _say(table, roll)


def _faces(text: str, most: int) -> Dice:
    """Return the dice that `text` names, ascending.

    Raises:
        DiceError: they are no roll of at most `most` dice.
    """
    from dicegame.errors import DiceError, InvalidDecision
    from dicegame.games.notation import parse_faces

    try:
        faces = parse_faces(text)
    except InvalidDecision as error:
        raise DiceError(error.message) from error
    wrong = next((face for face in faces if not 1 <= face <= 6), None)
    if wrong is not None:
        raise DiceError(_("%s is not the face of a die: the faces are 1 to 6") % ltr(wrong), face=wrong)
    if not faces:
        raise DiceError(_("no dice given: name the faces of a roll, like 1 5 3"))
    if len(faces) > most:
        message = ngettext(
            "a roll of this rule set has at most %(most)s die, not %(n)s",
            "a roll of this rule set has at most %(most)s dice, not %(n)s",
            most,
        )
        raise DiceError(message % {"most": number(most), "n": number(len(faces))}, dice=len(faces))
    return tuple(sorted(faces))


def _as_json(table: Table, roll: Roll) -> dict[str, object]:
    return {
        "rules": table.rules.name,
        "dice": list(roll.dice),
        "bust": not roll.keeps,
        "instant_win": roll.instant_win,
        "options": [
            {
                "keep": list(keep.keep),
                "points": keep.points,
                "roll": keep.roll,
                "parts": [{"dice": list(p.dice), "points": p.points, "is": p.name} for p in table.parts(keep.keep)],
            }
            for keep in roll.keeps
        ],
    }


def _say(table: Table, roll: Roll) -> None:
    from dicegame.terminal.layout import row

    if roll.instant_win:
        row(_("%s wins the game at once.") % _row(roll.dice))
    if not roll.keeps:
        row(_("%s is a bust: nothing scores.") % _row(roll.dice))
    for keep in roll.keeps:
        parts = Counter(table.parts(keep.keep))
        values = {
            "keep": _row(keep.keep),
            "points": number(keep.points),
            "parts": " + ".join(starmap(_part, parts.items())),
            "next": _next(keep),
        }
        line = _("%(keep)s: %(points)s = %(parts)s; %(next)s")
        if parts.total() == 1:
            values["parts"] = _(next(iter(parts)).name)
            line = _("%(keep)s: %(points)s (%(parts)s); %(next)s")
        row(line % values, hang=2)


def _part(part: Combination, times: int) -> str:
    values = {"times": number(times), "points": number(part.points), "name": _(part.name), "dice": _row(part.dice)}
    one, more = _("%(points)s (%(name)s %(dice)s)"), _("%(times)s x %(points)s (%(name)s %(dice)s)")
    return (one if times == 1 else more) % values


def _next(keep: Keep) -> str:
    """Return what can be rolled after a keep."""
    from dicegame.rules.table import Back

    n = {"n": number(keep.roll)}
    if keep.back is Back.NO:
        return ngettext("%(n)s die left to roll", "%(n)s dice left to roll", keep.roll) % n
    if keep.back is Back.HOT:
        back = ngettext("hot dice, %(n)s die comes back", "hot dice, all %(n)s dice come back", keep.roll) % n
    else:
        back = (
            ngettext("a pair is left, %(n)s die comes back", "a pair is left, all %(n)s dice come back", keep.roll) % n
        )
    return back if keep.may_bank else _("%s (no bank)") % back


def _row(dice: Dice) -> str:
    from dicegame.games.notation import format_dice

    return ltr(format_dice(dice))
