"""What holds for every test: a busy machine makes no property fail, and none leaves its language to the next."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from dicegame import text

settings.register_profile("dicegame", deadline=None, print_blob=True)
settings.load_profile("dicegame")


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    """Go back to English, and to the environment as it was: `text.use` writes there."""
    before = os.environ.get("LANGUAGE")
    yield
    if text.language() != "en":
        text.use("en")
    if before is None:
        os.environ.pop("LANGUAGE", None)
    else:
        os.environ["LANGUAGE"] = before
