"""Reads the transcripts that feeds link to, in every format in use, as cues that say who speaks
when."""

import html as entities
import re
from collections.abc import Iterable, Iterator, Sequence

from ..text.markup import flat, pieces
from ..text.timecodes import IN_TEXT, position, seconds_of
from ..text.urls import taken_apart
from .decoding import opened, text_of
from .front_matter import spoken_part
from .json_layouts import json_cues
from .offered import OfferedTranscript
from .transcript_cues import SOMEBODY, TOO_MUCH, Cue, CueLines, folded, in_order, paragraphs, spoken

__all__ = ["Cue", "best", "cues", "paragraphs"]

# The formats, the one that says most first, with the types that stand for them.
FORMATS = {
    "json": "application/json text/json application/x-json",
    "vtt": "text/vtt text/webvtt application/vtt application/x-vtt",
    "srt": "application/srt application/x-subrip text/srt application/x-srt text/x-srt text/x-subrip",
    "html": "text/html application/xhtml+xml",
    "txt": "text/plain text/markdown",
}
# The types of the endings of files.
TYPES = {
    "json": "application/json",
    "json3": "application/json",
    "jsonl": "application/json",
    "vtt": "text/vtt",
    "srt": "application/srt",
    "sbv": "application/srt",
    "html": "text/html",
    "htm": "text/html",
    "txt": "text/plain",
    "text": "text/plain",
    "md": "text/markdown",
    "markdown": "text/markdown",
}
_BY_TYPE = {name: kind for kind, names in FORMATS.items() for name in names.split()}

MOST_IN_LINE = 200  # characters, on average, where lines are no paragraphs

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

    First come those in the show's language, then those of the best-ranked source, then what a
    person wrote, then those in a format that has times, then the format that says most; captions, which
    are cut to fit a screen, come after what is not declared as such.
    """
    ranks = [*FORMATS, ""]

    def order(offer: OfferedTranscript) -> tuple[object, ...]:
        tongues = {_tongue(offer.language), _tongue(language)} - {""}
        rank = ranks.index(_format(offer.content_type, offer.address))
        is_text, is_captions = rank >= ranks.index("html"), "captions" in offer.rel.lower().split()
        by_machine = offer.is_machine_made
        return (len(tongues) > 1, offer.rank, by_machine, is_text, rank, is_captions)

    by_address = {offer.address: offer for offer in sorted(offers, key=order, reverse=True)}
    return sorted(by_address.values(), key=order)


def cues(body: bytes, content_type: str, address: str) -> tuple[Cue, ...]:
    """The cues of a transcript, ordered by start; its format is told by its content first.

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
        return spoken(captions(text, vtt=True))
    if _JSON.match(start) or (promised == "json" and not start.startswith("<")):
        return json_cues(opened(text, by_line=ending_of(address) == "jsonl"))
    if _MARKUP.match(text[:65_536]):
        return _marked_up(text, {promised, _format("", address)} - {"", "html"})
    if _OTHER_MARKUP.match(start):
        raise ValueError("markup that is no HTML")
    if TIMING.search(text):
        return spoken(captions(text, vtt=promised == "vtt"))
    return spoken(_plain(spoken_part(text)))


def _format(content_type: str, address: str) -> str:
    """The format that type and address promise; "" where they do not tell. A type that fits any
    text tells less than a name."""
    by_type = _BY_TYPE.get(content_type.partition(";")[0].strip().lower(), "")
    by_name = _BY_TYPE.get(TYPES.get(ending_of(taken_apart(address).path), ""), "")
    return by_name or by_type if by_type in ("", "txt") else by_type


def ending_of(path: str) -> str:
    """The ending of a file's name in lower case, without the dot; "" where it has none."""
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return ending.lower() if dot else ""


def _tongue(language: str) -> str:
    return language.strip().lower().replace("_", "-").partition("-")[0]


# --- HTML --------------------------------------------------------------------------------------

_FURNITURE = re.compile(r"<(nav|footer|form)\b.*?</\1>", re.IGNORECASE | re.DOTALL)
# At the beginning of a paragraph: in a sentence it is a title.
_CITE = re.compile(r"(?<=>)\s*<cite\b[^<>]*>\s*([^<>]*?)[\s:]*</cite>", re.IGNORECASE)
_TIME = re.compile(r"<time\b[^<>]*>[\s(\[]*([\d:.]+)[\s)\]]*</time>", re.IGNORECASE)


def _marked_up(text: str, otherwise: set[str]) -> Iterable[Cue]:
    """The cues of a page, whose `<cite>` is a speaker and `<time>` the start of what follows;
    `otherwise` are the formats that are promised instead of one."""
    page = _CITE.sub(r"<p>\1: ", _TIME.sub(r" [\1] ", _FURNITURE.sub("", text)))
    plain = flat(pieces(page)).text.replace("\n", "\n\n")
    if TIMING.search(plain):
        return spoken(captions(plain, vtt=False))
    found = spoken(_plain(plain))
    if otherwise and {(cue.speaker, cue.start) for cue in found} <= {("", None)}:
        raise ValueError(f"an HTML page in place of a transcript ({min(otherwise)})")
    return found


