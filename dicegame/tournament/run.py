"""Plays a tournament: what is missing in its store, on the workers that are given, until it is complete or somebody ends it."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import FrameType

from dicegame.errors import EXIT_BOT, EXIT_DONE, EXIT_INTERRUPTED, StoreError
from dicegame.games import engine_for
from dicegame.match.bundles import Bundle, bundles
from dicegame.match.pool import Played, Pool, SetAside, Workers
from dicegame.match.run import GIVE_UP, turns_folder
from dicegame.players.factory import external
from dicegame.players.sandbox import sandbox_level
from dicegame.text import _, join, quote
from dicegame.tournament.deal import Dealer
from dicegame.tournament.plan import identity_of
from dicegame.tournament.reader import Progress
from dicegame.tournament.store import Store
from dicegame.tournament.sums import PairingSums
from dicegame.tournament.tally import Tally
from dicegame.values.judges import luck_judge

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class Ending(StrEnum):
    """Why a run ended: all is played; `tournament stop`; a signal; its time was up; a bot never got ready."""

    COMPLETE = "complete"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    TIME = "time"
    NEVER_READY = "never_ready"

    @property
    def exit_code(self) -> int:
        """The exit code of a command that ends so."""
        codes = {Ending.INTERRUPTED: EXIT_INTERRUPTED, Ending.NEVER_READY: EXIT_BOT}
        return codes.get(self, EXIT_DONE)


@dataclass(slots=True)
class Run:
    """A run while it lasts: how far it is, what the games add up to, the faults since the last look, and how it ended.

    `bots` are the names of those that never got ready, with why.
    """

    progress: Progress
    sums: list[PairingSums]
    faults: list[Bundle]
    seconds: float = 0.0
    ending: Ending | None = None
    bots: dict[str, str] | None = None


def check_unchanged(store: Store) -> None:
    """Refuse to go on where a bot, or the table that luck is measured by, is not what it was.

    Raises:
        StoreError: something has changed; says what, by name.
        PlayerError: a bot is not there any more.
    """
    changed = [e.name for e in store.reader.entrants() if not e.withdrawn and identity_of(e.word) != e.identity]
    if changed:
        message = _("changed since the tournament began: %s; `tournament withdraw` it, and add it under another name")
        raise StoreError(message % join([quote(name) for name in changed]), changed=changed)
    plan = store.reader.plan
    if plan.luck is None:
        return
    if luck_judge(engine_for(plan.rules), plan.seats, plan.luck).checksum != plan.luck_checksum:
        message = _("the table that luck is measured by (%s) has changed since the tournament began")
        raise StoreError(message % quote(plan.luck), changed=["luck"])


def run_tournament(
    store: Store,
    workers: Workers,
    *,
    max_time: float | None = None,
    progress: Callable[[Run], None] | None = None,
) -> Run:
    """Play what is missing of a tournament and return how that ended; whatever was played stands in the store.

    Args:
        store: the tournament's file, held by this process.
        workers: where the games are played; closed at the end.
        max_time: seconds after which no more games begin.
        progress: told at every wake-up, at least once a second.

    Raises:
        StoreError: a bot or a table has changed, or the file can't be written.
        DicegameError: a bot does not play this game, or the sandbox can't be had.
    """
    try:
        if not store.fresh:
            check_unchanged(store)
        plan, entrants = store.reader.plan, store.reader.entrants()
        with turns_folder(plan.luck, [entrant.word for entrant in entrants]) as turns:
            runner = _Runner(store, workers, turns, max_time, progress)
            with _signals(runner.interrupt):
                return runner.run()
    finally:
        workers.close()


class _Runner:
    def __init__(
        self,
        store: Store,
        workers: Workers,
        turns: Path | None,
        max_time: float | None,
        progress: Callable[[Run], None] | None,
    ) -> None:
        plan = store.reader.plan
        bots = [e for e in store.reader.entrants() if external(e.word) is not None]
        level = str(sandbox_level(plan.limits.treatment().sandbox)) if bots else ""
        self._store = store
        self._pool = Pool(workers)
        # Made with the first games: to add up a million takes seconds, in which others can play.
        self._tally: Tally | None = None
        self._dealer = Dealer(store, workers.size, turns)
        self._names = {entrant.number: entrant.name for entrant in store.reader.entrants()}
        self._max_time = max_time
        self._tell = progress
        self._begun = time.monotonic()
        self._ready: dict[int, list[int]] = {}  # by entrant: starts that ended in `ready` in this run, and that failed
        self._why: dict[int, str] = {}
        self.ending: Ending | None = None
        store.begin(level, workers.description)

    def run(self) -> Run:
        """Play, and keep what is played, to the end."""
        for news in self._pool.play(self._dealer.deal):
            faults = self._take(news)
            self._end_early()
            if self._tell is not None and (news or self._tally is not None):
                self._tell(self._state(faults))
        if self._dealer.complete:
            self._finish()
        return self._state([])

    def _finish(self) -> None:
        """Open the dice, now that no game is to come."""
        there = self._store.reader.progress()
        if there.blocks_played + len(there.set_aside) < there.blocks_planned:
            raise AssertionError("blocks were dealt out and never came back")
        if self._store.is_whole():
            self._store.open_seeds()
        self.ending = Ending.COMPLETE

    def interrupt(self) -> None:
        """End after the running games."""
        self._stop(Ending.INTERRUPTED)

    def _stop(self, ending: Ending) -> None:
        if self.ending is None:
            self.ending = ending
            self._pool.stop()

    def _end_early(self) -> None:
        if self._store.hold.asked_to_stop():
            self._stop(Ending.STOPPED)
        if self._max_time is not None and time.monotonic() - self._begun >= self._max_time:
            self._stop(Ending.TIME)
        if any(failed >= GIVE_UP and not ready for ready, failed in self._ready.values()):
            self._stop(Ending.NEVER_READY)

    def _take(self, news: Sequence[Played | SetAside]) -> list[Bundle]:
        """Store what a wake-up brought; return the faults."""
        if not news:
            return []
        self._store.add(news, self._dealer.epoch, time.monotonic() - self._begun)
        self._dealer.done(news)
        if self._tally is not None:
            self._tally.add(news, self._dealer.pairings)
        faults: list[Bundle] = []
        for task in news:
            if isinstance(task, Played):
                for game in task.result.games:
                    faults += bundles(task.job.spec, game)
                self._watch_starts(task)
        return faults

    def _watch_starts(self, task: Played) -> None:
        who = self._dealer.pairings[task.job.spec.pairing].entrants
        for number, usage in zip(who, task.result.usage, strict=True):
            self._ready.setdefault(number, [0, 0])[0] += usage.ready
        for game in task.result.games:
            for place, fault in game.faults:
                if fault.code == "start_failed":
                    self._ready.setdefault(who[place], [0, 0])[1] += 1
                    self._why.setdefault(who[place], str(fault))

    def _state(self, faults: list[Bundle]) -> Run:
        dealer = self._dealer
        if self._tally is None:
            self._tally = Tally(self._store.reader)
        progress = self._tally.progress(dealer.planned_blocks, dealer.planned_games, complete=dealer.complete)
        bots = None
        if self.ending is Ending.NEVER_READY:
            bots = {self._names[n]: self._why[n] for n, (ready, failed) in self._ready.items() if failed and not ready}
        return Run(progress, self._tally.sums(), faults, time.monotonic() - self._begun, self.ending, bots)


@contextmanager
def _signals(interrupt: Callable[[], None]) -> Iterator[None]:
    """Let the first signal to end do so after the running games, and a second one at once; only in a process's main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def first(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a handler's signature
        for one, handler in before.items():
            signal.signal(one, handler)
        interrupt()

    before = {
        one: signal.signal(one, first)
        for name in _SIGNALS
        if (one := getattr(signal, name, None)) is not None and signal.getsignal(one) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
