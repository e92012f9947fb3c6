"""High dice: everyone throws, marks what to throw again, and the best or the worst of the table is found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from dicegame.errors import InputError
from dicegame.games import refusals
from dicegame.games.base import Decision, Outcome, Phase, Reason, Throw, check_seats
from dicegame.games.described import Fields, wrong
from dicegame.games.events import Dice, Event, Marked, Replayed, Revealed, Rolled, RoundEnds, WentOut
from dicegame.games.standing import changed
from dicegame.rules.model import HighDiceRules, HighRule
from dicegame.text import _, ltr, number

_PAIR, _TRIPLE = 20, 40  # above every sum of three dice, and above every pair
_FIELDS = ("round", "rule", "find", "wins", "losses", "out", "to", "dice", "keeps", "order")


@dataclass(slots=True)
class HighDiceState:
    """A match in the middle of its `round` (from 1): what stands between rounds, and the dice and marks of this one, by seat.

    `dice` are as they lie, empty before the first throw and for a seat that is out. `keeps` are the faces that a seat holds on to,
    ascending; None until it has marked. `replaying` are the seats that are level and roll again, after `replays` such throws.
    """

    round: int
    wins: tuple[int, ...]
    losses: tuple[int, ...]
    out: tuple[bool, ...]
    to: int
    dice: tuple[Dice, ...]
    keeps: tuple[Dice | None, ...]
    replaying: tuple[int, ...] = ()
    replays: int = 0
    outcome: Outcome | None = None

    @property
    def order(self) -> tuple[int, ...]:
        """The seats still in the match as they mark in turn: who begins moves on by one each round."""
        seats = len(self.out)
        around = ((self.round - 1 + step) % seats for step in range(seats))
        return tuple(seat for seat in around if not self.out[seat])

    @property
    def seat(self) -> int:
        """The seat that is to mark; where none is, the one that marks first in this round."""
        order = self.order
        return next((seat for seat in order if self.keeps[seat] is None), order[0] if order else 0)

    @property
    def phase(self) -> Phase:
        """Whether dice are to be thrown, `seat` is to mark, or the match is over."""
        if self.outcome is not None:
            return Phase.OVER
        if self.replaying or not any(self.dice):
            return Phase.THROW
        return Phase.DECIDE if any(self.keeps[seat] is None for seat in self.order) else Phase.THROW

    @property
    def revealing(self) -> bool:
        """Whether the throw that is awaited is the reveal: all have marked, and marks may still be changed."""
        return self.phase is Phase.THROW and any(self.dice) and not self.replaying


class HighDice:
    """The engine; one serves any number of matches of its rule set."""

    def __init__(self, rules: HighDiceRules) -> None:
        self.rules = rules

    def start(self, seats: int) -> tuple[HighDiceState, list[Event]]:
        """Return the first state of a match of `seats`, and what happened.

        Raises:
            InputError: the rule set is not for so many seats, or two of them would play for too long.
        """
        check_seats(self.rules, seats)
        to, none = self.rules.wins_needed(seats), (0,) * seats
        return HighDiceState(1, none, none, (False,) * seats, to, ((),) * seats, (None,) * seats), []

    def throws(self, state: HighDiceState) -> list[Throw]:
        """Return the throws that the state waits for, in seat order: first throws, rerolled dice, or a replay's.

        No throw at all where it waits for a mark or the match is over, and where a reveal finds everyone standing pat.
        """
        if state.phase is not Phase.THROW:
            return []
        turn, all_dice = state.round - 1, self.rules.dice
        if state.replaying:
            return [Throw(seat, turn, 2 + state.replays, all_dice) for seat in state.replaying]
        if not any(state.dice):
            return [Throw(seat, turn, 0, all_dice) for seat in sorted(state.order)]
        marked = ((seat, keep) for seat, keep in enumerate(state.keeps) if keep is not None)
        return [Throw(seat, turn, 1, all_dice - len(keep)) for seat, keep in marked if len(keep) < all_dice]

    def thrown(self, state: HighDiceState, dice: list[Dice]) -> tuple[HighDiceState, list[Event]]:
        """Go on with the dice of those throws: to the marks, to a replay, to the next round, or to the end."""
        if state.phase is not Phase.THROW:
            raise AssertionError("no dice are awaited")
        fell = dict(zip((throw.seat for throw in self.throws(state)), dice, strict=True))
        events: list[Event] = []
        if state.revealing:
            lie = list(state.dice)
            for seat, rerolled in fell.items():
                lie[seat] = placed(lie[seat], state.keeps[seat] or (), rerolled)
            return self._reveal(replace(state, dice=tuple(lie)), events), events
        events += (Rolled(seat, faces) for seat, faces in fell.items())
        after = replace(state, dice=tuple(fell.get(seat, lying) for seat, lying in enumerate(state.dice)))
        if state.replaying:
            after.replays += 1
            return self._compare(after, state.replaying, events), events
        return after if self.rules.reroll else self._reveal(after, events), events

    def decisions(self, state: HighDiceState) -> list[Decision]:
        """Return every legal mark: from fewer rerolled dice to more, then by the faces kept, ascending."""
        return [Decision(keep) for keep in keeps_of(state.dice[state.seat])] if state.phase is Phase.DECIDE else []

    def substitute(self, state: HighDiceState) -> Decision:
        """Return the mark that stands pat."""
        return Decision(tuple(sorted(state.dice[state.seat])))

    def check(self, state: HighDiceState, decision: Decision) -> None:
        """Raise `IllegalDecision`, saying why, unless the seat to mark has these dice."""
        if state.phase is not Phase.DECIDE:
            raise AssertionError("no decision is awaited")
        _held(decision.keep, state.dice[state.seat])

    def decide(self, state: HighDiceState, decision: Decision) -> tuple[HighDiceState, list[Event]]:
        """Mark for the seat to mark; after the last mark the reveal is awaited.

        Raises:
            IllegalDecision: the seat does not have these dice; the state stands.
        """
        if state.phase is not Phase.DECIDE:
            raise AssertionError("no decision is awaited")
        return self._mark(state, state.seat, decision.keep)

    def change(
        self, state: HighDiceState, seat: int, keep: Dice, again: frozenset[int]
    ) -> tuple[HighDiceState, list[Event]]:
        """Put another mark in the place of the one that `seat` made, at any time before the reveal.

        Args:
            state: a state in which marks are made, or in which the reveal is awaited.
            seat: a seat that has marked.
            keep: the faces that it holds on to now.
            again: the seats that are asked again if they had marked after `seat`; the marks of all others stand.

        Raises:
            IllegalDecision: the seat does not have these dice; the state stands.
        """
        if not self.may_change(state, seat):
            raise AssertionError("no mark of this seat can be changed")
        order = state.order
        cleared = again.intersection(order[order.index(seat) + 1 :])
        keeps = tuple(None if other in cleared else mark for other, mark in enumerate(state.keeps))
        return self._mark(replace(state, keeps=keeps), seat, keep)

    def may_change(self, state: HighDiceState, seat: int) -> bool:
        """Say whether `seat` has a mark that can still be changed."""
        marking = state.phase is Phase.DECIDE or state.revealing
        return marking and 0 <= seat < len(state.keeps) and state.keeps[seat] is not None

    def forfeit(self, state: HighDiceState, seat: int) -> tuple[HighDiceState, list[Event]]:
        """Take `seat` out, at any time: it loses the match where three or more seek a loser; the last seat left wins at once."""
        events: list[Event] = [WentOut(seat)]
        out = (*state.out[:seat], True, *state.out[seat + 1 :])
        dice = (*state.dice[:seat], (), *state.dice[seat + 1 :])
        keeps = (*state.keeps[:seat], None, *state.keeps[seat + 1 :])
        replaying = tuple(other for other in state.replaying if other != seat)
        after = replace(state, out=out, dice=dice, keeps=keeps, replaying=replaying)
        left = tuple(sorted(after.order))
        if len(left) < 2 or self._counts_losses(state):
            after.outcome = Outcome(self._scores(state), left, Reason.FORFEIT)
        elif len(replaying) == 1:
            after = self._end_round(after, replaying[0], events)
        return after, events

    def describe(self, state: HighDiceState) -> dict[str, Any]:
        """Return the state as messages carry it."""
        return {
            "round": state.round,
            "rule": self.rules.rule.value,
            "find": self.rules.find.value,
            "wins": list(state.wins),
            "losses": list(state.losses),
            "out": list(state.out),
            "to": state.to,
            "dice": [list(dice) for dice in state.dice],
            "keeps": [None if keep is None else list(keep) for keep in state.keeps],
            "order": list(state.order),
        }

    def restore(self, described: object, seat: int | None = None) -> HighDiceState:
        """Return the state of a mark that `describe` wrote, or that someone wrote down by hand.

        Only `dice` must be there; what else is left out is as in a first round in which nobody has marked.

        Args:
            described: the described state.
            seat: the seat that is to mark; whoever is next by the rules unless given.

        Raises:
            InputError: it is no such state of this rule set, or another seat is to mark.
        """
        rules, fields = self.rules, Fields(described, _FIELDS)
        fields.same("rule", rules.rule.value)
        fields.same("find", rules.find.value)
        dice = fields.dice_by_seat("dice", rules.dice)
        seats = len(dice)
        check_seats(rules, seats)
        to = fields.whole("to", 1, default=rules.wins_needed(seats))
        wins = fields.wholes("wins", seats, high=to - 1, default=0)
        losses = fields.wholes("losses", seats, high=to - 1, default=0)
        out = fields.flags("out", tuple(not faces for faces in dice))
        keeps = fields.keeps("keeps", seats, rules.dice)
        for faces, gone, keep in zip(dice, out, keeps, strict=True):
            if len(faces) != (0 if gone else rules.dice):
                raise wrong("dice", _("%s dice for every seat, and none for one that is out,") % number(rules.dice))
            if keep is not None and (gone or Counter(keep) - Counter(faces)):
                raise wrong("keeps", _("dice that the seat has"))
        state = HighDiceState(fields.whole("round", 1, default=1), wins, losses, out, to, dice, keeps)
        fields.same("order", list(state.order))
        if not rules.reroll or len(state.order) < 2 or state.phase is not Phase.DECIDE:
            raise InputError(_("nobody has a mark to make in this state"), field="keeps")
        if seat is not None and seat != state.seat:
            message = _("seat %(seat)s is to mark here, not seat %(wrong)s")
            raise InputError(message % {"seat": ltr(state.seat), "wrong": ltr(seat)}, seat=seat)
        return state

    def _counts_losses(self, state: HighDiceState) -> bool:
        """Say whether losses are counted: by the seats that the match began with."""
        return self.rules.counts_losses and len(state.out) > 2

    def _scores(self, state: HighDiceState) -> tuple[int, ...]:
        return state.losses if self._counts_losses(state) else state.wins

    def _mark(self, state: HighDiceState, seat: int, keep: Dice) -> tuple[HighDiceState, list[Event]]:
        held = _held(keep, state.dice[seat])
        return replace(state, keeps=(*state.keeps[:seat], held, *state.keeps[seat + 1 :])), [Marked(seat, held)]

    def _reveal(self, state: HighDiceState, events: list[Event]) -> HighDiceState:
        events.append(Revealed(state.dice))
        return self._compare(state, tuple(sorted(state.order)), events)

    def _compare(self, state: HighDiceState, seats: tuple[int, ...], events: list[Event]) -> HighDiceState:
        """Find the one that is sought among `seats`; those that are level replay."""
        ranks = {seat: rank(self.rules.rule, state.dice[seat]) for seat in seats}
        sought = (min if self.rules.counts_losses else max)(ranks.values())
        level = tuple(seat for seat in seats if ranks[seat] == sought)
        if len(level) > 1:
            events.append(Replayed(level))
            return replace(state, replaying=level)
        return self._end_round(state, level[0], events)

    def _end_round(self, state: HighDiceState, found: int, events: list[Event]) -> HighDiceState:
        """Count the round for the seat that was found, or for its only opponent, and begin the next one or end the match."""
        wins, losses = state.wins, state.losses
        loser = found if self.rules.counts_losses else None
        if self._counts_losses(state):
            losses = changed(losses, found, losses[found] + 1)
            ahead, winners = losses[found], tuple(seat for seat in sorted(state.order) if seat != found)
        else:
            winner = found if loser is None else 1 - found
            wins = changed(wins, winner, wins[winner] + 1)
            ahead, winners = wins[winner], (winner,)
        events.append(RoundEnds(found if loser is None else None, loser, wins, losses))
        after = replace(state, wins=wins, losses=losses, replaying=(), replays=0)
        if ahead >= state.to:
            after.outcome = Outcome(self._scores(after), winners, Reason.ROUNDS)
            return after
        seats = len(state.out)
        return replace(after, round=state.round + 1, dice=((),) * seats, keeps=(None,) * seats)


def rank(rule: HighRule, dice: Dice) -> int:
    """Return what dice are worth under `rule`, in any order of theirs: more is better, equal is level."""
    if rule is HighRule.SUM_HIGH:
        return sum(dice)
    if rule is HighRule.SUM_LOW:
        return -sum(dice)
    face, alike = Counter(dice).most_common(1)[0]
    if alike == 1:
        return sum(dice)
    return face + (_PAIR if alike == 2 else _TRIPLE)


def keeps_of(dice: Dice) -> list[Dice]:
    """Return every keep of these dice, each ascending: from fewer rerolled dice to more, then by faces."""
    ascending = sorted(dice)
    return [keep for size in range(len(dice), -1, -1) for keep in sorted(set(combinations(ascending, size)))]


def placed(dice: Dice, keep: Dice, rerolled: Dice) -> Dice:
    """Return how dice lie after a reroll: the leftmost of equal faces stay, the others take the new faces from left to right."""
    held, fresh = Counter(keep), iter(rerolled)
    lie = []
    for face in dice:
        if held[face]:
            held[face] -= 1
            lie.append(face)
        else:
            lie.append(next(fresh))
    return tuple(lie)


def _held(keep: Dice, dice: Dice) -> Dice:
    """Return `keep` ascending, or raise the refusal of one that these dice don't hold."""
    ascending = tuple(sorted(keep))
    refusal = refusals.not_these_dice(ascending, dice)
    if refusal:
        raise refusal
    return ascending
