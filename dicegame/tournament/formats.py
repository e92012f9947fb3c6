"""Who plays whom: the pairings of a tournament, from its plan, its entrants and what was played so far.

A pairing is known by the numbers of its entrants, such as `1-2`; where rounds follow each other also by its round, such as `r2.1-4`. An
entrant alone has no opponent in its round and plays no block. All is worked out from whole pairings alone, so that it comes out the
same in whatever order the games were played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from dicegame.tournament.plan import Format, Plan
from dicegame.tournament.sums import Entrant, PairingSums

EXTENSIONS = 4  # times that a tied match of a knockout is made longer, before points decide it


@dataclass(frozen=True, slots=True)
class Pairing:
    """Entrants (by number, in the order of their places) that meet: in which round, and over how many blocks."""

    id: str
    entrants: tuple[int, ...]
    round: int
    blocks: int


Sums = Mapping[str, PairingSums]


def schedule(
    plan: Plan, entrants: Sequence[Entrant], pairings: Sequence[Pairing], sums: Sums, *, blocks: int | None = None
) -> list[Pairing]:
    """Return the pairings that are new, and those that are made longer, once all of `pairings` are played; none: it is the end.

    In a round robin and a gauntlet all pairings are known from the start; it may be asked before they are played.

    Args:
        plan: the plan.
        entrants: everyone; those that were withdrawn are not paired any more.
        pairings: what was paired so far.
        sums: what became of it, by the id of the pairing.
        blocks: how many blocks a new pairing plays, where that is not what the plan says.
    """
    active = [entrant.number for entrant in entrants if not entrant.withdrawn]
    each = blocks or plan.blocks
    if plan.format is Format.SWISS:
        return _swiss(plan, active, pairings, sums)
    if plan.format is Format.KNOCKOUT:
        return _knockout(plan, entrants, pairings, sums)
    tables = list(combinations(active, plan.seats))
    if plan.format is Format.GAUNTLET:
        challengers = {entrant.number for entrant in entrants if entrant.name in plan.challengers}
        tables = [table for table in tables if challengers & set(table)]
    known = {pairing.entrants for pairing in pairings}
    return [_pairing(table, 1, each) for table in tables if table not in known]


def _pairing(entrants: tuple[int, ...], number: int, blocks: int, *, rounds: bool = False) -> Pairing:
    name = "-".join(map(str, entrants))
    return Pairing(f"r{number}.{name}" if rounds else name, entrants, number, blocks)


# Swiss: rounds of near equals


def rounds_of(plan: Plan, entrants: int) -> int:
    """Return how many rounds a Swiss tournament has: what its plan says, else enough to tell a winner from all others."""
    return plan.rounds or max((entrants - 1).bit_length(), 1)


def match_points(pairings: Sequence[Pairing], sums: Sums) -> dict[int, float]:
    """Return the points of a Swiss tournament by entrant: 1 for a match won or a round without opponent, one half for a tied match."""
    points: dict[int, float] = {}
    for pairing in pairings:
        won = _won(sums.get(pairing.id)) if len(pairing.entrants) > 1 else (1.0,)
        for entrant, part in zip(pairing.entrants, won, strict=True):
            points[entrant] = points.get(entrant, 0.0) + part
    return points


def _won(sums: PairingSums | None) -> tuple[float, float]:
    if sums is None or not sums.blocks:
        return 0.5, 0.5
    first, second = (place.means for place in sums.places)
    if abs(first - second) < 1e-9:
        return 0.5, 0.5
    return (1.0, 0.0) if first > second else (0.0, 1.0)


def _swiss(plan: Plan, active: Sequence[int], pairings: Sequence[Pairing], sums: Sums) -> list[Pairing]:
    number = max((pairing.round for pairing in pairings), default=0) + 1
    if number > rounds_of(plan, len(active)) or len(active) < 2:
        return []
    points = match_points(pairings, sums)
    shares = dict.fromkeys(active, 0.0)
    byes = dict.fromkeys(active, 0)
    for pairing in pairings:
        for entrant, place in zip(pairing.entrants, sums[pairing.id].places if pairing.blocks else (), strict=False):
            shares[entrant] = shares.get(entrant, 0.0) + place.means / max(sums[pairing.id].blocks, 1)
        if len(pairing.entrants) == 1:
            byes[pairing.entrants[0]] = byes.get(pairing.entrants[0], 0) + 1
    order = sorted(active, key=lambda entrant: (-points.get(entrant, 0.0), -round(shares[entrant], 9), entrant))
    alone: list[Pairing] = []
    if len(order) % 2:
        last = min(reversed(order), key=lambda entrant: byes[entrant])  # the lowest of those that had no bye yet
        order.remove(last)
        alone = [_pairing((last,), number, 0, rounds=True)]
    met = {frozenset(pairing.entrants) for pairing in pairings}
    pairs = _pair_up(order, met) or list(zip(order[::2], order[1::2], strict=True))
    return [_pairing((min(pair), max(pair)), number, plan.blocks, rounds=True) for pair in pairs] + alone


def _pair_up(order: Sequence[int], met: set[frozenset[int]]) -> list[tuple[int, int]] | None:
    """Pair neighbours in the order that have not met, as near as possible; None if that can't be done within reason.

    Depth first, with a bound on the work: among many entrants the first try nearly always comes through.
    """
    steps = 0

    def pair(left: tuple[int, ...]) -> list[tuple[int, int]] | None:
        nonlocal steps
        if not left:
            return []
        steps += 1
        if steps > 10_000:
            return None
        first, rest = left[0], left[1:]
        for place, other in enumerate(rest):
            if frozenset((first, other)) not in met:
                found = pair(rest[:place] + rest[place + 1 :])
                if found is not None:
                    return [(first, other), *found]
        return None

    return pair(tuple(order))


# Knockout: the winner goes on


def bracket(entrants: Sequence[int]) -> list[int | None]:
    """Return who stands where in the first round: the first against the last, such that the first two can only meet in the final.

    Places beyond the number of entrants are empty, and who stands beside one goes on at once.
    """
    order = [0]
    while len(order) < len(entrants):
        size = 2 * len(order)
        order = [place for seed in order for place in (seed, size - 1 - seed)]
    return [entrants[place] if place < len(entrants) else None for place in order]


def winner(pairing: Pairing, sums: PairingSums | None, withdrawn: frozenset[int]) -> int | None:
    """Return who goes on: who won more of the games; after `EXTENSIONS` more lengths who made more points, then who was named first.

    None while it is tied and can be made longer.
    """
    first, second = pairing.entrants
    if (first in withdrawn) != (second in withdrawn):
        return second if first in withdrawn else first
    if sums is None:
        return first
    ahead = sums.places[0].means - sums.places[1].means
    if abs(ahead) > 1e-9:
        return first if ahead > 0 else second
    return None


def _knockout(plan: Plan, entrants: Sequence[Entrant], pairings: Sequence[Pairing], sums: Sums) -> list[Pairing]:
    withdrawn = frozenset(entrant.number for entrant in entrants if entrant.withdrawn)
    standing: list[int | None] = bracket([entrant.number for entrant in entrants])
    by_pair = {(pairing.round, frozenset(pairing.entrants)): pairing for pairing in pairings}
    number = 1
    while len(standing) > 1:
        following: list[int | None] = []
        wanted: list[Pairing] = []
        for one, other in zip(standing[::2], standing[1::2], strict=True):
            if one is None or other is None:
                following.append(other if one is None else one)
                continue
            pairing = by_pair.get((number, frozenset((one, other))))
            if pairing is None:
                if not withdrawn & {one, other}:
                    wanted.append(_pairing((min(one, other), max(one, other)), number, plan.blocks, rounds=True))
                    continue
                following.append(other if one in withdrawn else one)
                continue
            wanted += _longer(plan, pairing, sums.get(pairing.id), withdrawn)
            following.append(_champion(pairing, sums.get(pairing.id), withdrawn))
        if wanted:
            return wanted
        standing = following
        number += 1
    return []


def _longer(plan: Plan, pairing: Pairing, sums: PairingSums | None, withdrawn: frozenset[int]) -> list[Pairing]:
    """Return a tied match with more blocks, as long as it may be made longer."""
    if winner(pairing, sums, withdrawn) is not None or pairing.blocks >= plan.blocks * (1 + EXTENSIONS):
        return []
    return [replace(pairing, blocks=pairing.blocks + plan.blocks)]


def _champion(pairing: Pairing, sums: PairingSums | None, withdrawn: frozenset[int]) -> int:
    """Return who goes on in the end."""
    found = winner(pairing, sums, withdrawn)
    if found is not None:
        return found
    first, second = pairing.entrants
    if sums is not None and sums.places[1].score > sums.places[0].score:
        return second
    return first


def champion(entrants: Sequence[Entrant], pairings: Sequence[Pairing], sums: Sums) -> int | None:
    """Return who has won a knockout; None before its final is decided."""
    withdrawn = frozenset(entrant.number for entrant in entrants if entrant.withdrawn)
    last = max((pairing.round for pairing in pairings), default=0)
    finals = [pairing for pairing in pairings if pairing.round == last]
    if len(finals) != 1 or last < max((len(entrants) - 1).bit_length(), 1):
        return None
    final = finals[0]
    result = sums.get(final.id)
    return _champion(final, result, withdrawn) if result is not None and result.blocks >= final.blocks else None
