"""The benchmark (`make bench`) on invented material."""

import os
import subprocess
import sys

import pytest
from django.conf import settings


@pytest.mark.long
@pytest.mark.parametrize("part, last", [("imports", "| rebuild |"), ("pages", "| /changes/ |")])
def test_the_benchmark_runs(part: str, last: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    command = [sys.executable, "-m", f"bench.{part}", *(["10"] if part == "imports" else [])]
    ran = subprocess.run(command, cwd=settings.BASE_DIR, env=environment, text=True, stdout=subprocess.PIPE, check=True)
    assert last in ran.stdout
