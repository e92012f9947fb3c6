"""Workers on this machine: processes, one a core, each pinned before it starts its bots; none outlives its parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection
from multiprocessing import util as multiprocessing_util
from typing import Any

from dicegame import text
from dicegame.match.job import end_bots, play_block, stop_when


def cores() -> list[int]:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def pin(place: int) -> None:
    """Stay on one core, and with this process every bot that it starts: half the speed is lost otherwise."""
    if hasattr(os, "sched_setaffinity"):
        available = cores()
        os.sched_setaffinity(0, {available[place % len(available)]})


def _begin(language: str, taken: Any, stop: Any) -> None:  # noqa: ANN401 - shared values of multiprocessing
    """Settle one worker: its core, its language, its end. Runs once in each."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    with taken.get_lock():
        place = taken.value
        taken.value += 1
    pin(place)
    text.use(language)
    stop_when(lambda: bool(stop.value))
    multiprocessing_util.Finalize(None, end_bots, exitpriority=10)


def _end_with(sentinel: int) -> None:
    """End this process when its parent does, however that happens; the supervisor then ends the bots."""
    connection.wait([sentinel])
    os._exit(1)


class LocalWorkers:
    """Worker processes on this machine. One of them that is killed takes all others with it, and new ones take their place."""

    play = staticmethod(play_block)
    lost: tuple[type[BaseException], ...] = (BrokenProcessPool,)
    alone = False

    def __init__(self, size: int) -> None:
        self.size = size
        self.description = f"{size} local"
        self._context = multiprocessing.get_context("spawn")
        self._stop = self._context.RawValue("b", 0)  # without a lock, which a worker that is killed would keep
        self._executor: ProcessPoolExecutor | None = None

    def executor(self) -> Executor:
        """Return where jobs are submitted; started when first wanted, and again after `replace`."""
        if self._executor is None:
            settled = (text.language(), self._context.Value("i", 0), self._stop)
            self._executor = ProcessPoolExecutor(
                self.size, mp_context=self._context, initializer=_begin, initargs=settled
            )
        return self._executor

    def replace(self) -> None:
        """End what is left of the workers, so that new ones take their place."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None

    def stop(self) -> None:
        """Let every worker end with the game that it plays."""
        self._stop.value = 1

    def close(self) -> None:
        """End the workers and their bots."""
        self.stop()
        self.replace()
