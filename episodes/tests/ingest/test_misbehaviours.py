"""Servers that misbehave: each import ends with one line that says what, where and what to do, and with nothing half.

What a fetch makes of bytes that are hardly HTTP is in gather/test_fetch.py, what a reader makes of odd values in
gather/test_feed_parts.py.
"""

import gzip
import json
import re
import socket
import struct
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any, NamedTuple

import pytest

from episodes.gather import fetch
from episodes.models import Podcast, Source
from episodes.tests.kept import Rows, catalog_models, put_back, rows_of
from episodes.tests.speaker import Speaker, Speech, silent

from ..tables import cases
from .conftest import export, run
from .known_show import SPACES

pytestmark = pytest.mark.django_db
SECONDS = 0.25  # that a fetch may take, in place of thirty
TITLES = ("Wax", "Honey", "Hives")


def item(title: str, day: int, /, **more: str) -> str:
    """An item of the feed; `more` replaces one of its elements, or adds one."""
    parts = {
        "title": f"<title>{title}</title>",
        "guid": f'<guid isPermaLink="false">bee-{day}</guid>',
        "date": f"<pubDate>{day:02} Feb 2024 10:00:00 GMT</pubDate>",
        "notes": f"<description>What two keepers know about {title.lower()}, all the year round.</description>",
        "audio": f'<enclosure url="https://cdn.bees.example/{day}.mp3" type="audio/mpeg" length="9"/>',
    } | more
    return f"<item>{''.join(parts.values())}</item>"


KNOWN = "".join(item(title, day) for day, title in enumerate(TITLES, 1))


def rss(items: str = KNOWN, head: str = '<?xml version="1.0" encoding="UTF-8"?>\n') -> bytes:
    return f'{head}<rss version="2.0" {SPACES}><channel><title>Bee Talk</title>{items}</channel></rss>'.encode()


def fresh(title: str = "Queens", **more: str) -> bytes:
    """The feed with one item more, in which something is odd."""
    return rss(KNOWN + item(title, 4, **more))


FEED, NEWS = rss(), fresh()
PACKED = gzip.compress(NEWS, mtime=0)


def framed(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """An answer with these headers alone."""
    return "\r\n".join((f"HTTP/1.1 {status}", *headers, "", "")).encode() + body


def says(body: bytes = NEWS, *headers: str, status: str = "200 OK") -> bytes:
    """A whole answer with its true length."""
    return framed(body, f"Content-Length: {len(body)}", "Content-Type: application/rss+xml", *headers, status=status)


def to(target: str, status: str = "302 Found") -> bytes:
    return says(b"", f"Location: {target}", status=status)


# AT stands for the server.
BESIDE: dict[str, Speech] = {
    "/news": says(NEWS),
    "/now": to("/news"),
    "/loop": to("/feed.xml"),
    "/busy": says(b"", "Retry-After: 60", status="503 Busy"),
    "/missing": says(b"", status="404 Not Found"),
    **{f"/{n}": to(f"/{n - 1}") for n in range(1, 6)},
    "/0": says(NEWS),
}


class Case(NamedTuple):
    """A server, and what comes of it: the words that the line ends with, or titles that are new."""

    speech: Speech
    says: str = ""
    new: tuple[str | None, ...] = ()


QUEENS = ("Queens",)
ATOM_ENTRIES = "".join(
    f"<entry><title>{title}</title><id>bee-{day}</id><published>2024-02-0{day}T10:00:00Z</published>"
    f'<content type="text">What two keepers know about {title.lower()}.</content></entry>'
    for day, title in enumerate((*TITLES, "Queens"), 1)
)
SEE = ". See in a browser what the address serves; the next import tries again"
STAYS = ". Nothing was changed: see in a browser what the address serves now"


def speech_of(case: dict[str, Any]) -> bytes:
    body = case.get("body", "").replace("{NEWS}", NEWS.decode()).encode()
    make = framed if case.get("framed") else says
    return make(body, *case.get("headers", ()), status=case.get("status", "200 OK"))


CASES = {
    case["case"]: Case(speech_of(case), case.get("says", ""), tuple(case.get("new", ())))
    for case in cases("ingest_misbehaviours")["answers"]
}
CASES |= {
    "status 103": Case(framed(b"", status="103 Early Hints") + says(), f"answered 103 Early Hints{SEE}"),
    "to a long address": Case(
        to("/" + "x" * 60_000),
        "answered 404 Not Found; redirected from http://AT/feed.xml. Nothing is there: look for the new address on the show's site",
    ),
    "a length too large": Case(framed(NEWS, f"Content-Length: {len(NEWS) + 100}"), "sent only part of the document"),
    "gzip": Case(says(PACKED, "Content-Encoding: gzip"), new=QUEENS),
    "gzip twice": Case(says(gzip.compress(PACKED), "Content-Encoding: gzip, gzip"), f"feed.xml: the document is a compressed file, not text{STAYS}"),
    "a second member of gzip": Case(says(PACKED + PACKED, "Content-Encoding: gzip"), "sent only part of the document"),
    "gzip without saying so": Case(says(PACKED), f"feed.xml: the document is a compressed file, not text{STAYS}"),
    "a gzip bomb": Case(says(gzip.compress(bytes(8_000_000)), "Content-Encoding: gzip"), "is larger than 2,000,000 bytes"),
    "as large as is taken": Case(says(NEWS.ljust(2_000_000)), new=QUEENS),
    "a null byte": Case(says(fresh("Que\0ens")), new=QUEENS),
    "cut off in its end": Case(says(NEWS[:-2]), f"feed.xml: the feed is cut off: it ends without </rss>{STAYS}"),
    "entities": Case(
        says(rss(head='<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>')),
        f"feed.xml: the feed defines its own XML entities, which is unsafe{STAYS}",
    ),
    "no items": Case(
        says(rss("")),
        "suspiciously large change: it lists no episodes any more. "
        "The last good copy stays. If the change is correct, import it with --accept",
    ),
    "more items than are taken": Case(
        says(rss("".join(item(f"Number {n}", 1, guid=f"<guid>{n}</guid>") for n in range(2_100)))),
        f"feed.xml: it lists 2,100 items, more than 2,000 (MOST_ITEMS){STAYS}",
    ),
    "one of three items": Case(
        says(rss(item("Wax", 1))),
        "suspiciously large change: 2 of 3 items would vanish and 0 would change completely. "
        "The last good copy stays. If the change is correct, import it with --accept",
    ),
    "one guid for all": Case(
        says(rss(re.sub("bee-[0-9]", "same", KNOWN) + item("Queens", 4, guid="<guid>same</guid>"))),
        "3 of 3 entries have another guid, audio file or page than before; see whether the feed is still the show's",
        ("Hives", "Honey", "Queens", "Wax"),
    ),
    "each item twice": Case(says(rss(KNOWN * 2)), "0 new, 3 matched, 0 held, 3 ignored; 3 unchanged since last time"),
    "a feed of Atom": Case(
        says(f'<feed xmlns="http://www.w3.org/2005/Atom"><title>Bee Talk</title>{ATOM_ENTRIES}</feed>'.encode()),
        new=QUEENS,
    ),
}  # fmt: skip


WHOLE = says(NEWS)
BODY = WHOLE.index(b"\r\n\r\n") + 204


def resets(connection: socket.socket, stopped: Event) -> None:
    connection.sendall(WHOLE[:BODY])
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def stalls(connection: socket.socket, stopped: Event) -> None:
    connection.sendall(WHOLE[:BODY])
    silent(connection, stopped)


def drips(connection: socket.socket, stopped: Event) -> None:
    connection.sendall(WHOLE[:BODY])
    while not stopped.wait(0.05):
        connection.sendall(b"x")


def endless(begun: bytes, more: bytes) -> Callable[[socket.socket, Event], None]:
    def speak(connection: socket.socket, stopped: Event) -> None:
        connection.sendall(begun)
        while not stopped.is_set():
            connection.sendall(more)

    return speak


CASES |= {
    "hangs up before its answer": Case(b"", "closed the connection without an answer"),
    "resets the connection": Case(resets, "closed the connection too early"),
    "falls silent": Case(stalls, "took longer than 0.25 s"),
    "drips": Case(drips, "took longer than 0.25 s"),
    "never ends its body": Case(endless(framed(b""), b" " * 65_536), "is larger than 2,000,000 bytes"),
    "never ends its headers": Case(endless(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 1000), "did not answer with HTTP"),
    "says for ever that it goes on": Case(endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000), "is larger than 2,000,000 bytes"),
}  # fmt: skip


