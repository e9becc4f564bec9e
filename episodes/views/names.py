"""The names of code."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..code_names import by_letter, uses
from ..models import CodeMention, CodeName, Episode
from ..querysets import oldest
from ..shows import site
from ..wording import counted, episodes
from .pages import page_links, paged

PER_PAGE = 100
UNSHOWN = ("description_text", "description_html", "provenance", "conflicts")


@require_safe
def names(request: HttpRequest) -> HttpResponse:
    """Every name of code that titles or notes use, by its first letter."""
    letters = by_letter()
    context = {
        "section": "names",
        "letters": letters,
        "title": counted(sum(len(rows) for _, rows in letters), "name of code", "names of code"),
        "canonical": request.build_absolute_uri(reverse("names")),
    }
    return render(request, "episodes/names.html", context)


@require_safe
def name(request: HttpRequest, slug: str) -> HttpResponse:
    """A name with the sentences that use it, oldest first."""
    found = get_object_or_404(CodeName, slug=slug)
    of_site = site()
    using = Episode.objects.filter(pk__in=found.mentions.order_by().values("episode"))
    using = using.sorted_by("oldest", one_show=not of_site.several)
    page = paged(Paginator(using.values_list("pk", flat=True), PER_PAGE), request.GET.get("page", "1"))
    mentions = CodeMention.objects.filter(name=found, episode__in=list(page.object_list)).select_related("episode")
    mentions = mentions.defer(*(f"episode__{f}" for f in UNSHOWN))
    ordered = mentions.order_by(*oldest(not of_site.several, of="episode__"), "field", "position")
    list_url = found.get_absolute_url()
    context = page_links(page) | {
        "section": "names",
        "site": of_site,
        "list_url": list_url,
        "name": found,
        "count": episodes(page.paginator.count),
        "uses": uses(ordered),
        "canonical": request.build_absolute_uri(list_url),
    }
    return render(request, "episodes/name.html", context)
