"""Bots on their way to other machines: packed into a tar that depends on nothing but their files, unpacked there with distrust.

A folder travels whole, a program as its one file, a command line with the files and folders that it names; what is installed on a
system does not travel. Bots are built where they play.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import platform
import shlex
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from platformdirs import user_cache_path

from dicegame.errors import InputError
from dicegame.players.bots import MANIFEST, PASSED_OVER, BotProgram, folder_hash, path_of
from dicegame.players.factory import external
from dicegame.text import _, number, quote

MOST_BYTES = 100 << 20  # of the files of one bot
MOST_MEMBERS = 10_000  # files and folders of one bot
KEPT_DAYS = 30  # that a bot stays unpacked without being asked for
_PARTIAL = ".partial-"


@dataclass(frozen=True, slots=True)
class Piece:
    """A file or folder that a bot's word names: which part of the word it is, its name, and the hash of what it holds."""

    part: int
    name: str
    contents: str


@dataclass(frozen=True, slots=True)
class Shipment:
    """A bot that travels: the parts of its word (one where the word is a path), what is shipped, and the tar's SHA-256 as hex."""

    parts: tuple[str, ...]
    pieces: tuple[Piece, ...]
    digest: str

    def word(self, root: Path) -> str:
        """Return the word that names the bot where it was unpacked to `root`."""
        parts = list(self.parts)
        for piece in self.pieces:
            parts[piece.part] = str(root / str(piece.part) / piece.name)
        return parts[0] if len(parts) == 1 else shlex.join(parts)


# Packing


def pack(word: str) -> tuple[Shipment, bytes] | None:
    """Return the bot that a PLAYER word names as it is shipped, with its tar; None where nothing has to be.

    Raises:
        InputError: it can't be shipped, and why.
        PlayerError: the word names a folder or a file that is no bot.
    """
    program = external(word)
    if program is None:
        return None
    whole = path_of(word)
    if whole.exists():
        parts, named = [str(whole)], [(0, whole.resolve())]
    else:
        parts = shlex.split(word)
        named = _named(parts)
    if not named:
        return None
    _check_needs(word, program)
    data = _tar(word, named)
    pieces = tuple(Piece(part, path.name, _contents(path)) for part, path in named)
    return Shipment(tuple(parts), pieces, hashlib.sha256(data).hexdigest()), data


def _named(parts: list[str]) -> list[tuple[int, Path]]:
    """Return the parts of a command line that name files or folders of its own, and where these are."""
    named = []
    for part, text in enumerate(parts):
        path = Path(text).absolute()
        if text.startswith("-") or not path.exists() or (part == 0 and ("/" not in text or _installed(path))):
            continue
        everybodys = {Path("/"), Path.home(), Path.cwd(), Path(tempfile.gettempdir()).resolve()}
        if path.resolve() not in everybodys:
            named.append((part, path.resolve()))
    return named


def _installed(program: Path) -> bool:
    """Say whether a program was installed with all that it needs, such as a Python: every machine has its own."""
    places = [place.parent for place in (program, program.resolve())]
    return any(place.name == "bin" and (place.parent / "lib").is_dir() for place in places)


def _check_needs(word: str, program: BotProgram) -> None:
    """See to it that all the files that a manifest says the bot needs are in its folder, or where each machine has its own.

    Raises:
        InputError: one lies beside the folder.
    """
    if not (program.folder / MANIFEST).is_file():
        return
    near = program.folder.parent
    for shown in program.shows[1:]:
        if Path(shown).is_relative_to(near) and not Path(shown).is_relative_to(program.folder):
            values = {"bot": quote(word), "file": quote(shown)}
            raise InputError(_("can't ship the bot %(bot)s: it needs %(file)s, which is not in its folder") % values)


def _contents(path: Path) -> str:
    """Return a hash of a file or a folder, and of which files can be run."""
    if path.is_dir():
        return folder_hash(path)
    return f"{hashlib.sha256(path.read_bytes()).hexdigest()}-{os.access(path, os.X_OK):d}"


def _tar(word: str, named: list[tuple[int, Path]]) -> bytes:
    """Return the tar of these files and folders; the same files make the same bytes, wherever and whenever."""
    buffer = io.BytesIO()
    total = members = 0
    try:
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for part, top in named:
                for path in [top, *sorted(top.rglob("*"))]:
                    if not PASSED_OVER.isdisjoint(path.relative_to(top).parts):
                        continue  # nor does it count in the hash of the folder
                    name = PurePosixPath(str(part), top.name, *path.relative_to(top).parts)
                    member = _member(word, path, str(name))
                    members, total = members + 1, total + member.size
                    if members > MOST_MEMBERS or total > MOST_BYTES:
                        values = {"bot": quote(word), "files": number(MOST_MEMBERS), "size": number(MOST_BYTES >> 20)}
                        text = _(
                            "can't ship the bot %(bot)s: it has more than %(files)s files, or more than %(size)s MiB"
                        )
                        raise InputError(text % values)
                    data = path.read_bytes() if member.isreg() else b""
                    member.size = len(data)
                    tar.addfile(member, io.BytesIO(data))
    except OSError as error:
        values = {"bot": quote(word), "reason": quote(str(error))}
        raise InputError(_("can't ship the bot %(bot)s: %(reason)s") % values) from error
    return buffer.getvalue()


