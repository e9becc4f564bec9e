"""Shows: forms of our own that go through curation, with a preview of what their feed would import;
and what they share with sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html

from .. import curation
from ..curation import Impossible
from ..fields import web_address
from ..ingest import PageDescription, feed_row, is_web_address, largest
from ..models import Podcast, Source
from ..records import FetchedDocument
from .action import ActionView, Unavailable
from .base import SafeAdmin, attempt, listing, said_in


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


class CuratedAdmin(SafeAdmin):
    """A table whose rows only a verb of curation writes, through a view of ours in place of
    Django's form."""

    permission = curation.CONFIGURE
    view: ClassVar[type[RowView]]
    actions: Any = None

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(self.permission)

    has_add_permission = has_change_permission

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

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


def filled(data: Any, found: Mapping[str, str]) -> Any:
    """The values typed in a form, with those that the try found in empty fields."""
    both = data.copy()
    for name, value in found.items():
        if not both.get(name):
            both[name] = value
    return both


def settle(form: forms.BaseForm, used: object, **why: str) -> None:
    """Let fields stay as they are once something hangs on them, and say why."""
    for name, words in why.items() if used else ():
        form.fields[name].disabled = True
        form.fields[name].help_text = f"Cannot be changed: {words}"


SHOWN_OF_FEED = ("title", "slug", "author", "language", "description", "site_url")


class TryOut(forms.Form):
    """The page that a source is tried with: a saved copy, else what its address answers."""

    saved_page = forms.FileField(
        required=False,
        help_text="A saved copy of the page to try. Without one, the address is fetched.",
    )

    def clean_saved_page(self) -> Any:
        page = self.cleaned_data.get("saved_page")
        if page and page.size > largest():
            raise ValidationError(f"The page is larger than {largest() // 1_000_000} MB.")
        return page

    def page(self, address: str) -> FetchedDocument | None:
        """The saved copy, where there is one."""
        given = self.cleaned_data.get("saved_page")
        if not given:
            return None
        return FetchedDocument(
            given.read(), address, given.content_type or "", name=given.name or "page"
        )


class ShowForm(TryOut, forms.ModelForm):
    """A show; a new one comes with its feed as the first source."""

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
        "saved_page",
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

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["status"].required = False
        self.fields[
            "image_url"
        ].help_text = "The address of an image. It is fetched with the next import of a live feed."
        self.initial["words"] = "\n".join(self.instance.show.not_code)
        if self.instance._state.adding:
            self.order_fields(["feed_url", *self.field_order])
        else:
            del self.fields["saved_page"]
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

    def feed(self) -> Source:
        """The first source of a new show."""
        source = feed_row(self.instance, self.instance.feed_url)
        source.title = "Feed"
        return source


# --- Screens ---------------------------------------------------------------------------------------------------------


def previewed(request: HttpRequest, look: Callable[[], curation.SourcePreview]) -> dict[str, Any]:
    """The preview of an import for the template; nothing where it was refused, which a message
    tells."""
    found: list[curation.SourcePreview] = []
    attempt(request, lambda: found.append(look()))
    return {"tried": found[0]} if found else {}


class TriedView(RowView):
    """A row with a page that can be tried out. A new row is filled in with what its page says of
    itself."""

    address_field = ""
    found_page: FetchedDocument | None = None
    refusal: Exception | None = None

    def found(self, page: PageDescription) -> Mapping[str, str]:
        """Columns of the row that the page gives."""
        raise NotImplementedError

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs = super().get_form_kwargs()
        if not self.row and self.asks():
            self.refusal = attempt(self.request, lambda: self.fill(kwargs), told=False)
        return kwargs

    def get_form(self, form_class: Any = None) -> Any:
        """The form; after a try that failed only with what is wrong with the address."""
        form = super().get_form(form_class)
        if not self.refusal:
            return form
        typed = {name: said_in(self.request, name) for name in form.fields}
        again = (form_class or self.get_form_class())(initial=typed, instance=form.instance)
        again.errors[self.address_field] = again.error_class([str(self.refusal)])
        return again

    def fill(self, kwargs: dict[str, Any]) -> None:
        """Fetch the page before the form is judged, so that an address is all that has to be
        typed."""
        typed = web_address(said_in(self.request, self.address_field))
        upload = TryOut(files=self.request.FILES, data={})
        saved = upload.page(typed) if upload.is_valid() else None
        if not typed and saved is None:
            raise Impossible("To try it out, give an address or a saved copy of the page.")
        self.found_page, description = curation.look_at(typed, saved, settings.FETCH_ALLOW)
        kwargs["data"] = filled(kwargs["data"], self.found(description))

    def tried(self, source: Source, podcast: Podcast | None = None) -> dict[str, Any]:
        """Preview of an import; the page is fetched before anything is locked."""
        page = self.found_page or self.form.page(source.address)
        if page is None and not (self.row and source.address):
            return {}
        user, allow = self.request.user, settings.FETCH_ALLOW
        return previewed(
            self.request,
            lambda: curation.preview_source(user, source, page, podcast=podcast, allow=allow),
        )


