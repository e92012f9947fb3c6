"""A record as the player in the page reads it: what everyone at the table saw, a line an event, without what follows from the rest.

A line is a letter with a seat, and more after spaces: `t0` a turn, `r0 156` a roll, `k0 15 150` a keep and its points, `b0` all of
the turn banked, `x0` a bust, `h0` hot dice, `a0` all dice, `f0 3000` the final round, `p0 500 busts 300` a penalty, its cause and the
score after it, `m0 66` a mark, `v 566 345` a reveal, `l 0 1` a replay, `o 0 -` a round's winner and loser, with wins and losses after
them (`1,0 0,0`), `c0 crashed` a fault, `u0` out, `y0 ...` what a bot said of its decision, `e 3000,450 0 target` the end.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from dicegame.text import clean

SAID = 300  # characters of what a bot says of a decision
_Event = dict[str, Any]


def packed(record: bytes) -> str:
    """Return a record (JSON lines) for the page: its lines, deflated without a head, in base64."""
    return deflated("\n".join(lines_of(record)))


def deflated(text: str) -> str:
    """Return text as the page unpacks it."""
    press = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(press.compress(text.encode()) + press.flush()).decode("ascii")


def lines_of(record: bytes) -> Iterator[str]:
    """Yield the lines of a record (JSON lines) for the page; kinds of events that it does not know are left out."""
    for row in record.splitlines():
        line = json.loads(row)
        match line["type"]:
            case "event" if line["event"] in _LINES:
                yield _LINES[line["event"]](line)
            case "decision" if line.get("why"):
                yield f"y{line['seat']} {clean(line['why'], SAID)}"
            case "result":
                winners = _listed(line["winners"]) or "-"
                yield f"e {_listed(line['scores'])} {winners} {clean(line['reason'])}"
            case _:
                pass


def _faces(dice: list[int]) -> str:
    return "".join(map(str, dice)) or "-"


def _listed(numbers: list[int]) -> str:
    return ",".join(map(str, numbers))


def _round(line: _Event) -> str:
    found = ("-" if line.get(key) is None else str(line[key]) for key in ("winner", "loser"))
    return f"o {' '.join(found)} {_listed(line['wins'])} {_listed(line['losses'])}"


_LINES: dict[str, Callable[[_Event], str]] = {
    "turn": lambda line: f"t{line['seat']}",
    "roll": lambda line: f"r{line['seat']} {_faces(line['dice'])}",
    "keep": lambda line: f"k{line['seat']} {_faces(line['dice'])} {line['points']}",
    "bank": lambda line: f"b{line['seat']}",
    "bust": lambda line: f"x{line['seat']}",
    "hot_dice": lambda line: f"h{line['seat']}",
    "all_dice": lambda line: f"a{line['seat']}",
    "final_round": lambda line: f"f{line['seat']} {line['score']}",
    "penalty": lambda line: f"p{line['seat']} {line['points']} {clean(line['cause'])} {line['score']}",
    "mark": lambda line: f"m{line['seat']} {_faces(line['keep'])}",
    "reveal": lambda line: f"v {' '.join(map(_faces, line['dice']))}",
    "replay": lambda line: f"l {' '.join(map(str, line['seats']))}",
    "round": _round,
    "fault": lambda line: f"c{line['seat']} {clean(line['code'])}",
    "out": lambda line: f"u{line['seat']}",
}
