"""Lists over several pages, and the addresses of these."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from django.core.paginator import InvalidPage, Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest

from ..models import Episode, Topic, for_cards
from ..outputs import add_pictures
from ..site import Site
from .lists.selection import Selection

PER_PAGE, ON_ONE_PAGE = 100, 10_000
PER_LIST = 25  # cards
NUMBER = re.compile("[0-9]{1,9}")
WHOLE = Selection({}, ())

Row = TypeVar("Row")


def paged(
    request: HttpRequest,
    rows: Sequence[Row] | QuerySet[Any, Row],
    per_page: int = PER_PAGE,
    count: int | None = None,
) -> Page[Row]:
    """The page that the address asks for; whatever is not the number of one is not found."""
    paginator = Paginator(rows, per_page)
    if count is not None:
        # Known already; the paginator would ask again.
        paginator.__dict__["count"] = count
    asked = request.GET.get("page", "1")
    try:
        # The paginator takes numbers with spaces and of other scripts, too.
        return paginator.page(asked if NUMBER.fullmatch(asked) else "")
    except InvalidPage as error:
        raise Http404("Page not found.") from error


def paged_episodes(
    request: HttpRequest,
    of_site: Site,
    ids: Sequence[int] | QuerySet[Any, int],
    per_page: int = PER_PAGE,
    count: int | None = None,
    known: Iterable[Topic] = (),
) -> Page[Episode]:
    """The page that the address asks for of these episodes, as cards show them; `known` are topics
    that were read already."""
    page: Page[Any] = paged(request, ids, per_page, count)
    page.object_list = on_cards(page.object_list, of_site, known)
    return page


def on_cards(ids: Iterable[int], of_site: Site, known: Iterable[Topic] = ()) -> list[Episode]:
    """The episodes of these ids as cards show them: with the covers of their shows, where the site
    has several."""
    episodes = for_cards(ids, [*of_site.shows, *known])
    # Of a single show every card would have the same cover.
    if of_site.several:
        add_pictures({episode.podcast for episode in episodes})
    return episodes


def page_links(
    request: HttpRequest, page: Page[Row], list_url: str, chosen: Selection = WHOLE
) -> dict[str, Any]:
    """The addresses of this page and of those around it; an empty place stands for those left
    out."""
    numbers = page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1)
    return {
        "page": page,
        "list_url": list_url,
        "canonical": request.build_absolute_uri(list_url + chosen.query(page.number)),
        "page_links": [(n, chosen.query(n) if isinstance(n, int) else None) for n in numbers],
        "previous_query": chosen.query(page.number - 1),
        "next_query": chosen.query(page.number + 1),
    }
