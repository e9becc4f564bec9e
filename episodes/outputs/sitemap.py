"""Every page of the site for search engines (https://www.sitemaps.org/protocol.html)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from django.db.models import Exists, Max, Model, OuterRef, QuerySet
from django.urls import reverse

from ..models import (
    Attachment,
    CodeMention,
    CodeName,
    Credit,
    Episode,
    EpisodeTopic,
    LearningPath,
    Person,
    Podcast,
    Topic,
)
from .xml import add, document, root

MOST = 1_000  # addresses in one file
SPACE = {"xmlns": "http://www.sitemaps.org/schemas/sitemap/0.9"}
INDEXES = (
    "episodes",
    "shows",
    "topics",
    "paths",
    "links",
    "people",
    "names",
    "timeline",
    "time",
    "sources",
    "changes",
    "about",
    "data",
)

Page = tuple[str, datetime | None]


def files() -> int:
    """Number of files that hold all pages; the pages are only counted."""
    count = len(INDEXES) + sum(rows.count() for rows in _sections().values())
    return -(-count // MOST)


def pages(number: int) -> list[Page]:
    """The addresses in the file of this number, counted from 1, and when a source last said
    something new of what each page shows, where that is known. Nothing beyond the last file."""
    start, stop = (number - 1) * MOST, number * MOST
    found: list[Page] = [(reverse(name), None) for name in INDEXES[start:stop]]
    before = len(INDEXES)
    for index, rows in _sections().items():
        slugs = dict(rows.values_list("pk", "slug")[max(0, start - before) : max(0, stop - before)])
        said = _said(slugs) if index == "episodes" else {}
        # `reverse` is slow for so many.
        found += [(f"{reverse(index)}{quote(slug)}/", said.get(pk)) for pk, slug in slugs.items()]
        before += rows.count()
    return found


def _said(episodes: Collection[int]) -> dict[int, datetime]:
    """When a source last said something new of each of these episodes."""
    rows = Attachment.objects.filter(episode__in=episodes).order_by().values_list("episode")
    return dict(rows.annotate(at=Max("item__revisions__recorded_at")))


def _sections() -> dict[str, QuerySet[Any]]:
    """The pages beside the indexes, each section in a fixed order.

    Episodes are by show, the oldest of each first, so that a new episode changes the last file
    only.
    """
    return {
        "episodes": Episode.objects.listed().order_by("podcast", "order"),
        "shows": Podcast.objects.shown().order_by("rank"),
        "topics": _with(Topic, EpisodeTopic, "topic"),
        "paths": LearningPath.objects.shown().order_by("slug"),
        "people": _with(Person, Credit, "person"),
        "names": _with(CodeName, CodeMention, "name"),
    }


def _with(model: type[Model], use: type[Model], field: str) -> QuerySet[Any]:
    """Rows that some episode has."""
    uses = use._default_manager.order_by().filter(**{field: OuterRef("pk")})
    return model._default_manager.filter(Exists(uses)).order_by("slug")


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
