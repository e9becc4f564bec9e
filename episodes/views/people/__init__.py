"""The people who speak in the episodes."""

from collections import Counter

from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from ...models import Credit, Episode, Person
from ...site import site
from ..page import gone, offered_as, share_image, subscription
from ..pages import PER_LIST, paged_episodes
from ..shared import Index, thing_page
from .index import NOBODY, PeopleIndex, now_at, parts


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    """Everybody who is credited, or those whom the address asks for."""
    index = PeopleIndex(request.GET)
    return Index("people", ("person", "people"), index.rows, index.shown)(request)


@require_safe
def person(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Somebody with their episodes, newest first, and what they did; an address they had
    leads to their own."""
    of_site = site()
    found = Person.objects.filter(slug=slug).first()
    if found is None:
        elsewhere = now_at(slug)
        return redirect(elsewhere, permanent=True) if elsewhere else gone(request, NOBODY)
    theirs = Credit.objects.filter(person=found).order_by("role", "credited_as")
    did = list(theirs.values_list("role", "credited_as").annotate(n=Count("pk")))
    roles: Counter[str] = Counter()
    for role, _, count in did:
        roles[role] += count
    episodes = Episode.objects.with_person(slug).newest_first(one_show=not of_site.several)
    page = paged_episodes(request, of_site, episodes.values_list("pk", flat=True), PER_LIST)
    return thing_page(
        request,
        "person",
        of_site,
        page,
        found.get_absolute_url(),
        **offered_as("person", slug),
        section="people",
        person=found,
        share_image=share_image(request, found) if found.image_url else None,
        parts=parts(roles),
        aliases=sorted({alias for _, alias, _ in did} - {"", found.name}),
        subscription=subscription(request.build_absolute_uri, "person", slug),
    )
