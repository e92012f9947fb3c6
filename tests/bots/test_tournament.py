"""The sample bots of all languages that are here, and built-ins, in one tournament a game: nobody breaks the protocol."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dicegame.cli.bot_new import LANGUAGES
from tests.bots.conftest import Programs
from tests.bots.driver import missing_tool
from tests.cli.process import run
from tests.hostile.harness import bwrap_works
from tests.tournament.playing import plan_file

TOOLS = {"RUSTUP_HOME": ".rustup", "CARGO_HOME": ".cargo"}  # where a compiler looks for itself, whatever HOME is
FILL = ["house", "greedy", "random", "cautious", "hold:at=300", "maxpoints"]


@pytest.mark.parametrize(("rules", "target"), [("ten-thousand", 5000), ("thousand", 1000), ("high-dice", None)])
def test_all_languages_meet(rules: str, target: int | None, programs: Programs, tmp_path: Path) -> None:
    present = [language for language in LANGUAGES if missing_tool(language) is None]
    bots = [f"{language}={programs(f'sample-{language}').folder}" for language in present]
    fill = FILL if rules != "high-dice" else ["house", "random", "random", "house", "random", "house"]
    built_in = [f"built-in-{number}={word}" for number, word in enumerate(fill)]
    table = {"rules": rules, "blocks": 1, **({} if target is None else {"target": target})}
    plan = plan_file(tmp_path, [*bots, *built_in][:8], **table)
    level = "require" if bwrap_works() else "auto"
    plan.write_text(plan.read_text() + f'[limits]\nsandbox = "{level}"\ndecision_ms = 10000\n')
    words = ["run", str(plan), "--quiet", "--json", "--store", str(tmp_path / "t.db")]
    tools = {name: os.environ.get(name, str(Path.home() / place)) for name, place in TOOLS.items()}
    done = run("tournament", *words, home=tmp_path, env=tools, timeout=300)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["games"] == {"played": 56, "planned": 56, "void": told["games"]["void"]}
    assert {row["name"]: row["faults"] for row in told["standings"]} == {
        name.partition("=")[0]: {} for name in [*bots, *built_in][:8]
    }
