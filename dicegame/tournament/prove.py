"""Prove a tournament: every record that was kept, and that all dice come from the seed that was committed to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dicegame.errors import DicegameError
from dicegame.match.plan import BlockSpec
from dicegame.match.play import Records
from dicegame.record.lines import KeyLine
from dicegame.record.read import read_bytes
from dicegame.record.verify import verify_bytes
from dicegame.text import _, quote
from dicegame.tournament.reader import Reader, StoredGame
from dicegame.tournament.sums import Entrant


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
        entrants = {entrant.number: entrant for entrant in reader.entrants()}
        for game in reader.games():
            try:
                raw = reader.record(game.id)
                if raw is None and reader.plan.records is not Records.ALL:
                    continue
                fault = _("its record is missing") if raw is None else _fault(raw, game, entrants)
                if raw is not None and fault is None and seeds is not None:
                    fault = _foreign(raw, game, seeds.get(reader.epoch(game)))
            except DicegameError as error:
                fault = error.message
            if fault is None:
                proof.valid += 1
            else:
                proof.wrong.append((game.id, fault))
    return proof


def _fault(raw: bytes, game: StoredGame, entrants: Mapping[int, Entrant]) -> str | None:
    """Say what is wrong with a record, or in what it differs from the result that stands beside it; None if nothing is."""
    wrong = verify_bytes(raw, game.id).fault
    if wrong is not None:
        return wrong
    record = read_bytes(raw, game.id)
    result = record.result()
    seated = [entrants.get(number) for number in game.entrants]
    if record.header.game != game.id:
        return _("the record is that of another game: %s") % quote(record.header.game)
    if len(seated) != len(record.header.players) or not all(
        map(_sits, seated, record.header.players, record.header.specs)
    ):
        return _("the players in the table are not those of the record")
    if result is None or result.scores != game.scores:
        return _("the scores in the table are not those of the record")
    shares = tuple(1 / len(result.winners) if seat in result.winners else 0.0 for seat in range(len(seated)))
    if (*shares, result.reason) != (*game.shares, game.reason):
        return _("the result in the table is not that of the record")
    return None


def _sits(entrant: Entrant | None, name: str, spec: str) -> bool:
    """Say whether an entrant is who a record says it is; where a bot lies may differ from machine to machine."""
    return entrant is not None and entrant.name == name and (entrant.identity is not None or entrant.word == spec)


def _foreign(raw: bytes, game: StoredGame, seed: bytes | None) -> str | None:
    """Say that the dice of a game were not made from the dice seed, if so."""
    if seed is None:
        return _("its dice were not made from the dice seed")
    key = BlockSpec.of(seed, game.block, game.pairing).key
    lines = [line for _number, line in read_bytes(raw, game.id).lines if isinstance(line, KeyLine)]
    if not lines or lines[-1].dice_key != key.hex():
        return _("its dice were not made from the dice seed")
    return None
