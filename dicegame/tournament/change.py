"""Change a tournament that stands: more entrants, more blocks, an entrant less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dicegame.errors import InputError
from dicegame.text import _, join, quote
from dicegame.tournament.deal import FIRST_LOOK
from dicegame.tournament.formats import schedule
from dicegame.tournament.plan import EntrantTable, Format, check_more, entrants_of
from dicegame.tournament.store import Store
from dicegame.tournament.sums import Entrant


def add_entrants(store: Store, tables: Sequence[EntrantTable]) -> list[Entrant]:
    """Add entrants to a tournament and return them; in a Swiss one they join the next round.

    Raises:
        InputError: the bracket of a knockout is drawn, or the tournament is split into parts.
        PlayerError: a word names nobody, or a name is taken.
        PlanError: there would be too many pairings.
    """
    plan = store.reader.plan
    if plan.format is Format.KNOCKOUT and store.reader.pairings():
        raise InputError(_("a knockout takes no more entrants: its bracket is drawn"))
    _refuse_parts(store)
    before = store.reader.entrants()
    check_more(plan, len(before) + len(tables))
    added = entrants_of(tables, None, before)
    store.add_entrants(added)
    store.seed()
    if plan.format in {Format.ROUND_ROBIN, Format.GAUNTLET}:
        known = store.reader.pairings()
        most = max((pairing.blocks for pairing in known), default=plan.blocks)
        if plan.precision is not None:
            most = min(plan.blocks, FIRST_LOOK)
        store.pair(schedule(plan, [*before, *added], known, {}, blocks=most))
    return added


def add_blocks(store: Store, blocks: int) -> None:
    """Let every pairing play so many blocks more, but for those of withdrawn entrants.

    Raises:
        InputError: the format has rounds, or a precision says how many blocks are played.
    """
    plan = store.reader.plan
    if plan.format in {Format.SWISS, Format.KNOCKOUT}:
        raise InputError(
            _("more blocks are for round robins and gauntlets: here they would change rounds that are over")
        )
    if plan.precision is not None:
        raise InputError(_("here the precision says how many blocks are played"))
    _refuse_parts(store)
    gone = {entrant.number for entrant in store.reader.entrants() if entrant.withdrawn}
    store.seed()
    known = store.reader.pairings() or schedule(plan, store.reader.entrants(), [], {})
    longer = [replace(p, blocks=p.blocks + blocks) for p in known if gone.isdisjoint(p.entrants)]
    store.pair(longer)


def withdraw(store: Store, name: str) -> None:
    """Withdraw an entrant.

    Raises:
        InputError: nobody has this name.
    """
    entrants = store.reader.entrants()
    found = next((entrant for entrant in entrants if entrant.name == name), None)
    if found is None:
        known = join([quote(entrant.name) for entrant in entrants])
        raise InputError(_("there is no entrant %(name)s; there are %(known)s") % {"name": quote(name), "known": known})
    store.withdraw(found.number)


def _refuse_parts(store: Store) -> None:
    if store.reader.shard()[0] > 1:
        raise InputError(_("a tournament in parts can't be added to: every part would have to be"))
