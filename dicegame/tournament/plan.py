"""What a tournament is: its file, read and checked, and the plan that is kept with the games and never changes."""

from __future__ import annotations

import hashlib
import json
import math
import re
import shlex
import tomllib
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dicegame.errors import Fault, PlanError, PlayerError
from dicegame.games import engine_for
from dicegame.games.base import check_seats
from dicegame.match.play import Records
from dicegame.players.bots import build, identity, path_of
from dicegame.players.builtin import BUILT_INS
from dicegame.players.factory import external
from dicegame.players.python import PREFIX
from dicegame.players.sandbox import Limits as BotLimits
from dicegame.players.sandbox import Sandbox
from dicegame.players.specs import MAX_NAME, Spec, names, parse
from dicegame.players.treatment import Clock, OnFault, Treatment
from dicegame.record.lines import is_person
from dicegame.rules.load import as_data, check, count_of, fault_of, load, presets
from dicegame.rules.model import MAX_SEATS, RuleSet
from dicegame.text import N_, _, clean, join, number, quote
from dicegame.tournament.sums import Entrant
from dicegame.values.judges import luck_judge

MAX_BYTES = 1 << 20
MOST_BLOCKS = 1_000_000_000
MOST_ENTRANTS = 1000
MOST_PAIRINGS = 50_000  # of a round robin or a gauntlet: about 300 entrants by two
_Text = Annotated[str, Field(min_length=1, max_length=4096)]
_Milliseconds = Annotated[int, Field(ge=0, le=86_400_000)]


class Format(StrEnum):
    """Who plays whom: everyone against everyone; some against all others; rounds of near equals; the winner goes on."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    KNOCKOUT = "knockout"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class LimitsTable(_Table):
    """`[limits]`: how bots are treated, in the words of the options of `match`."""

    decision_ms: Annotated[int, Field(ge=1, le=86_400_000)] = 1000
    reserve_ms: _Milliseconds = 10_000
    start_ms: Annotated[int, Field(ge=1, le=86_400_000)] = 10_000
    clock: bool = True
    sandbox: Literal["auto", "bwrap", "none", "require"] = "auto"
    memory: Annotated[int, Field(ge=16, le=1 << 20)] = 512
    on_fault: Literal["forfeit", "substitute"] = "forfeit"
    freeze: bool = False

    def treatment(self) -> Treatment:
        """Return how bots are treated."""
        clock = Clock(self.start_ms, self.decision_ms, self.reserve_ms, running=self.clock)
        limits = BotLimits(memory=self.memory)
        return Treatment(clock, Sandbox(self.sandbox), limits, None, self.freeze, OnFault(self.on_fault))

    def options(self) -> list[str]:
        """Return the options that treat the bots of a single game so."""
        words: list[str] = []
        for name, value in self.model_dump(exclude_defaults=True).items():
            option = "--no-clock" if name == "clock" else "--" + name.replace("_", "-")
            words += [option] if isinstance(value, bool) else [option, str(value)]
        return words


class TournamentTable(_Table):
    """`[tournament]`: what is played, by which format, and how much of it."""

    name: Annotated[str, Field(min_length=1, max_length=100)] = "tournament"
    rules: _Text = "ten-thousand"
    set: list[_Text] = Field(default_factory=list)
    target: int | None = None
    format: Literal["round-robin", "gauntlet", "swiss", "knockout"] = "round-robin"
    seats: Annotated[int, Field(ge=2, le=MAX_SEATS)] = 2
    blocks: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = 100
    rounds: Annotated[int, Field(ge=1, le=1000)] | None = None
    challengers: Annotated[list[_Text], Field(min_length=1)] | None = None
    precision: Annotated[float, Field(gt=0, lt=0.5)] | None = None
    seed: str | None = None
    luck: _Text | None = None
    records: Literal["all", "faults", "none"] = "all"


class EntrantTable(_Table):
    """`[[entrant]]`: a name, and the player as everywhere on the command line; paths count from the file's folder."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)] | None = None
    player: _Text


class TournamentFile(_Table):
    """A whole tournament file."""

    tournament: TournamentTable = Field(default_factory=TournamentTable)
    limits: LimitsTable = Field(default_factory=LimitsTable)
    entrant: Annotated[list[EntrantTable], Field(max_length=MOST_ENTRANTS)] = Field(default_factory=list)


