"""Drawn covers: a picture for each show without an image, with a pattern and colours that follow from its
title. And drawn faces: the initials of a person without a photo, on the colours of a cover.

The same title has the same bytes on every machine. There are no letters on a cover, because a browser loads
no fonts for a picture, and a title is beside it anyway. Initials have a font of the machine.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from random import Random
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import quote

from ..text.fingerprints import stable_hash

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

COVER_PIXELS = 600  # a side of a cover as PNG, as much as a stored image has at most
_SIDE = 120  # of a cover, in units of its coordinates
_CENTER = _SIDE // 2
# A larger one gives each cover another address. Browsers keep a cover for a year.
_EDITION = 1


def cover_key(title: str) -> str:
    """Return the key of the cover for the title of a show, as its address has it."""
    return stable_hash(f"{title}, edition {_EDITION}", 16)


def draw_cover_svg(key: str) -> str:
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIDE} {_SIDE}">']
    lines += [shape.svg() for shape in _shapes_of_cover(key)]
    lines.append("</svg>\n")
    return "\n".join(lines)


@lru_cache(maxsize=256)
def cover_data_url(key: str) -> str:
    """Return an address that contains the cover itself (RFC 2397), so that a list of many covers needs no requests."""
    return "data:image/svg+xml," + quote(draw_cover_svg(key), safe="/:=,")


@lru_cache(maxsize=256)
def initials_data_url(person_name: str) -> str:
    """Return an address that contains a picture with the initials of a name (RFC 2397)."""
    palette = _Dice(person_name).choose(_PALETTES)
    letters = [word[0].upper() for word in person_name.split()]
    if len(letters) > 2:
        # `Mary Ann Evans` is ME.
        letters = [letters[0], letters[-1]]
    initials = escape("".join(letters))
    ground = _box(palette.ground, 0, 0, _SIDE, _SIDE)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIDE} {_SIDE}">{ground.svg()}'
        f'<text fill="{palette.figure}" x="{_CENTER}" y="{_CENTER}" dy=".35em" text-anchor="middle"'
        f' font-family="Georgia,serif" font-size="52">{initials}</text></svg>'
    )
    return "data:image/svg+xml," + quote(svg, safe="/:=,")


def draw_cover_png(key: str) -> bytes:
    file = io.BytesIO()
    # Few colours are enough, and make a smaller file.
    draw_cover_image(key, COVER_PIXELS).quantize(64).save(file, "PNG", optimize=True)
    return file.getvalue()


def draw_cover_image(key: str, size: int) -> Image.Image:
    # Few processes draw, so most need not load this library.
    from PIL import Image, ImageDraw

    # It draws no smooth edges, but shrinking an image makes them.
    scale = 3 * size / _SIDE
    image = Image.new("RGB", (3 * size, 3 * size))
    canvas = ImageDraw.Draw(image)
    for shape in _shapes_of_cover(key):
        shape.paint(canvas, scale)
    return image.resize((size, size), Image.Resampling.LANCZOS)


# -- shapes ----------------------------------------------------------------------------------------


class _Polygon(NamedTuple):
    """A filled polygon."""

    color: str
    points: Sequence[tuple[float, float]]

    def svg(self) -> str:
        corners = " ".join(f"{x:g},{y:g}" for x, y in self.points)
        return f'<path fill="{self.color}" d="M{corners}z"/>'

    def paint(self, canvas: ImageDraw.ImageDraw, scale: float) -> None:
        canvas.polygon([(scale * x, scale * y) for x, y in self.points], fill=self.color)


class _Disc(NamedTuple):
    """A filled circle."""

    color: str
    x: float
    y: float
    radius: float

    def svg(self) -> str:
        center = f'cx="{self.x:g}" cy="{self.y:g}"'
        return f'<circle fill="{self.color}" {center} r="{self.radius:g}"/>'

    def paint(self, canvas: ImageDraw.ImageDraw, scale: float) -> None:
        left, top = self.x - self.radius, self.y - self.radius
        right, bottom = self.x + self.radius, self.y + self.radius
        box = (scale * left, scale * top, scale * right, scale * bottom)
        canvas.ellipse(box, fill=self.color)


# From the corner of a quarter to the ends of its arc: right, down, left, up.
_DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))


class _Quarter(NamedTuple):
    """A quarter of a disc around a corner. Its arc begins in a direction, and turns clockwise."""

    color: str
    x: float
    y: float
    radius: float
    direction: int  # 0 is right, 1 down, 2 left, 3 up

    def svg(self) -> str:
        start = self._end_of_arc(self.direction)
        end = self._end_of_arc((self.direction + 1) % 4)
        # The flags of an arc in SVG: not turned, the short way, clockwise.
        arc = f"A{self.radius:g},{self.radius:g} 0 0 1 {end}"
        return f'<path fill="{self.color}" d="M{self.x:g},{self.y:g} {start}{arc}z"/>'

    def _end_of_arc(self, direction: int) -> str:
        """Return the point of the circle in a direction from the corner: `24,0`."""
        right, down = _DIRECTIONS[direction]
        return f"{self.x + self.radius * right:g},{self.y + self.radius * down:g}"

    def paint(self, canvas: ImageDraw.ImageDraw, scale: float) -> None:
        left, top = self.x - self.radius, self.y - self.radius
        right, bottom = self.x + self.radius, self.y + self.radius
        box = (scale * left, scale * top, scale * right, scale * bottom)
        # Degrees turn clockwise from the right, as directions do.
        start = 90 * self.direction
        canvas.pieslice(box, start, start + 90, fill=self.color)


_Shape = _Polygon | _Disc | _Quarter


def _box(color: str, left: float, top: float, width: float, height: float) -> _Polygon:
    right, bottom = left + width, top + height
    return _Polygon(color, ((left, top), (right, top), (right, bottom), (left, bottom)))


def _ray_polygon(
    color: str, degrees: float, start_distance: float, end_distance: float, width: float
) -> _Polygon:
    """Return a line that points away from the center, between two distances from it."""
    across = math.cos(math.radians(degrees))
    down = math.sin(math.radians(degrees))
    # At a right angle to the line, to its right.
    side_across, side_down = -down, across
    points = []
    # The corners, in a circle: each is half a width to the left (-1) or right (1) of the middle of the line.
    for distance, side in (
        (start_distance, -1),
        (end_distance, -1),
        (end_distance, 1),
        (start_distance, 1),
    ):
        x = _CENTER + distance * across + side * width / 2 * side_across
        y = _CENTER + distance * down + side * width / 2 * side_down
        # The last digits of sine and cosine differ between machines.
        points.append((round(x, 2), round(y, 2)))
    return _Polygon(color, points)


# -- designs ---------------------------------------------------------------------------------------


class _Palette(NamedTuple):
    """The colours of a cover."""

    ground: str
    shade: str  # near the ground
    tint: str  # between ground and figure
    figure: str  # far from the ground
    spark: str  # of another hue, for one shape alone


_PALETTES = (
    _Palette("#49413b", "#362f2a", "#887e76", "#edebe7", "#e67248"),  # ink
    _Palette("#712619", "#58160b", "#b86656", "#ffe4df", "#e4a40f"),  # brick
    _Palette("#683110", "#502103", "#b26c47", "#fde6da", "#e4b00f"),  # rust
    _Palette("#484411", "#353203", "#878348", "#ededd7", "#dc7d12"),  # olive
    _Palette("#2d4b27", "#1e3818", "#668c5e", "#e2f0df", "#dea805"),  # moss
    _Palette("#194d3a", "#0a3929", "#528f75", "#dcf1e7", "#ef9d25"),  # pine
    _Palette("#004d4d", "#013838", "#438e8e", "#d8f1f0", "#df7a24"),  # teal
    _Palette("#054a5e", "#033646", "#448aa4", "#d8f0fa", "#eaa01a"),  # petrol
    _Palette("#174276", "#09305c", "#5182c1", "#dfedfe", "#dc7d12"),  # blue
    _Palette("#39387b", "#282760", "#7478c1", "#e7eafe", "#ef9d25"),  # indigo
    _Palette("#573160", "#422149", "#9c6ba7", "#f5e5f8", "#dc7d12"),  # plum
    _Palette("#6c273b", "#53182a", "#b66277", "#fee3e8", "#eaa01a"),  # wine
    _Palette("#e5dac1", "#d1c3a5", "#a98f57", "#37290a", "#ca4b20"),  # sand
    _Palette("#bde1f3", "#9fcce2", "#5b9cba", "#0a303f", "#c94c18"),  # sky
    _Palette("#c9e3c9", "#aeceae", "#73a074", "#1a321b", "#cb4a2a"),  # sage
    _Palette("#f7d0cc", "#e7b7b2", "#be7f79", "#41211e", "#546fde"),  # rose
    _Palette("#eddb96", "#dbc36b", "#ac9003", "#332b0a", "#c94c18"),  # straw
    _Palette("#ded5f2", "#c9bde0", "#9a87bc", "#2f2540", "#cb4a2a"),  # lilac
)


Value = TypeVar("Value")


class _Dice:
    """Numbers that follow from a key."""

    def __init__(self, key: str) -> None:
        self._random = Random(key)

    def number(self, first: int, last: int) -> int:
        # Of all methods only `random` has the same results in every version of Python.
        return first + int(self._random.random() * (last - first + 1))

    def choose(self, values: Sequence[Value]) -> Value:
        return values[self.number(0, len(values) - 1)]


def _shapes_of_cover(key: str) -> list[_Shape]:
    dice = _Dice(key)
    palette = dice.choose(_PALETTES)
    design_shapes = dice.choose(_DESIGNS)
    ground = _box(palette.ground, 0, 0, _SIDE, _SIDE)
    return [ground, *design_shapes(palette, dice)]


def _audio_level_shapes(palette: _Palette, dice: _Dice) -> list[_Shape]:
    """Return bars of a recording, from the middle to both sides."""
    shapes: list[_Shape] = []
    for column in range(9):
        half_height = 3 * dice.number(2, 14)  # 6 to 42
        shapes.append(_audio_level_bar(palette.figure, column, half_height))
    # A bar of another colour is as high or higher, and hides the bar of its column, near the middle.
    half_height = 3 * dice.number(14, 16)
    shapes.append(_audio_level_bar(palette.spark, dice.number(2, 6), half_height))
    return shapes


def _audio_level_bar(color: str, column: int, half_height: int) -> _Polygon:
    # Nine bars of 6 units fill the side: 9 units at both edges, and 6 between bars.
    left = 9 + 12 * column
    return _box(color, left, _CENTER - half_height, 6, 2 * half_height)


def _radio_dial_shapes(palette: _Palette, dice: _Dice) -> list[_Shape]:
    """Return the scale of a radio, a band with marks at both edges of the cover, and its needle."""
    # The left edge, the top, the width and the height of a box, on a cover with a side of 120.
    shapes: list[_Shape] = [_box(palette.shade, 0, 40, _SIDE, 40)]
    # Every fourth mark is longer. The offsets decide which.
    mark_lengths = (30, 17, 17, 17)
    upper_offset, lower_offset = dice.number(0, 3), dice.number(0, 3)
    for column in range(12):
        left = 3.5 + 10 * column  # a mark of 3 units is in the middle of its 10 units
        upper_length = mark_lengths[(column + upper_offset) % 4]
        lower_length = mark_lengths[(column + lower_offset) % 4]
        shapes.append(_box(palette.figure, left, 0, 3, upper_length))
        shapes.append(_box(palette.tint, left, _SIDE - lower_length, 3, lower_length))
    needle_left = 7.5 + 10 * dice.number(2, 8)  # between two marks
    shapes.append(_box(palette.spark, needle_left, 0, 5, _SIDE))
    return shapes


def _waves_from_corner_shapes(palette: _Palette, dice: _Dice) -> list[_Shape]:
    """Return waves that spread from a corner, the widest first."""
    right, down = dice.choose(_CORNERS)  # (1, 0) is the upper right corner
    x, y = right * _SIDE, down * _SIDE
    colors = (palette.tint, palette.figure, palette.shade)
    color_number = dice.number(0, 2)
    shapes: list[_Shape] = []
    radius = dice.number(124, 136)
    while radius > 30:
        # The three colours follow each other, from the last to the first.
        color = colors[color_number % 3]
        color_number -= 1
        # A wave is a ring: a disc with a smaller disc of the ground on it.
        shapes.append(_Disc(color, x, y, radius))
        radius -= dice.number(5, 9)
        shapes.append(_Disc(palette.ground, x, y, radius))
        radius -= dice.number(6, 12)
    shapes.append(_Disc(palette.spark, x, y, 24))
    return shapes


def _clock_dial_shapes(palette: _Palette, dice: _Dice) -> list[_Shape]:
    shapes: list[_Shape] = [_Disc(palette.shade, _CENTER, _CENTER, 52)]
    # Every fourth tick begins nearer to the center.
    tick_starts = (34, 41, 41, 41)
    tick_count = dice.choose((20, 24, 28))
    for tick in range(tick_count):
        degrees = 360 * tick / tick_count - 90  # from the top
        start = tick_starts[tick % 4]
        shapes.append(_ray_polygon(palette.figure, degrees, start, end_distance=47, width=2.5))
    # The hand points between two of twelve hours, and begins 8 units behind the center.
    hand_degrees = 30 * dice.number(0, 11) + 15
    hand = _ray_polygon(palette.spark, hand_degrees, start_distance=-8, end_distance=40, width=5)
    shapes.append(hand)
    shapes.append(_Disc(palette.figure, _CENTER, _CENTER, 8))
    return shapes


def _waves_below_sun_shapes(palette: _Palette, dice: _Dice) -> list[_Shape]:
    """Return five waves below a sun. Each covers a part of the wave before it."""
    shapes: list[_Shape] = []
    shapes.append(_Disc(palette.spark, dice.number(30, 90), dice.number(30, 40), 17))
    colors = (palette.figure, palette.tint, palette.shade, palette.tint, palette.figure)
    height = dice.number(5, 8)
    for row, color in enumerate(colors):
        phase_degrees = dice.number(0, 359)
        middle = 48 + 15 * row
        # The line of the wave from left to right, then the lower corners of the cover.
        points: list[tuple[float, float]] = []
        for x in range(0, _SIDE + 1, 5):
            y = middle + height * math.sin(math.radians(phase_degrees + 5 * x))
            points.append((x, round(y, 1)))
        shapes.append(_Polygon(color, [*points, (_SIDE, _SIDE), (0, _SIDE)]))
    return shapes


# As parts of a side, in the order of the directions of a quarter that fills the square.
_CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))


def _quarter_disc_tile_shapes(palette: _Palette, dice: _Dice) -> list[_Shape]:
    """Return nine or sixteen tiles with a quarter of a disc each."""
    shapes: list[_Shape] = []
    tiles_per_row = dice.number(3, 4)
    side = _SIDE // tiles_per_row
    # About half of the tiles have the colour of the figure.
    colors = (palette.figure, palette.figure, palette.tint, palette.shade)
    for tile in range(tiles_per_row * tiles_per_row):
        row, column = divmod(tile, tiles_per_row)
        left, top = side * column, side * row
        direction = dice.number(0, 3)
        # The arc stays in the tile if its center is the corner that belongs to its direction.
        right, down = _CORNERS[direction]
        color = dice.choose(colors)
        shapes.append(_Quarter(color, left + side * right, top + side * down, side, direction))
    # One tile of another colour replaces any of them.
    last = tiles_per_row - 1
    left, top = side * dice.number(0, last), side * dice.number(0, last)
    shapes.append(_box(palette.ground, left, top, side, side))
    shapes.append(_Quarter(palette.spark, left, top, side, 0))
    return shapes


def _quartered_record_shapes(palette: _Palette, dice: _Dice) -> list[_Shape]:
    """Return a record of four quarters, with rings of different widths."""
    shapes: list[_Shape] = []
    colors = (palette.figure, palette.tint, palette.shade)
    for direction in range(4):
        # The widest first: each smaller quarter leaves a ring of the one below it.
        radius = 54
        color_number = dice.number(0, 2)
        while radius > 16:
            # The three colours follow each other.
            color = colors[color_number % 3]
            shapes.append(_Quarter(color, _CENTER, _CENTER, radius, direction))
            color_number += 1
            radius -= 4 * dice.number(2, 4)
    shapes.append(_Disc(palette.ground, _CENTER, _CENTER, 16))
    shapes.append(_Disc(palette.spark, _CENTER, _CENTER, 10))
    return shapes


def _wave_of_dots_shapes(palette: _Palette, dice: _Dice) -> list[_Shape]:
    """Return dots in six rows that grow and shrink in waves, and a large dot on one of them."""
    shapes: list[_Shape] = []
    phase_degrees = dice.number(0, 359)
    degrees_per_column, degrees_per_row = dice.number(-50, 50), dice.number(35, 60)
    for dot in range(36):
        row, column = divmod(dot, 6)
        degrees = phase_degrees + degrees_per_column * column + degrees_per_row * row
        radius = round(5.2 + 3 * math.sin(math.radians(degrees)), 1)  # 2.2 to 8.2
        shapes.append(_grid_dot(palette.figure, column, row, radius))
    # The large dot is at no edge of the six columns and rows.
    shapes.append(_grid_dot(palette.spark, dice.number(1, 4), dice.number(1, 4), 8.4))
    return shapes


def _grid_dot(color: str, column: int, row: int, radius: float) -> _Disc:
    return _Disc(color, 15 + 18 * column, 15 + 18 * row, radius)


def _bar_chart_shapes(palette: _Palette, dice: _Dice) -> list[_Shape]:
    """Return seven horizontal bars. Behind each is a track from the left edge of the cover to the right."""
    shapes: list[_Shape] = []
    colors = [palette.figure] * 7
    spark_row = dice.number(1, 5)  # neither the first row, 0, nor the last row, 6
    colors[spark_row] = palette.spark
    height, gap = 12, 3
    top = 9  # the last bar ends 9 units above the lower edge
    for color in colors:
        length = 6 * dice.number(4, 17)  # 24 to 102
        shapes.append(_box(palette.shade, 0, top, _SIDE, height))
        shapes.append(_box(color, 0, top, length, height))
        top += height + gap
    return shapes


def _sliced_sun_shapes(palette: _Palette, dice: _Dice) -> list[_Shape]:
    """Return a sun that sets in the sea. Seven stripes, each thicker than the stripe above it, slice both."""
    horizon = 66
    shapes: list[_Shape] = [_box(palette.shade, 0, horizon, _SIDE, _SIDE - horizon)]
    shapes.append(_Disc(palette.spark, dice.number(42, 78), 62, 38))
    distance = dice.number(9, 12)
    for stripe in range(7):
        top = 58 + distance * stripe  # from just above the horizon
        shapes.append(_box(palette.figure, 0, top, _SIDE, 1.5 + stripe))
    return shapes


_DESIGNS = (
    _audio_level_shapes,
    _radio_dial_shapes,
    _waves_from_corner_shapes,
    _clock_dial_shapes,
    _waves_below_sun_shapes,
    _quarter_disc_tile_shapes,
    _quartered_record_shapes,
    _wave_of_dots_shapes,
    _bar_chart_shapes,
    _sliced_sun_shapes,
)
