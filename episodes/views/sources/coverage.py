"""The episodes that each source lists, what it leaves out, and how it is doing."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Prefetch, prefetch_related_objects

from ...fields import BY_NAME
from ...models import CatalogState, Document, IngestRun, Item
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
    stored: Mapping[str, Any]  # `counts` and `refuted` of the state of its show
    total: int  # episodes of its show
    refused: int  # copies that were not imported
    posts: int

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.stored.get("counts", {}))

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
        return " and ".join(
            f"{BY_NAME[name].label.lower()}s" for name in self.stored.get("refuted", ())
        )

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
    stored = _stored(shows)
    totals = {show: row["counts"]["total"] for (show, _), row in stored.items()}
    copies = Document.objects.filter(
        source__in=keys, captures__version=None, captures__isnull=False
    )
    refused = Counter(dict(copies.order_by().values_list("source").annotate(Count("captures"))))
    return [
        SourceCoverage(
            source,
            runs.get(source.last_run),
            stored.get((source.podcast_id, source.slug), {}),
            totals.get(source.podcast_id, 0),
            refused[source.pk],
            posts[source.pk],
        )
        for source in sources
    ]


def _stored(shows: Collection[int]) -> dict[tuple[int, str], Mapping[str, Any]]:
    """The counts of the sources of these shows, by show and slug."""
    states = CatalogState.objects.filter(podcast__in=shows).values_list("podcast", "sources")
    return {(show, slug): row for show, sources in states for slug, row in sources.items()}


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