class Plan(BaseModel):
    """All of a tournament but its entrants: what the store keeps, and what a resumed one must not have changed.

    `source` and `options` name the rules and changes as the command line does, `rules_data` is the whole rule set as data. `seats` is
    how many sit at a table, `blocks` how many each pairing plays (with `precision`, at most), `challengers` the names that a gauntlet
    is run by. `luck` is the player by whose table luck is measured and `luck_checksum` that of the table.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    source: str
    options: tuple[str, ...] = ()
    rules_data: dict[str, Any]
    format: Format
    seats: int
    blocks: int
    rounds: int | None = None
    challengers: tuple[str, ...] = ()
    precision: float | None = None
    predictable: bool = False
    luck: str | None = None
    luck_checksum: str | None = None
    records: Records
    limits: LimitsTable

    @cached_property
    def rules(self) -> RuleSet:
        """The rule set, checked again."""
        return check(self.rules_data, quote(self.source))

    @property
    def hash(self) -> str:
        """The hash of everything in the plan."""
        return hashlib.sha256(self.as_text().encode()).hexdigest()

    def as_text(self) -> str:
        """Return the plan as canonical JSON."""
        return json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    def changes(self, other: Plan) -> list[str]:
        """Return the names of the fields in which another plan differs."""
        return [field for field in type(self).model_fields if getattr(self, field) != getattr(other, field)]


def read_file(path: Path) -> TournamentFile:
    """Read a tournament file.

    Raises:
        PlanError: it can't be read, or is wrong; with every fault.
    """
    shown = quote(str(path))
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise PlanError(_("%s is too large to be a tournament file") % shown)
        data = tomllib.loads(raw.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or clean(str(error))
        raise PlanError(_("can't read %(file)s: %(reason)s") % {"file": shown, "reason": reason}) from error
    return check_file(data, str(path))


def check_file(data: dict[str, Any], where: str) -> TournamentFile:
    """Return the tournament file that `data` is; `where` names it in the error.

    Raises:
        PlanError: it is wrong; with every fault.
    """
    try:
        return TournamentFile.model_validate(data)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)[:100]
        faults = [fault_of(TournamentFile, detail, N_("is no field of a tournament file")) for detail in details]
    raise PlanError(count_of(where, faults), tuple(faults))


def make_plan(file: TournamentFile, entrants: Sequence[Entrant], folder: Path | None = None) -> Plan:
    """Return the plan of a tournament, with all that its file leaves to be found out.

    Args:
        file: the file, checked.
        entrants: who takes part.
        folder: what a rule set's file is looked for in; the current one where there was no tournament file.

    Raises:
        DicegameError: the rules can't be played so, or the file asks for what its format does not have.
    """
    table = file.tournament
    source = table.rules
    if folder is not None and source not in presets() and (folder / source).is_file():
        source = str((folder / source).absolute())
    rules = load(source, table.set, table.target)
    check_seats(rules, table.seats)
    _check_format(table, entrants)
    changes = [word for change in table.set for word in ("--set", change)]
    target = [] if table.target is None else ["--target", str(table.target)]
    checksum = None
    if table.luck is not None:
        checksum = luck_judge(engine_for(rules), table.seats, table.luck).checksum
    return Plan(
        name=clean(table.name),
        source=source,
        options=(*changes, *target, *file.limits.options()),
        rules_data=as_data(rules),
        format=Format(table.format),
        seats=table.seats,
        blocks=table.blocks,
        rounds=table.rounds,
        challengers=_challengers(table, entrants),
        precision=table.precision,
        predictable=table.seed is not None,
        luck=table.luck,
        luck_checksum=checksum,
        records=Records(table.records),
        limits=file.limits,
    )


def _challengers(table: TournamentTable, entrants: Sequence[Entrant]) -> tuple[str, ...]:
    if Format(table.format) is not Format.GAUNTLET:
        return ()
    return tuple(table.challengers) if table.challengers else (entrants[0].name,)


def _check_format(table: TournamentTable, entrants: Sequence[Entrant]) -> None:
    """Refuse what the format does not have.

    Raises:
        PlanError: with every fault.
    """
    faults = []
    form = Format(table.format)
    two = form in {Format.SWISS, Format.KNOCKOUT}
    if two and table.seats != 2:
        faults.append(Fault("tournament.seats", _("a Swiss or knockout tournament is played by two at a table"), "2"))
    if two and table.precision is not None:
        faults.append(Fault("tournament.precision", _("is for round robins and gauntlets"), _("leave it out")))
    if table.rounds is not None and form is not Format.SWISS:
        faults.append(Fault("tournament.rounds", _("is for Swiss tournaments"), _("leave it out")))
    if table.challengers is not None and form is not Format.GAUNTLET:
        faults.append(Fault("tournament.challengers", _("is for gauntlets"), _("leave it out")))
    known = [entrant.name for entrant in entrants]
    strangers = [name for name in table.challengers or () if name not in known]
    if strangers:
        said = _("there is no entrant %s") % join([quote(name) for name in strangers])
        faults.append(Fault("tournament.challengers", said, _("one of %s") % join([quote(name) for name in known])))
    if len(entrants) < table.seats:
        faults.append(Fault("entrant", _("has too few entries"), _("at least as many as sit at a table")))
    elif pairings_of(form, table.seats, len(entrants), len(set(table.challengers or ())) or 1) > MOST_PAIRINGS:
        faults.append(_too_many())
    if faults:
        raise PlanError(count_of("tournament", faults), tuple(faults))


def pairings_of(form: Format, seats: int, entrants: int, challengers: int) -> int:
    """Return how many pairings there are from the start, where so many take part; 0 where they follow round by round."""
    if form is Format.ROUND_ROBIN:
        return math.comb(entrants, seats)
    if form is Format.GAUNTLET:
        return math.comb(entrants, seats) - math.comb(entrants - challengers, seats)
    return 0


def check_more(plan: Plan, entrants: int) -> None:
    """Refuse entrants with whom the pairings of a tournament that stands would be too many.

    Raises:
        PlanError: they would.
    """
    if (
        entrants > MOST_ENTRANTS
        or pairings_of(plan.format, plan.seats, entrants, len(plan.challengers)) > MOST_PAIRINGS
    ):
        raise PlanError(count_of("tournament", [_too_many()]), (_too_many(),))


def _too_many() -> Fault:
    right = _("at most %s of them: fewer entrants, a gauntlet, or a Swiss tournament") % number(MOST_PAIRINGS)
    return Fault("entrant", _("makes too many pairings"), right)


def entrants_of(
    tables: Iterable[EntrantTable], folder: Path | None = None, before: Sequence[Entrant] = ()
) -> list[Entrant]:
    """Return who takes part: each PLAYER word settled and known by its hash, no two names alike.

    Args:
        tables: what the file, or the command line, says of each.
        folder: where paths count from; the current folder where there was no file.
        before: who takes part already; the new ones are numbered after them.

    Raises:
        PlayerError: a word names nobody, or a person.
    """
    specs = [_spec(table, folder) for table in tables]
    named = [Spec(entrant.word, entrant.name) for entrant in before]
    wanted = names([*named, *specs])[len(before) :]
    twice = [spec.name for spec, name in zip(specs, wanted, strict=True) if spec.name not in {None, name}]
    if twice:
        raise PlayerError(_("two entrants have the name %s") % quote(str(twice[0])))
    return [
        Entrant(place, name, spec.word, identity_of(spec.word))
        for place, (spec, name) in enumerate(zip(specs, wanted, strict=True), len(before) + 1)
    ]


def identity_of(word: str) -> str | None:
    """Return what tells an external bot from a changed one, built first where it must be; None for other players.

    Raises:
        PlayerError: the bot is not there any more, or can't be built.
    """
    program = external(word)
    if program is None:
        return None
    build(program)
    try:
        return identity(program)
    except OSError as error:
        values = {"file": quote(word), "reason": error.strerror or str(error)}
        raise PlayerError(_("can't read %(file)s: %(reason)s") % values) from error


def _settled(word: str, folder: Path) -> str:
    """Return a PLAYER word in which the files of `folder` are absolute: a tournament is gone on with from anywhere."""
    named = re.fullmatch(r"([\w-]+=)(.*)", word, re.DOTALL)
    if named:
        return named.group(1) + _settled(named.group(2), folder)
    if word.startswith(PREFIX) or is_person(word) or word.split(":", maxsplit=1)[0] in BUILT_INS:
        return word
    try:
        whole = folder / path_of(word)
        if whole.exists():
            return str(whole)
        parts = shlex.split(word)
        settled = [
            str(folder / part) if _is_file_of(folder, part, first=not at) else part for at, part in enumerate(parts)
        ]
    except (OSError, ValueError, RuntimeError):  # no path at all: whoever looks for the player says so
        return word
    return word if settled == parts else shlex.join(settled)


def _is_file_of(folder: Path, part: str, *, first: bool) -> bool:
    """Say whether a word of a command names a file of the folder; its `first` one is looked for on the path unless it names a folder."""
    return (not first or "/" in part) and (folder / part).is_file()


def _spec(table: EntrantTable, folder: Path | None) -> Spec:
    spec = parse(_settled(table.player, folder or Path.cwd()))
    if spec.person:
        raise PlayerError(_("a tournament is played by programs: no human, no client"))
    name = spec.name if table.name is None else " ".join(table.name.split())
    if name is not None and (not name or clean(name, MAX_NAME) != name):
        raise PlayerError(_("the name %s has characters that can't be shown") % (quote(name) or '""'))
    return Spec(spec.word, name, spec.label)
