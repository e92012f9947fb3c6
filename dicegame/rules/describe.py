"""The rules in words, made from the data of a rule set alone, so that they can't disagree with what is played.

What a rule set does not use is not mentioned. Points that follow a pattern are told by it ("2 to 6: 100 times the face"), but only
where the data really does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dicegame.rules.model import (
    End,
    Find,
    HighDiceRules,
    HighRule,
    HotDice,
    House,
    PushLuckRules,
    Reach,
    RuleSet,
    Score,
    Stakes,
)
from dicegame.rules.table import FOUR_AND_PAIR, FULL_HOUSE, STRAIGHT, THREE_PAIRS, TWO_TRIPLETS
from dicegame.text import N_, _, join, ltr, ngettext, number, pgettext

_KINDS = (
    ("single", N_("single die")),
    ("three", N_("three of a kind")),
    ("four", N_("four of a kind")),
    ("five", N_("five of a kind")),
    ("six", N_("six of a kind")),
)
_GROUPS = (
    ("full_house", FULL_HOUSE),
    ("three_pairs", THREE_PAIRS),
    ("four_and_pair", FOUR_AND_PAIR),
    ("two_triplets", TWO_TRIPLETS),
)
_COMPARED = {
    HighRule.SUM_HIGH: N_("the larger sum is better"),
    HighRule.SUM_LOW: N_("the smaller sum is better"),
    HighRule.TRIPLE_PAIR: N_("a triple beats a pair, and a pair beats the rest"),
}
_FACES = range(1, 7)
_SHORTEST_RUN = 3  # so many faces in a row make a pattern


class Section(NamedTuple):
    """A part of the rules: its title, and its lines, each one or more whole sentences or one combination with its points."""

    title: str
    lines: list[str]


def describe(rules: RuleSet) -> list[Section]:
    """Return the rules in the user's language, section by section."""
    if isinstance(rules, HighDiceRules):
        sections = [
            Section(_("The game"), list(_high_game(rules))),
            Section(_("A round"), list(_high_round(rules))),
            Section(_("The match"), list(_high_match(rules))),
        ]
    else:
        penalties, house = list(_penalties(rules)), list(_house(rules))
        if penalties or house or rules.floor:
            (house or penalties).append(_floor(rules))
        sections = [
            Section(_("The game"), list(_game(rules))),
            Section(_("A turn"), list(_turn(rules))),
            Section(_("Points"), list(_points(rules.score))),
            Section(_("Penalties"), penalties),
            Section(_("House rules"), house),
        ]
    return [section for section in sections if section.lines]


def summary(rules: RuleSet) -> str:
    """Return a rule set in a few words: its engine, the dice, and what is played for."""
    if isinstance(rules, HighDiceRules):
        return join([_("high dice"), _dice(rules.dice), _(_COMPARED[rules.rule])])
    if rules.end is End.FINAL_ROUND:
        aim = _("to %(target)s, with a final round")
    elif rules.reach is Reach.EXACT:
        aim = _("the first at exactly %(target)s wins")
    else:
        aim = _("the first at %(target)s wins")
    return join([_("push your luck"), _dice(rules.dice), aim % {"target": number(rules.target)}])


def _game(rules: PushLuckRules) -> Iterator[str]:
    yield _played_with(rules.dice)
    yield _players(rules.seats)
    target = {"target": number(rules.target)}
    if rules.end is End.FINAL_ROUND:
        yield (
            _(
                "The first player who banks a score of %(target)s or more starts the final round: "
                "every other player has exactly one more turn. Then the highest score wins; equal highest scores share the win."
            )
            % target
        )
    elif rules.reach is Reach.EXACT:
        yield (
            _(
                "Whoever first banks a score of exactly %(target)s wins at once. Dice that would take the score "
                "and the points of the turn above it can't be set aside; if no others score, the roll is a bust."
            )
            % target
        )
    else:
        yield _("Whoever first banks a score of %(target)s or more wins at once.") % target
    if set(rules.targets) - {rules.target}:
        yield _("A new game offers these targets: %(targets)s.") % {"targets": join(list(map(number, rules.targets)))}
    yield ngettext(
        "After %(n)s turn each the game is over: the highest score wins, and equal ones share the win.",
        "After %(n)s turns each the game is over: the highest score wins, and equal ones share the win.",
        rules.max_turns,
    ) % {"n": number(rules.max_turns)}


