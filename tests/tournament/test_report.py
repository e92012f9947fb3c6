"""What a page is made of: the games in it, the charts, and that nothing in it can do anything."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import zlib
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from dicegame import text
from dicegame.tournament.reader import Reader
from dicegame.tournament.report import charts
from dicegame.tournament.report.data import KEPT_FAULTS, Point, Track, gather
from dicegame.tournament.report.page import page
from dicegame.tournament.report.replays import deflated, lines_of, packed
from tests.cli.process import run
from tests.tournament.stored import HOSTILE, played


def page_of(path: Path, games: int = 2000) -> str:
    with Reader(path) as reader:
        return page(gather(reader, games))


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the text in scripts and styles."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": [], "title": []}
        self._in: str | None = None
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag in self.inside:
            self._in = tag
            self.inside[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._in:
            self._in = None

    def handle_data(self, data: str) -> None:
        if self._in is not None:
            self.inside[self._in][-1] += data

    def attributes(self, name: str) -> list[str]:
        return [value or "" for _tag, attributes in self.found for key, value in attributes.items() if key == name]

    def data(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.inside["script"][0])
        return told


@pytest.fixture(scope="module", params=["autumn", "high", "hostile", "fresh"])
def elements(request: pytest.FixtureRequest) -> Elements:
    return Elements(page_of(request.getfixturevalue(request.param)))


def test_page_asks_for_nothing_from_elsewhere(elements: Elements) -> None:
    tags = {tag for tag, _attributes in elements.found}
    assert tags.isdisjoint(
        {"link", "img", "iframe", "object", "embed", "base", "form", "audio", "video", "image", "use"}
    )
    assert not elements.attributes("src")
    assert all(link.startswith("#") for link in elements.attributes("href"))
    assert not any(name.startswith("on") or name == "style" for _tag, found in elements.found for name in found)
    assert "url(" not in elements.inside["style"][0]
    assert "@import" not in elements.inside["style"][0]


def test_policy_lets_nothing_run_but_the_script_of_the_page(elements: Elements) -> None:
    policy = next(a["content"] for tag, a in elements.found if a.get("http-equiv") == "Content-Security-Policy") or ""
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for kind, source in (("script-src", elements.inside["script"][1]), ("style-src", elements.inside["style"][0])):
        assert rules[kind] == f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
    assert len(elements.inside["script"]) == 2
    assert len(elements.inside["style"]) == 1


def test_ids_are_unique_and_every_link_leads_somewhere(elements: Elements) -> None:
    ids = elements.attributes("id")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in elements.attributes("href")} <= set(ids)
    labels = [name for value in elements.attributes("aria-labelledby") for name in value.split()]
    assert set(labels) <= set(ids)


def test_nothing_hostile_stands_in_the_page_as_it_was_said(hostile: Path) -> None:
    source = page_of(hostile)
    for said in (*HOSTILE, "<script>document.title", "<img src=x", "<b>the machine"):
        assert said not in source
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", source)
    elements = Elements(source)
    assert "\u2028" not in elements.inside["script"][0]
    assert elements.inside["title"][0] == "<script>alert(1)</script>"
    names = elements.data()["names"]
    assert names["1"] == HOSTILE[0]
    assert names["2"] == '"><img src=x onerror=alert(1)>\ufffd\ufffd'


def test_languages_have_their_direction(high: Path) -> None:
    for code, direction in (("en", "ltr"), ("fr", "ltr"), ("ar", "rtl")):
        text.use(code)
        try:
            root = Elements(page_of(high)).found[0]
        finally:
            text.use("en")
        assert root == ("html", {"lang": code, "dir": direction})


@pytest.mark.parametrize("name", ["autumn", "high"])
def test_every_game_is_there_and_its_lines_lead_to_its_result(name: str, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(name)
    data = Elements(page_of(path)).data()
    with Reader(path) as reader:
        games = list(reader.games())
        assert [game[0] for game in data["games"]] == [game.id for game in games]
        for game, told in zip(games, data["games"], strict=True):
            assert (told[1], told[2], told[4]) == (list(game.entrants), list(game.scores), game.reason)
            lines = zlib.decompress(base64.b64decode(data["records"][game.id]), -15).decode().split("\n")
            record = reader.record(game.id)
            assert record is not None
            assert lines == list(lines_of(record))
            assert lines[-1].split()[:2] == ["e", ",".join(map(str, game.scores))]
            assert derived(lines, len(game.scores)) == list(game.scores)


def derived(lines: list[str], seats: int) -> list[int]:
    """Work the scores out from the lines alone, without the last."""
    scores, turn = [0] * seats, 0
    for line in lines[:-1]:
        seat, rest = int(line[1:2].strip() or 0), line.split(" ")[1:]
        match line[0]:
            case "t" | "x":
                turn = 0
            case "k":
                turn += int(rest[1])
            case "b":
                scores[seat] += turn
            case "p":
                scores[seat] = int(rest[2])
            case "o":
                losses = [int(n) for n in rest[3].split(",")]
                scores = losses if any(losses) else [int(n) for n in rest[2].split(",")]
    return scores


def test_records_are_small_and_their_lines_are_as_described() -> None:
    events: list[dict[str, Any]] = [
        {"event": "turn", "seat": 0}, {"event": "roll", "seat": 0, "dice": [1, 5, 6]}, {"event": "hot_dice", "seat": 1},
        {"event": "keep", "seat": 0, "dice": [1, 5], "points": 150, "turn_points": 150}, {"event": "all_dice", "seat": 1},
        {"event": "bank", "seat": 0, "points": 150, "score": 150}, {"event": "bust", "seat": 1, "lost": 0},
        {"event": "final_round", "seat": 0, "score": 3000}, {"event": "out", "seat": 2}, {"event": "fault", "seat": 2, "code": "crashed"},
        {"event": "penalty", "seat": 0, "points": 500, "cause": "busts", "score": 300}, {"event": "mark", "seat": 0, "keep": []},
        {"event": "reveal", "dice": [[5, 6, 6], []]}, {"event": "replay", "seats": [0, 1]}, {"event": "of the future", "seat": 1},
        {"event": "round", "winner": 0, "wins": [1, 0], "losses": [0, 0]}, {"event": "round", "loser": 1, "wins": [0, 0], "losses": [0, 1]},
    ]  # fmt: skip
    rows: list[dict[str, Any]] = [{"type": "event", **event} for event in events]
    rows.append({"type": "decision", "id": 1, "seat": 1, "keep": [], "bank": False, "why": "a\nb\u202e" + "x" * 500})
    rows.append({"type": "result", "scores": [3000, 450], "winners": [], "reason": "turn_limit"})
    record = "".join(json.dumps(row) + "\n" for row in rows).encode()
    *lines, said, end = lines_of(record)
    assert lines == [
        "t0", "r0 156", "h1", "k0 15 150", "a1", "b0", "x1", "f0 3000", "u2", "c2 crashed", "p0 500 busts 300", "m0 -", "v 566 -", "l 0 1",
        "o 0 - 1,0 0,0", "o - 1 0,0 0,1",
    ]  # fmt: skip
    assert said.startswith("y1 a\ufffdb\ufffdxxx")
    assert len(said) < 320
    assert end == "e 3000,450 - turn_limit"
    assert packed(record) == deflated("\n".join(lines_of(record)))


def test_the_way_of_a_win_rate_ends_where_the_standings_have_it(autumn: Path) -> None:
    with Reader(autumn) as reader:
        report = gather(reader, 0)
    assert report.games == []
    rows = {row.number: row for row in report.overview.standings.rows}
    assert [track.number for track in report.tracks] == [row.number for row in report.overview.standings.rows]
    for track in report.tracks:
        end, row = track.points[-1], rows[track.number]
        assert end.blocks == row.blocks
        assert end.rate == pytest.approx(row.win_rate)
        assert (end.low, end.high) == pytest.approx(row.interval)
        assert [point.blocks for point in track.points] == [3, 6, 9]


def test_where_not_all_games_have_room_those_with_faults_come_first(autumn: Path) -> None:
    with Reader(autumn) as reader:
        faulty = list(dict.fromkeys(fault.game for fault in reader.faults(KEPT_FAULTS)))
        everything = {game.id for game in reader.games()}
        for most in (0, 1, len(faulty), len(faulty) + 6, len(everything) - 1, len(everything)):
            report = gather(reader, most)
            chosen = [game.id for game in report.games]
            assert len(chosen) == len(set(chosen)) <= most
            assert report.records.keys() == set(chosen)
            if most < len(everything):
                assert chosen[: len(faulty)] == faulty[:most]
            source = page(report)
            assert (f"{len(chosen)} of {len(everything)} games are in this page" in source) == (most < len(everything))
        pairings = {game.pairing for game in gather(reader, len(faulty) + 6).games}
        assert len(pairings) == 6


def test_games_without_a_record_are_counted(tmp_path: Path) -> None:
    path = played(tmp_path / "few.db", ["house=house", "greedy=greedy"], blocks=2, target=500, records="faults")
    assert "Of 4 games no record was kept." in page_of(path)


def at(value: str | None) -> float:
    assert value is not None
    assert value.endswith("%")
    return float(value[:-1])


def test_bars_stand_where_their_values_are() -> None:
    rows = [
        charts.Bar("a <b>", "+10", 10.0, (-math.inf, 20.0)),
        charts.Bar("b\u0301", "-10", -10.0, (-30.0, math.inf), other=5.0),
    ]
    root = ET.XML(charts.bars(rows, "test", "A & B", "<what>", str, 0.0))
    assert [root.find(tag).text for tag in ("title", "desc")] == ["A & B", "<what>"]  # type: ignore[union-attr]
    assert root.get("aria-labelledby") == "test-title test-what"
    dots = [at(dot.get("cx")) for dot in root.iter("circle") if dot.get("class") == "dot"]
    middle = next(at(line.get("x1")) for line in root.iter("line") if line.get("class") == "middle")
    assert dots[0] - middle == pytest.approx(middle - dots[1], abs=0.02)
    intervals = [
        (at(line.get("x1")), at(line.get("x2"))) for line in root.iter("line") if line.get("class") == "interval"
    ]
    whole = [pair for pair in intervals if pair[0] != pair[1]]
    assert whole[0][0] < whole[1][0]  # an end without bound runs to the edge
    assert whole[1][1] > whole[0][1]
    assert all(0 <= x <= 100 for pair in intervals for x in pair)


def test_labels_of_lines_stand_apart() -> None:
    lines = [(str(n), Track(n, [Point(5, 0.4, 0, 1), Point(10, 0.5, 0.4, 0.6 + n / 1e6)])) for n in range(1, 6)]
    root = ET.XML(charts.tracks(lines, "t", "d", lambda value: f"{value:.0%}", "blocks"))
    places = sorted(
        float(text.get("y", "")) for text in root.iter("text") if "end" in (text.get("class") or "").split()
    )
    assert len(places) == 5
    assert all(after - before >= 14 for before, after in pairwise(places))


def test_command_writes_one_file(autumn: Path, tmp_path: Path) -> None:
    done = run("tournament", "report", str(autumn), "-o", str(tmp_path / "a.html"), "--games", "3")
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    for wrong in (
        ["tournament", "report", str(autumn), "-o", str(tmp_path / "no" / "a.html")],
        ["tournament", "report", "no.db"],
    ):
        done = run(*wrong)
        assert done.returncode == 2
        assert done.stderr.startswith("dicegame: ")
        assert done.stderr.count("\n") == 1
