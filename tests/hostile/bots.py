"""The hostile bots, each a real process: `python bots.py BEHAVIOUR MARKER [ARGUMENT]`.

MARKER stands in the argument list (and so in that of every fork) and in the environment of whatever is started: the tests look for it
in /proc to find what outlived its game. A behaviour is a function with that name below; what becomes of it stands in protocol.md.
"""

# ruff: noqa: PLC0415 - a bot is started anew in almost every game of these tests: what a few of them need is imported there

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn

    Message = dict[str, Any]

BEHAVIOUR, MARKER, *ARGUMENTS = sys.argv[1:]


def out(line: str | bytes) -> None:
    """Write raw bytes to the wire, however long it takes."""
    data = line.encode() if isinstance(line, str) else line
    while data:
        data = data[os.write(1, data) :]


def say(message: Message) -> None:
    out(json.dumps(message) + "\n")


def log(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def read() -> Message:
    """Return the next message; the end of input ends the program."""
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    message: Message = json.loads(line)
    if message["type"] == "error":
        log(f"told: {message['code']}: {message['message']}")
    return message


said_ready = False


def ready(**more: Any) -> None:
    """Wait for `hello`, and say that it is ready, unless it has."""
    global said_ready  # noqa: PLW0603 - a process is one bot
    if not said_ready:
        while read()["type"] != "hello":
            pass
        say({"type": "ready", "protocol": 1, "name": BEHAVIOUR, **more})
    said_ready = True


def game_number(message: Message) -> int:
    """Return which game of its match a `game` message begins, from 0."""
    block, rotation = map(int, message["game"].split("-")[1:])
    return block * len(message["players"]) + rotation


def questions() -> Iterator[Message]:
    """Yield every question; `bye` ends the program."""
    while True:
        message = read()
        if message["type"] == "decide":
            yield message
        elif message["type"] == "bye":
            sys.exit(0)


def legal(question: Message, **more: Any) -> Message:
    """Return a legal answer: bank as soon as it may be done."""
    options = question.get("options")
    if options is None:
        return {"type": "decision", "id": question["id"], "keep": [], **more}
    option = next((o for o in options if o["bank"]), options[0])
    return {"type": "decision", "id": question["id"], "keep": option["keep"], "bank": option["bank"], **more}


def play(answer: Callable[[Message], None], *, fair: int = 0, **more: Any) -> NoReturn:
    """Get ready, answer `fair` questions well, and the others by `answer`."""
    ready(**more)
    for number, question in enumerate(questions()):
        if number < fair:
            say(legal(question))
        else:
            answer(question)
    raise AssertionError


def forever() -> NoReturn:
    while True:
        time.sleep(60)


def say_legal(question: Message) -> None:
    say(legal(question))


# Getting ready


def fair() -> None:
    play(say_legal)


def fair_with_events() -> None:
    play(say_legal, events=True)


def exits_at_start() -> None:
    log("no licence found")
    sys.exit(3)


def dies_at_start() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def exits_at_every_other_start() -> None:
    """Count the starts in a file (its argument): the second, the fourth, ... fail."""
    from pathlib import Path

    file = Path(ARGUMENTS[0])
    starts = len(file.read_bytes()) if file.exists() else 0
    file.write_bytes(b"x" * (starts + 1))
    if starts % 2:
        sys.exit(1)
    play(lambda _question: sys.exit(1), fair=1)


def never_ready() -> None:
    while sys.stdin.buffer.readline():
        pass
    forever()


def ready_twice() -> None:
    out('{"type":"ready","protocol":1,"name":"a"}\n{"type":"ready","protocol":1,"name":"b"}\n')
    play(say_legal)


def wrong_version() -> None:
    ready(protocol=2)
    for question in questions():
        say(legal(question))


def talks_before_ready() -> None:
    out("Loading the neural network...\n")
    play(say_legal)


def plays_only_high_dice() -> None:
    play(say_legal, games=["high-dice"])


# Time


def hangs() -> None:
    play(lambda _question: forever())


def spins() -> None:
    def spin(_question: Message) -> None:
        while True:
            pass

    play(spin)


def answers_late() -> None:
    """Answer well, its first argument in seconds too late."""

    def late(question: Message) -> None:
        time.sleep(float(ARGUMENTS[0]))
        say(legal(question))

    play(late)


def late_once_a_game() -> None:
    """Answer the first question of a game too late, and the others at once."""
    ready()
    first = False
    while True:
        message = read()
        if message["type"] == "game":
            first = True
        elif message["type"] == "decide":
            if first:
                time.sleep(float(ARGUMENTS[0]))
            first = False
            say(legal(message))
        elif message["type"] == "bye":
            sys.exit(0)


def half_a_line() -> None:
    def half(question: Message) -> None:
        out(json.dumps(legal(question))[:20])
        forever()

    play(half)


def never_flushes() -> None:
    """The classic slip: the answer waits in the bot's own buffer."""

    def write(question: Message) -> None:
        sys.stdout.write(json.dumps(legal(question)) + "\n")

    play(write)


def stops_reading() -> None:
    ready(events=True)
    forever()


def stops_reading_later() -> None:
    play(lambda _question: forever(), fair=2, events=True)


def stops_itself() -> None:
    play(lambda _question: os.kill(os.getpid(), signal.SIGSTOP))


# Talk


def chatters() -> None:
    """One line a millisecond, all of them answers to a question long decided."""

    def chatter(question: Message) -> None:
        while True:
            say({**legal(question), "id": 1})
            time.sleep(0.001)

    play(chatter, fair=1)


def chatters_freely() -> None:
    def chatter(_question: Message) -> None:
        while True:
            out("info depth 12 score 0.71\n")
            time.sleep(0.001)

    play(chatter)


def endless_line() -> None:
    def endless(_question: Message) -> None:
        while True:
            out(b"x" * 65536)

    play(endless)


def long_log() -> None:
    """400 KB of log a move, beside a legal answer."""

    def answer(question: Message) -> None:
        sys.stderr.write(("thinking " * 8 + "\n") * 5600)
        sys.stderr.flush()
        say(legal(question))

    play(answer)


def two_at_once() -> None:
    def two(question: Message) -> None:
        line = json.dumps(legal(question)) + "\n"
        out(line + line.replace(f'"id": {question["id"]}', f'"id": {question["id"] + 1}'))

    play(two)


def answers_early() -> None:
    out('{"type":"ready","protocol":1,"name":"early"}\n{"type":"decision","id":1,"keep":[1],"bank":true}\n')
    play(say_legal)


def answers_twice() -> None:
    """The same answer a second time: recorded and ignored."""

    def twice(question: Message) -> None:
        line = json.dumps(legal(question)) + "\n"
        out(line + line)

    play(twice)


def floods_off_turn() -> None:
    """Answer, and go on with a line that has no end."""

    def flood(question: Message) -> None:
        say(legal(question))
        while True:
            out(b"y" * 65536)

    play(flood)


def floods_with_old_answers() -> None:
    def flood(question: Message) -> None:
        line = (json.dumps(legal(question)) + "\n").encode()
        while True:
            out(line * 1000)

    play(flood)


# Shape


def raw(line: str | bytes) -> Callable[[Message], None]:
    """Return what answers with this line, `ID` in it replaced by the number of the question."""
    data = line.encode() if isinstance(line, str) else line
    return lambda question: out(data.replace(b"ID", str(question["id"]).encode()) + b"\n")


LINES: dict[str, str | bytes] = {
    "not_json": "keep the 1!",
    "broken_json": '{"type":"decision","id":ID,"keep":[1],,"bank":true}',
    "not_an_object": "[1]",
    "an_empty_line": "",
    "no_type": '{"id":ID,"keep":[1],"bank":true}',
    "unknown_type": '{"type":"move","id":ID,"keep":[1],"bank":true}',
    "not_utf8": b'{"type":"decision","id":ID,"keep":[1],"bank":true,"why":"\xff\xfe"}',
    "nul_bytes": b"\0\0\0\0",
    "nul_in_text": b'{"type":"decision","id":ID,"keep":[1],"bank":true,"why":"\0"}',
    "byte_order_mark": b'\xef\xbb\xbf{"type":"decision","id":ID,"keep":[1],"bank":true}',
    "nan": '{"type":"decision","id":ID,"keep":[NaN],"bank":true}',
    "infinite": '{"type":"decision","id":ID,"keep":[1e999],"bank":true}',
    "digits_10000": '{"type":"decision","id":ID,"keep":[' + "7" * 10_000 + '],"bank":true}',
    "digits_10000_id": '{"type":"decision","id":' + "9" * 10_000 + ',"keep":[1],"bank":true}',
    "digits_4000_id": '{"type":"decision","id":' + "9" * 4_000 + ',"keep":[1],"bank":true}',
    "digits_4000": '{"type":"decision","id":ID,"keep":[' + "7" * 4_000 + '],"bank":true}',
    "nested_10000": "[" * 10_000 + "]" * 10_000,
    "nested_10000_inside": '{"type":"decision","id":ID,"keep":[1],"bank":true,"x":' + "[" * 10_000 + "]" * 10_000 + "}",
    "two_messages": '{"type":"decision","id":ID,"keep":[1],"bank":true}{"type":"decision"}',
    "single_quotes": "{'type':'decision','id':ID,'keep':[1],'bank':true}",
    "keep_is_text": '{"type":"decision","id":ID,"keep":"1","bank":true}',
    "keep_holds_text": '{"type":"decision","id":ID,"keep":["1"],"bank":true}',
    "keep_holds_floats": '{"type":"decision","id":ID,"keep":[1.0],"bank":true}',
    "keep_holds_true": '{"type":"decision","id":ID,"keep":[true],"bank":true}',
    "keep_is_null": '{"type":"decision","id":ID,"keep":null,"bank":true}',
    "bank_is_text": '{"type":"decision","id":ID,"keep":[1],"bank":"yes"}',
    "bank_is_1": '{"type":"decision","id":ID,"keep":[1],"bank":1}',
    "id_is_text": '{"type":"decision","id":"ID","keep":[1],"bank":true}',
    "no_keep": '{"type":"decision","id":ID,"bank":true}',
    "no_bank": '{"type":"decision","id":ID,"keep":[1]}',
    "no_id": '{"type":"decision","keep":[1],"bank":true}',
    "id_never_asked": '{"type":"decision","id":4321,"keep":[1],"bank":true}',
    "id_below_one": '{"type":"decision","id":-1,"keep":[1],"bank":true}',
    "thousand_keys": '{"type":"decision",'
    + ",".join(f'"key{n}":{n}' for n in range(1000))
    + ',"id":ID,"keep":"1","bank":true}',
    "keep_empty": '{"type":"decision","id":ID,"keep":[],"bank":true}',
    "keep_sevens": '{"type":"decision","id":ID,"keep":[7],"bank":true}',
    "keep_negative": '{"type":"decision","id":ID,"keep":[-1],"bank":true}',
    "keep_30000": '{"type":"decision","id":ID,"keep":[' + ",".join(["1"] * 30_000) + '],"bank":true}',
    "keep_all_faces": '{"type":"decision","id":ID,"keep":[1,1,2,2,3,3,4,4,5,5,6,6],"bank":false}',
}


def greets_once() -> None:
    """Say something else before the first answer of all, and then the answer."""

    def answer(question: Message) -> None:
        if question["id"] == 1:
            out("Hello!\nI am a bot.\n")
        say(legal(question))

    play(answer)


def malformed() -> None:
    """Answer with another of the lines above in every game of a match, in their order."""
    ready()
    line: str | bytes = ""
    while True:
        message = read()
        if message["type"] == "game":
            lines = list(LINES.values())
            line = lines[game_number(message) % len(lines)]
        elif message["type"] == "decide":
            raw(line)(message)
        elif message["type"] == "bye":
            sys.exit(0)


def duplicate_keys() -> None:
    """Of a repeated key the last counts: this is legal."""

    def answer(question: Message) -> None:
        out('{"id":999,"keep":[],"bank":"no",' + json.dumps(legal(question))[1:] + "\n")

    play(answer)


def odd_but_legal() -> None:
    """CR LF, spaces, unknown fields, faces in any order, a very long reason: all of it legal."""

    def answer(question: Message) -> None:
        said = legal(question, why="\x1b[31m" + "because " * 1000, mood={"a": [1, None]})
        said["keep"] = said["keep"][::-1]
        out("  " + json.dumps(said) + " \r\n")

    play(answer)


def keeps_what_is_not_there() -> None:
    def answer(question: Message) -> None:
        missing = next(face for face in (1, 5, 2, 3, 4, 6) if question["state"]["dice"].count(face) < 3)
        say({**legal(question), "keep": [missing] * 3})

    play(answer)


def keeps_idle_dice() -> None:
    """Keep a die that scores nothing beside one that does."""

    def answer(question: Message) -> None:
        dice, keeps = question["state"]["dice"], [option["keep"] for option in question["options"]]
        idle = [[*keep, face] for keep in keeps for face in dice if sorted([*keep, face]) not in keeps]
        idle = [keep for keep in idle if all(dice.count(face) >= keep.count(face) for face in keep)]
        say({**legal(question), "keep": idle[0]} if idle else legal(question))

    play(answer)


def banks_too_soon() -> None:
    def answer(question: Message) -> None:
        option = next((o for o in question["options"] if not o["bank"]), None)
        say(legal(question) if option is None else {**legal(question), "keep": option["keep"], "bank": True})

    play(answer)


# Processes


def exits_on_turn() -> None:
    def leave(_question: Message) -> None:
        log("Traceback: division by zero")
        sys.exit(7)

    play(leave, fair=1)


def crashes_on_turn() -> None:
    play(lambda _question: os.kill(os.getpid(), signal.SIGSEGV))


def exits_off_turn() -> None:
    def leave(question: Message) -> None:
        say(legal(question))
        sys.exit(5)

    play(leave)


def closes_stdout() -> None:
    def close(_question: Message) -> None:
        os.close(1)
        forever()

    play(close)


def closes_stdin() -> None:
    def close(question: Message) -> None:
        os.close(0)
        say(legal(question))
        forever()

    play(close)


def closes_stderr() -> None:
    """An author's own business: no fault."""
    os.close(2)
    play(say_legal)


def ignores_signals() -> None:
    """Play fair, but never leave: no signal, no `bye`, no end of input."""
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGQUIT):
        signal.signal(name, signal.SIG_IGN)
    ready()
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            forever()
        message = json.loads(line)
        if message["type"] == "decide":
            say(legal(message))


