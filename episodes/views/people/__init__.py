"""The people who speak in the episodes."""

from __future__ import annotations

from functools import partial

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Credit, Person, Statement, newest, snapshot
from ...site import site
from ...text.formatting import counted
from ..errors import gone
from ..lists.filters import Cards
from ..page import offered_as, show_page, subscription
from ..pages import page_links, paged
from .former import NOBODY, now_at
from .index import CreditedPeople, Did, part, summed


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
    return show_page(request, "episodes/people.html", context)


@require_safe
def person(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Somebody with their episodes, newest first, and what they did in each; an address they had leads to their own."""
    now = snapshot()
    of_site = site(now)
    found = PERSON.first(slug)
    if found is None:
        elsewhere = now_at(slug)
        return redirect(elsewhere, permanent=True) if elsewhere else gone(request, NOBODY)
    did: dict[int, list[Did]] = {}
    for episode, *credit in CREDITS[of_site.several](found.pk):
        did.setdefault(episode, []).append(Did(*credit))
    credits_ = [credit for theirs in did.values() for credit in theirs]
    page = paged(request, Cards(now, list(did)))
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


PERSON = Statement(lambda slug: Person.objects.filter(slug=slug).order_by())


def _did(person: int, *, one_show: bool) -> QuerySet[Credit, tuple[int, str, str]]:
    """Their episodes, the newest first, with what they did in each."""
    credited = Credit.objects.filter(person=person).order_by(*newest(one_show, of="episode__"), "role", "credited_as")
    return credited.values_list("episode_id", "role", "credited_as")


CREDITS = {several: Statement(partial(_did, one_show=not several)) for several in (True, False)}
