"""`dicegame tournament report`: one HTML page that holds a whole tournament."""

from __future__ import annotations

from pathlib import Path

import click

from dicegame.cli.common import lang_option
from dicegame.errors import InputError
from dicegame.text import _, quote


@click.command(
    help=_(
        "Write one HTML page with everything in it.\n\n"
        "Standings, cross table, charts, faults with all about them, and games to go through step by step. The page needs no network."
    )
)
@click.argument("store", type=click.Path(), metavar="FILE.db")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE.html",
    help=_("Where it is written; default: beside the tournament, with its name."),
)
@click.option(
    "--games",
    type=click.IntRange(0, 1_000_000),
    default=2000,
    show_default=True,
    help=_("How many games are put in, at most: those with faults, and the first of every pairing."),
)
@lang_option
def report(store: str, output: str | None, games: int) -> None:
    """Write the page of a tournament."""
    from dicegame.tournament.reader import Reader
    from dicegame.tournament.report.data import gather
    from dicegame.tournament.report.page import page

    with Reader(store) as reader:
        text = page(gather(reader, games))
    path = Path(output) if output is not None else Path(store).with_suffix(".html")
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        said = {"file": quote(str(path)), "reason": error.strerror or str(error)}
        raise InputError(_("can't write %(file)s: %(reason)s") % said, file=str(path)) from error
    click.echo(_("written: %s") % quote(str(path)), err=True)
