"""Tells people of troubles that need them: each once when it begins, and of a source also when it
is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from ..models import IngestRun, Podcast, Source, SourceSchedule, worst_first
from . import marks
from .channels import Channels
from .notices import Notice
from .outbox import send

SHOWN = 50  # sources that one notice names
SOURCE = "source "


def report_incidents(failures: int, channels: Channels, now: datetime) -> None:
    """Send a notice of the sources that have begun to fail, so many times in a row (0: of none), and
    of those that work again. One that many sources share is one notice."""
    for notice in _incidents(failures, now):
        send(channels, notice, now)


def _incidents(failures: int, now: datetime) -> Iterator[Notice]:
    active = Source.objects.active().order_by().values("pk")
    failing = SourceSchedule.objects.filter(source__in=active, failures__gte=max(failures, 1))
    numbers = failing.values_list("source", flat=True) if failures else ()
    current = {f"{SOURCE}{number}": number for number in numbers}
    before = marks.begun(SOURCE)
    began = [current[key] for key in sorted(current.keys() - before) if marks.begin(key, now)]
    ended = [
        int(key.removeprefix(SOURCE)) for key in sorted(before - current.keys()) if marks.end(key)
    ]
    # A source that was paused, or whose address was taken away, has not recovered.
    works = SourceSchedule.objects.filter(source__in=ended, failures=0)
    if began:
        yield _about(began, "source.failing", "failing", now)
    if recovered := list(works.values_list("source", flat=True)):
        yield _about(recovered, "source.recovered", "working again", now)


def _about(numbers: list[int], event: str, words: str, now: datetime) -> Notice:
    several = Podcast.objects.several()
    rows = list(worst_first(Source.objects.filter(pk__in=numbers[:SHOWN]), now))
    reasons = last_reasons(rows)
    lines = [line(source, reasons, several=several) for source in rows]
    one = rows[0].name(several=several) if len(numbers) == len(rows) == 1 else ""
    data = {"sources": [_data(source, reasons) for source in rows]}
    subject = f"{one} is {words}" if one else f"{len(numbers)} sources are {words}"
    return Notice(event, subject, tuple(lines), data)


def last_reasons(sources: Sequence[Source]) -> dict[int, str]:
    """Reasons for which the last imports of sources failed; "" for one that did not."""
    return dict(
        IngestRun.objects.newest().filter(source__in=sources).values_list("source", "reason")
    )


def line(source: Source, reasons: Mapping[int, str], *, several: bool) -> str:
    """A source in trouble in one line."""
    failures = source.schedule.failures if hasattr(source, "schedule") else 0
    count = f" ({failures} times in a row)" if failures > 1 else ""
    reason = f": {reasons[source.pk]}" if reasons.get(source.pk) else ""
    state = source.state  # type: ignore[attr-defined]  # an annotation
    return f"{source.name(several=several)}: {state}{count}{reason}"


def _data(source: Source, reasons: Mapping[int, str]) -> dict[str, object]:
    return {
        "podcast": source.podcast.slug,
        "source": source.slug,
        "state": source.state,  # type: ignore[attr-defined]
        "failures": source.schedule.failures,
        "reason": reasons.get(source.pk, ""),
    }
