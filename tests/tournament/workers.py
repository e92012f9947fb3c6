"""Small tournaments in this process: a store made from a few words, and workers without a process of their own."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from dicegame.dice import seed_from_text
from dicegame.match.job import Job, end_bots, play_block
from dicegame.match.plan import BlockSpec
from dicegame.match.play import GameResult, TaskResult, Usage
from dicegame.match.pool import Played
from dicegame.players.faults import FaultReport
from dicegame.tournament.deal import spec_of
from dicegame.tournament.formats import Pairing, schedule
from dicegame.tournament.plan import Plan, TournamentFile, check_file, entrants_of, make_plan
from dicegame.tournament.run import Run, run_tournament
from dicegame.tournament.store import Store
from dicegame.tournament.sums import Entrant

SEED = seed_from_text("here")
PLAYERS = ("house", "greedy", "random", "cautious", "hold:at=300", "hold:at=400")


class _Executor(Executor):
    """Plays what is submitted at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - as an executor does
            future.set_exception(error)
        return future


class Here:
    """Workers without processes: as fast as the games, and every game is the same as on any others."""

    play = staticmethod(play_block)
    lost: tuple[type[BaseException], ...] = ()
    alone = True
    description = "here"
    size = 1

    def __init__(self) -> None:
        self._executor = _Executor()

    def executor(self) -> Executor:
        return self._executor

    def replace(self) -> None:
        """Nothing is ever lost."""

    def stop(self) -> None:
        """Every job is over when it is submitted."""

    def close(self) -> None:
        end_bots()


def file_of(players: Sequence[str] = PLAYERS[:3], **table: Any) -> TournamentFile:
    """Return a tournament file with these players; `table` is what it says under [tournament]."""
    given = {"blocks": 3, "target": 1000, **table}
    return check_file({"tournament": given, "entrant": [{"player": player} for player in players]}, "tests")


def planned(players: Sequence[str] = PLAYERS[:3], **table: Any) -> tuple[Plan, list[Entrant]]:
    """Return the plan of a tournament, and who takes part."""
    file = file_of(players, **table)
    entrants = entrants_of(file.entrant)
    return make_plan(file, entrants), entrants


def made(path: Path, players: Sequence[str] = PLAYERS[:3], *, shard: tuple[int, int] = (1, 1), **table: Any) -> Store:
    """Return a new store, held."""
    plan, entrants = planned(players, **table)
    return Store.make(path, plan, entrants, SEED, shard=shard)


def finish(store: Store, progress: Callable[[Run], None] | None = None) -> Run:
    """Play what is missing."""
    return run_tournament(store, Here(), progress=progress)


def paired(store: Store) -> list[Pairing]:
    """Write down the first pairings of a tournament and return them; it is begun then."""
    store.pair(schedule(store.reader.plan, store.reader.entrants(), [], {}))
    store.begin("none", "here")
    return store.reader.pairings()


def job_of(store: Store, pairing: Pairing, blocks: Sequence[int]) -> Job:
    """Return the job of some blocks of a pairing."""
    spec = spec_of(store.reader.plan, pairing, store.reader.entrants())
    return Job(spec, tuple(BlockSpec.of(SEED, block, pairing.id) for block in blocks))


def thrown(store: Store, pairing: Pairing, blocks: Sequence[int], *, machine: str = "here", chance: str = "") -> Played:
    """Return made-up games of some blocks: the same for the same pairing and block, whatever the job."""
    seats = len(pairing.entrants)
    games = []
    for block in blocks:
        for rotation in range(seats):
            rng = random.Random(f"{chance} {pairing.id} {block} {rotation}")
            scores = [rng.randrange(0, 1200, 50) for _seat in range(seats)]
            winners = [place for place, score in enumerate(scores) if score == max(scores)]
            shares = [1 / len(winners) if place in winners else 0.0 for place in range(seats)]
            luck = [rng.gauss(0, 0.3) for _seat in range(seats)] if store.reader.plan.luck else None
            faults = [(1, FaultReport("game", 0, "crashed", "made up"))] if rng.random() < 0.1 else []
            attempts = 1 + (rng.random() < 0.05)
            games.append(
                GameResult(block, rotation, scores, shares, "target", rng.randrange(9, 60), faults, attempts, luck=luck)
            )
    usage = [Usage(ready=1, on_turn_cpu=0.25, memory=1 << 20) for _seat in range(seats)]
    return Played(job_of(store, pairing, blocks), TaskResult(games, usage, 0.1, machine))
