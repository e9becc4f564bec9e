"""The names of code."""

from __future__ import annotations

from itertools import groupby

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import CodeMention, CodeName, Episode, in_order, oldest
from ...site import site
from ...text.formatting import counted, episodes
from ..lists.facets import share
from ..page import show_page
from ..pages import page_at, page_links, paged
from .index import Symbols, letter, uses


@require_safe
def names(request: HttpRequest) -> HttpResponse:
    """The names of code that titles or notes use, by their first letters."""
    rows = Symbols()
    page = paged(request, rows)
    begins, most = rows.filed.letters, rows.filed.most
    numbers = {first: number for number, first in enumerate(begins, 1)}
    on_page = groupby(page.object_list, key=lambda row: letter(row.name))
    context = page_links(request, page, reverse("names")) | {
        "section": "names",
        "site": site(),
        "letters": [(first, numbers[first], page_at(place, page)) for first, place in begins.items()],
        "groups": [(first, numbers[first], [(row, share(row.uses, most)) for row in g]) for first, g in on_page],
        "title": counted(len(rows), "symbol", "symbols"),
    }
    return show_page(request, "episodes/names.html", context)


@require_safe
def name(request: HttpRequest, slug: str) -> HttpResponse:
    """A name with the sentences that use it, oldest first."""
    of_site = site()
    found = CodeName.objects.filter(slug=slug).first()
    if found is None:
        raise Http404("Symbol not found.")
    mentions = CodeMention.objects.filter(name=found)
    using = mentions.order_by(*oldest(not of_site.several, of="episode__")).values_list("episode_id", flat=True)
    page = paged(request, list(dict.fromkeys(using)))
    sentences = mentions.filter(episode__in=list(page)).exclude(field="title").order_by("field", "position")
    context = page_links(request, page, found.get_absolute_url()) | {
        "section": "names",
        "site": of_site,
        "name": found,
        "count": episodes(page.paginator.count),
        "uses": uses(in_order(page, Episode.objects.named()), sentences),
    }
    return show_page(request, "episodes/name.html", context)
