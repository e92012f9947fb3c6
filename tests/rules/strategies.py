"""Random rule sets for hypothesis: valid ones, and data that may hold anything."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from dicegame.errors import RulesError
from dicegame.rules.load import check
from dicegame.rules.model import PushLuckRules

FACES = st.integers(1, 6)
POINTS = st.sampled_from([5, 10, 20, 30, 50, 100, 150])


def _per_face(least: int = 0) -> st.SearchStrategy[dict[str, int]]:
    return st.dictionaries(FACES.map(str), POINTS, min_size=least, max_size=6)


def _sometimes(value: st.SearchStrategy[Any], otherwise: Any) -> st.SearchStrategy[Any]:
    return st.one_of(st.just(otherwise), value)


@st.composite
def scores(draw: st.DrawFn, dice: int) -> dict[str, Any]:
    """Draw the table `score` of a rule set played with this many dice."""
    score: dict[str, Any] = {"single": draw(_per_face(least=1))}
    sizes = {"three": 3, "four": 4, "five": 5, "six": 6}
    score.update({field: draw(_per_face()) for field, size in sizes.items() if size <= dice})
    faces = st.lists(FACES, min_size=2, max_size=dice, unique=True)
    straight = st.fixed_dictionaries({"faces": faces, "points": POINTS})
    score["straights"] = draw(st.lists(straight, max_size=2)) if dice >= 2 else []
    if dice >= 5:
        score["full_house"] = draw(_sometimes(POINTS, 0))
    if dice == 6:
        score |= {field: draw(_sometimes(POINTS, 0)) for field in ("three_pairs", "two_triplets", "four_and_pair")}
        score["four_and_pair_is_three_pairs"] = draw(st.booleans())
    nothing = st.fixed_dictionaries({"points": st.sampled_from([0, 50]), "roll_again": st.booleans()})
    score["nothing"] = draw(_sometimes(nothing, {}))
    return score


@st.composite
def houses(draw: st.DrawFn, target: int, *, sudden: bool) -> dict[str, Any]:
    """Draw house rules, barrel and pits only where the end is sudden."""
    house: dict[str, Any] = {
        "bolts": draw(_sometimes(st.integers(1, 3), 0)),
        "bolt_points": draw(st.sampled_from([0, 30, 100])),
        "dump_truck": draw(_sometimes(st.sampled_from([50, 100, 150, 200, 250]), 0)),
        "overtaking": draw(_sometimes(st.sampled_from([10, 50]), 0)),
    }
    if sudden:
        house["barrel"] = draw(_sometimes(st.sampled_from([50, 100, target // 2]), 0))
        house |= {"tries": draw(st.integers(1, 3)), "falls": draw(st.integers(1, 3))}
        house["fall_points"] = draw(st.sampled_from([30, 100]))
        house["pits"] = draw(_sometimes(st.sampled_from([[[50, 100]], [[20, 60], [60, 110]]]), []))
    return house


@st.composite
def push_luck_rules(draw: st.DrawFn) -> PushLuckRules:
    """Draw a rule set that loads: few points to a short target, so that random games see every rule at work."""
    dice = draw(st.integers(1, 6))
    target = draw(st.sampled_from([200, 250, 300, 500, 800]))
    end, reach = draw(st.sampled_from([("final-round", "at-least"), ("sudden", "at-least"), ("sudden", "exact")]))
    data = {
        "name": "drawn",
        "dice": dice,
        "target": target,
        "end": end,
        "reach": reach,
        "seats": [1, 8],
        "open": draw(_sometimes(st.sampled_from([50, 75]), 0)),
        "minimum": draw(_sometimes(st.sampled_from([10, 25]), 0)),
        "hot_dice": draw(st.sampled_from(["may-bank", "must-roll"])),
        "pair_left": draw(_sometimes(st.lists(FACES, max_size=6, unique=True), [])) if dice >= 3 else [],
        "instant_win": draw(_sometimes(st.lists(st.lists(FACES, min_size=dice, max_size=dice), max_size=2), [])),
        "max_turns": draw(st.integers(1, 15)),
        "floor": draw(st.sampled_from([0, -50, -1000])),
        "score": draw(scores(dice)),
        "penalty": {"busts": draw(_sometimes(st.integers(1, 3), 0)), "points": draw(st.sampled_from([0, 40, 100]))},
        "house": draw(_sometimes(houses(target, sudden=end == "sudden"), {})),
    }
    try:
        rules = check(data, "drawn")
    except RulesError as error:
        refused = {fault.path.split("[")[0] for fault in error.faults}
        if not refused <= {"target", "hot_dice", "house.pits"}:  # what is drawn here can have no other faults
            raise
        return reject()
    assert isinstance(rules, PushLuckRules)
    return rules


NUMBERS = st.one_of(
    st.integers(-3, 12), st.integers(), st.sampled_from([10**9, 10**9 + 1, 10**400]), st.floats(), st.booleans()
)
TEXTS = st.one_of(
    st.sampled_from(
        ["", "share", "exact", "sudden", "must-roll", "pushluck", "highdice", "[key]", "winner", "1", "07", "\x00"]
    ),
    st.text(st.characters(exclude_categories=()), max_size=8),
)
FIELDS = [
    *(
        "name",
        "engine",
        "dice",
        "target",
        "targets",
        "end",
        "reach",
        "seats",
        "open",
        "minimum",
        "hot_dice",
        "pair_left",
    ),
    *("instant_win", "tie", "max_turns", "floor", "score", "penalty", "house", "single", "three", "six", "straights"),
    *("faces", "points", "nothing", "roll_again", "busts", "barrel", "pits", "rule", "find", "to", "stakes", "reroll"),
    *("1", "5", "6", "7", "[key]", "scroe", "__class__"),
]


@cache
def anything() -> st.SearchStrategy[Any]:
    """Nested data of every kind that a file may hold, where a rule set was expected or one of its fields."""
    return st.recursive(
        st.one_of(st.none(), NUMBERS, TEXTS),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(st.one_of(st.sampled_from(FIELDS), TEXTS), inner, max_size=4)
        ),
        max_leaves=8,
    )


@st.composite
def damaged(draw: st.DrawFn, data: dict[str, Any]) -> dict[str, Any]:
    """Draw a copy of valid data with one to three places replaced, removed, or given a neighbour."""
    for _ in range(draw(st.integers(1, 3))):
        key = draw(st.sampled_from(sorted(data) or FIELDS))
        kind = draw(st.sampled_from(["inside"] * 5 + ["remove", "add"]))
        if kind == "remove":
            data = {k: v for k, v in data.items() if k != key}
        else:
            field = draw(st.one_of(st.sampled_from(FIELDS), TEXTS)) if kind == "add" else key
            data = {**data, field: _damage(draw, data.get(field))}
    return data


def _damage(draw: st.DrawFn, value: Any) -> Any:
    """Return something else for a value, or for a part of it."""
    if isinstance(value, dict) and value and draw(st.integers(0, 5)):
        return draw(damaged(value))
    if isinstance(value, list) and value and draw(st.integers(0, 3)):
        i = draw(st.integers(0, len(value) - 1))
        return [*value[:i], _damage(draw, value[i]), *value[i + 1 :]]
    return draw(anything())
