"""Standings from drawn pairings: against known truth, plain recounts, and in any order."""

from __future__ import annotations

import copy
import json
import math
import random
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicegame.match.stats import block_interval, mean_interval
from dicegame.tournament.shares import Part, Share
from dicegame.tournament.standings import Standings, standings
from dicegame.tournament.sums import PairingSums, PlaceSums
from tests.tournament.drawn import chance, entrants, pairing_of, round_robin, used


def luckily(sums: list[PairingSums], rng: random.Random) -> None:
    """Give every pairing adjusted rates that vary a tenth as much as the plain ones."""
    for s in sums:
        s.luck = True
        for place in s.places:
            rate = place.means / s.blocks
            values = [rate + rng.gauss(0, 0.03) for _block in range(s.blocks)]
            place.adjusted, place.adjusted_squares = sum(values), sum(value * value for value in values)


def two_seats(seed: int = 1, count: int = 5, blocks: int = 6) -> list[PairingSums]:
    rng = random.Random(seed)
    ratings = {number: rng.gauss(0, 0.8) for number in range(1, count + 1)}
    sums = round_robin(count, lambda _i, _j: blocks, lambda i, j: chance(ratings, i, j), rng)
    luckily(sums, rng)
    for s in sums:
        for place in range(2):
            times = [rng.uniform(0.001, 0.01) for _decision in range(20)]
            used(s, place, faults={"timeout": rng.randrange(3)}, cpu=0.5, memory=rng.randrange(1 << 20), times=times)
            s.places[place].score = rng.randrange(10_000, 90_000)
    return sums


def three_seats(weights: dict[int, float], blocks: int, rng: random.Random, size: int = 3) -> list[PairingSums]:
    """Return all tables of so many seats; who wins is drawn by the weights."""
    found = []
    for table in combinations(sorted(weights), size):
        played = []
        for _block in range(blocks):
            games = []
            for _rotation in range(size):
                (winner,) = rng.choices(range(size), [weights[number] for number in table])
                games.append([float(place == winner) for place in range(size)])
            played.append(games)
        found.append(pairing_of("-".join(map(str, table)), table, played))
    return found


def test_rows_are_what_a_plain_recount_finds() -> None:
    sums = two_seats()
    table = standings(entrants(5), sums, 2)
    assert [row.rank for row in table.rows] == [1, 2, 3, 4, 5]
    elos = [row.elo for row in table.rows if row.elo is not None]
    assert elos == sorted(elos, reverse=True)
    assert sum(elos) == pytest.approx(0, abs=1e-9)
    for row in table.rows:
        own = [(s, s.places[s.entrants.index(row.number)]) for s in sums if row.number in s.entrants]
        assert (row.games, row.blocks) == (48, 24)
        assert row.wins == sum(place.wins for _s, place in own)
        assert row.win_rate == pytest.approx(row.wins / 48)
        assert row.mean_score == sum(place.score for _s, place in own) / 48
        assert row.faults == {"timeout": sum(place.faults["timeout"] for _s, place in own)}
        assert row.memory == max(place.usage.memory for _s, place in own)
        assert row.cpu_ms == pytest.approx(4 * 0.75 / 80 * 1000)
        assert row.decision_ms is not None
        assert 1 < row.decision_ms["median"] < row.decision_ms["p99"] < 10.2
        assert row.interval[0] < row.win_rate < row.interval[1]
        assert row.elo_interval is not None
        assert row.elo_interval[0] < row.elo < row.elo_interval[1]  # type: ignore[operator]
        assert row.adjusted is not None
        adjusted = row.adjusted.interval
        assert adjusted[1] - adjusted[0] < (row.interval[1] - row.interval[0]) / 2
    for before, after in zip(table.rows, table.rows[1:], strict=False):
        assert before.superiority == table.superiority[before.number, after.number] >= 0.5
    assert table.rows[-1].superiority is None


