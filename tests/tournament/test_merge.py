"""A tournament in parts: played apart and put together it is the one that was never split, and nothing foreign comes in."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dicegame.errors import InputError, StoreError
from dicegame.match.play import TooManyVoid
from dicegame.match.pool import SetAside
from dicegame.tournament.make import make, parse_shard
from dicegame.tournament.merge import merge
from dicegame.tournament.prove import prove_all
from dicegame.tournament.reader import Reader
from dicegame.tournament.standings import standings
from dicegame.tournament.store import Store
from tests.tournament.playing import rows_of, same
from tests.tournament.workers import PLAYERS, file_of, finish, job_of, made, paired, thrown


def part(path: Path, number: int, of: int, *, blocks: int = 7) -> Path:
    """Play one part of the same tournament."""
    with made(path, PLAYERS[:3], shard=(number, of), blocks=blocks) as store:
        run = finish(store)
        assert run.ending == "complete"
        assert store.reader.progress().complete
        assert not store.reader.progress().whole
        assert store.reader.seeds() is None, "the others are still played"
    return path


def together(path: Path, *others: Path) -> None:
    with Store.open(path) as store:
        merge(store, list(others))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "whole.db"
    with made(path, PLAYERS[:3], blocks=7) as store:
        finish(store)
    return path


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("parts")
    return [part(folder / f"{number}.db", number, 3) for number in (1, 2, 3)]


@pytest.fixture
def copied(parts: list[Path], tmp_path: Path) -> list[Path]:
    """Return the three parts in a folder of their own."""
    return [Path(shutil.copy(path, tmp_path)) for path in parts]


def dumped(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return list(db.iterdump())


def table(path: Path) -> object:
    with Reader(path) as reader:
        found = standings(reader.entrants(), reader.sums(), reader.plan.seats)
    return [
        (row.rank, row.name, row.games, row.wins, row.interval, row.elo, row.elo_interval, row.mean_score)
        for row in found.rows
    ]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_the_parts_come_to_the_unsplit_tournament(copied: list[Path], whole: Path, order: tuple[int, ...]) -> None:
    first, *others = (copied[place] for place in order)
    together(first, *others)
    assert table(first) == table(whole)
    for name in ("games", "results", "faults", "pairings", "aside"):
        assert sorted(rows_of(first, name)) == sorted(rows_of(whole, name)), name
    if order == (0, 1, 2):
        same(first, whole)
    with Reader(first) as reader, Reader(whole) as other:
        progress = reader.progress()
        assert (progress.complete, progress.whole) == (True, True)
        assert (progress.blocks_played, progress.blocks_planned) == (21, 21)
        assert reader.seeds() == other.seeds() is not None
        assert len(reader.runs()) == 3
    assert stat.S_IMODE(first.stat().st_mode) & 0o044
    assert prove_all(first).wrong == []


def test_parts_can_be_put_together_one_by_one(copied: list[Path], whole: Path) -> None:
    one, two, three = copied
    together(one, two)
    with Reader(one) as reader:
        progress = reader.progress()
        assert (progress.whole, progress.complete, progress.blocks_played) == (False, True, 15)
        assert reader.seeds() is None
        assert reader.shard() == (3, [1, 2])
    assert stat.S_IMODE(one.stat().st_mode) == 0o600
    together(one, three)
    same(one, whole)


def test_what_is_there_already_is_taken_once(copied: list[Path], whole: Path) -> None:
    one, two, three = copied
    together(one, two, three, two)
    together(one, two, three)
    together(two, one)
    together(one, two, one)
    same(one, whole)
    same(two, one)
    assert table(one) == table(whole)
    with Reader(one) as reader:
        assert len(reader.runs()) == 3


def test_a_part_that_is_not_over_is_gone_on_with_after_it_was_merged(
    tmp_path: Path, copied: list[Path], whole: Path
) -> None:
    half = tmp_path / "half.db"
    with made(half, PLAYERS[:3], shard=(3, 3), blocks=7) as store:
        paired(store)
    together(half, *copied[:2])
    with Reader(half) as reader:
        assert reader.progress().whole
        assert not reader.progress().complete
        assert reader.seeds() is None
    with Store.open(half) as store:
        finish(store)
    for name in ("games", "results", "faults"):
        assert sorted(rows_of(half, name)) == sorted(rows_of(whole, name)), name
    assert table(half) == table(whole)


def test_files_of_which_nothing_was_played_open_no_dice(tmp_path: Path) -> None:
    for number in (1, 2):
        made(tmp_path / f"{number}.db", shard=(number, 2)).close()
    together(tmp_path / "1.db", tmp_path / "2.db")
    with Reader(tmp_path / "1.db") as reader:
        assert reader.seeds() is None
        assert not reader.progress().complete


def test_more_files_than_sqlite_attaches(tmp_path: Path) -> None:
    paths = []
    for number in range(1, 15):
        paths.append(tmp_path / f"{number}.db")
        with made(paths[-1], PLAYERS[:2], shard=(number, 14), blocks=28) as store:
            pairings = paired(store)
            mine = list(store.missing(pairings[0]))
            store.add([thrown(store, pairings[0], mine, machine=f"machine {number}")], 0, 1.0)
    together(*paths)
    with Reader(paths[0]) as reader:
        assert reader.progress().blocks_played == 28
        assert reader.progress().complete
        assert len(reader.by_worker()["1-2"]) == 14


CONFLICTS: dict[str, str] = {
    "another score": "UPDATE results SET score = score + 50 WHERE pairing = 2 AND block = 1",
    "another winner": "UPDATE results SET parts = 840 - parts WHERE pairing = 2 AND block = 1",
    "another seat": "UPDATE results SET seat = 1 - seat WHERE pairing = 2 AND block = 1",
    "another reason": "UPDATE games SET reason = 'forfeit' WHERE pairing = 1 AND block = 4",
    "more decisions": "UPDATE games SET decisions = decisions + 1 WHERE pairing = 1 AND block = 4",
    "a fault more": "INSERT INTO faults VALUES (1, 4, 0, 0, 1, 'crashed', NULL)",
    "a result less": "DELETE FROM results WHERE pairing = 1 AND block = 4 AND rotation = 0",
    "another record": "UPDATE records SET packed = x'00' WHERE pairing = 3 AND block = 1",
    "a record less": "DELETE FROM records WHERE pairing = 3 AND block = 1",
}


@pytest.mark.parametrize("what", list(CONFLICTS))
def test_a_game_that_is_another_one_is_refused_and_nothing_is_changed(copied: list[Path], what: str) -> None:
    one, two, three = copied
    other = one.with_name("other.db")
    shutil.copy(two, other)
    with closing(sqlite3.connect(other)) as db:
        db.execute(CONFLICTS[what])
        db.commit()
    together(one, two)
    before = dumped(one)
    with pytest.raises(StoreError, match="nothing was merged") as caught:
        together(one, three, other)
    assert "other.db" in caught.value.message
    assert dumped(one) == before
    together(other, three)  # alone it is as good as any


def test_how_often_a_game_was_tried_and_where_is_no_conflict(copied: list[Path], whole: Path) -> None:
    one, two, three = copied
    other = one.with_name("other.db")
    shutil.copy(two, other)
    with closing(sqlite3.connect(other)) as db:
        db.execute("UPDATE games SET attempts = 3")
        db.execute("UPDATE workers SET name = 'far away'")
        db.commit()
    together(one, two, three, other)
    assert table(one) == table(whole)
    with Reader(one) as reader:
        assert reader.progress().void == 0


def refused(store: Path, other: Path, what: str) -> None:
    before = dumped(store)
    with pytest.raises(StoreError, match=f"is of another tournament: {what} differs"):
        together(store, other)
    assert dumped(store) == before


def test_another_tournament_is_refused(copied: list[Path], tmp_path: Path) -> None:
    one, _two, _three = copied
    others: dict[str, Callable[[Path], Store]] = {
        "the plan": lambda path: made(path, PLAYERS[:3], shard=(2, 3), blocks=8),
        "the entrants": lambda path: made(path, PLAYERS[1:4], shard=(2, 3), blocks=7),
        "the dice seed": lambda path: make(path, file_of(PLAYERS[:3], blocks=7), None, bytes(32), shard=(2, 3)),
        "the number of parts": lambda path: made(path, PLAYERS[:3], shard=(2, 4), blocks=7),
    }
    for number, (what, made_of) in enumerate(others.items()):
        path = tmp_path / f"other{number}.db"
        made_of(path).close()
        refused(one, path, what)
    with Store.open(_two) as store:
        store.withdraw(1)
    refused(one, _two, "the entrants")


def test_what_can_not_be_read_is_told_and_nothing_is_changed(copied: list[Path], tmp_path: Path) -> None:
    one, two, three = copied
    before = dumped(one)
    broken = tmp_path / "broken.db"
    broken.write_bytes(three.read_bytes()[:20_000])
    for other in (tmp_path / "none.db", broken):
        with pytest.raises(StoreError):
            together(one, two, other)
        assert dumped(one) == before


def test_a_block_set_aside_here_and_played_there_is_played(tmp_path: Path) -> None:
    paths = [tmp_path / "a.db", tmp_path / "b.db"]
    for path, given_up in zip(paths, ([0, 1], [1]), strict=True):
        with made(path, PLAYERS[:2], blocks=4) as store:
            (pairing,) = paired(store)
            there = [block for block in range(4) if block not in given_up]
            aside = [SetAside(job_of(store, pairing, [block]), TooManyVoid("busy"), 3) for block in given_up]
            store.add([thrown(store, pairing, there), *aside], 0, 1.0)
    together(*paths)
    with Reader(paths[0]) as reader:
        assert [(found.block, found.why) for found in reader.set_aside()] == [(1, "busy")]
        assert reader.progress().blocks_played == 3
        assert reader.progress().complete


def test_what_a_process_used_is_counted_once(tmp_path: Path) -> None:
    path, early, late = (tmp_path / name for name in ("a.db", "early.db", "late.db"))
    with made(path, PLAYERS[:2], blocks=9) as store:
        (pairing,) = paired(store)
        store.add([thrown(store, pairing, [0])], 0, 1.0)
        with closing(sqlite3.connect(early)) as copy, closing(sqlite3.connect(path)) as db:
            db.backup(copy)  # while it is played
        store.add([thrown(store, pairing, [1])], 0, 2.0)
        used = store.reader.sums()[0].places[0].usage.ready
        assert used == 2
    shutil.copy(path, late)
    for store_path, other in ((path, early), (early, late), (late, early), (early, late)):
        together(store_path, other)
        with Reader(store_path) as reader:
            assert reader.sums()[0].places[0].usage.ready == used
            assert reader.sums()[0].places[0].usage.on_turn_cpu == pytest.approx(0.5)
            assert [run.seconds for run in reader.runs()] == [2.0]
            assert reader.progress().blocks_played == 2


def test_where_the_rules_and_bots_lie_may_differ_between_machines(tmp_path: Path) -> None:
    bot = Path(__file__).resolve().parent.parent.parent / "bots" / "python"
    stores = []
    for number in (1, 2):
        folder = tmp_path / f"machine{number}"
        folder.mkdir()
        shutil.copytree(bot, folder / "mine")
        (folder / "rules.toml").write_text("target = 500\n[score]\nsingle = {1 = 100, 5 = 50}\n", encoding="utf-8")
        file = file_of(("house", "me=mine"), rules="rules.toml", blocks=2)
        stores.append(folder / "t.db")
        with make(stores[-1], file, folder, bytes(32), shard=(number, 2)) as store:
            (pairing,) = paired(store)
            store.add([thrown(store, pairing, [number - 1])], 0, 1.0)
    together(*stores)
    with Reader(stores[0]) as reader:
        assert reader.progress().complete
    changed = tmp_path / "machine2" / "mine" / "bot.py"
    changed.write_text(changed.read_text(encoding="utf-8") + "\n# another\n", encoding="utf-8")
    file = file_of(("house", "me=mine"), rules="rules.toml", blocks=2)
    make(tmp_path / "changed.db", file, tmp_path / "machine2", bytes(32), shard=(2, 2)).close()
    refused(stores[0], tmp_path / "changed.db", "the entrants")


@pytest.mark.parametrize(("form", "table"), [("swiss", {}), ("knockout", {}), ("round-robin", {"precision": 0.1})])
def test_what_depends_on_results_can_not_be_split_and_opens_no_dice_by_being_merged(
    tmp_path: Path, form: str, table: dict[str, Any]
) -> None:
    with pytest.raises(InputError, match="can't be split"):
        make(tmp_path / "split.db", file_of(PLAYERS[:4], format=form, **table), shard=(1, 2))
    paths = [tmp_path / "a.db", tmp_path / "b.db"]
    for path in paths:
        with made(path, PLAYERS[:4], format=form, **table) as store:
            pairings = paired(store)
            store.add([thrown(store, pairing, range(pairing.blocks)) for pairing in pairings], 0, 1.0)
    together(*paths)
    with Reader(paths[0]) as reader:
        assert reader.seeds() is None, "rounds may follow"


def test_the_name_of_a_part() -> None:
    assert parse_shard("1/3") == (1, 3)
    assert parse_shard("12/12") == (12, 12)
    for text in ("", "1", "0/3", "4/3", "1/0", "a/b", "1/3/5", "-1/3", " 1/3", "1/3\n", "1/99999", "١/٣"):
        with pytest.raises(InputError, match="is no part"):
            parse_shard(text)
