"""A curator's changes of an episode's topics, links, people and references: added, removed, brought
back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..fields import web_address
from ..models import (
    ADDED,
    REMOVED,
    Attachment,
    Decision,
    Episode,
    FormerTopic,
    Person,
    Podcast,
    Reference,
    Topic,
)
from ..resolve import link_key, person_identity
from ..text.urls import is_web
from .entries import anchor, episode_of_ref, in_force, on_entry, refs
from .history import Impossible, Recorder, User
from .verbs import changing_episode

LONGEST = 2000
LONGEST_DETAIL = 400
LONGEST_ROLE = 20


def add(
    user: User,
    episode: Episode,
    kind: str,
    key: str,
    detail: str = "",
    *,
    seen: str = "",
    reason: str = "",
) -> None:
    """Add a topic, link, person or reference; one that was removed is brought back.

    Raises:
        Impossible: there is no such thing. Stale: somebody was faster.
    """
    key, detail = key.replace("\0", "").strip(), detail.replace("\0", "").strip()
    key = _MEANT[kind](key) if kind in _MEANT else key
    _check(kind, key, detail)
    with changing_episode(user, f"add {kind}", episode, seen, reason) as record:
        there = _decided(episode, kind, key)
        same = [row for row in there if (row.value, row.detail) == (ADDED, detail)]
        _end(record, [row for row in there if row not in same])
        if not same:
            own = on_entry(episode.podcast, anchor(episode), reason)
            record.decide(kind, **own, key=key, value=ADDED, detail=detail)
        record.tell(kind, "", _words(episode.podcast, kind, key, detail))


def remove(
    user: User, episode: Episode, kind: str, key: str, *, seen: str = "", reason: str = ""
) -> None:
    """Take out a topic, link, person or reference; it stays out whatever a source or a rule
    proposes."""
    with changing_episode(user, f"remove {kind}", episode, seen, reason) as record:
        there = _decided(episode, kind, key)
        removed = [row for row in there if row.value == REMOVED]
        _end(record, [row for row in there if row not in removed])
        if not removed:
            own = on_entry(episode.podcast, anchor(episode), reason)
            record.decide(kind, **own, key=key[:LONGEST], value=REMOVED)
        record.tell(kind, _words(episode.podcast, kind, key), "")


def bring_back(
    user: User, episode: Episode, kind: str, key: str, *, seen: str = "", reason: str = ""
) -> None:
    """End a removal: what sources and rules propose holds again."""
    with changing_episode(user, f"bring back {kind}", episode, seen, reason) as record:
        removed = [row for row in _decided(episode, kind, key) if row.value == REMOVED]
        if removed:
            _end(record, removed)
            record.tell(kind, "", _words(episode.podcast, kind, key))


def _words(podcast: Podcast, kind: str, key: str, detail: str = "") -> str:
    """An entry of a list for the history: other episodes and people by name."""
    if kind == "reference":
        source, _, item = key.partition(" ")
        target = episode_of_ref((source, item), podcast)
        key = target.heading if target else key
    elif kind == "person":
        name = Person.objects.filter(identity=key).values_list("name", flat=True).first()
        key = "" if detail else name or key
    return f"{key} {detail}".strip()


def _decided(episode: Episode, kind: str, key: str) -> list[Decision]:
    """The decisions in force about what `key` means: two addresses of one thing, a topic's old
    name, two entries of one episode."""
    if kind not in _LISTS:
        raise Impossible("There is no such list.")
    meaning = _LISTS[kind].meaning
    meant = meaning(episode.podcast, key)
    return [
        row
        for row in in_force(episode, kind)
        if row.key == key or meaning(episode.podcast, row.key) == meant
    ]


def _end(record: Recorder, rows: list[Decision]) -> None:
    for row in rows:
        record.end(row)


def person_key(podcast: Podcast, name: str, address: str = "") -> str:
    """The identity of a person, by name and, where given, by handle or address; a person of the
    show keeps their own."""
    if not address:
        known = Person.objects.filter(
            name__iexact=name, credits__episode__podcast=podcast
        ).order_by("identity")
        identity = known.exclude(identity="").values_list("identity", flat=True).first()
        if identity:
            return identity
    return person_identity(podcast, name, address)


def _check(kind: str, key: str, detail: str) -> None:
    if kind not in _LISTS:
        raise Impossible("There is no such list.")
    if not key or len(key) > LONGEST or len(detail) > LONGEST_DETAIL:
        raise Impossible(f"{kind.capitalize()}: enter something, up to {LONGEST} characters.")
    if not _LISTS[kind].can_be(key, detail):
        raise Impossible(f"{kind.capitalize()}: {_LISTS[kind].wanted}")


def topic_names() -> dict[str, str]:
    """Slugs of all topics by everything they are called: slug, name, aliases and former slugs,
    folded."""
    former = FormerTopic.objects.exclude(topic=None).values_list("slug", "topic__slug")
    found = {old.casefold(): str(slug) for old, slug in former}
    for slug, name, aliases in Topic.objects.values_list("slug", "name", "aliases"):
        found |= {called.casefold(): slug for called in (*aliases, name, slug)}
    return found


def _topic_slug(text: str) -> str:
    return topic_names().get(text.casefold(), text)


def _is_topic(slug: str, detail: str) -> bool:
    return (
        Topic.objects.filter(slug=slug).exists()
        or FormerTopic.objects.filter(slug=slug, topic__gt=0).exists()
    )


def _is_link(address: str, words: str) -> bool:
    return is_web(address)


def _is_person(identity: str, detail: str) -> bool:
    role, _, name = detail.partition(" ")
    return bool(name) and len(role) <= LONGEST_ROLE


def _is_reference(key: str, relation: str) -> bool:
    source, _, item = key.partition(" ")
    there = Attachment.objects.filter(item__document__source__slug=source, item__key=item)
    return relation in dict(Reference.KINDS) and there.exists()


def _topic(podcast: Podcast, slug: str) -> str:
    return (
        FormerTopic.objects.filter(slug=slug).values_list("topic__slug", flat=True).first() or slug
    )


def _reference(podcast: Podcast, key: str) -> str:
    source, _, item = key.partition(" ")
    episode = episode_of_ref((source, item), podcast)
    return " ".join(refs(episode)[0]) if episode else key


# What a person typed, as the key of a list.
_MEANT: dict[str, Callable[[str], str]] = {
    "topic": _topic_slug,
    "link": lambda text: web_address(text) or text,
}


@dataclass(frozen=True)
class ListRules:
    """The rules of a list: what an entry can be, the message for anything else, and what its key
    means."""

    can_be: Callable[[str, str], bool]
    wanted: str
    meaning: Callable[[Podcast, str], str]


_LISTS = {
    "topic": ListRules(_is_topic, "no topic has this name.", _topic),
    "link": ListRules(_is_link, "enter a full address such as https://example.org/page.", link_key),
    "person": ListRules(_is_person, "enter a name and a role.", lambda _, key: key),
    "reference": ListRules(
        _is_reference, "choose an episode and its relation to this one.", _reference
    ),
}
