"""The page in a real browser (headless Chromium), without a network: it works, nothing in it runs that is not ours, everyone can use it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, ViewportSize, sync_playwright

from dicegame import text
from dicegame.tournament.reader import Reader
from dicegame.tournament.report.data import gather
from dicegame.tournament.report.page import page as page_of
from tests.cli.process import run
from tests.tournament.stored import played

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ISOLATES = re.compile("[\u2066-\u2069]")
WIDE, PHONE = ViewportSize(width=1200, height=800), ViewportSize(width=360, height=640)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")

Opened = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def opened(browser: Browser, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    """Open the page of a tournament (the name of its fixture), and see to it that nothing went wrong when the test is over."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []
    asked_for: list[str] = []

    def alerted(dialog: Dialog) -> None:
        wrong.append(dialog.message)
        dialog.dismiss()

    def open_page(
        name: str | Path, *, lang: str = "en", dark: bool = False, phone: bool = False, games: int = 2000
    ) -> Page:
        store = request.getfixturevalue(name) if isinstance(name, str) else name
        file = tmp_path / f"{lang}.html"
        text.use(lang)
        try:
            with Reader(store) as reader:
                file.write_text(page_of(gather(reader, games)), encoding="utf-8")
        finally:
            text.use("en")
        context = browser.new_context(
            offline=True,
            color_scheme="dark" if dark else "light",
            viewport=PHONE if phone else WIDE,
            permissions=["clipboard-read", "clipboard-write"],
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", alerted)
        page.on("request", lambda asked: asked_for.append(asked.url))
        page.goto(file.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
    assert {url.partition(":")[0] for url in asked_for} == {"file"}
    assert len(asked_for) == len(contexts)


def said(page: Page, selector: str) -> list[str]:
    """Return the texts of the elements that a selector finds, without isolates."""
    return [ISOLATES.sub("", found) for found in page.locator(selector).all_inner_texts()]


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def choose(page: Page, game: str) -> None:
    """Choose a game and wait until it lies on the table."""
    page.select_option("#game", game)
    page.wait_for_function("id => document.getElementById('replay').dataset.game === id", arg=game)


def test_headings_sort_the_standings_by_click_and_by_key(opened: Opened) -> None:
    page = opened("autumn")
    names = said(page, ".sortable tbody th")
    wins = page.locator(".sortable thead th", has_text="Wins")
    assert said(page, ".sortable th[aria-sort] button") == ["Rank"]
    wins.locator("button").click()
    by_wins = said(page, ".sortable tbody th")
    rates = [float(rate.split("%")[0]) for rate in said(page, ".sortable tbody tr > :nth-child(3)")]
    assert rates == sorted(rates, reverse=True)
    assert wins.get_attribute("aria-sort") == "descending"
    wins.locator("button").press("Enter")
    assert said(page, ".sortable tbody th") == by_wins[::-1]
    assert wins.get_attribute("aria-sort") == "ascending"
    assert page.locator(".sortable th[aria-sort]").count() == 1
    page.locator(".sortable thead button", has_text="Name").press("Space")
    assert said(page, ".sortable tbody th") == sorted(names)
    page.locator(".sortable thead button", has_text="99% ms").click()
    assert set(said(page, ".sortable tbody th")[2:]) == {"hold", "house"}  # what is not known stays below
    page.locator(".sortable thead button", has_text="Rank").click()
    assert said(page, ".sortable tbody th") == names


@pytest.mark.parametrize("name", ["autumn", "high"])
def test_every_game_replays_to_the_result_of_its_record(
    name: str, opened: Opened, request: pytest.FixtureRequest
) -> None:
    page = opened(name)
    with Reader(request.getfixturevalue(name)) as reader:
        names = {entrant.number: entrant.name for entrant in reader.entrants()}
        games = list(reader.games())
    assert page.locator("#game option").count() == len(games)
    for game in games[::3]:  # all of them are worked out in test_report
        choose(page, game.id)
        assert said(page, "#told li")[0].split()[0].rstrip(",") in names.values()
        page.click("[data-do=last]")
        scores = [str(score) for score in game.scores]
        assert said(page, "#table .seat p:first-child > :nth-child(2)") == scores
        assert said(page, "#table .seat bdi") == [names[number] for number in game.entrants]
        (end,) = said(page, "#now")
        stand = ", ".join(f"{names[n]}: {score}" for n, score in zip(game.entrants, scores, strict=True))
        winners = [names[n] for n, share in zip(game.entrants, game.shares, strict=True) if share]
        assert end.startswith("The game is over.")
        assert stand in end
        if len(winners) == 1:
            assert f"{winners[0]} wins!" in end
        page.click("[data-do=back]")  # what follows from the events alone, before the result is told
        assert said(page, "#table .seat p:first-child > :nth-child(2)") == scores


@pytest.mark.parametrize("name", ["autumn", "high"])
def test_what_is_said_of_a_game_is_what_the_terminal_says(
    name: str, opened: Opened, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with Reader(request.getfixturevalue(name)) as reader:
        game = next(game for game in reader.games() if "talker" not in _names(reader, game.entrants))
        record = reader.record(game.id)
    assert record is not None
    (tmp_path / "game.jsonl").write_bytes(record)
    terminal = run("replay", str(tmp_path / "game.jsonl"), env={"COLUMNS": "100"}).stdout.splitlines()
    page = opened(name)
    choose(page, game.id)
    page.click("[data-do=last]")
    told = said(page, "#told li")[:-1]
    acts = re.compile(r" (rolls|keeps|banks|stands pat|rerolls|wins the|loses the) ")
    assert [line for line in told if acts.search(line) and "Bust!" not in line] == [
        line
        for line in terminal[: terminal.index("The game is over.")]
        if acts.search(line) and "of this turn" not in line
    ]


def _names(reader: Reader, numbers: tuple[int, ...]) -> set[str]:
    return {entrant.name for entrant in reader.entrants() if entrant.number in numbers}


def test_a_game_is_gone_through_by_buttons_keys_and_slider(opened: Opened) -> None:
    page = opened("autumn")
    last = page.locator("#told li")
    page.click("[data-do=last]")
    steps = last.count()
    page.click("[data-do=first]")
    assert last.count() == 1
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert last.count() == 3
    assert said(page, "#now") == said(page, "#told li:last-child")
    assert page.locator("#table .seat.acting .die").count() > 0
    page.keyboard.press("ArrowLeft")
    assert last.count() == 2
    page.keyboard.press("End")
    assert last.count() == steps
    page.keyboard.press("Home")
    page.locator("#place").press("ArrowRight")
    assert last.count() == 2
    assert page.get_attribute("#place", "aria-valuetext") == f"step 2 of {steps}"
    assert page.get_attribute("#now", "aria-live") == "polite"
    page.click("#play")
    assert said(page, "#play") == ["Pause"]
    page.wait_for_function("() => document.querySelectorAll('#told li').length > 2")
    page.click("#play")
    assert said(page, "#play") == ["Play"]


def test_games_are_found_by_who_played_them(opened: Opened) -> None:
    page = opened("autumn")
    page.select_option("#one", label="\u2068badly\u2069")
    assert page.locator("#game option").count() == 18
    page.select_option("#other", label="\u2068hold\u2069")
    assert page.locator("#game option").count() == 6
    assert all("badly" in label and "hold" in label for label in said(page, "#game option"))


def test_a_fault_tells_all_and_leads_to_its_game(opened: Opened) -> None:
    page = opened("autumn")
    fault = page.locator("details.fault").nth(1)
    assert not fault.locator("pre").first.is_visible()
    fault.locator("summary").press("Enter")
    command = fault.locator("code").last.inner_text()
    assert command.startswith("dicegame play ten-thousand ")
    fault.locator("button.copy").click()
    page.wait_for_function("() => [...document.querySelectorAll('button.copy')].some(b => b.textContent === 'Copied')")
    assert page.evaluate("navigator.clipboard.readText()") == command
    see = fault.locator("button.see")
    game = see.get_attribute("data-game")
    see.click()
    page.wait_for_function("id => document.getElementById('replay').dataset.game === id", arg=game)
    page.click("[data-do=last]")
    assert any("badly: fault (protocol)" in line for line in said(page, "#told li"))


def test_a_game_without_record_says_so_and_has_its_result(tmp_path: Path, opened: Opened) -> None:
    page = opened(played(tmp_path / "few.db", ["house=house", "greedy=greedy"], blocks=2, target=500, records="none"))
    choose(page, "1-2-1-0")
    (told,) = said(page, "#now")
    assert told.startswith("No record of this game was kept")
    assert "The game is over." in told
    assert page.locator("[data-do=on]").is_disabled()


@pytest.mark.parametrize("lang", ["en", "ar"])
def test_a_phone_needs_no_scrolling_to_the_side(lang: str, opened: Opened) -> None:
    page = opened("hostile", lang=lang, phone=True)
    assert fits(page)
    for summary in page.locator("details.fault summary").all()[:3]:
        summary.click()
    page.click("[data-do=last]")
    assert fits(page)
    assert fits(opened("autumn", lang=lang, phone=True))


@pytest.mark.parametrize(
    ("name", "dark", "lang"),
    [("autumn", False, "en"), ("autumn", True, "en"), ("autumn", False, "ar"), ("hostile", True, "ar")],
)
def test_everyone_can_use_it(name: str, dark: bool, lang: str, opened: Opened) -> None:
    page = opened(name, dark=dark, lang=lang)
    page.locator("details.fault summary").first.click()
    page.click("[data-do=on]")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    incomplete = {one["id"] for one in found.response["incomplete"]} - {"color-contrast"}
    assert not incomplete


def test_what_means_harm_neither_runs_nor_shows(opened: Opened) -> None:
    page = opened("hostile")
    assert page.title() == "<script>alert(1)</script>"
    assert said(page, "h1") == ["<script>alert(1)</script>"]
    assert page.locator("img, iframe, body script:not(:nth-last-child(-n+2))").count() == 0
    for button in page.locator("button.see").all()[:2]:
        page.locator("details.fault:not([open]) summary").first.click()
        button.click()
    page.select_option("#one", value="2")
    page.click("[data-do=last]")
    assert any('says: <script>document.title = "said"' in line for line in said(page, "#told li"))
    assert page.title() == "<script>alert(1)</script>"
    shown = page.evaluate("document.body.textContent")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", shown)
    assert "was set aside" in shown
    assert "<b>the machine</b> is too busy" in shown


def test_of_nothing_there_is_little_to_see(opened: Opened) -> None:
    page = opened("fresh")
    assert said(page, "h2") == ["Summary", "Standings", "Faults", "Games", "How it was set up"]
    assert page.get_by_text("No game is in this page.").is_visible()


def test_it_prints(opened: Opened) -> None:
    page = opened("autumn", dark=True)
    printed = page.pdf()
    assert printed.startswith(b"%PDF-")
    assert 1 < printed.count(b"/Type /Page\n") <= 12
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 1000})
    assert fits(page)
    assert not page.locator("#player").is_visible()
    assert page.locator(".sortable").is_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"


def test_without_script_everything_but_the_games_is_there(browser: Browser, autumn: Path, tmp_path: Path) -> None:
    with Reader(autumn) as reader:
        (tmp_path / "a.html").write_text(page_of(gather(reader, 5)), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "a.html").as_uri())
    assert page.locator(".sortable tbody tr").count() == 4
    assert page.get_by_text("This needs JavaScript.").is_visible()
    assert not page.locator("#player").is_visible()
    context.close()
