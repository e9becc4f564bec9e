"""Images of strangers become two small WebP files, or are refused with a reason; none of them ends an import."""

import struct
import zlib
from contextlib import suppress
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from episodes.gather.thumbnails import make_thumbnails
from episodes.records import DocumentRejected

RED, BLUE = (200, 30, 20), (20, 30, 200)
PNG = b"\x89PNG\r\n\x1a\n"


def image(mode: str = "RGB", size: tuple[int, int] = (900, 600), color: Any = RED) -> Image.Image:
    return Image.new(mode, size, color)


def encoded(picture: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    file = BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def header_of(width: int, height: int) -> bytes:
    """A PNG of a few bytes that claims this size."""
    claim = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return PNG + chunk(b"IHDR", claim) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def opened(body: bytes) -> Image.Image:
    return Image.open(BytesIO(body), formats=["WEBP"])


def has_color(body: bytes, color: tuple[int, ...], x: int = 300, y: int = 200) -> bool:
    """True where the image has about this color there: WebP is lossy."""
    found = opened(body).convert("RGB").getpixel((x, y))
    assert isinstance(found, tuple)
    return all(abs(one - other) < 12 for one, other in zip(found, color, strict=True))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_image_becomes_two_sizes(kind: str) -> None:
    made = make_thumbnails(encoded(image(), kind))
    assert (opened(made.large).size, opened(made.small).size) == ((600, 400), (150, 100))
    assert (made.width, made.height) == (600, 400)
    assert has_color(made.large, RED)
    made = make_thumbnails(encoded(image(size=(100, 80)), kind))
    assert (opened(made.large).size, opened(made.small).size) == ((100, 80), (100, 80)), "it is not enlarged"


@pytest.mark.parametrize(
    "body, color",
    [
        (encoded(image("CMYK", color=(0, 255, 255, 0)), "JPEG"), (255, 0, 0)),
        (encoded(image("L", color=120)), (120, 120, 120)),
        (encoded(image("1", color=1)), (255, 255, 255)),
        (encoded(image("I;16", color=120 * 256)), (120, 120, 120)),
        (encoded(image("LA", color=(120, 255))), (120, 120, 120)),
        (encoded(image().quantize(4)), RED),
        (encoded(image("RGBA", color=(0, 0, 0, 0))), (255, 255, 255)),
        (encoded(image("P", color=0), transparency=0), (255, 255, 255)),
        (encoded(image(), transparency=RED), (255, 255, 255)),
    ],
)
def test_every_color_mode_becomes_opaque(body: bytes, color: tuple[int, ...]) -> None:
    assert has_color(make_thumbnails(body).large, color)


def test_first_frame_of_animation_stays() -> None:
    body = encoded(image(), "GIF", save_all=True, append_images=[image(color=BLUE)], duration=100)
    made = make_thumbnails(body)
    assert getattr(opened(made.large), "n_frames", 1) == 1
    assert has_color(made.large, RED)


def rotated(**more: Any) -> bytes:
    """A photo whose left half is red; by its EXIF data it was taken with the camera turned to the right."""
    photo = image(color=BLUE)
    photo.paste(RED, (0, 0, 450, 600))
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = "Taken at home"
    return encoded(photo, "JPEG", exif=exif, **more)


def test_image_is_upright_without_metadata() -> None:
    body = rotated(icc_profile=b"profile of a camera", comment=b"a comment")
    assert b"Taken at home" in body
    made = make_thumbnails(body)
    assert (made.width, made.height) == (400, 600)
    assert has_color(made.large, RED, 200, 50)
    assert has_color(made.large, BLUE, 200, 550)
    for name in (b"EXIF", b"ICCP", b"Taken at home", b"camera", b"comment"):
        assert name not in made.large + made.small


@pytest.mark.parametrize("part, wrong", [(b"MM\0*", b"XM\0*"), (b"\x01\x0e\0\x02", b"\x01\x02\0\x02")])
def test_broken_exif_data_do_not_cost_the_image(part: bytes, wrong: bytes) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "Taken at home"
    body = encoded(image(), exif=exif.tobytes().replace(part, wrong))
    assert wrong in body
    assert make_thumbnails(body).large


BROKEN = encoded(Image.effect_noise((400, 400), 80), "PNG")


@pytest.mark.parametrize(
    "body, reason",
    [
        (header_of(100_000, 100_000), "exceeds limit of"),
        (header_of(9_000, 5_000), "exceeds limit of"),
        (header_of(2_000_000_000, 2_000_000_000), "exceeds limit of"),
        (header_of(300, 300), "broken"),
        (BROKEN[:2000], "broken"),
        (rotated()[:900], "broken"),
        (encoded(image(size=(1, 1)), "GIF"), "only 1 × 1 pixels"),
        (encoded(image(size=(600, 1))), "only 600 × 1 pixels"),
        (b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><script>alert(1)</script></svg>", "not a JPEG"),
        (b"<!doctype html><title>Not found</title>", "not a JPEG"),
        (encoded(image(), "BMP"), "not a JPEG"),
        (encoded(image(), "TIFF"), "not a JPEG"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 100 100\n", "not a JPEG"),
        (b"GIF89a", "broken|not a JPEG"),
        (PNG, "broken|not a JPEG"),
        (b"", "not a JPEG"),
    ],
)
def test_unusable_image_is_refused_with_reason(body: bytes, reason: str) -> None:
    with pytest.raises(DocumentRejected, match=reason):
        make_thumbnails(body)


SEEDS = [rotated(), *(encoded(image(size=(64, 64)), kind) for kind in ("PNG", "GIF", "WEBP"))]


@given(st.sampled_from(SEEDS), st.data())
def test_damaged_image_is_refused_or_read(seed: bytes, data: st.DataObject) -> None:
    body = bytearray(seed)
    for _ in range(data.draw(st.integers(1, 8))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    with suppress(DocumentRejected):
        make_thumbnails(bytes(body[: data.draw(st.integers(1, len(body)))]))
