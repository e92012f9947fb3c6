"""`dicegame analyze`: what a recorded game was worth, decision by decision and throw by throw."""

from __future__ import annotations

from pathlib import Path

import click

from dicegame.cli.common import GAME, json_option, lang_option, load_record, print_json
from dicegame.errors import InputError
from dicegame.text import _, join, quote


@click.command(
    help=_(
        "Judge a recorded game: for every decision the best one and what the difference cost, for every roll its luck.\n\n"
        "All in chances to win. A cost from 0.5% on is doubtful, from 2% bad, from 5% very bad. The result without the luck is "
        "the result less the luck of all rolls. RECORD may be a tournament's file, with the name of a game."
    )
)
@click.argument("record", type=click.Path(), metavar="RECORD")
@GAME
@click.option("--all", "every", is_flag=True, help=_("Show every decision, not only those that were not fine."))
@click.option("--player", metavar="NAME", help=_("Show the decisions and rolls of this player only."))
@click.option(
    "--svg",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help=_("Draw the chances over the game into this file as well."),
)
@json_option
@click.option("--ascii", "ascii_only", is_flag=True, help=_("Draw without Unicode."))
@click.option("--color/--no-color", default=None, help=_("Use colour, or do not; default: where the terminal can."))
@lang_option
@click.pass_context
def analyze(
    ctx: click.Context,
    record: str,
    game: str | None,
    every: bool,
    player: str | None,
    svg: str | None,
    as_json: bool,
    ascii_only: bool,
    color: bool | None,
) -> None:
    """Judge a recorded game."""
    from dicegame.analysis.ledger import judge_record
    from dicegame.analysis.report import as_json as told
    from dicegame.cli.play import make_console
    from dicegame.games import engine_for
    from dicegame.terminal.analysis import Telling, picture
    from dicegame.values.judges import judge_for

    what = load_record(record, game)
    names = what.header.players
    seats = _seats(names, player)
    engine = engine_for(what.rules)
    judged = judge_record(what, engine, judge_for(engine, len(names)))
    if svg is not None:
        _write(svg, picture(what, judged))
    if as_json:
        print_json(told(what, judged, seats))
        return
    Telling(make_console(ctx, ascii_only=ascii_only, color=color), what, judged, seats, every=every).all()


def _seats(names: list[str], player: str | None) -> frozenset[int]:
    """Return the seats that are shown.

    Raises:
        InputError: nobody there has this name.
    """
    found = frozenset(seat for seat, name in enumerate(names) if player is None or name == player)
    if not found:
        message = _("there is no player %(name)s in this record; there are %(names)s")
        said = {"name": quote(player or ""), "names": join([quote(name) for name in names])}
        raise InputError(message % said)
    return found


def _write(path: str, text: str) -> None:
    """Write a file.

    Raises:
        InputError: it can't be written.
    """
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        said = {"file": quote(path), "reason": error.strerror or str(error)}
        raise InputError(_("can't write %(file)s: %(reason)s") % said, file=path) from error
