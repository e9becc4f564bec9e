"""The inbox: everything that needs a person in one list, each row with the buttons that settle it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Count, DateTimeField, QuerySet, Value
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from ..curation import Impossible, assign, assignees, set_aside, take_up
from ..models import InboxNote, Podcast
from .action import Unavailable
from .base import MOST_CHOICES, EndedFilter, ReadOnly, ShowFilter, WordsFilter, is_id, number_in, said_in
from .inbox_kinds import Act, InboxRow, Kind, kinds
from .review import QueueView, UndoLastView

PER_PAGE = 50
FAR = datetime(9000, 1, 1, tzinfo=UTC)  # sorts rows that nothing dates to the end
MINE, NOBODYS = "mine", "none"
SETTLED = "This row has changed since you opened the page, or was settled by you or somebody else."


def inbox_at(**asked: object) -> str:
    return f"{reverse('admin:episodes_inboxnote_inbox')}?{urlencode(asked)}".removesuffix("?")


# --- What every row can do -------------------------------------------------------------------------------------------


def _aside(how: str) -> Any:
    return lambda user, row: set_aside(user, row.key, how)


FINE = Act("fine", "Not a problem", "p", _aside("fine"), "“{row.subject}” is no problem until it says something else.")
LATER = (
    Act("day", "Tomorrow", "d", _aside("day"), "“{row.subject}” comes back tomorrow."),
    Act("week", "In a week", "w", _aside("week"), "“{row.subject}” comes back in a week."),
)
BACK = Act("back", "Bring back", "b", lambda user, row: take_up(user, row.key), "“{row.subject}” is back.")
TAKE = Act("mine", "Assign to me", "m", lambda user, row: assign(user, row.key, user), "“{row.subject}” is yours.")
GIVE = Act("free", "Unassign", "m", lambda user, row: assign(user, row.key, None), "“{row.subject}” is nobody’s.")
ASSIGN = "assign"


def acts_of(row: InboxRow, assignee: Any) -> list[Act]:
    """The buttons of a row: what settles it, what sets it aside, and whose it is."""
    given = GIVE if assignee else TAKE
    if row.held_back:
        return [BACK, given]
    return [*row.acts, *([FINE] if row.kind.can_be_fine else []), *LATER, given]


# --- The list --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Filters:
    """What is asked of the inbox."""

    kind: str = ""
    show: Podcast | None = None
    whose: str = ""
    aside: bool = False
    by_age: bool = False

    @property
    def query(self) -> dict[str, str]:
        asked = {
            "kind": self.kind,
            "show": self.show.slug if self.show else "",
            "whose": self.whose,
            "aside": "1" if self.aside else "",
            "sort": "age" if self.by_age else "",
        }
        return {name: value for name, value in asked.items() if value}


@dataclass
class Inbox:
    """The rows that fit, counted and read in a fixed number of queries."""

    user: Any
    filters: Filters = field(default_factory=Filters)

    def __post_init__(self) -> None:
        self.kinds = kinds()
        self.by_slug = {kind.slug: kind for kind in self.kinds}

    @cached_property
    def people(self) -> dict[int, Any]:
        """Who may have a row. What somebody had who may not any more is nobody's."""
        return {user.pk: user for user in assignees()}

    @cached_property
    def notes(self) -> dict[str, list[InboxNote]]:
        found: dict[str, list[InboxNote]] = {}
        for note in InboxNote.objects.filter(ended_at=None).order_by("pk"):
            found.setdefault(note.kind, []).append(note)
        return found

    @cached_property
    def noted(self) -> dict[str, dict[int, InboxRow]]:
        """The rows that somebody noted something about, by kind and number."""
        return {kind.slug: self._noted(kind) for kind in self.kinds}

    def _noted(self, kind: Kind) -> dict[int, InboxRow]:
        if kind.slug not in self.notes:
            return {}
        about = kind.noted(InboxNote.objects.filter(kind=kind.slug, ended_at=None).order_by())
        rows = self._with_notes(kind, kind.chosen(None).filter(about))
        return {row.target.pk: row for row in rows if row.note}

    def _with_notes(self, kind: Kind, rows: QuerySet[Any]) -> list[InboxRow]:
        found = kind.read(rows)
        newest = {
            (note.podcast_id, note.source, note.item_key, note.part): note for note in self.notes.get(kind.slug, ())
        }
        for row in found:
            show = row.key.podcast.pk if row.key.podcast else None
            own = (newest.get((show, *ref, row.key.part)) for ref in row.key.refs)
            row.note = max((note for note in own if note), key=lambda note: note.pk, default=None)
        return found

    def assignee(self, row: InboxRow) -> Any:
        return self.people.get(row.note.assignee_id) if row.note and row.note.assignee_id else None

    def _chosen(self, kind: Kind, *, whose: str = "") -> QuerySet[Any]:
        """The rows of a kind that the filters leave."""
        noted, filters = self.noted[kind.slug], self.filters
        aside = [pk for pk, row in noted.items() if row.held_back]
        taken = {pk: self.assignee(row) for pk, row in noted.items()}
        rows = kind.chosen(filters.show)
        rows = rows.filter(pk__in=aside) if filters.aside else rows.exclude(pk__in=aside)
        whose = whose or filters.whose
        if whose == MINE:
            return rows.filter(pk__in=[pk for pk, user in taken.items() if user and user.pk == self.user.pk])
        if whose == NOBODYS:
            return rows.exclude(pk__in=[pk for pk, user in taken.items() if user])
        return rows

    def counts(self, whose: str = "") -> dict[str, int]:
        """How many rows of each kind fit, whichever kind is chosen: in one statement."""
        each = [
            self._chosen(kind, whose=whose).annotate(which=Value(place)).values("which").annotate(n=Count("pk"))
            for place, kind in enumerate(self.kinds)
        ]
        counted = dict(_united(rows.values_list("which", "n") for rows in each))
        return {kind.slug: counted.get(place, 0) for place, kind in enumerate(self.kinds)}

    def page(self, start: int, end: int) -> list[InboxRow]:
        """The rows of a page: one statement finds which, the rest is read for these alone."""
        order = ("at", "which", "pk") if self.filters.by_age else ("which", "pk")
        wanted = [kind for kind in self.kinds if self.filters.kind in ("", kind.slug)]
        places = {self.kinds.index(kind): kind for kind in wanted}
        rows = (
            self._chosen(kind).annotate(which=Value(place), at=self._at(kind)).values_list("which", "pk", "at")
            for place, kind in places.items()
        )
        found = [(place, pk) for place, pk, _ in _united(rows).order_by(*order)[start:end]]
        read = {place: self._read(places[place], found, place) for place in {place for place, _ in found}}
        return [read[place][pk] for place, pk in found if pk in read[place]]

    def _at(self, kind: Kind) -> Any:
        since = kind.since() if self.filters.by_age else None
        far = Value(FAR, output_field=DateTimeField())
        return far if since is None else Coalesce(since, far, output_field=DateTimeField())

    def _read(self, kind: Kind, found: Iterable[tuple[int, int]], place: int) -> dict[int, InboxRow]:
        numbers = [pk for its, pk in found if its == place]
        return {row.target.pk: row for row in self.rows(kind, numbers)}

    def rows(self, kind: Kind, numbers: Sequence[int]) -> list[InboxRow]:
        since = kind.since()
        dated = {} if since is None else {"since": since}
        return self._with_notes(kind, kind.chosen(None).filter(pk__in=numbers).annotate(**dated))

    def row(self, name: str) -> InboxRow | None:
        """The row that a form names as `kind:number`."""
        slug, _, number = name.partition(":")
        if slug not in self.by_slug or not is_id(number):
            return None
        return next(iter(self.rows(self.by_slug[slug], [int(number)])), None)


