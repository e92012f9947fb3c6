"""Containment of external bots, in layers: the portable ones first, a sandbox on top where the system has one.

Every bot runs in a session and group of its own, with a clean environment, a scratch folder as its working directory, limits on
memory, file size and open files, no descriptor but its three streams, and under a supervisor that outlives neither side.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dicegame.errors import InputError
from dicegame.players import supervisor
from dicegame.players.sandbox import (
    MIB,
    PROCESSES,
    TOGETHER,
    Level,
    Limits,
    Sandbox,
    bwrap_command,
    inside,
    sandbox_level,
)
from dicegame.text import _

ANSWER_SECONDS = 30.0  # in which the supervisor answers, or is taken to be gone
_SIGNALLED = 128  # bubblewrap, like a shell, tells a signal by an exit code above this
_SOCKET_TYPE = getattr(socket, "SOCK_SEQPACKET", socket.SOCK_DGRAM) if sys.platform == "linux" else socket.SOCK_DGRAM
_supervisors: set[int] = set()  # the processes of all that this process has


@dataclass(slots=True)
class Running:
    """A bot process: its number, the parent's ends of its streams, a descriptor that tells its end (-1 where there is none).

    `key` is what the supervisor knows it by, `scratch` its folder; `why` tells what the supervisor killed it for.
    """

    key: int
    pid: int
    stdin: int
    stdout: int
    stderr: int
    pidfd: int
    scratch: str
    why: str = ""

    def close(self) -> None:
        """Close every descriptor."""
        for fd in (self.stdin, self.stdout, self.stderr, self.pidfd):
            if fd >= 0:
                os.close(fd)
        self.stdin = self.stdout = self.stderr = self.pidfd = -1


class StartFailed(Exception):
    """A bot's command could not be started; the text says why. `ours` says that it was no fault of the command."""

    def __init__(self, why: str, *, ours: bool = False) -> None:
        super().__init__(why)
        self.ours = ours


