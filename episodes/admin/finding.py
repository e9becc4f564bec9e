"""Finds episodes by what a curator types: a number (`5`, `S2 E5`), an address, words of the title,
else by the search."""

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
    """The episodes of a show, or of all, that are named exactly, and others that fit best."""
    query = query.replace("\0", "").strip()[:200]
    if not query:
        return [], []
    rows = Episode.objects.filter(podcast=podcast) if podcast else Episode.objects.all()
    others = rows.exclude(pk=without.pk) if without else rows
    rows = others.select_related("podcast")
    named = Q(slug=query) | Q(title__iexact=query) | _counted(query)
    exact = list(rows.filter(named).newest_first(one_show=True)[:MOST])
    rest = rows.exclude(pk__in=[episode.pk for episode in exact])
    words = Q(title__icontains=query) | Q(slug__icontains=query)
    by_words = list(rest.filter(words).newest_first(one_show=True)[:MOST])
    return exact, by_words or list(rest.search(query)[:MOST])


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
    """An episode, by an address that it has or had, its number, its title, or words of it.

    Where several fit, or one that is not named `exactly` enough, they are its `matches`.
    """

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
        self.matches: list[Episode] = []

    def clean(self, value: Any) -> Episode | None:
        words = str(super().clean(value) or "")
        if not words:
            return None
        episode = Episode.objects.filter(slug=words).first() or led_to(words)
        if episode is not None:
            return episode
        exact, others = find_episodes(self.podcast, words, self.without)
        matches = exact or others
        if len(matches) == 1 and (exact or not self.exactly):
            return matches[0]
        self.matches = matches
        raise ValidationError(self._refusal(words[:80]))

    def _refusal(self, words: str) -> str:
        where = f" of {self.podcast}" if self.podcast else ""
        if not self.matches:
            return f"Choose the other episode. No episode matches “{words}”{where}."
        named = ", ".join(match.slug for match in self.matches[:MOST_NAMED])
        if len(self.matches) == 1:
            return f"No episode is called “{words}”. Did you mean {named}?"
        return f"Several episodes match. Use the address of one: {named}."
