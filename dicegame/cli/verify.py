"""`dicegame verify`: what a record proves."""

from __future__ import annotations

import click

from dicegame.cli.common import json_option, lang_option, print_json
from dicegame.errors import EXIT_DONE, EXIT_NO
from dicegame.text import _, ngettext, number


@click.command(
    help=_(
        "Prove a record: the commitment, every roll, every decision, and the result. Exit code 1: something is wrong."
    )
)
@click.argument("record", type=click.Path(), metavar="RECORD")
@json_option
@lang_option
def verify(record: str, as_json: bool) -> int:
    """Prove a record."""
    from dicegame.record.verify import NONE, OPENED, PENDING, WRONG
    from dicegame.record.verify import verify as prove

    verdict = prove(record)
    if as_json:
        print_json(verdict.as_json())
        return EXIT_DONE if verdict.valid else EXIT_NO
    said = {
        OPENED: _("The key opens the commitment: the dice were fixed before the game."),
        PENDING: _("The commitment is not opened yet: the dice can't be checked against it."),
        NONE: _("No commitment was given: the dice were scripted, typed in, or made from a text."),
        WRONG: _("The key does not open the commitment."),
    }
    click.echo(said[verdict.commitment])
    rolls = ngettext("%s roll", "%s rolls", verdict.rolls) % number(verdict.rolls)
    decisions = ngettext("%s decision", "%s decisions", verdict.decisions) % number(verdict.decisions)
    click.echo(_("Checked: %(rolls)s, %(decisions)s.") % {"rolls": rolls, "decisions": decisions})
    if verdict.valid:
        click.echo(_("The record is valid."))
        return EXIT_DONE
    click.echo(_("Wrong in line %(line)s: %(what)s") % {"line": number(verdict.line or 0), "what": verdict.fault})
    return EXIT_NO
