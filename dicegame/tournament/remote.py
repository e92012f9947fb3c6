"""What happens on the workers of a cluster: bots are unpacked and built, jobs are played one at a time, no job is begun twice.

Imported only where Dask distributed is installed. A worker process keeps one set of players, like those of `match.local`.
"""

from __future__ import annotations

import atexit
import contextlib
import random
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from distributed import get_worker
from distributed.utils import sync

import dicegame
from dicegame import text
from dicegame.errors import InputError
from dicegame.match.job import Job
from dicegame.match.local import cores, pin
from dicegame.match.play import Lanes, MatchSpec, TaskResult, play_blocks
from dicegame.text import _
from dicegame.tournament.shipping import Shipment, alone_with, cache_folder, deliver

IDLE_SECONDS = 60.0  # after which a worker that nobody sends anything ends its bots
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


class JobLost(Exception):
    """A job was begun by a worker that is gone."""


class OtherVersion(InputError):
    """A worker runs another Python or another dicegame than the machine that it plays for."""

    code = "version"


@dataclass(frozen=True, slots=True)
class Versions:
    """The Python (without the last number, which changes nothing here) and the dicegame of a machine."""

    python: str
    dicegame: str

    @classmethod
    def here(cls) -> Versions:
        """Return those of this process."""
        return cls("{}.{}".format(*sys.version_info), dicegame.__version__)

    def __str__(self) -> str:
        return f"Python {self.python}, dicegame {self.dicegame}"


@dataclass(frozen=True, slots=True)
class Parcel:
    """A job on its way to a worker.

    `run` tells one user of a cluster from another, `name` this sending of the job from any other; `shipments` are the bots that
    travel, by player, None for those that need not.
    """

    run: str
    name: str
    job: Job
    shipments: tuple[Shipment | None, ...]
    language: str
    versions: Versions


def check_versions(theirs: Versions, worker: str) -> None:
    """Compare the versions of this worker with those of whoever wants something played.

    Raises:
        OtherVersion: they differ; says both.
    """
    ours = Versions.here()
    if ours != theirs:
        values = {"worker": worker, "other": str(ours), "own": str(theirs)}
        raise OtherVersion(_("the worker %(worker)s runs %(other)s; this is %(own)s") % values)


# Tars


_tars: dict[str, bytes] = {}  # that came to this worker process and are not unpacked yet, by digest


@dataclass(frozen=True, slots=True)
class NotHere:
    """The answer of a worker to a job for which bots are missing: its address, and their digests. Nothing was begun."""

    worker: str
    digests: tuple[str, ...]


def take(digest: str, data: bytes) -> None:
    """Take in the tar of a bot, for the next job that needs it."""
    _tars[digest] = data


def _missing(parcel: Parcel) -> tuple[str, ...]:
    """Return the digests of the bots of a job that are not on this machine, nor their tars at hand."""
    digests = {shipment.digest for shipment in parcel.shipments if shipment is not None}
    return tuple(sorted(d for d in digests if d not in _tars and not (cache_folder() / d).is_dir()))


# Playing