def _member(word: str, path: Path, name: str) -> tarfile.TarInfo:
    """Return the header of a file or a folder: without owner and time, and of its rights only whether it can be run."""
    member = tarfile.TarInfo(name)
    if path.is_symlink() or not (path.is_file() or path.is_dir()):
        values = {"bot": quote(word), "file": quote(str(path))}
        raise InputError(_("can't ship the bot %(bot)s: %(file)s is neither a file nor a folder") % values)
    if path.is_dir():
        member.type, member.mode = tarfile.DIRTYPE, 0o755
    else:
        member.size = path.stat().st_size
        member.mode = 0o755 if os.access(path, os.X_OK) else 0o644
    return member


# Unpacking


def unpack(data: bytes, folder: Path) -> None:
    """Unpack a tar into a folder that is empty: files and folders only, none outside of it, and not too much.

    Raises:
        InputError: it holds anything else.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            total = 0
            for members, member in enumerate(tar, start=1):
                total += member.size
                if members > MOST_MEMBERS or total > MOST_BYTES:
                    raise InputError(_("a shipped bot has too many files, or too large ones"))
                _extract(tar, member, folder)
    except (tarfile.TarError, OSError, ValueError) as error:
        raise InputError(_("a shipped bot can't be unpacked: %s") % quote(str(error))) from error


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    parts = member.name.split("/")
    if any(part in {"", ".", ".."} or "\\" in part or "\0" in part for part in parts):
        raise InputError(_("a shipped bot has a file with the name %s") % quote(member.name))
    if member.type not in {tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE}:
        raise InputError(_("a shipped bot has %s, which is neither a file nor a folder") % quote(member.name))
    path = folder.joinpath(*parts)
    if member.isdir():
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    source = tar.extractfile(member)
    data = b"" if source is None else source.read()
    if len(data) != member.size:
        raise InputError(_("a shipped bot is cut off"))
    with path.open("xb") as file:  # never a second time under one name
        file.write(data)
    path.chmod(0o755 if member.mode & 0o100 else 0o644)


def cache_folder() -> Path:
    """Return the folder of shipped bots of this user on this machine (homes may be shared by machines of different kinds)."""
    folder = user_cache_path("dicegame", appauthor=False) / "shipped" / platform.node()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    return folder


@contextlib.contextmanager
def alone_with(digest: str, cache: Path) -> Iterator[None]:
    """Keep other processes of this machine away from a shipped bot while it is unpacked and built."""
    import fcntl  # noqa: PLC0415 - there are no external bots where this is missing

    with (cache / f"{digest}.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def deliver(shipment: Shipment, data: bytes, cache: Path) -> Path:
    """Return where a shipped bot lies in `cache`: unpacked now, or already there. To be called within `alone_with`.

    Raises:
        InputError: the tar is not the one that was sent, or what comes out of it is not what went in.
    """
    root = cache / shipment.digest
    if not root.is_dir():
        _clear(cache, shipment.digest)
        if hashlib.sha256(data).hexdigest() != shipment.digest:
            raise InputError(_("a shipped bot arrived damaged"))
        fresh = Path(tempfile.mkdtemp(prefix=f"{shipment.digest}{_PARTIAL}", dir=cache))
        try:
            unpack(data, fresh)
            for piece in shipment.pieces:
                path = fresh / str(piece.part) / piece.name
                if not path.exists() or _contents(path) != piece.contents:
                    raise InputError(_("a shipped bot is not the same here as where it comes from"))
            fresh.rename(root)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
    os.utime(root)
    return root


def _clear(cache: Path, digest: str) -> None:
    """Remove what an unpacking that was killed left behind, and the bots that nobody has asked for in a long time."""
    for stale in cache.glob(f"{digest}{_PARTIAL}*"):
        shutil.rmtree(stale, ignore_errors=True)
    oldest = time.time() - KEPT_DAYS * 86_400
    for old in cache.iterdir():
        with contextlib.suppress(OSError):
            if old.is_dir() and old.stat().st_mtime < oldest:
                shutil.rmtree(old, ignore_errors=True)
