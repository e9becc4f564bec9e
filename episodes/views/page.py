"""A reader's page: what its frame shows, lists over several pages with their addresses, the feeds
and formats in which a list is offered, and validators; the ways from former addresses and from
numbers, and the answers where nothing is."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote

from django.conf import settings
from django.core.paginator import InvalidPage, Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import get_script_prefix, reverse
from django.utils.http import urlencode
from django.views.decorators.http import condition, require_safe

from ..models import (
    CatalogVersion,
    Counts,
    Decision,
    Episode,
    EpisodeQuerySet,
    Person,
    Podcast,
    Redirect,
    Status,
    Topic,
    WithdrawnEpisode,
    for_cards,
    former_entries,
    former_owners,
    owner_of_number,
    way_on,
)
from ..outputs import FEEDS, FORMATS, add_pictures, app_links, picture
from ..site import Site, site
from ..text.fingerprints import fingerprint
from ..text.link_labels import followable
from .filters import Selection


def etag(request: HttpRequest, *args: object, **kwargs: object) -> str:
    """Another one as soon as anything changed that answers show, settings too.

    The address counts too: what was said of one list says nothing of another, nor of an address
    that is none.
    """
    shown = (get_script_prefix(), settings.SITE_NAME, settings.SITE_DESCRIPTION, settings.IMAGES)
    parts = (request.build_absolute_uri(), version(request)[0], shown)
    # Weak, because the compressed bytes of an answer are others than the plain ones.
    return f'W/"{fingerprint(*parts)}"'


def changed_at(request: HttpRequest, *args: object, **kwargs: object) -> datetime | None:
    """When that happened last; None where it never did, or cannot be told."""
    return version(request)[1]


def version(request: HttpRequest) -> tuple[str, datetime | None]:
    """The version of the catalog and its time, asked for once a request."""
    if not hasattr(request, "catalog_version"):
        request.catalog_version = CatalogVersion.latest()  # type: ignore[attr-defined]
    return request.catalog_version  # type: ignore[attr-defined, no-any-return]


# A decorator of what programs ask for again and again.
conditional = condition(etag_func=etag, last_modified_func=changed_at)

CARD_SIZE = (1200, 630)  # pixels


def show_page(
    request: HttpRequest, template: str, context: Mapping[str, Any], status: int = 200
) -> HttpResponse:
    """Answer with a page; `usual` has what base.html needs and the context of the page does not
    give."""
    # Jinja2 is strict: a page that gives none of these would fail.
    usual = {
        "section": "",
        "canonical": "",
        "og_type": "website",
        "share_image": None,
        "feeds": (),
        "structured": None,
        "words": "",
        "hidden": (),
        "searches_here": False,
    }
    shown = usual | dict(context)
    # Of one show its cover says whose page it is.
    shown["share_image"] = shown["share_image"] or share_image(request, context["site"].show)
    return render(request, template, shown, status=status)


class ShareImage(NamedTuple):
    """The picture beside a shared link."""

    address: str
    width: int
    height: int
    alt: str

    @property
    def is_large(self) -> bool:
        return (self.width, self.height) == CARD_SIZE


def share_image(
    request: HttpRequest, thing: Podcast | Episode | Person | None = None, span: str = ""
) -> ShareImage:
    """An episode's own image or its card, a show's cover, a person's photo, else the site's own
    card; the card of a quote where its `span` of seconds is given."""
    whole = request.build_absolute_uri
    # Many feeds give every episode the show's cover: its card says more.
    has_card = isinstance(thing, Episode) and (
        span or thing.image_url in ("", thing.podcast.image_url)
    )
    if thing and not has_card and (image := picture(thing)):
        return ShareImage(whole(image.address), image.width, image.height, str(thing))
    if isinstance(thing, Episode):
        card = reverse("share-card", args=(thing.slug,)) + f"?t={span}".removesuffix("?t=")
        return ShareImage(whole(card), *CARD_SIZE, thing.heading)
    return ShareImage(whole(reverse("site-card")), *CARD_SIZE, "The name of this site")


def offered_as(kind: str, slug: str = "", query: str = "") -> dict[str, Any]:
    """The feeds of a list, for readers that look for them, and all its formats.

    `kind` is episodes, topic, person or path.
    """
    found = {
        ending: {
            "name": form.name,
            "type": form.type,
            "address": _address(kind, slug, query, ending),
        }
        for ending, form in FORMATS.items()
    }
    return {"feeds": [found[ending] for ending in FEEDS], "formats": list(found.values())}


def _address(kind: str, slug: str, query: str, ending: str) -> str:
    return reverse(f"{kind}-as", args=(slug, ending) if slug else (ending,)) + query


NO_EXTENT = Counts()


def subscription(
    absolute: Callable[[str], str],
    kind: str,
    slug: str = "",
    query: str = "",
    show: Podcast | None = None,
    extent: Mapping[str, int] = NO_EXTENT,
) -> dict[str, object]:
    """The ways to follow a list in a podcast app: by the own feed of the show that it is all of,
    else by its feed here; and the number of episodes that apps leave out because they have no
    audio."""
    here = absolute(_address(kind, slug, query, "rss"))
    own = followable(show.public_feed_url) if show else ""
    feeds = [("RSS", own), ("RSS of this catalog", here)] if own else [("RSS", here)]
    total, audible = extent["episodes"], extent["audible"]
    return {
        "apps": list(app_links(own or here)),
        "feeds": feeds,
        "silent": total - audible,
        "audible": audible,
        "total": total,
    }


PER_PAGE, ON_ONE_PAGE = 100, 10_000
PER_LIST = 25  # cards
NUMBER = re.compile("[0-9]{1,9}")  # as many digits as a database takes
WHOLE = Selection({}, ())

Row = TypeVar("Row")


def paged(
    request: HttpRequest,
    rows: Sequence[Row] | QuerySet[Any, Row],
    per_page: int = PER_PAGE,
    count: int | None = None,
) -> Page[Row]:
    """The page that the address asks for; whatever is not the number of one is not found."""
    paginator = Paginator(rows, per_page)
    if count is not None:
        # Known already; the paginator would ask again.
        paginator.__dict__["count"] = count
    asked = request.GET.get("page", "1")
    try:
        # The paginator takes numbers with spaces and of other scripts, too.
        return paginator.page(asked if NUMBER.fullmatch(asked) else "")
    except InvalidPage as error:
        raise Http404("Page not found.") from error


def paged_episodes(
    request: HttpRequest,
    of_site: Site,
    ids: Sequence[int] | QuerySet[Any, int],
    per_page: int = PER_PAGE,
    count: int | None = None,
    known: Iterable[Topic] = (),
) -> Page[Episode]:
    """The page that the address asks for of these episodes, as cards show them; `known` are topics
    that were read already."""
    page: Page[Any] = paged(request, ids, per_page, count)
    page.object_list = on_cards(page.object_list, of_site, known)
    return page


def on_cards(ids: Iterable[int], of_site: Site, known: Iterable[Topic] = ()) -> list[Episode]:
    """The episodes of these ids as cards show them: with the covers of their shows, where the site
    has several."""
    episodes = for_cards(ids, [*of_site.shows, *known])
    # Of a single show every card would have the same cover.
    if of_site.several:
        add_pictures({episode.podcast for episode in episodes})
    return episodes


def page_links(
    request: HttpRequest, page: Page[Row], list_url: str, chosen: Selection = WHOLE
) -> dict[str, Any]:
    """The addresses of this page and of those around it; an empty place stands for those left
    out."""
    numbers = page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1)
    return {
        "page": page,
        "list_url": list_url,
        "canonical": request.build_absolute_uri(list_url + chosen.query(page.number)),
        "page_links": [(n, chosen.query(n) if isinstance(n, int) else None) for n in numbers],
        "previous_query": chosen.query(page.number - 1),
        "next_query": chosen.query(page.number + 1),
    }


def thing_page(
    request: HttpRequest,
    template: str,
    of_site: Site,
    page: Page[Any],
    address: str = "",
    chosen: Selection = WHOLE,
    **context: Any,
) -> HttpResponse:
    """A page of an index of all of a kind, or of the own page of a thing at that address."""
    usual = {"section": template, "site": of_site}
    links = page_links(request, page, address or reverse(template), chosen)
    return show_page(request, f"episodes/{template}.html", usual | links | context)


# -- addresses at which nothing is now -----------------------------------------------------------

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
    """Redirect to the episode of a number."""
    shown = episode_of_number(number)
    return (
        # Browsers keep a permanent redirect, and another episode may get the number later.
        redirect(shown.get_absolute_url().rstrip("/") + ending)
        if shown
        else gone(request, TAKEN_OUT)
    )


def episode_of_number(number: str) -> Episode | None:
    """Return the first show's episode of a number, of its first season if numbers restart. Return
    the one that replaces it if it was taken out, or None.

    Raises:
        Http404: no episode has or had the number.
    """
    podcast = Podcast.objects.shown().first()
    of_number = {"podcast": podcast, "number": int(number)}
    shown = Episode.objects.named().filter(**of_number).order_by("season", "order").first()
    if shown:
        return shown
    withdrawn = WithdrawnEpisode.objects.filter(**of_number).select_related("replaced_by")
    first = withdrawn.order_by("season", "slug").first()
    if first:
        return first.replaced_by
    owner = owner_of_number(podcast, int(number)) if podcast else None
    if owner is None:
        raise Http404("No episode has this number.")
    if owner.leads_to is None:
        return None
    return Episode.objects.named().filter(pk=owner.leads_to).first()


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


@dataclass(frozen=True)
class FormerOwner:
    """The person who had an address that nobody has now."""

    name: str
    person: Person | None  # who is credited under another address
    is_hidden: bool = False  # a curator found that this is no person


def former_owner(slug: str) -> FormerOwner:
    """Return the person who had an address first, or who was merged with that person.

    Raises:
        Http404: it never was anybody's.
    """
    ledger = Redirect.objects.filter(kind="person", slug=slug).order_by("id")
    rows = list(ledger.values_list("identity", flat=True)[:MOST_FORMER])
    if not rows:
        raise Http404("Person not found.")
    decided = Decision.objects.in_force("correct-person").filter(podcast=None)
    same = dict(decided.filter(field="same").values_list("key", "value"))
    identities = [way_on(identity, same)[-1] for identity in rows]
    people = Person.objects.filter(identity__in=identities)
    person = min(people, key=lambda row: identities.index(row.identity), default=None)
    corrected = decided.filter(field="name", key__in=identities).values_list("value", flat=True)
    # The ledger has no names. An address has the letters of one.
    name = corrected.last() or slug.replace("-", " ").title()
    is_hidden = decided.filter(field="hidden", key__in=identities).exists()
    return FormerOwner(name, person, is_hidden)
