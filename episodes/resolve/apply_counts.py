"""Writes how many episodes a show has, as a whole and under each topic and year, and adds the
difference to all shows'; how many episodes each link, symbol and person has; and what the entries
of each source hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, StrIndex

from ..fields import REFUTABLE
from ..models import (
    USED,
    CodeMention,
    CodeName,
    Counts,
    Credit,
    Episode,
    EpisodeCount,
    EpisodeLink,
    EpisodeTopic,
    Link,
    Person,
    Podcast,
    Revision,
    SourceCount,
    band_of,
    batches,
)
from ..text.filing import KEPT
from .rows import BATCH, delete, sync

# What is counted, and the rows that say which episodes have it.
USES: tuple[tuple[Any, Any, str], ...] = (
    (Link, EpisodeLink, "link"),
    (CodeName, CodeMention, "name"),
    (Person, Credit, "person"),
)

# The columns of episodes that are counted, and those of their topics.
COUNTED, OF_TOPIC = ("pk", "published_at", "duration_seconds", "audio_url"), ("episode", "topic")

# Entries that belong to an episode. Their fields are counted; a payload holds only those that say
# something.
LISTED = Q(item__held__isnull=True, item__attachment__isnull=False)
HAS_TEXT = Q(payload__has_key="text") | Q(payload__has_key="html")
OF_ENTRIES = {
    "listed": Count("pk", filter=LISTED),
    "held": Count("pk", filter=Q(item__held__isnull=False)),
    "episodes": Count("item__attachment__episode", filter=LISTED, distinct=True),
    "title": Count("pk", filter=LISTED & Q(payload__has_key="title")),
    "date": Count("pk", filter=LISTED & Q(payload__has_key="published")),
    "length": Count("pk", filter=LISTED & Q(payload__has_key="seconds_low")),
    "notes": Count("pk", filter=LISTED & HAS_TEXT),
    "cut": Count("pk", filter=LISTED & HAS_TEXT & Q(payload__cut=True)),
    "links": Count("pk", filter=LISTED & (Q(http__gt=0) | Q(https__gt=0))),
    "audio": Count("pk", filter=LISTED & Q(payload__has_key="audio_url")),
}


@dataclass(frozen=True)
class Uses:
    """The links, symbols and people of episodes, by the table that says so, and the places of the
    links."""

    pairs: dict[Any, set[tuple[int, int]]]  # with the episodes that have them
    filed: set[tuple[int, str, str]]  # links with their kinds and repositories

    @classmethod
    def of(cls, **scope: Any) -> Uses:
        """Those of the episodes of a scope, as the rows that say so name it."""
        columns = ("link", "episode", "link__kind", "link__repository")
        links = list(
            EpisodeLink.objects.filter(**scope).order_by().values_list(*columns).distinct()
        )
        pairs = {
            uses: set(
                uses.objects.filter(**scope).order_by().values_list(field, "episode").distinct()
            )
            for _, uses, field in USES
            if uses is not EpisodeLink
        }
        return cls(
            {EpisodeLink: {(link, episode) for link, episode, *_ in links}, **pairs},
            {(link, kind, repository) for link, _, kind, repository in links},
        )

    def ids(self, uses: Any) -> set[int]:
        return {pk for pk, _ in self.pairs[uses]}


def write_uses(before: Uses, now: Uses, *, differing: bool = False) -> None:
    """Count the episodes of the links, symbols and people that episodes have, or had `before`; only
    of those that differ, where nothing else can have changed. What no episode has any more goes."""
    for model, uses, field in USES:
        changed = {pk for pk, _ in before.pairs[uses] ^ now.pairs[uses]}
        for some in batches(changed if differing else before.ids(uses) | now.ids(uses)):
            _count_episodes(model.objects.filter(pk__in=some), uses, field)
        if model is not Person:  # who is forgotten leaves a name to others (apply_people.py)
            gone = model.objects.filter(mentions__isnull=True)
            delete(gone, before.ids(uses) - now.ids(uses))
    for moved in batches(before.filed ^ now.filed):
        beside = Q(kind__in=KEPT, repository__in={repository for _, _, repository in moved})
        _count_headings(Link.objects.filter(beside | Q(pk__in={pk for pk, _, _ in moved})))


def write_all_uses() -> None:
    """Count the episodes of every link, symbol and person."""
    for model, uses, field in USES:
        _count_episodes(model.objects.all(), uses, field)
    _count_headings(Link.objects.all())


def _count_episodes(rows: QuerySet[Any], uses: Any, field: str) -> None:
    of_row = uses.objects.filter(**{field: OuterRef("pk")}).order_by().values(field)
    _correct(rows, "episode_count", of_row.annotate(n=Count("episode", distinct=True)))


def _count_headings(links: QuerySet[Link]) -> None:
    alike = Link.objects.filter(
        USED, kind__in=KEPT, kind=OuterRef("kind"), repository=OuterRef("repository")
    )
    _correct(links, "heading_size", alike.order_by().values("kind").annotate(n=Count("pk")))


def _correct(rows: QuerySet[Any], column: str, counted: QuerySet[Any]) -> None:
    """Write the counts `n` of these rows where they differ."""
    count = Coalesce(Subquery(counted.values("n")), 0)
    # Locked in one order, then counted anew: another import may have written meanwhile.
    differing = (
        rows.exclude(**{column: count})
        .order_by("pk")
        .select_for_update()
        .values_list("pk", flat=True)
    )
    for some in batches(list(differing)):
        rows.model.objects.filter(pk__in=some).update(**{column: count})


def write_counts(podcast: Podcast) -> None:
    """Bring the stored counts up to date with the rows of a show's catalog."""
    stored = EpisodeCount.objects.filter(podcast=podcast).values_list("about", "counts")
    before = {about: Counts(counts) for about, counts in stored}
    listed = Episode.objects.listed().filter(podcast=podcast).order_by()
    topics = EpisodeTopic.objects.filter(episode__podcast=podcast, episode__listed=True).order_by()
    add_to_counts(
        podcast,
        before,
        counts_of(podcast, listed.values_list(*COUNTED), topics.values_list(*OF_TOPIC)),
    )


