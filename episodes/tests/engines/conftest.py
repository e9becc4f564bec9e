"""A tab of Firefox and of WebKit, and a site whose pages it opens."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core.servers.basehttp import WSGIRequestHandler
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
    middleware = [*settings.MIDDLEWARE, "episodes.tests.engines.complaints.with_complaints"]
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
