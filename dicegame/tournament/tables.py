"""The tables of a tournament's store, and how its file is opened: one SQLite file, of a versioned schema."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dicegame.errors import StoreError
from dicegame.text import _, ltr, quote

VERSION = 1
APPLICATION = 0x64696365  # "dice": tells our files from other SQLite files
MOST_WAIT = 30.0  # seconds that a reader waits for the writer, and the other way round

# A block is whole or not there at all: it is written in one transaction, with the key of its dice in its records.
SCHEMA = """
CREATE TABLE tournament (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    plan TEXT NOT NULL,             -- the whole plan, as canonical JSON
    hash TEXT NOT NULL,             -- SHA-256 of it
    created TEXT NOT NULL,          -- UTC
    shards INTEGER NOT NULL,        -- into how many parts the tournament is split; 1: it is whole
    shard TEXT NOT NULL             -- the parts that are here, as a JSON list of numbers from 1
);
CREATE TABLE seeds (
    epoch INTEGER PRIMARY KEY,      -- more is played after a seed was opened: that gets a new one
    seed BLOB NOT NULL,
    text TEXT,                      -- what it was made from, where it can be guessed
    opened INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE entrants (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    word TEXT NOT NULL,             -- the player, as on the command line
    identity TEXT,                  -- hash of an external bot
    withdrawn INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE pairings (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,      -- such as 1-2
    entrants TEXT NOT NULL,         -- their numbers by place, as a JSON list
    round INTEGER NOT NULL,
    blocks INTEGER NOT NULL         -- to be played
);
CREATE TABLE workers (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE games (
    pairing INTEGER NOT NULL REFERENCES pairings,
    block INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    attempts INTEGER NOT NULL,      -- 1, and one more each time that the game was void or lost with its worker
    reason TEXT NOT NULL,
    decisions INTEGER NOT NULL,
    worker INTEGER NOT NULL,
    PRIMARY KEY (pairing, block, rotation)
) WITHOUT ROWID;
CREATE TABLE results (
    pairing INTEGER NOT NULL,
    block INTEGER NOT NULL,
    place INTEGER NOT NULL,         -- of the entrant, in the pairing
    rotation INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    score INTEGER NOT NULL,
    parts INTEGER NOT NULL,         -- of the win: 840 are a whole one
    luck REAL,                      -- in games, where it is measured
    PRIMARY KEY (pairing, block, place, rotation)
) WITHOUT ROWID;
CREATE TABLE faults (
    pairing INTEGER NOT NULL,
    block INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    number INTEGER NOT NULL,        -- in the game, from 0
    place INTEGER NOT NULL,
    code TEXT NOT NULL,
    bundle TEXT,                    -- all about it, as JSON; of the first faults of every entrant
    PRIMARY KEY (pairing, block, rotation, number)
) WITHOUT ROWID;
CREATE TABLE records (
    pairing INTEGER NOT NULL,
    block INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    packed BLOB NOT NULL,
    PRIMARY KEY (pairing, block, rotation)
);
CREATE TABLE aside (
    pairing INTEGER NOT NULL,
    block INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    why TEXT NOT NULL,
    PRIMARY KEY (pairing, block)
) WITHOUT ROWID;
CREATE TABLE runs (
    id TEXT PRIMARY KEY,            -- random
    started TEXT NOT NULL,          -- UTC
    program TEXT NOT NULL,
    machine TEXT NOT NULL,
    containment TEXT NOT NULL,      -- of external bots; empty where there are none
    workers TEXT NOT NULL,
    seconds REAL NOT NULL DEFAULT 0
);
CREATE TABLE usage (
    run TEXT NOT NULL REFERENCES runs,
    pairing INTEGER NOT NULL,
    place INTEGER NOT NULL,
    ready INTEGER NOT NULL,
    on_turn REAL NOT NULL,          -- seconds of processor time
    off_turn REAL NOT NULL,
    memory INTEGER NOT NULL,        -- bytes, at most
    times TEXT NOT NULL,            -- of decisions: a JSON object of buckets
    PRIMARY KEY (run, pairing, place)
) WITHOUT ROWID;
"""


def connect(path: Path, *, write: bool = False) -> sqlite3.Connection:
    """Open a store that is there, to read it only or to write.

    Raises:
        StoreError: there is none, it is none, or another version of this program wrote it.
    """
    shown = quote(str(path))
    if not path.is_file():
        raise StoreError(_("there is no tournament file %s") % shown)
    try:
        connection = _open(path, "rw" if write else "ro")
        try:
            _check(connection, shown)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
            raise StoreError(_("%s is not a tournament file") % shown) from error
        raise StoreError(_("can't read %(file)s: %(reason)s") % {"file": shown, "reason": error}) from error
    return connection


def _check(connection: sqlite3.Connection, shown: str) -> None:
    """Refuse what is no store, or one of another version.

    Raises:
        StoreError: it is one.
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise StoreError(_("%s is not a tournament file") % shown)
    if version != VERSION:
        said = {"file": shown, "version": ltr(version), "ours": ltr(VERSION)}
        raise StoreError(
            _("%(file)s has version %(version)s of the tables; this program knows version %(ours)s") % said
        )


@contextmanager
def create(path: Path) -> Iterator[sqlite3.Connection]:
    """Make a new store that only its owner can read; what is written to it inside appears with it, whole or not at all.

    Raises:
        StoreError: there is a file already, or it can't be written.
    """
    shown = quote(str(path))
    if path.exists():
        raise StoreError(_("%s is there already: `tournament resume` goes on with a tournament") % shown)
    new = path.with_name(path.name + ".new")
    try:
        new.unlink(missing_ok=True)  # left by one that was killed
        new.touch(mode=0o600, exist_ok=False)
        connection = _open(new, "rw")
        try:
            connection.executescript(
                f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; {SCHEMA}"
            )
            yield connection
            connection.execute("COMMIT")
        finally:
            connection.close()
        new.rename(path)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StoreError(_("can't write %(file)s: %(reason)s") % {"file": shown, "reason": reason}) from error
    finally:
        new.unlink(missing_ok=True)


def _open(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=MOST_WAIT)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        if mode == "ro":
            connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection
