"""Every page passes axe-core in light and dark and the W3C's checker, and has Lighthouse's full marks."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from episodes.models import Episode

from ..examples import LONG
from .conftest import CHROMIUM, FLAGS
from .test_quotes import ADDRESSES, said

__all__ = ["said"]

TOOLS = Path(settings.BASE_DIR) / ".ci" / "tools" / "node_modules"
AXE = TOOLS / "axe-core" / "axe.min.js"
VNU = TOOLS / "vnu-jar" / "build" / "dist" / "vnu.jar"
LIGHTHOUSE = TOOLS / "lighthouse" / "cli" / "index.js"
JAVA, NODE = (shutil.which(name) or "" for name in ("java", "node"))
TRIES = 4
# Audits that tell what the installed version of chromium plans, and nothing of the page.
OPINIONS_OF_A_VERSION = "deprecations,inspector-issues,third-party-cookies"
# Two rules that axe leaves out unless they are named: how large what is clicked is, and names that begin with what is seen.
AXE_RULES = {"target-size": {"enabled": True}, "label-content-name-mismatch": {"enabled": True}}
AXE_RUN = """async (options) => {
    document.querySelectorAll('details').forEach((one) => { one.open = options.unfolded; });
    return (await axe.run(document, {resultTypes: ['violations'], rules: options.rules})).violations
        .map(v => v.id + ': ' + v.nodes.map(n => n.target.join(' ')).slice(0, 3).join(' | '));
}"""

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


def needs(**tools: Path | str) -> pytest.MarkDecorator:
    """Leave a test out where one of its tools is not installed."""
    missing = [name for name, path in tools.items() if not path or not Path(path).exists()]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)} (README.md, “Test it”)")


def w3c(files: list[Path], *options: str) -> list[str]:
    """Errors that the W3C's checker finds: file, line and message."""
    # It ends before a better compiler would pay.
    quick = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    command = [JAVA, *quick, "-Xss8m", "-jar", str(VNU), "--stdout", "--errors-only", "--format", "json", *options]
    ran = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, check=False)
    if not ran.stdout:  # the checker is pinned, Java is the machine's
        pytest.skip(f"the W3C's checker does not run on this Java: {ran.stderr[:200]}")
    messages: list[dict[str, Any]] = json.loads(ran.stdout)["messages"]
    return [f"{Path(m.get('url', '')).name}:{m.get('lastLine')}: {m['message']}" for m in messages]


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
    styles = sorted((Path(settings.BASE_DIR) / "static" / "css").glob("*.css"))
    assert w3c([*files, *styles], "--also-check-css") == []


@pytest.fixture
def axe(browser: Browser, request: pytest.FixtureRequest) -> Iterator[object]:
    made = browser.new_context(color_scheme=request.param, bypass_csp=True, service_workers="block")
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


def lighthouse(address: str) -> dict[str, Any]:
    """Lighthouse's report of a page."""
    command = [
        NODE, str(LIGHTHOUSE), address, "--quiet", "--output=json", "--max-wait-for-load=600000",
        f"--chrome-flags={' '.join(['--headless', *FLAGS])}", "--only-categories=accessibility,best-practices,seo",
        f"--skip-audits={OPINIONS_OF_A_VERSION}",
    ]  # fmt: skip
    for _ in range(TRIES):
        ran = subprocess.run(
            command, capture_output=True, text=True, check=False, env=os.environ | {"CHROME_PATH": CHROMIUM}
        )
        # On a busy machine chromium can fail to record the load; Lighthouse then judges nothing and asks to be run again.
        if ran.returncode == 0:
            report: dict[str, Any] = json.loads(ran.stdout)
            if "runtimeError" not in report:
                return report
    # Lighthouse is pinned, chromium is the machine's.
    pytest.skip(f"this Lighthouse cannot judge a page in this chromium: {(ran.stderr or ran.stdout)[:300]}")


def faults(report: dict[str, Any]) -> list[str]:
    """The audits of a report that a page does not pass."""
    return [
        f"{name}: {audit['title']} {nodes_of(audit)}"
        for name, audit in report["audits"].items()
        if audit["score"] is not None and audit["score"] < 1
    ]


def nodes_of(audit: dict[str, Any]) -> list[str]:
    items = (audit.get("details") or {}).get("items") or []
    return [item["node"]["selector"] for item in items if "node" in item][:8]


@needs(lighthouse=LIGHTHOUSE, node=NODE, chromium=CHROMIUM)
@pytest.mark.filterwarnings("default::ResourceWarning")
@pytest.mark.parametrize("address", [FEW[0], *MORE])
def test_lighthouse_gives_full_marks(live_server: LiveServer, catalog: None, address: str) -> None:
    report = lighthouse(f"{live_server.url}{address}")
    assert faults(report) == []
    left_out = [name for name, audit in report["audits"].items() if audit["scoreDisplayMode"] == "error"]
    if left_out:
        pytest.skip(f"this Lighthouse does not know this chromium: {', '.join(left_out)}")
    assert {category["score"] for category in report["categories"].values()} == {1}
