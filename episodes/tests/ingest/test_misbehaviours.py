"""Servers that misbehave: each import ends with one line that says what, where and what to do, and with nothing half.

What a fetch makes of bytes that are hardly HTTP is in gather/test_fetch.py, what a reader makes of odd values in
gather/test_feed_items.py.
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
    **{f"/{n}": to(f"/{n - 1}") for n in range(1, 7)},
    "/0": says(NEWS),
}


class Case(NamedTuple):
    """A server, and what comes of it: the words that the line ends with, or titles that are new."""

    speech: Speech
    says: str = ""
    new: tuple[str | None, ...] = ()


QUEENS = ("Queens",)
SEE = ". See in a browser what the address serves; the next import tries again"
WANTS = ". The server refuses us, or wants a login: save the page in a browser, and import the file with --url"
NOTHING = "answered 404 Not Found. Nothing is there: look for the new address on the show's site"
STAYS = ". Nothing was changed: see in a browser what the address serves now"
PAGE = "feed.xml: an HTML page in place of a feed: "
FROM = "; redirected from http://AT/feed.xml"
MOVED = "feed: the feed moved to http://AT/{}; accept that in the admin, or with add_show --moved-from bee-talk"

STATUSES = {
    204: f"204 No Content{SEE}", 206: f"206 Partial Content{SEE}", 306: f"306{SEE}", 400: f"400 Bad Request{SEE}",
    401: f"401 Unauthorized{WANTS}", 402: f"402 Payment Required{WANTS}", 403: f"403 Forbidden{WANTS}",
    407: f"407 Proxy Authentication Required{WANTS}", 451: f"451 Unavailable For Legal Reasons{WANTS}",
    410: "410 Gone. The server says it is gone for good: look for a new address, or pause the show",
    429: "429 Too Many Requests. Too many requests: import less often", 500: f"500 Internal Server Error{SEE}", 999: f"999{SEE}",
}  # fmt: skip
CASES: dict[str, Case] = {
    f"status {code}": Case(says(b"x", status=f"{code} X"), f"answered {said}") for code, said in STATUSES.items()
}
CASES |= {
    "status 304": Case(says(b"", status="304 Not Modified"), "3 unchanged since last time"),
    "status 0": Case(says(b"x", status="0 Zero"), "did not answer with HTTP"),
    "status 103": Case(framed(b"", status="103 Early Hints") + says(), f"answered 103 Early Hints{SEE}"),
    "a feed behind 404": Case(says(status="404 Not Found"), NOTHING),
    "a wait": Case(says(b"", "Retry-After: 120", status="503 Busy"), f"503 Service Unavailable; asked to wait 120 s{SEE}"),
    "a wait with a feed": Case(says(NEWS, "Retry-After: 86400"), new=QUEENS),
    # -- redirects
    "to the feed for good": Case(to("/news", "301 Moved"), MOVED.format("news"), QUEENS),
    "to the feed for now": Case(to("/news"), "3 unchanged since last time", QUEENS),
    "for good, then for now": Case(to("/now", "308 Moved"), MOVED.format("now"), QUEENS),
    "to nowhere": Case(to("http://"), "redirects more than 5 times"),
    "six times": Case(to("/6"), f"redirects more than 5 times{FROM}"),
    "to what is not there": Case(to("/missing"), f"http://AT/missing {NOTHING.replace('. N', FROM + '. N')}"),
    "to who is busy": Case(to("/busy"), f"http://AT/busy answered 503 Service Unavailable; asked to wait 60 s{FROM}{SEE}"),
    "to a long address": Case(to("/" + "x" * 60_000), NOTHING.replace(". N", FROM + ". N")),
    "to another scheme": Case(to("javascript:alert(1)"), "redirects, but javascript:alert(1) is not an http or https address"),
    "to another port": Case(to("http://127.0.0.1:22/"), f"uses port 22; only ports 80 and 443 and the hosts in FETCH_ALLOW may be fetched{FROM}"),
    "with a password": Case(to("http://user:word@AT/news"), "redirects, but http://AT/news contains a user name or password, which are never sent"),
    # -- lengths, compressions, chunks
    "a length too large": Case(framed(NEWS, f"Content-Length: {len(NEWS) + 100}"), "sent only part of the document"),
    "a length beyond all": Case(framed(NEWS, "Content-Length: 99999999999"), "sent only part of the document"),
    "gzip": Case(says(PACKED, "Content-Encoding: gzip"), new=QUEENS),
    "gzip that is none": Case(says(NEWS, "Content-Encoding: gzip"), "sent a document whose compression is damaged"),
    "gzip twice": Case(says(gzip.compress(PACKED), "Content-Encoding: gzip, gzip"), f"feed.xml: the document is a compressed file, not text{STAYS}"),
    "gzip without saying so": Case(says(PACKED), f"feed.xml: the document is a compressed file, not text{STAYS}"),
    "a gzip bomb": Case(says(gzip.compress(bytes(8_000_000)), "Content-Encoding: gzip"), "is larger than 2,000,000 bytes"),
    "chunks of a bad size": Case(framed(b"zz\r\n" + NEWS, "Transfer-Encoding: chunked"), "sent a document that is cut off or garbled"),
    "a header of a null byte": Case(says(NEWS, "X: \0"), new=QUEENS),
    "an ETag that fits no header": Case(says(NEWS, 'ETag: "ü"'), new=QUEENS),
    # -- bodies
    "no body": Case(says(b" \r\n"), f"feed.xml: the document is empty{STAYS}"),
    "a login": Case(says(b"<!doctype html><title>Sign in</title><input type=password>"), f"{PAGE}Sign in{STAYS}"),
    "a page with markup in its title": Case(
        says(b"<html><title><script>alert(1)</script>\x1b[31m</title></html>"), f"{PAGE}<script>alert(1)</script>[31m{STAYS}"
    ),
    "an error of PHP before the feed": Case(says(b"<br />\n<b>Warning</b>: mysql_connect()\n" + NEWS), new=QUEENS),
    "a null byte": Case(says(fresh("Que\0ens")), new=QUEENS),
    "cut off in the first tag": Case(says(NEWS[: NEWS.index(b"<rss") + 8]), f"feed.xml: the feed is cut off: it ends without </rss>{STAYS}"),
    "cut off in its end": Case(says(NEWS[:-2]), f"feed.xml: the feed is cut off: it ends without </rss>{STAYS}"),
    "UTF-16": Case(says(NEWS.decode().replace("UTF-8", "UTF-16").encode("utf-16")), new=QUEENS),
    "Latin-1 that says nothing": Case(says(rss(KNOWN + item("Königinnen", 4), head="").decode().encode("latin-1")), new=("Königinnen",)),
    "entities": Case(
        says(rss(head='<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>')),
        f"feed.xml: the feed defines its own XML entities, which is unsafe{STAYS}",
    ),
    # -- items
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
    "an item within an item": Case(
        says(rss(KNOWN + f"<item><title>Queens</title>{item('Inner', 5)}<guid>bee-4</guid></item>")), new=("Inner", "Queens")
    ),
    "tags in tags": Case(says(fresh(notes=f"<description>{'<a>' * 50_000}{'</a>' * 50_000}</description>")), new=QUEENS),
    "a date, a length, a number and an address that are none": Case(
        says(fresh(date="<pubDate>yesterday</pubDate>", audio='<enclosure url="javascript:alert(1)" type="audio/mpeg" length="-9"/>',
                   more="<itunes:duration>-1:30</itunes:duration><itunes:episode>-4</itunes:episode><link>http://[</link>")),
        new=QUEENS,
    ),
    "a feed of Atom": Case(
        says(
            b'<feed xmlns="http://www.w3.org/2005/Atom"><title>Bee Talk</title>'
            + b"".join(
                f'<entry><title>{title}</title><id>bee-{day}</id><published>2024-02-0{day}T10:00:00Z</published><content type="text">'
                f"What two keepers know about {title.lower()}.</content></entry>".encode()
                for day, title in enumerate((*TITLES, "Queens"), 1)
            )
            + b"</feed>"
        ),
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
    "hangs up in the body": Case(WHOLE[:BODY], "sent only part of the document"),
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
