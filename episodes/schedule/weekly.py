"""The weekly digest: what is new, what changed, and what needs people."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet

from ..models import TROUBLE, Episode, Held, LinkCheck, Podcast, Revision, Source, worst_first
from .incidents import last_reasons, line
from .notices import Notice

WEEK = timedelta(days=7)
SHOWN = 20  # episodes, and sources


def digest(since: datetime, now: datetime) -> Notice:
    several = Podcast.objects.several()
    news = list(_new_episodes(since)[: SHOWN + 1])
    troubled = list(worst_first(Source.objects.all(), now).filter(state__in=TROUBLE)[: SHOWN + 1])
    reasons = last_reasons(troubled)
    earlier = Revision.objects.filter(item=OuterRef("item"), version__lt=OuterRef("version"))
    changed = Revision.objects.filter(
        Exists(earlier), recorded_at__gt=since, recorded_at__lte=now
    ).count()
    parts = {
        "New episodes": [_named(episode, several=several) for episode in news],
        "Entries changed by their sources, see /changes/": [f"{changed:,}"],
        "Entries waiting for review": [f"{Held.objects.count():,}"],
        "Sources in trouble": [line(source, reasons, several=several) for source in troubled],
        "Dead links in show notes": [f"{LinkCheck.objects.in_trouble().count():,}"],
    }
    lines = [words for title, rows in parts.items() for words in _part(title, rows)]
    return Notice("digest", f"Weekly digest, {since:%-d %B} to {now:%-d %B %Y}", tuple(lines))


def _new_episodes(since: datetime) -> QuerySet[Episode]:
    """Episodes of which nothing was known before."""
    told = Revision.objects.filter(item__attachment__episode=OuterRef("pk"))
    known = told.filter(recorded_at__lte=since)
    recent = (
        Revision.objects.filter(recorded_at__gt=since)
        .order_by()
        .values("item__attachment__episode")
    )
    return (
        Episode.objects.filter(pk__in=recent)
        .exclude(Exists(known))
        .newest_first()
        .select_related("podcast")
    )


def _named(episode: Episode, *, several: bool) -> str:
    return f"{episode.podcast.title}: {episode.heading}" if several else str(episode.heading)


def _part(title: str, found: list[str]) -> list[str]:
    rows = found[:SHOWN] + (["and more"] if len(found) > SHOWN else [])
    return ["", title, *(f"- {row}" for row in rows or ["none"])]
