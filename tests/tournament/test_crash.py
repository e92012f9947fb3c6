"""kill -9 at random instants: whatever dies, no finished game is lost and none is counted twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

from tests.tournament.daskcluster import LoopbackCluster
from tests.tournament.playing import BOT, below, games_in, plan_file, same, shown, started, tournament, until

PLAYERS = ["house", "hold:at=300", "greedy", "random"]
KILLS = 25


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the file of a tournament and the store that it comes to when nothing happens."""
    folder = tmp_path_factory.mktemp("undisturbed")
    plan = plan_file(folder, PLAYERS, name="crash", blocks=2500, seed="crash", target=5000)
    done = tournament("run", str(plan), "--store", str(folder / "whole.db"), "--quiet", home=folder, timeout=300)
    assert done.returncode == 0, done.stderr
    return plan, folder / "whole.db"


def ends(process: subprocess.Popen[str], seconds: float) -> bool:
    """Wait for the end of a process for so long; return whether it has come."""
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def kill_all(process: subprocess.Popen[str]) -> None:
    """Kill a referee with everything below it, at once."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def goes_on(plan: Path, store: Path) -> list[str]:
    """Return the words that begin a tournament, or go on with it."""
    return ["resume", str(store), "--quiet"] if store.exists() else ["run", str(plan), "--store", str(store), "--quiet"]


def begin_anew(store: Path, whole: Path) -> None:
    """Make sure that a tournament has come to the same, and take its file away, so that it can be played and disturbed again."""
    same(store, whole)
    store.unlink()


def disturb_referee(plan: Path, whole: Path, store: Path, home: Path, dice: random.Random, *options: str) -> None:
    """Kill the referee again and again while it plays, alone and together with its workers, and let it end then."""
    kills = 0
    while kills < KILLS:
        before = games_in(store)
        process = started(*goes_on(plan, store), *options, home=home)
        if kills % 5:  # in the middle of the games; else at any instant from the start on
            until(lambda: games_in(store) > before or process.poll() is not None)  # noqa: B023
        if ends(process, dice.uniform(0, 1.0)):
            begin_anew(store, whole)
            continue
        if kills % 2:
            kill_all(process)
        else:
            process.kill()
            process.communicate()
        kills += 1
        assert games_in(store) >= before
    last = tournament(*goes_on(plan, store), *options, home=home, timeout=300)
    assert last.returncode == 0, last.stderr


@pytest.mark.slow
def test_a_referee_that_is_killed_at_any_instant_comes_to_the_same(
    undisturbed: tuple[Path, Path], tmp_path: Path
) -> None:
    plan, whole = undisturbed
    store = tmp_path / "killed.db"
    disturb_referee(plan, whole, store, tmp_path, random.Random("referee"))
    same(store, whole)
    assert shown(store, tmp_path) == shown(whole, tmp_path)


@pytest.mark.slow
def test_workers_that_are_killed_at_any_instant_change_nothing(undisturbed: tuple[Path, Path], tmp_path: Path) -> None:
    plan, whole = undisturbed
    store, dice = tmp_path / "workers.db", random.Random("workers")
    kills = 0
    while kills < KILLS:
        if store.exists():
            begin_anew(store, whole)
        process = started(*goes_on(plan, store), home=tmp_path)
        while not ends(process, dice.uniform(0.05, 1.2) if kills < KILLS else 300):
            assert kills < KILLS, "it hangs"
            workers = below(process.pid, b"spawn_main")
            if workers:
                os.kill(dice.choice(workers), signal.SIGKILL)
                kills += 1
        assert process.returncode == 0
    same(store, whole)
    assert shown(store, tmp_path) == shown(whole, tmp_path)


def test_a_bot_that_is_killed_loses_a_game_and_nothing_else(tmp_path: Path) -> None:
    plan = plan_file(tmp_path, ["house", f"mine={BOT}"], name="bots", blocks=60, seed="bots", target=3000)
    store = tmp_path / "bots.db"
    process = started("run", str(plan), "--store", str(store), "--quiet", home=tmp_path)
    for _kill in range(3):
        before = games_in(store)
        bots = until(lambda: below(process.pid, b"bot.py") or process.poll() is not None)
        assert bots is not True, "it was over before"
        os.kill(bots[-1], signal.SIGKILL)
        until(lambda: games_in(store) > before or process.poll() is not None)  # noqa: B023
    process.communicate(timeout=60)
    assert process.returncode == 0
    told = shown(store, tmp_path)
    assert told["games"]["played"] == 120
    assert sum(row["wins"] for row in told["standings"]) == 120
    assert set(next(row for row in told["standings"] if row["name"] == "mine")["faults"]) <= {"crashed", "start_failed"}


@pytest.mark.slow
def test_over_a_cluster_a_killed_referee_comes_to_the_same(undisturbed: tuple[Path, Path], tmp_path: Path) -> None:
    plan, whole = undisturbed
    store = tmp_path / "cluster.db"
    with LoopbackCluster(tmp_path / "dask") as cluster:
        for _worker in range(2):
            cluster.worker()
        cluster.wait(2)
        disturb_referee(plan, whole, store, tmp_path, random.Random("cluster"), "--cluster", cluster.address)
    same(store, whole)


@pytest.mark.slow
def test_over_a_cluster_killed_workers_change_nothing(undisturbed: tuple[Path, Path], tmp_path: Path) -> None:
    plan, whole = undisturbed
    store, dice = tmp_path / "workers.db", random.Random("dask workers")
    kills = 0
    with LoopbackCluster(tmp_path / "dask") as cluster:
        workers = [cluster.worker() for _worker in range(2)]
        cluster.wait(2)
        while kills < KILLS:
            if store.exists():
                begin_anew(store, whole)
            process = started(*goes_on(plan, store), "--cluster", cluster.address, home=tmp_path)
            while not ends(process, dice.uniform(0.2, 1.5) if kills < KILLS else 300):
                assert kills < KILLS, "it hangs"
                victim = workers.pop(dice.randrange(len(workers)))
                victim.kill()
                victim.wait()
                workers.append(cluster.worker())
                kills += 1
            assert process.returncode == 0
    same(store, whole)
    assert shown(store, tmp_path) == shown(whole, tmp_path)
