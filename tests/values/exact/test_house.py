"""Rule sets whose house rules remember: against plain recursion, as files, at the judge and on the command line."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dicegame.errors import InputError, RulesError
from dicegame.games.base import Decision, Phase
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.rules.load import check, load
from dicegame.rules.model import PushLuckRules
from dicegame.rules.table import Table
from dicegame.values import graphfile
from dicegame.values.exact.graph import solve_graph
from dicegame.values.exact.solve import solve_and_keep
from dicegame.values.graph import MOST_LEADS, Packing, explore, start_key
from dicegame.values.graphfile import SolvedGraph, find, read, write
from dicegame.values.judges import NotSolved, judge_for
from dicegame.values.position import PushLuckJudge
from dicegame.values.solved import DamagedValues
from tests.cli.process import run
from tests.values.naive_game import Perfect, Position, perfect, random_rules

SEEDS = (*range(9), *range(10, 18), *range(19, 24))
LONG = {2, 5, 22}
SMALL: dict[str, Any] = {
    "name": "small",
    "seats": [2, 2],
    "dice": 2,
    "target": 300,
    "score": {"single": {"1": 100, "5": 50}},
}
CORNERS: dict[str, dict[str, Any]] = {
    "overtaking off the grid, final round": {"end": "final-round", "open": 100, "house": {"overtaking": 30}},
    "bolts off the grid, final round": {"end": "final-round", "minimum": 100, "house": {"bolts": 2, "bolt_points": 75}},
    "bolts off the grid": {"house": {"bolts": 2, "bolt_points": 75}},
    "bolts and a dump truck, exact": {
        "target": 200,
        "reach": "exact",
        "house": {"bolts": 1, "bolt_points": 70, "dump_truck": 130},
    },
    "a barrel off the grid": {"house": {"barrel": 75, "fall_points": 125, "tries": 2, "falls": 2}},
    "a target off the grid": {"target": 270, "house": {"dump_truck": 150, "overtaking": 50}},
    "the minimum beyond an exact target": {
        "reach": "exact",
        "minimum": 150,
        "instant_win": [[6, 6]],
        "house": {"overtaking": 50},
    },
    "busts in a row, on a floor off the grid": {
        "floor": -75,
        "penalty": {"busts": 2, "points": 50},
        "house": {"dump_truck": 200},
    },
    "bolts that cost nothing": {"house": {"bolts": 2, "bolt_points": 0}, "penalty": {"busts": 2, "points": 0}},
    "an opening beyond any keep, final round": {
        "end": "final-round",
        "open": 250,
        "score": {"single": {"1": 50}},
        "house": {"dump_truck": 200},
    },
    "all at once": {
        "open": 100,
        "penalty": {"busts": 2, "points": 50},
        "house": {
            "barrel": 50,
            "tries": 2,
            "falls": 2,
            "fall_points": 50,
            "pits": [[50, 150]],
            "bolts": 1,
            "bolt_points": 50,
            "dump_truck": 200,
            "overtaking": 50,
        },
    },
}


def made(changes: dict[str, Any]) -> PushLuckRules:
    rules = check(SMALL | changes, "small")
    assert isinstance(rules, PushLuckRules)
    return rules


def rules_of(name: str, *changes: str, target: int | None = None) -> PushLuckRules:
    rules = load(name, changes, target)
    assert isinstance(rules, PushLuckRules)
    return rules


def short() -> PushLuckRules:
    return rules_of("thousand", "house.overtaking=50", target=300)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, and values looked for anew."""
    monkeypatch.setenv("DICEGAME_CACHE", str(tmp_path / "cache"))
    graphfile.forget()
    yield tmp_path / "cache" / "values"
    graphfile.forget()


@cache
def naively(name: str | int) -> Perfect:
    return perfect(rules_for(name))


def rules_for(name: str | int) -> PushLuckRules:
    """Return the rule set of this corner, or of this seed."""
    return made(CORNERS[name]) if isinstance(name, str) else random_rules(name, house=True)


GAMES = [*(pytest.param(seed, marks=pytest.mark.slow) if seed in LONG else seed for seed in SEEDS), *CORNERS]


@pytest.mark.parametrize("name", GAMES)
def test_every_position_has_the_naive_value(name: str | int) -> None:
    rules = rules_for(name)
    solved, naive = solve_graph(rules), naively(name)
    packing = Packing.of(rules, Table(rules))
    between = {position: value for position, value in naive.values.items() if not position.final}
    compared = set()
    for position, value in between.items():
        key = packing.key(position.standing(), 0)
        compared.add(key)
        assert solved.value(key) == pytest.approx(value, abs=1e-12), position
    assert compared == set(solved.keys)


