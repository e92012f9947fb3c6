"""Deals a tournament's blocks out to the workers: all pairings side by side, in jobs of about a second, and what follows when they end."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path

from dicegame.match.job import Job
from dicegame.match.plan import BlockSpec
from dicegame.match.play import LANES, MatchSpec
from dicegame.match.pool import Played, SetAside
from dicegame.match.run import BATCH, MOST_BLOCKS
from dicegame.match.sequential import BlockSums, Watched
from dicegame.tournament.formats import Pairing, schedule
from dicegame.tournament.plan import Format, Plan
from dicegame.tournament.store import Store
from dicegame.tournament.sums import Entrant, PairingSums

JOB_SECONDS = 1.0  # what a job should take
GROWTH = 4  # times that a pairing's job may be larger than its last one
FIRST_LOOK = 100  # blocks after which a precision is looked at first
LOOK = 1.5  # times as many blocks before the next look


def spec_of(plan: Plan, pairing: Pairing, entrants: Sequence[Entrant], turns: Path | None = None) -> MatchSpec:
    """Return what a worker must know to play blocks of a pairing; `turns` is a folder for shared turn values."""
    by_number = {entrant.number: entrant for entrant in entrants}
    players = [by_number[number] for number in pairing.entrants]
    return MatchSpec(
        rules=plan.rules,
        words=tuple(player.word for player in players),
        names=tuple(player.name for player in players),
        treatment=plan.limits.treatment(),
        records=plan.records,
        predictable=plan.predictable,
        pairing=pairing.id,
        source=plan.source,
        options=plan.options,
        luck=plan.luck,
        turns=turns,
    )


class _Queue:
    """What is left to deal of one pairing."""

    def __init__(self, pairing: Pairing, missing: Iterator[int], spec: MatchSpec, left: int) -> None:
        self.pairing = pairing
        self.spec = spec
        self.missing = missing
        self.left = left
        self.out = 0  # blocks on their way
        self.least = 1 if spec.players <= LANES else BATCH
        self.size = self.least

    def take(self, count: int) -> list[int]:
        """Take the next blocks; fewer where no more are left."""
        found = list(islice(self.missing, count))
        self.out += len(found)
        self.left = self.left - len(found) if len(found) == count else 0
        return found

    def learn(self, seconds: float, blocks: int) -> None:
        """Learn from a job that was played how many blocks make one."""
        wanted = int(blocks * JOB_SECONDS / max(seconds, 1e-6))
        self.size = max(self.least, min(MOST_BLOCKS, wanted, self.size * GROWTH))


class Dealer:
    """Deals the blocks that are missing in a store; call `done` for everything that was played, before the next deal.

    `complete` says that nothing is left to play; `pairings` are all that are known so far, by id, and
    `planned_blocks` and `planned_games` what they are to play into this file.
    """

    def __init__(self, store: Store, workers: int, turns: Path | None = None) -> None:
        self._store = store
        self._plan = store.reader.plan
        self._workers = max(workers, 1)
        self._turns = turns
        self._shards, self._here = store.reader.shard()
        self._entrants = store.reader.entrants()
        self._withdrawn = {entrant.number for entrant in self._entrants if entrant.withdrawn}
        self.pairings: dict[str, Pairing] = {}
        before = store.reader.progress()
        self.planned_blocks, self.planned_games = before.blocks_planned, before.games_planned
        self._queues: dict[str, _Queue] = {}
        self._heap: list[tuple[float, int, str]] = []  # those with blocks left: the least advanced first
        self._order = 0
        self.complete = False
        known = store.reader.pairings()
        for pairing in known:
            self._enqueue(pairing)
        for queue in [queue for queue in self._queues.values() if not queue.left]:
            self._lengthen(queue.pairing)
        if self._plan.format in {Format.ROUND_ROBIN, Format.GAUNTLET}:  # also those of somebody who was only just added
            most = max((pairing.blocks for pairing in known), default=None)
            self._pair(schedule(self._plan, self._entrants, known, {}, blocks=most))
        self._settle()

    @cached_property
    def _seeded(self) -> tuple[int, bytes]:
        return self._store.seed()  # only where something is to be played: otherwise it may make a new one

    @property
    def epoch(self) -> int:
        """By which of the store's seeds the dice are made."""
        return self._seeded[0]

    def deal(self) -> Job | None:
        """Return the next job; None where nothing can be dealt now, or at all."""
        while self._heap:
            queue = self._queues[self._heap[0][2]]
            count = max(1, min(queue.size, -(-queue.left // self._workers) if len(self._heap) == 1 else queue.left))
            blocks = queue.take(count)
            heapq.heappop(self._heap)
            if queue.left:
                self._push(queue)
            if blocks:
                keys = (BlockSpec.of(self._seeded[1], block, queue.pairing.id) for block in blocks)
                return Job(queue.spec, tuple(keys))
            self._settle()
        return None

    def done(self, news: Sequence[Played | SetAside]) -> None:
        """Hear of what was played or given up, and is stored."""
        for task in news:
            queue = self._queues[task.job.spec.pairing]
            blocks = 1
            if isinstance(task, Played):  # fewer than the job's where the workers were stopped
                blocks = len(task.result.games) // queue.spec.players
                queue.learn(task.result.seconds, blocks)
            queue.out -= blocks
            if not queue.left and not queue.out:
                self._lengthen(queue.pairing)
        self._settle()

    def _settle(self) -> None:
        """Go on to what follows when all pairings are played: another round, or the end."""
        while not self.complete and not self._heap:
            if any(queue.out for queue in self._queues.values()):
                return
            following = self._following()
            self.complete = not following
            self._pair(following)

    def _following(self) -> list[Pairing]:
        """Return what follows when all pairings are played."""
        if self._shards > 1 and len(self._here) < self._shards:
            return []
        if self._plan.format in {Format.ROUND_ROBIN, Format.GAUNTLET}:
            return []
        reader = self._store.reader
        sums = {sums.pairing: sums for sums in reader.sums()}
        return schedule(self._plan, self._entrants, reader.pairings(), sums)

    def _lengthen(self, pairing: Pairing) -> None:
        """Give a pairing that is played more blocks, where the precision that is wanted is not reached."""
        precision = self._plan.precision
        if precision is None or pairing.blocks >= self._plan.blocks or self._withdrawn.intersection(pairing.entrants):
            return
        sums = self._store.reader.sums(pairing.id)[0]
        if sums.blocks and half_width(sums) > precision:
            blocks = min(int(pairing.blocks * LOOK), self._plan.blocks)
            self._pair([replace(pairing, blocks=blocks)])

    def _pair(self, pairings: Sequence[Pairing]) -> None:
        """Write pairings down and queue them up."""
        if self._plan.precision is not None:
            new = {p.id for p in pairings} - self._queues.keys()
            pairings = [
                Pairing(p.id, p.entrants, p.round, min(p.blocks, FIRST_LOOK)) if p.id in new else p for p in pairings
            ]
        self._store.pair(pairings)
        for pairing in pairings:
            before = self.pairings.get(pairing.id)
            more = self.share(pairing.blocks) - (0 if before is None else self.share(before.blocks))
            self.planned_blocks += more
            self.planned_games += more * len(pairing.entrants)
            self._enqueue(pairing)

    def _enqueue(self, pairing: Pairing) -> None:
        self.pairings[pairing.id] = pairing
        if len(pairing.entrants) < 2:
            return
        spec = spec_of(self._plan, pairing, self._entrants, self._turns)
        gone = bool(self._withdrawn.intersection(pairing.entrants))
        missing = iter(()) if gone else self._store.missing(pairing)
        left = 0 if gone else self.share(pairing.blocks) - self._store.played(pairing)
        queue = _Queue(pairing, missing, spec, max(left, 0))
        self._queues[pairing.id] = queue
        if left > 0:
            self._push(queue)

    def _push(self, queue: _Queue) -> None:
        self._order += 1
        advanced = 1 - queue.left / max(self.share(queue.pairing.blocks), 1)
        heapq.heappush(self._heap, (advanced, self._order, queue.pairing.id))

    def share(self, blocks: int) -> int:
        """Return how many of so many blocks are to be played into this file."""
        return sum(len(range(part - 1, blocks, self._shards)) for part in self._here)


def half_width(sums: PairingSums) -> float:
    """Return half the width of the interval that may be watched, of the place that has the widest one; with luck measured, without it."""
    widths = []
    for place in sums.places:
        plain = BlockSums(sums.blocks, place.means, place.squares)
        adjusted = BlockSums(sums.blocks, place.adjusted, place.adjusted_squares)
        found = Watched(sums=adjusted if sums.luck else plain, adjusted=sums.luck).interval()
        widths.append(math.inf if found is None else (found[1] - found[0]) / 2)
    return max(widths)
