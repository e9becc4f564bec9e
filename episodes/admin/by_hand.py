"""Adds an episode that no source lists."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from .. import curation
from ..fields import BY_HAND, TITLE, Field
from ..models import Attachment, Episode, Podcast
from .base import attempt, listing, page_of, screen


class EpisodeForm(forms.Form):
    """The fields that a source could state, each as text that `curation.clean` understands."""

    podcast = forms.ModelChoiceField(Podcast.objects.order_by("title"), label="show", empty_label=None)
    reason = forms.CharField(
        required=False, max_length=500, help_text="Where it is known from; it stands in the history."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own = {field.name: _typed(field) for field in BY_HAND}
        self.fields = {"podcast": self.fields["podcast"], **own, "reason": self.fields["reason"]}

    def values(self) -> dict[str, str]:
        return {field.name: self.cleaned_data[field.name] for field in BY_HAND}

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        for field in BY_HAND:
            try:
                curation.clean(field.name, data.get(field.name, ""))
            except curation.Impossible:
                self.add_error(field.name, field.expects.capitalize())
        return data


def _typed(field: Field[Any]) -> forms.CharField:
    return forms.CharField(
        label=field.label.lower(),
        required=field is TITLE,
        max_length=200_000 if field.long else 2000,
        help_text=field.hint or field.expects.capitalize(),
        widget=forms.Textarea(attrs={"rows": 10}) if field.long else forms.TextInput(),
    )


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
