"""Simulates years of hourly imports with a daily `tidy`, and says what each year costs: `python -m bench.years 5`.

A show with a feed and a directory's page: the feed answers "not modified", on some days with another comment, once a week
with a new episode; the page changes with each of them, and a login page stands in its place now and then.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

START = datetime(2020, 1, 1, tzinfo=UTC)
FEED, PAGE = "https://years.example/feed", "https://directory.example/years"
WORDS = "anchors bridges candles dragons engines feathers gardens harbours islands jackets".split()


@dataclass
class Year:
    """The catalog after a year of the simulation, with the time that each step took."""

    number: float
    import_ms: float  # of a feed that is as before
    change_ms: float  # of a feed with a new episode
    tidy_ms: float
    runs: int
    captures: int
    contents: int
    bytes: int  # of the contents
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


def simulate(days: int, *, each: int = 365, tidy: bool = True) -> Iterator[Year]:
    """Import hourly for so many days; the figures after every `each` of them."""
    from episodes.gather import tidy_evidence
    from episodes.ingest import Loaded, Options, Target, take
    from episodes.models import Source
    from episodes.records import FetchedDocument

    options, took = Options(), Took()
    sources: dict[str, Source | None] = {FEED: None, PAGE: None}

    def taken(address: str, body: bytes | None, now: datetime) -> str:
        target = Target(address, sources[address], address)
        document = None if body is None else FetchedDocument(body, address)
        return take(Loaded(target, document), options, lambda: now, lambda message: None).outcome

    for day in range(days):
        now = START + timedelta(days=day)
        count = 10 + day // 7
        with took("change" if day % 7 == 0 else "comment"):
            taken(FEED, feed(count, day), now)
        sources[FEED] = sources[FEED] or Source.objects.select_related("podcast").get(address=FEED)
        taken(PAGE, page(count), now)
        sources[PAGE] = sources[PAGE] or Source.objects.select_related("podcast").get(documents__address=PAGE)
        if day % 3 == 0:
            taken(PAGE, login(day), now + timedelta(minutes=10))
        with took("import"):
            taken(FEED, None, now + timedelta(hours=1))
        _as_before(sources[FEED], [now + timedelta(hours=hour) for hour in range(2, 24)])
        if tidy:
            with took("tidy"):
                tidy_evidence(now + timedelta(hours=23))
        if (day + 1) % each == 0:
            yield figures((day + 1) / 365, took)
            took.clear()


def _as_before(source: Any, hours: list[datetime]) -> None:
    """The rows that imports of a feed that is as before write; each of them costs what the first one does."""
    from episodes.models import IngestRun

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


class Took(dict[str, list[float]]):
    """The times that parts of it took, in milliseconds of CPU: other programs do not count."""

    def __call__(self, name: str) -> Took:
        self.name = name
        return self

    def __enter__(self) -> None:
        self.start = time.process_time()

    def __exit__(self, *failure: Any) -> None:
        self.setdefault(self.name, []).append(1000 * (time.process_time() - self.start))

    def median(self, name: str) -> float:
        values = sorted(self.get(name, [0.0]))
        return values[len(values) // 2]


def figures(number: float, took: Took) -> Year:
    from django.db.models import Sum
    from django.db.models.functions import Length

    from episodes.models import Capture, Content, Episode, IngestRun

    return Year(
        number,
        took.median("import"),
        took.median("change"),
        took.median("tidy"),
        IngestRun.objects.count(),
        Capture.objects.count(),
        Content.objects.count(),
        Content.objects.aggregate(bytes=Sum(Length("packed")))["bytes"] or 0,
        Episode.objects.count(),
    )


def main() -> None:
    """On the database of DATABASE_URL, which has to be empty."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "podcast_catalog.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    years, tidy = float(sys.argv[1]) if len(sys.argv) > 1 else 5, "--without-tidy" not in sys.argv
    print("year  import ms  new episode ms  tidy ms    runs  captures  contents  MB of contents  episodes")
    for year in simulate(int(365 * years), tidy=tidy):
        print(
            f"{year.number:4.0f}  {year.import_ms:9.1f}  {year.change_ms:14.1f}  {year.tidy_ms:7.1f}  {year.runs:6,}  "
            f"{year.captures:8,}  {year.contents:8,}  {year.bytes / 1e6:14.2f}  {year.episodes:8,}",
            flush=True,
        )


if __name__ == "__main__":
    main()
