"""What a bot says, taken apart: its `ready`, its answers, and the decision that an answer is."""

from __future__ import annotations

from typing import Any

from dicegame import protocol
from dicegame.errors import InvalidDecision
from dicegame.games.base import Decision, Engine
from dicegame.games.pushluck import PushLuck
from dicegame.players.base import BotFault, FaultCode
from dicegame.text import _, clean, number


def ready_of(line: bytes) -> protocol.Ready:
    """Return what a bot says first.

    Raises:
        InvalidDecision: it is not `ready`, or of another version.
    """
    message = protocol.parse(line)
    if not isinstance(message, protocol.Ready):
        raise InvalidDecision(_("ready is expected first"))
    if message.protocol != protocol.VERSION:
        values = {"theirs": clean(str(message.protocol), 20), "ours": number(protocol.VERSION)}
        raise InvalidDecision(_("protocol %(theirs)s is not spoken here, only %(ours)s") % values)
    return message


def answer_of(line: bytes) -> protocol.Answer:
    """Return the answer that a line is.

    Raises:
        BotFault: it is none.
    """
    try:
        message = protocol.parse(line)
    except InvalidDecision as error:
        raise BotFault(FaultCode.PROTOCOL, error.message) from None
    if isinstance(message, protocol.Ready):
        raise BotFault(FaultCode.PROTOCOL, _("ready is said once, at the start"))
    return message


def decision_of(answer: protocol.Answer, engine: Engine[Any]) -> Decision:
    """Return the decision that a message holds.

    Raises:
        InvalidDecision: the field `bank` is missing where the game needs it.
    """
    if answer.bank is None and isinstance(engine, PushLuck):
        raise InvalidDecision(_("the field %s is missing") % "bank")
    return Decision(tuple(sorted(answer.keep)), bool(answer.bank), answer.reason())
