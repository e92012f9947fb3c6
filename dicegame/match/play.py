"""Plays blocks in one process: lanes of players that live from game to game.

No bot process ever sees two rotations of one block, or it would know the second's dice: up to three seats every rotation has a lane
of processes of its own; past that a task's blocks are played rotation by rotation, with the bots restarted in between.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from dicegame.dice import SeededDice
from dicegame.errors import DicegameError
from dicegame.games import engine_for
from dicegame.games.base import Outcome
from dicegame.match.luck import LuckMeter
from dicegame.match.luck import by_player as luck_by_player
from dicegame.match.packed import BriefRecord
from dicegame.match.plan import PAIRING, BlockSpec, game_id, seats_of
from dicegame.match.stats import Quantiles
from dicegame.players.base import Player
from dicegame.players.factory import Factory
from dicegame.players.faults import FaultReport
from dicegame.players.process import ExternalBot, stop_all
from dicegame.players.treatment import Treatment
from dicegame.record.lines import Header
from dicegame.record.write import MemoryRecord
from dicegame.referee import GameVoid, Observer, Referee
from dicegame.rules.load import as_data
from dicegame.rules.model import RuleSet
from dicegame.text import _
from dicegame.values.judges import luck_judge, share_turns

LANES = 3  # up to so many seats every rotation has processes of its own
VOID_TRIES = 5  # games that break through nobody's fault before the match gives up


class TooManyVoid(DicegameError):
    """A game broke again and again through no fault of a player: this machine can't run it."""

    code = "void"
    exit_code = 70


class Records(StrEnum):
    """Which records of games are kept: none, those of games with faults, or all, both packed; or all as lines, to be written to files."""

    NONE = "none"
    FAULTS = "faults"
    ALL = "all"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """Everything that a worker needs to play blocks of a match. `predictable` dice carry no commitment.

    `source` and `options` are what the command line said of the rules and the bots: any game can be played again by it. `luck` is the
    player by whose table luck is measured, and `turns` a folder where turn values are shared.
    """

    rules: RuleSet
    words: tuple[str, ...]
    names: tuple[str, ...]
    treatment: Treatment = field(default_factory=Treatment)
    records: Records = Records.NONE
    predictable: bool = False
    pairing: str = PAIRING
    source: str | None = None
    options: tuple[str, ...] = ()
    luck: str | None = None
    turns: Path | None = None

    @property
    def players(self) -> int:
        """How many players there are; a block has as many rotations."""
        return len(self.words)


@dataclass(slots=True)
class GameResult:
    """One game: by player (not by seat) the scores, the share of the win, and the luck where it is measured; the faults, by player.

    Its record, if one was kept, as lines or packed, and the key of its dice, once that may be told: when its block is over.
    """

    block: int
    rotation: int
    scores: list[int]
    shares: list[float]
    reason: str
    decisions: int
    faults: list[tuple[int, FaultReport]]
    attempts: int = 1
    record: MemoryRecord | None = None
    packed: bytes | None = None
    key: str = ""
    luck: list[float] | None = None


@dataclass(slots=True)
class Usage:
    """What one player used in a task: the time of each decision, starts that ended in `ready`, CPU seconds, peak memory in bytes."""

    times: Quantiles = field(default_factory=Quantiles)
    ready: int = 0
    on_turn_cpu: float = 0.0
    off_turn_cpu: float = 0.0
    memory: int = 0

    def add(self, other: Usage) -> None:
        """Take in what another task used."""
        self.times.merge(other.times)
        self.ready += other.ready
        self.on_turn_cpu += other.on_turn_cpu
        self.off_turn_cpu += other.off_turn_cpu
        self.memory = max(self.memory, other.memory)


@dataclass(slots=True)
class TaskResult:
    """The games of one task in whole blocks, what each player used, the seconds that it took, and the machine that played it."""

    games: list[GameResult]
    usage: list[Usage]
    seconds: float = 0.0
    worker: str = ""


