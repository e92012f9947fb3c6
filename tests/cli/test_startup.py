"""Start-up is a feature: what help, version and completion may import is a list, and it is short."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

OURS = {
    "dicegame",
    "dicegame.cli",
    "dicegame.cli.common",
    "dicegame.cli.group",
    "dicegame.cli.main",
    "dicegame.errors",
    "dicegame.text",
}
THEIRS = {"click"}
HEAVY = {
    "asyncio",
    "concurrent",
    "email",
    "http",
    "importlib.metadata",
    "logging",
    "multiprocessing",
    "sqlite3",
    "ssl",
    "unittest",
}
PROBE = """
import sys
bare = set(sys.modules)
from dicegame.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as error:
    assert not error.code, error.code
print("\\n".join(set(sys.modules) - bare), file=sys.stderr)
"""
COMPLETION = {"_DICEGAME_COMPLETE": "bash_complete", "COMP_WORDS": "dicegame ", "COMP_CWORD": "1"}
COMPLETE_RULES = {**COMPLETION, "COMP_WORDS": "dicegame play tho", "COMP_CWORD": "2"}


def _imported(arguments: list[str], env: dict[str, str]) -> tuple[set[str], str]:
    probe = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments], env={**os.environ, **env}, capture_output=True, text=True, check=True
    )
    return set(probe.stderr.split()), probe.stdout


def _third_party(modules: set[str]) -> set[str]:
    names = {name.partition(".")[0] for name in modules}
    return {name for name in names - set(sys.stdlib_module_names) if not name.startswith("_")} - {"dicegame"}


@pytest.mark.parametrize(
    ("arguments", "env"),
    [(["--help"], {}), (["--help", "--lang", "ru"], {}), (["--version"], {}), ([], COMPLETION)],
    ids=["help", "help in Russian", "version", "completion"],
)
def test_group_imports_nothing_of_weight(arguments: list[str], env: dict[str, str]) -> None:
    modules, printed = _imported(arguments, env)
    assert printed
    assert {name for name in modules if name.partition(".")[0] == "dicegame"} <= OURS
    assert _third_party(modules) <= THEIRS
    assert not modules & HEAVY


@pytest.mark.parametrize(
    ("arguments", "env", "command"),
    [
        (["play", "--help"], {}, "play"),
        (["match", "--help"], {}, "match"),
        (["score", "--help"], {}, "score"),
        (["odds", "--help"], {}, "odds"),
        (["rules", "show", "--help"], {}, "rules"),
        (["bot", "list", "--help"], {}, "bot"),
        (["bot", "check", "--help"], {}, "bot"),
        (["bot", "ask", "--help"], {}, "bot"),
        (["replay", "--help"], {}, "replay"),
        (["verify", "--help"], {}, "verify"),
        (["analyze", "--help"], {}, "analyze"),
        ([], COMPLETE_RULES, "play"),
    ],
)
def test_help_of_a_command_imports_only_the_command(arguments: list[str], env: dict[str, str], command: str) -> None:
    modules, printed = _imported(arguments, env)
    assert printed
    assert {name for name in modules if name.partition(".")[0] == "dicegame"} <= OURS | {f"dicegame.cli.{command}"}
    assert _third_party(modules) <= THEIRS


def test_completion_knows_commands_and_rule_sets() -> None:
    assert "play" in _imported([], COMPLETION)[1]
    assert "thousand-classic" in _imported([], COMPLETE_RULES)[1]
