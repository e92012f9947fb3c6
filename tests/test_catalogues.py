"""Every word of the program and of click is there in every language, and what is compiled is what is written."""

from __future__ import annotations

import re

import pytest

from dicegame import text
from dicegame.terminal import words
from tests import catalogues

PLACEHOLDER = re.compile(r"%\(\w+\)[sdr]|%[sdr%]|\{[^{}]*\}")
DIRECTIONAL = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def _strings(value: object) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list | tuple) else ()


@pytest.fixture(autouse=True)
def _english() -> object:
    yield
    text.use("en")


@pytest.mark.parametrize("language", catalogues.TRANSLATED)
def test_every_message_is_translated(language: str) -> None:
    catalogue = catalogues.read(language)
    missing = []
    for wanted in catalogues.template():
        if not wanted.id:
            continue
        found = catalogue.get(_strings(wanted.id)[0], wanted.context)
        if found is None or not all(_strings(found.string)) or found.fuzzy:
            missing.append(wanted.id)
    assert missing == [], "python -m tests.catalogues update, then translate these"


@pytest.mark.parametrize("language", catalogues.TRANSLATED)
def test_placeholders_are_those_of_the_message(language: str) -> None:
    for message in catalogues.read(language):
        if not message.id or message.context == "typed":
            continue
        ids = [set(PLACEHOLDER.findall(one)) for one in _strings(message.id)]
        most = set.union(*ids)
        for translated in _strings(message.string):
            found = set(PLACEHOLDER.findall(translated))
            assert found <= most, (message.id, translated)
            if len(ids) == 1:
                assert found == most, (message.id, translated)
            else:  # a plural form for one thing may leave its number out
                least = set.intersection(*ids) - {"%d", "%(n)d", "%(n)s"}
                assert least <= found, (message.id, translated)


@pytest.mark.parametrize("language", catalogues.TRANSLATED)
def test_compiled_catalogue_is_what_is_written(language: str) -> None:
    compiled = catalogues.po_path(language).with_suffix(".mo").read_bytes()
    assert compiled == catalogues.compiled(language), "python -m tests.catalogues compile"


@pytest.mark.parametrize("language", catalogues.TRANSLATED)
def test_translations_leave_direction_to_the_program(language: str) -> None:
    for message in catalogues.read(language):
        assert not any(DIRECTIONAL.search(one) for one in _strings(message.string)), message.id


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_no_typed_word_means_two_things(language: str) -> None:
    text.use(language)
    for context in catalogues.read(language) if language != "en" else ():
        if context.context == "typed":
            assert context.string, context.id
    seen: dict[str, str] = {}
    for command in (
        "bank",
        "roll",
        "all",
        "none",
        "reveal",
        "replay",
        "undo",
        "save",
        "quit",
        "rules",
        "score",
        "help",
        "hint",
        "odds",
        "tutor",
        "forfeit",
        "again",
        "other",
        "yes",
        "no",
    ):
        for way in text.pgettext("typed", words.ENGLISH[command]).split("|"):
            folded = " ".join(way.casefold().split())
            assert seen.setdefault(folded, command) == command, folded
            assert words.meant(way) == command


def test_english_words_work_in_every_language() -> None:
    for language in text.LANGUAGES:
        text.use(language)
        for command, ways in words.ENGLISH.items():
            long = max(ways.split("|"), key=len)
            assert words.meant(long) == command, (language, long)


def test_the_three_moments_in_french() -> None:
    text.use("fr")
    assert [text._(moment) for moment in ("Bust!", "Hot dice!", "Final round!")] == [
        "Tour perdu !",
        "Dés chauds !",
        "Dernier tour !",
    ]


def test_russian_and_arabic_have_all_their_plural_forms() -> None:
    for language, counts in (("ru", (1, 2, 5)), ("ar", (0, 1, 2, 3, 11, 100))):
        text.use(language)
        forms = {text.ngettext("%s roll", "%s rolls", n) for n in counts}
        assert len(forms) >= 3, forms


def test_environment_chooses_the_language() -> None:
    assert text.preferred({"LANG": "fr_FR.UTF-8"}) == "fr"
    assert text.preferred({"LANG": "fr_FR.UTF-8", "LC_ALL": "C"}) == "en"
    assert text.preferred({"LANG": "de_DE.UTF-8", "LANGUAGE": "de:ru:fr"}) == "ru"
    assert text.preferred({"LC_MESSAGES": "ar", "LANG": "fr"}) == "ar"
    assert text.preferred({}) == "en"
