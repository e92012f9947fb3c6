"""`dicegame bot`: the computer players, and everything for those who write one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from dicegame.cli.common import (
    json_option,
    lang_option,
    load_rules,
    print_json,
    rules_option,
    single_bot_options,
    treatment_of,
)
from dicegame.text import _

if TYPE_CHECKING:
    from dicegame.players.builtin import BuiltIn

_LANGUAGES = ("python", "javascript", "c", "rust", "java", "shell")


@click.group(help=_("The computer players: list them, write one, check it, talk to it."))
@lang_option
def bot() -> None:
    """The computer players."""


@bot.command("list", help=_("List the built-in players, what they do, and their parameters."))
@json_option
@lang_option
def list_(as_json: bool) -> None:
    """List the built-in players."""
    from dicegame.players.builtin import BUILT_INS
    from dicegame.terminal.layout import say
    from dicegame.text import ltr

    if as_json:
        print_json({"bots": [_as_json(built_in) for built_in in BUILT_INS.values()]})
        return
    for built_in in BUILT_INS.values():
        level = _(" (the level %s)") % _(built_in.level) if built_in.level else ""
        say(f"{ltr(built_in.name)}{level}: {_(built_in.summary)}", hang=4)
        for parameter in built_in.parameters:
            default = _("must be given") if parameter.default is None else _("default: %s") % ltr(parameter.default)
            say(f"{ltr(parameter.name)}: {_(parameter.meaning)} ({default})", indent=4, hang=2)
    say(_("In high dice all but random mark what wins the round most often; only optimal counts on the reply."))
    say(_("With parameters: %s") % ltr("hold:at=350,hot=roll"))


def _as_json(built_in: BuiltIn) -> dict[str, object]:
    parameters = [{"name": p.name, "meaning": p.meaning, "default": p.default} for p in built_in.parameters]
    told = {"name": built_in.name, "summary": built_in.summary, "level": built_in.level}
    return {**told, "parameters": parameters}


@bot.command(
    "new", help=_("Write a starter bot into a new folder: one short file without dependencies, made to be changed.")
)
@click.argument("folder", metavar="DIR", type=click.Path())
@click.option(
    "--lang", "language", required=True, metavar="L", help=_("Its programming language: %s.") % ", ".join(_LANGUAGES)
)
@click.option("--name", help=_("What the bot is called; default: as its folder."))
@json_option
def new(folder: str, language: str, name: str | None, as_json: bool) -> None:
    """Write a starter bot."""
    import shlex

    from dicegame.cli.bot_new import new_bot
    from dicegame.terminal.layout import say
    from dicegame.text import ltr

    files = new_bot(folder, language, name)
    if as_json:
        print_json({"files": files})
        return
    for file in files:
        click.echo(file)
    say(_("Try it: %s") % ltr(f"dicegame bot check {shlex.quote(folder)}"))


@bot.command(
    "check",
    help=_(
        "Test whether a bot does all that the protocol asks of it, step by step: every game that it claims to play, thousands of states, "
        "several games in one process, unknown fields, goodbye.\n\nExit code 0: it passed every step; 1: it did not."
    ),
)
@click.argument("bot_word", metavar="BOT")
@click.option(
    "--states",
    type=click.IntRange(1, 1_000_000),
    default=3000,
    show_default=True,
    help=_("How many states of every rule set are put to it."),
)
@single_bot_options
@json_option
@lang_option
def check(bot_word: str, states: int, as_json: bool, **bots: Any) -> int:  # noqa: ANN401 - the options of `single_bot_options`
    """Test a bot's conformance."""
    from dicegame.cli.bot_check import check_bot

    return check_bot(bot_word, states, treatment_of(**bots), as_json=as_json)


@bot.command(
    "shell",
    help=_(
        "Talk to a bot by hand: every line both ways is shown with the time that an answer took.\n\n"
        "Commands are read from the terminal, or from a pipe: roll 1 2 3 4 6 6, state JSON, game NAME, send LINE, quit; help lists all."
    ),
)
@click.argument("bot_word", metavar="BOT")
@rules_option
@single_bot_options
@lang_option
def shell(bot_word: str, source: str, changes: tuple[str, ...], target: int | None, **bots: Any) -> int:  # noqa: ANN401
    """Talk to a bot by hand."""
    from dicegame.cli.bot_shell import talk_to_bot

    return talk_to_bot(bot_word, load_rules(source, changes, target), treatment_of(**bots))


@bot.command(
    "ask",
    help=_(
        "Put one state to a bot: what does it decide, and is that legal?\n\n"
        "STATE is the state of a `decide` message, or the whole message: as JSON, in a file, or - for standard input. "
        'Of push your luck it needs scores and dice, like {"scores":[0,0],"dice":[1,2,3,4,6,6]}; of high dice it needs dice alone.\n\n'
        "Exit code 0: legal; 1: not legal."
    ),
)
@click.argument("bot_word", metavar="BOT")
@click.argument("state", metavar="STATE")
@click.option("--seat", type=click.IntRange(0, 7), help=_("The seat that is to decide, from 0."))
@rules_option
@single_bot_options
@json_option
@lang_option
def ask(
    bot_word: str,
    state: str,
    seat: int | None,
    source: str,
    changes: tuple[str, ...],
    target: int | None,
    as_json: bool,
    **bots: Any,  # noqa: ANN401 - the options of `single_bot_options`
) -> int:
    """Put one state to a bot."""
    from dicegame.cli.bot_ask import ask_bot

    given = click.get_current_context().get_parameter_source("source") is not ParameterSource.DEFAULT
    treatment = treatment_of(**bots)
    return ask_bot(bot_word, state, source if given else None, changes, target, seat, treatment, as_json=as_json)
