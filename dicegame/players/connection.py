"""Lines to and from one bot process, with absolute deadlines: one poll over its output, its log and the process itself.

Nothing that a bot does moves a deadline or fills memory: its output is cut at the length of a line, its log is kept in a small ring,
and what it does not read is not waited for.
"""

from __future__ import annotations

import array
import contextlib
import os
import select
import sys
import time
from collections import deque

from dicegame.players.base import BotFault, FaultCode
from dicegame.players.containment import Running
from dicegame.text import _, number

if sys.platform != "win32":
    import fcntl
    import termios

READ_BYTES = 65_536
LOG_BYTES = 16_384  # of a bot's log that is kept
OUT_BYTES = 1 << 20  # unread messages to a bot that are kept; more are dropped, since it will time out anyway
KEPT_LINES = 20
KEPT_CHARACTERS = 2_000
_POLL_WITHOUT_PIDFD = 0.05
_LONGEST_POLL = 1e9  # milliseconds; the system takes no more than 2**31
_CLOSING = 0.25  # seconds in which a bot whose output has ended may turn out to have ended itself


class Connection:
    """The lines of one running bot; times are of the monotonic clock, in seconds."""

    def __init__(self, running: Running, line_bytes: int) -> None:
        self.running = running
        self.line_bytes = line_bytes
        self.log = bytearray()  # the tail of what it wrote to standard error
        self.wire: deque[tuple[str, bytes]] = deque(maxlen=KEPT_LINES)  # which way, and the line
        self._in = bytearray()
        self._out = bytearray()
        self._closed = False  # its output has ended
        self._deaf = False  # it has closed its input
        self._poll = select.poll()
        self._poll.register(running.stdout, select.POLLIN)
        self._poll.register(running.stderr, select.POLLIN)
        if running.pidfd >= 0:
            self._poll.register(running.pidfd, select.POLLIN)
        self._waits_to_write = False

    def send(self, line: bytes) -> None:
        """Send a line (with its end) as far as the bot reads; what it leaves unread is kept, up to a bound."""
        self.wire.append((">", line))
        if self._out:
            if len(self._out) + len(line) <= OUT_BYTES:
                self._out += line
            return
        try:
            written = os.write(self.running.stdin, line)
        except BlockingIOError:
            written = 0
        except OSError:
            self._deaf = True  # whether that is a fault, its next answer shows
            return
        if written < len(line):
            self._out += line[written:]

    def receive(self, deadline: float) -> bytes:
        """Return the next line, without its end.

        Raises:
            BotFault: timed out, crashed or flooded.
        """
        line = self._line()
        while line is None:
            if self._closed:
                raise BotFault(FaultCode.CRASHED, self.why_closed())
            self._wait(deadline)
            line = self._line()
        self.wire.append(("<", line))
        return line

    def idle(self) -> bool:
        """Say whether nothing at all has happened since the last answer: one quick look, before any other."""
        return not self._in and not self._closed and not self._poll.poll(0)

    def last_lines(self) -> list[str]:
        """Return the last lines both ways, cut to a length that can be shown."""
        return [f"{way} {_short(line)}" for way, line in self.wire]

    def pending(self) -> bytes | None:
        """Return a line that came without being asked for; None where there is none. Does not wait.

        Raises:
            BotFault: it flooded.
        """
        self._read_output()
        self._read_log()
        line = self._line()
        if line is not None:
            self.wire.append(("<", line))
        return line

    def pending_log(self) -> None:
        """Take in what the bot has written to its log so far. Does not wait."""
        self._read_log()

    def drop(self) -> None:
        """Drop the whole lines that have come and were not taken, and take in the log. Does not wait."""
        self._read_output()
        self._read_log()
        del self._in[: self._in.rfind(b"\n") + 1]

    def fresh_log(self) -> None:
        """Forget what the bot has written to its log so far."""
        self._read_log()
        self.log.clear()

    @property
    def alive(self) -> bool:
        """Whether the process runs and its output is open."""
        return not self._closed and not self._ended(0.0)

    def _ended(self, seconds: float) -> bool:
        """Say whether the process ends within so many seconds; where nothing tells, the end of its output must."""
        if self.running.pidfd < 0:
            return self._closed
        poll = select.poll()
        poll.register(self.running.pidfd, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def why_closed(self) -> str:
        """Return what became of a bot whose output has ended: a process that ends closes it a moment before."""
        if self.running.pidfd >= 0 and self._ended(_CLOSING):
            self._read_log()
            return _("it exited")
        return _("it closed its output")

    def close_input(self) -> None:
        """Close the bot's standard input; what it has not read by now it never will."""
        if self.running.stdin >= 0:
            self._out.clear()
            if self._waits_to_write:
                self._watch_input()
            os.close(self.running.stdin)
            self.running.stdin = -1

    def drain(self, deadline: float) -> bool:
        """Wait for the bot to end, passing over what it still says; return whether it did."""
        while time.monotonic() < deadline:
            try:
                self._wait(deadline)
            except BotFault as fault:
                return fault.code is FaultCode.CRASHED
            self._in.clear()
            if self._closed and self._ended(0.0):
                return True
        return False

    def _line(self) -> bytes | None:
        end = self._in.find(b"\n")
        if end < 0:
            if len(self._in) > self.line_bytes:
                raise BotFault(FaultCode.FLOODED, _("the line is longer than %s bytes") % number(self.line_bytes))
            return None
        if end > self.line_bytes:
            raise BotFault(FaultCode.FLOODED, _("the line is longer than %s bytes") % number(self.line_bytes))
        line = bytes(self._in[:end])
        del self._in[: end + 1]
        return line.removesuffix(b"\r")

    def _wait(self, deadline: float) -> None:
        """Wait until something happens.

        Raises:
            BotFault: nothing did in time, or the process ended.
        """
        left = deadline - time.monotonic()
        if left <= 0:
            raise BotFault(FaultCode.TIMED_OUT, self._why_late())
        if bool(self._out) is not self._waits_to_write:
            self._watch_input()
        if self.running.pidfd < 0:
            left = min(left, _POLL_WITHOUT_PIDFD)
        ended = False
        for fd, _event in self._poll.poll(min(left * 1000 + 0.999, _LONGEST_POLL)):
            if fd == self.running.stdout:
                self._read_output()
            elif fd == self.running.stderr:
                self._read_log()
            elif fd == self.running.pidfd:
                ended = True
            else:
                self._write()
        if ended:
            self._read_output()
            self._read_log()
            if b"\n" not in self._in:
                raise BotFault(FaultCode.CRASHED, _("it exited"))

    def _why_late(self) -> str:
        if self._in:
            text = _("%s bytes of a line and no end: is there a newline, and did you flush?")
            return text % number(len(self._in))
        if self._deaf:
            return _("it closed its input")
        unread = self._unread()
        if unread:
            return _("%s bytes of its input are unread: it does not read") % number(unread)
        return _("no answer in time: did you flush?")

    def _unread(self) -> int:
        """Return how much of what was sent the bot has not read."""
        there = array.array("i", [0])
        with contextlib.suppress(OSError, ValueError):  # it may be closed
            fcntl.ioctl(self.running.stdin, termios.FIONREAD, there)
        return there[0] + len(self._out)

    def _watch_input(self) -> None:
        self._waits_to_write = bool(self._out)
        if self._waits_to_write:
            self._poll.register(self.running.stdin, select.POLLOUT)
        else:
            self._poll.unregister(self.running.stdin)

    def _write(self) -> None:
        try:
            written = os.write(self.running.stdin, self._out[:READ_BYTES])
        except BlockingIOError:
            return
        except OSError:
            self._deaf = True
            self._out.clear()
            return
        del self._out[:written]

    def _read_output(self) -> None:
        """Read what there is of its output, never more than a line may be long and a little."""
        while not self._closed and len(self._in) <= self.line_bytes:
            try:
                data = os.read(self.running.stdout, READ_BYTES)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._closed = True
                self._poll.unregister(self.running.stdout)
                return
            self._in += data
            if len(data) < READ_BYTES:
                return

    def _read_log(self) -> None:
        for _chunk in range(16):
            try:
                data = os.read(self.running.stderr, READ_BYTES)
            except OSError:
                return
            if not data:
                self._poll_without_log()
                return
            self.log += data
            del self.log[:-LOG_BYTES]

    def _poll_without_log(self) -> None:
        try:
            self._poll.unregister(self.running.stderr)
        except KeyError:
            return


def _short(line: bytes) -> str:
    return line[:KEPT_CHARACTERS].decode("utf-8", "replace").rstrip("\n")
