"""What several commands share: their options, the rule set that these name, and how results are printed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from dicegame.text import LANGUAGES, _, quote

if TYPE_CHECKING:  # pydantic is too heavy for help and completion
    from dicegame.players.treatment import Treatment
    from dicegame.record.read import Record
    from dicegame.rules.model import PushLuckRules, RuleSet

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_RULES = "ten-thousand"


def complete_rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Complete the name of a preset; anything else is completed as a file."""
    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "rules", "presets")  # noqa: PTH118, PTH120 - start-up
    names = sorted(entry.removesuffix(".toml") for entry in os.listdir(folder))  # noqa: PTH208 - start-up
    found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="file")]


def lang_option(command: F) -> F:
    """Add `--lang`; the entry has looked for it already, since every word depends on it."""
    choice = click.Choice(list(LANGUAGES))
    return click.option(
        "--lang", type=choice, expose_value=False, help=_("The language to speak; default: that of the system.")
    )(command)


def json_option(command: F) -> F:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help=_("Print the result as one JSON object."))(command)


def change_options(command: F) -> F:
    """Add `--set` and `--target`: changes to the rule set that is named."""
    changes = click.option(
        "--set", "changes", multiple=True, metavar="FIELD=VALUE",
        help=_("Change one field of the rule set, such as score.three_pairs=1500; may be repeated."),
    )  # fmt: skip
    target = click.option("--target", type=int, metavar="N", help=_("The points that a game is played to."))
    return changes(target(command))


def rules_option(command: F) -> F:
    """Add `--rules`, `--set` and `--target`."""
    option = click.option(
        "--rules", "source", shell_complete=complete_rules, default=DEFAULT_RULES, show_default=True, metavar="NAME|FILE",
        help=_("The rule set: a name from `dicegame rules list`, or a file."),
    )  # fmt: skip
    return option(change_options(command))


def seed_option(command: F) -> F:
    """Add `--seed`: dice from a text."""
    return click.option("--seed", metavar="TEXT", help=_("Make the dice from this text: the same games every time."))(
        command
    )


def luck_option(command: F) -> F:
    """Add `--luck`, with or without the player by whose table luck is measured."""
    return click.option(
        "--luck", is_flag=False, flag_value="optimal", metavar="[PLAYER]",
        help=_("Take luck out of the result, by the values of perfect play or of a built-in against itself."),
    )(command)  # fmt: skip


def workers_option(command: F) -> F:
    """Add `--workers`: processes of this machine."""
    return click.option(
        "--workers", type=click.IntRange(1, 1024), help=_("How many processes play; default: one a core.")
    )(command)


def bot_options(command: F) -> F:
    """Add the options that say how the external bots of whole games are treated; `treatment_of` takes them all."""
    on_fault = click.option(
        "--on-fault", type=click.Choice(["forfeit", "substitute"]), default="forfeit", show_default=True,
        help=_("What becomes of a seat whose bot breaks the protocol."),
    )  # fmt: skip
    freeze = click.option("--freeze", is_flag=True, help=_("Stop a bot's processes between its turns."))
    return single_bot_options(on_fault(freeze(command)))


