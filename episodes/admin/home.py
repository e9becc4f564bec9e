"""The start page: lists that need attention, with counts, and recent changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from ..models import (
    TROUBLE,
    Change,
    Episode,
    EpisodeTopic,
    Held,
    Link,
    LinkCheck,
    Podcast,
    Repeat,
    Source,
    TopicProposal,
    worst_first,
)
from . import upstream
from .base import listing
from .paths import with_gaps

RECENT = 10
NAMED_SOURCES = 5


@dataclass(frozen=True)
class Need:
    """A list that needs attention: how many entries it has, and its address."""

    name: str
    count: int
    address: str
    hint: str


def needs() -> list[Need]:
    """Lists that need attention, in a fixed number of queries."""
    blank = Episode.objects.aggregate(
        conflicts=Count("pk", filter=~Q(conflicts=[])),
        title=Count("pk", filter=Q(title="")),
        date=Count("pk", filter=Q(published_at=None)),
        audio=Count("pk", filter=Q(audio_url="")),
        cut=Count("pk", filter=Q(description_truncated=True)),
    )
    low = EpisodeTopic.objects.filter(confidence="low").aggregate(n=Count("episode", distinct=True))["n"]
    several = Podcast.objects.several()
    troubled = in_trouble()
    worst = ", ".join(source.name(several=several) for source in troubled[:NAMED_SOURCES])
    rows = (
        ("Needs review", Held.objects.count(), reverse("admin:episodes_held_review"),
         "unclear which episode these belong to"),
        ("Published twice?", Repeat.objects.filter(accepted=False).count(), reverse("admin:episodes_repeat_review"),
         "re-uploads, rebroadcasts, and two episodes with one number"),
        ("Proposed topics", TopicProposal.objects.count(), reverse("admin:episodes_topicproposal_review"),
         "subjects that several episodes share"),
        ("Sources in trouble", troubled.count(), reverse("admin:episodes_source_health") + "?state=trouble",
         worst or "the last import was rejected or failed, or the next is overdue"),
        ("Changed upstream since", len(upstream.changed_episodes()), listing("episode", "?upstream=yes"),
         "a source changed a field after a curator set it"),
        ("Conflicts between sources", blank["conflicts"], listing("episode", "?conflicts=yes"),
         "sources contradict each other"),
        ("No title", blank["title"], listing("episode", "?title__isempty=1"), "no source has a title"),
        ("No date", blank["date"], listing("episode", "?published_at__isempty=1"), "no source has a usable date"),
        ("No audio", blank["audio"], listing("episode", "?audio_url__isempty=1"), "no audio link"),
        ("Truncated notes", blank["cut"], listing("episode", "?description_truncated__exact=1"),
         "no source has the full notes"),
        ("Links in trouble", links_in_trouble().count(), listing("link", "?trouble=yes"),
         "links in show notes that are gone or keep failing"),
        ("Broken paths", len(with_gaps()), listing("learningpath", "?state=gaps"),
         "an episode of a learning path is gone, or listed twice after a merge"),
        ("Topics to confirm", low, listing("episode", "?proposed=yes"), "topics assigned with low confidence"),
    )  # fmt: skip
    return [Need(*row) for row in rows]


def in_trouble() -> QuerySet[Any]:
    """The sources that need somebody, worst first."""
    return worst_first(Source.objects.all(), timezone.now()).filter(state__in=TROUBLE)


def links_in_trouble() -> QuerySet[Link]:
    """The links of the catalog that are gone, or were not reached time after time, and are not replaced."""
    return Link.objects.filter(replacement="", key__in=LinkCheck.objects.in_trouble().order_by().values("key"))


def context() -> dict[str, Any]:
    rows = needs()
    return {
        "needs": [need for need in rows if need.count],
        "settled": [need for need in rows if not need.count],
        "recent": Change.objects.exclude(rows=[]).select_related("made_by", "undone_by", "podcast")[:RECENT],
    }
