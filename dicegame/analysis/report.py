"""An analysis as the data that `analyze --json` prints."""

from __future__ import annotations

from typing import Any

from dicegame.analysis.judged import Grade, Judged, JudgedDecision, JudgedThrow
from dicegame.games.base import Decision
from dicegame.record.read import Record


def as_json(record: Record, judged: Judged, seats: frozenset[int]) -> dict[str, Any]:
    """Return an analysis as plain data; decisions and rolls are those of `seats`."""
    outcome = record.result()
    return {
        "rules": record.rules.name,
        "complete": judged.shares is not None,
        "reason": None if outcome is None else outcome.reason.value,
        "approximate": judged.approximate,
        "values": None if judged.values is None else {"checksum": judged.values, "rounding": judged.rounding},
        "players": [_player(judged, seat, name) for seat, name in enumerate(record.header.players)],
        "decisions": [_decision(decided) for decided in judged.decisions if decided.throw.seat in seats],
        "rolls": [roll for fell in judged.throws for roll in _rolls(fell) if roll["seat"] in seats],
        "chances": [
            {"seat": moment.seat, "turn": moment.turn, "chances": list(moment.chances)} for moment in judged.moments
        ],
    }


def _player(judged: Judged, seat: int, name: str) -> dict[str, Any]:
    account = judged.accounts[seat]
    return {
        "name": name,
        "error_rate": judged.error_rate(seat),
        "errors": account.errors,
        "luck": account.luck,
        "result": None if judged.shares is None else judged.shares[seat],
        "adjusted": judged.adjusted(seat),
        "start": account.start,
        "end": account.end,
        "given": account.given,
        "rounding": account.rounding,
        "other": account.other,
        "decisions": judged.grades[seat].total(),
        "grades": {grade.value: judged.grades[seat][grade] for grade in Grade},
    }


def _decision(decided: JudgedDecision) -> dict[str, Any]:
    throw = decided.throw
    return {
        "seat": throw.seat,
        "turn": throw.turn,
        "roll": throw.roll,
        "dice": list(decided.dice),
        "turn_points": decided.points,
        **_answer(decided.decision),
        "best": _answer(decided.best),
        "value": decided.value,
        "best_value": decided.best_value,
        "loss": decided.loss,
        "grade": decided.grade.value,
        "forced": decided.forced,
        "substituted": decided.substituted,
    }


def _answer(decision: Decision) -> dict[str, Any]:
    return {"keep": list(decision.keep), "bank": decision.bank}


def _rolls(fell: JudgedThrow) -> list[dict[str, Any]]:
    """Return a roll for every seat that threw; `together` marks all but the first of dice that fell, and were judged, as one."""
    return [
        {
            "seat": throw.seat,
            "turn": throw.turn,
            "roll": throw.roll,
            "dice": list(dice),
            "luck": fell.luck[throw.seat],
            "lucks": list(fell.luck),
            "together": place > 0,
        }
        for place, (throw, dice) in enumerate(zip(fell.throws, fell.dice, strict=True))
    ]
