"""The names of code."""

from __future__ import annotations

from functools import partial
from itertools import groupby

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import CodeMention, CodeName, EpisodeLine, Statement, oldest, snapshot
from ...site import site
from ...text.formatting import counted, episodes
from ..lists.facets import share
from ..page import show_page
from ..pages import page_at, page_links, paged
from .index import Symbols, letter, uses

LINE = [f"episode__{field}" for field in EpisodeLine._fields]


@require_safe
def names(request: HttpRequest) -> HttpResponse:
    """The names of code that titles or notes use, by their first letters."""
    now = snapshot()
    rows = Symbols(now)
    page = paged(request, rows)
    begins, most = rows.filed.letters, rows.filed.most
    numbers = {first: number for number, first in enumerate(begins, 1)}
    on_page = groupby(page.object_list, key=lambda row: letter(row.name))
    context = page_links(request, page, reverse("names")) | {
        "section": "names",
        "site": site(now),
        "letters": [(first, numbers[first], page_at(place, page)) for first, place in begins.items()],
        "groups": [(first, numbers[first], [(row, share(row.uses, most)) for row in g]) for first, g in on_page],
        "title": counted(len(rows), "symbol", "symbols"),
    }
    return show_page(request, "episodes/names.html", context)


@require_safe
def name(request: HttpRequest, slug: str) -> HttpResponse:
    """A name with the sentences that use it, oldest first."""
    now = snapshot()
    of_site = site(now)
    found = NAME.first(slug)
    if found is None:
        raise Http404("Symbol not found.")
    using = USING[of_site.several](found.pk)
    page = paged(request, list(dict.fromkeys(using)))
    shown = list(page)
    context = page_links(request, page, found.get_absolute_url()) | {
        "section": "names",
        "site": of_site,
        "name": found,
        "count": episodes(page.paginator.count),
        "uses": uses(shown, MENTIONS(found.pk, shown)),
    }
    return show_page(request, "episodes/name.html", context)


NAME = Statement(lambda slug: CodeName.objects.filter(slug=slug).order_by())


def _using(name: int, *, one_show: bool) -> QuerySet[CodeMention, int]:
    ordered = CodeMention.objects.filter(name=name).order_by(*oldest(one_show, of="episode__"))
    return ordered.values_list("episode_id", flat=True)


USING = {several: Statement(partial(_using, one_show=not several)) for several in (True, False)}
MENTIONS = Statement(
    lambda name, ids: (
        CodeMention.objects.filter(name=name, episode__in=ids)
        .order_by("field", "position")
        .values_list("field", "sentence", *LINE)
    )
)
