"""Tournaments as real processes: begin one, go on with it, look into its file."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.cli.process import COMMAND, environment, run

PATIENCE = 60.0
# What two plays of the same tournament have in common, row by row: everything but how often a game was tried, where, and the time.
SAME = {
    "games": "pairing, block, rotation, epoch, reason, decisions",
    "results": "pairing, block, place, rotation, seat, score, parts, luck",
    "faults": "pairing, block, rotation, number, place, code",
    "records": "pairing, block, rotation, packed",
    "pairings": "id, name, entrants, round, blocks",
    "aside": "pairing, block",
}


def tournament(*args: str, home: Path, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """Run `dicegame tournament ARGS...` to its end."""
    return run("tournament", *args, home=home, timeout=timeout)


def started(*args: str, home: Path) -> subprocess.Popen[str]:
    """Start `dicegame tournament ARGS...` in a session of its own."""
    return subprocess.Popen(
        [*COMMAND, "tournament", *args],
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def until(condition: Callable[[], Any]) -> Any:
    """Wait until a condition holds, and return what it gave."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, "this never came to pass"
        time.sleep(0.005)
    return found


def games_in(store: Path) -> int:
    """Return how many games stand in a store, which may not be there yet."""
    try:
        with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=30)) as db:
            return int(db.execute("SELECT count(*) FROM games").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def rows_of(store: Path, table: str) -> list[tuple[Any, ...]]:
    """Return what must be the same of a table whenever the same tournament was played."""
    with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)) as db:
        keys = ", ".join(SAME[table].split(", ")[:2])
        rows = db.execute(f"SELECT {SAME[table]} FROM {table} ORDER BY {keys}").fetchall()  # noqa: S608 - our own texts
    return sorted(rows) if table != "games" else rows


def same(one: Path, other: Path) -> None:
    """Make sure that two stores hold the same tournament, game by game."""
    for table in SAME:
        assert rows_of(one, table) == rows_of(other, table), table


def shown(store: Path, home: Path) -> dict[str, Any]:
    """Return what `show --json` tells, without what depends on time."""
    done = tournament("show", str(store), "--json", home=home)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    standings = [
        {
            key: row[key]
            for key in (
                "rank",
                "name",
                "games",
                "wins",
                "win_rate",
                "interval",
                "elo",
                "elo_interval",
                "adjusted",
                "faults",
            )
        }
        for row in told["standings"]
    ]
    return {"games": {**told["games"], "void": 0}, "standings": standings, "cross": told["cross"]}


def below(pid: int, word: bytes) -> list[int]:
    """Return the processes below one with this word in their command."""
    from dicegame.players.supervisor import tree_of  # noqa: PLC0415

    found = []
    for child in tree_of(pid)[1:]:
        try:
            if word in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
        except OSError:
            continue
    return found


def plan_file(folder: Path, players: Sequence[str], **table: object) -> Path:
    """Write a tournament file and return where it is."""
    lines = ["[tournament]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    for player in players:
        name, sign, word = player.partition("=")
        given = (
            [f'name = "{name}"', f"player = {json.dumps(word)}"]
            if sign and ":" not in name
            else [f"player = {json.dumps(player)}"]
        )
        lines += ["[[entrant]]", *given]
    path = folder / "plan.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


BOT = f"{sys.executable} {Path(__file__).resolve().parent.parent.parent / 'bots' / 'python' / 'bot.py'}"
CORES = os.cpu_count() or 1
