"""A tournament is begun: its dice seed, its file; and what has changed since is refused and named."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from dicegame.dice import commitment, seed_from_text
from dicegame.errors import InputError, PlanError, PlayerError, StoreError
from dicegame.tournament.make import check_same, dice_seed, make
from dicegame.tournament.plan import read_file
from dicegame.tournament.reader import Reader
from dicegame.tournament.run import check_unchanged
from dicegame.tournament.store import Store
from tests.tournament.playing import plan_file
from tests.tournament.workers import PLAYERS, file_of, finish

BOT = Path(__file__).resolve().parent.parent.parent / "bots" / "python"


def test_a_seed_comes_from_a_text_a_file_or_nowhere(tmp_path: Path) -> None:
    assert dice_seed("x") == seed_from_text("x")
    assert dice_seed("") == seed_from_text("")
    assert len(dice_seed()) == 32
    assert dice_seed() != dice_seed()
    path = tmp_path / "seed"
    seed = dice_seed(None, path)
    assert dice_seed(None, path) == dice_seed(None, path, shared=True) == seed
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text(f"  {seed.hex().upper()}\n\n", encoding="ascii")
    assert dice_seed(None, path) == seed


def test_seeds_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not from both"):
        dice_seed("x", tmp_path / "seed")
    with pytest.raises(InputError, match="--seed-file"):
        dice_seed(shared=True)
    for content in (b"", b"00" * 31, b"zz" * 32, b"00" * 33, b"\xff" * 64):
        (tmp_path / "wrong").write_bytes(content)
        with pytest.raises(InputError, match="is no seed file"):
            dice_seed(None, tmp_path / "wrong")
    for path in (tmp_path, tmp_path / "none" / "seed"):
        with pytest.raises(InputError, match="can't read or write"):
            dice_seed(None, path)


def test_what_is_wrong_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(PlanError):
        make(tmp_path / "t.db", file_of(PLAYERS[:1]))
    with pytest.raises(PlayerError):
        make(tmp_path / "t.db", file_of(("house", "nobody-of-this-name")))
    assert list(tmp_path.iterdir()) == []


def test_a_seed_that_can_be_guessed_is_kept_as_it_was_given(tmp_path: Path) -> None:
    with make(tmp_path / "t.db", file_of(seed="x"), text="x") as store:
        assert store.reader.commitments() == [commitment(seed_from_text("x"))]
        assert store.reader.plan.predictable
        assert store.reader.seeds() is None
        finish(store)
        assert store.reader.seeds() == ["x"]


@pytest.fixture
def begun(tmp_path: Path) -> tuple[Path, Path]:
    """Return a tournament file, with a bot beside it, and the store that was made of it."""
    shutil.copytree(BOT, tmp_path / "mine")
    plan = plan_file(tmp_path, ["house", "me=mine", "greedy"], name="same", blocks=2, seed="x", target=1000)
    make(tmp_path / "t.db", read_file(plan), tmp_path, text="x").close()
    return plan, tmp_path / "t.db"


def changed(plan: Path, path: Path) -> list[str]:
    with Store.open(path) as store, pytest.raises(StoreError) as caught:
        check_same(store, plan)
    found = caught.value.fields["changed"]
    assert isinstance(found, list)
    assert all(name in caught.value.message for name in found)
    return found


def test_the_same_file_is_the_same_tournament(begun: tuple[Path, Path]) -> None:
    plan, path = begun
    with Store.open(path) as store:
        check_same(store, plan)


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("blocks = 2", "blocks = 3", ["blocks"]),
        ("target = 1000", "target = 2000", ["options", "rules_data"]),
        ('seed = "x"', 'seed = "y"', ["seed"]),
        ('seed = "x"', "", ["predictable"]),
        ('"greedy"', '"cautious"', ["greedy", "cautious"]),
        ('name = "me"', 'name = "you"', ["me", "you"]),
        ("[[entrant]]", "[limits]\nmemory = 64\n[[entrant]]", ["options", "limits"]),
    ],
)
def test_another_tournament_is_refused_and_what_differs_is_named(
    begun: tuple[Path, Path], old: str, new: str, names: list[str]
) -> None:
    plan, store = begun
    plan.write_text(plan.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    assert changed(plan, store) == names


def test_a_changed_bot_is_refused_and_named_until_it_is_withdrawn(begun: tuple[Path, Path]) -> None:
    plan, path = begun
    with (plan.parent / "mine" / "bot.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert changed(plan, path) == ["me"]
    with Store.open(path) as store:
        with pytest.raises(StoreError, match="me") as caught:
            check_unchanged(store)
        assert caught.value.fields["changed"] == ["me"]
        with pytest.raises(StoreError):
            finish(store)
        assert store.reader.progress().games_played == 0
        store.withdraw(2)
        check_unchanged(store)
        finish(store)
    with Reader(path) as reader:
        assert {game.pairing for game in reader.games()} == {"1-3"}


def test_a_bot_that_is_gone_is_a_changed_one(begun: tuple[Path, Path]) -> None:
    plan, path = begun
    shutil.rmtree(plan.parent / "mine")
    with Store.open(path) as store, pytest.raises(StoreError, match="me"):
        check_unchanged(store)
