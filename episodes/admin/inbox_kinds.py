"""The kinds of rows in the inbox: what each lists, what a row says, and what one press does.

A kind is one small class: the rows of the catalog that it lists (`rows`), and these in words with
their buttons (`read`). Another one is added to `kinds`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from .. import curation
from ..fields import BY_NAME
from ..models import (
    TROUBLE,
    Decision,
    Dismissed,
    Episode,
    EpisodeTopic,
    Held,
    LearningPath,
    Link,
    LinkCheck,
    Podcast,
    Repeat,
    Source,
    TopicProposal,
    routes,
    worst_first,
)
from ..records import FieldConflict
from ..text.formatting import counted, full_sentence
from ..views import health
from . import upstream
from .base import page_of
from .conflicts import conflicts
from .held import candidates_of
from .paths import with_gaps

LONGEST = 120  # characters of a value that a row quotes
MOST_NAMED = 4
AGAINST = "against: "


@dataclass(frozen=True)
class Act:
    """A button of a row: its letter, what it does, and the message after it."""

    name: str
    label: str
    letter: str
    do: Callable[[Any, InboxRow], object]
    done: str


@dataclass
class InboxRow:
    """One thing that needs a person. `says` is what it is about: another thing is another row."""

    kind: Kind
    target: Any
    show: Podcast | None
    subject: str
    address: str
    words: str
    says: object
    acts: Sequence[Act] = ()
    other: Any = None  # what an act needs beside the target

    @property
    def digest(self) -> str:
        return sha256(json.dumps(self.says, sort_keys=True).encode()).hexdigest()

    @property
    def token(self) -> str:
        """Another one as soon as the row says something else, or another row has its number."""
        return sha256(f"{self.subject} {self.digest}".encode()).hexdigest()[:16]


@dataclass
class Kind:
    """Rows of one kind: their name, and what they are in the catalog."""

    slug: str
    label: str
    hint: str
    dismissed: Sequence[Dismissed] = ()
    of_show = "podcast"  # the way from a row to its show

    def rows(self) -> QuerySet[Any]:
        """The rows of the catalog that it lists."""
        raise NotImplementedError

    def read(self, rows: QuerySet[Any]) -> list[InboxRow]:
        """The rows in words, in a fixed number of queries."""
        raise NotImplementedError

    def open(self, show: Podcast | None = None) -> QuerySet[Any]:
        """The rows that wait for somebody."""
        rows = self.rows().order_by("pk")
        return rows.filter(**{self.of_show: show}) if show else rows


@dataclass
class DismissibleKind(Kind):
    """Rows that a curator may call no problem; `key_field` names them whatever their numbers."""

    key_field = "slug"

    def about(self, row: InboxRow) -> str:
        show, key = self.evidence(row)
        parts = (self.slug, show, *key, "")
        return sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()

    def evidence(self, row: InboxRow) -> tuple[str, tuple[str, str]]:
        return "", ("", getattr(row.target, self.key_field))

    def open(self, show: Podcast | None = None) -> QuerySet[Any]:
        rows = super().open(show)
        digests = {row.about: row.digest for row in self.dismissed if row.kind == self.slug}
        if not digests:
            return rows
        keys = [row.key for row in self.dismissed]
        same = self.read(self.rows().filter(**{f"{self.key_field}__in": keys}))
        settled = [row.target.pk for row in same if digests.get(self.about(row)) == row.digest]
        return rows.exclude(pk__in=settled)


def _dismiss(user: Any, row: InboxRow) -> None:
    kind: Any = row.kind
    key = getattr(row.target, kind.key_field)
    curation.dismiss(user, kind.slug, key, kind.about(row), row.digest, row.subject)


FINE = (
    Act(
        "fine",
        "Not a problem",
        "p",
        _dismiss,
        "“{row.subject}” is no problem until it says something else.",
    ),
)


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return f"{text[:LONGEST]}…" if len(text) > LONGEST else text


# --- Entries -----------------------------------------------------------------------------------


class HeldKind(Kind):
    """Entries that belong to no episode yet."""

    def rows(self) -> QuerySet[Held]:
        return Held.objects.all()

    def read(self, rows: QuerySet[Held]) -> list[InboxRow]:
        related = rows.select_related("podcast", "item__document__source")
        held = list(related.prefetch_related("item__revisions"))
        slugs = {str(candidate["episode"]) for row in held for candidate in row.candidates}
        episodes = {episode.slug: episode for episode in candidates_of(slugs, None)}
        return [self._row(row, episodes) for row in held]

    def _row(self, held: Held, episodes: Mapping[str, Any]) -> InboxRow:
        best = held.candidates[0] if held.candidates else {"episode": "", "reasons": []}
        episode = episodes.get(str(best["episode"]))
        address = f"{reverse('admin:episodes_held_review')}?item={held.item_id}"
        acts: Sequence[Act] = () if held.candidates else HELD_ALONE
        words = "No episode is similar."
        if episode:
            reasons = "; ".join(map(str, best["reasons"])) or "nothing else suggests it"
            words = f"Could be “{episode}”: {reasons}."
            acts = HELD_SAME if _only_clean(held.candidates) else ()
        subject, says = held.item.heading, held.candidates
        return InboxRow(self, held, held.podcast, subject, address, words, says, acts, episode)


def _only_clean(candidates: Sequence[Mapping[str, Any]]) -> bool:
    """True where the best candidate, and no other, has reasons for it and none against."""
    clean = [
        one for one in candidates if not any(str(r).startswith(AGAINST) for r in one["reasons"])
    ]
    return clean == [candidates[0]] and bool(clean[0]["reasons"])


HELD_SAME = (
    Act("same", "Same episode", "s",
        lambda user, row: curation.judge(user, row.target.item, row.other, "same"),
        "Matched “{row.subject}” to “{row.other}”."),
)  # fmt: skip
HELD_ALONE = (
    Act("new", "New episode", "n",
        lambda user, row: curation.make_episode(user, row.target.item),
        "Added “{row.subject}” as a new episode."),
    Act("ignore", "Not an episode", "i",
        lambda user, row: curation.ignore(user, row.target.item),
        "Marked “{row.subject}” as not an episode."),
)  # fmt: skip


# --- Episodes ----------------------------------------------------------------------------------


class ConflictKind(Kind):
    """Episodes of which sources contradict each other."""

    def rows(self) -> QuerySet[Episode]:
        return Episode.objects.exclude(conflicts=[])

    def read(self, rows: QuerySet[Episode]) -> list[InboxRow]:
        return [self._row(episode) for episode in rows.select_related("podcast")]

    def _row(self, episode: Episode) -> InboxRow:
        keys = sorted(FieldConflict(**row).key for row in episode.conflicts)
        words = " ".join(f"{one.label}: {one.words}" for one in conflicts(episode))
        address, show = page_of(episode), episode.podcast
        return InboxRow(
            self, episode, show, episode.heading, address, words, keys, CONFLICT, other=keys
        )


CONFLICT = (
    Act("closed", "Not a problem", "p",
        lambda user, row: curation.close_conflicts(user, row.target, row.other),
        "Closed the conflicts of “{row.subject}”."),
)  # fmt: skip


class RepeatKind(Kind):
    """Episodes that may have been published before."""

    of_show = "episode__podcast"

    def rows(self) -> QuerySet[Repeat]:
        return Repeat.objects.filter(accepted=False)

    def read(self, rows: QuerySet[Repeat]) -> list[InboxRow]:
        return [self._row(repeat) for repeat in rows.select_related("episode__podcast", "of")]

    def _row(self, repeat: Repeat) -> InboxRow:
        episode, kind = repeat.episode, repeat.get_kind_display().capitalize()
        address = f"{reverse('admin:episodes_repeat_review')}?pair={repeat.pk}"
        words = f"{kind}: “{repeat.of}” ({', '.join(repeat.evidence)})."
        says = [repeat.kind, repeat.of.slug, repeat.evidence]
        return InboxRow(
            self, repeat, episode.podcast, episode.heading, address, words, says, REPEAT, repeat.of
        )


def _as(verdict: str) -> Callable[[Any, InboxRow], object]:
    return lambda user, row: curation.judge_repeat(user, row.target.episode, row.other, verdict)


REPEAT = (
    Act("replaces", "Replaces it", "r", _as("replaces"),
        "“{row.subject}” replaces “{row.other}” in lists and feeds."),
    Act("repeats", "Rebroadcast", "b", _as("repeats"),
        "“{row.subject}” is a rebroadcast of “{row.other}”."),
    Act("unrelated", "Neither", "n", _as("unrelated"),
        "“{row.subject}” and “{row.other}” will not be proposed again."),
)  # fmt: skip


class TopicKind(Kind):
    """Topics that episodes were given on weak evidence."""

    of_show = "episode__podcast"

    def rows(self) -> QuerySet[EpisodeTopic]:
        return EpisodeTopic.objects.filter(confidence="low")

    def read(self, rows: QuerySet[EpisodeTopic]) -> list[InboxRow]:
        return [self._row(use) for use in rows.select_related("episode__podcast", "topic")]

    def _row(self, use: EpisodeTopic) -> InboxRow:
        episode, topic = use.episode, use.topic
        words = f"Topic “{topic}”, from “{_short(use.term)}” in the {use.field}."
        says, address = [topic.slug, use.term, use.field], page_of(episode)
        return InboxRow(
            self, use, episode.podcast, episode.heading, address, words, says, TOPIC, other=topic
        )


TOPIC = (
    Act("confirm", "Confirm", "c",
        lambda user, row: curation.add(user, row.target.episode, "topic", row.other.slug),
        "“{row.subject}” has the topic “{row.other}”."),
    Act("remove", "Remove", "x",
        lambda user, row: curation.remove(user, row.target.episode, "topic", row.other.slug),
        "“{row.subject}” does not have the topic “{row.other}”."),
)  # fmt: skip


class UpstreamKind(Kind):
    """Own values of fields that a source changed since."""

    @cached_property
    def changed(self) -> dict[int, list[upstream.SourceChange]]:
        return upstream.changed(Decision.objects.in_force("value"))

    def rows(self) -> QuerySet[Decision]:
        return Decision.objects.filter(pk__in=list(self.changed))

    def read(self, rows: QuerySet[Decision]) -> list[InboxRow]:
        overrides = list(upstream.placed(rows.select_related("podcast")))
        numbers = {row.episode for row in overrides}
        episodes = Episode.objects.select_related("podcast").in_bulk(numbers)
        return [self._row(row, episodes[row.episode]) for row in overrides]

    def _row(self, own: Decision, episode: Episode) -> InboxRow:
        changes, field = self.changed[own.pk], BY_NAME[own.field]
        news = "; ".join(
            f"{one.source} now has “{_short(field.words(one.now))}”" for one in changes
        )
        words = f"{field.label}: yours is “{_short(field.words(own.value))}”; {news}."
        says = [own.field, [[one.source, one.now] for one in changes]]
        return InboxRow(
            self,
            own,
            own.podcast,
            episode.heading,
            page_of(episode),
            words,
            says,
            UPSTREAM,
            episode,
        )


UPSTREAM = (
    Act("keep", "Keep mine", "o",
        lambda user, row: curation.keep(user, row.other, [row.target.field]),
        "Kept your value of “{row.subject}”."),
    Act("theirs", "Use theirs", "t",
        lambda user, row: curation.release(user, row.other, [row.target.field]),
        "“{row.subject}” follows the sources again."),
)  # fmt: skip


# --- Others ------------------------------------------------------------------------------------


class ProposalKind(Kind):
    """Topics that a show may have."""

    def rows(self) -> QuerySet[TopicProposal]:
        return TopicProposal.objects.all()

    def read(self, rows: QuerySet[TopicProposal]) -> list[InboxRow]:
        return [self._row(proposal) for proposal in rows.select_related("podcast")]

    def _row(self, proposal: TopicProposal) -> InboxRow:
        address = f"{reverse('admin:episodes_topicproposal_review')}?proposal={proposal.pk}"
        episodes = counted(proposal.count, "episode", "episodes")
        words = f"From {proposal.get_source_display()}: {episodes}."
        says, show = sorted(proposal.terms), proposal.podcast
        return InboxRow(self, proposal, show, proposal.name, address, words, says, PROPOSAL)


PROPOSAL = (
    Act("accept", "Accept", "a",
        lambda user, row: curation.accept_topic(user, row.target), "“{row.subject}” is a topic."),
    Act("refuse", "Refuse", "n",
        lambda user, row: curation.refuse_topic(user, row.target),
        "“{row.subject}” will not be proposed again."),
)  # fmt: skip


class LinkKind(DismissibleKind):
    """Links in notes that are gone or keep failing."""

    key_field = "key"

    def rows(self) -> QuerySet[Link]:
        return links_in_trouble()

    def open(self, show: Podcast | None = None) -> QuerySet[Link]:
        rows = super().open()
        named = Link.objects.filter(mentions__episode__podcast=show).values("pk")
        return rows.filter(pk__in=named) if show else rows

    def read(self, rows: QuerySet[Link]) -> list[InboxRow]:
        links = list(rows.prefetch_related("mentions__episode__podcast"))
        checks = {one.key: one for one in LinkCheck.objects.filter(key__in=[x.key for x in links])}
        return [self._row(link, checks[link.key]) for link in links if link.key in checks]

    def _row(self, link: Link, check: LinkCheck) -> InboxRow:
        mentions = list(link.mentions.all())
        times = "" if check.failures < 2 else f" ({check.failures} times in a row)"
        trouble = _short(check.note or check.get_outcome_display()).rstrip(".")
        named = ", ".join(f"“{one.episode}”" for one in mentions[:MOST_NAMED])
        words = f"{full_sentence(trouble + times)} In {named}."
        address = reverse("admin:episodes_link_change", args=(link.pk,))
        show = mentions[0].episode.podcast if mentions else None
        subject, says = link.title or link.key, check.outcome
        return InboxRow(self, link, show, subject, address, words, says, FINE)


class SourceKind(DismissibleKind):
    """Sources of which the last import was refused or failed, or the next is overdue."""

    def rows(self) -> QuerySet[Source]:
        return Source.objects.filter(pk__in=in_trouble().order_by().values("pk"))

    def evidence(self, row: InboxRow) -> tuple[str, tuple[str, str]]:
        return str(row.target.podcast_id), (row.target.slug, "")

    def read(self, rows: QuerySet[Source]) -> list[InboxRow]:
        several = Podcast.objects.several()
        troubled = health.with_runs(
            in_trouble().filter(pk__in=list(rows.values_list("pk", flat=True)))
        )
        return [self._row(row, several) for row in health.health_rows(list(troubled))]

    def _row(self, row: Any, several: bool) -> InboxRow:
        source, words = row.source, _short(row.explanation)
        address = reverse("admin:episodes_source_change", args=(source.pk,))
        subject = source.label(several=several)
        return InboxRow(self, source, source.podcast, subject, address, words, row.state, FINE)


class PathKind(DismissibleKind):
    """Learning paths of which an episode is gone, or there twice."""

    @cached_property
    def gaps(self) -> list[int]:
        return with_gaps()

    def rows(self) -> QuerySet[LearningPath]:
        return LearningPath.objects.filter(pk__in=self.gaps)

    def read(self, rows: QuerySet[LearningPath]) -> list[InboxRow]:
        return [self._row(route) for route in routes(rows.select_related("podcast"))]

    def _row(self, route: Any) -> InboxRow:
        path = route.path
        lost, twice = ([step.episode for step in steps] for steps in (route.lost, route.twice))
        parts = [f"“{slug}” is gone" for slug in lost]
        words = "; ".join(parts + [f"“{slug}” is there twice" for slug in twice]) + "."
        address = reverse("admin:episodes_learningpath_change", args=(path.pk,))
        says, show = [lost, twice], path.podcast
        return InboxRow(self, path, show, path.title, address, words, says, FINE)


def in_trouble() -> QuerySet[Any]:
    """The sources that need somebody, worst first."""
    return worst_first(Source.objects.all(), timezone.now()).filter(state__in=TROUBLE)


def links_in_trouble() -> QuerySet[Link]:
    """The links that are gone, or were not reached time after time, and are not replaced."""
    troubled = LinkCheck.objects.in_trouble().order_by().values("key")
    return Link.objects.filter(replacement="", key__in=troubled)


KINDS: tuple[tuple[type[Kind], str, str, str], ...] = (
    (HeldKind, "held", "Needs review", "unclear which episode these belong to"),
    (SourceKind, "source", "Sources in trouble", "the last import failed, or the next is overdue"),
    (UpstreamKind, "upstream", "Changed upstream since",
     "a source changed a field after a curator set it"),
    (ConflictKind, "conflict", "Conflicts between sources", "sources contradict each other"),
    (RepeatKind, "repeat", "Published twice?",
     "re-uploads, rebroadcasts, and two episodes with one number"),
    (PathKind, "path", "Broken paths", "an episode of a path is gone, or there twice"),
    (LinkKind, "link", "Links in trouble", "links in notes that are gone or keep failing"),
    (ProposalKind, "proposal", "Proposed topics", "subjects that several episodes share"),
    (TopicKind, "topic", "Topics to confirm", "topics assigned with low confidence"),
)  # fmt: skip


def kinds() -> list[Kind]:
    """All kinds, the most urgent first; new ones for each request, as they remember rows."""
    dismissed = list(Dismissed.objects.all())
    return [kind(slug, label, hint, dismissed) for kind, slug, label, hint in KINDS]


MISSING = (
    ("No title", "title__isempty=1", Q(title="")),
    ("No date", "published_at__isempty=1", Q(published_at=None)),
    ("No audio", "audio_url__isempty=1", Q(audio_url="")),
    ("Truncated notes", "description_truncated__exact=1", Q(description_truncated=True)),
)


def missing() -> list[tuple[str, str, int]]:
    """What no source has: its filter in the list of episodes, and how many episodes lack it."""
    counted_by = {f"n{n}": Count("pk", filter=q) for n, (_, _, q) in enumerate(MISSING)}
    counts = Episode.objects.aggregate(**counted_by).values()
    return [(name, query, n) for (name, query, _), n in zip(MISSING, counts, strict=True)]
