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
    whose = _whose(slug, podcast, own)
    return f"{whose} Choose another address." if whose else ""


def _whose(slug: str, podcast: Podcast, own: Sequence[Episode]) -> str:
    """The episode that an address belongs to, and why; "" for none but those of `own`."""
    if holder := holder_of(slug):
        return f"“{slug}” is the address of {_named(holder)}."
    former_owner = former_owners([slug]).get(slug)
    if former_owner is not None and former_owner.withdrawn:
        return f"“{slug}” is the address of an episode that was taken out."
    former = led_to(slug)
    if former is not None and former not in own:
        return (
            f"“{slug}” was the address of {_named(former)} and still redirects there: an address that was public is "
            "never given to another episode."
        )
    owner, pinned = owner_of(slug), _pinned_to(slug, podcast)
    if owner is not None and owner != podcast:
        return f"“{slug}” was the address of an episode of {owner}."
    return (
        f"“{slug}” is set as the address of {_named(pinned)}."
        if pinned and pinned not in own
        else ""
    )


def _named(episode: Episode) -> str:
    return f"{episode.heading} ({episode.get_absolute_url()})"


def _pinned_to(slug: str, podcast: Podcast) -> Episode | None:
    """The episode that is to have an address as soon as its show is resolved."""
    rows = Decision.objects.in_force("value").filter(podcast=podcast, field="slug").reverse()
    row = next((row for row in rows if address_of(row.value) == slug), None)
    return episode_of_ref((row.source, row.item_key), podcast) if row else None
