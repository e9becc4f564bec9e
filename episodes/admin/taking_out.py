"""Takes an episode out of the catalog, lists those that were, and brings them back."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from ..curation import REPLACED, changes_of, put_back, take_out
from ..fields import OVERRIDABLE
from ..models import (
    TAKEN_OUT,
    Episode,
    LearningPath,
    Owner,
    Redirect,
    WithdrawnEpisode,
    former_owners,
    routes,
)
from ..text.formatting import counted
from .action import ActionView, Unavailable
from .base import (
    ListingAdmin,
    ReadOnly,
    WordsFilter,
    episode_at,
    moment,
    page_of,
    page_of_withdrawn,
    said_in,
    withdrawn_at,
)
from .episode import EpisodeAction, entries_of
from .finding import near
from .merging import OtherEpisodeForm

MOST_ADDRESSES = 10


# --- Where readers meet an episode -----------------------------------------------------------------------------------


class Appearances:
    """Where readers meet an episode, each with what they find there: read before and after a
    change."""

    def __init__(self, episode: Episode | WithdrawnEpisode) -> None:
        self.podcast, self.slug, self.heading = episode.podcast, episode.slug, episode.heading
        items = list(episode.attachments.values_list("item__document__source", "item__key"))
        ledger = Redirect.objects.of("episode").filter(
            source__in={s for s, _ in items}, item_key__in={key for _, key in items}
        )
        former = (
            ledger.exclude(slug=self.slug)
            .order_by("slug")
            .values_list("slug", flat=True)
            .distinct()
        )
        self.addresses = [self.slug, *former[:MOST_ADDRESSES]]

    def read(self) -> dict[str, str]:
        found = {reverse("episode", args=(slug,)): answer(slug) for slug in self.addresses}
        shown = Episode.objects.filter(podcast=self.podcast)
        found[f"Episodes of {self.podcast}"] = str(shown.count())
        for episode in shown.filter(slug=self.slug):
            lists = [f"Topic {topic}" for topic in episode.topics.all()]
            lists += [f"Page of {person}" for person in episode.people.all()]
            found |= dict.fromkeys(lists, "lists it")
        for route in routes(LearningPath.objects.all()):
            if {step.episode for step in route.path.kept} & set(self.addresses):
                found[f"Path {route.path}"] = counted(len(route.parts), "step", "steps")
        return found


def answer(slug: str) -> str:
    """What an address answers."""
    if Episode.objects.filter(slug=slug).exists():
        return "shows it"
    owner: Owner | None = former_owners([slug]).get(slug)
    other = Episode.objects.filter(pk=owner.leads_to).first() if owner and owner.leads_to else None
    if other:
        return f"redirects to {other.get_absolute_url()}"
    return "“This page was removed” (410)" if owner else "not found"


def differences(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str, str]]:
    """The places at which readers find something else."""
    names = dict.fromkeys((*before, *after))
    rows = ((name, before.get(name, "—"), after.get(name, "—")) for name in names)
    return [row for row in rows if row[1] != row[2]]


# --- Screens ---------------------------------------------------------------------------------------------------------


class TakeOutForm(OtherEpisodeForm):
    kind = forms.ChoiceField(choices=[*TAKEN_OUT.items()])


class TakeOutView(EpisodeAction):
    """Takes an episode out, and shows before where readers miss it."""

    form_class = TakeOutForm
    template_name = "admin/curation/take_out.html"
    title = "Take out {view.episode.heading}"
    viewers_may_look = False
    done = "“{view.episode.heading}” was taken out: {view.kind_label}. Sources cannot bring it back; you can."

    def prepare(self) -> None:
        super().prepare()
        self.kind = said_in(self.request, "kind") or "hidden"
        self.places = Appearances(self.episode)

    @property
    def kind_label(self) -> str:
        return TAKEN_OUT[self.kind].lower()

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs = {**super().get_form_kwargs(), "episode": self.episode}
        waits = self.kind == REPLACED and not said_in(self.request, "with")
        if self.request.method != "POST" and not waits:
            kwargs["data"] = {"kind": self.kind, "with": said_in(self.request, "with")}
        return kwargs

    def act(self) -> None:
        how = {"seen": self.seen_first, "reason": self.reason}
        take_out(self.request.user, self.episode, self.kind, self.form.cleaned_data["with"], **how)

    def look(self) -> dict[str, str]:  # type: ignore[override]
        return self.places.read()

    def compare(self, before: dict[str, str], after: dict[str, str]) -> dict[str, Any]:
        return {"rows": differences(before, after)}

    def context(self) -> dict[str, Any]:
        other = getattr(self.form, "cleaned_data", {}).get("with")
        context = super().context() | {
            "kinds": TAKEN_OUT.items(),
            "kind": self.kind,
            "other": other,
        }
        waits = self.kind == REPLACED and other is None
        return context | ({"results": self.form.matches or near(self.episode)} if waits else {})


class WithdrawnView(ActionView):
    """An episode that was taken out: who, when, why, what its sources say now; and the button that
    brings it back."""

    template_name = "admin/curation/withdrawn.html"
    title = "{view.episode.heading} (taken out)"
    done = "“{view.episode.heading}” is back in the catalog."
    viewers_may_look = True

    def prepare(self) -> None:
        slug = unquote(self.kwargs["slug"])
        found = withdrawn_at(slug)
        if found is None:
            episode = episode_at(slug)
            if episode is None:
                raise Http404("No episode with this address was taken out.")
            raise Unavailable(page_of(episode))
        self.episode, self.places = found, Appearances(found)

    def act(self) -> None:
        put_back(self.request.user, self.episode, reason=self.reason)

    def look(self) -> dict[str, str]:
        return self.places.read()

    def compare(self, before: dict[str, str], after: dict[str, str]) -> dict[str, Any]:
        return {"rows": differences(before, after)}

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.form = self.get_form()
        may = request.user.has_perm(self.permission)
        return self.page(**self.preview()) if may else self.page()

    def get_success_url(self) -> str:
        episode = episode_at(self.episode.slug)
        return page_of(episode) if episode else page_of_withdrawn(self.episode)

    def context(self) -> dict[str, Any]:
        values = [
            (field.label, field.words(field.shown(self.episode)))
            for field in OVERRIDABLE
            if not field.long
        ]
        return {
            "episode": self.episode,
            "values": [row for row in values if row[1]],
            "entries": entries_of(self.episode),
            "changes": changes_of(self.episode).select_related("podcast"),
        }


class WithdrawnList(ListingAdmin):
    def url_for_result(self, result: Any) -> str:
        return page_of_withdrawn(result)


class TakenOutFilter(WordsFilter):
    def in_words(self, value: str) -> str:
        return TAKEN_OUT.get(value, value)


@admin.register(WithdrawnEpisode)
class WithdrawnEpisodeAdmin(ReadOnly):
    column_of_several = "podcast"
    list_display = ("heading", "podcast", "kind", "who", "when", "why")
    list_filter = (
        ("decision__value", TakenOutFilter),
        ("podcast", admin.RelatedOnlyFieldListFilter),
    )
    list_select_related = ("podcast", "replaced_by", "decision__made_by")
    search_fields = ("title", "slug", "decision__reason")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return WithdrawnList

    def change_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        return self.respond(WithdrawnView, request, slug=object_id)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        return self.respond(WithdrawnView, request, slug=object_id)

    @admin.display(description="title", ordering="title")
    def heading(self, episode: WithdrawnEpisode) -> str:
        return episode.heading

    @admin.display(description="as", ordering="decision__value")
    def kind(self, episode: WithdrawnEpisode) -> str:
        if episode.decision.value == REPLACED:
            return f"replaced by {episode.replaced_by or 'an episode that is gone'}"
        return episode.decision.value_label

    @admin.display(description="by")
    def who(self, episode: WithdrawnEpisode) -> str:
        return str(episode.decision.made_by or "somebody")

    @admin.display(description="on", ordering="decision__made_at")
    def when(self, episode: WithdrawnEpisode) -> str:
        return moment(episode.decision.made_at)

    @admin.display(description="why")
    def why(self, episode: WithdrawnEpisode) -> str:
        return episode.decision.reason
