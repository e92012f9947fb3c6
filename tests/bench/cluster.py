"""A Dask cluster on this machine beside the processes of a match: two workers each, at jobs of about a second."""

from __future__ import annotations

import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dicegame.match.job import Job
from dicegame.match.local import LocalWorkers
from dicegame.match.plan import BlockSpec
from dicegame.match.play import MatchSpec, TaskResult
from dicegame.match.pool import Played, Pool, Workers
from dicegame.rules.load import load
from dicegame.tournament.cluster import ClusterWorkers
from tests.tournament.daskcluster import LoopbackCluster

ROOT = Path(__file__).resolve().parent.parent.parent
JOBS = 8
ROUNDS = 5
SECONDS = 1.0
WANTED = 0.9


def run() -> None:
    """Print the throughput of two Dask workers over that of two local ones: built-in players, and programs."""
    with tempfile.TemporaryDirectory() as folder, LoopbackCluster(Path(folder)) as cluster:
        cluster.worker()
        cluster.worker()
        cluster.wait(2)
        for name, word in _players(Path(folder)).items():
            spec = MatchSpec(load("ten-thousand"), (word, word), ("a", "b"))
            here, there = _Side(LocalWorkers(2), spec), _Side(ClusterWorkers(cluster.address), spec)
            blocks = max(1, round(here.rate(100) / 2 / spec.players * SECONDS))
            pairs = [
                (here.rate(blocks), there.rate(blocks)) for _round in range(ROUNDS)
            ]  # in turn: others use the machine
            busy = [side.busy for side in (here, there)]
            here.close()
            there.close()
            ratios = sorted(dask / local for local, dask in pairs)
            rate = statistics.median(local for local, _dask in pairs)
            print(
                f"{name}: two Dask workers make {statistics.median(ratios):.3f} of what two local ones do (wanted at least {WANTED}; "
                f"{ratios[0]:.2f} to {ratios[-1]:.2f}), at jobs of {2 * spec.players * blocks / rate:.2f} s; "
                f"local workers play {busy[0]:.1%} of the time, Dask's {busy[1]:.1%}"
            )


def _players(folder: Path) -> dict[str, str]:
    players = {"built-in": "house", "python bot": f"{sys.executable} {ROOT / 'bots' / 'python' / 'bot.py'}"}
    compiler = shutil.which("cc")
    if compiler is not None:
        program = folder / "bot"
        subprocess.run([compiler, "-O2", "-o", str(program), str(ROOT / "bots" / "c" / "bot.c")], check=True)
        players["c bot"] = shlex.quote(str(program))
    return players


class _Side:
    """Workers that have begun, and play the same match again and again."""

    def __init__(self, workers: Workers, spec: MatchSpec) -> None:
        self._pool = Pool(workers)
        self._spec = spec
        self._dealt = 0
        self._play(1)
        self._seconds = self._playing = 0.0

    def rate(self, blocks: int) -> float:
        """Return the games a second of all workers together, at jobs of so many blocks."""
        begun = time.perf_counter()
        results = self._play(blocks)
        seconds = time.perf_counter() - begun
        self._seconds += 2 * seconds
        self._playing += sum(result.seconds for result in results)
        return sum(len(result.games) for result in results) / seconds

    @property
    def busy(self) -> float:
        """The part of the time that a worker plays: what else may use the machine hardly changes it."""
        return self._playing / self._seconds

    def _play(self, blocks: int) -> list[TaskResult]:
        jobs = iter([self._job(blocks) for _number in range(JOBS)])
        played = (task for news in self._pool.play(lambda: next(jobs, None)) for task in news)
        return [task.result for task in played if isinstance(task, Played)]

    def _job(self, blocks: int) -> Job:
        numbers = range(self._dealt, self._dealt + blocks)
        self._dealt += blocks
        return Job(self._spec, tuple(BlockSpec.of(bytes(32), number) for number in numbers))

    def close(self) -> None:
        """End the workers."""
        self._pool.close()
