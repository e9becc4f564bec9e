"""Lists over several pages, and the addresses of these."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from django.core.paginator import EmptyPage, Page, Paginator
from django.http import Http404

from ..selection import Selection

WHOLE = Selection({}, ())

Row = TypeVar("Row")


def paged(paginator: Paginator[Row], asked: str) -> Page[Row]:
    """The page asked for; whatever is not the number of one is not found."""
    if not re.fullmatch("[0-9]{1,9}", asked):
        raise Http404("A page has a number.")
    try:
        return paginator.page(int(asked))
    except EmptyPage as error:
        raise Http404("There is no such page.") from error


def page_links(page: Page[Row], chosen: Selection = WHOLE) -> dict[str, Any]:
    """The addresses of the pages around this one; an empty place stands for those left out."""
    numbers = page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1)
    return {
        "page": page,
        "page_links": [(n, chosen.query(n) if isinstance(n, int) else None) for n in numbers],
        "previous_query": chosen.query(page.number - 1),
        "next_query": chosen.query(page.number + 1),
    }
