"""No page grows with what is never pruned: long lists come in pages, runs are looked up, and a statement has a limit."""

import os
import sqlite3
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from importlib import import_module

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from episodes.models import CodeMention, CodeName, Credit, Episode, IngestRun, Person, Podcast, Source, Topic
from episodes.resolve.counts import renew_planner_statistics
from episodes.resolve.write import update_catalog
from episodes.search import prepare_query, search_episodes
from podcast_catalog.timed_sqlite import connection_class_with_time_limit

from .pages import first as first_of
from .pages import questions, see
from .rows import complete

pytestmark = pytest.mark.usefixtures("catalog")

MANY = 101
LONG = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000000) SELECT count(*) FROM n"
CHAIN = "ten tens tenso tensor dis disp dispa dispat dispatc dispatch pyt pyto pytor pytorc pytorch tor mem".split()


def run(times: int, outcome: str = "unchanged") -> None:
    at = timezone.now() - timedelta(days=1)
    IngestRun.objects.bulk_create(
        IngestRun(source=source, started_at=at, finished_at=at + timedelta(seconds=n), outcome=outcome)
        for source in Source.objects.all()
        for n in range(times)
    )


def add_show(number: int) -> None:
    show = Podcast.objects.create(slug=f"show-{number}", title=f"Show {number}")
    Source.objects.create(podcast=show, slug=f"feed-{number}", title="Feed")
    Episode.objects.create(podcast=show, slug=f"first-{number}", order=1, title=f"First of {number}")


@pytest.mark.on_both
def test_queries_do_not_grow_with_runs(client: Client) -> None:
    addresses = ("/sources/", "/sources.json", "/shows/", "/shows/show-0/", "/", "/episodes/vmap/")
    run(1)  # within a transaction that has changed something PostgreSQL keeps nothing
    add_show(0)  # the page of an only show reads that show's cover too
    few = {address: questions(client, address) for address in addresses}
    for number in range(1, 5):
        add_show(number)
    run(500)
    assert {address: questions(client, address) for address in addresses} == few


@pytest.mark.only_on("sqlite")
def test_the_sources_cost_the_same_after_many_runs(client: Client) -> None:
    def steps() -> int:
        counted = Counter[str]()
        database = connection.connection
        database.set_progress_handler(lambda: counted.update(steps=1), 10)
        client.get("/sources/")
        database.set_progress_handler(None, 0)
        return counted["steps"]

    run(1)
    few = steps()
    run(500)
    run(500, "failed")
    assert steps() < 1.1 * few


@pytest.fixture
def many(catalog: None) -> None:
    """A second show with more of everything than stands on a page."""
    show = Podcast.objects.create(slug="many", title="Many")
    topic = Topic.objects.create(slug="much", name="Much")
    start = timezone.now().replace(year=2010, month=1, day=1)
    episodes = []
    for n in range(1, 2 * MANY):
        date = {"published_at": start + timedelta(days=n), "published_precision": "instant"} if n % 4 else {}
        episode = Episode(podcast=show, slug=f"many-{n}", order=n, title=f"Many {n}", duration_seconds=60 * n, **date)
        episodes.append(episode)
    Episode.objects.bulk_create(episodes)
    people = Person.objects.bulk_create(Person(slug=f"p-{n}", name=f"P {n:03}", identity=f"p-{n}") for n in range(MANY))
    names = CodeName.objects.bulk_create(CodeName(slug=f"n-{n}", name=f"name_{n:03}") for n in range(MANY))
    for n, (person, name) in enumerate(zip(people, names, strict=True)):
        Credit.objects.create(episode=episodes[n], person=person, role="guest")
        CodeMention.objects.create(episode=episodes[n], name=name, field="notes", position=0, sentence="")
    for episode in episodes:
        episode.topic_uses.create(topic=topic)
    complete()


