"""What was tampered with in a tournament's file is found: a record, a result, a player, the dice."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dicegame.dice import commitment
from dicegame.errors import StoreError
from dicegame.match.job import play_block
from dicegame.match.plan import BlockSpec
from dicegame.match.play import Lanes, play_blocks
from dicegame.match.pool import Played
from dicegame.match.result import WHOLE
from dicegame.tournament.change import add_blocks
from dicegame.tournament.prove import prove_all
from dicegame.tournament.store import Store
from tests.tournament.workers import PLAYERS, finish, job_of, made, paired

ME = "python:tests.match.test_packed"
WORDS = ("house", f"bad={ME}:now_and_then", "random")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete tournament, with faults in it; two dice seeds."""
    path = tmp_path_factory.mktemp("proven") / "t.db"
    with made(path, WORDS, blocks=2) as store:
        finish(store)
        add_blocks(store, 1)
        finish(store)
    return path


@pytest.fixture
def path(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(played, tmp_path))


Db = sqlite3.Connection


def tamper(path: Path, how: Callable[[Db], object]) -> None:
    with closing(sqlite3.connect(path)) as db:
        how(db)
        db.commit()


def wrong(path: Path) -> list[str]:
    return sorted(game for game, _what in prove_all(path).wrong)


def test_what_was_really_played_is_proven(path: Path) -> None:
    proof = prove_all(path)
    assert proof.wrong == []
    assert proof.valid == 3 * 3 * 2
    assert proof.opened
    assert proof.as_json() == {"valid": True, "records": 18, "wrong": [], "opened": True}


