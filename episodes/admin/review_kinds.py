"""The kinds of the inbox whose rows are compared before they are settled: entries that need review,
episodes that may have been published twice, and proposed topics."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from .. import curation
from ..fields import BY_HAND, NOTES, Field, plain_notes
from ..models import Episode, Held, Repeat, TopicProposal, WithdrawnEpisode
from ..text.formatting import counted
from .base import episode_at, withdrawn_at
from .corrections import Words
from .finding import find_episodes
from .inbox_rows import Act, InboxRow, Kind
from .topics import uses_in_words

AGAINST = "against: "
AROUND = 90  # characters shown on either side of a term
COMPARED = [field for field in BY_HAND if field is not NOTES]


@dataclass(frozen=True)
class ComparedField:
    """A field of both sides."""

    label: str
    one: str
    other: str

    @property
    def verdict(self) -> str:
        return "equal" if self.one == self.other else "differs"


def compared(one: Mapping[str, str], other: Mapping[str, str]) -> list[ComparedField]:
    """The fields of which either side says anything, in words."""
    return [
        ComparedField(field.label, *(_worded(field, side[field.name]) for side in (one, other)))
        for field in (*COMPARED, NOTES)
        if one[field.name] or other[field.name]
    ]


def _worded(field: Field[Any], value: str) -> str:
    return value if field.long else field.words(value)


def values_of(episode: Any) -> dict[str, str]:
    return {field.name: field.shown(episode) if episode else "" for field in (*COMPARED, NOTES)}


# --- Entries that need review ------------------------------------------------------------------


def _judge(verdict: str) -> Callable[[Any, InboxRow], object]:
    return lambda user, row: curation.judge(
        user, row.target.item, verdict, row.other, reason=row.reason
    )


SAME = Act("same", "Same episode", "s", _judge("same"), "Matched “{row.subject}” to “{row.other}”.")
DIFFERENT = Act(
    "different",
    "Different",
    "d",
    _judge("different"),
    "Marked “{row.subject}” as different from “{row.other}”.",
)
NEW = Act(
    "new",
    "New episode",
    "n",
    lambda user, row: curation.judge(user, row.target.item, "new", reason=row.reason),
    "Added “{row.subject}” as a new episode.",
)
IGNORE = Act(
    "ignore",
    "Not an episode",
    "i",
    lambda user, row: curation.judge(user, row.target.item, "ignore", reason=row.reason),
    "Marked “{row.subject}” as not an episode.",
)


class HeldKind(Kind):
    """Entries that belong to no episode yet."""

    slug, label = "held", "Needs review"
    hint = "unclear which episode these belong to"
    acts = (NEW, IGNORE)
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
        best = held.candidates[0] if held.candidates else {"episode": "", "reasons": []}
        episode = self.episodes.get(str(best["episode"]))
        reasons = "; ".join(map(str, best["reasons"])) or "nothing else suggests it"
        words = f"Could be “{episode}”: {reasons}." if episode else "No episode is similar."
        return InboxRow(
            self, held, held.podcast, held.item.heading, words, held.candidates, episode
        )

    def acts_of(self, row: InboxRow) -> Sequence[Act]:
        if row.other is None:
            return () if row.target.candidates else self.acts
        return (SAME,) if _only_clean(row.target.candidates) else ()

    def consider(self, row: InboxRow, asked: Mapping[str, str]) -> None:
        """Another candidate; even one that was taken out, as an entry that belongs to it goes with
        it."""
        super().consider(row, asked)
        if asked["with"]:
            chosen = withdrawn_at(asked["with"]) or episode_at(asked["with"])
            own = chosen is not None and chosen.podcast_id == row.target.podcast_id
            row.other = chosen if own else None

    def choices(self, row: InboxRow) -> Sequence[Act]:
        return (SAME, DIFFERENT, *self.acts) if row.other else self.acts

    def detail(self, row: InboxRow) -> dict[str, Any]:
        held, episode, query = row.target, row.other, row.asked["q"]
        said = held.item.said
        reasons = {str(c["episode"]): [str(r) for r in c["reasons"]] for c in held.candidates}
        own = reasons.get(episode.slug, []) if episode else []
        entry = {field.name: field.text_in(said) for field in COMPARED}
        exact, others = find_episodes(held.podcast, query)
        return {
            "candidates": {
                **self.episodes,
                **({episode.slug: episode} if episode else {}),
            }.values(),
            "withdrawn": isinstance(episode, WithdrawnEpisode),
            "lines": compared({**entry, NOTES.name: plain_notes(said)}, values_of(episode)),
            "speaking_for": [reason for reason in own if not reason.startswith(AGAINST)],
            "against": [r.removeprefix(AGAINST) for r in own if r.startswith(AGAINST)],
            "query": query,
            "results": [*exact, *others],
        }


def candidates(slugs: Collection[str]) -> dict[str, Any]:
    """Episodes by their addresses, those that were taken out too."""
    models: tuple[Any, ...] = (Episode, WithdrawnEpisode)
    rows = (model.objects.filter(slug__in=slugs).select_related("podcast") for model in models)
    return {episode.slug: episode for episodes in rows for episode in episodes}


def _only_clean(listed: Sequence[Mapping[str, Any]]) -> bool:
    """True where the best candidate, and no other, has reasons for it and none against."""
    clean = [one for one in listed if not any(str(r).startswith(AGAINST) for r in one["reasons"])]
    return clean == [listed[0]] and bool(clean[0]["reasons"])


# --- Published twice ---------------------------------------------------------------------------


PROPOSED = {"replaces": "replaces", "repeats": "repeats", "number": "unrelated"}


def _as(verdict: str) -> Callable[[Any, InboxRow], object]:
    return lambda user, row: curation.judge_repeat(
        user, row.target.episode, row.other, verdict, reason=row.reason
    )


class RepeatKind(Kind):
    """Episodes that may have been published before."""

    slug, label = "repeat", "Published twice?"
    hint = "re-uploads, rebroadcasts, and two episodes with one number"
    acts = (
        Act(
            "replaces",
            "Replaces it",
            "r",
            _as("replaces"),
            "“{row.subject}” replaces “{row.other}” in lists and feeds; both addresses keep working.",
        ),
        Act(
            "repeats",
            "Rebroadcast",
            "b",
            _as("repeats"),
            "“{row.subject}” is a rebroadcast; lists and feeds show “{row.other}”, with a note.",
        ),
        Act(
            "unrelated",
            "Neither",
            "n",
            _as("unrelated"),
            "“{row.subject}” and “{row.other}” will not be proposed again.",
        ),
    )
    of_show = "episode__podcast"
    review = "admin/curation/review_repeat.html"

    def rows(self) -> QuerySet[Repeat]:
        rows = Repeat.objects.filter(accepted=False)
        return rows.select_related("episode__podcast", "of__podcast")

    def row(self, repeat: Repeat) -> InboxRow:
        episode, kind = repeat.episode, repeat.get_kind_display().capitalize()
        words = f"{kind}: “{repeat.of}” ({', '.join(repeat.evidence)})."
        says = [repeat.kind, repeat.of.slug, repeat.evidence]
        return InboxRow(self, repeat, episode.podcast, episode.heading, words, says, repeat.of)

    def choices(self, row: InboxRow) -> Sequence[Act]:
        """What is proposed comes first."""
        return sorted(self.acts, key=lambda act: act.name != PROPOSED[row.target.kind])

    def detail(self, row: InboxRow) -> dict[str, Any]:
        return {"lines": compared(values_of(row.target.episode), values_of(row.other))}


# --- Proposed topics ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Evidence:
    """The words in an episode that would give it the topic, and those around them."""

    episode: Episode
    field: str
    before: str
    words: str
    after: str


def evidence(proposal: TopicProposal) -> Iterator[Evidence]:
    slugs = [slug for slug, *_ in proposal.uses]
    rows = Episode.objects.filter(podcast=proposal.podcast, slug__in=slugs)
    episodes = {episode.slug: episode for episode in rows}
    for slug, field, position, words in proposal.uses:
        if episode := episodes.get(slug):
            text = {"title": episode.title, "notes": episode.description_text}.get(field, "")
            end = position + len(words)
            before, after = text[max(0, position - AROUND) : position], text[end : end + AROUND]
            yield Evidence(episode, field, before, words, after)


def _accept(user: Any, row: InboxRow) -> None:
    topic = curation.accept_topic(user, row.target, row.asked.get("name", ""), reason=row.reason)
    row.subject = topic.name


JOIN = Act(
    "join",
    "Join the topic",
    "o",
    lambda user, row: curation.join_topic(user, row.target, row.other, reason=row.reason),
    "“{row.other}” has the episodes of “{row.subject}” too.",
)


class ProposalKind(Kind):
    """Topics that a show may have."""

    slug, label = "proposal", "Proposed topics"
    hint = "subjects that several episodes share"
    acts = (
        Act("accept", "Accept", "a", _accept, "“{row.subject}” is a topic."),
        Act(
            "refuse",
            "Refuse",
            "n",
            lambda user, row: curation.refuse_topic(user, row.target, reason=row.reason),
            "“{row.subject}” will not be proposed again.",
        ),
    )
    order = ("podcast__rank", "podcast__slug", "place")
    review = "admin/curation/review_proposal.html"

    def rows(self) -> QuerySet[TopicProposal]:
        return TopicProposal.objects.select_related("podcast")

    def row(self, proposal: TopicProposal) -> InboxRow:
        episodes = counted(proposal.count, "episode", "episodes")
        words = f"From {proposal.get_source_display()}: {episodes}."
        return InboxRow(
            self, proposal, proposal.podcast, proposal.name, words, sorted(proposal.terms)
        )

    def consider(self, row: InboxRow, asked: Mapping[str, str]) -> None:
        """Another name; a topic that has it already can be joined."""
        super().consider(row, asked)
        row.other = curation.namesake(row.target, asked["name"])

    def choices(self, row: InboxRow) -> Sequence[Act]:
        return (JOIN, *self.acts) if row.other else self.acts

    def detail(self, row: InboxRow) -> dict[str, Any]:
        return {"evidence": list(evidence(row.target)), "name": row.asked["name"] or row.subject}

    def look(self, row: InboxRow) -> Words:
        topic = curation.namesake(row.target, row.asked["name"])
        return uses_in_words(topic) if topic else {}
