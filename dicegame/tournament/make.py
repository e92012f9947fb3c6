"""Begin a tournament: its file made from a plan, entrants and a dice seed; and compare one that is there with a plan."""

from __future__ import annotations

import os
import re
from pathlib import Path

from dicegame.dice import commitment, new_seed, seed_from_text
from dicegame.errors import InputError, StoreError
from dicegame.text import _, join, ltr, quote
from dicegame.tournament.plan import Format, TournamentFile, entrants_of, make_plan, read_file
from dicegame.tournament.store import Store


def make(
    path: Path,
    file: TournamentFile,
    folder: Path | None = None,
    seed: bytes | None = None,
    text: str | None = None,
    *,
    shard: tuple[int, int] = (1, 1),
) -> Store:
    """Make the store of a new tournament.

    Args:
        path: where; nothing may be there.
        file: the tournament, as read from a file or made from options.
        folder: what paths in it count from; the current one unless given.
        seed: the dice seed; a new one that nobody knows unless given.
        text: what the seed was made from, where it can be guessed.
        shard: which part of the blocks is played here, from 1, and of how many.

    Raises:
        PlanError: something in the plan is wrong.
        PlayerError: a player's word names nobody.
        StoreError: there is a file already, or it can't be written.
    """
    entrants = entrants_of(file.entrant, folder)
    plan = make_plan(file, entrants, folder)
    if shard[1] > 1 and (plan.format in {Format.SWISS, Format.KNOCKOUT} or plan.precision is not None):
        raise InputError(_("a tournament whose next games depend on the results so far can't be split into parts"))
    return Store.make(path, plan, entrants, seed or dice_seed(text), text, shard=shard)


def check_same(store: Store, path: Path) -> None:
    """Refuse a tournament that is not the one of a file.

    Raises:
        StoreError: the plan or the entrants differ; says in what.
    """
    file, folder = read_file(path), path.absolute().parent
    entrants = entrants_of(file.entrant, folder)
    changed = store.reader.plan.changes(make_plan(file, entrants, folder))
    text = file.tournament.seed
    if text is not None and commitment(seed_from_text(text)) not in store.reader.commitments():
        changed.append("seed")
    here = {entrant.name: entrant for entrant in store.reader.entrants()}
    there = {entrant.name: entrant for entrant in entrants}
    for name in dict.fromkeys((*here, *there)):
        one, other = here.get(name), there.get(name)
        if one is None or other is None or (one.word, one.identity) != (other.word, other.identity):
            changed.append(name)
    if changed:
        message = _("%(file)s is not the tournament of %(store)s: changed are %(what)s")
        said = {"file": quote(str(path)), "store": quote(str(store.path)), "what": join([quote(c) for c in changed])}
        raise StoreError(message % said, changed=changed)


def dice_seed(text: str | None = None, path: Path | None = None, *, shared: bool = False) -> bytes:
    """Return the dice seed: that of a text, that of a file (which is written, for its owner only, where there is none), or a new one.

    Raises:
        InputError: both are given; the file can't be read or written; or a seed that is shared between parts is new.
    """
    if text is not None and path is not None:
        raise InputError(_("the dice come from a text or from a file, not from both"))
    if text is not None:
        return seed_from_text(text)
    if path is not None:
        return _seed_of_file(path)
    if shared:
        raise InputError(
            _(
                "all parts of a tournament need the same dice: give each the same --seed-file, and copy it to every machine"
            )
        )
    return new_seed()


def _seed_of_file(path: Path) -> bytes:
    try:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            found = re.fullmatch(r"\s*([0-9a-fA-F]{64})\s*", path.read_text(encoding="ascii", errors="replace"))
            if found is None:
                raise InputError(_("%s is no seed file: it holds 64 hexadecimal digits") % quote(str(path))) from None
            return bytes.fromhex(found.group(1))
        seed = new_seed()
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(seed.hex() + "\n")
    except OSError as error:
        said = {"file": quote(str(path)), "reason": error.strerror or str(error)}
        raise InputError(_("can't read or write %(file)s: %(reason)s") % said) from error
    return seed


def parse_shard(text: str) -> tuple[int, int]:
    """Return which part, and of how many, a text such as `1/3` names.

    Raises:
        InputError: it names none.
    """
    found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text, re.ASCII)
    part, shards = (int(group) for group in found.groups()) if found else (0, 0)
    if not 1 <= part <= shards:
        raise InputError(_("%(text)s is no part: such as %(right)s") % {"text": quote(text), "right": ltr("1/3")})
    return part, shards
