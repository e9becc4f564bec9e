"""Source changes, as RSS."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from django.urls import reverse
from django.utils.feedgenerator import Rss201rev2Feed

from ...models import Episode, IngestRun, Podcast
from ...outputs import xml_text
from .differences import UpstreamChange


class Feed(Rss201rev2Feed):
    """An RSS feed whose date is that of its newest item. One without items has that of the first
    import, not of now."""

    def latest_post_date(self) -> datetime:
        if self.items:
            return super().latest_post_date()
        first = IngestRun.objects.order_by("pk").first()
        return first.finished_at if first else datetime(1970, 1, 1, tzinfo=UTC)


def feed(
    changes: Iterable[UpstreamChange],
    absolute: Callable[[str], str],
    own: str = "",
    of: Podcast | Episode | None = None,
) -> str:
    """An item for each change; `absolute` makes an address of the site whole. Where the changes are
    those `of` an episode or a show, the feed at the address `own` is about its page."""
    page = absolute(of.get_absolute_url() if of else reverse("changes"))
    out = Feed(
        title=f"Source changes: {xml_text(str(of))}" if of else "Source changes",
        link=page,
        description="Edits detected in the sources, newest first.",
        language="en",
        feed_url=absolute(own or reverse("changes-rss")),
    )
    for change in changes:
        out.add_item(
            title=xml_text(change.heading),
            link=absolute(change.page) if change.page else page,
            description=xml_text(f"{change.source}: {'; '.join(change.sentences)}"),
            unique_id=f"change:{xml_text(change.key)}",
            unique_id_is_permalink=False,
            pubdate=change.at,
        )
    return out.writeString("utf-8")
