"""Bulk simulation and exact evaluation of fixed players, compiled code at hand."""

from __future__ import annotations

import time

from dicegame.dice import seed_from_text
from dicegame.rules.load import load
from dicegame.rules.model import PushLuckRules
from dicegame.values.exact.evaluate import evaluate
from dicegame.values.exact.simulate import Simulation

GAMES = 3_000_000
WANTED = 1_000_000
PAIRS = (("hold:at=300", "hold:at=400"), ("house", "maxpoints"))


def run() -> None:
    """Print games a second and core, and how long two players take to evaluate and to get ready."""
    rules = load("ten-thousand")
    if not isinstance(rules, PushLuckRules):
        raise TypeError("ten-thousand is push your luck")
    for words in PAIRS:
        Simulation(rules, *words, threads=1)  # compiles, if it must
        begun = time.perf_counter()
        simulation = Simulation(rules, *words, threads=1)
        ready = time.perf_counter() - begun
        begun = time.process_time()
        found = simulation.run(GAMES, seed_from_text("bench"))
        seconds = time.process_time() - begun
        print(f"{words[0]} against {words[1]} to 10 000: {GAMES / seconds:.0f} games and {found.turns / seconds:.0f} turns "
              f"a second and core, ready in {ready:.2f} s; wanted at least {WANTED} games")  # fmt: skip
        begun = time.perf_counter()
        first, second = evaluate(rules, *words)
        print(f"  exactly {(first + second) / 2:.6f} in {time.perf_counter() - begun:.2f} s; simulated {found.share:.6f}, "
              f"standard error {found.standard_error:.6f}")  # fmt: skip