def single_bot_options(command: F) -> F:
    """Add those of `bot_options` that are of use without a game, where a single bot is talked to."""
    milliseconds = click.IntRange(1, 86_400_000)
    sandboxes = click.Choice(["auto", "bwrap", "none", "require"])
    options = [
        click.option("--decision-ms", type=milliseconds, default=1000, show_default=True, help=_("A bot's time for a decision.")),
        click.option(
            "--reserve-ms", type=click.IntRange(0, 86_400_000), default=10_000, show_default=True,
            help=_("A bot's time beyond that, in a whole game."),
        ),
        click.option("--start-ms", type=milliseconds, default=10_000, show_default=True, help=_("A bot's time to get ready.")),
        click.option("--no-clock", is_flag=True, help=_("Give bots all the time for their decisions.")),
        click.option(
            "--sandbox", type=sandboxes, default="auto", show_default=True,
            help=_("How bots are kept apart; require: with bubblewrap or not at all."),
        ),
        click.option(
            "--memory", type=click.IntRange(16, 1 << 20), default=512, show_default=True, metavar="MIB",
            help=_("The memory of a bot."),
        ),
        click.option(
            "--wire-log", type=click.Path(dir_okay=False), metavar="FILE",
            help=_("Write down every line from and to every bot: for debugging, since in a match it tells the dice of games to come."),
        ),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def treatment_of(
    *,
    decision_ms: int,
    reserve_ms: int,
    start_ms: int,
    no_clock: bool,
    sandbox: str,
    memory: int,
    wire_log: str | None,
    on_fault: str = "forfeit",
    freeze: bool = False,
) -> Treatment:
    """Return how external bots are treated, from the options of `bot_options` or `single_bot_options`."""
    from dicegame.players.sandbox import Limits, Sandbox
    from dicegame.players.treatment import Clock, OnFault, Treatment

    clock = Clock(start_ms, decision_ms, reserve_ms, running=not no_clock)
    return Treatment(clock, Sandbox(sandbox), Limits(memory=memory), wire_log, freeze, OnFault(on_fault))


_OF_A_GAME = {
    "changes", "target", "decision_ms", "reserve_ms", "start_ms", "no_clock", "sandbox", "memory", "on_fault", "freeze",
}  # fmt: skip


def changed_options(ctx: click.Context) -> tuple[str, ...]:
    """Return the words of this command line that change the rules or how bots are treated: a game is played again with them."""
    words: list[str] = []
    for option in ctx.command.params:
        name = option.name or ""
        if name not in _OF_A_GAME or ctx.get_parameter_source(name) is ParameterSource.DEFAULT:
            continue
        flag = isinstance(option, click.Option) and option.is_flag
        for value in ctx.params[name] if option.multiple else [ctx.params[name]]:
            words += [option.opts[0]] if flag else [option.opts[0], str(value)]
    return tuple(words)


def load_rules(source: str, changes: tuple[str, ...], target: int | None) -> RuleSet:
    """Return the rule set that the options name.

    Raises:
        RulesError: it can't be read or is wrong.
    """
    from dicegame.rules.load import load

    return load(source, changes, target)


def load_push_luck(source: str, changes: tuple[str, ...], target: int | None) -> PushLuckRules:
    """Return the push-your-luck rule set that the options name.

    Raises:
        RulesError: it can't be read, is wrong, or is a rule set of the other engine.
    """
    from dicegame.errors import RulesError
    from dicegame.rules.model import PushLuckRules

    rules = load_rules(source, changes, target)
    if not isinstance(rules, PushLuckRules):
        raise RulesError(
            _("%s has no keeps and banks: this command is for push-your-luck rule sets") % quote(rules.name)
        )
    return rules


def report_json(kind: str, told: dict[str, object]) -> None:
    """Tell of an error (or of what else `kind` names) as one JSON object on one line of stderr."""
    click.echo(json.dumps({kind: told}, separators=(",", ":"), default=str), err=True)


def print_json(result: object) -> None:
    """Print one JSON object on one line."""
    click.echo(json.dumps(result, separators=(",", ":"), ensure_ascii=False))


GAME = click.argument("game", required=False, metavar="[GAME]")


def is_store(path: str) -> bool:
    """Say whether a file is a tournament's, and not a record."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - start-up
            return file.read(16) == b"SQLite format 3\0"
    except (OSError, ValueError):
        return False  # whoever reads it says why it can't be read


def load_record(path: str, game: str | None) -> Record:
    """Return a record: that of a file, or of a game in a tournament's file.

    Raises:
        InputError: it can't be read, or no game is named, or of that game no record was kept.
    """
    from dicegame.record.read import read, read_bytes

    if game is None and not is_store(path):
        return read(path)
    return read_bytes(stored_record(path, game), f"{path}, {game}")


def stored_record(path: str, game: str | None) -> bytes:
    """Return the record of a game in a tournament's file.

    Raises:
        InputError: no game is named, there is none, or no record of it was kept.
    """
    from dicegame.errors import InputError
    from dicegame.tournament.reader import Reader

    if game is None:
        raise InputError(_("%s is a tournament: name a game of it as well, such as 1-2-0-0") % quote(path))
    with Reader(path) as reader:
        found = reader.record(game)
    if found is None:
        raise InputError(_("of the game %s no record was kept") % quote(game))
    return found
