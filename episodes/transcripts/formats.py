"""Reads the transcripts that feeds link to, in every format in use, as cues that say who speaks when."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..text.markup import storable
from ..text.timecodes import position
from ..text.urls import taken_apart
from .captions import HAS_TIMING, HEADER, captions
from .decoding import json_of, text_of
from .offered import OfferedTranscript
from .paragraphs import ENOUGH, PAUSE, paragraphs
from .transcript_cues import Cue, CueLines, carried, ends_sentence, folded, in_order, joined, spoken

__all__ = ["Cue", "best", "cues", "paragraphs"]

# The formats, the one that says most first, with the types and endings of names that stand for them.
FORMATS = {
    "json": ("application/json", "text/json", "application/x-json"),
    "vtt": ("text/vtt", "text/webvtt", "application/vtt", "application/x-vtt"),
    "srt": ("application/srt", "application/x-subrip", "text/srt", "application/x-srt", "text/x-srt", "text/x-subrip"),
    "html": ("text/html", "application/xhtml+xml"),
    "txt": ("text/plain", "text/markdown"),
}
_ENDINGS = {"json": "json", "vtt": "vtt", "srt": "srt", "html": "html", "htm": "html", "txt": "txt", "md": "txt"}
_BY_TYPE = {name: kind for kind, names in FORMATS.items() for name in names}

_MARKUP = re.compile(
    r"\s*(?:<\?xml[^<>]*>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*)*<(?:!doctype\s+html|html|head|body|cite|time|p|div|h[1-6]|article"
    r"|section|main|br|hr|span|b|i|strong|em|ul|ol|dl|pre|figure|blockquote|meta|title|style|script)\b",
    re.IGNORECASE,
)
_JSON = re.compile(r"\{\s*[\"}]|\[\s*[{\]]")
_OTHER_MARKUP = re.compile(r"\s*<(?:\?xml|!doctype|tt|rss|feed|error|transcript|svg)\b", re.IGNORECASE)


def best(found: Iterable[OfferedTranscript], language: str = "") -> list[OfferedTranscript]:
    """Transcripts, the one to read first: in the feed's language, in the format that says most, captions (which are cut
    to fit a screen) after what is not declared as such. Each address once."""
    ranks = [*FORMATS, ""]

    def order(offered: OfferedTranscript) -> tuple[bool, int, bool]:
        foreign = bool(language and offered.language) and _tongue(offered.language) != _tongue(language)
        return (
            foreign,
            ranks.index(_format(offered.content_type, offered.address)),
            "captions" in offered.rel.lower().split(),
        )

    first: dict[str, OfferedTranscript] = {}
    for offered in sorted(found, key=order):
        first.setdefault(offered.address, offered)
    return list(first.values())


def cues(body: bytes, content_type: str, address: str) -> tuple[Cue, ...]:
    """What a transcript says, ordered by start; its format is told by its content first.

    Formats: https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/examples/transcripts/transcripts.md,
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
        return spoken(list(captions(text, True)))
    if (promised == "json" and not start.startswith("<")) or _JSON.match(start):
        return _segments(json_of(text))
    if _MARKUP.match(text[:65_536]):
        return _marked_up(text, {promised, _format("", address)} - {"", "html"})
    if _OTHER_MARKUP.match(start):
        raise ValueError("markup that is no HTML")
    if HAS_TIMING.search(text):
        return spoken(list(captions(text, promised == "vtt")))
    if promised in ("vtt", "srt"):
        raise ValueError("captions without a time")
    return spoken(list(_plain(text)))


def _format(content_type: str, address: str) -> str:
    """What type and address promise; "" for what they do not tell. A type that fits any text tells less than a name."""
    by_type = _BY_TYPE.get(content_type.partition(";")[0].strip().lower(), "")
    by_name = _ENDINGS.get(taken_apart(address).path.rpartition(".")[2].lower(), "")
    return by_name or by_type if by_type in ("", "txt") else by_type


def _tongue(language: str) -> str:
    return language.strip().lower().replace("_", "-").partition("-")[0]


# --- JSON ------------------------------------------------------------------------------------------------------------


