"""Games for the tests of analysis: recorded, read again, and judged by values that were solved here."""

from __future__ import annotations

import json
from collections import deque
from functools import cache
from pathlib import Path
from typing import Any

from dicegame.analysis.judged import Judged
from dicegame.analysis.ledger import judge_record
from dicegame.games import engine_for
from dicegame.record.read import Record, read
from dicegame.rules.load import check
from dicegame.rules.model import HighDiceRules, PushLuckRules, RuleSet
from dicegame.values.exact.solve import solve
from dicegame.values.judging import Judge
from dicegame.values.marks import HighDiceJudge
from dicegame.values.position import PushLuckJudge
from dicegame.values.solved import Solved
from tests.record.games import Table

CLOSE = 1e-9
Line = dict[str, Any]


@cache
def _solved(text: str) -> Solved:
    rules = check(json.loads(text), "rules")
    assert isinstance(rules, PushLuckRules)
    return solve(rules)


def exact(rules: PushLuckRules) -> Solved:
    """Return the values of a rule set, solved here and not rounded."""
    return _solved(rules.model_dump_json(exclude_defaults=True))


def judge_of(rules: RuleSet, seats: int, solved: Solved | None = None) -> Judge:
    engine: Any = engine_for(rules)
    if isinstance(rules, HighDiceRules):
        return HighDiceJudge(engine, seats)
    return PushLuckJudge(engine, seats, solved or exact(rules))


def played(path: Path, rules: RuleSet, specs: list[str], *, kind: str = "seeded", seed: int = 0) -> Record:
    """Return the record of a game of the built-in players, or of people who decide, undo, change and give up at random."""
    Table(rules, specs, kind, seed).record(path)
    return read(path)


def judged(record: Record, judge: Judge | None = None) -> Judged:
    seats = len(record.header.players)
    return judge_record(record, engine_for(record.rules), judge or judge_of(record.rules, seats))


def lines_of(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def written(path: Path, lines: list[Line]) -> Record:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return read(path)


def without_undo(lines: list[Line]) -> list[Line]:
    """Return a record as if whatever was taken back had never been: the last answer or throw before an undo, and all it led to."""
    kept: deque[Line] = deque()
    for line in lines:
        if line["type"] != "undo":
            kept.append(line)
            continue
        while (last := kept.pop()["type"]) not in {"decision", "throw"}:
            pass
        while last == "throw" and kept[-1]["type"] == "throw":
            kept.pop()  # dice that fell together
    return list(kept)


def adds_up(found: Judged) -> bool:
    """Say whether every account leads from its start to its end, and the result is the end."""
    ends = [a.start + a.luck - a.errors + a.given + a.rounding + a.other for a in found.accounts]
    right = all(abs(end - account.end) < CLOSE for end, account in zip(ends, found.accounts, strict=True))
    return right and (found.shares is None or found.shares == tuple(account.end for account in found.accounts))
