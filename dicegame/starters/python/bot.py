#!/usr/bin/env python3
"""my-bot: a bot for dicegame that plays every game, simply. Make it yours: the two functions that think are at the end.

The referee writes one JSON object a line to our stdin, and we write our answers to stdout, a line each. Nothing else may go to
stdout: print what you want to see to stderr. protocol.md describes every message and field.
"""

from __future__ import annotations

import json
import sys
from typing import Any

Json = dict[str, Any]


def main() -> None:
    """Answer messages until the referee says bye or closes our input."""
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "hello":
            send({"type": "ready", "protocol": 1, "name": "my-bot"})
        elif message["type"] == "decide":
            # The id says which question this answers. Push-your-luck games list what is legal; high dice does not need to.
            think = push_luck if "options" in message else high_dice
            send({"type": "decision", "id": message["id"], **think(message, message["state"])})
        elif message["type"] == "error":  # our last answer was wrong, and this says why
            print(message["message"], file=sys.stderr)
        elif message["type"] == "bye":
            break
        # Pass over all other messages: `game` tells the rules as a game begins, `result` how it ended; and there may be new ones.


def send(message: Json) -> None:
    """Write one line. Without the flush it would stay in a buffer while the referee waits for it."""
    print(json.dumps(message), flush=True)


def push_luck(message: Json, state: Json) -> Json:
    """Choose which dice to keep, and whether to bank or to roll the others (ten-thousand, thousand and their like)."""
    # An option is a legal keep: its dice, their points, how many dice the next roll has, and whether we may bank after it.
    # The one with the most points comes first. Idea: fewer points may leave more dice to roll.
    option = message["options"][0]
    turn_points = state["turn_points"] + option["points"]
    score = state["scores"][message["seat"]] + turn_points  # what we would have after banking
    if state["final_round"]:
        bank = score > state["final_round"]["score"]  # our last turn: only the lead is worth banking
    elif score >= state["target"]:
        bank = True
    else:
        # Idea: rolling 6 dice is nearly safe, rolling 1 is mostly a bust. `dicegame odds` has the figures; see option["roll"].
        bank = turn_points >= state["target"] * 3 // 100
    return {"keep": option["keep"], "bank": bank and option["bank"]}


def high_dice(message: Json, state: Json) -> Json:
    """Choose which of our dice to hold on to; all others are rolled once more."""
    dice = state["dice"][message["seat"]]  # the others' dice are there too. Idea: stand pat if they can't catch up
    if state["rule"] == "sum-high":
        keep = [face for face in dice if face >= 4]  # a new roll is worth 3.5
    elif state["rule"] == "sum-low":
        keep = [face for face in dice if face <= 3]
    else:  # triple-pair
        keep = [face for face in dice if dice.count(face) > 1]
    return {"keep": keep}


if __name__ == "__main__":
    main()
