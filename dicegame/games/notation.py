"""Decisions and dice as text that parses back: `1 5 bank`, `5 5 roll`, `1 2 3 4 6 6`. Records, hints, messages and tests use it."""

from __future__ import annotations

import re

from dicegame.errors import InvalidDecision
from dicegame.games.base import Decision
from dicegame.games.events import Dice
from dicegame.text import _, clean, quote

_SEPARATORS = re.compile(r"[\s,;.+،؛-]+")
_ROLL, _BANK = "roll", "bank"


def format_dice(dice: Dice) -> str:
    """Return dice as text: their faces with a space between."""
    return " ".join(map(str, dice))


def format_decision(decision: Decision) -> str:
    """Return a push-your-luck decision as text: `1 5 bank`, `2 2 2 roll`."""
    return f"{format_dice(decision.keep)} {_BANK if decision.bank else _ROLL}".strip()


def parse_faces(text: str) -> Dice:
    """Return the faces that `text` names, as they stand: `1 5`, `15` and `1,5` are the same; any digit is a face here.

    Raises:
        InvalidDecision: something in it is not a digit.
    """
    joined = "".join(_SEPARATORS.split(text.strip()))
    if not joined.isdecimal() and joined:
        bad = next(c for c in joined if not c.isdecimal())
        raise InvalidDecision(_("%s is not the face of a die") % quote(bad), text=clean(text))
    return tuple(int(c) for c in joined)


def parse_decision(text: str) -> Decision:
    """Return the decision that `text` says, as `format_decision` writes it.

    Raises:
        InvalidDecision: it does not end in `bank` or `roll`, or names something that is no face.
    """
    words = text.split()
    if not words or words[-1] not in (_BANK, _ROLL):
        raise InvalidDecision(_("a decision ends in bank or roll, like `1 5 bank`"), text=clean(text))
    return Decision(tuple(sorted(parse_faces(" ".join(words[:-1])))), words[-1] == _BANK)
