"""What a game comes to adds up, whatever happened in it, and every number in it is that of plain counting."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dicegame.analysis.estimate import of_many
from dicegame.analysis.judged import Grade, Judged, grade
from dicegame.games import engine_for
from dicegame.games.base import Change, Decision, Fell, Forfeit, Reason, Undo
from dicegame.games.highdice import rank
from dicegame.record.read import Record
from dicegame.rules.load import load
from dicegame.rules.model import HighDiceRules, PushLuckRules, RuleSet
from dicegame.rules.table import rolls
from dicegame.values import solved as solved_values
from dicegame.values.position import PushLuckJudge
from tests.analysis.games import (
    CLOSE,
    adds_up,
    exact,
    judge_of,
    judged,
    lines_of,
    played,
    without_undo,
    written,
)
from tests.values.naive_game import perfect, random_rules
from tests.values.naive_turn import Turn, seen_by, worth

SMALL = range(12)
PAIRS = [["house", "random"], ["hold:at=350", "hold:at=500"], ["human", "house"], ["human", "human"]]


def push_luck(name: str, *changes: str, target: int | None = None) -> PushLuckRules:
    rules = load(name, changes, target)
    assert isinstance(rules, PushLuckRules)
    return rules


def gave_up(record: Record) -> bool:
    return any(isinstance(step, Forfeit) for step in record.past())


def plain(record: Record) -> bool:
    """Say whether a game ended by its rules: nobody gave up, and there were turns enough."""
    result = record.result()
    return result is not None and result.reason is not Reason.TURN_LIMIT and not gave_up(record)


def mirrored(found: Judged) -> bool:
    """Say whether what one of two seats gains the other loses."""
    one, other = found.accounts
    return (
        abs(one.luck + other.luck) < CLOSE
        and abs(one.errors - other.given) < CLOSE
        and abs(one.start + other.start - 1) < CLOSE
        and abs(one.end + other.end - 1) < CLOSE
    )


# It adds up


@pytest.mark.parametrize("specs", PAIRS, ids=" ".join)
@pytest.mark.parametrize("name", ["thousand", "ten-thousand"])
def test_luck_and_errors_make_the_result(name: str, specs: list[str], tmp_path: Path) -> None:
    rules = push_luck(name, target=1000)
    judge = judge_of(rules, 2)
    for seed in range(8):
        record = played(tmp_path / "r", rules, specs, seed=seed, kind="typed" if seed % 2 else "seeded")
        found = judged(record, judge)
        assert adds_up(found)
        assert mirrored(found)
        assert all(abs(account.rounding) < CLOSE for account in found.accounts)
        assert not plain(record) or all(account.other == 0 for account in found.accounts)
        assert all(decided.loss >= 0 for decided in found.decisions)


@pytest.mark.parametrize("seed", SMALL)
def test_it_adds_up_under_any_rules(seed: int, tmp_path: Path) -> None:
    """Penalties, exact targets, hot dice that must be rolled, instant wins, a target that both may reach."""
    rules = random_rules(seed)
    judge = judge_of(rules, 2)
    for turn, specs in enumerate(PAIRS):
        record = played(tmp_path / "r", rules, specs, seed=seed + turn)
        found = judged(record, judge)
        assert adds_up(found)
        assert mirrored(found)
        assert all(abs(account.rounding) < CLOSE for account in found.accounts)
        assert not plain(record) or all(account.other == 0 for account in found.accounts)


def test_rounded_values_leave_a_rest_that_is_told(tmp_path: Path) -> None:
    rules = push_luck("thousand", target=1000)
    rounded = solved_values.write(tmp_path / "v.values", exact(rules), rounded=True)
    judge = judge_of(rules, 2, rounded)
    rests = []
    for seed in range(10):
        found = judged(played(tmp_path / "r", rules, ["house", "random"], seed=seed), judge)
        steps = len(found.decisions) + len(found.throws)
        assert found.rounding == 5e-7
        assert adds_up(found)
        assert all(account.other == 0 for account in found.accounts)
        rests += [abs(account.rounding) for account in found.accounts]
        assert max(rests) < steps * 2e-6
    assert max(rests) > 1e-8


def test_the_other_term_is_what_giving_up_cost(tmp_path: Path) -> None:
    rules = push_luck("thousand", target=1000)
    judge, seen = judge_of(rules, 2), 0
    for seed in range(60):
        record = played(tmp_path / "r", rules, ["human", "human"], seed=seed)
        if not gave_up(record):
            continue
        found = judged(record, judge)
        [out] = [step.seat for step in record.past() if isinstance(step, Forfeit)]
        before = found.moments[-2].chances
        assert found.shares == ((0.0, 1.0) if out == 0 else (1.0, 0.0))
        assert found.accounts[out].other == pytest.approx(-before[out], abs=CLOSE)
        seen += 1
    assert seen > 5


def test_a_limit_on_turns_is_told_as_other(tmp_path: Path) -> None:
    rules = push_luck("thousand", "max_turns=2", target=1000)
    found = judged(played(tmp_path / "r", rules, ["house", "cautious"]))
    assert adds_up(found)
    assert abs(found.accounts[0].other) > 0.01
    assert abs(found.accounts[0].rounding) < CLOSE


def test_what_was_taken_back_never_was(tmp_path: Path) -> None:
    """A game with undos is judged as the same game without what they took back."""
    for name, kind in (("thousand", "seeded"), ("thousand", "typed"), ("high-dice", "seeded"), ("high-dice", "typed")):
        rules: RuleSet = push_luck(name, target=1000) if name == "thousand" else load(name, ["to=3"])
        judge, undos = judge_of(rules, 2), 0
        for seed in range(12):
            record = played(tmp_path / "r", rules, ["human", "human"], kind=kind, seed=seed)
            undos += sum(isinstance(step, Undo) for step in record.past())
            bare = written(tmp_path / "p", without_undo(lines_of(tmp_path / "r")))
            assert not any(isinstance(step, Undo) for step in bare.past())
            if any(isinstance(step, Change) for step in record.past()):
                continue  # a mark of before the undo may have been changed
            assert judged(record, judge) == judged(bare, judge)
        assert undos > 3, (name, kind)


# Every number is right


@pytest.mark.parametrize("seed", [1, 2, 4, 5])
def test_decisions_and_dice_are_worth_what_plain_counting_finds(seed: int, tmp_path: Path) -> None:
    rules = random_rules(seed)
    record = played(tmp_path / "r", rules, ["random", "random"], seed=seed)
    found = judged(record)
    decisions = iter(found.decisions)
    throws = iter(found.throws)
    naive, engine = perfect(rules), engine_for(rules)
    state: Any = engine.start(2)[0]
    for step in record.past():
        assert not isinstance(step, Undo | Change | Forfeit)
        seat, standing, points = state.seat, state.standing, state.turn_points
        position = seen_by(rules, standing, seat)
        turn = Turn(naive.game, position, perfect=True)
        rolling = turn.rolling(naive.values)

        def value(at: Any, decision: Decision, turn: Turn = turn, rolling: Any = rolling) -> float:
            keep = at.roll.by_keep[decision.keep]
            total = min(at.turn_points + keep.points, turn.top)
            return worth(turn.bank[total], naive.values) if decision.bank else rolling[total, keep.roll]

        if isinstance(step, Fell):
            after = engine.thrown(state, [step.dice])[0]
            if after.roll is not None and after.outcome is None:
                fallen = max(value(after, decision) for decision in engine.decisions(after))
            else:
                fallen = (
                    1.0 if after.outcome and after.outcome.reason == "instant_win" else worth(turn.bust, naive.values)
                )
            luck = next(throws).luck
            expected = fallen - rolling[min(points, turn.top), state.free]
            assert luck[seat] == pytest.approx(expected, abs=1e-8)
            state = after
            continue
        decided = next(decisions)
        assert decided.value == pytest.approx(value(state, step), abs=1e-8)
        assert decided.best_value == pytest.approx(max(value(state, d) for d in engine.decisions(state)), abs=1e-8)
        assert decided.choices == len(engine.decisions(state))
        state = engine.decide(state, step)[0]
    assert next(decisions, None) is None
    assert next(throws, None) is None


def test_luck_is_0_on_average(tmp_path: Path) -> None:
    """Over all ways in which the first roll of a game can fall."""
    rules = push_luck("thousand", target=1000)
    judge = judge_of(rules, 2)
    played(tmp_path / "r", rules, ["house", "house"])
    head = lines_of(tmp_path / "r")[:2]
    mean = 0.0
    for dice, ways in rolls(5):
        throw = {"type": "throw", "seat": 0, "turn": 0, "roll": 0, "dice": list(dice)}
        mean += judged(written(tmp_path / "t", [*head, throw]), judge).accounts[0].luck * ways / 6**5
    assert abs(mean) < 1e-12


def test_perfect_play_makes_no_errors(tmp_path: Path) -> None:
    for name, seats in (("ten-thousand", 2), ("thousand", 2), ("high-dice", 2)):
        for seed in range(5):
            rules: RuleSet = load(name) if name == "high-dice" else push_luck(name, target=1000)
            found = judged(played(tmp_path / "r", rules, ["optimal"] + ["random"] * (seats - 1), seed=seed))
            assert found.accounts[0].errors < 1e-5  # the player reads the shipped values, which are rounded
            assert all(decided.best == decided.decision or decided.loss < 1e-5 for decided in found.of(0))
            assert set(found.grades[0]) <= {Grade.FINE}


def _chance(rules: HighDiceRules, mine: tuple[int, ...], keep: tuple[int, ...], theirs: tuple[int, ...]) -> Fraction:
    """Return the chance that `keep` and new dice beat `theirs`, level ones rolling until one wins."""
    free = len(mine) - len(keep)
    won = Fraction(0)
    for new in product(range(1, 7), repeat=free):
        ours, other = rank(rules.rule, (*keep, *new)), rank(rules.rule, theirs)
        won += Fraction(ours > other) + Fraction(ours == other, 2)
    return won / Fraction(6) ** free


def test_marks_are_worth_what_plain_counting_finds(tmp_path: Path) -> None:
    """Of the seat that marks last against dice that stand: one round decides."""
    rules = load("high-dice")
    assert isinstance(rules, HighDiceRules)
    seen = 0
    for seed in range(60):
        record = played(tmp_path / "r", rules, ["house", "random"], seed=seed)
        found = judged(record)
        first, last = found.decisions
        assert adds_up(found)
        if len(first.decision.keep) < 3:
            continue
        value = _chance(rules, last.dice, last.decision.keep, first.dice)
        assert last.value == pytest.approx(float(value), abs=1e-12)
        seen += 1
    assert seen > 5


def test_changed_marks_count_as_they_stand_in_the_end(tmp_path: Path) -> None:
    rules = load("high-dice", ["to=3"])
    changes = 0
    for seed in range(40):
        for specs in (["human", "human"], ["human", "house"], ["human", "house", "human"]):
            record = played(tmp_path / "r", rules, specs, seed=seed)
            found = judged(record)
            changes += sum(isinstance(step, Change) for step in record.past())
            assert adds_up(found)
            marks = [(decided.throw.turn, decided.throw.seat) for decided in found.decisions]
            assert len(marks) == len(set(marks))
    assert changes > 20


def test_a_mark_that_is_changed_while_another_is_due_is_no_decision(tmp_path: Path) -> None:
    """The first seat's change sends the computer back to its mark; before that the third seat changes its own."""
    played(tmp_path / "r", load("high-dice"), ["human", "house", "human"])
    throws = [{"type": "throw", "seat": s, "turn": 0, "roll": 0, "dice": [1, 3, 6 - s]} for s in range(3)]
    marks = [{"type": "decision", "id": s + 1, "seat": s, "keep": [6 - s]} for s in range(3)]
    changes = [{"type": "change", "seat": s, "keep": [3, 6 - s]} for s in (0, 2)]
    found = judged(written(tmp_path / "p", [lines_of(tmp_path / "r")[0], *throws, *marks, *changes, marks[1]]))
    assert [(decided.throw.seat, decided.decision.keep) for decided in found.decisions] == [(0, (3, 6)), (1, (5,))]
    assert adds_up(found)


