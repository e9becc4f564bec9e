"""The yardstick and the benchmark (`make yardstick`, `make bench`) on invented material."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from bench.imports import feed as made_up
from bench.yardstick import score, table
from episodes.gather.sources import feed
from episodes.records import FetchedDocument, Show

pytestmark = pytest.mark.django_db
FOLDER = Path(settings.BASE_DIR) / "episodes/tests/data/yardstick"


def test_it_scores_the_material_that_comes_with_it() -> None:
    ours, theirs = score(FOLDER)
    right = {"feeds right": 2, "attached": 14, "number right": 13, "people right": 18, "link right": 3}
    assert {name: ours[name] for name in right} == right
    faults = ("wrong", "let in", "number wrong", "people wrong")
    assert [ours[name] for name in faults] == [0] * 4
    assert (theirs["number right"], theirs["feeds right"]) == (0, 2)
    for line in ("| people: recall | 18 / 18 | 0 / 18 |", "| attached wrongly | 0 / 14 | – |"):
        assert line in table(ours, theirs)


def test_what_the_key_has_otherwise_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "material"
    shutil.copytree(FOLDER, folder)
    for name, old, new in [
        ("manifest.csv", "feed.xml,8", "feed.xml,9"),
        ("pages_key.csv", "63: Sailcloth with Maren Okafor", "Oars"),
        ("values_key.csv", "number,61", "number,16"),
        ("values_key.csv", "guest,Idris Vale", "guest,Ada Roe"),
    ]:
        path = folder / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
    ours, _ = score(folder)
    names = ("feeds right", "attached", "wrong", "number right", "number wrong", "people right", "people shown")
    assert [ours[name] for name in names] == [1, 13, 1, 12, 1, 17, 18]
    assert "harbourtalk__index.html: oars" in capsys.readouterr().err


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
    ("bench.yardstick docs", "docs is no folder with a manifest.csv"),
    ("bench.yardstick", "no folder with a manifest.csv"),
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
