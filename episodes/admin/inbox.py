"""The inbox: everything that needs a person, each row with the buttons that settle it; the review,
which shows one row beside what it may be; and the start page, which counts."""

from __future__ import annotations

from functools import partial
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from ..curation import Impossible, together
from ..models import Change, Dismissed, ParsedNotes, Podcast
from ..text.formatting import counted
from .action import ActionView, Unavailable
from .base import Crumbs, OptionsFilter, ReadOnly, is_id, listing, number_in, said_in
from .inbox_kinds import KINDS, InboxRow, Kind, review_at

PER_PAGE = 50
FIRST = 10  # rows of each kind, where none is chosen
RECENT = 10  # changes on the start page
MOST_UNREAD = 20  # shows
SETTLED = "This row has changed since you opened the page, or was settled by you or somebody else."
LAST = "last_decision"  # of the session: the number of the last change that was made in the inbox


def inbox_at(**asked: object) -> str:
    return f"{reverse('admin:episodes_dismissed_inbox')}?{urlencode(asked)}".removesuffix("?")


def all_kinds() -> dict[str, Kind]:
    """The kinds as they are now, by their names."""
    return {kind.slug: kind() for kind in KINDS}


def listed(most: int) -> list[InboxRow]:
    """The first rows of each kind."""
    return [row for kind in all_kinds().values() for row in kind.some(kind.numbers()[:most])]


class RowsForm(forms.Form):
    """Rows as their buttons name them: a `token` tells that one still says what the page showed."""

    kind = forms.ChoiceField(choices=[(kind.slug, kind.label) for kind in KINDS])
    act = forms.CharField(max_length=40, required=False)
    row = forms.Field(widget=forms.MultipleHiddenInput, required=False)
    token = forms.Field(widget=forms.MultipleHiddenInput, required=False)
    all = forms.IntegerField(required=False)  # rows of the kind there were, if all are meant


class InboxView(ActionView):
    """Lists what needs a person and settles one row, or several of a kind; the next one follows."""

    form_class = RowsForm
    template_name = "admin/curation/inbox.html"
    title = "Inbox"
    done = "{view.message}"
    viewers_may_look = True
    chosen: list[InboxRow]

    def prepare(self) -> None:
        self.kinds, asked = all_kinds(), self.request.GET
        self.kind = self.kinds.get(self.kwargs.get("kind", asked.get("kind", "")))
        self.query = {"kind": self.kind.slug} if self.kind else {}
        if "page" in asked:
            self.query["page"] = asked["page"][:20]

    def get_success_url(self) -> str:
        """The page as it was asked for, at the row that is in the place of the settled one."""
        return inbox_at(**self.query, at=number_in(self.request, "at"))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        form = self.get_form()
        self.chosen = self.rows_of(form.cleaned_data) if form.is_valid() else []
        if not self.chosen:
            raise Unavailable(self.get_success_url(), SETTLED)
        self.last_before = Change.objects.aggregate(last=Max("pk", default=0))["last"]
        return super().post(request, *args, **kwargs)

    def rows_of(self, given: dict[str, Any]) -> list[InboxRow]:
        """The rows that a form names, as far as they are what its page showed."""
        kind = self.kinds[given["kind"]]
        if given["all"]:
            numbers = kind.numbers()
            return kind.some(numbers) if len(numbers) == given["all"] else []
        rows = kind.some([int(number) for number in given["row"] if is_id(number)])
        return [row for row in rows if row.token in given["token"]]

    def list_crumb(self) -> Crumbs:
        return ()

    def act_on(self, row: InboxRow) -> None:
        acts = {act.name: act for act in row.acts}
        act = acts.get(self.form.cleaned_data["act"])
        if act is None:
            raise Impossible("Choose one of the buttons.")
        row.kind.settle(self.request.user, row, act.name)
        self.message = act.done.format(row=row)

    def act(self) -> None:
        if len(self.chosen) == 1:
            self.act_on(self.chosen[0])
            return
        acts = [(row.subject, partial(self.act_on, row)) for row in self.chosen]
        shows = {row.show.pk: row.show for row in self.chosen}
        with together(f"inbox: {self.form.cleaned_data['act']}", shows.values()) as batch:
            refused = batch.each(acts)
        for reason in refused:
            messages.error(self.request, f"Not done: {reason}")
        self.message = f"Done: {counted(len(acts) - len(refused), 'row', 'rows')}."

    def refused(self, refusal: Exception) -> HttpResponse:
        raise Unavailable(self.get_success_url())

    def succeeded(self) -> HttpResponse:
        mine = Change.objects.filter(made_by=self.request.user.pk, pk__gt=self.last_before)
        self.request.session[LAST] = mine.values_list("pk", flat=True).first()
        return super().succeeded()

    def last(self) -> Change | None:
        """The last decision of this session in the inbox, unless it was undone."""
        number = self.request.session.get(LAST) or 0
        return Change.objects.filter(pk=number, undone_at=None).first()

    def context(self) -> dict[str, Any]:
        kind = self.kind
        counts = {slug: one.rows().count() for slug, one in self.kinds.items()}
        numbers = kind.numbers() if kind else ()
        page = Paginator(numbers, PER_PAGE).get_page(self.query.get("page"))
        rows = kind.some(list(page)) if kind else listed(FIRST)
        total = len(numbers) if kind else sum(counts.values())
        return {
            "last": self.last(),
            "back": self.request.get_full_path(),
            "rows": rows,
            "at": min(number_in(self.request, "at"), max(len(rows) - 1, 0)),
            "jump": "at" in self.request.GET,
            "page": page,
            "total": total,
            "chosen": kind,
            "kinds": [(one, counts[slug]) for slug, one in self.kinds.items()],
            "query": urlencode({**self.query, "page": ""}),
            "several": Podcast.objects.several(),
        }


