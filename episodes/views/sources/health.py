"""The health of each source: the state of its last import, and when it is read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Case, OuterRef, Q, QuerySet, Subquery, Value, When

from ...models import (
    STATES,
    Capture,
    Content,
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
EXPLAINED = {**STATES, "ok": ""}
WRONG = ("refused", "failed")  # outcomes of imports


@dataclass
class SourceHealth:
    """A source of `ranked` with its state and the figures behind it."""

    source: Any
    last: Any  # its last import
    label: str = ""  # the state in words
    missing: list[tuple[str, int]] = field(
        default_factory=list
    )  # fields, and how many of its entries lack them

    @property
    def state(self) -> str:
        return str(self.source.state)

    @property
    def schedule(self) -> SourceSchedule:
        return getattr(self.source, "schedule", SourceSchedule())

    @property
    def succeeded(self) -> datetime | None:
        return succeeded(self.source)

    @property
    def changed(self) -> datetime | None:
        return self.schedule.changed_at or self.source.taken_at

    @property
    def reason(self) -> str:
        return getattr(self.last, "reason", "")

    @property
    def size(self) -> int | None:
        """The bytes of the document that was read last."""
        return getattr(self.last, "size", None)

    @property
    def counts(self) -> dict[str, int]:
        return getattr(self.last, "counts", {})

    @property
    def explanation(self) -> str:
        """Why it is in this state: the reason of the last import, else what the state means; ""
        where all is well."""
        reason = self.reason if self.state in FAILED else ""
        return full_sentence(reason or EXPLAINED[self.state])

    def as_json(self) -> dict[str, Any]:
        plan, last = self.schedule, self.last
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
            "next_attempt": None if self.state == "paused" else _instant(plan.next_at),
            "failures": plan.failures,
            "failing_since": _instant(plan.failing_since),
            "last_import": last
            and {"at": _instant(last.finished_at), "outcome": last.outcome, "counts": last.counts},
            "bytes": self.size,
        }


def _instant(at: datetime | None) -> str | None:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}" if at else None


def chosen_sources(podcast: str) -> QuerySet[Source]:
    """The sources of the show of that slug, and of all shows whose titles have these words; all
    where it is empty."""
    has_words = Q(podcast__title__icontains=podcast)
    return Source.objects.filter(Q(podcast__slug=podcast) | has_words)


def asked_show(words: str) -> str:
    """A show as an address names it, without what no database takes."""
    return " ".join(words.replace("\0", "").encode("utf-8", "ignore").decode().split())[
        :LONGEST_NAME
    ]


def with_runs(sources: QuerySet[Any]) -> QuerySet[Any]:
    """Sources, each with the id of its last import (`last_run`), and when it was last imported
    (`taken_at`) and found unchanged; each looked up by an index, for there are many imports."""
    runs = IngestRun.objects.filter(source=OuterRef("pk"))
    ends = runs.order_by("-finished_at").values("finished_at")
    rows: QuerySet[Any] = sources.annotate(
        last_run=Subquery(runs.order_by("-started_at", "-id").values("pk")[:1]),
        taken_at=Subquery(ends.filter(outcome="taken")[:1]),
        unchanged_at=Subquery(ends.filter(outcome="unchanged")[:1]),
    )
    return rows


def succeeded(source: Any) -> datetime | None:
    """When one of `with_runs` was last read well."""
    return max(filter(None, (source.taken_at, source.unchanged_at)), default=None)


def last_runs(sources: Sequence[Any]) -> dict[int, Any]:
    """The last imports of sources of `with_runs`, by their ids; `size` is that of the newest copy
    of the document, accepted or not."""
    newest = Capture.objects.filter(document=OuterRef("document")).order_by("-taken_at", "-id")
    content = Content.objects.filter(pk=OuterRef("content"))
    runs = IngestRun.objects.annotate(content=Subquery(newest.values("sha256")[:1]))
    return runs.annotate(size=Subquery(content.values("size"))).in_bulk(
        [source.last_run for source in sources]
    )


def ranked(podcast: str, now: datetime) -> QuerySet[Any]:
    """The sources with their states, worst first."""
    return with_runs(worst_first(chosen_sources(podcast), now))


def health_rows(sources: Sequence[Any]) -> list[SourceHealth]:
    """The health of sources that have states and runs; the number of queries does not depend on
    them."""
    runs = last_runs(sources)
    return [SourceHealth(source, runs.get(source.last_run)) for source in sources]


def in_order(podcast: str) -> QuerySet[Any]:
    """The sources of shown shows with their runs; those whose last import went wrong come first.

    Whether it did does not depend on the time, as other states do.
    """
    shown = chosen_sources(podcast).filter(
        podcast__in=Podcast.objects.shown().order_by().values("pk")
    )
    last = IngestRun.objects.filter(pk=OuterRef("last_run"))
    wrong = When(
        status=Status.ACTIVE, podcast__status=Status.ACTIVE, outcome__in=WRONG, then=Value(1)
    )
    rows: QuerySet[Any] = with_runs(shown.select_related("podcast")).annotate(
        outcome=Subquery(last.values("outcome"))
    )
    rows = rows.annotate(is_wrong=Case(wrong, default=Value(0)))
    return rows.order_by("-is_wrong", "podcast__rank", "rank", "slug")
