"""`dicegame tournament run` and `resume`: play a tournament."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from dicegame.cli.common import (
    bot_options,
    json_option,
    lang_option,
    luck_option,
    print_json,
    report_json,
    rules_option,
    seed_option,
    workers_option,
)
from dicegame.errors import InputError
from dicegame.text import _, ltr, quote

if TYPE_CHECKING:  # imported when a tournament is played
    from dicegame.match.pool import Workers
    from dicegame.tournament.plan import TournamentFile
    from dicegame.tournament.run import Run
    from dicegame.tournament.store import Store

F = TypeVar("F", bound=Callable[..., Any])

_OF_A_RUN = {"players", "store", "workers", "cluster", "shard", "seed_file", "max_time", "quiet", "as_json", "lang"}


def run_options(command: F) -> F:
    """Add the options that say how a tournament is played, and change nothing of what it is."""
    options = [
        workers_option,
        click.option(
            "--cluster", metavar="ADDRESS",
            help=_("Play on the workers of a Dask scheduler, such as tcp://host:8786, instead of here."),
        ),
        click.option(
            "--max-time", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
            help=_("End after this time and the running games; `resume` goes on."),
        ),
        click.option("--quiet", is_flag=True, help=_("Say nothing while it is played.")),
        json_option,
        lang_option,
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@click.command(
    help=_(
        "Begin a tournament and play it.\n\n"
        "WHAT is a tournament file (NAME.toml), or the players. Everything is kept in one file, by which "
        "`dicegame tournament resume` goes on after any interruption."
    )
)
@click.argument("what", nargs=-1, required=True, metavar="WHAT...")
@click.option(
    "--store", type=click.Path(dir_okay=False), metavar="FILE.db", help=_("Where it is kept; default: NAME.db.")
)
@click.option("--name", help=_("What the tournament is called."))
@click.option(
    "--format", type=click.Choice(["round-robin", "gauntlet", "swiss", "knockout"]), default="round-robin", show_default=True,
    help=_("Who plays whom."),
)  # fmt: skip
@click.option("--seats", type=click.IntRange(2, 8), default=2, show_default=True, help=_("How many sit at a table."))
@click.option(
    "--blocks", type=click.IntRange(1, 1_000_000_000), default=100, show_default=True,
    help=_("How many blocks each pairing plays: a block is one game for every seat, over the same dice."),
)  # fmt: skip
@click.option("--rounds", type=click.IntRange(1, 1000), help=_("How many rounds a Swiss tournament has."))
@click.option(
    "--challenger", "challengers", multiple=True, metavar="NAME",
    help=_("Whom a gauntlet sets against all others; default: the first player. May be repeated."),
)  # fmt: skip
@click.option(
    "--precision", type=click.FloatRange(0, 0.5, min_open=True, max_open=True), metavar="SHARE",
    help=_("End a pairing early once its win rate is known to within so much, such as 0.02; --blocks is the most then."),
)  # fmt: skip
@rules_option
@seed_option
@click.option(
    "--seed-file", type=click.Path(dir_okay=False), metavar="FILE",
    help=_("Take the dice seed from this file, written anew where there is none: for the parts of one tournament."),
)  # fmt: skip
@click.option(
    "--shard", metavar="K/N", help=_("Play only part K of N; `dicegame tournament merge` puts them together.")
)
@luck_option
@click.option(
    "--records", type=click.Choice(["all", "faults", "none"]), default="all", show_default=True,
    help=_("Of which games a record is kept."),
)  # fmt: skip
@bot_options
@run_options
def run(
    what: tuple[str, ...],
    store: str | None,
    seed: str | None,
    seed_file: str | None,
    shard: str | None,
    workers: int | None,
    cluster: str | None,
    max_time: float | None,
    quiet: bool,
    as_json: bool,
    **spec: Any,  # noqa: ANN401 - what the tournament is: `_of_options` takes it
) -> int:
    """Begin a tournament and play it."""
    from dicegame.tournament.make import dice_seed, make, parse_shard
    from dicegame.tournament.plan import read_file

    folder = None
    if len(what) == 1 and what[0].endswith(".toml"):
        _refuse_options(click.get_current_context())
        path = Path(what[0])
        file, folder = read_file(path), path.absolute().parent
        default = f"{path.stem}.db"
    else:
        file = _of_options(what, seed, spec)
        default = re.sub(r"[^\w-]+", "-", file.tournament.name) + ".db"
    part = (1, 1) if shard is None else parse_shard(shard)
    text = file.tournament.seed
    secret = dice_seed(text, None if seed_file is None else Path(seed_file), shared=part[1] > 1)
    with (
        closing(_workers(workers, cluster)) as players,
        make(Path(store or default), file, folder, secret, text, shard=part) as made,
    ):
        ended = _play(made, players, max_time=max_time, quiet=quiet)
    return _tell(Path(store or default), ended, as_json=as_json)


@click.command(
    help=_(
        "Go on with a tournament: play exactly what is missing.\n\n"
        "It is refused where a bot, the table that luck is measured by, or (with --file) anything of the plan has changed."
    )
)
@click.argument("store", type=click.Path(), metavar="FILE.db")
@click.option(
    "--file", "plan_file", type=click.Path(), metavar="FILE.toml", help=_("Make sure that it is the tournament of this file.")
)  # fmt: skip
@run_options
def resume(
    store: str,
    plan_file: str | None,
    workers: int | None,
    cluster: str | None,
    max_time: float | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Go on with a tournament."""
    from dicegame.tournament.make import check_same
    from dicegame.tournament.store import Store

    with closing(_workers(workers, cluster)) as players, Store.open(Path(store)) as found:
        if plan_file is not None:
            check_same(found, Path(plan_file))
        ended = _play(found, players, max_time=max_time, quiet=quiet)
    return _tell(Path(store), ended, as_json=as_json)


