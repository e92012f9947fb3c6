"""A match for people: how far it is while it is played, and what it came to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import click

from dicegame.match.bundles import Bundle
from dicegame.match.result import MatchResult, PlayerResult
from dicegame.terminal.layout import say
from dicegame.terminal.progress import Progress
from dicegame.text import _, decimal, isolate, ltr, ngettext, number, percent

SHOWN_FAULTS = 3


class GamesPlayed(Progress):
    """Shows how many games of a match are played."""

    def __init__(self, games: int) -> None:
        super().__init__(_("games"), games)
        self._games = games

    def show(self, result: MatchResult) -> None:
        """Show how far the match is."""

        def line() -> str:
            rate = result.games / max(result.seconds, 1e-9)
            said = {"done": number(result.games), "games": number(self._games), "rate": ltr(decimal(rate, 1))}
            return _("%(done)s of %(games)s games, %(rate)s a second") % said

        self.at(result.games, line)


def say_match(result: MatchResult) -> None:
    """Print what a match came to: a paragraph a player, the containment of bots, and the first faults."""
    said = {"rules": isolate(result.spec.rules.name), "blocks": number(result.blocks), "games": number(result.games)}
    say(_("%(rules)s: %(games)s games in %(blocks)s blocks of rotated seats") % said)
    for place, player in enumerate(result.players):
        _say_wins(result, place, player)
        _say_adjusted(result, place)
        _say_usage(player)
        for code, count in sorted(player.faults.items()):
            said = {"code": ltr(code), "n": number(count)}
            say(ngettext("%(code)s: %(n)s fault", "%(code)s: %(n)s faults", count) % said, indent=2)
    _say_containment(result)
    shown = result.reports[:SHOWN_FAULTS]
    for bundle, following in zip_longest(shown, shown[1:]):
        _say_fault(bundle)
        if following is None or following.again != bundle.again:
            click.echo(f"  {ltr(bundle.again)}")  # whole, since it is copied


def say_exact(rules: str, names: Sequence[str], first: float, second: float) -> None:
    """Print the exact chances of two players; `first` is that of the first one where it moves first, `second` where it does not."""
    say(_("%(rules)s: exact chances to win, a tie counting one half") % {"rules": isolate(rules)})
    for name, moving, answering in ((names[0], first, second), (names[1], 1 - second, 1 - first)):
        said = {
            "name": isolate(name),
            "rate": ltr(percent((moving + answering) / 2, 4)),
            "first": ltr(percent(moving, 4)),
            "second": ltr(percent(answering, 4)),
        }
        say(_("%(name)s: wins %(rate)s; moving first %(first)s, second %(second)s") % said, hang=2)


def _say_wins(result: MatchResult, place: int, player: PlayerResult) -> None:
    low, high = result.interval(place)
    games = max(result.games, 1)
    said = {
        "name": isolate(player.name),
        "rate": ltr(percent(player.wins / games)),
        "low": ltr(percent(low)),
        "high": ltr(percent(high)),
        "wins": ltr(decimal(player.wins, 1)),
        "score": ltr(decimal(player.score / games, 1)),
    }
    line = _("%(name)s: wins %(rate)s (95%% interval %(low)s to %(high)s), %(wins)s games; mean score %(score)s")
    say(line % said, hang=2)


def _say_adjusted(result: MatchResult, place: int) -> None:
    adjusted = result.adjusted(place)
    if adjusted is None:
        return
    said = {"rate": ltr(percent(adjusted.rate, 2))}
    raw = result.standard_error(place)
    if adjusted.standard_error is None or raw is None:
        say(_("luck taken out: wins %(rate)s") % said, indent=2, hang=2)
        return
    low, high = adjusted.interval
    said |= {"low": ltr(percent(low, 2)), "high": ltr(percent(high, 2))}
    say(_("luck taken out: wins %(rate)s (95%% interval %(low)s to %(high)s)") % said, indent=2, hang=2)
    errors = {"raw": ltr(percent(raw, 2)), "adjusted": ltr(percent(adjusted.standard_error, 2))}
    say(_("standard error: %(raw)s plain, %(adjusted)s with luck taken out") % errors, indent=2, hang=2)


def _say_usage(player: PlayerResult) -> None:
    times = player.usage.times
    if not times.count:
        return
    used = {
        "median": ltr(decimal(times.quantile(0.5) * 1000, 3)),
        "p99": ltr(decimal(times.quantile(0.99) * 1000, 3)),
        "memory": ltr(decimal(player.usage.memory / (1 << 20), 1)),
        "off": ltr(decimal(player.usage.off_turn_cpu, 2)),
    }
    line = _(
        "a decision: median %(median)s ms, 99%% under %(p99)s ms; memory %(memory)s MiB; %(off)s s of processor time off turn"
    )
    say(line % used, indent=2, hang=2)


def _say_fault(bundle: Bundle) -> None:
    fault = bundle.fault
    said = {"name": isolate(bundle.player), "game": ltr(fault.game), "fault": isolate(str(fault))}
    say(_("%(name)s, game %(game)s: %(fault)s") % said, hang=2)


def _say_containment(result: MatchResult) -> None:
    if any(player.usage.ready or player.faults["start_failed"] for player in result.players):
        say(_("containment of the bots: %s") % ltr(result.level))
        if result.level != "bwrap":
            say(_("Without a sandbox a bot could leave notes for itself between the rotations of a block."))
    if result.void:
        say(
            ngettext("%s game was void and played again", "%s games were void and played again", result.void)
            % number(result.void)
        )
