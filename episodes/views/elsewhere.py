"""Addresses at which nothing is now: the ways from former ones and from numbers, and the answers
where there is none."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import unquote

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from ..models import (
    Decision,
    Episode,
    EpisodeQuerySet,
    Person,
    Podcast,
    Redirect,
    Status,
    WithdrawnEpisode,
    former_entries,
    former_owners,
)
from ..site import site
from .page import show_page

LONGEST_PATH = 100
# Words of addresses that nobody looks for.
NO_WORDS = set(
    "episode episodes topic topics people links names item podcast podcasts html htm php index page".split()
)


# Django hands the exception to `handler404`; what it says is for developers.
def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404 with a search for the words of the path."""
    return show_page(
        request, "404.html", {"looked_for": words_of(request.path), "site": site()}, 404
    )


def gone(request: HttpRequest, reason: str) -> HttpResponse:
    """410 with the reason: a person decided that nothing is at this address any more."""
    return show_page(request, "410.html", {"reason": reason, "site": site()}, 410)


def words_of(path: str) -> str:
    """`/episodes/no-such_thing.html` → `no such thing`; "" where a path has no words."""
    found = re.findall(r"[^\W_]+", unquote(path, errors="ignore")[:LONGEST_PATH])
    return " ".join(word for word in found if word.lower() not in NO_WORDS)


def moved(former: QuerySet[Any], field: str, slug: str, index: str) -> HttpResponse:
    """The way from an address that something had to the one it has; that of a deleted one leads to
    the index."""
    row = get_object_or_404(former.select_related(field), slug=slug)
    # An address that was public never ends in 404 (docs/design.md, the ledger).
    return redirect(getattr(row, field) or index, permanent=True)


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
            response = (
                elsewhere(request, slug, ending) if episode is None else view(request, episode)
            )
            # For players of other sites; browsers follow a redirect only if it has the header, too.
            response["Access-Control-Allow-Origin"] = "*"
            return response

        return inner

    return decorate


NOBODY = "A curator found that this is not a person."
MOST_FORMER = 20


def now_at(slug: str) -> str:
    """The address that a former one leads to: a person's, else a search for their name; "" for who
    is no person.

    Raises:
        Http404: it never was anybody's.
    """
    rows = list(
        Redirect.objects.filter(kind="person")
        .filter(slug=slug)
        .order_by("id")
        .values_list("identity", flat=True)[:MOST_FORMER]
    )
    if not rows:
        raise Http404("Person not found.")
    decided = Decision.objects.in_force("correct-person").filter(podcast=None)
    same = dict(decided.filter(field="same").values_list("key", "value"))
    identities = []
    for identity in rows:
        passed = {identity}
        # Two merges by curators may lead to each other.
        while (onward := same.get(identity, identity)) not in passed:
            passed.add(onward)
            identity = onward
        identities.append(identity)
    people = Person.objects.filter(identity__in=identities)
    # The address is that of who had it first.
    person = min(people, key=lambda row: identities.index(row.identity), default=None)
    if person:
        return person.get_absolute_url()
    if decided.filter(field="hidden", key__in=identities).exists():
        return ""
    return f"{reverse('episodes')}?{urlencode({'q': slug.replace('-', ' ')})}"
