"""A tab of Firefox and of WebKit, and a site whose pages it opens."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.servers.basehttp import WSGIRequestHandler
from django.http import HttpRequest, HttpResponse
from django.test import override_settings
from pytest_django.live_server_helper import LiveServer

from .tabs import FIREFOX, MINI_BROWSER, WEBKIT_DRIVER, XVFB, Firefox, Tab, WebKit

# An engine, its kind of tab, the programs that it takes, and the packages of Debian that have them.
ENGINES: dict[str, tuple[type[Firefox | WebKit], tuple[str, ...], str]] = {
    "firefox": (Firefox, (FIREFOX,), "firefox-esr"),
    "webkit": (WebKit, (WEBKIT_DRIVER, MINI_BROWSER, XVFB), "webkit2gtk-driver xvfb"),
}
# The system may reuse a port, and the browser keeps the pages of each.
USED_PORTS: set[int] = set()
COMPLAINTS = Path(__file__).with_name("complaints.js").read_bytes()


def with_complaints(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Serve `complaints.js`, and name it before all other scripts of a page."""

    def answer(request: HttpRequest) -> HttpResponse:
        if request.path == "/complaints.js":
            return HttpResponse(COMPLAINTS, content_type="text/javascript")
        response = get_response(request)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            tag = b'<head><script src="/complaints.js"></script>'
            response.content = response.content.replace(b"<head>", tag, 1)
        return response

    return answer


@pytest.fixture(scope="package", params=list(ENGINES))
def browser_tab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    name: str = request.param
    start, programs, packages = ENGINES[name]
    if not all(programs):
        pytest.skip(f"{name} is not installed (Debian: apt-get install {packages})")
    try:
        tab = start(tmp_path_factory.mktemp(name))
    except start.errors as error:  # Selenium is pinned, the browsers are the machine's
        pytest.skip(f"{name} cannot be driven: {str(error).splitlines()[0]}")
    yield tab
    tab.close()


@pytest.fixture
def site(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveServer]:
    """Serve the site on a new port, for which the browser has stored nothing.

    Every connection is closed after its answer, so that a stopped site answers nothing.
    """
    monkeypatch.setattr(WSGIRequestHandler, "protocol_version", "HTTP/1.0")
    middleware = [*settings.MIDDLEWARE, "episodes.tests.engines.conftest.with_complaints"]
    with override_settings(MIDDLEWARE=middleware):
        while (server := LiveServer("127.0.0.1")).thread.port in USED_PORTS:
            server.stop()
        USED_PORTS.add(server.thread.port)
        yield server
        server.stop()


@pytest.fixture
def tab(browser_tab: Tab, site: LiveServer) -> Iterator[Tab]:
    """Return a wide tab. Fail if its console has errors after the test."""
    browser_tab.resize(1440, 900)
    yield browser_tab
    assert browser_tab.take_complaints() == []
