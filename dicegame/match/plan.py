"""What a match plays: blocks of rotations over the same dice, each with the place of its dice and its stable name."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from dicegame.dice import commitment, stream_key

PAIRING = "match"  # the pairing of a single match


def stream_of(pairing: str, block: int) -> int:
    """Return the dice stream of a block: no two pairings, and no two blocks, ever share dice."""
    digest = hashlib.sha256(pairing.encode() + b"\0" + str(block).encode()).digest()
    return int.from_bytes(digest[:8], "big")


def game_id(pairing: str, block: int, rotation: int) -> str:
    """Return the stable name of a game."""
    return f"{pairing}-{block}-{rotation}"


def seats_of(players: int, rotation: int) -> list[int]:
    """Return which player sits in each seat: rotation 0 as they were named, each further one moves everyone on by a seat."""
    return [(seat - rotation) % players for seat in range(players)]


@dataclass(frozen=True, slots=True)
class BlockSpec:
    """One block: its number, and the key of its dice. Workers get keys, never the seed."""

    number: int
    key: bytes

    @classmethod
    def of(cls, seed: bytes, number: int, pairing: str = PAIRING) -> BlockSpec:
        """Return block `number` of a match with this dice seed."""
        return cls(number, stream_key(seed, stream_of(pairing, number)))

    @property
    def commitment(self) -> str:
        """What may be published of the block's dice before they fall."""
        return commitment(self.key)
