"""Players that are Python functions or classes in this process: trusted, for quick experiments."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from dicegame import protocol
from dicegame.errors import IllegalDecision, InvalidDecision, PlayerError
from dicegame.games.base import Decision
from dicegame.games.pushluck import PushLuck
from dicegame.players.base import BotFault, FaultCode, Request, Seating, Silent
from dicegame.text import _, clean, quote

PREFIX = "python:"


class PythonPlayer(Silent):
    """Asks a callable with the `decide` message; a class is made anew for every game, with the `game` message, and then called."""

    def __init__(self, target: Any) -> None:  # noqa: ANN401 - anything that can be called
        self._target = target
        self._asked = target
        self._game = ""
        self._early: BotFault | None = None  # what a class raised when it was made; its first question shows it

    def begin(self, seating: Seating) -> None:
        """Take a seat in a new game."""
        self._game = seating.game
        self._early = None
        if isinstance(self._target, type):
            message = seating.message()
            try:
                self._asked = self._target(message)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - shown when it is asked
                self._early = BotFault(FaultCode.CRASHED, _what(error))

    def decide(self, request: Request) -> Decision:
        """Return what the callable answers: a `decision` message, or a pair of keep and bank.

        Raises:
            BotFault: it raised something, or answered something else.
        """
        if self._early is not None:
            raise self._early
        message = protocol.decide(request.id, self._game, request.seat, request.engine, request.state)
        try:
            answer = self._asked(message)
        except (Exception, SystemExit) as error:
            raise BotFault(FaultCode.CRASHED, _what(error)) from error
        try:
            decision = _decision(answer, bank_needed=isinstance(request.engine, PushLuck))
            request.engine.check(request.state, decision)
        except IllegalDecision as error:
            raise BotFault(FaultCode.ILLEGAL, error.message) from None
        except InvalidDecision as error:
            raise BotFault(FaultCode.PROTOCOL, error.message) from None
        return decision


def _what(error: BaseException) -> str:
    return clean(f"{type(error).__name__}: {error}", 500)


def _decision(answer: object, *, bank_needed: bool) -> Decision:
    """Return the decision that an answer is.

    Raises:
        InvalidDecision: it is none.
    """
    if isinstance(answer, dict):
        answer = answer.get("keep"), answer.get("bank", None if bank_needed else False)
    if (
        isinstance(answer, tuple)
        and len(answer) == 2
        and isinstance(answer[0], list | tuple)
        and isinstance(answer[1], bool)
    ):
        faces = answer[0]
        if all(type(face) is int for face in faces):
            return Decision(tuple(sorted(faces)), answer[1])
    raise InvalidDecision(_("the answer is neither a decision nor a pair of keep and bank"))


def load_python(word: str) -> PythonPlayer:
    """Return the player that `python:MODULE:CALLABLE` names; modules of the working directory are found too.

    Raises:
        PlayerError: there is no such module, or nothing callable of that name in it.
    """
    module, _colon, name = word.removeprefix(PREFIX).rpartition(":")
    if not module or not name:
        raise PlayerError(_("%s is not python:MODULE:CALLABLE") % quote(word))
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        target = getattr(importlib.import_module(module), name)
    except Exception as error:
        values = {"word": quote(word), "reason": quote(f"{type(error).__name__}: {error}")}
        raise PlayerError(_("can't import %(word)s: %(reason)s") % values) from error
    if not callable(target):
        raise PlayerError(_("%s can't be called") % quote(word))
    return PythonPlayer(target)
