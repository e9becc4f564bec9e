"""The version of this release, wherever it is written or shown, the pins of the tools, and the benchmark."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import django
import pytest
from django.conf import settings
from django.test import Client

from podcast_catalog import __version__

ROOT = Path(settings.BASE_DIR)


@pytest.mark.django_db
def test_version_is_the_same_everywhere(client: Client) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    newest_release = re.search(r"^## (\S+) – \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest_release
    assert (project["version"], newest_release[1]) == (__version__, __version__)
    command = [sys.executable, "manage.py", "--version"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert printed == f"podcast-catalog {__version__} (Django {django.get_version()})\n"
    assert f"podcast-catalog {__version__}" in client.get("/about/").content.decode()


def test_hooks_use_pinned_versions() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    pins = (ROOT / "requirements-dev.txt").read_text()
    for name in ("ruff", "djlint"):
        pinned = re.search(rf"^{name}==(\S+)", pins, re.MULTILINE)
        assert pinned
        assert re.search(rf"/{name}\S*\n +rev: v{re.escape(pinned[1])}\n", hooks, re.IGNORECASE), name


@pytest.mark.long
@pytest.mark.parametrize("part, last", [("imports", "| rebuild |"), ("pages", "| /changes/ |")])
def test_the_benchmark_runs(part: str, last: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    command = [sys.executable, "-m", f"bench.{part}", *(["10"] if part == "imports" else [])]
    ran = subprocess.run(command, cwd=settings.BASE_DIR, env=environment, text=True, stdout=subprocess.PIPE, check=True)
    assert last in ran.stdout
