"""`dicegame match`: many games between the same players."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from dicegame.cli.common import (
    bot_options,
    json_option,
    lang_option,
    load_rules,
    print_json,
    report_json,
    rules_option,
    treatment_of,
)
from dicegame.errors import EXIT_BOT, EXIT_DONE, EXIT_INTERRUPTED
from dicegame.text import _, decimal, isolate, ltr, ngettext, number, percent, quote

if TYPE_CHECKING:  # imported when a match is played
    from dicegame.match.result import MatchResult

LINE_SECONDS = 5.0


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
    help=_("How many games; whole blocks are played."),
)
@rules_option
@click.option("--seed", metavar="TEXT", help=_("Make the dice from this text: the same games every time."))
@click.option("--workers", type=click.IntRange(1, 1024), help=_("How many processes play; default: one a core."))
@click.option(
    "--on-fault",
    type=click.Choice(["forfeit", "substitute"]),
    default="forfeit",
    show_default=True,
    help=_("What becomes of a seat whose bot breaks the protocol."),
)
@click.option("--freeze", is_flag=True, help=_("Stop a bot's processes between its turns."))
@click.option(
    "--records",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help=_("Keep the record of every game, and all about every fault."),
)
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
    on_fault: str,
    freeze: bool,
    records: str | None,
    as_json: bool,
    **bots: Any,  # noqa: ANN401 - the options of `bot_options`
) -> int:
    """Play many games between the same players."""
    from dicegame.dice import commitment, new_seed, seed_from_text
    from dicegame.errors import PlayerError
    from dicegame.games.base import check_seats
    from dicegame.match.play import MatchSpec
    from dicegame.match.run import run_match
    from dicegame.match.workers import cores
    from dicegame.players.specs import names, parse
    from dicegame.referee import OnFault

    rules = load_rules(source, changes, target)
    specs = [parse(word) for word in players]
    check_seats(rules, len(specs))
    if any(spec.person for spec in specs):
        raise PlayerError(_("a match is played by programs: no human, no client"))
    spec = MatchSpec(
        rules=rules,
        words=tuple(spec.word for spec in specs),
        names=tuple(names(specs)),
        treatment=replace(treatment_of(**bots), freeze=freeze),
        on_fault=OnFault(on_fault),
        records=records is not None,
        predictable=seed is not None,
    )
    dice_seed = new_seed() if seed is None else seed_from_text(seed)
    click.echo(_("commitment of the dice seed: %s") % ltr(commitment(dice_seed)), err=True)
    blocks = -(-games // len(specs))
    with _Progress(blocks * len(specs)) as progress:
        result = run_match(
            spec,
            dice_seed,
            blocks,
            seed_text=seed,
            workers=workers or min(len(cores()), blocks),
            records=None if records is None else Path(records),
            progress=progress.show,
        )
    if as_json:
        print_json(result.as_json())
    else:
        _say(result)
    for name in result.never_ready():
        values = {"name": quote(name), "why": result.why_never_ready(name)}
        message = _("%(name)s never got ready: %(why)s") % values
        if as_json:
            report_json("error", {"code": "start_failed", "message": message, "player": name})
        else:
            click.echo(f"dicegame: {message}", err=True)
    if result.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_BOT if result.never_ready() else EXIT_DONE


class _Progress:
    """A bar on a terminal; elsewhere one line every few seconds."""

    def __init__(self, games: int) -> None:
        self._games = games
        self._done = 0
        self._said = time.monotonic()
        self._bar = click.progressbar(length=games, label=_("games"), file=sys.stderr) if sys.stderr.isatty() else None

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)

    def show(self, result: MatchResult) -> None:
        """Show how far the match is."""
        if self._bar is not None:
            self._bar.update(result.games - self._done)
            self._done = result.games
        elif time.monotonic() - self._said >= LINE_SECONDS:
            self._said = time.monotonic()
            rate = result.games / max(result.seconds, 1e-9)
            said = {"done": number(result.games), "games": number(self._games), "rate": ltr(decimal(rate, 1))}
            click.echo(_("%(done)s of %(games)s games, %(rate)s a second") % said, err=True)


def _say(result: MatchResult) -> None:
    from dicegame.terminal.layout import say

    said = {"rules": isolate(result.spec.rules.name), "blocks": number(result.blocks), "games": number(result.games)}
    say(_("%(rules)s: %(games)s games in %(blocks)s blocks of rotated seats") % said)
    for place, player in enumerate(result.players):
        low, high = result.interval(place)
        rate = player.wins / max(result.games, 1)
        values = {
            "name": isolate(player.name),
            "rate": ltr(percent(rate)),
            "low": ltr(percent(low)),
            "high": ltr(percent(high)),
            "wins": ltr(decimal(player.wins, 1)),
            "score": ltr(decimal(player.score / max(result.games, 1), 1)),
        }
        say(
            _("%(name)s: wins %(rate)s (95%% interval %(low)s to %(high)s), %(wins)s games; mean score %(score)s")
            % values,
            hang=2,
        )
        times = player.usage.times
        if times.count:
            used = {
                "median": ltr(decimal(times.quantile(0.5) * 1000, 3)),
                "p99": ltr(decimal(times.quantile(0.99) * 1000, 3)),
                "memory": ltr(decimal(player.usage.memory / (1 << 20), 1)),
                "off": ltr(decimal(player.usage.off_turn_cpu, 2)),
            }
            say(
                _(
                    "a decision: median %(median)s ms, 99%% under %(p99)s ms; memory %(memory)s MiB; %(off)s s of processor time off turn"
                )
                % used,
                indent=2,
                hang=2,
            )
        for code, count in sorted(player.faults.items()):
            say(
                ngettext("%(code)s: %(n)s fault", "%(code)s: %(n)s faults", count)
                % {"code": ltr(code), "n": number(count)},
                indent=2,
            )
    _say_containment(result)
    for name, _block, report in result.reports[:3]:
        values = {"name": isolate(name), "game": ltr(report.game), "fault": isolate(str(report))}
        say(_("%(name)s, game %(game)s: %(fault)s") % values, hang=2)


def _say_containment(result: MatchResult) -> None:
    from dicegame.terminal.layout import say

    if any(player.usage.ready or player.faults["start_failed"] for player in result.players):
        say(_("containment of the bots: %s") % ltr(result.level))
        if result.level != "bwrap":
            say(_("Without a sandbox a bot could leave notes for itself between the rotations of a block."))
    if result.void:
        say(
            ngettext("%s game was void and played again", "%s games were void and played again", result.void)
            % number(result.void)
        )
