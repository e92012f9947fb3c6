"""How the external bots of a run are treated: their clock, their containment, what becomes of a fault, what is written down."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from dicegame.players.sandbox import Limits, Sandbox


class OnFault(StrEnum):
    """What becomes of a seat whose bot broke the protocol."""

    FORFEIT = "forfeit"
    SUBSTITUTE = "substitute"


@dataclass(frozen=True, slots=True)
class Clock:
    """How long a bot may take: to get ready, for one decision, and beyond that in a whole game; in milliseconds.

    `running` False: there is no clock but for getting ready.
    """

    start_ms: int = 10_000
    decision_ms: int = 1_000
    reserve_ms: int = 10_000
    running: bool = True


@dataclass(frozen=True, slots=True)
class Treatment:
    """How the external bots of a run are treated.

    `wire_log` is a file that every line from and to them is added to; `freeze` stops their processes between their turns.
    """

    clock: Clock = field(default_factory=Clock)
    sandbox: Sandbox = Sandbox.AUTO
    limits: Limits = field(default_factory=Limits)
    wire_log: str | None = None
    freeze: bool = False
    on_fault: OnFault = OnFault.FORFEIT
