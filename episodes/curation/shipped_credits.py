"""Credits that `fixtures/credits.json` ships: people of a shipped show that no rule reads from its texts.
Each becomes a decision once, in a catalog that has the episode."""

import json
from typing import NamedTuple

from django.conf import settings
from django.db import transaction

from ..models import ADDED, Decision, Episode, path_of_merges
from ..resolve import person_identity, update_catalog
from .decide import entry_anchors, episode_at_address, episode_columns


class ShippedCredit(NamedTuple):
    """A person's role in an episode. The show and the episode are named by their addresses."""

    podcast: str
    episode: str
    role: str
    name: str


@transaction.atomic
def add_shipped_credits_unless_decided() -> None:
    """Add the credits that are shipped with the sample data, unless somebody has decided about the person.

    Ended decisions count as well, so a credit that a curator withdrew stays away.
    """
    changed_shows = {}  # each once, by id
    for credit in read_shipped_credits():
        episode = episode_at_address(credit.episode)
        # Without the shipped show, another show may have an episode at this address.
        if episode is None or episode.podcast.slug != credit.podcast:
            continue
        identity = person_identity(episode.podcast, credit.name)
        if _has_decision_about_person(episode, identity):
            continue
        Decision.objects.create(
            kind="person",
            **episode_columns(episode, reason="Shipped with the sample data."),
            key=identity,
            value=ADDED,
            detail=f"{credit.role} {credit.name}",
        )
        changed_shows[episode.podcast.pk] = episode.podcast
    for podcast in changed_shows.values():
        update_catalog(podcast)


def read_shipped_credits() -> list[ShippedCredit]:
    path = settings.BASE_DIR / "fixtures" / "credits.json"
    return [ShippedCredit(**row) for row in json.loads(path.read_text("utf-8"))]


def _has_decision_about_person(episode: Episode, identity: str) -> bool:
    """Return whether a decision, even an ended one, is about a person in an episode.

    The person's other identities, which a curator merged, count too.
    """
    merges = Decision.objects.in_force("correct-person").filter(field="same")
    target_by_merged_identity = dict(merges.values_list("key", "value"))
    anchors = set(entry_anchors(episode))
    # The path goes from an identity over all merges. Its last identity stands for the person.
    final_identity = path_of_merges(identity, target_by_merged_identity)[-1]
    for decision in Decision.objects.filter(kind="person", podcast=episode.podcast):
        decided_identity = path_of_merges(decision.key, target_by_merged_identity)[-1]
        if decided_identity == final_identity and decision.entry in anchors:
            return True
    return False
