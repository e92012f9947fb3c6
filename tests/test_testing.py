"""The doubles do what they say: scripts, transcripts, every fault on demand, games in one call; and the page's own test runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dicegame import testing
from dicegame.errors import DiceError, InputError
from dicegame.games import engine_for
from dicegame.players.base import BotFault, FaultCode, Request
from dicegame.players.builtin import make
from dicegame.players.sandbox import Sandbox
from dicegame.players.treatment import Treatment
from dicegame.referee import GameVoid
from dicegame.rules.load import load
from dicegame.testing import FakeBot, Scripted, ask, fixed_dice, play
from tests.cli.process import ROOT, environment

DICE = "1 5 3 3 6 2 / 2 3 4 4 6 6"
FAULTY = f"{sys.executable} {ROOT / 'tests' / 'match' / 'faulty.py'}"
PORTABLE = Treatment(sandbox=Sandbox.NONE)


def test_everything_public_is_documented() -> None:
    for name in testing.__all__:
        assert getattr(testing, name).__doc__


# Games


def test_play_tells_everything() -> None:
    first, second = Scripted(["1 5 bank"]), Scripted([])
    game = play([first, second], target=150, dice=DICE)
    assert game.moves == ["A 1 5 bank"]
    assert game.story == [
        "turn A",
        "roll A 1 5 3 3 6 2",
        "keep A 1 5 150 150",
        "bank A 150 150",
        "final_round A 150",
        "turn B",
        "roll B 2 3 4 4 6 6",
        "bust B 0",
    ]
    assert (game.scores, game.winners, game.reason) == ((150, 0), (0,), "target")
    assert game.faults == []
    first.done()
    second.done()
    [asked] = first.asked
    assert asked["state"]["dice"] == [1, 5, 3, 3, 6, 2]
    assert asked["options"][0] == {"keep": [1, 5], "points": 150, "roll": 4, "bank": True}


def test_play_high_dice() -> None:
    game = play([Scripted(["6"]), Scripted(["-"])], rules="high-dice", dice="6 2 1 / 5 5 3 / 6 4 / 1 1 1")
    assert game.moves == ["A 6", "B -"]
    assert game.story == [
        "roll A 6 2 1",
        "roll B 5 5 3",
        "mark A 6",
        "mark B -",
        "reveal 6 6 4 / 1 1 1",
        "round winner A wins 1 0 losses 0 0",
    ]


def test_replays_and_losers_read_well() -> None:
    dice = "6 6 6 / 6 6 6 / 1 1 1 / 2 2 2"
    pat = [Scripted(["6 6 6"]), Scripted(["6 6 6"])]
    game = play(pat, rules="high-dice", changes=["find=loser"], dice=dice)
    assert game.story[-4:] == ["replay A B", "roll A 1 1 1", "roll B 2 2 2", "round loser A wins 0 1 losses 0 0"]


def test_the_same_seed_plays_the_same_game() -> None:
    stories = [play(["house", "cautious"], seed=seed).story for seed in ("a", "a", "b")]
    assert stories[0] == stories[1] != stories[2]


def test_rules_may_be_given_in_every_way() -> None:
    rules = load("thousand")
    by_name = play(["house", "house"], rules="thousand").story
    assert play(["house", "house"], rules=rules).story == by_name
    changed = play(["house", "house"], rules="thousand", changes=["open=0", "minimum=0"], target=300)
    assert max(changed.scores) >= 300
    assert changed.story != by_name


def test_dice_as_text_must_fit() -> None:
    assert fixed_dice("1 2 3 / 4 # a comment\n56").rolls == [(1, 2, 3), (4,), (5, 6)]
    with pytest.raises(DiceError, match="ran out"):
        play(["house"], target=5000, dice="1 2 3 4 6 6")
    with pytest.raises(DiceError, match="no face"):
        fixed_dice("1 7")


# Scripts


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (["2 bank"], "decision 1 of the script, '2 bank': kept 2, but 2 is part of no combination"),
        (["1"], "decision 1 of the script, '1': a decision ends in bank or roll"),
        ([], "the script of 0 decisions has ended, and seat 0 is asked more"),
    ],
)
def test_script_that_does_not_fit_fails_the_test(script: list[str], said: str) -> None:
    with pytest.raises(AssertionError) as caught:
        play([Scripted(script), "house"], dice=DICE)
    assert said in str(caught.value)


def test_script_that_was_not_played_out() -> None:
    script = Scripted(["1 5 bank", "5 bank"])
    play([script], target=150, dice=DICE)
    with pytest.raises(AssertionError, match="decision 2 of the script, '5 bank', was not asked for"):
        script.done()


def test_script_may_be_played_on() -> None:
    script = Scripted(["1 roll"], then="house")
    game = play([script, "house"], target=400)
    assert game.moves[0].endswith("roll") or game.moves[0].startswith("B")
    assert len(script.asked) > 1


# The fake bot


def test_transcript_of_a_game() -> None:
    bot = FakeBot(events=True)
    bot.expect({"type": "hello", "protocol": 1})
    bot.expect({"type": "game", "seat": 0, "players": ["me", "you"], "rules": {"target": 150}})
    bot.expect({"type": "event", "event": "roll", "dice": [1, ..., 3, 3, 6, 2]})
    bot.expect({"type": "decide", "id": 1, "state": {"dice": [1, 5, 3, 3, 6, 2]}, "options": ...}, answers="1 5 bank")
    bot.expect({"type": "event", "event": "bust", "seat": 1})
    bot.expect({"type": "result", "winners": [0], "reason": "target"})
    play([bot, Scripted([])], target=150, dice=DICE, names=["me", "you"])
    bot.done()
    assert [m["type"] for m in bot.heard if m["type"] != "event"] == ["hello", "game", "decide", "result"]


def test_messages_that_want_no_answer_may_come_in_between() -> None:
    bot = FakeBot().expect({"type": "decide"}, answers={"keep": [5, 1], "bank": True, "why": "all of it"})
    game = play([bot], target=150, dice=DICE)
    bot.done()
    assert game.decisions[0][1].why == "all of it"


def test_what_was_not_expected_fails_the_test() -> None:
    bot = FakeBot().expect({"type": "decide", "state": {"turn": 2}}, answers="1 bank")
    with pytest.raises(AssertionError, match=r"expected: .*'turn': 2.*\nbut heard: .*'turn': 1"):
        play([bot], dice=DICE)
    with pytest.raises(AssertionError, match="nothing more was expected, but heard"):
        play([FakeBot()], dice=DICE)
    never = FakeBot().expect({"type": "result", "winners": [1]}).expect({"type": "bye"})
    with pytest.raises(AssertionError, match=r"never came: \{'type': 'result', 'winners': "):
        never.done()


def test_true_is_not_one() -> None:
    bot = FakeBot().expect({"type": "game", "seat": False}).expect({"type": "decide"}, answers="1 bank")
    with pytest.raises(AssertionError, match=r"expected: \{'type': 'game', 'seat': False\}"):
        play([bot], dice=DICE)


def test_function_may_answer() -> None:
    def best(message: dict[str, Any]) -> dict[str, Any]:
        option = message["options"][0]
        return {"keep": option["keep"], "bank": option["bank"]}

    game = play([FakeBot(decide=best), "house"], target=1000)
    assert game.faults == []
    assert all(move.endswith("bank") for move in game.moves if move.startswith("A"))


@pytest.mark.parametrize(
    ("answers", "code", "said"),
    [
        (None, "timed_out", "did you flush?"),
        ("2 bank", "illegal", "kept 2"),
        ("1 5", "protocol", "ends in bank or roll"),
        ({"keep": [7], "bank": True}, "illegal", "faces 1 to 6"),
        ({"keep": [1]}, "protocol", "the field bank is missing"),
        ({"keep": ["1"], "bank": True}, "protocol", "a whole number is expected"),
        ({"id": 7, "keep": [1], "bank": True}, "protocol", "answered id 7, expected 1"),
        (b"keep the 1", "protocol", "line is not JSON"),
        (b'{"type":"ready","protocol":1,"name":"x"}', "protocol", "ready is said once"),
        (b'{"type":"decision","id":1,"keep":[2],"bank":true}', "illegal", "kept 2"),
    ],
)
def test_wrong_answers_are_the_faults_of_a_real_bot(answers: Any, code: str, said: str) -> None:
    bot = FakeBot().expect({"type": "decide"}, answers=answers).expect({"type": "error", "code": code})
    game = play([bot, "house"], target=150, dice=DICE)
    bot.done()
    [fault] = game.faults
    assert (fault.seat, fault.code) == (0, code)
    assert said in fault.detail
    assert (game.winners, game.reason) == ((1,), "forfeit")


@pytest.mark.parametrize("code", list(FaultCode))
def test_every_fault_on_demand(code: FaultCode) -> None:
    bot = FakeBot().fail(code, "because")
    game = play([bot, "house"], target=150, dice=DICE)
    assert [(f.code, f.detail) for f in game.faults] == [(code, "because")]
    assert bot.heard[-1]["type"] == "error"
    assert game.story[-2:] == [f"fault A {code}", "out A"]
    assert game.winners == (1,)


def test_substituted_bot_is_started_again_after_a_crash() -> None:
    bot = FakeBot().fail("crashed").expect({"type": "decide", "id": 1, "state": {"turn": 2}}, answers="1 bank")
    dice = "1 5 3 3 6 2 / 2 3 4 4 6 6 / 1 2 3 4 6 6 / 2 3 4 4 6 6"
    game = play([bot, "house"], target=200, dice=dice, on_fault="substitute")
    bot.done()
    assert game.moves == ["A 1 5 bank", "A 1 bank"]
    kinds = [message["type"] for message in bot.heard]
    assert kinds == ["hello", "game", "decide", "error", "hello", "game", "decide", "result"]


def test_failing_question_may_stand_in_the_transcript() -> None:
    bot = FakeBot().expect({"type": "decide"}).fail("timed_out")
    play([bot, "house"], target=150, dice=DICE)
    bot.done()


def test_blameless_fault_makes_the_game_void() -> None:
    with pytest.raises(GameVoid, match="busy"):
        play([FakeBot().fail("timed_out", "busy", blameless=True), "house"])


# One state, and real processes


def test_ask_puts_one_state() -> None:
    assert ask("greedy", {"scores": [0, 0], "dice": [1, 2, 3, 4, 6, 6]}) == "1 bank"
    assert ask("house", {"scores": [0, 0], "dice": [1, 2, 3, 4, 6, 6]}, seat=1) == "1 roll"
    assert ask("house", {"dice": [[6, 6, 6], [1, 1, 1]]}, rules="high-dice") == "6 6 6"
    assert ask(make("greedy"), {"scores": [0], "dice": [1, 1, 5]}, target=5000) == "1 1 5 bank"
    with pytest.raises(InputError, match="nothing is asked with 2 3"):
        ask("house", {"scores": [0], "dice": [2, 3]})


def test_real_bots_play_and_answer() -> None:
    game = play([FAULTY, Scripted([], then="house")], target=1000, treatment=PORTABLE)
    assert game.faults == []
    assert ask(FAULTY, {"scores": [0, 0], "dice": [1, 1, 1, 2, 3, 4]}, treatment=PORTABLE) == "1 1 1 bank"
    with pytest.raises(BotFault, match="kept 7"):
        ask(f"{FAULTY} always", {"scores": [0, 0], "dice": [1, 1, 1, 2, 3, 4]}, treatment=PORTABLE)
    lost = play([f"{FAULTY} always", "house"], treatment=PORTABLE)
    assert [fault.code for fault in lost.faults] == ["illegal"]


def test_scripted_player_needs_no_referee() -> None:
    engine = engine_for(load("ten-thousand"))
    state = engine.restore({"scores": [0, 0], "dice": [1, 2, 3, 4, 6, 6]})
    script = Scripted(["1 bank"])
    decision = script.decide(Request(1, 0, engine, state))
    assert (decision.keep, decision.bank) == ((1,), True)  # type: ignore[union-attr]


# The page


def test_example_of_the_page_runs(tmp_path: Path) -> None:
    page = (ROOT / "protocol.md").read_text(encoding="utf-8")
    section = page[page.index("\n## Testing your bot\n") : page.index("\n## Versions\n")]
    [test] = re.findall(r"```python test_mine.py\n(.*?)```", section, re.DOTALL)
    [bot] = re.findall(r"```bot\n(.*?)```", page, re.DOTALL)
    (tmp_path / "mine.py").write_text(bot, encoding="utf-8")
    (tmp_path / "test_mine.py").write_text(test, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"{len(re.findall('^def test_', test, re.MULTILINE))} passed" in ran.stdout
