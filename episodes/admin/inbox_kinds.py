"""The kinds of rows in the inbox: each declares the rows of the catalog that it lists, what each
says in words, and the buttons that settle it. Another one is added to `KINDS`."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from hashlib import sha256
from itertools import starmap
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.http import urlencode

from .. import curation
from ..fields import BY_HAND, BY_NAME, NOTES, plain_notes
from ..models import (
    TRANSCRIPTS,
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
    Source,
    TopicProposal,
    Transcript,
    WithdrawnEpisode,
    episodes_at,
    routes,
)
from ..records import FieldConflict
from ..text.formatting import counted, full_sentence
from . import upstream
from .base import page_of, row_at
from .episode import conflicts
from .finding import find_episodes
from .paths import gaps, with_gaps
from .shows import stated, why
from .things import links_in_trouble

LONGEST = 120  # characters of a value that a row quotes
MOST_NAMED = 4
AGAINST = "against: "
AROUND = 90  # characters shown on either side of a term


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
    words: str
    says: Any
    acts: Sequence[Act]  # the buttons in the inbox, where a row is not compared with anything
    address: str = ""  # the screen on which more than one press is possible
    other: Any = None  # what an act needs beside the target
    asked: Mapping[str, str] = field(default_factory=dict)  # what a curator typed beside the row

    @property
    def reason(self) -> str:
        return self.asked.get("reason", "")

    @property
    def digest(self) -> str:
        return sha256(json.dumps(self.says, sort_keys=True).encode()).hexdigest()

    @property
    def token(self) -> str:
        """Another one as soon as the row says something else, or another row has its number."""
        return sha256(f"{self.subject} {self.digest}".encode()).hexdigest()[:16]


class Kind:
    """Rows of one kind: their name, and what they are in the catalog.

    A kind with a `review` has a screen that shows a row beside what it may be.
    """

    slug: ClassVar[str]
    label: ClassVar[str]
    hint: ClassVar[str]
    acts: ClassVar[Sequence[Act]]
    of_show = "podcast"  # the way from a row to its show
    order: Sequence[str] = ("pk",)
    review = ""  # the template of a row's comparison

    def __init__(self, dismissed: Sequence[Dismissed] = ()) -> None:
        self.digests = {row.about: row.digest for row in dismissed if row.kind == self.slug}
        self.dismissed = [row.key for row in dismissed]

    def rows(self) -> QuerySet[Any]:
        """The rows of the catalog that it lists."""
        raise NotImplementedError

    def row(self, target: Any) -> InboxRow:
        """A row of the catalog in words."""
        raise NotImplementedError

    def read(self, rows: QuerySet[Any]) -> list[InboxRow]:
        """The rows in words, in a fixed number of queries."""
        return [self.row(target) for target in rows]

    def of_episode(
        self, target: Any, episode: Episode, words: str, says: object, other: Any
    ) -> InboxRow:
        """A row that is about an episode."""
        about = (episode.podcast, episode.heading, words, says, self.acts, page_of(episode))
        return InboxRow(self, target, *about, other)

    def open(self, show: Podcast | None = None) -> QuerySet[Any]:
        """The rows that wait for somebody."""
        rows = self.rows().order_by(*self.order)
        return rows.filter(**{self.of_show: show}) if show else rows

    # --- The review ---

    def consider(self, row: InboxRow) -> None:
        """Take what a curator chose beside the row."""

    def choices(self, row: InboxRow) -> Sequence[Act]:
        """The buttons in the review."""
        return row.acts

    def detail(self, row: InboxRow) -> dict[str, Any]:
        """Values for the template of the review."""
        return {}


def review_at(kind: str, **asked: str | int) -> str:
    address = reverse("admin:episodes_dismissed_review", args=(kind,))
    return f"{address}?{urlencode(asked)}".removesuffix("?")


def quoted(value: object) -> str:
    """A value on one line, as a row quotes it."""
    text = " ".join(str(value).split())
    return f"{text[:LONGEST]}…" if len(text) > LONGEST else text


def fields_in_words(episode: Any) -> dict[str, str]:
    """The fields of an episode that a source could state, in words; none for None."""
    return {one.label: one.told(one.shown(episode)) for one in BY_HAND} if episode else {}


def side_by_side(one: Mapping[str, str], other: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The fields of which either side says anything: label and the words of both."""
    both = ((label, words, other.get(label, "")) for label, words in one.items())
    return [line for line in both if line[1] or line[2]]


