"""Takes an episode out of the catalog, lists those that were, and brings them back."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from ..curation import REPLACED, changes_of, led_to, put_back, take_out
from ..fields import OVERRIDABLE
from ..models import (
    TAKEN_OUT,
    Episode,
    LearningPath,
    Podcast,
    WithdrawnEpisode,
    former_owners,
    routes,
)
from ..text.formatting import counted
from .action import ActionView, Unavailable, Words
from .base import ReadOnly, ShowFilter, episode_at, page_of, said_in, withdrawn_at
from .episode import entries_of
from .finding import near
from .merging import OtherEpisodeForm, PairAction


def appearances(podcast: Podcast, slug: str) -> Words:
    """The words about an episode at each place where readers meet it."""
    shown = Episode.objects.filter(podcast=podcast)
    found = {
        (reverse("episode", args=(slug,)), ""): answer(slug),
        (f"Episodes of {podcast}", ""): str(shown.count()),
    }
    for episode in shown.filter(slug=slug):
        named = (*episode.topics.all(), *episode.people.all())
        found |= {(f"Page of {one}", ""): "lists it" for one in named}
    for route in routes(LearningPath.objects.all()):
        if slug in {step.episode for step in route.path.kept}:
            found[f"Path {route.path}", ""] = counted(len(route.parts), "step", "steps")
    return found


def answer(slug: str) -> str:
    """The answer of an address, in words."""
    episode = led_to(slug)
    if episode is None:
        return "“This page was removed” (410)" if former_owners([slug]) else "not found"
    path = episode.get_absolute_url()
    return "shows it" if episode.slug == slug else f"redirects to {path}"


# --- Screens -----------------------------------------------------------------------------------


class TakeOutForm(OtherEpisodeForm):
    kind = forms.ChoiceField(choices=[*TAKEN_OUT.items()])

    def clean(self) -> None:
        if self.cleaned_data.get("kind") == REPLACED and not self.other:
            self.add_error("with", "Name the other episode.")


class TakeOutView(PairAction):
    """Takes an episode out, and shows before where readers miss it."""

    form_class = TakeOutForm
    template_name = "admin/curation/take_out.html"
    title = "Take out {view.episode.heading}"
    done = (
        "“{view.episode.heading}” was taken out: {view.label}. "
        "Sources cannot bring it back; you can."
    )
    filled_by_address = "kind"

    @property
    def label(self) -> str:
        return TAKEN_OUT[self.form.cleaned_data["kind"]].lower()

    def act(self) -> None:
        kind = self.form.cleaned_data["kind"]
        take_out(self.request.user, self.episode, kind, self.form.other, **self.how)

    def look(self) -> Words:
        return appearances(self.episode.podcast, self.episode.slug)

    def context(self) -> dict[str, Any]:
        own: dict[str, Any] = {"kinds": TAKEN_OUT.items(), "kind": said_in(self.request, "kind")}
        own["was_named"] = "with" in self.request.GET or self.request.method == "POST"
        results = self.form.matches or near(self.episode)
        return super().context() | own | {"other": self.form.other, "results": results}


class WithdrawnView(ActionView):
    """An episode that was taken out: who, when, why, what its sources say now; and the button that
    brings it back."""

    template_name = "admin/curation/withdrawn.html"
    title = "{view.episode.heading} (taken out)"
    done = "“{view.episode.heading}” is back in the catalog."
    viewers_may_look = True
    previewed_at_once = True

    def prepare(self) -> None:
        slug = unquote(self.kwargs["slug"])
        found = withdrawn_at(slug)
        if found is None:
            episode = episode_at(slug)
            if episode is None:
                raise Http404("No episode with this address was taken out.")
            raise Unavailable(page_of(episode))
        self.episode = found

    def act(self) -> None:
        put_back(self.request.user, self.episode, reason=self.reason)

    def look(self) -> Words:
        return appearances(self.episode.podcast, self.episode.slug)

    def get_success_url(self) -> str:
        return page_of(episode_at(self.episode.slug) or self.episode)

    def context(self) -> dict[str, Any]:
        short = [field for field in OVERRIDABLE if not field.long]
        return {
            "episode": self.episode,
            "values": [(field.label, field.words(field.shown(self.episode))) for field in short],
            "entries": entries_of(self.episode),
            "changes": changes_of(self.episode).select_related("podcast"),
        }


@admin.register(WithdrawnEpisode)
class WithdrawnEpisodeAdmin(ReadOnly):
    column_of_several = "podcast"
    list_display = (
        "heading",
        "podcast",
        "kind",
        "decision__made_by",
        "decision__made_at",
        "decision__reason",
    )
    list_filter = (("podcast", ShowFilter),)
    list_select_related = ("podcast", "replaced_by", "decision__made_by")
    search_fields = ("title", "slug", "decision__reason")

    def change_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        return self.respond(WithdrawnView, request, slug=object_id)

    history_view = change_view

    @admin.display(description="title", ordering="title")
    def heading(self, episode: WithdrawnEpisode) -> str:
        return episode.heading

    @admin.display(description="as", ordering="decision__value")
    def kind(self, episode: WithdrawnEpisode) -> str:
        if episode.decision.value == REPLACED:
            return f"replaced by {episode.replaced_by or 'an episode that is gone'}"
        return episode.decision.value_label
