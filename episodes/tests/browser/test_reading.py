"""A reader's way through the site in chromium: find, narrow down, read; on a phone and on a desk, light and dark."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

# Playwright runs its loop in this thread; the live server answers from its own.
pytestmark = pytest.mark.filterwarnings("default::ResourceWarning")


@pytest.fixture(
    params=[(360, "light"), pytest.param((768, "light"), marks=pytest.mark.long), (1440, "dark")],
    ids=lambda p: f"{p[0]} px, {p[1]}",
)
def context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    width, scheme = request.param
    made = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=False)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext, catalog: None) -> Page:
    return context.new_page()


def step_a_reader_finds_an_episode_by_words_and_reads_it(page: Page, home: str) -> None:
    page.get_by_role("searchbox").fill("vmap")
    page.get_by_role("searchbox").press("Enter")
    expect(page).to_have_url(re.compile("q=vmap"))
    page.locator("main article a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("vmap")
    assert page.get_by_role("link", name="pytorch/pytorch#42368").count() >= 1


def step_a_reader_narrows_down_by_topic_and_takes_it_off_again(page: Page, home: str) -> None:
    page.goto(f"{home}/episodes/?topic=functorch&year=2021")
    assert 0 < page.locator("main article").count() < 25
    page.get_by_role("link", name="Remove filter").first.click()
    expect(page).to_have_url(re.compile("^[^=]*=[^=]*$"))


def test_paper_is_white_and_its_text_dark_in_a_dark_scheme_too(
    browser: Browser, live_server: LiveServer, catalog: None
) -> None:
    page = browser.new_page(color_scheme="dark")
    page.goto(f"{live_server.url}/episodes/vmap/")
    colours = "['body', '.notes'].map((one) => getComputedStyle(document.querySelector(one)))"
    on_screen = page.evaluate(f"{colours}.map((style) => style.color)")
    page.emulate_media(media="print")
    on_paper = page.evaluate(f"{colours}.map((style) => style.color)")
    assert page.evaluate(f"{colours}[0].backgroundColor") == "rgb(255, 255, 255)"
    assert [lightness(one) > 0.9 for one in on_screen] == [True, True]
    assert [lightness(one) < 0.3 for one in on_paper] == [True, True]
    page.close()


def lightness(colour: str) -> float:
    return float(colour.removeprefix("oklch(").split()[0])


def step_a_reader_sees_what_to_hear_first_and_what_builds_on_it(page: Page, home: str) -> None:
    page.goto(f"{home}/episodes/weak-references/")
    first = page.locator(".sides section").filter(has_text="Before this").locator("li", has_text="Listen to this first")
    assert first.locator("bdi").all_inner_texts() == ["PyObject preservation", "Reference counting"]
    first.get_by_role("link", name="Reference counting").click()
    after = page.locator(".sides section").filter(has_text="After this")
    assert "Builds on this" in after.locator("li", has_text="Weak references").inner_text()


def step_the_keyboard_reaches_the_content_first(page: Page, home: str) -> None:
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to episodes"


def step_the_text_of_a_card_can_be_selected(page: Page, home: str) -> None:
    page.locator("main article > p:not(.meta)").first.click(click_count=3)
    assert page.evaluate("getSelection().toString().length") > 20
    assert page.url == f"{home}/"


def step_a_reader_finds_what_is_new_in_a_year(page: Page, home: str) -> None:
    page.goto(f"{home}/episodes/")
    if not page.locator(".timeline .year").first.is_visible():
        page.get_by_text("Months", exact=True).click()
    page.get_by_role("link", name="2024", exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("13 episodes, 2024")


def step_a_mark_of_the_timeline_shows_its_label_on_hover_and_focus(page: Page, home: str) -> None:
    page.goto(f"{home}/timeline/")
    for slug in ("vmap", "torchdynamo"):
        mark = page.locator(f'.year li li a[href="/episodes/{slug}/"]')
        label = mark.locator(".label")
        expect(label).to_have_css("opacity", "0")
        for reach in (mark.hover, mark.focus):
            reach()
            expect(label).to_have_css("opacity", "1")
            box, target = label.bounding_box(), mark.bounding_box()
            assert box
            assert target
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= page.evaluate("document.documentElement.clientWidth")
            assert min(target["width"], target["height"]) >= 24
            page.mouse.move(0, 0)
            mark.blur()


def step_the_first_episode_is_on_the_first_screen(page: Page, home: str) -> None:
    page.goto(home)
    box = page.locator("main article h2").first.bounding_box()
    assert box
    assert box["y"] < 780


def step_the_first_episode_is_a_few_steps_from_the_skip_link(page: Page, home: str) -> None:
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('article:first-of-type h2 a')")


STEPS = [step for name, step in globals().items() if name.startswith("step_")]


def test_a_reader_finds_narrows_down_and_reads(page: Page, live_server: LiveServer) -> None:
    for step in STEPS:
        page.goto(live_server.url)
        step(page, live_server.url)
    assert len(STEPS) == 9
