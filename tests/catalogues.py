"""The catalogues: extract the words of the program and of click, bring the translations up to date, compile them.

python -m tests.catalogues update    after words have changed; then translate what is new in the .po files
python -m tests.catalogues compile   after translating
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import click
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from dicegame import __version__
from dicegame.text import LANGUAGES

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "dicegame"
LOCALES = PACKAGE / "locale"
TRANSLATED = ("fr", "ru", "ar")
KEYWORDS = {"_": None, "N_": None, "gettext": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2)}


def po_path(language: str) -> Path:
    """Return where the translations of a language are."""
    return LOCALES / language / "LC_MESSAGES" / "dicegame.po"


def template() -> Catalog:
    """Return every message of the program and of click, untranslated."""
    catalogue = Catalog(project="dicegame", charset="utf-8", fuzzy=False)
    for folder, shown in ((PACKAGE, "dicegame"), (Path(click.__file__).parent, "click")):
        found = extract_from_dir(folder, keywords=KEYWORDS, comment_tags=("Translators:",), strip_comment_tags=True)
        for filename, _line, message, comments, context in sorted(found, key=lambda row: (row[0], row[1])):
            place = f"{shown}/{Path(filename).as_posix()}"
            catalogue.add(message, locations=[(place, 0)], auto_comments=comments, context=context)
    return catalogue


def read(language: str) -> Catalog:
    """Return the translations of a language."""
    with po_path(language).open("rb") as file:
        return read_po(file, locale=language)


def update() -> None:
    """Bring every .po file up to date with the words in use; what is new stands in it untranslated."""
    wanted = template()
    for language in TRANSLATED:
        path = po_path(language)
        catalogue = read(language) if path.exists() else Catalog(locale=language, fuzzy=False)
        catalogue.header_comment = f"# The words of dicegame and of click in {LANGUAGES[language]}."
        catalogue.project, catalogue.version = "dicegame", __version__
        catalogue.last_translator = catalogue.language_team = "the dicegame authors"
        catalogue.update(wanted, no_fuzzy_matching=True)
        catalogue.obsolete.clear()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            write_po(file, catalogue, width=120, include_lineno=False, omit_header=False)


def compiled(language: str) -> bytes:
    """Return the compiled catalogue of a language."""
    buffer = io.BytesIO()
    write_mo(buffer, read(language))
    return buffer.getvalue()


def compile_all() -> None:
    """Compile every catalogue into the package."""
    for language in TRANSLATED:
        po_path(language).with_suffix(".mo").write_bytes(compiled(language))


if __name__ == "__main__":
    {"update": update, "compile": compile_all}[sys.argv[1]]()
