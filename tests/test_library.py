"""The library: the examples of the page, run as a user's script, and what it promises."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import dicegame
from dicegame.errors import DicegameError
from tests.cli.process import ROOT, environment

PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_example_of_the_page_runs_as_a_script(tmp_path: Path) -> None:
    assert EXAMPLES
    for place, example in enumerate(EXAMPLES):
        script = tmp_path / f"example{place}.py"
        script.write_text(example, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-W", "error", str(script)],
            cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stdout


def test_the_example_is_typed(tmp_path: Path) -> None:
    script = tmp_path / "example.py"
    script.write_text("\n".join(EXAMPLES), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(script)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout


def test_everything_promised_is_there_and_documented() -> None:
    for name in dicegame.__all__:
        assert getattr(dicegame, name).__doc__, name
    with pytest.raises(AttributeError, match="nothing"):
        _ = dicegame.nothing


def test_importing_it_imports_next_to_nothing() -> None:
    command = [sys.executable, "-c", "import sys, dicegame; print('pydantic' in sys.modules, 'sqlite3' in sys.modules)"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_what_is_wrong_is_told_in_one_error(tmp_path: Path) -> None:
    with pytest.raises(DicegameError, match="no human"):
        dicegame.play_match(["house", "human"])
    with pytest.raises(DicegameError, match="2 faults"):
        dicegame.run_tournament(tmp_path / "x.db", {"tournament": {"blocks": 0, "sets": 2}, "entrant": []})
    with pytest.raises(DicegameError, match=r"x\.db"):
        dicegame.open_tournament(tmp_path / "x.db")
