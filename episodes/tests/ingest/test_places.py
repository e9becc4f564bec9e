"""The places of entries in their document, as its newest version lists them, and of documents among the sources."""

from datetime import UTC, datetime

import pytest

from episodes.gather import evidence
from episodes.ingest import describe_source_for_page
from episodes.models import Item, Podcast, Source
from episodes.records import EntryData, FetchedDocument, ParsedPage

NOW = datetime(2024, 5, 1, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def document():
    podcast = Podcast.objects.create(slug="small-talks", title="Small Talks")
    source = Source.objects.create(podcast=podcast, slug="feed", title="Feed", reader="feed", rank=1)
    return evidence.find_or_create_document(
        source, FetchedDocument(b"", "https://example.org/feed.xml"), confirmed=True
    )


def listed(document, numbers):
    entries = tuple(EntryData(title=f"Talk {number}", guid=f"g{number}", text="words " * 20) for number in numbers)
    page = FetchedDocument(repr(numbers).encode(), document.address)
    evidence.store_or_find_version(
        evidence.build_new_version(document, page, ParsedPage(entries), evidence.current_entries(document)), NOW
    )
    return [item.key for item in evidence.current_items(document).order_by("position")]


def keys(numbers):
    return [f"guid:g{number}" for number in numbers]


@pytest.mark.parametrize(
    "later",
    [range(69), range(5, 65), [3, *range(60)], range(59, -1, -1), [*range(30, 60), *range(30)], range(0, 60, 2)],
)
def test_version_gives_entries_their_places(document, later):
    listed(document, list(range(60)))
    wanted = list(dict.fromkeys(later))
    assert listed(document, wanted) == keys(wanted)
    assert [item.position for item in evidence.current_items(document)] == list(range(1, len(wanted) + 1))
    assert listed(document, list(range(60))) == keys(range(60))


def test_new_entry_moves_others_in_one_statement(document, django_assert_max_num_queries):
    listed(document, list(range(200)))
    with django_assert_max_num_queries(20):
        assert listed(document, [200, *range(200)])[:2] == keys([200, 0])
    assert Item.objects.get(key="guid:g199").position == 201


@pytest.mark.parametrize(
    "address, reader, title",
    [
        ("https://player.fm/series/looms", "player-fm", "Player FM"),
        ("https://pod.casts.io/podcasts/looms", "pod-casts-io", "pod.casts.io"),
        ("https://looms.example/archive", "listing", "Looms"),
    ],
)
def test_page_of_known_site_has_its_reader(address: str, reader: str, title: str) -> None:
    page = FetchedDocument(b"<title>Looms</title><h1>Looms</h1>", address, "text/html")
    description = describe_source_for_page(page)
    assert (description.reader, description.title) == (reader, title)
