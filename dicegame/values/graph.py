"""The standings between turns of a game of two whose house rules remember, found from the start turn by turn.

What a turn leads to is left to the engine's own `Settling`; here standings are only numbered and listed. The seat to move is always
seat 0: whatever a turn leads to is turned round. Scores are points, what a turn makes counts in steps of the table's unit.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from math import gcd, prod

from dicegame.errors import RulesError
from dicegame.games.standing import Settling, Standing, required_points
from dicegame.rules.model import End, PushLuckRules
from dicegame.rules.table import Table
from dicegame.text import _, join, number, quote

MOST_LEADS = 5_000_000  # of all standings together: every bank of a turn that goes on to another one
PROBED = 60_000  # standings that a few leads of each are followed from, only to see whether there are too many
FEW = 5
_TOLD = 2_000  # standings between two words on how far it is
_KEY_BITS = 63
_STRIDE = 7_919  # a prime larger than any turn: spreads what is probed

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Packing:
    """How a standing is written as one whole number: digits of mixed bases, as few of them as count in this rule set.

    Scores are multiples of `step`, from `floor` on, and have `heights` values. What costs nothing is not remembered.
    """

    step: int
    floor: int
    heights: int
    busts: int
    bolts: int
    falls: int
    barrel: int

    @classmethod
    def of(cls, rules: PushLuckRules, table: Table) -> Packing:
        """Return the digits of a rule set.

        Raises:
            RulesError: there are more standings than such numbers.
        """
        house, penalty = rules.house, rules.penalty
        busts = penalty.busts if penalty.points else 0
        bolts = house.bolts if house.bolt_points else 0
        moved = [house.overtaking, rules.floor]
        moved += [penalty.points] if busts else []
        moved += [house.bolt_points] if bolts else []
        moved += [house.fall_points, rules.target - house.barrel] if house.barrel else []
        step = gcd(table.unit, *moved)
        packing = cls(
            step=step,
            floor=rules.floor,
            heights=-(-(rules.target - rules.floor) // step),
            busts=max(1, busts),
            bolts=max(1, bolts),
            falls=house.falls if house.barrel else 1,
            barrel=1 + 2 * house.tries if house.barrel else 1,
        )
        whole = prod((packing.heights, packing.busts, packing.bolts, packing.falls)) ** 2 * 4 * packing.barrel
        if whole >> _KEY_BITS:
            raise too_large(rules)
        return packing

    def key(self, standing: Standing, seat: int) -> int:
        """Return the number of a standing as it is before a turn of `seat`."""
        other = 1 - seat
        scores, opened = standing.scores, standing.opened
        found = (scores[seat] - self.floor) // self.step * self.heights + (scores[other] - self.floor) // self.step
        found = 4 * found + 2 * opened[seat] + opened[other]
        for base, counts in (
            (self.busts, standing.busts),
            (self.bolts, standing.bolts),
            (self.falls, standing.falls),
        ):
            if base > 1:
                found = (found * base + counts[seat]) * base + counts[other]
        if self.barrel > 1:
            found *= self.barrel
            if standing.barrel is not None:
                whose, tries = standing.barrel
                found += 1 + 2 * tries + (whose != seat)
        return found

    def fits(self, standing: Standing) -> bool:
        """Say whether a standing, as somebody describes it, has no digit that there is none of."""
        counted = ((self.busts, standing.busts), (self.bolts, standing.bolts), (self.falls, standing.falls))
        return all((score - self.floor) % self.step == 0 for score in standing.scores) and all(
            base == 1 or max(counts) < base for base, counts in counted
        )

    def standing(self, key: int) -> Standing:
        """Return the standing of this number, seat 0 to move."""
        rest, on_barrel = divmod(key, self.barrel)
        barrel = None if not on_barrel else ((on_barrel - 1) % 2, (on_barrel - 1) // 2)
        pairs = []
        for base in (self.falls, self.bolts, self.busts):
            rest, theirs = divmod(rest, base)
            rest, mine = divmod(rest, base)
            pairs.append((mine, theirs))
        falls, bolts, busts = pairs
        rest, flags = divmod(rest, 4)
        mine, theirs = divmod(rest, self.heights)
        scores = mine * self.step + self.floor, theirs * self.step + self.floor
        opened = flags >= 2, flags % 2 == 1
        return Standing(scores, opened, (False, False), busts, (1, 1), None, bolts, falls, barrel)


def banked(rules: PushLuckRules, standing: Standing, points: int) -> Standing:
    """Return what stands once seat 0 has banked these points and the game goes on."""
    settling = Settling(rules, standing, 0)
    settling.after_bank(standing.scores[0] + points)
    return settling.standing


def busted(rules: PushLuckRules, standing: Standing) -> Standing:
    """Return what stands once seat 0 has bust."""
    settling = Settling(rules, standing, 0)
    settling.after_bust()
    return settling.standing


@dataclass(frozen=True, slots=True)
class Reached:
    """What a bank that reaches the target leaves to the other seat in its last turn: see `last_row`.

    After `x` steps the other is `behind + x` steps behind.
    """

    row: int
    behind: int


@dataclass(frozen=True, slots=True)
class Limits:
    """What a turn from a standing may bank: from `need` steps on; from `end` on that reaches the target, which `hit` says exactly."""

    need: int
    end: int
    hit: bool

    @classmethod
    def of(cls, rules: PushLuckRules, unit: int, standing: Standing, seat: int) -> Limits:
        """Return the limits of a turn of `seat`, in steps of `unit`."""
        missing = rules.target - standing.scores[seat]
        return cls(max(1, -(-required_points(rules, standing, seat) // unit)), -(-missing // unit), missing % unit == 0)

    @property
    def leads(self) -> int:
        """How many banks go on to another standing."""
        return max(0, self.end - self.need)


def last_row(behind: int, unit: int, *, opened: bool) -> tuple[int, int]:
    """Return which row of last turns serves a seat that is so many points behind, and how many steps it is behind in it.

    Rows: 0 and 1 for seats that have opened, 2 and 3 for those that have not; the odd ones for points that no turn can make level, which
    stand at the next step below, where a tie is worth nothing.
    """
    steps, between = divmod(behind, unit)
    return 2 * (not opened) + (between > 0), steps


def reached(rules: PushLuckRules, unit: int, standing: Standing, end: int) -> Reached:
    """Return what a bank of `end` steps or more leaves to the other seat, where a final round follows.

    All of them do the same to the other seat: it is overtaken, or not.
    """
    after = banked(rules, standing, end * unit)
    row, steps = last_row(after.scores[0] - after.scores[1], unit, opened=after.opened[1])
    return Reached(row, steps - end)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """All standings that play can come to, by number, from the start (0), and what turns lead to.

    By standing: its key, its limits, where a bust leads and `total`, the points of both seats. Banking `need[i] + j` steps in standing
    `i` leads to `then[first[i] + j]`. Where a final round follows, `row` and `behind` are those of `Reached`; else they are empty.
    """

    packing: Packing
    unit: int
    keys: array[int]
    need: array[int]
    end: array[int]
    hit: array[int]
    bust: array[int]
    first: array[int]
    then: array[int]
    total: array[int]
    row: array[int]
    behind: array[int]


def explore(rules: PushLuckRules, *, progress: Progress | None = None) -> Graph:
    """Return all that play of two seats can come to.

    Raises:
        RulesError: there are more leads than `MOST_LEADS`; says which rules are on.
    """
    refuse_too_large(rules)
    search = _Search(rules)
    search.run(progress)
    return search.graph


def refuse_too_large(rules: PushLuckRules) -> None:
    """Raise `RulesError` where this can be told at once: most rule sets that are too large are so by far."""
    if rules.end is End.FINAL_ROUND and rules.house.dump_truck >= rules.target:
        message = _(
            "%(name)s can't be solved exactly: in a final round, %(field)s may not lie at the target or beyond it"
        )
        raise RulesError(message % {"name": quote(rules.name), "field": "house.dump_truck"})
    _Search(rules).probe()


def start_key(rules: PushLuckRules, packing: Packing) -> int:
    """Return the key of the standing that a game begins with."""
    opened = (rules.open == 0,) * 2
    return packing.key(Standing((0, 0), opened, (False, False), (0, 0), (1, 1), None, (0, 0), (0, 0)), 0)


class _Search:
    """A search through all that play can come to, in the order in which it is found."""

    def __init__(self, rules: PushLuckRules) -> None:
        table = Table(rules)
        self._rules = rules
        self._packing = Packing.of(rules, table)
        self._numbers: dict[int, int] = {}
        self._leads = 0  # of all standings found so far
        need, end, hit, bust, then, total, row, behind = (array("i") for _column in range(8))
        self.graph = Graph(
            self._packing, table.unit, array("q"), need, end, hit, bust, array("q"), then, total, row, behind
        )
        self._add(self._packing.standing(start_key(rules, self._packing)), 0)

    def run(self, progress: Progress | None) -> None:
        """Search through everything."""
        graph, done = self.graph, 0
        while done < len(graph.keys):
            self._follow(done)
            done += 1
            if progress is not None and done % _TOLD == 0:
                progress(len(graph.then) / self._leads)

    def probe(self) -> None:
        """Follow a few leads of each standing, here and there, only to count what is found: nothing of it is listed."""
        graph, done = self.graph, 0
        while done < min(len(graph.keys), PROBED):
            standing = self._packing.standing(graph.keys[done])
            self._add(busted(self._rules, standing), 1)
            need, leads = graph.need[done], graph.end[done] - graph.need[done]
            for x in {need + (done * FEW + j) * _STRIDE % leads for j in range(FEW)} if leads > 0 else ():
                self._add(banked(self._rules, standing, x * graph.unit), 1)
            done += 1

    def _follow(self, i: int) -> None:
        """List what turns lead to from standing `i`."""
        graph, rules, unit = self.graph, self._rules, self.graph.unit
        standing = self._packing.standing(graph.keys[i])
        graph.bust.append(self._add(busted(rules, standing), 1))
        graph.first.append(len(graph.then))
        end = graph.end[i]
        for x in range(graph.need[i], end):
            graph.then.append(self._add(banked(rules, standing, x * unit), 1))
        if rules.end is End.FINAL_ROUND:
            over = reached(rules, unit, standing, end)
            graph.row.append(over.row)
            graph.behind.append(over.behind)

    def _add(self, standing: Standing, seat: int) -> int:
        """Return the number of what stands before a turn of `seat`."""
        key = self._packing.key(standing, seat)
        found = self._numbers.get(key)
        if found is not None:
            return found
        graph = self.graph
        limits = Limits.of(self._rules, graph.unit, standing, seat)
        self._leads += limits.leads + 1
        if self._leads > MOST_LEADS:
            raise too_large(self._rules)
        self._numbers[key] = number_ = len(graph.keys)
        graph.keys.append(key)
        graph.need.append(limits.need)
        graph.end.append(limits.end)
        graph.hit.append(limits.hit)
        graph.total.append(sum(standing.scores))
        return number_


def rules_on(rules: PushLuckRules) -> list[str]:
    """Return the fields of the rules that remember and are on."""
    house = rules.house
    found = {
        "house.barrel": house.barrel,
        "house.pits": house.pits,
        "house.bolts": house.bolts,
        "house.dump_truck": house.dump_truck,
        "house.overtaking": house.overtaking,
        "penalty": rules.penalty.busts and rules.penalty.points,
    }
    return [field for field, on in found.items() if on]


def too_large(rules: PushLuckRules) -> RulesError:
    """Return the refusal of a rule set that has too many standings."""
    message = _(
        "%(name)s can't be solved exactly: %(fields)s would need more than %(most)s ends of turns to be told apart "
        "(played to %(target)s)"
    )
    values = {
        "name": quote(rules.name),
        "fields": join(rules_on(rules)),
        "target": number(rules.target),
        "most": number(MOST_LEADS),
    }
    return RulesError(message % values)
