"""A bot that remembers all dice it ever saw, in its process and in a file, and plays by them. Run as a script; imports nothing of ours.

Its argument is `notes:FILE`; `-` leaves it with the memory of its process, and `honest` without any.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
Place = tuple[int, int, int]  # seat, turn of the seat, roll of the turn
KNOWN = 2  # rolls that must be those of a game that was seen, before it is taken for the same dice


def scores(dice: list[int]) -> bool:
    """Say whether a roll of at most six dice is no bust, as far as a bot of some lines knows."""
    return 1 in dice or 5 in dice or any(dice.count(face) >= 3 for face in dice)


class Bot:
    """Holds at 300, but for what it remembers."""

    def __init__(self, notes: str) -> None:
        self.notes = notes
        self.games: list[dict[Place, list[int]]] = []
        self.now: dict[Place, list[int]] = {}
        self.at: Place = (0, 0, 0)

    def hear(self, message: Json) -> None:
        """Answer one message."""
        kind = message["type"]
        if kind == "hello":
            self.say({"type": "ready", "protocol": 1, "name": "rememberer", "events": True})
        elif kind == "game":
            self.now, self.turns = {}, [-1] * len(message["players"])
            self.before = self.games
        elif kind == "event":
            self.see(message)
        elif kind == "decide":
            self.say({"type": "decision", "id": message["id"], **self.decide(message)})
        elif kind == "result" and self.notes != "honest":
            self.games.append(self.now)
            self.write()

    def say(self, message: Json) -> None:
        """Write one line."""
        print(json.dumps(message), flush=True)

    def see(self, message: Json) -> None:
        """Note every roll at its place."""
        seat = message.get("seat", 0)
        if message["event"] == "turn":
            self.turns[seat] += 1
            if self.turns[seat] < 3:  # the process that knows may still be writing when the game begins
                self.before = [*self.games, *self.written()]
            self.at = (seat, self.turns[seat], -1)
        elif message["event"] == "roll":
            self.at = (*self.at[:2], self.at[2] + 1)
            self.now[self.at] = message["dice"]

    def decide(self, message: Json) -> Json:
        """Keep the most points, and bank at 300, or as foreseen."""
        best = message["options"][0]
        bank = best["bank"] and message["state"]["turn_points"] + best["points"] >= 300
        coming = self.foreseen((*self.at[:2], self.at[2] + 1))
        known = [option for option in message["options"] if coming is not None and option["roll"] <= len(coming)]
        if coming is not None and known:
            safe = [option for option in known if scores(coming[: option["roll"]])]
            best, bank = (safe[0], False) if safe else (best, best["bank"])
        return {"keep": best["keep"], "bank": bank}

    def foreseen(self, place: Place) -> list[int] | None:
        """Return the dice that fell there in a game that was over the same dice."""
        for game in self.before:
            both = [key for key in self.now if key in game]
            if len(both) >= KNOWN and all(self.same(self.now[key], game[key]) for key in both) and place in game:
                return game[place]
        return None

    @staticmethod
    def same(one: list[int], other: list[int]) -> bool:
        """Say whether two rolls of one place are of the same dice: fewer dice are the first of more."""
        length = min(len(one), len(other))
        return one[:length] == other[:length]

    def written(self) -> Iterator[dict[Place, list[int]]]:
        """Yield what other processes of this bot have written down."""
        if self.notes in {"-", "honest"}:
            return
        try:
            with open(self.notes, encoding="utf-8") as file:  # noqa: PTH123 - no imports that take time
                for line in file.readlines()[-50:]:
                    yield {tuple(place): dice for place, dice in json.loads(line)}
        except (OSError, ValueError):
            return

    def write(self) -> None:
        """Write a game down for other processes."""
        if self.notes in {"-", "honest"}:
            return
        with contextlib.suppress(OSError), open(self.notes, "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write(json.dumps(list(self.now.items())) + "\n")


if __name__ == "__main__":
    bot = Bot(sys.argv[1].removeprefix("notes:"))
    for line in sys.stdin:
        heard = json.loads(line)
        if heard["type"] == "bye":
            break
        bot.hear(heard)
