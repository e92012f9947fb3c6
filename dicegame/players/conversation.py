"""One bot process and the bare lines to and from it, for those who look closely: the conformance test, and talking to a bot by hand.

`players.process` is what plays games; here nothing is forgiven and nothing is answered for the bot.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from dicegame import protocol
from dicegame.errors import IllegalDecision
from dicegame.games.base import Decision, Engine
from dicegame.players.answers import decision_of
from dicegame.players.base import BotFault, FaultCode
from dicegame.players.bots import BotProgram
from dicegame.players.connection import Connection
from dicegame.players.containment import Containment, StartFailed
from dicegame.players.faults import clean_log
from dicegame.text import _

__all__ = ["Conversation", "Ending", "OnLine", "decision_of", "refusal_of"]

OnLine = Callable[[str, bytes, float], None]  # ">" or "<", the line, seconds since the conversation began

_LAST_BREATH = 0.3  # seconds between the end of a bot's output and its own


@dataclass(slots=True)
class Ending:
    """How a process was left: whether it ended by itself, after how long, its exit code (minus a signal), and what it still said."""

    ended: bool
    seconds: float
    code: int | None
    lines: list[bytes] = field(default_factory=list)


class Conversation:
    """A running bot, spoken to line by line. Close it, or leave it as a context manager: nothing of it stays."""

    def __init__(
        self,
        program: BotProgram,
        containment: Containment,
        *,
        line_bytes: int = protocol.LINE_BYTES,
        on_line: OnLine | None = None,
    ) -> None:
        """Start the process; nothing is said yet.

        Raises:
            BotFault: it can't be started.
        """
        self.begun = time.monotonic()
        self._containment = containment
        self._on_line = on_line
        try:
            running = containment.start(program.command, program.shows)
        except StartFailed as error:
            raise BotFault(FaultCode.START_FAILED, f"can't run {program.command[0]}: {error}") from None
        self._connection = Connection(running, line_bytes)
        self._closed = False

    @property
    def output(self) -> int:
        """The descriptor that becomes readable when the bot says something."""
        return self._connection.running.stdout

    @property
    def alive(self) -> bool:
        """Whether the process runs and its output is open."""
        return not self._closed and self._connection.alive

    def send(self, message: Mapping[str, Any] | bytes) -> None:
        """Send a message, or a line as it is (its end is added where it has none)."""
        line = protocol.line_of(dict(message)) if isinstance(message, Mapping) else message.removesuffix(b"\n") + b"\n"
        self._told(">", line)
        self._connection.send(line)

    def receive(self, deadline: float) -> bytes:
        """Return the next line, which must come by an instant of the monotonic clock.

        Raises:
            BotFault: timed out, crashed or flooded.
        """
        line = self._connection.receive(deadline)
        self._told("<", line)
        return line

    def pending(self) -> bytes | None:
        """Return a line that has come without being waited for; None where there is none.

        Raises:
            BotFault: it flooded.
        """
        line = self._connection.pending()
        if line is not None:
            self._told("<", line)
        return line

    def end(self, seconds: float, *, bye: bool = True, close: bool = True) -> Ending:
        """Ask the bot to go, by `bye`, by the end of its input or by both, and wait for that; it may be running still."""
        begun = time.monotonic()
        deadline = begun + seconds
        if bye:
            self.send(protocol.bye())
        if close:
            self._connection.close_input()
        lines: list[bytes] = []
        with contextlib.suppress(BotFault):
            while True:
                lines.append(self.receive(deadline))
        code = self._ended_by(deadline)
        return Ending(code is not None, time.monotonic() - begun, code, lines)

    def _ended_by(self, deadline: float) -> int | None:
        """Return the exit code of the process, which may come a moment after the end of its output; None if it runs on."""
        code = self._containment.ended(self._connection.running)
        if code is None and self._connection.drain(deadline):
            code = self._containment.ended(self._connection.running)
        return code

    def autopsy(self, fault: BotFault) -> str:
        """Return what a fault was, with the exit code of a process that is gone and the last line of its log."""
        said = f"{fault.code}: {fault.detail}"
        if fault.code is FaultCode.CRASHED:
            code = self._ended_by(time.monotonic() + _LAST_BREATH)
            if code is not None:
                said = f"{said} ({_('signal %s') % -code if code < 0 else _('exit code %s') % code})"
        log = self.log().splitlines()
        return f"{said}; {_('its log ends: %s') % log[-1]}" if log else said

    def log(self) -> str:
        """Return the end of what it wrote to its standard error, safe to show."""
        self._connection.pending_log()
        return clean_log(bytes(self._connection.log)).strip()

    def close(self) -> None:
        """End the process, whatever it does."""
        if not self._closed:
            self._closed = True
            self._containment.kill(self._connection.running)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _told(self, direction: str, line: bytes) -> None:
        if self._on_line is not None:
            self._on_line(direction, line, time.monotonic() - self.begun)


def refusal_of(engine: Engine[Any], state: Any, decision: Decision) -> IllegalDecision | None:  # noqa: ANN401 - any engine's
    """Return why a decision is not legal; None if it is."""
    try:
        engine.check(state, decision)
    except IllegalDecision as error:
        return error
    return None