@pytest.mark.on_both
@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(
    "address, row, total",
    [
        ("/timeline/?podcast=many", ".as-table tbody tr", lambda: 2 * MANY - 1),
        ("/topics/much/", "main article", lambda: 2 * MANY - 1), ("/names/", ".index li", CodeName.objects.count),
        ("/people/", ".everybody > ul > li", Person.objects.count),
    ],
)  # fmt: skip
def test_pages_of_a_hundred_hold_everything_once(client: Client, address: str, row: str, total) -> None:
    found: list[str] = []
    link = f"{address}{'&' if '?' in address else '?'}page=1"
    while link:
        page = see(client, link)
        links = [first_of(node, "a").attributes["href"] or "" for node in page.tree.css(row)]
        assert 0 < len(links) <= 100
        found += links
        canonical = (page.one("link[rel=canonical]").attributes["href"] or "").removeprefix("http://testserver")
        assert canonical in (link, link[:-7])  # without the number of the first page
        following = page.tree.css_first("a[rel=next]")
        link = following.attributes["href"] or "" if following else ""
    assert len(found) == len(set(found)) == total() > 100
    assert page.tree.css_first("a[rel=prev]")
    assert address.startswith("/timeline/") or page.total in (0, total())


@pytest.mark.parametrize("address", ["/episodes/", "/links/"])
def test_only_sixteen_words_are_searched(client: Client, address: str) -> None:
    words = "only the first 16 words were searched"
    assert words in see(client, address, q=" ".join(CHAIN)).notes
    assert words not in see(client, address, q=" ".join(CHAIN[:16])).notes


@pytest.mark.on_both
def test_chained_beginnings_all_match() -> None:
    each = [set(search_episodes(prepare_query(word)).ids) for word in CHAIN[:16]]
    results = search_episodes(prepare_query(" ".join(CHAIN)))
    complete = set(results.ids) - results.missing_terms.keys()
    assert complete == set.intersection(*each) != set()


def take_long() -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL statement_timeout = '50ms'")
            cursor.execute("SELECT pg_sleep(600)")
        connection.connection.set_progress_handler(lambda: True, 20_000)
        try:
            cursor.execute(LONG)
        finally:
            connection.connection.set_progress_handler(None, 0)


@pytest.mark.on_both
def test_slow_statement_gives_explaining_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("episodes.views.timeline"), "load_for_cards", lambda *given: take_long())
    answer = client.get("/timeline/")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
    assert "This took too long" in answer.content.decode()


@pytest.mark.on_both
def test_other_database_failure_is_no_timeout(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT (")

    monkeypatch.setattr(import_module("episodes.views.timeline"), "load_for_cards", lambda *given: fail())
    client.raise_request_exception = False
    assert client.get("/timeline/").status_code == 500


def test_sqlite_cancels_a_statement_after_its_time() -> None:
    database = sqlite3.connect(":memory:", factory=connection_class_with_time_limit(0.05))
    assert database.cursor().execute("SELECT 1").fetchone() == (1,)
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        database.cursor().execute(LONG)
    database.close()


@pytest.mark.parametrize("first, limit", [("import podcast_catalog.wsgi", 7), ("import podcast_catalog", 0)])
def test_pages_have_a_limit_and_commands_have_none(first: str, limit: int) -> None:
    code = f"{first}; from django.conf import settings as s; print(s.STATEMENT_TIMEOUT, s.DATABASES['default']['OPTIONS']['options'])"
    environment = {**os.environ, "STATEMENT_TIMEOUT": "7", "DATABASE_URL": "postgres://localhost/catalog"}
    said = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout == f"{limit} -c jit=off -c statement_timeout={limit}s\n"


@pytest.mark.only_on("sqlite")
def test_the_file_has_a_write_ahead_log() -> None:
    with connection.cursor() as cursor:
        settings = [cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
    assert settings == ["wal", 1]


@pytest.mark.only_on("sqlite")
def test_a_resolved_show_is_counted_for_the_planner() -> None:
    with transaction.atomic():
        update_catalog(Podcast.objects.get())
    with connection.cursor() as cursor:
        counted = {table for (table,) in cursor.execute("SELECT DISTINCT tbl FROM sqlite_stat1").fetchall()}
    assert {"episodes_episode", "episodes_episodetopic"} <= counted
    assert "episodes_ingestrun" not in counted, "it grows without a change of the catalog: old counts mislead"


@pytest.mark.only_on("postgresql")
def test_only_large_import_is_counted_on_postgresql() -> None:
    for more, counted in ((999, False), (1_000, True)):
        with CaptureQueriesContext(connection) as asked:
            renew_planner_statistics(more)
        assert bool(len(asked)) == counted


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("more, counted", [(0, False), (1, True), (-1, True)])
def test_unchanged_show_size_is_not_counted(more: int, counted: bool) -> None:
    with CaptureQueriesContext(connection) as asked:
        renew_planner_statistics(more)
    assert bool(len(asked)) == counted
