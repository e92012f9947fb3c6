"""`dicegame verify`: what a record proves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dicegame.cli.common import GAME, is_store, json_option, lang_option, print_json, stored_record
from dicegame.errors import EXIT_DONE, EXIT_NO
from dicegame.text import _, ltr, ngettext, number

if TYPE_CHECKING:
    from dicegame.record.verify import Verdict

_SHOWN = 10  # records that are wrong


@click.command(
    help=_(
        "Prove a record: the commitment, every roll, every decision, and the result. Exit code 1: something is wrong.\n\n"
        "RECORD may be a tournament's file: then the named game, or all of which a record was kept."
    )
)
@click.argument("record", type=click.Path(), metavar="RECORD")
@GAME
@json_option
@lang_option
def verify(record: str, game: str | None, as_json: bool) -> int:
    """Prove a record."""
    from dicegame.record.verify import verify as prove
    from dicegame.record.verify import verify_bytes

    if game is None and is_store(record):
        return _verify_all(record, as_json=as_json)
    verdict = prove(record) if game is None else verify_bytes(stored_record(record, game), f"{record}, {game}")
    if as_json:
        print_json(verdict.as_json())
    else:
        _say(verdict)
    return EXIT_DONE if verdict.valid else EXIT_NO


def _verify_all(path: str, *, as_json: bool) -> int:
    """Prove every record of a tournament, and that its dice are those of the seed once that is open."""
    from dicegame.tournament.prove import prove_all

    proof = prove_all(path)
    if as_json:
        print_json(proof.as_json())
    else:
        games = ngettext("%s record is valid", "%s records are valid", proof.valid) % number(proof.valid)
        click.echo(games)
        if proof.opened:
            click.echo(_("The dice seed opens its commitment, and all dice are made from it."))
        else:
            click.echo(_("The dice seed is not opened yet: that the dice are made from it can't be checked."))
        for game, what in proof.wrong[:_SHOWN]:
            click.echo(_("%(game)s: wrong: %(what)s") % {"game": ltr(game), "what": what})
    return EXIT_NO if proof.wrong else EXIT_DONE


def _say(verdict: Verdict) -> None:
    from dicegame.record.verify import NONE, OPENED, PENDING, WRONG

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
    else:
        click.echo(_("Wrong in line %(line)s: %(what)s") % {"line": number(verdict.line or 0), "what": verdict.fault})
