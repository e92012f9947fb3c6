"""The referee with external bots: its cost a decision over the floor, a bare poll loop with the standard json module and the same bot."""

from __future__ import annotations

import json
import multiprocessing
import os
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dicegame import protocol
from dicegame.dice import SeededDice, stream_key
from dicegame.games import engine_for
from dicegame.games.base import Answer
from dicegame.match.local import pin
from dicegame.players.base import Request, Seating, Silent
from dicegame.players.bots import find_bot
from dicegame.players.builtin import make
from dicegame.players.containment import Containment
from dicegame.players.process import ExternalBot
from dicegame.players.sandbox import Sandbox
from dicegame.players.treatment import Clock
from dicegame.record.write import MemoryRecord
from dicegame.referee import Referee
from dicegame.rules.load import load

ROOT = Path(__file__).resolve().parent.parent.parent
DECISIONS = 30_000
WANTED = {"c": 2.0, "python": 1.6}
WANTED_RECORDED = 2.5


def run() -> None:
    """Print the floor, the referee, and the referee with a record for a C bot and a Python bot."""
    pin(0)
    with tempfile.TemporaryDirectory() as folder:
        for language, wanted in WANTED.items():
            command = _command(language, Path(folder))
            if command is None:
                print(f"{language}: no compiler here")
                continue
            floor = _floor(command)
            plain, decisions = _referee(command, None)
            recorded, _decisions = _referee(command, Path(folder))
            print(
                f"{language} bot: floor {floor * 1e6:.1f} us a decision; referee {plain * 1e6:.1f} us, {plain / floor:.2f} times "
                f"(wanted at most {wanted}); with a record {recorded * 1e6:.1f} us, {recorded / floor:.2f} times "
                f"(wanted at most {WANTED_RECORDED}); {decisions} decisions"
            )


def run_workers() -> None:
    """Print what two pinned workers reach together of twice one worker, beside the same of two bare loops."""
    with tempfile.TemporaryDirectory() as folder:
        command = _command("c", Path(folder))
        if command is None:
            print("no compiler here")
            return
        for name, work in (("bare loops", _floor_on), ("referees", _referee_on)):
            one = sum(_together(work, command, 1))
            two = sum(_together(work, command, 2))
            print(f"{name}: one {one:.0f} decisions a second, two together {two:.0f}, {two / one / 2:.2f} of twice one")
        floors, referees = sum(_together(_floor_on, command, 2)), sum(_together(_referee_on, command, 2))
        print(f"two workers make {referees / floors:.2f} of what two bare loops make together")


READY = '{"type":"ready","protocol":1,"name":"x"}'
DEADLINE_MS = 200


def run_faults() -> None:
    """Print what a bot costs that hangs, and one that dies, beyond its deadline; the next game has a fresh one."""
    scripts = {
        "a hung bot": f"read hello; echo '{READY}'; sleep 1000",
        "a dead bot": f"read hello; echo '{READY}'; read game; read question; exit 3",
    }
    engine = engine_for(load("ten-thousand"))
    containment = Containment(Sandbox.NONE)
    for name, script in scripts.items():
        program = find_bot(shlex.join(["sh", "-c", script]))
        if program is None:
            raise AssertionError("no shell here")
        bot = ExternalBot(program, containment, name="x", clock=Clock(decision_ms=DEADLINE_MS, reserve_ms=0))
        costs = []
        for stream in range(10):
            key = stream_key(bytes(32), stream)
            begun = time.perf_counter()
            Referee(engine, [bot, make("house")], SeededDice(key), seed_key=key).play()
            costs.append((time.perf_counter() - begun) * 1000 - (DEADLINE_MS if "hung" in name else 0))
        codes = {fault.code for fault in bot.faults}
        print(
            f"{name}: {sorted(costs)[5]:.0f} ms a game beyond the deadline, start of the next bot included ({', '.join(codes)})"
        )
        bot.stop()
    containment.close()


def _together(work: Callable[[tuple[int, list[str]]], float], command: list[str], count: int) -> list[float]:
    """Run the same work on so many cores at once; return the decisions a second of each."""
    with multiprocessing.get_context("spawn").Pool(count) as pool:
        return pool.map(work, [(place, command) for place in range(count)], chunksize=1)


def _floor_on(job: tuple[int, list[str]]) -> float:
    pin(job[0])
    return 1 / _floor(job[1])


def _referee_on(job: tuple[int, list[str]]) -> float:
    pin(job[0])
    return 1 / _referee(job[1], None)[0]


