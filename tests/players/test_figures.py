"""Published figures of simple players, counted exactly over the engine's own table with the player itself deciding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache

import pytest

from dicegame.games.base import Decision
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.games.standing import Standing
from dicegame.players.base import Request, Seating
from dicegame.players.builtin import make
from dicegame.rules.load import load
from dicegame.rules.model import PushLuckRules
from dicegame.rules.table import Back, rolls

UNIT = 50


class Turns:
    """What a player does in one turn alone at the table, with `score` points already banked."""

    def __init__(self, name: str, spec: str) -> None:
        rules = load(name)
        assert isinstance(rules, PushLuckRules)
        self.engine = PushLuck(rules)
        self.player = make(spec)
        self.player.begin(Seating("g", self.engine, ("a",), 0, 0, None))

    def decides(self, score: int, turn: int, dice: tuple[int, ...]) -> Decision:
        standing = Standing((score,), (True,), (False,), (0,), (1,))
        state = PushLuckState(standing, 0, turn, 1, len(dice), 0, dice, self.engine.table.roll(dice))
        answer = self.player.decide(Request(1, 0, self.engine, state))
        assert isinstance(answer, Decision)
        return answer

    @cache  # noqa: B019 - lives as long as the test
    def kinds(self, n: int) -> tuple[float, list[tuple[tuple[int, ...], float]]]:
        """Return the chance of a bust with n dice, and a roll with its probability for every kind that a player can tell apart."""
        chances: Counter[tuple[int, int, bool]] = Counter()
        example: dict[tuple[int, int, bool], tuple[int, ...]] = {}
        bust = 0
        for dice, ways in rolls(n):
            roll = self.engine.table.roll(dice)
            if not roll.keeps:
                bust += ways
                continue
            keep = roll.by_keep[self.decides(0, 0, dice).keep]
            kind = (keep.points, keep.roll, keep.back is Back.HOT)
            chances[kind] += ways
            example[kind] = dice
        return bust / 6**n, [(example[kind], ways / 6**n) for kind, ways in chances.items()]

    def outcomes(self, score: int, turn: int, n: int) -> Iterable[tuple[bool, int, int, float]]:
        """Yield whether the player banks, its turn points then, the dice it would roll next, and the probability."""
        for dice, chance in self.kinds(n)[1]:
            answer = self.decides(score, turn, dice)
            keep = self.engine.table.roll(dice).by_keep[answer.keep]
            yield answer.bank, turn + keep.points, keep.roll, chance


def points_a_turn(name: str, threshold: int, *, hot: str = "roll") -> float:
    """Return the exact mean of one turn far from the target.

    From the threshold on, with six dice: x points become a x + b, since what is rolled and done no longer depends on x.
    """
    turns = Turns(name, f"hold:at={threshold},hot={hot}")
    chance_of, gain_of = {True: 0.0, False: 0.0}, {True: 0.0, False: 0.0}  # by whether it banks
    for banked, points, _dice, chance in turns.outcomes(0, threshold, 6):
        chance_of[banked] += chance
        gain_of[banked] += chance * (points - threshold)
    a = chance_of[True] / (1 - chance_of[False])
    b = (gain_of[True] + a * gain_of[False]) / (1 - chance_of[False])

    @cache
    def value(turn: int, n: int) -> float:
        if turn >= threshold:
            assert n == 6
            return a * turn + b
        return sum(
            chance * (points if banked else value(points, dice))
            for banked, points, dice, chance in turns.outcomes(0, turn, n)
        )

    return value(0, 6)


@pytest.mark.parametrize(
    ("name", "threshold", "points"),
    [
        ("core", 250, 394.8136),
        ("core", 300, 397.0999),
        ("core", 350, 387.2363),
        ("core", 500, 344.4659),
        ("dm-a", 300, 477.3261),
    ],
)
def test_points_a_turn_of_who_holds_at_a_threshold(name: str, threshold: int, points: float) -> None:
    assert points_a_turn(name, threshold) == pytest.approx(points, abs=5e-5)


def test_points_a_turn_of_who_banks_hot_dice_too() -> None:
    assert points_a_turn("dm-a", 300, hot="bank") == pytest.approx(432.5450, abs=5e-5)


def test_how_often_a_turn_busts() -> None:
    turns = Turns("dm-a", "hold:at=300,hot=roll")

    @cache
    def kept(turn: int, n: int) -> float:
        """Return the chance to bank."""
        if turn > 300:
            return kept(300, n)  # nothing depends on it any more
        certain = again = 0.0
        for banked, points, dice, chance in turns.outcomes(0, turn, n):
            if banked:
                certain += chance
            elif (min(points, 300), dice) == (turn, n):
                again += chance
            else:
                certain += chance * kept(min(points, 300), dice)
        return certain / (1 - again)

    assert 1 - kept(0, 6) == pytest.approx(0.2007, abs=5e-5)


@pytest.mark.parametrize(("name", "expected"), [("core", 25.839621), ("dm-a", 21.732960)])
def test_turns_alone_to_10_000_of_who_holds_at_300(name: str, expected: float) -> None:
    target, threshold = 10_000, 300
    turns = Turns(name, f"hold:at={threshold},hot=roll")
    left = dict.fromkeys(range(target, 3 * target, UNIT), 0.0)  # turns still to be taken

    @cache
    def rolling_on(total: int) -> tuple[float, float]:
        """Return, for six dice and a turn that has reached the threshold, `total` in all: what is added to the turns taken, and
        how much of the turns from the score before it (after a bust)."""
        added, lost = 0.0, turns.kinds(6)[0]
        for banked, points, _dice, chance in turns.outcomes(total - threshold, threshold, 6):
            after = total - threshold + points
            if banked:
                added += chance * left[after]
            else:
                more, again = rolling_on(after)
                added, lost = added + chance * more, lost + chance * again
        return added, lost

    for score in range(target - UNIT, -1, -UNIT):

        @cache
        def turn_from(turn: int, n: int, score: int = score) -> tuple[float, float]:
            if turn >= threshold:
                return rolling_on(score + turn)
            added, lost = 0.0, turns.kinds(n)[0]
            for banked, points, dice, chance in turns.outcomes(score, turn, n):
                if banked:
                    added += chance * left[score + points]
                else:
                    more, again = turn_from(points, dice)
                    added, lost = added + chance * more, lost + chance * again
            return added, lost

        added, lost = turn_from(0, 6)
        left[score] = (1 + added) / (1 - lost)
    assert left[0] == pytest.approx(expected, abs=5e-7)
