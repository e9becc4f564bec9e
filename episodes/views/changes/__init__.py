"""The page of source changes: what changed upstream, as a page and as RSS."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.feedgenerator import Rss201rev2Feed
from django.views.decorators.http import require_safe

from ...models import Episode, IngestRun, Podcast
from ...outputs import xml_text
from ...site import site
from ..episode import file_of_episode
from ..page import show_page
from .differences import UpstreamChange, latest


class Feed(Rss201rev2Feed):
    """An RSS feed whose date is that of its newest item. One without items has that of the first
    import, not of now."""

    def latest_post_date(self) -> datetime:
        if self.items:
            return super().latest_post_date()
        # Django would say now, and the feed would be another at each request.
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
            # Django's writer raises an error for characters that XML cannot carry.
            title=xml_text(change.heading),
            link=absolute(change.page) if change.page else page,
            description=xml_text(f"{change.source}: {'; '.join(change.sentences)}"),
            unique_id=f"change:{xml_text(change.key)}",
            # RSS takes a guid for the address of a page unless the feed says that it is none.
            unique_id_is_permalink=False,
            pubdate=change.at,
        )
    return out.writeString("utf-8")


KIND = "application/rss+xml; charset=utf-8"


@require_safe
def changes(request: HttpRequest) -> HttpResponse:
    """The newest changes, by day."""
    of_site = site()
    days = [
        (day, list(found))
        for day, found in groupby(latest(of_site), key=lambda change: change.at.date())
    ]
    canonical = request.build_absolute_uri(reverse("changes"))
    context = {"section": "changes", "site": of_site, "days": days, "canonical": canonical}
    return show_page(request, "episodes/changes.html", context)


@require_safe
def changes_rss(request: HttpRequest) -> HttpResponse:
    """The same as RSS, for those who want to be told."""
    text = feed(latest(site()), request.build_absolute_uri)
    return HttpResponse(text, content_type=KIND)


@require_safe
@file_of_episode("/changes.rss", Episode.objects.all())
def changes_of_episode(request: HttpRequest, episode: Episode) -> HttpResponse:
    """RSS of the changes of an episode in its sources."""
    found = latest(site(), attachment__episode=episode)
    text = feed(found, request.build_absolute_uri, request.path, episode)
    return HttpResponse(text, content_type=KIND)


@require_safe
def changes_of_show(request: HttpRequest, slug: str) -> HttpResponse:
    """RSS of the changes of a show in its sources."""
    show = get_object_or_404(Podcast.objects.shown(), slug=slug)
    found = latest(site(), document__source__podcast=show)
    text = feed(found, request.build_absolute_uri, request.path, show)
    return HttpResponse(text, content_type=KIND)
