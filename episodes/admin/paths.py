"""Learning paths: their words and their steps, with a preview of what readers get."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse

from .. import curation
from ..models import Episode, LearningPath, Podcast, Route, routes
from ..views import listen_first, path_page
from .action import CuratedAdmin, RowAction, RowView
from .base import Option, OptionsFilter, ShowFilter, listing, only_show, slug_or_from
from .finding import EpisodeField

MOST_STEPS = 60
BLANK_ROWS = 3
LONGEST_WHY = 400


# --- The form --------------------------------------------------------------------------------------------------------


class StepForm(forms.Form):
    episode = forms.CharField(max_length=255, widget=EpisodeField.widget)
    why = forms.CharField(
        label="Why here",
        max_length=LONGEST_WHY,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    @property
    def rank(self) -> tuple[float, int]:
        """Sorts the row. One that was given another's number comes to its place: behind it from
        above, before it from below; rows without a number come last."""
        was, now = self.fields["ORDER"].initial, self.cleaned_data.get("ORDER")
        if now is None:
            return math.inf, 0
        moved_down = was is not None and now > was
        return now, 0 if now == was else 1 if moved_down else -1


class StepRows(forms.BaseFormSet):
    """The steps as rows with numbers; episodes are named by address, number or title."""

    podcast: Podcast | None = None

    def clean(self) -> None:
        kept = {str(row["episode"]) for row in self.initial or ()}
        seen: set[str] = set()
        for form in self.given():
            try:
                address = step_address(form.cleaned_data["episode"], self.podcast, kept)
                if address in seen:
                    raise ValidationError("This episode is in the path already.")
            except ValidationError as trouble:
                form.add_error("episode", trouble)
                continue
            form.cleaned_data["episode"] = address
            seen.add(address)

    def given(self) -> list[StepForm]:
        """The rows that are filled in and stay, in their order."""
        rows = [
            form
            for form in self.forms
            if form not in self.deleted_forms and form.cleaned_data.get("episode")
        ]
        return sorted(rows, key=lambda form: form.rank)

    @property
    def steps(self) -> list[dict[str, str]]:
        return [
            {name: form.cleaned_data[name].strip() for name in ("episode", "why")}
            for form in self.given()
        ]


Steps = forms.formset_factory(
    StepForm,
    StepRows,
    extra=BLANK_ROWS,
    can_order=True,
    can_delete=True,
    max_num=MOST_STEPS,
    validate_max=True,
)


def step_address(words: str, podcast: Podcast | None, kept: set[str]) -> str:
    """The address of the episode that a curator means; one that the path has already stays, even if
    it is lost.

    Raises:
        ValidationError: none, or several.
    """
    if words.strip() in kept:
        return words.strip()
    episode = EpisodeField(podcast, exactly=True).clean(words)
    return episode.slug if episode else ""


class PathForm(forms.ModelForm):
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
        self.fields["slug"].required = False
        self.fields["podcast"].empty_label = "several shows"  # type: ignore[attr-defined]
        if self.instance._state.adding:
            self.initial["podcast"] = only_show()
            self.initial["position"] = LearningPath.objects.count() + 1

    def clean_slug(self) -> str:
        return slug_or_from(self.cleaned_data["slug"], self.cleaned_data.get("title", ""))

    def is_valid(self) -> bool:
        own = super().is_valid()
        if self.is_bound:
            self.steps.podcast = self.cleaned_data.get("podcast")
        return own and self.steps.is_valid()

    def save(self, commit: bool = True) -> Any:
        self.instance.steps = self.steps.steps
        return super().save(commit=commit)


# --- Screens ---------------------------------------------------------------------------------------------------------


def route_of(path: LearningPath) -> Route:
    (route,) = routes([path])
    return route


def problems(route: Route) -> list[str]:
    """What a curator should know of a path, in words."""
    before = listen_first.needs()
    return [
        *(f"“{step.episode}” no longer exists. Readers do not see it." for step in route.lost),
        *(
            f"“{step.episode}” is now the same episode as another part. It is shown once."
            for step in route.twice
        ),
        *(
            f"“{first}” is a prerequisite of “{later}” but comes after it."
            for first, later in listen_first.reversed_in(route, before)
        ),
    ]


class PathView(RowView):
    template_name = "admin/curation/path.html"

    def act(self) -> None:
        curation.save_path(self.request.user, self.form.save(commit=False), seen=self.token)

    def look(self) -> Route | None:
        path = LearningPath.objects.filter(pk=self.form.instance.pk).first()
        return route_of(path) if path else None

    def compare(self, before: Route | None, after: Route | None) -> dict[str, Any]:
        return {"ahead": after, "ahead_problems": problems(after) if after else ()}

    def context(self) -> dict[str, Any]:
        context = super().context()
        for row in () if context["may"] else self.form.steps.forms:
            for field in row.fields.values():
                field.disabled = True
        route = route_of(self.row) if self.row else None
        return context | {
            "rows": step_rows(self.form.steps, route),
            "problems": problems(route) if route else (),
            "former": self.row.former.all() if self.row else (),
            "changes": listing("change", f"?about=learningpath:{self.row.pk}") if self.row else "",
        }


def step_rows(steps: Any, route: Route | None) -> list[tuple[Any, Episode | None]]:
    """The rows of the form, each with the episode that its address stands for now."""
    kept = route.path.kept if route else []
    there = {part.step.episode: part.episode for part in route.parts} if route else {}
    named = [there.get(step.episode) for step in kept]
    return [
        (form, named[nth] if nth < len(named) else None) for nth, form in enumerate(steps.forms)
    ]


class PathPreview(RowAction):
    """The page of a path as readers see it, published or not."""

    http_method_names = ("get", "head")  # type: ignore[assignment]
    viewers_may_look = True

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return path_page(request, self.row)


# --- The list --------------------------------------------------------------------------------------------------------


def with_gaps() -> list[int]:
    """The ids of the paths of which an episode is gone, or there twice."""
    return [
        route.path.pk for route in routes(LearningPath.objects.all()) if route.lost or route.twice
    ]


class PathFilter(OptionsFilter):
    """Filter by what needs a look."""

    title, parameter_name = "state", "state"
    options: ClassVar[dict[str, Option]] = {
        "gaps": ("An episode is missing", lambda rows: rows.filter(pk__in=with_gaps())),
        "drafts": ("Not published", lambda rows: rows.filter(published=False)),
    }


@admin.register(LearningPath)
class PathAdmin(CuratedAdmin):
    permission = curation.CURATE
    delete_verb = staticmethod(curation.delete)
    delete_hint = (
        "Its address will redirect to the list of paths. You can undo this in History. To hide the "
        "path for a while, unpublish it instead."
    )
    own_form = PathForm
    view = PathView
    screens = (("preview", "<path:object_id>/preview/", PathPreview),)
    column_of_several = "podcast"
    list_display = ("title", "slug", "parts", "published", "position", "author", "podcast")
    list_filter = (PathFilter, ("podcast", ShowFilter))
    list_select_related = ("podcast",)
    search_fields = ("title", "slug", "description", "author")
    show_facets = admin.ShowFacets.ALWAYS

    @admin.display(description="parts")
    def parts(self, path: LearningPath) -> int:
        return len(path.kept)
