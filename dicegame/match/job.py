"""What a worker does: one function that plays the blocks of a job, on any executor, here or on another machine."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from dataclasses import dataclass

from dicegame.match.plan import BlockSpec
from dicegame.match.play import Lanes, MatchSpec, TaskResult, play_blocks


@dataclass(frozen=True, slots=True)
class Job:
    """Blocks of one match, or of one pairing of a tournament: all that a worker must know to play them."""

    spec: MatchSpec
    blocks: tuple[BlockSpec, ...]

    def halves(self) -> tuple[Job, Job]:
        """Return the job as two."""
        middle = len(self.blocks) // 2
        return Job(self.spec, self.blocks[:middle]), Job(self.spec, self.blocks[middle:])


class _Worker:
    """What a worker process keeps from job to job: the players of the last one's match, and how it learns that it is to stop."""

    def __init__(self) -> None:
        self.lanes: Lanes | None = None
        self.stop: Callable[[], bool] = bool

    def lanes_of(self, spec: MatchSpec) -> Lanes:
        """Return the players of a match: those that are there, or new ones in their place."""
        if self.lanes is None or self.lanes.spec != spec:
            self.close()
            self.lanes = Lanes(spec)
        return self.lanes

    def close(self) -> None:
        """End every bot."""
        lanes, self.lanes = self.lanes, None
        if lanes is not None:
            lanes.close()


_worker = _Worker()


def play_block(job: Job) -> TaskResult:
    """Play the blocks of a job, whole ones only, and return their games; fewer where this worker was told to stop.

    The players stay for the next job of the same match. No bot process sees two rotations of a block, nor a block twice.

    Raises:
        DicegameError: a player can't be made, or a game broke again and again through nobody's fault.
    """
    try:
        return play_blocks(_worker.lanes_of(job.spec), job.blocks, _worker.stop)
    except BaseException:
        _worker.close()  # whatever came of it, the next job finds fresh players
        raise


def stop_when(stop: Callable[[], bool]) -> None:
    """Let this process look at `stop` between games, and drop the block that it is in when that says so."""
    _worker.stop = stop


def end_bots() -> None:
    """End every bot of this process."""
    _worker.close()


atexit.register(end_bots)
