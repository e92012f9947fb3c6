"""Rule sets so small that the naive way works out their games of two seats in seconds, and as various as they can be."""

from __future__ import annotations

import random
from typing import Any

from dicegame.errors import RulesError
from dicegame.rules.load import check
from dicegame.rules.model import HotDice, PushLuckRules, Reach
from dicegame.rules.table import Table, combinations_of, rolls
from tests.values.naive_turn import Game

# Offers looked at in one sweep over all positions, as guessed beforehand.
_MOST_WORK = 200_000
# To make what the hardest bank needs. With much less, a game of busts alone takes too many sweeps to die out.
_LEAST_CHANCE = 0.05


def random_rules(seed: int, *, house: bool = False) -> PushLuckRules:
    """Return the small rule set of this seed, always the same; with `house` one with some house rules.

    Every turn ends, everybody can win from everywhere, and all scores are multiples of the table's unit.
    """
    draw = random.Random(f"{seed} {house}")
    while True:
        data = _drawn(draw)
        if house:
            _add_house(draw, data)
        try:
            rules = check(data, "small")
        except RulesError:
            continue
        assert isinstance(rules, PushLuckRules)
        if _fits(rules):
            return rules


def _drawn(draw: random.Random) -> dict[str, Any]:
    u = draw.choice([50, 50, 50, 25])
    dice = draw.choice([2, 2, 3, 3, 3, 3, 3, 4])
    final, sudden, exact = ("final-round", "at-least"), ("sudden", "at-least"), ("sudden", "exact")
    end, reach = draw.choice([final, final, final, sudden, sudden, exact])
    data: dict[str, Any] = {
        "name": "small",
        "seats": [2, 2],
        "dice": dice,
        "target": u * draw.randint(300 // u, 800 // u),
        "end": end,
        "reach": reach,
        "hot_dice": draw.choice(["may-bank", "may-bank", "must-roll"]),
        "score": _score(draw, dice, u),
    }
    if draw.random() < 0.3:
        data["minimum"] = draw.choice([u, u * 3 // 2, 2 * u, 4 * u])
    if draw.random() < 0.3:
        data["open"] = draw.choice([u * 3 // 2, 2 * u, 3 * u, 5 * u])
    if draw.random() < 0.3 and dice > 2:
        data["pair_left"] = draw.sample(range(1, 7), draw.randint(1, 6))
    if draw.random() < 0.3:
        data["instant_win"] = [[draw.randint(1, 6)] * dice, draw.choices(range(1, 7), k=dice)][: draw.randint(1, 2)]
    if draw.random() < 0.4:
        data["penalty"] = {"busts": draw.choice([1, 2, 2, 3]), "points": draw.choice([u, 2 * u, 4 * u])}
        data["floor"] = draw.choice([0, -u, -3 * u])
    return data


def _score(draw: random.Random, dice: int, u: int) -> dict[str, Any]:
    usual = {"1": 2 * u, "5": u}
    others = [{"1": u}, {"1": 2 * u}, {"2": u, "3": 2 * u}, {"1": 2 * u, "5": u, "6": u}, {"4": 3 * u, "6": u}]
    score: dict[str, Any] = {"single": draw.choice([usual] * 4 + others)}
    if dice > 2 and draw.random() < 0.8:
        faces = draw.sample(range(1, 7), draw.randint(3, 6))
        times = draw.choice([1, 2])
        score["three"] = {str(face): (5 if face == 1 else face) * times * u for face in faces}
        if dice > 3:
            score["four"] = {face: 2 * points for face, points in score["three"].items() if draw.random() < 0.7}
    if draw.random() < 0.3:
        faces = draw.sample(range(1, 7), draw.randint(2, dice))
        score["straights"] = [{"faces": faces, "points": draw.randint(2, 6) * u}]
    if draw.random() < 0.25:
        score["nothing"] = draw.choice(
            [{"points": 2 * u}, {"points": u, "roll_again": True}, {"points": 0, "roll_again": True}]
        )
    return score


def _add_house(draw: random.Random, data: dict[str, Any]) -> None:
    """Add one to three house rules, to a game that is short enough to remember them all."""
    u = data["score"]["single"][min(data["score"]["single"])]
    data["target"] = u * draw.randint(5, 7)
    choices: list[dict[str, Any]] = [
        {"bolts": draw.choice([1, 2]), "bolt_points": draw.choice([u, 2 * u])},
        {"dump_truck": draw.randint(2, 4) * u},
        {"overtaking": draw.choice([u, 2 * u])},
    ]
    if data["end"] == "sudden":
        choices.append({"pits": [[u, 3 * u]] if draw.random() < 0.5 else [[u, 2 * u], [3 * u, 4 * u]]})
        falls = {"falls": draw.choice([1, 2]), "tries": draw.choice([1, 2]), "fall_points": draw.choice([u, 2 * u])}
        choices.append({"barrel": draw.choice([u, 2 * u]), **falls})
    house: dict[str, Any] = {}
    for chosen in draw.sample(choices, draw.randint(1, min(3, len(choices)))):
        house |= chosen
    data["house"] = house


def _fits(rules: PushLuckRules) -> bool:
    """Say whether the game is small, its turns end, nobody is ever stuck, and all scores are on the grid."""
    table = Table(rules)
    house = rules.house
    steps = [rules.penalty.points, rules.floor, house.bolt_points, house.overtaking, house.fall_points]
    if any(points % table.unit for points in steps):
        return False
    if rules.reach is Reach.EXACT:
        nearest = min(c.points for c in combinations_of(rules) if len(c.dice) == 1)
        if nearest > table.unit or rules.minimum > table.unit or rules.target % table.unit:
            return False
    if _endless(table):
        return False
    game = Game(rules)
    hardest = max(rules.open, rules.minimum, house.barrel, *(high - low for low, high in house.pits))
    return game.makes(hardest, rules.dice) >= _LEAST_CHANCE and _work(game) <= _MOST_WORK


def _endless(table: Table) -> bool:
    """Say whether one can go on for ever: some numbers of dice always roll a keep that leads to one of them."""
    sizes = set(range(1, table.rules.dice + 1))
    while True:
        safe = {
            n for n in sizes if all(any(k.roll in sizes for k in table.roll(dice).keeps) for dice, _ways in rolls(n))
        }
        if safe == sizes:
            return bool(sizes)
        sizes = safe


def _work(game: Game) -> int:
    """Return about how many offers one sweep over all positions looks at."""
    rules, house = game.rules, game.rules.house
    offers = sum(len(fall.offers) for falls in game.offered.values() for fall in falls)
    lowest = rules.floor if rules.penalty.busts else 0
    remembered = max(1, rules.penalty.busts) * max(1, house.bolts) * (2 if house.barrel else 1)
    seats = ((rules.target - lowest) // game.unit + bool(rules.open)) * remembered
    steps = (game.far or (rules.target - lowest) // 2) // game.unit
    if rules.hot_dice is HotDice.MUST_ROLL or rules.score.nothing.roll_again:
        steps += 20  # at the top, until the chance to come back to it has died out
    return seats * seats * steps * offers
