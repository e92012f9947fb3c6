"""`dicegame tournament show`: the standings of a tournament, also while it is played."""

from __future__ import annotations

import click

from dicegame.cli.common import json_option, lang_option, print_json
from dicegame.text import _


@click.command(
    help=_(
        "Show the standings of a tournament, also while it is played.\n\n"
        "Win rates, ratings and rates without luck with their 95% intervals, who beat whom, faults, what bots used, and what should be "
        "known of the results."
    )
)
@click.argument("store", type=click.Path(), metavar="FILE.db")
@json_option
@lang_option
def show(store: str, as_json: bool) -> None:
    """Show the standings of a tournament."""
    from dicegame.terminal.tournaments import say_tournament, tournament_json
    from dicegame.tournament.reader import Reader

    with Reader(store) as reader:
        if as_json:
            print_json(tournament_json(reader))
        else:
            say_tournament(reader)
