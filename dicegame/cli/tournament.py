"""`dicegame tournament`: many bots, one file, nothing lost."""

from __future__ import annotations

import click

from dicegame.cli.common import lang_option
from dicegame.cli.group import LazyGroup
from dicegame.text import N_, _

# name -> (where the command is, its one line of help), in the order of the help
COMMANDS = {
    "run": ("dicegame.cli.tournament_run:run", N_("Begin a tournament and play it.")),
    "resume": ("dicegame.cli.tournament_run:resume", N_("Go on with a tournament: play exactly what is missing.")),
    "show": ("dicegame.cli.tournament_show:show", N_("Show the standings, also while it is played.")),
    "report": ("dicegame.cli.tournament_report:report", N_("Write one HTML page with everything in it.")),
    "export": ("dicegame.cli.tournament_export:export", N_("Write the games or the records for other programs.")),
    "add": ("dicegame.cli.tournament_change:add", N_("Add entrants, or more blocks.")),
    "withdraw": ("dicegame.cli.tournament_change:withdraw", N_("Withdraw an entrant; what it has played stays.")),
    "stop": ("dicegame.cli.tournament_change:stop", N_("End a running tournament after the running games.")),
    "merge": ("dicegame.cli.tournament_change:merge", N_("Put the parts of a tournament together.")),
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    help=_(
        "Tournaments, in one file each.\n\n"
        "Whatever ends a tournament early, what is stored is kept: `dicegame tournament resume` plays what is missing."
    ),
)
@lang_option
def tournament() -> None:
    """Tournaments, in one file each."""
