"""The file of a tournament: nothing lost, nothing twice, nobody else in it, and the same sums in whatever order it was written."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dicegame.errors import InputError, StoreError
from dicegame.match.play import TooManyVoid
from dicegame.match.pool import Played, SetAside
from dicegame.match.result import KEPT_FAULTS, WHOLE
from dicegame.record.verify import verify_bytes
from dicegame.tournament.change import add_blocks
from dicegame.tournament.formats import Pairing
from dicegame.tournament.lock import ask_to_stop, is_locked
from dicegame.tournament.reader import Reader
from dicegame.tournament.store import Store
from dicegame.tournament.sums import PairingSums
from dicegame.tournament.tables import VERSION
from dicegame.tournament.tally import Tally
from tests.tournament.playing import until
from tests.tournament.workers import PLAYERS, finish, job_of, made, paired, planned, thrown

HOLD = """
import sys
from pathlib import Path
from dicegame.tournament.store import Store

with Store.open(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def beside(path: Path) -> list[str]:
    """Return the files that lie beside a store."""
    return sorted(found.name for found in path.parent.iterdir() if found.name.startswith(path.name) and found != path)


def aside(store: Store, pairing: Pairing, block: int) -> SetAside:
    return SetAside(job_of(store, pairing, [block]), TooManyVoid("too busy"), 3)


def counted(path: Path) -> dict[str, int]:
    """Return how many rows every table has."""
    with closing(sqlite3.connect(path)) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}  # noqa: S608 - its own


# Written once


