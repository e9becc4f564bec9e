"""Months of hourly imports with a daily `tidy`: a show with a feed and a directory's page.

The feed answers "not modified", on most days with another comment, once a week with a new episode;
the page changes with each of them, and a login page stands in its place now and then.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from episodes.gather import tidy_evidence
from episodes.ingest import Loaded, Options, Target, take
from episodes.models import Capture, Episode, IngestRun, Source
from episodes.records import FetchedDocument

START = datetime(2020, 1, 1, tzinfo=UTC)
FEED, PAGE = "https://years.example/feed", "https://directory.example/years"
WORDS = "anchors bridges candles dragons engines feathers gardens harbours islands jackets".split()


class Size(NamedTuple):
    """Sizes of what is stored after some days."""

    runs: int
    captures: int
    episodes: int


def title(n: int) -> str:
    return f"All about {WORDS[n % 10]} and {WORDS[n // 10 % 10]} {n}"


def notes(n: int) -> str:
    return (
        f"Part {n} of our series tells where {WORDS[n % 10]} come from, who made the first, and why they matter today."
    )


def feed(count: int, comment: int) -> bytes:
    items = "".join(
        f"<item><title>{title(n)}</title><guid>years-{n}</guid><description>{notes(n)}</description>"
        f"<pubDate>{(START + timedelta(weeks=n)):%a, %d %b %Y %H:%M:%S} GMT</pubDate></item>"
        for n in reversed(range(count))
    )
    return f'<rss version="2.0"><channel><!-- {comment} --><title>Years</title>{items}</channel></rss>'.encode()


def page(count: int) -> bytes:
    """The newest ten."""
    rows = "".join(
        f"<article><h2>{title(n)}</h2><p>{notes(n)}</p><time>{(START + timedelta(weeks=n)):%B %d, %Y}</time></article>"
        for n in reversed(range(max(0, count - 10), count))
    )
    return f"<!doctype html><html><head><title>Years</title></head><body><h1>Years</h1>{rows}</body></html>".encode()


def login(day: int) -> bytes:
    return f"<!doctype html><html><body><form><input type=password name=n{day}></form></body></html>".encode()


def simulate(days: int, *, each: int) -> Iterator[Size]:
    """Import hourly for so many days; what is stored after every `each` of them."""
    options = Options()
    sources: dict[str, Source | None] = {FEED: None, PAGE: None}

    def taken(address: str, body: bytes | None, now: datetime) -> None:
        target = Target(address, sources[address], address)
        document = None if body is None else FetchedDocument(body, address)
        take(Loaded(target, document), options, lambda: now, lambda message: None)

    for day in range(days):
        now = START + timedelta(days=day)
        count = 10 + day // 7
        taken(FEED, feed(count, day), now)
        sources[FEED] = sources[FEED] or Source.objects.select_related("podcast").get(address=FEED)
        taken(PAGE, page(count), now)
        sources[PAGE] = sources[PAGE] or Source.objects.select_related("podcast").get(documents__address=PAGE)
        if day % 3 == 0:
            taken(PAGE, login(day), now + timedelta(minutes=10))
        taken(FEED, None, now + timedelta(hours=1))
        _as_before(sources[FEED], [now + timedelta(hours=hour) for hour in range(2, 24)])
        tidy_evidence(now + timedelta(hours=23))
        if (day + 1) % each == 0:
            yield Size(IngestRun.objects.count(), Capture.objects.count(), Episode.objects.count())


def _as_before(source: Any, hours: list[datetime]) -> None:
    """The rows that imports of a feed that is as before write; each of them costs what the first one does."""
    last = IngestRun.objects.filter(source=source).latest("id")
    rows = [
        IngestRun(
            source=source,
            document=last.document,
            started_at=at,
            finished_at=at,
            outcome=last.outcome,
            counts=last.counts,
        )
        for at in hours
    ]
    IngestRun.objects.bulk_create(rows)
