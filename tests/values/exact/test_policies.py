"""Fixed players evaluated exactly: known figures, a naive second implementation, and the real players' own decisions."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from dicegame.errors import PlayerError, RulesError
from dicegame.games.base import Decision, Phase
from dicegame.games.pushluck import PushLuck
from dicegame.players.base import Request, Seating
from dicegame.players.builtin import make
from dicegame.rules.model import End, PushLuckRules, Reach
from dicegame.rules.table import Table, rolls
from dicegame.values import solved
from dicegame.values.choices import compile_choices
from dicegame.values.contexts import LAST, Context, Contexts
from dicegame.values.exact.evaluate import evaluate, pairs_that_meet, policy_values
from dicegame.values.exact.frozen import PolicyTurns
from dicegame.values.exact.laws import FewLaws, fixed_player
from dicegame.values.exact.solve import solve_and_keep
from dicegame.values.exact.ways import Setting
from dicegame.values.judges import NotSolved
from dicegame.values.policies import policy_of
from tests.values.exact.fixed import real_player, rules_of
from tests.values.naive_game import policy_value
from tests.values.small_rules import random_rules

ROLLS_HOT = "hold:at=300,hot=roll"
TABLE_PLAYERS = ("hold:at=150", "hold:at=250,hot=roll", "house", "cautious", "greedy", "maxpoints")


@pytest.fixture
def _solving_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICEGAME_CACHE", str(tmp_path))


def law(rules: PushLuckRules, word: str, missing: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The chances to bank 0, 1, ... steps in a turn of a seat that misses these points."""
    setting = Setting.of(rules)
    laws = FewLaws(setting, policy_of(word, rules, setting.table)).laws(np.zeros((0, 2), dtype=np.int64))
    place = setting.axis.place(missing // setting.axis.unit)
    number = laws.index[place, place]
    return np.asarray(laws.chance[laws.start[number] : laws.start[number + 1]])


@pytest.mark.parametrize(
    ("name", "word", "points"),
    [
        ("core", "hold:at=250,hot=roll", 394.8136),
        ("core", "hold:at=300,hot=roll", 397.0999),
        ("core", "hold:at=350,hot=roll", 387.2363),
        ("core", "hold:at=500,hot=roll", 344.4659),
        ("dm-a", "hold:at=300,hot=roll", 477.3261),
        ("dm-a", "hold:at=300", 432.5450),
    ],
)
def test_points_of_a_turn_far_from_the_end(name: str, word: str, points: float) -> None:
    chances = law(rules_of(name, "end=final-round"), word, 10_000)
    assert 50 * chances @ np.arange(len(chances)) == pytest.approx(points, abs=5e-5)


def test_busts() -> None:
    assert 1 - law(rules_of("dm-a"), ROLLS_HOT, 10_000).sum() == pytest.approx(0.2007, abs=5e-5)


@pytest.mark.parametrize(("name", "turns"), [("core", 25.839621), ("dm-a", 21.732960)])
def test_turns_alone_to_ten_thousand(name: str, turns: float) -> None:
    rules = rules_of(name, "end=sudden")
    mean, laws = np.zeros(201), law_of_all(rules)
    for far in range(1, 201):
        chances = laws[far]
        ahead = chances[1:far]
        mean[far] = (1 + ahead @ mean[far - np.arange(1, 1 + len(ahead))]) / chances.sum()
    assert mean[200] == pytest.approx(turns, abs=5e-7)


def law_of_all(rules: PushLuckRules) -> list[np.ndarray[tuple[int], np.dtype[np.float64]]]:
    setting = Setting.of(rules)
    laws = FewLaws(setting, policy_of(ROLLS_HOT, rules, setting.table)).laws(np.zeros((0, 2), dtype=np.int64))
    numbers = [laws.index[far, far] for far in range(setting.axis.far + 1)]
    return [laws.chance[laws.start[number] : laws.start[number + 1]] for number in numbers]


@pytest.mark.parametrize(("name", "value"), [("core", 0.535216), ("dm-a", 0.533824)])
def test_who_moves_first_in_a_mirror(name: str, value: float) -> None:
    first, second = evaluate(rules_of(name, "end=sudden"), ROLLS_HOT, ROLLS_HOT)
    assert first == pytest.approx(value, abs=5e-7)
    assert first + second == pytest.approx(1, abs=1e-14)


@pytest.mark.slow
@pytest.mark.usefixtures("_solving_here")
@pytest.mark.parametrize(
    ("name", "held", "most_points", "first"),
    [("core", 0.711002, 0.523859, 0.5369530318), ("dm-a", 0.650940, 0.521522, 0.5354234210)],
)
def test_perfect_play_against_fixed_players(name: str, held: float, most_points: float, first: float) -> None:
    """Both seats averaged, and perfect play against itself."""
    rules = rules_of(name, "end=sudden")
    solve_and_keep(rules)
    assert sum(evaluate(rules, "optimal", ROLLS_HOT)) / 2 == pytest.approx(held, abs=5e-7)
    assert sum(evaluate(rules, "optimal", "maxpoints")) / 2 == pytest.approx(most_points, abs=5e-7)
    assert evaluate(rules, "optimal", "optimal")[0] == pytest.approx(first, abs=5e-11)


QUICK = (5, 7, 10, 14, 17, 19, 21, 22)  # seconds; with exact targets, dice that must be rolled
FINAL = (0, 13)
LONG = (1, 3, 8)


@pytest.mark.usefixtures("_solving_here")
@pytest.mark.parametrize("seed", [*QUICK, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (*FINAL, *LONG))])
def test_small_games_have_the_naive_value(seed: int) -> None:
    """The naive way asks the real players for every decision, at every position and roll."""
    rules = random_rules(seed)
    solve_and_keep(rules)
    words = (*TABLE_PLAYERS, "optimal")
    for i in range(3):
        first, second = words[(seed + 3 * i) % 7], words[(3 * seed + i + 1) % 7]
        naive = policy_value(rules, real_player(rules, first), real_player(rules, second))
        assert evaluate(rules, first, second) == pytest.approx(naive, abs=1e-12), (first, second)