class _Site:
    """What a worker process keeps from job to job: the players of the last one's match."""

    def __init__(self) -> None:
        self.lock = threading.Lock()  # one job at a time, whatever threads the worker has
        self.stopped: set[str] = set()  # runs that want no more games
        self._for: tuple[str, MatchSpec] | None = None
        self._lanes: Lanes | None = None
        self._roots: dict[str, str] = {}  # where bots lie here, and the words that they had where they came from
        self._turns: TemporaryDirectory[str] | None = None
        self._idle: threading.Timer | None = None
        self._core: Any = None  # the file whose lock says that a core is taken

    def play(self, parcel: Parcel) -> TaskResult:
        """Play a job with the lock held."""
        if self._idle is not None:
            self._idle.cancel()
        text.use(parcel.language)
        try:
            lanes = self._lanes_of(parcel)
            result = play_blocks(lanes, parcel.job.blocks, lambda: parcel.run in self.stopped)
        except BaseException:
            self.close()  # whatever came of it, the next job finds fresh players
            raise
        self._idle = threading.Timer(IDLE_SECONDS, self.leave)
        self._idle.daemon = True
        self._idle.start()
        return self._as_at_home(result)

    def _lanes_of(self, parcel: Parcel) -> Lanes:
        """Return the players of a match: those that are there, or new ones in their place."""
        wanted = parcel.run, parcel.job.spec
        if self._lanes is None or self._for != wanted:
            self.close()
            self._stay_on_a_core()
            with contextlib.ExitStack() as stack:
                spec = self._settled(parcel, stack)
                self._lanes = Lanes(spec)  # builds its bots, while no other process touches their files
            self._lanes.spec = parcel.job.spec  # records name the bots as those do who sent them
            self._for = wanted
        return self._lanes

    def _settled(self, parcel: Parcel, stack: contextlib.ExitStack) -> MatchSpec:
        """Return a match as it is played here: its bots where they lie on this machine, its turn values in a folder of this worker."""
        words = list(parcel.job.spec.words)
        self._roots = {}
        sent = {shipment.digest: shipment for shipment in parcel.shipments if shipment is not None}
        if sent:
            cache = cache_folder()
            for digest in sorted(sent):  # always in this order, or two workers may wait for each other
                stack.enter_context(alone_with(digest, cache))
            roots = {digest: deliver(shipment, _tars.pop(digest, b""), cache) for digest, shipment in sent.items()}
            for place, shipment in enumerate(parcel.shipments):
                if shipment is not None:
                    words[place] = shipment.word(roots[shipment.digest])
                    for piece in shipment.pieces:
                        lies = roots[shipment.digest] / str(piece.part) / piece.name
                        self._roots[str(lies)] = shipment.parts[piece.part]
        if self._turns is None:
            self._turns = TemporaryDirectory(prefix="dicegame-", ignore_cleanup_errors=True)
        return replace(parcel.job.spec, words=tuple(words), turns=Path(self._turns.name))

    def _as_at_home(self, result: TaskResult) -> TaskResult:
        """Say in faults where the bots lie at home, not here."""
        for _place, fault in (fault for game in result.games for fault in game.faults):
            for lies, word in self._roots.items():
                fault.detail = fault.detail.replace(lies, word)
                fault.log = fault.log.replace(lies, word)
        return result

    def _stay_on_a_core(self) -> None:
        """Stay on a core that no other worker of this user on this machine stays on, and all bots with this thread.

        Where a quota limits what may be used of all cores, as in many containers, others may be sharing them: then nothing is done.
        """
        if self._core is not None or not _may_pin():
            return
        import fcntl  # noqa: PLC0415 - where cores can be chosen, this is there

        folder = cache_folder()
        order = list(range(len(cores())))
        random.shuffle(order)  # others whose locks can't be seen, in containers, hardly choose the same
        for place in order:
            file = (folder / f"core-{cores()[place]}.lock").open("ab")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.close()
                continue
            self._core = file  # kept open as long as this process lives
            pin(place)
            return

    def leave(self) -> None:
        """End every bot, unless a job is being played."""
        if self.lock.acquire(blocking=False):
            try:
                self.close()
            finally:
                self.lock.release()

    def end(self, run: str) -> None:
        """End the bots of a run."""
        with self.lock:
            if self._for is not None and self._for[0] == run:
                self.close()

    def close(self) -> None:
        """End every bot, with the lock held."""
        lanes, self._lanes, self._for = self._lanes, None, None
        if lanes is not None:
            lanes.close()


def _may_pin() -> bool:
    if sys.platform != "linux":
        return False
    try:
        return _QUOTA.read_text(encoding="ascii").startswith("max")
    except OSError:
        return True


_site = _Site()
atexit.register(_site.leave)


def play(parcel: Parcel) -> TaskResult | NotHere:
    """Play the blocks of a job on a worker, as `match.job.play_block` does; whole blocks only, fewer where the run was stopped.

    Tars that are missing are asked for first.

    Before it begins, it leaves word with the scheduler. A job of which there is word was begun before, by a worker that was lost
    with it: Dask would try it on one worker after another, unseen.

    Raises:
        JobLost: this sending of the job was begun before.
        DicegameError: a player can't be made, or a game broke again and again through nobody's fault.
    """
    worker: Any = get_worker()
    check_versions(parcel.versions, str(worker.name))
    with _site.lock:
        missing = _missing(parcel)
        if missing:
            return NotHere(worker.address, missing)
        if sync(worker.loop, worker.scheduler.event_is_set, name=parcel.name):
            raise JobLost(parcel.name)
        sync(worker.loop, worker.scheduler.event_set, name=parcel.name)
        result = _site.play(parcel)
    if worker.name != worker.address:
        result.worker = str(worker.name)  # that the user gave it
    return result


def stop(run: str) -> None:
    """Let this worker end what it plays of a run, with the game that is on."""
    _site.stopped.add(run)


def end(run: str) -> None:
    """Let this worker end the bots of a run as soon as it plays none of it; returns at once."""
    stop(run)
    threading.Thread(target=_site.end, args=(run,), daemon=True).start()
