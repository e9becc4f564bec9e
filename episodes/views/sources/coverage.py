"""Which place knows which episode, what each lost on the way, and how each is doing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, StrIndex

from ...fields import REFUTABLE
from ...models import (
    Attachment,
    Capture,
    Document,
    Episode,
    Image,
    IngestRun,
    Item,
    Podcast,
    Revision,
    Source,
)
from .health import last_of, last_runs


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
    episodes: int = 0  # those that it knows
    total: int = 0  # episodes of its show
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
    refuted: dict[str, bool] = field(default_factory=dict)  # labels of its fields that are not used
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
    def unused(self) -> str:
        """The names of its fields that are not used: "dates and lengths"."""
        return " and ".join(f"{label.lower()}s" for label in self.refuted)

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
    if not found:
        return []
    keys = list(found)
    _add_documents(found)
    for run in last_runs(keys).order_by():
        found[run.source_id].last = run
    for outcome in ("taken", "unchanged"):
        for source, at in last_of(keys, outcome):
            found[source].succeeded = max(filter(None, (at, found[source].succeeded)), default=None)
    _add_images(found, list(_images(keys)))
    _count_entries(found)
    return list(found.values())


def _add_documents(found: dict[int, SourceCoverage]) -> None:
    keys = list(found)
    for document in _documents(keys).order_by("address"):
        found[document.source_id].documents.append(document)
    companions = Document.objects.filter(source__in=keys, kind="companion").exclude(trouble="")
    for companion in companions.order_by("address"):
        found[companion.source_id].troubles.append(companion)
    for source, count in _refused(keys):
        found[source].refused = count
    for source, title, url in _posts(keys):
        found[source].posts.append(Post(title or "", url or ""))


def _documents(sources: Sequence[int]) -> QuerySet[Document]:
    newest = Capture.objects.filter(document=OuterRef("pk"), version__isnull=False).order_by("-version")
    documents = Document.objects.filter(source__in=sources, kind="listing").order_by()
    return documents.annotate(versions=Subquery(newest.values("version")[:1])).filter(versions__isnull=False)


def _refused(sources: Sequence[int]) -> QuerySet[Document, tuple[int, int]]:
    refused = Document.objects.filter(source__in=sources, captures__version=None, captures__isnull=False).order_by()
    return refused.values_list("source").annotate(n=Count("captures"))


def _posts(sources: Sequence[int]) -> QuerySet[Revision, tuple[int, str | None, str | None]]:
    posts = _newest(Item.objects.filter(document__source__in=sources, is_post=True, gone_version=None))
    ordered = posts.order_by("item__document__source", "item__document__address", "item__position")
    return ordered.values_list("item__document__source", KT("payload__title"), KT("payload__url"))


def _images(sources: Sequence[int]) -> QuerySet[Image]:
    """The images in trouble that the shows of these sources or their episodes name."""
    of_shows = Podcast.objects.filter(sources__in=sources).order_by().values("image_url")
    of_episodes = Episode.objects.filter(podcast__sources__in=sources).order_by().values("image_url")
    named = Q(address__in=of_shows) | Q(address__in=of_episodes)
    return Image.objects.filter(named).exclude(trouble="").order_by()


def _add_images(found: dict[int, SourceCoverage], images: Iterable[Image]) -> None:
    """Note the images in trouble at the first feed of the show that names them."""
    troubles = {image.address: image for image in images}
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


def _count_entries(found: dict[int, SourceCoverage]) -> None:
    """Fill in what each source lists and how many entries have which fields."""
    for source, counts in _counted(list(found)).items():
        for name, count in counts.items():
            setattr(found[source], name, count)


def _counted(sources: Sequence[int]) -> dict[int, dict[str, Any]]:
    """For each source which episodes it lists, how many entries are held and how many have which fields; no payload is
    read for it."""
    shows = Episode.objects.filter(podcast__sources__in=sources).order_by()
    totals = dict(shows.values_list("podcast__sources").annotate(n=Count("pk")))
    found: dict[int, dict[str, Any]] = {source: {"total": totals.get(source, 0)} for source in sources}
    numbers: dict[int, set[int]] = {}
    attached = _attached(Attachment.objects.filter(item__document__source__in=sources), "item__").order_by()
    for source, order in attached.values_list("item__document__source", "episode__order"):
        numbers.setdefault(source, set()).add(order)
    for source, places in numbers.items():
        found[source]["episodes"] = len(places)
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
    _add_refuted(found, shows)
    return found


def _add_refuted(found: Mapping[int, dict[str, Any]], shows: QuerySet[Episode]) -> None:
    """Add to each source the fields in which it is refuted; `shows` are all their episodes."""
    for refutable in REFUTABLE:
        named = f"provenance__{refutable.name}__refuted"
        told = shows.filter(**{f"{named}__isnull": False}).distinct()
        columns = ("podcast__sources", "podcast__sources__slug", named)
        for source, slug, refuted in told.values_list(*columns):
            if slug in refuted:
                found[source].setdefault("refuted", {})[refutable.label] = True


def _attached(rows: QuerySet[Any], item: str) -> QuerySet[Any]:
    """Entries that belong to an episode; `item` is the path to them."""
    conditions = {"gone_version": None, "is_post": False, "held__isnull": True, "attachment__isnull": False}
    return rows.filter(**{f"{item}{name}": value for name, value in conditions.items()})


def _newest(items: QuerySet[Item]) -> QuerySet[Revision]:
    """What these items say now."""
    newest = Revision.objects.filter(item=OuterRef("pk")).order_by("-version").values("pk")[:1]
    return Revision.objects.filter(pk__in=items.order_by().values(newest=Subquery(newest)))
