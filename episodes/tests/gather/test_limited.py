"""Documents of strangers are read within limits: what exceeds one is refused with the reason, and the rest goes on."""

import os
import re
import signal
from collections.abc import Callable
from functools import partial
from io import BytesIO

import pytest
from django.test import override_settings
from PIL import Image

from episodes.gather import images, reading
from episodes.gather.images import thumbnails
from episodes.gather.reading import limited
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
        (dies, 60, "or ends the process"),
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

    monkeypatch.setattr(reading, "within_limits", read)
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


@override_settings(READ_SECONDS=1)
def test_an_image_that_takes_too_long_is_refused_in_one_line() -> None:
    body = progressive(10_000)
    assert len(body) < 1_000_000
    with pytest.raises(DocumentRejected) as refused:
        reading.within_limits(partial(thumbnails, body), images.MOST_SECONDS)
    assert str(refused.value) == "reading it takes more than 1 s of CPU time, or ends the process"
