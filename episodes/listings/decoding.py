"""Decodes a page to text: as UTF-8 where it is that, else as its server or its own beginning
declares it; tells markup from saved text, and cleans it; parses XML as it is found."""

import codecs
import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from html import unescape
from html.entities import html5

from ..records import DocumentRejected, FetchedDocument
from ..text.normalize import HIDDEN, TURNING

CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w-]{2,20})", re.I)
DECLARED = re.compile(
    r"""<(?:meta|\?xml)\b[^>]{0,200}?\b(?:charset|encoding)\s*=\s*["']?([\w-]{2,20})""", re.I
)
# Pages that declare latin-1 mean what Windows made of it.
LATIN = re.compile(r"^(?:latin[-_]?1|iso[-_]8859[-_]1|windows[-_]1252|(?:us[-_])?ascii)$", re.I)
# Other names that Python knows are no encodings of pages (utf-7, idna, unicode_escape) or mean
# UTF-8 in them (utf-16).
ENCODING = re.compile(
    r"(?:utf|latin|iso|windows|cp|koi8|gb|big|euc|shift|ascii|us)(?![-_]?(?:7$|16|32))[\w-]*|sjis|mac[-_]?\w+",
    re.I,
)

MARKUP = re.compile(r"<[^<>]*>?|&\w{1,9};|https?:[^\s<>]+")
NO_LETTER = re.compile(r"[\W\d_]+")
ESCAPED = re.compile(
    r"&(?:#\d{1,6}|#x[0-9a-f]{1,5}|amp|quot|apos|nbsp|lt|gt|[mn]dash|hellip|[lr][sd]quo|[lr]aquo);",
    re.I,
)
# How files begin that are served in place of pages.
FILES = {
    b"%PDF-": "a PDF file",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"RIFF": "an image or audio file",
    b"ID3": "an audio file",
    b"OggS": "an audio file",
    b"PK\x03\x04": "an archive or office file",
    b"\x1f\x8b": "a compressed file",
}
HEAD = 4096  # bytes in which a list of subscriptions must have begun
# Before its tag there are only declarations and comments: other documents may quote one.
OPML = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*(?:(?:<[?!][^>]*|\])>\s*)*<opml\b", re.I)
LOGIN = ('type="password"', "type='password'", "type=password")
# What no database takes, what hides a text, and signs that turn the direction of all that follows.
# Marks of direction beside a letter, and joiners, are part of how some scripts are written.
BROKEN = re.compile(f"[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff{TURNING}]|{HIDDEN}")


def decode(page: FetchedDocument) -> str:
    """The page's text.

    Raises:
        DocumentRejected: it is empty, is no text, has no encoding that can be told, or is a list
            of subscriptions, which is for `add_show`.
    """
    body = page.body
    if not body.strip():
        raise DocumentRejected("the document is empty")
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", "replace").replace("\0", "")
    kind = next((words for beginning, words in FILES.items() if body.startswith(beginning)), "")
    if kind or b"\0" in body:
        raise DocumentRejected(
            f"the document is {kind}, not text" if kind else "the document is not text"
        )
    if is_opml(page) and b"xmlurl" in body.lower():
        raise DocumentRejected(
            "it is a list of subscriptions (OPML). Add its shows from a saved file: manage.py "
            "add_show FILE"
        )
    # By chance no page in another encoding is UTF-8, whatever it declares; one of ASCII alone may
    # be (ISO-2022).
    sure = () if body.isascii() else ("utf-8-sig",)
    for encoding in (*sure, *_declared(page), "utf-8", "cp1252"):
        try:
            text = body.decode(encoding)
        except (UnicodeError, LookupError):
            continue
        return _western(text) if encoding == "cp1252" else text
    return body.decode("utf-8", "replace")


def _western(text: str) -> str:
    """A text that was decoded as cp1252.

    Raises:
        DocumentRejected: over a third of its letters are outside ASCII, as in no Western language:
            its bytes are in another encoding, as Windows-1251.
    """
    letters = NO_LETTER.sub("", MARKUP.sub("", text))
    if sum(not letter.isascii() for letter in letters) * 3 > len(letters):
        raise DocumentRejected(
            "its encoding is unknown: it is not UTF-8, and declares no other that fits. Ask its "
            "publisher to declare it; or save the document as UTF-8, and import the file with --url"
        )
    return text


def _declared(page: FetchedDocument) -> Iterator[str]:
    head = page.body[:4096].decode("latin-1")
    for found in (CHARSET.search(page.content_type), DECLARED.search(head)):
        if found and ENCODING.fullmatch(found[1]):
            yield LATIN.sub("cp1252", found[1])


def is_opml(page: FetchedDocument) -> bool:
    """True for an outline (OPML), as lists of subscriptions are."""
    return OPML.match(page.body[:HEAD]) is not None


def asks_for_login(text: str) -> bool:
    """True for a page with a field for a password."""
    return any(field in text.lower() for field in LOGIN)


def is_html(text: str) -> bool:
    """True if a document is markup, judged by its beginning: saved text mentions tags at most in
    passing."""
    start = text[:65_536].lstrip()
    if not start.startswith("<"):
        return False
    start = re.sub(r"^(?:\s*(?:<!--.*?-->|<\?xml[^>]*>))+\s*", "", start, flags=re.S)
    return re.match(r"<(?:!doctype html|html|head|body)\b", start, re.I) is not None or (
        re.search(r"<(?:div|p|a|li|h\d|article|section|main)\b", start[:4096], re.I) is not None
    )


def clean(text: str) -> str:
    """Text as it is read: without signs that turn its direction, nor such as no database takes."""
    if "&" in text:  # escaped twice
        text = ESCAPED.sub(lambda match: unescape(match[0]), text)
    return unicodedata.normalize("NFC", BROKEN.sub("", text))


# -- XML -----------------------------------------------------------------------------------------

# A bare "&" ("Q&A"), names of characters that HTML knows and XML does not, and character numbers, some
# of which stand for no character.
BARE = re.compile(
    rb"(<!\[CDATA\[.*?(?:\]\]>|\Z))|&(?!(?:amp|lt|gt|quot|apos);)(#\d{1,9};|#x[0-9a-f]{1,9};|[a-z]\w{1,30};)?",
    re.I | re.S,
)


def read_xml(body: bytes) -> ET.Element | None:
    """The tree of a document, mended where it has to be; None where it cannot be parsed even so."""
    tree = _tree(body)
    return _tree(mended(body)) if tree is None else tree


def mended(body: bytes) -> bytes:
    """The document with the characters escaped, or written out, that XML does not take as they
    are."""
    return BARE.sub(_mended, body)


def defines_entities(head: bytes) -> bool:
    """True for a document type that defines entities, which no feed needs and attacks use."""
    # In UTF-16 every other byte of it is empty.
    return b"<!ENTITY" in head.replace(b"\0", b"").upper()


def _tree(body: bytes) -> ET.Element | None:
    try:
        return ET.fromstring(body)
    except (ET.ParseError, ValueError, LookupError):
        return None


def _mended(found: re.Match[bytes]) -> bytes:
    """CDATA as it is; a name of HTML as the character it means, a number as well if it has one; any
    other `&` escaped."""
    if found[1]:
        return found[1]
    name = (found[2] or b"").decode("ascii")
    if name.startswith("#"):  # feedparser gives up a whole feed for half a character
        return b"" if _tree(b"<x>" + found[0] + b"</x>") is None else found[0]
    return (
        html5[name].encode("ascii", "xmlcharrefreplace")
        if name in html5
        else b"&amp;" + name.encode()
    )
