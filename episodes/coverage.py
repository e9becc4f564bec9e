"""Which place knows which episode, what each lost on the way, and how each is doing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Max, OuterRef, Q, Subquery

from .models import Attachment, Capture, Document, IngestRun, Podcast, Revision, Source
from .records import Said

ADDRESS = re.compile(r"https?://")


@dataclass
class Place:
    """A source with what it knows and what it lost; the numbers count its entries that belong to an episode."""

    source: Source
    documents: list[Document] = field(default_factory=list)
    troubles: list[Document] = field(default_factory=list)  # transcripts and chapters that could not be had
    numbers: set[int] = field(default_factory=set)  # places in the show of the episodes that it knows
    listed: int = 0
    held: int = 0
    posts: list[Said] = field(default_factory=list)
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
            ("whole notes", self.texts - self.cut), ("links", self.links), ("audio", self.audio),
        )  # fmt: skip
        return [(name, count, round(100 * count / self.listed)) for name, count in rows] if self.listed else []

    @property
    def healthy(self) -> bool:
        return self.last is None or self.last.outcome in ("taken", "unchanged")


def places(podcast: Podcast) -> list[Place]:
    """The show's sources by rank, in a fixed number of queries."""
    found = {s.pk: Place(s) for s in podcast.sources.order_by("rank", "slug")}
    documents = Document.objects.filter(source__podcast=podcast, kind="listing").annotate(
        versions=Max("captures__version")
    )
    for document in documents.filter(versions__isnull=False):
        found[document.source_id].documents.append(document)
    for companion in Document.objects.filter(source__podcast=podcast, kind="companion").exclude(trouble=""):
        found[companion.source_id].troubles.append(companion)
    _count_entries(podcast, found)
    _look_at_runs(podcast, found)
    return list(found.values())


def _count_entries(podcast: Podcast, found: dict[int, Place]) -> None:
    orders = dict(Attachment.objects.filter(episode__podcast=podcast).values_list("item", "episode__order"))
    held = set(podcast.held.values_list("item", flat=True))
    newest = Revision.objects.filter(item=OuterRef("item")).order_by("-version").values("version")[:1]
    rows = Revision.objects.filter(
        item__document__source__podcast=podcast, item__gone_version__isnull=True, version=Subquery(newest)
    ).order_by("item__document", "item__position")
    for item, is_post, source, payload in rows.values_list(
        "item", "item__is_post", "item__document__source", "payload"
    ).iterator(1000):
        place, said = found[source], Said.from_payload(payload)
        if is_post:
            place.posts.append(said)
        elif item in held:
            place.held += 1
        elif item in orders:
            place.numbers.add(orders[item])
            _add(place, said)


def _add(place: Place, said: Said) -> None:
    text = said.text or said.html
    place.listed += 1
    place.titles += bool(said.title)
    place.dates += bool(said.published)
    place.lengths += said.seconds_low is not None
    place.texts += bool(text)
    place.cut += bool(text) and said.cut is True
    place.links += ADDRESS.search(text) is not None
    place.audio += bool(said.audio_url)


def _look_at_runs(podcast: Podcast, found: dict[int, Place]) -> None:
    runs = IngestRun.objects.filter(source__podcast=podcast)
    newest = Subquery(runs.filter(source=OuterRef("source")).order_by("-started_at", "-id").values("pk")[:1])
    for run in runs.filter(pk=newest):
        found[run.source_id].last = run
    good = runs.filter(outcome__in=("taken", "unchanged")).order_by().values_list("source")
    for source, at in good.annotate(at=Max("finished_at")):
        found[source].succeeded = at
    refused = Capture.objects.filter(Q(version=None), document__source__podcast=podcast).order_by()
    for source in refused.values_list("document__source", flat=True):
        found[source].refused += 1


@dataclass(frozen=True)
class Span:
    """A run of neighbouring episodes that a place knows: from the how manieth, and how many."""

    start: int
    length: int


def spans(numbers: Iterable[int]) -> list[Span]:
    """The places in the show as runs, for drawing."""
    runs: list[Span] = []
    for number in sorted(numbers):
        if runs and runs[-1].start + runs[-1].length == number:
            runs[-1] = Span(runs[-1].start, runs[-1].length + 1)
        else:
            runs.append(Span(number, 1))
    return runs
