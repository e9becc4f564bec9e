"""Images of shows and episodes as pages and feeds show them: kept by us, or none (IMAGES);
and the picture that we draw beside a shared link."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from django.conf import settings
from django.urls import reverse

from ..models import Episode, Image, Person, Podcast
from ..text import summaries
from ..text.formatting import day, minutes

if TYPE_CHECKING:
    from PIL import ImageDraw, ImageFont

SMALL = 150  # pixels of the small file's longer side


@dataclass(frozen=True)
class Picture:
    """An image to show: its address, its size, and the address of its small copy."""

    address: str
    width: int
    height: int
    small: str

    def fitted(self, size: int) -> tuple[int, int]:
        """Width and height in a square of `size` pixels, never enlarged."""
        scale = min(1, size / max(self.width, self.height))
        return max(1, round(self.width * scale)), max(1, round(self.height * scale))

    @property
    def srcset(self) -> str:
        """Both files with their widths, for a browser to choose from."""
        return f"{self.small} {self.fitted(SMALL)[0]}w, {self.address} {self.width}w"


def picture(thing: Podcast | Episode | Person) -> Picture | None:
    """The show's cover; of an episode its own image, else the cover; a person's photo. Looked up
    once for each `thing`."""
    if "picture" not in vars(thing):
        add_pictures([thing])
    found: Picture | None = vars(thing)["picture"]
    return found


def add_pictures(things: Collection[Podcast | Episode | Person]) -> None:
    """Look up the pictures of many shows or episodes at once: `picture` then asks the database for
    none of them."""
    addresses = set(chain.from_iterable(map(_addresses, things)))
    known = {}
    if settings.IMAGES == "keep":
        kept = Image.objects.exclude(name="").in_bulk(addresses, field_name="address")
        for image in kept.values():
            files = [reverse("media", args=(name,)) for name in (image.large, image.small)]
            known[image.address] = Picture(files[0], image.width, image.height, files[1])
    for thing in things:
        vars(thing)["picture"] = next(filter(None, map(known.get, _addresses(thing))), None)


def _addresses(thing: Podcast | Episode | Person) -> tuple[str, ...]:
    """The addresses that the feed or a curator names, the best first."""
    return (
        (thing.image_url, thing.podcast.image_url)
        if isinstance(thing, Episode)
        else (thing.image_url,)
    )


SIZE = (1200, 630)
MARGIN = 80
WIDTH = SIZE[0] - 2 * MARGIN  # of a line
PAPER, INK, QUIET, LINE, ACCENT = "#fcf9f3", "#26211c", "#6f675e", "#ddd5c9", "#b23a12"
TITLE_SIZES = (84, 72, 62, 54, 46)
MOST_LINES = 5
TOP, BOTTOM = 134, SIZE[1] - 150  # of the space for the title
LONGEST = 160  # characters of a title
MOST_TOPICS = 3
# The letters that each cut of the font has: ASCII, Latin-1 and the signs of typography; Cyrillic; Greek.
LATIN = " -~\xa0-\xffıŒœ‐‑–—‘’‚“”„†•…′″‹›€№™←→−≠≤≥"
CUTS = {"-cyrillic": "\u0400-\u045fҐґҰұ", "-greek": "\u0370-\u0377ͺ-Ϳ΄-ΊΌΎ-ΡΣ-Ͽ"}
NOT_DRAWN = re.compile(f"[^{LATIN}{''.join(CUTS.values())}]")


def draw_card(episode: Episode, quote: str = "", at: str = "") -> bytes | None:
    """The card of an episode, or of what is said in it at a time (`5:24`). Of words in letters that
    the fonts lack there are the title or the show's name instead; None where they lack these
    too."""
    title = summaries.cut(" ".join(episode.heading.split()), 0, LONGEST)
    topics = " · ".join([use.topic.name for use in episode.topic_uses.all()][:MOST_TOPICS])
    show, length = episode.podcast.title, minutes(episode.duration_seconds)
    words, below = [title, show], topics
    if quote:
        words, below, length = [f"“{summaries.cut(quote, 0, LONGEST - 2)}”", *words], title, at
    number = f"Episode {episode.numbering}" if episode.numbering.isdecimal() else episode.numbering
    line = " · ".join(filter(None, (number, day(episode.published_at), length)))
    return _card(show, words, below, line)


def draw_site_card(name: str, sentence: str) -> bytes | None:
    """The card of the site; None where the fonts lack letters of its name."""
    return _card("", [name], sentence, "")


def _card(above: str, words: Sequence[str], below: str, line: str) -> bytes | None:
    """A card of the first words that can be drawn, with lines above and below them."""
    drawable = [some for some in words if not NOT_DRAWN.search(some)]
    if not drawable:
        return None
    # Few processes draw; all others do without these libraries.
    from PIL import Image, ImageDraw

    card = Image.new("RGB", SIZE, PAPER)
    draw = ImageDraw.Draw(card)
    accent = f"#{settings.ACCENT}" if settings.ACCENT else ACCENT
    draw.rectangle((0, 0, 14, SIZE[1]), fill=accent)
    draw.line((MARGIN, BOTTOM, SIZE[0] - MARGIN, BOTTOM), fill=LINE, width=2)
    _draw_title(draw, drawable[0] or "–")
    _draw_line(draw, 64, _drawn(above, 46), 34, 600, accent)
    _draw_line(draw, BOTTOM + 28, _drawn(below, 60), 32, 400, INK)
    _draw_line(draw, BOTTOM + 78, _drawn(line, 70), 28, 400, QUIET)
    out = io.BytesIO()
    # Few colours are enough, and make a smaller file.
    card.quantize(64).save(out, "PNG", optimize=True)
    return out.getvalue()


def _draw_title(draw: ImageDraw.ImageDraw, title: str) -> None:
    """The title in the largest size in which it fits, in the middle of the space that it has."""
    for size in TITLE_SIZES:
        # `wrap` counts letters, so the width is given in average letters of this title.
        lines = wrap(title, int(WIDTH * len(title) / _length(title, size, 650)))[:MOST_LINES]
        height = round(1.37 * size * len(lines))
        if height <= BOTTOM - TOP and max(_length(one, size, 650) for one in lines) <= WIDTH:
            break
    top = (TOP + BOTTOM - height) // 2
    for nth, one in enumerate(lines):
        _draw_line(draw, top + round(1.37 * size * nth), one, size, 650, INK)


def _draw_line(
    draw: ImageDraw.ImageDraw, top: int, text: str, size: int, weight: int, fill: str
) -> None:
    left: float = MARGIN
    for run, font in _runs(text, size, weight):
        draw.text((left, top), run, font=font, fill=fill)
        left += font.getlength(run)


def _length(text: str, size: int, weight: int) -> float:
    return sum(font.getlength(run) for run, font in _runs(text, size, weight))


def _runs(text: str, size: int, weight: int) -> Iterator[tuple[str, ImageFont.FreeTypeFont]]:
    """The parts of a line with the cut of the font that has their letters."""
    for cut, run in groupby(text, key=_cut):
        yield "".join(run), _font(cut, size, weight)


def _cut(letter: str) -> str:
    return next((cut for cut, letters in CUTS.items() if re.match(f"[{letters}]", letter)), "")


def _drawn(text: str, longest: int) -> str:
    """A line without letters that the fonts lack, cut where it is too long."""
    return summaries.cut(" ".join(NOT_DRAWN.sub("", text).split()), 0, longest)


@lru_cache(maxsize=32)
def _font(cut: str, size: int, weight: int) -> ImageFont.FreeTypeFont:
    from PIL import ImageFont

    folder = Path(settings.BASE_DIR) / "static" / "fonts"
    font = ImageFont.truetype(folder / f"literata{cut}.woff2", size)
    # This changes the font itself, so each weight needs a font of its own.
    font.set_variation_by_axes([weight])
    return font
