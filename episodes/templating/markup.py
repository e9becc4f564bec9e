"""The only markup that Python makes: notes with their links named and timed, and words that are
marked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape

from markupsafe import Markup, escape

from ..models import Episode
from ..search import excerpts
from ..text.link_labels import followable
from ..text.timecodes import timestamps
from .filters import pieces

BREAK, BEFORE, BEHIND = Markup("<wbr>"), Markup("<mark>"), Markup("</mark>")
TAG = re.compile(r"(<[^<>]*>)")
# A link whose text is its address; notes are sanitised markup of one shape.
LINK = re.compile(r'(<a href="([^"]*)"[^>]*>)\2(</a>)')


def bdi(words: object) -> Markup:
    """A title or name inside other text: whatever its script, it moves nothing beside it."""
    return Markup(f"<bdi>{escape(words)}</bdi>")


def marks(parts: Sequence[str]) -> Markup:
    """Parts of a text of which every second is marked."""
    return Markup("").join(BEFORE + p + BEHIND if i % 2 else p for i, p in enumerate(parts))


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
    return marks(excerpts.marked(text, words))


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
