"""An analysis for people: what the game came to, the decisions that cost something, the luck of the dice, and a chart."""

from __future__ import annotations

import click

from dicegame.analysis.chart import picture_of, rows_of
from dicegame.analysis.judged import Grade, Judged, JudgedDecision, JudgedThrow
from dicegame.games import engine_for
from dicegame.games.base import Reason
from dicegame.games.notation import format_dice
from dicegame.record.read import Record
from dicegame.rules.model import HighDiceRules
from dicegame.terminal.advice import Adviser, shown
from dicegame.terminal.console import Console
from dicegame.terminal.layout import unbroken, width
from dicegame.text import _, clean, join, ltr, ngettext, number, percent, pgettext, quote

SHOWN_ROLLS = 3  # the luckiest and the unluckiest
_COLORS = {Grade.BAD: "yellow", Grade.VERY_BAD: "red"}


class Telling:
    """Tells one analysis; decisions and rolls are those of `seats`, and `every` decision is told or only those that were not fine."""

    def __init__(self, console: Console, record: Record, judged: Judged, seats: frozenset[int], *, every: bool) -> None:
        self.console = console
        self.record = record
        self.judged = judged
        self.seats = seats
        self.every = every
        self._names = [quote(name) for name in record.header.players]
        self._high = isinstance(record.rules, HighDiceRules)
        self._said = Adviser(engine_for(record.rules), judged.seats).said

    def all(self) -> None:
        """Tell everything."""
        console = self.console
        said = {"rules": quote(self.record.rules.name), "players": join(self._names)}
        console.say(_("%(rules)s: %(players)s") % said, bold=True)
        self._notes()
        for seat in range(self.judged.seats):
            console.say()
            self._player(seat)
        console.say()
        self._decisions()
        console.say()
        self._rolls()
        console.say()
        self._chart()

    def _notes(self) -> None:
        outcome = self.record.result()
        if outcome is not None and outcome.reason is Reason.VOID:
            self.console.say(_("The game was void: it has no result."))
        elif self.judged.shares is None:
            self.console.say(_("The record breaks off before the result; it is judged as far as it goes."))
        if self.judged.approximate:
            self.console.say(
                _("This is an approximation: the exact chances of three or more players are not known.")
                if self._high
                else _(
                    "This is an approximation: with three or more players, it is the chance against the best other score alone."
                )
            )

    def _player(self, seat: int) -> None:
        judged, console, account = self.judged, self.console, self.judged.accounts[seat]
        console.say(self._names[seat], bold=True)
        adjusted = judged.adjusted(seat)
        luck = signed(account.luck)
        if judged.shares is None or adjusted is None:
            said = {"luck": luck, "chance": ltr(percent(account.end))}
            console.say(_("luck %(luck)s; in the end a chance of %(chance)s to win") % said, indent=2)
        else:
            said = {"result": ltr(percent(judged.shares[seat], 0)), "luck": luck, "adjusted": ltr(percent(adjusted))}
            console.say(_("result %(result)s, luck %(luck)s; without the luck %(adjusted)s") % said, indent=2)
        console.say(self._errors(seat), indent=2)
        if not judged.approximate:
            console.say(self._sum(seat), indent=2)

    def _errors(self, seat: int) -> str:
        rate, grades = self.judged.error_rate(seat), self.judged.grades[seat]
        count = grades.total()
        if rate is None:
            return _("nothing to decide")
        counted = join([unbroken(f"{grade_name(grade)} {number(grades[grade])}") for grade in Grade if grades[grade]])
        said = {
            "errors": shown(self.judged.accounts[seat].errors),
            "rate": shown(rate),
            "n": number(count),
            "counted": counted,
        }
        message = ngettext(
            "errors cost %(errors)s in %(n)s decision: %(counted)s",
            "errors cost %(errors)s in %(n)s decisions, %(rate)s each: %(counted)s",
            count,
        )
        return message % said

    def _sum(self, seat: int) -> str:
        """Return what the chance at the start and in the end differ by."""
        account = self.judged.accounts[seat]
        parts = [
            _("luck %s") % signed(account.luck),
            _("own errors %s") % signed(-account.errors),
            _("errors of others %s") % signed(account.given),
        ]
        rest = account.rounding + account.other
        if abs(rest) >= 0.0005:
            parts.append(_("other %s") % signed(rest))
        said = {
            "start": ltr(percent(account.start)),
            "end": ltr(percent(account.end)),
            "parts": join(list(map(unbroken, parts))),
        }
        return _("from %(start)s to %(end)s: %(parts)s") % said

    def _decisions(self) -> None:
        told = [decided for decided in self.judged.decisions if decided.throw.seat in self.seats]
        if self.every:
            self.console.say(_("Every decision:"), bold=True)
        else:
            told = sorted((d for d in told if d.grade is not Grade.FINE), key=lambda d: -d.loss)
            self.console.say(_("Decisions that were not fine:") if told else _("Every decision was fine."), bold=True)
        for decided in told:
            self.console.say(self._decision(decided), indent=2, fg=_COLORS.get(decided.grade))

    def _decision(self, decided: JudgedDecision) -> str:
        said = {
            "where": self._where(decided),
            "made": self._said(decided.decision),
            "loss": shown(decided.loss),
            "grade": grade_name(decided.grade),
            "best": self._said(decided.best),
            "chance": shown(decided.best_value),
        }
        if decided.forced:
            line = _("%(where)s: %(made)s, the only choice") % said
        elif decided.best == decided.decision:
            line = _("%(where)s: %(made)s was best, and wins %(chance)s") % said
        else:
            line = _("%(where)s: %(made)s costs %(loss)s (%(grade)s); %(best)s wins %(chance)s") % said
        return _("%s; the referee decided, after a fault") % line if decided.substituted else line

    def _where(self, decided: JudgedDecision) -> str:
        said = {
            "name": self._names[decided.throw.seat],
            "when": self._when(decided.throw.turn),
            "dice": unbroken(ltr(format_dice(decided.dice))),
            "points": number(decided.points),
        }
        if decided.points:
            return _("%(name)s, %(when)s, %(points)s so far, rolled %(dice)s") % said
        return _("%(name)s, %(when)s, rolled %(dice)s") % said

    def _when(self, turn: int) -> str:
        return (_("round %s") if self._high else _("turn %s")) % number(turn + 1)

    def _rolls(self) -> None:
        rolls = [
            (fell.luck[throw.seat], throw.seat, fell)
            for fell in self.judged.throws
            for throw in fell.throws
            if throw.seat in self.seats
        ]
        rolls.sort(key=lambda roll: -roll[0])
        lucky = [roll for roll in rolls[:SHOWN_ROLLS] if roll[0] > 0]
        unlucky = [roll for roll in rolls[: -SHOWN_ROLLS - 1 : -1] if roll[0] < 0]
        for heading, told in ((_("The luckiest rolls:"), lucky), (_("The unluckiest rolls:"), unlucky)):
            if told:
                self.console.say(heading, bold=True)
            for luck, seat, fell in told:
                self.console.say(self._roll(luck, seat, fell), indent=2)

    def _roll(self, luck: float, seat: int, fell: JudgedThrow) -> str:
        said = {
            "name": self._names[seat],
            "when": self._when(fell.throws[0].turn),
            "dice": " / ".join(unbroken(ltr(format_dice(dice))) for dice in fell.dice),
            "luck": signed(luck),
        }
        if len(fell.dice) > 1:
            return _("%(name)s, %(when)s, all rolled %(dice)s: %(luck)s") % said
        return _("%(name)s, %(when)s, rolled %(dice)s: %(luck)s") % said

    def _chart(self) -> None:
        judged, console = self.judged, self.console
        if judged.seats == 2:
            console.say(_("The chance of %s to win over the game:") % self._names[0], bold=True)
        else:
            numbered = join([unbroken(f"{number(seat + 1)} {name}") for seat, name in enumerate(self._names)])
            console.say(_("The chances to win over the game: %s") % numbered, bold=True)
        rows = rows_of(judged.moments, width(), unicode=console.unicode)
        for row in rows:
            click.echo(ltr(row).rstrip())
        first, last = self._when(judged.moments[0].turn), self._when(judged.moments[-1].turn)
        console.say(_("from left to right: %(first)s to %(last)s") % {"first": first, "last": last})
        if judged.seats == 2:
            low = min(judged.moments, key=lambda moment: moment.chances[0])
            high = max(judged.moments, key=lambda moment: moment.chances[0])
            said = {
                "low": ltr(percent(low.chances[0])),
                "then": self._when(low.turn),
                "high": ltr(percent(high.chances[0])),
                "there": self._when(high.turn),
            }
            console.say(_("lowest %(low)s in %(then)s, highest %(high)s in %(there)s") % said)


def grade_name(grade: Grade) -> str:
    """Return a grade in the user's language."""
    return {
        Grade.FINE: pgettext("a grade of decisions", "fine"),
        Grade.DOUBTFUL: pgettext("a grade of decisions", "doubtful"),
        Grade.BAD: pgettext("a grade of decisions", "bad"),
        Grade.VERY_BAD: pgettext("a grade of decisions", "very bad"),
    }[grade]


def signed(share: float) -> str:
    """Return a change of a chance as it is shown, with its sign."""
    rounded = round(share, 3)
    return ltr(f"{'+' if rounded > 0 else '-' if rounded < 0 else ''}{percent(abs(rounded))}")


def picture(record: Record, judged: Judged) -> str:
    """Return the chart as a picture (SVG)."""
    names = [clean(name) for name in record.header.players]
    title = f"{clean(record.rules.name)}: {', '.join(names)}"
    high = isinstance(record.rules, HighDiceRules)
    turns = pgettext("under a chart", "round") if high else pgettext("under a chart", "turn")
    return picture_of(judged.moments, names, title=title, turns=turns)
