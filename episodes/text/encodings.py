"""Decodes documents of every kind: by their byte order mark, as UTF-8 if they are UTF-8 but for some
damage, else as declared, by the labels of the Encoding Standard (https://encoding.spec.whatwg.org/)."""

import codecs
import re
from collections.abc import Iterator

import webencodings

HEAD = 4096  # bytes in which a document declares its encoding
IN_CONTENT_TYPE = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{2,40})", re.I)
IN_DOCUMENT = re.compile(
    r"""<(?:meta|\?xml)\b[^>]{0,200}?\b(?:charset|encoding)\s*=\s*["']?([\w.:-]{2,40})""", re.I
)
# UTF-8 and UTF-16 are seen in the bytes, and every other label that the standard maps to these is
# a mistake. The last two stand for encodings that browsers refuse to read.
UNUSABLE_NAMES = ("utf-8", "utf-16le", "utf-16be", "windows-1252", "x-user-defined", "replacement")
# Labels that browsers do not know and Python does: cp949, mac_roman, iso-2022-kr.
PYTHON_LABEL = re.compile(r"(?:cp|hz|iso|mac)[\w-]+", re.I)
UTF_16_SAMPLE = 64  # bytes, which hold a declaration in any script
MARKUP = re.compile(r"<[^<>]*>?|&\w{1,9};|https?:[^\s<>]+")
NO_LETTERS = re.compile(r"[\W\d_]+")
WESTERN_SHARE = 3  # of so many letters of a Western language at most one is outside ASCII


class UnknownEncoding(ValueError):
    """A document that is not UTF-8, and declares no other encoding that fits."""


def decode_bytes(body: bytes, content_type: str = "") -> str:
    """Return the text of a document. Each damaged place in it becomes U+FFFD.

    Raises:
        UnknownEncoding: its bytes fit neither UTF-8, nor its declaration, nor a Western language.
    """
    encoding = utf_16_encoding(body)
    if encoding:
        return body.decode(encoding, "replace").removeprefix("\ufeff")
    # By chance no text in another encoding is UTF-8. ASCII may be ISO-2022.
    encodings = [*declared_encodings(body, content_type)]
    if not body.isascii():
        encodings.insert(0, "utf-8-sig")
    for encoding in encodings:
        text = body.decode(encoding, "replace")
        if _is_mostly_sound(text, body):
            return text
    return _decode_western(body)


def decode_head(body: bytes, size: int = HEAD) -> str:
    """Return the beginning of a document, in which only ASCII is sure to be right."""
    return body[:size].decode(utf_16_encoding(body) or "utf-8-sig", "replace")


def utf_16_encoding(body: bytes) -> str:
    """Return the form of UTF-16 that a document is in, with or without a mark; "" for others."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    sample = body[:UTF_16_SAMPLE]
    even_zeros, odd_zeros = sample[0::2].count(0), sample[1::2].count(0)
    if odd_zeros * 4 > len(sample) and not even_zeros:
        return "utf-16-le"
    if even_zeros * 4 > len(sample) and not odd_zeros:
        return "utf-16-be"
    return ""


def declared_encodings(body: bytes, content_type: str) -> Iterator[str]:
    """Yield Python's names of the encodings that the server and the document declare."""
    head = body[:HEAD].decode("latin-1")
    for declaration in (IN_CONTENT_TYPE.search(content_type), IN_DOCUMENT.search(head)):
        encoding = _encoding_of_label(declaration[1]) if declaration else ""
        if encoding:
            yield encoding


def _encoding_of_label(label: str) -> str:
    """Return Python's name of a labelled encoding; "" for a label that decides nothing."""
    standard = webencodings.lookup(label)
    if standard and standard.name == "gbk":
        return "gb18030"  # as the standard decodes it
    if standard and standard.name not in UNUSABLE_NAMES:
        return str(standard.codec_info.name)
    is_known_to_browsers = standard is not None and standard.name != "replacement"
    if is_known_to_browsers or not PYTHON_LABEL.fullmatch(label):
        return ""
    try:
        b"".decode(label)
    except (LookupError, UnicodeError):
        return ""
    return label


def _is_mostly_sound(text: str, body: bytes) -> bool:
    """True if at most half of the characters beyond ASCII are damaged."""
    in_document = body.count("\ufffd".encode())  # the document has the sign of damage itself
    damaged = text.count("\ufffd") - in_document
    if damaged <= 0:
        return True
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return damaged * 2 <= beyond_ascii


def _decode_western(body: bytes) -> str:
    """Return a text that is in Windows-1252, which most documents without a right label are.

    Raises:
        UnknownEncoding: too many of its letters are outside ASCII, as those of Windows-1251 are.
    """
    text = body.decode("cp1252", "replace")
    letters = NO_LETTERS.sub("", MARKUP.sub("", text))
    beyond_ascii = len(letters) - len(letters.encode("ascii", "ignore"))
    if beyond_ascii * WESTERN_SHARE > len(letters):
        raise UnknownEncoding("not UTF-8, and no other encoding is declared that fits")
    return text
