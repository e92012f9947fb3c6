"""A real cluster on loopback: `dask scheduler` and `dask worker` as processes, in an environment of their own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.cli.process import environment

PATIENCE = 60.0


class LoopbackCluster:
    """A scheduler, and workers that come and go. Leaving it leaves no process behind."""

    def __init__(self, folder: Path) -> None:
        """Start a scheduler; all that it and its workers write goes below `folder`."""
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.env = environment(folder, {"DASK_LOGGING__DISTRIBUTED": "warning"})
        self.processes: list[subprocess.Popen[bytes]] = []
        self._count = 0
        file = folder / "scheduler.json"
        self.scheduler = self._start(
            "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)
        )
        deadline = time.monotonic() + PATIENCE
        while not file.exists() or not file.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        self.address: str = json.loads(file.read_text())["address"]

    def worker(self, *options: str, nanny: bool = False, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start a worker (one thread); without a nanny its process is the one that plays."""
        self._count += 1
        local = self.folder / f"worker-{self._count}"
        words = [self.address, "--nthreads", "1", "--no-dashboard", "--local-directory", str(local)]
        return self._start("dask_worker", *words, "--nanny" if nanny else "--no-nanny", *options, env=env)

    def wait(self, workers: int) -> None:
        """Wait until there are so many workers."""
        with self.client() as client:
            client.wait_for_workers(workers, timeout=PATIENCE)

    @contextlib.contextmanager
    def client(self) -> Iterator[Any]:
        """Give a client of one's own."""
        from distributed import Client  # noqa: PLC0415

        make: Any = Client
        with make(self.address, set_as_default=False) as client:
            yield client

    def log(self) -> str:
        """Return what all processes wrote."""
        return "\n".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("*.log")))

    def _start(self, module: str, *words: str, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        log = self.folder / f"{len(self.processes)}-{module}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{module}", *words],
                env=self.env | (env or {}),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                cwd=self.folder,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def close(self) -> None:
        """End every process."""
        for process in reversed(self.processes):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


# Players that a worker finds by `python:tests.tournament.daskcluster:NAME`

Json = dict[str, Any]
POISON = 3  # the block that ends whoever plays it


def slow(message: Json) -> tuple[list[int], bool]:
    """Take the most points and bank as soon as possible, and let every decision take a while."""
    time.sleep(0.002)
    option = message["options"][0]
    return option["keep"], option["bank"]


def poison(message: Json) -> tuple[list[int], bool]:
    """End the worker at every game of one block."""
    if message["game"].split("-")[1] == str(POISON):
        os._exit(1)
    option = message["options"][0]
    return option["keep"], option["bank"]
