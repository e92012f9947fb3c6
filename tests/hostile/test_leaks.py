"""The referee itself, in this process, over many games with hostile bots: no descriptor, no memory and no time is lost to them."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dicegame.dice import SeededDice, stream_key
from dicegame.games import engine_for
from dicegame.players.base import Player
from dicegame.players.factory import Factory
from dicegame.players.process import ExternalBot
from dicegame.players.sandbox import Limits, Sandbox
from dicegame.players.treatment import Clock, Treatment
from dicegame.referee import Referee
from dicegame.rules.load import load
from tests.hostile.harness import Match, both_levels, processes_with, until

DEADLINE_MS = 150
BEHAVIOURS = {  # and the code of the fault in every game
    "fair": None,
    "exits_at_start": "start_failed",
    "never_ready": "start_failed",
    "hangs": "timed_out",
    "closes_stdin": "timed_out",
    "stops_reading": "timed_out",
    "exits_on_turn": "crashed",
    "closes_stdout": "crashed",
    "closes_stderr": None,
    "child_holds_pipes": "crashed",
    "endless_line": "flooded",
    "long_log": None,
    "ready_twice": "protocol",
}


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - not one more


def _memory() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


class Table:
    """A table with `house` and a hostile bot, game after game."""

    def __init__(self, players: list[Player]) -> None:
        self.players = players
        self.engine = engine_for(load("ten-thousand", (), 2000))
        self.games = 0
        assert isinstance(players[1], ExternalBot)
        self.bot = players[1]

    def play(self) -> list[str]:
        """Play a game, and return the codes of its faults."""
        self.games += 1
        key = stream_key(bytes(32), self.games)
        referee = Referee(self.engine, self.players, SeededDice(key), seed_key=key)
        referee.play()
        return [fault.code for fault in referee.faults]

    @property
    def process(self) -> int | None:
        """The bot's process; None where there is none."""
        return None if self.bot._connection is None else self.bot._connection.running.pid


@contextmanager
def table(match: Match, behaviour: str, sandbox: str, decision_ms: int = DEADLINE_MS) -> Iterator[Table]:
    clock = Clock(start_ms=2000 if behaviour != "never_ready" else DEADLINE_MS, decision_ms=decision_ms, reserve_ms=0)
    treatment = Treatment(clock, Sandbox(sandbox), Limits())
    with Factory(treatment) as factory:
        yield Table([factory.player("house", "house"), factory.player(match.command(behaviour), "hostile")])


@pytest.fixture
def match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Match]:
    match = Match(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(match.temporary))
    yield match
    match.left_clean()


@both_levels
@pytest.mark.parametrize(("behaviour", "code"), BEHAVIOURS.items())
def test_no_descriptor_and_no_process_is_left(match: Match, behaviour: str, code: str | None, sandbox: str) -> None:
    before = _descriptors()
    with table(match, behaviour, sandbox, DEADLINE_MS if code == "timed_out" else 20_000) as games:
        expected = [] if code is None else [code]
        assert games.play() == expected
        between = _descriptors()
        for _game in range(3):
            assert games.play() == expected
        assert _descriptors() == between
        assert bool(processes_with(match.marker)) is (code is None)
    assert _descriptors() == before


def test_a_flood_does_not_stay_in_memory(match: Match) -> None:
    with table(match, "endless_line", "none", 20_000) as floods, table(match, "long_log", "none", 20_000) as logs:
        for _game in range(2):
            floods.play()
            logs.play()
        before = _memory()
        for _game in range(10):
            floods.play()
            logs.play()
        assert _memory() - before < 8 << 20


@pytest.mark.parametrize(
    "behaviour", ["exits_on_turn", "crashes_on_turn", "child_holds_pipes", "closes_stdout", "exits_at_start"]
)
def test_a_dead_bot_is_not_waited_for(match: Match, behaviour: str) -> None:
    with table(match, behaviour, "none", decision_ms=60_000) as games:
        games.bot.clock = Clock(start_ms=60_000, decision_ms=60_000)
        begun = time.monotonic()
        for _game in range(3):
            games.play()
        assert time.monotonic() - begun < 20  # not one of three clocks


@both_levels
@pytest.mark.parametrize("behaviour", ["hangs", "closes_stdin", "half_a_line", "stops_reading"])
def test_a_hung_bot_costs_its_deadline_and_little_more(match: Match, behaviour: str, sandbox: str) -> None:
    with table(match, behaviour, sandbox) as games:
        took = []
        for _game in range(3):
            begun = time.monotonic()
            assert games.play() == ["timed_out"]
            took.append(time.monotonic() - begun)
    assert min(took) >= DEADLINE_MS / 1000
    assert min(took) < DEADLINE_MS / 1000 + 1  # the best of three: this machine may be busy


@both_levels
def test_the_next_game_starts_with_a_fresh_bot(match: Match, sandbox: str) -> None:
    with table(match, "exits_off_turn", sandbox, 20_000) as games:
        seen = set()
        for _game in range(3):
            games.bot.start()
            seen.add(games.process)
            assert games.play() == ["crashed"]
            assert games.process is None
        assert len(seen) == 3


def test_what_leaves_its_bot_is_swept_away_while_games_go_on(match: Match) -> None:
    with table(match, "forks_away", "none", 20_000) as games:
        assert games.play() == []
        until(lambda: processes_with(match.marker) == [games.process])
        assert games.play() == []


def test_without_a_clock_there_is_no_deadline(match: Match) -> None:
    with table(match, "fair", "none") as games:
        games.bot.clock = Clock(running=False)
        assert games.play() == []


def test_stubborn_bots_leave_together(match: Match) -> None:
    treatment = Treatment(Clock(), Sandbox.NONE)
    factory = Factory(treatment)
    bots = [factory.player(match.command("ignores_signals"), str(number)) for number in range(6)]
    for bot in bots:
        assert isinstance(bot, ExternalBot)
        bot.start()
    begun = time.monotonic()
    factory.close()
    assert time.monotonic() - begun < 5  # a second for all of them, not for each