def test_a_game_that_is_there_already_shows_and_nothing_of_its_wake_up_is_written(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with made(path, blocks=9) as store:
        first, second, _third = paired(store)
        store.add([thrown(store, first, [0, 1])], 0, 1.0)
        before = counted(path)
        news: list[Played | SetAside] = [
            thrown(store, second, [0, 1], machine="another"),
            aside(store, second, 4),
            thrown(store, first, [1, 2], machine="another"),
        ]
        with pytest.raises(StoreError, match="already holds a game"):
            store.add(news, 0, 2.0)
        assert counted(path) == before
        assert store.reader.runs()[0].seconds == 1.0
        store.add(news[:2], 0, 2.0)  # and what was right can be written after that
        assert store.reader.progress().blocks_played == 4
        assert len(store.reader.set_aside()) == 1
        assert set(store.reader.by_worker()["1-3"]) == {"another"}
        with pytest.raises(StoreError, match="already"):
            store.add([aside(store, second, 4)], 0, 3.0)


def test_everything_of_a_game_comes_back(tmp_path: Path) -> None:
    with made(
        tmp_path / "t.db", ("house", "tests=python:tests.match.test_packed:now_and_then"), blocks=6, records="all"
    ) as store:
        heard: list[Played] = []
        run = finish(store, None)
        assert run.ending == "complete"
        reader = store.reader
        games = list(reader.games())
        assert [game.id for game in games] == [f"1-2-{block}-{rotation}" for block in range(6) for rotation in (0, 1)]
        assert [game.entrants for game in games[:2]] == [(1, 2), (2, 1)]
        for game in games:
            assert reader.game(game.id) == game
            raw = reader.record(game.id)
            assert raw is not None
            assert verify_bytes(raw, game.id).valid
        assert dict(reader.records()) == {game.id: reader.record(game.id) for game in games}
        faults = reader.faults()
        assert faults
        assert all(fault.entrant == 2 and fault.code in {"crashed", "illegal", "protocol"} for fault in faults)
        assert all(fault.bundle and fault.bundle["player"] == "tests" for fault in faults)
        assert reader.faults(limit=1) == faults[:1]
        assert not heard


def test_a_record_comes_back_as_it_would_have_been_written(tmp_path: Path) -> None:
    from dicegame.match.play import Lanes, Records, play_blocks  # noqa: PLC0415

    with made(tmp_path / "t.db", PLAYERS[:2], blocks=1, rules="thousand", target=300) as store:
        finish(store)
        job = job_of(store, store.reader.pairings()[0], [0])
        lanes = Lanes(replace(job.spec, records=Records.WHOLE))
        for game in play_blocks(lanes, job.blocks).games:
            assert game.record is not None
            assert store.reader.record(f"1-2-0-{game.rotation}") == b"".join(game.record.lines)
        lanes.close()


@pytest.mark.parametrize(
    "name", ["1-2-3", "1-2-3-0-0", "1-9-0-0", "x", "", "1-2--1-0", "1-2-0-²", "1-2-9" * 9, "1-2-99999999-0"]
)
def test_a_game_that_is_not_there_is_told(tmp_path: Path, name: str) -> None:
    with made(tmp_path / "t.db", blocks=2) as store:
        paired(store)
        for ask in (store.reader.game, store.reader.record):
            with pytest.raises(InputError):
                ask(name)
        for of_pairing in (
            store.reader.sums,
            lambda p: list(store.reader.games(p)),
            lambda p: list(store.reader.block_means(p)),
        ):
            with pytest.raises(InputError):
                of_pairing(name)


def test_of_the_first_faults_all_is_kept_and_of_later_ones_the_code(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with made(path, PLAYERS[:2], blocks=10_000) as store:
        (pairing,) = paired(store)
        store.add([thrown(store, pairing, range(400))], 0, 1.0)
    with Store.open(path) as store:
        store.begin("none", "here")
        store.add([thrown(store, pairing, range(400, 800))], 0, 1.0)
        faults = store.reader.faults()
    assert len(faults) > KEPT_FAULTS
    assert sum(fault.bundle is not None for fault in faults) == KEPT_FAULTS
    assert all(fault.bundle is not None for fault in faults[:KEPT_FAULTS]), "those with all about them first"


# What is missing


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_exactly_what_is_missing_is_missing(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    blocks = data.draw(st.integers(1, 40))
    shards = data.draw(st.integers(1, 4))
    part = data.draw(st.integers(1, shards))
    played = data.draw(st.sets(st.integers(0, 45)))
    given_up = data.draw(st.sets(st.integers(0, 45))) - played
    path = tmp_path_factory.mktemp("missing") / "t.db"
    with made(path, PLAYERS[:2], blocks=blocks, shard=(part, shards)) as store:
        (pairing,) = paired(store)
        order = data.draw(st.permutations(sorted(played)))
        news: list[Played | SetAside] = [thrown(store, pairing, [block]) for block in order]
        store.add(news + [aside(store, pairing, block) for block in given_up], 0, 1.0)
        wanted = [b for b in range(blocks) if b % shards + 1 == part and b not in played and b not in given_up]
        asked = store.missing(pairing)
        found = []
        for block in asked:  # what is played meanwhile changes nothing of what follows
            found.append(block)
            store.add([thrown(store, pairing, [block])], 0, 1.0)
        assert found == wanted
        assert list(store.missing(pairing)) == []
        assert store.played(pairing) == len(played | given_up | set(wanted))
    assert not beside(path), "one file, whatever was being read"


# One process


def holding(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_refused_until_the_first_one_ends(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    made(path).close()
    assert not is_locked(path)
    assert not ask_to_stop(path)
    process = holding(path)
    try:
        assert is_locked(path)
        with pytest.raises(StoreError, match="is being played"):
            Store.open(path)
        with Reader(path) as reader:
            assert reader.progress().running
        assert ask_to_stop(path)
    finally:
        process.communicate("")
    assert process.returncode == 0
    Store.open(path).close()
    assert not beside(path)


def test_a_lock_ends_with_its_process_however_that_ends(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    made(path).close()
    process = holding(path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert until(lambda: not is_locked(path))
    with Reader(path) as reader:
        assert not reader.progress().running
    with Store.open(path) as store:
        assert not store.hold.asked_to_stop()
    assert not beside(path)


def test_a_store_that_was_killed_while_it_was_written_is_whole(tmp_path: Path) -> None:
    path, copy = tmp_path / "t.db", tmp_path / "copy.db"
    with made(path, blocks=50) as store:
        first, *_others = paired(store)
        for block in range(20):
            store.add([thrown(store, first, [block])], 0, 1.0)
        for name in (path.name, path.name + "-wal"):  # as they lie there when everything ends
            shutil.copy(tmp_path / name, tmp_path / name.replace("t.db", "copy.db"))
    with Store.open(copy) as store:
        assert store.reader.progress().blocks_played == 20
        assert next(store.missing(first)) == 20
    assert not beside(copy)


# Who may read it


def test_only_its_owner_may_read_it_while_dice_are_to_come(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with made(path, PLAYERS[:2], blocks=2, records="none") as store:
        assert mode(path) == 0o600
        first = store.reader.commitments()
        (pairing,) = paired(store)
        store.add([thrown(store, pairing, [0])], 0, 1.0)
        assert {mode(tmp_path / name) for name in beside(path) if not name.endswith(".lock")} == {0o600}
        assert store.reader.seeds() is None
        finish(store)
        assert store.reader.seeds() is not None
        assert store.reader.progress().complete
    assert mode(path) & 0o044, "now it may be read"
    with Store.open(path) as store:
        add_blocks(store, 2)
        assert mode(path) == 0o600
        assert store.reader.seeds() is None
        assert not store.reader.progress().complete
        assert len(store.reader.commitments()) == 2
        assert store.reader.commitments()[:1] == first
        finish(store)
        games = list(store.reader.games())
        assert [store.reader.epoch(game) for game in games] == [0] * 4 + [1] * 4
        assert len(set(store.reader.seeds() or [])) == 2
    assert mode(path) & 0o044


def test_to_go_on_with_what_is_complete_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with made(path) as store:
        finish(store)
        before = store.reader.commitments()
    for _again in range(2):
        with Store.open(path) as store:
            run = finish(store)
            assert run.ending == "complete"
            assert store.reader.commitments() == before
            assert mode(path) & 0o044


def test_it_is_one_file_when_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with made(path, blocks=200) as store:
        pairings = paired(store)
        store.add([thrown(store, pairing, range(0, 200, 3)) for pairing in pairings], 0, 1.0)
        iterator = store.missing(pairings[0])
        next(iterator)
        assert (tmp_path / "t.db-wal").exists()
    assert not beside(path)
    assert path.read_bytes()[18:20] == b"\1\1", "not in write-ahead mode: it can be read where nothing can be written"


# What can't be read


def test_what_is_no_store_is_told(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    with closing(sqlite3.connect(foreign)) as db:
        db.execute("CREATE TABLE t (x)")
    for name, content in (("empty.db", b""), ("text.db", b"a text, and no database at all\n" * 99)):
        (tmp_path / name).write_bytes(content)
    for name in ("foreign.db", "empty.db", "text.db"):
        for opened in (Reader, Store.open):
            with pytest.raises(StoreError, match=f"{name} is not a tournament file"):
                opened(tmp_path / name)
    for missing in (tmp_path / "none.db", tmp_path, Path("a\0b")):
        for opened in (Reader, Store.open):
            with pytest.raises(StoreError, match="there is no tournament file"):
                opened(missing)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.db", "foreign.db", "text.db"], "no lock is left"


def changed(path: Path, query: str, values: Sequence[Any] = ()) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(query, values)
        db.commit()


def test_another_version_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    made(path).close()
    changed(path, f"PRAGMA user_version = {VERSION + 1}")
    for opened in (Reader, Store.open):
        with pytest.raises(StoreError, match=f"has version {VERSION + 1} of the tables"):
            opened(path)


@pytest.mark.parametrize(
    "query",
    [
        "UPDATE tournament SET plan = '{}'",
        "UPDATE tournament SET plan = 'nonsense'",
        """UPDATE tournament SET plan = json_set(plan, '$."blocks"', 7)""",
        "DELETE FROM tournament",
        "DROP TABLE pairings",
        "DROP TABLE faults",
    ],
)
def test_a_file_that_was_changed_by_hand_is_refused_and_not_held(tmp_path: Path, query: str) -> None:
    path = tmp_path / "t.db"
    made(path).close()
    changed(path, query)
    with pytest.raises(StoreError):
        Store.open(path)
    assert not is_locked(path)
    assert not beside(path)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32), st.integers(1, 400))
def test_damage_is_an_error_of_ours_or_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, seed: int, many: int
) -> None:
    folder = tmp_path_factory.getbasetemp() / "damaged"
    path, whole = folder / "t.db", folder / "whole.db"
    if not whole.exists():
        folder.mkdir()
        with made(whole, PLAYERS[:2], blocks=3) as store:
            finish(store)
    rng = random.Random(seed)
    data = bytearray(whole.read_bytes())
    if rng.random() < 0.3:
        del data[rng.randrange(len(data)) :]
    else:
        place = rng.randrange(100, len(data) - many)
        data[place : place + many] = rng.randbytes(many)
    path.write_bytes(data)
    try:
        with Reader(path) as reader:
            reader.progress()
            list(reader.games())
            list(reader.records())
    except (InputError, KeyError, TypeError, ValueError, IndexError):
        pass  # a number or a text in place of another is more than can be told; what SQLite finds is told by us


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError, match="is there already"):
        made(path)
    assert path.read_text(encoding="utf-8") == "mine"
    assert not beside(path)
    with pytest.raises(StoreError, match="can't write"):
        made(tmp_path / "none" / "t.db")


@pytest.mark.parametrize("name", ["a b.db", "50%.db", "why?.db", "a#b.db", "été.db", "x&mode=memory.db", "-.db"])
def test_any_name_will_do(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(Path(name)).close()
    with Store.open(Path(name)) as store:
        assert len(store.reader.entrants()) == 3
    assert [path.name for path in tmp_path.iterdir()] == [name]


# Sums


def naive(reader: Reader, sums: PairingSums) -> dict[str, Any]:
    """Add a pairing up game by game, in whole fractions."""
    seats = len(sums.entrants)
    blocks: dict[int, list[Fraction]] = {}
    luck: dict[int, list[float]] = {}
    seat_wins = [[Fraction(0)] * seats for _place in range(seats)]
    score = [0] * seats
    decisions = void = 0
    for game in reader.games(sums.pairing):
        decisions += game.decisions
        void += game.attempts - 1
        for seat, entrant in enumerate(game.entrants):
            place = sums.entrants.index(entrant)
            share = Fraction(game.shares[seat]).limit_denominator(WHOLE)
            blocks.setdefault(game.block, [Fraction(0)] * seats)[place] += share / seats
            luck.setdefault(game.block, [0.0] * seats)[place] += game.luck[seat] / seats if game.luck else 0.0
            seat_wins[place][seat] += share
            score[place] += game.scores[seat]
    means = [[float(block[place]) for block in blocks.values()] for place in range(seats)]
    lucky = [[block[place] for block in luck.values()] for place in range(seats)]
    adjusted = [[mean - moved for mean, moved in zip(*both, strict=True)] for both in zip(means, lucky, strict=True)]
    return {
        "blocks": len(blocks),
        "decisions": decisions,
        "void": void,
        "means": [sum(values) for values in means],
        "squares": [sum(value * value for value in values) for values in means],
        "adjusted": [sum(values) if sums.luck else 0.0 for values in adjusted],
        "adjusted_squares": [sum(value * value for value in values) if sums.luck else 0.0 for values in adjusted],
        "score": score,
        "seat_wins": [[float(won) for won in wins] for wins in seat_wins],
    }


def as_told(sums: PairingSums) -> dict[str, Any]:
    fields = ("means", "squares", "adjusted", "adjusted_squares", "score", "seat_wins")
    told: dict[str, Any] = {"blocks": sums.blocks, "decisions": sums.decisions, "void": sums.void}
    return told | {field: [getattr(place, field) for place in sums.places] for field in fields}


def about(told: dict[str, Any]) -> dict[str, Any]:
    return {name: pytest.approx(value, abs=1e-9) if name != "seat_wins" else value for name, value in told.items()}


@pytest.mark.parametrize("luck", [None, "optimal"])
@pytest.mark.parametrize("seats", [2, 3])
def test_sums_are_those_of_the_games(tmp_path: Path, seats: int, luck: str | None) -> None:
    table: dict[str, Any] = {} if luck is None else {"luck": luck}
    with made(tmp_path / "t.db", PLAYERS[:4], blocks=60, seats=seats, **table) as store:
        tally = Tally(store.reader)
        pairings = paired(store)
        known = {pairing.id: pairing for pairing in pairings}
        for start in range(0, 60, 20):
            news: list[Played | SetAside] = [thrown(store, p, range(start, start + 20)) for p in pairings]
            store.add(news, 0, 1.0)
            tally.add(news, known)
        found = store.reader.sums()
        assert [sums.pairing for sums in found] == [pairing.id for pairing in pairings]
        live = {sums.pairing: sums for sums in tally.sums()}
        for sums in found:
            wanted = naive(store.reader, sums)
            assert {**as_told(sums), "seat_wins": None} == {**about(wanted), "seat_wins": None}
            assert [place.seat_wins for place in sums.places] == [pytest.approx(wins) for wins in wanted["seat_wins"]]
            assert store.reader.sums(sums.pairing) == [sums]
            other = live[sums.pairing]
            assert {**as_told(other), "seat_wins": None} == {**about(as_told(sums)), "seat_wins": None}
            for one, another in zip(sums.places, other.places, strict=True):
                assert one.seat_wins == pytest.approx(another.seat_wins)
                assert one.faults == another.faults
                assert (one.usage.ready, one.usage.memory) == (another.usage.ready, another.usage.memory)
                assert one.usage.on_turn_cpu == pytest.approx(another.usage.on_turn_cpu)
        told = tally.progress(
            *(store.reader.progress().blocks_planned, store.reader.progress().games_planned), complete=False
        )
        assert replace(told, running=True) == store.reader.progress()


def test_sums_do_not_depend_on_the_order_of_play(tmp_path: Path) -> None:
    found = []
    for order in range(4):
        with made(tmp_path / f"{order}.db", PLAYERS[:3], blocks=80, luck="optimal") as store:
            tasks = [(pairing, block) for pairing in paired(store) for block in range(80)]
            random.Random(order).shuffle(tasks)
            while tasks:
                store.add([thrown(store, *(pairing, [block])) for pairing, block in tasks[:7]], 0, 1.0)
                del tasks[:7]
            found.append([as_told(sums) for sums in store.reader.sums()])
            means = [list(store.reader.block_means(pairing.id)) for pairing in store.reader.pairings()]
            assert [len(blocks) for blocks in means] == [80] * 3
    assert found[0] == found[1] == found[2] == found[3], "to the last digit"


def test_block_means_and_workers_are_those_of_the_games(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:2], blocks=30) as store:
        (pairing,) = paired(store)
        store.add(
            [thrown(store, pairing, range(10, 30), machine="b"), thrown(store, pairing, range(10), machine="a")], 0, 1.0
        )
        means = list(store.reader.block_means("1-2"))
        games = list(store.reader.games("1-2"))
        wanted = []
        for block in range(30):
            shares = {1: 0.0, 2: 0.0}
            for game in games[2 * block : 2 * block + 2]:
                for entrant, share in zip(game.entrants, game.shares, strict=True):
                    shares[entrant] += share / 2
            wanted.append((shares[1], shares[2]))
        assert means == wanted
        workers = store.reader.by_worker()["1-2"]
        assert {name: sum(counts.values()) for name, counts in workers.items()} == {"a": 10, "b": 20}
        assert sum(share * count for share, count in workers["a"].items()) == pytest.approx(
            sum(m for m, _o in wanted[:10])
        )


def test_a_reader_sees_one_instant(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:2], blocks=30) as store, Reader(store.path) as reader:
        (pairing,) = paired(store)
        store.add([thrown(store, pairing, [0])], 0, 1.0)
        with reader.instant():
            assert reader.progress().blocks_played == 1
            store.add([thrown(store, pairing, [1])], 0, 1.0)
            assert reader.progress().blocks_played == 1
            assert reader.sums()[0].blocks == 1
        assert reader.progress().blocks_played == 2


def test_entrants_of_the_same_name_can_not_be_stored(tmp_path: Path) -> None:
    plan, entrants = planned()
    with pytest.raises(StoreError):
        Store.make(tmp_path / "t.db", plan, [*entrants, replace(entrants[0], number=9)], bytes(32))
    assert list(tmp_path.iterdir()) == []