def child_holds_pipes() -> None:
    """Leave, while a child holds the pipes open."""

    def leave(_question: Message) -> None:
        if os.fork() == 0:
            forever()
        os._exit(0)

    play(leave)


def child_holds_pipes_at_start() -> None:
    if os.fork() == 0:
        forever()
    os._exit(0)


def leaves_children() -> None:
    """Start two helpers in each of its first games, one in its group and one outside it, and play fair."""
    import subprocess

    games = 0
    ready()
    while True:
        message = read()
        if message["type"] == "game" and games < 3:
            games += 1
            subprocess.Popen(["sleep", "1000"])
            subprocess.Popen(["sleep", "1000"], start_new_session=True)
        elif message["type"] == "decide":
            say(legal(message))
        elif message["type"] == "bye":
            sys.exit(0)


def forks_away() -> None:
    """A daemon: a grandchild in a session of its own, without its parents, that holds nothing of theirs."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            null = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(null, stream)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            forever()
        os._exit(0)
    os.wait()
    play(say_legal)


def eats_memory() -> None:
    def eat(_question: Message) -> None:
        held = []
        while True:
            held.append(bytearray(os.urandom(1 << 16) * 256))

    play(eat)


def eats_shared_memory() -> None:
    """Memory that no resource limit of one process counts."""
    import mmap

    def eat(_question: Message) -> None:
        held = []
        while True:
            piece = mmap.mmap(-1, 1 << 25)
            for place in range(0, 1 << 25, 4096):
                piece[place] = 1
            held.append(piece)

    play(eat)


def eats_memory_in_files() -> None:
    """Memory behind descriptors, in no process's address space."""

    def eat(_question: Message) -> None:
        while True:
            file = os.memfd_create("held")
            for _megabyte in range(16):
                os.write(file, b"m" * (1 << 20))
            time.sleep(0.01)

    play(eat)


