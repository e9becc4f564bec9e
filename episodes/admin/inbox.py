"""The inbox: everything that needs a person, each row with the buttons that settle it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from ..curation import Impossible
from ..models import Dismissed, Podcast
from .action import Unavailable
from .base import MOST_CHOICES, ReadOnly, listing, number_in, said_in
from .inbox_kinds import KINDS, InboxRow, Kind, kinds
from .review import QueueView, UndoLastView

PER_PAGE = 50
LABELS = {slug: label for _, slug, label, _ in KINDS}
SETTLED = "This row has changed since you opened the page, or was settled by you or somebody else."


def inbox_at(**asked: object) -> str:
    return f"{reverse('admin:episodes_dismissed_inbox')}?{urlencode(asked)}".removesuffix("?")


@dataclass
class Inbox:
    """The rows of a kind ("" for all) and a show, in the order of the kinds."""

    kind: str = ""
    show: Podcast | None = None
    kinds: list[Kind] = field(default_factory=kinds)

    def counts(self) -> dict[str, int]:
        """The number of rows of each kind, whichever is chosen."""
        return {kind.slug: kind.open(self.show).count() for kind in self.kinds}

    def page(self, start: int, end: int) -> list[InboxRow]:
        rows: list[InboxRow] = []
        for kind in self.kinds:
            if self.kind in ("", kind.slug):
                numbers = list(kind.open(self.show).values_list("pk", flat=True))
                rows += self.rows(kind, numbers[max(0, start) : max(0, end)])
                start, end = start - len(numbers), end - len(numbers)
        return rows

    def rows(self, kind: Kind, numbers: list[int]) -> list[InboxRow]:
        return kind.read(kind.open().filter(pk__in=numbers)) if numbers else []


class RowForm(forms.Form):
    """A row as its buttons name it: `token` tells that it still says what the page showed."""

    kind = forms.CharField(max_length=40)
    row = forms.IntegerField(min_value=0, max_value=2**63 - 1)
    token = forms.CharField(max_length=64)
    act = forms.CharField(max_length=40)


class UndoInboxView(UndoLastView):
    """Undoes the last decision, and shows the inbox as it was asked for."""

    verbs = (
        "judge same", "new episode", "ignore", "keep", "release", "close conflict",
        "judge replaces", "judge repeats", "judge unrelated", "accept topic", "refuse topic",
        "add topic", "remove topic", "dismiss",
    )  # fmt: skip
    decided = "This decision has already been undone."
    start = "admin:episodes_dismissed_inbox"

    def get_success_url(self) -> str:
        return self.request.get_full_path()


class InboxView(QueueView):
    """Lists what needs a person and settles one row at a time; the next one follows."""

    form_class = RowForm
    template_name = "admin/curation/inbox.html"
    title = "Inbox"
    undo_view = UndoInboxView
    row: InboxRow

    def prepare(self) -> None:
        asked = {name: said_in_address(self.request, name) for name in ("kind", "show")}
        self.inbox = Inbox(show=Podcast.objects.filter(slug=asked["show"]).first())
        self.by_slug = {kind.slug: kind for kind in self.inbox.kinds}
        self.inbox.kind = asked["kind"] if asked["kind"] in self.by_slug else ""

    @property
    def query(self) -> dict[str, str]:
        """The filters as an address has them."""
        show = self.inbox.show.slug if self.inbox.show else ""
        asked = {"kind": self.inbox.kind, "show": show}
        return {name: value for name, value in asked.items() if value}

    def here(self) -> str:
        """The page as it was asked for, at the row that is in the place of the settled one."""
        asked: dict[str, Any] = {**self.query}
        if "page" in self.request.GET:
            asked["page"] = self.request.GET["page"]
        if self.request.method == "POST":
            asked["at"] = number_in(self.request, "at")
        return inbox_at(**asked)

    def get_success_url(self) -> str:
        return self.here()

    def refused(self, refusal: Exception) -> HttpResponse:
        raise Unavailable(self.here())

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        form = self.get_form()
        sent = form.cleaned_data if form.is_valid() else {"kind": ""}
        kind = self.by_slug.get(sent["kind"])
        rows = self.inbox.rows(kind, [int(sent["row"])]) if kind else []
        if not rows or rows[0].token != sent["token"]:
            raise Unavailable(self.here(), SETTLED)
        self.row = rows[0]
        return super().post(request, *args, **kwargs)

    def act(self) -> None:
        name = self.form.cleaned_data["act"]
        act = next((act for act in self.row.acts if act.name == name), None)
        if act is None:
            raise Impossible("Choose one of the buttons.")
        self.done = act.done.replace("{row.", "{view.row.")
        act.do(self.request.user, self.row)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        query = self.here().partition("?")[2]
        if request.session.get("inbox", "") != query:
            request.session["inbox"] = query  # other screens lead back to it
        return super().get(request, *args, **kwargs)

    def context(self) -> dict[str, Any]:
        inbox, counts = self.inbox, self.inbox.counts()
        total = counts[inbox.kind] if inbox.kind else sum(counts.values())
        page = Paginator(range(total), PER_PAGE).get_page(said_in(self.request, "page"))
        start = PER_PAGE * (page.number - 1)
        rows = inbox.page(start, start + PER_PAGE)
        shows = list(Podcast.objects.shown()[: MOST_CHOICES + 1])
        return super().context() | {
            "rows": rows,
            "at": min(number_in(self.request, "at"), max(len(rows) - 1, 0)),
            "jump": "at" in self.request.GET,
            "page": page,
            "total": total,
            "chosen": inbox,
            "kinds": [(kind.slug, kind.label, counts[kind.slug]) for kind in inbox.kinds],
            "query": urlencode(self.query),
            "several": len(shows) > 1,
            "shows": shows if 1 < len(shows) <= MOST_CHOICES else [],
        }


def said_in_address(request: HttpRequest, name: str) -> str:
    return str(request.GET.get(name, ""))[:200].replace("\0", "")


@admin.register(Dismissed)
class DismissedAdmin(ReadOnly):
    """Rows of the inbox that are no problem; the history brings them back."""

    screens = (("inbox", "inbox/", InboxView),)
    date_hierarchy = "made_at"
    list_display = ("subject", "kind_shown", "reason", "who", "made_at")
    fields = list_display
    readonly_fields = ("kind_shown", "who")
    list_filter = (("made_by", admin.RelatedOnlyFieldListFilter),)
    list_select_related = ("made_by",)
    search_fields = ("subject", "key", "reason")

    @admin.display(description="by", ordering="made_by")
    def who(self, row: Dismissed) -> str:
        return str(row.made_by or "somebody")

    def history_at(self, row: Dismissed) -> str:
        return listing("change", f"?about=inbox:{row.about[:32]}")

    @admin.display(description="kind", ordering="kind")
    def kind_shown(self, row: Dismissed) -> str:
        return LABELS.get(row.kind, row.kind)
