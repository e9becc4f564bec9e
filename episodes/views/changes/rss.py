"""Source changes, as RSS."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.urls import reverse
from django.utils.feedgenerator import Rss201rev2Feed

from ...outputs import xml_text
from .differences import UpstreamChange


def feed(changes: Iterable[UpstreamChange], absolute: Callable[[str], str]) -> str:
    """An item for each change; `absolute` makes an address of the site whole."""
    page = absolute(reverse("changes"))
    out = Rss201rev2Feed(
        title="Source changes",
        link=page,
        description="Edits detected in the sources, newest first.",
        language="en",
        feed_url=absolute(reverse("changes-rss")),
    )
    for change in changes:
        out.add_item(
            title=xml_text(change.heading),
            link=absolute(change.episode.get_absolute_url()) if change.episode else page,
            description=xml_text(f"{change.source}: {'; '.join(change.sentences)}"),
            unique_id=f"change:{xml_text(change.key)}",
            unique_id_is_permalink=False,
            pubdate=change.at,
        )
    return out.writeString("utf-8")
