"""The `dicegame` command: a group that imports a subcommand only when it is run.

Help and completion of the group itself are answered from the table below; nothing of weight is imported for them.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click
from click.shell_completion import CompletionItem

from dicegame import __version__
from dicegame.cli.common import lang_option
from dicegame.errors import EXIT_DONE, Interrupted
from dicegame.text import N_, _

# name -> (where the command is, its one line of help), in the order of the help
COMMANDS = {
    "play": ("dicegame.cli.play:play", N_("Play one game, at the terminal or over JSON.")),
    "match": ("dicegame.cli.match:match", N_("Play many games between the same players.")),
    "tournament": (
        "dicegame.cli.tournament:tournament",
        N_("Play tournaments of many bots, each in a file of its own."),
    ),
    "simulate": ("dicegame.cli.simulate:simulate", N_("Play millions of games between two fixed players.")),
    "score": ("dicegame.cli.score:score", N_("Show what a roll is worth.")),
    "odds": ("dicegame.cli.odds:odds", N_("Show the odds of a bust and what a turn is worth.")),
    "solve": ("dicegame.cli.solve:solve", N_("Work out the exact chances of perfect play by a rule set.")),
    "rules": ("dicegame.cli.rules:rules", N_("List, show and check rule sets.")),
    "bot": ("dicegame.cli.bot:bot", N_("List the computer players; write, check and try a bot.")),
    "replay": ("dicegame.cli.replay:replay", N_("Print a recorded game again.")),
    "schema": ("dicegame.cli.schema:schema", N_("Print the JSON Schema of every message and record.")),
    "verify": ("dicegame.cli.verify:verify", N_("Prove a record: its dice, its decisions, its result.")),
    "analyze": ("dicegame.cli.analyze:analyze", N_("Judge a recorded game: its decisions, its luck.")),
}


class LazyGroup(click.Group):
    """A group whose subcommands stand in a table of import paths and one-line helps."""

    def __init__(self, *args: Any, table: dict[str, tuple[str, str]], **kwargs: Any) -> None:  # noqa: ANN401 - click's
        super().__init__(*args, **kwargs)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the subcommands in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import and return one subcommand."""
        if cmd_name not in self.table:
            return None
        module, attribute = self.table[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; Ctrl-C is told as every error is, where click would print an empty line and lose it."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            if sys.stderr.isatty():
                click.echo(err=True)  # the terminal shows ^C
            raise Interrupted(_("interrupted")) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Write the list of subcommands without importing them."""
        with formatter.section(_("Commands")):
            formatter.write_dl([(name, _(line)) for name, (_where, line) in self.table.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a subcommand without importing any of them."""
        found = [
            CompletionItem(n, help=_(line)) for n, (_where, line) in self.table.items() if n.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=_(
        "Push-your-luck dice games for people and bots.\n\n"
        "Without a command, on a terminal: asks what to play, and starts. Return takes the answers of the last time."
    ),
)
@click.version_option(
    __version__, prog_name="dicegame", message="%(prog)s %(version)s", help=_("Show the version and exit.")
)
@lang_option
@click.pass_context
def dicegame(ctx: click.Context) -> int:
    """Push-your-luck dice games for people and bots."""
    if ctx.invoked_subcommand is not None:
        return EXIT_DONE
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        click.echo(ctx.get_help(), color=ctx.color)
        return EXIT_DONE
    from dicegame.cli.play import play_from_setup

    return play_from_setup(ctx)
