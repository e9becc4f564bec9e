"""A curator's answers to proposed topics: accepted ones become topics of their show, refused ones
are remembered."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from itertools import chain, count

from ..models import Decision, FormerTopic, Topic, TopicProposal
from ..resolve import address_of
from .history import User, changing
from .vocabulary import TERMS, about, names_of, unlike_others

LONGEST_NAME = 100
LONGEST_SLUG = 100
ROOM = 5  # for a number behind an address


def accept_topic(user: User, proposal: TopicProposal, name: str = "", *, reason: str = "") -> Topic:
    """Make a proposal a topic of its show, under its name or another.

    Raises:
        Impossible: a topic has that name, whatever the case; join them instead.
    """
    podcast, name = proposal.podcast, _named(proposal, name)
    terms = _terms(proposal)
    topic = Topic(podcast=podcast, slug=_free_slug(name), name=name)
    topic.aliases, topic.rules = _aliases(proposal, name), terms
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
    own = into.podcast_id == podcast.pk
    shows = [podcast] if own else None
    with changing(
        user,
        "join topic",
        f"{proposal.name} into {into.name}",
        about(into),
        podcasts=shows,
        reason=reason,
    ) as record:
        into = Topic.objects.get(pk=into.pk)
        if not own and into.podcast_id:
            record.tell("show", into.podcast, "every show")
            into.podcast = None
        known = {name.casefold() for name in names_of(into)}
        into.aliases = [
            *into.aliases,
            *(name for name in _aliases(proposal, "") if name.casefold() not in known),
        ]
        into.rules = _joined(into.rules, _terms(proposal))
        record.save(into)
        record.tell("terms", "", ", ".join(proposal.terms))


def refuse_topic(user: User, proposal: TopicProposal, *, reason: str = "") -> None:
    """Never propose a topic for its show again."""
    podcast = proposal.podcast
    with changing(
        user, "refuse topic", proposal.name, about(podcast), podcasts=[podcast], reason=reason
    ) as record:
        subject = {"podcast": podcast, "key": proposal.key}
        if Decision.objects.in_force("refusal").filter(**subject).exists():
            return  # the catalog of a large show follows later, and shows the proposal until then
        record.decide("refusal", **subject, detail=proposal.name, reason=reason)
        record.tell("proposed topic", proposal.name, "refused")


def namesake(proposal: TopicProposal, name: str = "") -> Topic | None:
    """The topic that has this name, or the proposal's, already."""
    wanted = {
        _named(proposal, name).casefold(),
        *(alias.casefold() for alias in _aliases(proposal, "")),
    }
    topics = Topic.objects.select_related("podcast")
    return next(
        (topic for topic in topics if wanted & {own.casefold() for own in names_of(topic)}), None
    )


def _named(proposal: TopicProposal, name: str) -> str:
    return " ".join(name.split())[:LONGEST_NAME] or proposal.name


def _aliases(proposal: TopicProposal, name: str) -> list[str]:
    """The keywords that make the topic, where its name alone does not. Words are terms of the rules
    instead."""
    written = proposal.terms if proposal.source == "keyword" else []
    return list(
        {word.casefold(): word for word in written if word.casefold() != name.casefold()}.values()
    )


def _terms(proposal: TopicProposal) -> dict[str, list[str]]:
    if proposal.source == "keyword":
        return {}
    return {"title": list(proposal.terms), "notes": [f"{term}@once" for term in proposal.terms]}


def _joined(
    rules: Mapping[str, Sequence[str]], terms: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    both = {kind: [*rules.get(kind, ()), *terms.get(kind, ())] for kind in TERMS}
    return {kind: list(dict.fromkeys(listed)) for kind, listed in both.items() if listed}


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
        *FormerTopic.objects.filter(slug__startswith=stem).values_list("slug", flat=True),
    }
    return next(
        slug for slug in chain([wanted], (f"{stem}-{n}" for n in count(2))) if slug not in taken
    )