def run_memory() -> None:
    """Print the memory of a referee over 100,000 games."""
    engine = engine_for(load("ten-thousand"))
    players = [make("house"), make("house")]
    for games in (1_000, 9_000, 40_000, 50_000):
        for stream in range(games):
            key = stream_key(bytes(32), stream)
            Referee(engine, players, SeededDice(key), seed_key=key).play()
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
        print(f"after {games} more games: {used / (1 << 20):.1f} MiB resident")


def _command(language: str, folder: Path) -> list[str] | None:
    if language == "python":
        return [sys.executable, str(ROOT / "bots" / "python" / "bot.py")]
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    program = folder / "bot"
    subprocess.run([compiler, "-O2", "-o", str(program), str(ROOT / "bots" / "c" / "bot.c")], check=True)
    return [str(program)]


class _Asked(Silent):
    """Plays like `house` and keeps every question."""

    def __init__(self, kept: list[dict[str, Any]]) -> None:
        self._house = make("house")
        self._kept = kept

    def begin(self, seating: Seating) -> None:
        self._house.begin(seating)

    def decide(self, request: Request) -> Answer:
        self._kept.append(protocol.decide(request.id, "g", request.seat, request.engine, request.state))
        return self._house.decide(request)


def _questions() -> list[dict[str, Any]]:
    """Return the questions of some whole games."""
    kept: list[dict[str, Any]] = []
    engine = engine_for(load("ten-thousand"))
    for stream in range(20):
        key = stream_key(bytes(32), stream)
        Referee(engine, [_Asked(kept), _Asked(kept)], SeededDice(key), seed_key=key).play()
    return kept


class _Bare:
    """A bot behind the barest loop that has a deadline, the log and the process in view."""

    def __init__(self, command: list[str]) -> None:
        pipe = subprocess.PIPE
        self.bot = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True)
        if self.bot.stdin is None or self.bot.stdout is None or self.bot.stderr is None:
            raise AssertionError("no pipes")
        self.stdin, self.stdout = self.bot.stdin.fileno(), self.bot.stdout.fileno()
        self.poll = select.poll()
        for fd in (self.stdout, self.bot.stderr.fileno(), os.pidfd_open(self.bot.pid)):
            self.poll.register(fd, select.POLLIN)

    def ask(self, message: dict[str, Any]) -> None:
        """Ask, and read the answer."""
        os.write(self.stdin, json.dumps(message).encode() + b"\n")
        deadline = time.monotonic() + 5
        data = b""
        while not data.endswith(b"\n"):
            for fd, _event in self.poll.poll((deadline - time.monotonic()) * 1000):
                if fd == self.stdout:
                    data += os.read(self.stdout, 65536)
        json.loads(data)


def _floor(command: list[str]) -> float:
    """Return the seconds a decision takes in the barest loop: the same bots are asked the questions of whole games, seat by seat."""
    bots = [_Bare(command), _Bare(command)]
    for bot in bots:
        bot.ask(protocol.hello(start_ms=1000, decision_ms=1000, reserve_ms=1000))
    questions = _questions()
    for number in range(1, 1 + DECISIONS + 1000):
        if number == 1001:
            begun = time.perf_counter()
        question = questions[number % len(questions)]
        question["id"] = number
        bots[question["seat"]].ask(question)
    seconds = time.perf_counter() - begun
    for bot in bots:
        bot.bot.kill()
        bot.bot.communicate()
    return seconds / DECISIONS


def _referee(command: list[str], folder: Path | None) -> tuple[float, int]:
    """Return the seconds a decision takes in whole games of the bot against itself, and how many there were."""
    program = find_bot(" ".join(command))
    if program is None:
        raise AssertionError(command)
    engine = engine_for(load("ten-thousand"))
    containment = Containment(Sandbox.NONE)
    bots = [ExternalBot(program, containment, name=f"bot {seat}") for seat in range(2)]

    def play(stream: int) -> int:
        key = stream_key(bytes(32), stream)
        record = MemoryRecord()
        referee = Referee(engine, bots, SeededDice(key), seed_key=key, observers=[] if folder is None else [record])
        referee.play()
        if folder is not None:
            (folder / "game.jsonl").write_bytes(b"".join(record.lines))
        return referee.decisions

    for stream in range(20):
        play(stream)
    decisions, stream = 0, 20
    begun = time.perf_counter()
    while decisions < DECISIONS:
        decisions += play(stream)
        stream += 1
    seconds = time.perf_counter() - begun
    faults = [fault for bot in bots for fault in bot.faults]
    for bot in bots:
        bot.stop()
    containment.close()
    if faults:
        raise AssertionError(faults[0])
    return seconds / decisions, decisions
