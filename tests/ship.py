"""`python -m tests.ship [PRESET...]`: solve the presets anew and write the files that ship with the package."""

from __future__ import annotations

import sys
import time

from dicegame.errors import RulesError
from dicegame.rules.load import load, presets
from dicegame.rules.model import PushLuckRules
from dicegame.values.exact.solve import solve
from dicegame.values.solved import SHIPPED, SUFFIX, write


def main(names: list[str]) -> None:
    """Solve and write, to the largest target that a preset offers; say which can't be solved."""
    for name in names or presets():
        rules = load(name)
        if not isinstance(rules, PushLuckRules):
            continue
        begun = time.monotonic()
        largest = load(name, target=max(rules.offered_targets()))
        assert isinstance(largest, PushLuckRules)
        path = SHIPPED / f"{name}{SUFFIX}"
        try:
            write(path, solve(largest), rounded=True)
        except RulesError as error:
            print(error.message)
        else:
            print(f"{name}: {path.stat().st_size} bytes, {time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
