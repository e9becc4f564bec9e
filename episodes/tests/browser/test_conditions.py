"""Pages where fonts come late, text is large, colours are forced or there is paper: all is there and nothing moves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from episodes.models import Episode, Link, Person, Podcast

from .checking import SHIFTS, painted

PAGES = (
    "/",
    "/episodes/?q=autograd",
    "/episodes/vmap/",
    "/episodes/compiled-autograd/",
    "/topics/",
    "/topics/autograd/",
    "/paths/",
    "/paths/where-memory-goes/",
    "/names/",
    "/people/",
    "/time/?minutes=45",
    "/sources/",
    "/about/",
    "/data/",
)
# `make test-all` looks at these widths too.
WIDE, NARROW = (pytest.param(width, marks=pytest.mark.long) for width in (1280, 400))
UNFOLD = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"

# Playwright runs its loop in this thread; the live server answers from its own.
pytestmark = [pytest.mark.pages, pytest.mark.filterwarnings("default::ResourceWarning")]


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, catalog: None) -> Iterator[Page]:
    context = browser.new_context(base_url=live_server.url, service_workers="block")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("width", [360, WIDE])
def test_next_to_nothing_moves_when_the_fonts_come(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for address in ("/", "/episodes/compiled-autograd/", "/topics/autograd/", "/paths/where-memory-goes/"):
        with painted(page, address, without="**/*.woff2"):
            assert page.evaluate("document.fonts.status") == "loading"
        page.evaluate("document.fonts.ready.then(() => {})")
        assert page.evaluate(SHIFTS) < 0.02, address


def test_what_moves_is_noticed(page: Page) -> None:
    page.goto("/")
    page.evaluate("document.body.prepend(Object.assign(document.createElement('p'), { style: 'block-size: 300px' }))")
    assert page.evaluate(SHIFTS) > 0.1


@pytest.mark.parametrize("width", [640, WIDE])
def test_text_of_twice_the_size_fits(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for address in PAGES:
        page.goto(address)
        page.evaluate(UNFOLD)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address


@pytest.mark.parametrize("width", [360, WIDE])
def test_words_wider_than_the_screen_are_broken(page: Page, width: int) -> None:
    word = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
    Episode.objects.update(title=word)
    Link.objects.update(title=word)
    Person.objects.update(name=word)
    Podcast.objects.update(title=word, description=word)
    page.set_viewport_size({"width": width, "height": 900})
    for address in ("/links/", "/links/?kind=github-pr", "/people/", "/shows/", "/episodes/", "/timeline/", "/"):
        page.goto(address)
        page.evaluate(UNFOLD)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address


def test_the_menu_is_one_line_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto("/")
    tops = {one.bounding_box()["y"] for one in page.locator(".masthead nav a").all()}  # type: ignore[index]
    assert len(tops) == 1


def test_forced_colours_keep_the_needle_at_the_page_one_is_on(page: Page) -> None:
    page.emulate_media(forced_colors="active")
    page.goto("/topics/")
    needle = page.locator(".masthead [aria-current]").evaluate(
        "(one) => { const { borderLeftStyle, borderLeftColor } = getComputedStyle(one, '::before');"
        " return [borderLeftStyle, borderLeftColor !== getComputedStyle(document.body).backgroundColor]; }"
    )
    assert needle == ["solid", True]


@pytest.mark.parametrize("width", [800, NARROW])
def test_paper_has_the_content_and_none_of_the_controls(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(media="print")
    for address in PAGES:
        page.goto(address)
        assert page.locator("h1").is_visible()
        shown = page.locator(".masthead nav, .colophon nav, .search, .facets, .timeline, .subscribe, .sorts")
        assert [one.get_attribute("class") for one in shown.all() if one.is_visible()] == [], address
