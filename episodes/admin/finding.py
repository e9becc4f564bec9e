"""Finds episodes by what a curator types: a number (`5`, `S2 E5`), an address or words of the
title."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Q
from django.http import HttpRequest, JsonResponse
from django.urls import reverse_lazy
from django.views import View

from ..curation import led_to
from ..models import Episode, Podcast
from ..text.numbering import season_and_number
from .base import is_id

MOST = 12
MOST_NAMED = 4
NEAR = 3  # episodes before and after, offered where nothing is searched for


def find_episodes(
    podcast: Podcast | None, query: str, without: Episode | None = None
) -> tuple[list[Episode], list[Episode]]:
    """The episodes of a show, or of all, that are named exactly, and others that have the words in
    their titles or addresses."""
    query = query.replace("\0", "").strip()[:200]
    if not query:
        return [], []
    rows = Episode.objects.select_related("podcast").newest_first(one_show=True)
    rows = rows.filter(podcast=podcast) if podcast else rows
    rows = rows.exclude(pk=without.pk) if without else rows
    named = Q(slug=query) | Q(title__iexact=query) | _counted(query)
    words = Q(title__icontains=query) | Q(slug__icontains=query)
    return list(rows.filter(named)[:MOST]), list(rows.filter(words).exclude(named)[:MOST])


def _counted(query: str) -> Q:
    """The episodes of a number, or of a number in a season."""
    if both := season_and_number(query):
        return Q(season=both[0], number=both[1])
    return Q(number=query) if is_id(query) and len(query) < 10 else Q()


def near(episode: Episode) -> list[Episode]:
    """The neighbours of an episode in its show: what was published twice stands close together."""
    reach = (episode.order - NEAR, episode.order + NEAR)
    show = Episode.objects.filter(podcast=episode.podcast, order__range=reach)
    return list(show.exclude(pk=episode.pk).newest_first(one_show=True))


class NamedEpisodesView(View):
    """The episodes that what is typed may mean, offered below the input."""

    http_method_names = ("get", "head")
    model_admin: Any = None

    def get(self, request: HttpRequest) -> JsonResponse:
        if not self.model_admin.has_view_permission(request):
            raise PermissionDenied
        exact, others = find_episodes(None, request.GET.get("q", ""))
        rows = [{"slug": one.slug, "heading": one.heading} for one in [*exact, *others][:MOST]]
        return JsonResponse({"episodes": rows})


class EpisodeField(forms.CharField):
    """An episode, by an address that it has or had, its number, its title, or, where it need not
    be named `exactly`, words of it."""

    widget = forms.TextInput(
        {
            "data-episodes": reverse_lazy("admin:episodes_episode_named"),
            "placeholder": "title, number or address",
        }
    )

    def __init__(
        self,
        podcast: Podcast | None = None,
        without: Episode | None = None,
        *,
        exactly: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.podcast, self.without, self.exactly = podcast, without, exactly

    def clean(self, value: Any) -> Episode | None:
        words = str(super().clean(value) or "")
        if not words:
            return None
        if episode := led_to(words):
            return episode
        exact, others = find_episodes(self.podcast, words, self.without)
        matches = exact or others
        if len(matches) == 1 and (exact or not self.exactly):
            return matches[0]
        if not matches:
            raise ValidationError(f"No episode matches “{words[:80]}”.")
        named = ", ".join(match.slug for match in matches[:MOST_NAMED])
        raise ValidationError(f"Choose the episode that “{words[:80]}” means: {named}.")