def _turn(rules: PushLuckRules) -> Iterator[str]:
    yield _(
        "Roll all dice. Set aside one or more dice that score, and then either bank the points of the turn or roll the dice "
        "that are left."
    )
    yield _(
        "Every die set aside must be part of a combination, and all dice of a combination must come from the same roll. "
        "Not everything that scores has to be taken. If the same dice can be counted in several ways, the best one counts."
    )
    yield _("A roll in which nothing scores is a bust: the points of the turn are lost, and the turn passes.")
    yield from _all_dice_back(rules)
    yield from _nothing(rules)
    for faces in rules.instant_win:
        yield _("%(dice)s in one roll wins the game at once.") % {"dice": _row(sorted(faces))}
    if rules.open:
        yield ngettext(
            "A player's first bank needs a turn of at least %(n)s point.",
            "A player's first bank needs a turn of at least %(n)s points.",
            rules.open,
        ) % {"n": number(rules.open)}
    if rules.minimum:
        yield ngettext(
            "Every bank needs a turn of at least %(n)s point, also near the target.",
            "Every bank needs a turn of at least %(n)s points, also near the target.",
            rules.minimum,
        ) % {"n": number(rules.minimum)}


def _all_dice_back(rules: PushLuckRules) -> Iterator[str]:
    yield _("Hot dice: when all dice have been set aside, all of them come back, and the points of the turn stand.")
    if rules.pair_left:
        yield _(
            "All dice come back as well when those not set aside from a roll are exactly one pair of the same face, "
            "if that face is one of these: %(faces)s."
        ) % {"faces": join([number(face) for face in sorted(set(rules.pair_left))])}
    if rules.hot_dice is HotDice.MUST_ROLL:
        yield _("When all dice come back, they must be rolled: there is no banking here.")
    else:
        yield _("When all dice come back, one may roll them or bank.")


def _nothing(rules: PushLuckRules) -> Iterator[str]:
    nothing = rules.score.nothing
    if nothing.points:
        yield ngettext(
            "A roll of all dice in which nothing scores is no bust: it earns %(n)s point, and all dice come back.",
            "A roll of all dice in which nothing scores is no bust: it earns %(n)s points, and all dice come back.",
            nothing.points,
        ) % {"n": number(nothing.points)}
        if nothing.roll_again and rules.hot_dice is HotDice.MAY_BANK:
            yield _("After such a roll they must be rolled again, without banking in between.")
    elif nothing.roll_again:
        yield _("A roll of all dice in which nothing scores is no bust: all dice must be rolled again.")


def _points(score: Score) -> Iterator[str]:
    three = {face: points for face, points in score.three.items() if points}
    for field, name in _KINDS:
        points = {face: points for face, points in sorted(getattr(score, field).items()) if points}
        if not points:
            continue
        times = _multiple(points, three) if field not in ("single", "three") else None
        if times is None:
            yield _("%(name)s: %(points)s") % {"name": _(name), "points": _by_face(points)}
        else:
            yield _("%(name)s: %(points)s") % {"name": _(name), "points": _times_three(times)}
    for straight in score.straights:
        values = {"name": _(STRAIGHT), "dice": _row(sorted(straight.faces)), "points": number(straight.points)}
        yield _("%(name)s %(dice)s: %(points)s") % values
    for field, name in _GROUPS:
        if worth := getattr(score, field):
            yield _("%(name)s: %(points)s") % {"name": _(name), "points": number(worth)}
    if score.three_pairs and score.four_and_pair_is_three_pairs:
        yield _("A four of a kind and a pair count as three pairs too.")


def _multiple(points: dict[int, int], three: dict[int, int]) -> int | None:
    """Return how many times the three of a kind these points are, on every face alike; None where they are not."""
    if points.keys() != three.keys():
        return None
    times = {divmod(points[face], three[face]) for face in points}
    whole, rest = times.pop()
    return whole if not times and not rest and whole > 1 else None


def _times_three(times: int) -> str:
    text = ngettext("%(n)s time the three of a kind", "%(n)s times the three of a kind", times)
    return text % {"n": number(times)}


