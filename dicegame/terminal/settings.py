"""What was chosen last time, remembered in the user's configuration folder."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Annotated

from platformdirs import user_config_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dicegame.errors import PlayerError
from dicegame.players.specs import parse
from dicegame.rules.model import Find, HighRule, Stakes


class HighDiceChoice(BaseModel):
    """The settings of high dice; `to` None is what the number of players makes it."""

    model_config = ConfigDict(extra="ignore")

    dice: Annotated[int, Field(ge=1, le=5)] = 3
    reroll: bool = True
    rule: HighRule = HighRule.SUM_HIGH
    find: Find = Find.WINNER
    to: Annotated[int, Field(ge=1, le=1000)] | None = None
    stakes: Stakes = Stakes.SCORE


class Settings(BaseModel):
    """The answers to the questions before a game, each the default of the next time."""

    model_config = ConfigDict(extra="ignore")

    game: str = "ten-thousand"
    names: list[str] = Field(default_factory=list)
    computer: str | None = "house"
    targets: dict[str, int] = Field(default_factory=dict)
    high_dice: HighDiceChoice = HighDiceChoice()


def settings_file() -> Path:
    """Return where the settings are; the file need not exist."""
    return user_config_path("dicegame", appauthor=False) / "settings.json"


def load_settings() -> Settings:
    """Return the settings of the last time; the defaults where there are none that can be read."""
    try:
        settings = Settings.model_validate_json(settings_file().read_bytes())
    except (OSError, ValidationError):
        return Settings()
    settings.names = list(filter(_can_be_called, settings.names))
    return settings


def _can_be_called(name: str) -> bool:
    try:
        return parse(f"human:{name}").name == name
    except PlayerError:
        return False


def save_settings(settings: Settings) -> None:
    """Remember the settings; a disk that can't take them only means that the next game asks with the old defaults."""
    path = settings_file()
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}.new")
        fresh.write_text(settings.model_dump_json(indent=1), encoding="utf-8")
        fresh.replace(path)
