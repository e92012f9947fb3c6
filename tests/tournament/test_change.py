"""A tournament that stands is changed: more entrants, more blocks, an entrant less; in every format, and at any time."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from dicegame.errors import InputError, PlanError, PlayerError
from dicegame.match.play import TooManyVoid
from dicegame.match.pool import SetAside
from dicegame.tournament.change import add_blocks, add_entrants, withdraw
from dicegame.tournament.deal import FIRST_LOOK, Dealer
from dicegame.tournament.formats import champion, schedule
from dicegame.tournament.plan import EntrantTable, entrants_of
from dicegame.tournament.reader import Reader
from dicegame.tournament.store import Store
from tests.tournament.playing import rows_of
from tests.tournament.workers import PLAYERS, finish, job_of, made, paired, thrown

FORMATS = ["round-robin", "gauntlet", "swiss", "knockout"]


def table(player: str, name: str | None = None) -> EntrantTable:
    return EntrantTable(player=player, name=name)


def played(store: Store) -> Counter[frozenset[int]]:
    """Return how many blocks who has played with whom."""
    found: Counter[frozenset[int]] = Counter()
    for game in store.reader.games():
        found[frozenset(game.entrants)] += game.rotation == 0
    return found


def everyone(store: Store) -> list[tuple[int, str, bool]]:
    return [(entrant.number, entrant.name, entrant.withdrawn) for entrant in store.reader.entrants()]


def check_complete(store: Store) -> None:
    progress = store.reader.progress()
    assert progress.complete
    assert progress.blocks_played + len(progress.set_aside) == progress.blocks_planned
    assert progress.games_planned == 2 * progress.blocks_planned
    assert store.reader.seeds() is not None


# More entrants


@pytest.mark.parametrize("when", ["before", "after", "killed"])
def test_more_entrants_of_a_round_robin_meet_everybody(tmp_path: Path, when: str) -> None:
    path = tmp_path / "t.db"
    with made(path, PLAYERS[:3], blocks=2) as store:
        if when != "before":
            finish(store)
        if when == "killed":  # between the entrants and their pairings
            store.add_entrants(entrants_of([table("cautious"), table("x=hold:at=300")], None, store.reader.entrants()))
        else:
            added = add_entrants(store, [table("cautious"), table("hold:at=300", "x")])
            assert [(entrant.number, entrant.name) for entrant in added] == [(4, "cautious"), (5, "x")]
            assert not store.reader.progress().complete
    with Store.open(path) as store:
        finish(store)
        assert everyone(store)[3:] == [(4, "cautious", False), (5, "x", False)]
        assert played(store) == {frozenset(pair): 2 for pair in combinations(range(1, 6), 2)}
        check_complete(store)


def test_what_was_played_before_is_what_it_would_have_been(tmp_path: Path) -> None:
    with made(tmp_path / "more.db", PLAYERS[:2], blocks=2, seed="x") as store:
        finish(store)
        add_entrants(store, [table(PLAYERS[2])])
        add_blocks(store, 1)
        finish(store)
    with made(tmp_path / "whole.db", PLAYERS[:3], blocks=3, seed="x") as store:
        finish(store)
    # Another seed is made once the first one is open: what was played by the first one is the same.
    more, whole = (set(rows_of(tmp_path / name, "results")) for name in ("more.db", "whole.db"))
    assert len(more) == len(whole) == 3 * 3 * 4
    assert len({row for row in more & whole if row[0] == 1 and row[1] < 2}) == 2 * 4


def test_more_entrants_of_a_gauntlet_meet_the_challengers(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:4], blocks=2, format="gauntlet", challengers=["greedy"]) as store:
        finish(store)
        add_entrants(store, [table("house", "late")])
        finish(store)
        assert played(store) == {frozenset((2, other)): 2 for other in (1, 3, 4, 5)}
        check_complete(store)


def test_whoever_comes_into_a_swiss_tournament_joins_the_next_round(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:4], blocks=2, format="swiss", rounds=3) as store:
        first = paired(store)
        store.add([thrown(store, pairing, range(2)) for pairing in first], 0, 1.0)
        add_entrants(store, [table("house", "late")])
        finish(store)
        pairings = store.reader.pairings()
        assert {pairing.round for pairing in pairings} == {1, 2, 3}
        for number in (2, 3):
            assert sorted(who for p in pairings if p.round == number for who in p.entrants) == [1, 2, 3, 4, 5]
        check_complete(store)


def test_nobody_comes_into_a_bracket_that_is_drawn(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:3], blocks=2, format="knockout") as store:
        add_entrants(store, [table("cautious")])
        finish(store)
        check_complete(store)
        assert len(store.reader.entrants()) == 4
        with pytest.raises(InputError, match="bracket is drawn"):
            add_entrants(store, [table("house", "late")])
        assert len(store.reader.entrants()) == 4


def test_whoever_comes_plays_as_many_blocks_as_the_others(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:2], blocks=2) as store:
        add_blocks(store, 3)
        add_entrants(store, [table("random")])
        finish(store)
        assert set(played(store).values()) == {5}
        assert len(played(store)) == 3


def test_where_a_precision_is_wanted_newcomers_begin_as_the_others_did(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:2], blocks=1000, precision=0.4) as store:
        dealer = Dealer(store, 1)
        assert [pairing.blocks for pairing in dealer.pairings.values()] == [FIRST_LOOK]
        add_entrants(store, [table("random")])
        assert [pairing.blocks for pairing in store.reader.pairings()] == [FIRST_LOOK] * 3


@pytest.mark.parametrize("form", FORMATS)
def test_names_that_clash_and_players_that_are_none_change_nothing(tmp_path: Path, form: str) -> None:
    with made(tmp_path / "t.db", PLAYERS[:3], blocks=1, format=form) as store:
        before = everyone(store)
        for tables in (
            [table("cautious", "house")],
            [table("greedy=cautious")],
            [table("cautious", "x"), table("cautious", "x")],
            [table("x=cautious"), table("human")],
            [table("nobody-of-this-name")],
        ):
            with pytest.raises(PlayerError):
                add_entrants(store, tables)
            assert everyone(store) == before
        (added,) = add_entrants(store, [table("house")])
        assert added.name == "house 2"


def test_too_many_are_refused(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:2], blocks=1) as store, pytest.raises(PlanError, match="too many pairings"):
        add_entrants(store, [table("house")] * 900)


# More blocks


@pytest.mark.parametrize("form", ["round-robin", "gauntlet"])
def test_more_blocks_are_played_by_all_but_who_has_left(tmp_path: Path, form: str) -> None:
    path = tmp_path / "t.db"
    with made(path, PLAYERS[:4], blocks=2, format=form) as store:
        finish(store)
        withdraw(store, "random")
        add_blocks(store, 3)
        assert not store.reader.progress().complete
        finish(store)
        counts = played(store)
        assert {count for pair, count in counts.items() if 3 not in pair} == {5}
        assert {count for pair, count in counts.items() if 3 in pair} == {2}
        check_complete(store)
        assert [game.block for game in store.reader.games("1-2")] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_more_blocks_before_anything_was_played(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:3], blocks=2) as store:
        add_blocks(store, 1)
        assert store.reader.progress().blocks_planned == 9
        finish(store)
        assert set(played(store).values()) == {3}


@pytest.mark.parametrize(("form", "asked"), [("swiss", {}), ("knockout", {}), ("round-robin", {"precision": 0.1})])
def test_more_blocks_are_refused_where_they_would_change_what_is_over(
    tmp_path: Path, form: str, asked: dict[str, Any]
) -> None:
    with made(tmp_path / "t.db", PLAYERS[:3], blocks=2, format=form, **asked) as store:
        with pytest.raises(InputError):
            add_blocks(store, 1)
        assert store.reader.pairings() == []


def test_a_part_is_not_added_to(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:3], blocks=2, shard=(1, 2)) as store:
        for change in (lambda: add_blocks(store, 1), lambda: add_entrants(store, [table("cautious")])):
            with pytest.raises(InputError, match="in parts"):
                change()
        assert len(store.reader.entrants()) == 3


# An entrant less


@pytest.mark.parametrize("form", FORMATS)
def test_who_is_withdrawn_plays_nothing_more_and_what_it_played_stays(tmp_path: Path, form: str) -> None:
    with made(tmp_path / "t.db", PLAYERS[:5], blocks=3, format=form) as store:
        first = paired(store)
        has = [pairing for pairing in first if 2 in pairing.entrants]
        store.add([thrown(store, pairing, [0, 2]) for pairing in has], 0, 1.0)  # block 1 was on its way
        withdraw(store, "greedy")
        before = played(store)
        run = finish(store)
        after = played(store)
        assert {pair: count for pair, count in after.items() if 2 in pair} == before
        others = [count for pair, count in after.items() if 2 not in pair]
        assert others
        assert all(count % 3 == 0 for count in others)
        assert everyone(store)[1] == (2, "greedy", True)
        check_complete(store)
        assert run.progress.blocks_planned == run.progress.blocks_played
        assert run.progress.games_planned == run.progress.games_played


def test_who_is_withdrawn_loses_a_knockout(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:4], blocks=3, format="knockout") as store:
        for pairing in paired(store):
            store.add([thrown(store, pairing, range(3))], 0, 1.0)
        reader = store.reader
        sums = {sums.pairing: sums for sums in reader.sums()}
        (final,) = schedule(reader.plan, reader.entrants(), reader.pairings(), sums)
        store.pair([final])
        leaves, stays = final.entrants
        withdraw(store, reader.entrants()[leaves - 1].name)
        finish(store)
        sums = {sums.pairing: sums for sums in reader.sums()}
        assert champion(reader.plan, reader.entrants(), reader.pairings(), sums) == stays
        assert len(reader.pairings()) == 3
        check_complete(store)


def test_a_last_block_that_was_set_aside_counts_as_over(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:2], blocks=3) as store:
        (pairing,) = paired(store)
        aside = SetAside(job_of(store, pairing, [2]), TooManyVoid("busy"), 3)
        store.add([thrown(store, pairing, [0, 1]), aside], 0, 1.0)
        withdraw(store, "house")
        assert store.reader.pairings()[0].blocks == 3
        finish(store)
        check_complete(store)


def test_a_pairing_with_a_precision_is_not_made_longer_for_who_has_left(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:2], blocks=1000, precision=0.001) as store:
        dealer = Dealer(store, 1)
        (pairing,) = dealer.pairings.values()
        store.begin("none", "here")
        store.add([thrown(store, pairing, range(FIRST_LOOK))], 0, 1.0)
        withdraw(store, "house")
        again = Dealer(store, 1)
        assert again.complete
        assert again.deal() is None
        assert again.planned_blocks == FIRST_LOOK


def test_nobody_of_that_name_is_told_with_all_there_are(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:2]) as store:
        with pytest.raises(InputError) as caught:
            withdraw(store, "Eve")
        assert "house" in caught.value.message
        assert "greedy" in caught.value.message
        withdraw(store, "house")
        withdraw(store, "house")  # once more does no harm
        withdraw(store, "greedy")
        run = finish(store)
        assert (run.ending, run.progress.games_played) == ("complete", 0)


def test_a_withdrawn_bot_need_not_be_there_any_more(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "bot.toml").write_text('name = "mine"\ncommand = ["true"]\n', encoding="utf-8")
    path = tmp_path / "t.db"
    with made(path, (*PLAYERS[:2], str(bot)), blocks=1) as store:
        pairings = paired(store)
        store.add([thrown(store, pairing, [0]) for pairing in pairings], 0, 1.0)
        (bot / "bot.toml").unlink()
        bot.rmdir()
        withdraw(store, "mine")
    with Store.open(path) as store:
        assert finish(store).ending == "complete"


# What is dealt


def test_a_job_that_came_back_short_leaves_the_rest_for_another_time(tmp_path: Path) -> None:
    with made(tmp_path / "t.db", PLAYERS[:4], blocks=6, format="swiss") as store:
        dealer = Dealer(store, 1)
        store.begin("none", "here")
        jobs = []
        while (job := dealer.deal()) is not None:
            jobs.append(job)
        for job in jobs:
            pairing = dealer.pairings[job.spec.pairing]
            whole = thrown(store, pairing, [block.number for block in job.blocks])
            if job is jobs[-1]:
                del whole.result.games[-2:]
            store.add([whole], dealer.epoch, 1.0)
            dealer.done([whole])
        assert not dealer.complete, "as when the workers were stopped"
        assert {pairing.round for pairing in dealer.pairings.values()} == {1}
        assert dealer.deal() is None


@pytest.mark.parametrize("form", FORMATS)
def test_all_that_is_planned_is_dealt_once(tmp_path: Path, form: str) -> None:
    with made(tmp_path / "t.db", PLAYERS, blocks=5, format=form) as store:
        run = finish(store)
        games = [game.id for game in store.reader.games()]
        assert len(set(games)) == len(games) == run.progress.games_planned
        check_complete(store)
    with Reader(tmp_path / "t.db") as reader:
        wanted = [pairing.blocks for pairing in reader.pairings() if pairing.blocks]
        assert [sums.blocks for sums in reader.sums()] == wanted
