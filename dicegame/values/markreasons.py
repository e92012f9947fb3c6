"""Why one mark is better than another in high dice: facts about the two, as data; see `reasons` for the other engine."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction

from dicegame.games.events import Dice
from dicegame.games.highdice import HighDice, HighDiceState
from dicegame.rules.model import HighRule
from dicegame.values.chances import chances
from dicegame.values.duel import duel

MEAN = Fraction(7, 2)  # of a die


class MarkWhy(Enum):
    """What a reason says, of the better mark (B) and of the other one (O), and the numbers of `MarkReason` that it tells."""

    CERTAIN = auto()  # B is certain to win the round, or not to lose it
    HOPELESS = auto()  # O is certain not to win the round, or to lose it
    ANSWERED = auto()  # O can't win the round against the best answer of the other seat
    ROLLS_THE_WORSE = auto()  # B rolls `dice` again that O keeps, each of them worse than a die is on average
    KEEPS_THE_BETTER = auto()  # B keeps `dice` that O rolls again, each of them better than a die is on average
    KEEPS_TOGETHER = auto()  # B keeps a pair or a triple of a face, `dice`, of which O rolls some again
    STANDS = auto()  # the one other `seat` stands pat on `dice`
    ROUND = auto()  # the chances of the two to win the round, or not to lose it: `share` and `other_share`


@dataclass(frozen=True, slots=True)
class MarkReason:
    """One fact, and what `why` names."""

    why: MarkWhy
    dice: Dice = ()
    share: float = 0.0
    other_share: float = 0.0
    seat: int = 0


def round_chances(engine: HighDice, state: HighDiceState) -> dict[Dice, Fraction]:
    """Return by mark the chance of the seat to mark to win the round with it, or not to lose it where a loser is sought.

    The judge's own: between two seats against the best answer to it, among more as the others' dice and marks lie.
    """
    others = [seat for seat in state.order if seat != state.seat]
    if len(others) == 1 and state.keeps[others[0]] is None:
        table, dice = duel(engine.rules.rule, engine.rules.dice), state.dice[others[0]]
        return {decision.keep: table.answered(decision.keep, dice) for decision in engine.decisions(state)}
    return dict(chances(engine, state, state.seat))


def mark_reasons(engine: HighDice, state: HighDiceState, better: Dice, other: Dice) -> list[MarkReason]:
    """Return why marking `better` is better than marking `other`; the most telling first, and the chances in the round last."""
    won = round_chances(engine, state)
    share, other_share = won[better], won[other]
    found = _decided(state, share, other_share)
    if found:
        return found + _standing(state)
    found = _kept_apart(engine.rules.rule, better, other) + _standing(state)
    return [*found, MarkReason(MarkWhy.ROUND, share=float(share), other_share=float(other_share))]


def _decided(state: HighDiceState, share: Fraction, other_share: Fraction) -> list[MarkReason]:
    """Return which of the two decides the round, as far as that does not hang on what somebody else has yet to mark."""
    others = [seat for seat in state.order if seat != state.seat]
    marked = all(state.keeps[seat] is not None for seat in others)
    found = []
    if share == 1 and (marked or len(others) == 1):
        found.append(MarkReason(MarkWhy.CERTAIN))
    if other_share == 0 and (marked or len(others) == 1):
        found.append(MarkReason(MarkWhy.HOPELESS if marked else MarkWhy.ANSWERED))
    return found


def _kept_apart(rule: HighRule, better: Dice, other: Dice) -> list[MarkReason]:
    """Return what the dice that only one of the two keeps tell."""
    ours, theirs = Counter(better), Counter(other)
    if rule is HighRule.TRIPLE_PAIR:
        together = [face for face, n in ours.items() if n > 1 and theirs[face] < n]
        return [MarkReason(MarkWhy.KEEPS_TOGETHER, (face,) * ours[face]) for face in together]
    more, fewer = tuple(sorted((theirs - ours).elements())), tuple(sorted((ours - theirs).elements()))
    if more and not fewer and all(_is_worse(rule, face) for face in more):
        return [MarkReason(MarkWhy.ROLLS_THE_WORSE, more)]
    if fewer and not more and not any(_is_worse(rule, face) for face in fewer):
        return [MarkReason(MarkWhy.KEEPS_THE_BETTER, fewer)]
    return []


def _is_worse(rule: HighRule, face: int) -> bool:
    return face > MEAN if rule is HighRule.SUM_LOW else face < MEAN


def _standing(state: HighDiceState) -> list[MarkReason]:
    others = [seat for seat in state.order if seat != state.seat]
    if len(others) != 1:
        return []
    dice = state.dice[others[0]]
    pat = state.keeps[others[0]] is not None and len(state.keeps[others[0]] or ()) == len(dice)
    return [MarkReason(MarkWhy.STANDS, dice, seat=others[0])] if pat else []
