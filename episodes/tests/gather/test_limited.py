"""Documents of strangers are read within limits: what exceeds one is refused with the reason, and the rest goes on."""

import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings
from PIL import Image

from episodes.gather import LimitedBatch, LimitExceeded, iterate_rows_in_limited_process, parse_document, within_limits
from episodes.gather.images import MAX_IMAGE_SECONDS
from episodes.gather.parse_document import parse_feed, within_seconds
from episodes.gather.thumbnails import make_thumbnails
from episodes.records import DocumentRejected, FetchedDocument, ParsedPage

from ..patience import PATIENCE


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("episodes.gather.limited_process.MAX_SLOWDOWN", PATIENCE)


def for_ever() -> None:
    while True:
        pass


def much() -> int:
    return len(b"x" * 400_000_000)


def dies() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def refuses() -> None:
    raise DocumentRejected("not a feed")


def answers_much() -> bytes:
    return b"x" * 10_000_001


@pytest.mark.parametrize(
    "read, seconds, why",
    [
        (for_ever, 1, "reading it takes more than 1 s of CPU time"),
        (much, 60, "reading it takes more than 100 MB of memory"),
        (dies, 60, "reading it ends the process (SIGSEGV)"),
        (refuses, 60, "not a feed"),
        (answers_much, 60, "what it holds takes more than 10 MB"),
    ],
)
@override_settings(READ_MB=100, DOCUMENT_MB=1)
def test_excessive_document_is_refused_with_reason(read: Callable[[], None], seconds: int, why: str) -> None:
    with override_settings(READ_SECONDS=seconds), pytest.raises(DocumentRejected) as refused:
        within_limits(read)
    assert str(refused.value) == why


# Killed while its copy waits for the next question.
IS_KILLED = """
import os, signal, django
django.setup()
from episodes.gather import LimitedBatch
batch = LimitedBatch(str.upper)
print(batch.parse_within_limits("loom"), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_copy_ends_with_its_killed_parent() -> None:
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "podcast_catalog.settings"}
    command = [sys.executable, "-c", IS_KILLED]
    with subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment, stdout=subprocess.PIPE) as parent:
        out, _ = parent.communicate(timeout=PATIENCE)  # until no process has it open
    assert (out, parent.returncode) == (b"LOOM\n", -signal.SIGKILL)


@override_settings(READ_SECONDS=60)
def test_large_answer_and_error_come_whole() -> None:
    assert within_limits(lambda: "x" * 5_000_000) == "x" * 5_000_000
    with pytest.raises(KeyError, match="a key"):
        within_limits(lambda: {}["a key"])  # type: ignore[index]


@override_settings(READ_SECONDS=60)
def test_no_process_is_left_behind() -> None:
    for _ in range(3):
        within_limits(int)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def for_ever_at_zero(number: int) -> tuple[int, int]:
    while number == 0:
        pass
    return number, os.getpid()


@override_settings(READ_SECONDS=1)
def test_batch_goes_on_after_an_item() -> None:
    with LimitedBatch(for_ever_at_zero) as batch:
        first, second = batch.parse_within_limits(1), batch.parse_within_limits(2)
        assert first == (1, second[1])
        assert second[1] != os.getpid()
        with pytest.raises(LimitExceeded, match="reading it takes more than 1 s of CPU time"):
            batch.parse_within_limits(0)
        assert batch.parse_within_limits(3)[0] == 3


@override_settings(READ_SECONDS=1)
def test_batch_has_a_limit_of_its_own() -> None:
    with LimitedBatch(for_ever_at_zero, max_seconds=2) as batch:
        for _ in range(2):
            with pytest.raises(LimitExceeded, match="more than 1 s"):
                batch.parse_within_limits(0)
        with pytest.raises(LimitExceeded, match="the files before it took 2 s of CPU time"):
            batch.parse_within_limits(1)


@pytest.mark.parametrize("seconds", [0, 60])
def test_stream_ends_with_its_error(seconds: int) -> None:
    def rows() -> Iterator[int]:
        yield 1
        yield 2
        raise DocumentRejected("cut off")

    stream = iterate_rows_in_limited_process(rows())
    with override_settings(READ_SECONDS=seconds):
        assert [next(stream), next(stream)] == [1, 2]
        with pytest.raises(DocumentRejected, match="cut off"):
            next(stream)


SYSTEM_CPU = "reading it takes more than the 2 s of CPU time that the system allows a process (ulimit -t, LimitCPU)"
SYSTEM_MEMORY = (
    "reading it takes more than the 150 MB of memory that the system leaves this process (ulimit -v, LimitAS)"
)


def under_system_limits(kind: int, limits: tuple[int, int], read: Callable[[], Any], sender: Connection) -> None:
    """Send what `read` gives within the program's limits, in a process that the system limits. Limits of memory are beyond
    what the process has."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    base = used if kind == resource.RLIMIT_AS else 0
    soft, hard = (limit if limit == resource.RLIM_INFINITY else limit + base for limit in limits)
    resource.setrlimit(kind, (soft, hard))
    try:
        sender.send(within_limits(read))
    except LimitExceeded as reason:
        # The process may have grown a little since it was looked at.
        sender.send(re.sub(r"1[45]\d MB", "150 MB", str(reason)))


