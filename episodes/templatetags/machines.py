"""What a page says in its head to browsers, feed readers, search engines and those who show a link to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.template.loader_tags import BLOCK_CONTEXT_KEY
from django.templatetags.static import static
from django.urls import get_script_prefix, reverse
from django.utils.safestring import SafeString, mark_safe

from ..models import Episode, Podcast, surroundings
from ..outputs import FEEDS, FORMATS, app_links, citing, picture
from ..outputs import json_ld as structured_data
from ..site import Site, site
from ..text.link_labels import followable

register = template.Library()

CARD = "img/card.png"
CARD_SIZE = (1200, 630)  # pixels
# JSON in which no letter can end the element that holds it.
HARMLESS = {ord("<"): "\\u003C", ord(">"): "\\u003E", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


@register.simple_tag(takes_context=True, name="site")
def site_of(context: Context) -> Site:
    """The site, as the view gave it where that had to know."""
    given = context.get("site")
    return given if isinstance(given, Site) else site()


@register.simple_tag
def same_everywhere(name: str, of_site: Site, section: str = "") -> SafeString:
    """A part of every page that depends on the site alone, or on its section: rendered once for a site of this kind."""
    title, show = str(of_site), of_site.show.title if of_site.show else ""
    facts = (title, show, of_site.several, of_site.has_paths, of_site.has_topics)
    return _rendered(name, facts, section, get_script_prefix())


@lru_cache(maxsize=200)
def _rendered(name: str, facts: tuple[str, str, bool, bool, bool], section: str, script_prefix: str) -> SafeString:
    site = dict(zip(("title", "show", "several", "has_paths", "has_topics"), facts, strict=True))
    return render_to_string(name, {"site": site, "section": section})


@register.simple_tag(takes_context=True)
def block_text(context: Context, name: str) -> SafeString:
    """What a page says in a block, said once more: Django has each block but once."""
    blocks = context.render_context.get(BLOCK_CONTEXT_KEY)
    found = blocks.get_block(name) if blocks else None
    return mark_safe(str(found.render(context)).strip()) if found else mark_safe("")


@register.inclusion_tag("episodes/includes/_card_image.html", takes_context=True)
def card_image(context: Context, thing: Podcast | Episode | str) -> dict[str, Any]:
    """The picture beside a shared link: an episode's own image or its card, a show's cover, else the site's own."""
    absolute = _absolute(context)
    found = None if isinstance(thing, str) or _has_card(thing) else picture(thing)
    if not isinstance(thing, str) and found:
        address, size, alt = found.address, (found.width, found.height), thing.title
    elif isinstance(thing, Episode):
        address, size, alt = reverse("share-card", args=(thing.slug,)), CARD_SIZE, thing.heading
    else:
        address, size, alt = static(CARD), CARD_SIZE, "The scale of a radio dial with its needle"
    width, height = size
    return {"address": absolute(address), "width": width, "height": height, "alt": alt, "large": size == CARD_SIZE}


def _has_card(thing: Podcast | Episode) -> bool:
    """True for an episode without an image of its own: many feeds give every episode the show's cover."""
    return isinstance(thing, Episode) and thing.image_url in ("", thing.podcast.image_url)


@register.simple_tag(takes_context=True)
def series_data(context: Context, about: Site, chosen: str = "") -> SafeString:
    """The show with the slug that was chosen, or all of the site."""
    absolute = _absolute(context)
    return about.now.printed(
        ("series", surroundings(), chosen),
        lambda: _data(structured_data.shows(about, absolute, chosen)),
        asked=absolute("/"),
    )


@register.simple_tag(takes_context=True)
def episode_data(context: Context, episode: Episode, about: Site) -> SafeString:
    return _data(structured_data.episode(episode, _absolute(context), about))


def _data(value: dict[str, Any]) -> SafeString:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(HARMLESS)
    return mark_safe(f'<script type="application/ld+json">{text}</script>')


def _absolute(context: Context) -> Callable[[str], str]:
    request = context.get("request")
    if request is None:  # a fragment that is kept for this scheme and host
        origin = context.get("origin", "")
        return lambda path: f"{origin}{path}"
    whole: Callable[[str], str] = request.build_absolute_uri
    return whole


@register.inclusion_tag("episodes/includes/_alternates.html")
def alternates(kind: str, slug: str = "", query: str = "") -> dict[str, Any]:
    """The feeds of the list on this page, for readers that look for them: `kind` is episodes, topic or person."""
    return {"formats": [_format(kind, slug, query, ending) for ending in FEEDS]}


@register.inclusion_tag("episodes/includes/_formats.html")
def formats(shown: Iterable[Episode] | bool, kind: str, slug: str = "", query: str = "") -> dict[str, Any]:
    """Links to the list on this page in every format; a playlist only where something of it can be heard.

    `shown` are the episodes of the page, or what is known of the whole list.
    """
    heard = shown if isinstance(shown, bool) else any(episode.audio_url for episode in shown)
    endings = [ending for ending, form in FORMATS.items() if heard or not form.heard]
    return {"formats": [_format(kind, slug, query, ending) for ending in endings]}


@register.inclusion_tag("episodes/includes/_subscribe.html", takes_context=True)
def subscribe(
    context: Context, kind: str, slug: str = "", query: str = "", show: Podcast | None = None
) -> dict[str, Any]:
    """Ways to follow a list in a podcast app: by the own feed of the show that it is all of, else by its feed here."""
    here = _absolute(context)(_format(kind, slug, query, "rss")[2])
    own = followable(show.feed_url) if show else ""
    feeds = [("RSS", own), ("RSS of this catalog", here)] if own else [("RSS", here)]
    return {"apps": app_links(own or here), "feeds": feeds} | _heard(context.get("extent"))


def _heard(extent: dict[str, int] | None) -> dict[str, Any]:
    """What apps leave out: they show no episode without audio."""
    total, audible = (extent["episodes"], extent["audible"]) if extent else (0, 0)
    return {"silent": total - audible, "audible": audible, "total": total}


def _format(kind: str, slug: str, query: str, ending: str) -> tuple[str, str, str]:
    """Name, media type and address."""
    form = FORMATS[ending]
    return form.name, form.type, f"{_address(kind, slug, ending, get_script_prefix())}{query}"


@lru_cache(maxsize=500)
def _address(kind: str, slug: str, ending: str, script_prefix: str) -> str:
    return reverse(f"{kind}-as", args=(slug, ending) if slug else (ending,))


@register.inclusion_tag("episodes/includes/_cite.html", takes_context=True)
def cite(context: Context, episode: Episode, start: int | None) -> dict[str, Any]:
    """The episode's address, with the second asked for, and what to paste into notes and papers."""
    address = _absolute(context)(episode.get_absolute_url())
    address = f"{address}?t={start}" if start else address
    cited = citing.Cited(
        title=episode.heading,
        show=episode.podcast.title,
        address=address,
        key=f"{episode.podcast.slug}:{episode.slug}",
        number=episode.numbering,
        day=episode.published_at,
        speakers=list(dict.fromkeys(c.person.name for c in episode.credits.all() if c.role == "host")),
        author=episode.podcast.author,
    )
    return {
        "address": address,
        "is_moment": bool(start),
        "markdown": citing.markdown(cited),
        "bibtex": citing.bibtex(cited),
    }
