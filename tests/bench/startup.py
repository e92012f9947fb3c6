"""How long the program takes to start: medians of ten, in turn with `python -c pass`, and the ratio to it."""

from __future__ import annotations

import os
import pty
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

RUNS = 10
PROGRAM = str(Path(sys.executable).parent / "dicegame")
LIMITS = {"--help": 100, "--version": 100, "TAB": 100, "play --help": 150, "play, first prompt": 300}


def run() -> None:
    """Time every way to start, in turn, and print a line for each."""
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home, "LANG": "C.UTF-8", "TERM": "xterm"}
        completion = {"_DICEGAME_COMPLETE": "bash_complete", "COMP_WORDS": "dicegame pl", "COMP_CWORD": "1"}
        ways: dict[str, Callable[[], float]] = {
            "python -c pass": lambda: _whole([sys.executable, "-c", "pass"], env),
            "--help": lambda: _whole([PROGRAM, "--help"], env),
            "--version": lambda: _whole([PROGRAM, "--version"], env),
            "TAB": lambda: _whole([PROGRAM], {**env, **completion}),
            "play --help": lambda: _whole([PROGRAM, "play", "--help"], env),
            "play, first prompt": lambda: _until([PROGRAM, "play"], env, b"?"),
        }
        times: dict[str, list[float]] = {name: [] for name in ways}
        for turn in range(RUNS + 1):
            for name, way in ways.items():
                seconds = way()
                if turn:  # the first round warms the disk
                    times[name].append(seconds)
    bare = statistics.median(times["python -c pass"])
    for name, values in times.items():
        median = statistics.median(values)
        limit = f", wanted under {LIMITS[name]} ms" if name in LIMITS else ""
        print(f"{name}: {median * 1000:.0f} ms, {median / bare:.1f} times python -c pass{limit}")


def _whole(command: list[str], env: dict[str, str]) -> float:
    """Return how long a command takes from start to end."""
    start = time.perf_counter()
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def _until(command: list[str], env: dict[str, str], prompt: bytes) -> float:
    """Return how long it takes on a terminal until the prompt has been read."""
    master, slave = pty.openpty()
    start = time.perf_counter()
    with subprocess.Popen(command, env=env, stdin=slave, stdout=slave, stderr=slave, close_fds=True) as process:
        os.close(slave)
        seen = b""
        while prompt not in seen:
            seen += os.read(master, 65536)
        seconds = time.perf_counter() - start
        process.kill()
    os.close(master)
    return seconds
