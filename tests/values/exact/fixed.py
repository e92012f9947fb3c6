"""What the tests of fixed players share: rule sets, and the real players as the naive second implementation asks them."""

from __future__ import annotations

from dicegame.dice import Dice
from dicegame.games.base import Decision
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.players.base import Request, Seating
from dicegame.players.builtin import make
from dicegame.rules.load import load
from dicegame.rules.model import PushLuckRules
from tests.values.naive_game import Decide


def rules_of(name: str, *changes: str, target: int | None = None) -> PushLuckRules:
    rules = load(name, changes, target)
    assert isinstance(rules, PushLuckRules)
    return rules


def real_player(rules: PushLuckRules, word: str) -> Decide:
    """The decisions of the built-in itself."""
    engine = PushLuck(rules)
    player = make(word)
    player.begin(Seating("game", engine, (word, "other"), 0, 0, None))

    def decide(state: PushLuckState) -> tuple[Dice, bool]:
        decision = player.decide(Request(1, 0, engine, state))
        assert isinstance(decision, Decision)
        return decision.keep, decision.bank

    return decide
