"""The whole path of a tournament beside the bare referee loop; and a file of a million games."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from dicegame.games import engine_for
from dicegame.games.pushluck import PushLuck
from dicegame.match.job import Job
from dicegame.match.local import LocalWorkers, pin
from dicegame.match.play import GameResult, TaskResult, Usage
from dicegame.rules.load import load
from dicegame.tournament.make import make
from dicegame.tournament.plan import check_file
from dicegame.tournament.reader import Reader
from dicegame.tournament.run import Run, run_tournament
from dicegame.tournament.standings import standings
from tests.bench.games import play

WORKERS = 2
SECONDS = 12.0
WANTED, WANTED_RECORDED = 0.8, 0.6
MILLION = 1_000_000
ROOT = Path(__file__).resolve().parent.parent.parent


def run() -> None:
    """Print games a second through the whole path over those of as many bare loops, and how long an interrupt takes."""
    bare = _bare_loops()
    for records, wanted in (("none", WANTED), ("all", WANTED_RECORDED)):
        rate = _tournament(records)
        print(f"house against house, {WORKERS} workers, records {records}: {rate:.0f} games a second, {rate / bare:.2f} of "
              f"{WORKERS} bare loops ({bare:.0f}); wanted {wanted}")  # fmt: skip
    print(f"from the interrupt to the exit: {_interrupt():.2f} s; wanted under 2")


def run_million() -> None:
    """Print what a million games cost: the memory of the parent, the standings, and how soon a resumed run plays."""
    with tempfile.TemporaryDirectory() as folder:
        script = "from tests.bench.tournament import fill; import sys; fill(sys.argv[1])"
        subprocess.run([sys.executable, "-c", script, folder], cwd=ROOT, check=True)
        store = Path(folder) / "million.db"
        print(f"the file: {store.stat().st_size / MILLION:.0f} bytes a game, records off")
        begun = time.perf_counter()
        with Reader(store) as reader:
            found = standings(reader.entrants(), reader.sums(), 2)
        print(f"standings of {sum(row.games for row in found.rows) // 2} games: {time.perf_counter() - begun:.2f} s; "
              "wanted under 5")  # fmt: skip
        print(f"resume starts playing after {_resume(store):.2f} s; wanted under 3")


def _bare_loops() -> float:
    """Return the games a second of bare referee loops, one a core, together."""
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        return sum(pool.map(_bare, range(WORKERS)))


def _bare(place: int) -> float:
    pin(place)
    engine = engine_for(load("ten-thousand"))
    if not isinstance(engine, PushLuck):
        raise TypeError("ten-thousand is push your luck")
    play(engine, 200, None)
    games, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < SECONDS / 2:
        play(engine, 200, None)
        games += 200
    return games / (time.perf_counter() - begun)


def _plan(records: str, blocks: int) -> Any:
    table = {"blocks": blocks, "records": records, "seed": "bench"}
    return check_file({"tournament": table, "entrant": [{"player": "house"}, {"player": "house"}]}, "bench")


def _tournament(records: str) -> float:
    """Return the games a second of a tournament, from the first to the last wake-up."""
    seen: list[tuple[float, int]] = []

    def progress(state: Run) -> None:
        if state.progress.games_played and state.seconds > 2.0:  # workers and rates are settled
            seen.append((state.seconds, state.progress.games_played))

    with tempfile.TemporaryDirectory() as folder, make(Path(folder) / "t.db", _plan(records, 10**8)) as store:
        run_tournament(store, LocalWorkers(WORKERS), max_time=SECONDS, progress=progress)
    (begun, before), (ended, after) = seen[0], [s for s in seen if s[0] <= SECONDS][-1]
    return (after - before) / (ended - begun)


def _interrupt() -> float:
    with tempfile.TemporaryDirectory() as folder:
        words = ["tournament", "run", "house", "greedy", "--blocks", "1000000", "--store", f"{folder}/t.db", "--json"]
        process = subprocess.Popen(
            [sys.executable, "-m", "dicegame", *words], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while _last_block(Path(folder) / "t.db") < 0:
            time.sleep(0.05)
        begun = time.perf_counter()
        process.send_signal(signal.SIGINT)
        process.wait()
        return time.perf_counter() - begun


def _resume(store: Path) -> float:
    """Return the seconds from the start of the command until a game more stands in the file."""
    before = _last_block(store)
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "dicegame", "tournament", "resume", str(store), "--quiet"],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while _last_block(store) == before and process.poll() is None:
        time.sleep(0.02)
    seconds = time.perf_counter() - begun
    process.send_signal(signal.SIGINT)
    process.wait()
    return seconds


def _last_block(store: Path) -> int:
    """Return the number of the last block that stands in a store: quick, however many there are."""
    if not store.exists():
        return -1
    with Reader(store) as reader:
        return reader.last_block()


class _Synthetic:
    """Workers that make results up at once: what is measured is the parent."""

    lost: tuple[type[BaseException], ...] = ()
    alone = True
    size = 1
    description = "made up"

    @property
    def play(self) -> Callable[[Job], TaskResult]:
        return _made_up

    def executor(self) -> Executor:
        return _AtOnce()

    def replace(self) -> None:
        """Nothing is ever lost."""

    def stop(self) -> None:
        """It stops by itself."""

    def close(self) -> None:
        """There is nothing to close."""


class _AtOnce(Executor):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def _made_up(job: Job) -> TaskResult:
    games = []
    for block in job.blocks:
        for rotation in range(2):
            won = random.random() < 0.5
            scores = [10_050, random.randrange(10_000)]
            games.append(GameResult(block.number, rotation, scores, [float(won), float(not won)], "target", 70, []))
    return TaskResult(games, [Usage(), Usage()], len(job.blocks) * 0.001, "here")


def fill(folder: str) -> None:
    """Play a million made-up games of two million into a file, through the real runner; print what the parent holds."""
    said = iter((0.01, 0.1, 0.5, 0.99, 9.0))
    wanted = [next(said)]

    def progress(state: Run) -> None:
        if state.progress.games_played >= wanted[0] * MILLION:
            print(
                f"the parent after {state.progress.games_played} games: {_memory():.0f} MiB; wanted under 100, and flat"
            )
            wanted[0] = next(said)
        if state.progress.games_played >= MILLION:
            os.kill(os.getpid(), signal.SIGTERM)

    begun = time.perf_counter()
    with make(Path(folder) / "million.db", _plan("none", MILLION)) as store:
        run_tournament(store, _Synthetic(), progress=progress)
        played = store.reader.progress().games_played
    print(f"the store takes in {played / (time.perf_counter() - begun):.0f} games a second, all told")


def _memory() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
