"""Push your luck: the engine of `ten-thousand`, `thousand` and every rule set like them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dicegame.errors import IllegalDecision, InputError
from dicegame.games import refusals
from dicegame.games.base import Decision, Option, Outcome, Phase, Reason, Throw, check_seats
from dicegame.games.described import Fields, wrong
from dicegame.games.events import (
    AllDiceCame,
    Banked,
    Busted,
    Dice,
    Event,
    FinalRoundBegins,
    HotDiceCame,
    Kept,
    Rolled,
    TurnBegins,
    WentOut,
)
from dicegame.games.standing import Settling, Standing, changed, required_points
from dicegame.rules.model import End, PushLuckRules, Reach
from dicegame.rules.table import Back, Keep, Roll, Table
from dicegame.text import _, ltr, number

MAX_ROLLS = 65_536  # of one turn: what the dice function numbers; whoever would roll once more has bust
_FIELDS = ("scores", "opened", "out", "busts", "turn", "turn_points", "dice", "target", "final_round")
_REMEMBERED = ("bolts", "barrel", "falls")


@dataclass(slots=True)
class PushLuckState:
    """A game in the middle: what stands between turns, and the turn of `seat`.

    `turn_points` are those kept so far in this turn, `rolls` the throws made in it, `free` the dice of the next throw or of the roll
    that lies. `dice` (as they lie) and `roll` are there while a decision is awaited. `required` is what the turn must bring to bank.
    """

    standing: Standing
    seat: int
    turn_points: int
    rolls: int
    free: int
    required: int
    dice: Dice = ()
    roll: Roll | None = None
    outcome: Outcome | None = None

    @property
    def phase(self) -> Phase:
        """Whether dice are to be thrown, `seat` is to decide, or the game is over."""
        if self.outcome is not None:
            return Phase.OVER
        return Phase.THROW if self.roll is None else Phase.DECIDE

    @property
    def out(self) -> tuple[bool, ...]:
        """Which seats have forfeited."""
        return self.standing.out


class PushLuck:
    """The engine; one serves any number of games of its rule set."""

    def __init__(self, rules: PushLuckRules) -> None:
        self.rules = rules
        self.table = Table(rules)
        self._dice = rules.dice
        self._target = rules.target
        self._exact = rules.reach is Reach.EXACT
        self._sudden = rules.end is End.SUDDEN
        house = rules.house
        self._settles = house.remembers
        self._plain = not (house.remembers or rules.penalty.busts)
        self._fixed = 0 if not rules.open and not house.pits and not house.barrel else None

    def start(self, seats: int) -> tuple[PushLuckState, list[Event]]:
        """Return the first state of a game of `seats`, and what happened.

        Raises:
            InputError: the rule set is not for so many seats.
        """
        check_seats(self.rules, seats)
        none, remembered = (0,) * seats, (0,) * seats if self._settles else ()
        opened = (self.rules.open == 0,) * seats
        standing = Standing(none, opened, (False,) * seats, none, none, None, remembered, remembered)
        events: list[Event] = []
        return self._begin(standing, 0, events), events

    def throws(self, state: PushLuckState) -> list[Throw]:
        """Return the one throw that the state waits for; nothing where it waits for a decision or is over."""
        if state.roll is not None or state.outcome is not None:
            return []
        return [Throw(state.seat, state.standing.turns[state.seat] - 1, state.rolls, state.free)]

    def thrown(self, state: PushLuckState, dice: list[Dice]) -> tuple[PushLuckState, list[Event]]:
        """Go on with the dice of that throw: to a decision, a bust, or a win as they fall."""
        lie = dice[0]
        seat = state.seat
        roll = self.table.roll(lie)
        events: list[Event] = [Rolled(seat, lie)]
        rolled = PushLuckState(
            state.standing, seat, state.turn_points, state.rolls + 1, state.free, state.required, lie, roll
        )
        if roll.instant_win:
            rolled.outcome = Outcome(state.standing.scores, (seat,), Reason.INSTANT_WIN)
        elif not roll.keeps or (self._exact and not self.keeps(rolled)):
            return self._bust(rolled, events), events
        return rolled, events

    def keeps(self, state: PushLuckState) -> tuple[Keep, ...]:
        """Return the legal keeps here, in the order of the options: those of the roll, less those that go over an exact target."""
        if state.roll is None or state.outcome is not None:
            return ()
        if not self._exact:
            return state.roll.keeps
        room = self._target - state.standing.scores[state.seat] - state.turn_points
        return tuple(keep for keep in state.roll.keeps if keep.points <= room)

    def options(self, state: PushLuckState) -> list[Option]:
        """Return every legal keep by points descending, then fewer dice, then faces."""
        need = state.required - state.turn_points
        return [Option(k.keep, k.points, k.roll, k.may_bank and k.points >= need) for k in self.keeps(state)]

    def decisions(self, state: PushLuckState) -> list[Decision]:
        """Return every legal decision: option by option, banking before rolling."""
        return [Decision(o.keep, bank) for o in self.options(state) for bank in ((True, False) if o.bank else (False,))]

    def substitute(self, state: PushLuckState) -> Decision:
        """Return the first option that may bank, banked; else the first option, rolled on."""
        options = self.options(state)
        chosen = next((option for option in options if option.bank), options[0])
        return Decision(chosen.keep, chosen.bank)

    def check(self, state: PushLuckState, decision: Decision) -> None:
        """Raise `IllegalDecision`, saying why, unless the seat to decide may decide this."""
        self._legal(state, decision)

    def decide(self, state: PushLuckState, decision: Decision) -> tuple[PushLuckState, list[Event]]:
        """Keep, then bank or go on to the next throw.

        Raises:
            IllegalDecision: it is not legal; the state stands.
        """
        keep = self._legal(state, decision)
        total = state.turn_points + keep.points
        seat = state.seat
        events: list[Event] = [Kept(seat, keep.keep, keep.points, total)]
        if keep.back is not Back.NO:
            events.append(HotDiceCame(seat) if keep.back is Back.HOT else AllDiceCame(seat))
        if decision.bank:
            return self._bank(state, total, events), events
        after = PushLuckState(state.standing, seat, total, state.rolls, keep.roll, state.required)
        if state.rolls >= MAX_ROLLS:
            return self._bust(after, events), events
        return after, events

    def forfeit(self, state: PushLuckState, seat: int) -> tuple[PushLuckState, list[Event]]:
        """Take `seat` out: its score stays on the card but can't win; the last seat left wins at once."""
        events: list[Event] = [WentOut(seat)]
        standing = state.standing.copy()
        standing.out = changed(standing.out, seat, value=True)
        if standing.barrel is not None and standing.barrel[0] == seat:
            standing.barrel = None
        left = tuple(s for s, out in enumerate(standing.out) if not out)
        if len(left) < 2:
            ended = replace(state, standing=standing, outcome=Outcome(standing.scores, left, Reason.FORFEIT))
            return ended, events
        if seat == state.seat:
            return self._advance(standing, seat, events), events
        return replace(state, standing=standing), events

    def final_round(self, state: PushLuckState) -> tuple[int, int] | None:
        """Return who started the final round and the points to beat in it; None before it."""
        standing = state.standing
        if standing.final is None:
            return None
        return standing.final, max(s for s, out in zip(standing.scores, standing.out, strict=True) if not out)

    def describe(self, state: PushLuckState) -> dict[str, Any]:
        """Return the state as messages carry it."""
        standing = state.standing
        final = self.final_round(state)
        described: dict[str, Any] = {
            "scores": list(standing.scores),
            "opened": list(standing.opened),
            "out": list(standing.out),
            "busts": list(standing.busts),
            "turn": standing.turns[state.seat],
            "turn_points": state.turn_points,
            "dice": list(state.dice),
            "target": self._target,
            "final_round": None if final is None else {"by": final[0], "score": final[1]},
        }
        if self._settles:
            barrel = standing.barrel
            described["bolts"] = list(standing.bolts)
            described["barrel"] = None if barrel is None else {"seat": barrel[0], "tries": barrel[1]}
            described["falls"] = list(standing.falls)
        return described

    def restore(self, described: object, seat: int | None = None) -> PushLuckState:
        """Return the state of a decision that `describe` wrote, or that someone wrote down by hand.

        Only `scores` and `dice` must be there; what else is left out is as in a seat's first turn. What no description holds (how often
        was rolled in this turn, how many turns the others have had) is made up to fit, and decides nothing here.

        Args:
            described: the described state.
            seat: the seat that is to decide; the first that is still in the game unless given.

        Raises:
            InputError: it is no such state of this rule set, and why.
        """
        fields = Fields(described, (*_FIELDS, *_REMEMBERED) if self._settles else _FIELDS)
        fields.same("target", self._target)
        standing = self._described_standing(fields)
        seats = len(standing.scores)
        if seat is None:
            seat = standing.out.index(False) if False in standing.out else 0
        if not 0 <= seat < seats or standing.out[seat]:
            raise InputError(_("seat %s is not in this game") % ltr(seat), seat=seat)
        if standing.final == seat:
            raise InputError(_("seat %s started the final round and has no more turn") % ltr(seat), seat=seat)
        turn = fields.whole("turn", 1, default=1)
        standing.turns = tuple(turn if other <= seat else turn - 1 for other in range(seats))
        dice = fields.dice("dice", 1, self._dice)
        points = fields.whole("turn_points", default=0)
        roll = self.table.roll(dice)
        required = required_points(self.rules, standing, seat)
        state = PushLuckState(standing, seat, points, 1, len(dice), required, dice, roll)
        if roll.instant_win or not self.keeps(state):
            message = _("nothing is asked with %s: it is a bust, or wins as it falls")
            raise InputError(message % ltr(" ".join(map(str, dice))), field="dice")
        return state

    def _described_standing(self, fields: Fields) -> Standing:
        """Return the standing that a description holds, but for the turns."""
        rules, target = self.rules, self._target
        scores = fields.wholes("scores", low=rules.floor)
        seats = len(scores)
        check_seats(rules, seats)
        out = fields.flags("out", (False,) * seats)
        opened = fields.flags("opened", tuple(rules.open == 0 or score != 0 for score in scores))
        busts = fields.wholes("busts", seats, default=0)
        best = max((score for score, gone in zip(scores, out, strict=True) if not gone), default=rules.floor)
        final = fields.inner("final_round", ("by", "score"))
        if final is None and best >= target:
            message = _(
                "a score of %(score)s has reached the target of %(target)s: the game is over, or final_round is missing"
            )
            raise InputError(message % {"score": number(best), "target": number(target)}, field="scores")
        if final is not None and self._sudden:
            raise wrong("final_round", "null")
        standing = Standing(scores, opened, out, busts, (1,) * seats)
        if final is not None:
            standing.final = final.whole("by", 0, seats - 1)
            final.same("score", best)
        if self._settles:
            self._described_house(fields, standing)
        return standing

    def _described_house(self, fields: Fields, standing: Standing) -> None:
        """Add what the house rules remember."""
        house, seats = self.rules.house, len(standing.scores)
        standing.bolts = fields.wholes("bolts", seats, default=0)
        standing.falls = fields.wholes("falls", seats, default=0)
        barrel = fields.inner("barrel", ("seat", "tries"))
        if barrel is None:
            return
        seat, tries = barrel.whole("seat", 0, seats - 1), barrel.whole("tries", 0, house.tries - 1)
        if not house.barrel or standing.scores[seat] != self._target - house.barrel:
            message = _("seat %(seat)s can't be on the barrel with %(score)s points")
            values = {"seat": ltr(seat), "score": number(standing.scores[seat])}
            raise InputError(message % values, field="barrel")
        standing.barrel = (seat, tries)

    def _legal(self, state: PushLuckState, decision: Decision) -> Keep:
        """Return the keep that `decision` names, or raise the refusal."""
        roll = state.roll
        if roll is None or state.outcome is not None:
            raise AssertionError("no decision is awaited")
        keep = roll.by_keep.get(decision.keep)
        if keep is None:
            ascending = tuple(sorted(decision.keep))
            keep = roll.by_keep.get(ascending)
            if keep is None:
                raise refusals.no_keep(ascending, state.dice, roll)
        total = state.turn_points + keep.points
        if self._exact and state.standing.scores[state.seat] + total > self._target:
            raise refusals.over_target(keep, state.standing.scores[state.seat] + total, self._target)
        if decision.bank:
            refusal = self.bank_refusal(state, keep)
            if refusal:
                raise refusal
        return keep

    def bank_refusal(self, state: PushLuckState, keep: Keep) -> IllegalDecision | None:
        """Return why banking after this keep is not allowed; None if it is."""
        if not keep.may_bank:
            return refusals.must_roll()
        total = state.turn_points + keep.points
        return refusals.too_few(total, state.required) if total < state.required else None

    def _begin(self, standing: Standing, seat: int, events: list[Event]) -> PushLuckState:
        """Begin a turn of `seat`; `standing` is ours to change."""
        standing.turns = changed(standing.turns, seat, standing.turns[seat] + 1)
        events.append(TurnBegins(seat))
        required = self.rules.minimum if self._fixed == 0 else required_points(self.rules, standing, seat)
        return PushLuckState(standing, seat, 0, 0, self._dice, required)

    def _advance(self, standing: Standing, seat: int, events: list[Event]) -> PushLuckState:
        """Pass the turn on from `seat`, or end the game where it would come back to the seat that started the final round."""
        seats = len(standing.scores)
        following = seat
        for _step in range(seats):
            following = (following + 1) % seats
            if following == standing.final:
                return self._over(standing, seat, Reason.TARGET)
            if not standing.out[following]:
                break
        if standing.final is None and standing.turns[following] >= self.rules.max_turns:
            return self._over(standing, seat, Reason.TURN_LIMIT)
        return self._begin(standing, following, events)

    def _over(self, standing: Standing, seat: int, reason: Reason) -> PushLuckState:
        """End the game for the highest scores among the seats still in it."""
        left = [s for s, out in enumerate(standing.out) if not out]
        best = max(standing.scores[s] for s in left)
        winners = tuple(s for s in left if standing.scores[s] == best)
        return PushLuckState(standing, seat, 0, 0, self._dice, 0, outcome=Outcome(standing.scores, winners, reason))

    def _bust(self, state: PushLuckState, events: list[Event]) -> PushLuckState:
        seat = state.seat
        events.append(Busted(seat, state.turn_points))
        if self._plain:
            standing = state.standing.copy()
            standing.busts = changed(standing.busts, seat, standing.busts[seat] + 1)
        else:
            settling = Settling(self.rules, state.standing, seat)
            settling.after_bust()
            standing = settling.standing
            events += settling.events
        return self._advance(standing, seat, events)

    def _bank(self, state: PushLuckState, total: int, events: list[Event]) -> PushLuckState:
        seat = state.seat
        score = state.standing.scores[seat] + total
        events.append(Banked(seat, total, score))
        if self._sudden and score >= self._target:
            standing = state.standing.copy()
            standing.scores = changed(standing.scores, seat, score)
            outcome = Outcome(standing.scores, (seat,), Reason.TARGET)
            return PushLuckState(standing, seat, 0, state.rolls, self._dice, 0, outcome=outcome)
        settling = Settling(self.rules, state.standing, seat)
        settling.after_bank(score)
        standing = settling.standing
        events += settling.events
        if not self._sudden and standing.final is None and standing.scores[seat] >= self._target:
            standing.final = seat
            events.append(FinalRoundBegins(seat, standing.scores[seat]))
        return self._advance(standing, seat, events)
