"""Decodes pages to text. Refuses other files, detects markup, and cleans text."""

import re
import unicodedata
from html import unescape

from ..records import DocumentRejected, FetchedDocument
from ..text.encodings import NotText, UnknownEncoding, decode_bytes, decode_head
from ..text.normalize import DIRECTION_OVERRIDES, HIDDEN_CHARACTERS

ESCAPED = re.compile(
    r"&(?:#\d{1,6}|#x[0-9a-f]{1,5}|amp|quot|apos|nbsp|lt|gt|[mn]dash|hellip|[lr][sd]quo|[lr]aquo);",
    re.I,
)
# How files begin that are served in place of pages.
FILE_SIGNATURES = {
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
# Before its tag there are only declarations and comments: other documents may quote one.
OPML = re.compile(r"\A\ufeff?\s*(?:(?:<[?!][^>]*|\])>\s*)*<(?:opml|outline)\b", re.I)
COMMENTS_AT_START = re.compile(r"^(?:\s*(?:<!--.*?-->|<\?xml[^>]*>))+\s*", re.S)
# Characters that no database takes, that hide text, or that turn the direction of the text after them.
# Joiners, and direction marks beside a letter, are kept: some scripts need them.
BROKEN = re.compile(
    f"[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff{DIRECTION_OVERRIDES}]|{HIDDEN_CHARACTERS}"
)


def decode_page(page: FetchedDocument) -> str:
    """Return the page's text.

    Raises:
        DocumentRejected: it is empty, is no text, has no encoding that can be told, or is a list
            of subscriptions, which is for `add_show`.
    """
    text = decode_text_or_raise(page)
    # An outline without addresses of feeds (`xmlUrl`) may list episodes.
    if is_opml(page) and "xmlurl" in text.lower():
        raise DocumentRejected(
            "it is a list of subscriptions (OPML). Add its shows from a saved file: manage.py "
            "add_show FILE"
        )
    return text


def decode_text_or_raise(document: FetchedDocument) -> str:
    """Return the text of a page or of a list of subscriptions.

    Raises:
        DocumentRejected: it is empty, is no text, or has no encoding that can be told.
    """
    body = document.body
    if not body.strip():
        raise DocumentRejected("the document is empty")
    # Files that are no text begin with bytes that tell their kind.
    for signature, kind_of_file in FILE_SIGNATURES.items():
        if body.startswith(signature):
            raise DocumentRejected(f"the document is {kind_of_file}, not text")
    try:
        return decode_bytes(body, document.content_type)
    except NotText as error:
        raise DocumentRejected("the document is not text") from error
    except UnknownEncoding as error:
        raise DocumentRejected(
            "its encoding is unknown: it is not UTF-8, and declares no other that fits. Ask its "
            "publisher to declare it; or save the document as UTF-8, and import the file with --url"
        ) from error


def is_opml(page: FetchedDocument) -> bool:
    return OPML.match(decode_head(page.body, 4096)) is not None


def has_password_field(text: str) -> bool:
    return re.search(r"""type=["']?password\b""", text, re.I) is not None


def begins_like_html(text: str) -> bool:
    """Return True if a text begins with markup of HTML. A tag later in a saved text does not count."""
    start = text[:65_536].lstrip()  # long comments may come before the first tag
    if not start.startswith("<"):
        return False
    start = COMMENTS_AT_START.sub("", start)
    if re.match(r"<(?:!doctype html|html|head|body)\b", start, re.I):
        return True
    # A part of a page, saved without its frame. Its first tag may be another one: "<loom-card><div>".
    first_tags = start[:4096]
    return re.search(r"<(?:div|p|a|li|h\d|article|section|main)\b", first_tags, re.I) is not None


def clean_text(text: str) -> str:
    if "&" in text:  # some pages escape characters twice
        text = ESCAPED.sub(lambda match: unescape(match[0]), text)
    return unicodedata.normalize("NFC", BROKEN.sub("", text))