class ShowView(TriedView):
    """A show; a new one comes with its feed as the first source."""

    template_name = "admin/curation/show.html"
    address_field = "feed_url"

    def found(self, page: PageDescription) -> Mapping[str, str]:
        if page.channel is None:
            raise Impossible(
                "This page is no feed. Give the address of the feed, or use “Add a show” with this address."
            )
        address = self.found_page.address if self.found_page else ""
        show = curation.show_from(page.channel, address)
        return {name: getattr(show, name) for name in SHOWN_OF_FEED}

    def act(self) -> None:
        podcast = self.form.save(commit=False)
        if self.row:
            curation.save_configuration(self.request.user, podcast, seen=self.token)
            return
        with transaction.atomic():
            curation.save_configuration(self.request.user, podcast)
            source = self.form.feed()
            source.podcast = podcast
            curation.save_configuration(self.request.user, source)
        where = reverse("admin:episodes_source_read", args=(source.pk,))
        messages.info(
            self.request,
            format_html('Its feed is not imported yet. <a href="{}">Import it now</a>', where),
        )

    def preview(self) -> dict[str, Any]:
        return {} if self.row else self.tried(self.form.feed(), self.form.save(commit=False))

    def context(self) -> dict[str, Any]:
        sources = self.row.sources.annotate(listed=Count("documents__items")) if self.row else ()
        otherwise = curation.stated_otherwise(self.row) if self.row else {}
        edited = [
            (self.form.fields[name].label or name, name, value) for name, value in otherwise.items()
        ]
        return super().context() | {"sources": sources, "edited": edited}


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


class AddressForm(forms.Form):
    address = forms.CharField(
        max_length=2000, help_text="The show's feed, or a page that links it, such as its website."
    )

    def clean_address(self) -> str:
        return str(self.cleaned_data["address"]).strip()


class AddShowView(ActionView):
    """A new show by one address: what its feed says, and what adding it would do."""

    template_name = "admin/curation/add_show.html"
    form_class = AddressForm
    permission = curation.CONFIGURE
    title = "Add a show"
    done = "{view.podcast} was added: {view.count} episodes."

    def act(self) -> None:
        self.podcast = curation.add_show(self.request.user, self.found_feed())
        self.count = self.podcast.episodes.count()

    def preview(self) -> dict[str, Any]:
        found: list[Any] = []
        attempt(self.request, lambda: found.append(curation.show_preview(self.found_feed())))
        return {"shown": found[0] if found else None}

    def found_feed(self) -> FetchedDocument:
        return curation.feed_at(self.form.cleaned_data["address"], settings.FETCH_ALLOW)

    def get_success_url(self) -> str:
        return row_at(self.podcast)


@admin.register(Podcast)
class PodcastAdmin(CuratedAdmin):
    form = ShowForm
    view = ShowView
    screens = (
        ("add_by_address", "add-by-address/", AddShowView),
        ("follow", "<path:object_id>/follow/", FollowFeedView),
    )
    tools = (("add_by_address", "Add a show by its address"),)
    list_display = ("title", "slug", "status", "feed_url", "author", "language", "episode_count")
    list_filter = ("status",)
    search_fields = ("title", "slug", "author")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Podcast]:
        rows: QuerySet[Podcast] = super().get_queryset(request)
        return rows.annotate(episode_count=Count("episodes"))

    @admin.display(description="episodes", ordering="episode_count")
    def episode_count(self, podcast: Any) -> int:
        return int(podcast.episode_count)
