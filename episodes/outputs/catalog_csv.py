"""Episodes as CSV, one row each (contract.md: CSV columns), harmless when a spreadsheet opens it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from ..fields import CSV
from ..models import Episode, Podcast
from ..text.formulas import harmless
from .catalog_json import exported


def dump(podcasts: Sequence[Podcast]) -> str:
    """All episodes of the shows, newest first."""
    return rows(Episode.objects.of_shows(podcasts).for_list().in_batches())


def rows(episodes: Iterable[Episode]) -> str:
    """The header and a row for each episode; topics are slugs with a space between them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(CSV)
    for e in episodes:
        topics = " ".join(sorted(use.topic.slug for use in e.topic_uses.all()))
        values = {**exported(e), "podcast": e.podcast.slug, "topics": topics}
        writer.writerow([cell(values[name]) for name in CSV])
    return out.getvalue()


def cell(value: str | int | None) -> str | int:
    return "" if value is None else harmless(value) if isinstance(value, str) else value
