"""Runs a match: deals the blocks out to the workers, takes in what they played, and keeps the records."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from dicegame.dice import commitment
from dicegame.errors import RecordError
from dicegame.games import engine_for
from dicegame.match.bundles import bundles
from dicegame.match.job import Job
from dicegame.match.local import LocalWorkers
from dicegame.match.plan import BlockSpec, game_id
from dicegame.match.play import LANES, GameResult, MatchSpec
from dicegame.match.pool import Played, Pool, SetAside
from dicegame.match.result import MatchResult, PlayerResult
from dicegame.match.watch import Ending, Watch
from dicegame.players.bots import build
from dicegame.players.factory import external
from dicegame.players.sandbox import sandbox_level
from dicegame.text import _, quote
from dicegame.values.judges import PERFECT, luck_judge

TASK_SECONDS = 0.5  # what a task should take
FIRST_BLOCKS, MOST_BLOCKS = 1, 5000
BATCH = 10  # blocks a task at least where bots are restarted between rotations
GIVE_UP = 3  # starts that may fail, of a bot that was never ready, before the match ends


def run_match(
    spec: MatchSpec,
    seed: bytes,
    blocks: int,
    *,
    seed_text: str | None = None,
    workers: int = 1,
    records: Path | None = None,
    progress: Callable[[MatchResult], None] | None = None,
    watch: Watch | None = None,
    max_time: float | None = None,
) -> MatchResult:
    """Play a match and return what it came to.

    Args:
        spec: the rules, the players, and how bots are treated.
        seed: the dice seed; nobody else may know it before the end.
        blocks: how many blocks to play; each is a game a player, over the same dice with seats rotated.
        seed_text: the text that the seed was made from, if it was.
        workers: how many processes play; the games are the same whatever their number.
        records: a folder for the records and the bundles of faults.
        progress: told after every task, and every second.
        watch: what may end the match before all blocks are played; it takes them in their order.
        max_time: seconds after which the match ends with the games that are on.

    Returns:
        The result; `interrupted` where Ctrl-C ended it early, and `ended` says why where the match itself did.

    Raises:
        InputError: the sandbox can't be had, a bot does not play this game, or a record can't be written.
    """
    for word in spec.words:
        program = external(word)
        if program is not None:
            build(program)  # once, before the workers look for it
    with turns_folder(spec.luck, spec.words) as turns:
        return _run(
            replace(spec, turns=turns),
            seed,
            blocks,
            seed_text=seed_text,
            workers=workers,
            records=records,
            progress=progress,
            watch=watch or Watch(adjusted=spec.luck is not None),
            max_time=max_time,
        )


@contextmanager
def turns_folder(luck: str | None, words: Iterable[str]) -> Iterator[Path | None]:
    """Give the workers a folder for turn values that they share; None where none of them needs such values."""
    if luck is None and PERFECT not in words:
        yield None
        return
    with TemporaryDirectory(prefix="dicegame-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _run(
    spec: MatchSpec,
    seed: bytes,
    blocks: int,
    *,
    seed_text: str | None,
    workers: int,
    records: Path | None,
    progress: Callable[[MatchResult], None] | None,
    watch: Watch,
    max_time: float | None,
) -> MatchResult:
    level = str(sandbox_level(spec.treatment.sandbox))
    shown_seed = seed_text if seed_text is not None else seed.hex()
    players = [PlayerResult(name) for name in spec.names]
    result = MatchResult(spec, shown_seed, commitment(seed), level, players, watch=watch)
    if spec.luck is not None:
        result.checksum = luck_judge(engine_for(spec.rules), spec.players, spec.luck).checksum
    begun = time.monotonic()
    pool = Pool(LocalWorkers(workers))
    dealer = _Dealer(spec, seed, blocks, workers)
    try:
        for news in pool.play(dealer.deal):
            for task in news:
                _take(task, result, records)
                dealer.done(result.blocks, time.monotonic() - begun)
            result.seconds = time.monotonic() - begun
            if any(p.faults["start_failed"] >= GIVE_UP and not p.usage.ready for p in result.players):
                pool.stop()
            if result.ended is None and (ending := _ending(result, blocks, max_time)) is not None:
                result.ended = ending
                pool.stop()
            if progress is not None:
                progress(result)
    except KeyboardInterrupt:
        result.interrupted = True
        pool.stop()
        for news in pool.play(lambda: None):
            for task in news:
                _take(task, result, records)
    finally:
        pool.close()
    result.seconds = time.monotonic() - begun
    return result


def _ending(result: MatchResult, blocks: int, max_time: float | None) -> Ending | None:
    """Return why the match ends here, if it does before all blocks are played."""
    if result.watch.ending is not None or result.blocks >= blocks:
        return result.watch.ending
    return Ending.TIME if max_time is not None and result.seconds >= max_time else None


def _take(task: Played | SetAside, result: MatchResult, records: Path | None) -> None:
    """Take in the games of a task.

    Raises:
        DicegameError: a block could not be played: a match without it would not be the one that was asked for.
    """
    if isinstance(task, SetAside):
        raise task.why
    result.add(task.result)
    _keep(records, task.result.games, result)


class _Dealer:
    """Deals blocks out in tasks of about half a second, so that many games cost little and few are spread evenly."""

    def __init__(self, spec: MatchSpec, seed: bytes, blocks: int, workers: int) -> None:
        self._spec = spec
        self._seed = seed
        self._blocks = blocks
        self._workers = workers
        self._least = FIRST_BLOCKS if spec.players <= LANES else BATCH
        self._size = self._least
        self._dealt = 0

    def deal(self) -> Job | None:
        """Return the next task; None when all are dealt."""
        left = self._blocks - self._dealt
        if not left:
            return None
        size = max(1, min(self._size, -(-left // self._workers)))
        numbers = range(self._dealt, self._dealt + size)
        self._dealt += size
        return Job(self._spec, tuple(BlockSpec.of(self._seed, n, self._spec.pairing) for n in numbers))

    def done(self, blocks: int, seconds: float) -> None:
        """Learn from what was played how many blocks make a task."""
        rate = blocks / max(seconds, 1e-3) / self._workers
        self._size = max(self._least, min(MOST_BLOCKS, int(rate * TASK_SECONDS), self._size * 4))


def _keep(folder: Path | None, games: Sequence[GameResult], result: MatchResult) -> None:
    """Write the records of whole blocks, and a bundle for every fault."""
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for game in games:
            name = game_id(result.spec.pairing, game.block, game.rotation)
            if game.record is not None:
                (folder / f"{name}.jsonl").write_bytes(b"".join(game.record.lines))
            for place, bundle in enumerate(bundles(result.spec, game)):
                path = folder / f"{name}-fault-{place}.json"
                path.write_text(json.dumps(bundle.as_json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        values = {"file": quote(str(folder)), "reason": error.strerror or str(error)}
        raise RecordError(_("can't write %(file)s: %(reason)s") % values) from error
