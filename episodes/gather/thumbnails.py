"""Makes two small WebP images of what a server calls an image."""

import warnings
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO

from PIL import Image as Picture
from PIL import ImageOps, UnidentifiedImageError

from ..records import DocumentRejected

LARGE, SMALL = 600, 150  # pixels of the longer side
FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
MOST_PIXELS = 40_000_000
FEWEST = 32  # pixels of the shorter side: smaller images count visitors
QUALITY = 80
DEEP = ("I", "I;16", "I;16B", "I;16L")  # 16 bits a pixel, which a conversion would cut off at 255

# Pillow compares the size that a header declares with this before it decodes anything.
Picture.MAX_IMAGE_PIXELS = MOST_PIXELS


@dataclass(frozen=True, slots=True)
class Thumbnails:
    """Two WebP files, and the size of the large one."""

    large: bytes
    small: bytes
    width: int
    height: int


def make_thumbnails(body: bytes) -> Thumbnails:
    """Return the first frame of a JPEG, PNG, WebP or GIF image in two sizes, upright and on white.

    Raises:
        DocumentRejected: it is none of these, or it is broken, huge or tiny.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", Picture.DecompressionBombWarning)
        try:
            with Picture.open(BytesIO(body), formats=FORMATS) as image:
                if min(image.size) < FEWEST:
                    raise DocumentRejected("an image with only {} × {} pixels".format(*image.size))
                large = _shrink(image)
        except (DocumentRejected, MemoryError):
            raise
        except UnidentifiedImageError as error:
            raise DocumentRejected("not a JPEG, PNG, WebP or GIF image") from error
        except Exception as error:  # broken bytes raise errors of many kinds in Pillow's parsers
            raise DocumentRejected(f"a huge or broken image: {error}") from error
    small = large.copy()
    small.thumbnail((SMALL, SMALL))
    return Thumbnails(_webp(large), _webp(small), *large.size)


def _shrink(image: Picture.Image) -> Picture.Image:
    image.draft(None, (2 * LARGE, 2 * LARGE))  # of a large JPEG, fewer pixels are decoded
    image.load()
    small: Picture.Image = image
    if image.mode in DEEP:
        small = image.point(lambda value: value / 256).convert("L")
    # Only in these modes is an image resized smoothly.
    mode = "RGBA" if small.has_transparency_data else "RGB"
    small = small if small.mode == mode else small.convert(mode)
    small.thumbnail((LARGE, LARGE))
    with suppress(Exception):  # broken EXIF data is no reason to go without the image
        small = ImageOps.exif_transpose(small)
    # A new image has no metadata, and what is transparent would vanish on a dark page.
    white = Picture.new("RGB", small.size, "white")
    white.paste(small, mask=small if small.mode == "RGBA" else None)
    return white


def _webp(image: Picture.Image) -> bytes:
    file = BytesIO()
    image.save(file, "WEBP", quality=QUALITY)
    return file.getvalue()
