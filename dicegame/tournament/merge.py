"""Put the parts of a tournament together that were played into files of their own."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from dicegame.errors import StoreError
from dicegame.text import _, quote
from dicegame.tournament.plan import Format
from dicegame.tournament.reader import Reader
from dicegame.tournament.store import Store
from dicegame.tournament.sums import Entrant
from dicegame.tournament.tables import connect

# What a game is, table by table: where two files have a game, all of these must be alike. How often it was tried, where, and by which
# of several seeds that are the same may differ.
_GAME = {
    "games": ("pairing", "block", "rotation", "reason", "decisions"),
    "results": ("pairing", "block", "place", "rotation", "seat", "score", "parts", "luck"),
    "faults": ("pairing", "block", "rotation", "number", "place", "code"),
    "records": ("pairing", "block", "rotation", "packed"),
}
_MANY = 5000  # rows that are held in memory at once


def merge(store: Store, paths: list[Path]) -> None:
    """Take the games of other files of the same tournament into this one: of all of them, or where anything is wrong of none.

    A game that is in both is taken once, if it is the same game. Once all parts are there and nothing is left to play, the dice are
    opened.

    Raises:
        StoreError: a file is of another tournament, or a game is another one there.
    """
    with store.merging() as db:
        for path in paths:
            _same_tournament(store, path)
            with closing(connect(path)) as other:
                _take(db, other, path)
    progress = store.reader.progress()
    plan = store.reader.plan
    follows = plan.format in {Format.SWISS, Format.KNOCKOUT} or plan.precision is not None
    whole = progress.whole and 0 < progress.blocks_planned <= progress.blocks_played + len(progress.set_aside)
    if whole and not follows:
        store.open_seeds()


def _same_tournament(store: Store, path: Path) -> None:
    """Refuse a file of another tournament.

    Raises:
        StoreError: it is one.
    """
    ours = store.reader
    with Reader(path) as other:
        # Where the rules and the bots lie may be different on every machine.
        differ = {
            _("the plan"): set(ours.plan.changes(other.plan)) - {"source"},
            _("the entrants"): list(map(_who, ours.entrants())) != list(map(_who, other.entrants())),
            _("the dice seed"): ours.commitments() != other.commitments(),
            _("the number of parts"): ours.shard()[0] != other.shard()[0],
        }
    found = next((what for what, differs in differ.items() if differs), None)
    if found is not None:
        message = _("%(file)s is of another tournament: %(what)s differs")
        raise StoreError(message % {"file": quote(str(path)), "what": found})


def _who(entrant: Entrant) -> tuple[object, ...]:
    return entrant.number, entrant.name, entrant.identity or entrant.word, entrant.withdrawn


def _take(db: sqlite3.Connection, other: sqlite3.Connection, path: Path) -> None:
    """Take everything of another file, as it is at one instant; pairings and workers are known by their names.

    Raises:
        StoreError: a game is another one there, or the file can't be read.
    """
    try:
        other.execute("BEGIN")
        keys = {"pairing": _take_pairings(db, other), "worker": _take_workers(db, other)}
        for table in (*_GAME, "aside", "runs", "usage"):
            _copy(db, other, table, keys)
        (there,) = other.execute("SELECT shard FROM tournament").fetchone()
    except sqlite3.Error as error:
        raise StoreError(_("can't read %(file)s: %(reason)s") % {"file": quote(str(path)), "reason": error}) from error
    _refuse_conflicts(db, path)
    _put(db)
    (here,) = db.execute("SELECT shard FROM main.tournament").fetchone()
    parts = json.dumps(sorted({*json.loads(here), *json.loads(there)}))
    db.execute("UPDATE main.tournament SET shard = ?", (parts,))


def _take_pairings(db: sqlite3.Connection, other: sqlite3.Connection) -> dict[int, int]:
    """Return our key of each of the other's pairings."""
    found = {}
    for key, *row in other.execute("SELECT id, name, entrants, round, blocks FROM pairings ORDER BY id"):
        found[key] = db.execute(
            """INSERT INTO pairings (name, entrants, round, blocks) VALUES (?, ?, ?, ?)
               ON CONFLICT (name) DO UPDATE SET blocks = max(blocks, excluded.blocks) RETURNING id""",
            row,
        ).fetchone()[0]
    return found


