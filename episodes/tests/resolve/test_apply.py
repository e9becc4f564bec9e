"""The catalog is written once: a second time writes nothing, and the ledger knows every entry an address stood for."""

from pathlib import Path
from unittest import mock

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from episodes.models import Attachment, Episode, EpisodeTopic, Podcast, Redirect, Revision, Topic
from episodes.resolve.counts import entry_statistics_by_source_slug
from episodes.resolve.sync_rows import sync_and_return_changed_keys
from episodes.resolve.write import compute_catalog, update_catalog

from ..curation.conftest import feed, small
from ..ingest.conftest import run, take

__all__ = ["small"]

pytestmark = pytest.mark.on_both


@pytest.fixture
def talks(small: Podcast, tmp_path: Path) -> Podcast:
    for source in ("feed", "other"):
        path = tmp_path / f"{source}.xml"
        path.write_bytes(feed(range(3), cut=source == "other"))
        assert run(path, "--source", source).code == 0
    return small


def test_a_catalog_that_is_right_is_not_written_again(talks: Podcast) -> None:
    with CaptureQueriesContext(connection) as asked:
        update_catalog(talks, compute_catalog(talks))
    written = [query["sql"] for query in asked if query["sql"].startswith(("INSERT", "UPDATE"))]
    beside = ("episodes_catalogstate", "episodes_catalogversion")  # what it was made from, and that it was made
    assert [sql for sql in written if not any(table in sql for table in beside)] == []


def test_only_what_differs_is_written_and_told(talks: Podcast) -> None:
    rows = dict(Episode.objects.values_list("order", "title"))
    wanted = {(1,): {"title": "Another"}, (2,): {"title": rows[2]}}
    with CaptureQueriesContext(connection) as asked:
        assert sync_and_return_changed_keys(Episode, ("order",), wanted, {"podcast": talks, "order__lte": 2}) == {(1,)}
    assert [query["sql"] for query in asked if query["sql"].startswith(("INSERT", "UPDATE"))] == [mock.ANY]
    assert sync_and_return_changed_keys(Episode, ("order",), {}, {"order": 1}) == {(1,)}
    assert set(Episode.objects.values_list("order", "title")) == {*rows.items()} - {(1, rows[1])}


def test_the_ledger_knows_the_entries_that_joined_later(talks: Podcast) -> None:
    joined = Attachment.objects.filter(item__document__source__slug="other").select_related("episode", "item__document")
    assert joined
    for attachment in joined:
        item = attachment.item
        known = Redirect.objects.filter(kind="episode").filter(document=item.document.address, item_key=item.key)
        assert [row.slug for row in known] == [attachment.episode.slug]


@pytest.mark.parametrize("words, kept", [(33, 197), (50, 200)])
def test_of_a_long_term_of_a_topic_the_beginning_is_kept(small: Podcast, words: int, kept: int) -> None:
    phrase = " ".join(["looms"] * words)
    Topic.objects.create(slug="looms", name="Looms", position=9, rules={"notes": [phrase]})
    take("feed", feed(range(2), text=lambda n: f"Number {n} tells of {phrase} and of nothing else."))
    terms = EpisodeTopic.objects.filter(topic__slug="looms").values_list("term", flat=True)
    assert list(terms) == [phrase[:kept]] * 2


def test_what_each_source_lists_is_counted_by_what_it_says(small: Podcast) -> None:
    take("feed", feed(range(5)))
    take("other", feed(range(4), cut=True))
    first, second, third, _ = Revision.objects.filter(item__document__source__slug="other")
    for revision, cut in ((first, True), (second, False), (third, True)):
        Revision.objects.filter(pk=revision.pk).update(payload={**revision.payload, "cut": cut})
    counts = {slug: row["counts"] for slug, row in entry_statistics_by_source_slug(small).items()}
    assert counts["feed"] | {"links": 0} == {
        "listed": 5, "held": 0, "episodes": 5, "title": 5, "date": 5, "length": 0, "notes": 5, "cut": 0, "links": 0, "audio": 0, "total": 5,
    }  # fmt: skip
    assert (counts["feed"]["links"], counts["other"]["links"]) == (5, 0)
    assert (counts["other"]["notes"], counts["other"]["cut"], counts["other"]["audio"]) == (4, 2, 0)