# --- Plain text --------------------------------------------------------------------------------

# "[00:01:02] text", "Sarah 0:03" and "Sarah (0:03): text" are in use, though no rule says so. Behind
# a name a time is one only where a heading ends, or a colon says so.
_STAMP = re.compile(
    r"(?:(?P<name>[^\W\d_][\w.'’ -]{0,40}?):?[ \t]+)?"
    rf"[\[(]?(?P<time>{IN_TEXT}(?:\.[0-9]{{1,3}})?)[\])]?(?(name)(?=[ \t]*:|(?:[ \t]+[-–—])?\Z))"
    r"(?:[ \t]*:)?(?:[ \t]+[-–—])?(?:[ \t]+(?P<rest>\S.*))?"
)


def _plain(text: str) -> Iterator[CueLines]:
    """The paragraphs of a text, or its lines where no empty ones part it; some begin with a time,
    and with a name."""
    lines = list(map(folded, text.strip().split("\n")))
    stamps = _stamps(lines)
    parted = "\n".join(f"\n{line}" if line in stamps else line for line in lines)
    start, speaker = None, ""
    # Without empty lines long ones are paragraphs; short ones are sentences, or cut to fit a page.
    is_whole = "\n\n" in parted or MOST_IN_LINE * len(lines) > len(parted) > TOO_MUCH
    for block in re.split(r"\n{2,}" if is_whole else "\n", parted.strip("\n")):
        first, *rest = block.split("\n")
        if stamp := stamps.get(first):
            said = stamp.groupdict("")
            start, speaker, first = position(said["time"]), said["name"], said["rest"]
        if first or rest:
            yield CueLines(start, None, (first, *rest), speaker)
            start, speaker = None, ""


def _stamps(lines: Sequence[str]) -> dict[str, re.Match[str]]:
    """The lines that begin with a time; none where the times do not run on."""
    stamps = {line: stamp for line in lines if (stamp := _STAMP.fullmatch(line))}
    times = list(map(seconds_of, stamps.values()))
    return stamps if len(times) > 1 and times == sorted(times) else {}


# --- Captions: WebVTT, SubRip and SBV, as leniently as players do --------------------------------

_OF_CUE = r"(?:[0-9]{1,4}:)?[0-9]{1,4}:[0-9]{1,2}(?:[.,][0-9]{0,9})?"
TIMING = re.compile(
    rf"^[ \t]*({_OF_CUE})[ \t]*(?:(?:-{{1,2}}|[–—])(?:>|&gt;)|,(?=[0-9]+:))[ \t]*({_OF_CUE})?(?:[ \t][^\n]*)?$",
    re.MULTILINE,
)
HEADER = "WEBVTT"
_EMPTY_LINE = re.compile(r"\n[ \t]*(?:\n|\Z)")
_COUNTER = re.compile(r"(?:\A|\n)[ \t]*[0-9]{1,9}[ \t]*\n?\Z")
_ASIDE = re.compile(r"^(?:NOTE|STYLE|REGION)\b.*?(?:\n[ \t]*\n|\Z)", re.MULTILINE | re.DOTALL)
_VOICE = re.compile(r"<v(?:\.[\w.-]{0,60})?[ \t]+([^<>\n]{1,200})>")
# Other things in angle brackets, "<inaudible>" or "vector<T>", are words.
_TAG = re.compile(
    r"</?(?:b|i|u|c|v|lang|ruby|rt|font)(?:[. \t][^<>\n]{0,200})?/?>|<[0-9:.]{1,20}>|\{\\[^{}\n]{1,20}\}",
    re.IGNORECASE,
)


def captions(text: str, vtt: bool) -> Iterator[CueLines]:
    """The cues of a file in its order; a cue of several voices gives one for each.

    In WebVTT (https://www.w3.org/TR/webvtt1/) an empty line ends a cue, and a cue without a voice
    has none. SubRip has no rules: there the next timing ends it, with its counter.
    """
    unnamed = SOMEBODY if vtt and _VOICE.search(text) else ""
    timings = list(TIMING.finditer(_ASIDE.sub("\n", text) if vtt else text))
    ends = [*(timing.start() for timing in timings[1:]), None]
    for timing, end in zip(timings, ends, strict=False):
        body = timing.string[timing.end() : end].lstrip()
        body = _EMPTY_LINE.split(body, maxsplit=1)[0] if vtt else _COUNTER.sub("", body)
        voices = _VOICE.split(body)
        # What stands between marks of voices: text, then name and text by turns.
        for name, said in zip(["", *voices[1::2]], voices[::2], strict=True):
            lines = tuple(entities.unescape(_TAG.sub("", said)).split("\n"))
            start, until = position(timing[1]), position(timing[2])
            yield CueLines(start, until, lines, entities.unescape(name) or unnamed)
