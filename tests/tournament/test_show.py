"""The standings on a terminal and as JSON, and a tournament seen while it is played."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyte
import pytest

from dicegame import text
from dicegame.match.bundles import Bundle
from dicegame.players.faults import FaultReport
from dicegame.terminal import tournament_live
from dicegame.terminal.tournament_live import LiveStandings, duration
from dicegame.terminal.tournaments import say_tournament
from dicegame.tournament.homogeneity import homogeneity
from dicegame.tournament.reader import Progress, Reader
from dicegame.tournament.report import notes
from dicegame.tournament.report.overview import overview
from dicegame.tournament.standings import Standings
from tests.cli.process import run
from tests.terminal.sessions import Terminal, plain
from tests.tournament.stored import HOSTILE

ROW_FIELDS = {"rank", "name", "games", "wins", "win_rate", "interval", "elo", "elo_interval", "adjusted", "faults"}


def shown(path: Path, columns: int | None = None, *more: str, **env: str) -> str:
    done = run("tournament", "show", str(path), *more, env={**({"COLUMNS": str(columns)} if columns else {}), **env})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("name", ["autumn", "high", "hostile"])
def test_json_keeps_what_scripts_rely_on(name: str, request: pytest.FixtureRequest) -> None:
    told = json.loads(shown(request.getfixturevalue(name), None, "--json"))
    assert {"name", "rules", "format", "games", "standings", "cross"} <= told.keys()
    assert told["games"].keys() == {"played", "planned", "void"}
    assert all(row.keys() >= ROW_FIELDS for row in told["standings"])
    assert [row["rank"] for row in told["standings"]] == list(range(1, len(told["standings"]) + 1))
    for row in told["standings"]:
        low, high = row["interval"]
        assert 0 <= low <= row["win_rate"] <= high <= 1
        assert row["games"] == 0 or row["wins"] / row["games"] == pytest.approx(row["win_rate"], abs=0.2)
        assert (row["elo"] is None) == (name == "high")
        assert (row["adjusted"] is None) == (name != "autumn")
    for one, other in itertools.combinations([row["name"] for row in told["standings"]], 2):
        sides = told["cross"][one][other], told["cross"][other][one]
        assert name == "high" or sum(sides) == pytest.approx(1)
    assert told["complete"] == (name != "hostile")
    assert (told["seeds"] is None) == (name == "hostile")
    assert len(told["set_aside"]) == (name == "hostile")


@pytest.mark.parametrize("columns", [40, 100])
def test_before_the_first_game_there_is_who_takes_part(columns: int, fresh: Path) -> None:
    told = shown(fresh, columns)
    assert "0 of 600 games played" in told
    assert all(name in told for name in ("house", "greedy", "random"))
    assert "Cross table" not in told


@pytest.mark.parametrize("columns", [20, 40, 59, 60, 80, 100, 120, 200])
@pytest.mark.parametrize("lang", ["en", "ar"])
def test_it_is_as_wide_as_the_terminal(
    columns: int, lang: str, autumn: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text.use(lang)
    with Reader(autumn) as reader:
        say_tournament(reader)
    told = plain(capsys.readouterr().out)
    assert max(map(len, told.splitlines())) <= columns
    for name in ("hold", "house", "talker", "badly"):
        assert name in told


def test_narrow_terminals_have_a_line_a_figure(autumn: Path) -> None:
    lines = shown(autumn, 40).splitlines()
    start = lines.index("Standings") + 1
    assert re.fullmatch(r"1\. \w+", lines[start])
    assert re.fullmatch(r"  Wins: \d+\.\d% \(\d+\.\d% to \d+\.\d%\)", lines[start + 1])
    assert any(re.fullmatch(r"\w+ against \w+: \d+\.\d% \(.*", line) for line in lines)


def test_what_has_no_room_is_named(autumn: Path) -> None:
    told = shown(autumn, 62)
    left = told.partition("Left out, since there is no room: ")[2].partition("\n\n")[0]
    assert "MiB" in left
    assert "Left out" not in shown(autumn)


def test_a_row_is_a_line_in_a_pipe_without_signs_that_it_can_not_show(autumn: Path) -> None:
    lines = shown(autumn).splitlines()
    row = next(line for line in lines if re.match(r"1  \w+ ", line))
    assert len(re.findall(r"\d+\.\d% \(\d+\.\d% to \d+\.\d%\)", row)) == 2
    assert shown(autumn, None, PYTHONIOENCODING="ascii").isascii()


def test_colour_is_as_the_environment_wants_it(autumn: Path) -> None:
    assert "\x1b" not in shown(autumn)
    assert "\x1b" not in shown(autumn, 100, FORCE_COLOR="1", NO_COLOR="1")
    assert "\x1b[1m" in shown(autumn, 100, FORCE_COLOR="1")


@pytest.mark.parametrize(("term", "coloured"), [("xterm-256color", True), ("dumb", False)])
def test_on_a_terminal(term: str, coloured: bool, autumn: Path, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "tournament", "show", str(autumn), env={"TERM": term}, size=(24, 72))
    assert terminal.end() == 0
    assert ("\x1b[" in terminal.raw) == coloured
    assert max(map(len, terminal.seen.splitlines())) <= 72
    assert "Cross table" in terminal.seen


@pytest.mark.parametrize("columns", [40, 100])
def test_what_means_harm_does_not_steer_the_terminal(columns: int, hostile: Path) -> None:
    told = shown(hostile, columns)
    words = " ".join(told.split())
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", told)
    assert HOSTILE[0] in told
    assert "<b>the machine</b>" in words
    assert "1 block could not be played and was set aside:" in words
    assert "not complete" in words
    assert "not opened yet" in words


def test_notes_name_a_bad_machine(autumn: Path) -> None:
    counts = {
        "1-2": {
            "good": Counter({0.0: 100, 0.5: 100, 1.0: 100}),
            "fine": Counter({0.0: 90, 0.5: 110, 1.0: 100}),
            "bad": Counter({1.0: 300}),
        }
    }
    with Reader(autumn) as reader:
        told = overview(reader)
    assert not any("machine" in note for note in notes.notes(told))
    said = notes.notes(replace(told, suspects=homogeneity(counts)))
    assert any("The machine bad plays unlike the others" in note for note in said)


# While it is played


@pytest.fixture
def live(autumn: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Progress, Standings]]:
    """What is known of a tournament; a line is due at once."""
    monkeypatch.setattr(tournament_live, "PLAIN", 0.0)
    with Reader(autumn) as reader:
        told = overview(reader)
        yield told.progress, told.standings


def fault(game: str) -> Bundle:
    return Bundle("badly\x1b[2J", FaultReport(game, 0, "crashed", "it <died>\x1b[31m"), "", "")


def test_elsewhere_it_is_a_plain_line(live: tuple[Progress, Standings], capsys: pytest.CaptureFixture[str]) -> None:
    progress, standings = live
    with LiveStandings("cup") as seen:
        seen.update(progress, lambda: standings, [fault("1-2-0-0")])
    out, err = capsys.readouterr()
    assert out == ""
    first = standings.rows[0]
    said = f"36 of 36 games, 0.0 a second; in front: {first.name} with {first.win_rate * 100:.1f}%; 1 fault\n"
    assert err == said


def test_quiet_is_silent_and_nothing_is_worked_out(
    live: tuple[Progress, Standings], capsys: pytest.CaptureFixture[str]
) -> None:
    def never() -> Standings:
        raise AssertionError

    with LiveStandings("cup", quiet=True) as seen:
        seen.update(live[0], never, [fault("1-2-0-0")])
    assert capsys.readouterr() == ("", "")


def test_durations() -> None:
    assert [duration(s) for s in (0, 59.6, 3599, 3600, 86_399, 86_400, 200_000)] == [
        "0:00", "1:00", "59:59", "1:00:00", "23:59:59", "1 day, 0:00:00", "2 days, 7:33:20",
    ]  # fmt: skip


@pytest.mark.parametrize("size", [(10, 40), (24, 80), (4, 20)])
def test_on_a_terminal_it_is_drawn_in_place_and_leaves_it_clean(size: tuple[int, int], tmp_path: Path) -> None:
    rows, columns = size
    command = ("tournament", "run", "house", "greedy", "hold:at=300", "random", "cautious", "--blocks", "1000000")
    more = ("--target", "500", "--store", str(tmp_path / "live.db"), "--workers", "1")
    terminal = Terminal(tmp_path, *command, *more, size=size, env={"NO_COLOR": "1"})
    terminal.expect(r"\d+ of \d+")
    if rows > 4:
        terminal.expect(r"1 +(house|hold)")
    terminal.child.sendintr()
    assert terminal.end() == 130
    screen = pyte.HistoryScreen(columns, rows, history=1000)
    stream = pyte.Stream(screen)
    stream.feed(terminal.raw)
    assert not screen.cursor.hidden
    whole = [*("".join(line[x].data for x in range(columns)) for line in screen.history.top), *screen.display]
    assert "".join(whole).count("a second") <= 1  # what was drawn is wiped off, but for what the terminal's ^C left
    assert any(line.startswith("Standings") for line in whole)


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    yield
    text.use("en")