def _united(parts: Iterable[Any]) -> Any:
    first, *others = parts
    return first.union(*others, all=True) if others else first


# --- The screen ------------------------------------------------------------------------------------------------------


class UndoInboxView(UndoLastView):
    """Undoes the last decision, and shows the inbox as it was asked for."""

    verbs = (
        "judge same", "new episode", "ignore", "keep", "release", "close conflict", "judge replaces", "judge repeats",
        "judge unrelated", "accept topic", "refuse topic", "add topic", "remove topic", "set aside", "bring back row",
        "assign", "unassign",
    )  # fmt: skip
    decided = "This decision has already been undone."
    start = "admin:episodes_inboxnote_inbox"

    def get_success_url(self) -> str:
        return self.request.get_full_path()


class InboxView(QueueView):
    """Lists what needs a person and settles one row at a time; the next one stands in its place."""

    template_name = "admin/curation/inbox.html"
    title = "Inbox"
    undo_view = UndoInboxView

    def prepare(self) -> None:
        self.inbox = Inbox(self.request.user, asked_of(self.request))
        self.row: InboxRow | None = None
        if self.request.method == "POST":
            self.row = self.inbox.row(said_in(self.request, "row"))
            if self.row is None or self.row.token != said_in(self.request, "token"):
                raise Unavailable(self.here(), SETTLED)

    def here(self) -> str:
        """The page as it was asked for, at the row that is in the place of the settled one."""
        asked = {name: self.request.GET[name] for name in ("page",) if name in self.request.GET}
        asked |= {"at": str(number_in(self.request, "at"))} if self.request.method == "POST" else {}
        return inbox_at(**self.inbox.filters.query, **asked)

    def get_success_url(self) -> str:
        return self.here()

    def refused(self, refusal: Exception) -> HttpResponse:
        raise Unavailable(self.here())

    def act(self) -> None:
        assert self.row is not None, "a post has one"
        name = said_in(self.request, "act")
        possible = {act.name: act for act in acts_of(self.row, self.inbox.assignee(self.row))}
        if name == ASSIGN:
            self.give(self.row)
        elif name in possible:
            self.done = possible[name].done.replace("{row.", "{view.row.")
            possible[name].do(self.request.user, self.row)
        else:
            raise Impossible("Choose one of the buttons.")

    def give(self, row: InboxRow) -> None:
        to = self.inbox.people.get(number_in(self.request, "to"))
        if to is None:
            raise Impossible("Choose who is to have it.")
        assign(self.request.user, row.key, to)
        self.done = f"“{{view.row.subject}}” is {str(to).replace('{', '').replace('}', '')}’s."

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        query = self.here().partition("?")[2]
        if request.session.get("inbox", "") != query:
            request.session["inbox"] = query  # other screens lead back to it
        return super().get(request, *args, **kwargs)

    def context(self) -> dict[str, Any]:
        inbox, filters = self.inbox, self.inbox.filters
        counts = inbox.counts()
        total = counts[filters.kind] if filters.kind else sum(counts.values())
        pages = Paginator(range(total), PER_PAGE)
        page = pages.get_page(said_in(self.request, "page"))
        start = PER_PAGE * (page.number - 1)
        rows = inbox.page(start, start + PER_PAGE) if total else []
        at = min(number_in(self.request, "at"), max(len(rows) - 1, 0))
        shows = list(Podcast.objects.shown()[: MOST_CHOICES + 1])
        return super().context() | {
            "rows": [(row, inbox.assignee(row), acts_of(row, inbox.assignee(row))) for row in rows],
            "at": at,
            "jump": "at" in self.request.GET,
            "page": page,
            "total": total,
            "filters": filters,
            "kinds": [(kind.slug, kind.label, counts[kind.slug]) for kind in inbox.kinds],
            "query": urlencode(filters.query),
            "several": len(shows) > 1,
            "shows": shows if 1 < len(shows) <= MOST_CHOICES else [],
            "others": [user for user in inbox.people.values() if user.pk != self.request.user.pk][:MOST_CHOICES],
        }


