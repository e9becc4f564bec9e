"""The kinds of rows in the inbox; another one is added to `KINDS`."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from .. import curation
from ..fields import BY_NAME
from ..models import (
    TROUBLE,
    Decision,
    Dismissed,
    Episode,
    EpisodeTopic,
    LearningPath,
    Link,
    LinkCheck,
    Podcast,
    Source,
    routes,
    worst_first,
)
from ..records import FieldConflict
from ..text.formatting import full_sentence
from ..views import health
from . import upstream
from .base import page_of
from .configuration import row_at
from .conflicts import conflicts
from .inbox_rows import Act, InboxRow, Kind, quoted
from .paths import with_gaps
from .review_kinds import HeldKind, ProposalKind, RepeatKind

MOST_NAMED = 4


# --- Episodes ----------------------------------------------------------------------------------


class ConflictKind(Kind):
    """Episodes of which sources contradict each other."""

    slug, label = "conflict", "Conflicts between sources"
    hint = "sources contradict each other"
    acts = (
        Act("closed", "Not a problem", "p",
            lambda user, row: curation.remove(user, row.target, "conflict", *row.other),
            "Closed the conflicts of “{row.subject}”."),
    )  # fmt: skip

    def rows(self) -> QuerySet[Episode]:
        return Episode.objects.exclude(conflicts=[]).select_related("podcast")

    def row(self, episode: Episode) -> InboxRow:
        keys = sorted(FieldConflict(**row).key for row in episode.conflicts)
        words = " ".join(f"{one.label}: {one.words}" for one in conflicts(episode))
        return InboxRow(self, episode, episode.podcast, episode.heading, words, keys, keys)

    def address(self, row: InboxRow) -> str:
        return page_of(row.target)


class TopicKind(Kind):
    """Topics that episodes were given on weak evidence."""

    slug, label = "topic", "Topics to confirm"
    hint = "topics assigned with low confidence"
    of_show = "episode__podcast"
    acts = (
        Act("confirm", "Confirm", "c",
            lambda user, row: curation.add(user, row.target.episode, "topic", row.other.slug),
            "“{row.subject}” has the topic “{row.other}”."),
        Act("remove", "Remove", "x",
            lambda user, row: curation.remove(user, row.target.episode, "topic", row.other.slug),
            "“{row.subject}” does not have the topic “{row.other}”."),
    )  # fmt: skip

    def rows(self) -> QuerySet[EpisodeTopic]:
        rows = EpisodeTopic.objects.filter(confidence="low")
        return rows.select_related("episode__podcast", "topic")

    def row(self, use: EpisodeTopic) -> InboxRow:
        episode, topic = use.episode, use.topic
        words = f"Topic “{topic}”, from “{quoted(use.term)}” in the {use.field}."
        says = [topic.slug, use.term, use.field]
        return InboxRow(self, use, episode.podcast, episode.heading, words, says, topic)

    def address(self, row: InboxRow) -> str:
        return page_of(row.target.episode)


class UpstreamKind(Kind):
    """Own values of fields that a source changed since."""

    slug, label = "upstream", "Changed upstream since"
    hint = "a source changed a field after a curator set it"
    acts = (
        Act("keep", "Keep mine", "o",
            lambda user, row: curation.keep(user, row.other, [row.target.field]),
            "Kept your value of “{row.subject}”."),
        Act("theirs", "Use theirs", "t",
            lambda user, row: curation.release(user, row.other, [row.target.field]),
            "“{row.subject}” follows the sources again."),
    )  # fmt: skip

    @cached_property
    def changed(self) -> dict[int, list[upstream.SourceChange]]:
        return upstream.changed(Decision.objects.in_force("value"))

    def rows(self) -> QuerySet[Decision]:
        return Decision.objects.filter(pk__in=list(self.changed))

    def read(self, rows: QuerySet[Decision]) -> list[InboxRow]:
        overrides = list(upstream.placed(rows.select_related("podcast")))
        numbers = {row.episode for row in overrides}
        self.episodes = Episode.objects.select_related("podcast").in_bulk(numbers)
        return [self.row(row) for row in overrides]

    def row(self, own: Any) -> InboxRow:
        changes, field = self.changed[own.pk], BY_NAME[own.field]
        news = "; ".join(
            f"{one.source} now has “{quoted(field.words(one.now))}”" for one in changes
        )
        words = f"{field.label}: yours is “{quoted(field.words(own.value))}”; {news}."
        says = [own.field, [[one.source, one.now] for one in changes]]
        episode = self.episodes[own.episode]
        return InboxRow(self, own, own.podcast, episode.heading, words, says, episode)

    def address(self, row: InboxRow) -> str:
        return page_of(row.other)


# --- Rows that may be no problem ---------------------------------------------------------------


def _dismiss(user: Any, row: InboxRow) -> None:
    kind: Any = row.kind
    key = getattr(row.target, kind.key_field)
    curation.dismiss(user, kind.slug, key, kind.about(row), row.digest, row.subject)


FINE = (
    Act("fine", "Not a problem", "p", _dismiss,
        "“{row.subject}” is no problem until it says something else."),
)  # fmt: skip


class DismissibleKind(Kind):
    """Rows that a curator may call no problem; `key_field` names them whatever their numbers."""

    acts = FINE
    key_field = "slug"

    def about(self, row: InboxRow) -> str:
        show, key = self.evidence(row)
        parts = (self.slug, show, *key, "")
        return sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()

    def evidence(self, row: InboxRow) -> tuple[str, tuple[str, str]]:
        return "", ("", getattr(row.target, self.key_field))

    def address(self, row: InboxRow) -> str:
        return row_at(row.target)

    def open(self, show: Podcast | None = None) -> QuerySet[Any]:
        rows = super().open(show)
        digests = {row.about: row.digest for row in self.dismissed if row.kind == self.slug}
        if not digests:
            return rows
        keys = [row.key for row in self.dismissed]
        same = self.read(self.rows().filter(**{f"{self.key_field}__in": keys}))
        settled = [row.target.pk for row in same if digests.get(self.about(row)) == row.digest]
        return rows.exclude(pk__in=settled)


class LinkKind(DismissibleKind):
    """Links in notes that are gone or keep failing."""

    slug, label = "link", "Links in trouble"
    hint = "links in notes that are gone or keep failing"
    key_field = "key"

    def rows(self) -> QuerySet[Link]:
        return links_in_trouble()

    def open(self, show: Podcast | None = None) -> QuerySet[Link]:
        rows = super().open()
        named = Link.objects.filter(mentions__episode__podcast=show).values("pk")
        return rows.filter(pk__in=named) if show else rows

    def read(self, rows: QuerySet[Link]) -> list[InboxRow]:
        links = list(rows.prefetch_related("mentions__episode__podcast"))
        checks = LinkCheck.objects.filter(key__in=[link.key for link in links])
        self.checks = {check.key: check for check in checks}
        return [self.row(link) for link in links if link.key in self.checks]

    def row(self, link: Link) -> InboxRow:
        check, mentions = self.checks[link.key], list(link.mentions.all())
        times = "" if check.failures < 2 else f" ({check.failures} times in a row)"
        trouble = quoted(check.note or check.get_outcome_display()).rstrip(".")
        named = ", ".join(f"“{one.episode}”" for one in mentions[:MOST_NAMED])
        words = f"{full_sentence(trouble + times)} In {named}."
        show = mentions[0].episode.podcast if mentions else None
        return InboxRow(self, link, show, link.title or link.key, words, check.outcome)


class SourceKind(DismissibleKind):
    """Sources of which the last import was refused or failed, or the next is overdue."""

    slug, label = "source", "Sources in trouble"
    hint = "the last import failed, or the next is overdue"

    def rows(self) -> QuerySet[Source]:
        return Source.objects.filter(pk__in=in_trouble().order_by().values("pk"))

    def evidence(self, row: InboxRow) -> tuple[str, tuple[str, str]]:
        return str(row.target.podcast_id), (row.target.slug, "")

    def read(self, rows: QuerySet[Source]) -> list[InboxRow]:
        self.several = Podcast.objects.several()
        numbers = list(rows.values_list("pk", flat=True))
        troubled = health.with_runs(in_trouble().filter(pk__in=numbers))
        return [self.row(one) for one in health.health_rows(list(troubled))]

    def row(self, row: Any) -> InboxRow:
        subject, words = row.source.label(several=self.several), quoted(row.explanation)
        return InboxRow(self, row.source, row.source.podcast, subject, words, row.state)


class PathKind(DismissibleKind):
    """Learning paths of which an episode is gone, or there twice."""

    slug, label = "path", "Broken paths"
    hint = "an episode of a path is gone, or there twice"

    @cached_property
    def gaps(self) -> list[int]:
        return with_gaps()

    def rows(self) -> QuerySet[LearningPath]:
        return LearningPath.objects.filter(pk__in=self.gaps)

    def read(self, rows: QuerySet[LearningPath]) -> list[InboxRow]:
        return [self.row(route) for route in routes(rows.select_related("podcast"))]

    def row(self, route: Any) -> InboxRow:
        lost, twice = ([step.episode for step in steps] for steps in (route.lost, route.twice))
        parts = [f"“{slug}” is gone" for slug in lost]
        words = "; ".join(parts + [f"“{slug}” is there twice" for slug in twice]) + "."
        return InboxRow(
            self, route.path, route.path.podcast, route.path.title, words, [lost, twice]
        )


def in_trouble() -> QuerySet[Any]:
    """The sources that need somebody, worst first."""
    return worst_first(Source.objects.all(), timezone.now()).filter(state__in=TROUBLE)


def links_in_trouble() -> QuerySet[Link]:
    """The links that are gone, or were not reached time after time, and are not replaced."""
    troubled = LinkCheck.objects.in_trouble().order_by().values("key")
    return Link.objects.filter(replacement="", key__in=troubled)


# The most urgent first.
KINDS: tuple[type[Kind], ...] = (
    HeldKind,
    SourceKind,
    UpstreamKind,
    ConflictKind,
    RepeatKind,
    PathKind,
    LinkKind,
    ProposalKind,
    TopicKind,
)


def kinds() -> list[Kind]:
    """All kinds, new ones for each request, as they remember rows."""
    dismissed = list(Dismissed.objects.all())
    return [kind(dismissed) for kind in KINDS]


MISSING = (
    ("No title", "title__isempty=1", Q(title="")),
    ("No date", "published_at__isempty=1", Q(published_at=None)),
    ("No audio", "audio_url__isempty=1", Q(audio_url="")),
    ("Truncated notes", "description_truncated__exact=1", Q(description_truncated=True)),
)


def missing() -> list[tuple[str, str, int]]:
    """What no source has, and numbers that two episodes have: the filter in the list of episodes,
    and how many they are."""
    twice = Episode.objects.with_a_number_twice().count()
    counted_by = {f"n{n}": Count("pk", filter=q) for n, (_, _, q) in enumerate(MISSING)}
    counts = Episode.objects.aggregate(**counted_by).values()
    lacking = [(name, query, n) for (name, query, _), n in zip(MISSING, counts, strict=True)]
    return [*lacking, ("Number of another episode", "needs=number", twice)]
