"""Every sample and every starter passes the conformance test, as its author would run it: with the sandbox if there is one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dicegame.cli.bot_new import LANGUAGES
from tests.bots.conftest import BOTS, Programs
from tests.cli.process import run

# jq takes milliseconds for a mark in high dice; thousands of states are put to it in the run that is marked slow.
STATES = {"shell": 150}
RUST = {
    name: os.environ.get(name, str(Path.home() / folder))
    for name, folder in (("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo"))
}


def check(folder: Path, states: int) -> None:
    ended = run("bot", "check", str(folder), "--states", str(states), "--json", env=RUST, timeout=600)
    assert ended.stdout, ended.stderr
    result = json.loads(ended.stdout)
    assert [step for step in result["steps"] if not step["passed"]] == []
    assert result["passed"] is True
    assert ended.returncode == 0


@pytest.mark.parametrize("bot", BOTS)
def test_passes(bot: str, programs: Programs) -> None:
    check(programs(bot).folder, STATES.get(bot.partition("-")[2], 1500))


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_sample_passes_in_full(language: str, programs: Programs) -> None:
    check(programs(f"sample-{language}").folder, 3000)
