"""Why one decision is better than another in push your luck: facts about the two, as data.

Each holds in the position that is asked about, whoever plays on from it and however; which of two decisions is better is the judge's
business, and is given. Chances that a reason tells are the judge's. See `markreasons` for high dice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from dicegame.games.base import Decision, Phase
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.rules.model import End, Reach
from dicegame.rules.table import Back, Keep, rolls
from dicegame.values.judging import Judge, Valued
from dicegame.values.risk import bust_after

SMALL_RISK = 0.25  # of a bust, up to which it is called small
LITTLE = 0.05  # of all games, up to which it is called little
LEAST = 1e-6  # of all games, from which on it is anything
NEAR = 10  # the part of the target within which a seat is called near it


class Why(Enum):
    """What a reason says, of the better decision (B) and of the other one (O), and the numbers of `Reason` that it tells."""

    WINS = auto()  # B ends the game with a win
    STARTS_LAST_ROUND = auto()  # B banks, and starts the final round `points` ahead of the best other score
    SAFE = auto()  # B banks `points`, O rolls `dice` dice, which bust with `odds`
    PENALTY = auto()  # O rolls, and a bust now would cost `points` of the score
    BEHIND = auto()  # in its last turn O banks, and stays `points` behind the best other score
    LEVEL = auto()  # in the last turn of all O banks, and only draws level: the win is shared
    LAST_WORD_GIVEN = auto()  # O banks, and starts the final round `points` ahead: its seat has no turn after that
    LAST_WORD_KEPT = auto()  # B banks less than the target, O reaches it and starts the final round
    SMALL_RISK = auto()  # B rolls `dice` dice, which bust with small `odds`
    ALL_BACK = auto()  # after B's keep all `dice` dice come back, and bust with small `odds`
    LITTLE_TO_LOSE = auto()  # banking `points` with O wins only `share` more of the games than a bust of B's roll
    UNLESS_BUST = auto()  # B's roll busts with `odds`; where it does not, the chance is `share` on average
    NEAR_TARGET = auto()  # O banks and B does not, and `seat` misses only `points` to the target
    CANT_BANK = auto()  # nothing that can be kept is enough to bank: the most misses `points`
    MORE_DICE = auto()  # B leaves `dice` dice to roll, O `others` and fewer: they bust with `odds` and `other_odds`
    LESS_RISK = auto()  # B's roll busts with `odds`, O's with the larger `other_odds`, not with fewer dice
    MORE_POINTS = auto()  # B keeps `points` points more
    POINTS_FIRST = auto()  # B keeps `points` more, though its roll busts with `odds`, O's with the smaller `other_odds`
    MUST_HIT = auto()  # the target must be hit exactly and B leaves `points` to it; nothing else tells the two apart


@dataclass(frozen=True, slots=True)
class Reason:
    """One fact, and the numbers that `why` names."""

    why: Why
    points: int = 0
    dice: int = 0
    others: int = 0
    odds: float = 0.0
    other_odds: float = 0.0
    share: float = 0.0
    seat: int = 0


def reasons(judge: Judge, engine: PushLuck, state: PushLuckState, better: Valued, other: Valued) -> list[Reason]:
    """Return why `better` is better than `other` in a state that awaits a decision; the most telling first, perhaps none."""
    return _Comparison(judge, engine, state, better, other).reasons()


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two decisions: what it keeps, what that makes in the turn, the bust of a roll after it, and where it leads."""

    value: float
    keep: Keep
    bank: bool
    total: int
    score: int
    bust: float
    after: PushLuckState


