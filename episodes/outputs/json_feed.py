"""A list as JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/), with what it has no name for
under `_episode`."""

from __future__ import annotations

import json
from typing import Any

from ..fields import FACTS
from ..models import Episode
from .catalog_json import exported
from .listing import Listing, audio, identity, people, stamp
from .xml import xml_text


def write(listing: Listing) -> str:
    """An item for each episode; what is not known is left out."""
    author = listing.podcast.author
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": xml_text(listing.title),
        "home_page_url": listing.page,
        "feed_url": listing.own,
        "next_url": listing.next,
        "description": xml_text(listing.description),
        "icon": listing.image,
        "language": listing.podcast.language,
        "authors": [{"name": xml_text(author)}] if author else [],
    }
    items = [_item(e, listing) for e in listing.episodes]
    return json.dumps({**_known(feed), "items": items}, ensure_ascii=False, indent=1) + "\n"


def _item(e: Episode, listing: Listing) -> dict[str, Any]:
    authors = dict.fromkeys(credit.person for credit in people(e))
    topics = [topic.slug for topic in e.topics_in_order]
    item = {
        "id": xml_text(identity(e)),
        "url": listing.address(e),
        "external_url": xml_text(e.url),
        "title": xml_text(e.heading),
        "date_published": stamp(e.sorted_at),
        "authors": [{"name": xml_text(person.name)} for person in authors],
        "tags": topics,
        "attachments": [_audio(e, *heard)] if (heard := audio(e)) else [],
        # Exactly as the export says it: an unknown value is null, and a day is a day.
        "_episode": {
            "podcast": e.podcast.slug,
            "slug": e.slug,
            **_facts(e),
            "topics": topics,
        },
    }
    # One of the two must be there.
    notes = (
        {"content_html": xml_text(e.description_html)}
        if e.description_html
        else {"content_text": ""}
    )
    return _known(item) | notes


def _facts(e: Episode) -> dict[str, Any]:
    return {
        name: xml_text(value) if isinstance(value, str) else value
        for name, value in exported(e, FACTS).items()
    }


def _audio(e: Episode, address: str, kind: str) -> dict[str, Any]:
    return _known(
        {
            "url": xml_text(address),
            "mime_type": xml_text(kind),
            "duration_in_seconds": e.duration_seconds,
        }
    )


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}
