"""The lists of an episode as its form shows them: topics, links, people and references, and what
was taken out of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError

from ..curation import Impossible, anchor, episode_of_ref, in_force, person_key
from ..models import ADDED, LISTS, REMOVED, Decision, Episode, Podcast, Reference, Topic
from ..text.link_labels import ONE
from .base import date
from .configuration import row_at
from .finding import EpisodeField

KINDS = {"topic": "Topics", "link": "Links", "person": "People", "reference": "Other episodes"}
ROLES = ("host", "guest", "co-host")
RELATIONS = tuple(kind for kind, _ in Reference.KINDS)
HERE = {
    "title": "in the title",
    "notes": "in the notes",
    "links": "among the links",
    "curator": "added by hand",
}


@dataclass(frozen=True)
class ListedEntry:
    """A row of a list: what it is, why it is there, and under what it is taken out."""

    key: str
    name: str
    detail: str = ""
    doubtful: bool = False
    address: str = ""
    screen: str = ""  # of the thing itself, where it is corrected for all episodes
    choice: str = ""  # what it is to the episode, and what else it can be
    choices: Sequence[str] = ()


@dataclass(frozen=True)
class EpisodeLists:
    """One of the four lists."""

    kind: str
    label: str
    entries: list[ListedEntry]
    removed: list[ListedEntry]


def lists(episode: Episode) -> list[EpisodeLists]:
    decided = in_force(episode, *LISTS)
    removed = [row for row in decided if row.value == REMOVED]
    added = {(row.kind, row.key) for row in decided if row.value == ADDED}
    names = _names(removed, episode.podcast)
    entries = {
        "topic": _topics(episode),
        "link": _links(episode, added),
        "person": _people(episode, added),
        "reference": _references(episode),
    }
    return [
        EpisodeLists(
            kind,
            label,
            list(entries[kind]),
            [
                ListedEntry(row.key, names.get((kind, row.key), row.key), _who(row))
                for row in removed
                if row.kind == kind
            ],
        )
        for kind, label in KINDS.items()
    ]


def _who(row: Decision) -> str:
    who = f"removed by {row.made_by or 'somebody'} on {date(row.made_at)}"
    return f"{who}: {row.reason}" if row.reason else who


def _topics(episode: Episode) -> Iterator[ListedEntry]:
    for use in episode.topic_uses.select_related("topic").order_by(
        "topic__position", "topic__slug"
    ):
        where = HERE.get(use.field, use.field)
        yield ListedEntry(
            use.topic.slug,
            use.topic.name,
            f"“{use.term}” {where}" if use.term else where,
            use.confidence == "low",
        )


def _links(episode: Episode, added: set[tuple[str, str]]) -> Iterator[ListedEntry]:
    for mention in episode.mentions.select_related("link"):
        by_hand = " · added by hand" if ("link", mention.url) in added else ""
        name = mention.link.title or mention.text or mention.url
        instead = (
            f" · replaced by {mention.link.replacement[:160]}" if mention.link.replacement else ""
        )
        words = f"{ONE.get(mention.link.kind, mention.link.kind)} · {mention.link.key[:160]}{instead}{by_hand}"
        yield ListedEntry(
            mention.link.key, name[:200], words, address=mention.url, screen=row_at(mention.link)
        )


def _people(episode: Episode, added: set[tuple[str, str]]) -> Iterator[ListedEntry]:
    for credit in episode.credits.select_related("person"):
        by_hand = " · added by hand" if ("person", credit.person.identity) in added else ""
        yield ListedEntry(
            credit.person.identity,
            credit.person.name,
            f"{credit.person.identity}{by_hand}",
            screen=row_at(credit.person),
            choice=credit.role,
            choices=tuple(dict.fromkeys((*ROLES, credit.role))),
        )


def _references(episode: Episode) -> Iterator[ListedEntry]:
    for reference in episode.references.select_related("target"):
        words = f"“{reference.evidence[:200]}”" if reference.evidence else ""
        yield ListedEntry(
            reference.target.slug,
            reference.target.heading,
            words,
            reference.forward,
            choice=reference.kind,
            choices=RELATIONS,
        )


def _names(removed: list[Decision], podcast: Podcast) -> Mapping[tuple[str, str], str]:
    topics = Topic.objects.filter(slug__in=[row.key for row in removed if row.kind == "topic"])
    names = {("topic", topic.slug): topic.name for topic in topics}
    for row in removed:
        if row.kind == "reference":
            source, _, item = row.key.partition(" ")
            target = episode_of_ref((source, item), podcast)
            names["reference", row.key] = target.heading if target else row.key
    return names


def reference_key(podcast: Podcast, slug: str) -> str:
    """The key by which a decision refers to another episode; an unknown address comes back as it
    is."""
    target = Episode.objects.filter(podcast=podcast, slug=slug).first()
    return " ".join(anchor(target)) if target else slug


def wanted(episode: Episode, kind: str, form: Mapping[str, str]) -> tuple[str, str, list[Episode]]:
    """Key and detail that the add fields of a list name; and the episodes that fit, where there are
    several."""

    def typed(name: str) -> str:
        return form.get(f"new_{name}", "").replace("\0", "").strip()

    if kind == "link":
        return typed("link"), typed("words"), []
    if kind == "person":
        name, role = typed("person"), typed("role") or ROLES[0]
        return (
            (person_key(episode.podcast, name, typed("handle")) if name else ""),
            f"{role} {name}",
            [],
        )
    if kind == "reference":
        key, matches = _referred(episode, form.get("chosen_reference") or typed("reference"))
        return key, typed("relation") or Reference.KINDS[0][0], matches
    return typed("topic"), "", []


def _referred(episode: Episode, words: str) -> tuple[str, list[Episode]]:
    """The key of the other episode that is meant; "" and those that fit, where there are
    several."""
    field = EpisodeField(episode.podcast, episode, required=False)
    try:
        target = field.clean(words)
    except ValidationError as trouble:
        if field.matches:
            return "", field.matches
        raise Impossible(trouble.messages[0]) from None
    return " ".join(anchor(target)) if target else "", []