class Misbehaving(Speaker):
    """Says to each path what `speeches` has for it, AT being its own address."""

    def __init__(self) -> None:
        super().__init__()
        self.speeches: dict[str, Speech] = {}
        self.rows: Rows = []  # of the show that is known
        self.export = ""

    def speech_for(self, request: bytes) -> Speech:
        speech = self.speeches.get(request.split(b" ", 2)[1].decode(), BESIDE["/missing"])
        return speech.replace(b"http://AT", b"http://" + self.pair.encode()) if isinstance(speech, bytes) else speech


@pytest.fixture(scope="module")
def server() -> Iterator[Misbehaving]:
    with Misbehaving() as server:
        yield server


@pytest.fixture
def known(server: Misbehaving, db: None, settings: Any) -> str:
    """The export of a show that was imported when its server was well; that is done once."""
    settings.FETCH_ALLOW = frozenset({server.pair})
    settings.IMAGES = "off"
    settings.MOST_ITEMS, settings.DOCUMENT_MB, settings.READ_SECONDS = 2_000, 2, 10
    if server.rows:
        put_back(server.rows)
    else:
        podcast = Podcast.objects.create(slug="bee-talk", title="Bee Talk", feed_url=f"http://{server.pair}/feed.xml")
        feed = Source(podcast=podcast, slug="feed", reader="feed", rank=1, may_create=True, complete=True)
        feed.address = podcast.feed_url
        feed.save()
        server.speeches = dict(BESIDE) | {"/feed.xml": says(FEED, 'ETag: "1"')}
        assert run("feed").code == 0
        server.export = export()
        server.rows = rows_of(catalog_models())
    return server.export


@pytest.mark.parametrize("name", CASES)
def test_misbehaving_server_is_reported_in_a_line(
    server: Misbehaving, known: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def quick(address: str, **options: Any) -> Any:
        return fetch(address, **{**options, "max_seconds": SECONDS})

    case = CASES[name]
    if case.says.startswith("took longer"):
        monkeypatch.setattr("episodes.ingest.load_document.fetch", quick)
    server.speeches["/feed.xml"] = case.speech
    ran = run("feed", now=True)
    line = (ran.out + ran.err).replace(server.pair, "AT").strip()
    assert line.endswith(case.says), line
    new = [one["title"] for one in json.loads(export())["episodes"] if one["guid"] not in ("bee-1", "bee-2", "bee-3")]
    if ran.code:
        assert re.fullmatch(
            r"feed: (failed|refused): http://AT/\S* ?[^\n\x1b]+|feed: failed: http://\S+ [^\n\x1b]+", line
        )
        assert (ran.code, export()) == (1, known)
    else:
        assert sorted(new, key=str) == list(case.new)
    assert bool(ran.code) == (not case.new and "since last time" not in case.says)
