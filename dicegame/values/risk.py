"""What the roll after a keep risks, in the position that a game has reached."""

from __future__ import annotations

from functools import lru_cache

from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.rules.model import Reach
from dicegame.rules.table import Keep, Table
from dicegame.values.turn import bust_chance


def room_after(engine: PushLuck, state: PushLuckState, keep: Keep) -> int | None:
    """Return the points that are still missing after a keep to a target which must be hit exactly; None for any other target."""
    if engine.rules.reach is not Reach.EXACT:
        return None
    return engine.rules.target - state.standing.scores[state.seat] - state.turn_points - keep.points


def bust_after(engine: PushLuck, state: PushLuckState, keep: Keep) -> float:
    """Return the chance that the roll after a keep is a bust: no keep of it is legal."""
    return _chance(engine.table, keep.roll, room_after(engine, state, keep))


@lru_cache(maxsize=256)
def _chance(table: Table, dice: int, room: int | None) -> float:
    return float(bust_chance(table, dice, room))
