"""What is kept of a fault: enough for the bot's author to find it."""

from __future__ import annotations

from dataclasses import dataclass, field

from dicegame.text import _, clean, quote

KEPT_DETAIL = 500  # characters


@dataclass(slots=True)
class FaultReport:
    """One fault, with what its bot's author needs to find it: the last lines both ways, and the tail of the bot's log."""

    game: str
    seat: int
    code: str
    detail: str
    exit: int | None = None
    wire: list[str] = field(default_factory=list)
    log: str = ""

    def __post_init__(self) -> None:
        self.detail = clean(self.detail, KEPT_DETAIL)

    def __str__(self) -> str:
        last = self.log.splitlines()[-1:]
        said = f"{self.code}: {self.detail}"
        return f"{said}; {_('its log ends: %s') % quote(last[0])}" if last else said


def clean_log(log: bytes) -> str:
    """Return a bot's log as text that is safe to show, line by line."""
    return "\n".join(clean(line, 500) for line in log.decode("utf-8", "replace").splitlines()[-100:])


def ending(code: int) -> str:
    """Return how a process ended (an exit code, or minus a signal) in words."""
    return _("signal %s") % -code if code < 0 else _("exit code %s") % code
