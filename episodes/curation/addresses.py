"""Owners of addresses: an address that a curator pins must never have been another episode's."""

from __future__ import annotations

from collections.abc import Sequence

from ..models import Episode, Podcast, episodes_at, former_owners
from ..resolve import address_of, owner_of


def led_to(slug: str) -> Episode | None:
    """The episode that an address leads to."""
    return episodes_at([slug], Episode.objects.select_related("podcast")).get(slug)


def trouble_with_address(value: str, podcast: Podcast, own: Sequence[Episode]) -> str:
    """The reason why none of the episodes `own` of a show can have this address; "" where they
    can."""
    slug = address_of(value)
    if not slug or slug in {episode.slug for episode in own}:
        return ""
    former, holder, owner = former_owners([slug]).get(slug), led_to(slug), owner_of(slug)
    whose = ""
    if former is not None and former.withdrawn:
        whose = "is the address of an episode that was taken out"
    elif holder and holder not in own:
        named = f"{holder.heading} ({holder.get_absolute_url()})"
        whose = f"is, or was, the address of {named}: it goes on leading there"
    elif owner not in (None, podcast):
        whose = f"was the address of an episode of {owner}"
    return f"“{slug}” {whose}. Choose another address." if whose else ""
