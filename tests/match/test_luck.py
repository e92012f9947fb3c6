"""Luck taken out of a match: unbiased, adding up, and the same whoever plays it."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from itertools import product
from typing import Any

import pytest

from dicegame.dice import seed_from_text
from dicegame.games import engine_for
from dicegame.games.base import Decision, Phase
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.match.luck import LuckMeter
from dicegame.match.play import MatchSpec
from dicegame.match.run import run_match
from dicegame.rules.load import load
from dicegame.rules.model import PushLuckRules
from dicegame.values.exact.evaluate import evaluate
from dicegame.values.judges import luck_judge

PLAYERS = ("optimal", "hold:at=200", "house", "maxpoints", "cautious")


def rules_of(name: str, *changes: str, target: int | None = None) -> PushLuckRules:
    rules = load(name, changes, target)
    assert isinstance(rules, PushLuckRules)
    return rules


def match(*words: str, rules: str = "thousand", luck: str = "optimal", blocks: int = 100, workers: int = 1) -> Any:
    spec = MatchSpec(load(rules), words, tuple("abcdefg"[: len(words)]), luck=luck)
    return run_match(spec, seed_from_text("luck"), blocks, workers=workers)


def positions(engine: PushLuck, seats: int) -> list[PushLuckState]:
    """Some states of a game before a throw, from its beginning to its end."""
    found = []
    for game in range(3):
        state, _events = engine.start(seats)
        throw = game
        while state.phase is not Phase.OVER:
            if state.phase is Phase.THROW:
                found.append(state)
                throw += 1
                dice = tuple((throw * 7 + 5 * i * i + throw // 6) % 6 + 1 for i in range(state.free))
                state, _events = engine.thrown(state, [dice])
            else:
                decisions = engine.decisions(state)
                state, _events = engine.decide(state, decisions[(throw + game) % min(2, len(decisions))])
    return found


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize(("name", "seats"), [("thousand", 2), ("thousand", 3), ("core", 2), ("dm-a", 2)])
def test_the_mean_of_luck_over_the_dice_is_zero(name: str, seats: int, player: str) -> None:
    """At every throw of whole games, whatever was played before it: of up to three dice all are thrown."""
    engine = engine_for(rules_of(name, target=500))
    assert isinstance(engine, PushLuck)
    judge = luck_judge(engine, seats, player)
    tried = 0
    for before in positions(engine, seats):
        if before.free > 3:
            continue
        tried += 1
        moved = [
            judge.luck(before, engine.thrown(before, [dice])[0]) for dice in product(range(1, 7), repeat=before.free)
        ]
        for seat in range(seats):
            assert math.fsum(luck[seat] for luck in moved) / len(moved) == pytest.approx(0, abs=1e-13)
        assert all(abs(math.fsum(luck)) < 1e-13 for luck in moved)
    assert tried > 2


@pytest.mark.parametrize("player", ["optimal", "hold:at=200"])
def test_the_adjusted_rate_is_the_exact_one(player: str) -> None:
    """Within four of its own standard errors, which are smaller than those of the plain rate even in games as short as these."""
    first, second = evaluate(rules_of("thousand"), "hold:at=200", "house")
    result = match("hold:at=200", "house", luck=player, blocks=1500, workers=2)
    adjusted = result.adjusted(0)
    assert adjusted.rate == pytest.approx((first + second) / 2, abs=4 * adjusted.standard_error)
    assert adjusted.standard_error < result.standard_error(0)
    assert result.adjusted(1).rate == pytest.approx(1 - adjusted.rate, abs=1e-9)


def test_nothing_of_luck_is_left_between_perfect_players() -> None:
    """Two perfect players make no mistakes: what is left is who began, and that half the games each."""
    result = match("optimal", "optimal", blocks=20)
    adjusted = result.adjusted(0)
    assert adjusted.rate == pytest.approx(0.5, abs=1e-5)
    assert adjusted.standard_error < 1e-5


@pytest.mark.parametrize("words", [("hold:at=200", "house", "random"), ("house", "cautious", "random", "greedy")])
def test_more_seats(words: tuple[str, ...]) -> None:
    """Luck goes round: what is taken from one is given to others; and less is left of it."""
    result = match(*words, blocks=150)
    rates = [result.adjusted(place) for place in range(len(words))]
    assert math.fsum(rate.rate for rate in rates) == pytest.approx(1, abs=1e-9)
    for place, rate in enumerate(rates):
        raw = result.players[place].wins / result.games
        apart = math.hypot(rate.standard_error, result.standard_error(place))
        assert rate.rate == pytest.approx(raw, abs=5 * apart)
    assert rates[0].standard_error < result.standard_error(0)


def test_high_dice() -> None:
    """Marks that are as good as any other's: luck is all there is."""
    result = match("optimal", "optimal", rules="high-dice", blocks=50)
    assert result.adjusted(0).rate == pytest.approx(0.5, abs=1e-9)
    assert result.checksum is None


