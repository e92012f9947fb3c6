"""Blocks over a real Dask cluster on loopback: the games are those that processes here play, whoever comes, goes or is killed."""

from __future__ import annotations

import gc
import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from dicegame.errors import InputError, PlayerError
from dicegame.match.bundles import bundles
from dicegame.match.job import Job
from dicegame.match.local import LocalWorkers, cores
from dicegame.match.plan import BlockSpec
from dicegame.match.play import MatchSpec, Records
from dicegame.match.pool import LOST_TRIES, Played, Pool, SetAside, Workers, WorkersLost
from dicegame.players.treatment import Treatment
from dicegame.rules.load import load
from dicegame.tournament.cluster import ClusterError, ClusterLost, ClusterWorkers
from dicegame.tournament.remote import _may_pin
from tests.tournament.daskcluster import POISON, LoopbackCluster

ROOT = Path(__file__).resolve().parent.parent.parent
SEED = b"d" * 32
SLOW = "python:tests.tournament.daskcluster:slow"
FAULTY = shlex.join([sys.executable, str(ROOT / "tests" / "match" / "faulty.py"), "always"])

News = list[Played | SetAside]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackCluster]:
    """A cluster of two workers that tests leave as they found it."""
    with LoopbackCluster(tmp_path_factory.mktemp("cluster")) as started:
        started.worker()
        started.worker()
        started.wait(2)
        yield started


def _spec(*words: str, records: Records = Records.NONE) -> MatchSpec:
    return MatchSpec(load("ten-thousand"), words, tuple("abcd"[: len(words)]), records=records)


def _jobs(spec: MatchSpec, jobs: int, blocks: int = 4) -> list[Job]:
    each = [range(job * blocks, (job + 1) * blocks) for job in range(jobs)]
    return [Job(spec, tuple(BlockSpec.of(SEED, number) for number in numbers)) for numbers in each]


def _play(workers: Workers, jobs: Sequence[Job], after: Callable[[int, Pool], None] | None = None) -> News:
    """Play jobs; `after` is called with how many are back whenever some are."""
    left = iter(jobs)
    pool = Pool(workers)
    news: News = []
    try:
        for batch in pool.play(lambda: next(left, None)):
            news += batch
            if batch and after is not None:
                after(len(news), pool)
    finally:
        pool.close()
    return news


def _games(news: News) -> list[tuple[object, ...]]:
    """Return what must be the same wherever the games are played."""
    return sorted(
        (game.block, game.rotation, *game.scores, *game.shares, game.reason, game.decisions, game.key, game.packed)
        for task in news
        if isinstance(task, Played)
        for game in task.result.games
    )


def _attempts(news: News) -> list[int]:
    return [game.attempts for task in news if isinstance(task, Played) for game in task.result.games]


def test_games_are_those_of_processes_here(cluster: LoopbackCluster) -> None:
    jobs = _jobs(_spec("house", "hold:at=300", records=Records.ALL), 6)
    news = _play(ClusterWorkers(cluster.address), jobs)
    assert _games(news) == _games(_play(LocalWorkers(2), jobs))
    assert set(_attempts(news)) == {1}
    assert all(task.result.worker for task in news if isinstance(task, Played))


def test_bots_travel_and_their_words_stay(cluster: LoopbackCluster) -> None:
    spec = _spec(str(ROOT / "bots" / "python"), FAULTY, "house", records=Records.WHOLE)
    jobs = _jobs(replace(spec, turns=Path("/nowhere/else")), 3, 2)
    news = _play(ClusterWorkers(cluster.address), jobs)
    here = _play(LocalWorkers(2), _jobs(spec, 3, 2))
    assert _games(news) == _games(here)
    result = next(task.result for task in news if isinstance(task, Played))
    game = result.games[0]
    assert game.record is not None
    assert json.loads(game.record.lines[0])["specs"] == list(spec.words)
    assert all(usage.ready for usage in result.usage[:2])
    found = bundles(spec, game)
    assert found
    assert FAULTY in found[0].again
    assert str(cluster.folder) not in json.dumps(found[0].as_json())
    unpacked = cluster.folder / "cache" / "dicegame" / "shipped"
    assert {path.name for path in unpacked.glob("*/*/*/*")} == {"python", "faulty.py"}
    with cluster.client() as client:
        kept: list[str] = client.sync(client.scheduler.who_has)
    assert not kept


