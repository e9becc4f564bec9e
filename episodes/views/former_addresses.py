"""Answers at addresses that no page has: redirects to the present address, 404 and 410."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
    entries_of_former_slugs,
    owner_of_number,
    owners_of_former_slugs,
    path_of_merges,
)
from .rendering import NUMBER_IN_ADDRESS, render_page


# Django hands the exception to `handler404`. Its message is for developers.
def answer_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    context = {"search_words": searchable_words_of_path(request.path)}
    return render_page(request, "404.html", context, status=404)


def searchable_words_of_path(path: str) -> str:
    """Return the words of a path that somebody may look for: `no such thing`; "" without any."""
    # Words of addresses that nobody looks for.
    ignored_words = "episode episodes topic topics people links names item podcast podcasts html htm php index page".split()
    beginning = unquote(path, errors="ignore")[:100]  # strangers may write any path
    words = re.findall(r"[^\W_]+", beginning)
    return " ".join(word for word in words if word.lower() not in ignored_words)


def answer_gone(request: HttpRequest, reason: str) -> HttpResponse:
    """Answer 410: a person decided that there is no such page any more."""
    return render_page(request, "410.html", {"reason": reason}, status=410)


def redirect_renamed(
    redirects: QuerySet[Any], relation_name: str, slug: str, index_view: str
) -> HttpResponse:
    """Redirect to the present address of a topic or path, or to the index if it was deleted.

    Raises:
        Http404: the slug never was an address.
    """
    row = get_object_or_404(redirects.select_related(relation_name), slug=slug)
    return redirect(getattr(row, relation_name) or index_view, permanent=True)


# -- episodes --------------------------------------------------------------------------------------

_WITHDRAWN = "This episode was taken out of the catalog."
SHOW_REMOVED = "This show was removed from the catalog."


def redirect_former_episode(request: HttpRequest, slug: str, ending: str = "/") -> HttpResponse:
    """Redirect to the episode that had this slug, or to the episode that replaces it.

    If there is none, redirect to a search for the words of the slug. Answer 410 if the episode or
    its show was withdrawn. `ending` names a file of the episode, such as `.md`.

    Raises:
        Http404: the slug never was an address of an episode.
    """
    entries = entries_of_former_slugs([slug])
    if not entries.exists():
        # `/episodes/34/`. Former slugs come first: the slug of an episode may be a number, like its title.
        if NUMBER_IN_ADDRESS.fullmatch(slug):
            return redirect_number(request, slug, ending)
        raise Http404("Episode not found.")
    of_present_shows = entries.exclude(source__podcast__status=Status.REMOVED)
    if not of_present_shows.exists():
        return answer_gone(request, SHOW_REMOVED)
    # The episode that the address belonged to. `leads_to` is the id of the episode to show today.
    owner = owners_of_former_slugs([slug]).get(slug)
    if owner is None:
        # Its entries wait for a curator, or belong to no episode. `/episodes/tape-loops/` leads to a
        # search for "tape loops".
        query = urlencode({"q": slug.replace("-", " ")})
        return HttpResponsePermanentRedirect(f"{reverse('episodes')}?{query}")
    if owner.leads_to is None:
        return answer_gone(request, _WITHDRAWN)
    # An import may just have replaced the row with this id.
    episode = get_object_or_404(Episode.objects.with_name_columns(), pk=owner.leads_to)
    page_address = episode.get_absolute_url().rstrip("/")
    return HttpResponsePermanentRedirect(page_address + ending)


@require_safe
def redirect_number(request: HttpRequest, number: str, ending: str = "/") -> HttpResponse:
    episode = find_episode_or_replacement_by_number(number)
    if episode is None:
        return answer_gone(request, _WITHDRAWN)
    # Browsers keep a permanent redirect, and another episode may get the number later.
    return redirect(episode.get_absolute_url().rstrip("/") + ending)


def find_episode_or_replacement_by_number(episode_number: str) -> Episode | None:
    """Return the episode with a number in the first show, in its first season if numbers restart.

    Return the replacement of a withdrawn episode, or None without a replacement.

    Raises:
        Http404: no episode has or had the number.
    """
    number = int(episode_number)
    # `/34` names no show. The first show stays the first if others are added.
    podcast = Podcast.objects.listed().first()
    episodes = Episode.objects.with_name_columns()
    numbered = episodes.filter(podcast=podcast, number=number)
    present_episode = numbered.order_by("season", "order").first()
    if present_episode:
        return present_episode
    withdrawn = WithdrawnEpisode.objects.filter(podcast=podcast, number=number)
    with_replacements = withdrawn.select_related("replaced_by")
    withdrawn_episode = with_replacements.order_by("season", "slug").first()
    if withdrawn_episode:
        return withdrawn_episode.replaced_by
    # Earlier releases read numbers from titles that have none today. They are in the ledger of former
    # addresses. `leads_to` is the id of the episode to show today, None for a withdrawn one.
    former_owner = owner_of_number(podcast, number) if podcast else None
    if former_owner is None:
        raise Http404("No episode has this number.")
    if former_owner.leads_to is None:
        return None
    return episodes.filter(pk=former_owner.leads_to).first()


def decorate_episode_file_view(
    ending: str, episode_rows: EpisodeQuerySet
) -> Callable[..., Callable[..., HttpResponse]]:
    """Return a decorator for a view that answers with a file of an episode. It gets a row of `episode_rows`.

    A former slug redirects to the file of the episode at its present slug.
    """

    # The three levels of a decorator with arguments: it takes the view, and makes the function below it.
    def pass_episode_or_redirect(
        view: Callable[[HttpRequest, Any], HttpResponse],
    ) -> Callable[..., HttpResponse]:
        @wraps(view)
        def respond_or_redirect(request: HttpRequest, slug: str) -> HttpResponse:
            episode = episode_rows.filter(slug=slug).first()
            if episode is None:
                response = redirect_former_episode(request, slug, ending)
            else:
                response = view(request, episode)
            # For players of other sites. Browsers follow a redirect only if it has the header, too.
            response["Access-Control-Allow-Origin"] = "*"
            return response

        return respond_or_redirect

    return pass_episode_or_redirect


# -- people ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FormerPerson:
    """The person who had an address that no person has now."""

    name: str
    person: Person | None  # who is credited under another address
    is_hidden: bool = False  # a curator decided that this is no person


def get_former_name_and_person_or_404(slug: str) -> FormerPerson:
    """Return the first person who had an address, or the person they were merged with.

    Raises:
        Http404: the slug never was an address of a person.
    """
    redirects = Redirect.objects.filter(kind="person", slug=slug).order_by("id")
    max_identities = 20  # an address of a common name may have had many people
    # An identity is an @handle, a web address, or a name with its show, oldest redirect first.
    former_identities = list(redirects.values_list("identity", flat=True)[:max_identities])
    if not former_identities:
        raise Http404("Person not found.")
    # An address of a person belongs to no show, so only corrections for all shows count.
    corrections = Decision.objects.in_force("correct-person").filter(podcast=None)
    identities = _identities_after_merges(former_identities, corrections)
    people = Person.objects.filter(identity__in=identities)
    first_person = min(people, key=lambda person: identities.index(person.identity), default=None)
    corrections_of_person = corrections.filter(key__in=identities)
    # Decisions in force come oldest first.
    newest_name = corrections_of_person.filter(field="name").values_list("value", flat=True).last()
    # "edward-yang" becomes "Edward Yang", as a redirect has no name.
    name_from_slug = slug.replace("-", " ").title()
    # A curator decided that this is no person.
    is_hidden = corrections_of_person.filter(field="hidden").exists()
    return FormerPerson(newest_name or name_from_slug, first_person, is_hidden)


def _identities_after_merges(
    former_identities: Sequence[str], corrections: QuerySet[Decision]
) -> list[str]:
    # Each merge goes from one person to another, who may have been merged later: A with B, and B with C.
    merges = corrections.filter(field="same")
    merged_identity_by_identity = dict(merges.values_list("key", "value"))
    identities = []
    for former_identity in former_identities:
        # [A, B, C], or [A] for a person without merges.
        chain = path_of_merges(former_identity, merged_identity_by_identity)
        identities.append(chain[-1])
    return identities
