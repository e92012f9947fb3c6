"""Turn values that were worked out once, kept for everyone who needs them: in one file that all workers of a match map.

A turn's values depend on the places of both seats alone. For every such context the file has a slot: the values of rolling 1, 2, ...
dice with 0, 1, ... steps in the turn, for the first steps; what lies further up is seldom asked for and worked out anew. All else
follows from them and from the values of banking.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Sequence
from pathlib import Path

from dicegame.values.choices import Choice, Choices
from dicegame.values.within import Stakes, TurnValues

STEPS = 64  # of a turn that a slot holds
MOST_BYTES = 1 << 30  # of a sparse file: only the slots that are used take room


class TurnStore:
    """Slots of turn values in a file, which is made if it is not there. Any number of processes may map it at once.

    Two that fill the same slot write the same numbers; a slot's first number is written last, and is 0 until then.
    """

    def __init__(self, path: Path, slots: int, dice: int) -> None:
        """Map the file; `slots` and `dice` are those of the rule set.

        Raises:
            OSError: it can't be made or mapped.
        """
        self._width = dice * STEPS
        size = slots * self._width * 8
        with path.open("a+b") as file:
            file.truncate(size)
            self.numbers = memoryview(mmap.mmap(file.fileno(), size)).cast("d")

    def slot(self, place: int, fill: Callable[[], list[float]]) -> int:
        """Return where the numbers of a slot begin; `fill` works them out, dice by dice, if nobody has yet."""
        start = place * self._width
        if not self.numbers[start]:
            first, *others = fill()
            for i, value in enumerate(others, start + 1):
                self.numbers[i] = value
            self.numbers[start] = first
        return start


def open_store(path: Path, slots: int, dice: int) -> TurnStore | None:
    """Return the store in a file; None where it would be too large, or the file can't be had."""
    if slots * dice * STEPS * 8 > MOST_BYTES:
        return None
    try:
        return TurnStore(path, slots, dice)
    except OSError:
        return None


class StoredTurn:
    """The values of a turn whose rolls lie in a store; further up than a slot reaches it is worked out anew."""

    def __init__(self, choices: Choices, stakes: Stakes, numbers: memoryview[float], start: int) -> None:
        self._choices = choices
        self._stakes = stakes
        self._numbers = numbers
        self._start = start
        self._whole: TurnValues | None = None
        self.lost = stakes.lost
        self.banking = stakes.bank

    def rolling(self, dice: int, steps: int) -> float:
        """Return the chance before rolling so many dice with so many steps in the turn."""
        if steps < STEPS:
            return self._numbers[self._start + (dice - 1) * STEPS + steps]
        return self._further_up().rolling(dice, steps)

    def best(self, choices: Sequence[Choice], steps: int) -> float:
        """Return the chance with the best of these choices, with so many steps in the turn."""
        numbers, start, banking, must = self._numbers, self._start, self.banking, self._choices.dice
        most = 0.0
        for kind, more in choices:
            at = steps + more
            if at >= STEPS:
                value = self._further_up().after(kind, at)
            elif kind == must:
                value = numbers[start + (must - 1) * STEPS + at]
            else:
                value = max(numbers[start + kind * STEPS + at], banking(at))
            if value > most:  # noqa: PLR1730 - a call of max() doubles the time
                most = value
        return most

    def _further_up(self) -> TurnValues:
        if self._whole is None:
            self._whole = TurnValues(self._choices, self._stakes)
        return self._whole


def in_plain_python(choices: Choices, stakes: Stakes) -> list[float]:
    """Return what a slot holds, worked out without the compiled loops."""
    turn = TurnValues(choices, stakes)
    return [turn.rolling(dice, steps) for dice in range(1, choices.dice + 1) for steps in range(STEPS)]
