"""Random games of random rule sets, each step held against a second implementation written from the words of the rules."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import combinations_with_replacement

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dicegame.errors import IllegalDecision, InvalidDecision, Refusal
from dicegame.games.base import Decision, Phase, Reason
from dicegame.games.events import Banked, Cause, Event, Penalized
from dicegame.games.notation import format_decision, format_dice, parse_decision, parse_faces
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.rules.load import as_data
from dicegame.rules.model import PushLuckRules
from tests.games.naive import Ledger
from tests.games.transcript import rules_of, snapshot
from tests.rules.naive import Naive
from tests.rules.strategies import push_luck_rules

MAX_STEPS = 50_000


class Played:
    """A random game to its end: engine, ledger and scoring side by side, compared at every step."""

    def __init__(self, rules: PushLuckRules, seats: int, seed: int, *, forfeits: bool = False) -> None:
        self.rng = random.Random(seed)
        self.engine = PushLuck(rules)
        self.naive = Naive(as_data(rules))
        self.ledger = Ledger(as_data(rules), seats)
        self.forfeits = forfeits
        self.seen: Counter[str] = Counter()
        self.state, events = self.engine.start(seats)
        assert [event.event for event in events] == ["turn"]
        self.turn_points = 0
        for _ in range(MAX_STEPS):
            if self.state.phase is Phase.OVER:
                break
            self._step()
        assert self.state.phase is Phase.OVER, "the game has no end"
        self._ended()

    def _step(self) -> None:
        if self.forfeits and self.rng.random() < 0.02:
            self._forfeit()
        elif self.state.phase is Phase.THROW:
            self._throw()
        else:
            self._decide()
        self._described()

    def _go(self, step: tuple[PushLuckState, list[Event]], before: PushLuckState) -> list[Event]:
        """Take a step: the state before stands as it was, and the events account for every change of a score."""
        assert self.state == before
        scores = list(self.state.standing.scores)
        self.state, events = step
        for event in events:
            self.seen[event.event] += 1
            if isinstance(event, Banked):
                scores[event.seat] += event.points
                assert scores[event.seat] == event.score
            elif isinstance(event, Penalized):
                scores[event.seat] -= event.points
                assert scores[event.seat] == event.score
                self.seen[f"penalty {event.cause}"] += 1
        assert tuple(scores) == self.state.standing.scores
        return events

    def _throw(self) -> None:
        (throw,) = self.engine.throws(self.state)
        assert (throw.seat, throw.turn) == (self.ledger.seat, self.ledger.turns[self.ledger.seat] - 1)
        dice = tuple(self.rng.randint(1, 6) for _ in range(throw.dice))
        before = snapshot(self.state)
        events = self._go(self.engine.thrown(self.state, [dice]), before)
        kinds = [event.event for event in events]
        whole = len(dice) == self.engine.rules.dice
        if whole and any(sorted(faces) == sorted(dice) for faces in self.engine.rules.instant_win):
            assert kinds == ["roll"]
            self.ledger.instant_win()
        elif not self._expected(dice):
            assert kinds[:2] == ["roll", "bust"]
            self.ledger.bust()
            self.turn_points = 0
        else:
            assert kinds == ["roll"]

    def _expected(self, dice: tuple[int, ...]) -> list[tuple[tuple[int, ...], int, int, bool]]:
        """Return the options as the words say: keep, points, dice of the next roll, whether one may bank."""
        rules, score = self.engine.rules, self.ledger.scores[self.ledger.seat]
        found = []
        for kept, keep in self.naive.keeps(dice).items():
            total = self.turn_points + keep.points
            if rules.reach == "exact" and score + total > rules.target:
                continue
            found.append((kept, keep.points, keep.roll, keep.may_bank and total >= self.ledger.least()))
        return sorted(found, key=lambda option: (-option[1], len(option[0]), option[0]))

    def _decide(self) -> None:
        options = self.engine.options(self.state)
        assert [(o.keep, o.points, o.roll, o.bank) for o in options] == self._expected(self.state.dice)
        decisions = self.engine.decisions(self.state)
        assert decisions == [Decision(o.keep, bank) for o in options for bank in ([True, False] if o.bank else [False])]
        option = self.rng.choice(options)
        bank = option.bank and self.rng.random() < 0.5
        kept = tuple(self.rng.sample(option.keep, len(option.keep)))
        before = snapshot(self.state)
        events = self._go(self.engine.decide(self.state, Decision(kept, bank)), before)
        self.turn_points += option.points
        if bank:
            self.ledger.bank(self.turn_points)
            assert sum(e.points for e in events if isinstance(e, Banked)) == self.turn_points
            self.turn_points = 0
        else:
            assert {e.event for e in events} <= {"keep", "hot_dice", "all_dice"}

    def _forfeit(self) -> None:
        seat = self.rng.choice([s for s, out in enumerate(self.state.out) if not out])
        before = snapshot(self.state)
        self._go(self.engine.forfeit(self.state, seat), before)
        if seat == self.ledger.seat and self.state.phase is not Phase.OVER:
            self.turn_points = 0
        self.ledger.forfeit(seat)

    def _described(self) -> None:
        described = self.engine.describe(self.state)
        assert json.loads(json.dumps(described)) == described
        assert len(json.dumps(described)) < 1200
        if self.state.phase is not Phase.OVER:
            assert described == self.ledger.described(self.turn_points, list(self.state.dice))

    def _ended(self) -> None:
        outcome = self.state.outcome
        assert outcome is not None
        assert (list(outcome.winners), str(outcome.reason)) == (self.ledger.winners, self.ledger.reason)
        assert list(outcome.scores) == self.ledger.scores
        assert not any(self.state.out[seat] for seat in outcome.winners)
        assert (self.engine.throws(self.state), self.engine.decisions(self.state)) == ([], [])
        self.seen[f"end {outcome.reason}"] += 1


SEEDS = st.integers(0, 2**32)


@settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow])
@given(rules=push_luck_rules(), seats=st.integers(1, 4), seed=SEEDS, forfeits=st.booleans())
def test_a_random_game_of_any_rule_set_goes_as_the_words_say(
    rules: PushLuckRules, seats: int, seed: int, *, forfeits: bool
) -> None:
    Played(rules, seats, seed, forfeits=forfeits)


PRESETS = {
    **dict.fromkeys(["ten-thousand", "dm-a", "farkle", "cardgames", "zilch", "greed"], "target=3000"),
    **dict.fromkeys(["core", "farkle-facebook", "dix-mille", "kcd"], "target=2000"),
    **dict.fromkeys(["thousand", "thousand-classic"], "name=short"),
}


@pytest.mark.parametrize("name", PRESETS)
def test_random_games_of_a_preset_go_as_the_words_say(name: str) -> None:
    rules = rules_of(name, PRESETS[name])
    for seed in range(6):
        Played(rules, 2 + seed % 3, seed, forfeits=seed % 2 == 1)


def test_such_games_see_every_penalty_every_event_and_every_end() -> None:
    """Else the properties above would hold of nothing."""
    seen: Counter[str] = Counter()
    house = rules_of("thousand-classic", "penalty.busts=4", "penalty.points=30", "max_turns=60", "house.dump_truck=100")
    final = rules_of(
        "ten-thousand", "target=2000", "house.overtaking=50", "max_turns=8", "instant_win=[[1, 2, 3, 4, 5, 6]]"
    )
    for seed in range(25):
        seen += Played(house, 3, seed).seen + Played(final, 3, seed, forfeits=True).seen
    assert {f"penalty {cause}" for cause in Cause} <= set(seen)
    assert {f"end {reason}" for reason in Reason} - set(seen) == {"end rounds", "end void"}
    assert {"roll", "keep", "bank", "bust", "hot_dice", "all_dice", "final_round", "penalty", "turn", "out"} <= set(
        seen
    )


@settings(max_examples=120)
@given(push_luck_rules(), SEEDS)
def test_every_listed_decision_is_accepted_and_every_other_refused(rules: PushLuckRules, seed: int) -> None:
    engine, rng = PushLuck(rules), random.Random(seed)
    state, _events = engine.start(2)
    for _ in range(12):
        if state.phase is Phase.OVER:
            return
        if state.phase is Phase.THROW:
            dice = tuple(rng.randint(1, 6) for _ in range(engine.throws(state)[0].dice))
            state, _events = engine.thrown(state, [dice])
            continue
        legal = engine.decisions(state)
        assert legal
        before = snapshot(state)
        tried = [k for n in range(min(4, len(state.dice) + 2)) for k in combinations_with_replacement(range(8), n)]
        tried += [d.keep for d in legal] + [(*d.keep, d.keep[-1]) for d in legal] + [state.dice, (*state.dice, 1)]
        for keep in tried:
            for bank in (True, False):
                decision = Decision(keep, bank)
                if Decision(tuple(sorted(keep)), bank) in legal:
                    engine.check(state, decision)
                    engine.decide(state, decision)
                else:
                    with pytest.raises(IllegalDecision) as caught:
                        engine.decide(state, decision)
                    assert caught.value.reason in set(Refusal)
                    json.dumps(caught.value.as_json())
        assert state == before
        state, _events = engine.decide(state, rng.choice(legal))


@given(keep=st.lists(st.integers(1, 6), max_size=6), bank=st.booleans())
def test_a_decision_reads_back_from_its_text(keep: list[int], *, bank: bool) -> None:
    decision = Decision(tuple(sorted(keep)), bank)
    assert parse_decision(format_decision(decision)) == decision
    assert parse_faces(format_dice(tuple(keep))) == tuple(keep)


@pytest.mark.parametrize("text", ["1 5", "15", "1,5", " 1 ; 5 ", "1.5", "1+5", "1\t5\n"])
def test_faces_may_be_written_in_many_ways(text: str) -> None:
    assert parse_faces(text) == (1, 5)


@pytest.mark.parametrize("text", ["", "1 5", "1 5 keep", "roll 1", "x bank", "1 5 Bank!", "1 ² roll"])
def test_what_is_no_decision_is_told_apart_from_what_is_not_legal(text: str) -> None:
    with pytest.raises(InvalidDecision):
        parse_decision(text)


@given(st.text())
def test_any_text_is_a_decision_or_an_invalid_one(text: str) -> None:
    for words in (text, f"{text} bank", f"{text} roll"):
        try:
            decision = parse_decision(words)
        except InvalidDecision:
            continue
        assert decision.keep == tuple(sorted(decision.keep))
        assert all(0 <= face <= 9 for face in decision.keep)