def eats_memory_in_children() -> None:
    def eat(_question: Message) -> None:
        for _child in range(40):
            if os.fork() == 0:
                held = bytearray(os.urandom(1 << 16) * (16 * 30))
                while held:
                    time.sleep(60)
        forever()

    play(eat)


def burns_off_turn() -> None:
    """Play fair and slowly, with a thread that never rests."""
    import threading

    def burn() -> None:
        while True:
            sum(range(1000))

    def answer(question: Message) -> None:
        time.sleep(0.005)
        say(legal(question))

    threading.Thread(target=burn, daemon=True).start()
    play(answer)


def starves_itself() -> None:
    """Keep the core busy with children of its own, and be late."""

    def spin(_question: Message) -> None:
        for _child in range(4):
            if os.fork() == 0:
                break
        while True:
            pass

    play(spin)


def writes_scratch() -> None:
    """Leave files, folders that can't be entered and a very deep tree in its working folder."""
    from pathlib import Path

    Path("note").write_text("remember the dice")
    Path("locked").mkdir()
    Path("locked/inside").write_text("x")
    Path("locked").chmod(0)
    with contextlib.suppress(OSError):
        for _level in range(1100):  # deeper than Python calls itself
            os.mkdir("deeper")  # noqa: PTH102 - so often
            os.chdir("deeper")
    play(say_legal)


