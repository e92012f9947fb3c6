"""The supervisor: a small process between a referee and its bots, so that nothing that a bot started outlives either.

Run as a script (`python -I -S supervisor.py FD`), it imports nothing of weight and nothing of ours. It starts bots on request, hands
on how they ended, and kills them whole: the group that each leads, whatever left that group (Linux gives it the orphans), and all
of it when the referee's end of the socket closes, which a SIGKILL of the referee does too. A few times a second it looks at what all
the processes of a bot take together, which no limit of the system counts, and for what has left its bot.

One JSON object a datagram. Requests: `{"start": {...}}` with three descriptors, answered with a `pid` and a pidfd, or with an `error`;
`{"kill": KEY}` and `{"status": KEY}`, answered with `ended` and `why`.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable
from typing import Any

if sys.platform != "win32":
    import resource

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
DATAGRAM = 1 << 18
PATIENCE = 2.0  # seconds that a kill may take before it is given up on
WATCH_MS = 200  # between two looks at what bots take
_MIB = 1 << 20
_KEPT = 64  # descriptors of a bot that is being started stand here and above, out of the way of 0 to 4


def prctl(option: int, value: int) -> bool:
    """Ask the system for a process option of Linux; return whether it is there and did it."""
    if sys.platform != "linux":
        return False
    try:
        return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def children_of(pid: int) -> list[int]:
    """Return the children of a process; none where the system does not tell."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - pathlib takes three times as long
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:  # noqa: PTH123
                found += map(int, file.read().split())
    return found


def tree_of(pid: int, most: int = 100_000) -> list[int]:
    """Return a process and everything below it, itself first; not many more than `most`."""
    found = [pid]
    for one in found:  # which grows on the way
        found += children_of(one)
        if len(found) > most:
            break
    return found


def send_signal(pid: int, name: signal.Signals) -> None:
    """Send a signal to a process, if it is there."""
    with contextlib.suppress(OSError):
        os.kill(pid, name)


def remove(folder: str) -> None:
    """Remove a folder and all in it, though a bot may have shut what is in it, or nested it thousands deep."""
    with contextlib.suppress(OSError):
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            _empty(top)
        finally:
            os.close(top)
        os.rmdir(folder)  # noqa: PTH106 - as all of this


def _empty(top: int) -> None:
    """Empty an open folder without going deep: what its folders hold is moved up into it."""
    token, moved = f"{time.monotonic_ns()}-", 0
    while names := os.listdir(top):
        for name in names:
            try:
                os.unlink(name, dir_fd=top)
                continue
            except (IsADirectoryError, PermissionError):
                os.chmod(name, 0o700, dir_fd=top)
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
            try:
                for child in os.listdir(inner):  # noqa: PTH208
                    with contextlib.suppress(OSError):
                        os.chmod(child, 0o700, dir_fd=inner)  # a folder that is shut can't be moved
                    moved += 1
                    os.rename(child, f"{token}{moved}", src_dir_fd=inner, dst_dir_fd=top)
            finally:
                os.close(inner)
            os.rmdir(name, dir_fd=top)


class Bot:
    """A bot that was started: its process, and what is known of its end."""

    def __init__(self, pid: int, spec: dict[str, Any]) -> None:
        self.pid = pid
        self.scratch: str = spec["scratch"]
        self.most_processes: int = spec["processes"]
        self.most_memory: int = spec["memory"]
        self.running = True
        self.ended: int | None = None  # its exit code, or minus the signal
        self.why = ""

    def watch(self) -> None:
        """Kill it if all its processes together take too much."""
        tree = tree_of(self.pid, self.most_processes)
        if len(tree) > self.most_processes:
            self.why = f"it had more than {self.most_processes} processes"
        elif self._takes_too_much(tree, _resident) and self._takes_too_much(tree, _proportional):
            self.why = f"its processes held more than {self.most_memory // _MIB} MiB"
        else:
            return
        self.strike()

    def _takes_too_much(self, tree: list[int], of_one: Callable[[int], int]) -> bool:
        return sum(map(of_one, tree)) + _unmapped(tree) > self.most_memory

    def strike(self) -> None:
        """Send SIGKILL to all of it that is in sight."""
        if self.running:
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)
            send_signal(self.pid, signal.SIGKILL)
            for pid in tree_of(self.pid):
                send_signal(pid, signal.SIGKILL)

    def told(self) -> dict[str, Any]:
        """Return what the referee is told of its end."""
        return {"ended": self.ended, "why": self.why}


