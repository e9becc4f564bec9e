"""Reads the transcripts that feeds link to, in every format in use, as cues that say who speaks
when."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..text.markup import BLOCKS, storable
from ..text.timecodes import position
from ..text.urls import taken_apart
from .captions import HEADER, TIMING, captions
from .decoding import json_of, text_of
from .offered import OfferedTranscript
from .paragraphs import ENOUGH, PAUSE, paragraphs
from .transcript_cues import (
    Cue,
    CueLines,
    carried,
    ends_sentence,
    folded,
    in_order,
    joined,
    spoken,
)

__all__ = ["Cue", "best", "cues", "paragraphs"]

# The formats, the one that says most first, with the types and endings of names that stand for
# them.
FORMATS = {
    "json": ("application/json", "text/json", "application/x-json"),
    "vtt": ("text/vtt", "text/webvtt", "application/vtt", "application/x-vtt"),
    "srt": (
        "application/srt",
        "application/x-subrip",
        "text/srt",
        "application/x-srt",
        "text/x-srt",
        "text/x-subrip",
    ),
    "html": ("text/html", "application/xhtml+xml"),
    "txt": ("text/plain", "text/markdown"),
}
_ENDINGS = {
    "json": "json",
    "vtt": "vtt",
    "srt": "srt",
    "html": "html",
    "htm": "html",
    "txt": "txt",
    "md": "txt",
}
_BY_TYPE = {name: kind for kind, names in FORMATS.items() for name in names}

_MARKUP = re.compile(
    r"\s*(?:<\?xml[^<>]*>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*)*<(?:!doctype\s+html|html|head|body|cite|time|p|div|h[1-6]|article"
    r"|section|main|br|hr|span|b|i|strong|em|ul|ol|dl|pre|figure|blockquote|meta|title|style|script)\b",
    re.IGNORECASE,
)
_JSON = re.compile(r"\{\s*[\"}]|\[\s*[{\]]")
_OTHER_MARKUP = re.compile(
    r"\s*<(?:\?xml|!doctype|tt|rss|feed|error|transcript|svg)\b", re.IGNORECASE
)


def best(offers: Iterable[OfferedTranscript], language: str = "") -> list[OfferedTranscript]:
    """Transcripts, the one to read first; each address once.

    First come those in the feed's language, then the format that says most; captions, which are cut
    to fit a screen, come after what is not declared as such.
    """
    ranks = [*FORMATS, ""]

    def order(offer: OfferedTranscript) -> tuple[bool, int, bool]:
        tongues = {_tongue(offer.language), _tongue(language)} - {""}
        rank = ranks.index(_format(offer.content_type, offer.address))
        return (len(tongues) > 1, rank, "captions" in offer.rel.lower().split())

    by_address = {offer.address: offer for offer in sorted(offers, key=order, reverse=True)}
    return sorted(by_address.values(), key=order)


def cues(body: bytes, content_type: str, address: str) -> tuple[Cue, ...]:
    """What a transcript says, ordered by start; its format is told by its content first.

    Formats:
    https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/examples/transcripts/transcripts.md,
    and plain text. A missing or impossible time is None.

    Raises:
        ValueError: nothing can be read in it; the message says why.
    """
    text = text_of(body, content_type)
    if not text.strip():
        raise ValueError("the file is empty")
    found = in_order(_read(text, content_type, address))
    if not found:
        raise ValueError("no words in it")
    return found


def _read(text: str, content_type: str, address: str) -> Iterable[Cue]:
    promised = _format(content_type, address)
    start = text[:4096].lstrip()
    if start.startswith(HEADER):
        return spoken(list(captions(text, vtt=True)))
    if (promised == "json" and not start.startswith("<")) or _JSON.match(start):
        return _segments(json_of(text))
    if _MARKUP.match(text[:65_536]):
        return _marked_up(text, {promised, _format("", address)} - {"", "html"})
    if _OTHER_MARKUP.match(start):
        raise ValueError("markup that is no HTML")
    if TIMING.search(text):
        return spoken(list(captions(text, vtt=promised == "vtt")))
    if promised in ("vtt", "srt"):
        raise ValueError("captions without a time")
    return spoken(list(_plain(text)))


def _format(content_type: str, address: str) -> str:
    """What type and address promise; "" for what they do not tell. A type that fits any text tells
    less than a name."""
    by_type = _BY_TYPE.get(content_type.partition(";")[0].strip().lower(), "")
    by_name = _ENDINGS.get(taken_apart(address).path.rpartition(".")[2].lower(), "")
    return by_name or by_type if by_type in ("", "txt") else by_type


def _tongue(language: str) -> str:
    return language.strip().lower().replace("_", "-").partition("-")[0]


# --- JSON --------------------------------------------------------------------------------------


def _segments(data: Any) -> Iterable[Cue]:
    """The segments of Podcasting 2.0, or as recognisers of speech name the same."""
    rows = data.get("segments") if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise ValueError("JSON without segments")
    raw = tuple(carried(in_order(_raw_cue(row) for row in rows if isinstance(row, dict))))
    words = sum(len(cue.text.split()) for cue in raw)
    is_by_word = len(raw) >= 3 and words <= 1.5 * len(raw)
    told = _sentences(raw) if is_by_word else raw
    return [replace(cue, text=folded(cue.text)) for cue in told]


def _raw_cue(row: dict[str, Any]) -> Cue:
    # Podlove gives the name as `voice`; recognisers count the voices they tell apart.
    speaker, text = _first(row, "voice", "speaker"), _first(row, "body", "text")
    if isinstance(speaker, int) and not isinstance(speaker, bool):
        speaker = f"Speaker {speaker}"
    start = position(_first(row, "startTime", "start"))
    end = position(_first(row, "endTime", "end"))
    # White space at the edges says what belongs together, as long as words are single.
    said = storable(text) if isinstance(text, str) and text.strip() else ""
    return Cue(start, end, folded(storable(speaker)) if isinstance(speaker, str) else "", said)


def _first(row: dict[str, Any], *names: str) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _sentences(words: Sequence[Cue]) -> Iterator[Cue]:
    """Words that are timed one by one, as the sentences that they make."""
    spaced = 2 * sum(word.text[:1].isspace() or word.text[-1:] == " " for word in words)
    last = words[0]
    for word in words[1:]:
        pause = (word.start or 0.0) - (last.end or word.start or 0.0)
        over = len(last.text) > ENOUGH or ends_sentence(last.text.strip())
        if over or pause > PAUSE or last.speaker != word.speaker or last.text.endswith("\n"):
            yield last
            last = word
        else:
            is_spaced = spaced > len(words)
            text = (
                last.text + word.text
                if is_spaced
                else joined(last.text.strip(), word.text.lstrip())
            )
            last = replace(last, end=word.end or last.end, text=text)
    yield last


# --- HTML --------------------------------------------------------------------------------------

# What is no speech, and tags; each alternative ends where the next "<" stands, or at its own end.
_PIECE = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|title|svg|noscript|template|textarea|select|button|iframe"
    r"|nav|footer|form)\b[^<>]*>.*?(?:</\1\b[^<>]*>|\Z)"
    r"|<(/?)([a-z][a-z0-9]*)\b[^<>]*>|<[!?][^<>]*>",
    re.IGNORECASE | re.DOTALL,
)
_BREAKS = BLOCKS | {"body", "br", "td", "th", "time"}


def _marked_up(text: str, otherwise: set[str]) -> Iterable[Cue]:
    """The cues of a page; `otherwise` are the formats that are promised instead of one."""
    plain = entities.unescape(
        _PIECE.sub(lambda tag: "\n" if (tag[3] or "").lower() in _BREAKS else "", text)
    )
    if TIMING.search(plain):
        return spoken(list(captions(plain, vtt=False)))
    parts = list(_speech(text))
    if any(part.speaker or part.start is not None for part in parts):
        return spoken(parts)
    if otherwise:
        raise ValueError(f"an HTML page in place of a transcript ({min(otherwise)})")
    return spoken(list(_plain("\n\n".join(line for part in parts for line in part.lines))))


def _speech(text: str) -> Iterator[CueLines]:
    """The paragraphs of a page.

    A `<cite>` at the beginning of one is the speaker of what follows, a `<time>` its start.
    """
    speaker, start, words, after = "", None, "", 0
    for piece in _PIECE.finditer(f"{text}<p>"):
        words += text[after : piece.start()]
        after = piece.end()
        tag, said = f"{piece[2]}{piece[3]}".lower(), folded(entities.unescape(words))
        if tag == "/cite" and words.startswith("\0"):
            speaker, words = said.strip("\0 :"), ""
        elif tag == "/time":
            start, words = position(said.strip("[]() ")), ""
        elif tag.removeprefix("/") in _BREAKS:
            if said.strip("\0"):
                yield CueLines(start, None, (said.strip("\0"),), speaker)
                start = None
            words = ""
        elif tag == "cite" and not said:
            words = "\0"  # a title inside a sentence is no speaker


# --- Plain text --------------------------------------------------------------------------------

# "[00:01:02] text", "Sarah 0:03" and "Sarah (0:03): text" are in use, though no rule says so.
_STAMP = re.compile(
    r"(?P<name>[^\W\d_][\w.'’ -]{0,40}?[ \t]+)?"
    r"[\[(]?(?P<time>(?:[0-9]{1,2}:)?[0-9]{1,3}:[0-5][0-9](?:\.[0-9]{1,3})?)[\])]?"
    r"(?P<colon>[ \t]*:)?(?:[ \t]+[-–—])?(?:[ \t]+(?P<rest>\S.*))?"
)


def _plain(text: str) -> Iterator[CueLines]:
    """The paragraphs of a text, or its lines where no empty ones part it; a time begins another."""
    lines = [folded(line) for line in text.split("\n")]
    stamps = _stamps(lines)
    # Where headings name the speakers, "Thanks: it is good" in what they say names none.
    headed = sum(bool(stamp["name"] and not stamp["rest"]) for stamp in stamps.values()) > 1
    parted = not all(lines[1:-1])
    current, waiting = CueLines(None, None, ()), False  # a heading, for its text
    for place, line in enumerate(lines):
        stamp = stamps.get(place)
        if stamp or (bool(line) != parted and not waiting):
            yield current
            current = replace(current, start=None, lines=())
        if stamp:
            current, waiting = _opened(stamp, headed, current.speaker), not stamp["rest"]
        elif line:
            current, waiting = replace(current, lines=(*current.lines, line)), False
    yield current


def _opened(stamp: re.Match[str], headed: bool, speaker: str) -> CueLines:
    """The part that begins with a time: by the one named there, or with the name in its words."""
    name, rest = (stamp["name"] or "").strip(), stamp["rest"] or ""
    if headed:
        return CueLines(position(stamp["time"]), None, (rest,), name or speaker)
    return CueLines(position(stamp["time"]), None, (f"{name}: {rest}" if name else rest,))


def _stamps(lines: Sequence[str]) -> dict[int, re.Match[str]]:
    """The times at the beginning of lines, by line; none where they do not run on.

    Behind a name a time is one only where a heading ends, or a colon says so.
    """
    stamps = {
        place: stamp
        for place, line in enumerate(lines)
        if ":" in line[:60]
        and (stamp := _STAMP.fullmatch(line))
        and (not stamp["name"] or not stamp["rest"] or stamp["colon"])
    }
    times = [position(stamp["time"]) or 0.0 for stamp in stamps.values()]
    return stamps if len(times) > 1 and times == sorted(times) else {}
