"""Answers to what readers suggest: accepted, it is the decision that a curator would have made,
credited to the reader; refused, it is kept and never shown."""

from __future__ import annotations

from django.utils import timezone

from ..models import Suggestion
from ..resolve import WordCorrection, link_identity
from .corrections import Thing, correct
from .entries import episode_of_ref
from .history import Impossible, User, changing, together
from .lists import add, person_key
from .verbs import correct_words, override

VERBS = {Suggestion.ACCEPTED: "accept suggestion", Suggestion.REFUSED: "refuse suggestion"}


def accept_suggestion(user: User, one: Suggestion) -> None:
    """Decide what a reader suggests.

    Raises:
        Impossible: its episode is gone, or the value is none for the field.
    """
    credit = f"Suggested by {one.name or 'a reader'}."
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
