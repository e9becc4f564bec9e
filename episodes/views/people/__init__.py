"""The people who speak in the episodes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Credit, Episode, Person, snapshot
from ...site import site
from ...text.formatting import counted
from ..errors import gone
from ..pages import UNSHOWN, page_links, paged
from .former import NOBODY, now_at
from .index import CreditedPeople, part, summed


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    """Everybody who is credited, with their parts and episodes."""
    now = snapshot()
    of_site = site(now)
    page = paged(request, CreditedPeople(now, of_site))
    context = page_links(request, page, reverse("people")) | {
        "section": "people",
        "site": of_site,
        "title": counted(page.paginator.count, "person", "people") if page.paginator.count else "People",
        "people": list(page),
    }
    return render(request, "episodes/people.html", context)


@require_safe
def person(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Somebody with their episodes, newest first, and what they did in each; an address they had leads to their own."""
    found = Person.objects.filter(slug=slug).first()
    if found is None:
        elsewhere = now_at(slug)
        return redirect(elsewhere, permanent=True) if elsewhere else gone(request, NOBODY)
    credited = Credit.objects.filter(person=found).order_by("role", "credited_as")
    of_site = site()
    theirs = Episode.objects.with_person(slug).newest_first(one_show=not of_site.several).for_list()
    page = paged(request, theirs.defer(*UNSHOWN))
    credits_ = list(credited)
    did: dict[int, list[Credit]] = {}
    for credit in credits_:
        did.setdefault(credit.episode_id, []).append(credit)
    parts, aliases = summed([(c.role, c.credited_as) for c in credits_], found.name)
    # What is the same in all of them is said once, above.
    alike = len({(c.role, c.credited_as) for c in credits_}) == 1
    context = page_links(request, page, reverse("person", args=(slug,))) | {
        "section": "people",
        "site": of_site,
        "words": "",
        "person": found,
        "parts": parts,
        "aliases": aliases,
        "rows": [(e, "" if alike else part(did[e.pk], found.name)) for e in page.object_list],
    }
    return render(request, "episodes/person.html", context)
