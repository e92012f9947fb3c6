"""What the gates of a match say, in words: on a terminal, in a JUnit file, and in a Markdown summary."""

from __future__ import annotations

from dataclasses import dataclass

from dicegame.match.gates import Floor, Outcome, sprt_outcome
from dicegame.match.result import MatchResult
from dicegame.match.sequential import Sprt, plain_games
from dicegame.match.watch import Ending
from dicegame.terminal.layout import say
from dicegame.text import _, decimal, isolate, ltr, ngettext, number, percent


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one gate says: the option that set it up, what came of it, and that in words."""

    gate: str
    outcome: Outcome
    words: str


def verdicts(result: MatchResult, floor: Floor | None) -> list[Verdict]:
    """Return what every gate of a match says."""
    found = []
    sprt, outcome = result.watch.sprt, sprt_outcome(result)
    if sprt is not None and outcome is not None:
        found.append(Verdict(f"--sprt {sprt.elo0:g},{sprt.elo1:g}", outcome, _sprt_words(result, sprt, outcome)))
    if floor is not None:
        found.append(Verdict(f"--fail-under {floor.floor * 100:g}%", floor.outcome, _floor_words(result, floor)))
    return found


def say_watched(result: MatchResult) -> None:
    """Print why a match ended early, and the interval that may be watched where that matters."""
    if result.ended is Ending.TIME:
        say(_("The time was over before all games were played."))
    interval = result.watch.watched.interval()
    if interval is None or (result.watch.precision is None and result.watch.sprt is None):
        return
    low, high = interval
    said = {
        "name": isolate(result.players[0].name),
        "low": ltr(percent(low, 2)),
        "high": ltr(percent(high, 2)),
        "blocks": number(result.watch.used),
    }
    say(_("%(name)s: 95%% interval that may be watched, after %(blocks)s blocks: %(low)s to %(high)s") % said, hang=2)


def _sprt_words(result: MatchResult, sprt: Sprt, outcome: Outcome) -> str:
    """Say what the sequential test came to, and how many games it saved."""
    games = sprt.blocks * result.spec.players
    low, high = sprt.bounds
    said = {
        "name": isolate(result.players[0].name),
        "other": isolate(result.players[1].name),
        "elo0": ltr(f"{sprt.elo0:g}"),
        "elo1": ltr(f"{sprt.elo1:g}"),
        "llr": ltr(decimal(sprt.llr, 2)),
        "low": ltr(decimal(low, 2)),
        "high": ltr(decimal(high, 2)),
        "blocks": number(sprt.blocks),
        "games": number(games),
        "plain": number(plain_games(sprt.elo0, sprt.elo1)),
    }
    if outcome is Outcome.UNDECIDED:
        line = _(
            "undecided between %(elo0)s and %(elo1)s Elo after %(blocks)s blocks (%(games)s games): "
            "the log-likelihood ratio is %(llr)s, between %(low)s and %(high)s"
        )
        return line % said
    if outcome is Outcome.PASS:
        line = _(
            "accept: %(name)s against %(other)s is worth %(elo1)s Elo rather than %(elo0)s; "
            "decided after %(blocks)s blocks (%(games)s games)"
        )
    else:
        line = _(
            "reject: %(name)s against %(other)s is worth %(elo0)s Elo rather than %(elo1)s; "
            "decided after %(blocks)s blocks (%(games)s games)"
        )
    return f"{line % said}; {_saved_words(result)}"


def _saved_words(result: MatchResult) -> str:
    """Say how a plain test compares: two-sided at 5 %, with a power of 95 %, without mirrored seats."""
    saved = result.watch.saved(result.spec.players) or 0
    if saved < 0:
        return ngettext(
            "that is %s game more than a plain test takes (5%% error, 95%% power)",
            "that is %s games more than a plain test takes (5%% error, 95%% power)",
            -saved,
        ) % number(-saved)
    return ngettext(
        "%s game saved against a plain test (5%% error, 95%% power)",
        "%s games saved against a plain test (5%% error, 95%% power)",
        saved,
    ) % number(saved)


def _floor_words(result: MatchResult, floor: Floor) -> str:
    if floor.outcome is Outcome.UNDECIDED:
        return _("undecided: nothing was played")
    said = {
        "name": isolate(result.players[0].name),
        "rate": ltr(percent(floor.rate, 2)),
        "floor": ltr(percent(floor.floor, 2)),
        "low": ltr(percent(floor.interval[0], 2)),
        "high": ltr(percent(floor.interval[1], 2)),
    }
    if floor.outcome is Outcome.FAIL:
        line = _("%(name)s wins %(rate)s, less than %(floor)s")
    else:
        line = _("%(name)s wins %(rate)s, no less than %(floor)s")
    certain = _("the 95%% interval, %(low)s to %(high)s, leaves no doubt")
    doubtful = _("the 95%% interval, %(low)s to %(high)s, does not exclude the opposite")
    return f"{line % said}; {(certain if floor.certain else doubtful) % said}"
