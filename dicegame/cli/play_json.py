"""`dicegame play --json`: the game of `play` over the protocol, on this process's standard input and output.

What goes to stderr is JSON too: one object a line, `error` where the exit code tells of it, `warning` where it does not.
"""

from __future__ import annotations

import sys

from dicegame.cli.common import report_json
from dicegame.errors import (
    EXIT_BOT,
    EXIT_DONE,
    EXIT_INPUT,
    DicegameError,
    Interrupted,
    RecordError,
    SaveError,
    UnfinishedError,
)
from dicegame.games.base import Reason
from dicegame.players.client import Channel, Client
from dicegame.players.factory import Factory
from dicegame.players.treatment import Treatment
from dicegame.saves import Saved, Setup, find_saved, saved_games
from dicegame.session import Session
from dicegame.text import _, ltr


def play_json(setup: Setup | None, resume: str, record: str | None, treatment: Treatment) -> int:
    """Play one game and return the exit code.

    Args:
        setup: the settings; None to go on with a saved game.
        treatment: how external bots are treated.
        resume: the id of that game; empty for the only one.
        record: where that game is recorded from here on; None for where it was.

    Raises:
        UnfinishedError: the input ended, or nobody reads the output; the game is saved.
        InputError: one wrong answer too many, or dice that ran out.
    """
    saved = None
    if setup is None:
        saved = _only_saved() if not resume else find_saved(resume)
        setup = saved.setup
        setup.record = record or setup.record
    channel = Channel(sys.stdin.buffer, sys.stdout.buffer)
    session = Session(setup, warn=_warn, saved=saved)
    factory = Factory(treatment)
    try:
        players = factory.seat(setup.specs, setup.names, session.key, lambda _seat: Client(channel))
        channel.hello()
        channel.open(session.id, session.key)
        outcome = session.play(players, observers=[channel], host=channel, on_fault=treatment.on_fault)
        channel.result(outcome)
    except UnfinishedError as error:
        raise UnfinishedError(_resume_hint(session, error.message), game=session.id) from error
    except KeyboardInterrupt as error:
        raise Interrupted(_resume_hint(session, _("interrupted")), game=session.id) from error
    except DicegameError as error:
        error.fields.setdefault("game", session.id)
        raise
    finally:
        faults = factory.faults()
        factory.close()
        session.close()
    for fault in faults:
        report_json("warning", {"code": "bot", "message": fault})
    if outcome.reason is Reason.FORFEIT and faults:
        return EXIT_BOT
    return EXIT_INPUT if session.record_failed else EXIT_DONE


def _warn(error: DicegameError) -> None:
    report_json("error" if isinstance(error, RecordError) else "warning", error.as_json())


def _only_saved() -> Saved:
    games = saved_games()
    if len(games) != 1:
        ids = ltr(", ".join(game.id for game in games))
        message = _("say which game to go on with: %s") % ids if games else _("there is no saved game to go on with")
        raise SaveError(message)
    return games[0]


def _resume_hint(session: Session, what: str) -> str:
    if not session.is_saved:
        return what
    command = ltr(f"dicegame play --json --resume {session.id}")
    return _("%(what)s; the game is saved: %(command)s goes on with it") % {"what": what, "command": command}
