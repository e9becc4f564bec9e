"""Sources: their form with a try-out, and what administrators do with one: import, pause, archive,
remove, move."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.urls import reverse

from .. import curation
from ..curation import Impossible
from ..ingest import acceptable, reader_titles
from ..models import Attachment, Podcast, Source, Status
from ..records import FetchedDocument
from .base import ShowFilter, only_show
from .configuration import (
    ConfigurationView,
    CuratedAdmin,
    PageField,
    RowAction,
    address,
    document,
    filled,
    previewed,
    settle,
)
from .health import HealthView

RUNS = 5  # readings that the screen of an import shows
LISTED = 20


class SourceForm(forms.ModelForm):
    """A source. A new one is filled in with what its page says of itself."""

    saved_page = PageField(
        required=False,
        help_text="A saved copy of the page to try. Without one, the address is fetched.",
    )
    page: FetchedDocument | None = None
    reader = forms.ChoiceField(label="Parser", help_text="The parser for its pages.")

    class Meta:
        model = Source
        fields = (
            "podcast",
            "slug",
            "title",
            "address",
            "reader",
            "rank",
            "may_create",
            "complete",
            "own",
        )
        labels = {"podcast": "show"}  # noqa: RUF012

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own = self.instance.reader
        known = reader_titles()
        rest = [(own, own)] if own and own not in dict(known) else []
        choices = [("", "none"), *((n, f"{t} ({n})") for n, t in known), *rest]
        self.fields["reader"].choices = choices  # type: ignore[attr-defined]
        self.fields["reader"].required = False
        if self.instance._state.adding:
            self.order_fields(["address", "saved_page"])
            self.fields["slug"].required = self.fields["title"].required = False
            self.initial["podcast"] = only_show()
        settle(
            self,
            self.instance.pk and self.instance.documents.exists(),
            podcast="its entries belong to episodes of this show.",
            slug="the GUIDs of episodes in our feeds are made of it, so podcast apps would download them again. "
            "Pages and the admin show the title, which can be changed.",
        )

    def clean_address(self) -> str:
        return address(self.cleaned_data["address"])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if upload := data.get("saved_page"):
            self.page = document(upload, data.get("address", ""))
        wanted = "_preview" in self.data or not (data.get("slug") and data.get("title"))
        if self.instance._state.adding and wanted and "address" not in self.errors:
            self._fill(data)
        return data

    def _fill(self, data: dict[str, Any]) -> None:
        """Put what the page says into the fields that were left empty."""
        if not self.page and not data["address"]:
            self.add_error("address", "Give an address or a saved copy of the page.")
            return
        try:
            self.page, described = curation.look_at(
                data["address"], self.page, settings.FETCH_ALLOW
            )
        except Impossible as refusal:
            self.add_error("address", str(refusal))
            return
        said = described.of_source().items()
        found = {name: value for name, value in said if not data.get(name)}
        self.data = filled(self.data, **found)
        data.update(found)


class SourceView(ConfigurationView):
    """A source; its preview is what an import would bring."""

    template_name = "admin/curation/source.html"

    def preview(self) -> dict[str, Any]:
        """The page is fetched before anything is locked."""
        source = self.form.save(commit=False)
        if not self.form.page and not source.address:
            return {}
        user, allow = self.request.user, settings.FETCH_ALLOW
        return previewed(
            self.request,
            lambda: curation.preview_source(user, source, self.form.page, allow=allow),
        )

    def context(self) -> dict[str, Any]:
        return super().context() | {"statuses": buttons_of(self.row) if self.row else ()}


class ReadView(RowAction):
    """Imports a source, or shows what importing it would change."""

    permission = curation.CONFIGURE
    template_name = "admin/curation/read.html"
    title = "Import {view.name}"
    done = "{view.reading.line}"
    reading: curation.SourceReading | None = None

    def prepare(self) -> None:
        super().prepare()
        self.name = self.row.name(several=Podcast.objects.several())

    def act(self) -> None:
        accept = "_accept" in self.request.POST
        self.reading = curation.read_source(
            self.request.user, self.row, accept=accept, allow=settings.FETCH_ALLOW
        )
        if not self.reading.ok:
            raise Impossible(self.reading.line)

    def preview(self) -> dict[str, Any]:
        if not self.asks():  # a page that is only opened fetches nothing
            return {}
        user, allow = self.request.user, settings.FETCH_ALLOW
        return previewed(self.request, lambda: curation.try_source(user, self.row, allow=allow))

    def context(self) -> dict[str, Any]:
        runs = list(self.row.runs.select_related("document")[:RUNS])
        return {"source": self.row, "runs": runs, "acceptable": bool(runs) and acceptable(runs[0])}

    def get_success_url(self) -> str:
        return reverse("admin:episodes_source_read", args=(self.row.pk,))


class StatusForm(forms.Form):
    status = forms.ChoiceField(choices=Status.choices)
    reason = forms.CharField(
        required=False, max_length=500, label="why", help_text="Shown in History."
    )


class StatusView(RowAction):
    """Pauses, resumes, archives or removes a source. Removing one is asked about, with the episodes
    that go with it."""

    permission = curation.CONFIGURE
    template_name = "admin/curation/source_status.html"
    form_class = StatusForm
    filled_by_address = "status"
    title = "Status of {view.name}"
    done = "{view.name}: {view.row.get_status_display}."

    def prepare(self) -> None:
        super().prepare()
        self.name = self.row.name(several=Podcast.objects.several())
        self.before = self.row.status

    def get_initial(self) -> dict[str, Any]:
        return {"status": self.row.status}

    def act(self) -> None:
        given = self.form.cleaned_data
        self.row.status = self.before
        curation.set_status(
            self.request.user,
            self.row,
            given["status"],
            seen=self.seen_first,
            reason=given["reason"],
        )

    def look(self) -> dict[int, str]:
        """Episodes of the show by an entry of each, which stays when the row does not."""
        rows = (
            Attachment.objects.filter(episode__podcast=self.row.podcast)
            .select_related("episode")
            .order_by("-pk")
        )
        return {row.item_id: row.episode.heading for row in rows}

    def compare(self, before: Any, after: Any) -> dict[str, Any]:
        lost = sorted(
            {name for item, name in before.items() if item not in after} - set(after.values())
        )
        back = sorted(set(after.values()) - set(before.values()))
        return {
            "lost": lost[:LISTED],
            "lost_more": len(lost[LISTED:]),
            "back": back[:LISTED],
            "entries": len(before),
        }

    def context(self) -> dict[str, Any]:
        return {"source": self.row, "seen": curation.state(Source.objects.get(pk=self.row.pk))}


def buttons_of(source: Source) -> list[tuple[str, str]]:
    """The statuses that a source can get next, with the words of their buttons."""
    if source.status == Status.ACTIVE:
        return [
            (Status.PAUSED, "Pause"),
            (Status.ARCHIVED, "Archive…"),
            (Status.REMOVED, "Remove…"),
        ]
    return [
        (Status.ACTIVE, "Resume"),
        *([] if source.status == Status.REMOVED else [(Status.REMOVED, "Remove…")]),
    ]


class NewAddressForm(forms.Form):
    address = forms.CharField(max_length=2000)
    reason = forms.CharField(
        required=False, max_length=500, label="why", help_text="Shown in History."
    )

    def clean_address(self) -> str:
        return address(self.cleaned_data["address"])


class SourceAddressView(RowAction):
    """Gives a source another address, with a look at what would be imported from there."""

    permission = curation.CONFIGURE
    template_name = "admin/curation/source_address.html"
    form_class = NewAddressForm
    title = "Moved to…"
    done = "{view.row} now uses {view.row.address}, starting with the next import."

    def get_initial(self) -> dict[str, Any]:
        return {"address": self.row.moved_to}

    def act(self) -> None:
        given = self.form.cleaned_data
        curation.move_source(
            self.request.user,
            self.row,
            given["address"],
            seen=self.seen_first,
            reason=given["reason"],
        )

    def preview(self) -> dict[str, Any]:
        return previewed(self.request, self.tried_there)

    def tried_there(self) -> curation.SourcePreview:
        there = Source.objects.get(pk=self.row.pk)
        there.address = self.form.cleaned_data["address"]
        page, _ = curation.look_at(there.address, None, settings.FETCH_ALLOW)
        return curation.preview_source(self.request.user, there, page)

    def context(self) -> dict[str, Any]:
        return {"source": self.row, "seen": curation.state(Source.objects.get(pk=self.row.pk))}


@admin.register(Source)
class SourceAdmin(CuratedAdmin):
    form = SourceForm
    view = SourceView
    tools = (("health", "Health"),)
    screens = (
        ("health", "health/", HealthView),
        ("read", "<path:object_id>/read/", ReadView),
        ("status", "<path:object_id>/status/", StatusView),
        ("address", "<path:object_id>/address/", SourceAddressView),
    )
    column_of_several = "podcast"
    list_display = ("slug", "podcast", "title", "status", "reader", "rank", "address")
    list_filter = (("podcast", ShowFilter), "status", "may_create", "complete", "own")
    list_select_related = ("podcast",)
    search_fields = ("slug", "title", "address")
