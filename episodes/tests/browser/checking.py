"""The checkers of pages, which `.ci/tools` installs: axe-core, the W3C's checker and Lighthouse; and how pages settle."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Page, Route

from ..patience import until

TOOLS = Path(settings.BASE_DIR) / ".ci" / "tools" / "node_modules"
AXE = TOOLS / "axe-core" / "axe.min.js"
VNU = TOOLS / "vnu-jar" / "build" / "dist" / "vnu.jar"
LIGHTHOUSE = TOOLS / "lighthouse" / "cli" / "index.js"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
JAVA, NODE = (shutil.which(name) or "" for name in ("java", "node"))
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
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


def needs(**tools: Path | str) -> pytest.MarkDecorator:
    """Leave a test out where one of its tools is not installed."""
    missing = [name for name, path in tools.items() if not path or not Path(path).exists()]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)} (README.md, “Test it”)")


def becomes_true(page: Page, expression: str) -> None:
    """Asks again and again from here: what Playwright polls inside the page is `eval`, which the page's policy forbids."""

    def holds() -> bool:
        page.wait_for_timeout(20)
        return bool(page.evaluate(expression))

    until(holds)


@contextmanager
def held_back(page: Page, pattern: str) -> Iterator[None]:
    """Requests of this pattern get their answers at the end."""
    held: list[Route] = []
    over = Event()
    page.route(pattern, lambda route: route.continue_() if over.is_set() else held.append(route))
    yield
    over.set()
    for route in held:
        route.continue_()
    page.unroute(pattern)


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
        f"{name}: {audit['title']} {_where(audit)}"
        for name, audit in report["audits"].items()
        if audit["score"] is not None and audit["score"] < 1
    ]


def not_judged(report: dict[str, Any]) -> list[str]:
    """The audits that Lighthouse could not make in this chromium."""
    return [name for name, audit in report["audits"].items() if audit["scoreDisplayMode"] == "error"]


def _where(audit: dict[str, Any]) -> list[str]:
    items = (audit.get("details") or {}).get("items") or []
    return [item["node"]["selector"] for item in items if "node" in item][:8]
