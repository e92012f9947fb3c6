"""`dicegame solve`: work out the exact values of a rule set."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from dicegame.cli.common import (
    change_options,
    complete_rules,
    json_option,
    lang_option,
    load_push_luck,
    print_json,
)
from dicegame.text import _, decimal, isolate, ltr, ngettext, number, percent

if TYPE_CHECKING:
    from dicegame.rules.model import PushLuckRules
    from dicegame.values.graphfile import SolvedGraph
    from dicegame.values.solved import Solved
    from dicegame.values.turn import Turn


@dataclass(frozen=True, slots=True)
class _Found:
    """What is told of a solved rule set."""

    rules: PushLuckRules
    solved: Solved | SolvedGraph
    turn: Turn
    least_turns: float | None
    seconds: float
    first_player: float
    positions: int

    @classmethod
    def of(cls, rules: PushLuckRules, solved: Solved | SolvedGraph, begun: float) -> _Found:
        """Return what is told of values that it took since `begun` to find."""
        from dicegame.rules.table import Table
        from dicegame.values.exact.solve import least_turns
        from dicegame.values.graph import Packing, start_key
        from dicegame.values.graphfile import SolvedGraph
        from dicegame.values.turn import best_turn

        table = Table(rules)
        turn = best_turn(table)
        if isinstance(solved, SolvedGraph):
            chance = solved.value(start_key(rules, Packing.of(rules, table)))
            return cls(rules, solved, turn, None, time.monotonic() - begun, chance, len(solved.keys))
        axis = solved.axis
        start = axis.place(-(-rules.target // axis.unit), opened=not axis.unopened)
        least = least_turns(rules)
        return cls(rules, solved, turn, least, time.monotonic() - begun, solved.value(start, start), axis.positions)


@click.command(
    help=_(
        "Solve a rule set: the exact chances of two players who both play perfectly.\n\n"
        "The values are kept, and serve hints, the player optimal and the analysis of games by these rules from then on."
    )
)
@click.argument("source", metavar="NAME|FILE", shell_complete=complete_rules)
@change_options
@click.option("--again", is_flag=True, help=_("Work them out anew, also where they are known already."))
@json_option
@lang_option
def solve(source: str, changes: tuple[str, ...], target: int | None, again: bool, as_json: bool) -> None:
    """Solve a rule set and say what came out."""
    from dicegame.values.extra import need_solver

    need_solver()
    from dicegame.terminal.progress import PartsDone
    from dicegame.values.exact.solve import solve_and_keep
    from dicegame.values.judges import find_values

    rules = load_push_luck(source, changes, target)
    begun = time.monotonic()
    known = None if again else find_values(rules)
    if known is None or known.rounding:
        with PartsDone(_("solving")) as progress:
            known = solve_and_keep(rules, progress=progress.show)
    found = _Found.of(rules, known, begun)
    if as_json:
        print_json(_as_json(found))
    else:
        _say(found)


def _as_json(found: _Found) -> dict[str, object]:
    most = found.turn.most_points
    return {
        "rules": found.rules.name,
        "target": found.rules.target,
        "first_player": found.first_player,
        "most_points": most if math.isfinite(most) else None,
        "bank_at": found.turn.bank_at,
        "least_turns": found.least_turns,
        "states": found.positions,
        "seconds": round(found.seconds, 3),
        "checksum": found.solved.checksum,
    }


def _say(found: _Found) -> None:
    from dicegame.terminal.layout import say, title

    said = {"rules": isolate(found.rules.name), "target": number(found.rules.target)}
    title(_("%(rules)s to %(target)s, played perfectly by two") % said)
    say(_("The first player wins %s of the games (a tie counts one half).") % ltr(percent(found.first_player, 4)))
    say(
        _("A turn makes %s points on average, if it is played for the most points.")
        % ltr(decimal(found.turn.most_points, 4))
    )
    say(_("For the most points, bank from:"))
    for dice, points in enumerate(found.turn.bank_at, 1):
        with_dice = ngettext("with %(n)s die to roll next", "with %(n)s dice to roll next", dice) % {"n": number(dice)}
        say(f"{with_dice}: {_('never') if points is None else number(points)}", indent=2)
    if found.least_turns is not None:
        say(_("Alone, the target takes %s turns on average at least.") % ltr(decimal(found.least_turns, 4)))
    done = {"positions": number(found.positions), "seconds": ltr(decimal(found.seconds, 1))}
    say(_("%(positions)s positions; %(seconds)s seconds") % done)
