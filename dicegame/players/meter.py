"""What a bot takes of the machine: the processor time and the memory of its whole tree of processes, and whether it got its share.

On Linux; elsewhere everything reads zero.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass

from dicegame.players.supervisor import children_of, send_signal, tree_of

LOOK_SECONDS = 0.25  # between two looks for new processes of a bot
_HALF = 0.5  # of a core
_CHILDREN_TIME = slice(13, 15)  # cutime and cstime, among the fields of /proc/PID/stat after the name
_MEMORY = "VmHWM:"


@dataclass(slots=True)
class Meter:
    """What a bot used: CPU seconds on turn and off turn, peak memory in bytes; and its starts that ended in `ready`."""

    decisions: int = 0
    on_turn_cpu: float = 0.0
    off_turn_cpu: float = 0.0
    memory: int = 0
    starts: int = 0
    start_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Share:
    """What a bot has had of the processor by an instant, and how long its threads were ready to run and had to wait, in seconds."""

    instant: float
    used: float
    waited: float


def starved(before: Share, after: Share) -> bool:
    """Say whether a bot was ready to run at least half of the time and got less than half a core: no wonder then that it was late."""
    half = _HALF * (after.instant - before.instant)
    used = after.used - before.used
    return used < half <= used + after.waited - before.waited


class Tree:
    """All processes of a bot, but for those of the sandbox that it is in.

    `peak` is the most memory in bytes that they have held, each at its own highest.
    """

    def __init__(self, pid: int, *, sandboxed: bool) -> None:
        self.peak = 0
        self._pid = pid
        self._top = (
            next(iter(children_of(pid)), pid) if sandboxed else pid
        )  # bubblewrap, and it again inside: a bot's init
        self._outside = int(sandboxed)
        self._clocks: dict[int, int] = {}  # by process
        self._last: dict[int, float] = {}  # what these said
        self._children: dict[int, float] = {}  # CPU seconds of the children that a process has waited for
        self._used = self._told = 0.0
        self._look_at = 0.0
        self.look()

    def cpu(self) -> float:
        """Return the CPU seconds since the last call."""
        if time.monotonic() > self._look_at:
            self.look()
        else:
            self._count()
        before, self._told = self._told, self._used
        return self._used - before

    def look(self) -> None:
        """Look for new processes, for those that are gone, and for the memory of all."""
        self._look_at = time.monotonic() + LOOK_SECONDS
        self._count()
        found = tree_of(self._top)[self._outside :]
        gone = sum(last for pid, last in self._last.items() if pid not in found)
        children = {pid: _children_time(pid) for pid in found}
        grown = sum(spent - self._children.get(pid, 0.0) for pid, spent in children.items())
        self._used += max(0.0, grown - gone)  # of children that came and went unseen
        self._children = children
        self._clocks = {pid: (~pid << 3) | 2 for pid in found}  # clock_getcpuclockid(3)
        self._last = {pid: self._last.get(pid, 0.0) for pid in found}
        self._count()
        self.peak = max(self.peak, sum(map(_peak, found)))

    def _count(self) -> None:
        for pid, clock in self._clocks.items():
            try:
                now = time.clock_gettime(clock)
            except OSError:
                continue
            self._used += now - self._last[pid]
            self._last[pid] = now

    def share(self) -> Share:
        """Return what the bot has had of the processor so far."""
        self.look()
        return Share(time.monotonic(), self._used, sum(map(_waited, self._clocks)))

    def stop(self) -> None:
        """Stop all of its processes."""
        for pid in self._from_the_top():
            send_signal(pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Let all of its processes go on."""
        for pid in self._from_the_top():
            send_signal(pid, signal.SIGCONT)

    def _from_the_top(self) -> Iterator[int]:
        """Yield every process before its children are looked for: one that has been stopped starts no more of them."""
        found = [self._pid]
        for pid in found:  # which grows on the way
            yield pid
            found += children_of(pid)


def _children_time(pid: int) -> float:
    """Return the CPU seconds of the children that a process has waited for."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:  # noqa: PTH123 - pathlib takes three times as long
            fields = file.read().rpartition(")")[2].split()[_CHILDREN_TIME]
    except OSError:
        return 0.0
    return sum(map(int, fields)) / os.sysconf("SC_CLK_TCK")


def _waited(pid: int) -> float:
    """Return the seconds that the threads of a process were ready to run and waited for a core."""
    total = 0
    try:
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:  # noqa: PTH123
                total += int(file.read().split()[1])
    except (OSError, IndexError):
        return 0.0
    return total / 1e9


def _peak(pid: int) -> int:
    """Return the most memory that a process has held, in bytes."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:  # noqa: PTH123
            found = next((line for line in file if line.startswith(_MEMORY)), f"{_MEMORY} 0 kB")
    except OSError:
        return 0
    return int(found.split()[1]) * 1024
