"""A bot that remembers dice gains nothing: not in mirrored blocks, not across pairings, not after a resume."""

from __future__ import annotations

import math
import sys
from pathlib import Path

from dicegame.tournament.reader import Reader
from tests.hostile.harness import sandboxed
from tests.tournament.playing import games_in, plan_file, started, tournament, until

SCRIPT = Path(__file__).with_name("rememberer.py")


def players(notes: str) -> list[str]:
    """Return the rememberer, its honest twin, and whom both play."""
    return ["hold:at=300", f"cheat={sys.executable} {SCRIPT} {notes}", f"twin={sys.executable} {SCRIPT} honest"]


def rates(store: Path) -> dict[str, tuple[float, float]]:
    """Return the win rates against the first entrant, and their standard errors by blocks."""
    found = {}
    with Reader(store) as reader:
        for name, sums in zip(("cheat", "twin"), (reader.sums("1-2")[0], reader.sums("1-3")[0]), strict=True):
            place = sums.places[1]
            mean = place.means / sums.blocks
            found[name] = mean, math.sqrt((place.squares / sums.blocks - mean * mean) / (sums.blocks - 1))
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


def gains_nothing(store: Path) -> None:
    (cheat, error), (twin, other) = rates(store).values()
    assert cheat <= twin + 3 * math.hypot(error, other)


def test_what_its_process_remembers_is_of_no_use(tmp_path: Path) -> None:
    gains_nothing(play(tmp_path, "-", "none", 100))


@sandboxed
def test_in_the_sandbox_its_file_is_of_no_use(tmp_path: Path) -> None:
    gains_nothing(play(tmp_path, f"notes:{tmp_path / 'notes'}", "bwrap", 100))


def test_without_the_sandbox_its_file_would_be_of_use(tmp_path: Path) -> None:
    """So the bot is one that can cheat, and the two tests above show that it is kept from it."""
    store = play(tmp_path, f"notes:{tmp_path / 'notes'}", "none", 100)
    (cheat, error), (twin, other) = rates(store).values()
    assert cheat > twin + 3 * math.hypot(error, other)
    shown = tournament("show", str(store), home=tmp_path)
    assert "sandbox" in shown.stdout
