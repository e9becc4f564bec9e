"""What templates say about episodes: lengths, days, excerpts, names of links."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from django import template
from django.utils.html import conditional_escape, escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify

from ..models import Episode, Person, Podcast, Source
from ..outputs import Picture, picture
from ..search import excerpts
from ..site import Site
from ..text import formatting
from ..text.link_labels import followable
from ..text.timestamps import timestamps

register = template.Library()

SMALL = 150  # pixels of the small file's longer side

# Notes are sanitised markup of one shape, in which an anchor holds no other tag when its text is its address.
LONGEST_LANGUAGE = 20
RIGHT_TO_LEFT = frozenset("ar arc ckb dv fa ha-arab he iw ks ku-arab ps sd syr ug ur yi".split())
BREAK = re.compile(r"(?<=.[/_#])(?=\w)")
TAG = re.compile(r"(<[^<>]*>)")
LINK = re.compile(r'(<a href="([^"]*)"[^>]*>)([^<]*)(</a>)')


@register.filter
def minutes(episode: Episode) -> str:
    return formatting.minutes(episode.duration_seconds)


@register.filter
def length(episode: Episode) -> str:
    return formatting.length(episode.duration_seconds, episode.duration_exact)


@register.filter
def day(episode: Episode) -> str:
    return formatting.day(episode.published_at)


@register.filter
def in_words(published: str) -> str:
    """The day of a date that the catalog wrote as text (`2021-06-21`), as pages say it."""
    return formatting.day(datetime.fromisoformat(published[:10]).replace(tzinfo=UTC))


@register.filter
def machine_day(episode: Episode) -> str:
    """The date for `<time datetime>`."""
    at = episode.published_at
    return (
        "" if at is None else f"{at:%Y-%m-%dT%H:%MZ}" if episode.published_precision == "instant" else f"{at:%Y-%m-%d}"
    )


@register.simple_tag(name="cover")
@register.simple_tag(name="picture")
def image(thing: Podcast | Episode | Person, size: int = 150) -> SafeString:
    """The image of a show, an episode or a person in a square of `size` pixels; nothing where there is none.

    It says nothing that the title beside it does not say, so its alternative text is empty.
    """
    found = picture(thing)
    if found is None:
        return SafeString()
    width, height = found.fitted(size)
    return format_html(
        '<img class="picture" src="{}"{} width="{}" height="{}" alt="" loading="lazy" decoding="async">',
        found.small or found.address,
        _choice(found, width),
        width,
        height,
    )


def _choice(found: Picture, width: int) -> SafeString:
    """Attributes that let a browser choose between both files."""
    if not found.small:
        return SafeString()
    sources = f"{found.small} {found.fitted(SMALL)[0]}w, {found.address} {found.width}w"
    return format_html(' srcset="{}" sizes="{}px"', sources, width)


@register.filter
def in_language(show: Podcast) -> SafeString:
    """`lang` and `dir` of a show's texts, where they are not those of the page."""
    code = show.language.lower().replace("_", "-")
    if code.partition("-")[0] == "en":
        return SafeString("")
    letters = code.replace("-", "")
    if not (letters.isascii() and letters.isalnum() and 1 < len(code) <= LONGEST_LANGUAGE):
        return SafeString(' dir="auto"')
    right_to_left = code.partition("-")[0] in RIGHT_TO_LEFT
    return SafeString(f' lang="{code}" dir="{"rtl" if right_to_left else "ltr"}"')


@register.filter
def hue(group: str) -> str:
    """The class that gives a topic group its colour."""
    return f"g-{slugify(group)}"


@register.filter
def label(source: Source, site: Site) -> str:
    """Name of a source, with its show where the site has several."""
    return source.label(several=site.several)


@register.filter
def excerpt(episode: Episode, query: str = "") -> SafeString:
    return (
        excerpts.around(episode.description_text, query) if query else escape(excerpts.teaser(episode.description_text))
    )


@register.filter
def marked(text: str, query: str = "") -> SafeString:
    """A name with what was searched for marked; an address may break after its slashes."""
    return mark_safe(excerpts.marked(text, query).replace("/", "/<wbr>").replace("</<wbr>", "</"))


@register.filter
def of(reasons: Mapping[int, list[SafeString]], episode: Episode) -> list[SafeString]:
    """Why this episode was found; nothing on pages that search for nothing."""
    return reasons.get(episode.pk, []) if reasons else []


@register.filter
def with_name(sentence: str, name: str) -> SafeString:
    return excerpts.with_name(sentence, name)


@register.filter
def breakable(text: str) -> SafeString:
    """A path or a name that may break after its slashes, underscores and number signs, but the first."""
    return mark_safe("<wbr>".join(map(entities.escape, BREAK.split(str(text)))))


@register.filter
def bdi(words: str) -> SafeString:
    """A title or name inside other text: whatever its script, it moves nothing beside it."""
    return mark_safe(f"<bdi>{conditional_escape(words)}</bdi>")


@register.filter
def with_names(notes: str, labels: Mapping[str, str]) -> SafeString:
    """Sanitised notes in which a link whose text is its address is called by its name."""

    def named(found: re.Match[str]) -> str:
        opening, address, text, closing = found.groups()
        name = labels.get(entities.unescape(address)) if text == address else None
        return f"{opening}{breakable(name)}{closing}" if name else found[0]

    return mark_safe(LINK.sub(named, notes))


@register.filter
def with_times(notes: str, episode: Episode) -> SafeString:
    """Sanitised notes in which a position in the audio is a link that starts it there; as they are where there is none."""
    if not followable(episode.audio_url):
        return mark_safe(notes)
    parts = TAG.split(notes)
    inside = 0
    for place, part in enumerate(parts):
        if place % 2:
            inside += part.startswith("<a ") - part.startswith("</a")
        elif not inside:
            parts[place] = _timed(part, episode.duration_seconds)
    return mark_safe("".join(parts))


def _timed(text: str, length: int | None) -> str:
    for first, last, seconds in reversed(timestamps(text, length)):
        text = f'{text[:first]}<a class="time" href="?t={seconds}">{text[first:last]}</a>{text[last:]}'
    return text


@register.filter
def clock(seconds: float | None) -> str:
    """A position in the audio as a clock shows it: `12:34`, `1:02:03`."""
    return "" if seconds is None else formatting.clock(int(seconds))


@register.filter
def web(address: str | None) -> str:
    """An address that a browser may follow from a page; what has none, such as a license by name alone, is None here."""
    return followable(address or "")


@register.filter
def host(address: str) -> str:
    return re.sub(r"^https?://(?:www\.)?([^/?#:@]*).*", r"\1", address, flags=re.DOTALL | re.IGNORECASE)