def test_cells_are_the_pairings() -> None:
    sums = two_seats()
    table = standings(entrants(5), sums, 2)
    assert set(table.cells) == set(permutations(range(1, 6), 2))
    for s in sums:
        i, j = s.entrants
        cell, across = table.cells[i, j], table.cells[j, i]
        assert (cell.games, cell.blocks) == (12, 6)
        assert cell.win_rate == pytest.approx(s.places[0].wins / 12)
        assert cell.win_rate + across.win_rate == pytest.approx(1)
        assert cell.interval == pytest.approx((1 - across.interval[1], 1 - across.interval[0]))
        assert cell.adjusted is not None
        assert cell.adjusted.rate == pytest.approx(s.places[0].adjusted / 6)


def close(one: Standings, two: Standings) -> None:
    assert [row.number for row in one.rows] == [row.number for row in two.rows]
    assert json.loads(json.dumps(one.as_json())) == json.loads(json.dumps(two.as_json()))


@settings(max_examples=25)
@given(st.integers(0, 9), st.randoms(use_true_random=False))
def test_order_does_not_matter_to_the_last_bit(seed: int, rng: random.Random) -> None:
    sums = two_seats(seed)
    people = entrants(5)
    plain = standings(people, sums, 2)
    rng.shuffle(sums)
    rng.shuffle(people)
    close(plain, standings(people, sums, 2))


def test_order_of_tables_does_not_matter() -> None:
    rng = random.Random(1)
    sums = three_seats({1: 1.0, 2: 2.0, 3: 3.0, 4: 1.5}, 10, rng)
    plain = standings(entrants(4), sums, 3)
    close(plain, standings(list(reversed(entrants(4))), list(reversed(sums)), 3))


def test_nothing_given_is_changed() -> None:
    sums = two_seats()
    before = copy.deepcopy(sums)
    assert json.dumps(standings(entrants(5), sums, 2).as_json(), allow_nan=False)
    assert sums == before


def test_the_same_opponents_in_several_rounds_are_one_opponent() -> None:
    rng = random.Random(4)
    rounds = [*two_seats(4), *[pairing_of("r2.1-2", (1, 2), [[[1.0, 0.0], [0.0, 1.0]]] * 5)]]
    table = standings(entrants(5), rounds, 2)
    assert table.cells[1, 2].blocks == 11
    assert next(row for row in table.rows if row.number == 1).blocks == 29
    rng.shuffle(rounds)
    close(table, standings(entrants(5), rounds, 2))


def test_entrants_without_games_stand_last() -> None:
    people = entrants(4)
    table = standings(people, [pairing_of("2-3", (2, 3), [[[0.0, 1.0], [0.0, 1.0]]])], 2)
    assert [row.number for row in table.rows] == [3, 2, 1, 4]
    for row in table.rows[2:]:
        assert (row.elo, row.elo_interval, row.games, row.interval, row.adjusted) == (None, None, 0, (0, 1), None)
        assert (row.decision_ms, row.cpu_ms, row.memory, row.superiority) == (None, None, None, None)
    assert set(table.superiority) == {(2, 3), (3, 2)}
    assert table.rows[0].elo_interval is not None
    assert table.rows[0].elo_interval[1] == math.inf
    assert table.rows[0].as_json()["elo_interval"][1] is None


def test_nothing_played_yet() -> None:
    for sums in ([], [PairingSums("1-2", (1, 2), 0, [PlaceSums([0.0, 0.0]), PlaceSums([0.0, 0.0])])]):
        table = standings(entrants(2), sums, 2)
        assert [row.number for row in table.rows] == [1, 2]
        assert (table.cells, table.superiority, table.seat_advantage) == ({}, {}, [])
        json.dumps(table.as_json(), allow_nan=False)


