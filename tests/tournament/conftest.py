"""Tournaments that several tests look at, each played once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tournament.stored import HOSTILE, bot, played, rename, unplayed


@pytest.fixture(scope="session")
def autumn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seats, 36 games, luck measured, a bot that says much and one that breaks the protocol."""
    folder = tmp_path_factory.mktemp("autumn")
    players = ["hold=hold:at=300", "house=house"]
    players += [f"{name}={bot(folder, name, how)}" for name, how in (("talker", "well"), ("badly", "badly"))]
    return played(folder / "autumn.db", players, blocks=3, luck="optimal", name="Autumn cup", target=1000)


@pytest.fixture(scope="session")
def high(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three seats at high dice, which find a loser; 12 games."""
    folder = tmp_path_factory.mktemp("high")
    players = ["house=house", "random=random", "other=random", "third=house"]
    return played(folder / "high.db", players, blocks=1, rules="high-dice", seats=3, set=["find=loser"])


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Not at its end, a block set aside, and everything in it that somebody else could have written means harm."""
    folder = tmp_path_factory.mktemp("hostile")
    players = ["one=house", f"talker={bot(folder, 'talker', 'well')}", f"badly={bot(folder, 'badly', 'badly')}"]
    path = played(folder / "hostile.db", players, blocks=4, target=1000, opened=False, aside=True, name=HOSTILE[0])
    rename(path, dict(enumerate(HOSTILE, 1)))
    return path


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nothing is played yet."""
    return unplayed(tmp_path_factory.mktemp("fresh") / "fresh.db", ["house", "greedy", "random"])
