"""Whether an answer may have changed since it was last asked for, told by what writes the catalog and not by reading it."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from django.db.models import F, QuerySet
from django.http import HttpRequest

from ..models import Capture, Change, Episode, IngestRun

Newest = list[tuple[int, datetime | None]]


def etag(request: HttpRequest, *args: object, **kwargs: object) -> str:
    """Another one as soon as a document was taken, a curator changed something, or the catalog was rebuilt.

    The address counts too: what was said of one list says nothing of another, nor of an address that is none.
    """
    parts = (request.build_absolute_uri(), *(pk for pk, _ in state(request)))
    return f'W/"{sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:20]}"'


def changed_at(request: HttpRequest, *args: object, **kwargs: object) -> datetime | None:
    """When that happened last; None where it never did."""
    return max((at for _, at in state(request) if at), default=None)


def state(request: HttpRequest) -> Newest:
    """The newest row of every kind that is written whenever what people read changes, asked for once a request."""
    known: Newest | None = getattr(request, "catalog_state", None)
    if known is None:
        # Found by their key: no row is read but these.
        known = [
            *_newest(IngestRun.objects.filter(outcome="taken"), "finished_at"),
            *_newest(Capture.objects.all(), "taken_at"),
            *_newest(Change.objects.all(), "made_at"),
            *((pk, None) for pk in Episode.objects.order_by("-pk").values_list("pk", flat=True)[:1]),
        ]
        request.catalog_state = known  # type: ignore[attr-defined]
    return known


def _newest(
    rows: QuerySet[IngestRun] | QuerySet[Capture] | QuerySet[Change], moment: str
) -> list[tuple[int, datetime | None]]:
    return list(rows.order_by("-pk").values_list("pk", F(moment))[:1])
