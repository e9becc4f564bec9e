"""A curator's changes of an episode's topics, links, people, references and conflicts: added,
removed, brought back."""

import re

from ..fields import web_address
from ..models import (
    ADDED,
    LONGEST_MOMENT,
    REMOVED,
    Attachment,
    Decision,
    Episode,
    Person,
    Podcast,
    Redirect,
    Reference,
    Topic,
)
from ..resolve import link_key, person_identity
from ..text.formatting import clock
from .history import Impossible, Recorder, User
from .verbs import anchor, changing_episode, episode_of_ref, in_force, on_entry, refs

LONGEST = 2000
LONGEST_DETAIL = 400
LONGEST_ROLE = 20
SPAN = re.compile("[0-9]{1,6}-[0-9]{1,6}")


class ListKind:
    """A list of an episode: the key of an entry, what it means, and what it is called. This
    one is the list of conflicts, which are only closed: removed for as long as sources give these
    values."""

    wanted = "choose one of the list."
    added = "{name} {detail}"  # an added entry in words

    def key(self, text: str, detail: str) -> str:
        """The key for the words that a person typed; "" where the list has no such entry."""
        return ""

    def meaning(self, podcast: Podcast, key: str) -> str:
        """The same for two addresses of one thing, a topic's old name, two entries of one
        episode."""
        return key

    def name(self, podcast: Podcast, key: str) -> str:
        return " / ".join(key.split("\n"))


class TopicList(ListKind):
    wanted = "no topic has this name."

    def key(self, text: str, detail: str) -> str:
        return topic_names().get(text.casefold(), "")

    def meaning(self, podcast: Podcast, key: str) -> str:
        former = Redirect.objects.filter(kind="topic").filter(slug=key)
        return former.values_list("topic__slug", flat=True).first() or key


class MomentList(TopicList):
    """A topic with a part of the episode that is about it, in seconds: `dispatcher 324-341`."""

    wanted = "choose a topic, and a beginning and an end such as 5:24 and 5:41, at most 3 minutes."

    def key(self, text: str, detail: str) -> str:
        topic, _, span = text.rpartition(" ")
        slug = super().key(topic, detail)
        if not (slug and SPAN.fullmatch(span)):
            return ""
        start, end = map(int, span.split("-"))
        return f"{slug} {span}" if start < end <= start + LONGEST_MOMENT else ""

    def meaning(self, podcast: Podcast, key: str) -> str:
        topic, _, span = key.rpartition(" ")
        return f"{super().meaning(podcast, topic)} {span}"

    def name(self, podcast: Podcast, key: str) -> str:
        topic, _, span = key.rpartition(" ")
        return f"{topic} {'–'.join(clock(int(second)) for second in span.split('-'))}"


class LinkList(ListKind):
    wanted = "enter a full address such as https://example.org/page."

    def key(self, text: str, detail: str) -> str:
        return web_address(text)

    def meaning(self, podcast: Podcast, key: str) -> str:
        return link_key(podcast, key)


class PersonList(ListKind):
    wanted = "enter a name and a role."
    added = "{detail}"

    def key(self, text: str, detail: str) -> str:
        role, _, name = detail.partition(" ")
        return text if name and len(role) <= LONGEST_ROLE else ""

    def name(self, podcast: Podcast, key: str) -> str:
        name = Person.objects.filter(identity=key).values_list("name", flat=True).first()
        return name or key


class ReferenceList(ListKind):
    wanted = "choose an episode and its relation to this one."

    def key(self, text: str, detail: str) -> str:
        source, _, item = text.partition(" ")
        there = Attachment.objects.filter(item__document__source__slug=source, item__key=item)
        return text if detail in dict(Reference.KINDS) and there.exists() else ""

    def meaning(self, podcast: Podcast, key: str) -> str:
        episode = self.target(podcast, key)
        return " ".join(refs(episode)[0]) if episode else key

    def name(self, podcast: Podcast, key: str) -> str:
        episode = self.target(podcast, key)
        return episode.heading if episode else key

    def target(self, podcast: Podcast, key: str) -> Episode | None:
        source, _, item = key.partition(" ")
        return episode_of_ref((source, item), podcast)


