"""Records of games packed small: what was decided, the result and the key. Everything else follows from these and is made anew.

A packed record is JSON lines, compressed by zlib: the header without the rules, the decisions and faults in their order, the result and
the key, each as in a whole record. The throws follow from the key, and all events from the rules.
"""

from __future__ import annotations

import json
import zlib
from collections import deque
from collections.abc import Sequence
from typing import Any

from dicegame.dice import SeededDice
from dicegame.errors import DecisionError, InputError, RecordError
from dicegame.games import engine_for
from dicegame.games.base import Answer, Decision, Outcome
from dicegame.games.events import Event, Faulted
from dicegame.players.base import BotFault, FaultCode, Player, Request, Silent
from dicegame.players.treatment import OnFault
from dicegame.record.lines import DecisionLine, EventLine, Header, KeyLine, ResultLine, any_line
from dicegame.record.write import MemoryRecord
from dicegame.referee import Referee
from dicegame.rules.model import RuleSet
from dicegame.text import _

MOST_BYTES = 1 << 24  # of a packed record, unpacked: a game has at most a million decisions


class BriefRecord(MemoryRecord):
    """A record of what does not follow from the rest."""

    def header(self, header: Header) -> None:
        """Write the first line, without the rules."""
        self.write(header.model_dump(mode="json", exclude={"rules"}))

    def throw(self, throw: Any, dice: tuple[int, ...]) -> None:  # noqa: ANN401 - an observer's signature
        """Hear of dice that fell: they follow from the key."""

    def event(self, event: Event, state: Any) -> None:  # noqa: ANN401 - an observer's signature
        """Write what a bot did wrong; all else follows from the rules."""
        if isinstance(event, Faulted):
            super().event(event, state)

    def packed(self) -> bytes:
        """Return the record as it is stored."""
        return zlib.compress(b"".join(self.lines), 6)


class _Again(Silent):
    """A seat that does what it did: all seats share the list of what happened."""

    def __init__(self, past: deque[Decision | FaultCode]) -> None:
        self._past = past

    def decide(self, request: Request) -> Answer:
        """Return the next decision, or break the protocol as the bot did."""
        if not self._past:
            raise RecordError(_("the record breaks off before the result"))
        past = self._past.popleft()
        if isinstance(past, FaultCode):
            raise BotFault(past, "")
        try:
            request.engine.check(request.state, past)
        except DecisionError as error:
            raise RecordError(_("a decision of the record is not legal: %s") % error.message) from error
        return past


def unpack(packed: bytes, rules: RuleSet, rules_data: dict[str, Any]) -> bytes:
    """Return the whole record, as it would have been written while the game was played.

    Args:
        packed: what `BriefRecord.packed` gave.
        rules: the rule set of the game.
        rules_data: the same as data, as the header of a record carries it.

    Raises:
        RecordError: it is no packed record, or what it holds does not follow from its dice and rules.
    """
    try:
        expander = zlib.decompressobj()
        rows = expander.decompress(packed, MOST_BYTES).splitlines()
        if not expander.eof:
            raise RecordError(_("the record breaks off before the result"))
        header = Header.model_validate({**json.loads(rows[0]), "rules": rules_data})
        lines = [any_line.validate_json(row) for row in rows[1:]]
        past, substituted = _past(lines)
    except (zlib.error, ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise RecordError(_("this is not a packed record: %s") % type(error).__name__) from error
    result = next((line.outcome() for line in lines if isinstance(line, ResultLine)), None)
    key = next((line.dice_key for line in lines if isinstance(line, KeyLine)), None)
    if result is None or key is None:
        raise RecordError(_("the record breaks off before the result"))
    whole = MemoryRecord()
    whole.header(header)
    players: list[Player] = [_Again(past) for _player in header.players]
    policy = OnFault.SUBSTITUTE if substituted else OnFault.FORFEIT
    dice = SeededDice(bytes.fromhex(key))
    try:
        outcome = Referee(engine_for(rules), players, dice, on_fault=policy, observers=[whole]).play()
    except RecordError:
        raise
    except InputError as error:  # so many can't play this game
        raise RecordError(error.message) from error
    if past:
        raise RecordError(_("the record goes on after the result"))
    _same(outcome, result)
    whole.key(dice.key)
    return b"".join(whole.lines)


def _past(lines: Sequence[Any]) -> tuple[deque[Decision | FaultCode], bool]:
    """Return what was decided and what went wrong, in order, and whether a fault was followed by a decision in the seat's place.

    Raises:
        KeyError, ValueError: an event is no fault of a bot.
    """
    past: deque[Decision | FaultCode] = deque()
    faulted = substituted = False
    for line in lines:
        if isinstance(line, EventLine):
            past.append(FaultCode((line.model_extra or {})["code"]))
            faulted = True
            continue
        if isinstance(line, DecisionLine):
            if not faulted:
                past.append(Decision(line.keep, line.bank, line.why))
            substituted |= faulted
        faulted = False
    return past, substituted


def _same(outcome: Outcome, result: Outcome) -> None:
    if outcome != result:
        raise RecordError(_("the result of the record does not follow from its dice and decisions"))
