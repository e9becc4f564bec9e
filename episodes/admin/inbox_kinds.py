"""The kinds of rows in the inbox: what each counts, what a row says, and what one click can do about it.

A kind is one small class: the rows of the catalog that it lists (`rows`), since when (`since`), the rows that notes may be
about (`noted`), and a row in words with its buttons (`read`). Another one is added to `KINDS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import Any

from django.db.models import F, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from ..curation import (
    RowKey,
    accept_topic,
    add,
    close_conflicts,
    ignore,
    judge,
    judge_repeat,
    keep,
    make_episode,
    refuse_topic,
    release,
    remove,
)
from ..fields import BY_NAME
from ..models import (
    TROUBLE,
    Attachment,
    Capture,
    Episode,
    EpisodeTopic,
    Held,
    InboxNote,
    IngestRun,
    LearningPath,
    Link,
    LinkCheck,
    Override,
    Podcast,
    Repeat,
    Revision,
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

Ref = tuple[str, str]
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
    """One thing that needs a person."""

    kind: Kind
    target: Any
    key: RowKey
    show: Podcast | None
    address: str
    words: str
    acts: Sequence[Act] = ()
    other: Any = None  # what an act needs beside the target
    note: InboxNote | None = None

    @property
    def subject(self) -> str:
        return self.key.subject

    @property
    def since(self) -> datetime | None:
        return getattr(self.target, "since", None)

    @property
    def token(self) -> str:
        """Another one as soon as the row says something else, or another row has its number."""
        return sha256(f"{self.key.about} {self.key.digest}".encode()).hexdigest()[:16]

    @property
    def held_back(self) -> bool:
        """True while it is set aside and says what it said then."""
        note = self.note
        if note is None or note.digest != self.key.digest:
            return False
        return note.state == "fine" or (note.state == "later" and bool(note.until and note.until > timezone.now()))


@dataclass
class Kind:
    """What a kind of rows is called, and where it leads."""

    slug: str
    label: str
    hint: str
    can_be_fine: bool = field(default=False, kw_only=True)  # "Not a problem" is remembered as a note
    of_show = "podcast"  # the way from a row to its show

    def rows(self) -> QuerySet[Any]:
        """The rows of the catalog that it lists."""
        raise NotImplementedError

    def since(self) -> Any:
        """The expression that says since when."""
        raise NotImplementedError

    def noted(self, notes: QuerySet[InboxNote]) -> Q:
        """The rows that notes may be about; `read` tells which are."""
        raise NotImplementedError

    def read(self, rows: QuerySet[Any]) -> list[InboxRow]:
        """The rows in words, in a fixed number of queries."""
        raise NotImplementedError

    def chosen(self, show: Podcast | None) -> QuerySet[Any]:
        rows = self.rows().order_by()
        return rows.filter(**{self.of_show: show}) if show else rows

    def key(self, show: Podcast | None, refs: Sequence[Ref], says: object, subject: str, part: str = "") -> RowKey:
        digest = sha256(json.dumps(says, sort_keys=True).encode()).hexdigest()
        return RowKey(self.slug, show, refs, part, digest, subject)


def _recorded(order: str, **where: str) -> Subquery:
    """When the first or the newest of some revisions was recorded."""
    revisions = Revision.objects.filter(**{name: OuterRef(path) for name, path in where.items()})
    return Subquery(revisions.order_by(order).values("recorded_at")[:1])


def _refs(episodes: QuerySet[Any]) -> dict[int, list[Ref]]:
    """The entries of episodes, those that are still listed and rank first at the head."""
    entries = Attachment.objects.filter(episode__in=episodes).order_by(
        F("item__gone_version").asc(nulls_first=True), "item__document__source__rank", "item_id"
    )
    found: dict[int, list[Ref]] = {}
    for episode, source, key in entries.values_list("episode", "item__document__source__slug", "item__key"):
        found.setdefault(episode, []).append((source, key))
    return found


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return f"{text[:LONGEST]}…" if len(text) > LONGEST else text


# --- Entries ---------------------------------------------------------------------------------------------------------


class HeldKind(Kind):
    """Entries that belong to no episode yet."""

    def rows(self) -> QuerySet[Held]:
        return Held.objects.all()

    def since(self) -> Any:
        return _recorded("recorded_at", item="item")

    def noted(self, notes: QuerySet[InboxNote]) -> Q:
        return Q(item__key__in=notes.values("item_key"))

    def read(self, rows: QuerySet[Held]) -> list[InboxRow]:
        found = list(rows.select_related("podcast", "item__document__source").prefetch_related("item__revisions"))
        slugs = {str(one["episode"]) for held in found for one in held.candidates}
        known = {episode.slug: episode for episode in candidates_of(slugs, None)}
        return [self._row(held, known) for held in found]

    def _row(self, held: Held, known: Mapping[str, Any]) -> InboxRow:
        item = held.item
        best = held.candidates[0] if held.candidates else {"episode": "", "reasons": []}
        episode = known.get(str(best["episode"]))
        refs = [(item.document.source.slug, item.key)]
        key = self.key(held.podcast, refs, held.candidates, item.heading)
        address = f"{reverse('admin:episodes_held_review')}?item={item.pk}"
        words = f"Could be “{episode}”: {_reasons(best['reasons'])}." if episode else "No episode is similar."
        acts: Sequence[Act] = HELD_ALONE if not held.candidates else ()
        if episode and _only_clean(held.candidates):
            acts = HELD_SAME
        return InboxRow(self, held, key, held.podcast, address, words, acts, other=episode)


def _reasons(reasons: Iterable[object]) -> str:
    return "; ".join(map(str, reasons)) or "nothing else suggests it"


def _only_clean(candidates: Sequence[Mapping[str, Any]]) -> bool:
    """True where the best candidate, and no other, has reasons for it and none against."""
    clean = [one for one in candidates if not any(str(r).startswith(AGAINST) for r in one["reasons"])]
    return clean == [candidates[0]] and bool(clean[0]["reasons"])


HELD_SAME = (
    Act("same", "Same episode", "s", lambda user, row: judge(user, row.target.item, row.other, "same"),
        "Matched “{row.subject}” to “{row.other}”."),
)  # fmt: skip
HELD_ALONE = (
    Act("new", "New episode", "n", lambda user, row: make_episode(user, row.target.item),
        "Added “{row.subject}” as a new episode."),
    Act("ignore", "Not an episode", "i", lambda user, row: ignore(user, row.target.item),
        "Marked “{row.subject}” as not an episode."),
)  # fmt: skip


# --- Episodes --------------------------------------------------------------------------------------------------------


class EpisodeKind(Kind):
    """Rows that are, or belong to, an episode; `episode` is the way from a row to it."""

    episode = "pk"

    def since(self) -> Any:
        return _recorded("recorded_at", item__attachment__episode=self.episode)

    def noted(self, notes: QuerySet[InboxNote]) -> Q:
        entries = Attachment.objects.filter(item__key__in=notes.values("item_key"))
        return Q(**{f"{self.episode}__in": entries.order_by().values("episode")})

    def read(self, rows: QuerySet[Any]) -> list[InboxRow]:
        refs = _refs(rows.order_by().values(self.episode))
        own = "pk" if self.episode == "pk" else f"{self.episode}_id"
        return [self.row(row, refs.get(getattr(row, own)) or [("", str(row.pk))]) for row in self.detailed(rows)]

    def detailed(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related("podcast")

    def row(self, target: Any, refs: Sequence[Ref]) -> InboxRow:
        raise NotImplementedError


@dataclass
class Lacking(EpisodeKind):
    """Episodes of which no source has a value."""

    lacking: Q

    def rows(self) -> QuerySet[Episode]:
        return Episode.objects.filter(self.lacking)

    def detailed(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        source = "item__document__source"
        entries = Attachment.objects.select_related(source).only("episode", f"{source}__title", f"{source}__slug")
        entries = entries.order_by(f"{source}__rank", "item_id")
        return super().detailed(rows).prefetch_related(Prefetch("attachments", entries))

    def row(self, target: Episode, refs: Sequence[Ref]) -> InboxRow:
        sources = ", ".join(dict.fromkeys(entry.item.document.source.heading for entry in target.attachments.all()))
        key = self.key(target.podcast, refs, "", target.heading)
        words = f"{self.hint.capitalize()} (listed by {sources})."
        return InboxRow(self, target, key, target.podcast, page_of(target), words)


class ConflictKind(EpisodeKind):
    """Episodes of which sources contradict each other."""

    def rows(self) -> QuerySet[Episode]:
        return Episode.objects.exclude(conflicts=[])

    def since(self) -> Any:
        return _recorded("-recorded_at", item__attachment__episode="pk")

    def row(self, target: Episode, refs: Sequence[Ref]) -> InboxRow:
        keys = sorted(FieldConflict(**row).key for row in target.conflicts)
        key = self.key(target.podcast, refs, keys, target.heading)
        words = " ".join(f"{one.label}: {one.words}" for one in conflicts(target))
        return InboxRow(self, target, key, target.podcast, page_of(target), words, CONFLICT, other=keys)


CONFLICT = (
    Act("closed", "Not a problem", "p", lambda user, row: close_conflicts(user, row.target, row.other),
        "Closed the conflicts of “{row.subject}”."),
)  # fmt: skip


class RepeatKind(EpisodeKind):
    """Episodes that may have been published before."""

    of_show, episode = "episode__podcast", "episode"

    def rows(self) -> QuerySet[Repeat]:
        return Repeat.objects.filter(accepted=False)

    def detailed(self, rows: QuerySet[Repeat]) -> list[Repeat]:  # type: ignore[override]
        found = list(rows.select_related("episode__podcast", "of__podcast"))
        self.others = _refs(rows.order_by().values("of"))
        return found

    def row(self, target: Repeat, refs: Sequence[Ref]) -> InboxRow:
        show = target.episode.podcast
        part = " ".join((self.others.get(target.of_id) or [("", "")])[0])
        key = self.key(show, refs, [target.kind, target.evidence], target.episode.heading, part)
        address = f"{reverse('admin:episodes_repeat_review')}?pair={target.pk}"
        words = f"{target.get_kind_display().capitalize()}: “{target.of}” ({', '.join(target.evidence)})."
        return InboxRow(self, target, key, show, address, words, REPEAT, other=target.of)


def _as(verdict: str) -> Callable[[Any, InboxRow], object]:
    return lambda user, row: judge_repeat(user, row.target.episode, row.other, verdict)


REPEAT = (
    Act("replaces", "Replaces it", "r", _as("replaces"), "“{row.subject}” replaces “{row.other}” in lists and feeds."),
    Act("repeats", "Rebroadcast", "b", _as("repeats"), "“{row.subject}” is a rebroadcast of “{row.other}”."),
    Act("unrelated", "Neither", "n", _as("unrelated"), "“{row.subject}” and “{row.other}” will not be proposed again."),
)


class TopicKind(EpisodeKind):
    """Topics that episodes were given on weak evidence."""

    of_show, episode = "episode__podcast", "episode"

    def rows(self) -> QuerySet[EpisodeTopic]:
        return EpisodeTopic.objects.filter(confidence="low")

    def detailed(self, rows: QuerySet[EpisodeTopic]) -> QuerySet[EpisodeTopic]:
        return rows.select_related("episode__podcast", "topic")

    def row(self, target: EpisodeTopic, refs: Sequence[Ref]) -> InboxRow:
        episode, topic = target.episode, target.topic
        key = self.key(episode.podcast, refs, [target.term, target.field], episode.heading, topic.slug)
        words = f"Topic “{topic}”, from “{_short(target.term)}” in the {target.field}."
        return InboxRow(self, target, key, episode.podcast, page_of(episode), words, TOPIC, other=topic)


TOPIC = (
    Act("confirm", "Confirm", "c", lambda user, row: add(user, row.target.episode, "topic", row.other.slug),
        "“{row.subject}” has the topic “{row.other}”."),
    Act("remove", "Remove", "x", lambda user, row: remove(user, row.target.episode, "topic", row.other.slug),
        "“{row.subject}” does not have the topic “{row.other}”."),
)  # fmt: skip


class UpstreamKind(Kind):
    """Own values of fields that a source changed since."""

    @cached_property
    def changed(self) -> dict[int, list[upstream.SourceChange]]:
        return upstream.changed(Override.objects.filter(ended_at=None))

    def rows(self) -> QuerySet[Override]:
        return Override.objects.filter(pk__in=list(self.changed))

    def since(self) -> Any:
        entry = "item__attachment__episode__attachments__item"
        return _recorded(
            "-recorded_at",
            **{
                f"{entry}__document__source__slug": "source",
                f"{entry}__document__source__podcast": "podcast",
                f"{entry}__key": "item_key",
            },
        )

    def noted(self, notes: QuerySet[InboxNote]) -> Q:
        return Q(item_key__in=notes.values("item_key"))

    def read(self, rows: QuerySet[Override]) -> list[InboxRow]:
        found = list(rows.select_related("podcast"))
        where = upstream.episodes(found)
        episodes = Episode.objects.select_related("podcast").in_bulk(set(where.values()))
        return [self._row(row, episodes[where[row.pk]]) for row in found if row.pk in where]

    def _row(self, target: Override, episode: Episode) -> InboxRow:
        changes = self.changed[target.pk]
        says = [[one.source, one.now] for one in changes]
        refs = [(target.source, target.item_key)]
        key = self.key(target.podcast, refs, says, episode.heading, target.field)
        known = BY_NAME[target.field]
        news = "; ".join(f"{one.source} now has “{_short(known.words(one.now))}”" for one in changes)
        words = f"{known.label}: yours is “{_short(known.words(target.value))}”; {news}."
        return InboxRow(self, target, key, target.podcast, page_of(episode), words, UPSTREAM, other=episode)


UPSTREAM = (
    Act("keep", "Keep mine", "o", lambda user, row: keep(user, row.other, [row.target.field]),
        "Kept your value of “{row.subject}”."),
    Act("theirs", "Use theirs", "t", lambda user, row: release(user, row.other, [row.target.field]),
        "“{row.subject}” follows the sources again."),
)  # fmt: skip


# --- Others ----------------------------------------------------------------------------------------------------------


class ProposalKind(Kind):
    """Topics that a show may have."""

    def rows(self) -> QuerySet[TopicProposal]:
        return TopicProposal.objects.all()

    def since(self) -> Any:
        taken = Capture.objects.filter(document__source__podcast=OuterRef("podcast"), version__isnull=False)
        return Subquery(taken.order_by("-taken_at").values("taken_at")[:1])

    def noted(self, notes: QuerySet[InboxNote]) -> Q:
        return Q(key__in=notes.values("item_key"))

    def read(self, rows: QuerySet[TopicProposal]) -> list[InboxRow]:
        return [self._row(proposal) for proposal in rows.select_related("podcast")]

    def _row(self, target: TopicProposal) -> InboxRow:
        key = self.key(target.podcast, [("", target.key)], sorted(target.terms), target.name)
        address = f"{reverse('admin:episodes_topicproposal_review')}?proposal={target.pk}"
        episodes = counted(target.count, "episode", "episodes")
        words = f"From {target.get_source_display()}: {episodes}."
        return InboxRow(self, target, key, target.podcast, address, words, PROPOSAL)


PROPOSAL = (
    Act("accept", "Accept", "a", lambda user, row: accept_topic(user, row.target), "“{row.subject}” is a topic."),
    Act("refuse", "Refuse", "n", lambda user, row: refuse_topic(user, row.target),
        "“{row.subject}” will not be proposed again."),
)  # fmt: skip


class LinkKind(Kind):
    """Links in notes that are gone or keep failing."""

    def rows(self) -> QuerySet[Link]:
        return links_in_trouble()

    def chosen(self, show: Podcast | None) -> QuerySet[Link]:
        rows = self.rows().order_by()
        return rows.filter(pk__in=Link.objects.filter(mentions__episode__podcast=show).values("pk")) if show else rows

    def since(self) -> Any:
        return Subquery(LinkCheck.objects.filter(key=OuterRef("key")).order_by().values("failing_since")[:1])

    def noted(self, notes: QuerySet[InboxNote]) -> Q:
        return Q(key__in=notes.values("item_key"))

    def read(self, rows: QuerySet[Link]) -> list[InboxRow]:
        found = list(rows.prefetch_related("mentions__episode__podcast"))
        checks = {one.key: one for one in LinkCheck.objects.filter(key__in=rows.order_by().values("key"))}
        return [self._row(link, checks[link.key]) for link in found if link.key in checks]

    def _row(self, target: Link, check: LinkCheck) -> InboxRow:
        mentions = list(target.mentions.all())
        key = self.key(None, [("", target.key)], check.outcome, target.title or target.key)
        times = "" if check.failures < 2 else f" ({check.failures} times in a row)"
        named = ", ".join(f"“{one.episode}”" for one in mentions[:MOST_NAMED])
        trouble = _short(check.note or check.get_outcome_display()).rstrip(".")
        words = f"{full_sentence(trouble + times)} In {named}."
        address = reverse("admin:episodes_link_change", args=(target.pk,))
        return InboxRow(self, target, key, mentions[0].episode.podcast if mentions else None, address, words)


class SourceKind(Kind):
    """Sources of which the last import was refused or failed, or the next is overdue."""

    def rows(self) -> QuerySet[Source]:
        return Source.objects.filter(pk__in=in_trouble().order_by().values("pk"))

    def since(self) -> Any:
        runs = IngestRun.objects.filter(source=OuterRef("pk")).order_by("-started_at", "-id")
        return Coalesce("schedule__failing_since", Subquery(runs.values("started_at")[:1]))

    def noted(self, notes: QuerySet[InboxNote]) -> Q:
        return Q(slug__in=notes.values("source"))

    def read(self, rows: QuerySet[Source]) -> list[InboxRow]:
        since = {source.pk: getattr(source, "since", None) for source in rows}
        several = Podcast.objects.several()
        troubled = health.with_runs(in_trouble().filter(pk__in=since))
        return [self._row(row, since, several) for row in health.health_rows(list(troubled))]

    def _row(self, row: Any, since: Mapping[int, Any], several: bool) -> InboxRow:
        source = row.source
        source.since = since[source.pk]
        key = self.key(source.podcast, [(source.slug, "")], row.state, source.label(several=several))
        words = _short(row.explanation)
        address = reverse("admin:episodes_source_change", args=(source.pk,))
        return InboxRow(self, source, key, source.podcast, address, words)


class PathKind(Kind):
    """Learning paths of which an episode is gone, or there twice."""

    @cached_property
    def gaps(self) -> list[int]:
        return with_gaps()

    def rows(self) -> QuerySet[LearningPath]:
        return LearningPath.objects.filter(pk__in=self.gaps)

    def since(self) -> Any:
        """The newest import or decision is no date of a gap; the place in the order is that of today."""
        return None

    def noted(self, notes: QuerySet[InboxNote]) -> Q:
        return Q(slug__in=notes.values("item_key"))

    def read(self, rows: QuerySet[LearningPath]) -> list[InboxRow]:
        return [self._row(route) for route in routes(rows.select_related("podcast"))]

    def _row(self, route: Any) -> InboxRow:
        path = route.path
        lost, twice = ([step.episode for step in steps] for steps in (route.lost, route.twice))
        key = self.key(None, [("", path.slug)], [lost, twice], path.title)
        parts = [f"“{slug}” is gone" for slug in lost] + [f"“{slug}” is there twice" for slug in twice]
        address = reverse("admin:episodes_learningpath_change", args=(path.pk,))
        return InboxRow(self, path, key, path.podcast, address, "; ".join(parts) + ".")


def in_trouble() -> QuerySet[Any]:
    """The sources that need somebody, worst first."""
    return worst_first(Source.objects.all(), timezone.now()).filter(state__in=TROUBLE)


def links_in_trouble() -> QuerySet[Link]:
    """The links of the catalog that are gone, or were not reached time after time, and are not replaced."""
    return Link.objects.filter(replacement="", key__in=LinkCheck.objects.in_trouble().order_by().values("key"))


def kinds() -> list[Kind]:
    """All kinds, the most urgent first; new ones for each request, because they remember what they found."""
    return [
        HeldKind("held", "Needs review", "unclear which episode these belong to"),
        SourceKind("source", "Sources in trouble", "the last import failed, or the next is overdue", can_be_fine=True),
        UpstreamKind("upstream", "Changed upstream since", "a source changed a field after a curator set it"),
        ConflictKind("conflict", "Conflicts between sources", "sources contradict each other"),
        RepeatKind("repeat", "Published twice?", "re-uploads, rebroadcasts, and two episodes with one number"),
        Lacking("title", "No title", "no source has a title", Q(title=""), can_be_fine=True),
        Lacking("date", "No date", "no source has a usable date", Q(published_at=None), can_be_fine=True),
        Lacking("audio", "No audio", "no source has an audio link", Q(audio_url=""), can_be_fine=True),
        Lacking(
            "notes", "Truncated notes", "no source has the full notes", Q(description_truncated=True), can_be_fine=True
        ),
        PathKind("path", "Broken paths", "an episode of a path is gone, or there twice", can_be_fine=True),
        LinkKind("link", "Links in trouble", "links in notes that are gone or keep failing", can_be_fine=True),
        ProposalKind("proposal", "Proposed topics", "subjects that several episodes share"),
        TopicKind("topic", "Topics to confirm", "topics assigned with low confidence"),
    ]
