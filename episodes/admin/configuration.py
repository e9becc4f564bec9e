"""Shows and sources: forms of our own that go through curation, and show what a source would bring before it is saved."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import models, transaction
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from .. import curation
from ..ingest import LARGEST, is_web, reader_titles
from ..models import Podcast, Source
from ..records import FetchedDocument
from .base import Guarded, attempt, listing, screen


class Governed(Guarded):
    """A table whose rows only a verb of curation writes: a form of ours in place of Django's, with a look ahead."""

    permission = "episodes.configure"
    form: Any
    template = ""
    actions: Any = None

    def may(self, request: HttpRequest) -> bool:
        return bool(request.user.is_staff and request.user.has_perm(self.permission))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.may(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        row = self.get_object(request, unquote(object_id)) if object_id is not None else None
        if object_id is not None and row is None:
            return self.gone(request, object_id)
        self.guard(request, row)
        form = self.form(request.POST or None, request.FILES or None, instance=row)
        if request.method != "POST":
            return self.form_page(request, form, row, curation.state(row) if row else "")
        seen, ahead = request.POST.get("seen", "")[:64], dict[str, Any]()
        if form.is_valid() and self.submitted(request, form, seen, ahead):
            return HttpResponseRedirect(self.page(form.instance.pk))
        return self.form_page(request, form, row, seen, **ahead)

    def guard(self, request: HttpRequest, row: Any) -> None:
        """Refuse who may not configure, but for looking at what is there."""
        looks = row is not None and request.method != "POST" and self.has_view_permission(request)
        if not looks and not self.may(request):
            raise PermissionDenied

    def submitted(self, request: HttpRequest, form: Any, seen: str, ahead: dict[str, Any]) -> bool:
        """Look ahead, or save; True if it was saved."""
        if "_preview" in request.POST:
            attempt(request, lambda: ahead.update(self.look(request, form, seen)), "")
            return False
        refused = attempt(request, lambda: self.store(request, form, seen), "")
        if refused is None:
            messages.success(request, f"“{form.instance}” was saved.")
        return refused is None

    def form_page(self, request: HttpRequest, form: Any, row: Any, seen: str, **ahead: Any) -> HttpResponse:
        if not self.may(request):
            for field in form.fields.values():
                field.disabled = True
        name = self.opts.verbose_name
        crumbs = [(listing(str(self.opts.model_name)), str(self.opts.verbose_name_plural).capitalize())]
        return screen(
            self,
            request,
            self.template,
            f"Add {name}" if row is None else str(type(row)._default_manager.get(pk=row.pk)),
            crumbs,
            form=form,
            row=row,
            seen=seen,
            may=self.may(request),
            media=self.media,
            **self.about(request, row),
            **ahead,
        )

    def page(self, pk: object) -> str:
        return reverse(f"admin:episodes_{self.opts.model_name}_change", args=(pk,))

    def gone(self, request: HttpRequest, object_id: str) -> HttpResponse:
        messages.warning(request, f"That {self.opts.verbose_name} is not there any more.")
        return HttpResponseRedirect(listing(str(self.opts.model_name)))

    def about(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """What else the page shows."""
        return {}

    def look(self, request: HttpRequest, form: Any, seen: str) -> dict[str, Any]:
        """What would come of it."""
        return {}

    def store(self, request: HttpRequest, form: Any, seen: str) -> None:
        curation.save_configuration(request.user, form.save(commit=False), seen=seen)


def address(value: str) -> str:
    """An address that can be asked, or none."""
    value = value.strip()
    if value and not is_web(value):
        raise ValidationError("A whole http(s) address, or nothing.")
    return value


def settle(form: forms.BaseForm, used: object, *names: str) -> None:
    """Let fields stay as they are once something hangs on them."""
    for name in names if used else ():
        form.fields[name].disabled = True
        form.fields[name].help_text = "Stays: what was read and decided hangs on it."


class TryOut(forms.Form):
    """The page that a source is tried with: a saved copy, else what its address answers."""

    saved_page = forms.FileField(
        required=False, help_text="To try a saved copy of its page; without one its address is asked."
    )

    def clean_saved_page(self) -> Any:
        page = self.cleaned_data.get("saved_page")
        if page and page.size > LARGEST:
            raise ValidationError(f"The page is larger than {LARGEST // 1_000_000} MB.")
        return page

    def page(self, address: str) -> FetchedDocument | None:
        """The saved copy, where there is one."""
        given = self.cleaned_data.get("saved_page")
        return (
            FetchedDocument(given.read(), address, given.content_type or "", name=given.name or "page")
            if given
            else None
        )


class SourceForm(TryOut, forms.ModelForm):
    field_order = (
        "podcast",
        "slug",
        "title",
        "address",
        "reader",
        "rank",
        "may_create",
        "complete",
        "own",
        "saved_page",
    )
    reader = forms.ChoiceField(help_text="What can read its pages.")

    class Meta:
        model = Source
        fields = ("podcast", "slug", "title", "address", "reader", "rank", "may_create", "complete", "own")
        labels = {"podcast": "show"}  # noqa: RUF012

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own = self.instance.reader
        known = reader_titles()
        rest = [(own, own)] if own and own not in dict(known) else []
        self.fields["reader"].choices = [("", "none"), *((n, f"{t} ({n})") for n, t in known), *rest]  # type: ignore[attr-defined]
        self.fields["reader"].required = False
        only = list(Podcast.objects.values_list("pk", flat=True)[:2])
        if self.instance._state.adding and len(only) == 1:
            self.initial.setdefault("podcast", only[0])
            self.fields["podcast"].empty_label = None  # type: ignore[attr-defined]
        # Evidence and decisions know it by these.
        settle(self, self.instance.pk and self.instance.documents.exists(), "podcast", "slug")

    def clean_address(self) -> str:
        return address(self.cleaned_data["address"])


class ShowForm(TryOut, forms.ModelForm):
    """A show; a new one comes with its feed as the first source."""

    field_order = ("title", "slug", "feed_url", "site_url", "author", "language", "description", "words", "saved_page")
    words = forms.CharField(
        label="No names of code",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Words of this show that look like names of code and are none, one a line.",
    )

    class Meta:
        model = Podcast
        fields = ("title", "slug", "feed_url", "site_url", "author", "language", "description")
        widgets = {"description": forms.Textarea(attrs={"rows": 4})}  # noqa: RUF012

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["words"] = "\n".join(self.instance.show.not_code)
        if not self.instance._state.adding:
            del self.fields["saved_page"]
            settle(self, self.instance.episodes.exists(), "slug")

    def clean_feed_url(self) -> str:
        return address(self.cleaned_data["feed_url"])

    def clean_site_url(self) -> str:
        return address(self.cleaned_data["site_url"])

    def clean_words(self) -> str:
        self.instance.not_code = [w.strip() for w in self.cleaned_data["words"].splitlines() if w.strip()]
        return str(self.cleaned_data["words"])

    def feed(self) -> Source:
        """The first source of a new show."""
        return Source(
            podcast=self.instance,
            slug="feed",
            title="Feed",
            reader="feed",
            address=self.instance.feed_url,
            rank=1,
            may_create=True,
            complete=True,
            own=True,
        )


@admin.register(Podcast)
class PodcastAdmin(Governed):
    form = ShowForm
    template = "show"
    list_display = ("title", "slug", "feed_url", "author", "language", "episode_count")
    search_fields = ("title", "slug", "author")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Podcast]:
        rows: QuerySet[Podcast] = super().get_queryset(request)
        return rows.annotate(episode_count=Count("episodes"))

    @admin.display(description="episodes", ordering="episode_count")
    def episode_count(self, podcast: Any) -> int:
        return int(podcast.episode_count)

    def about(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        return {"sources": row.sources.annotate(listed=Count("documents__items")) if row else ()}

    def look(self, request: HttpRequest, form: Any, seen: str) -> dict[str, Any]:
        podcast = form.save(commit=False)
        return {"tried": tried(request, form, form.feed(), podcast)} if podcast._state.adding else {}

    def store(self, request: HttpRequest, form: Any, seen: str) -> None:
        podcast = form.save(commit=False)
        adding = podcast._state.adding
        with transaction.atomic():
            curation.save_configuration(request.user, podcast, seen=seen)
            if adding:
                source = form.feed()
                source.podcast = podcast
                curation.save_configuration(request.user, source)
        if adding:
            messages.info(request, f"Its feed is read with the next ingest: manage.py ingest --podcast {podcast.slug}")


@admin.register(Source)
class SourceAdmin(Governed):
    form = SourceForm
    template = "source"
    list_display = ("slug", "podcast", "title", "reader", "rank", "may_create", "complete", "own", "address")
    list_filter = ("podcast", "may_create", "complete", "own")
    list_select_related = ("podcast",)
    search_fields = ("slug", "title", "address")

    def look(self, request: HttpRequest, form: Any, seen: str) -> dict[str, Any]:
        return {"tried": tried(request, form, form.save(commit=False), None)}


def tried(request: HttpRequest, form: Any, source: Source, podcast: models.Model | None) -> curation.SourcePreview:
    page = form.page(source.address)
    if page is None and not source.address:
        raise curation.Impossible("Give an address, or a saved copy of the page, to try it out.")
    show = podcast if isinstance(podcast, Podcast) else None
    return curation.preview_source(request.user, source, page, podcast=show, allow=settings.FETCH_ALLOW)
