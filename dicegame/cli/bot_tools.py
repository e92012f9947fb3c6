"""What `bot check`, `bot shell` and `bot ask` share: the external bot that they are about, where it runs, and its log of the wire."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import click

from dicegame.errors import EXIT_BOT, DicegameError, PlayerError, RecordError
from dicegame.players.bots import BotProgram, build, find_bot
from dicegame.players.containment import Containment
from dicegame.players.conversation import OnLine
from dicegame.players.specs import parse
from dicegame.players.treatment import Clock, Treatment
from dicegame.text import _, clean, quote


class BotFailed(DicegameError):
    """A bot that could not be started, or that gave no answer."""

    code = "bot"
    exit_code = EXIT_BOT


@dataclass(frozen=True, slots=True)
class Opened:
    """An external bot that can be started, its containment and clock, and whoever is told every line (or None)."""

    program: BotProgram
    containment: Containment
    clock: Clock
    on_line: OnLine | None


@contextlib.contextmanager
def opened(word: str, treatment: Treatment) -> Iterator[Opened]:
    """Build the external bot that `word` names, and have ready what it runs in; nothing of it is left afterwards.

    Raises:
        InputError: it names no external bot, can't be built, or can't be kept apart as was required.
    """
    spec = parse(word)
    program = None if spec.person else find_bot(spec.word)
    if program is None:
        raise PlayerError(_("%s is no program outside: this command is for external bots") % quote(word))
    build(program)
    with contextlib.ExitStack() as stack:
        containment = Containment(treatment.sandbox, treatment.limits)
        stack.callback(containment.close)
        log = None
        if treatment.wire_log is not None:
            log = _log_to(stack.enter_context(_opened_log(treatment.wire_log)), spec.name or spec.label or "bot")
        yield Opened(program, containment, treatment.clock, log)


def _opened_log(path: str) -> TextIO:
    try:
        return Path(path).open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        values = {"file": quote(path), "reason": error.strerror or str(error)}
        raise RecordError(_("can't write %(file)s: %(reason)s") % values) from error


def _log_to(file: TextIO, name: str) -> OnLine:
    def write(direction: str, line: bytes, _seconds: float) -> None:
        text = clean(line.decode("utf-8", "replace").rstrip("\n"), len(line))
        with contextlib.suppress(OSError):
            file.write(f"{time.monotonic():.6f} {name} {direction} {text}\n")

    return write


def warn(text: str) -> None:
    """Say something that the exit code does not tell."""
    click.echo(f"dicegame: {text}", err=True)