def _by_face(points: dict[int, int]) -> str:
    """Return points by face, `1: 1000; 2 to 6: 100 times the face`; faces with a pattern together."""
    said = []
    faces = list(points)
    while faces:
        same = _run(faces, [points[face] for face in faces])
        rising = _run(faces, [divmod(points[face], face) for face in faces])
        first, n = faces[0], max(same, rising)
        values = {"face": number(first), "to": number(faces[n - 1]), "points": number(points[first])}
        if n < _SHORTEST_RUN:
            n = 1
            said.append(_("%(face)s: %(points)s") % values)
        elif same == n:
            text = _("any face: %(points)s") if n == len(_FACES) else _("%(face)s to %(to)s: %(points)s")
            said.append(text % values)
        else:
            times = points[first] // first
            text = ngettext(
                "%(face)s to %(to)s: %(n)s time the face", "%(face)s to %(to)s: %(n)s times the face", times
            )
            said.append(text % {**values, "n": number(times)})
        faces = faces[n:]
    return pgettext("between the points of several faces", "; ").join(said)


def _run(faces: list[int], signs: list[int] | list[tuple[int, int]]) -> int:
    """Return how many faces from the first one on follow each other and have its sign; a quotient with a rest is no sign."""
    n = 1
    if isinstance(signs[0], tuple) and signs[0][1]:
        return n
    while n < len(faces) and faces[n] == faces[n - 1] + 1 and signs[n] == signs[0]:
        n += 1
    return n


def _penalties(rules: PushLuckRules) -> Iterator[str]:
    penalty = rules.penalty
    if not (penalty.busts and penalty.points):
        return
    values = {"n": number(penalty.busts), "points": number(penalty.points)}
    if penalty.busts == 1:
        yield (
            ngettext("Every bust costs %(points)s point.", "Every bust costs %(points)s points.", penalty.points)
            % values
        )
    else:
        yield (
            ngettext(
                "After %(n)s bust in a row %(points)s points are lost, and the count starts again.",
                "After %(n)s busts in a row %(points)s points are lost, and the count starts again.",
                penalty.busts,
            )
            % values
        )


def _floor(rules: PushLuckRules) -> str:
    return _("No penalty takes a score below %(floor)s.") % {"floor": number(rules.floor)}


def _house(rules: PushLuckRules) -> Iterator[str]:
    house = rules.house
    if house.barrel:
        yield _barrel(rules)
    for low, high in house.pits:
        yield _(
            "Pit: whoever stands at %(low)s or more but below %(high)s can bank only a turn that leads out of it, "
            "to %(high)s or more. A penalty can put one into the pit."
        ) % {"low": number(low), "high": number(high)}
    if house.bolts and house.bolt_points:
        yield _bolts(rules)
    if house.dump_truck:
        yield _("Dump truck: a score of exactly %(score)s, however reached, becomes 0.") % {
            "score": number(house.dump_truck)
        }
    if house.overtaking:
        yield _overtaking(rules)


def _overtaking(rules: PushLuckRules) -> str:
    text = ngettext(
        "Overtaking: whoever was level with or ahead of a player who banks, and is behind after it, loses %(n)s point. "
        "Being equalled is not being passed.",
        "Overtaking: whoever was level with or ahead of a player who banks, and is behind after it, loses %(n)s points. "
        "Being equalled is not being passed.",
        rules.house.overtaking,
    )
    said = [text % {"n": number(rules.house.overtaking)}]
    if rules.open:
        said.append(_("Players who have not banked yet can't be passed."))
    return " ".join(said)


def _barrel(rules: PushLuckRules) -> str:
    house = rules.house
    values = {
        "start": number(rules.target - house.barrel),
        "target": number(rules.target),
        "barrel": number(house.barrel),
    }
    climb = _(
        "Barrel: whoever would stand at %(start)s or more but below %(target)s stands at exactly %(start)s, on the barrel, "
        "and must make the missing %(barrel)s in a single turn: less can't be banked."
    )
    return " ".join([climb % values, *_falls(house)])


def _falls(house: House) -> Iterator[str]:
    yield ngettext(
        "With %(n)s bust there one falls off it, and another player who climbs on pushes one off, which is a fall too.",
        "With %(n)s busts there one falls off it, and another player who climbs on pushes one off, which is a fall too.",
        house.tries,
    ) % {"n": number(house.tries)}
    if house.falls == 1:
        yield _("A fall sets the score to 0.")
        return
    yield ngettext(
        "A fall costs %(points)s point; fall number %(n)s sets the score to 0 instead, and falls are counted anew.",
        "A fall costs %(points)s points; fall number %(n)s sets the score to 0 instead, and falls are counted anew.",
        house.fall_points,
    ) % {"points": number(house.fall_points), "n": number(house.falls)}


