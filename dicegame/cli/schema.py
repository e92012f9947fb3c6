"""`dicegame schema`: the JSON Schema of every message and record."""

from __future__ import annotations

import os

import click

from dicegame.cli.common import lang_option
from dicegame.text import _

_FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "protocol.schema.json")  # noqa: PTH118, PTH120 - start-up


@click.command(help=_("Print the JSON Schema of every message and of every line of a record."))
@lang_option
def schema() -> None:
    """Print the JSON Schema."""
    with open(_FILE, "rb") as file:  # noqa: PTH123 - start-up
        click.echo(file.read(), nl=False)