# --- Entries that need review ------------------------------------------------------------------


def judge(verdict: str, user: Any, row: InboxRow) -> None:
    curation.judge(user, row.target.item, verdict, row.other, reason=row.reason)


SAME = Act("same", "Same episode", "s", partial(judge, "same"),
           "Matched “{row.subject}” to “{row.other}”.")  # fmt: skip
DIFFERENT = Act("different", "Different", "d", partial(judge, "different"),
                "Marked “{row.subject}” as different from “{row.other}”.")  # fmt: skip


class HeldKind(Kind):
    """Entries that belong to no episode yet."""

    slug, label = "held", "Needs review"
    hint = "unclear which episode these belong to"
    acts = (
        Act("new", "New episode", "n",
            lambda user, row: curation.judge(user, row.target.item, "new", reason=row.reason),
            "Added “{row.subject}” as a new episode."),
        Act("ignore", "Not an episode", "i",
            lambda user, row: curation.judge(user, row.target.item, "ignore", reason=row.reason),
            "Marked “{row.subject}” as not an episode."),
    )  # fmt: skip
    order = ("item_id",)
    review = "admin/curation/review_held.html"

    def rows(self) -> QuerySet[Held]:
        return Held.objects.all()

    def read(self, rows: QuerySet[Held]) -> list[InboxRow]:
        related = rows.select_related("podcast", "item__document__source")
        held = list(related.prefetch_related("item__revisions"))
        self.episodes = candidates({str(c["episode"]) for row in held for c in row.candidates})
        return [self.row(row) for row in held]

    def row(self, held: Held) -> InboxRow:
        subject, listed = held.item.heading, held.candidates
        about, address = (self, held, held.podcast, subject), review_at(self.slug, row=held.pk)
        if not listed:
            return InboxRow(*about, "No episode is similar.", listed, self.alone(held), address)
        episode = self.episodes.get(str(listed[0]["episode"]))
        reasons = "; ".join(map(str, listed[0]["reasons"])) or "nothing else suggests it"
        words = f"Could be “{episode or listed[0]['episode']}”: {reasons}."
        acts = (SAME,) if episode and only_clean(listed) else ()
        return InboxRow(*about, words, listed, acts, address, episode)

    def consider(self, row: InboxRow) -> None:
        """Another candidate; even one that was taken out, as an entry that belongs to it goes with
        it."""
        if address := row.asked["with"]:
            row.other = candidates([address], podcast=row.target.podcast).get(address)

    def choices(self, row: InboxRow) -> Sequence[Act]:
        acts = self.alone(row.target)
        return (SAME, DIFFERENT, *acts) if row.other else acts

    def alone(self, held: Held) -> Sequence[Act]:
        """The buttons that need no episode. A transcript is never one."""
        is_transcript = held.item.document.source.reader == TRANSCRIPTS
        return self.acts[1:] if is_transcript else self.acts

    def detail(self, row: InboxRow) -> dict[str, Any]:
        held, episode, query = row.target, row.other, row.asked["q"]
        exact, others = find_episodes(held.podcast, query)
        said = held.item.said
        entry = {one.label: one.told(one.text_in(said)) for one in BY_HAND if one is not NOTES}
        reasons = {str(c["episode"]): [str(r) for r in c["reasons"]] for c in held.candidates}
        own = reasons.get(getattr(episode, "slug", ""), [])
        return {
            "candidates": self.episodes.values(),
            "withdrawn": isinstance(episode, WithdrawnEpisode),
            "words": said.extra("words"),
            "lines": side_by_side(
                {**entry, NOTES.label: plain_notes(said)}, fields_in_words(episode)
            ),
            "signals": sorted(own, key=lambda reason: reason.startswith(AGAINST)),
            "query": query,
            "results": [*exact, *others],
        }


