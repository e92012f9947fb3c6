"""Who plays whom: the pairings of a tournament, from its plan, its entrants and what was played so far.

A pairing is known by the numbers of its entrants, such as `1-2`; where rounds follow each other also by its round, such as `r2.1-4`. An
entrant alone has no opponent in its round and plays no block. All is worked out from whole pairings alone, so that it comes out the
same in whatever order the games were played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from dicegame.tournament.plan import Format, Plan
from dicegame.tournament.sums import Entrant, PairingSums

EXTENSIONS = 4  # times that a tied match of a knockout is made longer, before points decide it
MOST_TRIES = 10_000  # groups of entrants that a Swiss round may try in vain to pair without meeting again


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
    met = Counter(frozenset(pairing.entrants) for pairing in pairings)
    pairs, alone = _round(order, byes, met)
    found = [_pairing((min(pair), max(pair)), number, plan.blocks, rounds=True) for pair in pairs]
    return found + [_pairing((entrant,), number, 0, rounds=True) for entrant in alone]


_Pairs = list[tuple[int, int]]


def _round(
    order: Sequence[int], byes: Mapping[int, int], met: Mapping[frozenset[int], int]
) -> tuple[_Pairs, list[int]]:
    """Return who meets in a round, and who is alone: the lowest of those with the fewest byes with whom nobody need meet again."""
    if len(order) % 2 == 0:
        candidates: list[list[int]] = [[]]
    else:
        fewest = min(byes[entrant] for entrant in order)
        candidates = [[entrant] for entrant in reversed(order) if byes[entrant] == fewest]
    most = 0
    while True:  # ends: at the latest where everybody may meet as often as those that met the most
        search = _Search(met, most)
        for alone in candidates:
            pairs = search.pairs(tuple(entrant for entrant in order if entrant not in alone))
            if pairs is not None:
                return pairs, alone
        most += 1


class _Search:
    """Pairs neighbours in the order, as near as possible, that have met `most` times at most; those first that met less often.

    Depth first; who was found to be left over in vain is not tried again. There is a bound on the work, after which more meetings
    are let pass: among many entrants the first try nearly always comes through.
    """

    def __init__(self, met: Mapping[frozenset[int], int], most: int) -> None:
        self._met = met
        self._most = most
        self._vain: set[tuple[int, ...]] = set()

    def pairs(self, left: tuple[int, ...]) -> _Pairs | None:
        """Return pairs of all of these; None if that can't be done within reason."""
        if not left:
            return []
        if left in self._vain or len(self._vain) > MOST_TRIES:
            return None
        first, rest = left[0], left[1:]
        times = {other: self._met.get(frozenset((first, other)), 0) for other in rest}
        for other in sorted((other for other in rest if times[other] <= self._most), key=times.__getitem__):
            found = self.pairs(tuple(entrant for entrant in rest if entrant != other))
            if found is not None:
                return [(first, other), *found]
        self._vain.add(left)
        return None


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


def champion(plan: Plan, entrants: Sequence[Entrant], pairings: Sequence[Pairing], sums: Sums) -> int | None:
    """Return who has won a knockout of which all `pairings` are played; None while others follow."""
    wanted, standing = _walk(plan, entrants, pairings, sums)
    return None if wanted else standing


def _knockout(plan: Plan, entrants: Sequence[Entrant], pairings: Sequence[Pairing], sums: Sums) -> list[Pairing]:
    return _walk(plan, entrants, pairings, sums)[0]


def _walk(
    plan: Plan, entrants: Sequence[Entrant], pairings: Sequence[Pairing], sums: Sums
) -> tuple[list[Pairing], int | None]:
    """Walk through the bracket to the first round that is not over; return its matches to be played, or else who stands at the end."""
    withdrawn = frozenset(entrant.number for entrant in entrants if entrant.withdrawn)
    standing: list[int | None] = bracket([entrant.number for entrant in entrants])
    by_pair = {(pairing.round, frozenset(pairing.entrants)): pairing for pairing in pairings}
    reached = {who: p.round for p in sorted(pairings, key=lambda p: p.round) for who in p.entrants}
    number = 1
    while len(standing) > 1:
        following: list[int | None] = []
        wanted: list[Pairing] = []
        for one, other in zip(standing[::2], standing[1::2], strict=True):
            if one is None or other is None:
                following.append(other if one is None else one)
                continue
            pairing = by_pair.get((number, frozenset((one, other))))
            if pairing is not None:
                goes_on = _winner(plan, pairing, sums.get(pairing.id), withdrawn, reached)
                if goes_on is None:
                    wanted.append(replace(pairing, blocks=pairing.blocks + plan.blocks))
                following.append(goes_on)
            elif withdrawn & {one, other}:
                following.append(_stays(one, other, withdrawn, reached))
            else:
                wanted.append(_pairing((min(one, other), max(one, other)), number, plan.blocks, rounds=True))
        if wanted:
            return wanted, None
        standing = following
        number += 1
    return [], standing[0]


def _stays(one: int, other: int, withdrawn: frozenset[int], reached: Mapping[int, int]) -> int:
    """Return who goes on without playing: who was not withdrawn, and of two that were who went on before it left itself."""
    return min(one, other, key=lambda who: (who in withdrawn, -reached.get(who, 0), who))


def _winner(
    plan: Plan, pairing: Pairing, sums: PairingSums | None, withdrawn: frozenset[int], reached: Mapping[int, int]
) -> int | None:
    """Return who goes on: who won more of the games; after `EXTENSIONS` more lengths who made more points, then who was named first.

    None where it is to be made longer. A match that a withdrawal has cut short is the other's; one that was over before stays as it was.
    """
    first, second = pairing.entrants
    whole = pairing.blocks > 0 and pairing.blocks % plan.blocks == 0
    if whole and sums is not None:
        ahead = sums.places[0].means - sums.places[1].means
        if abs(ahead) > 1e-9:
            return first if ahead > 0 else second
    if withdrawn & {first, second}:
        return _stays(first, second, withdrawn, reached)
    if pairing.blocks < plan.blocks * (1 + EXTENSIONS):
        return None
    return second if sums is not None and sums.places[1].score > sums.places[0].score else first
