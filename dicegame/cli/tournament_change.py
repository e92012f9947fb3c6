"""`dicegame tournament add`, `withdraw`, `stop` and `merge`: change a tournament that stands."""

from __future__ import annotations

from pathlib import Path

import click

from dicegame.cli.common import lang_option
from dicegame.text import _, join, ltr, ngettext, number, quote

_STORE = click.argument("store", type=click.Path(), metavar="FILE.db")


@click.command(
    help=_(
        "Add entrants, or more blocks for every pairing, to a tournament that is not being played; `resume` then plays them.\n\n"
        "Where everything was played and the dice seed is open, what is added gets a new one."
    )
)
@_STORE
@click.argument("players", nargs=-1, metavar="[PLAYER...]")
@click.option(
    "--blocks", type=click.IntRange(1, 1_000_000_000), metavar="N", help=_("So many blocks more for every pairing.")
)
@lang_option
def add(store: str, players: tuple[str, ...], blocks: int | None) -> None:
    """Add entrants, or more blocks."""
    from dicegame.errors import InputError
    from dicegame.tournament.change import add_blocks, add_entrants
    from dicegame.tournament.plan import EntrantTable
    from dicegame.tournament.store import Store

    if not players and blocks is None:
        raise InputError(_("nothing to add: name players, or give --blocks"))
    with Store.open(Path(store)) as found:
        if players:
            added = add_entrants(found, [EntrantTable(player=player) for player in players])
            click.echo(_("added: %s") % join([quote(entrant.name) for entrant in added]), err=True)
        if blocks is not None:
            add_blocks(found, blocks)
        left = found.reader.progress()
        games = left.games_planned - left.games_played
        click.echo(ngettext("%s game is to be played", "%s games are to be played", games) % number(games), err=True)


@click.command(help=_("Withdraw an entrant by its name: what it has played stays, nothing more of it is played."))
@_STORE
@click.argument("name")
@lang_option
def withdraw(store: str, name: str) -> None:
    """Withdraw an entrant."""
    from dicegame.tournament.change import withdraw as take_out
    from dicegame.tournament.store import Store

    with Store.open(Path(store)) as found:
        take_out(found, name)
    click.echo(_("withdrawn: %s") % quote(name), err=True)


@click.command(help=_("End a running tournament after the running games, and wait for that. Nothing is lost."))
@_STORE
@click.option("--no-wait", is_flag=True, help=_("Do not wait for its end."))
@lang_option
def stop(store: str, no_wait: bool) -> None:
    """End a running tournament."""
    import time

    from dicegame.tournament.lock import ask_to_stop, is_locked
    from dicegame.tournament.tables import connect

    path = Path(store)
    connect(path).close()
    if not ask_to_stop(path):
        click.echo(_("nobody plays %s") % quote(store), err=True)
        return
    while not no_wait and is_locked(path):
        time.sleep(0.1)
    command = ltr(f"dicegame tournament resume {quote(store)}")
    click.echo(_("This goes on with it: %s") % command, err=True)


@click.command(
    help=_(
        "Put the parts of a tournament together that `run --shard` played: the games of all other files come into the first one.\n\n"
        "A game that differs between two files is an error, and then nothing is changed."
    )
)
@_STORE
@click.argument("others", nargs=-1, required=True, type=click.Path(), metavar="FILE.db...")
@lang_option
def merge(store: str, others: tuple[str, ...]) -> None:
    """Put the parts of a tournament together."""
    from dicegame.tournament.merge import merge as put_together
    from dicegame.tournament.store import Store

    with Store.open(Path(store)) as found:
        put_together(found, [Path(other) for other in others])
        games = found.reader.progress().games_played
        click.echo(ngettext("%s game in all", "%s games in all", games) % number(games), err=True)
