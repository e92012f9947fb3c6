"""What the sandbox keeps from a bot: what is the referee's, and what is other bots'."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from tests.hostile.harness import SEATS, Match, each_table, sandboxed


def _reasons(match: Match) -> set[str]:
    """Return what the bots gave as their reasons, in all records."""
    lines = [json.loads(line) for path in match.records.glob("*.jsonl") for line in path.read_text().splitlines()]
    return {line["why"] for line in lines if "why" in line}


@sandboxed
@each_table
def test_a_bot_sees_nothing_of_the_referee_and_of_other_bots(tmp_path: Path, seats: int) -> None:
    match = Match(tmp_path)
    store, other = tmp_path / "tournament.db", tmp_path / "other.py"
    for file in (store, other):
        file.write_text("secret")
    folder = tmp_path / "bots" / "mine"
    folder.mkdir(parents=True)
    (folder.parent / "theirs").mkdir()
    (folder.parent / "theirs" / "bot.py").write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(f"\0{match.marker}")
        unix.listen()
        files = [store, other, folder.parent / "theirs" / "bot.py", match.records, Path(__file__), match.temporary]
        command = match.command("spies_on_the_machine", *files, f"PORT={tcp.getsockname()[1]}")
        script = f"#!/bin/sh\nexec {command}\n"
        (folder / "bot.sh").write_text(script)
        (folder / "bot.sh").chmod(0o755)
        needs = json.dumps([str(Path(__file__).parent / "__pycache__")])
        (folder / "bot.toml").write_text(f'command = ["./bot.sh"]\nneeds = {needs}\n')
        players = [player.format(bot=f"hostile={folder}") for player in SEATS[seats]]
        ended = match.play(players, "--target", "2000", games=seats, sandbox="bwrap")
    assert ended.code == 0, ended.stderr
    assert not any(ended.faults.values())
    assert _reasons(match) == {"found: "}
    match.left_clean()


def test_the_spy_would_find_it_all_without_a_sandbox(tmp_path: Path) -> None:
    match = Match(tmp_path)
    store = tmp_path / "tournament.db"
    store.write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as tcp:
        bot = match.bot("spies_on_the_machine", store, f"PORT={tcp.getsockname()[1]}")
        ended = match.play(["house", bot], "--target", "2000", games=2)
    assert ended.code == 0, ended.stderr
    reasons = _reasons(match)  # two processes looked, and may have seen others come and go
    assert reasons
    assert all(f"found: {store} tcp process " in reason for reason in reasons)


@sandboxed
def test_a_bot_can_fill_nothing_but_its_own_scratch(tmp_path: Path) -> None:
    match = Match(tmp_path)
    ended = match.play(["house", match.bot("fills_the_disk")], "--target", "2000", games=2, sandbox="bwrap")
    assert not any(ended.faults.values())
    assert _reasons(match) == {"wrote 64 MiB"}


@sandboxed
def test_a_bot_that_is_one_file_sees_only_that(tmp_path: Path) -> None:
    """What lies beside it may be records, a store, or the bots of others."""
    match = Match(tmp_path)
    for name in ("beside.py", "store.db"):
        (tmp_path / name).write_text("secret")
    (tmp_path / "mine.py").write_text(
        "import json, os, sys\n"
        "beside = os.listdir(os.path.dirname(sys.argv[0]))\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    if m['type'] == 'hello': said = {'type': 'ready', 'protocol': 1, 'name': 'mine'}\n"
        "    elif m['type'] == 'decide':\n"
        "        o = m['options'][0]\n"
        "        said = {'type': 'decision', 'id': m['id'], 'keep': o['keep'], 'bank': o['bank'], 'why': ' '.join(beside)}\n"
        "    else: continue\n"
        "    print(json.dumps(said), flush=True)\n"
    )
    ended = match.play(["house", "hostile=python3 mine.py"], "--target", "1000", games=2, sandbox="bwrap")
    assert not any(ended.faults.values()), ended.result
    assert _reasons(match) == {"mine.py"}


@sandboxed
@pytest.mark.parametrize("command", ["sleep 1000", "cat", "no-such-program-anywhere x"])
def test_programs_that_are_no_bots_never_get_ready(tmp_path: Path, command: str) -> None:
    match = Match(tmp_path)
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_text(f"command = {json.dumps(command.split())}\n")
    ended = match.play(["house", f"hostile={folder}"], "--start-ms", "300", games=2, sandbox="bwrap")
    assert ended.code == 3
    assert ended.faults == {"house": {}, "hostile": {"start_failed": 2}}
    assert ended.error["code"] == "start_failed"
    assert "hostile never got ready: start_failed: " in ended.error["message"]
    match.left_clean()