def _segments(data: Any) -> Iterable[Cue]:
    """The segments of Podcasting 2.0, or as recognisers of speech name the same: `start`, `end`, `text`."""
    rows = data.get("segments") if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise ValueError("JSON without segments")
    said = [row for row in rows if isinstance(row, dict) and isinstance(_first(row, "body", "text"), str)]
    found = tuple(carried(in_order(_raw_cue(row) for row in said)))
    words = sum(len(cue.text.split()) for cue in found)
    if len(found) < 3 or words > 1.5 * len(found):
        return (replace(cue, text=folded(cue.text)) for cue in found)
    return _sentences(found)


def _raw_cue(row: dict[str, Any]) -> Cue:
    # Podlove gives the name as `voice`; recognisers count the voices they tell apart.
    speaker, text = _first(row, "voice", "speaker"), str(_first(row, "body", "text"))
    if isinstance(speaker, int) and not isinstance(speaker, bool):
        speaker = f"Speaker {speaker}"
    start, end = position(_first(row, "startTime", "start")), position(_first(row, "endTime", "end"))
    # White space at the edges says what belongs together, as long as words are single.
    edges = text if text.strip() else ""
    return Cue(start, end, folded(storable(speaker)) if isinstance(speaker, str) else "", storable(edges))


def _first(row: dict[str, Any], *names: str) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _sentences(words: Sequence[Cue]) -> Iterator[Cue]:
    """Words that are timed one by one, as the sentences that they make."""
    spaced = 2 * sum(1 for word in words if word.text[:1].isspace() or word.text[-1:] == " ") > len(words)
    last: Cue | None = None
    for word in words:
        if last is None or _parts(last, word):
            if last:
                yield replace(last, text=folded(last.text))
            last = word
        else:
            text = last.text + word.text if spaced else joined(last.text.strip(" "), word.text.lstrip())
            last = replace(last, end=word.end or last.end, text=text)
    if last:
        yield replace(last, text=folded(last.text))


def _parts(last: Cue, word: Cue) -> bool:
    pause = last.end is not None and word.start is not None and word.start - last.end > PAUSE
    over = len(last.text) > ENOUGH or last.text.endswith("\n") or ends_sentence(last.text.strip())
    return pause or last.speaker != word.speaker or over


# --- HTML ------------------------------------------------------------------------------------------------------------

# What is no speech, and tags; each alternative ends where the next "<" stands, or takes all up to its own end.
_PIECE = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|title|svg|noscript|template|textarea|select|button|iframe)\b[^<>]*>.*?(?:</\1\b[^<>]*>|\Z)"
    r"|<(/?)([a-z][a-z0-9]*)\b[^<>]*>|<[!?][^<>]*>",
    re.IGNORECASE | re.DOTALL,
)
_BREAKS = frozenset(
    "address article aside blockquote body br dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p"
    " pre section table td th tr ul".split()
)
_ASIDE = frozenset(["nav", "footer", "form"])


def _marked_up(text: str, otherwise: set[str]) -> Iterable[Cue]:
    """The cues of a page; `otherwise` are the formats that type and address promise instead of one."""
    plain = entities.unescape(_PIECE.sub(lambda tag: "\n" if (tag[3] or "").lower() in _BREAKS else "", text))
    if HAS_TIMING.search(plain):
        return spoken(list(captions(plain, False)))
    found = list(_Speech().read(text))
    if any(part.speaker or part.start is not None for part in found):
        return spoken(found)
    if otherwise:
        raise ValueError(f"an HTML page in place of a transcript ({min(otherwise)})")
    return spoken(list(_plain("\n\n".join(line for part in found for line in part.lines))))


