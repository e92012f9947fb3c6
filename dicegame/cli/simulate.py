"""`dicegame simulate`: millions of games between two players with a fixed way to play."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dicegame.cli.common import json_option, lang_option, load_push_luck, print_json, rules_option
from dicegame.text import _, decimal, isolate, ltr, number, percent

if TYPE_CHECKING:  # imported when games are played
    from collections.abc import Sequence

    from dicegame.values.exact.simulate import Simulated


@click.command(
    help=_(
        "Play millions of games between two built-ins with a fixed way to play.\n\n"
        "Turns are drawn from their exact distribution, not from dice; `dicegame match` plays with dice."
    )
)
@click.argument("players", nargs=2, metavar="PLAYER PLAYER")
@click.option(
    "--games",
    type=click.IntRange(1, 1_000_000_000_000),
    default=1_000_000,
    show_default=True,
    help=_("How many games; each player moves first in half of them."),
)
@rules_option
@click.option("--seed", metavar="TEXT", help=_("Make the turns from this text: the same games every time."))
@click.option("--workers", type=click.IntRange(1, 1024), help=_("How many threads play; default: one a core."))
@json_option
@lang_option
def simulate(
    players: tuple[str, str],
    games: int,
    source: str,
    changes: tuple[str, ...],
    target: int | None,
    seed: str | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Play millions of games between two fixed players and say what they came to."""
    from dicegame.dice import new_seed, seed_from_text
    from dicegame.games.base import check_seats
    from dicegame.players.specs import names, parse

    rules = load_push_luck(source, changes, target)
    check_seats(rules, 2)
    specs = [parse(word) for word in players]
    from dicegame.values.extra import need_solver

    need_solver()
    from dicegame.terminal.progress import PartsDone
    from dicegame.values.exact.simulate import Simulation

    text = new_seed().hex() if seed is None else seed
    with PartsDone(_("games")) as progress:
        simulation = Simulation(rules, specs[0].word, specs[1].word, threads=workers)
        whole = games + games % 2
        found = simulation.run(whole, seed_from_text(text), lambda done: progress.show(done / whole))
    if as_json:
        print_json(_as_json(found, names(specs), text))
    else:
        _say(found, names(specs))


def _as_json(found: Simulated, players: list[str], seed: str) -> dict[str, object]:
    first, second = found.by_first
    return {
        "rules": found.rules.name,
        "players": players,
        "games": found.games,
        "seed": seed,
        "win_probability": [found.share, 1 - found.share],
        "standard_error": [found.standard_error] * 2,
        "by_first": [[first, 1 - first], [second, 1 - second]],
        "by_first_standard_error": [[error] * 2 for error in found.errors_by_first],
        "ties": found.ties,
        "mean_turns": found.turns / found.games,
        "seconds": round(found.seconds, 3),
        "games_per_second": round(found.games / found.seconds),
    }


def _say(found: Simulated, names: Sequence[str]) -> None:
    from dicegame.terminal.layout import say

    played = {
        "rules": isolate(found.rules.name),
        "games": number(found.games),
        "turns": ltr(decimal(found.turns / found.games, 1)),
        "rate": number(round(found.games / found.seconds)),
    }
    say(_("%(rules)s: %(games)s games of %(turns)s turns on average, %(rate)s games a second") % played)
    first, second = found.by_first
    for name, moving, answering in ((names[0], first, second), (names[1], 1 - second, 1 - first)):
        said = {
            "name": isolate(name),
            "rate": ltr(percent((moving + answering) / 2, 3)),
            "error": ltr(percent(found.standard_error, 3)),
            "first": ltr(percent(moving, 3)),
            "second": ltr(percent(answering, 3)),
        }
        line = _("%(name)s: wins %(rate)s (standard error %(error)s); moving first %(first)s, second %(second)s")
        say(line % said, hang=2)
