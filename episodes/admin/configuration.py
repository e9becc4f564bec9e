"""Shows: added by an address or a list, and edited in a form of our own that goes through curation;
and what they share with sources."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from .. import curation
from ..curation import Impossible
from ..fields import web_address
from ..ingest import is_web_address, largest
from ..models import Podcast
from ..records import FetchedDocument
from ..text.formatting import counted, episodes
from .action import ActionView, Unavailable
from .base import SafeAdmin, attempt, listing


class RowAction(ActionView):
    """A change of one row of a table, which its number names; it leads back to the row."""

    row: Any = None

    def prepare(self) -> None:
        number = self.kwargs.get("object_id")
        if number is None:
            return
        opts = self.model_admin.opts
        self.row = self.model_admin.get_object(self.request, unquote(number))
        if self.row is None:
            raise Unavailable(
                listing(opts.model_name), f"This {opts.verbose_name} no longer exists."
            )
        self.crumbs = [(row_at(self.row), called(self.row))]

    def get_success_url(self) -> str:
        return row_at(self.row)


def called(row: Any) -> str:
    return str(getattr(row, "heading", row))


def row_at(row: Any) -> str:
    return reverse(f"admin:episodes_{row._meta.model_name}_change", args=(row.pk,))


class RowView(RowAction):
    """The form of a new or known row. Viewers read it."""

    title = "{view.name}"
    done = "“{view.form.instance}” was saved."

    @property
    def permission(self) -> str:  # type: ignore[override]
        return str(self.model_admin.permission)

    @property
    def viewers_may_look(self) -> bool:  # type: ignore[override]
        return self.kwargs.get("object_id") is not None

    def prepare(self) -> None:
        super().prepare()
        opts = self.model_admin.opts
        self.crumbs = ()
        self.name = called(self.row) if self.row else f"Add {opts.verbose_name}"
        self.token = (
            self.seen_first
            if self.request.method == "POST"
            else curation.state(self.row or opts.model())
        )

    def get_form_class(self) -> Any:
        return self.model_admin.form

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "instance": self.row}

    def get_success_url(self) -> str:
        return row_at(self.form.instance)

    def context(self) -> dict[str, Any]:
        may = self.request.user.has_perm(self.permission)
        for field in () if may else self.form.fields.values():
            field.disabled = True
        return {"row": self.row, "seen": self.token, "may": may, "media": self.model_admin.media}


class DeleteView(RowAction):
    """Asks before a row is deleted; its template says what goes with it."""

    title = "Delete “{view.row}”"
    done = "“{view.row}” was deleted; its address redirects to the list."

    def get_template_names(self) -> list[str]:
        return [f"admin/curation/{self.model_admin.opts.model_name}_delete.html"]

    def act(self) -> None:
        self.model_admin.delete_verb(self.request.user, self.row, seen=self.seen_first)

    def get_success_url(self) -> str:
        return listing(self.model_admin.opts.model_name)

    def context(self) -> dict[str, Any]:
        return {"row": self.row, "seen": curation.state(self.row)}


class CuratedAdmin(SafeAdmin):
    """A table whose rows only a verb of curation writes, through a view of ours in place of
    Django's form."""

    permission = curation.CONFIGURE
    view: ClassVar[type[RowView]]
    delete_verb: ClassVar[Any] = None  # for rows that can be deleted
    actions: Any = None

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(self.permission)

    has_add_permission = has_change_permission

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.delete_verb is not None and self.has_change_permission(request)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        if not self.has_delete_permission(request):
            raise PermissionDenied
        return self.respond(DeleteView, request, object_id=object_id)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        return self.respond(self.view, request, object_id=object_id)


# --- Forms -----------------------------------------------------------------------------------------------------------


def address(value: str) -> str:
    """An address that can be asked, with the https:// that people leave out, or none."""
    value = value.strip()
    completed = web_address(value)
    if value and not (completed and is_web_address(completed)):
        raise ValidationError(
            f"“{value[:80]}” is not a web address. Enter a full one such as https://example.org/page."
        )
    return completed


