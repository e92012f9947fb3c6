"""Files for the pages of build servers: a match as JUnit XML and as a Markdown summary. What bots say is made harmless in both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from dicegame.errors import InputError
from dicegame.match.gates import Outcome
from dicegame.match.result import MatchResult
from dicegame.terminal.gates import Verdict
from dicegame.text import _, clean, decimal, number, percent, quote

_OURS = re.compile("[\u2066-\u2069]")  # what keeps directions apart on a terminal
_MARKED = re.compile(r"([\\`*_{}\[\]<>()#+!|~&-])")
SHOWN = 20  # faults of a kind that are told in full


def write_junit(path: Path, result: MatchResult, verdicts: Sequence[Verdict]) -> None:
    """Write a JUnit file: a test case a gate, and one a player and kind of fault, or one for a player without faults.

    A gate that is undecided counts as a failure of the type "undecided": a build must not pass by it.

    Raises:
        InputError: it can't be written.
    """
    suite = ET.Element("testsuite", name=f"dicegame match: {_harmless(result.spec.rules.name)}")
    for verdict in verdicts:
        case = _case(suite, "gates", verdict.gate)
        if verdict.outcome is not Outcome.PASS:
            failure = ET.SubElement(case, "failure", type=str(verdict.outcome), message=_harmless(verdict.words))
            failure.text = _harmless(verdict.words)
    for player in result.players:
        if not player.faults:
            _case(suite, f"faults of {player.name}", "none")
        for code, count in sorted(player.faults.items()):
            case = _case(suite, f"faults of {player.name}", code)
            told = [b for b in result.reports if b.player == player.name and b.fault.code == code][:SHOWN]
            failure = ET.SubElement(case, "failure", type=code, message=f"{code}: {count}")
            failure.text = "\n".join(_harmless(f"{b.fault.game}: {b.fault}\n{b.again}") for b in told)
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    suite.set("errors", "0")
    suite.set("time", f"{result.seconds:.3f}")
    tree = ET.ElementTree(suite)
    ET.indent(tree)
    _write(path, ET.tostring(suite, encoding="utf-8", xml_declaration=True) + b"\n")


def write_markdown(path: Path, result: MatchResult, verdicts: Sequence[Verdict]) -> None:
    """Write a summary for the page of a build: what the gates say, a table of the players, and the first faults.

    Raises:
        InputError: it can't be written.
    """
    said = {"rules": result.spec.rules.name, "games": number(result.games), "blocks": number(result.blocks)}
    lines = ["### " + _escaped(_("%(rules)s: %(games)s games in %(blocks)s blocks of rotated seats") % said), ""]
    signs = {Outcome.PASS: "✅", Outcome.FAIL: "❌", Outcome.UNDECIDED: "❔"}
    lines += [f"- {signs[v.outcome]} `{v.gate}`: {_escaped(v.words)}" for v in verdicts]
    if verdicts:
        lines.append("")
    lines += _table(result)
    if result.reports:
        lines += ["", f"#### {_escaped(_('faults'))}", ""]
    for bundle in result.reports[:SHOWN]:
        lines.append(f"- {_escaped(bundle.player)}, {_escaped(bundle.fault.game)}: {_escaped(str(bundle.fault))}")
    _write(path, ("\n".join(lines) + "\n").encode())


def _table(result: MatchResult) -> list[str]:
    """Return a row a player; the column of adjusted rates only where luck is measured."""
    heads = [_("player"), _("wins"), _("95% interval"), _("mean score"), _("faults"), _("a decision, median")]
    luck = result.spec.luck is not None
    if luck:
        heads[3:3] = [_("luck taken out")]
    rows = ["| " + " | ".join(map(_escaped, heads)) + " |", "|" + " --- |" * len(heads)]
    for place, player in enumerate(result.players):
        low, high = result.interval(place)
        games, times = max(result.games, 1), player.usage.times
        cells = [
            _escaped(player.name),
            percent(player.wins / games, 2),
            f"{percent(low, 2)} – {percent(high, 2)}",
            decimal(player.score / games, 1),
            number(player.faults.total()),
            f"{decimal(times.median * 1000, 3)} ms" if times.count else "",
        ]
        adjusted = result.adjusted(place)
        if adjusted is not None:
            cells[3:3] = [f"{percent(adjusted.rate, 2)} ({_range(adjusted.interval, adjusted.standard_error)})"]
        rows.append("| " + " | ".join(cells) + " |")
    return rows


def _range(interval: tuple[float, float], error: float | None) -> str:
    return "?" if error is None else f"{percent(interval[0], 2)} – {percent(interval[1], 2)}"


def _case(suite: ET.Element, group: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=_harmless(group), name=_harmless(name), time="0")


def _harmless(text: str) -> str:
    """Return text without characters that XML can't hold, each line cleaned as for a terminal."""
    return "\n".join(clean(line, 2000) for line in _OURS.sub("", text).split("\n"))


def _escaped(text: str) -> str:
    """Return text that means nothing in Markdown or HTML."""
    return (
        _MARKED.sub(r"\\\1", clean(_OURS.sub("", text), 500))
        .replace("\\<", "&lt;")
        .replace("\\>", "&gt;")
        .replace("\\&", "&amp;")
    )


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        values = {"file": quote(str(path)), "reason": error.strerror or str(error)}
        raise InputError(_("can't write %(file)s: %(reason)s") % values) from error
