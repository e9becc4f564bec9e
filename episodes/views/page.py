"""A reader's page: what its frame shows, lists over several pages with their addresses, the feeds
and formats in which a list is offered, and validators."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

from django.conf import settings
from django.core.paginator import InvalidPage, Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import get_script_prefix, reverse
from django.views.decorators.http import condition

from ..models import CatalogVersion, Counts, Episode, Person, Podcast, Topic, for_cards
from ..outputs import FEEDS, FORMATS, add_pictures, app_links, picture
from ..site import Site
from ..text.link_labels import followable
from .selection import Selection


def etag(request: HttpRequest, *args: object, **kwargs: object) -> str:
    """Another one as soon as anything changed that answers show, settings too.

    The address counts too: what was said of one list says nothing of another, nor of an address
    that is none.
    """
    shown = (
        get_script_prefix(),
        settings.SITE_NAME,
        settings.SITE_DESCRIPTION,
        settings.IMAGES,
        settings.SEMANTIC_MODEL,
    )
    parts = (request.build_absolute_uri(), version(request)[0], shown)
    # Weak, because the compressed bytes of an answer are others than the plain ones.
    return f'W/"{sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:20]}"'


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
    own = followable(show.feed_url) if show else ""
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
NUMBER = re.compile("[0-9]{1,9}")
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