def settle(form: forms.BaseForm, used: object, **why: str) -> None:
    """Let fields stay as they are once something hangs on them, and say why."""
    for name, words in why.items() if used else ():
        form.fields[name].disabled = True
        form.fields[name].help_text = f"Cannot be changed: {words}"


def document(upload: Any, address: str) -> FetchedDocument:
    """A file that was uploaded, as if its address had answered it."""
    return FetchedDocument(
        upload.read(), address, upload.content_type or "", name=upload.name or "page"
    )


def filled(data: Any, **values: str) -> Any:
    """What was sent, with these values in it."""
    data = data.copy()
    for name, value in values.items():
        data[name] = value
    return data


class PageField(forms.FileField):
    """A saved copy of a page."""

    def clean(self, data: Any, initial: Any = None) -> Any:
        upload = super().clean(data, initial)
        if upload and upload.size > largest():
            raise ValidationError(f"The page is larger than {largest() // 1_000_000} MB.")
        return upload


class ShowForm(forms.ModelForm):
    """A show. One without a feed is added by it."""

    field_order = (
        "title",
        "slug",
        "feed_url",
        "site_url",
        "author",
        "language",
        "description",
        "image_url",
        "words",
        "status",
    )
    words = forms.CharField(
        label="Words that are not symbols",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Words in this show that look like symbols but are not, one per line.",
    )

    class Meta:
        model = Podcast
        fields = (
            "title",
            "slug",
            "feed_url",
            "site_url",
            "author",
            "language",
            "description",
            "image_url",
            "status",
        )
        widgets = {"description": forms.Textarea(attrs={"rows": 4})}  # noqa: RUF012
        error_messages = {"slug": {"unique": "Another show has this slug. Choose another one."}}  # noqa: RUF012
        help_texts = {  # noqa: RUF012
            "image_url": "The address of an image. It is fetched with the next import of a live feed."
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["status"].required = False
        self.initial["words"] = "\n".join(self.instance.show.not_code)
        if self.instance._state.adding:
            del self.fields["feed_url"]
            return
        settle(
            self,
            self.instance.episodes.exists(),
            slug="the GUIDs of its episodes in our feeds are made of it, so podcast apps would download them again. "
            "The title can be changed.",
        )

    def clean_status(self) -> str:
        return str(self.cleaned_data["status"] or self.instance.status)

    def clean_feed_url(self) -> str:
        return address(self.cleaned_data["feed_url"])

    def clean_site_url(self) -> str:
        return address(self.cleaned_data["site_url"])

    def clean_image_url(self) -> str:
        return address(self.cleaned_data["image_url"])

    def clean_words(self) -> str:
        self.instance.not_code = [
            w.strip() for w in self.cleaned_data["words"].splitlines() if w.strip()
        ]
        return str(self.cleaned_data["words"])


# --- Screens ---------------------------------------------------------------------------------------------------------


def previewed(request: HttpRequest, look: Callable[[], curation.SourcePreview]) -> dict[str, Any]:
    """The preview of an import for the template; nothing where it was refused, which a message
    tells."""
    found: list[curation.SourcePreview] = []
    attempt(request, lambda: found.append(look()))
    return {"tried": found[0]} if found else {}


class ConfigurationView(RowView):
    """A row of the set-up, whose form is saved as it is."""

    def act(self) -> None:
        row = self.form.save(commit=False)
        curation.save_configuration(self.request.user, row, seen=self.token)


class ShowView(ConfigurationView):
    template_name = "admin/curation/show.html"

    def context(self) -> dict[str, Any]:
        sources = self.row.sources.annotate(listed=Count("documents__items")) if self.row else ()
        otherwise = curation.stated_otherwise(self.row) if self.row else {}
        edited = [
            (self.form.fields[name].label or name, name, value) for name, value in otherwise.items()
        ]
        return super().context() | {"sources": sources, "edited": edited}


class NewShowView(ShowView):
    """A show without a feed."""

    permission = curation.CONFIGURE
    viewers_may_look = False


class FollowForm(forms.Form):
    field = forms.CharField(max_length=50, widget=forms.HiddenInput())


class FollowFeedView(RowAction):
    """Lets a column of a show follow its feed again."""

    permission = curation.CONFIGURE
    form_class = FollowForm
    title = "Follow the feed again"
    done = "It follows the feed again."

    def act(self) -> None:
        names = [self.form.cleaned_data["field"]]
        curation.follow_feed(self.request.user, self.row, names, seen=self.seen_first)

    def page(self, **more: Any) -> HttpResponse:
        """It has no page of its own."""
        return HttpResponseRedirect(self.get_success_url())


class AddShowForm(forms.Form):
    address = forms.CharField(
        max_length=2000,
        required=False,
        help_text="The show's feed, or a page that links it, such as its website.",
    )
    saved_page = PageField(
        required=False,
        label="or a file",
        help_text="A list of subscriptions (OPML), or a saved copy of the feed at this address.",
    )
    # The file between preview and saving: its bytes, each as one character.
    kept = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)

    def clean_address(self) -> str:
        return str(self.cleaned_data["address"]).strip()

    def clean(self) -> dict[str, Any]:
        """The shows that are meant: those of a list, or the feed."""
        given = self.cleaned_data
        upload, typed = given.get("saved_page"), given.get("address", "")
        body = upload.read() if upload else given.get("kept", "").encode("latin-1", "replace")
        self.data = filled(self.data, kept=body.decode("latin-1"))
        page = FetchedDocument(body, web_address(typed), name="file") if body else None
        try:
            if page and (listed := curation.listed_shows(page)):
                return {"listed": listed}
            if not typed:
                raise Impossible("Give the address of the feed or of a page that links it.")
            return {"page": page or curation.feed_at(typed, settings.FETCH_ALLOW), "listed": []}
        except Impossible as refusal:
            self.add_error("address", str(refusal))
            return given


