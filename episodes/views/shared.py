"""Pages of what episodes share, shows and paths among it: an index of all of a kind, and a page of
each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page
from django.db.models import QuerySet
from django.db.models.functions import Substr, Upper
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse

from ..models import Counts, Topic
from ..site import Site, site
from ..text.formatting import counted
from .lists.filters import AppliedFilters
from .lists.selection import Selection
from .page import show_page
from .pages import PER_PAGE, WHOLE, page_links, paged


@dataclass(frozen=True)
class Index:
    """The view of everything of a kind, a page at a time."""

    section: str  # the name of its address and of its template
    nouns: tuple[str, str]  # of its title, where `shown` gives no other
    rows: Callable[[], Sequence[Any] | QuerySet[Any]]
    shown: Callable[[Page[Any]], dict[str, Any]]  # of a page of them, beside the usual
    per_page: int = PER_PAGE
    count: int | None = None  # where it is known already

    def __call__(self, request: HttpRequest) -> HttpResponse:
        page = paged(request, self.rows(), self.per_page, self.count)
        usual: dict[str, Any] = {"title": counted(page.paginator.count, *self.nouns)}
        return thing_page(request, self.section, site(), page, **usual | self.shown(page))


def thing_page(
    request: HttpRequest,
    template: str,
    of_site: Site,
    page: Page[Any],
    address: str = "",
    chosen: Selection = WHOLE,
    **context: Any,
) -> HttpResponse:
    """A page of an index, or of the own page of a thing at that address."""
    usual = {"section": template, "site": of_site}
    links = page_links(request, page, address or reverse(template), chosen)
    return show_page(request, f"episodes/{template}.html", usual | links | context)


def letters(listed: AppliedFilters, column: str) -> list[tuple[str, str, bool]]:
    """The first letters of what an index lists, were none chosen: each with its address, and
    whether it is chosen."""
    asked, first = listed.selection, Upper(Substr(column, 1, 1))
    found = listed.narrowed("letter").annotate(first=first).order_by("first")
    return [
        (letter, asked.switched("letter", letter).query(), letter == asked.one("letter"))
        for letter in found.values_list("first", flat=True).distinct()
    ]


def moved(former: QuerySet[Any], field: str, slug: str, index: str) -> HttpResponse:
    """The way from an address that something had to the one it has; that of a deleted one leads to
    the index."""
    row = get_object_or_404(former.select_related(field), slug=slug)
    # An address that was public never ends in 404 (docs/design.md, the ledger).
    return redirect(getattr(row, field) or index, permanent=True)


def topics_of(counts: Counts, topics: QuerySet[Topic]) -> list[tuple[Topic, int]]:
    """The topics of counted episodes with their numbers, those of most episodes first."""
    used = counts.of("topic")
    return sorted(
        ((topic, used[str(topic.pk)]) for topic in topics.filter(pk__in=used)),
        key=lambda row: -row[1],
    )
