"""Workers on many machines, by Dask distributed: whoever starts `dask scheduler` and some `dask worker`s has them.

Workers are to be started with `--nthreads 1 --nworkers N`, N the number of cores: a process plays one job at a time. They may come
and go; what a lost one was playing is played again by another.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import pickle
import secrets
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from dicegame import text
from dicegame.errors import EXIT_INTERNAL, DicegameError, InputError
from dicegame.match.job import Job, play_block
from dicegame.match.play import TaskResult, Usage
from dicegame.text import _, number, quote

if TYPE_CHECKING:
    from dicegame.tournament.remote import Parcel
    from dicegame.tournament.shipping import Shipment

CONNECT_SECONDS = 10.0
WORKER_SECONDS = 60.0  # without any worker before it is given up
_ANSWER_SECONDS = 10.0
_LOOK_SECONDS = 1.0  # between two looks at how many workers there are
_P = ParamSpec("_P")
_T = TypeVar("_T")


class ClusterError(DicegameError):
    """A cluster that can't be used as it is, and what would make it usable."""

    code = "cluster"


class ClusterLost(ClusterError):
    """The scheduler, or every worker, is gone in the middle; what was stored is safe."""

    exit_code = EXIT_INTERNAL


class ClusterWorkers:
    """The workers of a Dask cluster, as `match.pool` wants them: jobs are submitted to `executor()`, bots travel by themselves.

    A job that was begun by a worker that is lost fails with one of `lost`, and was then begun once: the pool plays it again and
    counts. One that only waited there moves on to another worker without a word.
    """

    play = staticmethod(play_block)
    alone = True
    lost: tuple[type[BaseException], ...]

    def __init__(
        self, address: str, *, connect_seconds: float = CONNECT_SECONDS, worker_seconds: float = WORKER_SECONDS
    ) -> None:
        """Connect to a scheduler such as `tcp://host:8786`, and wait for a worker.

        Raises:
            ClusterError: Dask distributed is not installed, the scheduler does not answer, there is no worker, or one of them has
                other versions or more than one thread.
        """
        self.address = address
        self._client: Any = _connected(address, connect_seconds)  # Dask has no types to speak of
        from distributed.scheduler import KilledWorker  # noqa: PLC0415 - an extra

        from dicegame.tournament import remote  # noqa: PLC0415 - an extra

        self._remote = remote
        self.lost = (remote.JobLost, KilledWorker)
        self._run = secrets.token_hex(8)
        self._sent = 0
        self._open: set[Any] = set()  # Dask's futures of the jobs that are on their way
        self._shipments: dict[str, Shipment | None] = {}  # by word
        self._tars: dict[str, bytes] = {}  # by digest
        self._worker_seconds = worker_seconds
        self._workers = 0
        self._seen = self._looked = time.monotonic()
        self._stopped = self._closed = False
        try:
            self._await_workers()
            self._check_workers()
        except BaseException:
            self.close()
            raise

    # The protocol of `match.pool.Workers`

    @property
    def description(self) -> str:
        """What they are: how many now, and the scheduler's address."""
        return f"{self._workers} at {self.address}"

    @property
    def size(self) -> int:
        """How many workers there are now; at least 1.

        Raises:
            ClusterLost: the scheduler is gone, or there was no worker in all this time.
        """
        now = time.monotonic()
        if now - self._looked >= _LOOK_SECONDS:
            self._look()
            if now - self._seen > self._worker_seconds:
                said = _(
                    "there was no worker at %(address)s for %(seconds)s s; what was played is kept: `resume` goes on"
                )
                raise ClusterLost(said % {"address": self.address, "seconds": number(round(self._worker_seconds))})
        return max(1, self._workers)

    def executor(self) -> Executor:
        """Return where jobs are submitted."""
        return _Jobs(self)

    def replace(self) -> None:
        """Do nothing: others play on, and Dask starts the lost one again."""

    def stop(self) -> None:
        """Let every worker end with the game that it plays; jobs that wait come back with no games."""
        if not self._stopped:
            self._stopped = True
            self._tell(self._remote.stop)
            self._client.loop.add_callback(self._recall)

    def close(self) -> None:
        """End the bots of all workers and leave the cluster, as it was found."""
        if self._closed:
            return
        self._closed = self._stopped = True
        self._tell(self._remote.end)
        self._client.close(timeout=_ANSWER_SECONDS)

    # Jobs

    def submit(self, job: Job) -> Future[TaskResult]:
        """Send a job to the cluster.

        Raises:
            InputError: one of its bots can't be shipped.
        """
        if job.spec.treatment.wire_log is not None:
            raise InputError(_("a log of what bots say can't be written on other machines"))
        self._sent += 1
        parcel = self._remote.Parcel(
            self._run,
            f"dicegame-{self._run}-{self._sent}",
            Job(replace(job.spec, turns=None), job.blocks),  # that folder is this machine's
            tuple(self._shipped(word) for word in job.spec.words),
            text.language(),
            self._remote.Versions.here(),
        )
        outer: Future[TaskResult] = Future()
        outer.set_running_or_notify_cancel()  # it is never taken back: a worker that is to stop returns what it has
        self._client.loop.add_callback(self._deliver, parcel, outer)
        return outer

    async def _deliver(self, parcel: Parcel, outer: Future[TaskResult]) -> None:
        """Have a parcel played, hand on what comes of it, and let the cluster forget it."""
        try:
            outer.set_result(await self._played(parcel))
        except (CancelledError, asyncio.CancelledError):
            if self._stopped:
                outer.set_result(TaskResult([], [Usage() for _word in parcel.job.spec.words]))
            else:
                outer.set_exception(_scheduler_lost(self.address))
        except BaseException as error:  # noqa: BLE001 - it is the waiting thread's
            outer.set_exception(self._understood(error))
        finally:
            with contextlib.suppress(Exception):  # the scheduler may be gone
                await self._client.scheduler.event_clear(name=parcel.name)

    async def _played(self, parcel: Parcel) -> TaskResult:
        """Have a parcel played; a worker that lacks the bots for it gets them, once.

        Not by Dask's own executor, whose futures never end if a worker is lost between a job's end and its result's arrival.
        """
        for sending in itertools.count():
            sent = pickle.dumps(_Playing(self._remote.play, parcel))
            future = self._client.submit(pickle.loads, sent, key=f"{parcel.name}-{sending}", pure=False)
            self._open.add(future)
            try:
                answer = await future
            finally:
                self._open.discard(future)
            if not isinstance(answer, self._remote.NotHere):
                return cast("TaskResult", answer)
            for digest in answer.digests:
                await self._client.run(
                    self._remote.take, digest, self._tars[digest], workers=[answer.worker], on_error="ignore"
                )
        raise AssertionError

    def _understood(self, error: BaseException) -> BaseException:
        """Return the error that says what a failure of Dask means; any other as it is."""
        if self._client.status != "running":
            return _scheduler_lost(self.address)
        if isinstance(error, ImportError | AttributeError):
            said = _("a worker at %(address)s has no dicegame like this one (%(own)s): %(reason)s")
            values = {"address": self.address, "own": str(self._remote.Versions.here()), "reason": quote(str(error))}
            return ClusterError(said % values)
        return error

    async def _recall(self) -> None:
        """Take back the jobs on their way when there is nobody left who could return them."""
        while self._open:
            with contextlib.suppress(Exception):
                if not await self._client.scheduler.ncores():
                    for future in list(self._open):
                        await future.cancel()
            await asyncio.sleep(_LOOK_SECONDS)

    def _shipped(self, word: str) -> Shipment | None:
        """Return how a player travels; its tar is packed once."""
        if word not in self._shipments:
            from dicegame.tournament.shipping import pack  # noqa: PLC0415 - start-up

            packed = pack(word)
            if packed is not None:
                self._tars[packed[0].digest] = packed[1]
            self._shipments[word] = None if packed is None else packed[0]
        return self._shipments[word]

    # The cluster

    def _ask(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call a method of the client, for a limited time.

        Raises:
            ClusterLost: the scheduler does not answer any more.
        """
        try:
            return cast("_T", self._client.sync(function, *args, callback_timeout=_ANSWER_SECONDS, **kwargs))
        except (OSError, TimeoutError, CancelledError, RuntimeError) as error:
            raise _scheduler_lost(self.address) from error

    def _tell(self, what: Callable[[str], None]) -> None:
        """Call a function with the name of this run on every worker that can be reached."""
        with contextlib.suppress(DicegameError):
            self._check_connection()
            self._ask(self._client.run, what, self._run, on_error="ignore")

    def _check_connection(self) -> None:
        if self._client.status != "running":
            raise _scheduler_lost(self.address)

    def _look(self) -> None:
        """Count the workers."""
        self._check_connection()
        threads = self._ask(self._client.nthreads)
        self._looked = time.monotonic()
        self._workers = len(threads)
        if threads:
            self._seen = self._looked

    def _await_workers(self) -> None:
        while True:
            self._look()
            if self._workers:
                return
            if time.monotonic() - self._seen > self._worker_seconds:
                said = _("the scheduler %(address)s has no workers: start some with `%(command)s`")
                raise ClusterError(said % {"address": self.address, "command": _command(self.address)})
            time.sleep(0.1)

    def _check_workers(self) -> None:
        """Check the versions and the threads of the workers that are there."""
        versions = self._ask(self._client.get_versions, packages=["dicegame"])
        own = _versions(versions["client"])  # as installed, like theirs
        for worker, found in versions["workers"].items():
            other = _versions(found)
            if other != own:
                values = {"worker": worker, "other": other, "own": own}
                raise ClusterError(_("the worker %(worker)s runs %(other)s; this is %(own)s") % values)
        for worker, threads in self._ask(self._client.nthreads).items():
            if threads != 1:
                said = _("the worker %(worker)s has %(threads)s threads; start it with `%(command)s`")
                values = {"worker": worker, "threads": number(threads), "command": _command(self.address, threads)}
                raise ClusterError(said % values)


class _Playing:
    """Is unpickled to what comes of playing a parcel.

    So only the task itself needs dicegame: a worker that has none says so, where one that could not read the message would end.
    """

    def __init__(self, play: Callable[[Parcel], object], parcel: Parcel) -> None:
        self._play = play
        self._parcel = parcel

    def __reduce__(self) -> tuple[Callable[[Parcel], object], tuple[Parcel]]:
        return self._play, (self._parcel,)


class _Jobs(Executor):
    """Submits jobs to a cluster as an executor does."""

    def __init__(self, workers: ClusterWorkers) -> None:
        self._workers = workers

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Submit `play_block` and a job; nothing else is played."""
        (job,) = args
        if fn is not play_block or kwargs or not isinstance(job, Job):
            raise ValueError(fn)
        return cast("Future[_T]", self._workers.submit(job))


def _connected(address: str, seconds: float) -> Any:  # noqa: ANN401 - an extra's
    try:
        from distributed import Client  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ClusterError(_("a cluster needs Dask: `pip install 'dicegame[cluster]'`")) from error
    for name in ("client", "core", "utils", "comm"):  # what they would say is said by the errors here
        logging.getLogger(f"distributed.{name}").setLevel(logging.CRITICAL)
    try:
        return cast("Any", Client)(address, timeout=seconds, set_as_default=False, name="dicegame")
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        values = {"address": quote(address), "reason": quote(str(error) or type(error).__name__)}
        raise ClusterError(_("can't reach the scheduler %(address)s: %(reason)s") % values) from error


def _versions(found: dict[str, Any]) -> str:
    """Return what `remote.Versions` says, of a machine as Dask describes it."""
    packages = found["packages"]
    python = ".".join(str(packages["python"]).split(".")[:2])
    return f"Python {python}, dicegame {packages.get('dicegame') or '-'}"


def _scheduler_lost(address: str) -> ClusterLost:
    said = _(
        "the connection to the scheduler %s is lost; what was played is kept: `resume` goes on when it is there again"
    )
    return ClusterLost(said % address)


def _command(address: str, workers: int | None = None) -> str:
    return f"dask worker {address} --nthreads 1 --nworkers {workers or 'N'}"
