"""What a position of a match of high dice is worth, what each mark is worth, and what was luck.

Between two seats all is exact under best play: every mark is met by the best reply to it, and a match is worked out from its end, for
the two take turns in marking first. Among more seats best play is not known, and a plain reading of the position stands for it, made
so that the dice change it by 0 on average: whoever has not marked stands pat, and the rounds to come fall to every seat alike. A seat's
value is its share of the win: winners share one win equally.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, cached_property, lru_cache
from math import comb

from dicegame.games.base import Phase
from dicegame.games.highdice import HighDice, HighDiceState
from dicegame.values.chances import chance, chances
from dicegame.values.duel import duel
from dicegame.values.judging import Valued

MOST_SCORES = 10_000  # that a match is worked out through; a longer one is judged as a shorter one

_Shares = tuple[Fraction, ...]  # of the win, by seat


class HighDiceJudge:
    """The judge of matches of `seats` by the rule set of `engine`.

    `approximate` says whether its values are not those of best play. They are not with three or more seats that mark: who has not
    marked yet is taken to stand pat, later rounds to fall to every seat alike, and where a seat chooses its mark, what it does not
    take of the round is taken to fall to the others alike. Once only two are left of them, all is exact again. Nor are they where a
    match is so long that it has more than `MOST_SCORES` scores (three seats to more than 26, eight to more than 6): there a win counts
    as a part of one in a shorter match. Luck is 0 on average in every case.
    """

    def __init__(self, engine: HighDice, seats: int) -> None:
        rules = engine.rules
        self._engine = engine
        self.rounding = 0.0
        self.checksum: str | None = None
        self.approximate = (seats > 2 and rules.reroll) or rules.wins_needed(seats) > _longest(seats)

    def chance(self, state: HighDiceState, seat: int) -> float:
        """Return the share of the win that `seat` has to expect, in whatever phase the match is."""
        return float(self._shares(state)[seat])

    def decisions(self, state: HighDiceState) -> list[Valued]:
        """Return every legal mark of the seat to mark, the best first; of equal ones fewer rerolled dice, then the first by faces.

        A value is the share of the win that this seat has to expect after that mark. Marks already made count as they are. Empty where
        nobody is to mark.
        """
        decisions = self._engine.decisions(state)
        if not decisions:
            return []
        seat, seated = state.seat, state.order
        counted = {other: self._after_round(state, other)[seat] for other in seated}
        own = counted.pop(seat)
        others = sum(counted.values(), Fraction(0)) / len(counted)
        good, bad = (others, own) if self._counts_losses(state) else (own, others)
        rounds = self._rounds(state)
        valued = [
            (won, Valued(decision, float(bad + (good - bad) * won)))
            for decision, won in zip(decisions, rounds, strict=True)
        ]
        return [value for _won, value in sorted(valued, key=lambda pair: -pair[0])]

    def luck(self, before: HighDiceState, after: HighDiceState) -> tuple[float, ...]:
        """Return by seat what the dice of one throw brought: 0 on average over all ways in which they can fall, whatever the marks.

        Args:
            before: a state that awaited a throw.
            after: what the engine's `thrown` made of it.
        """
        if before.phase is not Phase.THROW:
            raise AssertionError("no dice were awaited")
        counted = after.outcome is None and after.round > before.round
        came = self._standing(after, self._scores(after), after.round) if counted else self._shares(after)
        return tuple(float(now - then) for now, then in zip(came, self._shares(before), strict=True))

    @cached_property
    def _first(self) -> Fraction:
        """The chance of the seat that marks first to win a round of two, before its dice have fallen."""
        rules = self._engine.rules
        return duel(rules.rule, rules.dice).thrown if rules.reroll else Fraction(1, 2)

    def _shares(self, state: HighDiceState) -> _Shares:
        if state.outcome is not None:
            winners = state.outcome.winners
            return tuple(Fraction(seat in winners, max(len(winners), 1)) for seat in range(len(state.out)))
        shares = [Fraction(0)] * len(state.out)
        for found, part in self._counts_for(state).items():
            for seat, share in enumerate(self._after_round(state, found)):
                shares[seat] += part * share
        return tuple(shares)

    def _counts_for(self, state: HighDiceState) -> dict[int, Fraction]:
        """Return the chance of each seat that this round is counted for it: as a win, or as a loss where losses are counted."""
        seats = state.order
        if state.replaying:
            return {seat: Fraction(1, len(state.replaying)) for seat in state.replaying}
        if len(seats) == 2:
            won = self._first_wins(state)
            parts = (1 - won, won) if self._counts_losses(state) else (won, 1 - won)
            return dict(zip(seats, parts, strict=True))
        if not any(state.dice):
            return dict.fromkeys(seats, Fraction(1, len(seats)))
        held = {seat: state.dice[seat] if (keep := state.keeps[seat]) is None else keep for seat in seats}
        wins = {seat: chance(self._engine, state, seat, keep) for seat, keep in held.items()}
        return {seat: 1 - won for seat, won in wins.items()} if self._counts_losses(state) else wins

    def _first_wins(self, state: HighDiceState) -> Fraction:
        """Return the chance that, of two, the seat that marks first wins the round."""
        rules, (first, second) = self._engine.rules, state.order
        if not any(state.dice):
            return self._first
        table = duel(rules.rule, rules.dice)
        keep, other = state.keeps[first], state.keeps[second]
        if keep is None:
            dice = state.dice[first]
            return table.lying(dice, state.dice[second]) if other is None else 1 - table.answered(other, dice)
        return table.answered(keep, state.dice[second]) if other is None else table.marked(keep, other)

    def _rounds(self, state: HighDiceState) -> list[Fraction]:
        """Return for every mark, in the engine's order, the chance to win the round with it, or not to lose it."""
        rules, seat = self._engine.rules, state.seat
        others = [other for other in state.order if other != seat]
        if len(others) == 1 and state.keeps[others[0]] is None:
            table, dice = duel(rules.rule, rules.dice), state.dice[others[0]]
            return [table.answered(decision.keep, dice) for decision in self._engine.decisions(state)]
        return [won for _keep, won in chances(self._engine, state, seat)]

    def _after_round(self, state: HighDiceState, found: int) -> _Shares:
        """Return the shares once this round is counted for `found`."""
        scores = self._scores(state)
        return self._standing(state, (*scores[:found], scores[found] + 1, *scores[found + 1 :]), state.round + 1)

    def _standing(self, state: HighDiceState, scores: tuple[int, ...], round_: int) -> _Shares:
        """Return the shares before `round_` at these scores: wins, or losses where they are counted."""
        seats = len(scores)
        part = -(-state.to // _longest(seats - sum(state.out)))
        needs = tuple(-(-(state.to - score) // part) for score in scores)
        losses = self._counts_losses(state)
        if seats - sum(state.out) > 2:
            return _of_many(state.out, needs, losses)
        return _of_two(state.out, needs, losses, (round_ - 1) % seats, self._first)

    def _scores(self, state: HighDiceState) -> tuple[int, ...]:
        return state.losses if self._counts_losses(state) else state.wins

    def _counts_losses(self, state: HighDiceState) -> bool:
        return self._engine.rules.counts_losses and len(state.out) > 2


@cache
def _longest(seats: int) -> int:
    """Return how many wins a match may be played to that is worked out score by score."""
    to = 1
    while (to + 1) * comb(to + seats - 1, seats - 1) <= MOST_SCORES:
        to += 1
    return to


@lru_cache(maxsize=4096)
def _of_two(out: tuple[bool, ...], needs: tuple[int, ...], losses: bool, turn: int, first: Fraction) -> _Shares:
    """Return the shares of the two seats that are not out; `turn` tells who begins, and `first` what that is worth."""
    one, other = (seat for seat, gone in enumerate(out) if not gone)
    seats = len(out)
    leads = tuple(
        next(s for step in range(seats) if not out[s := (turn + step) % seats]) == one for turn in range(seats)
    )
    mine, theirs = (needs[other], needs[one]) if losses else (needs[one], needs[other])
    share = _match(first, leads, turn, mine, theirs)
    return tuple({one: share, other: 1 - share}.get(seat, Fraction(0)) for seat in range(seats))


@cache
def _match(first: Fraction, leads: tuple[bool, ...], turn: int, mine: int, theirs: int) -> Fraction:
    """Return the chance to win `mine` rounds before the other wins `theirs`; `leads` tells in which rounds one marks first."""
    if not mine or not theirs:
        return Fraction(not mine)
    wins = first if leads[turn] else 1 - first
    then = (turn + 1) % len(leads)
    return wins * _match(first, leads, then, mine - 1, theirs) + (1 - wins) * _match(
        first, leads, then, mine, theirs - 1
    )


@lru_cache(maxsize=4096)
def _of_many(out: tuple[bool, ...], needs: tuple[int, ...], losses: bool) -> _Shares:
    """Return the shares of the seats that are not out where every round falls to each of them alike."""
    left = [seat for seat, gone in enumerate(out) if not gone]
    shares = [Fraction(0)] * len(out)
    for seat in left:
        there = _race(needs[seat], tuple(sorted(needs[other] for other in left if other != seat)))
        shares[seat] = (1 - there) / (len(left) - 1) if losses else there
    return tuple(shares)


@cache
def _race(mine: int, others: tuple[int, ...]) -> Fraction:
    """Return the chance of a seat that needs `mine` rounds to be there first; `others` is what the others need, ascending."""
    if not mine or not others[0]:
        return Fraction(not mine)
    found = _race(mine - 1, others)
    for place, need in enumerate(others):
        found += _race(mine, tuple(sorted((*others[:place], need - 1, *others[place + 1 :]))))
    return found / (len(others) + 1)