# More than two


@pytest.mark.parametrize(
    ("name", "seats"), [("thousand", 3), ("thousand", 4), ("ten-thousand", 3), ("ten-thousand", 5), ("high-dice", 5)]
)
def test_of_several_seats_luck_falls_to_one_from_the_others(name: str, seats: int, tmp_path: Path) -> None:
    rules = load(name) if name == "high-dice" else push_luck(name, target=1000)
    for seed in range(5):
        found = judged(
            played(tmp_path / "r", rules, ["house", "random", "human", "human", "greedy"][:seats], seed=seed)
        )
        assert found.approximate
        assert adds_up(found)
        for fell in found.throws:
            assert sum(fell.luck) == pytest.approx(0, abs=CLOSE)
        for moment in found.moments:
            assert sum(moment.chances) == pytest.approx(1, abs=CLOSE)
            assert min(moment.chances) >= 0
        assert found.shares is not None
        for seat in range(seats):
            assert found.adjusted(seat) == pytest.approx(found.shares[seat] - found.accounts[seat].luck, abs=CLOSE)


def test_estimated_chances_foretell_the_result(tmp_path: Path) -> None:
    """Of perfect players: better than that all win alike, over games that are open for long."""
    rules = push_luck("thousand", target=1000)
    judge = judge_of(rules, 3)
    told, alike = [], []
    for seed in range(60):
        found = judged(played(tmp_path / "r", rules, ["optimal"] * 3, seed=seed), judge)
        assert found.shares is not None
        pairs = [pair for moment in found.moments[:-1] for pair in zip(moment.chances, found.shares, strict=True)]
        told.append(sum((chance - share) ** 2 for chance, share in pairs) / len(pairs))
        alike.append(sum((1 / 3 - share) ** 2 for _chance, share in pairs) / len(pairs))
    assert sum(told) < 0.95 * sum(alike)


