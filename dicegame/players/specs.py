"""PLAYER words: who sits in a seat.

`human`, `human:NAME`, `client`, a built-in with its parameters, `python:MODULE:CALLABLE`, or an external bot; `NAME=PLAYER` names any
of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dicegame.errors import PlayerError
from dicegame.players.bots import find_bot, path_of
from dicegame.players.builtin import BUILT_INS, make
from dicegame.players.python import PREFIX
from dicegame.record.lines import is_person
from dicegame.text import _, clean, ltr, number, quote

COMPUTER = "IA"  # what people know the default computer by, in every language
MAX_NAME = 24
_NAMED = re.compile(r"([\w-]+)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Spec:
    """Who sits in a seat: the player's word without a name, the name it was given, if any, and what it is called without one."""

    word: str
    name: str | None = None
    label: str | None = None

    @property
    def person(self) -> bool:
        """Whether someone outside decides: a person, or a client over JSON."""
        return is_person(self.word)


def parse(text: str) -> Spec:
    """Return who a PLAYER word names.

    Raises:
        PlayerError: nobody; says what would be right.
    """
    named = _NAMED.fullmatch(text)
    name = named.group(1) if named else None
    word = named.group(2) if named else text
    if word.startswith("human:"):
        name, word = name or word.removeprefix("human:"), "human"
    if name is not None:
        name = _checked(name)
    if word in {"human", "client"}:
        return Spec(word, name)
    if word.split(":", maxsplit=1)[0] in BUILT_INS:
        make(word)
        return Spec(word, name)
    if word.startswith(PREFIX):
        return Spec(word, name, word.rpartition(":")[2])
    program = find_bot(word)
    if program is None:
        raise PlayerError(_unknown(word))
    path = path_of(word)
    label = program.name or Path(program.command[-1 if program.command[1:] else 0]).stem
    return Spec(str(path.resolve()) if path.exists() else word, name, label)


def _checked(name: str) -> str:
    name = " ".join(name.split())
    if not name or clean(name, MAX_NAME) != name:
        raise PlayerError(_("a name has 1 to %s letters, digits or signs that can be shown") % number(MAX_NAME))
    return name


def _unknown(word: str) -> str:
    known = ltr(", ".join(["human", "client", *BUILT_INS]))
    message = _("there is no player, program or folder %(word)s; the players are: %(known)s")
    return message % {"word": quote(word) or '""', "known": known}


def named(word: str, name: str) -> str:
    """Return the PLAYER word that seats the player of `word` under this name.

    Names that no word can give, such as that of a second `house`, get dashes: `house-2=house`.
    """
    if re.fullmatch(r"[\w-]+", name):
        return f"{name}={word}"
    if names([parse(word)]) == [name]:
        return word
    dashed = re.sub(r"[^\w-]+", "-", name)[-MAX_NAME:]
    return f"{dashed}={word}"


def names(specs: Sequence[Spec], *, default_computer: str | None = None) -> list[str]:
    """Return the names by seat, no two alike: those given, else what each is called.

    `default_computer` is what a built-in without a name is called, where it is not called by its word.
    """
    people = sum(spec.person and spec.name is None for spec in specs)
    taken: list[str] = []
    number = 0
    for spec in specs:
        if spec.name is not None:
            wanted = spec.name
        elif spec.person:
            number += 1
            wanted = _("Player") if people == 1 else _("Player %s") % number
        else:
            wanted = default_computer or clean(spec.label or spec.word, MAX_NAME)
        name, copies = wanted, 1
        while name in taken:
            copies += 1
            name = f"{wanted} {copies}"
        taken.append(name)
    return taken
