"""Images of shows, episodes and people, their drawn covers, and the cards of shared links."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple, overload

from django.conf import settings
from django.core.files.storage import default_storage
from django.urls import get_script_prefix, reverse

from ..models import Episode, Image, Person, Podcast
from ..text import summaries
from ..text.formatting import format_day, format_minutes
from .covers import COVER_PIXELS, cover_data_url, cover_key, draw_cover_image, initials_data_url
from .listing import join_known

if TYPE_CHECKING:
    from PIL import Image as PictureFile
    from PIL import ImageDraw, ImageFont

_SMALL = 150  # pixels of the small file's longer side


@dataclass(frozen=True)
class Picture:
    """An image to show: its address, its size, and the address of its small copy.

    A drawn cover is an SVG, and its `small` address contains it. `bitmap` is the address for programs that
    read no SVG.
    """

    address: str
    width: int
    height: int
    small: str
    bitmap: str
    is_drawn: bool = False

    def fitted(self, size: int) -> tuple[int, int]:
        """Return width and height in a square of `size` pixels, never enlarged."""
        scale = min(1, size / max(self.width, self.height))
        return max(1, round(self.width * scale)), max(1, round(self.height * scale))

    @property
    def srcset(self) -> str:
        """Return both files with their widths, for a browser to choose from."""
        small_width, _ = self.fitted(_SMALL)
        return f"{self.small} {small_width}w, {self.address} {self.width}w"

    def source_attributes(self, width: int) -> dict[str, str]:
        """Return the attributes with which a browser chooses a file for this width. A drawn cover has one file."""
        return {} if self.is_drawn else {"srcset": self.srcset, "sizes": f"{width}px"}


@overload
def picture_of(subject: Podcast | Episode) -> Picture: ...
@overload
def picture_of(subject: Person) -> Picture | None: ...
def picture_of(subject: Podcast | Episode | Person) -> Picture | None:
    """Return the image of an episode or its show's cover, the cover of a show, or a person's photo.

    A show without a stored cover has a drawn one, so only people may have no picture. The first call loads
    it, unless `attach_stored_pictures` did.
    """
    return stored_picture_of(subject) or _drawn_cover_or_none_for_person(subject)


def stored_picture_of(subject: Podcast | Episode | Person) -> Picture | None:
    """Return the picture for programs that take no SVG, so no drawn cover."""
    if "attached_picture" not in vars(subject):
        attach_stored_pictures([subject])
    loaded: Picture | None = vars(subject)["attached_picture"]
    return loaded


def attach_stored_pictures(subjects: Collection[Podcast | Episode | Person]) -> None:
    """Load the stored pictures of many shows, episodes or people, with one query."""
    pictures: dict[str, Picture] = {}
    # With IMAGES=off no image is stored.
    if settings.IMAGES == "keep":
        pictures = _stored_pictures_by_address(subjects)
    for subject in subjects:
        picture = None
        # The best address is the last: a stored image of it replaces the cover of the show.
        for address in _image_addresses(subject):
            picture = pictures.get(address, picture)
        # The models declare no such attribute, so it is set in the object's dict, for `picture_of`.
        vars(subject)["attached_picture"] = picture


def _stored_pictures_by_address(
    subjects: Iterable[Podcast | Episode | Person],
) -> dict[str, Picture]:
    addresses = set[str]()
    for subject in subjects:
        addresses.update(_image_addresses(subject))
    addresses.discard("")  # without any address the database is not asked
    images = Image.objects.exclude(name="").in_bulk(addresses, field_name="address")
    picture_by_address = {}
    for image in images.values():
        # The address of the stored file. `image.address` is where it came from.
        large = reverse("media", args=(image.large,))
        picture_by_address[image.address] = Picture(
            address=large,
            width=image.width,
            height=image.height,
            small=reverse("media", args=(image.small,)),
            bitmap=large,  # only drawn covers are no bitmaps
        )
    return picture_by_address


def attach_photos_or_initials_if_any_photo(people: Collection[Person]) -> None:
    """Load the photos of many people. If any has a photo, people without a photo get a picture of their initials."""
    attach_stored_pictures(people)
    if not any(picture_of(person) for person in people):
        return
    for person in people:
        if picture_of(person) is None:
            face = initials_data_url(person.name)
            # `picture_of` returns it.
            vars(person)["attached_picture"] = Picture(
                address=face,
                width=COVER_PIXELS,
                height=COVER_PIXELS,
                small=face,
                bitmap=face,
                is_drawn=True,
            )


def _drawn_cover_or_none_for_person(subject: Podcast | Episode | Person) -> Picture | None:
    if isinstance(subject, Person):
        return None
    show = subject.podcast if isinstance(subject, Episode) else subject
    return _drawn_cover(show.title, get_script_prefix())


# A list has a cover for each of its episodes. The prefix begins the addresses.
@lru_cache(maxsize=100)
def _drawn_cover(title: str, script_prefix: str) -> Picture:
    key = cover_key(title)
    address = reverse("cover", args=(f"{key}.svg",))
    return Picture(
        address=address,
        width=COVER_PIXELS,
        height=COVER_PIXELS,
        small=cover_data_url(key),
        bitmap=reverse("cover", args=(f"{key}.png",)),
        is_drawn=True,
    )


def _image_addresses(subject: Podcast | Episode | Person) -> tuple[str, ...]:
    """Return the addresses that the feed or a curator gives, the best last."""
    if isinstance(subject, Episode):
        return (subject.podcast.image_url, subject.image_url)
    return (subject.image_url,)


# -- cards -----------------------------------------------------------------------------------------

_SIZE = (1200, 630)
_MARGIN = 80
_LINE_WIDTH = _SIZE[0] - 2 * _MARGIN
_COVER_SIDE, _COVER_TOP = 260, 72  # of the cover at the right edge
_TITLE_WIDTH = _LINE_WIDTH - _COVER_SIDE - 50  # beside a cover
_TITLE_TOP, _TITLE_BOTTOM = 134, _SIZE[1] - 150  # of the space for the title
_INK, _ACCENT = "#26211c", "#b23a12"
_TITLE_WEIGHT = 600
_MAX_TITLE_LENGTH = 160  # characters
_MAX_QUOTE_LENGTH = 300


def draw_episode_card_png_or_none(episode: Episode, quote: str, quote_time: str) -> bytes | None:
    """Return the card of an episode, or of a quote at a time (`5:24`) unless it is "", as PNG.

    If the fonts lack letters of the quote, the card has the title, else the show's name. Return None
    if they lack letters of these, too.
    """
    heading = " ".join(episode.heading.split())
    title = summaries.shorten_prose(heading, max_length=_MAX_TITLE_LENGTH)
    show = episode.podcast.title
    number = episode.numbering
    # `S2 E5` needs no word before it.
    if number.isdecimal():
        number = f"Episode {number}"
    if quote:
        max_length = _MAX_QUOTE_LENGTH - 2  # for the quotation marks
        words = summaries.shorten_prose(quote, max_length=max_length)
        headings = [f"“{words}”", title, show]
        below_title = title
        last_fact = quote_time
    else:
        headings = [title, show]
        topics = [use.topic.name for use in episode.topic_uses.all()]
        below_title = " · ".join(topics[:3])
        last_fact = format_minutes(episode.duration_seconds)
    facts = join_known(" · ", number, format_day(episode.published_at), last_fact)
    lines = _CardLines(show, below_title, facts)
    return _draw_card_png_or_none(headings, lines, [episode.podcast])


def draw_site_card_png_or_none(name: str, sentence: str, shows: Sequence[Podcast]) -> bytes | None:
    """Return the card of the site or of a show as PNG, with the covers of its shows.

    Return None if the fonts lack letters of the name.
    """
    return _draw_card_png_or_none([name], _CardLines(below_title=sentence), shows)


class _CardLines(NamedTuple):
    """The lines of a card beside its title, "" to draw none."""

    above_title: str = ""
    below_title: str = ""
    facts: str = ""  # at the bottom


def _draw_card_png_or_none(
    headings_by_preference: Sequence[str], lines: _CardLines, shows: Sequence[Podcast]
) -> bytes | None:
    """Draw a card with the first heading that the fonts can draw, and return it as PNG.

    Return None if the fonts lack letters of every heading.
    """
    drawable = [heading for heading in headings_by_preference if not _NOT_DRAWN.search(heading)]
    if not drawable:
        return None
    # Few processes draw, so most need not load these libraries.
    from PIL import Image, ImageDraw

    width, height = _SIZE
    card = Image.new("RGB", _SIZE, "#fcf9f3")
    draw = ImageDraw.Draw(card)
    accent = f"#{settings.ACCENT}" if settings.ACCENT else _ACCENT
    # A stripe at the left edge, and a thin line between the title and the lines below it.
    draw.rectangle((0, 0, 14, height), fill=accent)
    draw.line((_MARGIN, _TITLE_BOTTOM, width - _MARGIN, _TITLE_BOTTOM), fill="#ddd5c9", width=2)
    _paste_covers(card, shows)
    title = drawable[0] or "–"  # a show may have no title
    title_width = _TITLE_WIDTH if shows else _LINE_WIDTH
    _draw_title(draw, title, title_width)
    _draw_text_above_and_below_title(draw, lines, accent)
    file = io.BytesIO()
    # Few colours are enough, and make a smaller file.
    card.quantize(128).save(file, "PNG", optimize=True)
    return file.getvalue()


def _draw_text_above_and_below_title(
    draw: ImageDraw.ImageDraw, lines: _CardLines, accent_color: str
) -> None:
    # Letters of a smaller size are narrower, so more of them fit.
    above = _fit_line(lines.above_title, max_length=40)
    below = _fit_line(lines.below_title, max_length=60)
    last_line = _fit_line(lines.facts, max_length=70)
    semibold, regular = 600, 400
    grey = "#6f675e"
    _draw_line(draw, above, top=64, size=34, weight=semibold, fill=accent_color)
    _draw_line(draw, below, top=_TITLE_BOTTOM + 28, size=32, weight=regular, fill=_INK)
    _draw_line(draw, last_line, top=_TITLE_BOTTOM + 78, size=28, weight=regular, fill=grey)


def _paste_covers(card: PictureFile.Image, shows: Sequence[Podcast]) -> None:
    """Paste the cover of the only show at the right edge, or the covers of four shows in two rows."""
    columns = 1 if len(shows) == 1 else 2
    gap = 12  # pixels between two covers
    side = (_COVER_SIDE - gap * (columns - 1)) // columns
    for index, show in enumerate(shows[: columns * columns]):
        row, column = divmod(index, columns)
        cover = _load_or_draw_cover(show, side)
        columns_to_the_right = columns - 1 - column
        right = _SIZE[0] - _MARGIN - columns_to_the_right * (side + gap)
        # A cover that is not square is narrower than its column, and stands at the right edge of it.
        left = right - cover.width
        top = _COVER_TOP + row * (side + gap)
        card.paste(cover, (left, top))


def _load_or_draw_cover(show: Podcast, side: int) -> PictureFile.Image:
    """Return the stored cover of a show, or the drawn one, with at most `side` pixels a side."""
    from PIL import Image as PictureFile

    _, _, file_name = picture_of(show).address.rpartition("/")
    try:
        with default_storage.open(file_name) as file:
            cover = PictureFile.open(file).convert("RGB")
    # There is no file of a drawn cover, and a stored one may be lost or broken: files are a cache.
    except OSError:
        return draw_cover_image(cover_key(show.title), side)
    cover.thumbnail((side, side))
    return cover


class _WrappedTitle(NamedTuple):
    """The lines of a title in a size of its letters, in pixels."""

    lines: list[str]
    size: int

    @property
    def line_height(self) -> float:
        return 1.37 * self.size

    @property
    def height(self) -> int:
        return round(self.line_height * len(self.lines))


def _draw_title(draw: ImageDraw.ImageDraw, title: str, max_width: int) -> None:
    """Draw the title in the largest size that fits, in the middle of its space."""
    fitted = _wrap_title_in_largest_size(title, max_width)
    free_height = _TITLE_BOTTOM - _TITLE_TOP - fitted.height
    top = _TITLE_TOP + free_height // 2
    for index, line in enumerate(fitted.lines):
        line_top = top + round(fitted.line_height * index)
        _draw_line(draw, line, line_top, fitted.size, _TITLE_WEIGHT, _INK)


def _wrap_title_in_largest_size(title: str, max_width: int) -> _WrappedTitle:
    """Return a title in the largest size that fits. If none does, drop its last lines in the smallest size."""
    max_height = _TITLE_BOTTOM - _TITLE_TOP
    for size in (84, 72, 62, 54, 46, 38, 34, 30):
        wrapped = _wrap_title(title, size, max_width)
        widest = max(_text_width(line, size, _TITLE_WEIGHT) for line in wrapped.lines)
        # A title that fills its space would touch the line below it.
        space_below = size // 3
        is_low_enough = wrapped.height + space_below <= max_height
        is_narrow_enough = widest <= max_width
        if is_low_enough and is_narrow_enough:
            break
    # A title that fits has no more lines than this.
    max_lines = int(max_height / wrapped.line_height)
    return wrapped._replace(lines=wrapped.lines[:max_lines])


def _wrap_title(title: str, size: int, max_width: int) -> _WrappedTitle:
    """Return the lines of a title. A line of wide letters may still be wider than `max_width` pixels."""
    # `wrap` counts letters, so the width is given in average letters of this title, less some room.
    title_width = _text_width(title, size, _TITLE_WEIGHT)
    letters_per_line = int(0.92 * max_width * len(title) / title_width)
    return _WrappedTitle(wrap(title, letters_per_line), size)


def _draw_line(
    draw: ImageDraw.ImageDraw, text: str, top: int, size: int, weight: int, fill: str
) -> None:
    """Draw one line of text from the left margin, each script with the font that has its letters.

    `top` and `size`, of the letters, are in pixels.
    """
    left: float = _MARGIN
    for run, font in _font_runs(text, size, weight):
        draw.text((left, top), run, font=font, fill=fill)
        left += font.getlength(run)


def _text_width(text: str, size: int, weight: int) -> float:
    return sum(font.getlength(run) for run, font in _font_runs(text, size, weight))


def _fit_line(text: str, max_length: int) -> str:
    """Return a line without letters that the fonts lack, cut if it is too long."""
    drawable = _NOT_DRAWN.sub("", text)
    one_line = " ".join(drawable.split())
    return summaries.shorten_prose(one_line, max_length=max_length)


# -- fonts -----------------------------------------------------------------------------------------

# The letters of the font files: ASCII, Latin-1 and typography, then Cyrillic, then Greek.
_LATIN = " -~\xa0-\xffıŒœ‐‑–—‘’‚“”„†•…′″‹›€№™←→−≠≤≥"
_LETTERS_OF_FILES = {"-cyrillic": "\u0400-\u045fҐґҰұ", "-greek": "\u0370-\u0377ͺ-Ϳ΄-ΊΌΎ-ΡΣ-Ͽ"}
_NOT_DRAWN = re.compile(f"[^{_LATIN}{''.join(_LETTERS_OF_FILES.values())}]")


def _font_runs(text: str, size: int, weight: int) -> Iterator[tuple[str, ImageFont.FreeTypeFont]]:
    """Yield the stretches of a text that one font file can draw, each with its font."""
    for file_suffix, run in groupby(text, key=_font_file_suffix):
        yield "".join(run), _load_font(file_suffix, size, weight)


def _font_file_suffix(letter: str) -> str:
    """Return the ending of the font file that has a letter: `-cyrillic`, `-greek`, or "" for Latin."""
    for suffix, letters in _LETTERS_OF_FILES.items():
        if re.match(f"[{letters}]", letter):
            return suffix
    return ""


@lru_cache(maxsize=32)
def _load_font(file_suffix: str, size: int, weight: int) -> ImageFont.FreeTypeFont:
    from PIL import ImageFont

    folder = Path(settings.BASE_DIR) / "static" / "fonts"
    font = ImageFont.truetype(folder / f"literata{file_suffix}.woff2", size)
    # This changes the font itself, so each weight needs a font of its own.
    font.set_variation_by_axes([weight])
    return font
