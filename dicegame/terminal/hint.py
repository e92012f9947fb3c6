"""The word `hint`: the best decisions with their chances to win, what the others cost, and why; before dice, how the game stands."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from dicegame.games.base import Decision, Phase
from dicegame.games.highdice import HighDice
from dicegame.games.pushluck import PushLuck, PushLuckState
from dicegame.terminal.advice import Adviser, shown
from dicegame.terminal.layout import unbroken
from dicegame.terminal.reasons import why
from dicegame.text import _, decimal, join, ltr, number
from dicegame.values.judging import Judge, Valued
from dicegame.values.turn import Turn

if TYPE_CHECKING:  # the table imports this module when it is asked for a hint
    from dicegame.terminal.table import Place, Table

BEST = 4  # decisions that are listed, besides the tempting ones
BEST_TURNS = 3


def say_hint(table: Table, place: Place) -> None:
    """Say what is best in a place, or how the game stands where dice are awaited."""
    adviser, state = table.adviser, place.state
    if state.phase is not Phase.DECIDE:
        say_standing(table, state)
    elif adviser.judge is not None:
        _say_best(table, adviser.judge, place)
    else:
        say_unknown(table)
        if isinstance(adviser.engine, PushLuck) and adviser.turn is not None:
            _say_most_points(table, adviser.engine, state, adviser.turn)


def say_standing(table: Table, state: Any) -> None:  # noqa: ANN401 - any engine's
    """Say the chances to win as the game stands: of everyone, or of the seat to roll where only that is known."""
    adviser, judge = table.adviser, table.adviser.judge
    if judge is None:
        say_unknown(table)
        return
    left = [seat for seat, out in enumerate(state.out) if not out]
    known = left if len(left) == 2 or isinstance(adviser.engine, HighDice) else [state.seat]
    chances = [unbroken(f"{table.screen.name(seat)} {shown(judge.chance(state, seat))}") for seat in known]
    table.console.say(_("The chance to win now, if all play their best: %s") % join(chances))
    _say_caveat(table, state)


def say_unknown(table: Table) -> None:
    """Say why this game can't be judged."""
    table.console.say(_("The chance to win is not known here: %s.") % table.adviser.refusal, fg="yellow")


def _say_caveat(table: Table, state: Any) -> None:  # noqa: ANN401 - any engine's
    caveat = table.adviser.caveat(state)
    if caveat is not None:
        table.console.say(caveat)


def _say_best(table: Table, judge: Judge, place: Place) -> None:
    adviser, console = table.adviser, table.console
    valued = judge.decisions(place.state)
    best = valued[0]
    console.say(_("The best here, with the chance to win if all play their best:"), bold=True)
    for found in _listed(adviser, valued, place):
        said = {"decision": adviser.said(found.decision), "chance": shown(found.value)}
        message = _("%(decision)s: %(chance)s, costs %(cost)s of the games")
        if found is best:
            message = _("%(decision)s: %(chance)s")
        elif adviser.alike(found.value, best.value):
            message = _("%(decision)s: %(chance)s, just as good")
        else:
            said["cost"] = shown(best.value - found.value)
        console.say(message % said, indent=2)
    for better, other in _compared(adviser, valued, place):
        say_why(table, judge, place.state, better, other)
    _say_caveat(table, place.state)


def say_why(table: Table, judge: Judge, state: Any, better: Valued, other: Valued) -> None:  # noqa: ANN401 - any engine's
    """Say why one decision is better than another, where something simple tells it."""
    adviser = table.adviser
    reason = why(table.screen, judge, adviser.engine, state, better, other)
    if reason is not None:
        said = {"better": adviser.said(better.decision), "other": adviser.said(other.decision), "why": reason}
        table.console.say(_("%(better)s rather than %(other)s: %(why)s.") % said)


def _listed(adviser: Adviser, valued: list[Valued], place: Place) -> list[Valued]:
    """Return the decisions that are listed: the best, the tempting one, and what can follow the dice that are kept."""
    listed = [*valued[:BEST], *_tempting(adviser, valued), *_of_kept(valued, place)]
    return [found for found in valued if found in listed]


def _of_kept(valued: list[Valued], place: Place) -> list[Valued]:
    return [found for found in valued if found.decision.keep == place.kept]


def _tempting(adviser: Adviser, valued: list[Valued]) -> list[Valued]:
    """Return the decision that somebody might make instead of the best: to bank rather than roll or the reverse, or to stand pat."""
    if isinstance(adviser.engine, HighDice):
        return [found for found in valued[1:] if len(found.decision.keep) == adviser.engine.rules.dice][:1]
    return [found for found in valued if found.decision.bank is not valued[0].decision.bank][:1]


def _compared(adviser: Adviser, valued: list[Valued], place: Place) -> list[tuple[Valued, Valued]]:
    """Return the pairs, the better one first, whose difference is explained."""
    best = valued[0]
    worse = [found for found in valued if not adviser.alike(found.value, best.value)]
    pairs = [(best, other) for other in worse[:1]]
    pairs += [(best, other) for other in _tempting(adviser, valued) if other in worse[1:]]
    kept = _of_kept(valued, place)
    if len(kept) == 2 and best is not kept[0] and not adviser.alike(kept[0].value, kept[1].value):
        pairs.append((kept[0], kept[1]))
    return pairs


def _say_most_points(table: Table, engine: PushLuck, state: PushLuckState, turn: Turn) -> None:
    """Say what makes the most points in a turn, where nothing tells the chance to win."""
    console = table.console
    if turn.most_points == math.inf:
        console.say(_("A turn can go on for ever without a bust: there is no most that it makes."))
        return
    found: list[tuple[float, Decision]] = []
    for option in engine.options(state):
        total = state.turn_points + option.points
        found += [(total, Decision(option.keep, bank=True))] if option.bank else []
        found.append((turn.rolling(option.roll, total), Decision(option.keep)))
    found.sort(key=lambda pair: -pair[0])
    console.say(_("The most points of this turn on average (that is not the chance to win):"), bold=True)
    for points, decision in found[:BEST_TURNS]:
        amount = number(int(points)) if decision.bank else ltr(decimal(points, 1))
        said = {"decision": table.adviser.said(decision), "points": amount}
        console.say(_("%(decision)s: %(points)s") % said, indent=2)
    console.say(_("Scores, a first bank and house rules are left out here."))