def candidates(slugs: Collection[str], **of: Podcast) -> dict[str, Any]:
    """Episodes by their addresses, those that were taken out too."""
    models: tuple[Any, ...] = (Episode, WithdrawnEpisode)
    rows = (
        model.objects.filter(slug__in=slugs, **of).select_related("podcast") for model in models
    )
    return {episode.slug: episode for episodes in rows for episode in episodes}


def only_clean(listed: Sequence[Mapping[str, Any]]) -> bool:
    """True where the best candidate, and no other, has reasons for it and none against."""
    clean = [one for one in listed if not any(str(r).startswith(AGAINST) for r in one["reasons"])]
    return clean == [listed[0]] and bool(clean[0]["reasons"])


# --- Published twice ---------------------------------------------------------------------------


def judge_repeat(verdict: str, user: Any, row: InboxRow) -> None:
    curation.judge_repeat(user, row.target, row.other, verdict, reason=row.reason)


REPEATS = {
    "replaces": "replaces the other",
    "repeats": "is a rebroadcast of the other",
}


class RepeatKind(Kind):
    """Episodes that may have been published before."""

    slug, label = "repeat", "Published twice?"
    hint = "re-uploads and rebroadcasts"
    acts = (
        Act("replaces", "Replaces it", "r", partial(judge_repeat, "replaces"),
            "“{row.subject}” replaces “{row.other}” in lists and feeds; both addresses keep working."),
        Act("repeats", "Rebroadcast", "b", partial(judge_repeat, "repeats"),
            "“{row.subject}” is a rebroadcast; lists and feeds show “{row.other}”, with a note."),
        Act("unrelated", "Neither", "n", partial(judge_repeat, "unrelated"),
            "“{row.subject}” and “{row.other}” will not be proposed again."),
    )  # fmt: skip
    review = "admin/curation/review_repeat.html"

    def rows(self) -> QuerySet[Episode]:
        return Episode.objects.exclude(repeats=[]).select_related("podcast")

    def read(self, rows: QuerySet[Episode]) -> list[InboxRow]:
        later = list(rows)
        earlier = {episode.repeats[0]["of"] for episode in later}
        self.earlier = episodes_at(earlier, Episode.objects.select_related("podcast"))
        return [self.row(episode) for episode in later]

    def row(self, episode: Episode) -> InboxRow:
        """With the first of several; each is asked about in its turn."""
        (one, *_), show = episode.repeats, episode.podcast
        other, evidence = self.earlier.get(one["of"]), ", ".join(one["evidence"])
        words = f"{REPEATS[one['kind']].capitalize()}: “{self.earlier.get(one['of'], one['of'])}” ({evidence})."
        acts, address = self.acts if other else (), review_at(self.slug, row=episode.pk)
        return InboxRow(self, episode, show, episode.heading, words, one, acts, address, other)

    def detail(self, row: InboxRow) -> dict[str, Any]:
        lines = side_by_side(fields_in_words(row.target), fields_in_words(row.other))
        return {"lines": lines, "proposed": REPEATS[row.says["kind"]]}


# --- Topics ------------------------------------------------------------------------------------


def evidence(proposal: TopicProposal) -> Iterator[dict[str, Any]]:
    """The words in each episode that would give it the topic, and those around them."""
    slugs = [slug for slug, *_ in proposal.uses]
    rows = Episode.objects.filter(podcast=proposal.podcast, slug__in=slugs)
    episodes = {episode.slug: episode for episode in rows}
    for slug, where, start, words in proposal.uses:
        if episode := episodes.get(slug):
            text, end = episode.description_text, start + len(words)
            before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
            place = {"episode": episode, "field": where, "words": words}
            yield {**place, "before": before, "after": after}


