"""Adds an episode that no source lists."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from .. import curation
from ..models import Attachment, Episode, Podcast
from .base import attempt, listing, page_of, screen


class EpisodeForm(forms.Form):
    podcast = forms.ModelChoiceField(Podcast.objects.order_by("title"), label="show", empty_label=None)
    title = forms.CharField(max_length=2000)
    number = forms.IntegerField(required=False, min_value=0, max_value=(1 << 31) - 1)
    published = forms.CharField(
        required=False, max_length=40, help_text="A day (2021-08-18), or an instant (2021-08-18T13:00:00Z)."
    )
    duration_seconds = forms.IntegerField(
        required=False, min_value=1, max_value=(1 << 31) - 1, label="length", help_text="In seconds."
    )
    url = forms.CharField(required=False, max_length=2000, label="page", help_text="An http(s) address.")
    audio_url = forms.CharField(required=False, max_length=2000, label="audio", help_text="An http(s) address.")
    description_text = forms.CharField(
        required=False, max_length=200_000, label="notes", widget=forms.Textarea(attrs={"rows": 10})
    )
    reason = forms.CharField(
        required=False, max_length=500, help_text="Where it is known from; it stands in the history."
    )

    def values(self) -> dict[str, str]:
        given = {name: value for name, value in self.cleaned_data.items() if name not in ("podcast", "reason")}
        return {name: "" if value is None else str(value) for name, value in given.items()}

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        for name in ("published", "url", "audio_url"):
            try:
                curation.clean(name, str(data.get(name) or ""))
            except curation.Impossible as trouble:
                self.add_error(name, str(trouble).partition(": ")[2].capitalize())
        return data


class ByHand(admin.ModelAdmin):
    """The part of the list of episodes that adds one."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_staff and request.user.has_perm("episodes.curate"))

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = EpisodeForm(request.POST or None)
        alike: list[Episode] = []
        if request.method == "POST" and form.is_valid():
            given = form.cleaned_data
            alike = list(Episode.objects.filter(podcast=given["podcast"], title__iexact=given["title"])[:5])
            if not alike or "anyway" in request.POST:
                return self.given(request, form)
        crumbs = [(listing("episode"), "Episodes")]
        return screen(self, request, "by_hand", "Add an episode", crumbs, form=form, alike=alike)

    def given(self, request: HttpRequest, form: EpisodeForm) -> HttpResponse:
        podcast, made = form.cleaned_data["podcast"], []
        reason = form.cleaned_data["reason"]
        act = lambda: made.append(curation.give_own(request.user, podcast, form.values(), reason=reason))  # noqa: E731
        if attempt(request, act, f"“{form.cleaned_data['title']}” was added.") is not None:
            return screen(self, request, "by_hand", "Add an episode", [(listing("episode"), "Episodes")], form=form)
        attached = Attachment.objects.filter(item=made[0]).select_related("episode").first()
        return HttpResponseRedirect(page_of(attached.episode) if attached else listing("held"))
