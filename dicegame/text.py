"""The words in the user's language: which language, the catalogues, plural forms, and text that is safe to show.

Words come from gettext catalogues in `locale/`. `use` chooses the language once, before anything is worded; the same catalogue
carries click's own words, because click asks gettext's global domain.
"""

from __future__ import annotations

import gettext as _gettext
import os
import sys
import unicodedata
from typing import Final

DOMAIN: Final = "dicegame"
LANGUAGES: Final = {"en": "English", "fr": "Français", "ru": "Русский", "ar": "العربية"}
_LOCALES: Final = os.path.join(os.path.dirname(__file__), "locale")  # noqa: PTH118, PTH120 - pathlib costs start-up time
# Letters that an output must be able to write before a language is shown on it.
_SAMPLES: Final = {"en": "", "fr": "éèêàçùœ", "ru": "жщёЫ«»—", "ar": "شعغ،؟"}
_LRI, _FSI, _PDI = "\u2066", "\u2068", "\u2069"

_catalogue: _gettext.NullTranslations = _gettext.NullTranslations()
_language = "en"


def N_(message: str) -> str:  # noqa: N802 - gettext's customary name
    """Mark `message` for the catalogue where it is written down but not yet shown."""
    return message


def _(message: str) -> str:
    """Return `message` in the user's language."""
    return _catalogue.gettext(message)


def ngettext(singular: str, plural: str, n: int) -> str:
    """Return the form that `n` things take in the user's language."""
    return _catalogue.ngettext(singular, plural, n)


def pgettext(context: str, message: str) -> str:
    """Return `message` as it is said in `context`, in the user's language."""
    return _catalogue.pgettext(context, message)


def language() -> str:
    """Return the code of the language in use: a key of `LANGUAGES`."""
    return _language


def preferred(environ: dict[str, str] | None = None) -> str:
    """Return the first language that the environment asks for and that there is; English otherwise."""
    env = os.environ if environ is None else environ
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        for wanted in env.get(name, "").split(":"):
            code = wanted.replace("-", "_").split(".")[0].split("_")[0].lower()
            if code in LANGUAGES:
                return code
        if env.get(name) and name != "LANGUAGE":
            break
    return "en"


def use(code: str) -> None:
    """Speak the language `code` from here on, click's own words included."""
    global _catalogue, _language  # noqa: PLW0603 - one process speaks one language
    if code not in LANGUAGES:
        raise ValueError(code)
    _language = code
    _catalogue = _gettext.translation(DOMAIN, _LOCALES, languages=[code], fallback=True)
    os.environ["LANGUAGE"] = code  # gettext's global functions, which click calls, look here
    _gettext.bindtextdomain(DOMAIN, _LOCALES)
    _gettext.textdomain(DOMAIN)


def writable(code: str, encoding: str | None) -> bool:
    """Say whether an output of this encoding can write the letters of this language."""
    try:
        _SAMPLES[code].encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def isolate(text: str) -> str:
    """Keep a name from turning the words around it about, in a language written right to left."""
    return f"{_FSI}{text}{_PDI}" if _language == "ar" else text


def ltr(text: object) -> str:
    """Keep a number, or a row of dice, reading left to right in a language written right to left."""
    return f"{_LRI}{text}{_PDI}" if _language == "ar" else str(text)


def number(value: int) -> str:
    """Return an amount of points as it is shown: plain digits, as they are typed, safe in every language."""
    return ltr(value)


def percent(share: float, digits: int = 1) -> str:
    """Return a share of one as a percentage with `digits` after the point, as the language writes it."""
    return pgettext("a percentage", "{number}%").replace("{number}", decimal(share * 100, digits))


def decimal(value: float, digits: int) -> str:
    """Return a number with `digits` decimals and the language's decimal sign."""
    return f"{value:.{digits}f}".replace(".", pgettext("decimal sign", "."))


def clean(text: str, limit: int = 200) -> str:
    """Return `text` without anything that could steer a terminal, cut at `limit` characters."""
    cut = text if len(text) <= limit else text[:limit] + "..."
    return "".join(c if unicodedata.category(c)[0] != "C" else "�" if c != "\t" else " " for c in cut)


def quote(text: str, limit: int = 200) -> str:
    """Return text from outside (a name, a path, a typed word) safe to show and to stand in a sentence."""
    shown = clean(text, limit)
    return isolate(shown) if shown else shown


def join(items: list[str]) -> str:
    """Return `items` as a list in a sentence: with the language's own comma."""
    return _(", ").join(items)


def setup_streams() -> None:
    """Make the standard streams unable to fail on a character: what can't be shown is replaced."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
