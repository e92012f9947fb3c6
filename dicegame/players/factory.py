"""Makes players from their words, and keeps what external ones need: one containment for all of them, closed at the end."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from dicegame.errors import PlayerError, RecordError
from dicegame.players.base import Player
from dicegame.players.builtin import BUILT_INS, make
from dicegame.players.python import PREFIX, load_python
from dicegame.players.treatment import Treatment
from dicegame.record.lines import is_person
from dicegame.text import _, quote

if TYPE_CHECKING:  # what external bots need is imported with the first of them
    from dicegame.players.bots import BotProgram
    from dicegame.players.containment import Containment
    from dicegame.players.process import ExternalBot


def _built_in(word: str) -> bool:
    return word.split(":", maxsplit=1)[0] in BUILT_INS


def external(word: str) -> BotProgram | None:
    """Return the program that a PLAYER word names; None for players of this process."""
    if word.startswith(PREFIX) or is_person(word) or _built_in(word):
        return None
    from dicegame.players.bots import find_bot  # noqa: PLC0415 - start-up

    return find_bot(word)


class Factory:
    """Makes the players of one process. A context manager: leaving it leaves no bot behind."""

    def __init__(self, treatment: Treatment | None = None) -> None:
        """Keep how every external bot is treated; nothing is started or probed before one is wanted."""
        self.treatment = treatment or Treatment()
        self._containment: Containment | None = None
        self._log: TextIO | None = None
        self.bots: list[ExternalBot] = []

    @property
    def containment(self) -> Containment:
        """The containment of every external bot of this process, probed when first wanted."""
        if self._containment is None:
            from dicegame.players.containment import Containment  # noqa: PLC0415 - start-up

            self._containment = Containment(self.treatment.sandbox, self.treatment.limits)
        return self._containment

    def player(self, word: str, name: str, *, on_decision: Callable[[float], None] | None = None) -> Player:
        """Return a new player for a PLAYER word (not a person).

        Raises:
            PlayerError: the word names nobody, or its bot can't be built.
        """
        if word.startswith(PREFIX):
            return load_python(word)
        if _built_in(word):
            return make(word)
        from dicegame.players.bots import build  # noqa: PLC0415 - start-up
        from dicegame.players.process import ExternalBot  # noqa: PLC0415 - start-up

        program = external(word)
        if program is None:
            raise PlayerError(_("there is no player %s") % quote(word))
        build(program)
        bot = ExternalBot(
            program,
            self.containment,
            name=name,
            clock=self.treatment.clock,
            freeze=self.treatment.freeze,
            wire_log=self._write_log if self._open_log() else None,
            on_decision=on_decision,
        )
        self.bots.append(bot)
        return bot

    def seat(
        self, words: Sequence[str], names: Sequence[str], dice_key: bytes | None, person: Callable[[int], Player]
    ) -> list[Player]:
        """Return the players of a single game by seat; `person` makes those of people, and the result opens `dice_key`.

        Raises:
            PlayerError: a word names nobody.
        """
        players = []
        for seat, (word, name) in enumerate(zip(words, names, strict=True)):
            players.append(person(seat) if is_person(word) else self.player(word, name))
        for bot in self.bots:
            bot.dice_key = dice_key.hex() if dice_key else None
        return players

    def faults(self) -> list[str]:
        """Return what the external bots did wrong, a line each."""
        return [f"{bot.name}: {fault}" for bot in self.bots for fault in bot.faults]

    def close(self) -> None:
        """Say goodbye to every bot and leave nothing of any behind."""
        if self.bots:
            from dicegame.players.process import stop_all  # noqa: PLC0415 - start-up

            stop_all(self.bots)
        if self._containment is not None:
            self._containment.close()
            self._containment = None
        if self._log is not None:
            self._log.close()
            self._log = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open_log(self) -> bool:
        path = self.treatment.wire_log
        if path is not None and self._log is None:
            try:
                self._log = Path(path).open("a", encoding="utf-8", buffering=1)  # noqa: SIM115 - closed with the bots
            except OSError as error:
                values = {"file": quote(path), "reason": error.strerror or str(error)}
                raise RecordError(_("can't write %(file)s: %(reason)s") % values) from error
        return path is not None

    def _write_log(self, line: str) -> None:
        if self._log is not None:
            with contextlib.suppress(OSError):
                self._log.write(line + "\n")
