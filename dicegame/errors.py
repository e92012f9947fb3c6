"""The error tree. Nothing here imports anything of ours.

DicegameError               what a user may be told in one line; carries its exit code
├── InputError              2: something given was wrong
│   ├── RulesError          a rule set; carries every fault with its path
│   ├── DiceError           scripted or typed-in dice
│   ├── PlayerError         a word that names no player
│   ├── UnsupportedError    a program that does not play this game
│   ├── RecordError         a record that can't be read or written
│   ├── SaveError           a saved game that can't be found, read or gone on with
│   ├── PlanError           a tournament file; carries every fault with its path
│   └── StoreError          a tournament's store that can't be read, written or gone on with
├── DecisionError           an answer that can't be played; never ends a program by itself
│   ├── InvalidDecision     it is not a decision at all
│   └── IllegalDecision     it is one, but not legal here; carries a `Refusal`
├── UnfinishedError         2: the game stopped before its end and is saved
└── Interrupted             130: stopped by the user; what was done is saved
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

EXIT_DONE = 0
EXIT_NO = 1
EXIT_INPUT = 2
EXIT_BOT = 3
EXIT_UNDECIDED = 4
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130


class DicegameError(Exception):
    """A failure that was foreseen: `message` is one sentence in the user's language."""

    exit_code = EXIT_INPUT
    code = "error"

    def __init__(self, message: str, **fields: object) -> None:
        super().__init__(message)
        self.message = message
        self.fields = fields

    def as_json(self) -> dict[str, object]:
        """Return the object that `--json` prints under "error"."""
        return {"code": self.code, "message": self.message, **self.fields}


class InputError(DicegameError):
    """Something that was given (an argument, a file, a line) was wrong."""

    code = "input"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in a file: where (dotted path), what, and what would be right."""

    path: str
    what: str
    right: str = ""

    def __str__(self) -> str:
        tail = f"; {self.right}" if self.right else ""
        return f"{self.path}: {self.what}{tail}" if self.path else f"{self.what}{tail}"


class _FileError(InputError):
    """A file with faults; `faults` holds all that is wrong with it."""

    def __init__(self, message: str, faults: tuple[Fault, ...] = ()) -> None:
        listed = [{"path": f.path, "what": f.what, "right": f.right} for f in faults]
        super().__init__("\n  ".join([message, *map(str, faults)]), faults=listed)
        self.faults = faults


class RulesError(_FileError):
    """A rule set that can't be played; `faults` holds all that is wrong with it."""

    code = "rules"


class PlanError(_FileError):
    """A tournament that can't be planned; `faults` holds all that is wrong with its file."""

    code = "plan"


class DiceError(InputError):
    """Dice that can't be used: a die out of range, the wrong number, or no more of them."""

    code = "dice"


class PlayerError(InputError):
    """A word that names no player, or a player that can't play this game."""

    code = "player"


class UnsupportedError(InputError):
    """A program that was asked to play what it does not play."""

    code = "unsupported"


class RecordError(InputError):
    """A record that can't be read, or can't be written."""

    code = "record"


class SaveError(InputError):
    """A saved game that can't be found, read, or gone on with."""

    code = "save"


class StoreError(InputError):
    """A tournament's store that can't be found, read, written or gone on with."""

    code = "store"


class Refusal(StrEnum):
    """Why a decision is not legal here; the value is the word used in messages for programs."""

    NOT_A_FACE = "not_a_face"
    EMPTY = "empty"
    NOT_THERE = "not_there"
    NO_COMBINATION = "no_combination"
    OVER_TARGET = "over_target"
    MUST_ROLL = "must_roll"
    TOO_FEW_POINTS = "too_few_points"


class DecisionError(DicegameError):
    """An answer that can't be played."""

    code = "decision"


class InvalidDecision(DecisionError):
    """An answer that is no decision at all: the wrong shape or type."""

    code = "protocol"


class IllegalDecision(DecisionError):
    """A well-formed decision that the rules don't allow here."""

    code = "illegal"

    def __init__(self, reason: Refusal, message: str, **fields: object) -> None:
        super().__init__(message, reason=str(reason), **fields)
        self.reason = reason


class UnfinishedError(DicegameError):
    """A game that stopped before its end; it is saved and can be resumed."""

    code = "unfinished"


class Interrupted(DicegameError):
    """Stopped by the user; what was done is saved."""

    exit_code = EXIT_INTERRUPTED
    code = "interrupted"
