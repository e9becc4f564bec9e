"""What a curator adds to an episode's topics, links, people and references, takes out of them, and brings back."""

from __future__ import annotations

from collections.abc import Callable

from django.db.models import QuerySet

from ..models import Addition, Attachment, Episode, FormerTopic, Person, Podcast, Reference, Removal, Topic
from ..resolve import link_key, person_identity
from .history import User
from .verbs import Impossible, about_one, anchor, hung, in_force, refs

LONGEST = 2000
LONGEST_DETAIL = 400
LONGEST_ROLE = 20


def add(
    user: User, episode: Episode, kind: str, key: str, detail: str = "", *, seen: str = "", reason: str = ""
) -> None:
    """Add a topic, link, person or reference; one that was removed is brought back.

    Raises:
        Impossible: there is no such thing. Stale: somebody was faster.
    """
    key, detail = key.replace("\0", "").strip(), detail.replace("\0", "").strip()
    _check(kind, key, detail)
    with about_one(user, f"add {kind}", episode, seen, reason) as record:
        same = _alike(episode.podcast, kind, key)
        for removed in in_force(Removal, episode, kind=kind):
            if same(removed.key):
                record.end(removed)
        there = [row for row in in_force(Addition, episode, kind=kind) if same(row.key)]
        if not any(row.detail == detail for row in there):
            for row in there:
                record.end(row)
            record.save(Addition(**hung(episode.podcast, anchor(episode), reason), kind=kind, key=key, detail=detail))
        record.tell(kind, "", f"{key} {detail}".strip())


def remove(user: User, episode: Episode, kind: str, key: str, *, seen: str = "", reason: str = "") -> None:
    """Take out a topic, link, person or reference; it stays out whatever a source or a rule proposes."""
    with about_one(user, f"remove {kind}", episode, seen, reason) as record:
        same = _alike(episode.podcast, kind, key)
        for row in in_force(Addition, episode, kind=kind):
            if same(row.key):
                record.end(row)
        if not any(same(row.key) for row in in_force(Removal, episode, kind=kind)):
            record.save(Removal(**hung(episode.podcast, anchor(episode), reason), kind=kind, key=key[:LONGEST]))
        record.tell(kind, key, "")


def bring_back(user: User, episode: Episode, kind: str, key: str, *, seen: str = "", reason: str = "") -> None:
    """End a removal: what sources and rules propose holds again."""
    with about_one(user, f"bring back {kind}", episode, seen, reason) as record:
        same = _alike(episode.podcast, kind, key)
        for row in in_force(Removal, episode, kind=kind):
            if same(row.key):
                record.end(row)
                record.tell(kind, "", key)


def person_key(podcast: Podcast, name: str, address: str = "") -> str:
    """Who is meant by a name, and by a handle or address where one is given; somebody the show knows keeps their own."""
    if not address:
        known = Person.objects.filter(name__iexact=name, credits__episode__podcast=podcast).order_by("identity")
        identity = known.exclude(identity="").values_list("identity", flat=True).first()
        if identity:
            return identity
    return person_identity(podcast, name, address)


def _check(kind: str, key: str, detail: str) -> None:
    if not key or len(key) > LONGEST or len(detail) > LONGEST_DETAIL:
        raise Impossible(f"{kind}: nothing was given, or too much.")
    can_be, wanted = _CHECKS[kind]
    if not can_be(key, detail):
        raise Impossible(f"{kind}: {wanted}")


def _is_topic(slug: str, detail: str) -> bool:
    return Topic.objects.filter(slug=slug).exists() or FormerTopic.objects.filter(slug=slug, topic__gt=0).exists()


def _is_link(address: str, words: str) -> bool:
    return address.lower().startswith(("http://", "https://"))


def _is_person(identity: str, detail: str) -> bool:
    role, _, name = detail.partition(" ")
    return bool(name) and len(role) <= LONGEST_ROLE


def _is_reference(key: str, relation: str) -> bool:
    return relation in dict(Reference.KINDS) and _entries(key).exists()


_CHECKS: dict[str, tuple[Callable[[str, str], bool], str]] = {
    "topic": (_is_topic, "there is none of this name."),
    "link": (_is_link, "an http(s) address, please."),
    "person": (_is_person, "a name and a part, please."),
    "reference": (_is_reference, "name an episode, and what it is to this one."),
}


def _entries(key: str) -> QuerySet[Attachment]:
    source, _, item = key.partition(" ")
    return Attachment.objects.filter(item__document__source__slug=source, item__key=item)


def _alike(podcast: Podcast, kind: str, key: str) -> Callable[[str], bool]:
    """Tells whether a key means what `key` means: two addresses of one thing, a topic's old name, two entries of one
    episode."""
    mean = {"link": link_key, "topic": _topic, "reference": _episode}.get(kind, lambda _, said: said)
    wanted = mean(podcast, key)
    return lambda other: other == key or mean(podcast, other) == wanted


def _topic(podcast: Podcast, slug: str) -> str:
    return FormerTopic.objects.filter(slug=slug).values_list("topic__slug", flat=True).first() or slug


def _episode(podcast: Podcast, key: str) -> str:
    found = _entries(key).filter(episode__podcast=podcast).select_related("episode").first()
    return " ".join(refs(found.episode)[0]) if found else key
