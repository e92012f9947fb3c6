"""`dicegame odds`: the chances of a roll, and the turn that makes the most points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from dicegame.cli.common import json_option, lang_option, load_push_luck, print_json, rules_option
from dicegame.text import _, language, ltr, ngettext, number, percent, quote

if TYPE_CHECKING:
    from fractions import Fraction

    from dicegame.values.turn import Turn

_GAP = "  "


@click.command("odds", help=_("Show the odds of a bust and of hot dice, and when to bank for the most points."))
@rules_option
@json_option
@lang_option
def odds(source: str, changes: tuple[str, ...], target: int | None, as_json: bool) -> None:
    """Show the odds of a rule set."""
    from dicegame.rules.table import Table
    from dicegame.values.turn import best_turn, bust_odds, hot_dice_odds

    rules = load_push_luck(source, changes, target)
    table = Table(rules)
    bust, hot, turn = bust_odds(table), hot_dice_odds(table), best_turn(table)
    if as_json:
        most = turn.most_points if math.isfinite(turn.most_points) else None
        result = {"most_points": most, "bank_at": turn.bank_at}
        print_json({"rules": rules.name, "bust": _as_json(bust), "hot_dice": _as_json(hot), "turn": result})
    else:
        _say(rules.name, bust, hot, turn)


def _as_json(chances: list[Fraction]) -> list[dict[str, object]]:
    return [{"dice": n, "exact": str(chance), "probability": float(chance)} for n, chance in enumerate(chances, 1)]


def _say(name: str, bust: list[Fraction], hot: list[Fraction], turn: Turn) -> None:
    from dicegame.terminal.layout import say, title, width
    from dicegame.text import decimal

    title(_("%s: what a roll and a turn are worth") % quote(name))
    click.echo()
    table = _table(bust, hot, turn.bank_at)
    if language() == "ar" or len(table[0]) > width():
        for line in _lines(bust, hot, turn.bank_at):
            say(line, hang=2)
    else:
        click.echo("\n".join(table))
    click.echo()
    if math.isfinite(turn.most_points):
        say(
            _("A turn makes %s points on average, if it is played for the most points.")
            % ltr(decimal(turn.most_points, 2))
        )
    else:
        say(_("A turn can go on for ever without a bust: there is no most that it makes."))
    say(_("Bank from: the points of the turn from which on banking is then best, with so many dice to roll next."))
    say(_("Scores, a first bank and house rules are left out here."))


def _table(bust: list[Fraction], hot: list[Fraction], bank_at: list[int | None]) -> list[str]:
    """Return the lines of a table, every column to the right, all of one length."""
    rows = [[_("dice"), _("bust"), _("hot dice"), _("bank from")]]
    for n, (of_bust, of_hot, points) in enumerate(zip(bust, hot, bank_at, strict=True), 1):
        rows.append([str(n), _chance(of_bust), _chance(of_hot), _("never") if points is None else str(points)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [_GAP.join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def _lines(bust: list[Fraction], hot: list[Fraction], bank_at: list[int | None]) -> list[str]:
    """Return the same in sentences, for narrow terminals and for languages written right to left."""
    lines = []
    for n, (of_bust, of_hot, points) in enumerate(zip(bust, hot, bank_at, strict=True), 1):
        values = {
            "dice": ngettext("%(n)s die", "%(n)s dice", n) % {"n": number(n)},
            "bust": ltr(_chance(of_bust)),
            "hot": ltr(_chance(of_hot)),
            "points": _("never") if points is None else number(points),
        }
        lines.append(_("%(dice)s: bust %(bust)s, hot dice %(hot)s, bank from: %(points)s") % values)
    return lines


def _chance(chance: Fraction) -> str:
    """Return a chance as `17/108 = 15.7%`."""
    if not chance:
        return "0"
    return f"{chance} = {percent(float(chance), 1 if chance * 1000 >= 1 else 3)}"