class Lanes:
    """The players of one worker: a set of them for every lane, made once. Closing it leaves no bot behind."""

    def __init__(self, spec: MatchSpec) -> None:
        self.spec = spec
        self.engine = engine_for(spec.rules)
        self.usage = [Usage() for _player in spec.words]
        self._factory = Factory(spec.treatment)
        share_turns(spec.turns)
        self.judge = None if spec.luck is None else luck_judge(self.engine, spec.players, spec.luck)
        self._lanes: list[list[Player]] = []
        for _lane in range(spec.players if spec.players <= LANES else 1):
            self._lanes.append(
                [
                    self._factory.player(word, name, on_decision=self.usage[place].times.add)
                    for place, (word, name) in enumerate(zip(spec.words, spec.names, strict=True))
                ]
            )

    def lane(self, rotation: int) -> list[Player]:
        """Return the players of a rotation, by player."""
        return self._lanes[rotation if len(self._lanes) > 1 else 0]

    def fresh(self, *, freeze: bool) -> None:
        """End every bot at once, with what it did wrong; from here on they are stopped between their turns, or they are not."""
        for lane in self._lanes:
            for player in lane:
                if isinstance(player, ExternalBot):
                    player.kill()
                    player.faults.clear()
                    player.freeze = freeze

    def restart(self, players: Sequence[Player]) -> None:
        """End the bots among these players; they start afresh when next asked."""
        stop_all(player for player in players if isinstance(player, ExternalBot))

    def collect(self) -> list[Usage]:
        """Return what the players used since the last time."""
        for lane in self._lanes:
            for usage, player in zip(self.usage, lane, strict=True):
                if isinstance(player, ExternalBot):
                    player.measure()
                    meter = player.meter
                    usage.ready += meter.starts
                    usage.on_turn_cpu += meter.on_turn_cpu
                    usage.off_turn_cpu += meter.off_turn_cpu
                    usage.memory = max(usage.memory, meter.memory)
                    meter.starts, meter.on_turn_cpu, meter.off_turn_cpu = 0, 0.0, 0.0
        used = [Usage(u.times.copy(), u.ready, u.on_turn_cpu, u.off_turn_cpu, u.memory) for u in self.usage]
        for usage in self.usage:
            usage.times.clear()
            usage.ready, usage.on_turn_cpu, usage.off_turn_cpu = 0, 0.0, 0.0
        return used

    def close(self) -> None:
        """End every bot."""
        self._factory.close()


def play_blocks(lanes: Lanes, blocks: Sequence[BlockSpec], stop: Callable[[], bool] = bool) -> TaskResult:
    """Play these blocks, whole ones only: `stop` is looked at between games, and what was begun of a block is dropped then."""
    each = _block_by_block if lanes.spec.players <= LANES else _rotation_by_rotation
    begun = time.monotonic()
    played = list(each(lanes, blocks, stop))
    for games in played:
        _open(games, blocks)
    everything = [game for games in played for game in games]
    return TaskResult(everything, lanes.collect(), time.monotonic() - begun, platform.node())


def _block_by_block(lanes: Lanes, blocks: Sequence[BlockSpec], stop: Callable[[], bool]) -> Iterator[list[GameResult]]:
    for block in blocks:
        games = []
        for rotation in range(lanes.spec.players):
            if stop():
                return
            games.append(_play_until_valid(lanes, block, rotation))
        yield games


def _rotation_by_rotation(
    lanes: Lanes, blocks: Sequence[BlockSpec], stop: Callable[[], bool]
) -> list[list[GameResult]]:
    played: list[list[GameResult]] = [[] for _block in blocks]
    for rotation in range(lanes.spec.players):
        lanes.restart(lanes.lane(rotation))
        for games, block in zip(played, blocks, strict=True):
            if stop():
                return []
            games.append(_play_until_valid(lanes, block, rotation))
    return played


