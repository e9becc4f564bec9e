"""Learning paths: their words and their steps, with a preview of what readers get."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.http import HttpRequest

from .. import curation
from ..models import Episode, LearningPath, Podcast, Route, routes
from ..views import listen_first
from .action import CuratedAdmin, RowView, SluggedForm
from .base import ShowFilter, listing, options_filter
from .episode import EpisodeField

MOST_STEPS = 60
BLANK_ROWS = 3
LONGEST_WHY = 400


# --- The form ----------------------------------------------------------------------------------


class StepForm(forms.Form):
    episode = forms.CharField(max_length=255, widget=EpisodeField.widget)
    why = forms.CharField(
        label="Why here",
        max_length=LONGEST_WHY,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    known: Episode | None = None  # the episode that its address stands for now

    def __init__(self, *args: Any, podcast: Podcast | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.named = EpisodeField()
        self.named.podcast, self.named.exactly = podcast, True

    def clean_episode(self) -> str:
        """The address of the episode that is named; one that is there already stays, even if it is
        lost."""
        typed = str(self.cleaned_data["episode"])
        episode = None if typed == self.initial.get("episode") else self.named.clean(typed)
        return episode.slug if episode else typed

    def clean(self) -> None:
        """Let a row that was given another's number come to its place: behind it from above, before
        it from below, where new ones come from too."""
        was, now = self.fields["ORDER"].initial or MOST_STEPS, self.cleaned_data.get("ORDER")
        now = MOST_STEPS if now is None else now
        self.cleaned_data["ORDER"] = now + (now - was) / (2 * MOST_STEPS)


class StepRows(forms.BaseFormSet):
    """The steps as rows with numbers; episodes are named by address, number or title."""

    @property
    def steps(self) -> list[dict[str, str]]:
        rows = (form.cleaned_data for form in self.ordered_forms)
        return [{"episode": row["episode"], "why": row["why"]} for row in rows if row]


Steps = forms.formset_factory(
    StepForm,
    StepRows,
    extra=BLANK_ROWS,
    can_order=True,
    can_delete=True,
    max_num=MOST_STEPS,
    validate_max=True,
)


class PathForm(SluggedForm):
    named_by, all_shows = "title", "several shows"

    class Meta:
        model = LearningPath
        fields = ("title", "slug", "description", "author", "podcast", "position", "published")
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}  # noqa: RUF012
        labels = {"podcast": "show", "slug": "address", "position": "position in the list"}  # noqa: RUF012
        help_texts = {  # noqa: RUF012
            "slug": "Leave empty to make it from the title. Old addresses redirect here.",
            "podcast": "Leave empty for a path through several shows.",
            "author": "Shown to readers: “By …”.",
            "published": "Readers see only published paths.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = [{"episode": step.episode, "why": step.why} for step in self.instance.kept]
        self.steps: Any = Steps(self.data if self.is_bound else None, initial=rows, prefix="steps")
        if self.instance._state.adding:
            self.initial["position"] = LearningPath.objects.count() + 1

    def is_valid(self) -> bool:
        own = super().is_valid()
        if self.is_bound:
            self.steps.form_kwargs["podcast"] = self.cleaned_data.get("podcast")
        return own and self.steps.is_valid()

    def save(self, commit: bool = True) -> Any:
        self.instance.steps = self.steps.steps
        return super().save(commit=commit)


# --- Screens -----------------------------------------------------------------------------------


def route_of(path: LearningPath) -> Route:
    (route,) = routes([path])
    return route


def gaps(route: Route) -> list[str]:
    """Episodes that are gone or there twice, in words."""
    gone = [f"“{step.episode}” is gone" for step in route.lost]
    return gone + [f"“{step.episode}” is there twice" for step in route.twice]


def problems(route: Route) -> list[str]:
    """The faults of a path, in words for curators."""
    wrong = listen_first.reversed_in(route, listen_first.needs())
    return [
        *(f"{gap}; readers do not see it." for gap in gaps(route)),
        *(f"“{one}” is a prerequisite of “{other}” but comes after it." for one, other in wrong),
    ]


class PathView(RowView):
    template_name = "admin/curation/path.html"

    def act(self) -> None:
        curation.save_row(self.request.user, self.form.save(commit=False), seen=self.token)

    def look(self) -> Route | None:
        path = LearningPath.objects.filter(pk=self.form.instance.pk).first()
        return route_of(path) if path else None

    def compare(self, before: Route | None, after: Route | None) -> dict[str, Any]:
        return {"ahead": after, "ahead_problems": problems(after) if after else ()}

    def context(self) -> dict[str, Any]:
        if self.row is None:
            return super().context()
        route = route_of(self.row)
        there = {part.step.episode: part.episode for part in route.parts}
        for row in self.form.steps.forms:
            row.known = there.get(row.initial.get("episode"))
        return super().context() | {
            "problems": problems(route),
            "former": self.row.former.all(),
            "changes": listing("change", f"?about=learningpath:{self.row.pk}"),
        }


# --- The list ----------------------------------------------------------------------------------


@admin.register(LearningPath)
class PathAdmin(CuratedAdmin):
    permission = curation.CURATE
    delete_verb = staticmethod(curation.delete_row)
    delete_hint = (
        "Its address will redirect to the list of paths. You can undo this in History. To hide the "
        "path for a while, unpublish it instead."
    )
    own_form = PathForm
    view = PathView
    column_of_several = "podcast"
    list_display = ("title", "slug", "parts", "published", "position", "author", "podcast")
    counted = options_filter("needs a look", "needs", {"gaps": ("Broken paths", Q(broken=True))})
    list_filter = (counted, "published", ("podcast", ShowFilter))
    list_select_related = ("podcast",)
    search_fields = ("title", "slug", "description", "author")
    show_facets = admin.ShowFacets.ALWAYS

    def get_queryset(self, request: HttpRequest) -> Any:
        """The paths, marked as broken where an episode is gone or there twice."""
        broken = [route.path.pk for route in routes(LearningPath.objects.all()) if gaps(route)]
        is_broken = ExpressionWrapper(Q(pk__in=broken), BooleanField())
        return super().get_queryset(request).annotate(broken=is_broken)

    @admin.display(description="parts")
    def parts(self, path: LearningPath) -> int:
        return len(path.kept)
