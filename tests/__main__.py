"""Run every check: `python -m tests`. Arguments go on to pytest (`python -m tests -k scoring`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CHECKS = [
    [sys.executable, "-m", "ruff", "check", "."],
    [sys.executable, "-m", "ruff", "format", "--check", "."],
    [sys.executable, "-m", "mypy"],
    [sys.executable, "-m", "mypy", "bots/python/bot.py"],
    [str(BIN / "lint-imports")],
    [sys.executable, "-m", "pytest", "-n", "auto"],
]


def main(arguments: list[str]) -> int:
    """Run the checks one after the other; return 0 if all of them passed, and the number of those that did not otherwise."""
    failed = []
    for check in CHECKS:
        command = check + (arguments if "pytest" in check else [])
        name = " ".join(Path(part).name for part in command if part != "-m")
        print(f"== {name}", flush=True)
        if subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False).returncode:
            failed.append(name)
    for name in failed:
        print(f"failed: {name}", file=sys.stderr)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