def _bolts(rules: PushLuckRules) -> str:
    house = rules.house
    said = [_("Bolts: a turn without points is a bolt.")]
    text = ngettext(
        "Bolt number %(n)s, in a row or not, costs %(points)s point, and the count starts again.",
        "Bolt number %(n)s, in a row or not, costs %(points)s points, and the count starts again.",
        house.bolt_points,
    )
    said.append(text % {"n": number(house.bolts), "points": number(house.bolt_points)})
    if rules.open:
        said.append(_("Turns before one's first bank don't count."))
    if house.pits:
        said.append(_("Turns in a pit don't count."))
    if house.barrel:
        said.append(_("Turns on the barrel don't count."))
    return " ".join(said)


def _high_game(rules: HighDiceRules) -> Iterator[str]:
    yield _played_with(rules.dice)
    yield _players(rules.seats)


def _high_round(rules: HighDiceRules) -> Iterator[str]:
    yield _("Everyone rolls all dice, for all to see.")
    if rules.reroll:
        yield _(
            "Then the players say one after the other which of their dice they roll again, none to all; "
            "who decides first moves on by one each round. All these dice are rolled at once and count as they fall."
        )
    else:
        yield _("The first roll counts.")
    compared = _(_COMPARED[rules.rule])
    yield compared[:1].upper() + compared[1:] + "."
    if rules.rule is HighRule.TRIPLE_PAIR:
        yield _(
            "Triples are compared by their face, pairs by the face of the pair alone, other dice by their sum; "
            "higher is better."
        )
    if rules.find is Find.WINNER:
        yield _("A round is won by the best dice.")
        yield _(
            "Equal best dice are settled by those players alone: they roll all their dice again, "
            "without a choice, until one is left."
        )
    else:
        yield _("A round is lost by the worst dice.")
        yield _(
            "Equal worst dice are settled by those players alone: they roll all their dice again, "
            "without a choice, until one is left."
        )


def _high_match(rules: HighDiceRules) -> Iterator[str]:
    two, more = rules.seats[0] <= 2, rules.seats[1] > 2
    if two:
        yield ngettext(
            "Two players: whoever first wins %(n)s round wins the match.",
            "Two players: whoever first wins %(n)s rounds wins the match.",
            rules.wins_needed(2),
        ) % {"n": number(rules.wins_needed(2))}
    if more and rules.find is Find.WINNER:
        yield ngettext(
            "Three players and more: whoever first wins %(n)s round wins the match.",
            "Three players and more: whoever first wins %(n)s rounds wins the match.",
            rules.wins_needed(3),
        ) % {"n": number(rules.wins_needed(3))}
    elif more:
        yield ngettext(
            "Three players and more: whoever first loses %(n)s round loses the match.",
            "Three players and more: whoever first loses %(n)s rounds loses the match.",
            rules.wins_needed(3),
        ) % {"n": number(rules.wins_needed(3))}
    if rules.stakes is Stakes.DRINK:
        yield _("Whoever loses the match drinks.")
    elif rules.stakes is Stakes.DARE:
        yield _("Whoever loses the match does a small task, if all have agreed to it before.")
    elif rules.stakes is Stakes.TRUTH:
        yield _("Whoever loses the match answers a question, if all have agreed to it before.")


def _played_with(dice: int) -> str:
    return ngettext("Played with %(n)s die.", "Played with %(n)s dice.", dice) % {"n": number(dice)}


def _dice(dice: int) -> str:
    return ngettext("%(n)s die", "%(n)s dice", dice) % {"n": number(dice)}


def _players(seats: tuple[int, int]) -> str:
    low, high = seats
    if low == high:
        return ngettext("For %(n)s player.", "For %(n)s players.", high) % {"n": number(high)}
    text = ngettext("For %(low)s to %(high)s player.", "For %(low)s to %(high)s players.", high)
    return text % {"low": number(low), "high": number(high)}


def _row(faces: Iterable[int]) -> str:
    return ltr(" ".join(map(str, faces)))
