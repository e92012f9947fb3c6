"""One process plays a tournament: a lock beside its file, which ends with the process however that ends, and a way to ask it to stop."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from dicegame.errors import SaveError, StoreError
from dicegame.saves import lock
from dicegame.text import _, quote

PATIENCE = 1.0  # seconds


def _lock_file(store: Path) -> Path:
    return store.with_name(store.name + ".lock")


def _stop_file(store: Path) -> Path:
    return store.with_name(store.name + ".stop")


def _patient(path: Path) -> int:
    """Hold a lock file; one that is held for an instant only, to see whether it is, is waited for."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return lock(path)
        except SaveError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.01)


class Hold:
    """Holds a tournament's file for this process, until it is released or the process ends.

    Raises:
        StoreError: another process plays it, or no lock can be had there.
    """

    def __init__(self, store: Path) -> None:
        self.store = store
        try:
            self._descriptor = _patient(_lock_file(store))
        except SaveError as error:
            message = _("the tournament %s is being played: `tournament stop` ends that after the running games")
            raise StoreError(message % quote(str(store))) from error
        except OSError as error:
            said = {"file": quote(str(store)), "reason": error.strerror or str(error)}
            raise StoreError(_("can't write %(file)s: %(reason)s") % said) from error
        _stop_file(store).unlink(missing_ok=True)

    def asked_to_stop(self) -> bool:
        """Say whether somebody asked this process to stop."""
        return _stop_file(self.store).exists()

    def release(self) -> None:
        """Let others have it."""
        _stop_file(self.store).unlink(missing_ok=True)
        _lock_file(self.store).unlink(missing_ok=True)
        os.close(self._descriptor)


def is_locked(store: Path) -> bool:
    """Say whether some process plays the tournament of this file."""
    path = _lock_file(store)
    if not path.exists():
        return False
    try:
        descriptor = lock(path)
    except (SaveError, OSError):
        return True
    with contextlib.suppress(OSError):
        path.unlink()  # left behind by one that was killed
    os.close(descriptor)
    return False


def ask_to_stop(store: Path) -> bool:
    """Ask whoever plays the tournament to stop after the running games; return whether anybody does.

    Raises:
        StoreError: the request can't be left beside the file.
    """
    if not is_locked(store):
        return False
    try:
        _stop_file(store).touch()
    except OSError as error:
        said = {"file": quote(str(store)), "reason": error.strerror or str(error)}
        raise StoreError(_("can't write %(file)s: %(reason)s") % said) from error
    return True