@pytest.mark.skipif(not _may_pin() or len(cores()) < 2, reason="cores can't be chosen here")
def test_every_worker_stays_on_a_core_of_its_own_and_no_bot_outlives_a_run(cluster: LoopbackCluster) -> None:
    seen: list[set[str]] = []

    def look(_back: int, _pool: Pool) -> None:
        if not seen:
            with cluster.client() as client:
                seen.extend(client.run(_own_cores).values())

    _play(ClusterWorkers(cluster.address), _jobs(_spec(str(ROOT / "bots" / "python"), "house"), 8, 1), look)
    assert [len(own) for own in seen] == [1, 1]
    assert seen[0] != seen[1]
    mark = str(cluster.folder / "cache" / "dicegame" / "shipped").encode()
    deadline = time.monotonic() + 10
    while any(mark in _command(process) for process in Path("/proc").glob("[0-9]*")):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _own_cores() -> set[str]:
    """Return the single cores that threads of this worker stay on."""
    found = set()
    for status in Path("/proc/self/task").glob("*/status"):
        allowed = next(
            line.split()[1] for line in status.read_text().splitlines() if line.startswith("Cpus_allowed_list")
        )
        found |= {allowed} if allowed.isdecimal() else set()
    return found


def _command(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


def test_a_bot_that_is_built_there(cluster: LoopbackCluster, tmp_path: Path) -> None:
    folder = tmp_path / "built"
    folder.mkdir()
    source = (ROOT / "bots" / "python" / "bot.py").read_text(encoding="utf-8")
    (folder / "make").write_text("#!/bin/sh\ncp bot.txt bot.py\n", encoding="ascii")
    (folder / "make").chmod(0o755)
    (folder / "bot.txt").write_text(source, encoding="utf-8")
    (folder / "bot.toml").write_text('command = ["python3", "{dir}/bot.py"]\nbuild = ["./make"]\n', encoding="ascii")
    jobs = _jobs(_spec(str(folder), "house"), 2, 1)
    news = _play(ClusterWorkers(cluster.address), jobs)
    assert not (folder / "bot.py").exists()
    assert len(_games(news)) == 4
    assert not [game.faults for task in news if isinstance(task, Played) for game in task.result.games if game.faults]


def test_a_worker_killed_and_another_joining_change_nothing(cluster: LoopbackCluster) -> None:
    killed = cluster.worker()
    cluster.wait(3)
    jobs = _jobs(_spec(SLOW, "house"), 12)
    workers = ClusterWorkers(cluster.address)
    sizes = [workers.size]

    def disturb(back: int, _pool: Pool) -> None:
        sizes.append(workers.size)
        if back == 2:
            killed.kill()
        if back == 4:
            cluster.worker("--name", "late")

    news = _play(workers, jobs, disturb)
    assert _games(news) == _games(_play(LocalWorkers(2), jobs))
    assert sizes[0] == 3
    assert max(_attempts(news)) == 2
    assert min(_attempts(news)) == 1
    cluster.wait(3)
    cluster.processes[-1].terminate()


def test_memory_stays_flat(cluster: LoopbackCluster) -> None:
    workers = ClusterWorkers(cluster.address)

    def look(back: int, _pool: Pool) -> None:
        if back % 50 == 0:
            gc.collect()
            assert len(workers._client.futures) <= 5
            assert len(workers._open) <= 4

    _play(workers, _jobs(_spec("house", "house"), 200, 1), look)
    with cluster.client() as client:
        tasks, events = client.run_on_scheduler(_kept)
    assert (tasks, events) == (0, 0)


def _kept(dask_scheduler: object) -> tuple[int, int]:
    tasks = getattr(dask_scheduler, "tasks", ())
    return len(tasks), len(getattr(dask_scheduler, "extensions", {})["events"]._events)


def test_stopping_ends_with_the_running_games(cluster: LoopbackCluster) -> None:
    begun = 0.0

    def stop(_back: int, pool: Pool) -> None:
        nonlocal begun
        begun = begun or time.monotonic()
        pool.stop()

    jobs = [*_jobs(_spec(SLOW, SLOW), 1, 1), *_jobs(_spec(SLOW, SLOW), 6, 100)]
    news = _play(ClusterWorkers(cluster.address), jobs, stop)
    took = time.monotonic() - begun
    games = _games(news)
    assert took < 5
    assert 2 <= len(games) < 200
    assert len(games) % 2 == 0  # whole blocks only


def test_a_bot_that_cannot_be_shipped(cluster: LoopbackCluster, tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('command = ["python3", "bot.py"]\n', encoding="ascii")
    (tmp_path / "bot.py").symlink_to(ROOT / "bots" / "python" / "bot.py")
    with pytest.raises(InputError, match=r"can't ship the bot .*bot\.py.* is neither a file nor a folder"):
        _play(ClusterWorkers(cluster.address), _jobs(_spec(str(tmp_path), "house"), 1))
    with pytest.raises(InputError, match="can't be written on other machines"):
        _play(
            ClusterWorkers(cluster.address),
            _jobs(replace(_spec("house", "house"), treatment=Treatment(wire_log="log")), 1),
        )


def test_a_player_that_the_worker_does_not_find(cluster: LoopbackCluster) -> None:
    with pytest.raises(PlayerError, match="can't import"):
        _play(ClusterWorkers(cluster.address), _jobs(_spec("python:nowhere_to_be_found:x", "house"), 1))


def test_nobody_answers() -> None:
    begun = time.monotonic()
    with pytest.raises(ClusterError, match="can't reach the scheduler"):
        ClusterWorkers("tcp://127.0.0.1:9", connect_seconds=1)
    with pytest.raises(ClusterError, match="can't reach the scheduler"):
        ClusterWorkers("nonsense://x", connect_seconds=1)
    assert time.monotonic() - begun < 10


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'dicegame\[cluster\]'"):
        ClusterWorkers("tcp://127.0.0.1:9")


def test_what_is_wrong_with_a_cluster_is_said(tmp_path: Path) -> None:
    with LoopbackCluster(tmp_path) as cluster:
        with pytest.raises(ClusterError, match=r"has no workers: start some with `dask worker tcp://.* --nthreads 1"):
            ClusterWorkers(cluster.address, worker_seconds=0.5)
        threads = cluster.worker("--nthreads", "3")
        cluster.wait(1)
        with pytest.raises(ClusterError, match=r"has 3 threads; start it with `.* --nthreads 1 --nworkers 3`"):
            ClusterWorkers(cluster.address)
        threads.kill()
        (tmp_path / "other" / "dicegame-9.9.9.dist-info").mkdir(parents=True)
        (tmp_path / "other" / "dicegame-9.9.9.dist-info" / "METADATA").write_text("Name: dicegame\nVersion: 9.9.9\n")
        other = cluster.worker(env={"PYTHONPATH": f"{tmp_path / 'other'}:{ROOT}"})
        cluster.wait(1)
        with pytest.raises(ClusterError, match=r"runs Python .*, dicegame 9\.9\.9; this is Python .*, dicegame"):
            ClusterWorkers(cluster.address)
        other.kill()
        cluster.worker()
        cluster.wait(1)
        workers = ClusterWorkers(cluster.address)

        def lose(_back: int, _pool: Pool) -> None:
            cluster.scheduler.kill()

        begun = time.monotonic()
        with pytest.raises(ClusterLost, match="is lost; what was played is kept: `resume`"):
            _play(workers, _jobs(_spec(SLOW, "house"), 50), lose)
        assert time.monotonic() - begun < 30


@pytest.mark.parametrize("package", ["empty", "older"])
def test_a_worker_that_joins_with_another_dicegame(tmp_path: Path, package: str) -> None:
    with LoopbackCluster(tmp_path) as cluster:
        first = cluster.worker()
        cluster.wait(1)
        workers = ClusterWorkers(cluster.address, worker_seconds=20)
        there = tmp_path / package / "dicegame"
        there.mkdir(parents=True)
        (there / "__init__.py").write_text('__version__ = "0.0.1"\n', encoding="ascii")
        if package == "older":
            for path in (ROOT / "dicegame").iterdir():
                if path.name not in {"__init__.py", "__pycache__"}:
                    (there / path.name).symlink_to(path)

        def join(_back: int, _pool: Pool) -> None:
            if len(cluster.processes) == 2:
                cluster.worker(env={"PYTHONPATH": f"{tmp_path / package}:{ROOT}"})
                cluster.wait(2)
                first.kill()

        wanted = {"empty": "no dicegame like this one", "older": r"dicegame 0\.0\.1; this is Python"}
        with pytest.raises((ClusterError, InputError), match=wanted[package]):
            _play(workers, _jobs(_spec(SLOW, "house"), 50), join)


def test_a_poison_block_is_set_aside_and_the_others_come_through(tmp_path: Path) -> None:
    with LoopbackCluster(tmp_path) as cluster:
        cluster.worker(nanny=True)
        cluster.worker(nanny=True)
        cluster.wait(2)
        spec = _spec("python:tests.tournament.daskcluster:poison", "house")
        news = _play(ClusterWorkers(cluster.address), _jobs(spec, 8, 2))
        aside = [task for task in news if isinstance(task, SetAside)]
        assert [[block.number for block in task.job.blocks] for task in aside] == [[POISON]]
        assert aside[0].tries == LOST_TRIES
        assert isinstance(aside[0].why, WorkersLost)
        harmless = _jobs(_spec(SLOW, "house"), 8, 2)
        same = [game for game in _games(_play(LocalWorkers(2), harmless)) if game[0] != POISON]
        assert _games(news) == same
