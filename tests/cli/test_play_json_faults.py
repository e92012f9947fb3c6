"""Whatever a program at the other end of `play --json` does wrong: it is told so, the game stands, and nothing is lost."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.process import COMMAND, environment
from tests.cli.wire import Live, Played, checked, game, piped, told

ROLL = "1 5 3 3 6 2"
GOOD = '{"type":"decision","keep":[1],"bank":true}'
NOT_JSON = "line is not JSON: column "
STDOUT = "; stdout is the wire: print anything else to stderr"
NUMBER, LIST, BOOL = "a whole number is expected", "a list is expected", "true or false is expected"


def decision(**fields: object) -> bytes:
    return json.dumps({"type": "decision", "keep": [1], "bank": True, **fields}).encode()


def odd(keep: bytes, rest: bytes = b"") -> bytes:
    return b'{"type":"decision","keep":[' + keep + b'],"bank":true' + rest + b"}"


def ready(**fields: object) -> bytes:
    return json.dumps({"type": "ready", "protocol": 1, "name": "x", **fields}).encode()


# What is sent -> what is said of it, always under the code protocol.
WRONG: list[tuple[bytes, str]] = [
    (b"", "the line is empty"),
    (b"   ", "the line is empty"),
    (b"thinking...", NOT_JSON + "2" + STDOUT),
    (b"\x00", NOT_JSON + "1" + STDOUT),
    (b"\x1b[31mred", NOT_JSON + "1" + STDOUT),
    (b"\xef\xbb\xbf" + GOOD.encode(), "the line begins with a byte order mark"),
    (b"\xff\xfe", "line is not UTF-8: byte 1"),
    (odd(b"1", b',"why":"\xff"'), "line is not UTF-8: byte 50"),
    (odd(b"1", b',"why":"a\x01"'), NOT_JSON + "51"),
    (odd(b"1", b',"why":"\\ud800"'), NOT_JSON + "56"),
    (GOOD.encode() + GOOD.encode(), NOT_JSON + "43"),
    (GOOD[:-1].encode(), NOT_JSON + "41"),
    (b"[" * 10_000, NOT_JSON),
    (b'{"a":' * 10_000, NOT_JSON),
    (decision(id=int("9" * 4_000)), "answered id 99999999999999999999..., expected "),
    (odd(b"1", b',"id":' + b"9" * 10_000), NOT_JSON),
    (b"[]", "line is not a JSON object"),
    (b"null", "line is not a JSON object"),
    (b"5", "line is not a JSON object"),
    (b'"decision"', "line is not a JSON object"),
    (b"{}", 'the message has no type: it begins {"type":"decision",...}'),
    (b'{"type":"hello"}', "unknown type hello: decision and ready are known"),
    (b'{"type":"\\u001b[31m"}', "unknown type \ufffd[31m: decision and ready are known"),
    (b'{"type":["decision"]}', "unknown type ['decision']: decision and ready are known"),
    (b'{"type":"decision","bank":true}', "the field keep is missing"),
    (b'{"type":"decision","keep":[1]}', "the field bank is missing"),
    (decision(bank=None), "the field bank is missing"),
    (decision(keep=1), f"the field keep is wrong: {LIST}"),
    (decision(keep=None), f"the field keep is wrong: {LIST}"),
    (decision(keep="1"), f"the field keep is wrong: {LIST}"),
    (decision(keep=["1"]), f"the field keep.0 is wrong: {NUMBER}"),
    (decision(keep=[1, True]), f"the field keep.1 is wrong: {NUMBER}"),
    (decision(keep=[1.0]), f"the field keep.0 is wrong: {NUMBER}"),
    (odd(b"NaN"), f"the field keep.0 is wrong: {NUMBER}"),
    (odd(b"1e999"), f"the field keep.0 is wrong: {NUMBER}"),
    (odd(b"-Infinity"), f"the field keep.0 is wrong: {NUMBER}"),
    (decision(bank=1), f"the field bank is wrong: {BOOL}"),
    (decision(bank="true"), f"the field bank is wrong: {BOOL}"),
    (decision(id="1"), f"the field id is wrong: {NUMBER}"),
    (decision(id=0), "answered id 0, expected "),
    (decision(id=-1), "answered id -1, expected "),
    (decision(id=10_000), "answered id 10000, expected "),
    (decision(why=5), "the field why is wrong: a text is expected"),
    (ready(protocol=2), "protocol 2 is not spoken here, only 1"),
    (ready(protocol="1"), f"the field protocol is wrong: {NUMBER}"),
    (ready(name=None), "the field name is wrong: a text is expected"),
    (b'{"type":"ready","name":"x"}', "the field protocol is missing"),
]
ILLEGAL: list[tuple[bytes, str]] = [
    (odd(b"9" * 4_300), "kept 99999999999999999999..., but a die has the faces 1 to 6"),
    (odd(b"-1"), "kept -1, but a die has the faces 1 to 6"),
    (odd(b"1," * 5_000 + b"1"), "but there is only 1 die with a 1 in 1 5 3 3 6 2"),
    (decision(keep=[1, 2]), "kept 1 2, but 2 is part of no combination of 1 5 3 3 6 2"),
]
FLOODED: list[tuple[bytes, str]] = [
    (b"x" * 65_536, "the line is longer than 65536 bytes"),
    (decision(why="x" * 1_000_000), "the line is longer than 65536 bytes"),
]
# All of these are as good as GOOD.
FINE: list[bytes] = [
    GOOD.encode() + b"\r",
    b"  " + GOOD.encode() + b" \t",
    decision(id=None),
    decision(colour="red", nested={"id": 7}, why="because"),
    odd(b"1", b',"n":NaN,"x":1e999,"k":' + b"[" * 150 + b"]" * 150),
    b'{"type":"bye","type":"decision","keep":"no","keep":[1],"id":"x","id":null,"bank":false,"bank":true}',
    decision(why="a\x07\u202eb\x1b[2J" * 100),
    odd(b"1", b" " * 65_000),
    ready() + b"\n" + ready(events=True, author="a", version="1", games=["pushluck"], new=1) + b"\n" + GOOD.encode(),
    b'{"type":"decision","id":1,"keep":[5],"bank":true}\n' * 2 + GOOD.encode(),  # decided long ago: passed over
]


def test_whatever_is_wrong_is_said_and_the_same_question_asked_again(tmp_path: Path) -> None:
    cases = [(code, *case) for code, cases in _by_code() for case in cases]
    rounds = [cases[i : i + 3] for i in range(0, len(cases), 3)]
    sent = b"".join(b"\n".join([*(line for _, line, _ in wrong), GOOD.encode(), b""]) for wrong in rounds)
    played = _fed(tmp_path, sent, script=" / ".join([ROLL] * len(rounds)))
    (asked, *answers) = [m for m in played.messages if m["type"] in {"decide", "error", "result"}]
    heard = iter(answers)
    for wrong in rounds:
        for code, line, words in wrong:
            error = next(heard)
            assert (error["type"], error["id"], error["code"]) == ("error", asked["id"], code), line[:80]
            assert words in error["message"], line[:80]
            assert next(heard) == asked
        asked = next(heard, asked)
    assert asked["state"]["turn"] == len(rounds)
    assert played.error["code"] == "dice"


def _by_code() -> list[tuple[str, list[tuple[bytes, str]]]]:
    return [("protocol", WRONG), ("illegal", ILLEGAL), ("flooded", FLOODED)]


def _saved(home: Path) -> list[str]:
    """Return the names of all files that games left behind."""
    return sorted(path.name for path in (home / "state/dicegame/games").glob("*"))


def test_what_may_be_odd_is_taken(tmp_path: Path) -> None:
    played = _fed(tmp_path, b"\n".join([GOOD.encode(), *FINE]), script=" / ".join([ROLL] * (1 + len(FINE))))
    assert not played.of("error")
    assert played.of("bank") == [f"bank A 100 {100 * n}" for n in range(1, len(FINE) + 2)]


def _fed(home: Path, sent: bytes, *, script: str) -> Played:
    """Run a game with bytes as its input."""
    command = [*COMMAND, "play", "--json", "human", "--dice", script, "--target", "1000000"]
    done = subprocess.run(command, input=sent, env=environment(home), capture_output=True, check=False)
    return Played(done.returncode, done.stdout.decode().splitlines(), done.stderr.decode())


def test_the_fourth_wrong_answer_to_a_question_ends_the_run_and_the_game_stays_saved(tmp_path: Path) -> None:
    played = piped("play", "--json", "human", "--seed", "x", answers="a\n2 bank\n\n{}\n" + GOOD, home=tmp_path)
    assert played.code == 2
    assert [line.split()[0] for line in played.story[4:]] == ["decide", "error"] * 4
    assert played.error["code"] == "input"
    assert played.error["message"].startswith("too many wrong answers to decision 1; the last: the message has no type")
    assert _saved(tmp_path) == [f"{played.error['game']}.jsonl"]
    with Live("play", "--json", "--resume", home=tmp_path) as live:
        assert told(live.until("decide")[-1]) == played.story[4]


def test_a_program_that_does_not_play_this_game(tmp_path: Path) -> None:
    with Live("play", "--json", "thousand", "human", "house", "--set", "minimum=5", home=tmp_path) as live:
        live.until("decide")
        live.say(ready(games=["ten-thousand", "highdice"]))
        played = live.ended()
    assert (played.code, played.lines) == (2, [])
    assert played.error["code"] == "unsupported"
    assert played.error["message"] == "the program at the other end does not play thousand"


def test_the_end_of_the_input_saves_the_game_and_it_goes_on_where_it_was(tmp_path: Path) -> None:
    script = f"{ROLL} / 2 3 4 4 6 6 / {ROLL} / 2 3 4 4 6 6"
    args = ("play", "--json", "human", "house", "--target", "200", "--dice", script)
    played = piped(*args, answers=f"{ready().decode()}\n{GOOD}\n", home=tmp_path)
    assert (played.code, played.error["code"]) == (2, "unfinished")
    assert played.story[-1] == f"decide A {ROLL}"
    name = played.error["game"]
    command = f"dicegame play --json --resume {name}"
    assert played.error["message"] == (
        f"end of input in the middle of the game; the game is saved: {command} goes on with it"
    )
    (path,) = (tmp_path / "state/dicegame/games").iterdir()
    assert (path.name, path.stat().st_mode & 0o777) == (f"{name}.jsonl", 0o600)
    again = piped(*command.split()[1:], answers=GOOD.replace("true}", 'true,"id":2}'), home=tmp_path)
    assert (again.code, again.stderr) == (0, "")
    assert again.story[:3] == ["hello", "game A", f"decide A {ROLL}"]
    assert again.lines[2] == played.lines[-1]
    assert again.of("result") == ["result 200 0 | A | target"]
    assert _saved(tmp_path) == []
    nothing = piped(*command.split()[1:], home=tmp_path)
    assert (nothing.code, nothing.lines, nothing.error["code"]) == (2, [], "save")


def test_a_last_line_without_its_end_counts(tmp_path: Path) -> None:
    assert game(f"{ROLL} > 1 bank", "human", "--target", "100").code == 0
    cut = piped("play", "--json", "human", "--dice", ROLL, answers=GOOD[:-1], home=tmp_path)
    assert cut.of("error") == ["error protocol: line is not JSON: column 41"]
    assert cut.error["code"] == "unfinished"


# The dice run out, or are none


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (ROLL, "the dice script ran out: 1 roll is there, roll 2 is wanted"),
        ("1 5 3 3 6", "roll 1 of the dice script is 1 5 3 3 6, but 6 dice are rolled here"),
        ("1 5 3 3 6 2 1", "roll 1 of the dice script is 1 5 3 3 6 2 1, but 6 dice are rolled here"),
        ("1 5 3 3 6 7", "roll 1 of the dice script: 7 is no face of a die (1 to 6)"),
        (f"{ROLL} / 0 1 1 1 1 1", "roll 2 of the dice script: 0 is no face of a die (1 to 6)"),
        ("", "the dice script is empty: write rolls like `1 2 3 4 6 6 / 5 5 2`"),
        ("/no/such/file", "/no/such/file is neither a list of rolls nor a file"),
        ("ask", "--dice ask needs a person at a terminal, not --json"),
    ],
)
def test_scripted_dice_that_can_not_be_used(script: str, said: str, tmp_path: Path) -> None:
    played = piped("play", "--json", "human", "--dice", script, answers=GOOD, home=tmp_path)
    assert (played.code, played.error["message"]) == (2, said)
    assert played.error["code"] == ("usage" if script == "ask" else "dice")
    assert _saved(tmp_path) == []


# Files that can't be written


def test_a_full_disk_under_the_record_is_said_once_and_the_whole_record_kept(tmp_path: Path) -> None:
    args = ("play", "--json", "human", "--target", "100", "--dice", ROLL, "--record", "/dev/full")
    played = piped(*args, answers=GOOD, home=tmp_path)
    assert (played.code, played.story[-1]) == (2, "result 100 | A | target")
    start, _, kept = played.error["message"].partition("; the game goes on, and its record is kept in ")
    assert start == "can't write /dev/full: No space left on device"
    assert played.error["code"] == "record"
    verdict = piped("verify", "--json", kept, home=tmp_path)
    valid = '{"valid":true,"commitment":"none","rolls":1,"decisions":1,"fault":null}'
    assert (verdict.code, verdict.lines) == (0, [valid])
    assert _saved(tmp_path) == [Path(kept).name]
    assert piped("play", "--json", "--resume", home=tmp_path).error["message"] == "there is no saved game to go on with"


def test_without_a_state_folder_the_game_is_played_and_warned_of_once(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    args = ("play", "--json", "human", "--target", "100", "--dice", f"{ROLL} / {ROLL}")
    played = piped(*args, answers=GOOD, home=tmp_path)
    assert (played.code, played.story[-1]) == (0, "result 100 | A | target")
    (warned,) = map(json.loads, played.stderr.splitlines())
    words = (
        f"can't write {tmp_path / 'state/dicegame/games'}: Not a directory; the game goes on, but it can't be resumed"
    )
    assert warned == {"warning": {"code": "save", "message": words}}
    both = piped(*args, "--record", "/dev/full", answers=GOOD, home=tmp_path)
    assert (both.code, both.story[-1]) == (2, "result 100 | A | target")
    said = [next(iter(json.loads(line).values()))["message"] for line in both.stderr.splitlines()]
    assert said == [words, "can't write /dev/full: No space left on device; the game goes on, but it is not recorded"]
    unfinished = piped(*args, home=tmp_path)
    assert unfinished.code == 2
    assert json.loads(unfinished.stderr.splitlines()[1])["error"]["message"] == "end of input in the middle of the game"


@pytest.mark.parametrize("record", ["/no/such/folder/file", ".", "", "x" * 300])
def test_a_record_that_can_not_be_begun_is_refused_before_anything_is_sent(record: str, tmp_path: Path) -> None:
    played = piped("play", "--json", "human", "--record", record, home=tmp_path)
    assert (played.code, played.lines, played.error["code"]) == (2, [], "record")
    assert _saved(tmp_path) == []


# Nobody at the other end


def test_an_output_that_nobody_reads_ends_the_run_with_the_game_saved(tmp_path: Path) -> None:
    with Live("play", "--json", "human", "house", "--seed", "x", home=tmp_path) as live:
        first = live.until("decide")[-1]
        live.stdout.close()
        live.say("1 roll")
        assert live.process.wait() == 2
        (line,) = live.stderr.read().decode().splitlines()
    error = json.loads(line)["error"]
    assert error["code"] == "unfinished"
    assert error["message"].startswith("nobody reads the output any more: Broken pipe; the game is saved: ")
    with Live("play", "--json", "--resume", error["game"], home=tmp_path) as live:
        assert live.until("decide")[-1]["id"] in {first["id"], first["id"] + 1}


@pytest.mark.parametrize("closed", ["<&-", ">&-", ">/dev/full", "2>&-"])
def test_standard_streams_that_are_closed_or_full(closed: str, tmp_path: Path) -> None:
    args = f"play --json human --target 100 --record {tmp_path}/record --dice"
    shell = f'exec {" ".join(COMMAND)} {args} "{ROLL}" {closed}'
    done = subprocess.run(
        ["sh", "-c", shell], input=GOOD, env=environment(tmp_path), capture_output=True, check=False, encoding="utf-8"
    )
    if closed == "2>&-":
        assert (done.returncode, done.stderr) == (0, "")
        assert told(checked(done.stdout.splitlines()[-1])) == "result 100 | A | target"
        return
    played = Played(done.returncode, [], done.stderr)
    assert (played.code, played.error["code"]) == (2, "unfinished")
    assert (tmp_path / "record").read_bytes().startswith(b'{"type":"record"')
    again = piped("play", "--json", "--resume", answers=GOOD, home=tmp_path)
    assert again.of("result") == ["result 100 | A | target"]


def test_an_interrupt_saves_the_game(tmp_path: Path) -> None:
    with Live("play", "--json", "human", "random", "--seed", "x", home=tmp_path) as live:
        asked = live.until("decide")[-1]
        live.process.send_signal(signal.SIGINT)
        played = live.ended()
    assert (played.code, played.lines, played.error["code"]) == (130, [], "interrupted")
    assert played.error["message"].startswith("interrupted; the game is saved: dicegame play --json --resume ")
    with Live("play", "--json", "--resume", played.error["game"], home=tmp_path) as live:
        assert live.until("decide")[-1] == asked
