"""The entries of an episode, which decisions refer to, the way from an entry back to its episode,
and the owners of addresses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

from django.db.models import Max

from ..models import (
    TRANSCRIPTS,
    Attachment,
    Decision,
    Episode,
    Item,
    Podcast,
    WithdrawnEpisode,
    episodes_at,
    former_owners,
)
from ..resolve import address_of, owner_of
from .history import Impossible, changes_of

Ref = tuple[str, str]  # source and key of an entry


def item_ref(item: Item) -> Ref:
    return (item.document.source.slug, item.key)


def _order(item: Item) -> tuple[object, ...]:
    source = item.document.source
    return (
        item.gone_version is not None,
        source.rank,
        source.slug,
        item.document.address,
        item.position,
        item.key,
    )


def ordered_refs(items: Iterable[Item]) -> list[Ref]:
    """Entries by source and key, each once, the one that new decisions hang on first."""
    return list(dict.fromkeys(item_ref(item) for item in sorted(items, key=_order)))


def refs(episode: Episode | WithdrawnEpisode, *, transcripts: bool = False) -> list[Ref]:
    """The entries that decisions about an episode are hung on, or all of them; a transcript says
    nothing of an episode, and goes where the rules put it."""
    rows = episode.attachments.select_related("item__document__source").order_by()
    rows = rows if transcripts else rows.exclude(item__document__source__reader=TRANSCRIPTS)
    return ordered_refs(row.item for row in rows)


def anchor(episode: Episode) -> Ref:
    """The entry that new decisions hang on."""
    found = refs(episode)
    if not found:
        raise Impossible("No entry belongs to this episode any more.")
    return found[0]


def episode_of(item: Item | None) -> Episode | None:
    """The episode that an entry belongs to now."""
    return Episode.objects.select_related("podcast").filter(attachments__item=item or 0).first()


def episode_of_ref(ref: Ref, podcast: Podcast) -> Episode | None:
    """The episode of a show that an entry belongs to now."""
    source, key = ref
    own = Attachment.objects.filter(item__document__source__slug=source, item__key=key)
    return Episode.objects.filter(podcast=podcast, attachments__in=own).first()


def token(episode: Episode) -> str:
    """Token by which a form notices that an episode was changed since it was opened."""
    last = changes_of(episode).aggregate(last=Max("pk"))["last"]
    return sha256(f"{episode.slug} {last}".encode()).hexdigest()[:16]


def in_force(episode: Episode | WithdrawnEpisode, *kinds: str, **more: object) -> list[Decision]:
    """The decisions of these kinds about any entry of the episode, oldest first."""
    own = set(refs(episode))
    rows = Decision.objects.in_force(*kinds).filter(
        podcast=episode.podcast, item_key__in={key for _, key in own}, **more
    )
    return [row for row in rows if row.entry in own]


def on_entry(podcast: Podcast, ref: Ref, reason: str) -> dict[str, object]:
    """The columns by which a decision refers to an entry."""
    return {"podcast": podcast, "source": ref[0], "item_key": ref[1], "reason": reason}


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
    whose = f"an episode of {owner}" if owner not in (None, podcast) else ""
    if holder and holder not in own:
        whose = f"{holder.heading} ({holder.get_absolute_url()}): it goes on leading there"
    if former is not None and former.withdrawn:
        whose = "an episode that was taken out"
    return f"“{slug}” is, or was, the address of {whose}. Choose another one." if whose else ""
