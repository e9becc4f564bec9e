"""Rendering of pages: their frame, lists over several pages, and the feeds and formats of a list."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from django.core.paginator import InvalidPage, Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from ..models import Episode, FacetCounts, Person, Podcast, Topic, load_for_cards
from ..outputs import (
    FEED_FORMATS,
    LIST_FORMATS,
    attach_stored_pictures,
    podcast_app_links,
    stored_picture_of,
)
from ..site import Site, load_shows_and_sections
from ..text.link_labels import safe_href
from .filters import shorten_to_printable
from .selection import Selection


def render_page(
    request: HttpRequest, template: str, context: Mapping[str, Any], status: int = 200
) -> HttpResponse:
    """Answer with a page. Values that base.html needs get their defaults here.

    The canonical address of a page is its path, unless the page says another.
    """
    # Jinja2 is strict: a page without any of these values would fail.
    page_context = {
        "section": "",
        "site": context.get("site") or load_shows_and_sections(),  # not loaded twice
        "canonical": request.build_absolute_uri(request.path) if status == 200 else "",
        "og_type": "website",
        "share_image": None,
        "feeds": (),
        "structured": None,  # JSON-LD
        "words": "",  # in the search box
        "hidden": (),  # other filters that the search form sends
        "searches_here": False,  # True on the episode list, whose search box has no suggestions
        "page_complaint": "",
        **context,
    }
    if page_context["share_image"] is None:
        # The cover of the only show identifies the site.
        page_context["share_image"] = share_image_of_site(request, page_context["site"])
    return render(request, template, page_context, status=status)


_CARD_SIZE = (1200, 630)  # pixels


class ShareImage(NamedTuple):
    """The picture beside a shared link."""

    address: str
    width: int
    height: int
    alt: str

    @property
    def is_large(self) -> bool:
        return (self.width, self.height) == _CARD_SIZE


def share_image_of_site(request: HttpRequest, current_site: Site) -> ShareImage:
    card = _drawn_share_image(request, reverse("site-card"), "The name of this site")
    if current_site.show is None:
        return card
    return share_image_of_stored_picture_or_none(request, current_site.show) or card


def share_image_of_show(request: HttpRequest, show: Podcast) -> ShareImage:
    """Return the stored cover of one of several shows, else its card."""
    card = _drawn_share_image(request, reverse("show-card", args=(show.slug,)), show.title)
    return share_image_of_stored_picture_or_none(request, show) or card


def share_image_of_episode(request: HttpRequest, episode: Episode, quote_query: str) -> ShareImage:
    """Return the stored image of an episode, else its card. With a query `?t=324-341` return the card of a quote."""
    card_address = reverse("share-card", args=(episode.slug,)) + quote_query
    card = _drawn_share_image(request, card_address, episode.heading)
    # Many feeds give every episode the show's cover: its card says more.
    has_distinct_image = episode.image_url not in ("", episode.podcast.image_url)
    if quote_query or not has_distinct_image:
        return card
    return share_image_of_stored_picture_or_none(request, episode) or card


def _drawn_share_image(request: HttpRequest, address: str, alt: str) -> ShareImage:
    return ShareImage(request.build_absolute_uri(address), *_CARD_SIZE, alt)


def share_image_of_stored_picture_or_none(
    request: HttpRequest, subject: Podcast | Episode | Person
) -> ShareImage | None:
    picture = stored_picture_of(subject)
    if picture is None:
        return None
    address = request.build_absolute_uri(picture.address)
    return ShareImage(address, picture.width, picture.height, str(subject))


# -- feeds and formats of a list -------------------------------------------------------------------


_NO_COUNTS = FacetCounts()


def feeds_and_formats_context(
    request: HttpRequest,
    list_kind: str,
    slug: str = "",
    query: str = "",
    show: Podcast | None = None,
    counts: Mapping[str, int] = _NO_COUNTS,
) -> dict[str, Any]:
    """Return the feeds and formats of a list, and the ways to follow it in a podcast app.

    The apps get the show's own feed if the list has all of its episodes, else the feed of the list.
    Return also how many of the `counts` episodes apps leave out.
    """
    slug_if_any = (slug,) if slug else ()
    format_by_ending = {}
    for ending, list_format in LIST_FORMATS.items():
        # `/topics/vmap.rss`, or `/episodes.rss?year=2021`.
        address = reverse(f"{list_kind}-as", args=(*slug_if_any, ending)) + query
        format_by_ending[ending] = {
            "name": list_format.name,
            "type": list_format.media_type,
            "address": address,
        }
    feed_of_list = request.build_absolute_uri(format_by_ending["rss"]["address"])
    feeds = [("RSS", feed_of_list)]
    publisher_feed = safe_href(show.public_feed_url) if show else ""
    if publisher_feed:
        feeds = [("RSS", publisher_feed), ("RSS of this catalog", feed_of_list)]
    feed_for_apps = publisher_feed or feed_of_list
    return {
        "feeds": [format_by_ending[ending] for ending in FEED_FORMATS],
        "formats": list(format_by_ending.values()),
        "subscription": {
            "links": [*podcast_app_links(feed_for_apps), *feeds],
            "total": counts["episodes"],
            "audible": counts["audible"],
            # Apps leave out episodes without an audio file.
            "silent": counts["episodes"] - counts["audible"],
        },
    }


# -- lists over several pages ----------------------------------------------------------------------

ROWS_PER_PAGE = 100
CARDS_PER_PAGE = 25
SINGLE_PAGE = 10_000  # rows
NUMBER_IN_ADDRESS = re.compile("[0-9]{1,9}")  # as many digits as a database takes
# The paginator would take numbers with spaces and of other scripts, too.
_PAGE_NUMBER = re.compile("0{0,9}[1-9][0-9]{0,99}")

PageRow = TypeVar("PageRow")


def load_page(
    request: HttpRequest,
    rows: Sequence[PageRow] | QuerySet[Any, PageRow],
    per_page: int = ROWS_PER_PAGE,
    row_count: int | None = None,
) -> Page[PageRow]:
    """Return the page that the address asks for, the first one if its number cannot be read. `row_count`
    saves counting the rows.

    Raises:
        Http404: the page is beyond the end.
    """
    paginator = Paginator(rows, per_page)
    if row_count is not None:
        # `count` is a cached property, so a value in its place saves the query.
        paginator.__dict__["count"] = row_count
    number = request.GET.get("page", "")
    try:
        return paginator.page(number if _PAGE_NUMBER.fullmatch(number) else 1)
    except InvalidPage as error:
        raise Http404("Page not found.") from error


def load_page_of_episodes(
    request: HttpRequest,
    current_site: Site,
    ids: Sequence[int] | QuerySet[Any, int],
    per_page: int = ROWS_PER_PAGE,
    row_count: int | None = None,
    topics: Iterable[Topic] = (),
) -> Page[Episode]:
    """Return the page of episodes that the address asks for, with everything that cards show.

    `row_count` saves counting the rows. `topics` have been loaded already.
    """
    page: Page[Any] = load_page(request, ids, per_page, row_count)
    page.object_list = load_cards(page.object_list, current_site, topics)
    return page


def load_cards(
    ids: Iterable[int], current_site: Site, topics: Iterable[Topic] = ()
) -> list[Episode]:
    episodes = load_for_cards(ids, [*current_site.shows, *topics])
    # Cards of a single show would all have the same cover, so they have none.
    if current_site.several:
        attach_stored_pictures({episode.podcast for episode in episodes})
    return episodes


_NO_FILTERS = Selection({}, ())


def pagination_context(
    request: HttpRequest,
    page: Page[PageRow],
    list_url: str,
    selection: Selection,
) -> dict[str, Any]:
    """Return the values for the links between the pages of a list.

    `page_links` are pairs of a page number and its query string. A gap has no query string.
    """
    links: list[tuple[int | str, str | None]] = []
    # 1 … 4 5 6 … 20 on page 5.
    for number in page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1):
        # Django puts the text "…" into gaps.
        query = selection.query(number) if isinstance(number, int) else None
        links.append((number, query))
    # `?page=two` shows the first page with a complaint.
    number_in_address = request.GET.get("page", "")
    page_complaint = ""
    if number_in_address.strip() and not _PAGE_NUMBER.fullmatch(number_in_address):
        page_complaint = f"“{shorten_to_printable(number_in_address)}” is not the number of a page"
    return {
        "page": page,
        "page_complaint": page_complaint,
        "list_url": list_url,
        "selection": selection,
        "canonical": request.build_absolute_uri(list_url + selection.query(page.number)),
        "page_links": links,
        "previous_query": selection.query(page.number - 1),
        "next_query": selection.query(page.number + 1),
    }


def next_page_address(
    request: HttpRequest, page: Page[PageRow], list_url: str, selection: Selection
) -> str:
    """Return the absolute address of the next page of a list; "" on the last page."""
    if not page.has_next():
        return ""
    return request.build_absolute_uri(list_url + selection.query(page.number + 1))


def render_list(
    request: HttpRequest,
    template: str,
    current_site: Site,
    page: Page[Any],
    list_url: str = "",
    selection: Selection = _NO_FILTERS,
    **context: Any,
) -> HttpResponse:
    """Answer with a page of a list, such as an index, or the episodes of a topic.

    `template` also names the section of the site, and the view if there is no `list_url`.
    """
    links = pagination_context(request, page, list_url or reverse(template), selection)
    list_context = {"section": template, "site": current_site, **links, **context}
    return render_page(request, f"episodes/{template}.html", list_context)