class ReviewView(InboxView):
    """One row of a kind beside what it may be; a decision leads to the next one."""

    title = "{view.kind.label}"
    row: InboxRow | None = None

    def prepare(self) -> None:
        super().prepare()
        if self.kind is None or not self.kind.review:
            raise Unavailable(inbox_at())
        self.template_name = self.kind.review
        self.crumbs = [(inbox_at(kind=self.kind.slug), "Inbox")]
        numbers, asked = self.kind.numbers(), number_in(self.request, "row")
        at = numbers.index(asked) if asked in numbers else number_in(self.request, "at")
        self.total, self.at = len(numbers), at % max(len(numbers), 1)
        for row in self.kind.some(numbers[self.at : self.at + 1]):
            names = ("with", "q", "name", "reason")
            row.asked = {name: said_in(self.request, name) for name in names}
            self.kind.consider(row)
            self.row = row

    def rows_of(self, given: dict[str, Any]) -> list[InboxRow]:
        return [self.row] if self.row and self.row.token in given["token"] else []

    def get_success_url(self) -> str:
        return review_at(self.kwargs["kind"], at=self.at)

    def refused(self, refusal: Exception) -> HttpResponse:
        return self.page()

    def context(self) -> dict[str, Any]:
        assert self.kind is not None
        shown = self.kind.detail(self.row) if self.row else {}
        return {
            "total": self.total,
            "at": self.at,
            "row": self.row,
            "last": self.last(),
            "back": self.get_success_url(),
            "next": self.at + 1,
            "list": inbox_at(kind=self.kind.slug),
            **shown,
        }


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


# --- The start page ----------------------------------------------------------------------------


def counted_lists(request: HttpRequest) -> list[dict[str, Any]]:
    """The filters of lists that leave any rows which want a look, each with their number."""
    found = []
    for own in cast(Any, admin.site).lists.values():
        counted_by = getattr(own, "counted", OptionsFilter)
        for name, (label, wanted) in counted_by.options.items():
            count = own.get_queryset(request).filter(wanted).count()
            address = listing(own.opts.model_name, f"?{counted_by.parameter_name}={name}")
            found += [{"name": label, "count": count, "address": address}] if count else []
    return found


def start_page(request: HttpRequest) -> dict[str, Any]:
    needs = [
        {
            "name": kind.label,
            "count": kind.rows().count(),
            "address": inbox_at(kind=slug),
            "hint": kind.hint,
        }
        for slug, kind in all_kinds().items()
    ]
    changes = Change.objects.exclude(rows=[]).select_related("made_by", "undone_by", "podcast")
    return {
        "inbox_address": inbox_at(),
        "total": sum(need["count"] for need in needs),
        "needs": [need for need in needs if need["count"]],
        "missing": counted_lists(request),
        "recent": changes[:RECENT],
        "unread": ParsedNotes.objects.unread()[:MOST_UNREAD],
    }
