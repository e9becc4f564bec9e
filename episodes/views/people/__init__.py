"""The people who speak in the episodes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Credit, Person, newest
from ...site import site
from ...text.formatting import counted
from ..errors import gone
from ..page import offered_as, show_page, subscription
from ..pages import page_links, paged, paged_episodes
from .former import NOBODY, now_at
from .index import Did, credited_people, part, rows_of, summed


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    """Everybody who is credited, with their parts and episodes."""
    of_site = site()
    page = paged(request, credited_people())
    context = page_links(request, page, reverse("people")) | {
        "section": "people",
        "site": of_site,
        "title": counted(page.paginator.count, "person", "people") if page.paginator.count else "People",
        "people": rows_of(page, of_site),
    }
    return show_page(request, "episodes/people.html", context)


@require_safe
def person(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Somebody with their episodes, newest first, and what they did in each; an address they had leads to their own."""
    of_site = site()
    found = Person.objects.filter(slug=slug).first()
    if found is None:
        elsewhere = now_at(slug)
        return redirect(elsewhere, permanent=True) if elsewhere else gone(request, NOBODY)
    did: dict[int, list[Did]] = {}
    order = newest(not of_site.several, of="episode__")
    credited = Credit.objects.filter(person=found).order_by(*order, "role", "credited_as")
    for episode, *credit in credited.values_list("episode_id", "role", "credited_as"):
        did.setdefault(episode, []).append(Did(*credit))
    credits_ = [credit for theirs in did.values() for credit in theirs]
    page = paged_episodes(request, list(did))
    parts, aliases = summed(credits_, found.name)
    # What is the same in all of them is said once, above.
    alike = len(set(credits_)) == 1
    context = page_links(request, page, reverse("person", args=(slug,)))
    context |= offered_as("person", slug, audible=any(e.audio_url for e in page)) | {
        "section": "people",
        "site": of_site,
        "person": found,
        "parts": parts,
        "aliases": aliases,
        "part_in": {} if alike else {e.pk: part(did[e.pk], found.name) for e in page},
        "subscription": subscription(request.build_absolute_uri, "person", slug),
    }
    return show_page(request, "episodes/person.html", context)
