"""Whole tournaments at the command line: begun, ended early in every way, gone on with, changed, refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import sys
from pathlib import Path

import pytest

from tests.cli.process import ROOT
from tests.tournament.playing import BOT, games_in, plan_file, rows_of, same, shown, started, tournament, until

QUICK = ("--target", "1000", "--blocks", "5", "--quiet")


def test_every_format_is_played_to_its_end(tmp_path: Path) -> None:
    players = ["house", "greedy", "hold:at=300", "random", "cautious"]
    games = {"round-robin": 10 * 10, "gauntlet": 4 * 10, "swiss": 3 * 2 * 10, "knockout": None}
    for form, wanted in games.items():
        store = tmp_path / f"{form}.db"
        done = tournament("run", *players, "--store", str(store), "--format", form, "--json", *QUICK, home=tmp_path)
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert (told["format"], told["ending"], told["complete"]) == (form, "complete", True)
        assert told["games"]["played"] == told["games"]["planned"] == (wanted or told["games"]["planned"])
        assert sum(row["wins"] for row in told["standings"]) == pytest.approx(told["games"]["played"])


def test_three_at_a_table_are_ranked_by_their_share_of_wins(tmp_path: Path) -> None:
    store = tmp_path / "three.db"
    players = ["house", "greedy", "random", "hold:at=300"]
    done = tournament("run", *players, "--seats", "3", "--store", str(store), "--json", *QUICK, home=tmp_path)
    told = json.loads(done.stdout)
    assert told["games"]["played"] == 4 * 5 * 3
    assert all(row["elo"] is None for row in told["standings"])
    rates = [row["win_rate"] for row in told["standings"]]
    assert rates == sorted(rates, reverse=True)
    assert sum(rates) / 4 == pytest.approx(1 / 3)


def test_the_same_seed_gives_the_same_tournament_whatever_the_workers(tmp_path: Path) -> None:
    stores = [tmp_path / f"{workers}.db" for workers in (1, 2)]
    for workers, store in enumerate(stores, 1):
        words = ["house", "greedy", "random", "--seed", "x", "--luck", "--workers", str(workers), "--store", str(store)]
        assert tournament("run", *words, *QUICK, home=tmp_path).returncode == 0
    same(*stores)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, "stop"])
def test_an_end_before_the_end_loses_nothing(tmp_path: Path, how: signal.Signals | str) -> None:
    plan = plan_file(tmp_path, ["house", "greedy"], blocks=1500, seed="early", records="none")
    store = tmp_path / "early.db"
    process = started("run", str(plan), "--store", str(store), home=tmp_path)
    until(lambda: games_in(store) > 0)
    if how == "stop":
        asked = tournament("stop", str(store), home=tmp_path)
        assert asked.returncode == 0
    else:
        process.send_signal(how)  # type: ignore[arg-type]
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == (0 if how == "stop" else 130), stderr
    assert f"dicegame tournament resume {store}" in stderr
    assert "Traceback" not in stderr
    played = games_in(store)
    assert 0 < played < 3000
    assert played % 2 == 0, "whole blocks"
    assert str(played) in stdout.replace(",", "").replace("\u202f", "").replace("\u00a0", "")
    assert stat.S_IMODE(store.stat().st_mode) == 0o600, "dice are to come"
    again = tournament("resume", str(store), "--json", home=tmp_path)
    assert json.loads(again.stdout)["games"]["played"] == 3000
    assert stat.S_IMODE(store.stat().st_mode) != 0o600
    assert sorted(path.name for path in tmp_path.glob("early.db*")) == ["early.db"], "nothing is left beside it"


def test_it_ends_when_its_time_is_up(tmp_path: Path) -> None:
    words = ["house", "greedy", "--blocks", "1000000", "--max-time", "4", "--store", str(tmp_path / "t.db"), "--json"]
    done = tournament("run", *words, home=tmp_path)
    assert done.returncode == 0
    told = json.loads(done.stdout)
    assert told["ending"] == "time"
    assert 0 < told["games"]["played"] < told["games"]["planned"]


def test_only_one_process_plays_it_and_all_may_look(tmp_path: Path) -> None:
    store = tmp_path / "one.db"
    process = started("run", "house", "greedy", "--blocks", "1000000", "--store", str(store), home=tmp_path)
    until(lambda: games_in(store) > 0)
    second = tournament("resume", str(store), home=tmp_path)
    assert second.returncode == 2
    assert "being played" in second.stderr
    looked = tournament("show", str(store), "--json", home=tmp_path)
    assert json.loads(looked.stdout)["running"]
    assert json.loads(looked.stdout)["seeds"] is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


def test_a_changed_bot_is_refused_and_named(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(ROOT / "bots" / "python", folder)
    store = tmp_path / "bot.db"
    words = ["house", f"mine={folder}", "--max-time", "0.01", "--blocks", "100000", "--store", str(store), "--quiet"]
    assert tournament("run", *words, home=tmp_path).returncode == 0
    (folder / "notes.txt").write_text("better now")
    refused = tournament("resume", str(store), home=tmp_path)
    assert refused.returncode == 2
    assert "mine" in refused.stderr
    assert tournament("withdraw", str(store), "mine", home=tmp_path).returncode == 0
    assert tournament("add", str(store), f"mine-2={folder}", "random", home=tmp_path).returncode == 0
    gone_on = tournament("resume", str(store), "--max-time", "0.5", "--json", home=tmp_path)
    assert gone_on.returncode == 0, gone_on.stderr
    rows = {row["name"]: row for row in json.loads(gone_on.stdout)["standings"]}
    assert rows["mine"]["withdrawn"]
    assert set(rows) == {"house", "mine", "mine-2", "random"}


def test_a_changed_plan_is_refused_and_named(tmp_path: Path) -> None:
    store = tmp_path / "plan.db"
    plan = plan_file(tmp_path, ["house", "greedy"], blocks=3, target=1000)
    assert tournament("run", str(plan), "--store", str(store), "--quiet", home=tmp_path).returncode == 0
    assert tournament("resume", str(store), "--file", str(plan), "--quiet", home=tmp_path).returncode == 0
    plan_file(tmp_path, ["house", "hold:at=300"], blocks=4, target=1000)
    refused = tournament("resume", str(store), "--file", str(plan), home=tmp_path)
    assert refused.returncode == 2
    assert all(word in refused.stderr for word in ("blocks", "greedy", "hold:at=300"))
    assert tournament("run", str(plan), "--store", str(store), home=tmp_path).returncode == 2


def test_a_bot_that_never_gets_ready_ends_it_and_is_named(tmp_path: Path) -> None:
    bot = tmp_path / "dead.sh"
    bot.write_text("#!/bin/sh\necho no >&2\nexit 3\n")
    bot.chmod(0o755)
    store = tmp_path / "dead.db"
    done = tournament("run", "house", f"dead={bot}", "--store", str(store), "--quiet", home=tmp_path)
    assert done.returncode == 3
    assert "dead" in done.stderr
    assert "no" in done.stderr


def test_what_is_added_when_all_was_played_has_dice_of_its_own(tmp_path: Path) -> None:
    store = tmp_path / "more.db"
    assert tournament("run", "house", "greedy", *QUICK, "--store", str(store), home=tmp_path).returncode == 0
    assert tournament("add", str(store), "--blocks", "5", home=tmp_path).returncode == 0
    assert stat.S_IMODE(store.stat().st_mode) == 0o600
    assert tournament("resume", str(store), "--quiet", home=tmp_path).returncode == 0
    told = json.loads(tournament("show", str(store), "--json", home=tmp_path).stdout)
    assert told["games"]["played"] == 20
    assert {row[3] for row in rows_of(store, "games")} == {0, 1}
    proven = tournament_proof(store, tmp_path)
    assert proven == {"valid": True, "records": 20, "wrong": [], "opened": True}


def tournament_proof(store: Path, home: Path) -> dict[str, object]:
    from tests.cli.process import run  # noqa: PLC0415

    proof: dict[str, object] = json.loads(run("verify", str(store), "--json", home=home).stdout)
    return proof


def test_the_parts_of_a_tournament_come_together(tmp_path: Path) -> None:
    plan = plan_file(tmp_path, ["house", "greedy", "random"], blocks=7, target=1000)
    secret = tmp_path / "secret"
    stores = []
    for part in ("1/2", "2/2"):
        stores.append(tmp_path / f"part{part[0]}.db")
        words = ["run", str(plan), "--store", str(stores[-1]), "--shard", part, "--seed-file", str(secret), "--quiet"]
        assert tournament(*words, home=tmp_path).returncode == 0
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert stat.S_IMODE(stores[0].stat().st_mode) == 0o600, "the other part has the same dice seed"
    whole = tmp_path / "whole.db"
    words = ["run", str(plan), "--store", str(whole), "--seed-file", str(secret), "--quiet"]
    assert tournament(*words, home=tmp_path).returncode == 0
    assert tournament("merge", *map(str, stores), home=tmp_path).returncode == 0
    assert shown(stores[0], tmp_path) == shown(whole, tmp_path)
    assert tournament_proof(stores[0], tmp_path)["opened"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["house"], "too few"),
        (["house", "human"], "no human"),
        (["house", "nobody-at-all"], "nobody-at-all"),
        (["a=house", "a=greedy"], "two entrants"),
        (["house", "greedy", "--shard", "3/2"], "3/2"),
        (["house", "greedy", "--shard", "1/2"], "--seed-file"),
        (["house", "greedy", "--rounds", "3"], "Swiss"),
        (["house", "greedy", "--challenger", "x", "--format", "gauntlet"], "x"),
        (["missing.toml"], "missing.toml"),
        (["house", "greedy", "--cluster", "tcp://x:1", "--workers", "2"], "--workers"),
    ],
)
def test_what_can_not_be_played_is_refused_before_a_file_is_made(tmp_path: Path, words: list[str], said: str) -> None:
    store = tmp_path / "no.db"
    done = tournament("run", *words, "--store", str(store), home=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not store.exists()


def test_files_that_are_none_are_told(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("hello")
    for command in ("resume", "show", "report", "stop"):
        for name in ("text.db", "missing.db"):
            done = tournament(command, str(tmp_path / name), home=tmp_path)
            assert done.returncode == 2, (command, name)
            assert name in done.stderr
            assert "Traceback" not in done.stderr


def test_a_bot_that_is_a_command_line_is_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(BOT.split()[-1], tmp_path / "bot.py")
    (tmp_path / "plan.toml").write_text(
        '[tournament]\ntarget = 1000\nblocks = 2\n[[entrant]]\nplayer = "house"\n[[entrant]]\n'
        f'name = "mine"\nplayer = "{sys.executable} bot.py"\n'
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    done = tournament("run", str(tmp_path / "plan.toml"), "--json", "--quiet", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {row["name"]: row["faults"] for row in json.loads(done.stdout)["standings"]} == {"house": {}, "mine": {}}
    assert os.listdir(elsewhere) == ["plan.db"]  # noqa: PTH208