def _take_workers(db: sqlite3.Connection, other: sqlite3.Connection) -> dict[int, int]:
    """Return our key of each of the other's workers."""
    found = {}
    for key, name in other.execute("SELECT id, name FROM workers ORDER BY id"):
        db.execute("INSERT OR IGNORE INTO workers (name) VALUES (?)", (name,))
        found[key] = db.execute("SELECT id FROM workers WHERE name = ?", (name,)).fetchone()[0]
    return found


def _copy(db: sqlite3.Connection, other: sqlite3.Connection, table: str, keys: Mapping[str, Mapping[int, int]]) -> None:
    """Copy a table of the other file beside ours, under its name and in `temp`, with our keys."""
    cursor = other.execute(f"SELECT * FROM {table}")
    columns = [column[0] for column in cursor.description]
    ours = [keys.get(column) for column in columns]
    db.execute(f"DROP TABLE IF EXISTS temp.{table}")
    db.execute(f"CREATE TEMP TABLE {table} AS SELECT {', '.join(columns)} FROM main.{table} WHERE false")

    def rows() -> Iterator[tuple[Any, ...]]:
        while many := cursor.fetchmany(_MANY):
            for row in many:
                yield tuple(value if known is None else known[value] for value, known in zip(row, ours, strict=True))

    places = ", ".join("?" * len(columns))
    db.executemany(f"INSERT INTO temp.{table} VALUES ({places})", rows())


def _refuse_conflicts(db: sqlite3.Connection, path: Path) -> None:
    """Refuse games that stand in both files and are not the same.

    Raises:
        StoreError: there is one; says which.
    """
    db.execute("DROP TABLE IF EXISTS temp.twice")
    db.execute(
        """CREATE TEMP TABLE twice AS SELECT pairing, block, rotation FROM main.games JOIN temp.games AS t
           USING (pairing, block, rotation)"""
    )
    for table, columns in _GAME.items():
        rows = "SELECT {} FROM {}.{} JOIN temp.twice USING (pairing, block, rotation)"
        ours, theirs = (rows.format(", ".join(columns), file, table) for file in ("main", "temp"))
        for one, another in ((ours, theirs), (theirs, ours)):
            found = db.execute(f"SELECT pairing, block, rotation FROM ({one} EXCEPT {another}) LIMIT 1").fetchone()
            if found is not None:
                pairing, block, rotation = found
                (name,) = db.execute("SELECT name FROM pairings WHERE id = ?", (pairing,)).fetchone()
                message = _("%(file)s and the other file differ in the game %(game)s (%(table)s); nothing was merged")
                said = {"file": quote(str(path)), "game": f"{name}-{block}-{rotation}", "table": table}
                raise StoreError(message % said)


def _put(db: sqlite3.Connection) -> None:
    """Put what was copied into our tables: what is not there yet, and of a process that played on what is newer."""
    newer = "SELECT t.id FROM temp.runs AS t JOIN main.runs AS m USING (id) WHERE t.seconds > m.seconds"
    db.execute(f"DELETE FROM main.usage WHERE run IN ({newer})")
    db.execute(
        f"UPDATE main.runs SET seconds = (SELECT seconds FROM temp.runs AS t WHERE t.id = main.runs.id) WHERE id IN ({newer})"
    )
    older = "SELECT t.id FROM temp.runs AS t JOIN main.runs AS m USING (id) WHERE t.seconds < m.seconds"
    db.execute(f"DELETE FROM temp.usage WHERE run IN ({older})")
    for table in ("runs", *_GAME, "aside", "usage"):
        db.execute(f"INSERT OR IGNORE INTO main.{table} SELECT * FROM temp.{table}")
    db.execute(
        """DELETE FROM main.aside WHERE EXISTS
           (SELECT 1 FROM main.games AS g WHERE g.pairing = main.aside.pairing AND g.block = main.aside.block)"""
    )
    for table in ("runs", *_GAME, "aside", "usage", "twice"):
        db.execute(f"DROP TABLE temp.{table}")