class Containment:
    """The supervisor of one referee process and what it needs; make one a process, and close it.

    `level` is what was reached.
    """

    def __init__(self, sandbox: Sandbox = Sandbox.AUTO, limits: Limits | None = None) -> None:
        """Probe the sandbox; the supervisor itself is started with the first bot.

        Raises:
            InputError: external bots can't run on this system, or not as safely as was required.
        """
        if os.name != "posix":
            raise InputError(_("programs outside can't take a seat on Windows; under WSL they can"))
        self.level = sandbox_level(sandbox)
        self.limits = limits or Limits()
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._keys = 0
        self._running: dict[int, Running] = {}  # by key
        supervisor.prctl(supervisor.PR_SET_DUMPABLE, 0)  # keeps bots of the same user out of memory and descriptors
        supervisor.prctl(supervisor.PR_SET_CHILD_SUBREAPER, 1)  # what a killed supervisor leaves behind comes here

    def start(self, command: Sequence[str], shows: Sequence[str] = ()) -> Running:
        """Start a bot.

        Args:
            command: the program (absolute, or to be found on PATH) and its arguments.
            shows: the paths, beside the system's, that a sandbox shows it: its own.

        Raises:
            StartFailed: it can't be started.
        """
        scratch = tempfile.mkdtemp(prefix="dicegame-")
        try:
            running = self._start(self._spec(command, shows, scratch))
        except BaseException:
            supervisor.remove(scratch)
            raise
        self._running[running.key] = running
        return running

    def _spec(self, command: Sequence[str], shows: Sequence[str], scratch: str) -> dict[str, Any]:
        """Return what the supervisor must know to start a bot."""
        env = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "HOME": scratch, "TMPDIR": scratch}
        whole = list(command)
        if self.level is Level.BWRAP:
            env |= {"HOME": "/tmp", "TMPDIR": "/tmp"}  # noqa: S108 - inside the sandbox
            whole = [*bwrap_command(shows, self.limits), *inside(command, self.limits)]
        self._keys += 1
        return {
            "key": self._keys,
            "command": whole,
            "apart": self.level is Level.BWRAP,
            "env": env,
            "scratch": scratch,
            "limits": self.limits.as_resources(),
            "processes": self.limits.processes + PROCESSES,
            "memory": self.limits.memory * MIB * TOGETHER,
        }

    def _start(self, spec: dict[str, Any]) -> Running:
        ours, theirs = _pipes()
        fds: list[int] = []
        try:
            answer = self._ask({"start": spec}, theirs, fds)
            if "pid" not in answer:
                raise StartFailed(str(answer.get("error", _("its supervisor was killed"))), ours=not answer)
        except BaseException:
            for fd in ours:
                os.close(fd)
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        for fd in ours:
            os.set_blocking(fd, False)
        stdin, stdout, stderr = ours
        return Running(spec["key"], answer["pid"], stdin, stdout, stderr, fds[0] if fds else -1, spec["scratch"])

    def kill(self, running: Running) -> int | None:
        """Kill a bot and everything that it started; return how it had ended, or that it was killed (minus the signal)."""
        ended = self._ended(running, {"kill": running.key})
        self._running.pop(running.key, None)
        running.close()
        return ended

    def ended(self, running: Running) -> int | None:
        """Return how a bot ended by itself (an exit code, or minus a signal); None while it runs."""
        return self._ended(running, {"status": running.key})

    def _ended(self, running: Running, request: dict[str, Any]) -> int | None:
        answer = self._ask(request) if running.key in self._running else {}
        running.why = answer.get("why") or running.why
        code = answer.get("ended")
        if not isinstance(code, int):
            return None
        return _SIGNALLED - code if self.level is Level.BWRAP and code > _SIGNALLED else code

    def lost(self, running: Running) -> bool:
        """Say whether a bot ended because the supervisor was killed: that is no fault of the bot."""
        if self._process is not None and self._process.poll() is not None:
            self._clear()
        return running.key not in self._running

    def close(self) -> None:
        """Kill every bot and end the supervisor."""
        for running in self._running.values():
            running.close()
        self._end_supervisor()
        for running in self._running.values():
            supervisor.remove(running.scratch)  # it did, unless it was killed
        self._running.clear()

    # The supervisor

    def _ask(self, request: dict[str, Any], give: Sequence[int] = (), take: list[int] | None = None) -> dict[str, Any]:
        """Put one request to the supervisor, with descriptors; those of the answer are added to `take`.

        A supervisor that was killed is replaced, but its bots are gone: only a start is asked for again. Empty without an answer.
        """
        data = json.dumps(request).encode()
        for _attempt in range(2 if "start" in request else 1):
            sock = self._connected()
            try:
                socket.send_fds(sock, [data], list(give))
                answer, fds, _flags, _address = socket.recv_fds(sock, supervisor.DATAGRAM, 1)
            except OSError:
                answer, fds = b"", []
            if answer:
                if take is not None:
                    take += fds
                result: dict[str, Any] = json.loads(answer)
                return result
            self._clear()
        return {}

    def _connected(self) -> socket.socket:
        if self._socket is None:
            ours, theirs = socket.socketpair(socket.AF_UNIX, _SOCKET_TYPE)
            script = str(Path(supervisor.__file__))
            command = [sys.executable, "-I", "-S", script, str(theirs.fileno())]
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
            )
            _supervisors.add(self._process.pid)
            theirs.close()
            ours.settimeout(ANSWER_SECONDS)
            self._socket = ours
        return self._socket

    def _end_supervisor(self) -> None:
        """Close the socket, at which the supervisor clears up and ends; wait for that."""
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            self._process.wait()
            _supervisors.discard(self._process.pid)
        self._socket = self._process = None

    def _clear(self) -> None:
        """Clear up after a supervisor that is gone: its bots died with it, and what these had started came to this process."""
        if self._process is not None:
            self._process.kill()
        self._end_supervisor()
        for running in self._running.values():
            with contextlib.suppress(OSError):
                os.killpg(running.pid, signal.SIGKILL)
        deadline = time.monotonic() + supervisor.PATIENCE
        while (strays := _strays()) and time.monotonic() < deadline:
            for stray in strays:
                for pid in supervisor.tree_of(stray):
                    supervisor.send_signal(pid, signal.SIGKILL)
                with contextlib.suppress(OSError):
                    os.waitpid(stray, os.WNOHANG)
            time.sleep(0.001)
        for running in self._running.values():
            supervisor.remove(running.scratch)
        self._running.clear()


def _strays() -> list[int]:
    """Return the children of this process that came from bots: those in another session, but for supervisors."""
    found, ours = [], os.getsid(0)
    for pid in set(supervisor.children_of(os.getpid())) - _supervisors:
        with contextlib.suppress(OSError):
            if os.getsid(pid) != ours:
                found.append(pid)
    return found


def _pipes() -> tuple[list[int], list[int]]:
    """Return three pipes for standard input, output and error: our ends, and the bot's."""
    stdin_read, stdin_write = os.pipe()
    stdout_read, stdout_write = os.pipe()
    stderr_read, stderr_write = os.pipe()
    return [stdin_write, stdout_read, stderr_read], [stdin_read, stdout_write, stderr_write]
