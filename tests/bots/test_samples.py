"""Every sample bot and every starter, as real processes: they shake hands, play every game legally and sensibly, and go when told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from dicegame import protocol
from dicegame.cli.bot_new import LANGUAGES
from dicegame.games import engine_for
from dicegame.games.base import Decision, Engine, Phase
from dicegame.games.highdice import HighDice, HighDiceState
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.players.bots import BotProgram
from dicegame.rules.load import load, presets
from dicegame.values.chances import best_mark, chance
from tests.bots.driver import Bot, BuiltIn, begin, decide, legal, open_bot, play, positions, question
from tests.cli.process import ROOT
from tests.games.transcript import Game

RULES = ("sum-high", "sum-low", "triple-pair")
EVERY_HIGH_DICE = [
    ("high-dice", f"rule={rule}", f"find={find}", f"dice={dice}")
    for rule in RULES
    for find in ("winner", "loser")
    for dice in ((3,) if rule == "triple-pair" else (1, 2, 3, 5))
]
PUSH_LUCK = [name for name in presets() if name != "high-dice"]


def engine_of(name: str, *changes: str) -> Engine[Any]:
    return engine_for(load(name, changes))


def test_shakes_hands(name: str, program: BotProgram) -> None:
    with open_bot(program) as bot:
        ready = bot.hello()
        bot.close_input()
        assert bot.exit_code() == 0
    assert ready["type"] == "ready"
    assert ready["protocol"] == 1
    assert ready["name"] == name == program.name


@pytest.mark.parametrize("asked", [0, 1], ids=["at once", "after a game"])
def test_goes_when_told(program: BotProgram, asked: int) -> None:
    with open_bot(program) as bot:
        bot.hello()
        for stream in range(asked):
            play(bot, engine_of("thousand"), 2, {0, 1}, stream)
        bot.tell({"type": "bye"})
        assert bot.exit_code() == 0


def test_goes_at_the_end_of_input(program: BotProgram) -> None:
    with open_bot(program) as bot:
        bot.close_input()
        assert bot.exit_code() == 0


def test_plays_whole_games_of_every_rule_set_in_one_process(bot: Bot) -> None:
    for stream in range(3):
        play(bot, engine_of("ten-thousand"), 2, {stream % 2}, stream)
        play(bot, engine_of("thousand"), 3, {stream}, stream)
        play(bot, engine_of("high-dice", "to=3"), 2, {0, 1}, stream)
    for name in PUSH_LUCK:
        play(bot, engine_of(name), 3, {0, 1, 2}, 1)
        play(bot, engine_of(name), 2, {1}, 2)
    assert bot.log() == ""


def test_plays_high_dice_of_every_kind_with_up_to_eight_seats(bot: Bot) -> None:
    for stream, (name, *changes) in enumerate(EVERY_HIGH_DICE):
        play(bot, engine_of(name, *changes), 8, set(range(0, 8, 3)), stream)
    assert bot.log() == ""


# Positions as transcripts, and what must be decided there; None where only the rules decide.
Wanted = Callable[[Decision], bool] | None


def banks(decision: Decision) -> bool:
    return decision.bank


def rolls(decision: Decision) -> bool:
    return not decision.bank


NEAR_DIX_MILLE = "A 555555 > 555555 roll\nA 444444 > 444444 roll\nA 333222 > 333222 roll\n"
ZILCH_BUST = "{0} 123466 > 1 roll\n{0} 23462 > bust\n"
EDGES: dict[str, tuple[str, int, str, str, Wanted]] = {
    "hot dice": ("ten-thousand", 2, "", "123456", None),
    "hot dice that must be rolled": ("dix-mille", 2, "", "111555", rolls),
    "last die": ("ten-thousand", 2, "A 111155 > 11115 roll", "1", None),
    "last die, alone": ("ten-thousand", 1, "A 111155 > 11115 roll", "5", None),
    "not enough to open": ("thousand", 2, "", "52246", rolls),
    "enough to open": ("thousand", 2, "", "11146", banks),
    "a pair left": ("thousand", 2, "", "55533", None),
    "behind in the final round": ("ten-thousand", 2, "A +10000", "111234", rolls),
    "level in the final round": ("ten-thousand", 2, "A +10000\nB 111111 > 111111 roll", "111123", rolls),
    "ahead in the final round": ("ten-thousand", 2, "A +10000\nB 111111 > 111111 roll", "111153", banks),
    "beaten in the final round": ("ten-thousand", 3, "A +10000\nB +10500", "111111", rolls),
    "a bank that wins": ("kcd", 2, "A +3900\nB bust", "122346", banks),
    "a bank of few points that wins": ("thousand", 2, "A +950\nB bust", "52234", banks),
    "exactly the target": ("dix-mille", 2, NEAR_DIX_MILLE + "A 444523 > 4445 bank\nB bust", "152234", banks),
    "near an exact target": ("dix-mille", 2, NEAR_DIX_MILLE + "A 444523 > 444 bank\nB bust", "111522", None),
    "nothing scores": ("zilch", 2, "", "234466", rolls),
    "on the barrel": ("thousand-classic", 2, "A +900\nB bust", "11134", rolls),
    "off the barrel": ("thousand-classic", 2, "A +900\nB bust\nA 11155 > 11155 roll", "11234", banks),
    "in a pit": ("thousand-classic", 2, "A +250\nB bust", "52234", rolls),
    "below zero": ("zilch", 2, (ZILCH_BUST.format("A") + ZILCH_BUST.format("B")) * 3, "122346", None),
    "one of three has left": ("ten-thousand", 3, "A +5000\nB +3000\nA forfeit", "123466", None),
    "the leader has left": ("ten-thousand", 3, "A +10000\nA forfeit", "111111", banks),
}


def test_edges(bot: Bot) -> None:
    failed = {}
    for edge, (rules, seats, transcript, dice, wanted) in EDGES.items():
        game = Game(rules, seats).play(transcript).roll(dice)
        begin(bot, game.engine, seat=game.state.seat)
        decision = decide(bot, game.engine, game.state)
        if wanted is not None and not wanted(decision):
            failed[edge] = decision
    assert failed == {}


def test_the_same_question_twice_gets_the_same_answer_with_or_without_a_clock(bot: Bot) -> None:
    for name in ("ten-thousand", "high-dice"):
        engine = engine_of(name)
        for state in asked_states(engine, 2, 5):
            first, again = decide(bot, engine, state), decide(bot, engine, state, clock=None)
            assert first == again


def asked_states(engine: Engine[Any], seats: int, most: int, stream: int = 0, word: str = "house") -> list[Any]:
    """Return the first states of a game among built-ins in which a seat decides."""
    deciders = {seat: BuiltIn(word, engine, seat, seats) for seat in range(seats)}
    return [state for state in islice(positions(engine, deciders, seats, stream), most) if state.phase is Phase.DECIDE]


def test_plays_without_having_been_told_of_the_game(bot: Bot) -> None:
    for name in ("ten-thousand", "thousand", "thousand-classic", "high-dice"):
        engine = engine_of(name)
        for state in asked_states(engine, 2, 5):
            decide(bot, engine, state)


DECOYS = {
    "zz": {"type": "bye", "id": 3, "options": [], "state": None, "seat": 9, "keep": [[], {}, "}"]},
    "aa": '"type":"bye"}]{,"options":[{"keep":[6]}]\\',
    "bb": [{"a": [{"b": []}, {}, [], ""]}, None, True, -1.5e-7, "\\\\", '\\"', "é✓\u2028\U0001f3b2"],
    "": "type",
}


def strange(value: Any) -> Any:
    """Return a message with fields that nobody knows, before and after the others, at every level."""
    if isinstance(value, dict):
        first, second, *more = DECOYS.items()
        known = {key: strange(inner) for key, inner in value.items()}
        return {**dict([first, second]), **known, **dict(more)}
    return [strange(item) for item in value] if isinstance(value, list) else value


def reordered(value: Any) -> Any:
    """Return a message with its keys in the opposite order."""
    if isinstance(value, dict):
        return {key: reordered(inner) for key, inner in reversed(value.items())}
    return [reordered(item) for item in value] if isinstance(value, list) else value


VARIANTS: dict[str, Callable[[Any], str]] = {
    "unknown fields": lambda message: protocol.encode(strange(message)) + "\n",
    "escaped": lambda message: json.dumps(strange(message)) + "\n",
    "keys in another order, and spaces": lambda message: json.dumps(reordered(message)) + "\n",
    "more spaces": lambda message: json.dumps(message, separators=(" ,\t", " : ")) + " \r\n",
    "CR LF": lambda message: protocol.encode(message) + "\r\n",
    "a line of 64 KiB": lambda message: protocol.encode({**message, "zz": '\\"[' * 10_800}) + "\n",
}


def test_unknown_fields_and_other_ways_to_write_change_nothing(bot: Bot) -> None:
    for name, seats in (("ten-thousand", 2), ("thousand-classic", 3), ("high-dice", 4)):
        engine = engine_of(name)
        begins = protocol.game("g1", engine, players=['}"type":"bye"'] * seats, seat=0, seed=7, commitment=None)
        states = asked_states(engine, seats, 8)
        bot.tell(begins)
        plain = [decide(bot, engine, state) for state in states]
        for variant, write in VARIANTS.items():
            bot.tell(write(begins))
            for state, expected in zip(states, plain, strict=True):
                asked = question(engine, state, bot.next_id())
                line = write(asked)
                assert len(line) <= protocol.LINE_BYTES
                assert legal(engine, state, asked, bot.ask(line)) == expected, (name, variant)


def test_unknown_messages_and_events_get_no_answer(bot: Bot) -> None:
    engine = engine_of("ten-thousand")
    game = Game("ten-thousand", 2).play("A 123466 > 1 bank")
    begin(bot, engine)
    bot.tell(*(protocol.event("g1", event) for event in game.events))
    bot.tell({"type": "weather", "options": [], "state": {}}, {"type": "ready"}, {"type": "decision", "id": 1})
    bot.tell({"type": "hello again"}, {"type": "by"}, {"type": "decides"}, {"type": ""}, {"type": None}, {"type": 3})
    decide(bot, engine, game.roll("1 2 3 4 6 6").state)  # its answer is the first line that comes
    bot.tell({"type": "bye"})
    assert bot.exit_code() == 0
    assert bot.log() == ""


def test_what_was_wrong_is_logged_and_not_answered(bot: Bot) -> None:
    engine = engine_of("ten-thousand")
    bot.tell(protocol.error(None, "illegal", "kept 2, but 2 is part of no combination"))
    decide(bot, engine, asked_states(engine, 2, 1)[0])
    assert "kept 2" in bot.log()


# High dice


def high(
    rule: str, find: str, dice: list[tuple[int, ...]], keeps: list[tuple[int, ...] | None]
) -> tuple[HighDice, HighDiceState]:
    """Return a round of high dice in which seat 0 is the last to decide."""
    engine = engine_of("high-dice", f"rule={rule}", f"find={find}", f"dice={len(dice[0])}")
    assert isinstance(engine, HighDice)
    seats = len(dice)
    none = (0,) * seats
    return engine, HighDiceState(2, none, none, (False,) * seats, 2, tuple(dice), tuple(keeps))


@pytest.mark.parametrize("find", ["winner", "loser"])
def test_marks_keep_what_is_good(bot: Bot, find: str) -> None:
    for rule, mine, theirs, keep in (
        ("sum-high", (6, 6, 6), (5, 5, 5), (6, 6, 6)),
        ("sum-high", (6, 1, 6), (6, 6, 5), (6, 6)),
        ("sum-low", (1, 1, 1), (2, 2, 2), (1, 1, 1)),
        ("sum-low", (6, 1, 1), (1, 1, 2), (1, 1)),
        ("triple-pair", (4, 4, 4), (5, 6, 2), (4, 4, 4)),
        ("triple-pair", (6, 2, 6), (1, 6, 6), (6, 6)),
    ):
        engine, state = high(rule, find, [mine, theirs], [None, tuple(sorted(theirs))])
        assert decide(bot, engine, state).keep == keep, (rule, mine)


def high_dice_states() -> Iterator[tuple[HighDice, HighDiceState]]:
    """Yield marks to be made in rounds of every kind."""
    for stream, (name, *changes) in enumerate(EVERY_HIGH_DICE):
        engine = engine_of(name, *changes)
        assert isinstance(engine, HighDice)
        for seats in (2, 4):
            for state in asked_states(engine, seats, 6, stream, "random"):
                yield engine, state


@pytest.mark.parametrize("language", LANGUAGES)
def test_samples_mark_as_well_as_is_possible(language: str, programs: Callable[[str], BotProgram]) -> None:
    """Against one rival the mark has the best chance there is; against more, ties count a little too much."""
    with open_bot(programs(f"sample-{language}")) as bot:
        bot.hello()
        for engine, state in high_dice_states():
            seat = state.seat
            mark = chance(engine, state, seat, decide(bot, engine, state).keep)
            best = chance(engine, state, seat, best_mark(engine, state, seat))
            assert best - mark <= (0 if len(state.out) == 2 else Fraction(1, 20))


# All languages alike


@pytest.fixture(scope="module")
def questions() -> list[tuple[Engine[Any], str, list[Any]]]:
    """Return states of all games, with the `game` message before them."""
    found = []
    for name in PUSH_LUCK:
        engine = engine_of(name)
        for word, stream in (("house", 0), ("random", 1), ("hold:at=2000", 2)):
            states = asked_states(engine, 3, 10_000, stream, word)
            found.append((engine, name, states[:: len(states) // 40 + 1] + states[-10:]))
    for engine, state in high_dice_states():
        found.append((engine, "high-dice", [state]))
    return found


@pytest.mark.parametrize("kind", ["sample", "starter"])
@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "python"])
def test_one_bot_in_six_languages(
    kind: str, language: str, programs: Callable[[str], BotProgram], questions: list[tuple[Engine[Any], str, list[Any]]]
) -> None:
    with open_bot(programs(f"{kind}-python")) as python, open_bot(programs(f"{kind}-{language}")) as other:
        for bot in (python, other):
            bot.hello()
        for engine, name, states in questions:
            for bot in (python, other):
                begin(bot, engine)
            for state in states:
                assert decide(python, engine, state) == decide(other, engine, state), (name, engine.describe(state))


def test_samples_win_more_often_than_the_default_computer_player(programs: Callable[[str], BotProgram]) -> None:
    won = Fraction(0)
    with open_bot(programs("sample-c")) as bot:
        bot.hello()
        for stream in range(100):
            for seat in (0, 1):
                outcome = play(bot, engine_of("ten-thousand"), 2, {seat}, stream)
                if seat in outcome.winners:
                    won += Fraction(1, len(outcome.winners))
    assert won > 100


# Their files


def test_readme_has_three_lines(folder: Path) -> None:
    title, how, what = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    assert title.startswith("# ")
    assert how.startswith("- Build: ")
    assert what.startswith("- Try")


@pytest.mark.parametrize("language", LANGUAGES)
def test_starter_is_one_file_of_at_most_80_lines(language: str) -> None:
    files = {path.name: path for path in (ROOT / "dicegame" / "starters" / language).iterdir() if path.is_file()}
    assert {"bot.toml", "README.md"} < set(files)
    assert len(files) == 3
    (source,) = set(files) - {"bot.toml", "README.md"}
    lines = files[source].read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 80
    assert max(map(len, lines)) <= 140


def test_questions_hold_what_they_are_meant_to_hold(questions: list[tuple[Engine[Any], str, list[Any]]]) -> None:
    push_luck = [state for _engine, _name, states in questions for state in states if isinstance(state, PushLuckState)]
    assert len(push_luck) > 1000
    assert any(state.standing.final is not None for state in push_luck)
    assert any(state.free == 1 for state in push_luck)
    assert all(isinstance(engine, PushLuck | HighDice) for engine, _name, _states in questions)