def _resident(pid: int) -> int:
    """Return the bytes that a process holds; what it shares with others is in it, too."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0


def _proportional(pid: int) -> int:
    """Return the bytes that a process holds; of what it shares, only its part. It takes longer to find out."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:  # noqa: PTH123
            return 1024 * next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return _resident(pid)  # one that hides it gets no rebate


def _unmapped(tree: list[int]) -> int:
    """Return the bytes in files without a name that processes hold open: memory that counts for none of them."""
    found: dict[tuple[int, int], int] = {}
    for pid in tree:
        with contextlib.suppress(OSError):
            for fd in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208
                with contextlib.suppress(OSError):
                    file = os.stat(f"/proc/{pid}/fd/{fd}")  # noqa: PTH116
                    if stat.S_ISREG(file.st_mode) and not file.st_nlink:
                        found[file.st_dev, file.st_ino] = file.st_blocks * 512
    return sum(found.values())


class Supervisor:
    """Holds the bots of one referee."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.bots: dict[int, Bot] = {}  # by the referee's key: the number of a process may come to mean another one

    def run(self) -> None:
        """Serve until the other end of the socket closes, then leave nothing behind."""
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_args: None)
        for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(ignored, signal.SIG_IGN)
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        poll.register(wake_read, select.POLLIN)
        watched = time.monotonic()
        while True:
            for fd, _event in poll.poll(WATCH_MS if self.bots else None):
                if fd == wake_read:
                    os.read(wake_read, 4096)
                    self.reap()
                elif not self.serve():
                    self.end()
                    return
            if time.monotonic() - watched >= WATCH_MS / 1000:
                self.watch()
                watched = time.monotonic()

    def watch(self) -> None:
        """Look at what the bots take, and for strays; does not wait for those that it kills."""
        for bot in self.bots.values():
            if bot.running:
                bot.watch()
        self._strike_strays()

    def serve(self) -> bool:
        """Answer one request; return False at the end of the socket."""
        try:
            data, ancillary, _flags, _address = self.sock.recvmsg(
                DATAGRAM, socket.CMSG_SPACE(3 * array.array("i").itemsize)
            )
        except OSError:
            return False
        if not data:
            return False
        fds = array.array("i")
        for _level, _type, raw in ancillary:
            fds.frombytes(raw[: len(raw) - len(raw) % fds.itemsize])
        request = json.loads(data)
        if "start" in request:
            self.start(request["start"], list(fds))
        elif "kill" in request:
            self.reply(self.kill(request["kill"]))
        elif "status" in request:
            self.reap()
            bot = self.bots.get(request["status"])
            self.reply(bot.told() if bot else {})
        return True

    def reply(self, message: dict[str, Any], fds: tuple[int, ...] = ()) -> None:
        """Send one answer; a referee that is gone does not need it."""
        with contextlib.suppress(OSError):
            socket.send_fds(self.sock, [json.dumps(message).encode()], fds)

    def start(self, spec: dict[str, Any], fds: list[int]) -> None:
        """Start a bot with these descriptors as its standard streams, in a session and group of its own, and tell of it."""
        error_read, error_write = os.pipe()
        pid = os.fork()
        if pid == 0:
            _become(spec, fds, error_write)
        os.close(error_write)
        for fd in fds:
            os.close(fd)
        with os.fdopen(error_read, "rb") as errors:
            error = errors.read()
        if error:
            os.waitpid(pid, 0)
            self.reply({"error": error.decode("utf-8", "replace")})
            return
        self.bots[spec["key"]] = Bot(pid, spec)
        told = {"pid": pid}
        try:
            pidfd = os.pidfd_open(pid)  # while the process has not been waited for, its number is surely its own
        except (AttributeError, OSError):
            self.reply(told)
            return
        self.reply(told, (pidfd,))
        os.close(pidfd)

    def reap(self) -> None:
        """Take note of everything that has ended. A bot's whole group is killed before its number is given back to the system."""
        while True:
            try:
                info = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if info is None:
                return
            for bot in self.bots.values():
                if bot.running and bot.pid == info.si_pid:
                    with contextlib.suppress(OSError):
                        os.killpg(bot.pid, signal.SIGKILL)
                    bot.ended = info.si_status if info.si_code == os.CLD_EXITED else -info.si_status
                    bot.running = False
            with contextlib.suppress(ChildProcessError):
                os.waitpid(info.si_pid, 0)

    def kill(self, key: int) -> dict[str, Any]:
        """Kill a bot and everything below it, and remove its folder; return how it ended."""
        bot = self.bots.get(key)
        if bot is None:
            return {}
        self.reap()
        deadline = time.monotonic() + PATIENCE
        while bot.running and time.monotonic() < deadline:
            bot.strike()
            self._wait()
        self.sweep()
        remove(bot.scratch)
        if not bot.running:
            del self.bots[key]
        return bot.told()

    def sweep(self) -> None:
        """Kill what has left its bot, and wait until it is gone."""
        deadline = time.monotonic() + PATIENCE
        while self._strike_strays() and time.monotonic() < deadline:
            self._wait()

    def _strike_strays(self) -> bool:
        """Send SIGKILL to the children of this process that it did not start; return whether there are any."""
        ours = {bot.pid for bot in self.bots.values() if bot.running}
        strays = [pid for pid in children_of(os.getpid()) if pid not in ours]
        for stray in strays:
            for pid in tree_of(stray):
                send_signal(pid, signal.SIGKILL)
        return bool(strays)

    def _wait(self) -> None:
        """Wait for a killed child to be gone, for a moment at most."""
        time.sleep(0.0005)
        self.reap()

    def end(self) -> None:
        """Kill everything and remove every scratch folder."""
        for bot in self.bots.values():
            bot.strike()
        for key in list(self.bots):
            self.kill(key)
        self.sweep()


