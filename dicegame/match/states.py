"""States that a bot may be asked about: collected from games among built-in players, in this process and without a bot.

Every state carries its kinds: the rule set that it is of, and the edges of the rules that it stands at. A bot that is wrong only at one of
them can then be told at which.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dicegame.games import engine_for
from dicegame.games.base import Decision, Engine, Phase
from dicegame.games.events import Dice
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.players.base import Player, Request, Seating
from dicegame.players.builtin import make
from dicegame.rules.load import load
from dicegame.rules.model import HighDiceRules, RuleSet
from dicegame.rules.table import Back, Roll, rolls
from dicegame.text import N_

# A rule set of every kind that there is: the three games, house rules, an exact target with hot dice that must be rolled, and points
# for nothing.
SUBJECTS = ("ten-thousand", "thousand", "high-dice", "thousand-classic", "dix-mille", "zilch")

# The edges, from the most common to the rarest: the order in which a bot is judged at them.
EDGES = (
    N_("hot dice"),
    N_("all dice alike"),
    N_("first bank"),
    N_("minimum"),
    N_("last die"),
    N_("final round"),
    N_("one seat"),
    N_("seats out"),
    N_("must roll"),
    N_("exact target"),
    N_("nothing scores"),
    N_("barrel"),
)
RARE = 10  # states of an edge that are looked for beyond the number asked for
ENOUGH_FOR_EVERY_ROLL = 1_500  # states of a rule set, of which at most 923 are taken by rolls
_LONGEST = 1_500  # decisions of one game among built-ins; what is rare comes at the end of a game, or never
_MOST_GAMES = 400
_FORFEIT, _FORFEIT_HIGH_DICE = 0.004, 0.02  # of decisions, after which another seat leaves the game
_WORDS = ("house", "house", "random", "cautious", "greedy", "hold:at=1000", "hold:at=2500,hot=roll")
_MARKING = ("random",) * 5 + ("house",)  # `house` counts all chances out, which takes its time
_HIGH_DICE = (3, 1, 2, 4, 5)  # dice


@dataclass(frozen=True, slots=True)
class Chair:
    """Where a bot sits: the game, the number of seats, and its own."""

    engine: Engine[Any]
    seats: int
    seat: int


@dataclass(frozen=True, slots=True)
class Case:
    """One state that the bot in `chair` is asked about. `kinds` names its rule set first, then the edges that it stands at, in order."""

    chair: Chair
    state: Any
    kinds: tuple[str, ...]


def kinds_of(name: str, engine: Engine[Any], state: Any) -> tuple[str, ...]:  # noqa: ANN401 - the state of any engine
    """Return the kinds of a state of the rule set that is called `name`."""
    if isinstance(engine, PushLuck):
        found = _push_luck(engine, state)
    else:
        found = {"seats out": any(state.out), "all dice alike": _alike(state.dice[state.seat])}
    return (name, *(edge for edge in EDGES if found.get(edge)))


def _alike(dice: Dice) -> bool:
    return len(dice) > 1 and len(set(dice)) == 1


def _push_luck(engine: PushLuck, state: PushLuckState) -> dict[str, bool]:
    rules, standing = engine.rules, state.standing
    keeps = engine.keeps(state)
    too_few = any(keep.may_bank and state.turn_points + keep.points < state.required for keep in keeps)
    nothing = len(keeps) == 1 and len(state.dice) == rules.dice and engine.table.points(keeps[0].keep) is None
    opened = standing.opened[state.seat]
    return {
        "hot dice": any(keep.back is not Back.NO for keep in keeps),
        "all dice alike": _alike(state.dice),
        "first bank": not opened,
        "minimum": opened and too_few,
        "last die": len(state.dice) == 1,
        "final round": standing.final is not None,
        "one seat": len(standing.out) == 1,
        "seats out": any(standing.out),
        "must roll": not all(keep.may_bank for keep in keeps),
        "exact target": state.roll is not None and len(keeps) < len(state.roll.keeps),
        "nothing scores": nothing,
        "barrel": standing.barrel is not None and standing.barrel[0] == state.seat,
    }


def chairs_of(subject: str) -> list[Chair]:
    """Return the chairs in which a bot is asked about a rule set: few, many and all seats; high dice by every rule besides."""
    rules = load(subject)
    if isinstance(rules, HighDiceRules):
        return [Chair(engine_for(rules), 2, 0), *_high_dice_chairs()]
    engine = engine_for(rules)
    low, high = rules.seats
    counts = sorted({low, min(max(2, low), high), min(max(3, low), high), high})
    return [Chair(engine, seats, seat) for seats in counts for seat in sorted({0, seats - 1})]


def _high_dice_chairs() -> Iterator[Chair]:
    """Yield every rule, sought winner or loser, and number of seats; the other settings change from one to the next."""
    place = 0
    for rule in ("sum-high", "sum-low", "triple-pair"):
        for find in ("winner", "loser"):
            for seats in range(2, 9):
                dice = 3 if rule == "triple-pair" else _HIGH_DICE[place % len(_HIGH_DICE)]
                to = 1 + place % 3 if seats == 2 else 2
                changes = [f"rule={rule}", f"find={find}", f"dice={dice}", f"to={to}"]
                yield Chair(engine_for(load("high-dice", changes)), seats, place % seats)
                place += 1


def collect(subject: str, wanted: int, seed: str) -> list[Case]:
    """Return about `wanted` states of a rule set, chair by chair; the same ones for the same seed.

    Chairs with more seats, or more dice to think about, get fewer of them. Edges that come up rarely are looked for longer. Where so many
    are wanted, every roll that asks for a decision is among them: no slip in reading one is missed.
    """
    chairs = chairs_of(subject)
    engine = chairs[0].engine
    every = _every_roll(engine) if isinstance(engine, PushLuck) and wanted >= ENOUGH_FOR_EVERY_ROLL else []
    weights = [1 / (chair.seats * _thinking(chair.engine.rules)) for chair in chairs]
    found: list[list[Case]] = []
    for place, (chair, weight) in enumerate(zip(chairs, weights, strict=True)):
        share = max(2, round((wanted - len(every)) * weight / sum(weights)))
        found.append(_of_chair(subject, chair, share, random.Random(f"{seed} {subject} {place}")))
    rng = random.Random(f"{seed} {subject} rolls")
    for roll in every:
        place = rng.randrange(len(chairs))
        dice = tuple(rng.sample(roll.dice, len(roll.dice)))
        case = _with_roll(subject, chairs[place], rng.choices(found[place], k=100), dice)
        if case is not None:
            found[place].append(case)
    return [case for cases in found for case in cases]


def _every_roll(engine: PushLuck) -> list[Roll]:
    found = (engine.table.roll(dice) for n in range(1, engine.rules.dice + 1) for dice, _ways in rolls(n))
    return [roll for roll in found if roll.keeps and not roll.instant_win]


def _with_roll(subject: str, chair: Chair, cases: Sequence[Case], dice: Dice) -> Case | None:
    """Return the first of these states in which these dice might have been rolled instead, with them; None if there is none."""
    engine = chair.engine
    assert isinstance(engine, PushLuck)
    for case in cases:
        state: PushLuckState = case.state
        if state.turn_points or len(dice) == engine.rules.dice:
            other = replace(state, dice=dice, roll=engine.table.roll(dice), free=len(dice))
            if engine.decisions(other):  # an exact target may forbid them all
                return Case(chair, other, kinds_of(subject, engine, other))
    return None


def _thinking(rules: RuleSet) -> int:
    return rules.dice if isinstance(rules, HighDiceRules) else 1


def _of_chair(subject: str, chair: Chair, wanted: int, rng: random.Random) -> list[Case]:
    found: list[Case] = []
    seen: Counter[str] = Counter()
    games = extra = 0
    while games < _MOST_GAMES and (len(found) < wanted or extra):
        extra = max(extra - 1, 0)
        for state in game_states(chair, rng):
            kinds = kinds_of(subject, chair.engine, state)
            rare = any(seen[kind] < RARE for kind in kinds[1:])
            if len(found) < wanted or rare:
                seen.update(kinds)
                found.append(Case(chair, state, kinds))
                if len(found) == wanted:
                    extra = 1 + games // 5
        games += 1
    return found


def game_states(chair: Chair, rng: random.Random) -> Iterator[Any]:
    """Play one game among built-in players and yield every state in which the chair's seat decides."""
    engine, seats = chair.engine, chair.seats
    players = [_player(engine, seats, seat, rng) for seat in range(seats)]
    forfeit = _FORFEIT if isinstance(engine, PushLuck) else _FORFEIT_HIGH_DICE
    state, _events = engine.start(seats)
    for number in range(1, _LONGEST + 1):
        while state.phase is Phase.THROW:
            dice = [tuple(rng.choices(range(1, 7), k=throw.dice)) for throw in engine.throws(state)]
            state, _events = engine.thrown(state, dice)
        if state.phase is Phase.OVER:
            return
        if state.seat == chair.seat:
            yield state
        answer = players[state.seat].decide(Request(number, state.seat, engine, state))
        assert isinstance(answer, Decision), "built-in players decide"
        state, _events = engine.decide(state, answer)
        others = [seat for seat in range(seats) if seat != chair.seat and not state.out[seat]]
        if len(others) > 1 and state.phase is not Phase.OVER and rng.random() < forfeit:
            state, _events = engine.forfeit(state, rng.choice(others))


def _player(engine: Engine[Any], seats: int, seat: int, rng: random.Random) -> Player:
    player = make(rng.choice(_WORDS if isinstance(engine, PushLuck) else _MARKING))
    player.begin(Seating("states", engine, names_of(seats), seat, rng.getrandbits(31), None))
    return player


def names_of(seats: int) -> tuple[str, ...]:
    """Return names for so many players."""
    return tuple(f"player-{seat}" for seat in range(seats))


def plain(cases: Sequence[Case]) -> Case:
    """Return a state without edges, or with as few as there are."""
    return min(cases, key=lambda case: len(case.kinds))
