"""Every page of the site for search engines (https://www.sitemaps.org/protocol.html)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from urllib.parse import quote

from django.db.models import Max
from django.urls import reverse

from ..models import Attachment, CodeName, Episode, Person, Topic
from .xml import add, document, root

MOST = 50_000  # addresses in one file
SPACE = {"xmlns": "http://www.sitemaps.org/schemas/sitemap/0.9"}
INDEXES = ("episodes", "topics", "links", "people", "names", "timeline", "time", "sources", "changes", "about")

Page = tuple[str, datetime | None]


def pages() -> list[Page]:
    """The address of every page, and when a source last said something new of what stands there, where that is known."""
    return [(reverse(name), None) for name in INDEXES] + list(_pages())


def _pages() -> Iterator[Page]:
    said = Attachment.objects.order_by().values_list("episode").annotate(at=Max("item__revisions__recorded_at"))
    latest: dict[int, datetime | None] = dict(said)
    for pk, slug in Episode.objects.order_by("podcast", "-order").values_list("pk", "slug"):
        yield _under("episodes", slug), latest.get(pk)
    rows = (
        ("topics", Topic.objects.filter(uses__isnull=False)),
        ("people", Person.objects.filter(credits__isnull=False)),
        ("names", CodeName.objects.filter(mentions__isnull=False)),
    )
    for index, found in rows:
        for slug in found.order_by("slug").values_list("slug", flat=True).distinct():
            yield _under(index, slug), None


def _under(index: str, slug: str) -> str:
    # `reverse` would take a second for fifty thousand.
    return f"{reverse(index)}{quote(slug)}/"


def write(listed: Sequence[Page], site: str) -> str:
    """A file of these pages of the site at that address, which ends without a slash."""
    urls = root("urlset", SPACE)
    for path, at in listed:
        url = add(urls, "url")
        add(url, "loc", f"{site}{path}")
        if at is not None:
            add(url, "lastmod", at.astimezone(UTC).isoformat(timespec="seconds"))
    return document(urls)


def write_index(files: int, site: str) -> str:
    """What names the files, where one cannot hold all pages."""
    index = root("sitemapindex", SPACE)
    for number in range(1, files + 1):
        add(add(index, "sitemap"), "loc", f"{site}{reverse('sitemap-file', args=(number,))}")
    return document(index)
