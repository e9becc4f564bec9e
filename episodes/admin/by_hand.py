"""Adds an episode that no source lists."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpResponse

from .. import curation
from ..fields import BY_HAND, TITLE
from ..models import Episode, Podcast
from .action import ActionView
from .base import page_of
from .editing import ValueField
from .episode import warn_of_number
from .inbox import inbox_at


class EpisodeForm(forms.Form):
    """The fields that a source could state, each as text that `curation.clean` understands."""

    podcast = forms.ModelChoiceField(
        Podcast.objects.order_by("title"), label="show", empty_label=None
    )
    reason = forms.CharField(
        required=False, max_length=500, help_text="Where you know it from (shown in History)."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in BY_HAND:
            how = {"label": field.label.lower(), "help_text": field.hint or field.expects}
            self.fields[field.name] = ValueField(field, required=field is TITLE, **how)
        self.fields["reason"] = self.fields.pop("reason")

    def values(self) -> dict[str, str]:
        return {field.name: self.cleaned_data[field.name] for field in BY_HAND}


class AddEpisodeView(ActionView):
    """A title that the show has already is asked about first."""

    form_class = EpisodeForm
    template_name = "admin/curation/by_hand.html"
    title = "Add an episode"
    done = "“{view.form.cleaned_data[title]}” was added."

    def asks(self) -> bool:
        given = self.form.cleaned_data
        rows = Episode.objects.filter(podcast=given["podcast"], title__iexact=given["title"])
        self.alike = list(rows[:5])
        return "anyway" not in self.request.POST and bool(self.alike)

    def preview(self) -> dict[str, Any]:
        return {"alike": self.alike}

    def act(self) -> None:
        given = self.form.cleaned_data
        self.item = curation.add_episode(
            self.request.user, given["podcast"], self.form.values(), reason=given["reason"]
        )

    def succeeded(self) -> HttpResponse:
        self.address = inbox_at(kind="held")
        if episode := curation.episode_of(self.item):
            warn_of_number(self.request, episode)
            self.address = page_of(episode)
        return super().succeeded()

    def get_success_url(self) -> str:
        return self.address