def test_records_are_proven_before_the_dice_are_opened(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with made(path, PLAYERS[:3], blocks=4) as store:
        pairing, *_others = paired(store)
        job = job_of(store, pairing, [0, 1])
        store.add([Played(job, play_block(job))], 0, 1.0)
    proof = prove_all(path)
    assert (proof.valid, proof.wrong, proof.opened) == (4, [], False)
    tamper(path, changed_lines("1-2-1-0", lambda lines: lines[1].__setitem__("keep", [7])))
    assert wrong(path) == ["1-2-1-0"]


@pytest.mark.parametrize(("records", "valid"), [("none", 0), ("faults", None)])
def test_where_not_all_records_are_kept_those_that_are_there_are_proven(
    tmp_path: Path, records: str, valid: int | None
) -> None:
    path = tmp_path / "t.db"
    with made(path, WORDS, blocks=3, records=records) as store:
        finish(store)
        faulty = {fault.game for fault in store.reader.faults()}
    proof = prove_all(path)
    assert proof.wrong == []
    assert proof.valid == (len(faulty) if valid is None else valid)


def test_a_store_of_which_nothing_was_played(tmp_path: Path) -> None:
    made(tmp_path / "t.db").close()
    proof = prove_all(tmp_path / "t.db")
    assert (proof.valid, proof.wrong, proof.opened) == (0, [], False)
    with pytest.raises(StoreError):
        prove_all(tmp_path / "none.db")


# Records


def place_of(db: Db, game: str) -> tuple[int, int, int]:
    pairing, block, rotation = game.rsplit("-", 2)
    (key,) = db.execute("SELECT id FROM pairings WHERE name = ?", (pairing,)).fetchone()
    return key, int(block), int(rotation)


def changed_lines(game: str, change: Callable[[list[Any]], object]) -> Callable[[Db], None]:
    """Return what changes the lines of a record."""

    def how(db: Db) -> None:
        place = place_of(db, game)
        where = "WHERE pairing = ? AND block = ? AND rotation = ?"
        (packed,) = db.execute(f"SELECT packed FROM records {where}", place).fetchone()  # noqa: S608 - its own
        lines = [json.loads(line) for line in zlib.decompress(packed).splitlines()]
        change(lines)
        text = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
        db.execute(f"UPDATE records SET packed = ? {where}", (zlib.compress(text), *place))  # noqa: S608 - its own

    return how


def of(lines: list[Any], kind: str) -> Any:
    return next(line for line in lines if line["type"] == kind)


def bank_instead(lines: list[Any]) -> None:
    decision = of(lines, "decision")
    decision["bank"] = not decision["bank"]


RECORDS: dict[str, Callable[[list[Any]], object]] = {
    "nothing": lambda _lines: None,
    "a decision": bank_instead,
    "dice that were not kept": lambda lines: of(lines, "decision").update(keep=[1, 1, 1, 1]),
    "a decision is missing": lambda lines: lines.remove(of(lines, "decision")),
    "the scores": lambda lines: of(lines, "result").update(scores=[1050, 1000]),
    "the winner": lambda lines: of(lines, "result").update(winners=[1 - of(lines, "result")["winners"][0]]),
    "the reason": lambda lines: of(lines, "result").update(reason="rounds"),
    "the key": lambda lines: of(lines, "key").update(dice_key="11" * 32),
    "no key": lambda lines: lines.pop(),
    "the commitment": lambda lines: lines[0].update(commitment="22" * 32),
    "the name of the game": lambda lines: lines[0].update(game="1-3-1-1"),
    "a name": lambda lines: lines[0]["players"].__setitem__(0, "Eve"),
    "names changed about": lambda lines: lines[0]["players"].reverse(),
    "a player": lambda lines: lines[0]["specs"].__setitem__(lines[0]["players"].index("house"), "greedy"),
    "a player more": lambda lines: (lines[0]["players"].append("x"), lines[0]["specs"].append("house")),
}


@pytest.mark.parametrize("what", list(RECORDS))
def test_a_record_that_was_tampered_with_is_found(path: Path, what: str) -> None:
    tamper(path, changed_lines("1-3-1-0", RECORDS[what]))
    assert wrong(path) == ([] if what == "nothing" else ["1-3-1-0"])


def test_a_record_of_other_dice_is_found_once_the_seed_is_open(path: Path) -> None:
    """A game that is right in itself, over dice that somebody chose."""
    key = bytes(range(32))
    with Store.open(path) as store:
        lanes = Lanes(job_of(store, store.reader.pairings()[1], [1]).spec)
    games = play_blocks(lanes, [BlockSpec(1, key)]).games
    lanes.close()

    def forge(db: Db) -> None:
        for game in games:
            place = place_of(db, f"1-3-1-{game.rotation}")
            db.execute(
                "UPDATE records SET packed = ? WHERE pairing = ? AND block = ? AND rotation = ?", (game.packed, *place)
            )
            winner = game.shares.index(max(game.shares))
            for at, score in enumerate(game.scores):
                db.execute(
                    "UPDATE results SET score = ?, parts = ? WHERE pairing = ? AND block = ? AND rotation = ? AND place = ?",
                    (score, WHOLE * (at == winner), *place, at),
                )
            db.execute(
                "UPDATE games SET reason = ? WHERE pairing = ? AND block = ? AND rotation = ?", (game.reason, *place)
            )

    tamper(path, forge)
    proof = prove_all(path)
    assert sorted(game for game, _what in proof.wrong) == ["1-3-1-0", "1-3-1-1"]
    assert {what for _game, what in proof.wrong} == {"its dice were not made from the dice seed"}


def test_records_changed_about_are_found(path: Path) -> None:
    def swap(db: Db) -> None:
        one, other = place_of(db, "1-3-0-0"), place_of(db, "1-3-1-0")
        db.execute("UPDATE records SET block = 99 WHERE pairing = ? AND block = ? AND rotation = ?", one)
        db.execute("UPDATE records SET block = 0 WHERE pairing = ? AND block = ? AND rotation = ?", other)
        db.execute("UPDATE records SET block = 1 WHERE block = 99")

    tamper(path, swap)
    assert wrong(path) == ["1-3-0-0", "1-3-1-0"]


def test_a_record_that_is_gone_is_found(path: Path) -> None:
    tamper(path, lambda db: db.execute("DELETE FROM records WHERE pairing = 2 AND block = 1"))
    assert wrong(path) == ["1-3-1-0", "1-3-1-1"]


GAME = "UPDATE records SET packed = ? WHERE pairing = 2 AND block = 1 AND rotation = 0"


@pytest.mark.parametrize("content", [b"", b"x", zlib.compress(b""), zlib.compress(b"[]\n{}\n")])
def test_a_record_that_is_none_is_found(path: Path, content: bytes) -> None:
    tamper(
        path,
        lambda db: db.execute(GAME, (content,)),
    )
    assert wrong(path) == ["1-3-1-0"]


# What stands beside the records

BLOCK = ["1-3-1-0", "1-3-1-1"]
PAIRING = [f"1-3-{block}-{rotation}" for block in range(3) for rotation in (0, 1)]
HOUSE = [f"1-2-{block}-{rotation}" for block in range(3) for rotation in (0, 1)] + PAIRING
TABLES: dict[str, tuple[str, list[str]]] = {
    "a score": ("UPDATE results SET score = score + 50 WHERE pairing = 2 AND block = 1 AND rotation = 0", BLOCK[:1]),
    "the winner": ("UPDATE results SET parts = 840 - parts WHERE pairing = 2 AND block = 1", BLOCK),
    "a shared win": ("UPDATE results SET parts = 420 WHERE pairing = 2 AND block = 1", BLOCK),
    "a seat": ("UPDATE results SET seat = 1 - seat WHERE pairing = 2 AND block = 1 AND rotation = 1", BLOCK[1:]),
    "the reason": ("UPDATE games SET reason = 'rounds' WHERE pairing = 2 AND block = 1 AND rotation = 1", BLOCK[1:]),
    "who played": ("UPDATE pairings SET entrants = '[3, 1]' WHERE id = 2", PAIRING),
    "nobody": ("UPDATE pairings SET entrants = '[1, 9]' WHERE id = 2", PAIRING),
    "a name": ("UPDATE entrants SET name = 'Eve' WHERE number = 1", HOUSE),
    "a player": ("UPDATE entrants SET word = 'greedy' WHERE number = 1", HOUSE),
    "the epoch": ("UPDATE games SET epoch = 1 WHERE pairing = 2 AND block = 1", BLOCK),
    "no such epoch": ("UPDATE games SET epoch = 7 WHERE pairing = 2 AND block = 1", BLOCK),
}


@pytest.mark.parametrize("what", list(TABLES))
def test_a_result_that_is_not_that_of_the_record_is_found(path: Path, what: str) -> None:
    query, games = TABLES[what]
    tamper(path, lambda db: db.execute(query))
    assert wrong(path) == games


def test_another_seed_is_found(path: Path) -> None:
    tamper(path, lambda db: db.execute("UPDATE seeds SET seed = ? WHERE epoch = 0", (bytes(32),)))
    assert wrong(path) == [
        f"{pair}-{block}-{rotation}" for pair in ("1-2", "1-3", "2-3") for block in (0, 1) for rotation in (0, 1)
    ]


def test_the_seed_fits_what_was_published(path: Path) -> None:
    with Store.open(path) as store:
        seeds = store.reader.opened()
        assert seeds is not None
        assert [commitment(seed) for seed in seeds.values()] == store.reader.commitments()
        assert len(seeds) == 2


def test_a_game_without_its_results_is_an_error(path: Path) -> None:
    tamper(
        path,
        lambda db: db.execute("DELETE FROM results WHERE pairing = 2 AND block = 1 AND rotation = 0 AND seat = 1"),
    )
    with pytest.raises(StoreError, match="a row is missing"):
        prove_all(path)