def test_more_seats_are_ranked_by_wins_and_not_by_places() -> None:
    """Weights of 1 to 4: the share of the wins over all tables of three."""
    weights = {1: 2.0, 2: 4.0, 3: 1.0, 4: 3.0}
    table = standings(entrants(4), three_seats(weights, 3000, random.Random(2)), 3)
    assert [row.number for row in table.rows] == [2, 4, 1, 3]
    for row in table.rows:
        assert (row.elo, row.elo_interval) == (None, None)
        assert row.games == 27_000
        tables = [t for t in combinations(weights, 3) if row.number in t]
        truth = sum(weights[row.number] / sum(weights[n] for n in t) for t in tables) / 3
        assert row.interval[0] < truth < row.interval[1]
        assert row.interval[1] - row.interval[0] < 0.02
    assert table.superiority[2, 4] > 0.9999
    assert table.superiority[4, 2] + table.superiority[2, 4] == pytest.approx(1)
    assert table.cells[2, 4].blocks == 6000
    assert sum(share.win_rate for share in table.seat_advantage) == pytest.approx(1)
    for share in table.seat_advantage:
        assert share.interval[0] < 1 / 3 < share.interval[1]


def test_every_table_has_the_same_weight() -> None:
    """A hundred blocks won here and one lost there: one half."""
    won = pairing_of("1-2", (1, 2), [[[1.0, 0.0], [1.0, 0.0]]] * 100)
    lost = pairing_of("1-3", (1, 3), [[[0.0, 1.0], [0.0, 1.0]]])
    table = standings(entrants(3), [won, lost], 2)
    row = next(row for row in table.rows if row.number == 1)
    assert row.win_rate == pytest.approx(0.5)
    assert row.wins == 200
    assert row.interval[1] - row.interval[0] > 0.8  # one block says little


def test_one_pairing_has_the_interval_of_its_blocks() -> None:
    for means in ([1.0], [0.5, 1.0], [0.0, 0.5, 1.0, 1.0, 0.5]):
        squares = [mean * mean for mean in means]
        share = Share.of([Part(frozenset({1, 2}), len(means), sum(means), sum(squares))])
        assert share.interval() == pytest.approx(block_interval(means))
        assert share.adjusted().interval == pytest.approx(mean_interval(means))


def test_one_block_against_each_has_the_interval_of_these_blocks() -> None:
    means = [1.0, 0.5, 1.0, 0.0, 1.0]
    parts = [Part(frozenset({1, 2 + i}), 1, mean, mean * mean) for i, mean in enumerate(means)]
    assert Share.of(parts).interval() == pytest.approx(block_interval(means))
    assert Share.of(parts).adjusted().interval == pytest.approx(mean_interval(means))


def test_a_strong_and_a_weak_opponent_are_no_variance() -> None:
    """Always beaten by one, always beating the other: the rate of one half is nearly certain."""
    parts = [Part(frozenset({1, 2}), 200, 200, 200), Part(frozenset({1, 3}), 200, 0, 0)]
    low, high = Share.of(parts).interval()
    assert 0.49 < low < 0.5 < high < 0.51


@pytest.mark.parametrize("favoured", [0.5, 0.8])
def test_seat_advantage_of_two_seats_is_that_of_its_blocks(favoured: float) -> None:
    """Without shared wins the interval is exactly that of the seat's own block means."""
    rng = random.Random(5)
    sums, means = [], []
    for numbers in combinations(range(1, 4), 2):
        played = []
        for _block in range(50):
            luck = rng.random()  # the same dice for whoever sits there
            first = rng.random() < 0.5 if luck < 0.3 else rng.random() < favoured
            second = not first if rng.random() < 0.5 else rng.random() >= favoured
            played.append([[float(first), float(not first)], [float(second), float(not second)]])
            means.append((first + (not second)) / 2)
        sums.append(pairing_of("-".join(map(str, numbers)), numbers, played))
    shares = standings(entrants(3), sums, 2).seat_advantage
    assert shares[0].win_rate == pytest.approx(sum(means) / 150)
    assert shares[0].interval == pytest.approx(block_interval(means))
    assert shares[1].interval == pytest.approx((1 - shares[0].interval[1], 1 - shares[0].interval[0]))


def test_withdrawn_entrants_keep_their_games() -> None:
    people = entrants(3)
    people[1] = type(people[1])(2, "gone", "house", withdrawn=True)
    table = standings(people, two_seats(3, count=3), 2)
    assert {row.number: row.withdrawn for row in table.rows} == {1: False, 2: True, 3: False}
    assert all(row.games for row in table.rows)