LIST_KINDS = {
    "topic": TopicList(),
    "link": LinkList(),
    "person": PersonList(),
    "reference": ReferenceList(),
    "conflict": ListKind(),
    "moment": MomentList(),
}


def _kind(name: str) -> ListKind:
    if name not in LIST_KINDS:
        raise Impossible("There is no such list.")
    return LIST_KINDS[name]


def add(
    user: User,
    episode: Episode,
    kind: str,
    key: str,
    detail: str = "",
    *,
    seen: str = "",
    reason: str = "",
) -> str:
    """Add a topic, link, person, reference or moment; one that was removed is brought back. The
    details of the one that this replaces are returned.

    Raises:
        Impossible: there is no such thing. Stale: somebody was faster.
    """
    typed, detail = (words.replace("\0", "").strip() for words in (key, detail))
    key = _kind(kind).key(typed, detail)
    if not key or len(key) > LONGEST or len(detail) > LONGEST_DETAIL:
        raise Impossible(f"{kind.capitalize()}: {_kind(kind).wanted}")
    with changing_episode(user, f"add {kind}", episode, seen, reason) as record:
        return put(record, episode, kind, key, ADDED, detail, reason=reason)


def remove(
    user: User, episode: Episode, kind: str, *keys: str, seen: str = "", reason: str = ""
) -> None:
    """Take out topics, links, people or references; they stay out whatever a source or a rule
    proposes. Of conflicts: accept them as no problem."""
    with changing_episode(user, f"remove {kind}", episode, seen, reason) as record:
        for key in keys:
            put(record, episode, kind, key[:LONGEST], REMOVED, reason=reason)


def put(
    record: Recorder,
    episode: Episode,
    kind: str,
    key: str,
    value: str,
    detail: str = "",
    *,
    reason: str = "",
) -> str:
    """Decide that an entry of a list is added or removed, in place of what was decided of it, by
    whatever key; the details that this one replaces."""
    there = _decided(episode, kind, key)
    others = [row for row in there if (row.value, row.detail) != (value, detail)]
    for row in others:
        record.end(row)
    # Nothing that is in force says this already.
    if there == others:
        where = on_entry(episode.podcast, anchor(episode), reason)
        record.decide(kind, **where, key=key, value=value, detail=detail)
    name = _kind(kind).name(episode.podcast, key)
    was = ", ".join(row.detail for row in others if row.value == ADDED)
    words = _kind(kind).added.format(name=name, detail=detail).strip()
    before, after = (name, "") if value == REMOVED else (was, words)
    record.tell(kind, before, after)
    return was


def bring_back(
    user: User, episode: Episode, kind: str, key: str, *, seen: str = "", reason: str = ""
) -> None:
    """End a removal: what sources and rules propose holds again."""
    with changing_episode(user, f"bring back {kind}", episode, seen, reason) as record:
        for row in _decided(episode, kind, key):
            if row.value == REMOVED:
                record.end(row)
                record.tell(kind, "", _kind(kind).name(episode.podcast, key))


def _decided(episode: Episode, kind: str, key: str) -> list[Decision]:
    """The decisions in force about what a key means."""
    podcast, meaning = episode.podcast, _kind(kind).meaning
    meant = meaning(podcast, key)
    return [row for row in in_force(episode, kind) if meaning(podcast, row.key) == meant]


def person_key(podcast: Podcast, name: str, address: str = "") -> str:
    """The identity of a person, by name and, where given, by handle or address; a person of the
    show keeps their own."""
    known = Person.objects.filter(name__iexact=name, credits__episode__podcast=podcast)
    own = known.exclude(identity="").order_by("identity").values_list("identity", flat=True)
    # With an address it may be somebody else of the same name.
    return (not address and own.first()) or person_identity(podcast, name, address)


def topic_names() -> dict[str, str]:
    """Slugs of all topics by everything they are called: slug, name, aliases and former slugs,
    folded."""
    former = (
        Redirect.objects.filter(kind="topic").exclude(topic=None).values_list("slug", "topic__slug")
    )
    # Former slugs come first: what a topic is called now wins.
    found = {old.casefold(): str(slug) for old, slug in former}
    for slug, name, aliases in Topic.objects.values_list("slug", "name", "aliases"):
        found |= {called.casefold(): slug for called in (*aliases, name, slug)}
    return found
