"""One turn of a game of two seats, worked out the slow and plain way: what it leads to, and what it is worth.

Only the table of rolls and keeps (`Table.roll`) and what happens between turns (`Settling`) are the product's own. A position is seen
from the seat to move, so that one table of values serves both seats: whatever a turn leads to is worth 1 less what it is worth to the
other. A tie counts a half.

Where the turn has no upper end its points stop counting at `top`. In a sudden end, and in the last turn of a final round, more than
`top` wins no more than `top` itself, so that nothing is lost. Before the final round let q(x) be the largest chance that a turn makes x
points. Points beyond `top` can only save what the other seat would win by making `top` less what the mover trailed, so the error is at
most q(top) * q(top - what can be trailed), and `top` is where that is below 1e-17. `rolling` is as good up to about half of `top`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from math import fsum
from typing import Any, NamedTuple, TypeVar

from dicegame.games.standing import Settling, Standing, required_points
from dicegame.rules.model import End, PushLuckRules, Reach
from dicegame.rules.table import Roll, Table, rolls

_LOST = 1e-20  # chances below it are left out


class Position(NamedTuple):
    """The table between two turns, the seat to move first. In a final round (`final`) the other seat has started it."""

    scores: tuple[int, int]
    opened: tuple[bool, bool] = (True, True)
    busts: tuple[int, int] = (0, 0)
    bolts: tuple[int, int] = (0, 0)
    falls: tuple[int, int] = (0, 0)
    barrel: tuple[int, int] | None = None
    final: bool = False

    def standing(self) -> Standing:
        final = 1 if self.final else None
        barrel = self.barrel
        return Standing(
            self.scores, self.opened, (False, False), self.busts, (1, 1), final, self.bolts, self.falls, barrel
        )


class Offer(NamedTuple):
    """What a keep brings: points, the dice of the next roll, and whether one may bank after it."""

    points: int
    dice: int
    may_bank: bool


class Fall(NamedTuple):
    """A roll, in how many of the 6**n ways it falls, and its offers."""

    ways: int
    roll: Roll
    offers: list[Offer]


Next = Position | float  # what a turn leads to: the other seat's turn, or the end with what it is worth to the mover
Choose = Callable[[int, Fall], tuple[Offer, bool]]
Key = TypeVar("Key", bound=Hashable)


def worth(to: Key | float, values: dict[Key, float]) -> float:
    """Return what it is worth to the mover that a turn leads there."""
    return to if isinstance(to, float) else 1.0 - values[to]


def seen_by(rules: PushLuckRules, standing: Standing, seat: int) -> Position:
    """Return the position as the seat to move sees it, without the busts in a row where they cost nothing."""

    def turned(pair: tuple[Any, ...]) -> tuple[Any, Any]:
        return (pair[seat], pair[1 - seat]) if pair else (0, 0)

    s = standing
    barrel = s.barrel and (s.barrel[0] ^ seat, s.barrel[1])
    busts = turned(s.busts) if rules.penalty.busts else (0, 0)
    return Position(
        turned(s.scores), turned(s.opened), busts, turned(s.bolts), turned(s.falls), barrel, s.final is not None
    )


def alike(rules: PushLuckRules, position: Position) -> Position:
    """Return the position that stands for this one under perfect play: in the last turn only the points to catch up matter."""
    if not position.final or rules.house.dump_truck:
        return position
    return Position((0, position.scores[1] - position.scores[0]), position.opened, final=True)


class Game:
    """A rule set with all its rolls: `falls[n]` of n dice, `offered[n]` the same with rolls that offer the same in one.

    A roll of all dice without points that must be rolled again changes nothing: it is left out, as if it had not fallen, and `ways[n]` is
    the number of ways without it.
    """

    def __init__(self, rules: PushLuckRules) -> None:
        self.rules, self.table = rules, Table(rules)
        self.unit = self.table.unit
        self.sizes = range(1, rules.dice + 1)
        self.falls: dict[int, list[Fall]] = {}
        self.offered: dict[int, list[Fall]] = {}
        self.ways: dict[int, int] = {}
        for n in self.sizes:
            falls = [self.fall(self.table.roll(dice), ways) for dice, ways in rolls(n)]
            self.falls[n] = [f for f in falls if f.roll.instant_win or all(offer.points for offer in f.offers)]
            self.ways[n] = sum(fall.ways for fall in self.falls[n])
            same: dict[tuple[bool, tuple[Offer, ...]], Fall] = {}
            for fall in self.falls[n]:
                key = (fall.roll.instant_win, tuple(fall.offers))
                same[key] = fall._replace(ways=fall.ways + same[key].ways) if key in same else fall
            self.offered[n] = list(same.values())
        self._makes: dict[tuple[int, int], float] = {}
        self.far = self._far() if rules.end is End.FINAL_ROUND else 0

    def fall(self, roll: Roll, ways: int) -> Fall:
        """Return this roll with what it offers."""
        return Fall(ways, roll, sorted({Offer(k.points, k.roll, k.may_bank) for k in roll.keeps}))

    def makes(self, points: int, n: int) -> float:
        """Return the largest chance that a turn that rolls n dice next makes so many points more, and does not win as they fall."""
        if points <= 0:
            return 1.0
        if (points, n) not in self._makes:
            going_on = [
                fall.ways * max(self.makes(points - offer.points, offer.dice) for offer in fall.offers)
                for fall in self.offered[n]
                if fall.offers and not fall.roll.instant_win
            ]
            self._makes[points, n] = fsum(going_on) / self.ways[n]
        return self._makes[points, n]

    def _far(self) -> int:
        """Return the turn points at which a turn before the final round stops counting; see above."""
        points, whole, most_trailed = 0, self.rules.dice, self.rules.target - self.rules.floor
        while self.makes(points, whole) * self.makes(points - most_trailed, whole) > 1e-17:
            points += self.unit
        return points

    def ended(self, standing: Standing) -> float:
        """Return what a finished final round is worth to seat 0."""
        mine, theirs = standing.scores
        return 0.5 if mine == theirs else float(mine > theirs)

    def busted(self, position: Position) -> Next:
        settling = Settling(self.rules, position.standing(), 0)
        settling.after_bust()
        return self.ended(settling.standing) if position.final else seen_by(self.rules, settling.standing, 1)

    def banked(self, position: Position, points: int) -> Next:
        score = position.scores[0] + points
        if self.rules.end is End.SUDDEN and score >= self.rules.target:
            return 1.0
        settling = Settling(self.rules, position.standing(), 0)
        settling.after_bank(score)
        standing = settling.standing
        if position.final:
            return self.ended(standing)
        if self.rules.end is End.FINAL_ROUND and standing.scores[0] >= self.rules.target:
            standing.final = 0
        return seen_by(self.rules, standing, 1)


class Turn:
    """One turn from a position: what a bust and every bank lead to, `bust` and `bank[points]`, and the points `top` that count at most.

    With `perfect`, for perfect play of both seats, turns that are alike lead to one, and there is a top. Fixed players have none: they
    may do at a million points what they would not do at a hundred.
    """

    def __init__(self, game: Game, position: Position, *, perfect: bool) -> None:
        self.game, self.position, self.perfect = game, position, perfect
        rules, (mine, theirs) = game.rules, position.scores
        self.required = required_points(rules, position.standing(), 0)
        self.room = rules.target - mine if rules.reach is Reach.EXACT else None
        self.bust = game.busted(position)
        self.bank: dict[int, Next] = {}
        self.top = 1_000_000_000
        if not perfect:
            return
        top = game.far
        if rules.end is End.SUDDEN:
            top = max(rules.target - mine, self.required)
        elif position.final and not rules.house.dump_truck:
            top = min(top, max(theirs - mine + game.unit, self.required))
        self.top = -(-top // game.unit) * game.unit
        for points in range(game.unit, self.top + 1, game.unit):
            if points >= self.required and (self.room is None or points <= self.room):
                self.banks(points)

    def banks(self, points: int) -> Next:
        """Return what banking so many points leads to; it must be allowed."""
        if points not in self.bank:
            to = self.game.banked(self.position, points)
            self.bank[points] = alike(self.game.rules, to) if self.perfect and isinstance(to, Position) else to
        return self.bank[points]

    def leads_to(self) -> set[Position]:
        return {to for to in (self.bust, *self.bank.values()) if isinstance(to, Position)}

    def legal(self, points: int, fall: Fall) -> list[Offer]:
        if self.room is None:
            return fall.offers
        return [offer for offer in fall.offers if points + offer.points <= self.room]

    def rolling(self, values: dict[Position, float]) -> dict[tuple[int, int], float]:
        """Return the value of rolling n dice with so many turn points, by (points, n), where `values` are right."""
        bust = worth(self.bust, values)
        banking = {points: worth(to, values) for points, to in self.bank.items()}
        value: dict[tuple[int, int], float] = {}

        def best(points: int, fall: Fall) -> float:
            if fall.roll.instant_win:
                return 1.0
            found = -1.0
            for gain, n, may_bank in self.legal(points, fall):
                total = min(points + gain, self.top)
                found = max(found, value[total, n])
                if may_bank and total in banking:
                    found = max(found, banking[total])
            return bust if found < 0 else found

        for points in range(self.top, -1, -self.game.unit):
            value |= {(points, n): 0.0 for n in self.game.sizes}
            change = 1.0
            while change > 1e-17:
                change = 0.0
                for n in self.game.sizes:
                    new = fsum(fall.ways * best(points, fall) for fall in self.game.offered[n]) / self.game.ways[n]
                    change, value[points, n] = max(change, new - value[points, n]), new
                if points < self.top:
                    break  # all keeps lead to more points, and that is worked out; at the top they lead to the top
        return value

    def greedy(self, values: dict[Position, float], rolling: dict[tuple[int, int], float]) -> Choose:
        """Return the choice of the best offer; of equal ones banking."""

        def choose(points: int, fall: Fall) -> tuple[Offer, bool]:
            ways: list[tuple[float, bool, Offer]] = []
            for offer in self.legal(points, fall):
                total = min(points + offer.points, self.top)
                ways.append((rolling[total, offer.dice], False, offer))
                if offer.may_bank and total in self.bank:
                    ways.append((worth(self.bank[total], values), True, offer))
            _value, bank, offer = max(ways)
            return offer, bank

        return choose

    def spread(self, choose: Choose, falls: dict[int, list[Fall]]) -> dict[Next, float]:
        """Return how likely the turn leads to what, where all choices are given."""
        ends: dict[Next, float] = defaultdict(float)
        waiting: dict[int, dict[int, float]] = {0: {self.game.rules.dice: 1.0}}
        while waiting:
            points = min(waiting)
            sizes = waiting[points]
            while sizes:
                n, chance = sizes.popitem()
                for fall in falls[n] if chance > _LOST else ():
                    p = chance * fall.ways / self.game.ways[n]
                    if fall.roll.instant_win:
                        ends[1.0] += p
                    elif not self.legal(points, fall):
                        ends[self.bust] += p
                    else:
                        offer, bank = choose(points, fall)
                        total = min(points + offer.points, self.top)
                        if bank:
                            ends[self.banks(total)] += p
                        else:
                            after = waiting.setdefault(total, {})
                            after[offer.dice] = after.get(offer.dice, 0.0) + p
            del waiting[points]
        whole = fsum(ends.values())  # 1, but for rounding in turns that come back to where they were
        return {to: p / whole for to, p in ends.items()}
