"""The picture shown beside a shared link to an episode, or to a quote from it: words, number, title,
topics and show, 1200 by 630 pixels, as PNG."""

from __future__ import annotations

import io
import re
from functools import lru_cache
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from django.conf import settings

from ..models import Episode
from ..search import excerpts
from ..text.formatting import day, minutes

if TYPE_CHECKING:
    from PIL import ImageDraw, ImageFont

SIZE = (1200, 630)
MARGIN = 80
WIDTH = SIZE[0] - 2 * MARGIN  # of a line
PAPER, INK, QUIET, LINE, ACCENT = "#fcf9f3", "#26211c", "#6f675e", "#ddd5c9", "#b23a12"
TITLE_SIZES = (84, 72, 62, 54, 46)
MOST_LINES = 5
TOP, BOTTOM = 134, SIZE[1] - 150  # of the space for the title
LONGEST = 160  # characters of a title
MOST_TOPICS = 3
# What the font holds: ASCII, Latin-1, and the signs of typography.
NOT_DRAWN = re.compile("[^ -~\xa0-\xffıŒœ‐‑–—‘’‚“”„†•…′″‹›€№™←→−≠≤≥]")


def share_card(episode: Episode, quote: str = "", at: str = "") -> bytes | None:
    """The card of an episode, or of what is said in it at a time (`5:24`); None where its title, or
    the quote, is in letters that the font lacks."""
    title = excerpts.cut(" ".join(episode.heading.split()), 0, LONGEST)
    topics = " · ".join([use.topic.name for use in episode.topic_uses.all()][:MOST_TOPICS])
    words, below, length = title, topics, minutes(episode.duration_seconds)
    if quote:
        words, below, length = f"“{excerpts.cut(quote, 0, LONGEST - 2)}”", title, at
    if NOT_DRAWN.search(words):
        return None
    # Few processes draw; all others do without these libraries.
    from PIL import Image, ImageDraw

    card = Image.new("RGB", SIZE, PAPER)
    draw = ImageDraw.Draw(card)
    accent = f"#{settings.ACCENT}" if settings.ACCENT else ACCENT
    draw.rectangle((0, 0, 14, SIZE[1]), fill=accent)
    draw.text((MARGIN, 64), _drawn(episode.podcast.title, 46), font=_font(34, 600), fill=accent)
    _draw_title(draw, words or "–")
    draw.line((MARGIN, BOTTOM, SIZE[0] - MARGIN, BOTTOM), fill=LINE, width=2)
    draw.text((MARGIN, BOTTOM + 28), _drawn(below, 60), font=_font(32, 400), fill=INK)
    number = f"Episode {episode.numbering}" if episode.numbering.isdecimal() else episode.numbering
    line = " · ".join(filter(None, (number, day(episode.published_at), length)))
    draw.text((MARGIN, BOTTOM + 78), _drawn(line, 70), font=_font(28, 400), fill=QUIET)
    out = io.BytesIO()
    card.quantize(64).save(out, "PNG", optimize=True)
    return out.getvalue()


def _draw_title(draw: ImageDraw.ImageDraw, title: str) -> None:
    """The title in the largest size in which it fits, in the middle of the space that it has."""
    for size in TITLE_SIZES:
        font = _font(size, 650)
        lines = wrap(title, int(WIDTH * len(title) / font.getlength(title)))
        height = round(1.37 * size * (len(lines) - 0.2))
        if height <= BOTTOM - TOP and max(map(font.getlength, lines)) <= WIDTH:
            break
    middle = (MARGIN, (TOP + BOTTOM) // 2)
    draw.multiline_text(
        middle, "\n".join(lines[:MOST_LINES]), font=font, fill=INK, anchor="lm", spacing=size // 5
    )


def _drawn(text: str, longest: int) -> str:
    """A line without letters that the font lacks, cut where it is too long."""
    return excerpts.cut(" ".join(NOT_DRAWN.sub("", text).split()), 0, longest)


@lru_cache(maxsize=16)
def _font(size: int, weight: int) -> ImageFont.FreeTypeFont:
    from PIL import ImageFont

    font = ImageFont.truetype(Path(settings.BASE_DIR) / "static" / "fonts" / "literata.woff2", size)
    font.set_variation_by_axes([weight])
    return font
