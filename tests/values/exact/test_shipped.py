"""What ships is what the solver gives, and what is damaged is never used."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from dicegame.games.pushluck import PushLuck
from dicegame.rules.load import load, presets
from dicegame.rules.model import PushLuckRules
from dicegame.rules.table import Table
from dicegame.values import solved as values
from dicegame.values.choices import compile_choices
from dicegame.values.contexts import Context, Contexts
from dicegame.values.exact.solve import solve, solve_and_keep
from dicegame.values.judges import NotSolved, judge_for
from dicegame.values.solved import DamagedValues, Solved, find, read, write
from dicegame.values.within import TurnValues

SHIPPED = sorted(path.stem for path in values.SHIPPED.glob("*.values"))
NOT_SOLVABLE = {"zilch", "thousand-classic"}


def rules_of(name: str, *changes: str, target: int | None = None) -> PushLuckRules:
    rules = load(name, changes, target)
    assert isinstance(rules, PushLuckRules)
    return rules


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, and values looked for anew."""
    monkeypatch.setenv("DICEGAME_CACHE", str(tmp_path / "cache"))
    values.forget()
    yield tmp_path / "cache" / "values"
    values.forget()


def test_every_preset_that_can_be_solved_ships() -> None:
    push_luck = {name for name in presets() if isinstance(load(name), PushLuckRules)}
    assert set(SHIPPED) == push_luck - NOT_SOLVABLE
    assert sum((values.SHIPPED / f"{name}.values").stat().st_size for name in SHIPPED) < 1_500_000


@pytest.mark.parametrize("name", SHIPPED)
def test_it_serves_every_target_that_is_offered(cache: Path, name: str) -> None:
    for target in rules_of(name).offered_targets():
        found = find(rules_of(name, target=target))
        assert found is not None
        assert found.rounding == 0.5e-6


@pytest.mark.parametrize("name", [name for name in SHIPPED if name != "farkle-facebook"])
def test_the_beginning_of_the_table_is_what_the_solver_gives(name: str) -> None:
    """Values depend on what is missing alone, so that a small game is a corner of a large one."""
    shipped = read(values.SHIPPED / f"{name}.values")
    points = 1_500 if shipped.axis.unit == 50 else 500
    fresh = solve(rules_of(name, target=points))
    places = [(a, True) for a in range(1, fresh.axis.target + 1)]
    for a, _opened in places:
        for b, _other in places:
            assert shipped.value(a, b) == pytest.approx(fresh.value(a, b), abs=5.01e-7)
    if fresh.axis.unopened:
        a = fresh.axis.target
        mine, theirs = (axis.place(a, opened=False) for axis in (fresh.axis, shipped.axis))
        assert shipped.value(theirs, theirs) == pytest.approx(fresh.value(mine, mine), abs=5.01e-7)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_sample_of_positions_follows_from_its_neighbours(name: str) -> None:
    """The value of a position is that of a turn for the values that it can lead to; everywhere, to the rounding."""
    rules = rules_of(name, target=max(rules_of(name).offered_targets()))
    shipped = read(values.SHIPPED / f"{name}.values")
    table = Table(rules)
    choices = compile_choices(table, every=rules.reach == "exact" or rules.end == "final-round")
    contexts = Contexts(rules, choices, shipped)
    draw = random.Random(name)
    axis = shipped.axis
    for _sample in range(12):
        busts = [draw.randrange(axis.counts) for _seat in range(2)]
        mover, other = (axis.place(draw.randint(1, axis.far), busts=count) for count in busts)
        turn = TurnValues(choices, contexts.stakes(Context(mover, other)))
        assert turn.rolling(rules.dice, 0) == pytest.approx(shipped.value(mover, other), abs=1.01e-6)


