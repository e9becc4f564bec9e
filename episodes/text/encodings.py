"""Decodes documents of every kind: by their byte order mark, as UTF-8 if they are UTF-8 but for some
damage, else as declared, by the labels of the Encoding Standard (https://encoding.spec.whatwg.org/)."""

import re

import webencodings

HEAD_LENGTH = 4096  # bytes that may declare the encoding of a document
# Labels in use that the standard does not have.
ALIASES = {
    "cp874": "windows-874",
    "cp932": "shift_jis",
    "cp936": "gbk",
    "cp949": "euc-kr",
    "cp950": "big5",
    "mac-roman": "macintosh",
    "mac_roman": "macintosh",
    "ms949": "euc-kr",
    "uhc": "euc-kr",
}


class UndecodableError(Exception):
    """A document that is no text that can be decoded. The message says why."""


class NotText(UndecodableError):
    """A file of another kind."""


class UnknownEncoding(UndecodableError):
    """A document that is not UTF-8, and declares no other encoding that fits."""


def decode_bytes(body: bytes, content_type: str = "") -> str:
    """Return the text of a document. Each damaged place in it becomes U+FFFD.

    Raises:
        NotText: many of its bytes are zero, and it is not UTF-16.
        UnknownEncoding: its bytes fit neither UTF-8, nor its declaration, nor a Western language.
    """
    encoding = utf_16_encoding(body)
    if encoding:
        return body.decode(encoding, "replace").removeprefix("\ufeff")
    # In a text at most one of a hundred bytes is zero, by accident.
    if body.count(0) * 100 > len(body):
        raise NotText("not a text file")
    body = body.replace(b"\0", b"")
    for encoding in _encodings_to_try(body, content_type):
        text = body.decode(encoding, "replace")
        if _is_mostly_sound(text, body):
            return text
    return _decode_western_text_or_raise(body)


def _encodings_to_try(body: bytes, content_type: str) -> list[str]:
    declared = _declared_encodings(body, content_type)
    # ISO-2022 writes Japanese in bytes of ASCII, so UTF-8 would fit as well.
    if body.isascii():
        return declared
    # By chance no text in another encoding is UTF-8, whatever it declares.
    return ["utf-8-sig", *declared]


def decode_head(body: bytes, size: int = HEAD_LENGTH) -> str:
    """Return the beginning of a document, in which only ASCII is sure to be right."""
    return body[:size].decode(utf_16_encoding(body) or "utf-8-sig", "replace")


def utf_16_encoding(body: bytes) -> str:
    """Return "utf-16" for UTF-16 with its mark, "utf-16-le" or "utf-16-be" without one, else ""."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    # ASCII in UTF-16: every other byte is zero. Six in a row, because binary files may have a few.
    if re.match(rb"(?:[^\0]\0){6}", body):
        return "utf-16-le"
    return "utf-16-be" if re.match(rb"(?:\0[^\0]){6}", body) else ""


def _declared_encodings(body: bytes, content_type: str) -> list[str]:
    head = body[:HEAD_LENGTH].decode("latin-1")
    labels = [
        *re.findall(r"charset\s*=\s*[\"']?([\w.:-]{2,40})", content_type, flags=re.IGNORECASE),
        *re.findall(
            r"<(?:meta|\?xml)\b[^>]{0,200}?\b(?:charset|encoding)\s*=\s*[\"']?([\w.:-]{2,40})",
            head,
            flags=re.IGNORECASE,
        ),
    ]
    return list(filter(None, map(_legacy_encoding_or_empty, labels)))


def _legacy_encoding_or_empty(label: str) -> str:
    """Return Python's name of a labelled encoding, or "" for an unknown label, and for encodings
    that a label must not decide."""
    # UTF-8 and UTF-16 are seen in the bytes, and Windows-1252 is tried at last. The last two stand
    # for encodings that browsers refuse to read.
    unusable = ("utf-8", "utf-16le", "utf-16be", "windows-1252", "x-user-defined", "replacement")
    standard = webencodings.lookup(ALIASES.get(label.lower(), label))
    if standard is None or standard.name in unusable:
        return ""
    if standard.name == "gbk":
        return "gb18030"  # as the standard decodes it
    return str(standard.codec_info.name)


def _is_mostly_sound(text: str, body: bytes) -> bool:
    # The decoder writes U+FFFD for bytes that do not fit. A document may have some of its own.
    count_in_document = body.count("\ufffd".encode())
    damaged_count = text.count("\ufffd") - count_in_document
    count_beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    # Half of the characters beyond ASCII may be damaged.
    return damaged_count * 2 <= count_beyond_ascii


def _decode_western_text_or_raise(body: bytes) -> str:
    """Return a text that is in Windows-1252, which most documents without a right label are.

    Raises:
        UnknownEncoding: too many of its letters are outside ASCII, as in Windows-1251.
    """
    text = body.decode("cp1252", "replace")
    # Tags, entities ("&amp;") and addresses are ASCII in any language, so they do not count.
    without_markup = re.sub(r"<[^<>]*>?|&\w{1,9};|https?:[^\s<>]+", "", text)
    letters = re.sub(r"[\W\d_]+", "", without_markup)
    count_beyond_ascii = len(letters) - len(letters.encode("ascii", "ignore"))
    # In a Western language at most one letter of three is outside ASCII.
    if count_beyond_ascii * 3 > len(letters):
        raise UnknownEncoding("in an encoding that it does not tell; save it as UTF-8")
    return text
