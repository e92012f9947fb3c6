"""Workers: processes that play blocks, one a core, each pinned before it starts its bots; none outlives its parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import connection
from multiprocessing import util as multiprocessing_util
from typing import Any

from dicegame import text
from dicegame.errors import EXIT_INTERNAL, DicegameError
from dicegame.match.plan import BlockSpec
from dicegame.match.play import Lanes, MatchSpec, TaskResult, play_blocks
from dicegame.text import _

WINDOW = 2  # tasks a worker that are on their way; never more, however long the match
LOST_TRIES = 3  # times that workers may be lost over the same blocks

_lanes: Lanes | None = None
_failure: DicegameError | None = None
_stop: Any = None


def cores() -> list[int]:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _begin(spec: MatchSpec, language: str, taken: Any, stop: Any) -> None:  # noqa: ANN401 - shared values of multiprocessing
    """Settle one worker: its core, its end, its players. Runs once in each."""
    global _failure, _lanes, _stop  # noqa: PLW0603 - a worker process has one match
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    with taken.get_lock():
        place = taken.value
        taken.value += 1
    pin(place)
    text.use(language)
    _stop = stop
    try:
        _lanes = Lanes(spec)
    except DicegameError as error:  # raised again by the first task: an initializer's own errors only break the pool
        _failure = error
        return
    multiprocessing_util.Finalize(_lanes, _lanes.close, exitpriority=10)


def _end_with(sentinel: int) -> None:
    """End this process when its parent does, however that happens; the supervisor then ends the bots."""
    connection.wait([sentinel])
    os._exit(1)


def pin(place: int) -> None:
    """Stay on one core, and with this process every bot that it starts: half the speed is lost otherwise."""
    if hasattr(os, "sched_setaffinity"):
        available = cores()
        os.sched_setaffinity(0, {available[place % len(available)]})


def _task(blocks: Sequence[BlockSpec]) -> TaskResult:
    if _failure is not None:
        raise _failure
    if _lanes is None:
        raise AssertionError("a worker that was not begun")
    return play_blocks(_lanes, blocks, lambda: bool(_stop.value))


class WorkersLost(DicegameError):
    """Workers ended again and again without a word: something on this machine kills them."""

    code = "workers"
    exit_code = EXIT_INTERNAL


@dataclass(slots=True)
class _Task:
    """Blocks that are to be played, and how many workers were lost over them."""

    blocks: Sequence[BlockSpec]
    lost: int = 0


class Pool:
    """A pool of workers for one match. A context manager; leaving it ends them and their bots."""

    def __init__(self, spec: MatchSpec, workers: int) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._stop = self._context.RawValue("b", 0)  # without a lock, which a worker that is killed would keep
        self._spec = spec
        self.workers = workers
        self._executor = self._start()
        self._running: dict[Future[TaskResult], _Task] = {}
        self._again: list[_Task] = []  # what is to be played again

    def _start(self) -> ProcessPoolExecutor:
        taken = self._context.Value("i", 0)
        settled = (self._spec, text.language(), taken, self._stop)
        return ProcessPoolExecutor(self.workers, mp_context=self._context, initializer=_begin, initargs=settled)

    def play(self, tasks: Iterator[Sequence[BlockSpec]]) -> Iterator[TaskResult | None]:
        """Yield the result of every task as it comes, and None every second in between.

        Called again after an interrupt, it yields what was still on its way. A worker that is killed takes all others with it: the
        games that were on their way are void then, and played again.

        Raises:
            WorkersLost: that happened too often.
        """
        while True:
            broken = not self._fill(tasks)
            if not self._running and not self._again:
                return
            done, _others = wait(self._running, timeout=1.0, return_when=FIRST_COMPLETED)
            if not done:
                yield None
            for future in done:
                task = self._running.pop(future)
                try:
                    result = None if future.cancelled() else future.result()
                except BrokenProcessPool:
                    broken = True
                    self._again.append(task)
                    continue
                if result is not None:
                    yield _with_attempts(result, task.lost)
            if broken and not self._running:
                self._replace()

    def _fill(self, tasks: Iterator[Sequence[BlockSpec]]) -> bool:
        """Give the workers enough to do, those tasks first that were lost; return False if there are no workers any more."""
        if self._stop.value:
            self._running = {future: task for future, task in self._running.items() if not future.cancel()}
            self._again = []
        while len(self._running) < WINDOW * self.workers and not self._stop.value:
            if not self._again:
                blocks = next(tasks, None)
                if blocks is None:
                    break
                self._again.append(_Task(blocks))
            try:
                future = self._executor.submit(_task, self._again[-1].blocks)
            except BrokenProcessPool:
                return False
            self._running[future] = self._again.pop()
        return True

    def _replace(self) -> None:
        """Put new workers in the place of those that are lost, or give up."""
        self._executor.shutdown(wait=True, cancel_futures=True)
        if self._stop.value:
            return
        for task in self._again:
            task.lost += 1
            if task.lost > LOST_TRIES:
                raise WorkersLost(_("the processes that play are killed again and again: is there too little memory?"))
        self._executor = self._start()

    def stop(self) -> None:
        """Let every worker end with the game that it plays."""
        self._stop.value = 1

    def close(self) -> None:
        """End the workers."""
        self.stop()
        self._executor.shutdown(wait=True, cancel_futures=True)


def _with_attempts(result: TaskResult, more: int) -> TaskResult:
    """Count the times that the games of a task were lost as attempts."""
    for game in result.games:
        game.attempts += more
    return result
