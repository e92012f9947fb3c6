"""Put the parts of a tournament together that were played into files of their own."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from dicegame.errors import StoreError
from dicegame.text import _, quote
from dicegame.tournament.reader import Reader
from dicegame.tournament.store import Store

# Of each table the columns that say which row it is; the rest must be alike where both files have it.
_KEYS = {
    "games": ("pairing", "block", "rotation"),
    "results": ("pairing", "block", "place", "rotation"),
    "faults": ("pairing", "block", "rotation", "number"),
    "records": ("pairing", "block", "rotation"),
    "aside": ("pairing", "block"),
    "runs": ("id",),
    "usage": ("run", "pairing", "place"),
}
# What may differ between two plays of the same game without its being another one.
_FREE = {
    "games": ("attempts", "worker", "epoch"),
    "faults": ("bundle",),
    "aside": ("tries", "why"),
    "runs": ("seconds",),
}


def merge(store: Store, paths: list[Path]) -> None:
    """Take the games of other files of the same tournament into this one: of all of them, or where anything is wrong of none.

    A game that is in both is taken once, if it is the same game. Once all parts are there and nothing is left to play, the dice are
    opened.

    Raises:
        StoreError: a file is of another tournament, or a game is another one there.
    """
    for path in paths:
        _same_tournament(store, path)
    with store.foreign(paths) as db:
        for number, path in enumerate(paths):
            _take(db, f"other{number}", path)
    progress = store.reader.progress()
    if progress.whole and progress.blocks_played + len(progress.set_aside) >= progress.blocks_planned:
        store.open_seeds()


def _same_tournament(store: Store, path: Path) -> None:
    """Refuse a file of another tournament.

    Raises:
        StoreError: it is one.
    """
    with Reader(path) as other:
        here = (store.reader.plan, store.reader.entrants(), store.reader.commitments(), store.reader.shard()[0])
        there = (other.plan, other.entrants(), other.commitments(), other.shard()[0])
    names = (_("the plan"), _("the entrants"), _("the dice seed"), _("the number of parts"))
    differ = [name for name, one, another in zip(names, here, there, strict=True) if one != another]
    if differ:
        message = _("%(file)s is of another tournament: %(what)s differs")
        raise StoreError(message % {"file": quote(str(path)), "what": differ[0]})


def _take(db: sqlite3.Connection, other: str, path: Path) -> None:
    """Take everything of an attached file; pairings and workers are known by their names."""
    db.execute(
        f"""INSERT INTO pairings (name, entrants, round, blocks) SELECT name, entrants, round, blocks FROM {other}.pairings
            WHERE true ON CONFLICT (name) DO UPDATE SET blocks = max(blocks, excluded.blocks)"""
    )
    db.execute(f"INSERT OR IGNORE INTO workers (name) SELECT name FROM {other}.workers ORDER BY id")
    for table, keys in _KEYS.items():
        columns = [row[1] for row in db.execute(f"PRAGMA {other}.table_info({table})")]
        pairing = f"(SELECT m.id FROM pairings AS m JOIN {other}.pairings AS o USING (name) WHERE o.id = t.pairing)"
        worker = f"(SELECT m.id FROM workers AS m JOIN {other}.workers AS o USING (name) WHERE o.id = t.worker)"
        given = ", ".join({"pairing": pairing, "worker": worker}.get(column, f"t.{column}") for column in columns)
        names = ", ".join(columns)
        db.execute("DROP TABLE IF EXISTS temp.taken")
        db.execute(f"CREATE TEMP TABLE taken AS SELECT * FROM main.{table} WHERE false")
        db.execute(f"INSERT INTO temp.taken ({names}) SELECT {given} FROM {other}.{table} AS t")
        _refuse_conflicts(db, table, keys, columns, path)
        db.execute(f"INSERT OR IGNORE INTO main.{table} ({names}) SELECT {names} FROM temp.taken")
    db.execute("DROP TABLE IF EXISTS temp.taken")
    here = json.loads(db.execute("SELECT shard FROM main.tournament").fetchone()[0])
    there = json.loads(db.execute(f"SELECT shard FROM {other}.tournament").fetchone()[0])
    db.execute("UPDATE main.tournament SET shard = ?", (json.dumps(sorted({*here, *there})),))


def _refuse_conflicts(
    db: sqlite3.Connection, table: str, keys: tuple[str, ...], columns: list[str], path: Path
) -> None:
    """Refuse rows that stand in both files and are not the same.

    Raises:
        StoreError: there is one; says which.
    """
    free = _FREE.get(table, ())
    rest = [column for column in columns if column not in keys and column not in free]
    if not rest:
        return
    same = " AND ".join(f"m.{column} IS t.{column}" for column in rest)
    on = " AND ".join(f"m.{key} = t.{key}" for key in keys)
    found = db.execute(
        f"SELECT {', '.join('t.' + key for key in keys)} FROM temp.taken AS t JOIN main.{table} AS m ON {on} WHERE NOT ({same}) LIMIT 1"
    ).fetchone()
    if found is None:
        return
    where = dict(zip(keys, found, strict=True))
    if "pairing" in where:
        where["pairing"] = db.execute("SELECT name FROM pairings WHERE id = ?", (where["pairing"],)).fetchone()[0]
    shown = ", ".join(f"{key} {value}" for key, value in where.items())
    message = _("%(file)s and the other file differ in what both have (%(table)s: %(where)s); nothing was merged")
    raise StoreError(message % {"file": quote(str(path)), "table": table, "where": shown})