def spies() -> None:
    """Play fair, and write every game seen into a folder of its own: which process, which game, which seed."""
    from pathlib import Path

    ready()
    seen = Path(ARGUMENTS[0]) / f"{os.getpid()}-{time.monotonic_ns()}"
    with seen.open("a") as file:
        while True:
            message = read()
            if message["type"] == "game":
                file.write(f"{message['game']} {message['seat']} {message['seed']}\n")
                file.flush()
            elif message["type"] == "decide":
                say(legal(message))
            elif message["type"] == "bye":
                sys.exit(0)


# Under the sandbox only


def forks_without_end() -> None:
    def bomb(_question: Message) -> None:
        while True:
            with contextlib.suppress(OSError):
                os.fork()

    play(bomb)


def fills_the_disk() -> None:
    """Write until nothing goes in any more, everywhere that it can, and play fair."""
    from pathlib import Path

    written = 0
    system = ("/tmp", "/dev/shm", "/dev", "/", "/var/tmp", "/run", "/proc", "/usr")  # noqa: S108 - just these
    for folder in (*system, Path.cwd(), Path(__file__).parent):
        for number in range(64):
            try:
                with (Path(folder) / f"{MARKER}-{number}").open("xb") as file:
                    while True:
                        written += file.write(b"z" * (1 << 20))
            except OSError:
                pass
    play(lambda question: say(legal(question, why=f"wrote {written >> 20} MiB")))