class _Speech:
    """Reads `<cite>` as the speaker of what follows, `<time>` as its start, and any block as a paragraph."""

    def __init__(self) -> None:
        self.speaker = ""
        self.start: float | None = None
        self.words: list[str] = []
        self.inside = ""
        self.aside = 0

    def read(self, text: str) -> Iterator[CueLines]:
        after = 0
        for piece in _PIECE.finditer(text):
            self._say(text[after : piece.start()])
            after = piece.end()
            if piece[3]:
                yield from self._tag(piece[3].lower(), bool(piece[2]))
        self._say(text[after:])
        yield from self._paragraph()

    def _say(self, text: str) -> None:
        if text and not self.aside:
            self.words.append(text)

    def _said(self) -> str:
        text = folded(entities.unescape("".join(self.words)))
        self.words = []
        return text

    def _tag(self, tag: str, closing: bool) -> Iterator[CueLines]:
        if tag in _ASIDE:
            self.aside = max(0, self.aside - 1) if closing else self.aside + 1
        if closing and tag == self.inside:
            self._mark(tag)
        elif tag == "time" or (
            tag == "cite" and not any(map(str.strip, self.words))
        ):  # a title in a sentence is no speaker
            if not closing:
                yield from self._paragraph()
                self.inside = tag
        elif tag in _BREAKS:
            self.inside = ""
            yield from self._paragraph()

    def _mark(self, tag: str) -> None:
        said = self._said()
        self.inside = ""
        if tag == "cite":
            self.speaker = said.rstrip(" :")
        else:
            self.start = position(said.strip("[]() "))

    def _paragraph(self) -> Iterator[CueLines]:
        said = self._said()
        if said:
            yield CueLines(self.start, None, (said,), self.speaker)
            self.start = None


# --- Plain text ------------------------------------------------------------------------------------------------------

# "[00:01:02] text", "Sarah 0:03" and "Sarah (0:03): text" are in use, though no rule says so.
_STAMP = re.compile(
    r"(?P<name>[^\W\d_][\w.'’ -]{0,40}?[ \t]+)?[\[(]?(?P<time>(?:[0-9]{1,2}:)?[0-9]{1,3}:[0-5][0-9](?:\.[0-9]{1,3})?)[\])]?"
    r"(?P<colon>[ \t]*:)?(?:[ \t]+[-–—])?(?:[ \t]+(?P<rest>\S.*))?"
)


class _Stamp(NamedTuple):
    """A time at the beginning of a line, with the name before it and the words behind it."""

    start: float | None
    name: str
    rest: str
    is_sure: bool

    @property
    def is_heading(self) -> bool:
        return bool(self.name) and not self.rest


def _plain(text: str) -> Iterator[CueLines]:
    lines = [folded(line) for line in text.split("\n")]
    stamps = _stamps(lines)
    # Where headings name the speakers, "Thanks: it is good" in what they say names none.
    headed = sum(stamp.is_heading for stamp in stamps.values()) > 1
    parted = not all(lines[1:-1])
    current = CueLines(None, None, ())
    waiting = False  # a heading, for its text
    for place, line in enumerate(lines):
        stamp = stamps.get(place)
        if stamp or (bool(line) != parted and not waiting):
            yield current
            current = replace(current, start=None, lines=())
        if stamp:
            current, waiting = _opened(stamp, headed, current.speaker), not stamp.rest
        elif line:
            current, waiting = replace(current, lines=(*current.lines, line)), False
    yield current


def _opened(stamp: _Stamp, headed: bool, speaker: str) -> CueLines:
    """What begins with a time: by the one named there, or with the name among the words."""
    name = f"{stamp.name}:" if stamp.name and not headed else ""
    return CueLines(stamp.start, None, (name, stamp.rest), (stamp.name or speaker) if headed else "")


def _stamps(lines: Sequence[str]) -> dict[int, _Stamp]:
    """The times at the beginning of lines, by line; none where they do not run on, as times of another kind do not."""
    read = ((place, _stamp(line)) for place, line in enumerate(lines))
    found = {place: stamp for place, stamp in read if stamp and stamp.is_sure}
    times = [stamp.start or 0.0 for stamp in found.values()]
    return found if len(times) > 1 and times == sorted(times) else {}


def _stamp(line: str) -> _Stamp | None:
    found = _STAMP.fullmatch(line) if ":" in line[:60] else None
    if found is None:
        return None
    name, rest = (found["name"] or "").strip(), found["rest"] or ""
    # Behind a name a time is one only where a heading ends, or a colon says so.
    return _Stamp(position(found["time"]), name, rest, not name or not rest or bool(found["colon"]))
