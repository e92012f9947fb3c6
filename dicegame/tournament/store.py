"""Write a tournament's store: one process, one transaction a wake-up, plain inserts, so that a game that is there already shows.

A block is written whole, with all its games, or not at all; so at any instant the file holds finished blocks only.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import secrets
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Self

from dicegame import __version__
from dicegame.dice import new_seed, seed_from_text
from dicegame.errors import StoreError
from dicegame.match.bundles import bundles
from dicegame.match.plan import seats_of
from dicegame.match.play import GameResult, MatchSpec, Usage
from dicegame.match.pool import Played, SetAside
from dicegame.match.result import KEPT_FAULTS, WHOLE
from dicegame.text import _, quote
from dicegame.tournament.formats import Pairing
from dicegame.tournament.lock import Hold
from dicegame.tournament.plan import Plan
from dicegame.tournament.reader import Reader, usage_of
from dicegame.tournament.sums import Entrant
from dicegame.tournament.tables import connect, create

_TWICE = {sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE}


def now() -> str:
    """Return the time, in UTC to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Store:
    """A tournament's file, held by this process and written to. A context manager.

    Everything that is read of it is read through `reader`.
    """

    def __init__(self, path: Path, hold: Hold, db: sqlite3.Connection) -> None:
        self.path = path
        self.hold = hold
        self._db = db
        self.reader = Reader(path)
        self._pairings: dict[str, int] = {}
        self._workers: dict[str, int] = {}
        self._kept: Counter[int] = Counter()  # bundles of faults, by entrant
        self.run = ""
        self.fresh = False  # made just now: nothing can have changed since
        try:
            self._learn()
        except BaseException:
            self.reader.close()
            raise

    def _learn(self) -> None:
        """Learn what the file knows by which key."""
        self._pairings = dict(self._db.execute("SELECT name, id FROM pairings"))
        self._workers = dict(self._db.execute("SELECT name, id FROM workers"))
        self._kept.clear()
        rows = self._db.execute(
            """SELECT p.entrants, f.place, count(*) FROM faults AS f JOIN pairings AS p ON p.id = f.pairing
               WHERE f.bundle IS NOT NULL GROUP BY f.pairing, f.place"""
        )
        for who, place, count in rows:
            self._kept[json.loads(who)[place]] += count

    @classmethod
    def make(
        cls,
        path: Path,
        plan: Plan,
        entrants: Sequence[Entrant],
        seed: bytes,
        text: str | None = None,
        *,
        shard: tuple[int, int] = (1, 1),
    ) -> Self:
        """Make the file of a new tournament.

        Args:
            path: where; nothing may be there.
            plan: what is played.
            entrants: who takes part.
            seed: the dice seed.
            text: what the seed was made from, where it can be guessed.
            shard: which part of the blocks is played into this file, from 1, and of how many.

        Raises:
            StoreError: there is a file already, or it can't be written.
        """
        hold = Hold(path)
        try:
            part, shards = shard
            with create(path) as db:
                values = (plan.as_text(), plan.hash, now(), shards, json.dumps([part]))
                db.execute("INSERT INTO tournament VALUES (1, ?, ?, ?, ?, ?)", values)
                db.execute("INSERT INTO seeds (epoch, seed, text) VALUES (0, ?, ?)", (seed, text))
                _insert_entrants(db, entrants)
            made = cls._begun(path, hold)
        except BaseException:
            hold.release()
            raise
        made.fresh = True
        return made

    @classmethod
    def open(cls, path: Path) -> Self:
        """Hold a tournament's file that is there.

        Raises:
            StoreError: there is none, another process holds it, or it was changed by hand.
        """
        connect(path).close()  # tells what is wrong with it before a lock is left beside it
        hold = Hold(path)
        try:
            store = cls._begun(path, hold)
        except BaseException:
            hold.release()
            raise
        try:
            store.check()
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def _begun(cls, path: Path, hold: Hold) -> Self:
        db = connect(path, write=True)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return cls(path, hold, db)
        except sqlite3.Error as error:
            db.close()
            raise _unwritable(path, error) from error
        except BaseException:
            db.close()
            raise

    def check(self) -> None:
        """Refuse a file whose plan is not what its hash says.

        Raises:
            StoreError: it was changed by hand.
        """
        if self._db.execute("SELECT hash FROM tournament").fetchall() != [(self.reader.plan.hash,)]:
            raise StoreError(_("the plan in %s was changed: its hash is another one") % quote(str(self.path)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave one plain file behind, and let others have it."""
        self.reader.close()
        self._db.close()
        # Where somebody reads it, whoever closes it last clears up.
        with contextlib.suppress(sqlite3.Error, StoreError), contextlib.closing(connect(self.path, write=True)) as db:
            db.execute("PRAGMA journal_mode = DELETE")
        self.hold.release()

    # Entrants, pairings, seeds

    def add_entrants(self, entrants: Sequence[Entrant]) -> None:
        """Add entrants."""
        with self._transaction():
            _insert_entrants(self._db, entrants)

    def withdraw(self, number: int) -> None:
        """Withdraw an entrant: what it played stays, and nothing more of it is played."""
        with self._transaction():
            self._db.execute("UPDATE entrants SET withdrawn = 1 WHERE number = ?", (number,))
            for key, who in list(self._db.execute("SELECT id, entrants FROM pairings")):
                if number in json.loads(who):
                    known = "SELECT block FROM games WHERE pairing = ?1 UNION ALL SELECT block FROM aside WHERE pairing = ?1"
                    last = f"SELECT coalesce(max(block) + 1, 0) FROM ({known})"
                    self._db.execute(f"UPDATE pairings SET blocks = min(blocks, ({last})) WHERE id = ?1", (key,))

    def pair(self, pairings: Iterable[Pairing]) -> None:
        """Write pairings down: new ones, and known ones that are to play more blocks."""
        with self._transaction():
            for pairing in pairings:
                values = (pairing.id, json.dumps(pairing.entrants), pairing.round, pairing.blocks)
                key = self._db.execute(
                    """INSERT INTO pairings (name, entrants, round, blocks) VALUES (?, ?, ?, ?)
                       ON CONFLICT (name) DO UPDATE SET blocks = max(blocks, excluded.blocks) RETURNING id""",
                    values,
                ).fetchone()[0]
                self._pairings[pairing.id] = key

    def seed(self) -> tuple[int, bytes]:
        """Return the dice seed that is played by, and its epoch; a new one where the last one was opened."""
        epoch, seed, text, opened = self._db.execute(
            "SELECT epoch, seed, text, opened FROM seeds ORDER BY epoch DESC LIMIT 1"
        ).fetchone()
        if not opened:
            return epoch, seed
        fresh = new_seed() if text is None else seed_from_text(text)
        self.path.chmod(0o600)
        with self._transaction():
            values = (epoch + 1, fresh, text)
            self._db.execute("INSERT INTO seeds (epoch, seed, text) VALUES (?, ?, ?)", values)
        return epoch + 1, fresh

    def is_whole(self) -> bool:
        """Say whether no part of the tournament is played into another file."""
        shards, here = self.reader.shard()
        return len(here) == shards

    def open_seeds(self) -> None:
        """Open the dice seeds: everything is played. From now on whoever may see the folder may read the file."""
        with self._transaction():
            self._db.execute("UPDATE seeds SET opened = 1")
        mask = os.umask(0o022)
        os.umask(mask)
        self.path.chmod(0o644 & ~mask)

    def missing(self, pairing: Pairing) -> Iterator[int]:
        """Yield the blocks of a pairing that are to be played into this file and are neither there nor set aside, ascending."""
        key = self._pairings[pairing.id]
        shards, here = self.reader.shard()
        count, last = self._db.execute(
            "SELECT count(*), coalesce(max(block), -1) FROM games WHERE pairing = ? AND rotation = 0", (key,)
        ).fetchone()
        aside = {block for (block,) in self._db.execute("SELECT block FROM aside WHERE pairing = ?", (key,))}
        gaps: list[int] = []
        if count <= last:  # else there is nothing to look up, however many there are
            follows = 0
            there = "SELECT block FROM games WHERE pairing = ? AND rotation = 0 ORDER BY block"
            for (block,) in self._db.execute(there, (key,)):
                gaps += [gap for gap in range(follows, block) if gap % shards + 1 in here]
                follows = block + 1
        rest = (block for block in range(last + 1, pairing.blocks) if block % shards + 1 in here)
        for block in chain(gaps, rest):
            if block not in aside and block < pairing.blocks:
                yield block

    def played(self, pairing: Pairing) -> int:
        """Return how many blocks of a pairing are there or set aside."""
        key = self._pairings[pairing.id]
        games = "SELECT count(*) FROM games WHERE pairing = ?1 AND rotation = 0"
        aside = "SELECT count(*) FROM aside WHERE pairing = ?1"
        return int(self._db.execute(f"SELECT ({games}) + ({aside})", (key,)).fetchone()[0])

    # Games

    def begin(self, containment: str, workers: str) -> None:
        """Write down that this process plays from now on."""
        self.run = secrets.token_hex(8)
        with self._transaction():
            values = (self.run, now(), f"dicegame {__version__}", platform.node(), containment, workers)
            self._db.execute(
                "INSERT INTO runs (id, started, program, machine, containment, workers) VALUES (?, ?, ?, ?, ?, ?)",
                values,
            )

    def add(self, news: Sequence[Played | SetAside], epoch: int, seconds: float) -> None:
        """Write what a wake-up brought, in one transaction.

        Raises:
            StoreError: a game is there already, or the file can't be written; nothing of it is written then.
        """
        try:
            with self._transaction():
                for task in news:
                    if isinstance(task, SetAside):
                        self._set_aside(task)
                    else:
                        self._add(task, epoch)
                self._db.execute("UPDATE runs SET seconds = ? WHERE id = ?", (seconds, self.run))
        except StoreError:
            self._learn()  # keys that were rolled back are none
            raise

    def _set_aside(self, task: SetAside) -> None:
        key, block = self._pairings[task.job.spec.pairing], task.job.blocks[0].number
        self._db.execute("INSERT INTO aside VALUES (?, ?, ?, ?)", (key, block, task.tries, task.why.message))

    def _add(self, task: Played, epoch: int) -> None:
        spec, db = task.job.spec, self._db
        key, worker = self._pairings[spec.pairing], self._worker(task.result.worker)
        games = task.result.games
        db.executemany(
            "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(key, g.block, g.rotation, epoch, g.attempts, g.reason, g.decisions, worker) for g in games],
        )
        db.executemany(
            "INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [row for game in games for row in _results(key, game)],
        )
        packed = [(key, g.block, g.rotation, g.packed) for g in games if g.packed is not None]
        db.executemany("INSERT INTO records VALUES (?, ?, ?, ?)", packed)
        for game in games:
            if game.faults:
                self._add_faults(key, spec, game)
        for place, usage in enumerate(task.result.usage):
            self._add_usage(key, place, usage)

    def _worker(self, name: str) -> int:
        if name not in self._workers:
            key = self._db.execute("INSERT INTO workers (name) VALUES (?) RETURNING id", (name,)).fetchone()[0]
            self._workers[name] = key
        return self._workers[name]

    def _add_faults(self, key: int, spec: MatchSpec, game: GameResult) -> None:
        who = json.loads(self._db.execute("SELECT entrants FROM pairings WHERE id = ?", (key,)).fetchone()[0])
        for number, ((place, fault), bundle) in enumerate(zip(game.faults, bundles(spec, game), strict=True)):
            keep = self._kept[who[place]] < KEPT_FAULTS
            text = json.dumps(bundle.as_json(), ensure_ascii=False) if keep else None
            self._kept[who[place]] += keep
            values = (key, game.block, game.rotation, number, place, str(fault.code), text)
            self._db.execute("INSERT INTO faults VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def _add_usage(self, key: int, place: int, usage: Usage) -> None:
        if not (usage.times.count or usage.ready):
            return
        where = (self.run, key, place)
        before = self._db.execute(
            "SELECT times, ready, on_turn, off_turn, memory FROM usage WHERE run = ? AND pairing = ? AND place = ?",
            where,
        ).fetchone()
        total = usage_of(*before) if before else Usage()
        total.add(usage)
        times = json.dumps(total.times.buckets)
        values = (*where, total.ready, total.on_turn_cpu, total.off_turn_cpu, total.memory, times)
        self._db.execute("INSERT OR REPLACE INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)

    @contextmanager
    def merging(self) -> Iterator[sqlite3.Connection]:
        """Do all that follows with the tables in one transaction.

        Raises:
            StoreError: the file can't be written; nothing of it is written then.
        """
        with self._transaction():
            yield self._db
        self._learn()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with _transaction(self.path, self._db):
            yield


def _results(key: int, game: GameResult) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a game, one a place."""
    order = seats_of(len(game.scores), game.rotation)
    for seat, place in enumerate(order):
        luck = None if game.luck is None else game.luck[place]
        parts = round(game.shares[place] * WHOLE)
        yield key, game.block, place, game.rotation, seat, game.scores[place], parts, luck


def _insert_entrants(db: sqlite3.Connection, entrants: Sequence[Entrant]) -> None:
    db.executemany(
        "INSERT INTO entrants VALUES (?, ?, ?, ?, ?)",
        [(e.number, e.name, e.word, e.identity, e.withdrawn) for e in entrants],
    )


@contextmanager
def _transaction(path: Path, db: sqlite3.Connection) -> Iterator[None]:
    """Do all that follows, or nothing of it."""
    try:
        db.execute("BEGIN IMMEDIATE")
        yield
        db.execute("COMMIT")
    except sqlite3.IntegrityError as error:
        _roll_back(db)
        if error.sqlite_errorcode not in _TWICE:
            raise _unwritable(path, error) from error
        message = _("%(file)s already holds a game that was played again: %(reason)s")
        raise StoreError(message % {"file": quote(str(path)), "reason": error}) from error
    except sqlite3.Error as error:
        _roll_back(db)
        raise _unwritable(path, error) from error
    except BaseException:
        _roll_back(db)
        raise


def _roll_back(db: sqlite3.Connection) -> None:
    with contextlib.suppress(sqlite3.Error):
        if db.in_transaction:
            db.execute("ROLLBACK")


def _unwritable(path: Path, error: sqlite3.Error) -> StoreError:
    return StoreError(_("can't write %(file)s: %(reason)s") % {"file": quote(str(path)), "reason": error})