def accept(user: Any, row: InboxRow) -> None:
    topic = curation.accept_topic(user, row.target, row.asked.get("name", ""), reason=row.reason)
    row.subject = topic.name


class ProposalKind(Kind):
    """Topics that a show may have."""

    slug, label = "proposal", "Proposed topics"
    hint = "subjects that several episodes share"
    acts = (
        Act("accept", "Accept", "a", accept, "“{row.subject}” is a topic."),
        Act("refuse", "Refuse", "n",
            lambda user, row: curation.refuse_topic(user, row.target, reason=row.reason),
            "“{row.subject}” will not be proposed again."),
    )  # fmt: skip
    order = ("podcast__rank", "podcast__slug", "place")
    review = "admin/curation/review_proposal.html"

    def rows(self) -> QuerySet[TopicProposal]:
        return TopicProposal.objects.select_related("podcast")

    def row(self, proposal: TopicProposal) -> InboxRow:
        episodes = counted(proposal.count, "episode", "episodes")
        words, says = f"From {proposal.get_source_display()}: {episodes}.", sorted(proposal.terms)
        show, address = proposal.podcast, review_at(self.slug, row=proposal.pk)
        return InboxRow(self, proposal, show, proposal.name, words, says, self.acts, address)

    def detail(self, row: InboxRow) -> dict[str, Any]:
        return {"evidence": list(evidence(row.target)), "name": row.asked["name"] or row.subject}


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
        words = f"Topic “{use.topic}”, from “{quoted(use.term)}” in the {use.field}."
        says = [use.topic.slug, use.term, use.field]
        return self.of_episode(use, use.episode, words, says, use.topic)


# --- Values of episodes ------------------------------------------------------------------------


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
        words = " ".join(f"{one['label']}: {one['words']}" for one in conflicts(episode))
        return self.of_episode(episode, episode, words, keys, keys)


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
        own = list(upstream.placed(rows.select_related("podcast")))
        episodes = Episode.objects.select_related("podcast")
        self.episodes = episodes.in_bulk({row.episode for row in own})
        return [self.row(row) for row in own]

    def row(self, own: Any) -> InboxRow:
        changes, known = self.changed[own.pk], BY_NAME[own.field]
        news = (f"{one.source} now has “{quoted(known.words(one.now))}”" for one in changes)
        words = f"{known.label}: yours is “{quoted(known.words(own.value))}”; {'; '.join(news)}."
        says = [own.field, [[one.source, one.now] for one in changes]]
        episode = self.episodes[own.episode]
        return self.of_episode(own, episode, words, says, episode)


class WordsKind(Kind):
    """Transcripts that lack words which a curator corrected."""

    slug, label = "words", "Corrected words that are gone"
    hint = "a new version of a transcript says something else there"
    of_show = "episode__podcast"
    acts = (
        Act("end", "End these corrections", "e",
            lambda user, row: curation.end_corrections_of_words(user, row.target.episode, row.other),
            "The transcript of “{row.subject}” is shown as it is there."),
    )  # fmt: skip

    def rows(self) -> QuerySet[Transcript]:
        return Transcript.objects.exclude(lost=[]).select_related("episode__podcast")

    def row(self, transcript: Transcript) -> InboxRow:
        episode, lost = transcript.episode, transcript.lost
        gone = starmap(curation.WordCorrection.from_key, lost)
        pairs = "; ".join(f"“{one.wrong}” → “{one.right}”" for one in gone)
        words = quoted(f"No longer in the transcript: {pairs}.")
        row = self.of_episode(transcript, episode, words, lost, dict(lost))
        row.address = reverse("admin:episodes_episode_words", args=(episode.slug,))
        return row


# --- Rows that may be no problem ---------------------------------------------------------------


