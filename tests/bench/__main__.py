"""The benchmark: `python -m tests.bench [NAME...]`. Figures of one run belong together: trust the ratios, not the times."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from dicegame.match.local import cores
from tests.bench import cluster, games, referee, simulate, solving, startup, tournament

BENCHES: dict[str, Callable[[], None]] = {
    "startup": startup.run,
    "games": games.run,
    "referee": referee.run,
    "workers": referee.run_workers,
    "faults": referee.run_faults,
    "memory": referee.run_memory,
    "solve": solving.run,
    "hint": solving.run_hint,
    "luck": solving.run_luck,
    "simulate": simulate.run,
    "cluster": cluster.run,
    "tournament": tournament.run,
    "million": tournament.run_million,
}


def main(names: list[str]) -> int:
    """Run the benches that are named, or all of them."""
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"no bench {', '.join(unknown)}; there are: {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    for name in names or BENCHES:
        print(f"== {name}")
        before = cores()
        BENCHES[name]()
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, before)  # a bench may have stayed on one core
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
