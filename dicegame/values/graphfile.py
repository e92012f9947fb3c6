"""Solved values of rule sets whose house rules remember, as the user's cache keeps them, beside those of other rule sets.

A file is a line of JSON and then, compressed, the keys of all standings in ascending order as the differences from one to the next; and
behind them the values, which are full double precision, and those of last turns.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path

from dicegame.rules.model import PushLuckRules
from dicegame.values.axis import key_of
from dicegame.values.graph import refuse_too_large
from dicegame.values.solved import SUFFIX, DamagedValues, as_bytes, as_numbers, cache_folder, checked, damaged, put

ROWS = 4  # of last turns: see `graph.last_row`


@dataclass(frozen=True, slots=True, eq=False)
class SolvedGraph:
    """The values of a rule set for two seats that both play perfectly, by standings.

    `keys` are those of all standings that play can come to, ascending (see `graph.Packing`), and `values` the chances of the seat to
    move there. Where there is a final round, `last` has the chances in a last turn by row (see `graph.last_row`) and by the steps
    behind; further behind it is the last of them.
    """

    key: str
    keys: Sequence[int]
    values: Sequence[float]
    last: tuple[Sequence[float], ...]
    checksum: str = ""
    rounding: float = 0.0

    def place(self, standing: int) -> int | None:
        """Return at which place the standing of this key is; None if play can't come to it."""
        found = bisect_left(self.keys, standing)
        return found if found < len(self.keys) and self.keys[found] == standing else None

    def value(self, standing: int) -> float:
        """Return the chance of the seat to move in the standing of this key.

        Raises:
            KeyError: play can't come to it.
        """
        place = self.place(standing)
        if place is None:
            raise KeyError(standing)
        return self.values[place]


def find(rules: PushLuckRules) -> SolvedGraph | None:
    """Return the solved values of a rule set from the cache of this user; None if they are not there.

    Raises:
        RulesError: it is so large that it can't be solved, and which rules are why.
    """
    found = kept(rules)
    if found is None:
        refuse_too_large(rules)
    return found


def kept(rules: PushLuckRules) -> SolvedGraph | None:
    """Return the solved values of a rule set from the cache of this user; None if they are not there, for whatever reason."""
    key = key_of(rules)
    return _find(path_of(key), key)


def path_of(key: str) -> Path:
    """Return the file of the values of the rule set with this key."""
    return cache_folder() / f"{key}{SUFFIX}"


@lru_cache(maxsize=4)
def _find(path: Path, key: str) -> SolvedGraph | None:
    with suppress(DamagedValues, OSError):
        solved = read(path)
        return solved if solved.key == key else None
    return None


def forget() -> None:
    """Look for files anew: something was solved."""
    _find.cache_clear()


def read(path: Path) -> SolvedGraph:
    """Return the values that a file holds.

    Raises:
        OSError: it can't be read.
        DamagedValues: it is not what it says.
    """
    header, payload = checked(path)
    lengths = header.get("graph")
    if not isinstance(lengths, list) or len(lengths) != 2 + ROWS or not all(isinstance(n, int) for n in lengths):
        raise damaged(path)
    packed, count, *rows = lengths
    keys, numbers = _keys(payload[:packed]), as_numbers(payload[packed:])
    if len(keys) != count or len(numbers) != count + sum(rows):
        raise damaged(path)
    ends = list(accumulate(rows, initial=count))
    last = tuple(numbers[start:end] for start, end in pairwise(ends))
    return SolvedGraph(header["key"], keys, numbers[:count], last, header["sha256"])


def write(path: Path, solved: SolvedGraph) -> SolvedGraph:
    """Write values to a file, at once or not at all; return them with their checksum.

    Raises:
        OSError: it can't be written.
    """
    packed = _packed(solved.keys)
    lengths = [len(packed), len(solved.keys), *map(len, solved.last)]
    header = {"key": solved.key, "graph": lengths}
    put(path, header, packed + b"".join(map(as_bytes, (solved.values, *solved.last))))
    return replace(solved, checksum=checked(path)[0]["sha256"])


def _packed(keys: Sequence[int]) -> bytes:
    differences = array("q", [after - before for before, after in zip([0, *keys], keys, strict=False)])
    if sys.byteorder == "big":
        differences.byteswap()
    return zlib.compress(differences.tobytes())


def _keys(packed: bytes) -> array[int]:
    """Return the keys that `_packed` wrote; none if they can't be read."""
    differences = array("q")
    try:
        differences.frombytes(zlib.decompress(packed))
    except (zlib.error, ValueError):
        return differences
    if sys.byteorder == "big":
        differences.byteswap()
    return array("q", accumulate(differences))
