"""Episodes as an RSS feed with iTunes elements, so that a podcast app can read the catalog."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.utils.feedgenerator import Enclosure, Rss201rev2Feed

from ..models import Episode, Podcast

# What XML 1.0 cannot carry at all; Django refuses it with an exception.
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


class PodcastFeed(Rss201rev2Feed):
    """RSS with the elements of Apple Podcasts."""

    def rss_attributes(self) -> dict[str, str]:
        return super().rss_attributes() | {"xmlns:itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd"}

    def latest_post_date(self) -> datetime | None:  # type: ignore[override]
        """None where no date is known: today would make two equal catalogs differ."""
        dates = [item["pubdate"] for item in self.items if item["pubdate"]]
        return max(dates, default=None)

    def add_root_elements(self, handler: Any) -> None:
        handler.addQuickElement("title", self.feed["title"])
        handler.addQuickElement("link", self.feed["link"])
        handler.addQuickElement("description", self.feed["description"])
        if self.feed["language"]:
            handler.addQuickElement("language", self.feed["language"])
        if (latest := self.latest_post_date()) is not None:
            handler.addQuickElement("lastBuildDate", latest.strftime("%a, %d %b %Y %H:%M:%S +0000"))
        if self.feed["author_name"]:
            handler.addQuickElement("itunes:author", self.feed["author_name"])

    def add_item_elements(self, handler: Any, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        for name, value in item["itunes"].items():
            if value:
                handler.addQuickElement(f"itunes:{name}", value)


def dump(podcasts: Sequence[Podcast]) -> str:
    """All episodes of the shows, newest first, as one feed."""
    first = podcasts[0] if len(podcasts) == 1 else None
    episodes = [e for p in podcasts for e in Episode.objects.filter(podcast=p).newest_first().for_list()]
    return feed(
        episodes,
        title=first.title if first else "Podcast catalog",
        link=first.site_url if first else "",
        description=first.description if first else "All episodes of all shows",
        language=first.language if first else "",
        author=first.author if first else "",
    )


def feed(
    episodes: Iterable[Episode], *, title: str, link: str, description: str, language: str = "", author: str = ""
) -> str:
    """An RSS document with an item for each episode. A date known to the day only stands as 00:00 UTC of that day."""
    out = PodcastFeed(
        title=clean(title), link=link, description=clean(description), language=language, author_name=clean(author)
    )
    for e in episodes:
        out.add_item(
            title=clean(e.heading),
            link=clean(e.url),
            description=clean(e.description_html or ""),
            unique_id=clean(e.guid) or f"{e.podcast.slug}/{e.slug}",
            unique_id_is_permalink=False,
            pubdate=e.published_at,
            categories=[use.topic.slug for use in e.topic_uses.all()],
            enclosures=[Enclosure(clean(e.audio_url), "0", clean(e.audio_type) or "audio/mpeg")] if e.audio_url else [],
            itunes={"duration": str(e.duration_seconds or ""), "episode": "" if e.number is None else str(e.number)},
        )
    return out.writeString("utf-8")


def clean(text: str) -> str:
    return NOT_XML.sub("", text)
