"""Answers in the inbox: proposed topics become topics of their show, or are refused and remembered;
what readers suggest is decided and credited, or kept and never shown; rows are called no
problem."""

import unicodedata
from itertools import chain, count

from django.utils import timezone

from ..models import Dismissed, Redirect, Suggestion, Topic, TopicProposal
from ..resolve import WordCorrection, address_of, link_identity
from .history import Impossible, User, changing, together
from .lists import add, person_key
from .things import Thing, about, correct, unlike_others
from .verbs import correct_words, episode_of_ref, override

LONGEST_NAME = 100
LONGEST_SLUG = 100
ROOM = 5  # for a number behind an address
VERBS = {Suggestion.ACCEPTED: "accept suggestion", Suggestion.REFUSED: "refuse suggestion"}


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
        # The words were chosen as they are rare, so one mention is enough.
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
        *Redirect.objects.filter(kind="topic")
        .filter(slug__startswith=stem)
        .values_list("slug", flat=True),
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


def accept_suggestion(user: User, one: Suggestion) -> None:
    """Decide what a reader suggests.

    Raises:
        Impossible: its episode is gone, or the value is none for the field.
    """
    credit = f"Suggested by {one.name or 'a reader'}."
    # The decision and the answer are undone together.
    with together("accept suggestion", [one.podcast]):
        _decide(user, one, f"{credit} {one.evidence}".strip())
        settle_suggestion(user, one, Suggestion.ACCEPTED)


def _decide(user: User, one: Suggestion, reason: str) -> None:
    if one.kind != "episode":
        key = link_identity(one.key) if one.kind == "link" else one.key
        thing = Thing(one.kind, key, one.subject)
        correct(user, thing, {one.field: one.value}, reason=reason)
        return
    episode = episode_of_ref((one.source, one.item_key), one.podcast)
    if episode is None:
        raise Impossible("The episode is gone.")
    match one.field:
        case "host" | "guest":
            key, detail = person_key(one.podcast, one.value), f"{one.field} {one.value}"
            add(user, episode, "person", key, detail, reason=reason)
        case "words":
            correction = WordCorrection("", one.wrong, "", one.value)
            correct_words(user, episode, correction, reason=reason)
        case _:
            override(user, episode, {one.field: one.value}, reason=reason)


def settle_suggestion(user: User, one: Suggestion, state: str) -> None:
    """Keep a suggestion as accepted or refused. The reader's address is forgotten first, so that
    the history does not hold it."""
    Suggestion.objects.filter(pk=one.pk).update(contact="")
    one.contact, one.state, one.settled_at = "", state, timezone.now()
    verb, about = VERBS[state], f"suggestion:{one.pk}"
    with changing(user, verb, one.subject, about, podcasts=[]) as record:
        record.save(one)
        record.tell("suggestion", one.value, state)