def test_the_number_of_workers_changes_nothing() -> None:
    one, two = (match("hold:at=200", "random", blocks=60, workers=workers) for workers in (1, 2))
    assert [p.adjusted for p in one.players] == [p.adjusted for p in two.players]
    assert [p.adjusted_squares for p in one.players] == [p.adjusted_squares for p in two.players]


def test_what_a_seat_that_gives_up_had_of_luck_counts() -> None:
    """The meter goes on through a forfeit: nothing is thrown for it, and nothing is lost."""
    engine = engine_for(load("thousand"))
    meter = LuckMeter(luck_judge(engine, 2, "optimal"), engine, 2)
    state, events = engine.start(2)
    for event in events:
        meter.event(event, state)
    meter.throw(engine.throws(state)[0], (1, 1, 1, 5, 5))
    state, events = engine.thrown(state, [(1, 1, 1, 5, 5)])
    for event in events:
        meter.event(event, state)
    had = list(meter.luck)
    assert had[0] > 0.3
    state, events = engine.decide(state, Decision((1, 1, 1, 5, 5), bank=True))
    for event in events:
        meter.event(event, state)
    state, events = engine.forfeit(state, 1)
    for event in events:
        meter.event(event, state)
    assert meter.luck == had


def dicegame(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "dicegame", *arguments], capture_output=True, text=True, check=False)


def test_the_command() -> None:
    """`--luck` alone means perfect play; the table's checksum stands in the result."""
    done = dicegame(
        "match", "house", "hold:at=200", "--rules", "thousand", "--games", "40", "--json", "--seed", "x", "--luck"
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["luck"]["player"] == "optimal"
    assert len(told["luck"]["checksum"]) == 64
    assert [set(adjusted) for adjusted in told["adjusted"]] == [{"win_rate", "interval", "standard_error"}] * 2
    assert told["players"][0]["standard_error"] > told["adjusted"][0]["standard_error"]
    plain = json.loads(dicegame("match", "house", "greedy", "--rules", "thousand", "--games", "2", "--json").stdout)
    assert plain["adjusted"] is None
    assert plain["luck"] is None


@pytest.mark.parametrize(
    ("rules", "luck", "said"),
    [
        ("thousand-classic", "optimal", "house."),
        ("thousand", "random", "no fixed way"),
        ("thousand", "nobody", "nobody"),
    ],
)
def test_what_can_not_be_adjusted_is_said(rules: str, luck: str, said: str) -> None:
    done = dicegame("match", "house", "greedy", "--rules", rules, "--games", "2", f"--luck={luck}")
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def without_the_extra(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program as where numpy and numba are not installed."""
    code = (
        "import sys; sys.modules['numpy'] = sys.modules['numba'] = None\n"
        f"from dicegame.cli.main import main; main({list(arguments)!r})"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "command",
    [
        ("match", "house", "greedy", "--games", "2", "--luck", "house"),
        ("match", "house", "greedy", "--exact"),
        ("simulate", "house", "greedy"),
        ("solve", "thousand"),
    ],
)
def test_what_needs_the_extra_says_so(command: tuple[str, ...]) -> None:
    done = without_the_extra(*command)
    assert done.returncode == 2, done.stderr
    assert "dicegame[solve]" in done.stderr
    assert "Traceback" not in done.stderr
