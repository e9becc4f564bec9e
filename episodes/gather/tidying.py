"""Thins evidence out where nothing is lost by it: import runs of a day, versions that said nothing
new, bytes of none."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, Sum
from django.db.models.functions import Coalesce, Length, TruncDate

from ..models import Capture, Content, IngestRun, Item, Revision, Source, batches

RUNS_KEPT = timedelta(days=30)
UNUSED = ~Exists(Capture.objects.filter(sha256=OuterRef("sha256")))
REFUSED_KEPT = 3  # days of each document, of each the last; ingest/guard.py looks at these


@dataclass
class Tidied:
    """Numbers of what was freed."""

    runs: int = 0
    captures: int = 0
    contents: int = 0
    bytes: int = 0


def tidy_evidence(now: datetime) -> Tidied:
    """Do it in batches, each a transaction of its own, so that imports go on; done again it finds
    nothing."""
    done, until = Tidied(), now - RUNS_KEPT
    midnight = until.replace(hour=0, minute=0, second=0, microsecond=0)  # no day is folded by parts
    for source in Source.objects.order_by("pk"):
        runs = IngestRun.objects.filter(source=source, started_at__lt=midnight).order_by()
        days = runs.annotate(day=TruncDate("started_at")).values("document", "outcome", "day")
        first = Min(Coalesce("first_at", "started_at"))
        days = days.annotate(rows=Count("pk"), first=first, last=Max("started_at"))
        for some in batches(days.filter(rows__gt=1)):
            done.runs += _fold(source, some)
    for captures in batches(list(_spare_captures())):
        done.captures += Capture.objects.filter(pk__in=captures).delete()[0]
    for names in batches(Content.objects.filter(UNUSED).values_list("pk", flat=True)):
        _drop(done, names)
    return done


@transaction.atomic
def _fold(source: Source, days: Sequence[Mapping[str, Any]]) -> int:
    """Leave the last run of each day, with the number of all and the time of the first; how many
    went."""
    gone = 0
    for day in days:
        runs = IngestRun.objects.filter(
            source=source,
            document=day["document"],
            outcome=day["outcome"],
            started_at__range=(day["first"], day["last"]),
        ).order_by("-started_at", "-pk")
        last = runs[0]
        others = runs.exclude(pk=last.pk)
        times = last.times + (others.aggregate(times=Sum("times"))["times"] or 0)
        gone += others.delete()[0]
        IngestRun.objects.filter(pk=last.pk).update(times=times, first_at=day["first"])
    return gone


def _spare_captures() -> Iterator[int]:
    """Ids of versions of listings that changed no entry, and of all refused ones but the last of
    each of the last three days of a document.

    A version stays that is the newest, the first or the last one with an entry, or in which an
    entry said something new.
    """
    listings = Capture.objects.filter(document__kind="listing").order_by("pk")
    later = Capture.objects.filter(document=OuterRef("document"), version__gt=OuterRef("version"))
    version: Any = OuterRef("version")
    said = Revision.objects.filter(item__document=OuterRef("document"), version=version)
    # Those that an entry names, and those before one from which entries are gone.
    edges = Q(first_version=version) | Q(gone_version=version) | Q(gone_version=version + 1)
    named = Item.objects.filter(edges, document=OuterRef("document"))
    accepted = listings.filter(Exists(later)).exclude(Exists(said) | Exists(named))
    yield from accepted.values_list("pk", flat=True)
    kept: dict[int, set[date]] = defaultdict(set)
    refused = listings.filter(version=None).order_by("-taken_at", "-pk")
    for pk, document, at in refused.values_list("pk", "document", "taken_at").iterator(2000):
        if at.date() in kept[document] or len(kept[document]) >= REFUSED_KEPT:
            yield pk
        kept[document].add(at.date())


@transaction.atomic
def _drop(done: Tidied, names: list[str]) -> None:
    """Delete bytes that no capture has. Locked, they are looked at again: an import may have come
    to need them."""
    locked = [
        content.pk
        for content in Content.objects.select_for_update().filter(pk__in=names).defer("packed")
    ]
    rows = Content.objects.filter(UNUSED, pk__in=locked)
    done.bytes += rows.aggregate(taken=Sum(Length("packed")))["taken"] or 0
    done.contents += rows.delete()[0]
