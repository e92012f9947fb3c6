"""Hands jobs out to workers: never more than they can soon play, again what a lost worker took with it, and aside what ends workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from typing import Protocol

from dicegame.errors import EXIT_INTERNAL, DicegameError
from dicegame.match.job import Job
from dicegame.match.play import TaskResult, TooManyVoid
from dicegame.text import _

WINDOW = 2  # jobs a worker that are on their way; never more, however long the match
LOST_TRIES = 3  # times that a block is played, where every time its worker was lost or its game broke


class WorkersLost(DicegameError):
    """Workers ended again and again without a word: something on this machine kills them."""

    code = "workers"
    exit_code = EXIT_INTERNAL


class Workers(Protocol):
    """Where jobs are played: processes here, or a cluster. The executor plays `play(job)`.

    `lost` are the exceptions of a job whose worker is gone. `alone` says that such a job is the one that its worker was at; where it is
    False any job on its way may be the one that ended it.
    """

    lost: tuple[type[BaseException], ...]
    alone: bool

    @property
    def description(self) -> str:
        """What they are, in a few words for the record: how many, and where."""

    @property
    def size(self) -> int:
        """How many jobs can be played at the same time; may change."""

    @property
    def play(self) -> Callable[[Job], TaskResult]:
        """What is submitted with each job."""

    def executor(self) -> Executor:
        """Return where jobs are submitted; started when first wanted, and again after `replace`."""

    def replace(self) -> None:
        """End what is left of workers of which one was lost."""

    def stop(self) -> None:
        """Let every worker end with the game that it plays, as soon as it can."""

    def close(self) -> None:
        """End the workers and their bots."""


@dataclass(slots=True)
class Task:
    """A job, how often it was lost with its worker, and how often its game broke through nobody's fault."""

    job: Job
    lost: int = 0
    void: int = 0

    @property
    def tries(self) -> int:
        """How often it was tried in vain."""
        return self.lost + self.void

    def halves(self) -> list[Task]:
        """Return the task as two, each tried as often."""
        return [Task(half, self.lost, self.void) for half in self.job.halves()]


@dataclass(frozen=True, slots=True)
class Played:
    """A job that was played, with its games: of fewer blocks than it has where the workers were told to stop."""

    job: Job
    result: TaskResult


@dataclass(frozen=True, slots=True)
class SetAside:
    """A block (a job of one) that was tried too often, and why: it will not be played again."""

    job: Job
    why: DicegameError
    tries: int


class Pool:
    """Plays jobs on workers. After `stop`, call `play` again for what was still on its way."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers
        self._running: dict[Future[TaskResult], Task] = {}
        self._suspects: deque[Task] = deque()  # one of these may have ended a worker
        self._stopped = False

    def play(self, deal: Callable[[], Job | None]) -> Iterator[list[Played | SetAside]]:
        """Yield at every wake-up the jobs that were played since and the blocks that are given up; at least every second, then none.

        `deal` returns the next job, or None while there is none: it is asked again after every wake-up, and the end is reached when
        nothing is on its way any more.

        Where any job on its way may have ended the workers, those are played again one by one: innocent blocks come through, and of
        the others the one that does it is found by halving. A worker that is lost is an attempt more for its games.

        Raises:
            DicegameError: a player can't be made, or a bot does not play this game.
        """
        while True:
            broken = not self._fill(deal)
            if not self._running and not self._suspects:
                return
            done, _others = wait(self._running, timeout=1.0, return_when=FIRST_COMPLETED)
            lost = sum(map(self._is_lost, done))
            if (
                lost and not self.workers.alone
            ):  # the others on their way are lost, too; only together do they tell how many
                done, _others = wait(self._running)
                lost = sum(map(self._is_lost, done))
            broken |= lost > 0
            news: list[Played | SetAside] = []
            failed: BaseException | None = None
            for future in done:
                task = self._running.pop(future)
                failure = None if future.cancelled() else future.exception()
                if self._is_lost(future):
                    task.lost += 1
                    news += self._suspect(task, crowd=lost > 1)
                elif isinstance(failure, TooManyVoid):
                    task.void += 1
                    news += self._suspect(task, crowd=False, why=failure)
                elif failure is not None:
                    failed = failure
                elif not future.cancelled():
                    news.append(Played(task.job, _with_attempts(future.result(), task.tries)))
            yield news
            if failed is not None:
                raise failed
            if broken and not self._running:
                self.workers.replace()

    def _is_lost(self, future: Future[TaskResult]) -> bool:
        return not future.cancelled() and isinstance(future.exception(), self.workers.lost)

    def _fill(self, deal: Callable[[], Job | None]) -> bool:
        """Give the workers enough to do, those jobs first that were lost; return False if there are no workers any more."""
        if self._stopped:
            self._running = {future: task for future, task in self._running.items() if not future.cancel()}
            self._suspects.clear()
            return True
        while True:
            alone = bool(self._suspects) and not self.workers.alone
            if len(self._running) >= (1 if alone else WINDOW * self.workers.size):
                return True
            if self._suspects:
                task = self._suspects[0]
            else:
                job = deal()
                if job is None:
                    return True
                task = Task(job)
                self._suspects.append(task)
            try:
                future = self.workers.executor().submit(self.workers.play, task.job)
            except self.workers.lost:
                return False
            self._running[future] = self._suspects.popleft()
            if alone:
                return True

    def _suspect(self, task: Task, *, crowd: bool, why: DicegameError | None = None) -> list[SetAside]:
        """Try a task again, in halves where it must hold the block that did it, or give it up."""
        blamed = self.workers.alone or not crowd or why is not None
        if not blamed:
            self._suspects.append(task)
        elif len(task.job.blocks) > 1:
            self._suspects.extend(task.halves())
        elif task.tries < LOST_TRIES:
            self._suspects.append(task)
        else:
            lost = WorkersLost(_("the processes that play are killed again and again: is there too little memory?"))
            return [SetAside(task.job, why or lost, task.tries)]
        return []

    def stop(self) -> None:
        """Play nothing more than the games that are on."""
        self._stopped = True
        self.workers.stop()

    def close(self) -> None:
        """End the workers."""
        self.stop()
        self.workers.close()


def _with_attempts(result: TaskResult, more: int) -> TaskResult:
    """Count the times that the games of a task were lost as attempts."""
    for game in result.games:
        game.attempts += more
    return result
