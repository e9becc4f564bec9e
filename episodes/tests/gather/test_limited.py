"""Documents of strangers are read within limits: what exceeds one is refused with the reason, and the rest goes on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings
from PIL import Image

from episodes.gather import reading
from episodes.gather.limited import limited
from episodes.records import DocumentRejected, FetchedDocument, ParsedPage


def for_ever() -> None:
    while True:
        pass


def much() -> int:
    return len(b"x" * 400_000_000)


def dies() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def refuses() -> None:
    raise DocumentRejected("not a feed")


@pytest.mark.parametrize(
    "read, seconds, why",
    [
        (for_ever, 1, "reading it takes more than 1 s of CPU time"),
        (much, 60, "reading it takes more than 100 MB of memory"),
        (dies, 60, "reading it ended the process (SIGSEGV)"),
        (refuses, 60, "not a feed"),
    ],
)
def test_what_takes_too_much_is_refused_with_the_reason(read: Callable[[], None], seconds: int, why: str) -> None:
    with pytest.raises(DocumentRejected, match=re.escape(why)):
        limited(read, seconds=seconds, megabytes=100)


def test_a_large_answer_comes_whole_and_an_error_as_it_was() -> None:
    assert limited(lambda: "x" * 5_000_000, seconds=60, megabytes=500) == "x" * 5_000_000
    with pytest.raises(KeyError, match="a key"):
        limited(lambda: {}["a key"], seconds=60, megabytes=500)  # type: ignore[index]


def test_no_process_is_left_behind() -> None:
    for _ in range(3):
        limited(lambda: 1, seconds=60, megabytes=100)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def rss(items: int, **more: str) -> bytes:
    rows = "".join(f"<item><title>Part {n}</title><guid>{n}</guid></item>" for n in range(items))
    told = "".join(f"<{name}>{value}</{name}>" for name, value in more.items())
    return f"<rss version='2.0'><channel><title>A show</title>{told}{rows}</channel></rss>".encode()


def test_a_feed_is_read_once_for_all_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def read(how: object) -> ParsedPage:
        asked.append(how)
        return ParsedPage(show="A show")

    monkeypatch.setattr(reading, "_within_limits", read)
    page = FetchedDocument(rss(3))
    assert [reading.read_feed(page).show for _ in range(3)] == ["A show"] * 3
    assert len(asked) == 1


@override_settings(MOST_ITEMS=10)
def test_a_feed_of_too_many_items_is_refused() -> None:
    assert len(reading.read_feed(FetchedDocument(rss(10))).entries) == 10
    with pytest.raises(DocumentRejected, match=r"it lists 11 items, more than 10 \(MOST_ITEMS\)"):
        reading.read_feed(FetchedDocument(rss(11)))


def progressive(scans: int) -> bytes:
    """A small JPEG that draws the last part of itself that many times more: each time costs what the first did."""
    file = BytesIO()
    Image.new("L", (6000, 6000)).save(file, "JPEG", progressive=True)
    body = file.getvalue()[:-2]
    return body + body[body.rindex(b"\xff\xda") :] * scans + b"\xff\xd9"


def png(size: tuple[int, int]) -> bytes:
    file = BytesIO()
    Image.new("1", size).save(file, "PNG")
    return file.getvalue()


@override_settings(READ_SECONDS=1)
def test_an_image_that_takes_too_long_is_refused_in_one_line() -> None:
    body = progressive(10_000)
    assert len(body) < 1_000_000
    with pytest.raises(DocumentRejected) as refused:
        reading.read_image(body)
    assert str(refused.value) == "reading it takes more than 1 s of CPU time"


def test_an_image_that_takes_too_much_memory_is_refused_in_one_line(tmp_path: Path) -> None:
    body = png((6300, 6300))
    assert len(body) < 50_000
    (tmp_path / "image.png").write_bytes(body)
    # A process of its own: one that ran many tests has memory left over, which the limit does not count.
    code = (
        "import sys, django; django.setup()\n"
        "from pathlib import Path\n"
        "from episodes.gather import reading\n"
        "reading.read_image(Path(sys.argv[1]).read_bytes())\n"
    )
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "podcast_catalog.settings", "READ_MB": "50"}
    command = [sys.executable, "-c", code, str(tmp_path / "image.png")]
    ran = subprocess.run(command, env=environment, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False)
    assert ran.stderr.splitlines()[-1] == (
        "episodes.records.DocumentRejected: reading it takes more than 50 MB of memory"
    )


def encoded(kind: str, size: tuple[int, int] = (64, 64), **more: bool) -> bytes:
    file = BytesIO()
    Image.new("L", size).save(file, kind, **more)
    return file.getvalue()


def claiming(body: bytes, place: int, size: bytes) -> bytes:
    return body[:place] + size + body[place + len(size) :]


JPEG, WEBP = encoded("JPEG"), encoded("WEBP", lossless=True)


@pytest.mark.parametrize(
    "body",
    [
        claiming(encoded("GIF"), 6, b"\xff\xff\xff\xff"),
        claiming(JPEG, JPEG.index(b"\xff\xc0") + 5, b"\xff\xdc\xff\xdc"),
        claiming(WEBP, WEBP.index(b"\x2f"), b"\x2f\xff\xff\xff\x0f"),
        png((8000, 5100)),
    ],
    ids=["GIF", "JPEG", "WebP", "PNG"],
)
def test_an_image_unpacks_to_no_more_pixels_than_are_allowed(body: bytes) -> None:
    assert len(body) < 50_000
    with pytest.raises(DocumentRejected) as refused:
        reading.read_image(body)
    assert str(refused.value) == "an image with more than 40 million pixels"


def test_the_largest_image_that_is_allowed_is_read_within_the_limits() -> None:
    made = reading.read_image(encoded("JPEG", (7900, 5000)))
    assert (made.width, made.height) == (600, 380)