def _open(games: list[GameResult], blocks: Sequence[BlockSpec]) -> None:
    """Tell the key of a whole block, and end its records with it: no game over its dice is to come."""
    key = next(block.key for block in blocks if block.number == games[0].block)
    for game in games:
        game.key = key.hex()
        if game.record is not None:
            game.record.key(key)
            if isinstance(game.record, BriefRecord):
                game.packed = game.record.packed()
                game.record = None


def _play_until_valid(lanes: Lanes, block: BlockSpec, rotation: int) -> GameResult:
    """Play one game; one that breaks through nobody's fault is played again by fresh processes, stopped between their turns."""
    for attempt in range(1, VOID_TRIES + 1):
        try:
            game = _play(lanes, block, rotation)
        except GameVoid:
            lanes.fresh(freeze=True)
            continue
        if attempt > 1:
            lanes.fresh(freeze=lanes.spec.treatment.freeze)
        game.attempts = attempt
        return game
    name = game_id(lanes.spec.pairing, block.number, rotation)
    raise TooManyVoid(_("the game %s broke again and again: the machine is too busy for its clock") % name)


def _play(lanes: Lanes, block: BlockSpec, rotation: int) -> GameResult:
    spec = lanes.spec
    order = seats_of(spec.players, rotation)
    lane = lanes.lane(rotation)
    name = game_id(spec.pairing, block.number, rotation)
    committed = None if spec.predictable else block.commitment
    record = (
        None if spec.records is Records.NONE else MemoryRecord() if spec.records is Records.WHOLE else BriefRecord()
    )
    observers: list[Observer] = []
    if record is not None:
        record.header(_header(spec, name, order, committed))
        observers.append(record)
    meter = None if lanes.judge is None else LuckMeter(lanes.judge, lanes.engine, spec.players)
    if meter is not None:
        observers.append(meter)
    referee = Referee(
        lanes.engine,
        [lane[player] for player in order],
        SeededDice(block.key),
        names=[spec.names[player] for player in order],
        game=name,
        commitment=committed,
        seed_key=block.key,
        rotation=rotation,
        on_fault=spec.treatment.on_fault,
        observers=observers,
    )
    outcome = referee.play()
    scores, shares = by_player(outcome, order)
    faults = _faults(lane, order, referee)
    if spec.records is Records.FAULTS and not faults:
        record = None
    luck = None if meter is None else luck_by_player(meter.luck, order)
    return GameResult(
        block.number, rotation, scores, shares, str(outcome.reason), referee.decisions, faults, record=record, luck=luck
    )


def _faults(lane: Sequence[Player], order: Sequence[int], referee: Referee) -> list[tuple[int, FaultReport]]:
    """Return the faults of a game by player: with all that a bot's author needs, or for other players what the referee saw."""
    if not referee.faults:
        return []
    found = []
    for seat_fault in referee.faults:
        place = order[seat_fault.seat]
        player = lane[place]
        if isinstance(player, ExternalBot) and player.faults:
            found.append((place, player.faults.pop(0)))
        else:
            found.append((place, FaultReport(referee.game, seat_fault.seat, seat_fault.code, seat_fault.detail)))
    return found


def by_player(outcome: Outcome, order: Sequence[int]) -> tuple[list[int], list[float]]:
    """Return the scores and the shares of the win by player; `order` is who sits in each seat."""
    scores, shares = [0] * len(order), [0.0] * len(order)
    for seat, player in enumerate(order):
        scores[player] = outcome.scores[seat]
        if seat in outcome.winners:
            shares[player] = 1 / len(outcome.winners)
    return scores, shares


def _header(spec: MatchSpec, game: str, order: Sequence[int], committed: str | None) -> Header:
    return Header(
        game=game,
        rules=as_data(spec.rules),
        players=[spec.names[player] for player in order],
        specs=[spec.words[player] for player in order],
        dice="seeded",
        seed_predictable=spec.predictable,
        commitment=committed,
    )
