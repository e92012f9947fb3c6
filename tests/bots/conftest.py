"""Every sample and every starter, built once a session; those whose tools are not here are skipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from dicegame.cli.bot_new import LANGUAGES, new_bot
from dicegame.players.bots import BotProgram
from tests.bots.driver import Bot, build, find, missing_tool, open_bot
from tests.cli.process import ROOT

BOTS = [f"{kind}-{language}" for kind in ("sample", "starter") for language in LANGUAGES]
Programs = Callable[[str], BotProgram]


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Return how to get a bot by its name: built into a folder of its own on the first call, once for all workers of pytest-xdist."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    built: dict[str, BotProgram] = {}

    def get(name: str) -> BotProgram:
        kind, language = name.split("-")
        tool = missing_tool(language)
        if tool is not None:
            pytest.skip(f"{tool} is not here, which {name} needs")
        if name not in built:
            with (shared / f"{name}.lock").open("a+") as lock:
                flock(lock, LOCK_EX)
                folder, done = shared / "bots" / name, shared / f"{name}.built"
                if not done.exists():
                    _write(kind, language, folder)
                    build(folder)
                    done.touch()
                built[name] = find(folder)
        return built[name]

    return get


def _write(kind: str, language: str, folder: Path) -> None:
    if kind == "sample":
        shutil.copytree(ROOT / "bots" / language, folder)
    else:
        new_bot(str(folder), language, None)


@pytest.fixture(params=BOTS)
def name(request: pytest.FixtureRequest) -> str:
    """Return the name of each bot in turn."""
    return str(request.param)


@pytest.fixture
def program(name: str, programs: Programs) -> BotProgram:
    """Return a bot that can be started."""
    return programs(name)


@pytest.fixture
def bot(program: BotProgram) -> Iterator[Bot]:
    """Return a running bot that has shaken hands."""
    with open_bot(program) as running:
        running.hello()
        yield running


@pytest.fixture
def folder(program: BotProgram) -> Path:
    """Return the folder of a built bot."""
    return program.folder
