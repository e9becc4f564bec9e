"""Owners of addresses: an address that a curator pins must never have been another episode's (rules.md 20)."""

from __future__ import annotations

from collections.abc import Sequence

from ..models import Attachment, Episode, FormerAddress, Override, Podcast
from ..resolve import address_of, owner_of
from .entries import episode_of_ref

MOST_FORMER = 100


def led_to(slug: str) -> Episode | None:
    """The episode that a former address leads to: that of the earliest entry in the ledger that belongs to one."""
    for entry in FormerAddress.objects.filter(slug=slug).order_by("id")[:MOST_FORMER]:
        found = Attachment.objects.filter(
            item__key=entry.item_key, item__document__address=entry.document, item__document__source=entry.source_id
        )
        attachment = found.select_related("episode__podcast").first()
        if attachment is not None:
            return attachment.episode
    return None


def trouble_with_address(value: str, podcast: Podcast, own: Sequence[Episode]) -> str:
    """The reason why none of the episodes `own` of a show can have this address; "" where they can."""
    slug = address_of(value)
    if not slug:
        return ""
    there = Episode.objects.filter(slug=slug).first()
    if there in own:
        return ""
    if there is not None:
        return f"“{slug}” is the address of {_named(there)}. Choose another address."
    former = led_to(slug)
    if former is not None and former not in own:
        return (
            f"“{slug}” was the address of {_named(former)} and still redirects there: an address that was public is "
            "never given to another episode. Choose another address."
        )
    owner = owner_of(slug)
    if owner is not None and owner != podcast:
        return f"“{slug}” was the address of an episode of {owner}. Choose another address."
    pinned = _pinned_to(slug, podcast)
    if pinned is not None and pinned not in own:
        return f"“{slug}” is set as the address of {_named(pinned)}. Choose another address."
    return ""


def _named(episode: Episode) -> str:
    return f"{episode.heading} ({episode.get_absolute_url()})"


def _pinned_to(slug: str, podcast: Podcast) -> Episode | None:
    """The episode that is to have an address as soon as its show is resolved."""
    rows = Override.objects.filter(podcast=podcast, field="slug", ended_at=None).exclude(value="")
    row = next((row for row in rows if address_of(row.value) == slug), None)
    return episode_of_ref((row.source, row.item_key), podcast) if row else None
