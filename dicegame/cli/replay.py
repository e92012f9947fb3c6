"""`dicegame replay`: a recorded game, printed again as it was seen."""

from __future__ import annotations

import click

from dicegame.cli.common import GAME, lang_option, load_record
from dicegame.text import _


@click.command(
    help=_("Print a recorded game again as it was seen. RECORD may be a tournament's file, with the name of a game.")
)
@click.argument("record", type=click.Path(), metavar="RECORD")
@GAME
@click.option("--ascii", "ascii_only", is_flag=True, help=_("Draw without Unicode."))
@click.option("--color/--no-color", default=None, help=_("Use colour, or do not; default: where the terminal can."))
@click.option(
    "--pace", type=click.FloatRange(0, 60), default=0.0, metavar="SECONDS", help=_("How long each step stands.")
)
@lang_option
@click.pass_context
def replay(
    ctx: click.Context, record: str, game: str | None, ascii_only: bool, color: bool | None, pace: float
) -> None:
    """Print a recorded game again."""
    from dicegame.cli.play import make_console
    from dicegame.terminal.replay import replay as print_again

    print_again(make_console(ctx, ascii_only=ascii_only, color=color, pace=pace), load_record(record, game))
