"""The engines, pure: no player, no clock, no file and no randomness. Dice are handed in."""

from __future__ import annotations

from typing import Any

from dicegame.games.base import Engine
from dicegame.games.highdice import HighDice
from dicegame.games.pushluck import PushLuck
from dicegame.rules.model import PushLuckRules, RuleSet


def engine_for(rules: RuleSet) -> Engine[Any]:
    """Return the engine that plays this rule set."""
    return PushLuck(rules) if isinstance(rules, PushLuckRules) else HighDice(rules)
