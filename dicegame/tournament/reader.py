"""Read a tournament's store: never a lock on it, so also while it is played."""

from __future__ import annotations

import contextlib
import functools
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from pydantic import ValidationError

from dicegame.dice import commitment
from dicegame.errors import InputError, StoreError
from dicegame.match.packed import unpack
from dicegame.match.plan import game_id
from dicegame.match.play import Usage
from dicegame.match.result import WHOLE
from dicegame.match.stats import Quantiles
from dicegame.rules.load import as_data
from dicegame.text import _, quote
from dicegame.tournament.formats import Pairing
from dicegame.tournament.lock import is_locked
from dicegame.tournament.plan import Plan
from dicegame.tournament.sums import Entrant, PairingSums, PlaceSums
from dicegame.tournament.tables import connect

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SetAside:
    """A block that could not be played, and why."""

    pairing: str
    block: int
    tries: int
    why: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament is. What is planned may grow: by rounds to come, by extensions, by whoever is added.

    `complete` says that nothing is left to play, `running` that some process plays it now, `whole` that no other file has a part of it.
    """

    blocks_played: int
    blocks_planned: int
    games_played: int
    games_planned: int
    void: int
    set_aside: list[SetAside]
    complete: bool
    running: bool
    whole: bool


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game: the numbers of its entrants, their scores, their shares of the win, and their luck where it is measured, by seat."""

    pairing: str
    block: int
    rotation: int
    attempts: int
    reason: str
    decisions: int
    entrants: tuple[int, ...]
    scores: tuple[int, ...]
    shares: tuple[float, ...]
    luck: tuple[float, ...] | None

    @property
    def id(self) -> str:
        """The stable name of the game."""
        return game_id(self.pairing, self.block, self.rotation)


@dataclass(frozen=True, slots=True)
class StoredFault:
    """A fault: whose, in which game, and all about it (see `match.bundles`); of an entrant's later ones only the code."""

    entrant: int
    game: str
    code: str
    bundle: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Run:
    """One process that played the tournament: when it began, by which program, where, how bots were contained, by which workers."""

    id: str
    started: str
    program: str
    machine: str
    containment: str
    workers: str
    seconds: float


