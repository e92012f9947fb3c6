"""One game from its settings to its end: its dice, its players, its record, and the copy on disk from which it can be gone on with.

Every game is written to the folder of saved games as it happens, readable by its owner only since its dice can be foretold from it.
After a crash, a kill or a closed terminal `resume` plays it again up to the last decision. The copy is removed once the game is over.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dicegame.dice import Dice, DiceSource, ScriptedDice, SeededDice, TypedDice, commitment
from dicegame.errors import DiceError, DicegameError, RecordError, SaveError
from dicegame.games import engine_for
from dicegame.games.base import Answer, Engine, Outcome, Throw
from dicegame.games.events import Event
from dicegame.players.base import Player
from dicegame.players.treatment import OnFault
from dicegame.record.lines import Header, is_person
from dicegame.record.write import RecordWriter
from dicegame.referee import Host, Observer, Referee
from dicegame.rules.load import as_data
from dicegame.saves import Saved, Setup, find_saved, games_folder, lock, save_line
from dicegame.text import _, quote


class Session:
    """One game being played. `id` names it for `--resume`. `close` it, however the game ends."""

    def __init__(self, setup: Setup, *, warn: Callable[[DicegameError], None], saved: Saved | None = None) -> None:
        """Open the record and the saved copy.

        Args:
            setup: what is played.
            warn: told when the game can't be recorded (a RecordError) or saved any more; it goes on all the same.
            saved: the game that is gone on with, if it is one.

        Raises:
            RecordError: the record that was asked for can't be begun.
            SaveError: the game is being played elsewhere, or was played to its end there.
        """
        self.setup = setup
        self.engine: Engine[Any] = engine_for(setup.rules)
        self._record: _Recording | None = None
        self._over = False
        now = datetime.now(UTC)
        self.id = saved.id if saved else f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
        self.started = saved.started if saved else now.isoformat(timespec="seconds")
        self.key = setup.key()
        hidden = setup.predictable or self.key is None
        self.commitment = None if hidden or self.key is None else commitment(self.key)
        self._copy = _Copy(self, warn)
        try:
            # Read anew, now that nobody else can play it: it may have been gone on with since it was chosen.
            self._past = find_saved(saved.id).past if saved else ()
            if setup.record is not None:
                self._record = _Recording(self, warn)
            if saved is None:
                self._copy.live()
        except DicegameError:
            self.close()
            raise

    @property
    def is_saved(self) -> bool:
        """Whether the game can be gone on with if it stops now."""
        return self._copy.whole and not self._over

    def play(
        self,
        players: Sequence[Player],
        *,
        observers: Sequence[Observer] = (),
        host: Host | None = None,
        ask: Callable[[int, int], Dice] | None = None,
        on_fault: OnFault = OnFault.FORFEIT,
    ) -> Outcome:
        """Play to the end.

        Args:
            players: by seat.
            observers: who else is told of everything.
            host: who is asked before dice.
            ask: asks a person for the dice of a seat; needed for typed dice.
            on_fault: what becomes of a seat whose bot breaks the protocol.

        Raises:
            SaveError: the saved game does not fit together.
        """
        specs = self.setup.specs
        recorders: list[Observer] = [r for r in (self._copy, self._record) if r is not None]
        referee = Referee(
            self.engine,
            players,
            self._source(ask),
            names=self.setup.names,
            game=self.id,
            commitment=self.commitment,
            seed_key=self.key or secrets.token_bytes(32),
            rotation=self.setup.rotation,
            people=frozenset(seat for seat, spec in enumerate(specs) if is_person(spec)),
            on_fault=on_fault,
            observers=[*recorders, *observers],
            host=_Resuming(self._copy, host),
        )
        try:
            outcome = referee.play(self._past)
            self._over = True
            if self._record:
                self._record.finish()
            self._copy.finish(keep=self.record_failed)
        except DiceError:
            self._over = True  # a script that has run out leaves nothing to go on with
            self._copy.finish()
            raise
        finally:
            self.close()
        return outcome

    def close(self) -> None:
        """Let go of all files; an unfinished game stays saved."""
        if self._record:
            self._record.close()
        self._copy.close()

    def change_tutor(self, tutor: float | None) -> None:
        """Switch the tutor on or off for the rest of the game, and for when it is gone on with; see `Setup.tutor`."""
        self.setup.tutor = tutor
        self._copy.settle()

    @property
    def record_failed(self) -> bool:
        """Whether a record was asked for and could not be written to its end."""
        return self._record is not None and not self._record.whole

    @property
    def copy_path(self) -> Path:
        """Where the copy of the game is."""
        return self._copy.path

    def header(self) -> Header:
        """Return the first line of the game's record."""
        setup = self.setup
        return Header(
            game=self.id,
            rules=as_data(setup.rules),
            players=setup.names,
            specs=setup.specs,
            dice=setup.dice,
            seed_predictable=setup.predictable,
            stream=setup.stream,
            commitment=self.commitment,
        )

    def _source(self, ask: Callable[[int, int], Dice] | None) -> DiceSource:
        if self.key is not None:
            return SeededDice(self.key)
        if self.setup.dice == "scripted":
            return ScriptedDice(self.setup.script)
        if ask is None:
            raise SaveError(_("this game is played with real dice: someone must type them in at a terminal"))
        return TypedDice(ask)


