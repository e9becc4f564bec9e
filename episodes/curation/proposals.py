"""A curator's answers to proposed topics: accepted ones become topics of their show, refused ones
are remembered."""

from __future__ import annotations

import unicodedata
from itertools import chain, count

from ..models import Redirect, Topic, TopicProposal
from ..resolve import address_of
from .history import User, changing
from .vocabulary import about, called, joined, names_of, unlike_others

LONGEST_NAME = 100
LONGEST_SLUG = 100
ROOM = 5  # for a number behind an address


def accept_topic(user: User, proposal: TopicProposal, name: str = "", *, reason: str = "") -> Topic:
    """Make a proposal a topic of its show, under its name or another.

    Raises:
        Impossible: a topic has that name, whatever the case; join them instead.
    """
    podcast, name = proposal.podcast, _named(proposal, name)
    topic = Topic(podcast=podcast, slug=_free_slug(name), name=name)
    topic.aliases, topic.rules = _aliases(proposal, name), _terms(proposal)
    unlike_others(topic)
    with changing(
        user, "accept topic", name, about(podcast), podcasts=[podcast], reason=reason
    ) as record:
        record.save(topic)
        record.tell("topic", "", name)
    return topic


def join_topic(user: User, proposal: TopicProposal, into: Topic, *, reason: str = "") -> None:
    """Give the terms of a proposal to a topic that is there; one of another show becomes a topic of
    all shows."""
    podcast = proposal.podcast
    shows = [podcast] if into.podcast_id == podcast.pk else None
    with changing(
        user,
        "join topic",
        f"{proposal.name} into {into.name}",
        about(into),
        podcasts=shows,
        reason=reason,
    ) as record:
        into = Topic.objects.get(pk=into.pk)
        if into.podcast_id not in (None, podcast.pk):
            record.tell("show", into.podcast, "every show")
            into.podcast = None
        known = {name.casefold() for name in names_of(into)}
        into.aliases = [
            *into.aliases,
            *(name for name in _aliases(proposal, "") if name.casefold() not in known),
        ]
        into.rules = joined(into.rules, _terms(proposal))
        record.save(into)
        record.tell("terms", "", ", ".join(proposal.terms))


def refuse_topic(user: User, proposal: TopicProposal, *, reason: str = "") -> None:
    """Never propose a topic for its show again."""
    podcast = proposal.podcast
    with changing(
        user, "refuse topic", proposal.name, about(podcast), podcasts=[podcast], reason=reason
    ) as record:
        subject = {"podcast": podcast, "key": proposal.key}
        record.decide("refusal", **subject, detail=proposal.name, reason=reason)
        record.tell("proposed topic", proposal.name, "refused")


def namesake(proposal: TopicProposal, name: str = "") -> Topic | None:
    """The topic that has this name, or the proposal's, already."""
    return called((_named(proposal, name), *_aliases(proposal, "")))


def _named(proposal: TopicProposal, name: str) -> str:
    return " ".join(name.split())[:LONGEST_NAME] or proposal.name


def _aliases(proposal: TopicProposal, name: str) -> list[str]:
    """The keywords that make the topic, where its name alone does not. Words are terms of the rules
    instead."""
    written = proposal.terms if proposal.source == "keyword" else []
    words = {word.casefold(): word for word in written}
    words.pop(name.casefold(), None)
    return list(words.values())


def _terms(proposal: TopicProposal) -> dict[str, list[str]]:
    if proposal.source == "keyword":
        return {}
    return {"title": list(proposal.terms), "notes": [f"{term}@once" for term in proposal.terms]}


def _free_slug(name: str) -> str:
    """The address that a name makes, in ASCII; with a number where another topic has, or had,
    it."""
    plain = (
        unicodedata.normalize("NFKD", name.replace("ß", "ss")).encode("ascii", "ignore").decode()
    )
    wanted = address_of(plain)[:LONGEST_SLUG] or "topic"
    stem = wanted[: LONGEST_SLUG - ROOM]
    taken = {
        *Topic.objects.filter(slug__startswith=stem).values_list("slug", flat=True),
        *Redirect.objects.of("topic").filter(slug__startswith=stem).values_list("slug", flat=True),
    }
    return next(
        slug for slug in chain([wanted], (f"{stem}-{n}" for n in count(2))) if slug not in taken
    )
