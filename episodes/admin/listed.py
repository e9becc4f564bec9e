"""The lists of an episode as its form shows them: topics, links, people and references, and what
was taken out of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms

from ..curation import anchor, episode_of_ref, in_force, person_key
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
    adding: AddingForm


def lists(episode: Episode, sent: Mapping[str, str]) -> list[EpisodeLists]:
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
            ADDING[kind](episode, initial=sent),
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


class AddingForm(forms.Form):
    """The inputs that add an entry to a list of an episode."""

    use_required_attribute = False

    def __init__(self, episode: Episode, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "add_%s", **kwargs})
        self.episode = episode

    @property
    def matches(self) -> list[Episode]:
        """The episodes that fit, where several do."""
        return []

    def entry(self) -> tuple[str, str]:
        """Key and detail of the entry."""
        raise NotImplementedError


class AddTopic(AddingForm):
    new_topic = forms.ChoiceField(label="Topic")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        groups: dict[str, list[tuple[str, str]]] = {}
        for topic in Topic.objects.exclude(uses__episode=self.episode).order_by("group", "name"):
            groups.setdefault(topic.group or "Others", []).append((topic.slug, topic.name))
        self.fields["new_topic"].choices = [("", "Choose…"), *groups.items()]  # type: ignore[attr-defined]

    def entry(self) -> tuple[str, str]:
        return self.cleaned_data["new_topic"], ""


class AddLink(AddingForm):
    new_link = forms.CharField(
        label="Address", max_length=2000, widget=forms.TextInput({"inputmode": "url"})
    )
    new_words = forms.CharField(label="Link text", max_length=400, required=False)

    def entry(self) -> tuple[str, str]:
        return self.cleaned_data["new_link"], self.cleaned_data["new_words"]


class AddPerson(AddingForm):
    new_person = forms.CharField(label="Name", max_length=300)
    new_role = forms.ChoiceField(
        label="Role", choices=[(role, role) for role in ROLES], required=False
    )
    new_handle = forms.CharField(label="@handle or page, if known", max_length=500, required=False)

    def entry(self) -> tuple[str, str]:
        given = self.cleaned_data
        key = person_key(self.episode.podcast, given["new_person"], given["new_handle"])
        return key, f"{given['new_role'] or ROLES[0]} {given['new_person']}"


class AddReference(AddingForm):
    new_relation = forms.ChoiceField(label="Relation", choices=Reference.KINDS, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = EpisodeField(self.episode.podcast, self.episode, label="Episode")
        self.fields = {"new_reference": field, **self.fields}

    @property
    def matches(self) -> list[Episode]:
        field: Any = self.fields["new_reference"]
        return list(field.matches)

    def entry(self) -> tuple[str, str]:
        given = self.cleaned_data
        return " ".join(anchor(given["new_reference"])), given["new_relation"] or RELATIONS[0]


ADDING: Mapping[str, type[AddingForm]] = {
    "topic": AddTopic,
    "link": AddLink,
    "person": AddPerson,
    "reference": AddReference,
}
