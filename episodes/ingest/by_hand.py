"""Stores entries that a curator wrote, as a document of the source `by-hand`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ..gather import by_hand as hand
from ..gather import store
from ..models import Item, Podcast, Source
from ..records import EntryData, FetchedDocument, ParsedPage


def by_hand(podcast: Podcast, wanted: Sequence[EntryData], now: datetime) -> list[Item]:
    """Store entries that a curator wrote. Call it with the show's row locked; the catalog is not
    brought up to date."""
    source, _ = Source.objects.get_or_create(
        podcast=podcast,
        slug="by-hand",
        defaults={
            "title": hand.TITLE,
            "reader": "by-hand",
            "rank": 900,
            "may_create": True,
            "own": True,
        },
    )
    document = store.document_of(source, FetchedDocument(b"", name="by-hand"), vouched=True)
    said = store.said_now(document)
    entries = (*said.values(), *wanted)
    page = FetchedDocument(hand.write(entries), content_type="application/json", name="by-hand")
    reading = ParsedPage(entries, podcast.title)
    store.store(store.version_of(document, page, reading, said), now)
    items = Item.objects.select_related("document__source").filter(
        document=document, gone_version=None
    )
    by_key = {item.key: item for item in items}
    return [by_key[f"guid:{said.guid}"] for said in wanted]
