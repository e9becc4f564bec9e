"""The benchmark (`make bench`) on invented material."""

import os
import subprocess
import sys

import pytest
from django.conf import settings

from bench.imports import feed as made_up
from episodes.gather.sources import feed
from episodes.records import FetchedDocument, Show


def test_a_made_up_feed_is_always_the_same_and_one_item_more_leaves_the_others_as_they_are() -> None:
    assert made_up(1, 20) == made_up(1, 20) != made_up(2, 20)
    before, after = (feed.read(FetchedDocument(made_up(1, n)), Show("", "")).entries for n in (20, 21))
    assert after[1:] == before
    changed = feed.read(FetchedDocument(made_up(1, 20, changed=10)), Show("", "")).entries
    assert [one.title for one, other in zip(changed, before, strict=True) if one != other] == [before[10].title]


@pytest.mark.long
@pytest.mark.parametrize("part, last", [("imports", "| rebuild |"), ("pages", "| /changes/ |")])
def test_the_benchmark_runs(part: str, last: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    command = [sys.executable, "-m", f"bench.{part}", *(["10"] if part == "imports" else [])]
    ran = subprocess.run(command, cwd=settings.BASE_DIR, env=environment, text=True, stdout=subprocess.PIPE, check=True)
    assert last in ran.stdout


@pytest.mark.parametrize("words, told", [
    ("bench.pages x", "'x' is not a whole number from 1 to 1000000"),
    ("bench.imports 0", "'0' is not a whole number"),
    ("bench.workers 10 4.5", "'4.5' is not a whole number"),
    ("podcast_catalog.serve abc", "PORT=abc is not a port. Take a number from 1 to 65535"),
    ("podcast_catalog.serve 70000", "PORT=70000 is not a port"),
])  # fmt: skip
def test_a_wrong_word_is_told_in_one_line(words: str, told: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", *words.split()], cwd=settings.BASE_DIR, capture_output=True, text=True, check=False
    )
    assert (ran.returncode in (1, 2), ran.stdout) == (True, "")
    assert told in ran.stderr
    assert "Traceback" not in ran.stderr