def asked_of(request: HttpRequest) -> Filters:
    """The filters that an address asks for; what makes no sense is left out."""
    asked = {name: str(request.GET.get(name, ""))[:200].replace("\0", "") for name in ("kind", "show", "whose", "sort")}
    known = {kind.slug for kind in kinds()}
    return Filters(
        kind=asked["kind"] if asked["kind"] in known else "",
        show=Podcast.objects.filter(slug=asked["show"]).first() if asked["show"] else None,
        whose=asked["whose"] if asked["whose"] in (MINE, NOBODYS) else "",
        aside=request.GET.get("aside") == "1",
        by_age=asked["sort"] == "age",
    )


class KindFilter(WordsFilter):
    def in_words(self, value: str) -> str:
        return kind_in_words(value)


def kind_in_words(slug: str) -> str:
    return {kind.slug: kind.label for kind in kinds()}.get(slug, slug)


@admin.register(InboxNote)
class InboxNoteAdmin(ReadOnly):
    """Notes in force and ended ones: rows stay."""

    screens = (("inbox", "inbox/", InboxView),)
    date_hierarchy = "made_at"
    list_display = ("subject", "kind_shown", "state", "until", "assignee", "reason", "made_by", "made_at", "ended_at")
    fields = ("subject", "kind_shown", "podcast", *list_display[2:])
    readonly_fields = ("kind_shown",)
    list_filter = (
        ("podcast", ShowFilter),
        ("ended_at", EndedFilter),
        "state",
        ("kind", KindFilter),
        ("assignee", admin.RelatedOnlyFieldListFilter),
    )
    list_select_related = ("podcast", "made_by", "assignee")
    search_fields = ("subject", "item_key", "reason")

    @admin.display(description="kind", ordering="kind")
    def kind_shown(self, row: InboxNote) -> str:
        return kind_in_words(row.kind)
