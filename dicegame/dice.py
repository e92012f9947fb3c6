"""Where dice come from: seeded, scripted or typed in; commitment and proof.

Seeded dice are a pure function of (dice seed, stream, seat, turn, roll): who plays, how fast, and what else runs change nothing.
All integers are unsigned and big-endian.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Callable, Iterator
from hashlib import sha256
from struct import Struct
from typing import Protocol

from dicegame.errors import DiceError
from dicegame.text import _, ltr, ngettext, number, quote

Dice = tuple[int, ...]

_STREAM = b"dice-stream-v1\0"
_COMMIT = b"dice-commit-v1\0"
_BOT_SEED = b"dice-bot-seed-v1\0"
_PLACE = Struct(">HIHH").pack
_U64 = Struct(">Q").pack
_FACES = bytes(byte % 6 + 1 for byte in range(256))
_UNFAIR = bytes(range(252, 256))  # 252 is the largest multiple of 6 in a byte


def new_seed() -> bytes:
    """Return a dice seed that nobody can foresee: 32 bytes from the system."""
    return secrets.token_bytes(32)


def seed_from_text(text: str) -> bytes:
    """Return the dice seed of a text: the same games for everyone who knows it."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def stream_key(seed: bytes, stream: int) -> bytes:
    """Return the key of one stream: one game, or all rotations of one block."""
    return hmac.digest(seed, _STREAM + _U64(stream), "sha256")


def commitment(secret: bytes) -> str:
    """Return what may be published before the first roll: it binds to the key (or seed) and gives nothing away."""
    return sha256(_COMMIT + secret).hexdigest()


def player_seed(key: bytes, seat: int, rotation: int = 0) -> int:
    """Return a seed for a player's own random numbers, 0 to 2**31 - 1: another for every seat and rotation, no help with the dice."""
    digest = hmac.digest(key, _BOT_SEED + _U64(seat) + _U64(rotation), "sha256")
    return int.from_bytes(digest[:4], "big") >> 1


def roll(key: bytes, seat: int, turn: int, number: int, dice: int) -> Dice:
    """Return the roll `number` (from 0) of `turn` (a seat's own, from 0) of `seat` in the stream of `key`: `dice` faces."""
    faces = sha256(key + _PLACE(seat, turn, number, 0)).digest().translate(_FACES, _UNFAIR)
    block = 0
    while len(faces) < dice:
        block += 1
        faces += sha256(key + _PLACE(seat, turn, number, block)).digest().translate(_FACES, _UNFAIR)
    return tuple(faces[:dice])


class DiceSource(Protocol):
    """Anything that dice come from."""

    @property
    def kind(self) -> str:
        """`seeded`, `scripted` or `typed`: what a record says of it."""

    def roll(self, seat: int, turn: int, number: int, dice: int) -> Dice:
        """Return the faces of this throw, as they lie."""


class SeededDice:
    """The dice function over one stream's key."""

    kind = "seeded"

    def __init__(self, key: bytes, *, predictable: bool = False) -> None:
        self.key = key
        self.predictable = predictable

    def roll(self, seat: int, turn: int, number: int, dice: int) -> Dice:
        """Return the faces of this throw."""
        return roll(self.key, seat, turn, number, dice)


class ScriptedDice:
    """Rolls written down beforehand, used one after the other."""

    kind = "scripted"

    def __init__(self, rolls: list[Dice]) -> None:
        self.rolls = rolls
        self._next: Iterator[Dice] = iter(rolls)
        self._used = 0

    def roll(self, seat: int, turn: int, number: int, dice: int) -> Dice:  # noqa: ARG002 - a script knows no places
        """Return the next roll of the script.

        Raises:
            DiceError: there is none, or it has another number of dice.
        """
        self._used += 1
        try:
            faces = next(self._next)
        except StopIteration:
            n = len(self.rolls)
            message = ngettext(
                "the dice script ran out: %(n)s roll is there, roll %(wanted)s is wanted",
                "the dice script ran out: %(n)s rolls are there, roll %(wanted)s is wanted",
                n,
            )
            raise DiceError(message % {"n": ltr(n), "wanted": ltr(self._used)}, roll=self._used) from None
        if len(faces) != dice:
            raise wrong_number(self._used, faces, dice)
        return faces


class TypedDice:
    """Real dice: `ask` asks a person what was rolled."""

    kind = "typed"

    def __init__(self, ask: Callable[[int, int], Dice]) -> None:
        self._ask = ask

    def roll(self, seat: int, turn: int, number: int, dice: int) -> Dice:  # noqa: ARG002 - people know where they are
        """Return what was rolled."""
        return self._ask(seat, dice)


def wrong_number(place: int, faces: Dice, wanted: int) -> DiceError:
    """Return the error of a scripted roll with the wrong number of dice; `place` counts rolls from 1."""
    shown = " ".join(map(str, faces))
    message = ngettext(
        "roll %(place)s of the dice script is %(faces)s, but %(wanted)s die is rolled here",
        "roll %(place)s of the dice script is %(faces)s, but %(wanted)s dice are rolled here",
        wanted,
    )
    return DiceError(message % {"place": number(place), "faces": ltr(shown), "wanted": number(wanted)}, roll=place)


def parse_script(text: str) -> list[Dice]:
    """Return the rolls of a script: faces, with `/` or a line's end between rolls (`1 2 3 4 6 6 / 5 5 2`); `#` begins a comment.

    Raises:
        DiceError: a face out of range, a sign that is none, or no roll at all.
    """
    rolls: list[Dice] = []
    for piece in re.split(r"[/\n]", re.sub(r"#.*", "", text)):
        faces = re.sub(r"[\s,]+", "", piece)
        if not faces:
            continue
        bad = next((face for face in faces if face not in "123456"), None)
        if bad is not None:
            message = _("roll %(place)s of the dice script: %(face)s is no face of a die (1 to 6)")
            raise DiceError(message % {"place": number(len(rolls) + 1), "face": quote(bad)}, roll=len(rolls) + 1)
        rolls.append(tuple(map(int, faces)))
    if not rolls:
        raise DiceError(_("the dice script is empty: write rolls like `1 2 3 4 6 6 / 5 5 2`"))
    return rolls