def test_first_players_of_the_presets(cache: Path) -> None:
    """The chance of the seat that begins, as shipped."""
    core = find(rules_of("core"))
    assert core is not None
    assert core.value(200, 200) == pytest.approx(0.536953, abs=1e-9)
    thousand = find(rules_of("thousand"))
    assert thousand is not None
    start = thousand.axis.place(40, opened=False)
    assert thousand.value(start, start) == pytest.approx(0.576487, abs=1e-9)


def test_values_survive_a_file_bit_by_bit(tmp_path: Path) -> None:
    fresh = solve(rules_of("thousand"))
    kept = write(tmp_path / "a.values", fresh)
    assert list(kept.values) == list(fresh.values)
    assert kept.rounding == 0
    again = read(tmp_path / "a.values")
    assert again.checksum == kept.checksum != ""
    rounded = write(tmp_path / "b.values", fresh, rounded=True)
    assert max(abs(a - b) for a, b in zip(rounded.values, fresh.values, strict=True)) <= 5e-7


def damage(path: Path, place: int) -> None:
    raw = bytearray(path.read_bytes())
    raw[place] ^= 1
    path.write_bytes(raw)


@pytest.mark.parametrize("rounded", [True, False])
@pytest.mark.parametrize("place", [3, 40, 200, -1, -50])
def test_a_single_wrong_bit_is_noticed(tmp_path: Path, rounded: bool, place: int) -> None:
    path = tmp_path / "a.values"
    fresh = solve(rules_of("thousand", target=200))
    write(path, fresh, rounded=rounded)
    damage(path, place)
    try:
        found: Solved | None = read(path)
    except DamagedValues:
        found = None
    assert found is None or (found.key, found.axis) != (fresh.key, fresh.axis)


@pytest.mark.parametrize("text", [b"", b"{}\n", b"\n\n", b"[1]\n", b'{"format":1}\n', b"\xff\xfe\n"])
def test_what_is_no_file_of_values_is_refused(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "a.values"
    path.write_bytes(text)
    with pytest.raises(DamagedValues):
        read(path)


def test_a_damaged_cache_is_not_used_and_is_replaced(cache: Path) -> None:
    rules = rules_of("thousand", "score.full_house=100")
    assert find(rules) is None
    first = solve_and_keep(rules)
    found = find(rules)
    assert found is not None
    assert found.checksum == first.checksum
    [path] = cache.iterdir()
    damage(path, -9)
    values.forget()
    assert find(rules) is None
    with pytest.raises(NotSolved, match="dicegame solve"):
        judge_for(PushLuck(rules), 2)
    assert solve_and_keep(rules).checksum == first.checksum
    assert find(rules) is not None


def test_a_damaged_cache_leaves_what_ships(cache: Path) -> None:
    rules = rules_of("thousand")
    solve_and_keep(rules)
    [path] = cache.iterdir()
    damage(path, -9)
    values.forget()
    found = find(rules)
    assert found is not None
    assert found.rounding == 0.5e-6


def test_damaged_shipped_values_are_not_used(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies = tmp_path / "copies"
    shutil.copytree(values.SHIPPED, copies)
    monkeypatch.setattr(values, "SHIPPED", copies)
    values.shipped.cache_clear()
    assert find(rules_of("thousand")) is not None
    damage(copies / "thousand.values", -20)
    values.forget()
    assert find(rules_of("thousand")) is None
    values.shipped.cache_clear()


def test_a_larger_target_in_the_cache_stays_there(cache: Path) -> None:
    large = solve_and_keep(rules_of("thousand", "score.full_house=100"))
    solve_and_keep(rules_of("thousand", "score.full_house=100", target=500))
    found = find(rules_of("thousand", "score.full_house=100"))
    assert found is not None
    assert found.checksum == large.checksum


def test_other_rules_have_other_values(cache: Path) -> None:
    """What changes a value changes the key; the name, the seats and the offered targets do not."""
    assert find(rules_of("thousand", "minimum=50")) is None
    assert find(rules_of("thousand", 'name="mine"', "seats=[2, 3]", "targets=[500, 1000]")) is not None
    assert find(rules_of("thousand", target=5_000)) is None
