"""Solved values: the chance to win at every pair of places, as the package ships them and as the user's cache keeps them.

A file is one line of JSON (what it is for, and the SHA-256 of what follows) and then the values. Shipped files are rounded to 1e-6
and compressed; those in the cache are full double precision. What does not match its checksum, or is not for the rule set that is
asked about, is never used.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import sys
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from operator import add
from pathlib import Path
from typing import Any

from dicegame.errors import DicegameError
from dicegame.rules.load import presets
from dicegame.rules.model import PushLuckRules
from dicegame.rules.table import Table
from dicegame.values.axis import Axis, key_of

WHAT, FORMAT = "solved values", 1
SUFFIX = ".values"
SHIPPED = Path(__file__).parent / "solved"
ROUNDED = 1_000_000  # parts of 1 that shipped values are rounded to


class DamagedValues(DicegameError):
    """A file of solved values that is not what it says: it is not used."""

    code = "values"


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The values of a rule set for two seats that both play perfectly.

    `values[mover * axis.size + other]` is the chance of the seat to move, by the places of both (see `Axis`). `last` has, for a seat
    that has opened and for one that has not, its chance in the one last turn of a final round, by the steps that it is behind; further
    behind it is the last of them. Ties count one half. `rounding` is how far a value may be from the exact one.
    """

    key: str
    axis: Axis
    values: Sequence[float]
    last: tuple[Sequence[float], Sequence[float]]
    rounding: float
    checksum: str

    def value(self, mover: int, other: int) -> float:
        """Return the chance of the seat to move, by the places of both."""
        return self.values[mover * self.axis.size + other]

    def last_turn(self, behind: int, *, opened: bool = True) -> float:
        """Return the chance of a seat in its last turn that is so many steps behind."""
        chances = self.last[0 if opened else 1]
        return chances[min(behind, len(chances) - 1)]


