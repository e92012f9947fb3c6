"""What can be wrong with a rule set although each field alone is right: every fault with its path, and what would be right."""

from __future__ import annotations

from collections.abc import Iterator

from dicegame.errors import Fault
from dicegame.rules.model import MAX_SEATS, End, HighDiceRules, HighRule, HotDice, PushLuckRules, Reach, RuleSet
from dicegame.rules.table import combinations_of
from dicegame.text import _, number

_SIZES = {"single": 1, "three": 3, "four": 4, "five": 5, "six": 6}
_GROUPS = {"three_pairs": 6, "two_triplets": 6, "four_and_pair": 6, "full_house": 5}
_LARGEST_SEARCH = 2_000_000


def faults_in(rules: RuleSet, wrong: frozenset[str] = frozenset()) -> list[Fault]:
    """Return every fault of a rule set whose fields are each well formed.

    The fields in `wrong` were not, and stand at their defaults: what can't be judged without them is left alone.
    """
    found = [] if "seats" in wrong else list(_seats(rules.seats))
    if isinstance(rules, HighDiceRules):
        return found + [fault for fault in _high_dice(rules) if fault.path not in wrong]
    too_long = [] if "dice" in wrong else list(_too_long(rules))
    found += too_long
    if not wrong & {"dice", "score"}:
        if not combinations_of(rules):
            what = _("no die can ever score")
            found.append(Fault("score", what, _("give points to a combination that fits %s dice") % number(rules.dice)))
        elif not too_long:
            found += [fault for fault in _unreachable(rules) if fault.path not in wrong]
    found += _exclusive(rules)
    return found if "target" in wrong else found + list(_house(rules))


def _seats(seats: tuple[int, int]) -> Iterator[Fault]:
    low, high = seats
    if low > high:
        yield Fault("seats", _("the bounds are the wrong way round"), f"[{high}, {low}]")
    elif low < 1 or high > MAX_SEATS:
        yield Fault(
            "seats",
            _("a table has 1 to %s seats") % number(MAX_SEATS),
            f"[{max(low, 1)}, {min(max(high, 1), MAX_SEATS)}]",
        )


def _high_dice(rules: HighDiceRules) -> Iterator[Fault]:
    if rules.rule is HighRule.TRIPLE_PAIR and rules.dice != 3:
        yield Fault("dice", _("triple-pair is played with three dice"), "3")
    if rules.seats[0] < 2:
        yield Fault("seats", _("high dice needs two players at least"), f"[2, {max(2, rules.seats[1])}]")


def _too_long(rules: PushLuckRules) -> Iterator[Fault]:
    def fault(path: str, size: int) -> Fault:
        what = _("needs %(size)s dice, but there are %(dice)s") % {"size": number(size), "dice": number(rules.dice)}
        return Fault(path, what, _("leave it out, or play with %s dice") % number(size))

    for field, size in _SIZES.items():
        if size > rules.dice and any(getattr(rules.score, field).values()):
            yield fault(f"score.{field}", size)
    for field, size in _GROUPS.items():
        if size > rules.dice and getattr(rules.score, field):
            yield fault(f"score.{field}", size)
    for i, straight in enumerate(rules.score.straights):
        if len(straight.faces) > rules.dice:
            yield fault(f"score.straights[{i}].faces", len(straight.faces))
    for i, faces in enumerate(rules.instant_win):
        if len(faces) != rules.dice:
            what = _("has %(size)s faces, but all %(dice)s dice fall") % {
                "size": number(len(faces)),
                "dice": number(rules.dice),
            }
            yield Fault(f"instant_win[{i}]", what, _("name %s faces") % number(rules.dice))
    if rules.pair_left and rules.dice < 3:
        yield fault("pair_left", 3)


def _unreachable(rules: PushLuckRules) -> Iterator[Fault]:
    smallest = min(len(c.dice) for c in combinations_of(rules))
    if rules.hot_dice is HotDice.MUST_ROLL and smallest >= rules.dice:
        yield Fault("hot_dice", _("every keep takes all dice, so nothing could ever be banked"), '"may-bank"')
    if rules.reach is not Reach.EXACT:
        return
    points = sorted({c.points for c in combinations_of(rules)} | ({rules.score.nothing.points} - {0}))
    wanted = [("target", rules.target)]
    wanted += [(f"targets[{i}]", target) for i, target in enumerate(rules.targets) if target != rules.target]
    for path, target in wanted:
        least = max(rules.open, rules.minimum)
        if least > target:
            what = _("%(target)s can't be hit exactly: a turn of at least %(least)s is needed")
            yield Fault(
                path,
                what % {"target": number(target), "least": number(least)},
                _("a target of %s or more") % number(least),
            )
        elif not _sums_to(points, target):
            what = _("%s can't be hit exactly with these points") % number(target)
            yield Fault(path, what, _("a sum of the points in score"))


def _sums_to(points: list[int], target: int) -> bool:
    """Say whether `target` is a sum of these points, each used any number of times."""
    unit = points[0]
    for p in points[1:]:
        while p:
            unit, p = p, unit % p  # noqa: PLW2901 - Euclid
    if target % unit:
        return False
    size = target // unit
    if size > _LARGEST_SEARCH:  # far beyond the largest sum that can be missed with points in use
        return True
    reached, mask = 1, (1 << (size + 1)) - 1
    for p in points:
        step = p // unit
        while step <= size:
            reached |= (reached << step) & mask
            step *= 2
    return bool(reached >> size & 1)


def _exclusive(rules: PushLuckRules) -> Iterator[Fault]:
    if rules.end is not End.FINAL_ROUND:
        return
    clashes = {
        "reach": rules.reach is Reach.EXACT,
        "house.barrel": bool(rules.house.barrel),
        "house.pits": bool(rules.house.pits),
    }
    for path, clash in clashes.items():
        if clash:
            yield Fault(path, _('does not go together with end = "final-round"'), _('end = "sudden", or leave it out'))


def _house(rules: PushLuckRules) -> Iterator[Fault]:
    house = rules.house
    if house.barrel >= rules.target:
        what = _("the barrel (%(barrel)s) is as wide as the whole target (%(target)s)")
        right = _("less than the target")
        yield Fault("house.barrel", what % {"barrel": house.barrel, "target": rules.target}, right)
    before = rules.target - house.barrel
    last = 0
    for i, (low, high) in enumerate(house.pits):
        path = f"house.pits[{i}]"
        if low >= high:
            right = f"[{high}, {low}]" if low > high else _("leave it out")
            yield Fault(path, _("the bounds are the wrong way round"), right)
        elif low < 1 or high > before:
            inside = (max(1, low), min(high, before))
            right = f"[{inside[0]}, {inside[1]}]" if inside[0] < inside[1] else _("leave it out")
            yield Fault(path, _("a pit lies between 1 and %s") % number(before), right)
        elif low < last:
            yield Fault(
                path, _("pits overlap, or are out of order"), _("ascending pits that do not touch each other's points")
            )
        last = high
