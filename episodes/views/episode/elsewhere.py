"""The ways from addresses that are no episode's now: former ones, and numbers."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from ...models import (
    Episode,
    EpisodeQuerySet,
    Podcast,
    Status,
    WithdrawnEpisode,
    former_entries,
    former_owners,
)
from ..page import gone

NUMBER = re.compile("[0-9]{1,9}")  # as many digits as a database takes
TAKEN_OUT = "This episode was taken out of the catalog."


def elsewhere(request: HttpRequest, slug: str, ending: str = "/") -> HttpResponse:
    """The way from an address that is no episode's now; `ending` names one of its files, such as
    `.md`.

    One that was once public leads somewhere for ever, unless a person took away what it led to: to
    the episode that it stands for, or that replaces this one; else to a search for its words.

    Raises:
        Http404: it never was one.
    """
    entries = former_entries([slug])
    if not entries.exists():
        # After the ledger: an episode whose title is a number has the number as its slug.
        if NUMBER.fullmatch(slug):
            return numbered(request, slug, ending)
        raise Http404("Episode not found.")
    if not entries.exclude(source__podcast__status=Status.REMOVED).exists():
        return gone(request, "This show was removed from the catalog.")
    owner = former_owners([slug]).get(slug)
    if owner is None:
        words = urlencode({"q": slug.replace("-", " ")})
        return HttpResponsePermanentRedirect(f"{reverse('episodes')}?{words}")
    if owner.leads_to is None:
        return gone(request, TAKEN_OUT)
    # An import may just have replaced the row that the ledger led to.
    address = get_object_or_404(Episode.objects.named(), pk=owner.leads_to).get_absolute_url()
    return HttpResponsePermanentRedirect(address.rstrip("/") + ending)


@require_safe
def numbered(request: HttpRequest, number: str, ending: str = "/") -> HttpResponse:
    """The way to the episode of a number: the first show's, of its first season where numbers
    restart; else to what replaces the one that was taken out."""
    of_number = {"podcast": Podcast.objects.shown().first(), "number": int(number)}
    shown = Episode.objects.named().filter(**of_number).order_by("season", "order").first()
    if shown is None:
        withdrawn = WithdrawnEpisode.objects.filter(**of_number).select_related("replaced_by")
        first = withdrawn.order_by("season", "slug").first()
        if first is None:
            raise Http404("No episode has this number.")
        shown = first.replaced_by
    return (
        # Browsers keep a permanent redirect, and another episode may get the number later.
        redirect(shown.get_absolute_url().rstrip("/") + ending)
        if shown
        else gone(request, TAKEN_OUT)
    )


def file_of_episode(
    ending: str, rows: EpisodeQuerySet
) -> Callable[..., Callable[..., HttpResponse]]:
    """Let a view answer with a file of an episode, which is one of `rows`; an address that the
    episode once had leads to the file at the one it has."""

    def decorate(view: Callable[[HttpRequest, Any], HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def inner(request: HttpRequest, slug: str) -> HttpResponse:
            episode = rows.filter(slug=slug).first()
            return elsewhere(request, slug, ending) if episode is None else view(request, episode)

        return inner

    return decorate
