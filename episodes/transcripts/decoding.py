"""Opens the files that a feed names beside the audio: text in whatever encoding it came, and JSON
however hostile."""

import codecs
import json
import re
from contextlib import suppress
from typing import Any

from ..text.markup import storable

MOST_BYTES = 20_000_000  # ten hours of speech, timed word by word, are a tenth of it
MOST_PARTS = (
    1_000_000  # lines, tags or values: far beyond any transcript, and what a small machine can hold
)

_BINARY = (
    b"%PDF",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"{\\rtf",
    b"ID3",
    b"OggS",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"\xd0\xcf\x11",
)
_CHARSET = re.compile(
    r"charset\s*=\s*[\"']?((?:iso|windows|cp|latin|koi8|gb|big|euc|shift|mac)[\w-]{0,20})", re.I
)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_SAMPLE = 65_536
OTHERS_IN = 3  # letters of Windows-1252, of which one may be beyond ASCII


def text_of(body: bytes, content_type: str = "") -> str:
    """The text of a file, lines ended by "\\n", without what no database takes.

    UTF-8 is believed before what the server declares, as servers declare the same for every file.

    Raises:
        ValueError: it is too large, or is no text.
    """
    if len(body) > MOST_BYTES:
        raise ValueError(f"larger than {MOST_BYTES // 1_000_000} MB")
    if body.startswith(_BINARY):
        raise ValueError("not a text file")
    text = _decoded(body, content_type)
    sample = text[:_SAMPLE]
    if len(_CONTROLS.findall(sample)) * 5 > len(sample) + 40:
        raise ValueError("not a text file")
    text = storable(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
    if max(text.count("\n"), text.count("<")) > MOST_PARTS:
        raise ValueError("more lines or tags than any transcript has")
    return text


def opened(text: str, *, by_line: bool = False) -> Any:
    """The value of a JSON text, or those of its lines.

    Raises:
        ValueError: it is no JSON, or is made to hold up who reads it.
    """
    if text.count("{") + text.count("[") > MOST_PARTS:
        raise ValueError("JSON of too many parts")
    try:
        whole = f"[{','.join(text.strip().splitlines())}]" if by_line else text
        return json.loads(whole, strict=False)
    except (ValueError, RecursionError):
        raise ValueError("JSON that cannot be read") from None


def rows_of(data: Any, name: str) -> list[dict[str, Any]]:
    """The objects that a JSON value lists, under this name or alone.

    Raises:
        ValueError: it lists nothing.
    """
    rows = data.get(name) if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise ValueError(f"JSON without {name}")
    return [row for row in rows if isinstance(row, dict)]


def _decoded(body: bytes, content_type: str) -> str:
    is_wide = body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = body.decode("utf-16" if is_wide else "utf-8", "replace")
    faults = text.count("\ufffd")
    # A damaged place is no reason to misread all the others.
    if faults * 2 <= len(text) - len(text.encode("ascii", "ignore")) - faults:
        return text
    for declared in _CHARSET.findall(content_type):
        with suppress(LookupError):
            return body.decode(declared, "replace")
    text = body.decode("cp1252", "replace")
    # Its languages write most words in ASCII; Cyrillic or Japanese misread as it has hardly any.
    letters = list(filter(str.isalpha, text[:_SAMPLE]))
    others = len(letters) - sum(map(str.isascii, letters))
    if len(letters) < OTHERS_IN * others:
        raise ValueError("in an encoding that it does not tell; save it as UTF-8")
    return text
