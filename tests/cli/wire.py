"""Games over `play --json` with the real program: played by transcript, or live, one line at a time.

Every line that the program sends is checked on the way: compact JSON, and exactly the documented keys in their documented order.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.cli.process import COMMAND, environment, run

KEYS = {
    "hello": "protocol protocols referee limits",
    "game": "game name rules players seat seed dice_commitment",
    "decide": "id game seat decision_ms reserve_ms state",
    "error": "id code message",
    "result": "game scores winners reason dice_key",
}
EVENTS = {
    "turn": "seat",
    "roll": "seat dice",
    "keep": "seat dice points turn_points",
    "bank": "seat points score",
    "bust": "seat lost",
    "hot_dice": "seat",
    "all_dice": "seat",
    "final_round": "seat score",
    "penalty": "seat points cause score",
    "mark": "seat keep",
    "reveal": "dice",
    "replay": "seats",
}
PUSH_LUCK = "scores opened out busts turn turn_points dice target final_round"
HOUSE_RULES = PUSH_LUCK + " bolts barrel falls"
HIGH_DICE = "round rule find wins losses out to dice keeps order"


def checked(line: str) -> dict[str, Any]:
    """Return the message that a line of the program holds; its shape must be the documented one."""
    message = json.loads(line)
    assert line == json.dumps(message, separators=(",", ":"), ensure_ascii=False)
    assert len(line.encode()) < 65_536
    kind = message["type"]
    if kind == "event":
        word = message["event"]
        found = next(k for k in ("winner", "loser") if k in message) if word == "round" else ""
        wanted = f"game event {EVENTS.get(word, f'{found} wins losses')}"
    else:
        wanted = KEYS[kind]
    pushluck = kind == "decide" and "scores" in message["state"]
    if pushluck:
        wanted += " options"
        assert all(list(option) == ["keep", "points", "roll", "bank"] for option in message["options"])
    assert list(message) == ["type", *wanted.split()]
    if kind == "decide":
        state = message["state"]
        house = HOUSE_RULES if "bolts" in state else PUSH_LUCK
        assert list(state) == (house if pushluck else HIGH_DICE).split()
    return dict(message)


def told(message: dict[str, Any]) -> str:
    """Return a message as one line of a story; seats as letters."""
    kind = message["type"]
    if kind in {"hello", "game"}:
        return kind if kind == "hello" else f"game {_seat(message['seat'])}"
    if kind == "error":
        return f"error {message['code']}: {message['message']}"
    if kind == "result":
        return f"result {_row(message['scores'])} | {_seats(message['winners'])} | {message['reason']}"
    if kind == "decide":
        state = message["state"]
        dice = _row(state["dice"]) if "scores" in state else ""
        return f"decide {_seat(message['seat'])} {dice}".strip()
    word = message["event"]
    values = []
    for key in [key for key in message if key not in {"type", "game", "event"}]:
        value = message[key]
        if key in {"seat", "seats"}:
            values.append(_seat(value) if key == "seat" else _seats(value))
        elif word == "round":
            values.append(f"{key} {_row(value) if isinstance(value, list) else _seat(value)}")
        elif isinstance(value, list):
            values.append(" / ".join(map(_row, value)) if word == "reveal" else _row(value) or "-")
        else:
            values.append(str(value))
    return " ".join([word, *values])


def _row(values: list[int]) -> str:
    return " ".join(map(str, values))


def _seat(seat: int) -> str:
    return chr(ord("A") + seat)


def _seats(seats: list[int]) -> str:
    return " ".join(map(_seat, seats))


def lines(text: str) -> list[str]:
    """Return the lines of a story written as one text."""
    return [line.strip() for line in text.strip().splitlines()]


def answer(text: str) -> str:
    """Return an answer as its line: `1 5 bank`, `1 roll`, `keep 5 5` for high dice, or JSON as it stands."""
    if text.startswith("{"):
        return text
    *faces, last = text.split() if not text.startswith("keep") else [*text.split()[1:], "keep"]
    message: dict[str, Any] = {"type": "decision", "keep": [int(face) for face in faces]}
    return json.dumps(message if last == "keep" else {**message, "bank": last == "bank"})


@dataclass(frozen=True)
class Played:
    """What one run of the program came to."""

    code: int
    lines: list[str]
    stderr: str

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [checked(line) for line in self.lines]

    @property
    def story(self) -> list[str]:
        """Everything that was sent, one line a message."""
        return [told(message) for message in self.messages]

    def of(self, *kinds: str) -> list[str]:
        """Return the lines of the story that begin with one of these words."""
        return [line for line in self.story if line.split()[0] in kinds]

    def decides(self) -> list[dict[str, Any]]:
        return [message for message in self.messages if message["type"] == "decide"]

    def decide(self, seat: str, dice: str) -> dict[str, Any]:
        """Return the (first) question to a seat with these dice on the table."""
        return next(m for m in self.decides() if told(m) == f"decide {seat} {dice}")

    def options(self, seat: str, dice: str) -> dict[str, tuple[int, int, bool]]:
        """Return the options of a question: keep -> points, dice of the next roll, whether one may bank; in their order."""
        return {_row(o["keep"]): (o["points"], o["roll"], o["bank"]) for o in self.decide(seat, dice)["options"]}

    @property
    def error(self) -> dict[str, Any]:
        """The one object on stderr."""
        (line,) = self.stderr.splitlines()
        (error,) = json.loads(line).values()
        assert error["message"]
        assert line.startswith('{"error":{"code":"')
        return dict(error)


def after(played: Played, line: str) -> list[str]:
    """Return the story from its one such line on, without it."""
    story = played.story
    assert story.count(line) == 1
    return story[story.index(line) + 1 :]


def game(transcript: str, *args: str, home: Path | None = None, env: Mapping[str, str] | None = None) -> Played:
    """Play `play --json ARGS` by transcript: a line a roll, `1 5 3 3 6 2 > 1 5 bank`, several answers where some are wrong.

    The game ends with its result, or else for want of dice.
    """
    rows = [[part.strip() for part in row.split(">")] for row in transcript.strip().splitlines()]
    answers = [answer(part) for row in rows for part in row[1:]]
    dice = " / ".join(row[0] for row in rows if row[0])
    played = piped("play", "--json", *args, "--dice", dice, answers="\n".join(answers), home=home, env=env)
    assert played.story[0] == "hello"
    if played.code == 0:
        assert played.story[-1].startswith("result ")
        assert not played.stderr
    else:
        assert (played.code, played.error["code"]) == (2, "dice")
        assert "ran out" in played.error["message"]
    return played


def piped(*args: str, answers: str = "", home: Path | None = None, env: Mapping[str, str] | None = None) -> Played:
    """Run a command with all its input at once."""
    done = run(*args, input=answers, home=home, env=env)
    return Played(done.returncode, done.stdout.splitlines(), done.stderr)


class Live:
    """One run of the program, spoken to as it goes. Whatever hangs is killed after a minute."""

    def __init__(self, *args: str, home: Path, env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(home, env),
            bufsize=0,
        )
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self.stdin, self.stdout, self.stderr = self.process.stdin, self.process.stdout, self.process.stderr
        self._watch = threading.Timer(60, self.process.kill)
        self._watch.start()
        self._rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watch.cancel()
        self.process.kill()
        self.process.wait()
        for stream in (self.stdin, self.stdout, self.stderr):
            stream.close()

    def say(self, text: str | bytes) -> None:
        """Send one line: bytes as they are, or an answer as in a transcript."""
        line = text if isinstance(text, bytes) else answer(text).encode()
        self.stdin.write(line + b"\n")

    def hear(self) -> dict[str, Any]:
        """Return the next message."""
        while b"\n" not in self._rest:
            more = self.stdout.read(65_536)
            assert more, f"no more output: {self.stderr.read().decode()}"
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return checked(line.decode())

    def until(self, *kinds: str) -> list[dict[str, Any]]:
        """Return all messages up to the first of these kinds."""
        heard = [self.hear()]
        while heard[-1]["type"] not in kinds:
            heard.append(self.hear())
        return heard

    def ended(self) -> Played:
        """Wait for the end (without closing the input); return what was sent since the last message heard."""
        stderr = self.stderr.read().decode()  # first, since it is short: nothing else is written once it is closed
        lines = (self._rest + self.stdout.read()).decode().splitlines()
        return Played(self.process.wait(), lines, stderr)
