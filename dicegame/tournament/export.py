"""A tournament for other programs: JSON of all of it, CSV of its games, JSON lines of its records; each written as it is read.

The CSV has a row for each game and seat, and these columns:

- `game`: the stable name of the game; `pairing`, `block`, `rotation`: what it is made of
- `seat`: from 0, in the order of moving; `entrant`: its number; `name`: its name
- `score`: its score in the end
- `share`: its share of the win, from 0 to 1; of a shared win a part
- `luck`: how far the dice moved its chance to win, from -1 to 1; empty where luck is not measured
- `reason`: why the game was over: `target`, `instant_win`, `rounds`, `turn_limit` or `forfeit`
- `decisions`: how many there were, of all seats; `attempts`: 1, and one more for each time that the game was void

Spreadsheets take what begins with = + - or @ for a formula: a name that does gets an apostrophe before it, and control characters become
a replacement sign. The JSON lines are an object a game: `{"game": "1-2-0-0", "record": [...]}`, the record being its lines, in their order.
"""

from __future__ import annotations

import csv
import json
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, Literal, TextIO

import orjson
from pydantic import BaseModel, ConfigDict, Field

from dicegame import __version__
from dicegame.text import clean
from dicegame.tournament.reader import Reader, StoredGame
from dicegame.tournament.report.overview import overview

COLUMNS = (
    "game", "pairing", "block", "rotation", "seat", "entrant", "name", "score", "share", "luck", "reason", "decisions", "attempts",
)  # fmt: skip
_FORMULA = "=+-@"
_Share = Annotated[float, Field(ge=0, le=1)]
_Interval = tuple[float | None, float | None]


class Kind(StrEnum):
    """What is written: everything as JSON, the games as CSV, or the records as JSON lines."""

    JSON = "json"
    CSV = "csv"
    JSONL = "jsonl"


class _Told(BaseModel):
    model_config = ConfigDict(extra="allow")


class ExportedEntrant(_Told):
    """Who takes part. `identity` is the hash of an external bot's folder."""

    number: Annotated[int, Field(ge=1)]
    name: str
    player: str
    identity: str | None
    withdrawn: bool


class ExportedAdjusted(_Told):
    """A win rate with luck taken out, which may leave 0 to 1."""

    win_rate: float
    interval: _Interval | None
    standard_error: float | None


class ExportedRow(_Told):
    """A row of the standings; intervals are of 95 %, clustered by block. An end without bound is null."""

    rank: Annotated[int, Field(ge=1)]
    number: Annotated[int, Field(ge=1)]
    name: str
    games: Annotated[int, Field(ge=0)]
    blocks: Annotated[int, Field(ge=0)]
    wins: Annotated[float, Field(ge=0)]
    win_rate: _Share
    interval: tuple[float, float]
    elo: float | None
    elo_interval: _Interval | None
    adjusted: ExportedAdjusted | None
    mean_score: float
    faults: dict[str, int]
    decision_ms: dict[str, float] | None
    cpu_ms: float | None
    memory: int | None
    superiority: Annotated[float, Field(ge=0, le=1)] | None
    withdrawn: bool


class ExportedGame(_Told):
    """A game. `entrants` are numbers; they, `scores`, `shares` of the win and `luck` are by seat, in the order of moving."""

    game: str
    pairing: str
    block: Annotated[int, Field(ge=0)]
    rotation: Annotated[int, Field(ge=0)]
    attempts: Annotated[int, Field(ge=1)]
    reason: str
    decisions: Annotated[int, Field(ge=0)]
    entrants: list[int]
    scores: list[int]
    shares: list[_Share]
    luck: list[float] | None


class ExportedTournament(_Told):
    """A whole tournament. `plan` is all that it was set up with, `overview` what `tournament show --json` prints."""

    format: Literal[1]
    program: str
    plan: dict[str, Any]
    entrants: list[ExportedEntrant]
    standings: list[ExportedRow]
    overview: dict[str, Any]
    games: list[ExportedGame]


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the JSON export. Fields may be added."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **ExportedTournament.model_json_schema()}


def write(reader: Reader, kind: Kind, file: TextIO) -> None:
    """Write a tournament as `kind` into `file`, game by game: the memory that it takes does not grow with them.

    Args:
        reader: the tournament.
        kind: what is written.
        file: where; for CSV it must leave ends of lines alone.

    Raises:
        StoreError: the store can't be read.
        RecordError: a record in it is damaged.
    """
    with reader.instant():
        if kind is Kind.CSV:
            write_csv(reader, file)
        else:
            file.writelines(parts(reader) if kind is Kind.JSON else records(reader))


def parts(reader: Reader) -> Iterator[str]:
    """Yield the JSON of a whole tournament in parts; a line a game."""
    told = overview(reader)
    entrants = [
        {"number": e.number, "name": e.name, "player": e.word, "identity": e.identity, "withdrawn": e.withdrawn}
        for e in told.entrants
    ]
    everything = told.as_json()
    head = {
        "format": 1,
        "program": f"dicegame {__version__}",
        "plan": told.plan.model_dump(mode="json"),
        "entrants": entrants,
        "standings": everything.pop("standings"),
        "overview": everything,
    }
    yield json.dumps(head, ensure_ascii=False)[:-1] + ', "games": ['
    before = "\n"
    for game in reader.games():
        yield before + orjson.dumps(as_json(game)).decode()
        before = ",\n"
    yield "\n]}\n"


def as_json(game: StoredGame) -> dict[str, Any]:
    """Return a game as it is exported."""
    return {
        "game": game.id,
        "pairing": game.pairing,
        "block": game.block,
        "rotation": game.rotation,
        "attempts": game.attempts,
        "reason": game.reason,
        "decisions": game.decisions,
        "entrants": game.entrants,
        "scores": game.scores,
        "shares": game.shares,
        "luck": game.luck,
    }


def write_csv(reader: Reader, file: TextIO) -> None:
    """Write the games as CSV (RFC 4180), a row a game and seat."""
    names = {entrant.number: harmless(entrant.name) for entrant in reader.entrants()}
    rows = csv.writer(file)
    rows.writerow(COLUMNS)
    for game in reader.games():
        where = (game.id, game.pairing, game.block, game.rotation)
        for seat, number in enumerate(game.entrants):
            luck = "" if game.luck is None else game.luck[seat]
            result = (game.scores[seat], game.shares[seat], luck, game.reason, game.decisions, game.attempts)
            rows.writerow((*where, seat, number, names[number], *result))


def harmless(text: str) -> str:
    """Return text from outside so that no spreadsheet takes it for a formula."""
    shown = clean(text)
    first = unicodedata.normalize("NFKC", shown).lstrip()[:1]
    return f"'{shown}" if first and first in _FORMULA else shown


def records(reader: Reader) -> Iterator[str]:
    """Yield a line for every game of which a record was kept."""
    for name, record in reader.records():
        lines = b",".join(record.splitlines()).decode()  # bytes end at line ends alone, texts also at other signs
        yield f'{{"game":{json.dumps(name)},"record":[{lines}]}}\n'
