"""protocol.md is true: its transcripts are what the program says, its bot plays, its vectors hold."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from dicegame import dice
from dicegame.games.events import Event
from tests.cli.process import COMMAND, ROOT, environment, run

PAGE = (ROOT / "protocol.md").read_text(encoding="utf-8")
TRANSCRIPTS = re.findall(r"```transcript\n(.*?)```", PAGE, re.DOTALL)


def _pattern(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.split("..."))


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda t: t.split("\n")[0])
def test_transcript(transcript: str) -> None:
    head, *rest = transcript.strip().split("\n")
    arguments = shlex.split(head.removeprefix("$ dicegame "))
    typed = "".join(line[2:] + "\n" for line in rest if line.startswith("> "))
    expected = [line[2:] for line in rest if line.startswith("< ")]
    code = int(next(line[2:] for line in rest if line.startswith("= ")))
    ended = run(*arguments, input=typed)
    printed = ended.stdout.splitlines()
    for said, wanted in zip(printed, expected, strict=True):
        assert re.fullmatch(_pattern(wanted), said), (wanted, said)
    assert ended.returncode == code
    assert not ended.stderr


def test_there_are_transcripts() -> None:
    assert len(TRANSCRIPTS) >= 3


def test_bot_in_ten_minutes_plays(tmp_path: Path) -> None:
    [bot] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    program = bot.replace('["dicegame", ', f"[{', '.join(map(repr, COMMAND))}, ")
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert re.fullmatch(r"\[\d+, \d+\] \[[01](, 1)?\]\n", ended.stdout), ended.stderr


def test_bot_of_the_page_passes_a_match(tmp_path: Path) -> None:
    [bot] = re.findall(r"```bot\n(.*?)```", PAGE, re.DOTALL)
    program = tmp_path / "mine.py"
    program.write_text(bot, encoding="utf-8")
    for rules in ("ten-thousand", "thousand", "high-dice"):
        ended = run(
            "match", f"{sys.executable} {program}", "house", "--games", "20", "--rules", rules, "--json", home=tmp_path
        )
        result = json.loads(ended.stdout)
        assert result["games"] == 20
        assert [player["faults"] for player in result["players"]] == [{}, {}]


def test_vectors_of_the_page_are_those_of_the_function() -> None:
    seed = bytes(range(32))
    key = dice.stream_key(seed, 7)
    assert key.hex() in PAGE
    assert dice.commitment(key) in PAGE
    assert dice.commitment(seed) in PAGE
    for seat, turn, number, n in ((0, 0, 0, 6), (1, 0, 0, 6), (0, 3, 2, 4)):
        assert f"| {' '.join(map(str, dice.roll(key, seat, turn, number, n)))} |" in PAGE
    assert f"| {' '.join(map(str, dice.roll(dice.stream_key(seed, 8), 0, 0, 0, 6)))} |" in PAGE


def test_every_event_is_documented() -> None:
    events = PAGE[PAGE.index("## Events") : PAGE.index("## Wrong answers")].splitlines()
    for kind in Event.__args__:
        row = next(line for line in events if line.startswith(f"| `{kind.event}` |"))
        for field in kind.__slots__:
            assert f"`{field}`" in row, (kind.event, field)
