"""What templates say about episodes: lengths, days, excerpts, names of links."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Mapping

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify

from .. import excerpts, wording
from ..link_labels import followable
from ..models import Episode, Podcast

register = template.Library()

# Notes are sanitised markup of one shape, in which an anchor holds no other tag when its text is its address.
LINK = re.compile(r'(<a href="([^"]*)"[^>]*>)([^<]*)(</a>)')


@register.filter
def minutes(episode: Episode) -> str:
    return wording.minutes(episode.duration_seconds)


@register.filter
def length(episode: Episode) -> str:
    return wording.length(episode.duration_seconds, episode.duration_exact)


@register.filter
def day(episode: Episode) -> str:
    return wording.day(episode.published_at)


@register.filter
def machine_day(episode: Episode) -> str:
    """The date for `<time datetime>`."""
    at = episode.published_at
    return (
        "" if at is None else f"{at:%Y-%m-%dT%H:%MZ}" if episode.published_precision == "instant" else f"{at:%Y-%m-%d}"
    )


@register.filter
def hue(group: str) -> str:
    """The class that gives a topic group its colour."""
    return f"g-{slugify(group)}"


@register.filter
def excerpt(episode: Episode, query: str = "") -> SafeString:
    return (
        excerpts.around(episode.description_text, query) if query else escape(excerpts.teaser(episode.description_text))
    )


@register.filter
def marked(text: str, query: str = "") -> SafeString:
    return excerpts.marked(text, query)


@register.filter
def with_name(sentence: str, name: str) -> SafeString:
    return excerpts.with_name(sentence, name)


@register.filter
def breakable(text: str) -> SafeString:
    """A path or a name that may break after its slashes and dots."""
    return mark_safe(re.sub(r"([/_#])(?=\w)", r"\1<wbr>", escape(text)))


@register.filter
def with_names(notes: str, labels: Mapping[str, str]) -> SafeString:
    """Sanitised notes in which a link whose text is its address is called by its name."""

    def named(found: re.Match[str]) -> str:
        opening, address, text, closing = found.groups()
        name = labels.get(entities.unescape(address)) if text == address else None
        return f"{opening}{escape(name)}{closing}" if name else found[0]

    return mark_safe(LINK.sub(named, notes))


@register.filter
def web(address: str) -> str:
    """An address that a browser may follow from a page."""
    return followable(address)


@register.filter
def host(address: str) -> str:
    return re.sub(r"^https?://(?:www\.)?([^/?#:@]*).*", r"\1", address, flags=re.DOTALL | re.IGNORECASE)


@register.simple_tag
def site_title() -> str:
    """The show's title, or a general one where there are several shows or none."""
    titles = list(Podcast.objects.order_by("pk").values_list("title", flat=True)[:2])
    return titles[0] if len(titles) == 1 else "Podcast catalog"