def counts_of(
    podcast: Podcast, listed: Iterable[tuple[Any, ...]], topics: Iterable[tuple[int, int]]
) -> dict[str, Counts]:
    """The counts of a show's listed episodes by what they are about: everything, a topic or a
    year."""
    uses: defaultdict[int, list[int]] = defaultdict(list)
    for episode, topic in topics:
        uses[episode].append(topic)
    counted: defaultdict[str, Counts] = defaultdict(Counts)
    for episode, published, seconds, audio_url in listed:
        month = f"{published:%Y-%m}" if published else ""
        own = [f"topic:{topic}" for topic in uses[episode]]
        for about in ("", *own, *([f"year:{month[:4]}"] if month else [])):
            counts = counted[about]
            counts.add(1, month, band_of(seconds), podcast.pk)
            counts.update(seconds=seconds or 0, audible=bool(audio_url))
            counts.update(own)
    return counted


def add_to_counts(
    podcast: Podcast, before: Mapping[str, Counts], after: Mapping[str, Counts]
) -> None:
    """Replace what episodes of a show gave to its counts, and to those of all shows, by what they
    give now."""
    changed = [
        about for about in before.keys() | after.keys() if before.get(about) != after.get(about)
    ]
    if not changed:
        return
    missing = [
        EpisodeCount(podcast=show, about=about)
        for about in sorted(changed)
        for show in (podcast, None)
    ]
    EpisodeCount.objects.bulk_create(missing, batch_size=BATCH, ignore_conflicts=True)
    # In one order, so that two imports never wait for each other.
    rows = EpisodeCount.objects.filter(Q(podcast=podcast) | Q(podcast=None), about__in=changed)
    locked = list(rows.order_by("about", "podcast_id").select_for_update())
    for row in locked:
        counts = Counts(row.counts)
        counts.update(after.get(row.about, {}))
        counts.subtract(before.get(row.about, {}))
        row.counts = _payload(counts)
    EpisodeCount.objects.bulk_update(locked, ["counts"], batch_size=BATCH)
    EpisodeCount.objects.filter(Q(podcast=podcast) | Q(podcast=None), counts={}).delete()


def _payload(counts: Counts) -> dict[str, int]:
    return {name: n for name, n in sorted(counts.items()) if n}


def write_source_counts(podcast: Podcast) -> None:
    """Bring the counts of what a show's sources list up to date; `total` is the number of its
    episodes. A show without any entry has none."""
    episodes = Episode.objects.filter(podcast=podcast).order_by()
    newer = Revision.objects.filter(item=OuterRef("item"), version__gt=OuterRef("version"))
    newest = Revision.objects.filter(
        ~Exists(newer), item__document__source__podcast=podcast, item__gone_version=None
    )
    text = Coalesce(KT("payload__text"), KT("payload__html"), Value(""), output_field=TextField())
    links = {"http": StrIndex(text, Value("http://")), "https": StrIndex(text, Value("https://"))}
    entries: Any = (
        newest.filter(item__is_post=False)
        .annotate(**links)
        .order_by()
        .values("item__document__source")
    )
    counted = {row.pop("item__document__source"): row for row in entries.annotate(**OF_ENTRIES)}
    # A source is refuted in a field for all episodes that it lists.
    columns = [f"provenance__{field.name}__refuted" for field in REFUTABLE]
    rows = list(episodes.values_list(*columns).distinct())
    unused = {
        field.name: {slug for row in rows for slug in row[place] or ()}
        for place, field in enumerate(REFUTABLE)
    }
    total = episodes.count()
    wanted = {
        (pk,): {
            "counts": {**dict.fromkeys(OF_ENTRIES, 0), **counted.get(pk, {}), "total": total},
            "refuted": [name for name, slugs in unused.items() if slug in slugs],
        }
        for pk, slug in podcast.sources.values_list("pk", "slug")
        if total or pk in counted
    }
    sync(SourceCount, ("source_id",), wanted, {"source__podcast": podcast})
