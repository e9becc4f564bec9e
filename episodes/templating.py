"""Readers' pages: the environment of their Jinja2 templates, its filters, which give text and data,
and the only markup that Python makes: notes with their links named and timed, and words that are
marked."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import lru_cache
from html import unescape
from typing import Any

from django.template import defaultfilters as django
from django.templatetags.static import static
from django.urls import reverse
from django.utils.text import slugify
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from .models import Episode, Podcast
from .outputs import picture, stamp
from .search import excerpts, parse_query
from .text import formatting
from .text.link_labels import followable
from .text.timecodes import timestamps


def environment(**options: Any) -> Environment:
    """The environment, as Django's backend asks for it; a name that nothing was given to is an
    error."""
    made = Environment(**options | {"undefined": StrictUndefined})
    made.globals |= {"picture_of": picture, "static": static, "url": url}
    made.filters |= {
        "around": around,
        "bdi": bdi,
        "clock": formatting.clock,
        "date": django.date,
        "day": formatting.day,
        "floatformat": django.floatformat,
        "host": host,
        "hue": hue,
        "in_words": in_words,
        "language": language,
        "linked": linked,
        "machine_day": machine_day,
        "marked": marked,
        "marks": marks,
        "minutes": formatting.minutes,
        "notes": notes,
        "pieces": pieces,
        "pluralize": django.pluralize,
        "rfc822": format_datetime,
        "stamp": stamp,
        "thousands": "{:,}".format,
        "truncatechars": django.truncatechars,
        "urlencode": django.urlencode,
        "web": followable,
        "with_name": with_name,
    }
    made.tests["playable"] = playable
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return made


def url(view: str, *args: object) -> str:
    """The address of a page by the name of its view."""
    return reverse(view, args=args)


# -- filters that give text and data ---------------------------------------------------------------

RIGHT_TO_LEFT = frozenset("ar arc ckb dv fa ha-arab he iw ks ku-arab ps sd syr ug ur yi".split())
MAY_BREAK = re.compile(r"(?<=[^\s_][/#])(?=\w)|(?<=[^\W_]_)(?=[^\W_])")
HOST = re.compile(r"\Ahttps?://(?:www\.)?([^/?#:@]*).*", re.IGNORECASE | re.DOTALL)
LANGUAGE = re.compile("(?=-*[a-z0-9])[a-z0-9-]{2,20}")


def machine_day(episode: Episode) -> str:
    """The date for `<time datetime>`."""
    at = episode.published_at
    if at is None:
        return ""
    return f"{at:%Y-%m-%dT%H:%MZ}" if episode.published_precision == "instant" else f"{at:%Y-%m-%d}"


def in_words(published: str) -> str:
    """The day of a date that the catalog wrote as text (`2021-06-21`), as pages say it."""
    return formatting.day(datetime.fromisoformat(published[:10]).replace(tzinfo=UTC))


def language(show: Podcast) -> dict[str, str]:
    """`lang` and `dir` of a show's texts, where they are not those of the page."""
    code = show.language.lower().replace("_", "-")
    if code.partition("-")[0] == "en":
        return {}
    if not LANGUAGE.fullmatch(code):
        return {"dir": "auto"}
    return {"lang": code, "dir": "rtl" if code.partition("-")[0] in RIGHT_TO_LEFT else "ltr"}


def playable(episode: Episode) -> bool:
    """True where its file is sound that goes on from page to page; a video plays on its own page."""
    other = episode.is_video or episode.is_document
    return bool(followable(episode.audio_url)) and not other


@lru_cache
def hue(group: str) -> str:
    """The class that gives a topic group its colour."""
    return f"g-{slugify(group)}"


def pieces(text: str) -> list[str]:
    """A path or a name, cut where it may break: after its slashes, underscores and number signs,
    but those it begins or ends with."""
    return MAY_BREAK.split(text)


def host(address: str) -> str:
    """The host of a web address without its `www.`; anything else as it is."""
    return HOST.sub(r"\1", address)


# -- markup ----------------------------------------------------------------------------------------

BREAK, BEFORE, BEHIND = Markup("<wbr>"), Markup("<mark>"), Markup("</mark>")
MOMENT = Markup('<mark id="moment">')
TAG = re.compile(r"(<[^<>]*>)")
# A link whose text is its address; notes are sanitised markup of one shape.
LINK = re.compile(r'(<a href="([^"]*)"[^>]*>)\2(</a>)')


def bdi(words: object) -> Markup:
    """A title or name inside other text: whatever its script, it moves nothing beside it."""
    return Markup(f"<bdi>{escape(words)}</bdi>")


def marks(parts: Sequence[str], moment_part: int | None = None) -> Markup:
    """Mark every second part of a text. Links with #moment lead to the part of that index."""
    marked_parts: list[str] = []
    for index, part in enumerate(parts):
        if index % 2:
            opening = MOMENT if index == moment_part else BEFORE
            marked_parts += [opening, part, BEHIND]
        else:
            marked_parts.append(part)
    return Markup("").join(marked_parts)


def linked(parts: Sequence[str | tuple[str, str]]) -> Markup:
    """Parts of a text, of which some are linked: words, and the address of their page."""
    # format() takes twice as long
    return Markup("").join(
        Markup(f'<a href="{escape(part[1])}">{escape(part[0])}</a>')
        if isinstance(part, tuple)
        else part
        for part in parts
    )


def marked(text: str, words: str) -> Markup:
    """A text with what was searched for marked."""
    return marks(excerpts.marked(text, parse_query(words)))


def around(text: str, words: str, otherwise: str) -> Markup:
    """The part of a text around what was searched for, with that marked."""
    return marks(excerpts.around(text, words, otherwise))


def with_name(sentence: str, name: str) -> Markup:
    """A sentence with a name of code marked."""
    return marks(excerpts.with_name(sentence, name))


def notes(html: str, episode: Episode, labels: Mapping[str, str]) -> Markup:
    """Sanitised notes in which a link whose text is its address is called by its name, and a
    position in the audio starts it there."""
    named = LINK.sub(lambda found: _named(found, labels), html)
    if not followable(episode.audio_url):
        return Markup(named)
    parts = TAG.split(named)
    links_open = 0
    for place, part in enumerate(parts):
        if place % 2:
            links_open += part.startswith("<a ") - part.startswith("</a")
        elif not links_open:
            for first, last, seconds in reversed(timestamps(part, episode.duration_seconds)):
                timed = f'<a class="time" href="?t={seconds}">{part[first:last]}</a>'
                part = f"{part[:first]}{timed}{part[last:]}"
            parts[place] = part
    return Markup("".join(parts))


def _named(found: re.Match[str], labels: Mapping[str, str]) -> str:
    opening, address, closing = found.groups()
    name = labels.get(unescape(address))
    return f"{opening}{BREAK.join(pieces(name))}{closing}" if name else found[0]
