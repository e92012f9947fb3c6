"""Games between two built-ins through the real engine and referee loop, on one core, without a record; and with one."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from dicegame.dice import SeededDice, stream_key
from dicegame.games import engine_for
from dicegame.games.base import Decision
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.players.builtin import make
from dicegame.record.write import RecordWriter
from dicegame.referee import Referee
from dicegame.rules.load import load

T = TypeVar("T")

GAMES = 3000
WANTED = 1200


class _Counting(Referee):
    """A referee that tells how many turns were begun."""

    turns = 0

    def _throw(self, state: PushLuckState) -> PushLuckState:
        self.turns += state.rolls == 0
        after: PushLuckState = super()._throw(state)
        return after


def run() -> None:
    """Print games, turns and decisions a second and core, and the ratios to the bare engine and to a hash loop."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    engine = engine_for(load("ten-thousand"))
    if not isinstance(engine, PushLuck):
        raise TypeError("ten-thousand is push your luck")
    play(engine, 200, None)
    bare, _nothing = _timed(lambda: _bare(engine, GAMES))
    seconds, (turns, decisions) = _timed(lambda: play(engine, GAMES, None))
    print(f"house against house to 10 000: {GAMES / seconds:.0f} games, {turns / seconds:.0f} turns and "
          f"{decisions / seconds:.0f} decisions a second and core; wanted at least {WANTED} games")  # fmt: skip
    print(
        f"the referee takes {seconds / bare:.2f} times as long as the engine alone with its dice and a fixed threshold"
    )
    hashes, _nothing = _timed(_hash_loop)
    print(f"a game takes as long as {seconds / GAMES / (hashes / 100_000):.0f} SHA-256 of 42 bytes")
    with tempfile.TemporaryDirectory() as folder:
        recorded, _counts = _timed(lambda: play(engine, GAMES // 10, Path(folder)))
    print(f"with a record, every line handed to the system at once: {recorded * 10 / seconds:.1f} times as long")


def play(engine: PushLuck, games: int, folder: Path | None) -> tuple[int, int]:
    """Play games of house against house by the bare referee; return the turns and decisions."""
    players = [make("house"), make("house")]
    turns = decisions = 0
    for stream in range(games):
        key = stream_key(bytes(32), stream)
        observers = [] if folder is None else [RecordWriter(folder / f"{stream}.jsonl")]
        referee = _Counting(engine, players, SeededDice(key), seed_key=key, observers=observers)
        referee.play()
        turns += referee.turns
        decisions += referee.decisions
        for observer in observers:
            observer.close()
    return turns, decisions


def _bare(engine: PushLuck, games: int) -> None:
    """Play the engine alone: no referee, no player objects, bank at 300."""
    for stream in range(games):
        dice = SeededDice(stream_key(bytes(32), stream))
        state, _events = engine.start(2)
        while state.outcome is None:
            if state.roll is None:
                throw = engine.throws(state)[0]
                fell = dice.roll(throw.seat, throw.turn, throw.roll, throw.dice)
                state, _events = engine.thrown(state, [fell])
            else:
                keep = state.roll.keeps[0]
                state, _events = engine.decide(state, Decision(keep.keep, state.turn_points + keep.points >= 300))


def _hash_loop() -> None:
    for i in range(100_000):
        hashlib.sha256(i.to_bytes(42, "big")).digest()


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result
