"""Decides about many episodes at once: in a fixed number of questions, with what is refused told and the rest done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from django.db import transaction
from django.db.models import Max

from ..models import Attachment, Change, Episode, Item, batches
from .history import Lot, about_episode
from .verbs import Impossible, Ref, Stale, item_ref, order_of, token_for


def entries(episodes: Iterable[Episode]) -> dict[int, list[Ref]]:
    """`refs` of many episodes, by their ids."""
    items: dict[int, list[Item]] = {episode.pk: [] for episode in episodes}
    for some in batches(items):
        rows = Attachment.objects.filter(episode__in=some).select_related("item__document__source")
        for row in rows:
            items[row.episode_id].append(row.item)
    return {pk: list(dict.fromkeys(item_ref(item) for item in sorted(own, key=order_of))) for pk, own in items.items()}


def tokens(episodes: Sequence[Episode], known: dict[int, list[Ref]] | None = None) -> dict[int, str]:
    """`token` of many episodes, by their ids."""
    known = entries(episodes) if known is None else known
    abouts = {e.pk: [about_episode(e.podcast, *ref) for ref in known[e.pk]] for e in episodes}
    last: dict[str, int] = {}
    for some in batches([about for own in abouts.values() for about in own]):
        last |= dict(Change.objects.filter(about__in=some).order_by().values_list("about").annotate(last=Max("id")))
    newest = {pk: max((last[about] for about in own if about in last), default=None) for pk, own in abouts.items()}
    return {e.pk: token_for(e.slug, newest[e.pk]) for e in episodes}


def each(lot: Lot, acts: Iterable[tuple[str, Callable[[], object]]]) -> list[str]:
    """Do what can be done, each act whole or not at all, and say what could not and why."""
    refused = []
    for name, act in acts:
        made = len(lot.made)
        try:
            with transaction.atomic():
                act()
        except (Impossible, Stale) as refusal:
            del lot.made[made:]
            refused.append(f"{name}: {refusal}")
    return refused
