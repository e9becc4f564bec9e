"""Owners of addresses: an address that a curator pins must never have been another episode's."""

from __future__ import annotations

from collections.abc import Sequence

from ..models import Decision, Episode, Podcast, episodes_at, former_owners
from ..resolve import address_of, owner_of
from .entries import episode_of_ref


def led_to(slug: str) -> Episode | None:
    """The episode that an address leads to."""
    return episodes_at([slug], Episode.objects.select_related("podcast")).get(slug)


def holder_of(value: str) -> Episode | None:
    """The episode that has this address now."""
    return Episode.objects.select_related("podcast").filter(slug=address_of(value)).first()


def trouble_with_address(value: str, podcast: Podcast, own: Sequence[Episode]) -> str:
    """The reason why none of the episodes `own` of a show can have this address; "" where they
    can."""
    slug = address_of(value)
    if not slug or holder_of(slug) in own:
        return ""
    former, holder, owner = former_owners([slug]).get(slug), led_to(slug), owner_of(slug)
    pinned = _pinned_to(slug, podcast)
    whose = ""
    if former is not None and former.withdrawn:
        whose = "is the address of an episode that was taken out"
    elif holder and holder not in own:
        whose = f"is, or was, the address of {_named(holder)}: it goes on leading there"
    elif owner not in (None, podcast):
        whose = f"was the address of an episode of {owner}"
    elif pinned and pinned not in own:
        whose = f"is set as the address of {_named(pinned)}"
    return f"“{slug}” {whose}. Choose another address." if whose else ""


def _named(episode: Episode) -> str:
    return f"{episode.heading} ({episode.get_absolute_url()})"


def _pinned_to(slug: str, podcast: Podcast) -> Episode | None:
    """The episode that is to have an address as soon as its show is resolved."""
    rows = Decision.objects.in_force("value").filter(podcast=podcast, field="slug").reverse()
    row = next((row for row in rows if address_of(row.value) == slug), None)
    return episode_of_ref((row.source, row.item_key), podcast) if row else None