@pytest.mark.parametrize("turn", [0, 1])
def test_estimated_chances_are_exact_where_only_two_can_win(turn: int) -> None:
    """In a final round the last seat has one turn to pass the first; a third has had its last turn, or hardly a chance."""
    rules = push_luck("ten-thousand", target=1000)
    engine: Any = engine_for(rules)
    two, three = judge_of(rules, 2), judge_of(rules, 3)
    assert isinstance(three, PushLuckJudge)
    pair, many = engine.start(2)[0], engine.start(3)[0]
    pair.standing.scores, pair.standing.final, pair.seat = (1000, 500), 0, 1
    many.standing.scores, many.standing.final, many.seat = (1000, -1_000_000, 500), 0, 2 - turn
    first, _third, last = of_many(three, many)
    assert last == pytest.approx(two.chance(pair, 1), abs=1e-12)
    assert first == pytest.approx(two.chance(pair, 0), abs=1e-12)


# Grades


def test_grades_and_what_counts() -> None:
    graded = [grade(loss) for loss in (0.0, 0.00499, 0.005, 0.0199, 0.02, 0.0499, 0.05, 1.0)]
    assert graded == [grade for grade in Grade for _twice in range(2)]


def test_forced_decisions_count_in_no_rate(tmp_path: Path) -> None:
    rules = push_luck("thousand", target=1000)
    forced = 0
    for seed in range(10):
        found = judged(played(tmp_path / "r", rules, ["random", "random"], seed=seed))
        for seat in range(2):
            free = [decided for decided in found.of(seat) if decided.choices > 1]
            forced += len(found.of(seat)) - len(free)
            assert found.grades[seat].total() == len(free)
            assert found.error_rate(seat) == pytest.approx(found.accounts[seat].errors / len(free))
    assert forced


def test_dice_in_any_order_are_as_lucky(tmp_path: Path) -> None:
    rules = push_luck("thousand", target=1000)
    played(tmp_path / "r", rules, ["house", "house"])
    lines = lines_of(tmp_path / "r")
    chance = random.Random(1)
    shuffled = [
        {**line, "dice": chance.sample(line["dice"], len(line["dice"]))} if line["type"] == "throw" else line
        for line in lines
    ]
    one, other = judged(written(tmp_path / "p", lines)), judged(written(tmp_path / "s", shuffled))
    assert one.accounts == other.accounts
