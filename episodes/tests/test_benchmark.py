"""The benchmark (`make bench`) in miniature, and how it reads its own figures."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from bench import feeds
from bench.compare import changes
from bench.results import BEGIN, END, Line, Result, tables, write_document
from episodes.gather.sources import feed
from episodes.records import FetchedDocument, Show

SMALL, LARGE = 25, 75  # episodes; the larger catalog is made of copies of the smaller


def line(*values: float, name: str = "list", hello: float = 0.5) -> Line:
    ratios = [value / hello for value in values]
    return Line("SQLite", 83, "pages", name, "cold", "ms", [*values], ratios, {"status": 200, "bytes": 1_000})


def result(*lines: Line) -> Result:
    return Result({"Commit": "abc"}, list(lines))


def test_a_seed_always_makes_the_same_feed_and_another_seed_another() -> None:
    feeds.vocabulary.cache_clear()
    first = feeds.feed(1, 1, 20)
    feeds.vocabulary.cache_clear()
    assert feeds.feed(1, 1, 20) == first
    assert feeds.feed(2, 1, 20) != first


def test_one_item_more_leaves_the_others_as_they_are() -> None:
    before, after = (feed.read(FetchedDocument(feeds.feed(1, 1, n)), Show("", "")).entries for n in (20, 21))
    assert after[1:] == before
    changed = feed.read(FetchedDocument(feeds.feed(1, 1, 20, changed=10)), Show("", "")).entries
    assert [one.title for one, other in zip(changed, before, strict=True) if one != other] == [before[10].title]


@pytest.mark.parametrize("episodes", [25, 75, 1_000, 10_000])
def test_the_shows_of_a_catalog_have_all_its_episodes(episodes: int) -> None:
    assert sum(feeds.sizes_of_shows(episodes)) == episodes


def test_a_change_counts_where_it_is_more_than_noise() -> None:
    before = result(line(1, 2, 3), line(1.0, 1.1, 1.2, name="slower"))
    after = result(line(2, 2.5, 3), line(2.0, 2.1, 2.2, name="slower"), line(1, name="new"))
    assert [(new.name, real) for _, new, _, real in changes(before, after)] == [("list", False), ("slower", True)]


def test_a_machine_that_is_twice_as_slow_is_no_change() -> None:
    ((_, _, quotient, real),) = changes(result(line(1.0, 1.1, 1.2)), result(line(2.0, 2.2, 2.4, hello=1.0)))
    assert (quotient, real) == (1.0, False)


def test_a_result_is_read_again_and_stands_between_the_marks_of_its_page(tmp_path: Path) -> None:
    kept, page = tmp_path / "kept" / "a.json", tmp_path / "page.md"
    result(line(1.0, 2.0)).save(kept)
    assert Result.load(kept) == result(line(1.0, 2.0))
    page.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n")
    write_document(page, [Result.load(kept)])
    assert page.read_text() == f"above\n{BEGIN}\n\n{tables(Result.load(kept))}\n\n{END}\nbelow\n"
    assert "| list |  | 1.0 | 1.50 (1.95) | 3.00 |" in page.read_text()


@pytest.mark.long
def test_the_benchmark_runs_in_miniature(tmp_path: Path) -> None:
    chosen = {"BENCH_DIR": str(tmp_path), "SIZES": str(LARGE), "BASE": str(SMALL), "IMPORTS": "10", "ROUNDS": "1"}
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"} | chosen
    command = [sys.executable, "-m", "bench"]
    ran = subprocess.run(command, cwd=settings.BASE_DIR, env=environment, text=True, stdout=subprocess.PIPE, check=True)
    assert "All values are in" in ran.stdout
    (kept,) = (tmp_path / "results").iterdir()
    found = {(line.name, line.way): line for line in Result.load(kept).lines}
    # Some are of the empty view and the static file, and a page that is not there.
    bad = [line.name for line in found.values() if line.part == "pages" and line.facts["status"] not in (200, 304)]
    assert set(bad) <= {"404"}
    assert found["list", "cold"].facts["statements"] > 0
    again = {key: line.facts["status"] for key, line in found.items() if line.way.endswith("304")}
    assert set(again.values()) == {304}
    assert {("list", "cold 304"), ("list", "kept 304"), ("list as rss", "cold 304")} <= set(again)
    assert {"first", "unchanged", "one new", "one changed", "rebuild"} <= {name for name, _ in found}
    whole_copies(next(tmp_path.glob(f"bench_1_{LARGE}_*.sqlite3")))


def whole_copies(path: Path) -> None:
    with sqlite3.connect(path) as database:

        def one(question: str) -> object:
            return database.execute(question).fetchone()[0]

        assert one("SELECT count(*) FROM episodes_episode") == LARGE
        assert one("SELECT count(DISTINCT sorted_at) FROM episodes_episode") == LARGE
        assert one("SELECT count(*) FROM episodes_attachment a JOIN episodes_item i ON i.id = a.item_id") == LARGE
        assert one("SELECT count(*) FROM episodes_searchtext WHERE rowid % 8 = 0") == LARGE
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
    database.close()
