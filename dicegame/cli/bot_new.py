"""`dicegame bot new`: a starter bot, written into a folder of one's own."""

from __future__ import annotations

import re
from pathlib import Path

from dicegame.errors import InputError
from dicegame.text import _, ltr, quote

LANGUAGES = ("python", "javascript", "c", "rust", "java", "shell")
ALIASES = {"py": "python", "js": "javascript", "node": "javascript", "rs": "rust", "sh": "shell"}
_STARTERS = Path(__file__).resolve().parent.parent / "starters"
_PLACEHOLDER = "my-bot"  # what every starter calls itself
_MAX_NAME = 24


def new_bot(folder: str, lang: str, name: str | None) -> list[str]:
    """Write a starter bot into a new or empty folder.

    Args:
        folder: where; folders above it are made, too.
        lang: one of `LANGUAGES`, or an alias of one.
        name: what the bot is called; None: as the folder.

    Returns:
        The paths of the files written, in alphabetical order.

    Raises:
        InputError: no such language, a name that can't be used, a folder that is not empty, or one that can't be written.
    """
    language = ALIASES.get(lang.lower(), lang.lower())
    if language not in LANGUAGES:
        message = _("there is no starter in %(lang)s; there are: %(known)s")
        raise InputError(message % {"lang": quote(lang), "known": ltr(", ".join(LANGUAGES))})
    target = Path(folder)
    called = _from_folder(target) if name is None else _checked(name)
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise InputError(_("%s is there already and is not an empty folder") % quote(folder))
        target.mkdir(parents=True, exist_ok=True)
        sources = sorted(path for path in (_STARTERS / language).iterdir() if path.is_file())
        return [_write(source, target, called) for source in sources]
    except OSError as error:
        values = {"folder": quote(folder), "reason": error.strerror or str(error)}
        raise InputError(_("can't write %(folder)s: %(reason)s") % values) from error


def _write(source: Path, target: Path, name: str) -> str:
    """Write one file of a starter under its new name for itself; scripts can be run."""
    text = source.read_text(encoding="utf-8")
    path = target / source.name
    path.write_text(text.replace(_PLACEHOLDER, name), encoding="utf-8")
    if text.startswith("#!"):
        path.chmod(path.stat().st_mode | 0o111)
    return str(path)


def _from_folder(folder: Path) -> str:
    """Return the name of a folder with everything in it replaced that a bot's name can't have."""
    name = re.sub(r"[^\w-]+", "-", folder.resolve().name).strip("-")[:_MAX_NAME]
    return name or _PLACEHOLDER


def _checked(name: str) -> str:
    if not re.fullmatch(rf"[\w-]{{1,{_MAX_NAME}}}", name):
        message = _("a bot's name has 1 to %(most)s letters, digits, _ or -; %(name)s has something else")
        raise InputError(message % {"most": ltr(_MAX_NAME), "name": quote(name) or '""'})
    return name
