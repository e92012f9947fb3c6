"""`dicegame match`: many games between the same players."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from dicegame.cli.common import (
    bot_options,
    changed_options,
    json_option,
    lang_option,
    load_push_luck,
    luck_option,
    print_json,
    report_json,
    rules_option,
    seed_option,
    treatment_of,
    workers_option,
)
from dicegame.errors import EXIT_BOT, EXIT_DONE, EXIT_INTERRUPTED
from dicegame.text import _, ltr, number, quote

if TYPE_CHECKING:  # imported when a match is played
    from dicegame.match.result import MatchResult

F = TypeVar("F", bound=Callable[..., Any])

_GATES = ("sprt", "fail_under", "precision", "max_time", "quiet", "junit", "markdown")  # the options of `gate_options`
_OF_EXACT = {"players", "source", "changes", "target", "exact", "as_json"}  # what --exact goes with


def gate_options(command: F) -> F:
    """Add the options that make a match a gate for a build; `dicegame.cli.gates.Gates.of` takes them all."""
    options = [
        click.option(
            "--sprt", metavar="E0,E1",
            help=_("End as soon as it is clear whether the first player is E1 Elo better than the second, or only E0."),
        ),
        click.option(
            "--fail-under", metavar="RATE",
            help=_("Fail if the first player wins less than this, such as 52%: by what is found, certain or not."),
        ),
        click.option(
            "--precision", metavar="SHARE",
            help=_("End as soon as the first player's win rate is known to within so much, such as 2%."),
        ),
        click.option(
            "--max-time", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
            help=_("End after this time and the running games."),
        ),
        click.option("--quiet", is_flag=True, help=_("Say nothing but what --sprt and --fail-under say.")),
        click.option(
            "--junit", type=click.Path(dir_okay=False), metavar="FILE",
            help=_("Write what they say, and the faults, as JUnit XML."),
        ),
        click.option(
            "--markdown", type=click.Path(dir_okay=False), metavar="FILE", help=_("Write a summary for the page of a build.")
        ),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@click.command(
    help=_(
        "Play many games between the same players.\n\n"
        "Seats are rotated over the same dice: a block is one game for every player. The result has error bars."
    )
)
@click.argument("players", nargs=-1, required=True, metavar="PLAYER...")
@click.option(
    "--games",
    type=click.IntRange(1, 1_000_000_000),
    default=100,
    show_default=True,
    help=_("How many games, at most; whole blocks are played."),
)
@rules_option
@seed_option
@workers_option
@click.option(
    "--records",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help=_("Keep the record of every game, and all about every fault."),
)
@luck_option
@click.option(
    "--exact",
    is_flag=True,
    help=_("Play nothing: work out the exact chances of two built-ins with a fixed way to play, such as hold:at=300."),
)
@gate_options
@bot_options
@json_option
@lang_option
def match(
    players: tuple[str, ...],
    games: int,
    source: str,
    changes: tuple[str, ...],
    target: int | None,
    seed: str | None,
    workers: int | None,
    records: str | None,
    luck: str | None,
    exact: bool,
    as_json: bool,
    **others: Any,  # noqa: ANN401 - the options of `gate_options` and `bot_options`
) -> int:
    """Play many games between the same players."""
    if exact:
        return _evaluate(players, source, changes, target, as_json=as_json)
    from contextlib import nullcontext

    from dicegame.cli.gates import Gates
    from dicegame.dice import commitment, new_seed, seed_from_text
    from dicegame.match.local import cores
    from dicegame.match.run import run_match
    from dicegame.match.spec import make_spec
    from dicegame.terminal.matches import GamesPlayed

    gates = Gates.of(**{name: others.pop(name) for name in _GATES})
    spec = make_spec(
        players,
        source,
        changes,
        target,
        options=changed_options(click.get_current_context()),
        treatment=treatment_of(**others),
        records=records is not None,
        predictable=seed is not None,
        luck=luck,
    )
    gates.check(spec)
    dice_seed = new_seed() if seed is None else seed_from_text(seed)
    if not gates.quiet:
        click.echo(_("commitment of the dice seed: %s") % ltr(commitment(dice_seed)), err=True)
    blocks = -(-games // spec.players)
    with nullcontext() if gates.quiet else GamesPlayed(blocks * spec.players) as progress:
        result = run_match(
            spec,
            dice_seed,
            blocks,
            seed_text=seed,
            workers=workers or min(len(cores()), blocks),
            records=None if records is None else Path(records),
            progress=None if progress is None else progress.show,
            watch=gates.watch(spec),
            max_time=gates.max_time,
        )
    code = gates.tell(result, as_json=as_json)
    _tell_never_ready(result, as_json=as_json)
    if result.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_BOT if result.never_ready() else code


def _evaluate(
    players: tuple[str, ...], source: str, changes: tuple[str, ...], target: int | None, *, as_json: bool
) -> int:
    """Tell the exact chances of two players.

    Raises:
        InputError: an option or a player makes no sense here, or the rule set can't be evaluated.
    """
    from dicegame.errors import InputError, PlayerError
    from dicegame.games.base import check_seats
    from dicegame.players.specs import names, parse

    ctx = click.get_current_context()
    for option in ctx.command.params:
        given = ctx.get_parameter_source(option.name or "") is not ParameterSource.DEFAULT
        if given and option.name in ctx.params and option.name not in _OF_EXACT:
            raise InputError(_("with --exact no game is played: it takes no %s") % ltr(option.opts[0]))
    if len(players) != 2:
        raise PlayerError(_("--exact is for two players, and here are %s") % number(len(players)))
    rules = load_push_luck(source, changes, target)
    check_seats(rules, 2)
    specs = [parse(word) for word in players]
    from dicegame.values.extra import need_solver

    need_solver()
    from dicegame.terminal.matches import say_exact
    from dicegame.terminal.progress import PartsDone
    from dicegame.values.exact.evaluate import evaluate

    with PartsDone(_("evaluating")) as progress:
        first, second = evaluate(rules, specs[0].word, specs[1].word, progress=progress.show)
    if as_json:
        print_json(
            {
                "rules": rules.name,
                "players": names(specs),
                "win_probability": [(first + second) / 2, 1 - (first + second) / 2],
                "by_first": [[first, 1 - first], [second, 1 - second]],
            }
        )
    else:
        say_exact(rules.name, names(specs), first, second)
    return EXIT_DONE


def _tell_never_ready(result: MatchResult, *, as_json: bool) -> None:
    for name in result.never_ready():
        values = {"name": quote(name), "why": result.why_never_ready(name)}
        message = _("%(name)s never got ready: %(why)s") % values
        if as_json:
            report_json("error", {"code": "start_failed", "message": message, "player": name})
        else:
            click.echo(f"dicegame: {message}", err=True)
