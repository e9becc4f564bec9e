"""Where the checkers of pages are: axe-core, the W3C's checker and Lighthouse, as `.ci/tools` installs them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from ..examples import LONG

TOOLS = Path(settings.BASE_DIR) / ".ci" / "tools" / "node_modules"
AXE = TOOLS / "axe-core" / "axe.min.js"
VNU = TOOLS / "vnu-jar" / "build" / "dist" / "vnu.jar"
LIGHTHOUSE = TOOLS / "lighthouse" / "cli" / "index.js"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
CI = os.environ.get("CI") == "true"
TRIES = 4


def needs(*what: Path | str) -> pytest.MarkDecorator:
    """Leave a test out where its checker is not installed; in CI nothing is left out."""
    there = all(bool(name) and (isinstance(name, str) or name.exists()) for name in what)
    return pytest.mark.skipif(not there and not CI, reason="the checkers are not installed: npm install in .ci/tools")


def w3c(files: list[Path], *options: str) -> list[str]:
    """What the W3C's checker calls an error: file, line and message."""
    command = ["java", "-Xss8m", "-jar", str(VNU), "--errors-only", "--format", "json", *options, *map(str, files)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    messages: list[dict[str, Any]] = json.loads(said)["messages"]
    return [f"{Path(m.get('url', '')).name}:{m.get('lastLine')}: {m['message']}" for m in messages]


def lighthouse(address: str) -> dict[str, Any]:
    """Lighthouse's scores by category (0 to 100; of speed in long runs alone), and under `failed` the audits of all but speed that are not right."""
    command = [
        "node", str(LIGHTHOUSE), address, "--quiet", "--output=json",
        f"--chrome-flags={' '.join(['--headless', *FLAGS])}",
        f"--only-categories=accessibility,best-practices,seo{',performance' if LONG else ''}",
    ]  # fmt: skip
    for _ in range(TRIES):
        ran = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"CHROME_PATH": CHROMIUM},
            timeout=180,
        )
        # On a busy machine chromium can fail to record the load; Lighthouse then judges nothing and asks to be run again.
        if ran.returncode == 0 and "runtimeError" not in json.loads(ran.stdout):
            break
    assert ran.returncode == 0, ran.stderr[-2000:]
    report = json.loads(ran.stdout)
    scores = {name: round(100 * category["score"]) for name, category in report["categories"].items()}
    audits = {ref["id"] for name, c in report["categories"].items() if name != "performance" for ref in c["auditRefs"]}
    failed = [
        f"{name}: {audit['title']} {_where(audit)}"
        for name, audit in report["audits"].items()
        if name in audits and audit["score"] is not None and audit["score"] < 1
    ]
    return {**scores, "failed": failed}


def _where(audit: dict[str, Any]) -> list[str]:
    items = (audit.get("details") or {}).get("items") or []
    return [item["node"]["selector"] for item in items if "node" in item][:8]
