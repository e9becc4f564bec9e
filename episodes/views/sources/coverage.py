"""Which place knows which episode, what each lost on the way, and how each is doing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, StrIndex

from ...models import Attachment, Capture, Document, Episode, Image, IngestRun, Item, Revision, Source, snapshot
from .health import last_good, last_runs


class Post(NamedTuple):
    title: str
    url: str


@dataclass
class SourceCoverage:
    """A source with what it knows and what it lost; the numbers count its entries that belong to an episode."""

    source: Source
    documents: list[Document] = field(default_factory=list)
    troubles: list[Document] = field(default_factory=list)  # transcripts and chapters that could not be had
    images: list[Image] = field(default_factory=list)  # those of its show that could not be fetched
    numbers: set[int] = field(default_factory=set)  # places in the show of the episodes that it knows
    listed: int = 0
    held: int = 0
    posts: list[Post] = field(default_factory=list)
    titles: int = 0
    dates: int = 0
    lengths: int = 0
    texts: int = 0
    cut: int = 0
    links: int = 0
    audio: int = 0
    last: IngestRun | None = None
    succeeded: datetime | None = None
    refused: int = 0

    @property
    def lost(self) -> list[tuple[str, int, int]]:
        """Field, how many of the entries have it, and how many percent that is."""
        rows = (
            ("title", self.titles), ("date", self.dates), ("length", self.lengths), ("notes", self.texts),
            ("full notes", self.texts - self.cut), ("links", self.links), ("audio", self.audio),
        )  # fmt: skip
        return [(name, count, round(100 * count / self.listed)) for name, count in rows] if self.listed else []

    @property
    def healthy(self) -> bool:
        return self.last is None or self.last.outcome in IngestRun.GOOD


def missing(sources: Sequence[Source]) -> dict[int, list[tuple[str, int]]]:
    """For each source the fields that some of its entries lack, and how many do."""
    found = {source.pk: SourceCoverage(source) for source in sources}
    _count_entries(found)
    return {
        key: [(name, place.listed - count) for name, count, _ in place.lost if count < place.listed]
        for key, place in found.items()
    }


# The fields of an entry that are counted; a payload holds only those that say something.
HAS_TEXT = Q(payload__has_key="text") | Q(payload__has_key="html")
FIELDS = {
    "titles": Q(payload__has_key="title"),
    "dates": Q(payload__has_key="published"),
    "lengths": Q(payload__has_key="seconds_low"),
    "texts": HAS_TEXT,
    "cut": HAS_TEXT & Q(payload__cut=True),
    "links": Q(http__gt=0) | Q(https__gt=0),
    "audio": Q(payload__has_key="audio_url"),
}


def places(sources: Sequence[Source]) -> list[SourceCoverage]:
    """What these sources know, in their order; the number of queries does not depend on them."""
    found = {source.pk: SourceCoverage(source) for source in sources}
    attached = _attached(Attachment.objects.filter(item__document__source__in=found), "item__")
    for source, order in attached.order_by().values_list("item__document__source", "episode__order"):
        found[source].numbers.add(order)
    _add_documents(found)
    _add_images(found)
    _add_posts(found)
    _count_entries(found)
    _look_at_runs(found)
    return list(found.values())


def _add_documents(found: dict[int, SourceCoverage]) -> None:
    newest = Capture.objects.filter(document=OuterRef("pk"), version__isnull=False).order_by("-version")
    documents = Document.objects.filter(source__in=found)
    listings = documents.filter(kind="listing").annotate(versions=Subquery(newest.values("version")[:1]))
    for document in listings.filter(versions__isnull=False):
        found[document.source_id].documents.append(document)
    for companion in documents.filter(kind="companion").exclude(trouble=""):
        found[companion.source_id].troubles.append(companion)
    refused = documents.order_by().filter(captures__version=None, captures__isnull=False)
    for source, count in refused.values_list("source").annotate(n=Count("captures")):
        found[source].refused = count


def _add_images(found: dict[int, SourceCoverage]) -> None:
    """Note the images in trouble at the first feed of the show that names them."""
    troubles = {image.address: image for image in Image.objects.exclude(trouble="")}
    if not troubles:
        return
    named = Episode.objects.order_by().filter(image_url__in=Image.objects.exclude(trouble="").values("address"))
    named = named.filter(podcast__in={place.source.podcast_id for place in found.values()})
    pairs = {(place.source.podcast_id, place.source.podcast.image_url) for place in found.values()}
    pairs |= set(named.values_list("podcast", "image_url"))
    feeds = {place.source.podcast_id: place for place in reversed(found.values()) if place.source.reader == "feed"}
    for podcast, address in sorted(pairs):
        if address in troubles and podcast in feeds:
            feeds[podcast].images.append(troubles[address])


def _add_posts(found: dict[int, SourceCoverage]) -> None:
    posts = _newest(Item.objects.filter(document__source__in=found, is_post=True, gone_version=None))
    said = posts.values_list("item__document__source", KT("payload__title"), KT("payload__url"))
    for source, title, url in said.order_by("item__document", "item__position"):
        found[source].posts.append(Post(title or "", url or ""))


def _count_entries(found: dict[int, SourceCoverage]) -> None:
    """Fill in how many entries have which fields, counted once for each version of the catalog."""
    known: dict[int, dict[str, int]] = snapshot().kept("entries of sources", dict)
    if fresh := [source for source in found if source not in known]:
        known |= _counted(fresh)
    for source, place in found.items():
        for name, count in known[source].items():
            setattr(place, name, count)


def _counted(sources: Sequence[int]) -> dict[int, dict[str, int]]:
    """For each source how many entries are held and how many have which fields; no payload is read for it."""
    found: dict[int, dict[str, int]] = {source: {} for source in sources}
    items = Item.objects.filter(document__source__in=sources)
    held = items.filter(gone_version=None, is_post=False, held__isnull=False).order_by()
    for source, count in held.values_list("document__source").annotate(n=Count("pk")):
        found[source]["held"] = count
    text = Coalesce(KT("payload__text"), KT("payload__html"), Value(""), output_field=TextField())
    entries = _newest(_attached(items, "")).annotate(
        source=F("item__document__source"),
        http=StrIndex(text, Value("http://")),
        https=StrIndex(text, Value("https://")),
    )
    counts = {name: Count("pk", filter=condition) for name, condition in FIELDS.items()}
    rows: Iterable[Any] = entries.order_by().values("source").annotate(listed=Count("pk"), **counts)
    for row in rows:
        found[row["source"]] |= {name: row[name] for name in ("listed", *FIELDS)}
    return found


def _attached(rows: QuerySet[Any], item: str) -> QuerySet[Any]:
    """Entries that belong to an episode; `item` is the path to them."""
    conditions = {"gone_version": None, "is_post": False, "held__isnull": True, "attachment__isnull": False}
    return rows.filter(**{f"{item}{name}": value for name, value in conditions.items()})


def _newest(items: QuerySet[Item]) -> QuerySet[Revision]:
    """What these items say now."""
    newest = Revision.objects.filter(item=OuterRef("pk")).order_by("-version").values("pk")[:1]
    return Revision.objects.filter(pk__in=items.order_by().values(newest=Subquery(newest)))


def _look_at_runs(found: dict[int, SourceCoverage]) -> None:
    for run in last_runs(found):
        found[run.source_id].last = run
    for source, at in last_good(found).items():
        found[source].succeeded = at


@dataclass(frozen=True)
class EpisodeSpan:
    """Longest run of neighbouring episodes that a source lists: the first one's place in the show, and their number."""

    start: int
    length: int


def spans(numbers: Iterable[int]) -> list[EpisodeSpan]:
    """The places in the show as runs, for drawing."""
    runs: list[EpisodeSpan] = []
    for number in sorted(numbers):
        if runs and runs[-1].start + runs[-1].length == number:
            runs[-1] = EpisodeSpan(runs[-1].start, runs[-1].length + 1)
        else:
            runs.append(EpisodeSpan(number, 1))
    return runs
