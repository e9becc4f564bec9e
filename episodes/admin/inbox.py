"""The inbox: everything that needs a person, each row with the buttons that settle it; the review,
which shows one row beside what it may be; and the start page, which counts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from ..curation import Impossible, together
from ..models import Change, Dismissed, Episode, ParsedNotes, Podcast
from ..text.formatting import counted
from .action import ActionView, Unavailable
from .base import MOST_CHOICES, Crumbs, ReadOnly, is_id, listing, number_in, said_in
from .inbox_kinds import KINDS, Act, InboxRow, Kind, review_at

PER_PAGE = 50
FIRST = 10  # rows of each kind, where none is chosen
RECENT = 10  # changes on the start page
MOST_UNREAD = 20  # shows
SETTLED = "This row has changed since you opened the page, or was settled by you or somebody else."
MISSING = {
    "title": ("No title", "title__isempty=1", Q(title="")),
    "date": ("No date", "published_at__isempty=1", Q(published_at=None)),
    "audio": ("No audio", "audio_url__isempty=1", Q(audio_url="")),
    "notes": ("Truncated notes", "description_truncated__exact=1", Q(description_truncated=True)),
}
LAST = "decided"  # of the session: the numbers of the last changes that were made in the inbox
MOST_LAST = 50


def inbox_at(**asked: object) -> str:
    return f"{reverse('admin:episodes_dismissed_inbox')}?{urlencode(asked)}".removesuffix("?")


class Inbox:
    """The rows of a kind ("" for all) and a show, in the order of the kinds."""

    def __init__(self, kind: str = "", show: Podcast | None = None) -> None:
        dismissed = list(Dismissed.objects.all())
        self.kinds = {one.slug: one(dismissed) for one in KINDS}
        self.kind, self.show = kind if kind in self.kinds else "", show

    def counts(self) -> dict[str, int]:
        """The number of rows of each kind, whichever is chosen."""
        return {slug: kind.open(self.show).count() for slug, kind in self.kinds.items()}

    def numbers(self, kind: Kind) -> list[int]:
        return list(kind.open(self.show).values_list("pk", flat=True))

    def rows(self, kind: Kind, numbers: Sequence[int]) -> list[InboxRow]:
        return kind.read(kind.open().filter(pk__in=numbers)) if numbers else []

    def listed(self, most: int) -> list[InboxRow]:
        """The first rows of each kind."""
        kinds = self.kinds.values()
        return [row for kind in kinds for row in self.rows(kind, self.numbers(kind)[:most])]


class RowsForm(forms.Form):
    """Rows as their buttons name them: a `token` tells that one still says what the page showed."""

    kind = forms.ChoiceField(choices=[(kind.slug, kind.label) for kind in KINDS])
    act = forms.CharField(max_length=40, required=False)
    row = forms.Field(widget=forms.MultipleHiddenInput, required=False)
    token = forms.Field(widget=forms.MultipleHiddenInput, required=False)
    all = forms.IntegerField(required=False)  # rows of the kind there were, if all are meant

    def numbers(self) -> list[int]:
        return [int(number) for number in self.cleaned_data["row"] if is_id(number)]

    def as_shown(self, rows: Sequence[InboxRow]) -> list[InboxRow]:
        """The rows that still say what the page showed."""
        return [row for row in rows if row.token in self.cleaned_data["token"]]


class InboxView(ActionView):
    """Lists what needs a person and settles one row, or several of a kind; the next one follows."""

    form_class = RowsForm
    template_name = "admin/curation/inbox.html"
    title = "Inbox"
    done = "{view.message}"
    viewers_may_look = True
    chosen: list[InboxRow]

    def prepare(self) -> None:
        asked = {n: str(v).replace("\0", "")[:200] for n, v in self.request.GET.items()}
        show = Podcast.objects.filter(slug=asked.get("show", "")).first()
        self.inbox = Inbox(self.kwargs.get("kind", asked.get("kind", "")), show)
        self.query = {name: asked[name] for name in ("kind", "show", "page") if asked.get(name)}

    def get_success_url(self) -> str:
        """The page as it was asked for, at the row that is in the place of the settled one."""
        return inbox_at(**self.query, at=number_in(self.request, "at"))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        form = self.get_form()
        self.chosen = self.rows_of(form) if form.is_valid() else []
        if not self.chosen:
            raise Unavailable(self.get_success_url(), SETTLED)
        self.last_before = Change.objects.aggregate(last=Max("pk", default=0))["last"]
        return super().post(request, *args, **kwargs)

    def rows_of(self, form: RowsForm) -> list[InboxRow]:
        """The rows that a form names, as far as they are what its page showed."""
        kind, meant = self.inbox.kinds[form.cleaned_data["kind"]], form.cleaned_data["all"]
        if not meant:
            return form.as_shown(self.inbox.rows(kind, form.numbers()))
        numbers = self.inbox.numbers(kind)
        return self.inbox.rows(kind, numbers) if len(numbers) == meant else []

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
        with together(f"inbox: {self.form.cleaned_data['act']}", shows.values()) as batch:
            refused = batch.each(acts)
        for reason in refused:
            messages.error(self.request, f"Not done: {reason}")
        self.message = f"Done: {counted(len(acts) - len(refused), 'row', 'rows')}."

    def refused(self, refusal: Exception) -> HttpResponse:
        raise Unavailable(self.get_success_url())

    def succeeded(self) -> HttpResponse:
        mine = Change.objects.filter(made_by=self.request.user.pk, pk__gt=self.last_before)
        made, session = mine.values_list("pk", flat=True)[:1], self.request.session
        session[LAST] = [*made, *session.get(LAST, ())][:MOST_LAST]
        return super().succeeded()

    def last(self) -> Change | None:
        """The last decision of this session in the inbox, unless it was undone."""
        made = self.request.session.get(LAST, ())
        return Change.objects.filter(pk__in=made, undone_at=None).first()

    def context(self) -> dict[str, Any]:
        inbox, counts = self.inbox, self.inbox.counts()
        kind = inbox.kinds.get(inbox.kind)
        page = Paginator(inbox.numbers(kind) if kind else (), PER_PAGE).get_page(
            self.query.get("page")
        )
        rows = inbox.rows(kind, list(page.object_list)) if kind else inbox.listed(FIRST)
        total = counts.get(inbox.kind, sum(counts.values()))
        shows = list(Podcast.objects.shown()[:MOST_CHOICES])
        return {
            "last": self.last(),
            "back": self.request.get_full_path(),
            "rows": rows,
            "at": min(number_in(self.request, "at"), max(len(rows) - 1, 0)),
            "jump": "at" in self.request.GET,
            "page": page,
            "total": total,
            "are_first": not kind and total > len(rows),
            "chosen": inbox,
            "kinds": [(slug, kind.label, counts[slug]) for slug, kind in inbox.kinds.items()],
            "together": kind.acts if kind else (),
            "query": urlencode({**self.query, "page": ""}),
            "shows": shows,
            "several": len(shows) > 1,
        }


class ReviewView(InboxView):
    """One row of a kind beside what it may be; a decision leads to the next one."""

    title = "{view.kind.label}"
    row: InboxRow | None = None

    def prepare(self) -> None:
        super().prepare()
        if not self.inbox.kind or not self.inbox.kinds[self.inbox.kind].review:
            raise Unavailable(inbox_at())
        self.kind = self.inbox.kinds[self.inbox.kind]
        self.template_name = self.kind.review
        self.crumbs = [(inbox_at(kind=self.kind.slug), "Inbox")]
        numbers, asked = self.inbox.numbers(self.kind), number_in(self.request, "row")
        at = numbers.index(asked) if asked in numbers else number_in(self.request, "at")
        self.total, self.at = len(numbers), 0
        if numbers:
            self.at = at % len(numbers)
            (self.row,) = self.inbox.rows(self.kind, numbers[self.at : self.at + 1])
            names = ("with", "q", "name", "reason")
            self.row.asked = {name: said_in(self.request, name) for name in names}
            self.kind.consider(self.row)

    def rows_of(self, form: RowsForm) -> list[InboxRow]:
        rows = [self.row] if self.row and self.row.target.pk in form.numbers() else []
        return form.as_shown(rows)

    def offered(self, row: InboxRow) -> Sequence[Act]:
        return row.kind.choices(row)

    def get_success_url(self) -> str:
        show = self.query.get("show", "")
        return review_at(self.kind.slug, at=self.at, show=show)

    def refused(self, refusal: Exception) -> HttpResponse:
        return self.page()

    def context(self) -> dict[str, Any]:
        context = {
            "total": self.total,
            "at": self.at,
            "row": self.row,
            "last": self.last(),
            "back": self.get_success_url(),
            "next": self.at + 1,
            "list": inbox_at(**self.query),
            "chosen_show": self.query.get("show", ""),
        }
        if self.row is None:
            return context
        return {**context, **self.kind.detail(self.row), "acts": self.offered(self.row)}


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


def start_page() -> dict[str, Any]:
    inbox = Inbox()
    counts = inbox.counts()
    needs = [
        {
            "name": kind.label,
            "count": counts[slug],
            "address": inbox_at(kind=slug),
            "hint": kind.hint,
        }
        for slug, kind in inbox.kinds.items()
        if counts[slug]
    ]
    lacking = Episode.objects.aggregate(
        **{slug: Count("pk", filter=lacks) for slug, (_, _, lacks) in MISSING.items()},
    )
    missing = [(label, query, lacking[slug]) for slug, (label, query, _) in MISSING.items()]
    twice = Episode.objects.with_a_number_twice().count()
    missing += [("Number of another episode", "needs=number", twice)]
    changes = Change.objects.exclude(rows=[]).select_related("made_by", "undone_by", "podcast")
    return {
        "inbox_address": inbox_at(),
        "total": sum(counts.values()),
        "needs": needs,
        "missing": [
            {"name": name, "count": count, "address": listing("episode", f"?{query}")}
            for name, query, count in missing
            if count
        ],
        "recent": changes[:RECENT],
        "unread": ParsedNotes.objects.unread()[:MOST_UNREAD],
    }