def find(rules: PushLuckRules) -> Solved | None:
    """Return the solved values of a rule set: from the cache of this user, or else as shipped; None if nobody has solved it.

    Raises:
        RulesError: it can't be solved, and which rule is why.
    """
    return _find(_Asked(rules, key_of(rules)))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A rule set that is looked for: two with the same key and target are the same."""

    rules: PushLuckRules
    key: str

    def __hash__(self) -> int:
        return hash((self.key, self.rules.target))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and (self.key, self.rules.target) == (other.key, other.rules.target)


@lru_cache(maxsize=8)
def _find(asked: _Asked) -> Solved | None:
    axis = Axis.of(asked.rules, Table(asked.rules))
    for path in _places(asked.key):
        with suppress(DamagedValues, OSError):
            solved = read(path)
            if solved.key == asked.key and _serves(solved.axis, axis):
                return solved
    return None


def _serves(held: Axis, wanted: Axis) -> bool:
    if held.penalty:
        return held == wanted
    return held.target >= wanted.target


def _places(key: str) -> Iterator[Path]:
    yield cache_folder() / f"{key}{SUFFIX}"
    name = shipped().get(key)
    if name is not None:
        yield SHIPPED / f"{name}{SUFFIX}"


def cache_folder() -> Path:
    """Return where values solved on this machine are kept; `DICEGAME_CACHE` names another folder."""
    own = os.environ.get("DICEGAME_CACHE")
    if own:
        return Path(own) / "values"
    from platformdirs import user_cache_path  # noqa: PLC0415 - only looked for when wanted

    return user_cache_path("dicegame") / "values"


@lru_cache(maxsize=1)
def shipped() -> dict[str, str]:
    """Return the preset by key of every shipped file."""
    found = {}
    for path in sorted(SHIPPED.glob(f"*{SUFFIX}")):
        with suppress(DamagedValues, OSError):
            found[str(_header(path)["key"])] = path.stem
    return {key: name for key, name in found.items() if name in presets()}


def forget() -> None:
    """Look for files anew: something was solved."""
    _find.cache_clear()


def read(path: Path) -> Solved:
    """Return the values that a file holds.

    Raises:
        OSError: it can't be read.
        DamagedValues: it is not what it says.
    """
    header, payload = checked(path)
    if not _is_axis(header):
        raise damaged(path)
    axis = Axis(**header["axis"])
    size, lengths = axis.size, header["last"]
    numbers = _rounded(payload, [size] * size + lengths) if header["rounded"] else as_numbers(payload)
    if len(numbers) != size * size + sum(lengths):
        raise damaged(path)
    first, second = size * size, size * size + lengths[0]
    last = numbers[first:second], numbers[second:] if lengths[1] else numbers[first:second]
    rounding = 0.5 / header["rounded"] if header["rounded"] else 0.0
    return Solved(header["key"], axis, numbers[:first], last, rounding, header["sha256"])


def write(path: Path, solved: Solved, *, rounded: bool = False) -> Solved:
    """Write values to a file, at once or not at all; return them with their checksum (and as they were read, if rounded).

    Raises:
        OSError: it can't be written.
    """
    last = [solved.last[0], solved.last[1] if solved.axis.unopened else ()]
    size = solved.axis.size
    rows = [solved.values[i * size : (i + 1) * size] for i in range(size)] + last
    payload = _compressed(rows) if rounded else b"".join(as_bytes(row) for row in rows)
    axis = {name: getattr(solved.axis, name) for name in Axis.__slots__}
    header = {
        "key": solved.key,
        "axis": axis,
        "last": [len(row) for row in last],
        "rounded": ROUNDED if rounded else 0,
    }
    put(path, header, payload)
    return read(path)


def checked(path: Path) -> tuple[dict[str, Any], bytes]:
    """Return the header of a file and what follows it.

    Raises:
        OSError: it can't be read.
        DamagedValues: what follows is not what the header says.
    """
    line, _newline, payload = path.read_bytes().partition(b"\n")
    header = _parse(line, path)
    if hashlib.sha256(payload).hexdigest() != header["sha256"]:
        raise damaged(path)
    return header, payload


def put(path: Path, header: dict[str, Any], payload: bytes) -> None:
    """Write a file, at once or not at all.

    Raises:
        OSError: it can't be written.
    """
    whole = {"dicegame": WHAT, "format": FORMAT, **header, "sha256": hashlib.sha256(payload).hexdigest()}
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with open(handle, "wb") as file:  # noqa: PTH123 - an open descriptor
            file.write(json.dumps(whole, separators=(",", ":")).encode() + b"\n" + payload)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _header(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return _parse(file.readline(4096).rstrip(b"\n"), path)


def _parse(line: bytes, path: Path) -> dict[str, Any]:
    try:
        header = json.loads(line)
        known = (header["dicegame"], header["format"]) == (WHAT, FORMAT)
        known = known and isinstance(header["key"], str) and isinstance(header["sha256"], str)
    except (ValueError, KeyError, TypeError) as error:
        raise damaged(path) from error
    if not known:
        raise damaged(path)
    found: dict[str, Any] = header
    return found


def _is_axis(header: dict[str, Any]) -> bool:
    """Say whether a header is of values by places of an axis."""
    axis, last = header.get("axis"), header.get("last")
    if not isinstance(axis, dict) or set(axis) != set(Axis.__slots__) or header.get("rounded") not in (0, ROUNDED):
        return False
    return isinstance(last, list) and len(last) == 2 and all(isinstance(n, int) for n in [*axis.values(), *last])


def damaged(path: Path) -> DamagedValues:
    """Return the refusal of a file."""
    return DamagedValues(f"{path} holds no solved values that can be used")


def as_bytes(row: Sequence[float]) -> bytes:
    """Return numbers as files have them: doubles, the least byte first."""
    numbers = array("d", row)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def as_numbers(payload: bytes) -> array[float]:
    """Return the numbers that were written by `as_bytes`."""
    numbers = array("d")
    numbers.frombytes(payload[: len(payload) // 8 * 8])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _compressed(rows: Sequence[Sequence[float]]) -> bytes:
    """Return rows of values as differences to what their neighbours foretell: small whole numbers, byte by byte of equal weight."""
    residues = array("i")
    above: list[int] = []
    for row in rows:
        whole = [round(value * ROUNDED) for value in row]
        over = (above + [0] * len(whole))[: len(whole)]
        differences = list(map(int.__sub__, whole, over))
        residues.extend(b - a for a, b in zip([0, *differences], differences, strict=False))
        above = whole
    if sys.byteorder == "big":
        residues.byteswap()
    raw = residues.tobytes()
    return lzma.compress(b"".join(raw[i::4] for i in range(4)), preset=9 | lzma.PRESET_EXTREME)


def _rounded(payload: bytes, lengths: Sequence[int]) -> array[float]:
    """Return the values that `_compressed` wrote."""
    count = sum(lengths)
    try:
        planes = lzma.decompress(payload)
    except lzma.LZMAError:
        return array("d")
    if len(planes) != 4 * count:
        return array("d")
    raw = bytearray(4 * count)
    for i in range(4):
        raw[i::4] = planes[i * count : (i + 1) * count]
    residues = array("i")
    residues.frombytes(raw)
    if sys.byteorder == "big":
        residues.byteswap()
    numbers = array("d")
    above: list[int] = []
    start = 0
    for length in lengths:
        over = (above + [0] * length)[:length] if len(above) < length else above
        above = list(map(add, accumulate(residues[start : start + length]), over))
        numbers.extend([whole / ROUNDED for whole in above])
        start += length
    return numbers
