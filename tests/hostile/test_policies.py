"""What becomes of a seat after a fault: `--on-fault substitute`; `--freeze`; and the processor time that a bot takes."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from dicegame.games import engine_for
from dicegame.games.base import Decision
from dicegame.match.plan import BlockSpec
from dicegame.match.play import VOID_TRIES, Lanes, MatchSpec, TooManyVoid, play_blocks
from dicegame.players.base import Request, Seating
from dicegame.players.bots import find_bot
from dicegame.players.containment import Containment
from dicegame.players.meter import Share, starved
from dicegame.players.process import ExternalBot
from dicegame.players.sandbox import Sandbox
from dicegame.players.treatment import Clock, Treatment
from dicegame.rules.load import load
from tests.hostile.harness import ALONE_AND_OF_THREE, SEATS, Match, at_once, both_levels, until

CHATTER = "^no answer in time: answered id 1, expected 2$"
SUBSTITUTE = ("--on-fault", "substitute")


def forfeits(match: Match) -> int:
    return sum('"type":"forfeit"' in path.read_text() for path in match.records.glob("*.jsonl"))


def test_an_answer_that_comes_too_late_is_ignored_and_costs_one_decision(tmp_path: Path) -> None:
    match = Match(tmp_path)
    log = tmp_path / "wire"
    clock = ("--decision-ms", "1000", "--reserve-ms", "0", "--wire-log", str(log))
    ended = match.play([match.bot("late_once_a_game", 1.2), "house"], *SUBSTITUTE, *clock, games=2)
    assert ended.faults == {"hostile": {"timed_out": 2}, "house": {}}
    assert not forfeits(match)
    assert not ended.result["void"]
    late = [line for line in log.read_text().splitlines() if '"id":1,' in line or '"id": 1,' in line]
    assert [line.split()[2] for line in late] == [
        ">",
        ">",
        "<",
    ] * 2  # the question, the error, and the late answer, in each lane
    match.left_clean()


def test_the_third_fault_of_a_game_forfeits_it(tmp_path: Path) -> None:
    match = Match(tmp_path)
    clock = ("--decision-ms", "100", "--reserve-ms", "0")
    ended = match.play(["house", match.bot("hangs"), "greedy"], *SUBSTITUTE, *clock, games=3)
    assert ended.faults == {"house": {}, "hostile": {"timed_out": 9}, "greedy": {}}
    assert forfeits(match) == 3
    match.left_clean()


@both_levels
def test_a_bot_that_died_is_started_again_and_told_of_the_game(tmp_path: Path, sandbox: str) -> None:
    match = Match(tmp_path)
    log = tmp_path / "wire"
    ended = match.play(
        [match.bot("exits_on_turn"), "house"], *SUBSTITUTE, "--wire-log", str(log), games=2, sandbox=sandbox
    )
    assert ended.faults == {"hostile": {"crashed": 6}, "house": {}}
    said = [re.search('"type": ?"(\\w+)"', line) for line in log.read_text().splitlines()]
    types = [found.group(1) for found in said if found]
    life = ["hello", "ready", "game", "decide", "decision", "decide", "error"]
    assert types == life * 6
    assert forfeits(match) == 2
    match.left_clean()


def test_the_rest_of_what_was_said_wrongly_is_dropped(tmp_path: Path) -> None:
    match = Match(tmp_path)
    ended = match.play([match.bot("greets_once"), "house"], *SUBSTITUTE, games=4)
    assert ended.faults == {"hostile": {"protocol": 2}, "house": {}}  # once a process: two greetings are not two faults
    assert not forfeits(match)


def test_a_start_that_failed_is_tried_again_at_the_next_decision(tmp_path: Path) -> None:
    match = Match(tmp_path)
    starts = tmp_path / "starts"
    bot = match.bot("exits_at_every_other_start", starts)
    ended = match.play([bot, "house"], *SUBSTITUTE, games=2)
    assert ended.code == 0
    faults = ended.faults["hostile"]
    assert faults["start_failed"] >= 2
    assert sum(faults.values()) == 6
    assert len(starts.read_bytes()) == 6
    match.left_clean()


def test_every_other_start_failing_costs_those_games(tmp_path: Path) -> None:
    match = Match(tmp_path)
    ended = match.play([match.bot("exits_at_every_other_start", tmp_path / "starts"), "house"], games=6)
    assert ended.code == 0
    assert ended.faults == {"hostile": {"crashed": 3, "start_failed": 3}, "house": {}}


# The processor


def test_time_used_off_turn_is_metered(tmp_path: Path) -> None:
    match = Match(tmp_path)
    ended = match.play(
        [match.bot("burns_off_turn"), match.bot("fair", name="fair")],
        "--decision-ms",
        "20000",
        "--target",
        "1500",
        games=4,
    )
    assert ended.faults == {"hostile": {}, "fair": {}}
    assert ended.player("hostile")["cpu_seconds"]["off_turn"] > 0.03
    assert ended.player("fair")["cpu_seconds"]["off_turn"] < 0.03
    assert ended.player("hostile")["memory_bytes"] > 1 << 20


def test_frozen_bots_use_none_off_turn(tmp_path: Path) -> None:
    match = Match(tmp_path)
    bots = [match.bot("burns_off_turn"), match.bot("leaves_children", name="fair")]
    ended = match.play(bots, "--decision-ms", "20000", "--target", "1500", "--freeze", games=4)
    assert ended.faults == {"hostile": {}, "fair": {}}
    used = ended.player("hostile")["cpu_seconds"]
    assert used["off_turn"] < 0.03 < used["on_turn"]
    match.left_clean()


@both_levels
def test_a_frozen_bot_is_stopped_between_its_turns_and_can_say_goodbye(tmp_path: Path, sandbox: str) -> None:
    engine = engine_for(load("ten-thousand"))
    state, _events = engine.start(1)
    state, _events = engine.thrown(state, [(1, 2, 3, 4, 6, 6)])
    match = Match(tmp_path)
    program = find_bot(match.command("fair"))
    assert program is not None
    containment = Containment(Sandbox(sandbox))
    bot = ExternalBot(program, containment, name="frozen", freeze=True)

    def states() -> set[str]:
        assert bot._tree is not None
        return {Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] for pid in bot._tree._clocks}

    bot.begin(Seating("g", engine, ("frozen",), 0, 0, None))
    until(lambda: states() == {"T"})
    assert bot.decide(Request(1, 0, engine, state)) == Decision((1,), bank=True)
    until(lambda: states() == {"T"})
    assert bot.stop() == 0  # its own exit code: it was not killed
    containment.close()


@pytest.mark.parametrize("behaviour", ["chatters", "spins", "starves_itself"])
def test_a_bot_that_keeps_its_core_busy_is_late_by_its_own_fault(tmp_path: Path, behaviour: str) -> None:
    def play(match: Match, seats: int, sandbox: str) -> None:
        players = [player.format(bot=match.bot(behaviour)) for player in SEATS[seats]]
        clock = ("--decision-ms", "500", "--reserve-ms", "0")
        ended = match.play(players, *clock, games=seats, sandbox=sandbox)
        match.left_clean()
        if ended.code == 70:
            assert ended.error["code"] == "void"  # others took more than half of this core, five times in a row
            return
        faults = ended.faults
        assert faults.pop("hostile") == {"timed_out": seats}
        assert not any(faults.values())
        for path in match.records.glob("*-fault-*.json"):
            assert behaviour != "chatters" or re.search(CHATTER, json.loads(path.read_text())["detail"])

    for place in ALONE_AND_OF_THREE:  # one after the other: they would take the core from each other
        at_once(tmp_path, [place], play)


@pytest.mark.parametrize("times", [1, 2, 100])
def test_a_game_in_which_a_bot_was_starved_is_void_and_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """The bots of the first tries are gone by then, and those of the later ones are stopped between their turns."""
    match = Match(tmp_path)
    seen: list[tuple[int, bool]] = []

    def starved_at_first(_before: Share, _after: Share) -> bool:
        bots = [bot for lane in lanes._lanes for bot in lane if isinstance(bot, ExternalBot)]
        [(process, freeze)] = [(bot._connection.running.pid, bot.freeze) for bot in bots if bot._connection is not None]
        seen.append((process, freeze))
        return len(seen) <= times

    monkeypatch.setattr("dicegame.players.process.starved", starved_at_first)
    treatment = Treatment(Clock(decision_ms=100, reserve_ms=0), Sandbox.NONE)
    words = (match.command("hangs"), "house")
    lanes = Lanes(MatchSpec(load("ten-thousand"), words, ("hostile", "house"), treatment))
    block = BlockSpec.of(bytes(32), 0)
    try:
        if times > VOID_TRIES:
            with pytest.raises(TooManyVoid) as caught:
                play_blocks(lanes, [block])
            assert caught.value.exit_code == 70
            return
        result = play_blocks(lanes, [block])
        assert [game.attempts for game in result.games] == [times + 1, 1]
        assert [[report.code for _player, report in game.faults] for game in result.games] == [["timed_out"]] * 2
        processes, frozen = zip(*seen[: times + 1], strict=True)
        assert len(set(processes)) == times + 1
        assert frozen == (False, *[True] * times)
        assert not any(bot.freeze for lane in lanes._lanes for bot in lane if isinstance(bot, ExternalBot))
    finally:
        lanes.close()


def test_who_is_starved() -> None:
    def late(used: float, waited: float) -> bool:
        return starved(Share(10.0, 3.0, 1.0), Share(11.0, 3.0 + used, 1.0 + waited))

    assert late(0.3, 0.5)  # wanted four fifths of the core, and got less than half of it
    assert not late(0.6, 0.4)  # had its half
    assert not late(0.0, 0.0)  # slept
    assert not late(0.1, 0.2)  # slept most of the time
    assert late(0.0, 1.0)  # never ran


def test_the_bundle_of_a_fault_holds_what_its_author_needs(tmp_path: Path) -> None:
    match = Match(tmp_path / "a folder")
    ended = match.play(["house", match.bot("exits_on_turn")], games=2)
    assert ended.code == 0
    [path, _second] = sorted(match.records.glob("*-fault-0.json"))
    bundle = json.loads(path.read_text())
    record = match.records / "match-0-0.jsonl"
    assert (bundle["player"], bundle["game"], bundle["seat"]) == ("hostile", "match-0-0", 1)
    assert (bundle["code"], bundle["detail"], bundle["exit"]) == ("crashed", "it exited (exit code 7)", 7)
    assert bundle["log"] == "Traceback: division by zero"
    assert bundle["wire"][0].startswith('> {"type":"hello"')
    assert [line[:26] for line in bundle["wire"][-2:]] == ['> {"type":"decide","id":2,', '> {"type":"error","id":2,"']
    key = json.loads(record.read_text().splitlines()[-1])
    assert key == {"type": "key", "dice_key": bundle["dice_key"]}
    assert ended.result["reports"][0] == bundle
    replayed = match.run(*shlex.split(bundle["again"])[1:])
    assert replayed.code == 3
    assert "hostile: crashed: it exited (exit code 7)" in replayed.stderr
