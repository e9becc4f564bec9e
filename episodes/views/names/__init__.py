"""The names of code."""

from __future__ import annotations

from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import CodeMention, CodeName, Episode, oldest
from ...site import site
from ...text.formatting import counted, episodes
from ..lists.facets import share
from ..pages import UNSHOWN, page_at, page_links, paged
from .index import index, letter, letters, uses


@require_safe
def names(request: HttpRequest) -> HttpResponse:
    """The names of code that titles or notes use, by their first letters."""
    rows = index()
    page = paged(request, rows)
    most = max((row.uses for row in rows), default=1)
    begins = letters(rows)
    numbers = {first: number for number, first in enumerate(begins, 1)}
    on_page = groupby(page.object_list, key=lambda row: letter(row.name))
    context = page_links(request, page, reverse("names")) | {
        "section": "names",
        "letters": [(first, numbers[first], page_at(place, page)) for first, place in begins.items()],
        "groups": [(first, numbers[first], [(row, share(row.uses, most)) for row in g]) for first, g in on_page],
        "title": counted(len(rows), "symbol", "symbols"),
    }
    return render(request, "episodes/names.html", context)


@require_safe
def name(request: HttpRequest, slug: str) -> HttpResponse:
    """A name with the sentences that use it, oldest first."""
    found = get_object_or_404(CodeName, slug=slug)
    of_site = site()
    using = Episode.objects.filter(pk__in=found.mentions.order_by().values("episode"))
    using = using.sorted_by("oldest", one_show=not of_site.several)
    page = paged(request, using.values_list("pk", flat=True))
    mentions = CodeMention.objects.filter(name=found, episode__in=list(page.object_list)).select_related("episode")
    mentions = mentions.defer(*(f"episode__{f}" for f in ("description_text", *UNSHOWN)))
    ordered = mentions.order_by(*oldest(not of_site.several, of="episode__"), "field", "position")
    context = page_links(request, page, found.get_absolute_url()) | {
        "section": "names",
        "site": of_site,
        "name": found,
        "count": episodes(page.paginator.count),
        "uses": uses(ordered),
    }
    return render(request, "episodes/name.html", context)
