"""Solving, and deciding by what was solved."""

from __future__ import annotations

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dicegame.dice import seed_from_text
from dicegame.games.base import Phase
from dicegame.games.pushluck import PushLuck
from dicegame.match.plan import BlockSpec
from dicegame.match.play import GameResult, Lanes, MatchSpec, play_blocks
from dicegame.rules.load import load
from dicegame.rules.model import PushLuckRules
from dicegame.values.judges import judge_for

DECISIONS = 200
BLOCKS = 1000
PAIRS = (
    ("hold:at=300", "hold:at=350", "optimal"),
    ("hold:at=300,hot=roll", "hold:at=350,hot=roll", "optimal"),
    ("hold:at=300", "hold:at=350", "hold:at=300"),
    ("house", "hold:at=300", "optimal"),
    ("hold:at=250", "hold:at=600", "optimal"),
    ("hold:at=250", "hold:at=600", "hold:at=300"),
    ("random", "house", "optimal"),
    ("cautious", "maxpoints", "optimal"),
)


def run() -> None:
    """Print how long the default game takes to solve, compiled code at hand, and the memory that it needs."""
    for target, wanted in ((1000, "(compiles, if it must)"), (5000, "wanted under 6 s"), (10_000, "wanted under 30 s")):
        code = (
            "import resource, time\n"
            "from dicegame.rules.load import load\n"
            "from dicegame.values.exact.solve import cores, solve\n"
            "begun = time.perf_counter()\n"
            f"solved = solve(load('ten-thousand', target={target}))\n"
            "axis = solved.axis\n"
            "print(time.perf_counter() - begun, solved.value(axis.target, axis.target), cores(),\n"
            "      resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)\n"
        )
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        print(f"ten-thousand to {target}: {float(told[0]):.1f} s on {told[2]} cores, first player {told[1]}, "
              f"{told[3]} MiB at most (wanted under 500); {wanted}")  # fmt: skip


def run_hint() -> None:
    """Print how long a decision takes to judge in plain Python from the values that ship."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DICEGAME_CACHE"] = folder  # nothing but what ships
        engine = PushLuck(_rules("ten-thousand"))
        begun = time.perf_counter()
        judge = judge_for(engine, 2)
        first = time.perf_counter() - begun
        times: list[float] = []
        draw = random.Random(1)
        state, _events = engine.start(2)
        while len(times) < DECISIONS:
            if state.phase is Phase.OVER:
                state, _events = engine.start(2)
            elif state.phase is Phase.THROW:
                state, _events = engine.thrown(state, [tuple(draw.randint(1, 6) for _die in range(state.free))])
            else:
                begun = time.perf_counter()
                best = judge.decisions(state)[0].decision
                times.append(time.perf_counter() - begun)
                state, _events = engine.decide(state, best)
        del os.environ["DICEGAME_CACHE"]
    milliseconds = sorted(1000 * seconds for seconds in times)
    print(f"values read in {1000 * first:.0f} ms; a decision judged: median {statistics.median(milliseconds):.1f} ms, "
          f"longest of {DECISIONS} {milliseconds[-1]:.1f} ms; wanted under 30")  # fmt: skip


def run_luck() -> None:
    """Print how many times fewer games need be played with luck taken out, and what that costs once warm."""
    rules = _rules("ten-thousand")
    blocks = [BlockSpec.of(seed_from_text("bench"), number) for number in range(BLOCKS)]
    with tempfile.TemporaryDirectory() as folder:
        for first, second, player in PAIRS:
            spec = MatchSpec(rules, (first, second), ("a", "b"), luck=player, turns=Path(folder))
            games = play_blocks(Lanes(spec), blocks).games
            print(f"{first} against {second}, by the table of {player}: {_factor(games):.1f} times fewer games")
        spec = MatchSpec(rules, ("hold:at=300", "hold:at=350"), ("a", "b"))
        raw = _cpu(Lanes(spec), blocks)
        for player in ("optimal", "hold:at=300"):
            warm = Lanes(MatchSpec(rules, spec.words, spec.names, luck=player, turns=Path(folder)))
            play_blocks(warm, blocks)
            print(
                f"a warm match by the table of {player} costs {_cpu(warm, blocks) / raw:.2f} times a raw one; wanted at most 2"
            )


def _factor(games: list[GameResult]) -> float:
    """Return the variance of a block's mean over that of its adjusted mean."""
    raw, adjusted = [], []
    for one, other in zip(games[::2], games[1::2], strict=True):
        assert one.luck is not None
        assert other.luck is not None
        raw.append(one.shares[0] + other.shares[0])
        adjusted.append(raw[-1] - one.luck[0] - other.luck[0])
    return statistics.variance(raw) / statistics.variance(adjusted)


def _cpu(lanes: Lanes, blocks: list[BlockSpec]) -> float:
    begun = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    play_blocks(lanes, blocks)
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime - begun


def _rules(name: str) -> PushLuckRules:
    rules = load(name)
    assert isinstance(rules, PushLuckRules)
    return rules