class _Comparison:
    """Two decisions side by side."""

    def __init__(self, judge: Judge, engine: PushLuck, state: PushLuckState, better: Valued, other: Valued) -> None:
        self._judge = judge
        self._engine = engine
        self._state = state
        self._seat = state.seat
        self._better = self._side(better)
        self._other = self._side(other)

    def reasons(self) -> list[Reason]:
        """Return what holds, the most telling first."""
        better, other = self._better, self._other
        if better.bank:
            found = self._banked_rather_than_banked() if other.bank else self._banked_rather_than_rolled()
        else:
            found = self._rolled_rather_than_banked() if other.bank else self._rolled_rather_than_rolled()
        if not found and self._engine.rules.reach is Reach.EXACT and better.score != other.score:
            return [Reason(Why.MUST_HIT, points=self._engine.rules.target - better.score)]
        return found

    def _side(self, valued: Valued) -> _Side:
        decision: Decision = valued.decision
        keep = next(keep for keep in self._engine.keeps(self._state) if keep.keep == decision.keep)
        after, _events = self._engine.decide(self._state, decision)
        total = self._state.turn_points + keep.points
        score = self._state.standing.scores[self._seat] + total
        return _Side(
            valued.value, keep, decision.bank, total, score, bust_after(self._engine, self._state, keep), after
        )

    def _banked_rather_than_rolled(self) -> list[Reason]:
        better, other = self._better, self._other
        if self._wins(better):
            return [Reason(Why.WINS)]
        found = []
        if self._starts_last_round(better):
            found.append(Reason(Why.STARTS_LAST_ROUND, points=self._lead(better)))
        if other.bust:
            found.append(Reason(Why.SAFE, points=better.total, dice=other.keep.roll, odds=other.bust))
        cost = self._penalty() if other.bust else 0
        if cost:
            found.append(Reason(Why.PENALTY, points=cost))
        return found

    def _banked_rather_than_banked(self) -> list[Reason]:
        better, other = self._better, self._other
        if self._wins(better):
            return [Reason(Why.WINS)]
        if self._starts_last_round(other) and not self._starts_last_round(better):
            return [Reason(Why.LAST_WORD_KEPT)]
        return [Reason(Why.MORE_POINTS, points=better.total - other.total)] if better.total > other.total else []

    def _rolled_rather_than_banked(self) -> list[Reason]:
        found = self._late() or self._small_risk(self._better) or self._stakes()
        near = self._near_target()
        return [*found, near] if near is not None else found

    def _late(self) -> list[Reason]:
        """Return what speaks against banking with the other decision at the end of the game."""
        other, standing = self._other, self._state.standing
        best = standing.best_other(self._seat)
        if best is None:
            return []
        if standing.final is not None:
            if other.score < best:
                return [Reason(Why.BEHIND, points=best - other.score)]
            outcome = other.after.outcome
            level = outcome is not None and len(outcome.winners) > 1 and self._seat in outcome.winners
            return [Reason(Why.LEVEL)] if level else []
        if self._starts_last_round(other):
            return [Reason(Why.LAST_WORD_GIVEN, points=self._lead(other))]
        return []

    def _small_risk(self, side: _Side) -> list[Reason]:
        if side.bust > SMALL_RISK:
            return []
        why = Why.SMALL_RISK if side.keep.back is Back.NO else Why.ALL_BACK
        return [Reason(why, dice=side.keep.roll, odds=side.bust)]

    def _stakes(self) -> list[Reason]:
        """Return what the roll puts at stake and what it may bring, as the judge sees it."""
        better, other = self._better, self._other
        if not 0 < better.bust < 1:
            return []
        gained = self._unless_bust(better)
        lost = (better.value - (1 - better.bust) * gained) / better.bust
        found = []
        if 2 * self._judge.rounding / better.bust + LEAST < other.value - lost <= LITTLE:
            found.append(Reason(Why.LITTLE_TO_LOSE, points=other.total, share=other.value - lost))
        return [*found, Reason(Why.UNLESS_BUST, odds=better.bust, share=gained)]

    def _unless_bust(self, side: _Side) -> float:
        """Return the chance to win after a roll that is no bust, on average."""
        total, weight = 0.0, 0
        for dice, ways in rolls(side.keep.roll):
            fell, _events = self._engine.thrown(side.after, [dice])
            if fell.phase is Phase.DECIDE or self._won(fell):
                total += ways * self._judge.chance(fell, self._seat)
                weight += ways
        return total / weight

    def _near_target(self) -> Reason | None:
        standing, target = self._state.standing, self._engine.rules.target
        if standing.final is not None or self._other.score >= target:
            return None
        others = [s for s, out in enumerate(standing.out) if not out and s != self._seat]
        near = max(others, key=standing.scores.__getitem__)
        missing = target - standing.scores[near]
        return Reason(Why.NEAR_TARGET, points=missing, seat=near) if missing * NEAR <= target else None

    def _rolled_rather_than_rolled(self) -> list[Reason]:
        better, other = self._better, self._other
        more = better.total - other.total
        risks = Reason(Why.LESS_RISK, odds=better.bust, other_odds=other.bust)
        found: list[Reason] = []
        if better.bust < other.bust:
            if better.keep.back is not Back.NO and better.bust <= SMALL_RISK:
                found.append(Reason(Why.ALL_BACK, dice=better.keep.roll, odds=better.bust))
            elif better.keep.roll > other.keep.roll:
                dice = {"dice": better.keep.roll, "others": other.keep.roll}
                found.append(replace(risks, why=Why.MORE_DICE, **dice))
            else:
                found.append(risks)
        if more > 0:
            gain = Reason(Why.MORE_POINTS, points=more)
            found.append(gain if better.bust <= other.bust else replace(risks, why=Why.POINTS_FIRST, points=more))
        short = self._state.required - max(keep.points for keep in self._engine.keeps(self._state))
        short -= self._state.turn_points
        return [*found, Reason(Why.CANT_BANK, points=short)] if short > 0 else found

    def _wins(self, side: _Side) -> bool:
        return self._won(side.after)

    def _won(self, state: PushLuckState) -> bool:
        return state.outcome is not None and state.outcome.winners == (self._seat,)

    def _starts_last_round(self, side: _Side) -> bool:
        """Say whether a bank starts a final round in which somebody else has a turn."""
        before, after = self._state.standing, side.after.standing
        final = self._engine.rules.end is End.FINAL_ROUND and before.final is None
        return side.bank and final and after.final == self._seat and side.after.outcome is None

    def _lead(self, side: _Side) -> int:
        return side.score - (self._state.standing.best_other(self._seat) or 0)

    def _penalty(self) -> int:
        """Return what a bust now costs of the score, by the rule of several busts in a row."""
        rules, standing = self._engine.rules, self._state.standing
        if not rules.penalty.busts or standing.busts[self._seat] + 1 < rules.penalty.busts:
            return 0
        score = standing.scores[self._seat]
        return score - max(score - rules.penalty.points, min(score, rules.floor))
