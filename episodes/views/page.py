"""A reader's page: what its frame shows, the feeds and formats in which a list is offered, and answers
where there is nothing."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import unquote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from ..models import Counts, Episode, Person, Podcast
from ..outputs import FEEDS, FORMATS, app_links, picture
from ..site import site
from ..text.link_labels import followable

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


class OfferedFormat(NamedTuple):
    """A format in which a list can be had."""

    name: str
    type: str
    address: str


def offered_as(kind: str, slug: str = "", query: str = "") -> dict[str, Any]:
    """The feeds of a list, for readers that look for them, and all its formats.

    `kind` is episodes, topic, person or path.
    """
    found = {
        ending: OfferedFormat(form.name, form.type, _address(kind, slug, query, ending))
        for ending, form in FORMATS.items()
    }
    return {"feeds": [found[ending] for ending in FEEDS], "formats": list(found.values())}


def _address(kind: str, slug: str, query: str, ending: str) -> str:
    return reverse(f"{kind}-as", args=(slug, ending) if slug else (ending,)) + query


@dataclass(frozen=True)
class SubscribeLinks:
    """The ways to follow a list in a podcast app, and the number of episodes that apps leave out
    because they have no audio."""

    apps: list[tuple[str, str]]
    feeds: list[tuple[str, str]]
    silent: int
    audible: int
    total: int


NO_EXTENT = Counts()


def subscription(
    absolute: Callable[[str], str],
    kind: str,
    slug: str = "",
    query: str = "",
    show: Podcast | None = None,
    extent: Mapping[str, int] = NO_EXTENT,
) -> SubscribeLinks:
    """By the own feed of the show that a list is all of, else by its feed here."""
    here = absolute(_address(kind, slug, query, "rss"))
    own = followable(show.feed_url) if show else ""
    feeds = [("RSS", own), ("RSS of this catalog", here)] if own else [("RSS", here)]
    total, audible = extent["episodes"], extent["audible"]
    return SubscribeLinks([*app_links(own or here)], feeds, total - audible, audible, total)


LONGEST_PATH = 100
# Words of addresses that nobody looks for.
NO_WORDS = set(
    "episode episodes topic topics people links names item podcast podcasts html htm php index page".split()
)


# Django hands the exception to `handler404`; what it says is for developers.
def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404 with a search for the words of the path."""
    context = {"looked_for": words_of(request.path), "site": site()}
    return show_page(request, "404.html", context, 404)


def gone(request: HttpRequest, reason: str) -> HttpResponse:
    """410 with the reason: a person decided that nothing is at this address any more."""
    return show_page(request, "410.html", {"reason": reason, "site": site()}, 410)


def words_of(path: str) -> str:
    """`/episodes/no-such_thing.html` → `no such thing`; "" where a path has no words."""
    found = re.findall(r"[^\W_]+", unquote(path, errors="ignore")[:LONGEST_PATH])
    return " ".join(word for word in found if word.lower() not in NO_WORDS)
