"""Servers that misbehave, as data: what each says to a client that asks for a feed. What comes of it: data/misbehaviours.json."""

from __future__ import annotations

import gzip
import socket
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from threading import Event

from episodes.tests.speaker import Speech, silent

TITLES = ("Wax", "Honey", "Hives")
SPACES = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


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


def known(**more: str) -> str:
    """The items that are known, `more` in each."""
    return "".join(item(title, day, **more) for day, title in enumerate(TITLES, 1))


def rss(items: str | None = None, head: str = '<?xml version="1.0" encoding="UTF-8"?>\n', channel: str = "") -> bytes:
    body = known() if items is None else items
    return f'{head}<rss version="2.0" {SPACES}><channel><title>Bee Talk</title>{channel}{body}</channel></rss>'.encode()


def fresh(**more: str) -> bytes:
    """The feed with one item more, in which something is odd."""
    return rss(known() + item("Queens", 4, **more))


FEED = rss()
NEWS = fresh()


def says(body: bytes = NEWS, *headers: str, status: str = "200 OK", kind: str = "application/rss+xml") -> bytes:
    """A whole answer with its true length."""
    return framed(
        body, f"Content-Length: {len(body)}", *([f"Content-Type: {kind}"] if kind else []), *headers, status=status
    )


def framed(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """An answer with these headers alone."""
    lines = (f"HTTP/1.1 {status}", *headers, "", "")
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + body


# -- Statuses -----------------------------------------------------------------------------------------------------------

STATUSES = (
    *(201, 202, 203, 204, 205, 206, 207, 226, 300, 304, 305, 306),
    *range(400, 418), 418, *range(421, 427), 428, 429, 431, 444, 451, 499,
    *range(500, 512), *range(520, 528), 530, 598, 599, 600, 799, 999,
)  # fmt: skip


def statuses() -> Iterator[tuple[str, Speech]]:
    page = b"<html><title>Something else</title><p>Not a feed.</html>"
    for code in STATUSES:
        yield (
            f"status {code}",
            says(b"" if code in (204, 205, 304) else page, status=f"{code} Whatever it says", kind="text/html"),
        )
    yield "status 0", says(page, status="0 Zero")
    yield "status 099", says(page, status="099 Low")
    yield "status 101 and nothing more", framed(b"", "Upgrade: websocket", status="101 Switching Protocols")
    yield "a phrase with control characters", says(page, status="404 \x1b[31mRed\x07")
    yield "a feed behind 404", says(NEWS, status="404 Not Found")
    yield "a feed behind 500", says(NEWS, status="500 Oops")


WAITS = (
    "120", "0", "-5", "soon", "1.5", "1e9", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT",
    "Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 99 Xxx 2015 99:99:99 GMT", "120, 240", "", "²", "0x10", "٣",
)  # fmt: skip


def waits() -> Iterator[tuple[str, Speech]]:
    for value in WAITS:
        yield f"Retry-After: {value}", says(b"busy", f"Retry-After: {value}", status="503 Service Unavailable")
    yield "Retry-After twice", says(b"busy", "Retry-After: 60", "Retry-After: 600", status="429 Too Many Requests")
    yield "Retry-After with a feed", says(NEWS, "Retry-After: 86400")


# -- Redirects: AT stands for the server ------------------------------------------------------------------------------------

TARGETS = (
    "/loop", "/one", "/six", "/missing", "/busy", "/unchanged", "", "   ", "file:///etc/passwd", "ftp://example.org/feed",
    "javascript:alert(1)", "data:text/xml,<rss/>", "gopher://127.0.0.1:70/_x", "feed://AT/news", "http://10.0.0.1/",
    "http://192.168.1.1/feed", "http://169.254.169.254/latest/meta-data/", "http://[::1]/", "http://[fd00::1]/",
    "http://[::ffff:10.0.0.1]/", "http://[64:ff9b::a00:1]/", "http://localhost/", "http://localhost./", "http://0x7f000001/",
    "http://2130706433/", "http://0177.0.0.1/", "http://127.1/", "http://0/", "//10.0.0.1/feed", "http://user:word@AT/news",
    "http://AT@10.0.0.1/", "http://[", "http://a b/", "http://AT:99999/", "http://exa\\mple/", "https://AT/news",
    "http://AT0/", "http://127.0.0.1:22/", "http://no-such-host.invalid/", "http://a..b/", "http://", "http:///news",
    "/" + "x" * 60_000, "/news?" + "y" * 3000, "/pödcast", "/news#part", "?again", "http://AT/news\tx", "http://①②⑦.⓪.⓪.①/",
)  # fmt: skip


def redirects() -> Iterator[tuple[str, Speech]]:
    for code in (301, 302, 303, 307, 308):
        yield f"redirect {code} to the feed", says(b"", "Location: /news", status=f"{code} Moved")
    for target in TARGETS:
        yield f"redirect to {target[:50]}", says(b"", f"Location: {target}", status="302 Found")
    yield "redirect without a target", says(b"", status="301 Moved")
    yield "redirect with two targets", says(b"", "Location: /news", "Location: /missing", status="301 Moved")
    yield "redirect for good, then for now", says(b"", "Location: /now", status="301 Moved")
    yield (
        "redirect with a body that never ends",
        framed(b"x" * 5000, "Location: /news", "Content-Length: 999999", status="302 F"),
    )
    yield "300 with a target", says(b"", "Location: /news", status="300 Multiple Choices")
    yield "200 with a target", says(NEWS, "Location: http://10.0.0.1/", "Refresh: 0; url=http://10.0.0.1/")


BESIDE: dict[str, Speech] = {
    "/news": says(NEWS),
    "/news?" + "y" * 3000: says(NEWS),
    "/now": says(b"", "Location: /news", status="302 Found"),
    "/loop": says(b"", "Location: /feed.xml", status="301 Moved"),
    "/one": says(b"", "Location: /news", status="302 Found"),
    "/busy": says(b"", "Retry-After: 60", status="503 Busy"),
    "/unchanged": says(b"", status="304 Not Modified"),
    "/p%C3%B6dcast": says(NEWS),
    "/feed.xml?again": says(NEWS),
    "/missing": says(b"", status="404 Not Found"),
    "/six": says(b"", "Location: /6", status="302 Found"),
    **{f"/{n}": says(b"", f"Location: /{n - 1}", status="302 Found") for n in range(1, 7)},
    "/0": says(NEWS),
}


# -- Headers --------------------------------------------------------------------------------------------------------------

TYPES = (
    "", "text/html", "text/plain", "image/png", "application/json", "application/octet-stream", "garbage", "a/b; charset=utf-16",
    "text/xml; charset=latin-1", "text/xml; charset=utf-7", "text/xml; charset=no-such", "text/xml; charset=", "multipart/mixed",
    "text/xml; charset=" + "x" * 5000,
)  # fmt: skip
PACKED = gzip.compress(NEWS, mtime=0)
BOMB = gzip.compress(bytes(8_000_000), mtime=0)


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    body = b"".join(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n" for chunk in chunks)
    return framed(body + end, "Transfer-Encoding: chunked")


def headers() -> Iterator[tuple[str, Speech]]:
    for kind in TYPES:
        yield f"Content-Type: {kind[:50]}", says(kind=kind)
    half = len(NEWS) // 2
    yield "Content-Length too small", framed(NEWS, f"Content-Length: {half}")
    yield "Content-Length too large", framed(NEWS, f"Content-Length: {len(NEWS) + 100}")
    for value in ("-1", "abc", "1.5", "0", "99999999999", "9" * 400, f"{len(NEWS)}, {len(NEWS)}", f"+{len(NEWS)}"):
        yield f"Content-Length: {value[:30]}", framed(NEWS, f"Content-Length: {value}")
    yield "two lengths", framed(NEWS, f"Content-Length: {len(NEWS)}", "Content-Length: 5")
    yield "no length", framed(NEWS)
    for name, coding, body in (
        ("gzip", "gzip", PACKED),
        ("x-gzip in capitals", "X-GZIP", PACKED),
        ("gzip in two members", "gzip", gzip.compress(NEWS[:99]) + gzip.compress(NEWS[99:])),
        ("gzip with padding behind it", "gzip", PACKED + bytes(20)),
        ("gzip that is none", "gzip", NEWS),
        ("gzip that is cut off", "gzip", PACKED[:-20]),
        ("gzip with a wrong sum", "gzip", PACKED[:-8] + bytes(8)),
        ("gzip twice", "gzip, gzip", gzip.compress(PACKED)),
        ("gzip within gzip that says so once", "gzip", gzip.compress(PACKED)),
        ("gzip of nothing", "gzip", gzip.compress(b"")),
        ("gzip bomb", "gzip", BOMB),
        ("gzip bomb within a gzip bomb", "gzip", gzip.compress(BOMB)),
        ("gzip without saying so", "", PACKED),
        ("deflate", "deflate", zlib.compress(NEWS)),
        ("br", "br", b"\x8b\x05\x80garbage\x03"),
        ("zstd", "zstd", b"\x28\xb5\x2f\xfd"),
        ("compress", "compress", b"\x1f\x9d"),
        ("gzip and br", "gzip, br", PACKED),
        ("identity", "identity", NEWS),
        ("a character set", "UTF-8", NEWS),
    ):
        yield f"compression: {name}", says(body, *([f"Content-Encoding: {coding}"] if coding else []))
    yield "chunks", chunked(NEWS[:50], NEWS[50:])
    yield (
        "chunks with notes",
        framed(b"%x; a=b\r\n%b\r\n0\r\nX: y\r\n\r\n" % (len(NEWS), NEWS), "Transfer-Encoding: chunked"),
    )
    for name, body in (
        ("a bad size", b"zz\r\n" + NEWS),
        ("a negative size", b"-5\r\n" + NEWS),
        ("a size beyond all", b"f" * 30 + b"\r\n" + NEWS),
        ("a size that never ends", b"1" * 70_000),
        ("no last chunk", b"%x\r\n%b\r\n" % (len(NEWS), NEWS)),
        ("a chunk that is cut", b"%x\r\n%b" % (len(NEWS) + 9, NEWS)),
        ("nothing", b""),
        ("only the last chunk", b"0\r\n\r\n"),
    ):
        yield f"chunks: {name}", framed(body, "Transfer-Encoding: chunked")
    yield (
        "chunks and a length",
        framed(b"%x\r\n%b\r\n0\r\n\r\n" % (len(NEWS), NEWS), "Transfer-Encoding: chunked", "Content-Length: 5"),
    )
    yield "a transfer coding of gzip", framed(PACKED, "Transfer-Encoding: gzip")
    yield "a header of 100,000 letters", says(NEWS, "X: " + "y" * 100_000)
    yield "500 headers", says(NEWS, *(f"X-{n}: y" for n in range(500)))
    yield "a header without a colon", says(NEWS, "no colon")
    yield "a header that is folded", says(NEWS, "X: y", " z")
    yield "a header that begins with a space", says(NEWS, " X: y")
    yield "a header with a null byte", says(NEWS, "X: \0")
    yield "a header of no characters", says(NEWS, "X: \udcff\udcfe")
    yield "a header with an escape", says(NEWS, "X-Y: \x1b[31m")
    yield "line feeds alone", says(NEWS).replace(b"\r\n", b"\n", 4)
    yield "carriage returns alone", says(NEWS).replace(b"\r\n", b"\r", 4)
    yield "no line before the headers", says(NEWS).partition(b"\r\n")[2]
    yield "a body and no head", NEWS
    yield "SSH", b"SSH-2.0-OpenSSH_9.2p1\r\n"
    yield "FTP", b"220 ready\r\n"
    yield "TLS", b"\x15\x03\x01\x00\x02\x02\x46"
    yield "HTTP/2", b"\x00\x00\x12\x04\x00\x00\x00\x00\x00" + bytes(18)
    yield "HTTP/9.9", says(NEWS).replace(b"HTTP/1.1", b"HTTP/9.9", 1)
    yield "HTTP/1.0", says(NEWS).replace(b"HTTP/1.1", b"HTTP/1.0", 1)
    yield "no phrase", says(NEWS, status="200")
    yield "no status", says(NEWS, status="")
    yield "a status of letters", says(NEWS, status="abc OK")
    yield "early hints", framed(b"", "Link: </x>; rel=preload", status="103 Early Hints") + says(NEWS)
    yield "100 Continue before the answer", b"HTTP/1.1 100 Continue\r\n\r\n" + says(NEWS)
    yield "empty lines before the answer", b"\r\n\r\n" + says(NEWS)
    yield "a second answer behind the first", says(NEWS) + says(b"<rss/>")
    for value in ('"' + "x" * 5000 + '"', "none", '"ü"', "W/", '"a"b"', "\x01", ""):
        yield f"ETag: {value[:20]!r}", says(NEWS, f"ETag: {value}")
    for value in ("then", "Fri, 31 Dec 9999 23:59:59 GMT", "0", "-1", "\x01"):
        yield f"Last-Modified: {value!r}", says(NEWS, f"Last-Modified: {value}")
    yield "a range of the whole", says(NEWS, "Content-Range: bytes 0-9/99")
    yield "a name of a file", says(NEWS, 'Content-Disposition: attachment; filename="../../etc/passwd"')
    yield "cookies", says(NEWS, *(f"Set-Cookie: a{n}={'b' * 500}" for n in range(50)))


# -- Bodies ---------------------------------------------------------------------------------------------------------------

LOGIN = b"<!doctype html><html><head><title>Sign in</title></head><form><input type='password' name=p></form></html>"
LAUGHS = (
    '<!DOCTYPE rss [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]>"
)
JSON_FEED = b'{"version": "https://jsonfeed.org/version/1.1", "title": "Bee Talk", "items": [{"id": "1", "title": "Wax", "content_text": "x"}]}'
FILES = {
    "PDF": b"%PDF-1.7\n%\xe2\xe3", "PNG": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "JPEG": b"\xff\xd8\xff\xe0\0\x10JFIF", "GIF": b"GIF89a\1\0\1\0",
    "ZIP": b"PK\x03\x04\x14\0", "MP3": b"ID3\x04\0\0", "Ogg": b"OggS\0\2", "gzip": PACKED, "ELF": b"\x7fELF\2\1\1\0", "SQLite": b"SQLite format 3\0",
    "WebP": b"RIFF\x24\0\0\0WEBPVP8 ", "noise": bytes(range(256)) * 8, "zeros": bytes(2000), "high bytes": b"\xff" * 2000,
}  # fmt: skip


def cuts() -> Iterator[tuple[str, bytes]]:
    """The feed cut off at each place of its structure."""
    for name, mark, further in (
        ("in the declaration", b"<?xml", 9), ("in the first tag", b"<rss", 8), ("behind the first tag", b"<channel", 0),
        ("in the show's title", b"<title>Bee", 9), ("before the first item", b"<item>", 0), ("in an item's title", b"<title>Honey", 9),
        ("in a guid's attribute", b"isPermaLink=", 14), ("in a date", b"<pubDate>", 14), ("in an address", b"https://cdn", 9),
        ("behind an item", b"</item>", 7), ("in an item's end", b"</item>", 3), ("before the end of the channel", b"</channel>", 0),
        ("before the end", b"</rss>", 0), ("in the end", b"</rss>", 3), ("before the last character", b"</rss>", 5),
    ):  # fmt: skip
        yield name, NEWS[: NEWS.index(mark) + further]


def documents() -> Iterator[tuple[str, Speech]]:
    for name, body in (
        ("nothing", b""),
        ("white space", b" \r\n\t\n"),
        ("a byte order mark alone", b"\xef\xbb\xbf"),
        ("a login", LOGIN),
        ("a page", b"<!doctype html><html><title>Bee Talk</title><p>Hello</html>"),
        ("a page without a title", b"<html><p>Hello</html>"),
        ("a page that goes elsewhere", b'<html><meta http-equiv="refresh" content="0; url=http://10.0.0.1/"><title>Wait</title></html>'),
        ("a check whether we are human", b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><script>1</script></html>"),
        ("a page that speaks of feeds", b"<html><body><pre>&lt;rss&gt;</pre> <rss> is a tag</body></html>"),
        ("a page with markup in its title", b"<html><title><script>alert(1)</script>\x1b[31m</title></html>"),
        ("an error of PHP before the feed", b"<br />\n<b>Warning</b>: mysql_connect() in <b>/var/www</b>\n" + NEWS),
        ("words", b"Service temporarily unavailable"),
        ("a JSON object", b"{}"), ("JSON null", b"null"), ("a JSON error", b'{"error": "not found"}'), ("a JSON Feed", JSON_FEED),
        ("a JSON Feed that is cut off", JSON_FEED[:60]), ("a list of JSON", b"[1, 2, 3]"), ("nested JSON", b"[" * 100_000),
        ("OPML", b'<?xml version="1.0"?><opml version="2.0"><body><outline text="x" xmlUrl="https://example.org/feed"/></body></opml>'),
        ("a sitemap", b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>x</loc></url></urlset>'),
        ("SVG", b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
        ("a playlist", b"#EXTM3U\nhttps://example.org/1.mp3\n"), ("a calendar", b"BEGIN:VCALENDAR\nEND:VCALENDAR\n"),
        ("an error of a storage", b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>"),
    ):  # fmt: skip
        yield f"body: {name}", says(body, kind="text/html")
    for name, body in FILES.items():
        yield f"file: {name}", says(body)
    for name, body in cuts():
        yield f"cut off {name}", says(body)


def encodings() -> Iterator[tuple[str, Speech]]:
    text, plain = NEWS.decode(), '<?xml version="1.0"?>'
    bare = rss(known() + item("Königinnen", 4), head="")
    for name, body in (
        ("UTF-16 with a mark", text.replace("UTF-8", "UTF-16").encode("utf-16")),
        ("UTF-16 the other way round", b"\xfe\xff" + text.replace("UTF-8", "UTF-16").encode("utf-16-be")),
        ("UTF-16 without a mark", text.replace("UTF-8", "UTF-16").encode("utf-16-le")),
        ("UTF-32", text.replace("UTF-8", "UTF-32").encode("utf-32")),
        ("a mark of UTF-8", b"\xef\xbb\xbf" + NEWS),
        ("two marks of UTF-8", b"\xef\xbb\xbf\xef\xbb\xbf" + NEWS),
        ("UTF-8 that says UTF-16", text.replace("UTF-8", "UTF-16").encode()),
        ("UTF-8 that says Shift-JIS", text.replace("UTF-8", "Shift_JIS").encode()),
        ("UTF-8 that says EBCDIC", text.replace("UTF-8", "cp037").encode()),
        ("an encoding of that name is not known", text.replace("UTF-8", "x-none").encode()),
        ("an encoding of Python's alone", text.replace("UTF-8", "rot13").encode()),
        ("Latin-1 that says nothing", bare.decode().encode("latin-1")),
        ("Latin-1 that says so", b'<?xml version="1.0" encoding="iso-8859-1"?>' + bare.decode().encode("latin-1")),
        ("bytes that are no UTF-8", NEWS.replace(b"<title>Queens", b"<title>Que\xff\xfeens")),
        ("half a character", NEWS.replace(b"<title>Queens", b"<title>Queens \xf0\x9f\x90")),
        ("a null byte", NEWS.replace(b"<title>Queens", b"<title>Que\0ens")),
        ("a null byte at its end", NEWS + b"\0"),
        ("a declaration that never ends", plain.encode() + b"<?xml " + b"x" * 20_000),
        ("XML 1.1", NEWS.replace(b'version="1.0" encoding', b'version="1.1" encoding')),
        ("two declarations", plain.encode() + NEWS),
    ):
        yield f"encoding: {name}", says(body)


def definitions() -> Iterator[tuple[str, Speech]]:
    odd = "<title>&x;</title>"
    for name, head in (
        ("entities that grow", LAUGHS),
        ("an entity of a file", '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
        ("an entity of a server", '<!DOCTYPE rss [<!ENTITY x SYSTEM "http://127.0.0.1/">]>'),
        ("a parameter entity", '<!DOCTYPE rss [<!ENTITY % p SYSTEM "http://10.0.0.1/x.dtd"> %p;]>'),
        ("an entity in small letters", '<!doctype rss [<!entity x "y">]>'),
        ("a document type elsewhere", '<!DOCTYPE rss SYSTEM "http://10.0.0.1/rss.dtd">'),
        ("the document type of RSS 0.91", '<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/x.dtd">'),
        ("a style sheet", '<?xml-stylesheet type="text/xsl" href="http://10.0.0.1/x.xsl"?>'),
        ("a processing instruction of PHP", "<?php system('id'); ?>"),
        ("a comment of 20,000 letters", f"<!--{'x' * 20_000}-->"),
        ("a comment of 10,000 letters", f"<!--{'x' * 10_000}-->"),
    ):  # fmt: skip
        yield (
            f"prolog: {name}",
            says(
                rss(
                    known()
                    + item("Queens", 4, title=odd if "x " in head and "ENTITY" in head else "<title>Queens</title>"),
                    head=head,
                )
            ),
        )
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/>'
    yield "prolog: an inclusion", says(fresh(notes=f"<description>{include}</description>"))


def shapes() -> Iterator[tuple[str, Speech]]:
    many = "".join(item(f"Number {n}", 1, guid=f"<guid>{n}</guid>") for n in range(2_100))
    for name, body in (
        ("no items", rss("")),
        ("no channel", f'<rss version="2.0">{known()}</rss>'.encode()),
        ("no title of the show", rss().replace(b"<title>Bee Talk</title>", b"")),
        ("two channels", rss().replace(b"</channel>", b"</channel><channel><title>Other</title></channel>")),
        ("two feeds", FEED + FEED.partition(b"\n")[2]),
        ("words behind it", FEED + b"\nthe end"),
        ("words before it", b"Notice: x\n" + NEWS),
        ("empty lines before it", b"\n\n\n" + NEWS),
        ("capital letters", NEWS.replace(b"<item>", b"<ITEM>").replace(b"</item>", b"</ITEM>")),
        ("tags that are not closed", rss(known() + "<item><title>Queens<guid>bee-4</guid><description>x</description></item>")),
        ("an ampersand", fresh(title="<title>Queens & kings</title>")),
        ("names of HTML", fresh(title="<title>Queens&nbsp;&mdash;&copy;</title>")),
        ("a prefix of no name", fresh(more="<foo:bar>x</foo:bar>")),
        ("a version of no number", NEWS.replace(b'version="2.0"', b'version="banana"')),
        ("2,100 items", rss(many)),
        ("an item within an item", rss(known() + f"<item><title>Queens</title>{item('Inner', 5)}<guid>bee-4</guid></item>")),
        ("half of the items", rss(item("Wax", 1))),
        ("other items", rss("".join(item(f"Other {n}", n + 10) for n in range(3)))),
        ("no titles", fresh(title="")),
        ("no guids", rss("".join(item(title, day, guid="") for day, title in enumerate(TITLES, 1)))),
        ("no texts and no audio", rss("".join(item(f"Bare {n}", n + 10, notes="", audio="") for n in range(5)))),
        ("nothing in its items", rss("<item></item>" * 5)),
        ("one guid for all", rss(known(guid="<guid>same</guid>") + item("Queens", 4, guid="<guid>same</guid>"))),
        ("one title for all", rss(known(title="<title>Untitled</title>"))),
        ("each item twice", rss(known() + known())),
        ("items in another order", rss("".join(reversed([item(t, d) for d, t in enumerate(TITLES, 1)])))),
        ("nested tags", fresh(notes=f"<description>{'<a>' * 50_000}{'</a>' * 50_000}</description>")),
        ("100,000 attributes", fresh(more=f"<x {' '.join(f'a{n}=%q%' for n in range(100_000)).replace('%q%', chr(34) * 2)}/>")),
        ("a tag of a megabyte", fresh(more=f"<{'x' * 1_000_000}/>")),
        ("a title of a megabyte", fresh(title=f"<title>{'Queens ' * 150_000}</title>")),
        ("notes of a megabyte", fresh(notes=f"<description>{'word ' * 200_000}</description>")),
        ("a name of 100,000 letters", fresh(more=f"<itunes:author>{'a' * 100_000}@</itunes:author>")),
        ("20,000 categories", fresh(more="<category>x</category>" * 20_000)),
        ("more than the largest document", b" " * 2_100_000 + NEWS),
        ("an open CDATA", fresh(notes="<description><![CDATA[x</description>")),
        ("CDATA within CDATA", fresh(notes="<description><![CDATA[a<![CDATA[b]]>c]]></description>")),
    ):  # fmt: skip
        yield f"shape: {name}", says(body)


DATES = (
    "", "yesterday", "0000-00-00", "Mon, 01 Jan 1900 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "31 Feb 2024 10:00:00 GMT",
    "Thu, 01 Jan 1970 00:00:00 GMT", "2024-02-04T10:00:00+99:00", "99999999999", "-1", "04 Feb 2024 25:61:61 GMT", "2" * 5000, "４ Feb ２０２４",
)  # fmt: skip
LENGTHS = (
    "-1",
    "-1:30",
    "99999999999999999999",
    "1e9",
    "NaN",
    "abc",
    "0",
    "99:99:99",
    "1:" * 5000,
    "٣٠",
    "00:00:00.5",
    "½",
)
ADDRESSES = (
    "", "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "file:///etc/passwd", "//bees.example/4.mp3", "4.mp3",
    "http://[", "http://10.0.0.1/4.mp3", "https://bees.example/" + "x" * 9000, "vbscript:x", "https://a b/", "https://user:word@bees.example/4.mp3",
)  # fmt: skip
NUMBERS = ("-4", "0", "4.5", "99999999", "four", "٤", "4e9", "")


def values() -> Iterator[tuple[str, Speech]]:
    for value in DATES:
        yield f"date: {value[:40]}", says(fresh(date=f"<pubDate>{value}</pubDate>"))
    for value in LENGTHS:
        yield f"duration: {value[:30]}", says(fresh(more=f"<itunes:duration>{value}</itunes:duration>"))
    for value in ADDRESSES:
        said = value.replace("<", "&lt;")
        yield f"audio: {value[:40]}", says(fresh(audio=f'<enclosure url="{said}" type="audio/mpeg" length="9"/>'))
        yield f"page: {value[:40]}", says(fresh(more=f"<link>{said}</link>"))
    for value in NUMBERS:
        yield (
            f"number: {value}",
            says(fresh(more=f"<itunes:episode>{value}</itunes:episode><itunes:season>{value}</itunes:season>")),
        )
    for name, audio in (
        ("a page", '<enclosure url="https://bees.example/4" type="text/html" length="9"/>'),
        ("no type", '<enclosure url="https://bees.example/4.mp3"/>'),
        ("a negative length", '<enclosure url="https://bees.example/4.mp3" type="audio/mpeg" length="-9"/>'),
        ("a length of letters", '<enclosure url="https://bees.example/4.mp3" type="audio/mpeg" length="many"/>'),
        ("that of another episode", '<enclosure url="https://cdn.bees.example/1.mp3" type="audio/mpeg" length="9"/>'),
        ("a thousand", '<enclosure url="https://bees.example/4.mp3" type="audio/mpeg" length="9"/>' * 1000),
    ):
        yield f"enclosure: {name}", says(fresh(audio=audio))


SCRIPT = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{7*7}}${x}"
ESCAPED = SCRIPT.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
TEXTS = {
    "a script": ESCAPED, "a script in CDATA": f"<![CDATA[{SCRIPT}]]>", "signs of direction": "\u202eQueens\u2066\u200f", "no width": "Que\u200bens\ufeff\u200d",
    "half a character": "Queens &#xD800;", "a null character": "Queens &#0;", "control characters": "Queens &#1;&#8;&#x1b;[31m", "no characters": "Queens &#xFFFE;&#x110000;",
    "combining marks": "Q" + "\u0301" * 3000, "a formula": "=cmd|' /C calc'!A0", "a path": "../../etc/passwd", "SQL": "'); DROP TABLE episodes;--",
    "a long word": "Q" * 5000, "white space alone": " \t\u00a0\u3000", "pictures": "🐝" * 300,
}  # fmt: skip
FIELDS = {
    "title": "<title>{}</title>", "guid": "<guid>{}</guid>", "notes": "<description>{}</description>", "more": "<itunes:author>{}</itunes:author>",
}  # fmt: skip


def texts() -> Iterator[tuple[str, Speech]]:
    for name, text in TEXTS.items():
        for field, element in FIELDS.items():
            yield f"{name} in {'author' if field == 'more' else field}", says(fresh(**{field: element.format(text)}))
    for name, element in (
        (
            "a person",
            f'<podcast:person role="{ESCAPED}" href="javascript:alert(1)" img="data:x">{ESCAPED}</podcast:person>',
        ),
        ("a transcript", f'<podcast:transcript url="javascript:alert(1)" type="{ESCAPED}"/>'),
        ("a transcript elsewhere", '<podcast:transcript url="http://169.254.169.254/latest" type="text/vtt"/>'),
        (
            "chapters elsewhere",
            '<podcast:chapters url="http://10.0.0.1/chapters.json" type="application/json+chapters"/>',
        ),
        ("an image elsewhere", '<itunes:image href="http://192.168.0.1/cover.png"/>'),
        ("a category", f"<category>{ESCAPED}</category><itunes:keywords>{ESCAPED}</itunes:keywords>"),
        ("a location", f'<podcast:location geo="javascript:alert(1)">{ESCAPED}</podcast:location>'),
        ("an address of a person", '<dc:creator>mailto:"&lt;script&gt;"@example.org</dc:creator>'),
    ):
        yield f"{name} that means no good", says(fresh(more=element))


ATOM = '<feed xmlns="http://www.w3.org/2005/Atom"{}><title>Bee Talk</title>{}</feed>'
ENTRY = (
    '<entry><title>{0}</title><id>bee-{1}</id><published>2024-02-0{1}T10:00:00Z</published><content type="text">What two keepers '
    'know about {2}, all the year round.</content><link rel="enclosure" href="https://cdn.bees.example/{1}.mp3" type="audio/mpeg"/></entry>'
)
ENTRIES = "".join(ENTRY.format(title, day, title.lower()) for day, title in enumerate(TITLES, 1))
LIKE_FOUR = ENTRY.format("Queens", 4, "queens")


def atoms() -> Iterator[tuple[str, Speech]]:
    for name, body in (
        ("an Atom feed", ATOM.format("", ENTRIES + LIKE_FOUR)),
        ("an Atom feed without entries", ATOM.format("", "")),
        ("an Atom feed without titles", ATOM.format("", ENTRIES + LIKE_FOUR.replace("<title>Queens</title>", ""))),
        ("an Atom feed without ids", ATOM.format("", ENTRIES + LIKE_FOUR.replace("<id>bee-4</id>", ""))),
        ("an Atom feed with markup for a title", ATOM.format("", ENTRIES + LIKE_FOUR.replace("<title>", '<title type="html">&lt;b onclick="x"&gt;'))),
        ("an Atom feed with a page for notes", ATOM.format("", ENTRIES + LIKE_FOUR.replace('type="text"', 'type="text/html" src="http://10.0.0.1/"'))),
        ("an Atom feed of XHTML", ATOM.format("", ENTRIES + LIKE_FOUR.replace('type="text">', 'type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></div>'))),
        ("an Atom feed with a base", ATOM.format(' xml:base="javascript:alert(1)"', ENTRIES + LIKE_FOUR.replace("https://cdn.bees.example/4", "four"))),
        ("an Atom feed of no namespace", ATOM.replace(' xmlns="http://www.w3.org/2005/Atom"', "").format("", ENTRIES + LIKE_FOUR)),
        ("an Atom entry alone", LIKE_FOUR.replace("<entry>", '<entry xmlns="http://www.w3.org/2005/Atom">')),
        ("an Atom feed that is cut off", ATOM.format("", ENTRIES)[:-9]),
        ("RSS 1.0", '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="x"><title>Bee Talk</title></channel>' + known().replace("<item>", '<item rdf:about="y">') + "</rdf:RDF>"),
    ):  # fmt: skip
        yield name, says(body.encode(), kind="application/atom+xml")


# -- Time -----------------------------------------------------------------------------------------------------------------

WHOLE = says(NEWS)
HEAD = WHOLE.index(b"\r\n\r\n") + 4
PLACES = {
    "before its answer": 0, "in the status": 8, "behind the status": WHOLE.index(b"\r\n") + 2, "in a header": 30,
    "before the body": HEAD, "in the body": HEAD + 200,
}  # fmt: skip


def resets(begun: bytes) -> Speech:
    def speak(connection: socket.socket, stopped: Event) -> None:
        connection.sendall(begun)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return speak


def stalls(begun: bytes) -> Speech:
    def speak(connection: socket.socket, stopped: Event) -> None:
        connection.sendall(begun)
        silent(connection, stopped)

    return speak


def drips(begun: bytes) -> Speech:
    def speak(connection: socket.socket, stopped: Event) -> None:
        connection.sendall(begun)
        while not stopped.wait(0.05):
            connection.sendall(b"x")

    return speak


def endless(begun: bytes, more: bytes) -> Speech:
    def speak(connection: socket.socket, stopped: Event) -> None:
        connection.sendall(begun)
        while not stopped.is_set():
            connection.sendall(more)

    return speak


def timings() -> Iterator[tuple[str, Speech]]:
    for name, place in PLACES.items():
        yield f"hangs up {name}", WHOLE[:place]
        yield f"resets the connection {name}", resets(WHOLE[:place])
        yield f"falls silent {name}", stalls(WHOLE[:place])
        yield f"drips {name}", drips(WHOLE[:place])
    yield "keeps the connection open", stalls(says(NEWS, "Connection: keep-alive"))
    yield "never ends its body", endless(framed(b""), b" " * 65_536)
    yield "never ends its headers", endless(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 1000)
    yield "never ends its chunks", endless(framed(b"", "Transfer-Encoding: chunked"), b"1\r\nx\r\n" * 1000)
    yield "says for ever that it goes on", endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)


CLASSES: tuple[Callable[[], Iterable[tuple[str, Speech]]], ...] = (
    statuses, waits, redirects, headers, documents, encodings, definitions, shapes, values, texts, atoms, timings,
)  # fmt: skip
MISBEHAVIOURS: dict[str, Speech] = dict(pair for cases in CLASSES for pair in cases())
# Of the large classes CI tries every third one, of the others every other one, and `make test-all` all.
STEPS = {cases: 3 if len(list(cases())) > 60 else 2 for cases in CLASSES}
RARE = {name for cases, step in STEPS.items() for n, (name, _) in enumerate(cases()) if n % step}
