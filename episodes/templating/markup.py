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
    return Markup("").join(_link(*p) if isinstance(p, tuple) else p for p in parts)


def _link(words: str, address: str) -> Markup:
    return Markup(
        f'<a href="{escape(address)}">{escape(words)}</a>'
    )  # format() takes twice as long


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
    return Markup(
        _with_times(named, episode.duration_seconds) if followable(episode.audio_url) else named
    )


def _named(found: re.Match[str], labels: Mapping[str, str]) -> str:
    opening, address, closing = found.groups()
    name = labels.get(unescape(address))
    return f"{opening}{BREAK.join(pieces(name))}{closing}" if name else found[0]


def _with_times(html: str, length: int | None) -> str:
    parts = TAG.split(html)
    inside = 0
    for place, part in enumerate(parts):
        if place % 2:
            inside += part.startswith("<a ") - part.startswith("</a")
        elif not inside:
            parts[place] = _timed(part, length)
    return "".join(parts)


def _timed(text: str, length: int | None) -> str:
    for first, last, seconds in reversed(timestamps(text, length)):
        text = (
            f'{text[:first]}<a class="time" href="?t={seconds}">{text[first:last]}</a>{text[last:]}'
        )
    return text
