"""Small tournaments, really played, in a store: what is shown, reported and exported is tried on them."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from dicegame.dice import seed_from_text
from dicegame.match.job import Job, end_bots, play_block
from dicegame.match.plan import BlockSpec
from dicegame.match.play import MatchSpec, TooManyVoid
from dicegame.match.pool import Played, SetAside
from dicegame.tournament.formats import Pairing, schedule
from dicegame.tournament.plan import Plan, TournamentFile, check_file, entrants_of, make_plan
from dicegame.tournament.store import Store
from dicegame.tournament.sums import Entrant

SEED = "a seed"
FAULTY = Path(__file__).with_name("speaking.py")
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>\u202e\u2066',
    "</script></title>{{7*7}}\x1b[31m\n\u2028&amp;",
)


def played(
    path: Path,
    players: Sequence[str],
    *,
    blocks: int = 4,
    opened: bool = True,
    aside: bool = False,
    **table: Any,
) -> Path:
    """Play a whole tournament into `path`; `table` is what its file says under [tournament]. `opened` False leaves it unfinished.

    `aside` sets the last block of the last pairing aside.
    """
    file: TournamentFile = check_file(
        {
            "tournament": {"blocks": blocks, **table},
            "limits": {"sandbox": "none", "decision_ms": 20_000},
            "entrant": [{"name": word.partition("=")[0], "player": word.partition("=")[2]} for word in players],
        },
        "tests",
    )
    entrants = entrants_of(file.entrant)
    plan = make_plan(file, entrants)
    seed = seed_from_text(SEED)
    with Store.make(path, plan, entrants, seed, SEED) as store:
        pairings = schedule(plan, entrants, [], {})
        store.pair(pairings)
        store.begin("none", "here")
        for pairing in pairings:
            _play(store, plan, entrants, pairing, seed, aside=aside and pairing is pairings[-1], short=not opened)
        if opened:
            store.open_seeds()
    end_bots()
    return path


def _play(
    store: Store, plan: Plan, entrants: Sequence[Entrant], pairing: Pairing, seed: bytes, *, aside: bool, short: bool
) -> None:
    who = [entrants[number - 1] for number in pairing.entrants]
    spec = MatchSpec(
        rules=plan.rules,
        words=tuple(entrant.word for entrant in who),
        names=tuple(entrant.name for entrant in who),
        treatment=plan.limits.treatment(),
        records=plan.records,
        predictable=plan.predictable,
        pairing=pairing.id,
        source=plan.source,
        options=plan.options,
        luck=plan.luck,
    )
    blocks = [BlockSpec.of(seed, number, pairing.id) for number in range(pairing.blocks)]
    left = blocks[:-1] if aside or short else blocks
    job = Job(spec, tuple(left))
    news: list[Played | SetAside] = [Played(job, play_block(job))]
    if aside:
        news.append(SetAside(Job(spec, (blocks[-1],)), TooManyVoid("<b>the machine</b> is too busy\u202e\x1b[31m"), 3))
    store.add(news, 0, 1.0)


def bot(folder: Path, name: str, how: str) -> str:
    """Return the PLAYER word of a bot in this folder that plays as `tests.tournament.speaking` says of `how`."""
    home = folder / name
    home.mkdir()
    (home / "bot.py").write_text(FAULTY.read_text(encoding="utf-8"), encoding="utf-8")
    command = [sys.executable, "bot.py", how]
    (home / "bot.toml").write_text(f"name = {json.dumps(name)}\ncommand = {json.dumps(command)}\n", encoding="utf-8")
    return str(home)


def rename(path: Path, names: dict[int, str]) -> None:
    """Give entrants other names, in the store alone: a store may come from anywhere."""
    with closing(sqlite3.connect(path)) as db, db:
        for number, name in names.items():
            db.execute("UPDATE entrants SET name = ? WHERE number = ?", (name, number))


def unplayed(path: Path, players: Sequence[str]) -> Path:
    """Make a tournament of which nothing is played yet."""
    file = check_file({"entrant": [{"name": word, "player": word} for word in players]}, "tests")
    entrants = entrants_of(file.entrant)
    plan = make_plan(file, entrants)
    with Store.make(path, plan, entrants, seed_from_text(SEED), SEED) as store:
        store.pair(schedule(plan, entrants, [], {}))
    return path
