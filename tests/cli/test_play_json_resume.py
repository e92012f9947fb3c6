"""A game that is killed again and again, at any moment, goes on to the very same end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import run
from tests.cli.wire import Live

GAMES = {
    "thousand": ("thousand", "human", "random", "house", "--seed", "x", "--target", "3000"),
    "high-dice": ("high-dice", "human", "random", "human", "house", "--seed", "y", "--set", "to=4"),
    "classic": ("thousand-classic", "random", "human", "random", "--seed", "z"),
}
Message = dict[str, Any]


def answer(decide: Message) -> bytes:
    """Answer as one would who only knows the question."""
    fields: dict[str, Any] = {"type": "decision", "id": decide["id"]}
    if "options" in decide:
        option = decide["options"][decide["id"] % len(decide["options"])]
        fields |= {
            "keep": option["keep"],
            "bank": option["bank"] and decide["id"] % 3 > 0,
            "why": f"no. {decide['id']}",
        }
    else:
        dice = decide["state"]["dice"][decide["seat"]]
        fields["keep"] = dice[: decide["id"] % 4]
    return json.dumps(fields).encode()


def same(message: Message) -> Message:
    """Return a message without what differs between two games with the same seed."""
    return {key: value for key, value in message.items() if key != "game"}


def whole(*args: str, home: Path) -> Iterator[Message]:
    """Play a game to its end; yield what is heard after the first lines."""
    with Live("play", "--json", *args, home=home) as live:
        while True:
            heard = live.hear()
            if heard["type"] not in {"hello", "game"}:
                yield same(heard)
            if heard["type"] == "decide":
                live.say(answer(heard))
            if heard["type"] == "result":
                assert live.process.wait() == 0
                return


@pytest.mark.parametrize("name", GAMES)
def test_killed_again_and_again_a_game_goes_on_the_same(name: str, tmp_path: Path) -> None:
    heard = list(whole(*GAMES[name], "--record", str(tmp_path / "whole"), home=tmp_path))
    asked = {message["id"]: message for message in heard if message["type"] == "decide"}
    assert len(asked) > 8
    moments = sorted(asked)[1 :: max(1, len(asked) // 4)]
    args, seen, ended = [*GAMES[name], "--record", str(tmp_path / "torn")], 0, False
    while not ended:
        with Live("play", "--json", *args, home=tmp_path) as live:
            started = [live.hear() for _ in range(1 + GAMES[name].count("human"))]
            assert [message["type"] for message in started] == ["hello", *["game"] * (len(started) - 1)]
            tail: list[Message] = []
            while not ended:
                message = live.hear()
                tail.append(same(message))
                ended = message["type"] == "result"
                if message["type"] == "decide":
                    assert same(message) == asked[message["id"]]
                    if moments and message["id"] >= moments[0]:
                        if len(moments) % 2:
                            live.say(answer(message))  # it may or may not get to it
                        seen += bool(moments.pop(0))
                        live.process.kill()
                        break
                    live.say(answer(message))
            live.process.wait()
        args = ["--resume", "--record", str(tmp_path / "torn")]
    assert seen >= 3
    assert heard[-len(tail) :] == tail
    # The record of the game that was killed is that of the one that was not.
    records = [(tmp_path / path).read_text().splitlines() for path in ("whole", "torn")]
    assert records[0][1:] == records[1][1:]
    headers = [json.loads(lines[0]) for lines in records]
    assert same(headers[0]) == same(headers[1])
    assert not list((tmp_path / "state/dicegame/games").glob("*"))
    assert run("verify", str(tmp_path / "torn")).returncode == 0


def test_only_what_belongs_beside_resume_is_taken(tmp_path: Path) -> None:
    for wrong in (["thousand"], ["human"], ["--seed", "x"], ["--dice", "1"], ["--target", "5"], ["--set", "open=5"]):
        done = run("play", "--json", *wrong, "--resume", "20", home=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert json.loads(done.stderr)["error"]["code"] == "usage"
    for name in ("20", "../20", "x" * 5000, "*", "\x01"):
        done = run("play", "--json", "--resume", name, home=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert json.loads(done.stderr)["error"]["code"] == "save"
