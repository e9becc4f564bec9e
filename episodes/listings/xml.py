"""Parses XML as it is found: the commonest faults mended, entities of its own never resolved."""

import re
import xml.etree.ElementTree as ET
from html.entities import html5

# "Q&A", the names that HTML has for characters and XML has not, and numbers, of which some are no
# characters.
BARE = re.compile(
    rb"(<!\[CDATA\[.*?(?:\]\]>|\Z))|&(?!(?:amp|lt|gt|quot|apos);)(#\d{1,9};|#x[0-9a-f]{1,9};|[a-z]\w{1,30};)?",
    re.I | re.S,
)


def read_xml(body: bytes) -> tuple[ET.Element | None, bytes]:
    """The tree of a document, and the document mended where it had to be; None where it cannot be
    parsed even so."""
    tree = _tree(body)
    if tree is None:
        body = mended(body)
        tree = _tree(body)
    return tree, body


def mended(body: bytes) -> bytes:
    """The document with the characters escaped, or written out, that XML does not take as they
    are."""
    return BARE.sub(_mended, body)


def defines_entities(head: bytes) -> bool:
    """True for a document type that defines entities, which no feed needs and attacks use."""
    return b"<!ENTITY" in head.upper()


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
