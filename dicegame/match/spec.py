"""What a match is, from the words of whoever wants one: the command line's, or those of a program that uses the library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dicegame.errors import PlayerError
from dicegame.games.base import check_seats
from dicegame.match.play import MatchSpec, Records
from dicegame.players.specs import names, parse
from dicegame.players.treatment import Treatment
from dicegame.rules.load import load, presets
from dicegame.text import _


def make_spec(
    players: Sequence[str],
    source: str,
    changes: Sequence[str] = (),
    target: int | None = None,
    *,
    options: Sequence[str] = (),
    treatment: Treatment | None = None,
    records: bool = False,
    predictable: bool = False,
    luck: str | None = None,
) -> MatchSpec:
    """Return what is played.

    Args:
        players: PLAYER words, each perhaps with a name.
        source: the rule set's name or file.
        changes: changes of its fields, such as `score.three_pairs=1500`.
        target: another target.
        options: what the command line says of all this, for the command that plays a game again.
        treatment: how external bots are treated.
        records: whether the record of every game is kept.
        predictable: whether the dice are made from a text.
        luck: the player by whose table luck is measured.

    Raises:
        InputError: the rules or a player are wrong, or do not fit together.
    """
    rules = load(source, changes, target)
    specs = [parse(word) for word in players]
    check_seats(rules, len(specs))
    if any(spec.person for spec in specs):
        raise PlayerError(_("a match is played by programs: no human, no client"))
    return MatchSpec(
        rules=rules,
        words=tuple(spec.word for spec in specs),
        names=tuple(names(specs)),
        treatment=treatment or Treatment(),
        records=Records.WHOLE if records else Records.NONE,
        predictable=predictable,
        source=source if source in presets() else str(Path(source).absolute()),
        options=tuple(options),
        luck=luck,
    )