def _workers(count: int | None, cluster: str | None) -> Workers:
    """Return the workers; those of a cluster are there, those of this machine start when they are wanted.

    Raises:
        InputError: both kinds are asked for, or the cluster can't be reached.
    """
    if cluster is None:
        from dicegame.match.local import LocalWorkers, cores

        return LocalWorkers(count or len(cores()))
    if count is not None:
        raise InputError(_("--workers is for this machine: a cluster has as many as are there"))
    from dicegame.tournament.cluster import ClusterWorkers

    return ClusterWorkers(cluster)


def _play(store: Store, workers: Workers, *, max_time: float | None, quiet: bool) -> Run:
    """Play what is missing, and show how far it is."""
    from dicegame.terminal.tournaments import LiveStandings
    from dicegame.tournament.run import run_tournament
    from dicegame.tournament.standings import standings

    reader = store.reader
    for commitment in reader.commitments():
        click.echo(_("commitment of the dice seed: %s") % ltr(commitment), err=True)
    entrants, seats = reader.entrants(), reader.plan.seats
    with LiveStandings(reader.plan.name, quiet=quiet) as live:
        return run_tournament(
            store,
            workers,
            max_time=max_time,
            progress=lambda run: live.update(run.progress, lambda: standings(entrants, run.sums, seats), run.faults),
        )


def _tell(path: Path, ended: Run, *, as_json: bool) -> int:
    """Tell what a tournament came to, and return the exit code."""
    from dicegame.terminal.tournaments import say_tournament, tournament_json
    from dicegame.tournament.reader import Reader

    with Reader(path) as reader:
        if as_json:
            print_json({**tournament_json(reader), "ending": ended.ending})
        else:
            say_tournament(reader)
            _tell_how_to_go_on(path, complete=ended.progress.complete)
    for name, why in (ended.bots or {}).items():
        message = _("%(name)s never got ready: %(why)s") % {"name": quote(name), "why": why}
        if as_json:
            report_json("error", {"code": "start_failed", "message": message, "player": name})
        else:
            click.echo(f"dicegame: {message}", err=True)
    return 0 if ended.ending is None else ended.ending.exit_code


def _tell_how_to_go_on(path: Path, *, complete: bool) -> None:
    if not complete:
        command = ltr(f"dicegame tournament resume {_shell(path)}")
        click.echo(_("Not all is played; this goes on: %s") % command, err=True)


def _shell(path: Path) -> str:
    import shlex

    return shlex.quote(os.fspath(path))


def _refuse_options(ctx: click.Context) -> None:
    """Refuse options that say what the tournament is, beside a file that does.

    Raises:
        InputError: there are any.
    """
    for option in ctx.command.params:
        name = option.name or ""
        if name in _OF_A_RUN or name == "what" or name not in ctx.params:
            continue
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            message = _("%(option)s stands in the tournament file, or not at all: a file says all of what is played")
            raise InputError(message % {"option": ltr(option.opts[0])})


def _of_options(players: tuple[str, ...], seed: str | None, spec: dict[str, Any]) -> TournamentFile:
    """Return the tournament file that the options amount to.

    Raises:
        InputError: an option of bots that a tournament does not have.
    """
    from dicegame.tournament.plan import check_file

    if spec.pop("wire_log"):
        raise InputError(_("a tournament keeps no log of the wire: it would tell the dice of games to come"))
    names = ("decision_ms", "reserve_ms", "start_ms", "sandbox", "memory", "on_fault", "freeze")
    limits = {name: spec.pop(name) for name in names} | {"clock": not spec.pop("no_clock")}
    table = {
        "rules": spec.pop("source"),
        "set": list(spec.pop("changes")),
        "challengers": list(spec.pop("challengers")) or None,
        "seed": seed,
        **{name: value for name, value in spec.items() if value is not None},
    }
    data = {
        "tournament": {name: value for name, value in table.items() if value is not None},
        "limits": limits,
        "entrant": [{"player": word} for word in players],
    }
    return check_file(data, _("the command line"))