class _Recording:
    """A record that may fail in the middle: the game goes on without it, and says so once."""

    def __init__(self, session: Session, warn: Callable[[DicegameError], None]) -> None:
        self._session = session
        self._warn = warn
        self.whole = True
        self._writer: RecordWriter | None = RecordWriter(session.setup.record or "")
        self._try(lambda writer: writer.header(session.header()))

    def event(self, event: Event, state: Any) -> None:  # noqa: ANN401 - an observer's signature
        self._try(lambda writer: writer.event(event, state))

    def throw(self, throw: Throw, dice: Dice) -> None:
        self._try(lambda writer: writer.throw(throw, dice))

    def answer(self, seat: int, request_id: int, answer: Answer) -> None:
        self._try(lambda writer: writer.answer(seat, request_id, answer))

    def over(self, outcome: Outcome) -> None:
        self._try(lambda writer: writer.over(outcome))

    def finish(self) -> None:
        """Write the key, the last line."""
        self._try(lambda writer: writer.key(self._session.key))

    def close(self) -> None:
        """Let go of the file; what was written stays."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _try(self, write: Callable[[RecordWriter], None]) -> None:
        if not self.whole or self._writer is None:
            return
        try:
            write(self._writer)
        except RecordError as error:
            self.whole = False
            self._fail(error)

    def _fail(self, error: RecordError) -> None:
        message = _("%s; the game goes on, but it is not recorded") % error.message
        if self._session.is_saved:
            values = {"error": error.message, "copy": quote(str(self._session.copy_path), 1000)}
            message = _("%(error)s; the game goes on, and its record is kept in %(copy)s") % values
        self._warn(RecordError(message, **error.fields))


class _Copy(_Recording):
    """The game on disk, from which it can be gone on with. It is written anew beside an old copy, and then takes its place."""

    def __init__(self, session: Session, warn: Callable[[DicegameError], None]) -> None:
        self._session = session
        self._warn = warn
        self.whole = True
        self._writer: RecordWriter | None = None
        self._lock: int | None = None
        folder = games_folder()
        self.path = folder / f"{session.id}.jsonl"
        self._fresh = self.path.with_suffix(".new")
        try:
            try:
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._lock = lock(self.path.with_suffix(".lock"))
            except OSError as error:
                raise _unwritable(folder, error) from error
            self._writer = RecordWriter(self._fresh, private=True, sync=True)
        except RecordError as error:
            self.whole = False
            self._fail(error)
        self._settings = save_line(session.setup, session.started)
        self._live = False
        self._try(lambda writer: writer.write(self._settings))
        self._try(lambda writer: writer.header(session.header()))

    def live(self) -> None:
        """Take the place of the old copy: all that had been played is in the new one."""
        if self.whole and self._fresh.exists():
            try:
                self._fresh.replace(self.path)
            except OSError as error:
                self.whole = False
                self._fail(_unwritable(self.path, error))
        self._live = True
        self.settle()

    def settle(self) -> None:
        """Write the settings anew that stand before what was played, if they have changed; where that can't be done, they stand."""
        settings = save_line(self._session.setup, self._session.started)
        if settings == self._settings or not self._live or not self.whole or self._writer is None:
            return
        with contextlib.suppress(OSError, RecordError):
            played = self.path.read_bytes().partition(b"\n")[2]
            fresh = RecordWriter(self._fresh, private=True, sync=True)
            try:
                fresh.write(settings)
                fresh.line(played, sync=True)
                self._fresh.replace(self.path)
            except (OSError, RecordError):
                fresh.close()
                raise
            self._writer.close()
            self._writer, self._settings = fresh, settings

    def finish(self, *, keep: bool = False) -> None:
        """The game is over: remove the copy, or make a record of it where it has to `keep` the only whole one."""
        with contextlib.suppress(OSError):
            if keep and self.whole:
                super().finish()
                _save_line, _end, record = self.path.read_bytes().partition(b"\n")
                self._fresh.write_bytes(record)
                self._fresh.replace(self.path)
            else:
                self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the files; an unfinished game stays."""
        super().close()
        if self._lock is not None:
            with contextlib.suppress(OSError):
                self._fresh.unlink(missing_ok=True)
                self.path.with_suffix(".lock").unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None

    def _fail(self, error: RecordError) -> None:
        self._warn(SaveError(_("%s; the game goes on, but it can't be resumed") % error.message, **error.fields))


class _Resuming:
    """The host, and before it the moment at which a game becomes live."""

    def __init__(self, copy: _Copy, host: Host | None) -> None:
        self._copy = copy
        self._host = host

    def resumed(self, engine: Engine[Any], state: Any) -> None:  # noqa: ANN401 - a host's signature
        self._copy.live()
        if self._host is not None:
            self._host.resumed(engine, state)

    def before_throw(self, engine: Engine[Any], state: Any, *, may_undo: bool) -> Answer | None:  # noqa: ANN401 - a host's signature
        return None if self._host is None else self._host.before_throw(engine, state, may_undo=may_undo)


def _unwritable(path: Path, error: OSError) -> RecordError:
    reason = error.strerror or str(error)
    return RecordError(_("can't write %(file)s: %(reason)s") % {"file": quote(str(path)), "reason": reason})
