"""Start a bot with plain pipes and play with it: the engines are in this process, and there is no referee.

Every answer is checked: its shape, its id, that it is legal, and that nothing else stands on stdout.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dicegame import protocol
from dicegame.dice import roll, stream_key
from dicegame.games.base import Decision, Engine, Outcome, Phase
from dicegame.games.pushluck import PushLuck
from dicegame.players.base import Request, Seating
from dicegame.players.bots import BotProgram, find_bot
from dicegame.players.builtin import make

Json = dict[str, Any]

TOOLS = {
    "python": ("python3",),
    "javascript": ("node",),
    "c": ("cc",),
    "rust": ("rustc",),
    "java": ("javac", "java"),
    "shell": ("sh", "jq"),
}
PATIENCE = 30.0  # seconds for anything at all: a busy machine is no fault of the bot's


def missing_tool(language: str) -> str | None:
    """Return the name of a tool that this language's bots need and that is not here."""
    return next((tool for tool in TOOLS[language] if shutil.which(tool) is None), None)


def find(folder: Path) -> BotProgram:
    """Return how the bot in `folder` is started."""
    program = find_bot(str(folder))
    assert program is not None
    return program


def build(folder: Path) -> BotProgram:
    """Build the bot in `folder`, without a warning, and return how it is started."""
    command = find(folder).build
    if command:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert not done.stderr
    return find(folder)


class Bot:
    """A running bot; `open_bot` makes one."""

    def __init__(self, process: subprocess.Popen[bytes], errors: Path) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._input = process.stdin
        self._output = process.stdout.fileno()
        self._errors = errors
        self._unread = b""
        self.asked = 0

    def tell(self, *messages: Json | str) -> None:
        """Write messages, or lines as they are."""
        for message in messages:
            line = message if isinstance(message, str) else protocol.encode(message) + "\n"
            self._input.write(line.encode())
        self._input.flush()

    def line(self) -> bytes:
        """Return the next line, which must come in time, with no byte after it."""
        ready = select.poll()
        ready.register(self._output, select.POLLIN)
        deadline = time.monotonic() + PATIENCE
        while not self._unread.endswith(b"\n"):
            assert ready.poll(max(0.0, deadline - time.monotonic()) * 1000), f"no answer in time; {self.log()}"
            piece = os.read(self._output, 65_536)
            assert piece, f"the bot closed its output; {self.log()}"
            self._unread += piece
        line, self._unread = self._unread, b""
        assert line.count(b"\n") == 1, f"more than one line: {line!r}"
        return line

    def ask(self, message: Json | str) -> Json:
        """Put a question and return its answer."""
        self.tell(message)
        answer = json.loads(self.line())
        assert isinstance(answer, dict)
        return answer

    def hello(self) -> Json:
        """Shake hands."""
        return self.ask(protocol.hello(start_ms=10_000, decision_ms=1000, reserve_ms=10_000))

    def next_id(self) -> int:
        """Return an id that was never used in this process."""
        self.asked += 1
        return self.asked

    def close_input(self) -> None:
        """End its input."""
        self._input.close()

    def exit_code(self) -> int:
        """Wait for its end; by then it must have said nothing more."""
        code = self._process.wait(PATIENCE)
        assert self._unread + os.read(self._output, 65_536) == b""
        return code

    def log(self) -> str:
        """Return what it wrote to stderr."""
        return self._errors.read_text(errors="replace")


@contextmanager
def open_bot(program: BotProgram) -> Iterator[Bot]:
    """Start a bot in a scratch folder and a clean environment, as the referee does; nothing of it is left in the end."""
    with tempfile.TemporaryDirectory() as scratch:
        errors = Path(scratch) / "stderr"
        with errors.open("wb") as log:
            process = subprocess.Popen(
                program.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=scratch,
                env={"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "HOME": scratch, "TMPDIR": scratch},
            )
        with process:
            try:
                yield Bot(process, errors)
            finally:
                process.kill()


def question(engine: Engine[Any], state: Any, number: int, clock: int | None = 1000) -> Json:
    """Return the `decide` message that puts this state."""
    message = protocol.decide(number, "g1", state.seat, engine, state)
    return message | {"decision_ms": clock, "reserve_ms": clock}


def legal(engine: Engine[Any], state: Any, asked: Json, answer: Json) -> Decision:
    """Return the decision that an answer holds; whatever is wrong with it fails."""
    assert answer["type"] == "decision"
    assert answer["id"] == asked["id"]
    keep = answer["keep"]
    assert all(type(face) is int for face in keep)
    decision = Decision(tuple(sorted(keep)))
    if isinstance(engine, PushLuck):
        assert type(answer["bank"]) is bool
        decision.bank = answer["bank"]
        assert list(decision.keep) in [option["keep"] for option in asked["options"]]
    engine.check(state, decision)
    return decision


def decide(bot: Bot, engine: Engine[Any], state: Any, clock: int | None = 1000) -> Decision:
    """Put a state to the bot and return its legal decision."""
    asked = question(engine, state, bot.next_id(), clock)
    return legal(engine, state, asked, bot.ask(asked))


def begin(bot: Bot, engine: Engine[Any], players: Sequence[str] = ("one", "two"), seat: int = 0) -> None:
    """Tell the bot that a game begins."""
    bot.tell(protocol.game("g1", engine, players=players, seat=seat, seed=7, commitment=None))


Decider = Callable[[Engine[Any], Any], Decision]


def positions(engine: Engine[Any], deciders: Mapping[int, Decider], seats: int, stream: int) -> Iterator[Any]:
    """Play one game over seeded dice; yield every state in which a seat decides, and last the one that ends the game."""
    key = stream_key(bytes(32), stream)
    state, _events = engine.start(seats)
    while state.phase is not Phase.OVER:
        if state.phase is Phase.DECIDE:
            yield state
            state, _events = engine.decide(state, deciders[state.seat](engine, state))
        else:
            dice = [roll(key, throw.seat, throw.turn, throw.roll, throw.dice) for throw in engine.throws(state)]
            state, _events = engine.thrown(state, dice)
    yield state


class BuiltIn:
    """A built-in player as a decider."""

    def __init__(self, word: str, engine: Engine[Any], seat: int, seats: int) -> None:
        self._player = make(word)
        self._player.begin(Seating("g1", engine, tuple(map(str, range(seats))), seat, 7 + seat, None))
        self._asked = 0

    def __call__(self, engine: Engine[Any], state: Any) -> Decision:
        """Return its decision."""
        self._asked += 1
        answer = self._player.decide(Request(self._asked, state.seat, engine, state))
        assert isinstance(answer, Decision)
        return answer


def play(bot: Bot, engine: Engine[Any], seats: int, mine: set[int], stream: int) -> Outcome:
    """Play one whole game with the bot in the seats `mine` and `house` in the others; return its outcome."""
    for seat in sorted(mine):
        begin(bot, engine, [f"p{n}" for n in range(seats)], seat)
    deciders: dict[int, Decider] = {seat: BuiltIn("house", engine, seat, seats) for seat in range(seats)}
    deciders |= dict.fromkeys(mine, lambda engine, state: decide(bot, engine, state))
    *_decided, last = positions(engine, deciders, seats, stream)
    outcome: Outcome = last.outcome
    bot.tell(protocol.result("g1", outcome, None))
    return outcome
