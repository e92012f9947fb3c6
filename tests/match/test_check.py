"""The conformance test tells what is wrong with a bot: each defect, in a real process, fails the step that is about it and no other."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from dicegame.games import engine_for
from dicegame.games.base import Phase
from dicegame.games.pushluck import PushLuck
from dicegame.match.check import Check, Step
from dicegame.match.examinee import Examinee
from dicegame.match.states import EDGES, SUBJECTS, chairs_of, collect, kinds_of, plain
from dicegame.players.bots import BotProgram
from dicegame.players.containment import Containment
from dicegame.players.sandbox import Sandbox
from dicegame.players.treatment import Clock
from dicegame.rules.load import load, presets
from dicegame.rules.table import rolls

FAULTY = Path(__file__).with_name("faulty.py")
STATES = 150
LENIENT = Clock(start_ms=20_000, decision_ms=20_000, reserve_ms=0)


@pytest.fixture(scope="module")
def containment() -> Iterator[Containment]:
    made = Containment(Sandbox.NONE)
    yield made
    made.close()


def examine(
    containment: Containment, defect: str = "", *, states: int = STATES, clock: Clock = LENIENT
) -> dict[str, Step]:
    """Return the steps by their names."""
    program = BotProgram((sys.executable, str(FAULTY), defect), FAULTY.parent)
    examinee = Examinee(program, containment, clock)
    try:
        steps = list(Check(examinee, states=states).run())
    finally:
        examinee.leave()
    assert all(step.detail for step in steps)
    assert len({step.name for step in steps}) == len(steps)
    assert not any(step.passed and not step.done for step in steps)
    return {step.name: step for step in steps}


def failed(steps: dict[str, Step]) -> list[str]:
    """Return the names of the steps that were taken and failed."""
    return [step.name for step in steps.values() if not step.passed and step.done]


def undone(steps: dict[str, Step]) -> list[str]:
    return [step.name for step in steps.values() if not step.done]


def test_good_bot_passes_every_step(containment: Containment) -> None:
    steps = examine(containment)
    assert [step for step in steps.values() if not step.passed] == []
    assert list(steps) == [
        *("start", "ready", "decision", "same state twice", "several games", "unknown fields", "unknown messages"),
        *(f"states: {subject}" for subject in ("ten-thousand", "thousand", "high-dice", *SUBJECTS[3:])),
        *(f"edge: {edge}" for edge in EDGES),
        *(f"games: {subject}" for subject in ("ten-thousand", "thousand", "high-dice", *SUBJECTS[3:])),
        *("long game", "events", "bye", "end of input", "nothing else on stdout", "latency"),
    ]


# Edges all of whose states stand at another edge as well: nothing can be said of them once that one has failed.
WITHIN = {"edge: hot dice": ["last die", "must roll", "nothing scores"]}


@pytest.mark.parametrize(
    ("defect", "step", "said"),
    [
        ("hot dice", "edge: hot dice", "kept 7, but a die has the faces 1 to 6"),
        ("final round", "edge: final round", "kept 7"),
        ("last die", "edge: last die", "kept 7"),
        ("opponents", "edge: seats out", "kept 7"),
        ("thousand", "states: thousand", "kept 7"),
        ("crashes with hot dice", "edge: hot dice", "exit code 1); its log ends: ouch"),
        ("ignores bye", "bye", "a second after bye it is still there; it ends when its input does"),
        ("ignores end of input", "end of input", "a second after the end of its input it is still there"),
        ("greeting", "nothing else on stdout", "Hello! I am a bot. (it is no message; print what"),
        ("chatter", "nothing else on stdout", "thinking... (it is no message"),
        ("answers twice", "nothing else on stdout", "lines that nobody asked for, the first: {"),
        ("goodbye", "nothing else on stdout", "it is not asked for anything any more"),
        ("unknown field", "unknown fields", "its log ends: what is x-note?"),
        ("unknown message", "unknown messages", "its log ends: what is x-weather?"),
        ("second game", "several games", "in game 2 of one process"),
        ("long game", "long game", "its log ends: this takes too long"),
        ("no name", "ready", "its name is empty"),
    ],
)
def test_one_defect_fails_one_step(containment: Containment, defect: str, step: str, said: str) -> None:
    steps = examine(containment, defect)
    assert failed(steps) == [step], {name: steps[name].detail for name in failed(steps)}
    assert said in steps[step].detail
    assert set(undone(steps)) <= {f"edge: {edge}" for edge in WITHIN.get(step, ())}


AFTER_START = ["start", "bye", "end of input", "nothing else on stdout"]


@pytest.mark.parametrize(
    ("defect", "step", "said"),
    [
        ("other protocol", "ready", "protocol 2 is not spoken here, only 1"),
        ("nameless", "ready", "the field name is missing"),
        ("odd games", "ready", "it plays only poker, and none of these is a rule set here"),
        ("forgets id", "decision", "protocol: the field id is missing"),
        ("wrong id", "decision", "protocol: answered id 2, expected 1"),
        ("types", "decision", "protocol: the field keep.0 is wrong: a whole number is expected"),
        ("no bank", "decision", "protocol: the field bank is missing"),
    ],
)
def test_bot_that_can_not_be_played_with_is_told_why_once(
    containment: Containment, defect: str, step: str, said: str
) -> None:
    steps = examine(containment, defect)
    assert failed(steps) == [step, *(["bye", "end of input"] if defect in ("other protocol", "nameless") else [])]
    assert said in steps[step].detail
    assert "latency" in undone(steps)
    assert {steps[name].detail for name in undone(steps)} == {f"not done: the step {step} failed"}
    if defect == "odd games":
        assert [name for name, one in steps.items() if one.passed] == AFTER_START


HASTY = Clock(start_ms=1500, decision_ms=1500, reserve_ms=0)


def test_slow_start(containment: Containment) -> None:
    steps = examine(containment, "slow start", clock=HASTY)
    assert failed(steps) == ["start"]
    assert steps["start"].detail == "timed_out: no answer in time: did you flush?"
    assert undone(steps) == [name for name in steps if name != "start"]


@pytest.mark.parametrize(("defect", "step"), [("never flushes", "start"), ("does not flush", "decision")])
def test_bot_that_does_not_flush_is_told_so(containment: Containment, defect: str, step: str) -> None:
    steps = examine(containment, defect, clock=HASTY)
    assert failed(steps) == [step]
    assert "came only when the bot's input ended: flush standard output after every line" in steps[step].detail


def test_slow_decisions(containment: Containment) -> None:
    clock = Clock(start_ms=20_000, decision_ms=1, reserve_ms=600_000)
    steps = examine(containment, "slow", states=1, clock=clock)
    assert failed(steps) == ["latency"]
    assert "more than one decision in a hundred takes longer than its 1 ms" in steps["latency"].detail
    relaxed = examine(containment, "slow", states=1, clock=Clock(start_ms=20_000, running=False))
    assert failed(relaxed) == []


def test_always_illegal_fails_what_is_judged_by_states_alone(containment: Containment) -> None:
    steps = examine(containment, "always")
    assert failed(steps) == [f"states: {name}" for name in SUBJECTS if name != "high-dice"]
    assert set(undone(steps)) == {f"edge: {edge}" for edge in EDGES if edge != "all dice alike"} - {"edge: seats out"}


def test_bank_that_is_not_allowed(containment: Containment) -> None:
    assert set(failed(examine(containment, "banks too early"))) <= {
        *("edge: first bank", "edge: minimum", "edge: must roll", "edge: barrel"),
        *("edge: nothing scores", "edge: exact target"),
    }


def test_wrong_with_one_roll_of_all(containment: Containment) -> None:
    """No roll is left out where so many states are put."""
    steps = examine(containment, "one roll", states=1500)
    wrong = failed(steps)
    assert wrong
    assert "5 > 7" in steps[wrong[0]].detail or "1 > 7" in steps[wrong[0]].detail or "3 > 7" in steps[wrong[0]].detail
    example = steps[wrong[0]].example
    assert example is not None
    assert sorted(example["state"]["dice"]) == [1, 1, 3, 3, 5, 5]


def test_example_can_be_put_again(containment: Containment) -> None:
    step = examine(containment, "final round")["edge: final round"]
    assert step.example is not None
    engine = engine_for(load(step.example["rules"]))
    state = engine.restore(step.example["state"], step.example["seat"])
    assert engine.describe(state) == step.example["state"]
    assert step.as_json()["example"] == step.example


def test_carriage_returns_are_accepted(containment: Containment) -> None:
    assert failed(examine(containment, "CR LF")) == []


def test_exit_code_is_told_and_not_judged(containment: Containment) -> None:
    steps = examine(containment, "exit code", states=10)
    assert failed(steps) == []
    assert steps["bye"].detail.endswith("exit code 3")
    assert steps["end of input"].detail.endswith("exit code 0")


def test_events_go_to_those_who_ask(containment: Containment) -> None:
    assert examine(containment, states=10)["events"].detail == "it asks for none, and was sent none"
    steps = examine(containment, "events", states=10)
    assert failed(steps) == []
    assert "events of one game were sent" in steps["events"].detail
    assert failed(examine(containment, "answers events", states=10)) == ["events", "nothing else on stdout"]


def test_only_the_games_that_it_claims_are_asked_about(containment: Containment) -> None:
    steps = examine(containment, "high dice", states=50)
    assert failed(steps) == []
    assert [name for name in steps if name.startswith(("states", "games"))] == ["states: high-dice", "games: high-dice"]
    some = examine(containment, "some games", states=50)
    assert failed(some) == []
    assert "zilch" in some["ready"].detail
    assert "not tried: poker" in some["ready"].detail
    assert [name for name in some if name.startswith("states")] == ["states: zilch"]


def test_program_that_is_not_there(containment: Containment) -> None:
    examinee = Examinee(BotProgram(("/nowhere/bot",), Path("/")), containment, LENIENT)
    first, *others = Check(examinee, states=1).run()
    assert (first.name, first.passed) == ("start", False)
    assert "can't run /nowhere/bot" in first.detail
    assert not any(step.done for step in others)


def test_what_it_says_instead_of_ready_is_shown(containment: Containment) -> None:
    cat = shutil.which("cat")
    if cat is None:
        pytest.skip("cat is not here")
    examinee = Examinee(BotProgram((cat,), Path("/")), containment, HASTY)
    first = next(Check(examinee, states=1).run())
    examinee.leave()
    assert 'it said: {"type":"hello"' in first.detail


# The states


@pytest.mark.parametrize("subject", SUBJECTS)
def test_states_are_decisions_of_their_kinds(subject: str) -> None:
    cases = collect(subject, 400, "a seed")
    assert 400 <= len(cases) + len(chairs_of(subject)) <= 700
    for case in cases:
        engine, state = case.chair.engine, case.state
        assert state.phase is Phase.DECIDE
        assert engine.decisions(state)
        assert (state.seat, len(state.out)) == (case.chair.seat, case.chair.seats)
        assert case.kinds == kinds_of(subject, engine, state)
        assert case.kinds[0] == subject
    assert len(plain(cases).kinds) == 1
    assert plain(collect(subject, 1, "a seed")).kinds


def test_the_same_seed_gives_the_same_states() -> None:
    def told(seed: str) -> list[object]:
        return [case.chair.engine.describe(case.state) for case in collect("ten-thousand", 200, seed)]

    assert told("one") == told("one") != told("two")


def test_every_edge_is_reached() -> None:
    seen: Counter[str] = Counter()
    for subject in SUBJECTS:
        seen.update(kind for case in collect(subject, 300, "x") for kind in case.kinds)
    assert {*EDGES, *SUBJECTS} == set(seen)
    assert min(seen.values()) >= 5


@pytest.mark.parametrize("subject", ["ten-thousand", "thousand", "zilch"])
def test_every_roll_is_among_many_states(subject: str) -> None:
    engine = engine_for(load(subject))
    assert isinstance(engine, PushLuck)
    wanted = {
        dice
        for n in range(1, engine.rules.dice + 1)
        for dice, _ways in rolls(n)
        if (roll := engine.table.roll(dice)).keeps and not roll.instant_win
    }
    asked = {tuple(sorted(case.state.dice)) for case in collect(subject, 3000, "x")}
    assert asked == wanted


def test_high_dice_is_asked_about_in_every_way() -> None:
    chairs = chairs_of("high-dice")
    seen = {(chair.engine.rules.rule, chair.engine.rules.find, chair.seats) for chair in chairs}  # type: ignore[union-attr]
    assert len(seen) == 3 * 2 * 7
    assert {chair.engine.rules.dice for chair in chairs} == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("name", presets())
def test_any_preset_can_be_a_subject(name: str) -> None:
    assert collect(name, 60, "x")