def kills_its_parents() -> None:
    from pathlib import Path

    def kill(_question: Message) -> None:
        if Path("/proc/1/comm").read_text() != "bwrap\n":
            forever()  # not in the sandbox: what is killed here would be yours
        for group in (os.getppid(), os.getpgid(os.getppid())):
            with contextlib.suppress(OSError):
                os.killpg(group, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.kill(os.getppid(), signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGKILL)
        os._exit(0)

    play(kill)


def spies_on_the_machine() -> None:
    """Try to read and reach what is not its own, tell in `why` what it could, and play fair.

    Its arguments: files that it must not see, and `PORT=n`, which it must not reach.
    """
    import socket
    from pathlib import Path

    found = []
    for argument in ARGUMENTS:
        if argument.startswith("PORT="):
            with contextlib.suppress(OSError), socket.socket() as tcp:
                tcp.settimeout(1)
                tcp.connect(("127.0.0.1", int(argument.removeprefix("PORT="))))
                found.append("tcp")
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as unix:
                unix.connect(f"\0{MARKER}")
                found.append("unix")
        elif Path(argument).exists():
            found.append(argument)
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            with contextlib.suppress(OSError):
                words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
                if any(word in words for word in (b"supervisor.py", b"spawn_main", b"SECRET_OF_THE_REFEREE")):
                    found.append(f"process {process.name}")
    for setting in ("kernel/core_pattern", "vm/drop_caches", "kernel/pid_max"):
        with contextlib.suppress(OSError):
            os.close(os.open(f"/proc/sys/{setting}", os.O_WRONLY))
            found.append(setting)
    found += [
        place for place in ("/etc/passwd", "/etc/shadow", "/root/.bashrc", "/home", "/var") if Path(place).exists()
    ]
    play(lambda question: say(legal(question, why="found: " + " ".join(found))))


def medley() -> None:
    """Be another bot in every game of a match: those that its arguments name, in their order (`NAME=ARGUMENT` where one takes one)."""
    ready()
    message = read()
    chosen = ARGUMENTS[game_number(message) % len(ARGUMENTS)]
    name, _equals, argument = chosen.partition("=")
    ARGUMENTS[:] = [argument]
    globals()[name]()


if __name__ == "__main__":
    os.environ["HOSTILE"] = MARKER
    globals()[BEHAVIOUR]()
