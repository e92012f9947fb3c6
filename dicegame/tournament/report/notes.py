"""What is said of a tournament in sentences and in pairs of a word and a value: the same on a terminal and in the page."""

from __future__ import annotations

from dicegame.text import _, clean, decimal, isolate, ltr, ngettext, number, percent, quote
from dicegame.tournament.plan import Plan
from dicegame.tournament.report.overview import Overview
from dicegame.tournament.report.words import format_word, rate

SHOWN_ASIDE = 20  # blocks set aside that are told one by one
_WHY = 300  # characters of why one is


def headline(told: Overview) -> str:
    """Return what is played, in one line."""
    said = {
        "rules": isolate(clean(told.plan.rules.name)),
        "format": format_word(told.plan.format),
        "entrants": entrants(len(told.entrants)),
        "seats": seats(told.plan.seats),
    }
    return _("%(rules)s, %(format)s; %(entrants)s, %(seats)s") % said


def entrants(count: int) -> str:
    """Return a number of entrants in words."""
    return ngettext("%s entrant", "%s entrants", count) % number(count)


def seats(count: int) -> str:
    """Return in words how many sit at a table."""
    return ngettext("%s seat at a table", "%s seats at a table", count) % number(count)


def games(told: Overview) -> str:
    """Return in words how much is played, and of how much."""
    progress = told.progress
    said = {"played": number(progress.games_played), "planned": number(progress.games_planned)}
    said |= {"share": ltr(percent(progress.games_played / max(progress.games_planned, 1), 0))}
    if progress.games_played == progress.games_planned:
        return ngettext("%(played)s game played", "%(played)s games played", progress.games_played) % said
    return _("%(played)s of %(planned)s games played (%(share)s)") % said


def state(told: Overview) -> str:
    """Return in words whether it is over."""
    progress = told.progress
    if progress.running:
        return _("It is being played now.")
    if progress.complete and not progress.whole:
        return _("This part is complete; others are in other files.")
    if progress.complete:
        return _("It is complete.")
    return _("It is not complete: `tournament resume` goes on with it.")


def notes(told: Overview) -> list[str]:
    """Return what should be known of the results: void games, blocks set aside, suspicious machines, how bots were kept apart."""
    progress = told.progress
    found = []
    if progress.void:
        message = ngettext("%s game was void and played again", "%s games were void and played again", progress.void)
        found.append(message % number(progress.void))
    if progress.set_aside:
        count = len(progress.set_aside)
        message = ngettext(
            "%s block could not be played and was set aside:",
            "%s blocks could not be played and were set aside:",
            count,
        )
        found.append(message % number(count))
        for block in progress.set_aside[:SHOWN_ASIDE]:
            said = {"pairing": ltr(clean(block.pairing)), "block": number(block.block), "why": quote(block.why, _WHY)}
            found.append(_("pairing %(pairing)s, block %(block)s: %(why)s") % said)
        if count > SHOWN_ASIDE:
            found.append(_("and %s more") % number(count - SHOWN_ASIDE))
    for suspect in told.suspects:
        said = {
            "worker": quote(suspect.worker),
            "share": rate(suspect.share),
            "expected": rate(suspect.expected),
            "blocks": number(suspect.blocks),
            "chance": ltr(f"{suspect.chance:.1g}".replace(".", decimal(0.1, 1)[1])),
        }
        found.append(
            _(
                "The machine %(worker)s plays unlike the others: in its %(blocks)s blocks the first entrant won %(share)s, elsewhere "
                "%(expected)s; that comes by chance with probability %(chance)s. Its games may be wrong."
            )
            % said
        )
    if any(row.decision_ms for row in told.standings.rows) and told.containment != ["bwrap"]:
        found.append(_("Without a sandbox a bot could leave notes for itself between the rotations of a block."))
    if told.plan.predictable:
        found.append(_("The dice come from a seed that can be guessed."))
    return found


def facts(told: Overview) -> list[tuple[str, list[str]]]:
    """Return how the tournament was set up, and what proves its dice: a word and its values each; the values are no sentences."""
    plan = told.plan
    found: list[tuple[str, list[str]]] = [
        (_("Rules"), [ltr(" ".join([clean(plan.source), *map(clean, plan.options)]))]),
        (_("Blocks a pairing"), [_blocks(plan)]),
    ]
    if plan.luck is not None:
        found.append((_("Luck measured by"), [ltr(clean(plan.luck))]))
    found += [
        (_("Containment of the bots"), [ltr(clean(level)) for level in told.containment]),
        (_("Commitment of the dice seed"), list(map(ltr, told.commitments))),
        (_("Dice seed"), [_("not opened yet")] if told.seeds is None else [ltr(clean(seed)) for seed in told.seeds]),
    ]
    return [(word, values) for word, values in found if values]


def _blocks(plan: Plan) -> str:
    if plan.precision is None:
        return number(plan.blocks)
    said = {"blocks": number(plan.blocks), "precision": rate(plan.precision)}
    return _("at most %(blocks)s, until the interval is as narrow as %(precision)s to either side") % said
