"""SIGKILL of the referee's own processes in the middle of games: no bot survives it, and only the whole referee's end ends the match."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dicegame.players.supervisor import tree_of
from tests.hostile.harness import Ended, Match, both_levels, processes_with, until


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _below(process: subprocess.Popen[str], word: bytes) -> list[int]:
    """Return the processes below the referee with this word in their command."""
    return [pid for pid in tree_of(process.pid)[1:] if word in _command(pid)]


def match_process(process: subprocess.Popen[str]) -> int:
    return process.pid


def worker(process: subprocess.Popen[str]) -> int:
    found: list[int] = until(lambda: _below(process, b"spawn_main"))
    return found[0]


def supervisor(process: subprocess.Popen[str]) -> int:
    found: list[int] = until(lambda: _below(process, b"supervisor.py"))
    return found[0]


def _playing(match: Match, process: subprocess.Popen[str], bots: int) -> None:
    """Wait until so many bots, and what they have started, are in the middle of games."""
    until(lambda: len(processes_with(match.marker)) >= bots or process.poll() is not None)
    until(lambda: list(match.records.glob("*.jsonl")) or process.poll() is not None)
    assert process.poll() is None


def _options(match: Match, sandbox: str, games: int) -> list[str]:
    fixed = ["--json", "--seed", "killed", "--workers", "1", "--records", str(match.records)]
    return ["--games", str(games), "--sandbox", sandbox, *fixed]


@both_levels
def test_nothing_survives_the_match(tmp_path: Path, sandbox: str) -> None:
    match = Match(tmp_path)
    bots = [match.bot("leaves_children"), match.bot("ignores_signals", name="stubborn")]
    with match.started("match", *bots, *_options(match, sandbox, 10**6)) as process:
        _playing(match, process, 6)
        below = tree_of(process.pid)[1:]
        process.kill()
        process.wait()
        until(lambda: not processes_with(match.marker))
        until(lambda: not any(_command(pid) for pid in below))
        until(lambda: not list(match.temporary.iterdir()))


@both_levels
@pytest.mark.parametrize("who", [worker, supervisor])
def test_what_is_killed_is_replaced_and_its_games_are_played_again(
    tmp_path: Path, sandbox: str, who: Callable[[subprocess.Popen[str]], int]
) -> None:
    match = Match(tmp_path)
    bots = [match.bot("leaves_children"), match.bot("fair", name="fair")]
    games = 150
    with match.started("match", *bots, *_options(match, sandbox, games)) as process:
        _playing(match, process, 6)
        before, victim = processes_with(match.marker), who(process)
        os.kill(victim, signal.SIGKILL)
        until(lambda: not set(before) & set(processes_with(match.marker)) or process.poll() is not None)
        stdout, stderr = process.communicate(timeout=60)
    ended = Ended(process.returncode, stdout, stderr, 0)
    assert ended.code == 0, ended.stderr
    assert ended.result["games"] == games
    assert ended.faults == {"hostile": {}, "fair": {}}
    assert ended.result["void"] >= 1
    match.left_clean()


def test_a_killed_match_of_two_workers_leaves_nothing(tmp_path: Path) -> None:
    match = Match(tmp_path)
    options = [*_options(match, "none", 10**6), "--workers", "2"]
    with match.started(
        "match", match.bot("leaves_children"), match.bot("forks_away", name="away"), *options
    ) as process:
        _playing(match, process, 10)
        victims = tree_of(process.pid)
        for pid in victims[:3]:  # the match and its workers, or whatever multiprocessing has beside them
            os.kill(pid, signal.SIGKILL)
        process.wait()
        until(lambda: not processes_with(match.marker))
        until(lambda: not list(match.temporary.iterdir()))


def test_an_interrupted_match_keeps_what_was_played(tmp_path: Path) -> None:
    match = Match(tmp_path)
    bots = [match.bot("leaves_children"), match.bot("fair", name="fair")]
    with match.started("match", *bots, *_options(match, "none", 10**6)) as process:
        _playing(match, process, 6)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    ended = Ended(process.returncode, stdout, stderr, 0)
    assert ended.code == 130, ended.stderr
    assert ended.result["interrupted"]
    assert ended.result["games"] == len(list(match.records.glob("*.jsonl"))) >= 2
    assert ended.result["games"] % 2 == 0  # whole blocks
    assert ended.faults == {"hostile": {}, "fair": {}}
    match.left_clean()
