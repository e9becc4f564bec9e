"""Which place knows which episode, what each lost on the way, and how each is doing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Prefetch, prefetch_related_objects

from ...fields import BY_NAME
from ...models import Document, IngestRun, Item, SourceCount
from .health import last_runs, succeeded

FIELDS = ("title", "date", "length", "notes", "full notes", "links", "audio")

LISTINGS = (
    Document.objects.filter(kind="listing")
    .annotate(versions=Max("captures__version"))
    .exclude(versions=None)
)
TROUBLES = Document.objects.filter(kind="companion").exclude(trouble="")


@dataclass(frozen=True)
class SourceCoverage:
    """A source with what it knows and what it lost; the numbers count its entries that belong to an
    episode."""

    # With its documents: `listings`, and `troubles`: transcripts and chapters that could not be
    # had.
    source: Any
    last: IngestRun | None
    stored: SourceCount
    total: int  # episodes of its show
    refused: int  # copies that were not imported
    posts: int

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.stored.counts)

    @property
    def succeeded(self) -> datetime | None:
        return succeeded(self.source)

    @property
    def lost(self) -> list[tuple[str, int]]:
        """Fields, and how many of the entries have each."""
        return _fields(self.counts)

    @property
    def unused(self) -> str:
        """The names of its fields that are not used: "dates and lengths"."""
        return " and ".join(f"{BY_NAME[name].label.lower()}s" for name in self.stored.refuted)

    @property
    def healthy(self) -> bool:
        return self.last is None or self.last.outcome in IngestRun.GOOD


def places(sources: Sequence[Any]) -> list[SourceCoverage]:
    """The coverage of sources of `with_runs`; the number of queries does not depend on them."""
    keys, shows = [source.pk for source in sources], {source.podcast_id for source in sources}
    prefetch_related_objects(
        sources,
        Prefetch("documents", LISTINGS.order_by("address"), to_attr="listings"),
        Prefetch("documents", TROUBLES.order_by("address"), to_attr="troubles"),
    )
    runs, posts = last_runs(sources), _posts(keys)
    of_shows = SourceCount.objects.filter(source__podcast__in=shows).select_related("source")
    stored, totals = (
        {row.pk: row for row in of_shows},
        {row.source.podcast_id: row.counts["total"] for row in of_shows},
    )
    copies = Document.objects.filter(
        source__in=keys, captures__version=None, captures__isnull=False
    )
    refused = Counter(dict(copies.order_by().values_list("source").annotate(Count("captures"))))
    return [
        SourceCoverage(
            source,
            runs.get(source.last_run),
            stored.get(source.pk, SourceCount()),
            totals.get(source.podcast_id, 0),
            refused[source.pk],
            posts[source.pk],
        )
        for source in sources
    ]


def missing(sources: Sequence[Any]) -> dict[int, list[tuple[str, int]]]:
    """For each source the fields that some of its entries lack, and how many do."""
    stored = SourceCount.objects.filter(source__in=sources).values_list("source", "counts")
    return {
        key: [
            (name, counts["listed"] - count)
            for name, count in _fields(counts)
            if count < counts["listed"]
        ]
        for key, counts in stored
    }


def _fields(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    if not counts.get("listed"):
        return []
    every = {**counts, "full notes": counts["notes"] - counts["cut"]}
    return [(name, every[name]) for name in FIELDS]


def _posts(sources: Sequence[int]) -> Counter[int]:
    """The number of posts among what each source lists now."""
    listed = Item.objects.filter(
        document__source__in=sources, gone_version=None, is_post=True
    ).order_by()
    return Counter(dict(listed.values_list("document__source").annotate(Count("pk"))))
