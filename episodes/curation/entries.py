"""The entries of an episode, which decisions refer to, and the way from an entry back to its
episode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

from django.db.models import Max

from ..models import (
    Attachment,
    Change,
    Decision,
    Episode,
    Item,
    Podcast,
    WithdrawnEpisode,
    batches,
)
from .history import Impossible, about_episode

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


def entries(episodes: Iterable[Episode]) -> dict[int, list[Ref]]:
    """The entries of episodes, by the episodes' ids."""
    items: dict[int, list[Item]] = {episode.pk: [] for episode in episodes}
    for some in batches(items):
        for row in (
            Attachment.objects.filter(episode__in=some)
            .select_related("item__document__source")
            .order_by()
        ):
            items[row.episode_id].append(row.item)
    return {pk: ordered_refs(own) for pk, own in items.items()}


def refs(episode: Episode | WithdrawnEpisode) -> list[Ref]:
    return ordered_refs(
        row.item for row in episode.attachments.select_related("item__document__source").order_by()
    )


def anchor(episode: Episode) -> Ref:
    """The entry that new decisions hang on."""
    found = refs(episode)
    if not found:
        raise Impossible("No entry belongs to this episode any more.")
    return found[0]


def episode_of(item: Item | None) -> Episode | None:
    """The episode that an entry belongs to now."""
    attachment = (
        Attachment.objects.filter(item=item).select_related("episode__podcast").first()
        if item
        else None
    )
    return attachment.episode if attachment else None


def episode_of_ref(ref: Ref, podcast: Podcast) -> Episode | None:
    """The episode of a show that an entry belongs to now."""
    there = Attachment.objects.filter(
        item__document__source__slug=ref[0], item__key=ref[1], episode__podcast=podcast
    ).select_related("episode")
    attachment = there.first()
    return attachment.episode if attachment else None


def tokens(
    episodes: Sequence[Episode], known: dict[int, list[Ref]] | None = None
) -> dict[int, str]:
    """Tokens by which a form notices that an episode was changed since it was opened, by the
    episodes' ids."""
    known = entries(episodes) if known is None else known
    abouts = {e.pk: [about_episode(e.podcast, *ref) for ref in known[e.pk]] for e in episodes}
    last = _last_changes([about for own in abouts.values() for about in own])
    newest = {
        pk: max((last[about] for about in own if about in last), default=None)
        for pk, own in abouts.items()
    }
    return {e.pk: sha256(f"{e.slug} {newest[e.pk]}".encode()).hexdigest()[:16] for e in episodes}


def _last_changes(abouts: Sequence[str]) -> dict[str, int]:
    """The number of the last change about each of these."""
    last: dict[str, int] = {}
    for some in batches(abouts):
        for name in ("about", "about_too"):
            rows = (
                Change.objects.filter(**{f"{name}__in": some})
                .order_by()
                .values_list(name)
                .annotate(last=Max("id"))
            )
            last |= {about: max(pk, last.get(about, 0)) for about, pk in rows}
    return last


def token(episode: Episode) -> str:
    return tokens([episode])[episode.pk]


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