@pytest.mark.parametrize("hard", [True, False])
@pytest.mark.parametrize(
    "kind, limit, read, told",
    [
        (resource.RLIMIT_CPU, 50, int, 0),
        (resource.RLIMIT_AS, 150_500_000, int, 0),
        (resource.RLIMIT_CPU, 2, for_ever, SYSTEM_CPU),
        (resource.RLIMIT_AS, 150_500_000, much, SYSTEM_MEMORY),
    ],
)
@override_settings(READ_SECONDS=60, READ_MB=1_000)
def test_smaller_limit_of_the_system_counts(
    kind: int, limit: int, read: Callable[[], Any], told: object, hard: bool
) -> None:
    fork = get_context("fork")
    receiver, sender = fork.Pipe(duplex=False)
    limits = limit, limit if hard else resource.RLIM_INFINITY
    process = fork.Process(target=under_system_limits, args=(kind, limits, read, sender))
    process.start()
    sender.close()
    assert receiver.recv() == told
    process.join()


def rss(items: int, **more: str) -> bytes:
    rows = "".join(f"<item><title>Part {n}</title><guid>{n}</guid></item>" for n in range(items))
    told = "".join(f"<{name}>{value}</{name}>" for name, value in more.items())
    return f"<rss version='2.0'><channel><title>A show</title>{told}{rows}</channel></rss>".encode()


def test_feed_over_limit_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def read(*how: object) -> ParsedPage:
        asked.append(how)
        raise LimitExceeded("too much")

    monkeypatch.setattr(parse_document, "within_limits", read)
    page = FetchedDocument(rss(4))
    for _ in range(3):
        with pytest.raises(LimitExceeded, match="too much"):
            parse_feed(page)
    assert len(asked) == 1


@override_settings(MOST_ITEMS=10)
def test_a_feed_of_too_many_items_is_refused() -> None:
    assert len(parse_feed(FetchedDocument(rss(10))).entries) == 10
    with pytest.raises(DocumentRejected, match=r"it lists 11 items, more than 10 \(MOST_ITEMS\)"):
        parse_feed(FetchedDocument(rss(11)))


def progressive(scans: int) -> bytes:
    """A small JPEG that draws the last part of itself that many times more: each time costs what the first did."""
    file = BytesIO()
    Image.new("L", (6000, 6000)).save(file, "JPEG", progressive=True)
    body = file.getvalue()[:-2]
    return body + body[body.rindex(b"\xff\xda") :] * scans + b"\xff\xd9"


@override_settings(READ_SECONDS=1)
def test_slow_image_is_refused() -> None:
    body = progressive(10_000)
    assert len(body) < 1_000_000
    with pytest.raises(DocumentRejected) as refused:
        within_seconds(MAX_IMAGE_SECONDS, make_thumbnails, body)
    assert str(refused.value) == "reading it takes more than 1 s of CPU time"
