"""A bot that remembers dice gains nothing: not in mirrored blocks, not across pairings, not after a resume."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from statistics import fmean, stdev

import pytest

from dicegame.tournament.reader import Reader
from tests.hostile.harness import sandboxed
from tests.tournament.playing import games_in, plan_file, started, tournament, until

pytestmark = pytest.mark.slow
SCRIPT = Path(__file__).with_name("rememberer.py")


def players(notes: str) -> list[str]:
    """Return the rememberer, its honest twin, and whom both play."""
    return ["hold:at=800", f"cheat={sys.executable} {SCRIPT} {notes}", f"twin={sys.executable} {SCRIPT} honest"]


def rates(store: Path, rotation: int | None = None) -> dict[str, tuple[float, float]]:
    """Return the win rates against the first entrant, of one rotation or of whole blocks, and their standard errors by blocks."""
    found = {}
    with Reader(store) as reader:
        for name, number, pairing in (("cheat", 2, "1-2"), ("twin", 3, "1-3")):
            blocks: dict[int, list[float]] = {}
            for game in reader.games(pairing):
                if rotation in {None, game.rotation}:
                    blocks.setdefault(game.block, []).append(game.shares[game.entrants.index(number)])
            means = [fmean(shares) for shares in blocks.values()]
            found[name] = fmean(means), stdev(means) / math.sqrt(len(means))
    return found


def play(folder: Path, notes: str, sandbox: str, blocks: int) -> Path:
    """Play a tournament that is ended once in the middle and gone on with."""
    plan = plan_file(folder, players(notes), format="gauntlet", blocks=blocks, records="none")
    plan.write_text(plan.read_text() + f'[limits]\nsandbox = "{sandbox}"\n')
    store = folder / "cheat.db"
    process = started("run", str(plan), "--store", str(store), "--quiet", home=folder)
    until(lambda: games_in(store) > blocks or process.poll() is not None)
    process.kill()
    process.communicate()
    done = tournament("resume", str(store), "--quiet", home=folder)
    assert done.returncode == 0, done.stderr
    return store


def gains(store: Path, rotation: int | None = None) -> bool:
    """Say whether the rememberer wins more than its honest twin, by more than three standard errors."""
    (cheat, error), (twin, other) = rates(store, rotation).values()
    return cheat > twin + 3 * math.hypot(error, other)


def gains_nothing(store: Path) -> None:
    assert not gains(store)
    assert not gains(store, 1), "in the second game of a block it would know all dice of the first"


def test_what_its_process_remembers_is_of_no_use(tmp_path: Path) -> None:
    gains_nothing(play(tmp_path, "-", "none", 100))


@sandboxed
def test_in_the_sandbox_its_file_is_of_no_use(tmp_path: Path) -> None:
    gains_nothing(play(tmp_path, f"notes:{tmp_path / 'notes'}", "bwrap", 100))


def test_without_the_sandbox_its_file_would_be_of_use(tmp_path: Path) -> None:
    """So the bot is one that can cheat, and the two tests above show that it is kept from it."""
    store = play(tmp_path, f"notes:{tmp_path / 'notes'}", "none", 100)
    assert gains(store, 1)
    shown = tournament("show", str(store), home=tmp_path)
    assert "sandbox" in shown.stdout
