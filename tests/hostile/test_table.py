"""The table in protocol.md says of every bot what the tests here have seen of it."""

from __future__ import annotations

import re

import pytest

from tests.cli.process import ROOT
from tests.hostile import test_lines, test_outcomes, test_policies

PAGE = (ROOT / "protocol.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("\n## What happens to a bot that") : PAGE.index("\n## Dice")]
ROWS = dict(re.findall(r"^\| (.+?) \| (.+?) \| .*\|$", SECTION, re.MULTILINE))
OUTCOMES = {case.behaviour: case.code for case in test_outcomes.ALL}
LINES = {name: code for name, (code, _words) in test_lines.OUTCOMES.items()}
ELSEWHERE = {  # the test that has seen it
    "floods_with_old_answers": "test_outcomes.py",
    "chatters": "test_policies.py",
    "spins": "test_policies.py",
    "starves_itself": "test_policies.py",
    "burns_off_turn": "test_policies.py",
    "spies_on_the_machine": "test_sandbox.py",
    "banks_too_soon": "test_outcomes.py",
}
SAYS = {  # how a row begins, and the bots that it speaks of
    "exits or crashes before it is ready": "exits_at_start dies_at_start",
    "exits at its start and leaves a child": "child_holds_pipes_at_start",
    "never says `ready`": "never_ready",
    "speaks another version": "wrong_version",
    "prints something before `ready`": "talks_before_ready",
    "says `ready` twice": "ready_twice",
    "hangs, or stops itself": "hangs stops_itself",
    "computes for too long": "spins starves_itself",
    "never flushes": "never_flushes",
    "answers after its deadline": "answers_late",
    "writes half a line": "half_a_line",
    "stops reading": "stops_reading stops_reading_later",
    "closes its input": "closes_stdin",
    "repeats an old answer": "chatters",
    "says anything else": "chatters_freely",
    "writes a line without an end": "endless_line floods_off_turn",
    "floods with old answers": "floods_with_old_answers",
    "writes 400 KB of log": "long_log",
    "answers two questions at once": "two_at_once",
    "answers before it is asked": "answers_early",
    "says each answer twice": "answers_twice",
    "says what is not UTF-8": (
        "not_utf8 not_json broken_json not_an_object an_empty_line nul_bytes nul_in_text byte_order_mark "
        "two_messages single_quotes"
    ),
    "says NaN": "nan infinite digits_10000 digits_10000_id nested_10000 nested_10000_inside",
    "leaves a field out": (
        "no_keep no_bank no_id no_type unknown_type keep_is_text keep_holds_text keep_holds_floats keep_holds_true "
        "keep_is_null bank_is_text bank_is_1 id_is_text id_never_asked id_below_one digits_4000_id thousand_keys"
    ),
    "repeats a key": "duplicate_keys",
    "ends lines with CR LF": "odd_but_legal",
    "keeps dice that it does not have": (
        "keeps_what_is_not_there keeps_idle_dice keep_empty keep_sevens keep_negative keep_30000 keep_all_faces "
        "digits_4000"
    ),
    "banks where that is not allowed": "banks_too_soon",
    "exits or crashes on turn": "exits_on_turn crashes_on_turn",
    "exits off turn": "exits_off_turn",
    "closes its output": "closes_stdout",
    "exits and leaves a child": "child_holds_pipes",
    "closes its log": "closes_stderr",
    "ignores every signal": "ignores_signals",
    "starts helpers": "leaves_children",
    "forks away": "forks_away",
    "fills its working folder": "writes_scratch",
    "takes more memory": "eats_memory",
    "takes twice as much": "eats_shared_memory eats_memory_in_files eats_memory_in_children",
    "burns processor time": "burns_off_turn",
    "forks without end": "forks_without_end",
    "kills its parents": "kills_its_parents",
    "fills the disk": "fills_the_disk",
    "looks for the environment": "spies_on_the_machine",
    "opens a socket": "spies_on_the_machine",
}


def _row(start: str) -> str:
    [row] = (row for row in ROWS if row.startswith(start))
    return str(row)


@pytest.mark.parametrize("start", SAYS)
def test_row(start: str) -> None:
    code = ROWS[_row(start)]
    for bot in SAYS[start].split():
        seen = (OUTCOMES | LINES).get(bot, "elsewhere")
        if bot in ELSEWHERE:
            assert f'"{bot}"' in (ROOT / "tests" / "hostile" / ELSEWHERE[bot]).read_text(encoding="utf-8")
        else:
            assert code == ("none" if seen is None else f"`{seen}`"), bot


def test_every_row_is_true_of_some_bot_and_every_bot_is_in_the_table() -> None:
    rows = set(ROWS) - {"a bot that ...", "---"}
    assert {_row(start) for start in SAYS} == rows
    spoken_of = {bot for bots in SAYS.values() for bot in bots.split()}
    assert spoken_of >= (OUTCOMES.keys() | LINES.keys()) - {"fair", "fair_with_events"}


def test_the_page_has_no_words_that_no_bot_is_told() -> None:
    """The messages in quotation marks are those that the tests look for, in their own words or by a pattern."""
    patterns = [case.words for case in test_outcomes.ALL]
    known = [re.compile(pattern) for pattern in (*patterns, test_outcomes.NO_BANK, test_policies.CHATTER) if pattern]
    words = [words for _code, words in test_lines.OUTCOMES.values()]
    for quoted in re.findall(r'\| "(.+?)" \|$', SECTION, re.MULTILINE):
        told = quoted.replace("1024 MiB", "128 MiB")
        found = any(pattern.search(told) for pattern in known) or any(part in told or told in part for part in words)
        assert found, quoted
