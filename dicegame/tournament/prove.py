"""Prove a tournament: every record that was kept, and that all dice come from the seed that was committed to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dicegame.errors import DicegameError
from dicegame.match.plan import BlockSpec
from dicegame.record.lines import KeyLine
from dicegame.record.read import read_bytes
from dicegame.record.verify import verify_bytes
from dicegame.text import _
from dicegame.tournament.reader import Reader, StoredGame


@dataclass(slots=True)
class Proof:
    """What a tournament's file proves: how many records are valid, which are not and why, and whether the dice seed is open."""

    valid: int = 0
    wrong: list[tuple[str, str]] = field(default_factory=list)
    opened: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        wrong = [{"game": game, "what": what} for game, what in self.wrong]
        return {"valid": not self.wrong, "records": self.valid + len(self.wrong), "wrong": wrong, "opened": self.opened}


def prove_all(path: Path | str) -> Proof:
    """Check every record in a tournament's file, and the result that stands beside it.

    Raises:
        StoreError: the file can't be read.
    """
    proof = Proof()
    with Reader(path) as reader:
        seeds = reader.opened()
        proof.opened = seeds is not None
        names = {entrant.number: entrant.name for entrant in reader.entrants()}
        for game in reader.games():
            try:
                raw = reader.record(game.id)
                if raw is None:
                    continue
                fault = verify_bytes(raw, game.id).fault or _other(raw, game, names)
                if fault is None and seeds is not None:
                    fault = _foreign(raw, game, seeds[reader.epoch(game)])
            except DicegameError as error:
                fault = error.message
            if fault is None:
                proof.valid += 1
            else:
                proof.wrong.append((game.id, fault))
    return proof


def _other(raw: bytes, game: StoredGame, names: Mapping[int, str]) -> str | None:
    """Say in what a record differs from the result that stands beside it."""
    record = read_bytes(raw, game.id)
    result = record.result()
    if result is None or result.scores != game.scores:
        return _("the scores in the table are not those of the record")
    if record.header.players != [names[number] for number in game.entrants]:
        return _("the players in the table are not those of the record")
    return None


def _foreign(raw: bytes, game: StoredGame, seed: bytes) -> str | None:
    """Say that the dice of a game were not made from the dice seed, if so."""
    key = BlockSpec.of(seed, game.block, game.pairing).key
    lines = [line for _number, line in read_bytes(raw, game.id).lines if isinstance(line, KeyLine)]
    if not lines or lines[-1].dice_key != key.hex():
        return _("its dice were not made from the dice seed")
    return None