def dismiss(user: Any, row: InboxRow) -> None:
    kind: Any = row.kind
    key = getattr(row.target, kind.key_field)
    curation.dismiss(user, kind.slug, key, kind.about(row), row.digest, row.subject)


FINE = (
    Act("fine", "Not a problem", "p", dismiss,
        "“{row.subject}” is no problem until it says something else."),
)  # fmt: skip


class DismissibleKind(Kind):
    """Rows that a curator may call no problem; `key_field` names them whatever their numbers."""

    acts = FINE
    key_field = "slug"

    def natural_key(self, target: Any) -> str:
        """Names that stay when the row gets another number: a show, or none, and one of two keys."""
        return f"\n\n{getattr(target, self.key_field)}"

    def about(self, row: InboxRow) -> str:
        lines = f"{self.slug}\n{self.natural_key(row.target)}\n"
        return sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()

    def open(self, show: Podcast | None = None) -> QuerySet[Any]:
        rows = super().open(show)
        if not self.digests:
            return rows
        same = self.read(self.rows().filter(**{f"{self.key_field}__in": self.dismissed}))
        settled = [row.target.pk for row in same if self.digests.get(self.about(row)) == row.digest]
        return rows.exclude(pk__in=settled)


class LinkKind(DismissibleKind):
    """Links in notes that are gone or keep failing."""

    slug, label = "link", "Links in trouble"
    hint = "links in notes that are gone or keep failing"
    key_field = "key"
    of_show = "mentions__episode__podcast"

    def rows(self) -> QuerySet[Link]:
        return links_in_trouble().distinct()

    def read(self, rows: QuerySet[Link]) -> list[InboxRow]:
        links = list(rows.prefetch_related("mentions__episode__podcast"))
        checks = LinkCheck.objects.filter(key__in=[link.key for link in links])
        self.checks = {check.key: check for check in checks}
        return [self.row(link) for link in links]

    def row(self, link: Link) -> InboxRow:
        check, mentions = self.checks[link.key], list(link.mentions.all())
        times = "" if check.failures < 2 else f" ({check.failures} times in a row)"
        trouble = quoted(check.note or check.get_outcome_display()).rstrip(".")
        named = ", ".join(f"“{one.episode}”" for one in mentions[:MOST_NAMED])
        words = f"{full_sentence(trouble + times)} In {named}."
        show, title = mentions[0].episode.podcast if mentions else None, link.title or link.key
        return InboxRow(self, link, show, title, words, check.outcome, self.acts, row_at(link))


class SourceKind(DismissibleKind):
    """Sources of which the last import was refused or failed, or the next is overdue."""

    slug, label = "source", "Sources in trouble"
    hint = "the last import failed, or the next is overdue"
    order = ("severity", "podcast__rank", "rank", "slug")

    def rows(self) -> Any:
        shown = Podcast.objects.shown().order_by().values("pk")
        rows = stated(Source.objects.filter(podcast__in=shown)).filter(state__in=TROUBLE)
        return rows.select_related("podcast")

    def natural_key(self, target: Any) -> str:
        return f"{target.podcast_id}\n{target.slug}\n"

    def row(self, source: Any) -> InboxRow:
        subject = source.label(several=self.several)
        about = (source.podcast, subject, quoted(why(source)), source.state)
        return InboxRow(self, source, *about, self.acts, row_at(source))

    @cached_property
    def several(self) -> bool:
        return Podcast.objects.several()


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
        path, says = route.path, gaps(route)
        about = (path.podcast, path.title, f"{'; '.join(says)}.", says)
        return InboxRow(self, path, *about, self.acts, row_at(path))


# The most urgent first.
KINDS: tuple[type[Kind], ...] = (
    HeldKind, SourceKind, UpstreamKind, WordsKind, ConflictKind, RepeatKind, PathKind, LinkKind, ProposalKind,
    TopicKind,
)  # fmt: skip
