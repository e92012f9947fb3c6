"""Read a record, bounded and strict; a last line cut off in the middle of writing is told apart from one that is wrong."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from dicegame.errors import RecordError, RulesError
from dicegame.games.base import Change, Decision, Fell, Forfeit, Outcome, Past, Undo
from dicegame.record.lines import (
    ChangeLine,
    DecisionLine,
    EventLine,
    ForfeitLine,
    Header,
    Line,
    ResultLine,
    ThrowLine,
    UndoLine,
    any_line,
)
from dicegame.rules.load import check
from dicegame.rules.model import RuleSet
from dicegame.text import _, clean, ltr, quote

MAX_LINE = 1 << 20
MAX_BYTES = 1 << 28


@dataclass(frozen=True, slots=True)
class Record:
    """A record that was read: its header and the lines after it, each with its number in the file.

    `cut` says that the last line was cut off in the middle of writing and is left out.
    """

    path: str
    header: Header
    rules: RuleSet
    lines: tuple[tuple[int, Line], ...]
    cut: bool

    def past(self) -> list[Past]:
        """Return what was answered and what fell, in order: what a referee needs to play the game again.

        A reveal in which nobody rolled again is dice that fell, too: none.
        """
        found: list[Past] = []
        for _number, line in self.lines:
            match line:
                case ThrowLine():
                    found.append(Fell(line.dice))
                case DecisionLine():
                    found.append(Decision(line.keep, line.bank, line.why))
                case UndoLine():
                    found.append(Undo())
                case ChangeLine():
                    found.append(Change(line.seat, line.keep))
                case ForfeitLine():
                    found.append(Forfeit(line.seat))
                case EventLine(event="reveal") if not (found and isinstance(found[-1], Fell)):
                    found.append(Fell(()))
                case _:
                    pass
        return found

    def result(self) -> Outcome | None:
        """Return the outcome that the record ends with; None where the game was not played to its end."""
        return next((line.outcome() for _number, line in self.lines if isinstance(line, ResultLine)), None)


def read(path: str | os.PathLike[str], *, skip: int = 0) -> Record:
    """Read a record; `skip` leaves out so many lines at its head.

    Raises:
        RecordError: it can't be read, or a line is wrong; says which.
    """
    shown = quote(os.fspath(path))
    try:
        with Path(path).open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = _("can't read %(file)s: %(reason)s") % {"file": shown, "reason": reason}
        raise RecordError(message) from error
    if len(raw) > MAX_BYTES:
        raise RecordError(_("%s is too large to be a record") % shown)
    return read_bytes(raw, os.fspath(path), skip=skip)


def read_bytes(raw: bytes, name: str, *, skip: int = 0) -> Record:
    """Read a record that is in memory already; `name` is what errors call it.

    Raises:
        RecordError: a line is wrong; says which.
    """
    shown = quote(name)
    rows = raw.split(b"\n")
    last = rows.pop()
    parsed = [(number, parse_line(row, shown, number)) for number, row in enumerate(rows, 1) if number > skip]
    cut = False
    if last:  # whole all the same where only its end of line is missing
        try:
            parsed.append((len(rows) + 1, parse_line(last, shown, len(rows) + 1)))
        except RecordError:
            cut = True
    number, header = parsed[0] if parsed else (1, None)
    if not isinstance(header, Header):
        raise RecordError(_("%s is not a record: its first line is no header") % shown)
    if len(header.players) != len(header.specs):
        raise wrong_line(shown, number, _("players and specs are not the same number"))
    try:
        rules = check(header.rules, f"{shown}, rules")
    except RulesError as error:
        raise wrong_line(shown, number, error.message) from error
    return Record(name, header, rules, tuple(parsed[1:]), cut)


def parse_line(row: bytes, shown: str, number: int) -> Line:
    """Return one line of a record.

    Raises:
        RecordError: the line is none.
    """
    if len(row) > MAX_LINE:
        raise wrong_line(shown, number, _("the line is too long"))
    try:
        return any_line.validate_json(row)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"][1:]))
        raise wrong_line(shown, number, clean(f"{where}: {first['msg']}" if where else first["msg"])) from None


def wrong_line(shown: str, number: int, what: str) -> RecordError:
    """Return the error of a wrong line."""
    message = _("%(file)s, line %(line)s: %(what)s") % {"file": shown, "line": ltr(number), "what": what}
    return RecordError(message, line=number, what=what)
