"""A show with more episodes, links and people than a database takes in one statement."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client, TestCase
from django.urls import reverse

from episodes import curation
from episodes.models import Decision, Episode, Item, Link, Person, Podcast, Topic

from ..curation.conftest import export, staff
from ..examples import examples
from .conftest import run

FEWEST = 2_000  # variables in a statement; SQLite allows from 32,766 on, Django's own need up to this
EPISODES, LINKS = (
    FEWEST + 50,
    examples(3, 6),
)  # of each episode: together too many for one expression in any batch of episodes
PAGES = (
    "/", "/episodes/?page=2", "/topics/", "/topics/all/", "/links/", "/people/", "/names/", "/timeline/", "/sources/",
    "/changes/", "/changes.rss", "/time/?minutes=60", "/about/", "/sitemap.xml", "/episodes.rss", "/episodes.atom",
    "/episodes.json", "/episodes.csv",
)  # fmt: skip


def feed(title: str = "About") -> bytes:
    items = "".join(
        f"<item><title>{title} {n}</title><guid>g{n}</guid><pubDate>01 Jan {2000 + n % 20} 10:{n % 60:02}:00 GMT</pubDate>"
        f"<itunes:duration>{300 + n}</itunes:duration>"
        f"<podcast:person role='host'>Host Name</podcast:person><podcast:person role='guest'>{name(n)}</podcast:person>"
        f"<description>{''.join(f'https://example.org/{n}/{m} ' for m in range(LINKS))}</description></item>"
        for n in range(EPISODES, 0, -1)
    )
    spaces = "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd' xmlns:podcast='https://podcastindex.org/namespace/1.0'"
    return f'<rss version="2.0" {spaces}><channel><title>All About</title>{items}</channel></rss>'.encode()


def name(n: int) -> str:
    letters = "".join(chr(ord("a") + int(digit)) for digit in str(n))
    return f"Guest{letters} Person{letters}"


@contextmanager
def narrow() -> Iterator[None]:
    """On SQLite fewer variables than there are episodes; the depth of expressions is 1,000 everywhere."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    before = connection.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, FEWEST)
    try:
        yield
    finally:
        connection.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, before)


@pytest.mark.long
class ALargeShow(TestCase):
    podcast: Podcast
    curator: User

    @classmethod
    def setUpTestData(cls) -> None:
        cls.podcast = Podcast.objects.create(slug="all-about", title="All About", has_symbols=True)
        cls.podcast.sources.create(slug="feed", reader="feed", rank=1, may_create=True, complete=True)
        Topic.objects.create(slug="all", name="All", rules={"title": ["about"]})
        cls.curator = staff("carla", "curator")
        with TemporaryDirectory() as folder, narrow():
            path = Path(folder) / "feed.xml"
            for title in ("About", "All about"):
                path.write_bytes(feed(title))
                assert run(path, "--source", "feed").code == 0

    def setUp(self) -> None:
        self.enterContext(narrow())

    def test_it_is_as_large_as_it_should_be(self) -> None:
        assert (Episode.objects.count(), Link.objects.count()) == (EPISODES, EPISODES * LINKS)
        assert Person.objects.count() > FEWEST

    def test_every_page_and_feed_has_it(self) -> None:
        client = Client()
        for address in (*PAGES, *(model.objects.all()[0].get_absolute_url() for model in (Episode, Person))):
            assert client.get(address).status_code == 200, address

    def test_it_is_exported_and_made_again_the_same(self) -> None:
        before = export()
        assert sum(len(episode["links"]) for episode in json.loads(before)["episodes"]) == EPISODES * LINKS
        call_command("rebuild", verbosity=0)
        assert export() == before
        for form in ("csv", "rss"):
            call_command("export", format=form, stdout=StringIO())

    def test_a_curator_sees_it_and_decides_about_all_of_it(self) -> None:
        client = Client()
        client.force_login(self.curator)
        lists = ("episode", "capture", "item", "ingestrun", "link", "person", "change", "decision")
        for name in lists:
            assert client.get(reverse(f"admin:episodes_{name}_changelist")).status_code == 200, name
        refused = client.get(reverse("admin:episodes_episode_repair"), follow=True)
        assert "Repair at most 2,000 at once" in refused.content.decode()

    def test_a_repair_of_many_episodes_is_saved(self) -> None:
        repair = curation.ReplaceWords(field_name="title", wrong="All", right="Everything")
        episodes = Episode.objects.select_related("podcast").order_by("order")
        plan = repair.build_plan(episodes)
        assert len(plan.repairs) == EPISODES
        first = episodes.filter(order__lte=20)
        token = repair.build_plan(first).token
        batch = curation.repair_rows_and_return_batch(self.curator, repair, first, Podcast.objects.all(), token=token)
        assert (len(batch.changes), batch.refusals) == (20, [])

    def test_what_changed_after_many_edits_is_found(self) -> None:
        long_ago = datetime(2000, 1, 1, tzinfo=UTC)
        own = {"kind": "value", "podcast": self.podcast, "field": "title", "value": "x", "made_at": long_ago}
        rows = Item.objects.values_list("document__source__slug", "key")
        decisions = [Decision(source=source, item_key=key, **own) for source, key in rows]
        for decision in decisions:
            decision.about = decision.subject_hash()
        Decision.objects.bulk_create(decisions)
        client = Client()
        client.force_login(self.curator)
        assert client.get("/admin/").status_code == 200
        assert client.get(reverse("admin:inbox")).status_code == 200
