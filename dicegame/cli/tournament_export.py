"""`dicegame tournament export`: a tournament for other programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from dicegame.cli.common import lang_option, print_json
from dicegame.errors import InputError
from dicegame.text import _, quote

if TYPE_CHECKING:
    from dicegame.tournament.export import Kind


@click.command(
    help=_(
        "Write the games or the records for other programs.\n\n"
        "json: everything but the records. csv: a row a game and seat. jsonl: a line a game with its record."
    )
)
@click.argument("store", type=click.Path(), metavar="FILE.db", required=False)
@click.option(
    "--format", "kind", type=click.Choice(["json", "csv", "jsonl"]), default="json", show_default=True, help=_("What is written.")
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", help=_("Where it is written; default: standard output.")
)  # fmt: skip
@click.option("--schema", "only_schema", is_flag=True, help=_("Print the JSON Schema of the format json instead."))
@lang_option
def export(store: str | None, kind: str, output: str | None, only_schema: bool) -> None:
    """Write a tournament for other programs."""
    from dicegame.tournament.export import Kind, schema

    if only_schema:
        print_json(schema())
    elif store is None:
        raise click.MissingParameter(ctx=click.get_current_context(), param_hint="FILE.db", param_type="argument")
    else:
        _export(store, Kind(kind), output)


def _export(store: str, kind: Kind, output: str | None) -> None:
    """Write it to a file, or to standard output.

    Raises:
        InputError: the file can't be written.
    """
    from dicegame.tournament.export import write
    from dicegame.tournament.reader import Reader

    with Reader(store) as reader:
        if output is None:
            if hasattr(sys.stdout, "reconfigure"):  # the same bytes on every system
                sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="")
            write(reader, kind, sys.stdout)
            return
        try:
            with open(output, "w", encoding="utf-8", errors="replace", newline="") as file:  # noqa: PTH123
                write(reader, kind, file)
        except OSError as error:
            said = {"file": quote(output), "reason": error.strerror or str(error)}
            raise InputError(_("can't write %(file)s: %(reason)s") % said, file=output) from error
