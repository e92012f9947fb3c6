"""The two strongest built-ins: what they decide, where they can't, and that they are as strong as is said."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dicegame.dice import SeededDice, stream_key
from dicegame.games import engine_for
from dicegame.games.base import Decision, Phase
from dicegame.games.highdice import HighDice
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.games.standing import Standing, required_points
from dicegame.players.base import Player, Request, Seating
from dicegame.players.builtin import make
from dicegame.referee import Referee
from dicegame.rules.load import load
from dicegame.values.judges import NotSolved, judge_for
from dicegame.values.turn import best_turn

NAMES = ("a", "b", "c", "d")


def seated(word: str, engine: PushLuck | HighDice, seats: int = 2) -> Player:
    player = make(word)
    player.begin(Seating("g", engine, NAMES[:seats], 0, 1, None))
    return player


def push_luck(name: str, target: int | None = None) -> PushLuck:
    engine = engine_for(load(name, target=target))
    assert isinstance(engine, PushLuck)
    return engine


def at(
    engine: PushLuck, dice: tuple[int, ...], scores: tuple[int, ...], turn: int = 0, final: int | None = None
) -> PushLuckState:
    zeros = (0,) * len(scores)
    standing = Standing(scores, (True,) * len(scores), (False,) * len(scores), zeros, (1,) * len(scores), final)
    return PushLuckState(
        standing, 0, turn, 1, len(dice), required_points(engine.rules, standing, 0), dice, engine.table.roll(dice)
    )


def decided(word: str, engine: PushLuck, state: PushLuckState) -> Decision:
    answer = seated(word, engine, len(state.out)).decide(Request(1, 0, engine, state))
    assert isinstance(answer, Decision)
    engine.check(state, answer)
    return answer


@pytest.mark.parametrize(("word", "bank"), [("optimal", True), ("maxpoints", True), ("greedy", True)])
def test_what_wins_at_once_is_banked(word: str, bank: bool) -> None:
    engine = push_luck("core")
    assert decided(word, engine, at(engine, (1, 2, 3, 4, 6, 6), (9_900, 9_000))) == Decision((1,), bank)


@pytest.mark.parametrize("word", ["optimal", "maxpoints"])
def test_in_a_last_turn_only_more_points_count(word: str) -> None:
    engine = push_luck("ten-thousand")
    behind = at(engine, (1, 1, 1, 2, 3, 4), (9_000, 10_100), final=1)
    assert not decided(word, engine, behind).bank
    ahead = at(engine, (1, 1, 1, 2, 3, 4), (9_200, 10_100), final=1)
    assert decided(word, engine, ahead) == Decision((1, 1, 1), bank=True)


def test_the_score_makes_optimal_bold_or_careful() -> None:
    """350 with three dice to roll: banked when level, not when the other is about to win."""
    engine = push_luck("ten-thousand")
    assert decided("optimal", engine, at(engine, (1, 1, 1, 2, 3, 4), (0, 0))).bank
    assert not decided("optimal", engine, at(engine, (1, 1, 1, 2, 3, 4), (2_000, 9_950))).bank


def test_maxpoints_plays_the_turn_that_makes_most() -> None:
    """Far from the end it banks exactly from the published points on (300 300 450 ... for ten-thousand)."""
    engine = push_luck("ten-thousand")
    bank_at = best_turn(engine.table).bank_at
    assert bank_at[:4] == [300, 250, 450, 1050]
    for left, dice in ((3, (1, 1, 1, 2, 3, 4)), (2, (2, 2, 2, 1, 3, 4))):
        for turn in range(0, 1_000, 50):
            state = at(engine, dice, (0, 0), turn)
            answer = decided("maxpoints", engine, state)
            keep = state.roll.by_keep[answer.keep] if state.roll else None
            assert keep is not None
            from_here = bank_at[keep.roll - 1]
            assert from_here is not None
            assert answer.bank == (turn + keep.points >= from_here), (left, turn)


@pytest.mark.parametrize("seats", [3, 4])
def test_more_seats_are_played_by_an_approximation(seats: int) -> None:
    engine = push_luck("ten-thousand")
    assert judge_for(engine, seats).approximate
    scores = (4_000, 9_000, *(2_000,) * (seats - 2))
    duel = decided("optimal", engine, at(engine, (1, 1, 5, 2, 3, 4), (4_000, 9_000)))
    assert decided("optimal", engine, at(engine, (1, 1, 5, 2, 3, 4), scores)) == duel


def test_alone_it_makes_the_most_of_every_turn() -> None:
    engine = push_luck("ten-thousand")
    state = at(engine, (1, 1, 5, 2, 3, 4), (0,))
    assert decided("optimal", engine, state) == decided("maxpoints", engine, state)


def test_what_is_not_solved_is_refused_and_says_what_to_do() -> None:
    engine = engine_for(load("thousand", ("score.full_house=125",)))
    assert isinstance(engine, PushLuck)
    with pytest.raises(NotSolved, match="dicegame solve"):
        seated("optimal", engine)


@pytest.mark.parametrize("rules", ["thousand-classic", "zilch"])
def test_what_can_not_be_solved_is_refused_by_the_command(rules: str) -> None:
    command = [sys.executable, "-m", "dicegame", "match", "optimal", "house", "--rules", rules, "--games", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "solved" in done.stderr


def test_high_dice_counts_on_the_reply() -> None:
    """Of all marks the one that the judge puts first."""
    engine = engine_for(load("high-dice"))
    assert isinstance(engine, HighDice)
    player, judge = seated("optimal", engine), judge_for(engine, 2)
    for stream in range(20):
        state, _events = engine.start(2)
        throws = engine.throws(state)
        dice = SeededDice(stream_key(bytes(32), stream))
        state, _events = engine.thrown(state, [dice.roll(t.seat, t.turn, t.roll, t.dice) for t in throws])
        assert state.phase is Phase.DECIDE
        answer = player.decide(Request(1, state.seat, engine, state))
        assert isinstance(answer, Decision)
        values = {valued.decision.keep: valued.value for valued in judge.decisions(state)}
        assert values[answer.keep] == max(values.values())


@pytest.mark.parametrize(("rules", "games"), [("thousand", 300), ("high-dice", 300)])
def test_it_wins_more_than_it_loses(rules: str, games: int) -> None:
    """Against `house`, seats in turn: at four standard errors above a half where the game leaves room for that, never far below."""
    engine = engine_for(load(rules))
    players = [make("optimal"), make("house")]
    won = 0.0
    for stream in range(games):
        key = stream_key(bytes(32), stream // 2)
        seat = stream % 2
        order = players if seat == 0 else players[::-1]
        outcome = Referee(engine, order, SeededDice(key), seed_key=key).play()
        won += (seat in outcome.winners) / len(outcome.winners)
    error = (0.25 / games) ** 0.5
    assert won / games > 0.5 + (4 * error if rules == "thousand" else -4 * error)
