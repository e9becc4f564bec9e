"""Stores an entry that a curator wrote, as a document of the source `by-hand`."""

from __future__ import annotations

from datetime import datetime

from ..gather import by_hand as hand
from ..gather import store
from ..models import Item, Podcast, Source
from ..records import EntryData, FetchedDocument, ParsedPage


def by_hand(podcast: Podcast, said: EntryData, now: datetime) -> Item:
    """Store an entry that a curator wrote. Call it with the show's row locked; the catalog is not brought up to date."""
    source, _ = Source.objects.get_or_create(
        podcast=podcast,
        slug="by-hand",
        defaults={"title": hand.TITLE, "reader": "by-hand", "rank": 900, "may_create": True, "own": True},
    )
    document = store.document_of(source, FetchedDocument(b"", name="by-hand"))
    entries = (*store.said_now(document).values(), said)
    page = FetchedDocument(hand.write(entries), content_type="application/json", name="by-hand")
    store.store(document, page, ParsedPage(entries, podcast.title), now, accept=True)
    return Item.objects.select_related("document__source").get(document=document, key=f"guid:{said.guid}")
