"""Every page passes axe-core in light and dark and the W3C's checker, and has Lighthouse's full marks."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from episodes.models import Episode

from ..examples import LONG
from .checking import (
    AXE,
    AXE_RULES,
    AXE_RUN,
    CHROMIUM,
    JAVA,
    LIGHTHOUSE,
    NODE,
    VNU,
    faults,
    lighthouse,
    needs,
    not_judged,
    w3c,
)
from .test_quotes import ADDRESSES, said

__all__ = ["said"]

PAGES = (
    "/", "/episodes/?q=autograd", "/episodes/?q=gpu+memory+leak", "/episodes/?q=autogrda", "/episodes/?q=zzzz&topic=nope",
    "/episodes/?topic=autograd&year=2021&sort=longest", "/episodes/vmap/", "/episodes/compiled-autograd/", "/episodes/episode-59/",
    "/topics/", "/topics/autograd/", "/paths/", "/paths/where-memory-goes/", "/links/", "/links/?kind=github-pr", "/names/", "/people/",
    "/people/edward-yang/", "/timeline/", "/time/?minutes=45", "/about/", "/data/", "/shows/", "/sources/", "/changes/", "/offline/",
    "/corrections/", "/suggest/?episode=vmap",
)  # fmt: skip
# Lighthouse refuses, by design, a page that does not answer 200; the other checkers judge this one too.
NOT_FOUND = "/episodes/no-such-episode/"
# In CI axe looks at these, Lighthouse at the first; in `make test-all` axe looks at all pages, Lighthouse at these.
FEW = ("/", "/episodes/vmap/", "/topics/autograd/", "/links/")
MORE = [pytest.param(page, marks=pytest.mark.long) for page in FEW[1:]]
PLAYED = """document.querySelectorAll('.entries > article').forEach((one) => {
    one.classList.toggle('heard', one.querySelector('.number')?.textContent.startsWith('S'));
})"""
pytestmark = pytest.mark.pages


@needs(checker=VNU, java=JAVA)
@pytest.mark.django_db
def test_every_page_and_style_sheet_is_valid(client: Client, said: None, tmp_path: Path) -> None:
    files = []
    for place, address in enumerate((*(PAGES if LONG else FEW), *ADDRESSES[:2], NOT_FOUND)):
        page = tmp_path / f"{place}{address.replace('/', '_').replace('?', '_')}.html"
        answer = client.get(address)
        assert answer.status_code == (404 if address == NOT_FOUND else 200), address
        page.write_bytes(answer.content)
        files.append(page)
    assert w3c(files) == []
    styles = sorted((Path(settings.BASE_DIR) / "static" / "css").glob("*.css"))
    assert w3c(styles, "--css") == []


@pytest.fixture
def axe(browser: Browser, request: pytest.FixtureRequest) -> Iterator[object]:
    made = browser.new_context(
        viewport={"width": 1280, "height": 900}, color_scheme=request.param, bypass_csp=True, service_workers="block"
    )
    yield made.new_page()
    made.close()


@needs(axe=AXE, chromium=CHROMIUM)
@pytest.mark.filterwarnings("default::ResourceWarning")
@pytest.mark.parametrize("axe", ["light", "dark"], indirect=True)
def test_axe_finds_nothing_on_any_page(axe, live_server: LiveServer, catalog: None) -> None:
    found = {}
    # Numbers with a season are small, so their contrast has to be that of text; those of played episodes too.
    Episode.objects.filter(number__gt=60).update(season=2)
    for address in (*PAGES, NOT_FOUND) if LONG else FEW:
        axe.goto(f"{live_server.url}{address}")
        assert address != "/" or "S2" in axe.locator(".number").first.inner_text()
        axe.evaluate(PLAYED)
        axe.add_script_tag(path=str(AXE))
        violations = []
        for width, unfolded in ((1280, True), (360, True), (360, False)):
            axe.set_viewport_size({"width": width, "height": 900})
            violations += axe.evaluate(AXE_RUN, {"rules": AXE_RULES, "unfolded": unfolded})
        if violations:
            found[address] = violations
    assert found == {}


@needs(lighthouse=LIGHTHOUSE, node=NODE, chromium=CHROMIUM)
@pytest.mark.filterwarnings("default::ResourceWarning")
@pytest.mark.parametrize("address", [FEW[0], *MORE])
def test_lighthouse_gives_full_marks(live_server: LiveServer, catalog: None, address: str) -> None:
    report = lighthouse(f"{live_server.url}{address}")
    assert faults(report) == []
    if left_out := not_judged(report):
        pytest.skip(f"this Lighthouse does not know this chromium: {', '.join(left_out)}")
    assert {category["score"] for category in report["categories"].values()} == {1}
