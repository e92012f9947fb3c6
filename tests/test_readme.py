"""README.md is true: its examples print what it says, its commands exist, and continuous integration runs its test command."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.process import ROOT, run

README = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
CONSOLE = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
EXAMPLES = [
    (command.strip(), printed.strip())
    for block in CONSOLE
    for command, printed in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", block, re.MULTILINE)
]
COMMANDS = [line for block in SHELL for line in block.strip().split("\n") if line.startswith("dicegame ")]


def _pattern(printed: str) -> str:
    return ".*".join(re.escape(part) for part in printed.split("..."))


@pytest.mark.parametrize(("command", "printed"), EXAMPLES)
def test_example_prints_what_the_page_says(command: str, printed: str) -> None:
    ended = run(*shlex.split(command)[1:])
    said = (ended.stdout + ended.stderr).strip()
    assert re.fullmatch(_pattern(printed), said, re.DOTALL), said


@pytest.mark.parametrize("command", COMMANDS)
def test_command_of_the_page_is_one(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Every command starts: a game ends only because nobody types."""
    monkeypatch.chdir(tmp_path)
    if "my-bot" in command and "bot new" not in command:
        assert run("bot", "new", "my-bot", "--lang", "python").returncode == 0
    (tmp_path / "sunday.toml").write_text(run("rules", "show", "thousand", "--toml").stdout, encoding="utf-8")
    if "tournament" in command or ".db" in command:
        played: Path = request.getfixturevalue("cup")
        for path in played.glob("*" if " run " not in command else "cup.toml"):
            shutil.copy(path, tmp_path)
    ended = run(*shlex.split(command.partition(" > ")[0])[1:], timeout=120)
    playing = command.startswith("dicegame play")
    assert ended.returncode == (2 if playing else 0), ended.stderr
    assert not playing or "end of input; the game is saved" in ended.stderr


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the page's tournament file, shortened, and what its commands find: played once for all of them."""
    folder = tmp_path_factory.mktemp("cup")
    [plan] = [block for block in re.findall(r"```toml\n(.*?)```", README, re.DOTALL) if "[tournament]" in block]
    (folder / "cup.toml").write_text(plan.replace("blocks = 50", "blocks = 2"), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run("tournament", "run", "cup.toml").returncode == 0
        assert run("tournament", "add", "cup.db", "cautious").returncode == 0
        for part in ("1", "2"):
            words = ["cup.toml", "--shard", f"{part}/2", "--seed-file", "secret", "--store", f"part{part}.db"]
            assert run("tournament", "run", *words).returncode == 0
    return folder


def test_continuous_integration_runs_the_test_command() -> None:
    commands = [block.strip() for block in SHELL if "-m tests" in block or "apt-get" in block]
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").strip().split("\n")
    said = [
        line.strip() for line in script if not line.startswith(("#", "set ", "cd ", "if ", "fi", "  apt-get update"))
    ]
    assert sorted(said) == sorted(commands)
