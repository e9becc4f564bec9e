"""Finds episodes by what a curator types: a number (`5`, `S2 E5`), an address, words of the title, else by the search."""

from __future__ import annotations

from django.db.models import Q

from ..models import Episode, Podcast
from ..text.numbering import season_and_number
from .base import is_id

MOST = 12


def find_episodes(podcast: Podcast, query: str, without: Episode | None = None) -> list[Episode]:
    """The episodes of a show that fit best, those named exactly first."""
    query = query.replace("\0", "").strip()[:200]
    rows = Episode.objects.filter(podcast=podcast).select_related("podcast")
    rows = rows.exclude(pk=without.pk) if without else rows
    if not query:
        return []
    exact = list(
        rows.filter(Q(slug=query) | Q(title__iexact=query) | _counted(query)).newest_first(one_show=True)[:MOST]
    )
    others = rows.filter(Q(title__icontains=query) | Q(slug__icontains=query)).newest_first(one_show=True)[:MOST]
    by_words = [e for e in others if e not in exact] or [e for e in rows.search(query)[:MOST] if e not in exact]
    return [*exact, *by_words][:MOST]


def the_one(podcast: Podcast, query: str, without: Episode | None = None) -> tuple[Episode | None, list[Episode]]:
    """The only episode that fits, or the one named exactly; else None and those that fit."""
    matches = find_episodes(podcast, query, without)
    exact = [e for e in matches if query.strip() in (e.slug, str(e.number), e.numbering)]
    if len(matches) == 1 or exact:
        return (exact or matches)[0], []
    return None, matches


def _counted(query: str) -> Q:
    """The episodes of a number, or of a number in a season."""
    if both := season_and_number(query):
        return Q(season=both[0], number=both[1])
    return Q(number=query) if is_id(query) and len(query) < 10 else Q()
