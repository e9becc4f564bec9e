"""A list as JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/), with what it has no name for
under `_episode`."""

import json

from ..fields import FACTS
from .catalog_json import exported
from .feeds import xml_text
from .listing import Listing, audio, identity, known, people, stamp


def write(listing: Listing) -> str:
    """An item for each episode; what is not known is left out."""
    author = listing.podcast.author
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": listing.title,
        "home_page_url": listing.page,
        "feed_url": listing.own,
        "next_url": listing.next,
        "description": listing.description,
        "icon": listing.image,
        "language": listing.podcast.language,
        "authors": [{"name": author}] if author else [],
    }
    items = []
    for e in listing.episodes:
        authors = dict.fromkeys(credit.person for credit in people(e))
        topics = [topic.slug for topic in e.topics_in_order]
        attachments = []
        if heard := audio(e):
            file = dict(zip(("url", "mime_type"), heard, strict=True))
            attachments = [known({**file, "duration_in_seconds": e.duration_seconds})]
        item = {
            "id": identity(e),
            "url": listing.address(e),
            "external_url": e.url,
            "title": e.heading,
            "date_published": stamp(e.sorted_at),
            "authors": [{"name": person.name} for person in authors],
            "tags": topics,
            "attachments": attachments,
            # Exactly as the export says it: an unknown value is null, and a day is a day.
            # JSON Feed leaves names with an underscore in front to extensions.
            "_episode": {
                "podcast": e.podcast.slug,
                "slug": e.slug,
                **exported(e, FACTS),
                "topics": topics,
            },
        }
        # Readers want the content even where there is nothing in it.
        items.append(known(item) | {"content_html": e.description_html})
    text = json.dumps({**known(feed), "items": items}, ensure_ascii=False, indent=1)
    return xml_text(text) + "\n"
