"""Every page in chromium, wide and narrow: each control gets its own click, nothing spills over, is cut, breaks or fails."""

import re
from collections import defaultdict
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import resolve
from playwright.sync_api import Browser, ConsoleMessage, Page, Response
from pytest_django.live_server_helper import LiveServer

from episodes.models import Episode, Podcast, Suggestion
from episodes.outputs import sitemap
from episodes.urls import urlpatterns

from ..admin.conftest import at, doubtful, talks
from ..curation.conftest import small
from ..examples import LONG, examples
from ..read.test_moments import FILLER, transcribed

__all__ = ["doubtful", "small", "talks"]

WIDTHS = (1440, 768, 360) if LONG else (1440, 360)
# On the narrowest phones a page has only to fit.
NARROWEST = 320
FAULTS = Path(__file__).with_name("faults.js").read_text()

STATES = (
    "/", "/episodes/?page=4", "/episodes/?year=1066", "/episodes/?month=2021-06", "/episodes/?q=vmap", "/episodes/?q=autogrda",
    "/episodes/?q=gpu+memory+leak", "/episodes/?q=12", "/episodes/?q=zzzz&topic=nope", "/episodes/?topic=autograd&year=2021&sort=longest",
    "/episodes/compiled-autograd/?t=12:34", "/episodes/vmap/", "/links/?kind=github-pr", "/links/?q=zzzz", "/time/?minutes=45",
    "/time/?minutes=1", "/data/", "/admin/login/",
)  # fmt: skip
NOWHERE = "/no/such/autograd/"
SCREENS = (
    "", "episodes/episode/", "inbox/", "inbox/held/", "find/", "episodes/change/", "episodes/topic/",
    "episodes/topic/add/", "episodes/link/", "episodes/person/", "episodes/source/", "episodes/withdrawnepisode/",
    "episodes/episode/all-about-ladders-1/merge/?other=all-about-organs-4", "episodes/episode/all-about-ladders-1/split/",
    "episodes/episode/all-about-ladders-1/take-out/?kind=hidden", "episodes/topic/repair/", "episodes/episode/repair/type/?q=a",
)  # fmt: skip
# Of a kind of page with many alike, those with the longest addresses stand for all. Episodes differ in everything:
# `make test-all` sweeps each of them.
STAND_FOR_ALL = examples(1, 4)
EACH = ("episode",) if LONG else ()

# Text for screen readers, and links that come into the page when the keyboard reaches them.
UNSEEN = ".hidden, .skip, .visually-hidden, .skip-to-content-link"
# The notes on a card are two lines, by design.
SHORTENED = ".shows p, .begin a, .entries article > p"

pytestmark = [pytest.mark.pages, pytest.mark.filterwarnings("default::ResourceWarning")]


class Sweep:
    """A page of chromium that goes from address to address and keeps the faults of each."""

    def __init__(self, page: Page, home: str) -> None:
        self.page, self.home, self.address = page, home, ""
        self.faults: dict[str, list[str]] = defaultdict(list)
        page.on("console", self.hear)
        page.on("pageerror", lambda error: self.note(f"error: {error}"))
        page.on("requestfailed", lambda request: self.note(f"{request.url}: {request.failure}"))
        page.on("response", self.receive)
        page.on("request", lambda request: self.note(f"asks {request.url}") if home not in request.url else None)

    def note(self, fault: str) -> None:
        self.faults[self.address].append(fault)

    def hear(self, message: ConsoleMessage) -> None:
        # What could not be loaded is noted by its answer; it is this browser that lets no service worker start.
        expected = ("Failed to load resource", "Service Worker registration blocked by Playwright")
        if message.type in ("error", "warning") and not message.text.startswith(expected):
            self.note(f"console: {message.text}")

    def receive(self, response: Response) -> None:
        if response.status >= 400 and response.url != self.home + NOWHERE:
            self.note(f"{response.url}: {response.status}")

    def visit(self, address: str) -> None:
        self.address = address
        self.page.goto(self.home + address)
        if self.page.url != self.home + address:
            self.note(f"leads to {self.page.url}")
        self.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        for width in WIDTHS:
            self.look(width)
        self.page.set_viewport_size({"width": NARROWEST, "height": 900})
        needed = self.page.evaluate("document.documentElement.scrollWidth")
        if needed > NARROWEST:
            self.note(f"needs {needed} of {NARROWEST} px")

    def look(self, width: int) -> None:
        self.page.set_viewport_size({"width": width, "height": 900})
        # The admin is for a desk.
        fingers = width == 360 and not self.address.startswith("/admin/")
        for fault in self.page.evaluate(FAULTS, {"unseen": UNSEEN, "shortened": SHORTENED, "fingers": fingers}):
            self.note(f"at {width} px {fault}")


@pytest.fixture
def sweep(browser: Browser, live_server: LiveServer) -> Iterator[Sweep]:
    context = browser.new_context(service_workers="block")
    yield Sweep(context.new_page(), live_server.url)
    context.close()


# Pages that no sitemap names.
UNLISTED = ("/moments/?q=kumquat", "/offline/", "/corrections/", "/suggest/?episode=vmap", "/suggest/kumquats/")


def pages(client: Client) -> list[str]:
    """The addresses to sweep: the sitemap's, own pages of links, and states of pages."""
    kinds: dict[str, list[str]] = defaultdict(list)
    about = {"kind": "link", "podcast": Podcast.objects.earliest("pk"), "subject": "Kumquats", "page": "/links/"}
    typed = {"field": "other", "value": "They are ripe.", "answer": "They are."}
    Suggestion.objects.get_or_create(token="kumquats", defaults=about | typed)
    files = b"".join(client.get(f"/sitemap-{section}.xml").content for section in sitemap.SITEMAPS)
    links = client.get("/episodes/code-generation/").content
    listed = re.findall(r"<loc>https?://[^/]+([^<]*)<", files.decode())
    for address in [*listed, *re.findall(r'href="(/links/item/[^"]*)"', links.decode())]:
        kinds[kind(unescape(address))].append(unescape(address))
    swept = [*STATES[:: examples(2, 1)], *UNLISTED, NOWHERE]
    for name, alike in kinds.items():
        swept += alike if name in EACH else sorted(alike, key=len)[-STAND_FOR_ALL:]
    return swept


def kind(address: str) -> str:
    return resolve(unquote(address.partition("?")[0])).url_name or ""


def test_every_page_of_the_url_conf_is_swept(client: Client, catalog: None) -> None:
    """A page's address ends in a slash; what ends otherwise is a file for machines."""
    of_pages = {route.name for route in urlpatterns if str(route.pattern).endswith("/") or not str(route.pattern)}
    assert of_pages - {kind(address) for address in pages(client) if address != NOWHERE} == set()


def test_every_page_can_be_used_and_read(sweep: Sweep, client: Client, catalog: None) -> None:
    Episode.objects.filter(slug="vmap").update(audio_url="https://audio.example.org/a.mp3")
    transcribed("vmap", *((60.0 * n, f"A kumquat is number {n}. {FILLER}") for n in range(3)))
    for address in pages(client):
        sweep.visit(address)
    assert sweep.faults == {}


def test_every_screen_of_the_admin_can_be_used(sweep: Sweep, client: Client, doubtful: Podcast) -> None:
    client.force_login(User.objects.create_superuser("root"))
    session = client.cookies["sessionid"].value
    sweep.page.context.add_cookies([{"name": "sessionid", "value": session, "url": sweep.home}])
    form = at(Episode.objects.earliest("slug"))
    for address in (*(f"/admin/{screen}" for screen in SCREENS), form):
        sweep.visit(address)
    assert sweep.faults == {}
