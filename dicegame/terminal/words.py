"""The words that people type, in their language and in English, and what a typed line means."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from dicegame.errors import InvalidDecision
from dicegame.games.events import Dice
from dicegame.games.notation import parse_faces
from dicegame.text import _, language, pgettext, quote

# In English, the first of each is the one shown. A bar separates the ways to say it.
ENGLISH = {
    "bank": "bank|b",
    "roll": "roll|r",
    "all": "all|a",
    "none": "none|n",
    "reveal": "reveal|v",
    "replay": "replay|p",
    "undo": "undo|u",
    "save": "save",
    "quit": "quit|q|exit",
    "rules": "rules",
    "score": "score|s",
    "help": "?|h|help",
    "hint": "hint",
    "odds": "odds",
    "tutor": "tutor",
    "forfeit": "forfeit|resign",
    "again": "again",
    "other": "other rules|other",
    "yes": "yes|y",
    "no": "no",
}


@cache
def _ways(code: str) -> dict[str, str]:
    """Return what may be typed -> the command, in the language `code` (the one in use) and in English; the language's own first."""
    local = {
        "bank": pgettext("typed", "bank|b"),
        "roll": pgettext("typed", "roll|r"),
        "all": pgettext("typed", "all|a"),
        "none": pgettext("typed", "none|n"),
        "reveal": pgettext("typed", "reveal|v"),
        "replay": pgettext("typed", "replay|p"),
        "undo": pgettext("typed", "undo|u"),
        "save": pgettext("typed", "save"),
        "quit": pgettext("typed", "quit|q|exit"),
        "rules": pgettext("typed", "rules"),
        "score": pgettext("typed", "score|s"),
        "help": pgettext("typed", "?|h|help"),
        "hint": pgettext("typed", "hint"),
        "odds": pgettext("typed", "odds"),
        "tutor": pgettext("typed", "tutor"),
        "forfeit": pgettext("typed", "forfeit|resign"),
        "again": pgettext("typed", "again"),
        "other": pgettext("typed", "other rules|other"),
        "yes": pgettext("typed", "yes|y"),
        "no": pgettext("typed", "no"),
    }
    found: dict[str, str] = {}
    for table in (local, ENGLISH) if code != "en" else (ENGLISH,):
        for command, ways in table.items():
            for way in ways.split("|"):
                found.setdefault(_folded(way), command)
    return found


def word(command: str) -> str:
    """Return how a command is said in the user's language: the way that prompts show."""
    return next(way for way, meant in _ways(language()).items() if meant == command)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def meant(text: str) -> str | None:
    """Return the command that a whole line says; None if it says none."""
    return _ways(language()).get(_folded(text))


@dataclass(frozen=True, slots=True)
class Typed:
    """What a line says: the faces in it as they were typed (None if there are none), and the commands in their order."""

    faces: Dice | None
    commands: tuple[str, ...]


def parse(line: str) -> Typed:
    """Return what a line at the table says: `1 5`, `15 bank`, `all roll`, `undo`.

    Raises:
        InvalidDecision: a word in it is neither faces nor a command.
    """
    whole = meant(line)
    if whole is not None:
        return Typed(None, (whole,))
    faces: list[int] = []
    commands = []
    for token in re.split(r"[\s,;،؛]+", line.strip()):
        command = meant(token)
        if command is not None:
            commands.append(command)
            continue
        try:
            faces += parse_faces(token)
        except InvalidDecision:
            raise InvalidDecision(_("not understood here: %s") % quote(token, 40)) from None
    return Typed(tuple(faces) if faces else None, tuple(commands))
