"""Play a hostile bot against the whole referee, `dicegame match` as a real process, and look at what is left afterwards."""

from __future__ import annotations

import functools
import json
import os
import py_compile
import shlex
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dicegame.errors import InputError
from dicegame.players.sandbox import Sandbox, sandbox_level
from dicegame.record.verify import verify
from tests.cli.process import COMMAND, environment

BOTS = str(py_compile.compile(str(Path(__file__).with_name("bots.py")), doraise=True))  # starts twice as fast
SECONDS = 60  # after which a match that should be over is taken to hang
SEATS = {2: ("house", "{bot}"), 3: ("house", "{bot}", "greedy")}


@functools.cache
def bwrap_problem() -> str | None:
    """Return what is in the way of the sandbox on this machine; None where it can be had."""
    try:
        sandbox_level(Sandbox.BWRAP)
    except InputError as error:
        return error.message
    return None


def bwrap_works() -> bool:
    """Say whether the sandbox can be had on this machine."""
    return bwrap_problem() is None


sandboxed = pytest.mark.skipif(
    not bwrap_works(), reason=f"NOT TESTED, and promised under bubblewrap only: {bwrap_problem()}"
)
both_levels = pytest.mark.parametrize("sandbox", ["none", pytest.param("bwrap", marks=sandboxed)])
each_table = pytest.mark.parametrize("seats", [2, 3])
# Where a bot plays: with how many at the table, and with which sandbox
EVERYWHERE = [(seats, sandbox) for seats in SEATS for sandbox in (("none", "bwrap") if bwrap_works() else ("none",))]
ALONE_AND_OF_THREE = [(2, "none"), EVERYWHERE[-1]]


def at_once(folder: Path, places: Sequence[tuple[int, str]], play: Callable[[Match, int, str], object]) -> None:
    """Play matches in several places at the same time, since they mostly wait; each has a folder of its own."""
    with ThreadPoolExecutor() as threads:
        running = [
            threads.submit(play, Match(folder / f"{seats}-{sandbox}"), seats, sandbox) for seats, sandbox in places
        ]
        for future in running:
            future.result()


def until(what: Callable[[], Any], seconds: float = 20) -> Any:
    """Wait for something to become true, and return it; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (found := what()):
        if time.monotonic() > deadline:
            raise AssertionError(f"never true within {seconds} s: {what}")
        time.sleep(0.01)
    return found


def processes_with(marker: str) -> list[int]:
    """Return the processes that carry a marker among their arguments or in their environment, zombies not counted."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdecimal() and int(place.name) != os.getpid():
            try:
                words = (place / "cmdline").read_bytes() + (place / "environ").read_bytes()
            except OSError:
                continue
            if marker.encode() in words:
                found.append(int(place.name))
    return found


@dataclass
class Match:
    """A match that is to be played, in a temporary folder of its own; `marker` is what its bots and all their children carry."""

    folder: Path
    marker: str = field(default_factory=lambda: f"hostile-{uuid.uuid4().hex}")

    def __post_init__(self) -> None:
        self.temporary = self.folder / "tmp"
        self.records = self.folder / "records"
        self.temporary.mkdir(parents=True)

    def bot(self, behaviour: str, *arguments: object, name: str = "hostile") -> str:
        """Return the PLAYER word of a hostile bot."""
        return f"{name}={self.command(behaviour, *arguments)}"

    def command(self, behaviour: str, *arguments: object) -> str:
        """Return the command line of a hostile bot."""
        words = [sys.executable, "-I", "-S", BOTS, behaviour, self.marker, *map(str, arguments)]
        return shlex.join(words)

    @property
    def environment(self) -> dict[str, str]:
        """What the referee's environment is."""
        return environment(self.folder / "home", {"TMPDIR": str(self.temporary), "SECRET_OF_THE_REFEREE": "1"})

    @contextmanager
    def started(self, *arguments: str, **env: str) -> Iterator[subprocess.Popen[str]]:
        """Start `dicegame ARGUMENTS...`; whatever happens, nothing of it stays after the block. `env` is added to its environment."""
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**self.environment, **env},
            cwd=self.folder,
            encoding="utf-8",
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def run(self, *arguments: str, **env: str) -> Ended:
        """Run `dicegame ARGUMENTS...` to its end."""
        begun = time.monotonic()
        with self.started(*arguments, **env) as process:
            stdout, stderr = process.communicate(timeout=SECONDS)
        return Ended(process.returncode, stdout, stderr, time.monotonic() - begun)

    def play(self, players: Sequence[str], *options: str, games: int = 4, sandbox: str = "none") -> Ended:
        """Play a match over fixed dice with one worker and records, and prove each of them."""
        fixed = ["--json", "--workers", "1", "--seed", "hostile", "--records", str(self.records)]
        ended = self.run("match", *players, "--games", str(games), "--sandbox", sandbox, *fixed, *options)
        for path in self.records.glob("*.jsonl"):
            verdict = verify(str(path))
            assert verdict.valid, (path, verdict)
        return ended

    def left_clean(self) -> None:
        """Assert that nothing of the bots is left: no process, no file."""
        assert not processes_with(self.marker)
        assert not list(self.temporary.iterdir())


@dataclass
class Ended:
    """How a run of the program ended."""

    code: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def result(self) -> Any:
        """The JSON result."""
        assert self.stdout, self.stderr
        return json.loads(self.stdout)

    @property
    def error(self) -> Any:
        """The error object, the last line on stderr."""
        return json.loads(self.stderr.splitlines()[-1])["error"]

    @property
    def faults(self) -> dict[str, dict[str, int]]:
        """The faults by player and code."""
        return {player["name"]: player["faults"] for player in self.result["players"]}

    def player(self, name: str) -> Any:
        """Return what the result says of one player."""
        return next(player for player in self.result["players"] if player["name"] == name)
