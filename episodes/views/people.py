"""The people who speak in the episodes."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..models import Credit, Episode, Person
from ..people import everybody, part, summed
from ..shows import site
from .pages import page_links, paged

PER_PAGE = 100


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    """Everybody who is credited, with their parts and episodes."""
    of_site = site()
    context = {
        "section": "people",
        "site": of_site,
        "people": everybody(of_site),
        "canonical": request.build_absolute_uri(reverse("people")),
    }
    return render(request, "episodes/people.html", context)


@require_safe
def person(request: HttpRequest, slug: str) -> HttpResponse:
    """Somebody with their episodes, newest first, and what they did in each."""
    found = get_object_or_404(Person, slug=slug)
    credited = Credit.objects.filter(person=found).order_by("role", "credited_as")
    of_site = site()
    theirs = Episode.objects.with_person(slug).newest_first(one_show=not of_site.several).for_list()
    paginator = Paginator(theirs.defer("description_html", "provenance", "conflicts"), PER_PAGE)
    page = paged(paginator, request.GET.get("page", "1"))
    rows = list(credited)
    did: dict[int, list[Credit]] = {}
    for credit in rows:
        did.setdefault(credit.episode_id, []).append(credit)
    parts, aliases = summed([(c.role, c.credited_as) for c in rows], found.name)
    # What is the same in all of them is said once, above.
    alike = len({(c.role, c.credited_as) for c in rows}) == 1
    list_url = reverse("person", args=(slug,))
    context = page_links(page) | {
        "section": "people",
        "site": of_site,
        "list_url": list_url,
        "words": "",
        "person": found,
        "parts": parts,
        "aliases": aliases,
        "rows": [(e, "" if alike else part(did[e.pk], found.name)) for e in page.object_list],
        "canonical": request.build_absolute_uri(list_url),
    }
    return render(request, "episodes/person.html", context)
