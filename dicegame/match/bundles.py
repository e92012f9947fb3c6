"""The bundle of a fault: what the bot's author needs to find it, and the command that plays its game again."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass
from typing import Any

from dicegame.match.plan import seats_of
from dicegame.match.play import GameResult, MatchSpec
from dicegame.players.faults import FaultReport
from dicegame.players.specs import named


@dataclass(frozen=True, slots=True)
class Bundle:
    """A fault of a player, the key of the dice that it happened over, and the command that plays this game again."""

    player: str
    fault: FaultReport
    dice_key: str
    again: str

    def as_json(self) -> dict[str, Any]:
        """Return the object that is written to a file, and that stands in the result of the match."""
        return {"player": self.player, **asdict(self.fault), "dice_key": self.dice_key, "again": self.again}


def bundles(spec: MatchSpec, game: GameResult) -> list[Bundle]:
    """Return a bundle for every fault of a game, in the order in which they happened."""
    if not game.faults:
        return []
    command = again(spec, game)
    return [Bundle(spec.names[place], fault, game.key, command) for place, fault in game.faults]


def again(spec: MatchSpec, game: GameResult) -> str:
    """Return the shell command that plays a game of a match again: the same dice, seats, treatment, and seeds of the players.

    Words of bots that name files in the folder of the match mean these only there.
    """
    players = [named(spec.words[place], spec.names[place]) for place in seats_of(spec.players, game.rotation)]
    dice = ("--dice-key", game.key, "--rotation", str(game.rotation))
    return shlex.join(["dicegame", "play", spec.source or spec.rules.name, *players, *spec.options, *dice])
