"""Pages where text is large, words are long, or there is paper: all is there, in the fonts that we ship."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from episodes.models import Episode, Link, Person, Podcast

from ..examples import examples

PAGES = (
    "/", "/episodes/?q=autograd", "/episodes/vmap/", "/episodes/compiled-autograd/", "/topics/autograd/", "/paths/where-memory-goes/",
    "/names/", "/time/?minutes=45", "/sources/", "/about/", "/data/",
)  # fmt: skip
# `make test-all` looks at these widths too.
WIDE, NARROW = (pytest.param(width, marks=pytest.mark.long) for width in (1280, 400))
SOME = PAGES[:: examples(3, 1)]
UNFOLD = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"

pytestmark = [pytest.mark.pages, pytest.mark.filterwarnings("default::ResourceWarning")]


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, catalog: None) -> Iterator[Page]:
    context = browser.new_context(base_url=live_server.url, service_workers="block")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("address", ["/", "/admin/login/"])
def test_labels_are_in_the_shipped_font(page: Page, address: str) -> None:
    page.goto(address)
    assert page.evaluate("getComputedStyle(document.body).fontFamily").startswith('"Public Sans"')
    loaded = page.evaluate("""document.fonts.ready.then(
        (fonts) => [...fonts].filter((font) => font.status === "loaded").map((font) => font.family)
    )""")
    assert "Public Sans" in [family.strip('"') for family in loaded]


@pytest.mark.parametrize("width", [640, WIDE])
def test_text_of_twice_the_size_fits(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for address in SOME:
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


@pytest.mark.parametrize("width", [800, NARROW])
def test_printed_page_is_white_without_controls(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(media="print", color_scheme="dark")
    for address in SOME:
        page.goto(address)
        assert page.locator("h1").is_visible()
        shown = page.locator(".masthead nav, .colophon nav, .search, .facets, .timeline, .subscribe, .sorts")
        assert [one.get_attribute("class") for one in shown.all() if one.is_visible()] == [], address
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.goto("/episodes/functionalization/")
    elsewhere = page.locator(".listen .go").evaluate("(link) => getComputedStyle(link, '::after').content")
    assert "⟨" in elsewhere, "the address is spelled out"
    assert not page.get_by_text("Suggest a correction").is_visible()
