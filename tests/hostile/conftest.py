"""What holds for every test here: each of the processes that run the tests keeps to a core of its own.

A worker of a match keeps to the first core that it may use: without this all matches at once would share one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="package")
def _core_of_its_own() -> Iterator[None]:
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    os.sched_setaffinity(0, {sorted(before)[number % len(before)]})
    yield
    os.sched_setaffinity(0, before)
