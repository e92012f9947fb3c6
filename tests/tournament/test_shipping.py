"""Bots are packed the same wherever and whenever, come out as they went in, and what is hostile is refused."""

from __future__ import annotations

import hashlib
import io
import multiprocessing
import os
import shlex
import shutil
import sys
import tarfile
from pathlib import Path

import pytest

from dicegame.errors import InputError
from dicegame.players.bots import folder_hash
from dicegame.players.factory import external
from dicegame.tournament import shipping
from dicegame.tournament.shipping import Shipment, alone_with, deliver, pack, unpack

ROOT = Path(__file__).resolve().parent.parent.parent


def _packed(word: str) -> tuple[Shipment, bytes]:
    packed = pack(word)
    assert packed is not None
    return packed


def _delivered(word: str, cache: Path) -> str:
    """Return the word of a bot where it was unpacked."""
    shipment, data = _packed(word)
    with alone_with(shipment.digest, cache):
        return shipment.word(deliver(shipment, data, cache))


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot of some files, one of which can be run."""
    folder = tmp_path / "a bot"
    (folder / "more" / "empty").mkdir(parents=True)
    (folder / "bot.toml").write_text('command = ["./run.sh"]\n', encoding="ascii")
    (folder / "run.sh").write_text("#!/bin/sh\ncat more/data\n", encoding="ascii")
    (folder / "run.sh").chmod(0o755)
    (folder / "more" / ("long" * 40)).write_bytes(bytes(range(256)))
    return folder


def test_the_same_files_make_the_same_tar(bot: Path, tmp_path: Path) -> None:
    shipment, data = _packed(str(bot))
    again = tmp_path / "elsewhere" / "a bot"
    shutil.copytree(bot, again)
    for number, path in enumerate([again, *again.rglob("*")]):
        os.utime(path, (number, number))
        path.chmod(0o777 if os.access(path, os.X_OK) else 0o600)
    (again / "__pycache__").mkdir()
    (again / "__pycache__" / "x.pyc").write_bytes(b"x")
    same, there = _packed(str(again))
    assert there == data
    assert same.digest == shipment.digest == hashlib.sha256(data).hexdigest()
    assert same.pieces == shipment.pieces
    (again / "run.sh").chmod(0o644)
    assert _packed(str(again))[0].digest != shipment.digest


def test_the_tar_says_nothing_of_owners_and_times(bot: Path) -> None:
    _shipment, data = _packed(str(bot))
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        members = tar.getmembers()
    assert [member.name for member in members] == sorted(member.name for member in members)
    assert {(m.mtime, m.uid, m.gid, m.uname, m.gname) for m in members} == {(0, 0, 0, "", "")}
    assert {(m.isdir(), m.mode) for m in members} == {(True, 0o755), (False, 0o755), (False, 0o644)}


def test_a_folder_comes_out_as_it_went_in(bot: Path, tmp_path: Path) -> None:
    word = _delivered(str(bot), tmp_path)
    assert word != str(bot)
    assert folder_hash(Path(word)) == folder_hash(bot)
    assert (Path(word) / "more" / "empty").is_dir()
    assert os.access(Path(word) / "run.sh", os.X_OK)
    program = external(word)
    assert program is not None
    assert program.name == "a bot"
    assert _delivered(str(bot), tmp_path) == word


def test_a_single_program_travels_alone(bot: Path, tmp_path: Path) -> None:
    word = _delivered(str(bot / "run.sh"), tmp_path)
    assert (Path(word).name, list(Path(word).parent.iterdir())) == ("run.sh", [Path(word)])
    assert os.access(word, os.X_OK)


def test_a_command_line_takes_along_what_it_names(bot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(bot)
    line = shlex.join(["./run.sh", "-v", "run.sh", str(bot / "more"), "--seed=1", "not there", "/", str(tmp_path)])
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    word = shlex.split(_delivered(line, tmp_path / "cache"))
    program, dash, file, folder, *rest = word
    assert (dash, *rest) == ("-v", "--seed=1", "not there", "/", str(tmp_path))
    for unpacked, name in ((program, "run.sh"), (file, "run.sh"), (folder, "more")):
        assert Path(unpacked).is_relative_to(tmp_path / "cache")
        assert Path(unpacked).name == name
    assert os.access(program, os.X_OK)
    assert (Path(folder) / ("long" * 40)).read_bytes() == bytes(range(256))


def test_what_is_installed_does_not_travel(tmp_path: Path) -> None:
    script = ROOT / "bots" / "python" / "bot.py"
    word = _delivered(f"{sys.executable} {script}", tmp_path)
    assert shlex.split(word)[0] == sys.executable
    assert Path(shlex.split(word)[1]).is_relative_to(tmp_path)
    assert pack("sh -c 'exit 0'") is None
    assert pack("house") is None
    assert pack("hold:at=300") is None
    assert pack("python:os:getcwd") is None


def test_links_and_pipes_are_not_shipped(bot: Path) -> None:
    link = bot / "more" / "link"
    link.symlink_to(bot / "run.sh")
    with pytest.raises(InputError, match=r"can't ship the bot .*link.* is neither a file nor a folder"):
        pack(str(bot))
    link.unlink()
    os.mkfifo(link)
    with pytest.raises(InputError, match="neither a file nor a folder"):
        pack(str(bot))


def test_files_beside_the_folder_are_missed_at_once(bot: Path) -> None:
    (bot.parent / "shared").write_text("x", encoding="ascii")
    (bot / "bot.toml").write_text('command = ["./run.sh"]\nneeds = ["../shared", "/usr/share"]\n', encoding="ascii")
    with pytest.raises(InputError, match=r"it needs .*shared.*, which is not in its folder"):
        pack(str(bot))
    (bot / "bot.toml").write_text('command = ["./run.sh"]\nneeds = ["more", "/usr/share"]\n', encoding="ascii")
    assert pack(str(bot)) is not None


def test_what_is_too_large_is_not_shipped(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "MOST_BYTES", 200)
    with pytest.raises(InputError, match="it has more than"):
        pack(str(bot))
    monkeypatch.undo()
    monkeypatch.setattr(shipping, "MOST_MEMBERS", 3)
    with pytest.raises(InputError, match="it has more than 3 files"):
        pack(str(bot))


def _hostile(**fields: object) -> bytes:
    member = tarfile.TarInfo("0/file")
    member.size = 1
    for name, value in fields.items():
        setattr(member, name, value)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        buffer.write(member.tobuf(tarfile.PAX_FORMAT) + b"x".ljust(512, b"\0"))
        tar.offset = buffer.tell()
    return buffer.getvalue()


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../up", "0/../../up", "0//x", "", ".", "0/./x", "0\\..\\up", "..", "0/.."]
)
def test_a_name_that_leads_out_is_refused(name: str, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    with pytest.raises(InputError, match="a shipped bot"):
        unpack(_hostile(name=name), inside)
    assert list(tmp_path.rglob("*")) == [inside]


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.GNUTYPE_SPARSE],
)
def test_links_and_devices_are_refused(kind: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a shipped bot"):
        unpack(_hostile(type=kind, linkname="/etc/passwd", size=0), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_link_and_then_a_file_through_it_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        link = tarfile.TarInfo("0")
        link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path)
        tar.addfile(link)
        tar.addfile(tarfile.TarInfo("0/file"))
    inside = tmp_path / "inside"
    inside.mkdir()
    with pytest.raises(InputError, match="neither a file nor a folder"):
        unpack(buffer.getvalue(), inside)
    assert not (tmp_path / "file").exists()


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="a shipped bot"):
        unpack(_hostile(size=1 << 40), tmp_path)
    with pytest.raises(InputError, match="a shipped bot"):
        unpack(_hostile(size=1 << 20), tmp_path)  # less than that is there
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for number in range(5):
            tar.addfile(tarfile.TarInfo(f"0/{number}"))
    monkeypatch.setattr(shipping, "MOST_MEMBERS", 4)
    with pytest.raises(InputError, match="too many files"):
        unpack(buffer.getvalue(), tmp_path)


def test_what_is_damaged_or_twice_there_is_refused(bot: Path, tmp_path: Path) -> None:
    _shipment, data = _packed(str(bot))
    (tmp_path / "cut").mkdir()
    with pytest.raises(InputError, match="a shipped bot"):
        unpack(data[: data.index(bytes(range(256))) + 100], tmp_path / "cut")
    with pytest.raises(InputError, match="a shipped bot"):
        unpack(b"no tar" * 200, tmp_path / "cut")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("0/file"))
        tar.addfile(tarfile.TarInfo("0/file"))
    with pytest.raises(InputError, match="a shipped bot can't be unpacked"):
        unpack(buffer.getvalue(), tmp_path / "cut")


def test_other_bytes_than_were_sent_are_refused(bot: Path, tmp_path: Path) -> None:
    shipment, data = _packed(str(bot))
    cache = tmp_path / "cache"
    cache.mkdir()
    with pytest.raises(InputError, match="arrived damaged"):
        deliver(shipment, data + b"x", cache)
    other = _hostile()
    forged = Shipment(shipment.parts, shipment.pieces, hashlib.sha256(other).hexdigest())
    with pytest.raises(InputError, match="is not the same here"):
        deliver(forged, other, cache)
    assert list(cache.iterdir()) == []
    stale = cache / f"{shipment.digest}.partial-killed"
    stale.mkdir()
    root = deliver(shipment, data, cache)
    assert list(cache.iterdir()) == [root]


def _deliver_and_hash(word: str, cache: str) -> str:
    return folder_hash(Path(_delivered(word, Path(cache))))


def test_many_processes_unpack_at_once(bot: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    with multiprocessing.get_context("spawn").Pool(3) as processes:
        found = processes.starmap(_deliver_and_hash, [(str(bot), str(cache))] * 12)
    assert set(found) == {folder_hash(bot)}
    assert sum(path.is_dir() for path in cache.iterdir()) == 1