def test_these_games_have_every_rule_with_every_ending() -> None:
    met = set()
    for rules in map(rules_for, [*SEEDS, *CORNERS]):
        fields = [
            field for field in ("barrel", "pits", "bolts", "dump_truck", "overtaking") if getattr(rules.house, field)
        ]
        met |= {(field, str(rules.end), str(rules.reach)) for field in fields}
    assert len(met) == 5 * 2 + 3  # no barrel and no pits with a final round


def seen(state: PushLuckState, rules: PushLuckRules) -> Position:
    s, seats = state.standing, (state.seat, 1 - state.seat)

    def turned(pair: tuple[Any, ...]) -> tuple[Any, Any]:
        return pair[seats[0]], pair[seats[1]]

    barrel = s.barrel and (seats.index(s.barrel[0]), s.barrel[1])
    busts = turned(s.busts) if rules.penalty.busts else (0, 0)
    return Position(
        turned(s.scores), turned(s.opened), busts, turned(s.bolts), turned(s.falls), barrel, s.final is not None
    )


@pytest.mark.parametrize("name", GAMES)
def test_the_judge_gives_the_naive_value_of_every_roll(name: str | int) -> None:
    """Before each roll of whole games, and after each decision, in plain Python."""
    rules, naive = rules_for(name), naively(name)
    engine = PushLuck(rules)
    judge = PushLuckJudge(engine, 2, solve_graph(rules))
    fall = 0
    for game in range(3):
        state, _events = engine.start(2)
        while state.phase is not Phase.OVER and fall < 150 * (game + 1):
            if state.phase is Phase.DECIDE:
                best = judge.decisions(state)[0].decision
                state, _events = engine.decide(state, Decision(best.keep, best.bank))
                continue
            value = naive.rolling(seen(state, rules)).get((state.turn_points, state.free))
            if value is None:  # further up than the naive way goes
                break
            assert judge.chance(state, state.seat) == pytest.approx(value, abs=1e-12)
            fall += 1
            dice = tuple((fall * 7 + 5 * i * i + fall // 6) % 6 + 1 for i in range(state.free))
            before, (state, _events) = state, engine.thrown(state, [dice])
            assert sum(judge.luck(before, state)) == pytest.approx(0, abs=1e-15)
    assert fall > 5


def test_turns_of_a_shared_store_are_those_of_the_judge(tmp_path: Path) -> None:
    rules = short()
    solved = solve_graph(rules)
    engine = PushLuck(rules)
    plain, stored = PushLuckJudge(engine, 2, solved), PushLuckJudge(engine, 2, solved, tmp_path / "a.turns")
    state, _events = engine.start(2)
    fall = 0
    while state.phase is not Phase.OVER:
        fall += 1
        assert stored.chance(state, 0) == pytest.approx(plain.chance(state, 0), abs=1e-15)
        state, _events = engine.thrown(state, [tuple((fall * 7 + 5 * i * i) % 6 + 1 for i in range(state.free))])
        if state.phase is Phase.DECIDE:
            assert stored.decisions(state) == plain.decisions(state)
            state, _events = engine.decide(state, plain.decisions(state)[0].decision)
    assert fall > 5


def test_standings_are_numbered_both_ways() -> None:
    for name, changes in CORNERS.items():
        rules = made(changes)
        packing, graph = Packing.of(rules, Table(rules)), explore(rules)
        assert graph.keys[0] == start_key(rules, packing)
        for key in graph.keys:
            standing = packing.standing(key)
            assert packing.fits(standing)
            assert packing.key(standing, 0) == key, name


def test_a_position_that_no_game_comes_to_is_refused() -> None:
    rules = short()
    engine = PushLuck(rules)
    judge = PushLuckJudge(engine, 2, solve_graph(rules))
    described = {"scores": [75, 100], "turn": 3, "dice": [1, 2, 3], "target": 300}
    assert 0 < judge.chance(engine.restore(described), 0) < 1
    for scores in ([77, 100], [0, 299]):
        state = engine.restore(described | {"scores": scores})
        with pytest.raises(InputError, match="no game of"):
            judge.chance(state, 0)


def test_values_survive_a_file_bit_by_bit(tmp_path: Path) -> None:
    for changes in CORNERS.values():
        fresh = solve_graph(made(changes))
        written = write(tmp_path / "a.values", fresh)
        again = read(tmp_path / "a.values")
        assert again.checksum == written.checksum != ""
        assert again.key == fresh.key
        assert list(again.keys) == list(fresh.keys)
        assert list(again.values) == list(fresh.values)
        assert [list(row) for row in again.last] == [list(row) for row in fresh.last]


def damage(path: Path, place: int) -> None:
    raw = bytearray(path.read_bytes())
    raw[place] ^= 1
    path.write_bytes(raw)


@pytest.mark.parametrize("place", [3, 30, 60, 90, 120, 250, -1, -50])
def test_a_single_wrong_bit_is_noticed(tmp_path: Path, place: int) -> None:
    path = tmp_path / "a.values"
    fresh = solve_graph(short())
    write(path, fresh)
    damage(path, place)
    try:
        found: SolvedGraph | None = read(path)
    except DamagedValues:
        found = None
    assert found is None or found.key != fresh.key or list(found.values) == list(fresh.values)


@pytest.mark.parametrize("text", [b"", b"{}\n", b"\n\n", b"[1]\n", b'{"format":1}\n', b"\xff\xfe\n"])
def test_what_is_no_file_of_values_is_refused(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "a.values"
    path.write_bytes(text)
    with pytest.raises(DamagedValues):
        read(path)


def test_a_damaged_cache_is_not_used_and_is_replaced(kept: Path) -> None:
    rules = short()
    assert find(rules) is None
    first = solve_and_keep(rules)
    found = find(rules)
    assert found is not None
    assert found.checksum == first.checksum
    assert judge_for(PushLuck(rules), 2).checksum == first.checksum
    [path] = kept.iterdir()
    damage(path, -9)
    graphfile.forget()
    assert find(rules) is None
    with pytest.raises(NotSolved, match="dicegame solve"):
        judge_for(PushLuck(rules), 2)
    assert solve_and_keep(rules).checksum == first.checksum
    assert find(rules) is not None


def test_other_rules_have_other_values(kept: Path) -> None:
    solve_and_keep(short())
    assert find(short()) is not None
    assert find(rules_of("thousand", "house.overtaking=50", 'name="mine"', "seats=[2, 3]", target=300)) is not None
    assert find(rules_of("thousand", "house.overtaking=25", target=300)) is None
    assert find(rules_of("thousand", "house.overtaking=50", target=250)) is None


def test_what_is_too_large_is_refused_soon_naming_the_rules(kept: Path) -> None:
    rules = rules_of("thousand-classic")
    for refused in (find, solve_graph, solve_and_keep):
        begun = time.process_time()
        with pytest.raises(RulesError) as caught:
            refused(rules)
        assert time.process_time() - begun < 6
        assert "thousand-classic" in caught.value.message
        for field in ("house.barrel", "house.pits", "house.bolts", "house.dump_truck", "house.overtaking"):
            assert field in caught.value.message
        assert str(MOST_LEADS) in caught.value.message
    with pytest.raises(RulesError, match=r"house\.barrel") as caught:
        judge_for(PushLuck(rules), 2)
    assert not isinstance(caught.value, NotSolved)


def test_what_is_refused_by_name() -> None:
    with pytest.raises(RulesError, match=r"house\.dump_truck"):
        solve_graph(made({"end": "final-round", "house": {"dump_truck": 300}}))
    with pytest.raises(RulesError, match=r"between two players: because of house\.overtaking"):
        judge_for(PushLuck(made({"seats": [2, 3], "house": {"overtaking": 50}})), 3)


def test_solve_and_optimal_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(SMALL | {"house": {"overtaking": 50, "bolts": 2, "bolt_points": 50}}), encoding="utf-8")
    played = (
        "match",
        "optimal",
        "house",
        "--rules",
        str(file),
        "--games",
        "4",
        "--workers",
        "1",
        "--seed",
        "1",
        "--luck",
    )
    refused = run(*played, home=tmp_path)
    assert refused.returncode == 2
    assert "dicegame solve" in refused.stderr
    done = run("solve", str(file), "--json", home=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    rules = load(str(file))
    assert isinstance(rules, PushLuckRules)
    solved = solve_graph(rules)
    assert told["first_player"] == pytest.approx(
        solved.value(start_key(rules, Packing.of(rules, Table(rules)))), abs=1e-15
    )
    assert told["states"] == len(solved.keys)
    assert told["least_turns"] is None
    again = run("solve", str(file), home=tmp_path, timeout=300)
    assert f"{len(solved.keys)} positions" in again.stdout
    assert run(*played, home=tmp_path).returncode == 0


def test_the_command_line_refuses_what_is_too_large(tmp_path: Path) -> None:
    for command in (
        ["solve", "thousand-classic"],
        ["match", "optimal", "house", "--rules", "thousand-classic", "--games", "2"],
    ):
        refused = run(*command, home=tmp_path)
        assert refused.returncode == 2
        assert "house.barrel, house.pits, house.bolts, house.dump_truck, house.overtaking" in refused.stderr
