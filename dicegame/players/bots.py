"""External bots as the command line names them: an executable, a folder with a `bot.toml`, or a whole command line."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from platformdirs import user_cache_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dicegame.errors import PlayerError
from dicegame.text import _, quote

MANIFEST = "bot.toml"
PASSED_OVER = frozenset({"__pycache__", ".git", ".hg", ".svn"})
_Word = Annotated[str, Field(min_length=1, max_length=4096)]


class Manifest(BaseModel):
    """What a `bot.toml` may say."""

    model_config = ConfigDict(strict=True, extra="forbid")

    command: Annotated[list[_Word], Field(min_length=1)]
    name: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    author: str | None = None
    build: list[_Word] | None = None
    needs: list[_Word] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BotProgram:
    """A bot that can be started: its command (the program absolute or to be found on PATH), its folder, what a sandbox shows it.

    `name` is what its manifest calls it; `build` a command that is run once in its folder.
    """

    command: tuple[str, ...]
    folder: Path
    shows: tuple[str, ...] = ()
    name: str | None = None
    build: tuple[str, ...] = ()


def path_of(word: str) -> Path:
    """Return the path that a word is, with `~` for somebody's home."""
    try:
        return Path(word).expanduser()
    except RuntimeError:  # nobody has this name: it is the name of a file
        return Path(word)


def find_bot(word: str) -> BotProgram | None:
    """Return the bot that a PLAYER word names; None if it names none.

    Raises:
        PlayerError: it names a folder or a file that is no bot.
    """
    path = path_of(word)
    try:
        if path.is_dir():
            return _of_folder(path.resolve())
        if path.is_file():
            if not os.access(path, os.X_OK):
                raise PlayerError(
                    _("%s is not executable: make it so, or give the whole command that runs it") % quote(word)
                )
            whole = path.resolve()
            return BotProgram((str(whole),), whole.parent, _shown([whole]))
        parts = shlex.split(word)
    except (OSError, ValueError):
        return None
    program = shutil.which(parts[0]) if parts else None
    if program is None:
        return None
    here = Path.cwd()
    named = [here / part for part in parts if (here / part).exists()]
    files = [here / part for part in parts[1:] if (here / part).is_file()]
    folder = files[0].resolve().parent if files else here
    return BotProgram(_absolute(parts, here), folder, _shown(named, _installed(Path(program))))


def _shown(named: Sequence[Path], installed: Sequence[Path] = ()) -> tuple[str, ...]:
    """Return what a sandbox shows a bot that is no folder: what its command names, and never what happens to lie beside it.

    There the bots of others may lie, records, and the store of a tournament.
    """
    everybodys = {Path("/"), Path.home(), Path.home() / ".local", Path.cwd(), Path(tempfile.gettempdir()).resolve()}
    shown = [path for path in (*named, *installed) if path.resolve() not in everybodys]
    return tuple(dict.fromkeys(str(whole) for path in shown for whole in (path.absolute(), path.resolve())))


def _installed(program: Path) -> list[Path]:
    """Return the folders that a program was installed to with all that it needs, such as a Python of one's own."""
    places = [place.parent.parent for place in (program.absolute(), program.resolve()) if place.parent.name == "bin"]
    return [place for place in places if (place / "lib").is_dir() and not Path.cwd().is_relative_to(place)]


def _of_folder(folder: Path) -> BotProgram:
    manifest = folder / MANIFEST
    shown = quote(str(manifest))
    try:
        data = tomllib.loads(manifest.read_text(encoding="utf-8"))
        said = Manifest.model_validate(data)
    except FileNotFoundError as error:
        raise PlayerError(_("%s is not there: a folder is a bot if it has one") % shown) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        message = _("%(file)s, %(field)s: %(what)s") % {"file": shown, "field": quote(where), "what": first["msg"]}
        raise PlayerError(message) from error
    except (OSError, ValueError) as error:
        raise PlayerError(
            _("can't read %(file)s: %(reason)s") % {"file": shown, "reason": quote(str(error))}
        ) from error
    needs = tuple(str((folder / path_of(path)).resolve()) for path in said.needs)
    shows = (str(folder), *needs)
    return BotProgram(_absolute(said.command, folder), folder, shows, said.name or folder.name, tuple(said.build or ()))


def _absolute(parts: list[str], folder: Path) -> tuple[str, ...]:
    """Return a command in which `{dir}` and the names of files in `folder` are absolute: a bot runs in another folder."""
    found = []
    for place, part in enumerate(parts):
        part = part.replace("{dir}", str(folder))  # noqa: PLW2901
        candidate = folder / part
        is_path = "/" in part or place > 0
        found.append(str(candidate) if is_path and not part.startswith("-") and candidate.is_file() else part)
    if "/" in found[0] and not Path(found[0]).is_absolute():
        found[0] = str(folder / found[0])  # built later
    return tuple(found)


def build(program: BotProgram) -> None:
    """Build a bot, once: what was built from the same files is taken as it is.

    Raises:
        PlayerError: its build command failed; the last lines that it said are in the error.
    """
    if not program.build:
        return
    stamp = (
        user_cache_path("dicegame", appauthor=False)
        / "built"
        / hashlib.sha256(str(program.folder).encode()).hexdigest()[:32]
    )
    if stamp.is_file() and stamp.read_text(encoding="ascii", errors="replace") == folder_hash(program.folder):
        return
    try:
        done = subprocess.run(  # noqa: S603 - the bot's author's own command, on the user's word
            program.build, cwd=program.folder, capture_output=True, check=False, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        values = {"bot": quote(program.name or str(program.folder)), "reason": error.strerror or str(error)}
        raise PlayerError(_("can't build %(bot)s: %(reason)s") % values) from error
    if done.returncode:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()[-5:]
        values = {"bot": quote(program.name or str(program.folder)), "reason": quote(" / ".join(said), 500)}
        raise PlayerError(_("can't build %(bot)s: %(reason)s") % values)
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(folder_hash(program.folder), encoding="ascii")


def folder_hash(folder: Path) -> str:
    """Return a hash of everything in a bot's folder: names, contents, and which files can be run.

    What tools leave there of themselves does not count: `__pycache__`, and the folders of version control.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and PASSED_OVER.isdisjoint(path.relative_to(folder).parts):
            digest.update(f"{path.relative_to(folder).as_posix()}\0{os.access(path, os.X_OK):d}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def files_of(program: BotProgram) -> list[Path]:
    """Return the files that make up a bot that is no folder: those that its command names, but for programs of the system.

    A command that names nothing else, such as a single executable, is that file.
    """
    named = [Path(part) for part in program.command if Path(part).is_absolute() and Path(part).is_file()]
    return named[1:] if len(named) > 1 else named


def identity(program: BotProgram) -> str:
    """Return a hash that tells a bot from a changed one: of its folder, or of its command and the files that this names."""
    if program.name is not None:
        return folder_hash(program.folder)
    digest = hashlib.sha256(repr(program.command).encode())
    for path in files_of(program):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