def _become(spec: dict[str, Any], fds: list[int], error_write: int) -> None:
    """Turn the forked child into a bot; never returns.

    Where the bot is `apart`, in a sandbox whose own processes keep their streams, its input and output are 3 and 4.
    """
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.set_wakeup_fd(-1)
        for name in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(name, signal.SIG_DFL)
        os.chdir(spec["scratch"])
        error_write = os.dup2(error_write, _KEPT, inheritable=False)
        stdin, stdout, stderr = (os.dup2(fd, _KEPT + 1 + n, inheritable=False) for n, fd in enumerate(fds))
        streams = [stdin, stdout, stderr]
        if spec["apart"]:
            null = os.dup2(os.open(os.devnull, os.O_RDONLY), _KEPT + 4, inheritable=False)
            streams = [null, stderr, stderr, stdin, stdout]
        for target, fd in enumerate(streams):
            os.dup2(fd, target)
        os.closerange(len(streams), _KEPT)
        os.closerange(_KEPT + 1, 4096)
        for name, value in spec["limits"].items():
            limit = getattr(resource, name, None)
            if limit is not None:
                hard = resource.getrlimit(limit)[1]
                least = value if hard == resource.RLIM_INFINITY else min(value, hard)
                resource.setrlimit(limit, (least, least))
        os.execvpe(spec["command"][0], spec["command"], spec["env"])  # noqa: S606 - a bot's own command, no shell
    except OSError as error:
        os.write(error_write, (error.strerror or str(error)).encode())
    except Exception as error:  # noqa: BLE001 - whatever it was, the referee must hear of it
        os.write(error_write, repr(error).encode())
    os._exit(127)


def main() -> None:
    """Supervise over the socket whose descriptor is the argument."""
    os.setsid()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_DUMPABLE, 0)
    Supervisor(socket.socket(fileno=int(sys.argv[1]))).run()


if __name__ == "__main__":
    main()
