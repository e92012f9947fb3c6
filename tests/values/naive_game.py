"""What two-player positions are worth, worked out the slow and plain way: the yardstick for the solver.

Every turn is worked out from the values of the positions that it leads to, sweep after sweep, until no value moves. Between two sweeps
the choices just made are played on until their values stand, which only saves sweeps: what ends the work is a sweep without a change.

`max_turns` is left out. Play that never ends counts a half, but nobody wants that as long as every seat can win from everywhere. (An
exact target that is nearer than the minimum to bank breaks this; `random_rules` has none of these.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import fsum

from dicegame.games.pushluck import PushLuckState
from dicegame.rules.model import PushLuckRules
from dicegame.rules.table import Dice
from tests.values.naive_turn import Choose, Fall, Game, Key, Offer, Position, Turn, alike, seen_by, worth
from tests.values.small_rules import random_rules

__all__ = ["Perfect", "Position", "perfect", "policy_value", "random_rules", "start"]

CLOSE = 1e-15  # values stand when a whole sweep changes none by more
_SHORTCUTS, _PASSES = 50, 400
Decide = Callable[[PushLuckState], tuple[Dice, bool]]


def settle(values: dict[Key, float], rows: dict[Key, dict[Key | float, float]], passes: int) -> None:
    """Make the values those of turns that spread as in `rows`, until rounding is all that moves them, or so many passes are over.

    Values go half the way each time: where both seats bust and bust they would swing to and fro, and rounding would keep them swinging.
    """
    fixed = {key: fsum(p * worth(to, values) for to, p in row.items() if to not in rows) for key, row in rows.items()}
    moving: dict[Key, list[tuple[Key, float]]] = {
        key: [(to, p) for to, p in row.items() if to in rows] for key, row in rows.items()
    }
    least, stale = 1.0, 0
    while least > 0.0 and stale < 100 and passes:
        change, passes = 0.0, passes - 1
        for key in rows:
            new = fixed[key] + fsum([p * (1.0 - values[to]) for to, p in moving[key]])
            change = max(change, abs(new - values[key]))
            values[key] = (values[key] + new) / 2
        stale = stale + 1 if change >= least else 0
        least = min(least, change)


class Perfect:
    """Perfect play of both seats: `values` by position (seat to move first), and what hangs on them."""

    def __init__(self, rules: PushLuckRules) -> None:
        self.game = Game(rules)
        self._choices: dict[Position, Choose] = {}
        turns: dict[Position, Turn] = {}
        found = [alike(rules, position) for position in _seeds(self.game)]
        while found:
            position = found.pop()
            if position not in turns:
                turns[position] = Turn(self.game, position, perfect=True)
                found += turns[position].leads_to()
        order = sorted(turns, key=lambda p: (p.final, sum(p.scores)), reverse=True)
        self.values = dict.fromkeys(order, 0.5)
        self.sweeps, self.change = 0, 1.0
        while self.change > CLOSE:
            self._sweep({position: turns[position] for position in order})

    def _sweep(self, turns: dict[Position, Turn]) -> None:
        """Work out every turn anew; then, as a shortcut, go on with the choices made there until their values stand."""
        values, rows = self.values, {}
        self.sweeps, self.change = self.sweeps + 1, 0.0
        for position, turn in turns.items():
            if position.final and self.sweeps > 1:
                continue  # the game ends with this turn: nothing to come can change it
            rolling = turn.rolling(values)
            new = rolling[0, self.game.rules.dice]
            self.change = max(self.change, abs(new - values[position]))
            values[position] = new if self.sweeps < _SHORTCUTS else (values[position] + new) / 2
            if not position.final and self.sweeps < _SHORTCUTS:
                rows[position] = turn.spread(turn.greedy(values, rolling), self.game.offered)
        if self.change > CLOSE:
            settle(values, rows, _PASSES)

    def __call__(self, position: Position) -> float:
        return self.values[alike(self.game.rules, position)]

    def rolling(self, position: Position) -> dict[tuple[int, int], float]:
        """Return the value of rolling n dice with so many turn points in this position, by (points, n)."""
        return Turn(self.game, position, perfect=True).rolling(self.values)

    def decide(self, state: PushLuckState) -> tuple[Dice, bool]:
        """Return the best decision of the seat to decide; of equally good ones to bank, and the larger points."""
        assert state.roll is not None
        position = alike(self.game.rules, seen_by(self.game.rules, state.standing, state.seat))
        if position not in self._choices:
            turn = Turn(self.game, position, perfect=True)
            self._choices[position] = turn.greedy(self.values, turn.rolling(self.values))
        offer, bank = self._choices[position](state.turn_points, self.game.fall(state.roll, 1))
        keeps = state.roll.keeps
        return next(k.keep for k in keeps if (k.points, k.roll, k.may_bank) == offer), bank


def perfect(rules: PushLuckRules) -> Perfect:
    """Return the values of perfect play at every pair of scores (with house rules: at all that play can lead to)."""
    return Perfect(rules)


def start(rules: PushLuckRules) -> Position:
    return Position((0, 0), (rules.open == 0,) * 2)


def _seeds(game: Game) -> Iterable[Position]:
    rules, unit = game.rules, game.unit
    if rules.house.remembers:
        return [start(rules)]
    lowest = rules.floor if rules.penalty.busts else 0
    seats = [(score, True) for score in range(-(-lowest // unit) * unit, rules.target, unit)]
    seats += [(score, False) for score, _opened in seats if rules.open and score <= 0]
    return [Position((a, b), (x, y)) for a, x in seats for b, y in seats]


def policy_value(rules: PushLuckRules, decide_a: Decide, decide_b: Decide) -> tuple[float, float]:
    """Return the chances that A wins when A moves first and when B moves first, both playing as they decide.

    A player is given the engine's state, itself as seat 0 (where busts in a row cost nothing they are not counted), and answers the dice
    to keep, ascending, and whether to bank.
    """
    game = Game(rules)
    rows: dict[tuple[int, Position], dict[tuple[int, Position] | float, float]] = {}
    found = [(0, start(rules)), (1, start(rules))]
    while found:
        who, position = found.pop()
        if (who, position) in rows:
            continue
        turn = Turn(game, position, perfect=False)
        spread = turn.spread(decided(turn, (decide_a, decide_b)[who]), game.falls)
        row = {(1 - who, to) if isinstance(to, Position) else to: p for to, p in spread.items()}
        rows[who, position] = row
        found += [to for to in row if not isinstance(to, float)]
    order = sorted(rows, key=lambda key: (key[1].final, sum(key[1].scores)), reverse=True)
    values = dict.fromkeys(order, 0.5)
    settle(values, {key: rows[key] for key in order}, 1_000_000)
    return values[0, start(rules)], 1.0 - values[1, start(rules)]


def decided(turn: Turn, decide: Decide) -> Choose:
    """Return the choices that a player makes in this turn."""
    standing = turn.position.standing()

    def choose(points: int, fall: Fall) -> tuple[Offer, bool]:
        roll = fall.roll
        state = PushLuckState(standing, 0, points, 1, len(roll.dice), turn.required, roll.dice, roll)
        dice, bank = decide(state)
        keep = roll.by_keep[dice]
        offer = Offer(keep.points, keep.roll, keep.may_bank)
        assert offer in turn.legal(points, fall)
        assert not bank or (offer.may_bank and points + offer.points >= turn.required)
        return offer, bank

    return choose
