"""The sources with their last imports, those in trouble first."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Case, OuterRef, Q, QuerySet, Subquery, Value, When

from ...models import (
    IngestRun,
    Podcast,
    Source,
    Status,
)

LONGEST_NAME = 200
WRONG = ("refused", "failed")  # outcomes of imports


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


def in_order(podcast: str) -> QuerySet[Any]:
    """The sources of shown shows with their runs, of the show of that slug and of all whose titles
    have these words; all where it is empty. Those whose last import went wrong come first.

    Whether it did does not depend on the time, as other states do.
    """
    chosen = Q(podcast__slug=podcast) | Q(podcast__title__icontains=podcast)
    shown = Source.objects.filter(
        chosen, podcast__in=Podcast.objects.shown().order_by().values("pk")
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
