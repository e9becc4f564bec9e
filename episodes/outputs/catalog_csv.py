"""Episodes as CSV, one row each (contract.md: CSV columns), harmless when a spreadsheet opens it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from ..models import Episode, Podcast
from .catalog_json import published

COLUMNS = ("podcast", "slug", "number", "title", "published", "duration_seconds", "topics", "url", "description_text")


def dump(podcasts: Sequence[Podcast]) -> str:
    """All episodes of the shows, newest first."""
    return rows(e for p in podcasts for e in Episode.objects.filter(podcast=p).newest_first().for_list())


def rows(episodes: Iterable[Episode]) -> str:
    """The header and a row for each episode; topics are slugs with a space between them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for e in episodes:
        topics = " ".join(sorted(use.topic.slug for use in e.topic_uses.all()))
        values = (
            e.podcast.slug,
            e.slug,
            e.number,
            e.title,
            published(e),
            e.duration_seconds,
            topics,
            e.url,
            e.description_text,
        )
        writer.writerow([safe(value) for value in values])
    return out.getvalue()


def safe(value: object) -> object:
    """A spreadsheet runs a cell that begins with one of these; an apostrophe in front makes it text."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return "" if value is None else value
