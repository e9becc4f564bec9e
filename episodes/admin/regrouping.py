"""Merges two episodes, splits one, takes one out of the catalog, and brings it back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import format_html

from ..curation import (
    REPLACED,
    changes_of,
    episode_of,
    led_to,
    merge,
    put_back,
    split,
    take_out,
    token,
)
from ..fields import OVERRIDABLE
from ..models import (
    TAKEN_OUT,
    Episode,
    Item,
    LearningPath,
    Podcast,
    WithdrawnEpisode,
    former_owners,
    routes,
)
from ..text.formatting import counted
from .action import ActionView, Unavailable, Words
from .base import ReadOnly, ShowFilter, episode_at, page_of, said_in, withdrawn_at
from .episode import EpisodeAction, entries_of, facts
from .finding import EpisodeField, near


class OtherEpisodeForm(forms.Form):
    """Names another episode of the same show."""

    required = False

    def __init__(self, *args: Any, episode: Episode, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        how: Any = {"required": self.required, "label": "the other episode"}
        self.fields["with"] = EpisodeField(episode.podcast, episode, **how)
        self.order_fields(["with"])

    @property
    def other(self) -> Episode | None:
        return getattr(self, "cleaned_data", {}).get("with")


class PairAction(EpisodeAction):
    """A change of an episode and another one."""

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "episode": self.episode}

    @cached_property
    def items(self) -> Sequence[Item | None]:
        return [entries_of(one)[0][0].item for one in (self.episode, self.form.other)]


class MergeForm(OtherEpisodeForm):
    required = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sides = [("one", ""), ("other", "")]
        for field in OVERRIDABLE:
            self.fields[f"of_{field.name}"] = forms.ChoiceField(choices=sides, required=False)

    def values(self, **sides: Episode) -> dict[str, str]:
        """The fields that are taken from one side."""
        chosen = ((field, self.cleaned_data[f"of_{field.name}"]) for field in OVERRIDABLE)
        return {field.name: field.shown(sides[side]) for field, side in chosen if side}


class MergeView(PairAction):
    """Finds the other episode, shows the merged one beside both, and takes each field from where
    the curator says."""

    form_class = MergeForm
    template_name = "admin/curation/merge.html"
    title = "Merge {view.episode.heading}"
    done = (
        "“{view.episode.heading}” and “{view.form.other.heading}” are one episode now. "
        "Both addresses lead here; undo it below."
    )
    filled_by_address = "with"

    def act(self) -> None:
        one, other = self.episode, self.form.other
        values = self.form.values(one=one, other=other)
        merge(self.request.user, one, other, values, seen=self.seen, reason=self.reason)

    def look(self) -> list[dict[str, str]]:
        return [facts(episode) for item in self.items if (episode := episode_of(item))]

    def compare(self, before: Any, after: Any) -> dict[str, Any]:
        (one, other), merged = before, after[0]
        names = {field.label: field.name for field in OVERRIDABLE}
        choices = [
            (names.get(label, ""), label, one[label], other[label], words)
            for label, words in merged.items()
        ]
        return {"choices": choices}

    def context(self) -> dict[str, Any]:
        one, other = self.episode, self.form.other
        if other is None:
            return {"one": one, "results": near(one)}
        return {"one": one, "other": other, "seen": [token(one), token(other)]}


class SplitForm(OtherEpisodeForm):
    items = forms.MultipleChoiceField(
        error_messages={"required": "Select the entries that belong elsewhere."}
    )


class SplitView(PairAction):
    """Makes some of an episode's entries a new episode, or entries of another one, and shows both
    before."""

    form_class = SplitForm
    template_name = "admin/curation/split.html"
    title = "Split or move entries of {view.episode.heading}"
    done = "Split."
    filled_by_address = "items"
    parts = ("What stays: ", "What moves: ")

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)
        form.fields["items"].choices = [(str(row.item_id), "") for row, _ in self.entries]
        sent = self.request.POST if self.request.method == "POST" else self.request.GET
        ids = set(sent.getlist("items"))
        self.chosen = [row.item for row, _ in self.entries if str(row.item_id) in ids]
        return form

    @cached_property
    def items(self) -> Sequence[Item | None]:
        stay = [row.item for row, _ in self.entries if row.item not in self.chosen]
        return [next(iter(stay), None), next(iter(self.chosen), None)]

    def act(self) -> None:
        split(self.request.user, self.episode, self.chosen, self.form.other, **self.how)
        self.item = self.items[0]

    def done_message(self) -> str:
        found = episode_of(self.items[1])
        assert found is not None, "its entry was just given one"
        moved = f"Moved {counted(len(self.chosen), 'entry', 'entries')} to"
        what = moved if self.form.other else "Split. New episode:"
        return format_html('{} <a href="{}">{}</a>.', what, page_of(found), found.heading)

    def context(self) -> dict[str, Any]:
        return super().context() | {
            "entries": self.entries,
            "chosen": {item.pk for item in self.chosen},
            "target": self.form.other,
        }


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
        found = {"other": self.form.other, "results": near(self.episode)}
        return super().context() | own | found


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