def _at_once(method: Callable[Concatenate[Reader, P], T]) -> Callable[Concatenate[Reader, P], T]:
    """Let a method see the file as it is at one instant, whatever is written meanwhile."""

    @functools.wraps(method)
    def reads(self: Reader, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self.instant():
            return method(self, *args, **kwargs)

    return reads


class Reader:
    """A tournament's store, opened to be read. A context manager.

    Raises:
        StoreError: there is none, or it can't be read.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._db = connect(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def instant(self) -> Iterator[None]:
        """See the file inside as it is at one instant, whatever is written meanwhile."""
        if self._db.in_transaction:
            yield
            return
        for _row in self._rows("BEGIN"):
            pass
        try:
            yield
        finally:
            with contextlib.suppress(sqlite3.Error):  # nothing was written; of a damaged file something else tells
                self._db.execute("COMMIT")

    def _rows(self, query: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            cursor = self._db.execute(query, values)
            while (
                row := cursor.fetchone()
            ) is not None:  # not `yield from`: it would close the cursor, maybe after the file
                yield row
        except sqlite3.Error as error:
            said = {"file": quote(str(self.path)), "reason": error}
            raise StoreError(_("can't read %(file)s: %(reason)s") % said) from error

    def _row(self, query: str, values: Sequence[Any] = ()) -> tuple[Any, ...]:
        """Return the only row of a query."""
        rows = list(self._rows(query, values))
        if len(rows) != 1:
            said = {"file": quote(str(self.path)), "reason": _("a row is missing")}
            raise StoreError(_("can't read %(file)s: %(reason)s") % said)
        return rows[0]

    # What was planned

    @cached_property
    def plan(self) -> Plan:
        """The plan; it never changes."""
        text = self._row("SELECT plan FROM tournament")[0]
        try:
            return Plan.model_validate_json(text)
        except ValidationError as error:
            said = {"file": quote(str(self.path)), "reason": _("its plan is damaged, or of another version")}
            raise StoreError(_("can't read %(file)s: %(reason)s") % said) from error

    @property
    def created(self) -> str:
        """When the tournament was made, in UTC."""
        return str(self._row("SELECT created FROM tournament")[0])

    def shard(self) -> tuple[int, list[int]]:
        """Return into how many parts the tournament is split, and which (from 1) are here."""
        shards, here = self._row("SELECT shards, shard FROM tournament")
        return shards, json.loads(here)

    def entrants(self) -> list[Entrant]:
        """Return everyone, by number."""
        rows = self._rows("SELECT number, name, word, identity, withdrawn FROM entrants ORDER BY number")
        return [Entrant(n, name, word, identity, bool(withdrawn)) for n, name, word, identity, withdrawn in rows]

    def pairings(self) -> list[Pairing]:
        """Return all pairings that are known, in the order in which they were made."""
        return list(self._pairings.values())

    @property
    def _pairings(self) -> dict[int, Pairing]:
        rows = self._rows("SELECT id, name, entrants, round, blocks FROM pairings ORDER BY id")
        return {key: Pairing(name, tuple(json.loads(who)), number, blocks) for key, name, who, number, blocks in rows}

    # What was played

    @_at_once
    def progress(self) -> Progress:
        """Return how far the tournament is."""
        shards, here = self.shard()
        counted = dict(self._rows("SELECT pairing, count(*) FROM games WHERE rotation = 0 GROUP BY pairing"))
        given_up = dict(self._rows("SELECT pairing, count(*) FROM aside GROUP BY pairing"))
        gone = {entrant.number for entrant in self.entrants() if entrant.withdrawn}
        blocks = games = planned_blocks = planned_games = 0
        for key, pairing in self._pairings.items():
            played = counted.get(key, 0)
            planned = sum(len(range(part - 1, pairing.blocks, shards)) for part in here)
            if gone.intersection(
                pairing.entrants
            ):  # nothing more of it is played, also where blocks in between are missing
                planned = played + given_up.get(key, 0)
            blocks += played
            games += played * len(pairing.entrants)
            planned_blocks += planned
            planned_games += planned * len(pairing.entrants)
        void = self._row("SELECT coalesce(sum(attempts - 1), 0) FROM games")[0]
        done = all(opened for (opened,) in self._rows("SELECT opened FROM seeds"))
        whole = len(here) == shards
        aside = self.set_aside()
        complete = done if whole else 0 < planned_blocks <= blocks + len(aside)
        return Progress(
            blocks, planned_blocks, games, planned_games, void, aside, complete, is_locked(self.path), whole
        )

    def last_block(self) -> int:
        """Return the highest number of a block that was played; -1 before the first: quick, however many there are."""
        keys = [key for (key,) in self._rows("SELECT id FROM pairings")]
        found = (
            next(self._rows("SELECT coalesce(max(block), -1) FROM games WHERE pairing = ?", (key,)))[0] for key in keys
        )
        return max(found, default=-1)

    def set_aside(self) -> list[SetAside]:
        """Return the blocks that could not be played."""
        rows = self._rows(
            "SELECT name, block, tries, why FROM aside JOIN pairings ON id = pairing ORDER BY pairing, block"
        )
        return [SetAside(*row) for row in rows]

    @_at_once
    def sums(self, pairing: str | None = None) -> list[PairingSums]:
        """Return what the games add up to, pairing by pairing; added up in a fixed order, so that the order of play never shows.

        Raises:
            InputError: there is no such pairing.
        """
        luck = self.plan.luck is not None
        found: dict[int, PairingSums] = {}
        wanted = self._pairings if pairing is None else dict([self._known(pairing)])
        for key, known in wanted.items():
            seats = len(known.entrants)
            if seats > 1:
                places = [PlaceSums([0.0] * seats) for _place in known.entrants]
                found[key] = PairingSums(known.id, known.entrants, 0, places, luck=luck)
        where, values = ("", ()) if pairing is None else ("WHERE pairing = ?", tuple(wanted))
        self._add_results(found, where, values)
        for key, code, place, count in self._rows(
            f"SELECT pairing, code, place, count(*) FROM faults {where} GROUP BY pairing, place, code", values
        ):
            found[key].places[place].faults[code] = count
        for key, games, decisions, void in self._rows(
            f"SELECT pairing, count(*), sum(decisions), sum(attempts - 1) FROM games {where} GROUP BY pairing", values
        ):
            sums = found[key]
            sums.blocks, sums.decisions, sums.void = games // len(sums.entrants), decisions, void
        for key, place, *used in self._rows(
            f"SELECT pairing, place, times, ready, on_turn, off_turn, memory FROM usage {where} ORDER BY run", values
        ):
            found[key].places[place].usage.add(usage_of(*used))
        return list(found.values())

    def _add_results(self, found: dict[int, PairingSums], where: str, values: Sequence[Any]) -> None:
        """Add up wins, scores and luck; a block is a row of the inner query, which is in the order of the table."""
        blocks = f"""
            SELECT pairing, block, place, sum(parts) AS won, sum(score) AS score, total(luck) AS luck
            FROM results {where} GROUP BY pairing, block, place
        """
        for key, place, won, squares, score, luck, crossed, luck_squares in self._rows(
            f"""SELECT pairing, place, sum(won), sum(won * won), sum(score), total(luck), total(won * luck), total(luck * luck)
                FROM ({blocks}) GROUP BY pairing, place""",
            values,
        ):
            sums = found[key].places[place]
            whole, seats = WHOLE * len(found[key].entrants), len(found[key].entrants)
            sums.means = won / whole
            sums.squares = squares / (whole * whole)
            sums.score = score
            if found[key].luck:
                sums.adjusted = sums.means - luck / seats
                sums.adjusted_squares = sums.squares - 2 * crossed / (whole * seats) + luck_squares / (seats * seats)
        for key, place, seat, won in self._rows(
            f"SELECT pairing, place, seat, sum(parts) FROM results {where} GROUP BY pairing, place, seat", values
        ):
            found[key].places[place].seat_wins[seat] = won / WHOLE

    def block_means(self, pairing: str) -> Iterator[tuple[float, ...]]:
        """Yield the share of its games that each place won, block by block in the order of their numbers."""
        known = self._known(pairing)
        seats = len(known[1].entrants)
        row: list[float] = []
        for (won,) in self._rows(
            "SELECT sum(parts) FROM results WHERE pairing = ? GROUP BY pairing, block, place", (known[0],)
        ):
            row.append(won / (WHOLE * seats))
            if len(row) == seats:
                yield tuple(row)
                row = []

    def by_worker(self) -> dict[str, dict[str, Counter[float]]]:
        """Return, by pairing and by the machine that played it, how often the first place won which share of a block."""
        found: dict[str, dict[str, Counter[float]]] = {}
        rows = self._rows(
            """SELECT p.name, w.name, won, count(*), p.entrants FROM
               (SELECT pairing, block, sum(parts) AS won FROM results WHERE place = 0 GROUP BY pairing, block) AS r
               JOIN games AS g ON g.pairing = r.pairing AND g.block = r.block AND g.rotation = 0
               JOIN pairings AS p ON p.id = r.pairing JOIN workers AS w ON w.id = g.worker
               GROUP BY p.name, w.name, won"""
        )
        for pairing, worker, won, count, who in rows:
            share = won / (WHOLE * len(json.loads(who)))
            found.setdefault(pairing, {}).setdefault(worker, Counter())[share] = count
        return found

    def games(self, pairing: str | None = None) -> Iterator[StoredGame]:
        """Yield the games in the order of their names."""
        where, values = ("", ()) if pairing is None else ("WHERE g.pairing = ?", (self._known(pairing)[0],))
        yield from self._games(where, values)

    def game(self, name: str) -> StoredGame:
        """Return the game of this name.

        Raises:
            InputError: it was not played, or there is none.
        """
        key, block, rotation = self._place_of(name)
        where = "WHERE g.pairing = ? AND g.block = ? AND g.rotation = ?"
        found = next(self._games(where, (key, block, rotation)), None)
        if found is None:
            raise InputError(_("the game %s was not played") % quote(name))
        return found

    def _games(self, where: str, values: Sequence[Any]) -> Iterator[StoredGame]:
        pairings: dict[int, Pairing] = {}
        rows = self._rows(
            f"""SELECT g.pairing, g.block, g.rotation, g.attempts, g.reason, g.decisions, r.place, r.seat, r.score, r.parts, r.luck
                FROM games AS g JOIN results AS r USING (pairing, block, rotation) {where}
                ORDER BY g.pairing, g.block, g.rotation, r.seat""",
            values,
        )
        seats: list[tuple[Any, ...]] = []
        for row in rows:
            if row[0] not in pairings:
                [[name]] = self._rows("SELECT name FROM pairings WHERE id = ?", row[:1])
                pairings = {row[0]: self._known(name)[1]}
            if seats and seats[0][:3] != row[:3]:
                said = {"file": quote(str(self.path)), "reason": _("a row is missing")}
                raise StoreError(_("can't read %(file)s: %(reason)s") % said)
            seats.append(row)
            pairing = pairings[row[0]]
            if len(seats) == len(pairing.entrants):
                lucky = tuple(seat[10] for seat in seats)
                _key, block, rotation, attempts, reason, decisions, *_seat = row
                yield StoredGame(
                    pairing.id,
                    block,
                    rotation,
                    attempts,
                    reason,
                    decisions,
                    tuple(pairing.entrants[seat[6]] for seat in seats),
                    tuple(seat[8] for seat in seats),
                    tuple(seat[9] / WHOLE for seat in seats),
                    None if None in lucky else lucky,
                )
                seats = []

    # Records and faults

    def record(self, name: str) -> bytes | None:
        """Return the whole record of a game as JSON lines; None where none was kept.

        Raises:
            InputError: there is no such game.
            RecordError: the record is damaged.
        """
        self.game(name)
        place = self._place_of(name)
        packed = list(self._rows("SELECT packed FROM records WHERE pairing = ? AND block = ? AND rotation = ?", place))
        return self._whole(packed[0][0]) if packed else None

    def records(self) -> Iterator[tuple[str, bytes]]:
        """Yield the names of all games of which a record was kept, and the records."""
        rows = self._rows(
            """SELECT p.name, r.block, r.rotation, r.packed FROM records AS r JOIN pairings AS p ON p.id = r.pairing
               ORDER BY r.pairing, r.block, r.rotation"""
        )
        for pairing, block, rotation, packed in rows:
            yield game_id(pairing, block, rotation), self._whole(packed)

    @cached_property
    def _rules(self) -> Any:  # noqa: ANN401 - either kind of rule set
        return self.plan.rules

    @cached_property
    def _rules_data(self) -> dict[str, Any]:
        return as_data(self._rules)  # in the order of a header, which the plan's is not

    def _whole(self, packed: bytes) -> bytes:
        return unpack(packed, self._rules, self._rules_data)

    def faults(self, limit: int | None = None) -> list[StoredFault]:
        """Return the faults in the order of their games, those with a bundle first; at most `limit`."""
        rows = self._rows(
            """SELECT p.name, p.entrants, f.block, f.rotation, f.place, f.code, f.bundle FROM faults AS f
               JOIN pairings AS p ON p.id = f.pairing
               ORDER BY f.bundle IS NULL, f.pairing, f.block, f.rotation, f.number LIMIT ?""",
            (-1 if limit is None else limit,),
        )
        return [
            StoredFault(
                json.loads(who)[place], game_id(name, block, rotation), code, json.loads(bundle) if bundle else None
            )
            for name, who, block, rotation, place, code, bundle in rows
        ]

    # Dice and runs

    def commitments(self) -> list[str]:
        """Return what was published of every dice seed before its first game."""
        return [commitment(seed) for (seed,) in self._rows("SELECT seed FROM seeds ORDER BY epoch")]

    def seeds(self) -> list[str] | None:
        """Return the dice seeds, as they were given or in hexadecimal; None while games are to come."""
        rows = list(self._rows("SELECT seed, text, opened FROM seeds ORDER BY epoch"))
        if not all(opened for _seed, _text, opened in rows):
            return None
        return [text if text is not None else seed.hex() for seed, text, _opened in rows]

    def opened(self) -> dict[int, bytes] | None:
        """Return the dice seeds by epoch; None while games are to come."""
        rows = list(self._rows("SELECT epoch, seed, opened FROM seeds"))
        return {epoch: seed for epoch, seed, _opened in rows} if all(row[2] for row in rows) else None

    def epoch(self, game: StoredGame) -> int:
        """Return by which dice seed a game was played."""
        place = (self._known(game.pairing)[0], game.block, game.rotation)
        return int(self._row("SELECT epoch FROM games WHERE pairing = ? AND block = ? AND rotation = ?", place)[0])

    def runs(self) -> list[Run]:
        """Return the processes that played the tournament, the first one first."""
        rows = self._rows(
            "SELECT id, started, program, machine, containment, workers, seconds FROM runs ORDER BY started, id"
        )
        return [Run(*row) for row in rows]

    # Names

    def _known(self, pairing: str) -> tuple[int, Pairing]:
        rows = list(self._rows("SELECT id, name, entrants, round, blocks FROM pairings WHERE name = ?", (pairing,)))
        if not rows:
            raise InputError(_("there is no pairing %s") % quote(pairing))
        key, name, who, number, blocks = rows[0]
        return key, Pairing(name, tuple(json.loads(who)), number, blocks)

    def _place_of(self, name: str) -> tuple[int, int, int]:
        pairing, _dash, rest = name.rpartition("-")
        pairing, _dash, block = pairing.rpartition("-")
        if not (block.isascii() and block.isdigit() and rest.isascii() and rest.isdigit()) or len(block) > 15:
            message = _("%s is no game: a game is named by its pairing, block and rotation, such as 1-2-0-1")
            raise InputError(message % quote(name))
        return self._known(pairing)[0], int(block), int(rest[:9])


def usage_of(times: str, ready: int, on_turn: float, off_turn: float, memory: int) -> Usage:
    """Return what a player used, from the columns of the table."""
    buckets = {int(bucket): count for bucket, count in json.loads(times).items()}
    return Usage(Quantiles(sum(buckets.values()), buckets), ready, on_turn, off_turn, memory)
