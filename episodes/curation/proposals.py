"""Answers in the inbox: proposed topics become topics of their show, or are refused and remembered;
rows are called no problem."""

from __future__ import annotations

import unicodedata
from itertools import chain, count

from ..models import Dismissed, Redirect, Topic, TopicProposal
from ..resolve import address_of
from .history import User, changing
from .vocabulary import about, unlike_others

LONGEST_NAME = 100
LONGEST_SLUG = 100
ROOM = 5  # for a number behind an address


def accept_topic(user: User, proposal: TopicProposal, name: str = "", *, reason: str = "") -> Topic:
    """Make a proposal a topic of its show, under its name or another.

    Raises:
        Impossible: a topic has that name, whatever the case.
    """
    podcast, name = proposal.podcast, " ".join(name.split())[:LONGEST_NAME] or proposal.name
    topic = Topic(podcast=podcast, slug=_free_slug(name), name=name)
    terms = list(proposal.terms)
    if proposal.source == "keyword":
        # Those that its name does not say by itself.
        topic.aliases = [word for word in terms if word.casefold() != name.casefold()]
    else:
        topic.rules = {"title": terms, "notes": [f"{term}@once" for term in terms]}
    unlike_others(topic)
    with changing(
        user, "accept topic", name, about(podcast), podcasts=[podcast], reason=reason
    ) as record:
        record.save(topic)
        record.tell("topic", "", name)
    return topic


def refuse_topic(user: User, proposal: TopicProposal, *, reason: str = "") -> None:
    """Never propose a topic for its show again."""
    podcast = proposal.podcast
    with changing(
        user, "refuse topic", proposal.name, about(podcast), podcasts=[podcast], reason=reason
    ) as record:
        subject = {"podcast": podcast, "key": proposal.key}
        record.decide("refusal", **subject, detail=proposal.name, reason=reason)
        record.tell("proposed topic", proposal.name, "refused")


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


def dismiss(
    user: User, kind: str, key: str, about: str, digest: str, subject: str, *, reason: str = ""
) -> None:
    """Leave a row out of the inbox for as long as it says what it says now."""
    with changing(
        user, "dismiss", subject, f"inbox:{about[:32]}", podcasts=[], reason=reason
    ) as record:
        row = Dismissed.objects.filter(about=about).first() or Dismissed(about=about)
        row.kind, row.key, row.digest, row.subject = kind, key, digest, subject[:300]
        row.reason, row.made_by_id = reason, user.pk
        record.save(row)
        record.tell("inbox", "open", "not a problem")
