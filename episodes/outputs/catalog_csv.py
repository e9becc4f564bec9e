"""Episodes as CSV, one row each (contract.md: CSV columns), harmless when a spreadsheet opens it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from ..models import Episode, Podcast
from ..text.formulas import harmless
from .catalog_json import published

COLUMNS = ("podcast", "slug", "number", "title", "published", "duration_seconds", "topics", "url", "description_text")


def dump(podcasts: Sequence[Podcast]) -> str:
    """All episodes of the shows, newest first."""
    return rows(Episode.objects.of_shows(podcasts).for_list().in_batches())


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
        writer.writerow([cell(value) for value in values])
    return out.getvalue()


def cell(value: str | int | None) -> str | int:
    return "" if value is None else harmless(value) if isinstance(value, str) else value
