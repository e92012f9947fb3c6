"""Who plays whom, for 2 to 40 entrants: properties of every format, and a naive second bracket."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegame.tournament.formats import (
    EXTENSIONS,
    Pairing,
    bracket,
    champion,
    match_points,
    rounds_of,
    schedule,
)
from dicegame.tournament.plan import Plan
from dicegame.tournament.sums import Entrant, PairingSums, PlaceSums
from tests.tournament.workers import planned

COUNTS = st.integers(2, 40)
SEEDS = st.integers(0, 10**6)
BLOCKS = 3


@cache
def plan_of(form: str, seats: int = 2, rounds: int | None = None, challengers: tuple[str, ...] = ()) -> Plan:
    plan, _entrants = planned(("a=house", "b=house", "c=house", "d=house"), format=form, seats=seats, blocks=BLOCKS)
    return plan.model_copy(update={"rounds": rounds, "challengers": challengers})


def field_of(count: int) -> list[Entrant]:
    return [Entrant(number, f"p{number}", "house") for number in range(1, count + 1)]


def withdrawn(entrants: Sequence[Entrant], *numbers: int) -> list[Entrant]:
    return [replace(entrant, withdrawn=entrant.withdrawn or entrant.number in numbers) for entrant in entrants]


def sums_of(pairing: Pairing, first: float, scores: tuple[int, int] = (0, 0), blocks: int | None = None) -> PairingSums:
    """Return a result: the share of the games that the first one won."""
    count = pairing.blocks if blocks is None else blocks
    places = [
        PlaceSums([0.0, 0.0], means=part * count, score=score)
        for part, score in zip((first, 1 - first), scores, strict=True)
    ]
    return PairingSums(pairing.id, pairing.entrants, count, places)


class Played:
    """A tournament of which every new pairing gets a result at once."""

    def __init__(self, plan: Plan, count: int, rng: random.Random, *, ties: float = 0.2) -> None:
        self.plan = plan
        self.entrants = field_of(count)
        self.rng = rng
        self.ties = ties
        self.pairings: dict[str, Pairing] = {}
        self.sums: dict[str, PairingSums] = {}
        self.rounds: list[list[Pairing]] = []

    def next(self) -> list[Pairing]:
        """Return what follows, without playing it."""
        known = list(self.pairings.values())
        wanted = schedule(self.plan, self.entrants, known, self.sums)
        for _again in range(2):  # the order of what is known does not matter
            self.rng.shuffle(known)
            shuffled = dict(self.rng.sample(list(self.sums.items()), len(self.sums)))
            assert schedule(self.plan, self.entrants, known, shuffled) == wanted
        return wanted

    def play(self, wanted: Sequence[Pairing]) -> None:
        self.rounds.append(list(wanted))
        for pairing in wanted:
            self.pairings[pairing.id] = pairing
            if len(pairing.entrants) > 1:
                first = 0.5 if self.rng.random() < self.ties else self.rng.random()
                scores = (self.rng.randrange(3), self.rng.randrange(3))
                self.sums[pairing.id] = sums_of(pairing, first, scores)

    def to_the_end(self) -> None:
        while wanted := self.next():
            self.play(wanted)


# Round robin and gauntlet


@given(st.integers(2, 12), st.integers(2, 4))
def test_in_a_round_robin_all_meet_once(count: int, seats: int) -> None:
    pairings = schedule(plan_of("round-robin", seats), field_of(count), [], {})
    assert [pairing.entrants for pairing in pairings] == list(combinations(range(1, count + 1), seats))
    assert len({pairing.id for pairing in pairings}) == len(pairings)
    assert all(pairing.blocks == BLOCKS and pairing.round == 1 for pairing in pairings)
    assert schedule(plan_of("round-robin", seats), field_of(count), pairings, {}) == []


@given(st.integers(2, 12), st.integers(2, 3), SEEDS)
def test_whoever_comes_later_meets_all_others_and_nobody_else_does(count: int, seats: int, seed: int) -> None:
    plan = plan_of("round-robin", seats)
    before = schedule(plan, field_of(count), [], {})
    gone = random.Random(seed).randrange(1, count + 1)
    entrants = withdrawn(field_of(count + 1), gone)
    more = schedule(plan, entrants, before, {}, blocks=7)
    others = [number for number in range(1, count + 1) if number != gone]
    assert [p.entrants for p in more] == [(*rest, count + 1) for rest in combinations(others, seats - 1)]
    assert all(pairing.blocks == 7 for pairing in more)


@given(st.integers(2, 12), st.integers(2, 3), st.sets(st.integers(1, 12), min_size=1, max_size=4))
def test_in_a_gauntlet_every_table_has_a_challenger(count: int, seats: int, who: set[int]) -> None:
    plan = plan_of("gauntlet", seats, challengers=tuple(f"p{number}" for number in who))
    pairings = schedule(plan, field_of(count), [], {})
    wanted = [table for table in combinations(range(1, count + 1), seats) if who & set(table)]
    assert [pairing.entrants for pairing in pairings] == wanted


# Swiss


def meetings(pairings: Sequence[Pairing]) -> Counter[frozenset[int]]:
    return Counter(frozenset(pairing.entrants) for pairing in pairings if len(pairing.entrants) > 1)


def byes(pairings: Sequence[Pairing]) -> Counter[int]:
    return Counter(pairing.entrants[0] for pairing in pairings if len(pairing.entrants) == 1)


@given(COUNTS, SEEDS)
def test_a_swiss_tournament_pairs_everybody_once_a_round_and_never_twice_with_another(count: int, seed: int) -> None:
    play = Played(plan_of("swiss"), count, random.Random(seed))
    play.to_the_end()
    assert len(play.rounds) == rounds_of(play.plan, count) == max((count - 1).bit_length(), 1)
    for number, pairings in enumerate(play.rounds, 1):
        assert sorted(who for pairing in pairings for who in pairing.entrants) == list(range(1, count + 1))
        assert all(pairing.round == number and pairing.id.startswith(f"r{number}.") for pairing in pairings)
        assert all(pairing.blocks == (BLOCKS if len(pairing.entrants) > 1 else 0) for pairing in pairings)
        assert all(pairing.entrants == tuple(sorted(pairing.entrants)) for pairing in pairings)
    everything = [pairing for pairings in play.rounds for pairing in pairings]
    if count > 3:
        assert max(meetings(everything).values()) == 1
    assert max(byes(everything).values(), default=1) == 1
    assert len({pairing.id for pairing in everything}) == len(everything)


def may_all_be_new(left: tuple[int, ...], met: Counter[frozenset[int]]) -> bool:
    """Say whether these can be paired without anybody meeting again: by trying all ways."""
    if not left:
        return True
    first, *rest = left
    return any(
        may_all_be_new(tuple(other for other in rest if other != second), met)
        for second in rest
        if not met[frozenset((first, second))]
    )


@given(st.integers(2, 9), SEEDS)
def test_nobody_meets_again_as_long_as_that_can_be_avoided(count: int, seed: int) -> None:
    play = Played(plan_of("swiss", rounds=count + 3), count, random.Random(seed))
    while wanted := play.next():
        before = [pairing for pairings in play.rounds for pairing in pairings]
        met, had = meetings(before), byes(before)
        everyone = tuple(range(1, count + 1))
        fewest = min(had[who] for who in everyone)
        alone = [who for who in everyone if had[who] == fewest] if count % 2 else [0]
        assert all(had[who] == fewest for who in byes(wanted)), "nobody is alone again before all were"
        if any(may_all_be_new(tuple(who for who in everyone if who != out), met) for out in alone):
            assert not any(met[pair] for pair in meetings(wanted))
        play.play(wanted)
    assert len(play.rounds) == count + 3


@given(COUNTS, SEEDS)
def test_near_equals_meet(count: int, seed: int) -> None:
    play = Played(plan_of("swiss"), count, random.Random(seed), ties=0.0)
    play.play(play.next())
    second = play.next()
    points = match_points(play.rounds[0], play.sums)
    unequal = sum(len({points[who] for who in pairing.entrants}) > 1 for pairing in second)
    assert unequal <= (1 if count > 4 else 2)
    assert sum(points.values()) == len(play.rounds[0])


def test_points_of_a_swiss_tournament() -> None:
    won, tied, alone = (
        Pairing(name, who, 1, n) for name, who, n in (("w", (1, 2), 3), ("t", (3, 4), 3), ("a", (5,), 0))
    )
    sums = {"w": sums_of(won, 0.4), "t": sums_of(tied, 0.5)}
    assert match_points([won, tied, alone], sums) == {1: 0.0, 2: 1.0, 3: 0.5, 4: 0.5, 5: 1.0}


@given(st.integers(3, 20), SEEDS)
def test_a_swiss_tournament_goes_on_without_who_has_left_and_with_who_has_come(count: int, seed: int) -> None:
    play = Played(plan_of("swiss", rounds=4), count, random.Random(seed))
    play.play(play.next())
    gone = play.rng.randrange(1, count + 1)
    play.entrants = withdrawn([*play.entrants, Entrant(count + 1, "new", "house")], gone)
    play.to_the_end()
    for pairings in play.rounds[1:]:
        assert {who for pairing in pairings for who in pairing.entrants} == set(range(1, count + 2)) - {gone}
    assert len(play.rounds) == 4


def test_many_are_paired_in_no_time() -> None:
    play = Played(plan_of("swiss", rounds=12), 301, random.Random(5))
    known: list[Pairing] = []
    for _round in range(12):
        wanted = schedule(play.plan, play.entrants, known, play.sums)
        play.play(wanted)
        known += wanted
    assert max(meetings(known).values()) == 1
    assert max(byes(known).values()) == 1


# Knockout


@given(st.integers(1, 70))
def test_the_bracket_keeps_the_best_apart(count: int) -> None:
    entrants = list(range(1, count + 1))
    places = bracket(entrants)
    assert sorted(place for place in places if place is not None) == entrants
    assert len(places) == 1 << max(count - 1, 0).bit_length()
    while len(places) > 2:
        pairs = list(zip(places[::2], places[1::2], strict=True))
        sums = {(one or size) + (other or size) for size in [len(places)] for one, other in pairs if one and other}
        assert all((one, other) != (1, 2) for one, other in pairs), "the first two meet in the final only"
        assert sums <= {len(places) + 1}, "the best of every round against the worst"
        places = [min(who for who in pair if who is not None) for pair in pairs]
    assert places[:2] in ([1, 2], [1])


def naive_champion(count: int, decided: dict[frozenset[int], int]) -> int:
    """Return who wins a bracket: a second implementation, by halves."""

    def best(seeds: list[int]) -> int:
        if len(seeds) == 1:
            return seeds[0]
        one, other = best(seeds[: len(seeds) // 2]), best(seeds[len(seeds) // 2 :])
        if max(one, other) > count:
            return min(one, other)
        return decided[frozenset((one, other))]

    def draw(size: int) -> list[int]:
        if size == 1:
            return [1]
        return [seed for one in draw(size // 2) for seed in (one, size + 1 - one)]

    return best(draw(1 << (count - 1).bit_length()))


@given(COUNTS, SEEDS, st.sampled_from([0.0, 0.3, 1.0]))
def test_a_knockout_is_won_by_whoever_won_all_matches(count: int, seed: int, ties: float) -> None:
    play = Played(plan_of("knockout"), count, random.Random(seed), ties=ties)
    lengths: Counter[str] = Counter()
    while wanted := play.next():
        assert champion(play.plan, play.entrants, list(play.pairings.values()), play.sums) is None
        lengths.update(pairing.id for pairing in wanted)
        for pairing in wanted:
            known = play.pairings.get(pairing.id)
            assert pairing.blocks == (BLOCKS if known is None else known.blocks + BLOCKS)
        play.play(wanted)
    assert all(times <= 1 + EXTENSIONS for times in lengths.values())
    assert len(play.pairings) == count - 1, "everyone but one loses once"
    assert len({pairing.round for pairing in play.pairings.values()}) == (count - 1).bit_length()
    decided = {}
    for pairing in play.pairings.values():
        first, second = play.sums[pairing.id].places
        ahead = (first.means, first.score, 1) > (second.means, second.score, 0)
        if pairing.blocks < BLOCKS * (1 + EXTENSIONS):
            assert first.means != second.means, "what is tied is made longer"
        decided[frozenset(pairing.entrants)] = pairing.entrants[0 if ahead else 1]
    won = champion(play.plan, play.entrants, list(play.pairings.values()), play.sums)
    assert won == naive_champion(count, decided)


def test_a_tied_match_is_made_longer_four_times_and_then_points_decide() -> None:
    plan, entrants = plan_of("knockout"), field_of(2)
    (pairing,) = schedule(plan, entrants, [], {})
    for times in range(1, EXTENSIONS + 1):
        (longer,) = schedule(plan, entrants, [pairing], {pairing.id: sums_of(pairing, 0.5, (1, 2))})
        assert longer == replace(pairing, blocks=BLOCKS * (times + 1))
        pairing = longer
    for scores, wins in (((1, 2), 2), ((2, 1), 1), ((1, 1), 1)):
        sums = {pairing.id: sums_of(pairing, 0.5, scores)}
        assert schedule(plan, entrants, [pairing], sums) == []
        assert champion(plan, entrants, [pairing], sums) == wins


def test_a_match_of_which_all_blocks_were_set_aside_ends_too() -> None:
    plan, entrants = plan_of("knockout"), field_of(2)
    pairings = schedule(plan, entrants, [], {})
    for _length in range(EXTENSIONS):
        pairings = schedule(plan, entrants, pairings, {pairings[0].id: sums_of(pairings[0], 0.5, blocks=0)})
    sums = {pairings[0].id: sums_of(pairings[0], 0.5, blocks=0)}
    assert schedule(plan, entrants, pairings, sums) == []
    assert champion(plan, entrants, pairings, sums) == 1


@given(COUNTS, SEEDS)
def test_whoever_is_withdrawn_loses_what_is_not_over_and_nothing_that_is(count: int, seed: int) -> None:
    rng = random.Random(seed)
    play = Played(plan_of("knockout"), count, rng, ties=0.3)
    gone: set[int] = set()
    while wanted := play.next():
        assert not any(gone & set(pairing.entrants) for pairing in wanted), "no match for who has left"
        over = {p.id: p for p in play.pairings.values() if p.id not in {w.id for w in wanted}}
        if rng.random() < 0.5:
            leaves = rng.randrange(1, count + 1)
            gone.add(leaves)
            play.entrants = withdrawn(play.entrants, leaves)
            known = {**play.pairings, **{pairing.id: pairing for pairing in wanted}}
            for pairing in wanted:  # as the store does: what was begun is cut to what is played of it
                if leaves in pairing.entrants:
                    before = play.pairings.get(pairing.id)
                    played = rng.randrange(BLOCKS) + (before.blocks if before else 0)
                    cut = replace(pairing, blocks=played)
                    known[pairing.id] = cut
                    if before is None or played > before.blocks:
                        play.sums[pairing.id] = sums_of(cut, rng.random())
            wanted = [pairing for pairing in wanted if leaves not in pairing.entrants]
            play.pairings = {name: p for name, p in known.items() if p not in wanted}
        play.play(wanted)
        for name, pairing in over.items():
            assert play.pairings[name] == pairing
    rounds = Counter(pairing.round for pairing in play.pairings.values())
    size = 1 << (count - 1).bit_length()
    assert all(matches <= size >> number for number, matches in rounds.items()), "no match beside the bracket"
    won = champion(play.plan, play.entrants, list(play.pairings.values()), play.sums)
    assert won is not None
    lost = Counter(who for p in play.pairings.values() for who in p.entrants if who != won)
    assert won in gone or all(who in gone or lost[who] for who in range(1, count + 1) if who != won)


def test_a_winner_who_leaves_later_has_won_all_the_same() -> None:
    plan, entrants = plan_of("knockout"), field_of(4)
    first = schedule(plan, entrants, [], {})
    sums = {pairing.id: sums_of(pairing, 1.0) for pairing in first}
    (final,) = schedule(plan, entrants, first, sums)
    assert final.entrants == (1, 2)
    left = withdrawn(entrants, 1)
    cut = [*first, replace(final, blocks=0)]
    sums[final.id] = sums_of(cut[-1], 0.5)
    assert schedule(plan, left, cut, sums) == [], "whoever lost to the one that left does not come back"
    assert champion(plan, left, cut, sums) == 2


@pytest.mark.parametrize("form", ["round-robin", "gauntlet", "swiss", "knockout"])
def test_where_all_have_left_nothing_follows(form: str) -> None:
    entrants = withdrawn(field_of(5), 1, 2, 3, 4, 5)
    assert schedule(plan_of(form, challengers=("p1",)), entrants, [], {}) == []
