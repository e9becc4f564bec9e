"""The benchmark (`make bench`) on invented material."""

import os
import subprocess
import sys

import pytest
from django.conf import settings

from .tables import cases

CASES = cases("bench")


@pytest.mark.long
@pytest.mark.parametrize("part, last", [("imports", "| rebuild |"), ("pages", "| /changes/ |")])
def test_the_benchmark_runs(part: str, last: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    command = [sys.executable, "-m", f"bench.{part}", *(["10"] if part == "imports" else [])]
    ran = subprocess.run(command, cwd=settings.BASE_DIR, env=environment, text=True, stdout=subprocess.PIPE, check=True)
    assert last in ran.stdout


@pytest.mark.parametrize("words, told", CASES["a_wrong_word_is_told_in_one_line"])
def test_wrong_word_is_reported_in_one_line(words: str, told: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", *words.split()], cwd=settings.BASE_DIR, capture_output=True, text=True, check=False
    )
    assert (ran.returncode in (1, 2), ran.stdout) == (True, "")
    assert told in ran.stderr
    assert "Traceback" not in ran.stderr
