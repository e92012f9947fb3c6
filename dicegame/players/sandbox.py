"""The sandbox: bubblewrap, where the system has it and lets it work; what was asked for, what was reached, and what a bot may use.

In it a bot has a pid namespace of its own, no network, a read-only system, and sees no files but its own.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from dicegame.errors import InputError
from dicegame.text import _

PROCESSES = 3  # of bubblewrap itself, and the shell before the bot
TOGETHER = 2  # times the memory of one process that all of a bot's may hold
MIB = 1 << 20
_PROBE_SECONDS = 10.0
# Below /proc: what root may write there even without a capability.
_KERNEL = ("sys", "sysrq-trigger", "fs", "scsi", "acpi", "mtrr")
_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/java-17-openjdk",
    "/etc/ssl",
)


class Sandbox(StrEnum):
    """What is asked for: the best there is, bubblewrap, nothing beyond the portable layers, or bubblewrap or else an error."""

    AUTO = "auto"
    BWRAP = "bwrap"
    NONE = "none"
    REQUIRE = "require"


class Level(StrEnum):
    """The containment that was reached; stands in every result."""

    PORTABLE = "portable"
    SUPERVISED = "supervised"
    BWRAP = "bwrap"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot may use: memory and file size in MiB and open files of one process, processes, and (in a sandbox only) scratch MiB.

    All its processes together may hold `TOGETHER` times the memory of one.
    """

    memory: int = 512
    file_size: int = 64
    open_files: int = 256
    processes: int = 128
    scratch: int = 64

    def as_resources(self) -> dict[str, int]:
        """Return the limits by the names of `resource`."""
        return {
            "RLIMIT_DATA": self.memory * MIB,
            "RLIMIT_FSIZE": self.file_size * MIB,
            "RLIMIT_NOFILE": self.open_files,
            "RLIMIT_CORE": 0,
        }


@cache
def sandbox_level(wanted: Sandbox) -> Level:
    """Return the level that is reached for what is wanted, having tried it.

    Raises:
        InputError: bubblewrap was asked for and does not work here.
    """
    plain = Level.SUPERVISED if sys.platform == "linux" else Level.PORTABLE
    if wanted is Sandbox.NONE:
        return plain
    problem = _try_bwrap()
    if problem is None:
        return Level.BWRAP
    if wanted is Sandbox.AUTO:
        return plain
    raise InputError(_("the sandbox can't be had here: %s") % problem)


def _try_bwrap() -> str | None:
    """Run something in bubblewrap; return what is in the way, or None."""
    if shutil.which("bwrap") is None:
        return _("bubblewrap (bwrap) is not installed")
    probe = [*bwrap_command((), Limits()), "/bin/sh", "-c", "exit 0"]
    try:
        done = subprocess.run(  # noqa: S603 - our own command
            probe, capture_output=True, timeout=_PROBE_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return None if done.returncode == 0 else (lines[-1] if lines else f"exit code {done.returncode}")


def bwrap_command(shows: Sequence[str], limits: Limits) -> list[str]:
    """Return the command that goes before a bot's own: see protocol.md for what the bot sees then."""
    scratch = str(limits.scratch * MIB)
    command = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    command += ["--proc", "/proc", "--dev", "/dev", "--size", scratch, "--tmpfs", "/tmp"]  # noqa: S108 - inside the sandbox
    for name in _KERNEL:
        command += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
    for path in dict.fromkeys((*_SYSTEM, *shows, sys.prefix, sys.base_prefix)):
        command += ["--ro-bind-try", path, path]
    return [*command, "--remount-ro", "/", "--remount-ro", "/dev", "--chdir", "/tmp"]  # noqa: S108


def inside(command: Sequence[str], limits: Limits) -> list[str]:
    """Return the command that is run inside the sandbox: it limits the processes first, which counts the bot's alone only there.

    The bot's streams are 3 and 4 until then: bubblewrap's own processes keep 0 and 1 open, and nobody would see a bot close its own.
    """
    limit = f"{{ ulimit -u {limits.processes} || ulimit -p {limits.processes}; }} 2>/dev/null"
    return ["/bin/sh", "-c", f'{limit}; exec "$@" <&3 >&4 3<&- 4>&-', "sh", *command]
