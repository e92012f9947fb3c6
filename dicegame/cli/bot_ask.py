"""`dicegame bot ask`: one state put to a bot, and its decision."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from dicegame.cli.bot_tools import BotFailed, opened, warn
from dicegame.cli.common import DEFAULT_RULES, load_rules, print_json
from dicegame.errors import EXIT_DONE, EXIT_NO, InputError
from dicegame.games import engine_for
from dicegame.games.base import Engine
from dicegame.games.notation import format_decision, format_dice
from dicegame.games.pushluck import PushLuck
from dicegame.match.examinee import Examinee, Reply, Trouble, exchange
from dicegame.match.states import Chair
from dicegame.players.treatment import Treatment
from dicegame.terminal.layout import row
from dicegame.text import _, decimal, ltr, number, quote

_OF_HIGH_DICE = {"round", "rule", "find", "keeps", "to", "wins", "losses", "order"}


def ask_bot(
    word: str,
    text: str,
    rules: str | None,
    changes: tuple[str, ...],
    target: int | None,
    seat: int | None,
    treatment: Treatment,
    *,
    as_json: bool,
) -> int:
    """Put one state to a bot, print what it decides, and return the exit code."""
    described, told_seat = read_state(text)
    engine, state = restore(described, rules, changes, target, told_seat if seat is None else seat)
    with opened(word, treatment) as bot:
        examinee = Examinee(bot.program, bot.containment, bot.clock, bot.on_line)
        try:
            examinee.enter(Chair(engine, len(state.out), state.seat))
            reply = examinee.ask(engine, state)
        except Trouble as trouble:
            raise BotFailed(str(trouble)) from None
        finally:
            examinee.leave()
    for stray in examinee.strays:
        warn(_("it also said: %s") % stray)
    if as_json:
        print_json(_as_json(engine, state, reply))
    else:
        values = {"exchange": exchange(engine, state, reply.decision), "ms": ltr(decimal(reply.seconds * 1000, 3))}
        legal = reply.refusal is None
        row((_("%(exchange)s: legal, after %(ms)s ms") if legal else _("%(exchange)s: not legal")) % values)
        if reply.refusal is not None:
            row(reply.refusal.message)
        if reply.decision.why:
            row(_("its reason: %s") % quote(reply.decision.why))
    return EXIT_NO if reply.refusal else EXIT_DONE


def _as_json(engine: Engine[Any], state: Any, reply: Reply) -> dict[str, object]:  # noqa: ANN401 - any engine's
    decision, push_luck = reply.decision, isinstance(engine, PushLuck)
    return {
        "rules": engine.rules.name,
        "seat": state.seat,
        "state": engine.describe(state),
        "decision": format_decision(decision) if push_luck else format_dice(decision.keep),
        "keep": decision.keep,
        "bank": decision.bank if push_luck else None,
        "why": decision.why,
        "legal": reply.refusal is None,
        "refusal": None
        if reply.refusal is None
        else {"reason": reply.refusal.reason, "message": reply.refusal.message},
        "ms": round(reply.seconds * 1000, 3),
    }


def read_state(text: str) -> tuple[object, int | None]:
    """Return the described state that a word of the command line gives, and the seat that it names, if any.

    The word is JSON, the name of a file with it, or `-`; it may hold a whole `decide` message, or its line in a wire log.

    Raises:
        InputError: it is not JSON, or can't be read.
    """
    shown = text
    if text == "-":
        text = sys.stdin.read()
    elif not text.lstrip().startswith(("{", "[")):
        try:
            text = Path(text).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            values = {"file": quote(shown), "reason": getattr(error, "strerror", None) or str(error)}
            raise InputError(_("can't read %(file)s: %(reason)s") % values) from error
    return parse_state(text)


def parse_state(text: str) -> tuple[object, int | None]:
    """Return the described state that a text holds, and the seat that it names, if any.

    Raises:
        InputError: it is not JSON.
    """
    try:
        data = json.loads(text[max(text.find("{"), 0) :])
    except json.JSONDecodeError as error:
        raise InputError(_("the state is not JSON: column %s") % number(error.colno)) from None
    except RecursionError:
        raise InputError(_("a state is a JSON object")) from None
    if isinstance(data, dict) and "state" in data:
        seat = data.get("seat")
        return data["state"], seat if isinstance(seat, int) and not isinstance(seat, bool) else None
    return data, None


def restore(
    described: object, source: str | None, changes: tuple[str, ...], target: int | None, seat: int | None
) -> tuple[Engine[Any], Any]:
    """Return the engine and the state; what the state tells of the rule set need not be told again.

    Raises:
        InputError: there is no such rule set, or it has no such state.
    """
    told: list[str] = []
    if isinstance(described, dict):
        if source is None and _is_high_dice(described):
            source = "high-dice"
        if target is None and isinstance(described.get("target"), int):
            target = described["target"]
        told += [f"{field}={described[field]}" for field in ("rule", "find") if isinstance(described.get(field), str)]
        dice = described.get("dice")
        if isinstance(dice, list) and dice and all(isinstance(faces, list) for faces in dice):
            told.append(f"dice={max(map(len, dice))}")
    engine = engine_for(load_rules(source or DEFAULT_RULES, (*told, *changes), target))
    return engine, engine.restore(described, seat)


def _is_high_dice(described: dict[str, Any]) -> bool:
    dice = described.get("dice")
    return bool(_OF_HIGH_DICE & set(described)) or (isinstance(dice, list) and any(isinstance(d, list) for d in dice))
