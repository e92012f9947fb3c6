"""`dicegame play`: one game, at the terminal or over JSON."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import click

from dicegame.cli.common import (
    DEFAULT_RULES,
    bot_options,
    change_options,
    complete_rules,
    lang_option,
    load_rules,
    treatment_of,
)
from dicegame.errors import EXIT_DONE, InputError
from dicegame.text import _, quote

if TYPE_CHECKING:  # the game itself is imported when one is played
    from dicegame.saves import Setup
    from dicegame.terminal.console import Console

DEFAULT_PLAYERS = ("human", "house")
DEFAULT_PACE = 0.8
MAX_ROTATION = 7  # of a block of `rules.model.MAX_SEATS` games, which is not imported for help


def percent(text: str) -> float:
    """Return the number of percent, from 0 to 100, that the word of an option says.

    Raises:
        click.BadParameter: it says none.
    """
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 100:
        message = _("%s is no number from 0 to 100; without a number the option stands last, or before another one")
        raise click.BadParameter(message % quote(text))
    return found


@click.command(
    help=_(
        "Play one game.\n\n"
        "GAME is a rule set: a name from `dicegame rules list`, or a file; ten-thousand if none is given. "
        "A PLAYER is human, human:NAME, or a built-in from `dicegame bot list`; NAME=PLAYER gives any of them a name. "
        "Without players: you against the computer. With --json, human seats are decided by the program at the other end."
    )
)
@click.argument("game", default=DEFAULT_RULES, shell_complete=complete_rules)
@click.argument("players", nargs=-1, metavar="[PLAYER]...")
@change_options
@click.option("--seed", metavar="TEXT", help=_("Make the dice from this text: the same games every time."))
@click.option(
    "--dice", metavar="TEXT|FILE|ask", help=_("Use these rolls, like `1 2 3 4 6 6 / 5 5 2`; ask: type in real dice.")
)
@click.option(
    "--dice-key", metavar="HEX", help=_("Make the dice from this key, as the bundle of a fault or a record tells it.")
)
@click.option(
    "--rotation",
    type=click.IntRange(0, MAX_ROTATION),
    metavar="N",
    help=_("Which game over the dice of this key it is: the players' own random numbers follow."),
)
@click.option("--record", type=click.Path(), metavar="FILE", help=_("Write the game down; see replay and verify."))
@click.option("--resume", is_flag=False, flag_value="", metavar="[ID]", help=_("Go on with a saved game."))
@click.option(
    "--tutor", type=percent, is_flag=False, flag_value="2", metavar="[PERCENT]",
    help=_("Warn before a decision that costs more than so many percent of the games, 2 if it is not said; it can be taken back."),
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help=_("Play over JSON lines on standard input and output."))
@click.option("--ascii", "ascii_only", is_flag=True, help=_("Draw without Unicode."))
@click.option("--color/--no-color", default=None, help=_("Use colour, or do not; default: where the terminal can."))
@click.option(
    "--pace", type=click.FloatRange(0, 60), metavar="SECONDS", help=_("How long a step of the computer stands.")
)
@click.option(
    "--stakes-file", type=click.Path(), metavar="FILE", help=_("Your own dares or questions for high dice, one a line.")
)
@bot_options
@lang_option
@click.pass_context
def play(
    ctx: click.Context,
    /,
    game: str,
    players: tuple[str, ...],
    changes: tuple[str, ...],
    target: int | None,
    seed: str | None,
    dice: str | None,
    dice_key: str | None,
    rotation: int | None,
    record: str | None,
    resume: str | None,
    tutor: float | None,
    as_json: bool,
    ascii_only: bool,
    color: bool | None,
    pace: float | None,
    stakes_file: str | None,
    **bots: Any,  # noqa: ANN401 - the options of `bot_options`
) -> int:
    """Play one game."""
    sources = sum(source is not None for source in (seed, dice, dice_key))
    if sources > 1:
        raise click.UsageError(_("--seed, --dice and --dice-key exclude each other"))
    if rotation is not None and dice_key is None:
        raise click.UsageError(_("--rotation goes with --dice-key"))
    named = ctx.get_parameter_source("game") is not click.core.ParameterSource.DEFAULT
    if resume is not None and (named or changes or target is not None or sources):
        raise click.UsageError(_("--resume goes on with a game as it is: no players, rules or dice beside it"))
    if as_json and dice == "ask":
        raise click.UsageError(_("--dice ask needs a person at a terminal, not --json"))
    if as_json and tutor is not None:
        raise click.UsageError(_("--tutor needs a person at a terminal, not --json"))

    def settings() -> Setup:
        return setup_of(
            game,
            players=players,
            changes=changes,
            target=target,
            seed=seed,
            dice=dice,
            dice_key=dice_key,
            rotation=rotation or 0,
            record=record,
        )

    if as_json:
        from dicegame.cli.play_json import play_json

        setup = None if resume is not None else settings()
        return play_json(setup, resume or "", record, treatment_of(**bots))
    from dicegame.terminal.play import choose_saved, play_games
    from dicegame.terminal.stakes import needs_agreement, read_list
    from dicegame.terminal.table import Leave

    console = make_console(ctx, ascii_only=ascii_only, color=color, pace=pace)
    own = read_list(stakes_file) if stakes_file is not None else None
    saved = None
    if resume is None:
        setup = settings()
    else:
        try:
            saved = choose_saved(console, resume)
        except Leave:
            return EXIT_DONE
        setup = saved.setup
        setup.record = record or setup.record
    setup.tutor = setup.tutor if tutor is None else tutor
    if own is not None and not needs_agreement(setup.rules):
        raise InputError(_("--stakes-file is for high dice with stakes=dare or stakes=truth"))
    return play_games(console, setup, saved=saved, own_stakes=own, treatment=treatment_of(**bots))


def play_from_setup(ctx: click.Context) -> int:
    """Ask for the settings of a game, and play it: the bare command on a terminal."""
    from dicegame.terminal.play import play_from_setup as ask_and_play

    return ask_and_play(make_console(ctx))


def make_console(
    ctx: click.Context, *, ascii_only: bool = False, color: bool | None = None, pace: float | None = None
) -> Console:
    """Return the console that the options and the environment ask for."""
    from dicegame.terminal.console import Console

    chosen = ctx.color if color is None else color
    return Console(color=chosen, ascii_only=ascii_only, pace=DEFAULT_PACE if pace is None else pace)


def setup_of(
    game: str,
    *,
    players: tuple[str, ...],
    changes: tuple[str, ...],
    target: int | None,
    seed: str | None,
    dice: str | None,
    dice_key: str | None,
    rotation: int,
    record: str | None,
) -> Setup:
    """Return the settings that the options name.

    Raises:
        InputError: one of them is wrong.
    """
    from dicegame.dice import new_seed, parse_script, seed_from_text
    from dicegame.games.base import check_seats
    from dicegame.players.builtin import BUILT_INS
    from dicegame.players.specs import COMPUTER, names, parse
    from dicegame.saves import Setup

    names_a_player = game.partition(":")[0] in {"human", "client", "python", *BUILT_INS}
    if names_a_player or ("=" in game and not os.path.isfile(game)):  # noqa: PTH113 - it may be no path
        game, players = DEFAULT_RULES, (game, *players)  # players only: the default game
    rules = load_rules(game, changes, target)
    specs = [parse(word) for word in players or DEFAULT_PLAYERS]
    check_seats(rules, len(specs))
    called = names(specs, default_computer=None if players else COMPUTER)
    setup = Setup(rules, [spec.word for spec in specs], called, record=record)
    if dice == "ask":
        setup.dice = "typed"
    elif dice is not None:
        setup.dice, setup.script = "scripted", parse_script(_script(dice))
    elif dice_key is not None:
        setup.dice_key, setup.rotation, setup.predictable = _key(dice_key), rotation, True
    else:
        setup.seed = new_seed() if seed is None else seed_from_text(seed)
        setup.predictable = seed is not None
    return setup


def _key(text: str) -> bytes:
    """Return the key of dice that a text tells."""
    from dicegame.errors import DiceError

    if not re.fullmatch("[0-9a-fA-F]{64}", text):
        raise DiceError(_("%s is no key of dice: it has 64 digits, 0 to 9 and a to f") % quote(text))
    return bytes.fromhex(text)


def _script(dice: str) -> str:
    """Return the text of a dice script: that of a file, if there is one of this name."""
    from dicegame.errors import DiceError

    if not dice.strip() or not os.path.isfile(dice):  # noqa: PTH113 - a text is no path
        if set(dice) - set("0123456789 ,/\n\t#"):
            raise DiceError(_("%s is neither a list of rolls nor a file") % quote(dice))
        return dice
    try:
        with open(dice, encoding="utf-8") as file:  # noqa: PTH123
            return file.read(10_000_000)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or _("not UTF-8 text")
        raise DiceError(_("can't read %(file)s: %(reason)s") % {"file": quote(dice), "reason": reason}) from error