class AddShowView(ActionView):
    """A new show by one address, or all of a list: what their feeds say, and what adding them would
    do."""

    template_name = "admin/curation/add_show.html"
    form_class = AddShowForm
    permission = curation.CONFIGURE
    title = "Add a show"
    done = "{view.added}"
    address = ""

    def act(self) -> None:
        user, listed = self.request.user, self.form.cleaned_data["listed"]
        if listed:
            count = curation.add_listed_shows(user, listed)
            self.added = f"Added: {counted(count, 'show', 'shows')}. The schedule imports them."
            return
        podcast = curation.add_show(user, self.form.cleaned_data["page"])
        self.added = f"{podcast} was added: {episodes(podcast.episodes.count())}."
        self.address = row_at(podcast)

    def preview(self) -> dict[str, Any]:
        listed, page = self.form.cleaned_data["listed"], self.form.cleaned_data.get("page")
        found: list[Any] = []
        if page:
            attempt(self.request, lambda: found.append(curation.show_preview(page)))
        return {"shown": found[0] if found else None, "listed": listed}

    def get_success_url(self) -> str:
        return self.address or listing("podcast")


@admin.register(Podcast)
class PodcastAdmin(CuratedAdmin):
    form = ShowForm
    view = ShowView
    screens = (
        ("by_hand", "by-hand/", NewShowView),
        ("follow", "<path:object_id>/follow/", FollowFeedView),
    )
    tools = (("by_hand", "Add a show without a feed"),)
    list_display = ("title", "slug", "status", "feed_url", "author", "language", "episode_count")
    list_filter = ("status",)
    search_fields = ("title", "slug", "author")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Podcast]:
        rows: QuerySet[Podcast] = super().get_queryset(request)
        return rows.annotate(episode_count=Count("episodes"))

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        return self.respond(AddShowView, request)

    @admin.display(description="episodes", ordering="episode_count")
    def episode_count(self, podcast: Any) -> int:
        return int(podcast.episode_count)
