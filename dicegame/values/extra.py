"""The extra `dicegame[solve]`: whether numpy and numba are there."""

from __future__ import annotations

from importlib.util import find_spec

from dicegame.errors import InputError
from dicegame.text import _, ltr


def need_solver() -> None:
    """Raise `InputError`, saying how to get them, unless numpy and numba are installed."""
    if find_spec("numba") is None or find_spec("numpy") is None:
        message = _("this needs numpy and numba, which are not installed: %s")
        raise InputError(message % ltr("pip install 'dicegame[solve]'"))
