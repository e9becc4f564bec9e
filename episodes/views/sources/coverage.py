"""Which place knows which episode, what each lost on the way, and how each is doing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import (
    Count,
    Exists,
    Max,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    TextField,
    Value,
    prefetch_related_objects,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, StrIndex

from ...fields import REFUTABLE
from ...models import Document, Episode, Image, IngestRun, Podcast, Revision
from .health import last_runs, succeeded

# Entries that belong to an episode. Their fields are counted; a payload holds only those that say something.
LISTED = Q(item__held__isnull=True, item__attachment__isnull=False)
HAS_TEXT = Q(payload__has_key="text") | Q(payload__has_key="html")
COUNTS = {
    "listed": Count("pk", filter=LISTED),
    "held": Count("pk", filter=Q(item__held__isnull=False)),
    "episodes": Count("item__attachment__episode", filter=LISTED, distinct=True),
    "title": Count("pk", filter=LISTED & Q(payload__has_key="title")),
    "date": Count("pk", filter=LISTED & Q(payload__has_key="published")),
    "length": Count("pk", filter=LISTED & Q(payload__has_key="seconds_low")),
    "notes": Count("pk", filter=LISTED & HAS_TEXT),
    "cut": Count("pk", filter=LISTED & HAS_TEXT & Q(payload__cut=True)),
    "links": Count("pk", filter=LISTED & (Q(http__gt=0) | Q(https__gt=0))),
    "audio": Count("pk", filter=LISTED & Q(payload__has_key="audio_url")),
}
FIELDS = ("title", "date", "length", "notes", "full notes", "links", "audio")

LISTINGS = Document.objects.filter(kind="listing").annotate(versions=Max("captures__version")).exclude(versions=None)
TROUBLES = Document.objects.filter(kind="companion").exclude(trouble="")


class Post(NamedTuple):
    title: str
    url: str


@dataclass(frozen=True)
class SourceCoverage:
    """A source with what it knows and what it lost; the numbers count its entries that belong to an episode."""

    source: Any  # with its documents: `listings`, and `troubles`: transcripts and chapters that could not be had
    last: IngestRun | None
    counts: Mapping[str, int]
    total: int  # episodes of its show
    refused: int  # copies that were not imported
    posts: list[Post]
    images: list[Image]  # those of its show that could not be fetched
    refuted: list[str]  # labels of its fields that are not used

    @property
    def listed(self) -> int:
        return self.counts.get("listed", 0)

    @property
    def held(self) -> int:
        return self.counts.get("held", 0)

    @property
    def episodes(self) -> int:
        return self.counts.get("episodes", 0)

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
        return " and ".join(f"{label.lower()}s" for label in self.refuted)

    @property
    def healthy(self) -> bool:
        return self.last is None or self.last.outcome in IngestRun.GOOD


def places(sources: Sequence[Any]) -> list[SourceCoverage]:
    """What sources of `with_runs` know; the number of queries does not depend on them."""
    keys, shows = [source.pk for source in sources], {source.podcast_id for source in sources}
    prefetch_related_objects(
        sources,
        Prefetch("documents", LISTINGS.order_by("address"), to_attr="listings"),
        Prefetch("documents", TROUBLES.order_by("address"), to_attr="troubles"),
    )
    runs, counts, posts = last_runs(sources), counted(keys), _posts(keys)
    images, refuted = _images(sources), _refuted(shows)
    totals = Episode.objects.filter(podcast__in=shows).order_by().values_list("podcast").annotate(Count("pk"))
    copies = Document.objects.filter(source__in=keys, captures__version=None, captures__isnull=False)
    refused = copies.order_by().values_list("source").annotate(Count("captures"))
    by_show, by_source = dict(totals), dict(refused)
    return [
        SourceCoverage(
            source,
            runs.get(source.last_run),
            counts.get(source.pk, {}),
            by_show.get(source.podcast_id, 0),
            by_source.get(source.pk, 0),
            posts[source.pk],
            images[source.pk],
            list(refuted[(source.podcast_id, source.slug)]),
        )
        for source in sources
    ]


def missing(sources: Sequence[Any]) -> dict[int, list[tuple[str, int]]]:
    """For each source that lists anything the fields that some of its entries lack, and how many do."""
    counts = counted([source.pk for source in sources])
    return {
        key: [(name, row["listed"] - count) for name, count in _fields(row) if count < row["listed"]]
        for key, row in counts.items()
    }


def counted(sources: Sequence[int]) -> dict[int, dict[str, int]]:
    """For each source that lists anything how many entries are held, and how many belong to an episode and have which
    fields."""
    text = Coalesce(KT("payload__text"), KT("payload__html"), Value(""), output_field=TextField())
    links = {"http": StrIndex(text, Value("http://")), "https": StrIndex(text, Value("https://"))}
    rows = _newest(sources).filter(item__is_post=False).annotate(**links)
    columns: Any = rows.order_by().values("item__document__source").annotate(**COUNTS)
    return {row.pop("item__document__source"): row for row in columns}


def _fields(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    if not counts.get("listed"):
        return []
    every = {**counts, "full notes": counts["notes"] - counts["cut"]}
    return [(name, every[name]) for name in FIELDS]


def _newest(sources: Sequence[int]) -> QuerySet[Revision]:
    """What the entries that these sources list say now."""
    newer = Revision.objects.filter(item=OuterRef("item"), version__gt=OuterRef("version"))
    listed = Revision.objects.filter(item__document__source__in=sources, item__gone_version=None)
    return listed.filter(~Exists(newer))


def _posts(sources: Sequence[int]) -> dict[int, list[Post]]:
    rows = _newest(sources).filter(item__is_post=True).order_by("item__document__address", "item__position")
    words = [Coalesce(KT(f"payload__{name}"), Value(""), output_field=TextField()) for name in Post._fields]
    found: dict[int, list[Post]] = defaultdict(list)
    for source, *post in rows.values_list("item__document__source", *words):
        found[source].append(Post(*post))
    return found


def _images(sources: Sequence[Any]) -> dict[int, list[Image]]:
    """The images in trouble that a show or its episodes name, by the first feed of the show."""
    feeds = {source.podcast_id: source.pk for source in reversed(sources) if source.reader == "feed"}
    named = {"image_url__in": Image.objects.exclude(trouble="").order_by().values("address")}
    of_shows = Podcast.objects.filter(pk__in=feeds, **named).order_by().values_list("pk", "image_url")
    of_episodes = Episode.objects.filter(podcast__in=feeds, **named).order_by().values_list("podcast", "image_url")
    pairs = sorted(of_shows.union(of_episodes))
    images = Image.objects.in_bulk([address for _, address in pairs], field_name="address")
    found: dict[int, list[Image]] = defaultdict(list)
    for podcast, address in pairs:
        found[feeds[podcast]].append(images[address])
    return found


def _refuted(shows: set[int]) -> dict[tuple[int, str], dict[str, None]]:
    """By show and source the labels of the fields in which it is refuted, which is said of every episode it lists."""
    columns = [f"provenance__{field.name}__refuted" for field in REFUTABLE]
    rows = list(Episode.objects.filter(podcast__in=shows).order_by().values_list("podcast", *columns).distinct())
    found: dict[tuple[int, str], dict[str, None]] = defaultdict(dict)
    for place, field in enumerate(REFUTABLE, 1):
        for row in rows:
            for slug in row[place] or ():
                found[(row[0], slug)][field.label] = None
    return found
