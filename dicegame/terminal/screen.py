"""What happens, said in the user's language: one method a kind of event. An observer; a replay uses the same one."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from dicegame.games.base import Answer, Change, Outcome, Reason, Throw, Undo
from dicegame.games.events import (
    AllDiceCame,
    Banked,
    Busted,
    Cause,
    Dice,
    Event,
    Faulted,
    FinalRoundBegins,
    HotDiceCame,
    Kept,
    Marked,
    Penalized,
    Replayed,
    Revealed,
    Rolled,
    RoundEnds,
    TurnBegins,
    WentOut,
)
from dicegame.games.highdice import HighDiceState
from dicegame.games.notation import format_dice
from dicegame.games.standing import Standing
from dicegame.rules.model import HighDiceRules, HighRule, PushLuckRules, RuleSet
from dicegame.terminal.console import Console
from dicegame.terminal.layout import unbroken
from dicegame.text import _, join, ltr, ngettext, number, quote


@dataclass(slots=True)
class Round:
    """A round of high dice for the final card: the dice as they lay in the end, those of every replay by seat, and whom it found."""

    dice: tuple[Dice, ...] = ()
    replays: list[dict[int, Dice]] = field(default_factory=list)
    end: RoundEnds | None = None


class Screen:
    """Says what happens. While `quiet` it only remembers what the final card needs."""

    def __init__(self, console: Console, rules: RuleSet, names: Sequence[str], computers: frozenset[int]) -> None:
        self.console = console
        self.rules = rules
        self.names = names
        self.computers = computers
        self.quiet = False
        self.state: Any = None  # the last one heard of; None before anything has happened
        self._rounds: list[Round] = []
        self._round = Round()
        self._before = self._rounds, self._round  # as they were before the last step, which may be taken back

    def name(self, seat: int) -> str:
        """Return the name of a seat, safe to stand in a sentence."""
        return quote(self.names[seat])

    def throw(self, throw: Throw, dice: Dice) -> None:  # noqa: ARG002 - an observer's signature
        """Say nothing: the event follows."""
        self._before = list(self._rounds), deepcopy(self._round)

    def answer(self, seat: int, request_id: int, answer: Answer) -> None:  # noqa: ARG002 - an observer's signature
        """Say what was taken back; the events say the rest."""
        if isinstance(answer, Undo):
            self._rounds, self._round = self._before
        else:
            self._before = list(self._rounds), deepcopy(self._round)
        if self.quiet:
            return
        if isinstance(answer, Undo):
            self.console.say(_("Taken back."))
        elif isinstance(answer, Change):
            self.console.say(_("%s changes a mark.") % self.name(answer.seat))

    def event(self, event: Event, state: Any) -> None:  # noqa: ANN401 - an observer's signature
        """Say what happened."""
        self.state = state
        self._remember(event)
        if self.quiet:
            return
        match event:
            case TurnBegins():
                self._turn(event, state)
            case Rolled():
                self._rolled(event, state)
            case Kept():
                self._kept(event)
            case FinalRoundBegins():
                self._final_round(event, state)
            case Banked() | Busted() | HotDiceCame() | AllDiceCame() | Penalized():
                self._turn_event(event)
            case Marked() | Revealed() | Replayed() | RoundEnds():
                self._table_event(event, state)
            case Faulted() | WentOut():
                self._leaving(event)
        self._stand(event)

    def over(self, outcome: Outcome) -> None:
        """Show the final card."""
        console = self.console
        console.say()
        console.say(_("The game is over."), bold=True)
        if isinstance(self.rules, HighDiceRules):
            for place, round_ in enumerate(self._rounds, 1):
                self._card_round(place, round_)
            console.say(_("Losses:") if self.rules.counts_losses and len(self.names) > 2 else _("Rounds won:"))
        self.scores(outcome.scores)
        if outcome.reason is Reason.INSTANT_WIN:
            console.say(_("An instant win, as the dice fell."))
        elif outcome.reason is Reason.TURN_LIMIT:
            console.say(_("Every seat has had all its turns: the highest score wins."))
        elif outcome.reason is Reason.FORFEIT:
            console.say(_("The game ended because somebody gave up."))
        winners = [self.name(seat) for seat in outcome.winners]
        if not winners:
            console.say(_("Nobody wins."), bold=True)
        elif len(winners) == 1:
            console.say(_("%s wins!") % winners[0], bold=True, fg="green")
        elif isinstance(self.rules, HighDiceRules):
            lost = [self.name(seat) for seat in range(len(outcome.scores)) if seat not in outcome.winners]
            console.say(_("%s loses the match!") % join(lost), bold=True, fg="red")
        else:
            console.say(_("%s share the win!") % join(winners), bold=True, fg="green")

    def scores(self, scores: Sequence[int]) -> None:
        """Say how everyone stands."""
        said = [_("%(name)s: %(score)s") % {"name": self.name(s), "score": number(n)} for s, n in enumerate(scores)]
        self.console.say(join(list(map(unbroken, said))))

    def standing(self, state: Any, *, whole: bool = False) -> None:  # noqa: ANN401 - the state of any engine
        """Say how everyone stands in the middle of a game; `whole` says what a turn does not need every time, too."""
        if isinstance(self.rules, HighDiceRules):
            losses = self.rules.counts_losses and len(self.names) > 2
            heading = _("Losses, over at %s:") if losses else _("Rounds won, over at %s:")
            self.console.say(heading % number(state.to))
            self.scores(state.losses if losses else state.wins)
            return
        self.scores(state.standing.scores)
        if whole:
            self.console.say(_("Played to %s.") % number(self.rules.target))
            self._counts(self.rules, state.standing)
        best = state.standing.best_other(state.seat)
        if state.standing.final is not None and best is not None:
            self.console.say(_("Final round: %s to beat.") % number(best))
        if state.standing.barrel is not None:
            seat, failed = state.standing.barrel
            left = self.rules.house.tries - failed
            message = ngettext(
                "%(name)s is on the barrel, with %(n)s try left.",
                "%(name)s is on the barrel, with %(n)s tries left.",
                left,
            )
            self.console.say(message % {"name": self.name(seat), "n": number(left)})

    def lying(self, state: HighDiceState) -> None:
        """Say which dice lie before everyone, and the marks made so far."""
        for seat, dice in enumerate(state.dice):
            if not dice:
                continue
            self.console.say(_("%(name)s: %(dice)s") % {"name": self.name(seat), "dice": ltr(format_dice(dice))})
            keep = state.keeps[seat]
            if keep is not None and not state.replaying:
                self._marked(Marked(seat, keep), state)

    def _counts(self, rules: PushLuckRules, standing: Standing) -> None:
        """Say what penalties and house rules count, where the rule set has them."""
        counted = [
            (rules.penalty.busts, _("Busts in a row: %s"), standing.busts),
            (rules.house.bolts, _("Turns without points: %s"), standing.bolts),
            (rules.house.barrel, _("Falls off the barrel: %s"), standing.falls),
        ]
        for on, message, counts in counted:
            if on:
                said = [unbroken(f"{self.name(seat)} {number(n)}") for seat, n in enumerate(counts)]
                self.console.say(message % join(said))

    def _remember(self, event: Event) -> None:
        """Keep what the final card shows of a round."""
        round_ = self._round
        match event:
            case Revealed():
                round_.dice = event.dice
            case Replayed():
                round_.replays.append({})
            case Rolled() if round_.replays:
                round_.replays[-1][event.seat] = event.dice
            case RoundEnds():
                round_.end = event
                self._rounds.append(round_)
                self._round = Round()

    def _turn(self, event: TurnBegins, state: Any) -> None:  # noqa: ANN401 - the state of any engine
        console = self.console
        console.say()
        turn = {"name": self.name(event.seat), "turn": number(state.standing.turns[event.seat])}
        console.say(_("%(name)s, turn %(turn)s") % turn, bold=True)
        self.standing(state)

    def _rolled(self, event: Rolled, state: Any) -> None:  # noqa: ANN401 - the state of any engine
        if self._round.replays:
            self._show(event.seat, event.dice)
            return
        said = {"name": self.name(event.seat), "dice": ltr(format_dice(event.dice))}
        self.console.say(_("%(name)s rolls %(dice)s") % said)
        if not isinstance(state, HighDiceState):
            self.console.dice(event.dice)

    def _kept(self, event: Kept) -> None:
        said = {
            "name": self.name(event.seat),
            "dice": ltr(format_dice(event.dice)),
            "points": number(event.points),
            "turn_points": number(event.turn_points),
        }
        self.console.say(_("%(name)s keeps %(dice)s for %(points)s: %(turn_points)s in this turn") % said)

    def _turn_event(self, event: Event) -> None:
        console = self.console
        match event:
            case Banked():
                said = {"name": self.name(event.seat), "points": number(event.points), "score": number(event.score)}
                console.say(_("%(name)s banks %(points)s and has %(score)s") % said, fg="green")
            case Busted():
                console.say(_("Bust!"), bold=True, fg="red")
                if event.lost:
                    said = {"name": self.name(event.seat), "lost": number(event.lost)}
                    console.say(_("%(name)s loses the %(lost)s of this turn") % said)
            case HotDiceCame():
                console.say(_("Hot dice!"), bold=True, fg="yellow")
            case AllDiceCame():
                console.say(_("Just a pair is left: all dice come back!"), bold=True, fg="yellow")
            case Penalized():
                self._penalty(event)

    def _final_round(self, event: FinalRoundBegins, state: Any) -> None:  # noqa: ANN401 - the state of any engine
        if len(state.out) - sum(state.out) < 2:
            return  # nobody else has a turn
        self.console.say(_("Final round!"), bold=True, fg="magenta")
        said = {"name": self.name(event.seat), "score": number(event.score)}
        self.console.say(_("%(name)s has %(score)s; everyone else has one more turn") % said)

    def _penalty(self, event: Penalized) -> None:
        said = {"name": self.name(event.seat), "points": number(event.points), "score": number(event.score)}
        messages = {
            Cause.BUSTS: _("%(name)s has bust too often in a row: minus %(points)s, now %(score)s"),
            Cause.BOLTS: _("%(name)s has too many turns without points: minus %(points)s, now %(score)s"),
            Cause.BARREL: _("%(name)s is on the barrel and stands at %(score)s (minus %(points)s)"),
            Cause.FALL: _("%(name)s falls off the barrel: minus %(points)s, now %(score)s"),
            Cause.OVERTAKEN: _("%(name)s is overtaken: minus %(points)s, now %(score)s"),
            Cause.DUMP_TRUCK: _("The dump truck takes all %(points)s points of %(name)s"),
        }
        self.console.say(messages[event.cause] % said, fg="red")

    def _table_event(self, event: Event, state: Any) -> None:  # noqa: ANN401 - the state of any engine
        console = self.console
        match event:
            case Marked():
                self._marked(event, state)
            case Revealed():
                console.say(_("Reveal!"), bold=True, fg="yellow")
                for seat, dice in enumerate(event.dice):
                    if dice:
                        self._show(seat, dice)
            case Replayed():
                names = join([self.name(seat) for seat in event.seats])
                console.say(_("Level: %s roll again.") % names, bold=True, fg="yellow")
            case RoundEnds():
                console.say(self._found(event), bold=True, fg="green" if event.loser is None else "red")

    def _marked(self, event: Marked, state: Any) -> None:  # noqa: ANN401 - the state of any engine
        rerolled = len(state.dice[event.seat]) - len(event.keep)
        said = {"name": self.name(event.seat), "keep": ltr(format_dice(event.keep)), "n": number(rerolled)}
        if not rerolled:
            self.console.say(_("%(name)s stands pat on %(keep)s") % said)
        elif not event.keep:
            self.console.say(_("%(name)s rerolls everything") % said)
        else:
            message = ngettext(
                "%(name)s keeps %(keep)s and rerolls %(n)s die",
                "%(name)s keeps %(keep)s and rerolls %(n)s dice",
                rerolled,
            )
            self.console.say(message % said)

    def _leaving(self, event: Event) -> None:
        match event:
            case Faulted():
                said = {"name": self.name(event.seat), "code": ltr(event.code)}
                self.console.say(_("%(name)s: fault (%(code)s)") % said)
            case WentOut():
                self.console.say(_("%s is out of the game") % self.name(event.seat), fg="red")

    def _stand(self, event: Event) -> None:
        """Let a computer's step be seen before the next one."""
        if isinstance(event, Rolled | Kept | Banked | Busted | Marked) and event.seat in self.computers:
            self.console.pause()

    def _result(self, seat: int, dice: Dice) -> str:
        said = {"name": self.name(seat), "dice": ltr(format_dice(dice)), "is": what_they_are(self.rules, dice)}
        return _("%(name)s: %(dice)s, %(is)s") % said

    def _show(self, seat: int, dice: Dice) -> None:
        """Show dice that count, and what they are."""
        self.console.say(self._result(seat, dice))
        self.console.dice(dice)

    def _card_round(self, place: int, round_: Round) -> None:
        console = self.console
        console.say(_("Round %s") % number(place), bold=True)
        for seat, dice in enumerate(round_.dice):
            if dice:
                console.say(self._result(seat, dice), indent=2)
        for replay in round_.replays:
            console.say(_("Level, rolled again:"), indent=2)
            for seat, dice in replay.items():
                console.say(self._result(seat, dice), indent=4)
        if round_.end is not None:
            console.say(self._found(round_.end), indent=2)

    def _found(self, event: RoundEnds) -> str:
        """Return whom a round found."""
        if event.loser is not None:
            return _("%s loses the round.") % self.name(event.loser)
        return _("%s wins the round.") % self.name(event.winner or 0)


def what_they_are(rules: RuleSet, dice: Dice) -> str:
    """Return what dice are worth in high dice, in words: their sum, or their triple or pair."""
    if isinstance(rules, HighDiceRules) and rules.rule is HighRule.TRIPLE_PAIR:
        face = max(set(dice), key=lambda f: (dice.count(f), f))
        if dice.count(face) == 3:
            return _("a triple of %s") % ltr(face)
        if dice.count(face) == 2:
            return _("a pair of %s") % ltr(face)
    return _("sum %s") % number(sum(dice))
