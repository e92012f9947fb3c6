"""`bot new` writes a starter that is one's own; that it plays is shown with the samples."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dicegame.cli.bot_new import ALIASES, LANGUAGES, new_bot
from dicegame.errors import InputError
from tests.bots.driver import build, find, missing_tool, open_bot


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_name_stands_in_every_file(language: str, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "Lucky_7"
    written = new_bot(str(folder), language, None)
    assert written == sorted(map(str, folder.iterdir()))
    for path in written:
        text = Path(path).read_text(encoding="utf-8")
        assert "Lucky_7" in text
        assert "my-bot" not in text
        assert os.access(path, os.X_OK) == text.startswith("#!")
    assert find(folder).name == "Lucky_7"


def test_it_says_its_new_name(tmp_path: Path) -> None:
    if missing_tool("python"):
        pytest.skip("python3 is not here")
    new_bot(str(tmp_path / "one"), "py", "Удача")
    with open_bot(build(tmp_path / "one")) as bot:
        assert bot.hello()["name"] == "Удача"


@pytest.mark.parametrize("alias", ALIASES)
def test_aliases(alias: str, tmp_path: Path) -> None:
    by_alias = new_bot(str(tmp_path / "a"), alias.upper(), "x")
    by_name = new_bot(str(tmp_path / "b"), ALIASES[alias], "x")
    assert [Path(path).read_bytes() for path in by_alias] == [Path(path).read_bytes() for path in by_name]


@pytest.mark.parametrize(
    ("folder", "name"), [("my bot!", "my-bot"), ("...", "my-bot"), ("x" * 30, "x" * 24), ("a.b", "a-b"), ("--a--", "a")]
)
def test_a_name_is_made_of_the_folders(folder: str, name: str, tmp_path: Path) -> None:
    new_bot(str(tmp_path / folder), "python", None)
    assert find(tmp_path / folder).name == name


def test_an_empty_folder_is_used_and_any_other_left_alone(tmp_path: Path) -> None:
    assert len(new_bot(str(tmp_path), "c", "x")) == 3
    with pytest.raises(InputError, match="is there already"):
        new_bot(str(tmp_path), "c", "x")
    assert len(list(tmp_path.iterdir())) == 3
    with pytest.raises(InputError, match="is there already"):
        new_bot(str(tmp_path / "bot.c"), "c", "x")


@pytest.mark.parametrize("name", ["", "a b", "x" * 25, 'a"', "a\n", "a/b"])
def test_a_name_that_can_not_be_used(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a bot's name has"):
        new_bot(str(tmp_path / "x"), "c", name)
    assert not (tmp_path / "x").exists()


def test_a_language_without_a_starter(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="python, javascript, c, rust, java, shell"):
        new_bot(str(tmp_path / "x"), "cobol", None)


def test_a_folder_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="can't write"):
        new_bot(str(tmp_path / "file" / "x"), "c", None)
