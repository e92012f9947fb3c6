"""The library: play a match, run a tournament, read its file, judge a record. What stands here, `dicegame` itself offers by the same name.

Stability: these functions, their parameters, and the documented attributes of what they return stay as they are within a major version;
things may be added. What is not reached from here may change at any time. Errors are `dicegame.errors.DicegameError`; the message is one
sentence for a user.

Games are played by worker processes that import the main module of the caller: a script guards its own start with
`if __name__ == "__main__":`, as for `multiprocessing`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from dicegame.analysis.judged import Judged
from dicegame.analysis.ledger import judge_record as judge
from dicegame.dice import new_seed, seed_from_text
from dicegame.games import engine_for
from dicegame.match.local import LocalWorkers, cores
from dicegame.match.pool import Workers
from dicegame.match.result import MatchResult
from dicegame.match.run import run_match
from dicegame.match.spec import make_spec
from dicegame.players.treatment import Treatment
from dicegame.record.read import Record, read, read_bytes
from dicegame.text import _
from dicegame.tournament.make import check_same, make
from dicegame.tournament.plan import check_file, read_file
from dicegame.tournament.reader import Reader
from dicegame.tournament.run import Run
from dicegame.tournament.run import run_tournament as play
from dicegame.tournament.standings import Standings
from dicegame.tournament.standings import standings as standings_of
from dicegame.tournament.store import Store
from dicegame.values.judges import judge_for

Path_ = str | PathLike[str]


def play_match(
    players: Sequence[str],
    *,
    rules: str = "ten-thousand",
    changes: Sequence[str] = (),
    games: int = 100,
    seed: str | None = None,
    luck: str | None = None,
    treatment: Treatment | None = None,
    records: Path_ | None = None,
    workers: int | None = None,
) -> MatchResult:
    """Play many games between the same players, and return what they came to.

    Args:
        players: PLAYER words as on the command line, such as `house`, `hold:at=350`, a bot's folder or a whole command line; `name=word`
            gives a name.
        rules: the name of a rule set, or a file.
        changes: changes of single fields, such as `score.three_pairs=1500`.
        games: how many games; whole blocks are played, of one game for every seat.
        seed: a text that the dice are made from; dice that nobody can foresee unless given.
        luck: the player by whose table luck is taken out, such as `optimal`; luck is not measured unless given.
        treatment: the clock, the limits and the containment of external bots.
        records: a folder for the records of all games, and the bundles of faults.
        workers: how many processes play; one a core unless given.

    Raises:
        DicegameError: the rules, a player or the seats are wrong, a bot does not play this game, or the sandbox can't be had.
    """
    spec = make_spec(
        players,
        rules,
        changes,
        options=[word for change in changes for word in ("--set", change)],
        treatment=treatment,
        records=records is not None,
        predictable=seed is not None,
        luck=luck,
    )
    blocks = -(-games // spec.players)
    return run_match(
        spec,
        new_seed() if seed is None else seed_from_text(seed),
        blocks,
        seed_text=seed,
        workers=workers or min(len(cores()), blocks),
        records=None if records is None else Path(records),
    )


def run_tournament(
    store: Path_,
    plan: Path_ | Mapping[str, Any] | None = None,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    max_time: float | None = None,
    progress: Callable[[Run], None] | None = None,
) -> Run:
    """Begin a tournament, or go on with it, and play what is missing; whatever ends it, finished games stand in its file.

    Args:
        store: the tournament's file. Where it is there already, it is gone on with, and `plan` must be the one it was begun with.
        plan: a tournament file, or what one holds as tables: `{"tournament": {...}, "entrant": [{"player": "house"}, ...]}`; may be left
            out where the store is there.
        workers: how many processes play; one a core unless given.
        cluster: the address of a Dask scheduler whose workers play instead.
        max_time: seconds after which no more games begin.
        progress: told at every wake-up, at least once a second.

    Returns:
        How it ended (`ending`) and how far it is (`progress`).

    Raises:
        DicegameError: the plan is wrong, a bot or the plan has changed, somebody else plays it, or its file can't be written.
    """
    path = Path(store)
    if path.exists():
        found = Store.open(path)
        if isinstance(plan, str | PathLike):
            check_same(found, Path(plan))
    elif isinstance(plan, str | PathLike):
        file = read_file(Path(plan))
        found = make(path, file, Path(plan).absolute().parent, text=file.tournament.seed)
    else:
        file = check_file(dict(plan or {}), _("the plan"))
        found = make(path, file, text=file.tournament.seed)
    with found:
        return play(found, _workers(workers, cluster), max_time=max_time, progress=progress)


def open_tournament(store: Path_) -> Reader:
    """Open a tournament's file to read it: plan, entrants, sums, games, records, faults. A context manager; also while it is played.

    Raises:
        StoreError: there is none, or it can't be read.
    """
    return Reader(Path(store))


def standings(reader: Reader) -> Standings:
    """Return the standings of a tournament, with 95 % intervals clustered by block.

    Raises:
        StoreError: its file can't be read.
    """
    return standings_of(reader.entrants(), reader.sums(), reader.plan.seats)


def read_record(record: Path_ | bytes) -> Record:
    """Read the record of a game: a file, or its bytes, as a tournament's `Reader.record` returns them.

    Raises:
        RecordError: it can't be read, or a line is wrong; says which.
    """
    return read_bytes(record, "record") if isinstance(record, bytes) else read(record)


def judge_record(record: Record) -> Judged:
    """Judge the record of a game: what every decision cost, what luck every throw brought, and what is left without it.

    Raises:
        RecordError: a line does not fit into the game.
        RulesError: nobody has solved this rule set.
    """
    engine = engine_for(record.rules)
    return judge(record, engine, judge_for(engine, len(record.header.players)))


def _workers(count: int | None, cluster: str | None) -> Workers:
    if cluster is None:
        return LocalWorkers(count or len(cores()))
    from dicegame.tournament.cluster import ClusterWorkers  # noqa: PLC0415 - an extra

    return ClusterWorkers(cluster)
