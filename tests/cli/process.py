"""Start the real program, cut off from the settings and the language of whoever runs the tests."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = (sys.executable, "-m", "dicegame")
_KEPT = ("PATH", "SYSTEMROOT", "TMPDIR")


def environment(home: str | Path, env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return a clean environment: no language, no colour, all that is written goes below `home`; `env` is added to it."""
    clean = {name: os.environ[name] for name in _KEPT if name in os.environ}
    clean |= {f"XDG_{kind}_HOME": str(Path(home) / kind.lower()) for kind in ("CONFIG", "STATE", "DATA", "CACHE")}
    return clean | {"HOME": str(home), "PYTHONPATH": str(ROOT), **(env or {})}


def run(
    *args: str,
    input: str | None = None,  # noqa: A002 - named as subprocess names it
    env: Mapping[str, str] | None = None,
    home: str | Path | None = None,
    command: Sequence[str] = COMMAND,
    timeout: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Run `dicegame ARGS...` to its end and return its exit code and what it wrote, as UTF-8.

    Args:
        args: the arguments.
        input: what is typed, or piped in; nothing unless given.
        env: what stands in the environment besides the clean one.
        home: where it may write its settings and saved games; a fresh folder unless given.
        command: what is run instead of `python -m dicegame`.
        timeout: seconds after which it hangs.
    """
    with tempfile.TemporaryDirectory() as fresh:
        return subprocess.run(
            [*command, *args],
            input=input or "",
            env=environment(home or fresh, env),
            capture_output=True,
            check=False,
            encoding="utf-8",
            timeout=timeout,
        )
