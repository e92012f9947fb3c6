"""Write a record as the game happens."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import Any

from dicegame.errors import RecordError
from dicegame.games.base import Answer, Change, Decision, Outcome, Throw, Undo
from dicegame.games.events import Event
from dicegame.protocol import event_line, line_of, outcome_fields
from dicegame.record.lines import Header
from dicegame.text import _, quote


class RecordLines(ABC):
    """Turns what happens into the lines of a record: an observer."""

    @abstractmethod
    def line(self, line: bytes, *, sync: bool = False) -> None:
        """Take one line, with its end; `sync` marks those that must last."""

    def write(self, line: dict[str, Any], *, sync: bool = False) -> None:
        """Take one line as data."""
        self.line(line_of(line), sync=sync)

    def header(self, header: Header) -> None:
        """Write the first line."""
        self.write(header.model_dump(mode="json"))

    def throw(self, throw: Throw, dice: tuple[int, ...]) -> None:
        """Write dice that fell."""
        place = b'{"type":"throw","seat":%d,"turn":%d,"roll":%d,"dice":[' % (throw.seat, throw.turn, throw.roll)
        self.line(place + ",".join(map(str, dice)).encode() + b"]}\n")

    def answer(self, seat: int, request_id: int, answer: Answer) -> None:
        """Write an answer."""
        self.write(answer_line(seat, request_id, answer), sync=True)

    def event(self, event: Event, state: Any) -> None:  # noqa: ANN401, ARG002 - an observer's signature
        """Write what happened."""
        self.line(event_line(event))

    def over(self, outcome: Outcome) -> None:
        """Write the result."""
        self.write({"type": "result", **outcome_fields(outcome)}, sync=True)

    def key(self, dice_key: bytes | None) -> None:
        """Write the last line: the key, once it may be opened."""
        self.write({"type": "key", "dice_key": dice_key.hex() if dice_key else None}, sync=True)


class MemoryRecord(RecordLines):
    """A record kept in memory until it may be seen."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def line(self, line: bytes, *, sync: bool = False) -> None:  # noqa: ARG002 - nothing is on disk yet
        """Keep one line."""
        self.lines.append(line)


class RecordWriter(RecordLines):
    """Writes a record as the game happens. Every line is handed to the system at once.

    So a crash of the program loses nothing. `sync` also asks the system to put every decision on the disk before the game goes on.
    """

    def __init__(self, path: str | os.PathLike[str], *, private: bool = False, sync: bool = False) -> None:
        """Open `path` anew; `private` lets only its owner read it.

        Raises:
            RecordError: it can't be written.
        """
        self.path = os.fspath(path)
        self._sync = sync
        mode = 0o600 if private else 0o666
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        try:
            self._fd = os.open(self.path, flags, mode)
        except (OSError, ValueError) as error:
            raise self._failed(error) from error

    def line(self, line: bytes, *, sync: bool = False) -> None:
        """Write one line.

        Raises:
            RecordError: it can't be written, such as on a full disk.
        """
        rest = line
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
            if sync and self._sync:
                os.fsync(self._fd)
        except OSError as error:
            raise self._failed(error) from error

    def close(self) -> None:
        """Close the file; what was written stays."""
        os.close(self._fd)

    def _failed(self, error: OSError | ValueError) -> RecordError:
        reason = getattr(error, "strerror", None) or str(error)
        message = _("can't write %(file)s: %(reason)s") % {"file": quote(self.path), "reason": reason}
        return RecordError(message, file=self.path)


def answer_line(seat: int, request_id: int, answer: Answer) -> dict[str, Any]:
    """Return an answer as its line of a record."""
    if isinstance(answer, Decision):
        line = {"type": "decision", "id": request_id, "seat": seat, "keep": answer.keep, "bank": answer.bank}
        return line if answer.why is None else {**line, "why": answer.why}
    if isinstance(answer, Undo):
        return {"type": "undo"}
    if isinstance(answer, Change):
        return {"type": "change", "seat": answer.seat, "keep": answer.keep}
    return {"type": "forfeit", "seat": answer.seat}
