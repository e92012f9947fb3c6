#!/usr/bin/env python3
"""A sample bot for dicegame: reads the messages of protocol.md on stdin and answers on stdout, one JSON object a line.

Push your luck: it keeps the most points, and banks once another roll would on average lose more than it gains. High dice: it marks
what wins the round most often. Every question is complete in itself, so all that it remembers of a game is what a single 5 is worth.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

Json = dict[str, Any]
Dice = tuple[int, ...]

# The turn points at which another roll of 1, 2 ... 6 dice stops paying, counted in single 5s: much the same in every rule set, since
# they all score 1s, 5s and triples. (`dicegame odds` works it out to the point.)
BANK_AT = (6, 5, 9, 21, 60, 300)


def main() -> None:
    """Answer until the referee says bye or closes our input."""
    five = 0  # points of a single 5 in the game at hand
    for line in sys.stdin.buffer:
        message = json.loads(line)
        kind = message.get("type")
        if kind == "hello":
            send({"type": "ready", "protocol": 1, "name": "sample-python", "version": "1.0"})
        elif kind == "game":
            five = message.get("rules", {}).get("score", {}).get("single", {}).get("5", 0)
        elif kind == "decide":
            send({"type": "decision", "id": message["id"], **decide(message, five)})
        elif kind == "error":  # what was wrong with our last answer; stdout is the wire, so we talk on stderr
            print(message.get("message"), file=sys.stderr)
        elif kind == "bye":
            break


def send(message: Json) -> None:
    """Write one line, at once."""
    print(json.dumps(message), flush=True)


def decide(message: Json, five: int) -> Json:
    """Return our answer to a `decide` message, without its type and id."""
    state = message["state"]
    if "options" not in message:
        return {"keep": best_mark(state, message["seat"])}
    option = message["options"][0]  # all legal keeps are listed, the most points first
    total = state["turn_points"] + option["points"]
    bank = option["bank"] and wants_to_bank(state, message["seat"], total, option["roll"], five)
    return {"keep": option["keep"], "bank": bank}


def wants_to_bank(state: Json, seat: int, total: int, roll: int, five: int) -> bool:
    """Say whether to bank `total` turn points rather than to roll `roll` dice."""
    scores, target = state["scores"], state["target"]
    if state["final_round"] is not None:  # our last turn: second place is worth nothing
        return bool(scores[seat] + total > state["final_round"]["score"])
    if scores[seat] + total >= target:
        return True
    best = max(score for score, out in zip(scores, state["out"], strict=True) if not out)
    at = (five or max(target // 200, 1)) * BANK_AT[roll - 1]
    return bool(total * target >= at * (target + best - scores[seat]))  # who trails must dare more


def best_mark(state: Json, seat: int) -> Dice:
    """Return the dice to hold on to for the best chance of winning the round, or of not losing it."""
    rule, find = state["rule"], state["find"]
    dice = tuple(state["dice"][seat])
    rivals = []
    for other in state["order"]:
        if other != seat:
            marked = state["keeps"][other]  # who has not marked yet is taken to stand pat
            held = state["dice"][other] if marked is None else marked
            rivals.append(outcomes(rule, len(dice), tuple(sorted(held))))
    best, best_chance = dice, -1.0
    for keep in subsets(dice):
        mine = outcomes(rule, len(dice), tuple(sorted(keep)))
        chance = sum(p * worth(rank, rivals, find) for rank, p in mine.items())
        if chance > best_chance + 1e-9:
            best, best_chance = keep, chance
    return best


def subsets(dice: Dice) -> Iterator[Dice]:
    """Yield every choice of dice to hold on to, all of them first."""
    for mask in reversed(range(1 << len(dice))):
        yield tuple(face for i, face in enumerate(dice) if mask >> i & 1)


@cache
def outcomes(rule: str, dice: int, held: Dice) -> dict[int, float]:
    """Return the chance of every rank that `held` dice may come to once there are `dice` of them again."""
    if len(held) == dice:
        return {rank_of(rule, held): 1.0}
    chances: dict[int, float] = {}
    for face in range(1, 7):
        for rank, p in outcomes(rule, dice, tuple(sorted((*held, face)))).items():
            chances[rank] = chances.get(rank, 0) + p / 6
    return chances


def rank_of(rule: str, dice: Dice) -> int:
    """Return what dice are worth: more is better, equal is level."""
    if rule == "sum-low":
        return -sum(dice)
    if rule == "triple-pair":
        face, alike = Counter(dice).most_common(1)[0]
        if alike > 1:
            return face + (20 if alike == 2 else 40)  # above every sum of three dice
    return sum(dice)


def worth(rank: int, rivals: list[dict[int, float]], find: str) -> float:
    """Return the chance that a seat with this rank wins the round (or does not lose it); a tie counts half."""
    sign = -1 if find == "loser" else 1
    found = 1.0
    for rival in rivals:
        found *= sum(p for r, p in rival.items() if sign * r < sign * rank) + rival.get(rank, 0) / 2
    return 1 - found if find == "loser" else found


if __name__ == "__main__":
    main()
