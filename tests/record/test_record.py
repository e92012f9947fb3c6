"""What `--record` writes, `verify` proves and `replay` prints again; and whatever is done to a record is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dicegame import dice as dice_function
from dicegame.errors import RecordError
from dicegame.games.base import Change, Decision, Forfeit, Undo
from dicegame.record.read import read
from dicegame.record.verify import verify
from dicegame.rules.load import load
from tests.cli.process import run
from tests.cli.wire import game, piped
from tests.record.games import Table

Line = dict[str, Any]
KEYS = {
    "record": "format program game rules players specs dice seed_predictable stream commitment",
    "throw": "seat turn roll dice",
    "decision": "id seat keep bank",
    "undo": "",
    "change": "seat keep",
    "forfeit": "seat",
    "result": "scores winners reason",
    "key": "dice_key",
}


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def changed(line: bytes, **fields: object) -> bytes:
    return json.dumps({**json.loads(line), **fields}).encode() + b"\n"


def first(lines: list[bytes], kind: str, after: int = 0) -> int:
    """Return the index of the first line of a kind."""
    return next(i for i, line in enumerate(lines) if i >= after and json.loads(line)["type"] == kind)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


@pytest.fixture(scope="module")
def whole(folder: Path) -> Path:
    """A game of the real program whose dice nobody could foretell."""
    path = folder / "whole"
    assert run("play", "--json", "thousand", "random", "random", "house", "--record", str(path)).returncode == 0
    return path


@pytest.fixture(scope="module")
def of_people(folder: Path) -> Path:
    """A match in which people took marks back, changed them, and one gave up."""
    for seed in range(100):
        path = folder / "of_people"
        Table(load("high-dice", ["to=3"]), ["human"] * 3, seed=seed).record(path)
        kinds = [type(step) for step in read(path).past()]
        if all(kinds.count(kind) for kind in (Undo, Change, Forfeit)) and kinds.count(Decision) > 8:
            return path
    raise AssertionError("no such match")


# What is written


def test_the_lines_of_a_record(whole: Path, of_people: Path) -> None:
    for path in (whole, of_people):
        lines = lines_of(path)
        kinds = []
        for raw in lines:
            line = json.loads(raw)
            kinds.append(line["type"])
            assert raw == json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
            if line["type"] != "event":
                assert list(line) == ["type", *KEYS[line["type"]].split()]
            else:
                assert list(line)[1] == "event"
        assert kinds[0] == "record"
        assert kinds[-2:] == ["result", "key"]
        assert kinds.count("record") == kinds.count("result") == kinds.count("key") == 1
    header, key = (json.loads(lines_of(whole)[i]) for i in (0, -1))
    assert header["players"] == ["random", "random 2", "house"]
    assert (header["specs"], header["dice"], header["seed_predictable"]) == (
        ["random", "random", "house"],
        "seeded",
        False,
    )
    assert dice_function.commitment(bytes.fromhex(key["dice_key"])) == header["commitment"]
    assert header["rules"] == json.loads(run("rules", "show", "thousand", "--json").stdout)


def test_a_bot_s_reasons_stand_in_the_record_and_nowhere_else(folder: Path) -> None:
    path = folder / "why"
    why = '{"type":"decision","keep":[1],"bank":true,"why":"x\\u001b[2J' + "y" * 600 + '"}'
    played = game(f"1 5 3 3 6 2 > {why}", "human", "--target", "100", "--record", str(path))
    assert "yyy" not in "".join(played.lines)
    (reason,) = [json.loads(line)["why"] for line in lines_of(path) if b'"why"' in line]
    assert reason == "x\ufffd[2J" + "y" * 495 + "..."
    assert verify(str(path)).valid


# What verify proves


def test_a_whole_record_is_valid_and_its_commitment_opened(whole: Path) -> None:
    lines = [json.loads(line)["type"] for line in lines_of(whole)]
    proved = piped("verify", "--json", str(whole))
    rolls, decisions = lines.count("throw"), lines.count("decision")
    assert (proved.code, proved.stderr) == (0, "")
    verdict = f'{{"valid":true,"commitment":"opened","rolls":{rolls},"decisions":{decisions},"fault":null}}'
    assert proved.lines == [verdict]
    said = run("verify", str(whole))
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.splitlines() == [
        "The key opens the commitment: the dice were fixed before the game.",
        f"Checked: {rolls} rolls, {decisions} decisions.",
        "The record is valid.",
    ]


@pytest.mark.parametrize("dice", [("--seed", "x"), ("--dice", "1 1 1 1 1")])
def test_dice_that_can_be_guessed_carry_no_commitment(dice: tuple[str, str], folder: Path) -> None:
    path = folder / dice[0]
    assert run("play", "--json", "thousand", "random", "random", *dice, "--record", str(path)).returncode == 0
    verdict = verify(str(path))
    assert (verdict.valid, verdict.commitment) == (True, "none")
    header = json.loads(lines_of(path)[0])
    assert (header["dice"], header["seed_predictable"]) == (
        ("seeded", True) if dice[0] == "--seed" else ("scripted", False)
    )


def test_without_its_key_a_record_is_pending_and_a_key_too_many_is_found(whole: Path, folder: Path) -> None:
    lines = lines_of(whole)
    path = folder / "keys"
    for last in ([], [b'{"type":"key","dice_key":null}\n']):
        path.write_bytes(b"".join(lines[:-1] + last))
        assert (verify(str(path)).valid, verify(str(path)).commitment) == (True, "pending")
    assert run("verify", str(path)).stdout.startswith("The commitment is not opened yet")
    path.write_bytes(b"".join([*lines, lines[-1]]))
    assert (verify(str(path)).valid, verify(str(path)).line) == (False, len(lines) + 1)


def test_another_key_does_not_open_the_commitment_and_makes_other_dice(whole: Path, folder: Path) -> None:
    lines = lines_of(whole)
    path = folder / "other key"
    path.write_bytes(b"".join([*lines[:-1], changed(lines[-1], dice_key="ab" * 32)]))
    proved = piped("verify", "--json", str(path))
    assert proved.code == 1
    assert json.loads(proved.lines[0]) == {
        "valid": False,
        "commitment": "wrong",
        "rolls": 0,
        "decisions": 0,
        "fault": {"line": 1, "what": "the key at the end does not open the commitment"},
    }
    path.write_bytes(
        b"".join([changed(lines[0], commitment=None), *lines[1:-1], changed(lines[-1], dice_key="ab" * 32)])
    )
    verdict = verify(str(path))
    assert (verdict.valid, verdict.commitment, verdict.line) == (False, "none", 1 + first(lines, "throw"))
    assert "these dice are not those of the key" in (verdict.fault or "")


# Whatever is done to it


def test_every_line_removed_doubled_or_moved_is_found_where_it_is(whole: Path, of_people: Path, folder: Path) -> None:
    path = folder / "lines"
    for source in (whole, of_people):
        lines = lines_of(source)
        for i in range(1, len(lines) - 1):
            path.write_bytes(b"".join(lines[:i] + lines[i + 1 :]))
            assert _found(path) == i + 1, f"removed {i + 1}"
            path.write_bytes(b"".join(lines[:i] + lines[i : i + 1] * 2 + lines[i + 1 :]))
            assert _found(path) == i + 2, f"doubled {i + 1}"
            path.write_bytes(b"".join([*lines[:i], lines[i + 1], lines[i], *lines[i + 2 :]]))
            assert _found(path) in {i + 1, i + 2}, f"swapped {i + 1}"
            path.write_bytes(b"".join([*lines[:i], lines[0], *lines[i:]]))
            assert _found(path) == i + 1, f"a header before {i + 1}"


def _found(path: Path) -> int | None:
    verdict = verify(str(path))
    assert not verdict.valid
    assert verdict.fault
    return verdict.line


def test_a_record_cut_anywhere_is_found_with_and_without_half_a_line(whole: Path, folder: Path) -> None:
    lines = lines_of(whole)
    path = folder / "cut"
    for i in range(1, len(lines) - 1):
        path.write_bytes(b"".join(lines[:i]))
        verdict = verify(str(path))
        assert (verdict.valid, verdict.line) == (False, i + 1)
        assert verdict.fault == "the record breaks off before the result"
        for half in (lines[i][:1], lines[i][: len(lines[i]) // 2], lines[i][:-2]):
            path.write_bytes(b"".join(lines[:i]) + half)
            verdict = verify(str(path))
            assert (verdict.valid, verdict.line, verdict.fault) == (False, i + 1, "the last line is cut off")
    path.write_bytes(b"".join(lines)[:-1])  # only the last end of line
    assert verify(str(path)).valid
    path.write_bytes(b"".join(lines).replace(b"\n", b"\r\n"))
    assert verify(str(path)).valid


def _change_first(kind: str, change: Callable[[Line], Line]) -> Callable[[list[bytes]], tuple[int, list[bytes]]]:
    """Return what changes the first line of a kind, and on which line that is found."""

    def apply(lines: list[bytes]) -> tuple[int, list[bytes]]:
        i = first(lines, kind)
        line = json.loads(lines[i])
        return i + 1, [*lines[:i], changed(lines[i], **change(line)), *lines[i + 1 :]]

    return apply


@pytest.mark.parametrize(
    ("apply", "words"),
    [
        (_change_first("throw", lambda t: {"dice": [t["dice"][0] % 6 + 1, *t["dice"][1:]]}), "not those of the key"),
        (_change_first("throw", lambda t: {"dice": t["dice"][::-1][:4]}), "not the one that is due here"),
        (_change_first("throw", lambda _: {"seat": 1}), "not the one that is due here"),
        (_change_first("throw", lambda _: {"turn": 1}), "not the one that is due here"),
        (_change_first("throw", lambda _: {"roll": 1}), "not the one that is due here"),
        (
            _change_first("throw", lambda _: {"dice": [7, 1, 1, 1, 1]}),
            "dice.0: Input should be less than or equal to 6",
        ),
        (_change_first("throw", lambda _: {"dice": "11111"}), "dice: Input should be a valid array"),
        (_change_first("decision", lambda _: {"keep": [1, 1, 1, 1, 1, 1]}), "but there "),
        (_change_first("decision", lambda _: {"keep": []}), "kept nothing"),
        (_change_first("decision", lambda d: {"bank": not d["bank"]}), ""),
        (_change_first("decision", lambda d: {"seat": (d["seat"] + 1) % 3}), "a decision of seat"),
        (_change_first("event", lambda _: {"seat": 2}), "the event turn is not the one that follows: turn"),
        (_change_first("event", lambda _: {"event": "win"}), "the event win is not the one that follows: turn"),
        (_change_first("result", lambda r: {"winners": [(r["winners"][0] + 1) % 3]}), "the result does not follow"),
        (
            _change_first("result", lambda r: {"scores": [0, *r["scores"][1:]] if r["scores"][0] else [1, 0, 0]}),
            "the result",
        ),
        (_change_first("result", lambda _: {"reason": "rounds"}), "the result does not follow"),
        (_change_first("result", lambda _: {"reason": "luck"}), "reason: Input should be"),
        (_change_first("record", lambda _: {"format": 2}), "format: Input should be 1"),
        (_change_first("record", lambda _: {"players": ["a"]}), "players and specs are not the same number"),
        (_change_first("record", lambda _: {"players": ["a"] * 6, "specs": ["random"] * 6}), "has seats for 2 to 4"),
        (_change_first("record", lambda r: {"rules": {**r["rules"], "dice": 0}}), "dice: is too small; 1 or more"),
        (_change_first("key", lambda _: {"dice_key": "xyz"}), "dice_key: String should match pattern"),
        (_change_first("key", lambda _: {"type": "keys"}), "Input tag 'keys' found"),
    ],
)
def test_every_kind_of_change_is_found_with_its_line(
    apply: Callable[[list[bytes]], tuple[int, list[bytes]]], words: str, whole: Path, folder: Path
) -> None:
    place, lines = apply(lines_of(whole))
    path = folder / "changed"
    path.write_bytes(b"".join(lines))
    verdict = verify(str(path))
    assert not verdict.valid
    assert verdict.line in ({place} if words else {place, place + 1, place + 2, place + 3})
    assert words in (verdict.fault or "")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"\x00\xff\x80garbage\n", "Invalid JSON"),
        (b"\n", "Invalid JSON"),
        (b"[]\n", "Input should be"),
        (b'{"type":"note"}\n', "Input tag 'note' found"),
        (b'{"type":"\x1b[2J"}\n', "Invalid JSON"),
        (b'{"type":"\\u001b[2J"}\n', "Input tag '\ufffd[2J' found"),
        (b'{"type":"undo"}\n', "nothing could be taken back here"),
        (b'{"type":"change","seat":0,"keep":[]}\n', "seat 0 has no mark that could be changed"),
        (b'{"type":"forfeit","seat":7}\n', "seat 7 is not in the game"),
        (b'{"type":"forfeit","seat":8}\n', "seat: Input should be less than 8"),
        (b'{"type":"key","dice_key":null}\n', "a key before the result"),
        (b" " * (1 << 20) + b"{}\n", "the line is too long"),
        (b"[" * 10_000 + b"\n", "Invalid JSON"),
        (
            b'{"type":"throw","seat":0,"turn":0,"roll":0,"dice":[' + b"1," * 100_000 + b"1]}\n",
            "not the one that is due",
        ),
    ],
)
def test_a_strange_line_is_found(line: bytes, words: str, whole: Path, folder: Path) -> None:
    lines = lines_of(whole)
    path = folder / "strange"
    path.write_bytes(b"".join([*lines[:2], line, *lines[2:]]))
    verdict = verify(str(path))
    assert (verdict.valid, verdict.line) == (False, 3)
    assert words in (verdict.fault or "")
    replayed = run("replay", str(path)) if len(line) > 1000 else None
    assert replayed is None or (replayed.returncode, "Traceback" in replayed.stderr) == (2, False)


def test_a_fault_is_of_the_seat_that_is_to_decide(whole: Path, folder: Path) -> None:
    lines = lines_of(whole)
    path, place = folder / "fault", first(lines, "decision")
    seat = json.loads(lines[place])["seat"]
    for told, valid in (
        ({"seat": seat, "code": "crashed"}, True),
        ({"seat": seat + 1, "code": "x"}, False),
        ({}, False),
    ):
        line = json.dumps({"type": "event", "event": "fault", **told}).encode() + b"\n"
        path.write_bytes(b"".join([*lines[:place], line, *lines[place:]]))
        assert (verify(str(path)).valid, verify(str(path)).line) == (valid, None if valid else place + 1)


def test_after_the_end_nothing_can_be_taken_back_or_given_up(folder: Path) -> None:
    path = folder / "over"
    Table(load("ten-thousand", ["target=50", "max_turns=1"]), ["house", "human"], seed=4).record(path)
    lines = lines_of(path)
    end = first(lines, "result")
    for line in (b'{"type":"undo"}\n', b'{"type":"forfeit","seat":0}\n', b'{"type":"forfeit","seat":1}\n'):
        path.write_bytes(b"".join([*lines[:end], line, *lines[end:]]))
        verdict = verify(str(path))
        assert (verdict.valid, verdict.line) == (False, end + 1)
        assert verdict.fault == "the game is over, and nothing but the result may follow"


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_files_that_are_no_records(command: str, folder: Path) -> None:
    (folder / "empty").write_bytes(b"")
    (folder / "text").write_bytes(b"hello\n")
    (folder / "half").write_bytes(b'{"type":"rec')
    for name, words in (
        ("empty", "is not a record: its first line is no header"),
        ("half", "is not a record: its first line is no header"),
        ("", "Is a directory"),
        ("missing", "No such file or directory"),
        ("m" * 300, "File name too long"),
    ):
        done = run(command, str(folder / name))
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr
        assert done.stderr.startswith("dicegame: ")
        assert done.stderr.count("\n") == 1
    done = run(command, str(folder / "text"))
    assert "line 1" in done.stdout + done.stderr
    assert done.returncode == (1 if command == "verify" else 2)
    if command == "verify":
        as_json = piped("verify", "--json", str(folder / "missing"))
        assert (as_json.code, as_json.lines, as_json.error["code"]) == (2, [], "record")


# Seen again


def test_replay_prints_the_game_again(whole: Path, folder: Path) -> None:
    played = run("play", "thousand", "random", "random", "--seed", "x", "--pace", "0", "--record", str(folder / "seen"))
    assert (played.returncode, played.stderr) == (0, "")
    again = run("replay", str(folder / "seen"))
    assert (again.returncode, again.stdout, again.stderr) == (0, played.stdout, "")
    scores = json.loads(lines_of(whole)[-2])["scores"]
    shown = run("replay", "--ascii", str(whole)).stdout
    assert shown.isascii()
    assert all(str(score) in shown for score in scores)


def test_replay_of_a_record_that_breaks_off_shows_what_is_there(whole: Path, folder: Path) -> None:
    lines = lines_of(whole)
    path = folder / "broken off"
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    done = run("replay", str(path))
    assert done.returncode == 2
    assert done.stderr == "dicegame: the record breaks off before the result\n"
    full = run("replay", str(whole)).stdout
    shown = done.stdout.rstrip("\n")
    assert len(shown) > 200
    assert full.startswith(shown)


def test_replay_of_what_people_took_back_changed_and_gave_up(of_people: Path) -> None:
    done = run("replay", str(of_people))
    assert (done.returncode, done.stderr) == (0, "")
    assert verify(str(of_people)).valid


def test_a_record_that_is_too_large_is_refused_without_reading_it_all(folder: Path) -> None:
    with pytest.raises(RecordError, match="too large to be a record"):
        read("/dev/zero")
