"""The screens of learning paths: their words and steps, with a preview of the page that readers get."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.http import HttpRequest

from .. import curation
from ..models import (
    Episode,
    LearningPath,
    LoadedPath,
    Podcast,
    episodes_by_present_or_former_slug,
    load_paths_with_episodes,
)
from ..views import moments, play_moments
from .base import CuratedAdmin, RowView, ShowFilter, list_url, options_filter
from .episode import EpisodeField
from .topics import SluggedForm

MAX_STEPS = 60


# --- The form of a path -------------------------------------------------------------------------


class StepForm(forms.Form):
    """A step of a path. The episode is typed by title, number or slug, and its cleaned value is the slug."""

    episode = forms.CharField(max_length=255, widget=EpisodeField.widget)
    why = forms.CharField(
        label="Why here",
        max_length=400,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    stored_episode: Episode | None = None  # at the address of a stored step

    def __init__(self, *args: Any, podcast: Podcast | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.episode_field = EpisodeField()
        self.episode_field.podcast = podcast

    def clean_episode(self) -> str:
        """Return the slug of the episode that was typed. An unchanged step keeps its slug, even if no episode
        has it, or two have its title."""
        typed = str(self.cleaned_data["episode"])
        if typed == self.initial.get("episode"):
            return str(self.initial.get("slug", typed))
        episode = cast(Episode, self.episode_field.clean(typed))
        return episode.slug

    def clean(self) -> None:
        self.cleaned_data["ORDER"] = self.sort_key_after_move()

    def sort_key_after_move(self) -> tuple[int, int]:
        """Return the number of the row, and by how much it was moved down (less than 0: moved up).

        So of rows with the same number, a row that moved down goes after the row that has the number
        already. A row that moved up, or is new, goes before it.
        """
        # A new row has no number, so it stands at the end.
        old_number: int = self.fields["ORDER"].initial or MAX_STEPS
        new_number = self.cleaned_data.get("ORDER")
        if new_number is None:
            new_number = MAX_STEPS
        return new_number, new_number - old_number


StepFormSet = forms.formset_factory(
    StepForm,
    extra=3,
    can_order=True,
    can_delete=True,
    max_num=MAX_STEPS,
    validate_max=True,
)


class PathForm(SluggedForm):
    """A learning path. Its `steps` are a form set: the stored episodes, or the episodes of a playlist."""

    name_field, all_shows_label = "title", "several shows"

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
        step_rows = [
            {"episode": step.episode, "why": step.reason}
            for step in self.instance.well_formed_steps
        ]
        # A new path may begin with the steps of a playlist of moments, see PathView.
        step_rows += self.initial.get("steps", [])
        move_slugs_and_show_titles(step_rows)
        # None in place of data makes a form set that shows its initial rows.
        sent_data = self.data if self.is_bound else None
        self.steps: Any = StepFormSet(sent_data, initial=step_rows, prefix="steps")
        if self.instance._state.adding:
            self.initial["position"] = LearningPath.objects.count() + 1

    def is_valid(self) -> bool:
        is_valid = super().is_valid()
        # Episodes are looked up in the show of the same form.
        self.steps.form_kwargs["podcast"] = getattr(self, "cleaned_data", {}).get("podcast")
        return is_valid and self.steps.is_valid()

    def save(self, commit: bool = True) -> Any:
        steps = []
        for form in self.steps.ordered_forms:
            data = form.cleaned_data
            steps.append({"episode": data["episode"], "why": data["why"]})
        self.instance.steps = steps
        return super().save(commit=commit)


def move_slugs_and_show_titles(step_rows: Sequence[dict[str, str]]) -> None:
    """Move the slug of each step from `episode` to `slug`, and set `episode` to the title."""
    episode_by_slug = episodes_by_present_or_former_slug([row["episode"] for row in step_rows])
    for row in step_rows:
        row["slug"] = row["episode"]
        # People read and type titles. A step without an episode shows its slug.
        if row["slug"] in episode_by_slug:
            row["episode"] = episode_by_slug[row["slug"]].heading


# --- Problems of a path, and its screen -----------------------------------------------------------


def describe_path_gaps(loaded_path: LoadedPath) -> list[str]:
    missing = [f"“{step.episode}” is gone" for step in loaded_path.missing_steps]
    return missing + [f"“{step.episode}” is there twice" for step in loaded_path.repeated_steps]


def describe_path_problems(loaded_path: LoadedPath) -> list[str]:
    """Return sentences about missing and repeated episodes, and about prerequisites that come too late."""
    problems = [f"{gap}; readers do not see it." for gap in describe_path_gaps(loaded_path)]
    misordered = moments.pairs_of_late_prerequisite_and_episode(
        loaded_path, moments.load_prerequisite_ids_by_episode()
    )
    for prerequisite, episode in misordered:
        problems.append(f"“{prerequisite}” is a prerequisite of “{episode}” but comes after it.")
    return problems


class PathView(RowView):
    """The form of a learning path. A new path begins with the playlist of moments in the address, if any."""

    template_name = "admin/curation/path.html"

    def get_initial(self) -> dict[str, Any]:
        initial = super().get_initial()
        if self.row is None:
            # A new path can begin with the moments of a search, which its page links with the same filters.
            playlist = play_moments.load_playlist_of_filtered_moments(self.request.GET)
            if playlist.moments:
                initial["title"] = playlist.title
                initial["steps"] = playlist.initial_learning_path_steps()
        return initial

    def current_texts_for_preview(self) -> LoadedPath | None:
        # A new path is not stored yet.
        loaded_paths = load_paths_with_episodes(
            LearningPath.objects.filter(pk=self.form.instance.pk)
        )
        return loaded_paths[0] if loaded_paths else None

    def context_of_comparison(self, before: LoadedPath | None, after: LoadedPath) -> dict[str, Any]:
        return {"path_preview": after, "preview_problems": describe_path_problems(after)}

    def row_context(self) -> dict[str, Any]:
        loaded_path = load_paths_with_episodes([self.row])[0]
        # A step names its episode by the slug.
        episode_by_slug = {loaded.step.episode: loaded.episode for loaded in loaded_path.steps}
        # The template shows `stored_episode` beside the inputs of its step.
        for step_form in self.form.steps.forms:
            step_form.stored_episode = episode_by_slug.get(step_form.initial.get("slug"))
        return {
            "problems": describe_path_problems(loaded_path),
            "former": self.row.former.all(),
            "changes": list_url("change", f"?about={curation.row_history_key(self.row)}"),
        }


# --- The list of paths --------------------------------------------------------------------------


@admin.register(LearningPath)
class PathAdmin(CuratedAdmin):
    """Learning paths. A column `broken` is for the filter: an episode of the path is gone, or repeated."""

    permission = curation.CURATE
    delete_row = staticmethod(curation.delete_topic_or_path)
    delete_explanation = (
        "Its address will redirect to the list of paths. You can undo this in History. To hide the "
        "path for a while, unpublish it instead."
    )
    row_form = PathForm
    row_view = PathView
    list_display = ("title", "parts", "published", "position", "author", "podcast")
    start_page_filter = options_filter(
        "problem", "needs", {"gaps": ("Broken paths", Q(broken=True))}
    )
    list_filter = (start_page_filter, "published", ("podcast", ShowFilter))
    list_select_related = ("podcast",)
    search_fields = ("title", "slug", "description", "author")

    def get_queryset(self, request: HttpRequest) -> Any:
        """Return the paths with a column `broken`: an episode of the path is gone, or is in it twice."""
        # Broken steps are found in Python, so the query gets the ids of the broken paths.
        broken_ids = []
        for loaded_path in load_paths_with_episodes(LearningPath.objects.all()):
            if describe_path_gaps(loaded_path):
                broken_ids.append(loaded_path.path.pk)
        is_broken = ExpressionWrapper(Q(pk__in=broken_ids), BooleanField())
        return super().get_queryset(request).annotate(broken=is_broken)

    @admin.display(description="parts")
    def parts(self, path: LearningPath) -> int:
        return len(path.well_formed_steps)
