"""Workers that are killed, games that kill them, games that break: what is lost is played again, what ends workers is set aside."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from dicegame.errors import PlayerError
from dicegame.match.job import Job, play_block
from dicegame.match.local import LocalWorkers
from dicegame.match.plan import BlockSpec
from dicegame.match.play import GameResult, MatchSpec, TaskResult, TooManyVoid, Usage
from dicegame.match.pool import LOST_TRIES, Played, Pool, SetAside, WorkersLost
from dicegame.players.supervisor import tree_of
from dicegame.rules.load import load

SEED = bytes(range(32))
POISON = 5
ME = "python:tests.match.test_pool"
RULES = load("ten-thousand", target=1000)


def plays(message: dict[str, Any]) -> dict[str, Any]:
    """Take the first option."""
    option = message["options"][0]
    return {"keep": option["keep"], "bank": option["bank"]}


def poison(message: dict[str, Any]) -> dict[str, Any]:
    """End the worker in the games of one block."""
    if message["game"].startswith(f"match-{POISON}-"):
        os._exit(9)
    return plays(message)


def spec(*words: str) -> MatchSpec:
    return MatchSpec(RULES, words, tuple(f"p{place}" for place in range(len(words))))


def job(blocks: Sequence[int], of: MatchSpec) -> Job:
    return Job(of, tuple(BlockSpec.of(SEED, block) for block in blocks))


def dealt(jobs: Sequence[Job]) -> Callable[[], Job | None]:
    left = iter(jobs)
    return lambda: next(left, None)


def everything(pool: Pool, deal: Callable[[], Job | None]) -> tuple[list[GameResult], list[SetAside]]:
    games: list[GameResult] = []
    aside: list[SetAside] = []
    for news in pool.play(deal):
        for task in news:
            if isinstance(task, Played):
                games += task.result.games
            else:
                aside.append(task)
    return games, aside


def named(games: Sequence[GameResult]) -> list[tuple[int, int]]:
    return sorted((game.block, game.rotation) for game in games)


def all_of(blocks: Sequence[int]) -> list[tuple[int, int]]:
    return [(block, rotation) for block in sorted(blocks) for rotation in range(2)]


def scores(games: Sequence[GameResult]) -> list[tuple[int, int, list[int]]]:
    return sorted((game.block, game.rotation, game.scores) for game in games)


@pytest.fixture
def pool() -> Iterator[Callable[[int], Pool]]:
    pools = []

    def make(size: int) -> Pool:
        pools.append(Pool(LocalWorkers(size)))
        return pools[-1]

    yield make
    for one in pools:
        one.close()


def undisturbed(blocks: Sequence[int], of: MatchSpec) -> list[tuple[int, int, list[int]]]:
    return scores(play_block(job(blocks, of)).games)


def test_a_block_that_ends_its_worker_is_set_aside_and_all_others_come_through(pool: Callable[[int], Pool]) -> None:
    deadly = spec(f"{ME}:poison", f"{ME}:plays")
    jobs = [job([0, 1], deadly), job([2, 3], deadly), job([4, POISON], deadly), job([6, 7], deadly)]
    games, aside = everything(pool(2), dealt(jobs))
    others = [0, 1, 2, 3, 4, 6, 7]
    assert [task.job.blocks[0].number for task in aside] == [POISON]
    assert aside[0].tries >= LOST_TRIES
    assert isinstance(aside[0].why, WorkersLost)
    assert named(games) == all_of(others), "each once"
    assert scores(games) == undisturbed(others, spec(f"{ME}:plays", f"{ME}:plays"))
    attempts = {game.block: game.attempts for game in games}
    assert attempts[4] in {2, 3}, (
        "lost with the crowd (unless that was done before), then alone, then played without its neighbour"
    )
    assert all(1 <= attempts[block] <= 2 for block in others if block != 4), "at most lost with the crowd"


@pytest.mark.parametrize("alone", [True, False])
def test_a_single_block_that_ends_its_worker_is_tried_three_times(alone: bool) -> None:
    workers = Scripted(lambda _numbers: Lost(), alone=alone)
    games, aside = everything(Pool(workers), dealt([job([POISON], spec("house", "greedy"))]))
    assert not games
    assert [task.tries for task in aside] == [LOST_TRIES]
    assert workers.seen == [[POISON]] * LOST_TRIES


def test_jobs_of_a_worker_that_is_killed_are_played_again(pool: Callable[[int], Pool]) -> None:
    playing = pool(2)
    plain = spec("house", "greedy")
    jobs = dealt([job(range(start, start + 100), plain) for start in range(0, 1000, 100)])
    games: list[GameResult] = []
    aside: list[SetAside] = []
    killed = 0
    for news in playing.play(jobs):
        games += [game for task in news if isinstance(task, Played) for game in task.result.games]
        aside += [task for task in news if isinstance(task, SetAside)]
        workers = [pid for pid in tree_of(os.getpid())[1:] if b"spawn_main" in command(pid)]
        if news and workers and killed < 2:  # none are there just after one was lost
            with contextlib.suppress(ProcessLookupError):
                os.kill(workers[-1], signal.SIGKILL)
                killed += 1
    assert killed == 2
    assert not aside
    assert named(games) == all_of(range(1000)), "none is missing, none there twice"
    assert max(game.attempts for game in games) > 1


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_stop_brings_in_what_is_on_its_way_in_whole_blocks(pool: Callable[[int], Pool]) -> None:
    playing = pool(2)
    plain = spec("house", "greedy")
    numbers = iter(range(0, 10**9, 50))
    games: list[GameResult] = []
    for news in playing.play(lambda: job(range(start := next(numbers), start + 50), plain)):
        if news:
            playing.stop()
        games += [game for task in news if isinstance(task, Played) for game in task.result.games]
    assert games
    assert named(games) == all_of(sorted({game.block for game in games})), "whole blocks"
    assert next(numbers) <= 50 * 12, "nothing was dealt after that"
    assert not any(playing.play(lambda: job([0], plain)))


def test_a_player_that_can_not_be_made_is_an_error_and_what_was_played_comes_first(
    pool: Callable[[int], Pool],
) -> None:
    jobs = dealt([job([0], spec("house", "greedy")), job([1], spec("house", f"{ME}:nobody"))])
    games: list[GameResult] = []

    def play() -> None:
        for news in pool(1).play(jobs):
            games.extend(game for task in news if isinstance(task, Played) for game in task.result.games)

    with pytest.raises(PlayerError, match="nobody"):
        play()
    assert named(games) == all_of([0])


class Lost(Exception):
    """What a scripted worker says of a job that is gone."""


class Scripted(Executor):
    """Workers after a script: what comes of a job is told by `fate`. Jobs end all at once, when the last of them has a fate."""

    play = staticmethod(play_block)
    lost: tuple[type[BaseException], ...] = (Lost,)
    description = "scripted"

    def __init__(self, fate: Callable[[list[int]], BaseException | None], *, alone: bool, size: int = 1) -> None:
        self.fate = fate
        self.alone = alone
        self.size = size
        self.seen: list[list[int]] = []
        self.replaced = 0

    def executor(self) -> Executor:
        return self

    def submit(self, _function: Callable[..., Any], /, *args: Any, **_kwargs: Any) -> Future[Any]:
        (task,) = args
        numbers = [block.number for block in task.blocks]
        self.seen.append(numbers)
        future: Future[Any] = Future()
        error = self.fate(numbers)
        if error is None:
            games = [
                GameResult(n, rotation, [1, 0], [1.0, 0.0], "target", 1, []) for n in numbers for rotation in (0, 1)
            ]
            future.set_result(TaskResult(games, [Usage(), Usage()]))
        else:
            future.set_exception(error)
        return future

    def replace(self) -> None:
        self.replaced += 1

    def stop(self) -> None:
        """Nothing goes on."""

    def close(self) -> None:
        """Nothing is left."""


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("size", [1, 3])
def test_games_that_break_again_and_again_are_set_aside_alone(alone: bool, size: int) -> None:
    def fate(numbers: list[int]) -> BaseException | None:
        return TooManyVoid("the machine is too busy") if 3 in numbers else None

    plain = spec("house", "greedy")
    games, aside = everything(Pool(Scripted(fate, alone=alone, size=size)), dealt([job(range(8), plain)]))
    assert named(games) == all_of([0, 1, 2, 4, 5, 6, 7])
    assert [(task.job.blocks[0].number, task.why.code) for task in aside] == [(3, "void")]
    assert {game.block: game.attempts for game in games} == {0: 3, 1: 3, 2: 4, 4: 2, 5: 2, 6: 2, 7: 2}


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("bad", [[], [0], [7], [3, 4], [0, 9, 17], list(range(20))])
def test_whoever_ends_workers_is_found_and_nobody_else_is_blamed(alone: bool, size: int, bad: list[int]) -> None:
    workers = Scripted(lambda numbers: Lost() if set(bad) & set(numbers) else None, alone=alone, size=size)
    jobs = [job(range(start, start + 4), spec("house", "greedy")) for start in range(0, 20, 4)]
    games, aside = everything(Pool(workers), dealt(jobs))
    assert sorted(task.job.blocks[0].number for task in aside) == bad
    assert all(len(task.job.blocks) == 1 and task.tries >= LOST_TRIES for task in aside)
    assert named(games) == all_of([block for block in range(20) if block not in bad])
    assert bool(workers.replaced) == bool(bad)


def test_a_job_lost_by_chance_is_tried_again_whole_and_counts_as_an_attempt() -> None:
    fates = iter([Lost(), None])
    workers = Scripted(lambda _numbers: next(fates), alone=False, size=1)
    games, aside = everything(Pool(workers), dealt([job([4], spec("house", "greedy"))]))
    assert not aside
    assert [game.attempts for game in games] == [2, 2]
    assert workers.seen == [[4], [4]]


def test_no_more_jobs_are_out_than_can_soon_be_played() -> None:
    asked = iter(range(100))

    def deal() -> Job | None:
        number = next(asked, None)
        return None if number is None else job([number], spec("house", "greedy"))

    pool = Pool(Scripted(lambda _numbers: None, alone=False, size=3))
    out = [len(news) for news in pool.play(deal)]
    assert max(out) <= 6
    assert sum(out) == 100
