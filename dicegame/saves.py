"""Unfinished games on disk: the settings of a game, and where the games are that were not played to their end.

Each is a file in the user's state folder: a line of what its record must not tell yet, then the record as far as it goes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_state_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dicegame.dice import Dice, new_seed, stream_key
from dicegame.errors import RecordError, SaveError
from dicegame.games.base import Past
from dicegame.record.read import read
from dicegame.rules.model import MAX_SEATS, RuleSet
from dicegame.text import _, ltr, quote

if sys.platform == "win32":
    import msvcrt

    def _hold(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _hold(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


Kind = Literal["seeded", "scripted", "typed"]


@dataclass(slots=True)
class Setup:
    """What is settled before a game: the rules, who plays (words and names by seat), and where dice come from.

    `seed` is the dice seed (None for scripted and typed dice), `stream` which of its games this is, `predictable` whether the dice were
    known before. A game of a match that is played again has instead of a seed the `dice_key` of its block, and the `rotation` that it
    was of it. `record` is the file that the record goes to, if one was asked for. `tutor` is how many percent of the games a person's
    decision may cost before the tutor warns; None without a tutor.
    """

    rules: RuleSet
    specs: list[str]
    names: list[str]
    dice: Kind = "seeded"
    seed: bytes | None = None
    stream: int = 0
    predictable: bool = False
    script: list[Dice] = field(default_factory=list)
    record: str | None = None
    dice_key: bytes | None = None
    rotation: int = 0
    tutor: float | None = None

    def key(self) -> bytes | None:
        """Return the key of the dice; None for dice that no key makes."""
        if self.dice_key is not None:
            return self.dice_key
        return None if self.seed is None else stream_key(self.seed, self.stream)

    def again(self) -> Setup:
        """Return the settings of another game of the same kind: other dice, unless they are scripted."""
        if self.dice != "seeded" or (self.seed is not None and self.predictable):
            return replace(self, stream=self.stream + 1, record=None)
        return replace(self, seed=new_seed(), predictable=False, dice_key=None, rotation=0, record=None)


_Hex = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _SaveLine(BaseModel):
    """The first line of a saved game: what its record must not tell yet."""

    model_config = ConfigDict(strict=True, extra="ignore")

    type: Literal["save"]
    format: Literal[1]
    started: str
    seed: _Hex | None
    stream: Annotated[int, Field(ge=0)]
    script: list[list[Annotated[int, Field(ge=1, le=6)]]]
    record: str | None
    dice_key: _Hex | None = None
    rotation: Annotated[int, Field(ge=0, lt=MAX_SEATS)] = 0
    tutor: Annotated[float, Field(ge=0, le=100)] | None = None


def save_line(setup: Setup, started: str) -> dict[str, Any]:
    """Return the first line of a saved game that was begun at the moment `started`."""
    return {
        "type": "save",
        "format": 1,
        "started": started,
        "seed": setup.seed.hex() if setup.seed else None,
        "stream": setup.stream,
        "script": setup.script,
        "record": str(Path(setup.record).absolute()) if setup.record else None,
        "dice_key": setup.dice_key.hex() if setup.dice_key else None,
        "rotation": setup.rotation,
        "tutor": setup.tutor,
    }


@dataclass(frozen=True, slots=True)
class Saved:
    """A game that was not played to its end."""

    id: str
    path: Path
    started: str
    setup: Setup
    past: tuple[Past, ...]


def games_folder() -> Path:
    """Return the folder that saved games are in; it need not exist."""
    return user_state_path("dicegame", appauthor=False) / "games"


def saved_games() -> list[Saved]:
    """Return the unfinished games, the one played last first; files that can't be read are passed over."""
    found = []
    for path in sorted(games_folder().glob("*.jsonl"), key=_last_played, reverse=True):
        with contextlib.suppress(SaveError, RecordError):
            saved = _read(path)
            if saved is not None:
                found.append(saved)
    return found


def find_saved(game: str) -> Saved:
    """Return the unfinished game with this id, or with an id that begins so.

    Raises:
        SaveError: there is none, there are several, or it can't be read.
    """
    paths = list(games_folder().glob("*.jsonl"))
    matching = [path for path in paths if path.stem == game] or [path for path in paths if path.stem.startswith(game)]
    if not matching:
        raise SaveError(_("there is no saved game %s; `dicegame play --resume` lists them") % quote(game))
    if len(matching) > 1:
        ids = ltr(", ".join(sorted(path.stem for path in matching)))
        raise SaveError(_("say which game to go on with: %s") % ids)
    saved = _read(matching[0])
    if saved is None:
        raise SaveError(_("the game %s was played to its end") % quote(game))
    return saved


def _last_played(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # gone in the meantime
        return 0


def _read(path: Path) -> Saved | None:
    """Return a saved game; None if it was played to its end.

    Raises:
        SaveError, RecordError: it can't be read.
    """
    try:
        with path.open("rb") as file:
            head = _SaveLine.model_validate_json(file.readline(1 << 20))
    except (OSError, ValidationError) as error:
        raise SaveError(_("%s is not a saved game") % quote(str(path))) from error
    record = read(path, skip=1)
    if record.result() is not None:
        return None
    header = record.header
    setup = Setup(
        rules=record.rules,
        specs=header.specs,
        names=header.players,
        dice=header.dice,
        seed=bytes.fromhex(head.seed) if head.seed else None,
        stream=head.stream,
        predictable=header.seed_predictable,
        script=[tuple(faces) for faces in head.script],
        record=head.record,
        dice_key=bytes.fromhex(head.dice_key) if head.dice_key else None,
        rotation=head.rotation,
        tutor=head.tutor,
    )
    return Saved(path.stem, path, head.started, setup, tuple(record.past()))


def lock(path: Path) -> int:
    """Hold a lock file for as long as this process lives; return its descriptor.

    Raises:
        SaveError: another process holds it.
        OSError: no file can be locked there.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _hold(descriptor)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except FileNotFoundError:
            pass
        except OSError as error:
            os.close(descriptor)
            if error.errno in {errno.EAGAIN, errno.EACCES, errno.EDEADLK}:
                raise SaveError(_("this game is being played elsewhere")) from error
            raise
        os.close(descriptor)  # whoever held it before has removed it: what is locked is no longer there
