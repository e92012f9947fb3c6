"""Every hostile bot against the whole referee, against `house` alone and as one of three: the table in protocol.md.

Whatever a bot does, only it has faults, with the right code and in words that its author can act on; the match goes on to its last
game; every record proves itself; and of the bot nothing is left: no process, no file.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hostile.harness import ALONE_AND_OF_THREE, EVERYWHERE, SEATS, Ended, Match, at_once, each_table, sandboxed

HANGING = ("--decision-ms", "200", "--reserve-ms", "0")
PATIENT = ("--decision-ms", "20000")


@dataclass(frozen=True)
class Case:
    """A behaviour, the code of its fault (None: it plays fair), what the fault is told as, and the options of the match."""

    behaviour: str
    code: str | None
    words: str = ""
    options: tuple[str, ...] = PATIENT
    argument: str = ""
    exit: int = 0


EXITED = r"^it exited \(exit code {}\)$"
NOT_READY = "^before it was ready: "
NO_BANK = r"^no bank yet: this turn has \d+ points and needs \d+; "
NO_ANSWER = r"^no answer in time: did you flush\?$"

# Whatever these do, they do it in a game: a match in which the bot is another of them in every game shows them all
IN_TIME = [
    Case("chatters_freely", "protocol", "^line is not JSON: column 1; stdout is the wire"),
    Case("endless_line", "flooded", "^the line is longer than 65536 bytes$"),
    Case("floods_off_turn", "flooded", "^the line is longer than 65536 bytes$"),
    Case("two_at_once", "protocol", "^answered id 2, which was not asked yet$"),
    Case("keeps_what_is_not_there", "illegal", r"^kept (\d) \1 \1, but there (is|are) (no|only \d)"),
    Case("keeps_idle_dice", "illegal", "^kept .*, but .* (is part of no combination|scores only together with other dice) of "),
    Case("exits_on_turn", "crashed", EXITED.format(7)),
    Case("exits_off_turn", "crashed", r"it exited \(exit code 5\)$"),
    Case("crashes_on_turn", "crashed", r"^it exited \(signal 11\)$"),
    Case("closes_stdout", "crashed", "^it closed its output$"),
    Case("child_holds_pipes", "crashed", EXITED.format(0)),
    Case("fair", None),
]  # fmt: skip
LATE = [
    Case("hangs", "timed_out", NO_ANSWER),
    Case("never_flushes", "timed_out", NO_ANSWER),
    Case("stops_itself", "timed_out", NO_ANSWER),
    Case("answers_late", "timed_out", NO_ANSWER, argument="0.4"),
    Case("half_a_line", "timed_out", r"^20 bytes of a line and no end: is there a newline, and did you flush\?$"),
    Case("stops_reading_later", "timed_out", NO_ANSWER),
    Case("closes_stdin", "timed_out", "^it closed its input$"),
]  # fmt: skip

# These are so from their start on, or play fair: each has matches of its own
STARTING = [
    Case("exits_at_start", "start_failed", NOT_READY + r"it exited \(exit code 3\)$", exit=3),
    Case("dies_at_start", "start_failed", NOT_READY + r"it exited \(signal 11\)$", exit=3),
    Case("child_holds_pipes_at_start", "start_failed", NOT_READY + r"it exited \(exit code 0\)$", exit=3),
    Case("never_ready", "start_failed", NOT_READY + NO_ANSWER[1:], ("--start-ms", "250"), exit=3),
    Case("wrong_version", "start_failed", "^protocol 2 is not spoken here, only 1$", exit=3),
    Case("talks_before_ready", "start_failed", "stdout is the wire: print anything else to stderr$", exit=3),
    Case("ready_twice", "protocol", "^ready is said once, at the start$"),
    Case("answers_early", "protocol", "^answered id 1, which was not asked yet$"),
    Case("stops_reading", "timed_out", r"^\d+ bytes of its input are unread: it does not read$", HANGING),
]  # fmt: skip
FAIR = [
    Case("fair_with_events", None),
    Case("answers_twice", None),
    Case("long_log", None),
    Case("duplicate_keys", None),
    Case("odd_but_legal", None),
    Case("closes_stderr", None),
    Case("ignores_signals", None),
    Case("leaves_children", None),
    Case("forks_away", None),
    Case("writes_scratch", None),
]
LITTLE = ("--memory", "64", *PATIENT)
TOGETHER = r"^its processes held more than 128 MiB \(signal 9\)$"
GREEDY = [
    Case("eats_memory", "crashed", EXITED.format(1), LITTLE),
    Case("eats_shared_memory", "crashed", TOGETHER, LITTLE),
    Case("eats_memory_in_files", "crashed", TOGETHER, LITTLE),
    Case("eats_memory_in_children", "crashed", TOGETHER, LITTLE),
]
IN_THE_SANDBOX = [
    Case("forks_without_end", "crashed", r"^it had more than \d+ processes \(signal 9\)$"),
    Case("kills_its_parents", "crashed", EXITED.format(0)),
    Case("fills_the_disk", None),
]


ALL = (*IN_TIME, *LATE, *STARTING, *FAIR, *GREEDY, *IN_THE_SANDBOX)


def play(match: Match, case: Case, seats: int, sandbox: str) -> Ended:
    """Play a match of two blocks with this bot, and assert what holds for every one of them."""
    players = [player.format(bot=match.bot(case.behaviour)) for player in SEATS[seats]]
    games = seats if case in GREEDY or case in IN_THE_SANDBOX else 2 * seats  # these take their time
    ended = match.play(players, "--target", "2000", *case.options, games=games, sandbox=sandbox)
    assert ended.code == case.exit, ended.stderr
    result = ended.result
    assert result["containment"] == ("bwrap" if sandbox == "bwrap" else "supervised")
    if case.exit == 0:
        assert result["games"] == games
        assert not result["void"]
    expected = {} if case.code is None else {case.code: result["games"]}
    assert ended.faults == {
        player["name"]: expected if player["name"] == "hostile" else {} for player in result["players"]
    }
    bundles = [json.loads(path.read_text()) for path in match.records.glob("*-fault-*.json")]
    assert len(bundles) == sum(expected.values())
    for bundle in bundles:
        assert re.search(case.words, bundle["detail"]), bundle["detail"]
        assert bundle["player"] == "hostile"
    match.left_clean()
    return ended


@pytest.mark.parametrize(("cases", "options"), [(IN_TIME, PATIENT), (LATE, HANGING)], ids=["in time", "late"])
def test_what_is_done_in_a_game_costs_that_game(tmp_path: Path, cases: list[Case], options: tuple[str, ...]) -> None:
    def play_all(match: Match, seats: int, sandbox: str) -> None:
        bot = match.bot("medley", *(f"{case.behaviour}={case.argument}" for case in cases))
        players = [player.format(bot=bot) for player in SEATS[seats]]
        games = -(-len(cases) // seats) * seats
        ended = match.play(players, "--target", "2000", *options, games=games, sandbox=sandbox)
        assert ended.code == 0, ended.stderr
        assert ended.result["games"] == games
        assert not ended.result["void"]
        played = [cases[game % len(cases)] for game in range(games)]
        for game, case in enumerate(played):
            block, rotation = divmod(game, seats)
            bundles = list(match.records.glob(f"match-{block}-{rotation}-fault-*.json"))
            assert len(bundles) == (case.code is not None), case
            for path in bundles:
                bundle = json.loads(path.read_text())
                assert (bundle["player"], bundle["code"]) == ("hostile", case.code), (case, bundle)
                assert re.search(case.words, bundle["detail"]), (case, bundle["detail"])
        faults = ended.faults
        assert sum(faults.pop("hostile").values()) == sum(case.code is not None for case in played)
        assert not any(faults.values())
        match.left_clean()

    at_once(tmp_path, EVERYWHERE, play_all)


@pytest.mark.parametrize("case", [*STARTING, *FAIR, *GREEDY], ids=lambda case: case.behaviour)
def test_outcome(tmp_path: Path, case: Case) -> None:
    at_once(tmp_path, ALONE_AND_OF_THREE, lambda match, seats, sandbox: play(match, case, seats, sandbox))


@sandboxed
@each_table
@pytest.mark.parametrize("case", IN_THE_SANDBOX, ids=lambda case: case.behaviour)
def test_what_only_a_sandbox_holds(tmp_path: Path, case: Case, seats: int) -> None:
    play(Match(tmp_path), case, seats, "bwrap")


def test_a_bank_where_none_is_allowed(tmp_path: Path) -> None:
    """In thousand nobody may bank before the first turn of 75 points; other games have nothing of the kind."""

    def bank(match: Match, seats: int, sandbox: str) -> None:
        players = [player.format(bot=match.bot("banks_too_soon")) for player in SEATS[seats]]
        ended = match.play(players, "--rules", "thousand", *PATIENT, games=4 * seats, sandbox=sandbox)
        assert ended.code == 0, ended.stderr
        faults = ended.faults
        assert set(faults.pop("hostile")) == {"illegal"}
        assert not any(faults.values())
        for path in match.records.glob("*-fault-*.json"):
            assert re.search(NO_BANK, json.loads(path.read_text())["detail"])
        match.left_clean()

    at_once(tmp_path, ALONE_AND_OF_THREE, bank)


def test_a_flood_of_old_answers(tmp_path: Path) -> None:
    """A thousand of them before its next turn are a flood; where that comes sooner they are answers to an old question, and it is late."""

    def flood(match: Match, seats: int, sandbox: str) -> None:
        players = [player.format(bot=match.bot("floods_with_old_answers")) for player in SEATS[seats]]
        ended = match.play(players, "--target", "2000", *HANGING, games=2 * seats, sandbox=sandbox)
        assert ended.code == 0, ended.stderr
        faults = ended.faults
        hostile = faults.pop("hostile")
        assert set(hostile) <= {"flooded", "timed_out"}
        assert sum(hostile.values()) == 2 * seats
        assert not any(faults.values())
        match.left_clean()

    at_once(tmp_path, ALONE_AND_OF_THREE, flood)
