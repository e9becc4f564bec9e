"""How each source is doing: the state of its last import, and when it is read again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Case, OuterRef, QuerySet, Subquery, Value, When

from ...models import (
    STATES,
    Capture,
    Content,
    Document,
    IngestRun,
    Podcast,
    Source,
    SourceSchedule,
    Status,
    worst_first,
)
from ...text.formatting import full_sentence

LONGEST_NAME = 200
FAILED = ("gone", "refused", "failing")  # states that the last import has a reason for
WRONG = ("refused", "failed")  # outcomes of imports


@dataclass
class SourceHealth:
    """A source with its state and the figures behind it."""

    source: Source
    state: str
    last: IngestRun | None = None
    succeeded: datetime | None = None
    changed: datetime | None = None
    schedule: SourceSchedule | None = None
    size: int | None = None  # bytes of the document that was read last
    counts: dict[str, int] = field(default_factory=dict)
    label: str = ""  # the state in words
    missing: list[tuple[str, int]] = field(default_factory=list)  # fields, and how many of its entries lack them

    @property
    def meaning(self) -> str:
        return STATES[self.state]

    @property
    def reason(self) -> str:
        return self.last.reason if self.last else ""

    @property
    def explanation(self) -> str:
        """Why it is in this state: the reason of the last import, else what the state means; "" where all is well."""
        words = (self.reason if self.state in FAILED else "") or ("" if self.state == "ok" else self.meaning)
        return full_sentence(words)

    def as_json(self) -> dict[str, Any]:
        plan = self.schedule
        last = self.last
        return {
            "podcast": self.source.podcast.slug,
            "show": self.source.podcast.title,
            "source": self.source.slug,
            "title": self.source.title,
            "address": self.source.address or None,
            "state": self.state,
            "reason": self.reason or None,
            "last_success": _instant(self.succeeded),
            "last_change": _instant(self.changed),
            "next_attempt": _instant(plan.next_at if plan and self.state != "paused" else None),
            "failures": plan.failures if plan else 0,
            "failing_since": _instant(plan.failing_since if plan else None),
            "last_import": last and {"at": _instant(last.finished_at), "outcome": last.outcome, "counts": last.counts},
            "bytes": self.size,
        }


def _instant(at: datetime | None) -> str | None:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}" if at else None


def chosen_sources(podcast: str) -> QuerySet[Source]:
    """The sources of the show of that slug, else of all shows whose titles have these words; all where it is empty."""
    if not podcast:
        return Source.objects.all()
    exact = Source.objects.filter(podcast__slug=podcast)
    return exact if exact.exists() else Source.objects.filter(podcast__title__icontains=podcast)


def asked_show(words: str) -> str:
    """A show as an address names it, without what no database takes."""
    return " ".join(words.replace("\0", "").encode("utf-8", "ignore").decode().split())[:LONGEST_NAME]


def ranked(podcast: str, now: datetime) -> QuerySet[Any]:
    return worst_first(chosen_sources(podcast), now)


def health_rows(sources: Sequence[Any]) -> list[SourceHealth]:
    """The health of sources that `worst_first` gave; the number of queries does not depend on them."""
    keys = [source.pk for source in sources]
    runs = {run.source_id: run for run in last_runs(keys)}
    good, taken = last_good(keys), _last(keys, "taken")
    sizes = _sizes({run.document_id for run in runs.values() if run.document_id})
    rows = []
    for source in sources:
        last, plan = runs.get(source.pk), getattr(source, "schedule", None)
        changed = plan.changed_at if plan and plan.changed_at else taken.get(source.pk)
        size = sizes.get(last.document_id or 0) if last else None
        counts = last.counts if last else {}
        rows.append(SourceHealth(source, source.state, last, good.get(source.pk), changed, plan, size, counts))
    return rows


def last_runs(sources: Collection[int]) -> QuerySet[IngestRun]:
    """The last import of each of these sources."""
    runs = IngestRun.objects.filter(source=OuterRef("pk")).order_by("-started_at", "-id")
    newest = Source.objects.order_by().filter(pk__in=sources).values(newest=Subquery(runs.values("pk")[:1]))
    return IngestRun.objects.filter(pk__in=newest)


def last_good(sources: Collection[int]) -> dict[int, datetime]:
    """When each of these sources was imported last."""
    found: dict[int, datetime] = {}
    for outcome in IngestRun.GOOD:
        for source, at in _last(sources, outcome).items():
            found[source] = max(at, found.get(source, at))
    return found


def _last(sources: Collection[int], outcome: str) -> dict[int, datetime]:
    return {source: at for source, at in last_of(sources, outcome) if at}


def last_of(sources: Collection[int], outcome: str) -> QuerySet[Source, tuple[int, datetime | None]]:
    """When the last import of each of these sources ended that had this outcome."""
    runs = IngestRun.objects.filter(source=OuterRef("pk"), outcome=outcome).order_by("-finished_at")
    return Source.objects.order_by().filter(pk__in=sources).values_list("pk", Subquery(runs.values("finished_at")[:1]))


def _sizes(documents: Collection[int]) -> dict[int, int]:
    """The bytes of the newest copy of each of these documents, accepted or not."""
    copies = Capture.objects.filter(document=OuterRef("pk")).order_by("-taken_at", "-id")
    newest = Document.objects.order_by().filter(pk__in=documents).values(newest=Subquery(copies.values("pk")[:1]))
    size = Content.objects.filter(sha256=OuterRef("sha256")).values("size")
    return dict(Capture.objects.order_by().filter(pk__in=newest).values_list("document", Subquery(size)))


def in_order(podcast: str, *, several: bool) -> list[tuple[int, bool]]:
    """The ids of sources as the page of sources lists them, with whether they are in trouble; of several shows those come
    first."""
    return [(pk, bool(troubled)) for pk, troubled in _in_order(chosen_sources(podcast), several=several)]


def _in_order(sources: QuerySet[Source], *, several: bool) -> QuerySet[Source, tuple[int, int]]:
    """Whether a last import went wrong does not depend on the time, as other states do."""
    newest = IngestRun.objects.filter(source=OuterRef("pk")).order_by("-started_at", "-id")
    wrong = When(status=Status.ACTIVE, podcast__status=Status.ACTIVE, outcome__in=WRONG, then=Value(1))
    rows = sources.filter(podcast__in=Podcast.objects.shown().order_by().values("pk"))
    rows = rows.annotate(outcome=Subquery(newest.values("outcome")[:1])).annotate(wrong=Case(wrong, default=Value(0)))
    order = ("-wrong", "podcast__rank", "rank", "slug") if several else ("rank", "slug")
    return rows.order_by(*order).values_list("pk", "wrong")