@pytest.mark.parametrize(("first", "second"), [("house", "cautious"), ("cautious", "hold:at=250,hot=roll")])
def test_small_games_with_a_final_round_have_the_naive_value(first: str, second: str) -> None:
    rules = random_rules(0)
    assert rules.end is End.FINAL_ROUND
    naive = policy_value(rules, real_player(rules, first), real_player(rules, second))
    assert evaluate(rules, first, second) == pytest.approx(naive, abs=1e-12)


def test_the_small_games_are_of_all_kinds() -> None:
    found = [random_rules(seed) for seed in (*QUICK, *FINAL, *LONG)]
    assert {rules.end for rules in found} == set(End)
    assert {rules.reach for rules in found} == set(Reach)
    assert {rules.hot_dice.value for rules in found} == {"may-bank", "must-roll"}
    for field in ("open", "minimum", "pair_left", "instant_win"):
        assert any(getattr(rules, field) for rules in found), field
    assert {bool(rules.penalty.busts) for rules in found} == {False, True}
    assert any(rules.score.nothing.roll_again for rules in found)


def test_play_that_never_ends_counts_one_half() -> None:
    assert evaluate(rules_of("ten-thousand", target=500), *["hold:at=1000000000"] * 2) == pytest.approx((0.5, 0.5))


@pytest.mark.parametrize("word", ["random", "human", "client", "python:some.module:player"])
def test_who_has_no_fixed_way_to_play(word: str) -> None:
    with pytest.raises(PlayerError, match=f"^{word.partition(':')[0]}.* no fixed way"):
        evaluate(rules_of("core"), word, "house")


@pytest.mark.usefixtures("_solving_here")
def test_rule_sets_that_cannot_be_evaluated() -> None:
    with pytest.raises(RulesError, match=r"house\.barrel"):
        evaluate(rules_of("thousand-classic"), "house", "house")
    solved.forget()
    with pytest.raises(NotSolved):
        evaluate(rules_of("core", "score.three_pairs=700"), "optimal", "house")


