"""The inbox: everything that needs a person, each row with the buttons that settle it; and the
review, which shows one row beside what it may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from ..curation import Impossible, together
from ..models import Change, Dismissed, Podcast
from ..text.formatting import counted
from .action import ActionView, Unavailable
from .base import MOST_CHOICES, Crumbs, ReadOnly, is_id, listing, number_in, said_in
from .corrections import Words, touched
from .inbox_kinds import KINDS, kinds
from .inbox_rows import Act, InboxRow, Kind, review_at

PER_PAGE = 50
LABELS = {kind.slug: kind.label for kind in KINDS}
SETTLED = "This row has changed since you opened the page, or was settled by you or somebody else."
SEVERAL = "inbox: "  # begins the verb of what was done to several rows
VERBS = (
    "judge same", "judge different", "new episode", "ignore", "keep", "release", "close conflict",
    "judge replaces", "judge repeats", "judge unrelated", "accept topic", "join topic",
    "refuse topic", "add topic", "remove topic", "dismiss",
)  # fmt: skip


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

    def numbers(self, kind: Kind) -> list[int]:
        return list(kind.open(self.show).values_list("pk", flat=True))

    def page(self, start: int, end: int) -> list[InboxRow]:
        rows: list[InboxRow] = []
        for kind in self.kinds:
            if self.kind in ("", kind.slug):
                numbers = self.numbers(kind)
                rows += self.rows(kind, numbers[max(0, start) : max(0, end)])
                start, end = start - len(numbers), end - len(numbers)
        return rows

    def rows(self, kind: Kind, numbers: Sequence[int]) -> list[InboxRow]:
        return kind.read(kind.open().filter(pk__in=numbers)) if numbers else []


class RowsForm(forms.Form):
    """Rows as their buttons name them: a `token` tells that one still says what the page showed."""

    kind = forms.ChoiceField(choices=list(LABELS.items()))
    act = forms.CharField(max_length=40, required=False)
    row = forms.Field(widget=forms.MultipleHiddenInput, required=False)
    token = forms.Field(widget=forms.MultipleHiddenInput, required=False)
    all = forms.IntegerField(required=False)  # rows of the kind there were, if all are meant

    def numbers(self) -> list[int]:
        return [int(number) for number in self.cleaned_data["row"] or () if is_id(number)]


class InboxView(ActionView):
    """Lists what needs a person and settles one row, or several of a kind; the next one follows."""

    form_class = RowsForm
    template_name = "admin/curation/inbox.html"
    title = "Inbox"
    done = "{view.message}"
    viewers_may_look = True
    chosen: list[InboxRow]

    def prepare(self) -> None:
        show = Podcast.objects.filter(slug=said_in_address(self.request, "show")).first()
        self.inbox = Inbox(show=show)
        self.by_slug = {kind.slug: kind for kind in self.inbox.kinds}
        asked = self.kwargs.get("kind") or said_in_address(self.request, "kind")
        self.inbox.kind = asked if asked in self.by_slug else ""

    @property
    def query(self) -> dict[str, str]:
        """The filters as an address has them."""
        show = self.inbox.show.slug if self.inbox.show else ""
        asked = {"kind": self.inbox.kind, "show": show}
        return {name: value for name, value in asked.items() if value}

    def get_success_url(self) -> str:
        """The page as it was asked for, at the row that is in the place of the settled one."""
        page = said_in_address(self.request, "page")
        asked = self.query | ({"page": page} if page else {})
        return inbox_at(**asked, at=number_in(self.request, "at"))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        form = self.get_form()
        self.chosen = self.rows_of(form) if form.is_valid() else []
        if not self.chosen:
            raise Unavailable(self.get_success_url(), SETTLED)
        return super().post(request, *args, **kwargs)

    def rows_of(self, form: RowsForm) -> list[InboxRow]:
        """The rows that a form names, as far as they are what its page showed."""
        kind, sent = self.by_slug[form.cleaned_data["kind"]], form.cleaned_data
        if sent["all"]:
            numbers = self.inbox.numbers(kind)
            return self.inbox.rows(kind, numbers) if len(numbers) == sent["all"] else []
        rows = self.inbox.rows(kind, form.numbers())
        return [row for row in rows if row.token in (sent["token"] or ())]

    def list_crumb(self) -> Crumbs:
        return ()

    def offered(self, row: InboxRow) -> Sequence[Act]:
        return row.acts

    def act_on(self, row: InboxRow) -> Act:
        name = self.form.cleaned_data["act"]
        act = next((act for act in self.offered(row) if act.name == name), None)
        if act is None:
            raise Impossible("Choose one of the buttons.")
        act.do(self.request.user, row)
        return act

    def act(self) -> None:
        if len(self.chosen) == 1:
            (row,) = self.chosen
            self.message = self.act_on(row).done.format(row=row)
            return
        shows = {row.show.pk: row.show for row in self.chosen if row.show}
        acts = [(row.subject, partial(self.act_on, row)) for row in self.chosen]
        with together(SEVERAL + self.form.cleaned_data["act"], shows.values()) as batch:
            refused = batch.each(acts)
        for reason in refused:
            messages.error(self.request, f"Not done: {reason}")
        self.message = f"Done: {counted(len(acts) - len(refused), 'row', 'rows')}."

    def refused(self, refusal: Exception) -> HttpResponse:
        raise Unavailable(self.get_success_url())

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        query = request.GET.urlencode() if self.query or "page" in request.GET else ""
        if request.session.get("inbox", "") != query:
            request.session["inbox"] = query  # other screens lead back to it
        return super().get(request, *args, **kwargs)

    def last(self) -> Change | None:
        """The last decision of this person in the inbox, unless it was undone."""
        verbs = Q(verb__in=VERBS) | Q(verb__startswith=SEVERAL)
        mine = Change.objects.filter(verbs, made_by=self.request.user.pk, undone_at=None)
        return mine.first()

    def context(self) -> dict[str, Any]:
        inbox, counts = self.inbox, self.inbox.counts()
        total = counts[inbox.kind] if inbox.kind else sum(counts.values())
        page = Paginator(range(total), PER_PAGE).get_page(said_in(self.request, "page"))
        start = PER_PAGE * (page.number - 1)
        rows = inbox.page(start, start + PER_PAGE)
        shows = list(Podcast.objects.shown()[: MOST_CHOICES + 1])
        return {
            "last": self.last(),
            "back": self.request.get_full_path(),
            "rows": rows,
            "at": min(number_in(self.request, "at"), max(len(rows) - 1, 0)),
            "jump": "at" in self.request.GET,
            "page": page,
            "total": total,
            "chosen": inbox,
            "kinds": [(kind.slug, kind.label, counts[kind.slug]) for kind in inbox.kinds],
            "together": self.by_slug[inbox.kind].acts if inbox.kind else (),
            "query": urlencode(self.query),
            "several": len(shows) > 1,
            "shows": shows if 1 < len(shows) <= MOST_CHOICES else [],
        }


def said_in_address(request: HttpRequest, name: str) -> str:
    return str(request.GET.get(name, ""))[:200].replace("\0", "")


class ReviewView(InboxView):
    """One row of a kind beside what it may be; a decision leads to the next one."""

    title = "{view.kind.label}"
    row: InboxRow | None

    def prepare(self) -> None:
        super().prepare()
        self.kind = self.by_slug.get(self.inbox.kind)
        if self.kind is None or not self.kind.review:
            raise Unavailable(inbox_at())
        self.template_name = self.kind.review
        self.crumbs = [(inbox_at(kind=self.kind.slug), "Inbox")]
        numbers, asked = self.inbox.numbers(self.kind), number_in(self.request, "row")
        self.total, self.at = len(numbers), number_in(self.request, "at")
        if asked in numbers:
            self.at = numbers.index(asked)
        self.wrapped = 0 < self.total <= self.at
        self.at %= self.total or 1
        rows = self.inbox.rows(self.kind, numbers[self.at : self.at + 1])
        self.row = self.considered(rows[0]) if rows else None

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return ActionView.get(self, request, *args, **kwargs)

    def considered(self, row: InboxRow) -> InboxRow:
        """The row, beside what was chosen or typed."""
        names = ("with", "q", "name", "reason")
        row.kind.consider(row, {name: said_in(self.request, name) for name in names})
        return row

    def rows_of(self, form: RowsForm) -> list[InboxRow]:
        rows = [self.row] if self.row and self.row.target.pk in form.numbers() else []
        return [
            row for row in rows if row.token in (form.cleaned_data["token"] or ()) or self.asks()
        ]

    def offered(self, row: InboxRow) -> Sequence[Act]:
        return row.kind.choices(row)

    def act_on(self, row: InboxRow) -> Act:
        if not self.asks():
            return super().act_on(row)
        act = self.offered(row)[0]
        act.do(self.request.user, row)
        return act

    def look(self) -> Words:
        return self.chosen[0].kind.look(self.chosen[0])

    def compare(self, before: Words, after: Words) -> dict[str, Any]:
        return {"touched": touched(before, after)}

    def get_success_url(self) -> str:
        show = {name: value for name, value in self.query.items() if name == "show"}
        return review_at(self.inbox.kind, **show, at=self.at)

    def refused(self, refusal: Exception) -> HttpResponse:
        return self.page()

    def context(self) -> dict[str, Any]:
        asked: Mapping[str, Any] = {"total": self.total, "at": self.at, "wrapped": self.wrapped}
        context = {**asked, "row": self.row, "last": self.last(), "back": self.get_success_url()}
        context |= {"next": self.at + 1, "list": inbox_at(**self.query)}
        context["chosen_show"] = self.query.get("show", "")
        if self.row is None:
            return context
        own = self.row.kind.detail(self.row)
        return {**context, **own, "acts": self.offered(self.row)}


@admin.register(Dismissed)
class DismissedAdmin(ReadOnly):
    """Rows of the inbox that are no problem; the history brings them back."""

    screens = (
        ("inbox", "inbox/", InboxView),
        ("review", "inbox/<slug:kind>/", ReviewView),
    )
    date_hierarchy = "made_at"
    list_display = ("subject", "kind", "reason", "made_by", "made_at")
    fields = list_display
    list_filter = (("made_by", admin.RelatedOnlyFieldListFilter),)
    list_select_related = ("made_by",)
    search_fields = ("subject", "key", "reason")

    def history_at(self, row: Dismissed) -> str:
        return listing("change", f"?about=inbox:{row.about[:32]}")
