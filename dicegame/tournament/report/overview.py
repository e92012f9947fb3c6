"""What there is to tell of a tournament: read once from its store, for the terminal, for `--json` and for the page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from dicegame.tournament.homogeneity import Suspect, homogeneity
from dicegame.tournament.plan import Plan
from dicegame.tournament.reader import Progress, Reader
from dicegame.tournament.standings import Standings, standings
from dicegame.tournament.sums import Entrant, PairingSums


@dataclass(frozen=True, slots=True)
class Overview:
    """A tournament as it stands.

    `suspects` are workers whose results differ from those of the others; `seeds` are None while games are to come; `containment` says
    how bots were kept apart, a word for each way in which it was done. `sums` are those that the standings are made of.
    """

    plan: Plan
    entrants: list[Entrant]
    sums: list[PairingSums]
    standings: Standings
    progress: Progress
    suspects: list[Suspect]
    commitments: list[str]
    seeds: list[str] | None
    containment: list[str]

    @property
    def names(self) -> dict[int, str]:
        """The names by number, as they are in the store: not safe to show."""
        return {entrant.number: entrant.name for entrant in self.entrants}

    @property
    def faults(self) -> int:
        """How many faults there were."""
        return sum(sum(row.faults.values()) for row in self.standings.rows)

    def as_json(self) -> dict[str, Any]:
        """Return the object that `tournament show --json` prints.

        `cross` holds, by the name of one entrant and then of another, the share that the first won of their games; `pairs` says the
        same with intervals. Numbers that are not known are null.
        """
        names, progress, plan = self.names, self.progress, self.plan
        cross: dict[str, dict[str, float]] = {}
        for (row, column), cell in self.standings.cells.items():
            cross.setdefault(names[row], {})[names[column]] = cell.win_rate
        pairs = [
            {"entrant": names[row], "opponent": names[column], **cell.as_json()}
            for (row, column), cell in self.standings.cells.items()
        ]
        return {
            "name": plan.name,
            "rules": plan.rules.name,
            "format": str(plan.format),
            "seats": plan.seats,
            "games": {"played": progress.games_played, "planned": progress.games_planned, "void": progress.void},
            "blocks": {"played": progress.blocks_played, "planned": progress.blocks_planned},
            "complete": progress.complete,
            "running": progress.running,
            "standings": [row.as_json() for row in self.standings.rows],
            "cross": cross,
            "pairs": pairs,
            "seat_advantage": [{**asdict(s), "interval": list(s.interval)} for s in self.standings.seat_advantage],
            "luck": None if plan.luck is None else {"player": plan.luck, "checksum": plan.luck_checksum},
            "set_aside": [asdict(block) for block in progress.set_aside],
            "suspects": [asdict(suspect) for suspect in self.suspects],
            "commitments": self.commitments,
            "seeds": self.seeds,
            "seed_predictable": plan.predictable,
            "containment": self.containment,
        }


def overview(reader: Reader) -> Overview:
    """Read what there is to tell of a tournament.

    Raises:
        StoreError: the store can't be read.
    """
    with reader.instant():
        return _overview(reader)


def _overview(reader: Reader) -> Overview:
    plan, entrants, sums = reader.plan, reader.entrants(), reader.sums()
    return Overview(
        plan,
        entrants,
        sums,
        standings(entrants, sums, plan.seats),
        reader.progress(),
        homogeneity(reader.by_worker()),
        reader.commitments(),
        reader.seeds(),
        sorted({run.containment for run in reader.runs()} - {""}),
    )