@pytest.mark.parametrize("seed", [1, 5, 13, 17, 34])
@pytest.mark.parametrize("word", TABLE_PLAYERS)
def test_a_frozen_roll_is_worth_the_mean_of_its_faces(seed: int, word: str) -> None:
    """In places and last turns of all kinds, with any number of dice and of points in the turn."""
    rules = random_rules(seed)
    turns, table = PolicyTurns(rules, word), Table(rules)
    axis = turns.solved.axis
    pairs = np.concatenate(list(pairs_that_meet(axis))).tolist()
    contexts = [Context(*pair) for pair in random.Random(seed).sample(pairs, min(12, len(pairs)))]
    if rules.end is End.FINAL_ROUND:
        contexts += [
            Context(mover, LAST, behind) for (mover, _other), behind in zip(pairs[:8], range(1, 9), strict=False)
        ]
    for context in contexts:
        turn = turns.turn(context)
        if context.other == LAST:
            whole = turns.solved.last_turn(context.behind, opened=context.mover <= axis.far)
        else:
            whole = turns.solved.value(context.mover, context.other)
        assert turn.rolling(rules.dice, 0) == pytest.approx(whole, abs=1e-12)
        for steps in (0, 1, 2, 5, 11):
            for n in range(1, rules.dice + 1):
                mean = 0.0
                for dice, ways in rolls(n):
                    roll = table.roll(dice)
                    room = axis.unit * (axis.missing(context.mover) - steps) if rules.reach is Reach.EXACT else 1 << 40
                    keeps = [keep for keep in roll.keeps if keep.points <= room]
                    fallen = 1.0 if roll.instant_win else turn.fallen(keeps, steps) if keeps else turn.lost
                    mean += ways / 6**n * fallen
                assert turn.rolling(n, steps) == pytest.approx(mean, abs=1e-14)


@pytest.mark.parametrize("name", ["ten-thousand", "thousand", "dix-mille", "farkle-facebook"])
@pytest.mark.parametrize("word", TABLE_PLAYERS)
def test_frozen_turns_pick_what_the_player_picks(name: str, word: str) -> None:
    """In whole games, with the turn values of the place."""
    rules = rules_of(name, target=2_000 if name != "thousand" else None)
    engine, dice = PushLuck(rules), random.Random(word)
    turns = PolicyTurns(rules, word)
    contexts = Contexts(rules, compile_choices(engine.table), turns.solved)
    player = make(word)
    player.begin(Seating("game", engine, ("one", "two"), 0, 0, None))
    state, _events = engine.start(2)
    for _game in range(6):
        for _step in range(5_000):
            if state.phase is Phase.OVER:
                state, _events = engine.start(2)
                break
            if state.phase is Phase.THROW:
                state, _events = engine.thrown(state, [tuple(dice.choices(range(1, 7), k=state.free))])
                continue
            decision = player.decide(Request(1, state.seat, engine, state))
            assert isinstance(decision, Decision)
            turn = turns.turn(contexts.of(state))
            keep, banks = turn.pick(engine.keeps(state), state.turn_points // turns.solved.axis.unit)
            assert (keep.keep, banks) == (decision.keep, decision.bank)
            state, _events = engine.decide(state, decision)


def test_the_table_of_a_player_against_itself() -> None:
    rules = rules_of("ten-thousand")
    table = policy_values(rules, "hold:at=300")
    start = table.axis.place(200)
    assert table.value(start, start) == pytest.approx(evaluate(rules, "hold:at=300", "hold:at=300")[0], abs=1e-14)
    assert table.key.endswith(":hold:at=300")
    assert table.last_turn(1) > table.last_turn(20) > table.last_turn(400) >= 0


def test_one_player_for_both_seats_is_like_two() -> None:
    rules = rules_of("thousand")
    alike = evaluate(rules, "greedy", "greedy")
    assert alike == pytest.approx(evaluate(rules, "greedy", "hold:at=1"), abs=1e-14)
    assert fixed_player(Setting.of(rules), "greedy").policy.taken.in_order
