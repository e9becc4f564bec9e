"""Makes two small WebP images of an image of a stranger."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO

from PIL import Image as Picture
from PIL import ImageOps, UnidentifiedImageError

from ..records import DocumentRejected

LARGE, SMALL = 600, 150  # pixels of the longer side

# Pillow compares the size that a header declares with this before it decodes anything.
Picture.MAX_IMAGE_PIXELS = 40_000_000


@dataclass(frozen=True, slots=True)
class Thumbnails:
    """Two WebP files, and the size of the large one."""

    large: bytes
    small: bytes
    width: int
    height: int


def make_thumbnails(image_bytes: bytes) -> Thumbnails:
    """Return the first frame of a JPEG, PNG, WebP or GIF image in two sizes, upright and on white.

    Raises:
        DocumentRejected: it is none of these, or it is broken, huge or tiny.
    """
    formats = ("JPEG", "PNG", "WEBP", "GIF")
    with warnings.catch_warnings(), _reject_unreadable_images():
        # Of all warnings only the one about a huge image counts, as an error.
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", Picture.DecompressionBombWarning)
        with Picture.open(BytesIO(image_bytes), formats=formats) as image:
            width, height = image.size
            min_pixels = 32  # smaller images count visitors
            if min(width, height) < min_pixels:
                raise DocumentRejected(f"an image with only {width} × {height} pixels")
            large = _shrink_onto_white(image)
    small = large.copy()
    small.thumbnail((SMALL, SMALL))
    return Thumbnails(
        large=_encode_webp(large),
        small=_encode_webp(small),
        width=large.width,
        height=large.height,
    )


@contextmanager
def _reject_unreadable_images() -> Iterator[None]:
    try:
        yield
    # A lack of memory is no fault of the image: the limited process counts it as an exceeded limit.
    except (DocumentRejected, MemoryError):
        raise
    except UnidentifiedImageError as error:
        raise DocumentRejected("not a JPEG, PNG, WebP or GIF image") from error
    except Exception as error:  # broken bytes raise errors of many kinds in Pillow's parsers
        raise DocumentRejected(f"a huge or broken image: {error}") from error


def _shrink_onto_white(image: Picture.Image) -> Picture.Image:
    """Return an image of at most LARGE pixels, turned as its EXIF data says, without transparency."""
    image.draft(None, (2 * LARGE, 2 * LARGE))  # decodes a large JPEG with fewer pixels
    image.load()
    shrunk: Picture.Image = image
    has_16_bits = image.mode.startswith("I")  # for each pixel
    if has_16_bits:
        # A conversion alone would cut values off at 255.
        shrunk = image.point(lambda value: value / 256).convert("L")
    # RGBA is resized smoothly, and keeps transparency, also of images with a transparent color.
    shrunk = shrunk.convert("RGBA")
    shrunk.thumbnail((LARGE, LARGE))
    with suppress(Exception):  # broken EXIF data is no reason to go without the image
        shrunk = ImageOps.exif_transpose(shrunk)
    # Transparent parts would vanish on a dark page.
    white = Picture.new("RGB", shrunk.size, "white")
    white.paste(shrunk, mask=shrunk)
    return white


def _encode_webp(image: Picture.Image) -> bytes:
    file = BytesIO()
    image.save(file, "WEBP", quality=80)
    return file.getvalue()
