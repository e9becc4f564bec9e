"""The catalog is written once: a second time writes nothing, and the ledger knows every entry an address stood for."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from episodes.models import Attachment, Episode, Podcast, Redirect
from episodes.resolve.apply import apply, prepared
from episodes.resolve.rows import changed

from ..curation.conftest import feed, small
from ..ingest.conftest import run

__all__ = ["small"]


@pytest.fixture
def talks(small: Podcast, tmp_path: Path) -> Podcast:
    """A show whose feed was read first, and another site's page after it."""
    for source in ("feed", "other"):
        path = tmp_path / f"{source}.xml"
        path.write_bytes(feed(range(3), cut=source == "other"))
        assert run(path, "--source", source).code == 0
    return small


def test_a_catalog_that_is_right_is_not_written_again(talks: Podcast) -> None:
    with CaptureQueriesContext(connection) as asked:
        apply(talks, prepared(talks))
    written = [query["sql"] for query in asked if query["sql"].startswith(("INSERT", "UPDATE"))]
    beside = ("episodes_catalogstate", "episodes_catalogversion")  # what it was made from, and that it was made
    assert [sql for sql in written if not any(table in sql for table in beside)] == []


def test_only_the_columns_that_differ_are_written() -> None:
    right, wrong = Episode(title="A", number=1), Episode(title="A", number=2)
    values = {"title": "A", "number": 1}
    assert changed([(right, values), (wrong, values)]) == {("number",): [wrong]}
    assert wrong.number == 1


def test_the_ledger_knows_the_entries_that_joined_later(talks: Podcast) -> None:
    joined = Attachment.objects.filter(item__document__source__slug="other").select_related("episode", "item__document")
    assert joined
    for attachment in joined:
        item = attachment.item
        known = Redirect.objects.of("episode").filter(document=item.document.address, item_key=item.key)
        assert [row.slug for row in known] == [attachment.episode.slug]
