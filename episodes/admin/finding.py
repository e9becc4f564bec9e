"""Finds episodes by what a curator types: a number, an address, words of the title, else the site's own search."""

from __future__ import annotations

from django.db.models import Q

from ..models import Episode, Podcast
from .base import is_id

MOST = 12


def found(podcast: Podcast, query: str, without: Episode | None = None) -> list[Episode]:
    """The episodes of a show that fit best, those named exactly first."""
    query = query.replace("\0", "").strip()[:200]
    rows = Episode.objects.filter(podcast=podcast).select_related("podcast")
    rows = rows.exclude(pk=without.pk) if without else rows
    if not query:
        return []
    named = Q(slug=query) | Q(title__iexact=query) | (Q(number=query) if is_id(query) and len(query) < 10 else Q())
    exact = list(rows.filter(named).newest_first(one_show=True)[:MOST])
    others = rows.filter(Q(title__icontains=query) | Q(slug__icontains=query)).newest_first(one_show=True)[:MOST]
    by_words = [e for e in others if e not in exact] or [e for e in rows.search(query)[:MOST] if e not in exact]
    return [*exact, *by_words][:MOST]
