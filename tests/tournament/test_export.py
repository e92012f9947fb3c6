"""What is exported: by its schema, by its columns, to the last record, harmless in a spreadsheet, and in flat memory."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dicegame.record.verify import verify
from dicegame.tournament import export
from dicegame.tournament.reader import Reader
from tests.cli.process import run
from tests.tournament.stored import played, rename

DANGEROUS = ("=1+1", "@SUM(A1)", "-2", "+3", " \t=4", "＝5", "a=b", 'x","y', "\r=6\x1b")


def exported(path: Path, kind: str, *more: str) -> str:
    done = run("tournament", "export", str(path), "--format", kind, *more)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("name", ["autumn", "high", "hostile"])
def test_json_is_valid_by_its_schema_and_holds_every_game(name: str, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(name)
    told = json.loads(exported(path, "json"))
    schema = json.loads(run("tournament", "export", "--schema").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(told, schema)
    with Reader(path) as reader:
        games = [json.loads(json.dumps(export.as_json(game))) for game in reader.games()]
    assert told["games"] == games
    shown = json.loads(run("tournament", "show", str(path), "--json").stdout)
    assert told["overview"] | {"standings": told["standings"]} == shown
    assert [entrant["name"] for entrant in told["entrants"]] == [
        row["name"] for row in sorted(told["standings"], key=by_number)
    ]


def by_number(row: dict[str, Any]) -> int:
    return int(row["number"])


@pytest.mark.parametrize("name", ["autumn", "high"])
def test_csv_has_a_row_a_game_and_seat(name: str, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(name)
    rows = list(csv.DictReader(io.StringIO(exported(path, "csv"))))
    with Reader(path) as reader:
        games = list(reader.games())
        names = {entrant.number: entrant.name for entrant in reader.entrants()}
    assert tuple(rows[0]) == export.COLUMNS
    assert all(f"`{column}`" in (export.__doc__ or "") for column in export.COLUMNS)
    expected = [
        {
            **{key: str(getattr(game, key)) for key in ("pairing", "block", "rotation", "reason", "decisions", "attempts")},
            "game": game.id, "seat": str(seat), "entrant": str(number), "name": names[number], "score": str(game.scores[seat]),
            "share": str(game.shares[seat]), "luck": "" if game.luck is None else str(game.luck[seat]),
        }
        for game in games for seat, number in enumerate(game.entrants)
    ]  # fmt: skip
    assert rows == expected


def test_shares_and_luck_add_up_to_what_the_standings_say(autumn: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(autumn, "csv"))))
    shown = json.loads(run("tournament", "show", str(autumn), "--json").stdout)
    for row in shown["standings"]:
        mine = [one for one in rows if one["name"] == row["name"]]
        assert sum(float(one["share"]) for one in mine) == pytest.approx(row["wins"])
        adjusted = sum(float(one["share"]) - float(one["luck"]) for one in mine) / len(mine)
        assert adjusted == pytest.approx(row["adjusted"]["win_rate"])  # every pairing has as many blocks


def test_no_name_is_a_formula(tmp_path: Path) -> None:
    path = played(tmp_path / "names.db", [f"p{n}=random" for n in range(len(DANGEROUS))], blocks=1, target=300)
    rename(path, dict(enumerate(DANGEROUS, 1)))
    text = exported(path, "csv", "-o", str(tmp_path / "names.csv"))
    assert text == ""
    with (tmp_path / "names.csv").open(encoding="utf-8", newline="") as file:
        names = {int(row["entrant"]): row["name"] for row in csv.DictReader(file)}
    assert list(names.values()) == [
        "'=1+1", "'@SUM(A1)", "'-2", "'+3", "'  =4", "'＝5", "a=b", 'x","y', "\ufffd=6\ufffd",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["autumn", "high"])
def test_records_come_out_whole(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    path = request.getfixturevalue(name)
    lines = exported(path, "jsonl").split("\n")
    assert lines.pop() == ""
    with Reader(path) as reader:
        records = dict(reader.records())
    told = [json.loads(line) for line in lines]
    assert [one["game"] for one in told] == list(records)
    for one in told:
        assert one["record"] == [json.loads(line) for line in records[one["game"]].splitlines()]
        assert one["record"][0]["game"] == one["game"]
    file = tmp_path / "record.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in told[-1]["record"]), encoding="utf-8")
    assert verify(str(file)).valid


class Nowhere(io.StringIO):
    """A file that forgets what is written to it."""

    def write(self, text: str) -> int:
        return len(text)


@pytest.mark.parametrize("kind", [export.Kind.JSON, export.Kind.CSV])
def test_memory_does_not_grow_with_the_games(kind: export.Kind, tmp_path: Path) -> None:
    path = played(tmp_path / "many.db", ["house=house", "greedy=greedy"], blocks=2, target=300, records="none")
    peaks = []
    for blocks in (300, 3000):
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("CREATE TEMP TABLE n AS SELECT value FROM json_each(?)", (json.dumps(list(range(1, blocks))),))
            db.execute(
                """INSERT OR IGNORE INTO games SELECT pairing, value, rotation, epoch, attempts, reason, decisions, worker
                   FROM games, n WHERE block = 0"""
            )
            db.execute(
                """INSERT OR IGNORE INTO results SELECT pairing, value, place, rotation, seat, score, parts, luck
                   FROM results, n WHERE block = 0"""
            )
        with Reader(path) as reader:
            export.write(reader, kind, Nowhere())  # whatever is cached is cached now
            tracemalloc.start()
            export.write(reader, kind, Nowhere())
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.5 + 50_000


def test_what_can_not_be_done_is_one_line(autumn: Path, tmp_path: Path) -> None:
    for wrong in ([str(autumn), "-o", str(tmp_path / "no" / "x")], [str(tmp_path / "none.db")], []):
        done = run("tournament", "export", *wrong)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("dicegame: ")
        assert done.stderr.count("\n") == 1
