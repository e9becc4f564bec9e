"""Sources: their form with a try-out, and what administrators do with one: import, pause, archive,
remove, move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.urls import reverse

from .. import curation
from ..curation import Impossible
from ..ingest import PageDescription, acceptable, reader_titles
from ..models import Attachment, Podcast, Source, Status
from .action import Unavailable
from .base import ShowFilter
from .configuration import (
    CuratedAdmin,
    RowAction,
    TriedView,
    TryOut,
    address,
    previewed,
    row_at,
    settle,
)
from .health import HealthView

RUNS = 5  # readings that the screen of an import shows
LISTED = 20


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
            self.order_fields(["address", *self.field_order])
        only = list(Podcast.objects.values_list("pk", flat=True)[:2])
        if self.instance._state.adding and len(only) == 1:
            self.initial.setdefault("podcast", only[0])
            self.fields["podcast"].empty_label = None  # type: ignore[attr-defined]
        settle(
            self,
            self.instance.pk and self.instance.documents.exists(),
            podcast="its entries belong to episodes of this show.",
            slug="the GUIDs of episodes in our feeds are made of it, so podcast apps would download them again. "
            "Pages and the admin show the title, which can be changed.",
        )

    def clean_address(self) -> str:
        return address(self.cleaned_data["address"])


class SourceView(TriedView):
    """A source; its preview is what an import would bring."""

    template_name = "admin/curation/source.html"
    address_field = "address"

    def found(self, page: PageDescription) -> Mapping[str, str]:
        return page.of_source()

    def act(self) -> None:
        curation.save_configuration(
            self.request.user, self.form.save(commit=False), seen=self.token
        )

    def preview(self) -> dict[str, Any]:
        return self.tried(self.form.save(commit=False))

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

    def get_form_kwargs(self) -> dict[str, Any]:
        return {"initial": {"status": self.row.status}, **super().get_form_kwargs()}

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

    def get_form_kwargs(self) -> dict[str, Any]:
        return {"initial": {"address": self.row.moved_to}, **super().get_form_kwargs()}

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


class MoveView(RowAction):
    """Follows a feed to the address that it, or its server, says it has now."""

    permission = curation.CONFIGURE
    template_name = "admin/curation/move.html"
    title = "Follow the feed"
    done = "{view.row} now uses {view.row.address}, starting with the next import."

    def prepare(self) -> None:
        super().prepare()
        if not self.row.moved_to:
            raise Unavailable(row_at(self.row), "No new address is proposed.")

    def act(self) -> None:
        curation.follow_move(self.request.user, self.row)

    def context(self) -> dict[str, Any]:
        return {"source": self.row}


@admin.register(Source)
class SourceAdmin(CuratedAdmin):
    form = SourceForm
    view = SourceView
    tools = (("health", "Health"),)
    screens = (
        ("health", "health/", HealthView),
        ("move", "<path:object_id>/move/", MoveView),
        ("read", "<path:object_id>/read/", ReadView),
        ("status", "<path:object_id>/status/", StatusView),
        ("address", "<path:object_id>/address/", SourceAddressView),
    )
    column_of_several = "podcast"
    list_display = ("slug", "podcast", "title", "status", "reader", "rank", "address")
    list_filter = (("podcast", ShowFilter), "status", "may_create", "complete", "own")
    list_select_related = ("podcast",)
    search_fields = ("slug", "title", "address")
