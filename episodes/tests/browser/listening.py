"""A page with audio that needs no network, and the state of its player."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route
from pytest_django.live_server_helper import LiveServer

from episodes.models import Episode

from ..patience import until
from .conftest import listened_to

SOUND = "https://audio.example.org/"
AUDIO = f"{SOUND}vmap.wav"
WIDE = {"width": 1280, "height": 900}
# Store the position at which the audio begins to play.
BEGAN = "addEventListener('playing', ({ target }) => { window.began ??= target.currentTime; }, true)"


@pytest.fixture
def context(browser: Browser, silence: bytes) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport=WIDE, service_workers="block")  # type: ignore[arg-type]
    made.grant_permissions(["clipboard-read", "clipboard-write"])
    made.add_init_script(BEGAN)

    def play(route: Route) -> None:
        byte_range = re.match(r"bytes=(\d+)-(\d*)", route.request.headers.get("range", "bytes=0-"))
        assert byte_range
        first, last = int(byte_range[1]), int(byte_range[2] or len(silence) - 1)
        headers = {"Content-Range": f"bytes {first}-{last}/{len(silence)}", "Accept-Ranges": "bytes"}
        route.fulfill(status=206, content_type="audio/wav", headers=headers, body=silence[first : last + 1])

    made.route(f"{SOUND}*.wav", play)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext, live_server: LiveServer, catalog: None, trouble: list[str]) -> Iterator[Page]:
    changes = {"audio_url": AUDIO, "description_html": "<p>0:42 Random numbers</p>", "duration_seconds": 120}
    Episode.objects.filter(slug="vmap").update(**changes)
    opened = listened_to(context, trouble)
    opened.goto(f"{live_server.url}/episodes/")
    yield opened
    assert trouble == []
    opened.close()


def becomes_true(page: Page, expression: str) -> None:
    """Wait until an expression is true. Playwright's own wait uses `eval`, which the page's policy forbids."""

    def holds() -> bool:
        page.wait_for_timeout(20)
        return bool(page.evaluate(expression))

    until(holds)


def wait(page: Page, condition: str) -> None:
    becomes_true(page, f"(() => {{ const audio = document.querySelector('.dock audio'); return {condition}; }})()")
