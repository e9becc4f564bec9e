"""Reads the transcripts that feeds link to, in every format in use, as cues that say who speaks when:
opens the files, text in whatever encoding it came, and JSON however hostile."""

import html as entities
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from posixpath import splitext
from typing import Any

from ..text.encodings import UndecodableError, decode_bytes
from ..text.markup import flat, pieces, storable
from ..text.timecodes import IN_TEXT, position, seconds_of
from ..text.urls import taken_apart
from .transcript_cues import SOMEBODY, TOO_MUCH, Cue, CueLines, carried, folded, in_order, spoken

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
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_SAMPLE = 65_536


def text_of(body: bytes, content_type: str = "") -> str:
    """The text of a file, lines ended by "\\n", without what no database takes.

    Raises:
        ValueError: it is too large, or is no text.
    """
    if len(body) > MOST_BYTES:
        raise ValueError(f"larger than {MOST_BYTES // 1_000_000} MB")
    if body.startswith(_BINARY):
        raise ValueError("not a text file")
    try:
        text = decode_bytes(body, content_type)
    except UndecodableError as error:
        raise ValueError(str(error)) from None
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


# -- the formats -----------------------------------------------------------------------------------

# The formats, the one that says most first, with the types that stand for them.
FORMATS = {
    "json": "application/json text/json application/x-json",
    "vtt": "text/vtt text/webvtt application/vtt application/x-vtt",
    "srt": "application/srt application/x-subrip text/srt application/x-srt text/x-srt text/x-subrip",
    "html": "text/html application/xhtml+xml",
    "txt": "text/plain text/markdown",
}
TIMED_FORMATS = ("json", "vtt", "srt")
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
    promised = format_of(content_type, address)
    start = text[:4096].lstrip()
    if start.startswith(HEADER):
        return spoken(captions(text, vtt=True))
    if _JSON.match(start) or (promised == "json" and not start.startswith("<")):
        return json_cues(opened(text, by_line=ending_of(address) == "jsonl"))
    if _MARKUP.match(text[:65_536]):
        return _marked_up(text, {promised, format_of("", address)} - {"", "html"})
    if _OTHER_MARKUP.match(start):
        raise ValueError("markup that is no HTML")
    if TIMING.search(text):
        return spoken(captions(text, vtt=promised == "vtt"))
    # Without front matter, and without a heading and what is before it.
    body = _parted(text)[1]
    heading = _HEADING.search(body, 0, _BEFORE)
    said = body[heading.end() :] if heading else body
    # Marks of Markdown are left out.
    return spoken(_plain(_STRESS.sub(r"\2", _MARKS.sub(r"\1", said))))


def format_of(content_type: str, address: str) -> str:
    """The format that type and address promise; "" where they do not tell. A type that fits any
    text tells less than a name."""
    by_type = _BY_TYPE.get(content_type.partition(";")[0].strip().lower(), "")
    by_name = _BY_TYPE.get(TYPES.get(ending_of(taken_apart(address).path), ""), "")
    return by_name or by_type if by_type in ("", "txt") else by_type


def ending_of(path: str) -> str:
    """The ending of a file's name in lower case, without the dot; "" where it has none."""
    return splitext(path)[1][1:].lower()


# --- HTML --------------------------------------------------------------------------------------

_FURNITURE = re.compile(r"<(?:(nav|footer|form)\b|/(nav|footer|form)>)", re.IGNORECASE)
# At the beginning of a paragraph: in a sentence it is a title.
_CITE = re.compile(r"(?<=>)\s*<cite\b[^<>]*>([^<>]*)</cite>", re.IGNORECASE)
_TIME = re.compile(r"<time\b[^<>]*>[\s(\[]*([\d:.]+)[\s)\]]*</time>", re.IGNORECASE)


def _marked_up(text: str, otherwise: set[str]) -> Iterable[Cue]:
    """The cues of a page, whose `<cite>` is a speaker and `<time>` the start of what follows;
    `otherwise` are the formats that are promised instead of one."""
    page = _CITE.sub(_speaker_first, _TIME.sub(r" [\1] ", _without_furniture(text)))
    plain = flat(pieces(page)).text.replace("\n", "\n\n")
    if TIMING.search(plain):
        return spoken(captions(plain, vtt=False))
    found = spoken(_plain(plain))
    if otherwise and {(cue.speaker, cue.start) for cue in found} <= {("", None)}:
        raise ValueError(f"an HTML page in place of a transcript ({min(otherwise)})")
    return found


def _speaker_first(cite: re.Match[str]) -> str:
    """Return a paragraph that begins with the speaker's name."""
    name = " ".join(cite[1].split()).rstrip(": ")
    return f"<p>{name}: "


def _without_furniture(text: str) -> str:
    """Return a page without menus, footers and forms. One that is not closed is text."""
    tags = list(_FURNITURE.finditer(text))
    last_end = {tag[2].lower(): tag.start() for tag in tags if tag[2]}
    kept, position, inside = [], 0, ""
    for tag in tags:
        name = (tag[1] or tag[2]).lower()
        if inside:
            if tag[2] and name == inside:
                position, inside = tag.end(), ""
        elif tag[1] and tag.start() < last_end.get(name, 0):
            kept.append(text[position : tag.start()])
            inside = name
    return "".join((*kept, text[position:]))


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


# --- JSON of Podcasting 2.0 and of programs that recognise speech ---------------------------------

# What only programs say of words: how sure they are of them, and how they were set up.
_MACHINE = re.compile(
    r"\"(?:confidence|avg_logprob|no_speech_prob|probability|acAsrConf|systeminfo|word_segments)\"\s*:"
)
# What a file says of itself, at either end of it.
_FACTS = re.compile(
    r"\"(?:audio_(?=duration))?(language|duration|audio_url)(?:_code)?\"\s*:\s*"
    r"\"?([a-zA-Z]{2,3}(?:[-_]\w{2,4})?|https?://[^\"\s]{1,1000}|[\d.]{1,20})[\",\s}]"
)
_EDGE = 4_000  # characters


def json_cues(data: Any) -> Iterable[Cue]:
    """The cues of an opened JSON file.

    Formats: Podcasting 2.0, openai-whisper and faster-whisper (`segments`), whisper.cpp
    (`transcription`), Deepgram (`results`), YouTube's json3 (`events`), AssemblyAI (`words`).

    Raises:
        ValueError: it is none of these.
    """
    named = data if isinstance(data, dict) else {"segments": data}
    read = next((read for name, read in _LAYOUTS.items() if named.get(name)), _segments)
    return carried(in_order(read(named)))


def facts_of_json(text: str) -> dict[str, str]:
    """The language, the duration in seconds and the audio that a JSON text says of itself, under
    these names; `machine_made` where it says how sure a program is of what it has heard."""
    found = _FACTS.findall(f"{text[:_EDGE]}\n{text[-_EDGE:]}")
    machine = {"machine_made": "yes"} if _MACHINE.search(text) else {}
    return dict(reversed(found)) | machine


def _segments(data: dict[str, Any]) -> Iterator[Cue]:
    """Segments with their times; a text alone is one without."""
    if "segments" not in data and _text(data.get("text")):
        return iter([_segment({"text": data["text"]})])
    return map(_segment, rows_of(data, "segments"))


def _segment(row: dict[str, Any], unit: int = 1) -> Cue:
    """A cue of a row in the names that programs use; times are parts of a second, `unit` each."""
    # Podlove gives the name as `voice`; recognisers count the voices they tell apart.
    speaker = _first(row, "voice", "speaker")
    text = _first(row, "body", "punctuated_word", "text", "word", "transcript")
    if isinstance(speaker, int):
        speaker = f"Speaker {speaker}"
    times = _first(row, "startTime", "start"), _first(row, "endTime", "end")
    start, end = (
        position(at / unit if unit > 1 and isinstance(at, int | float) else at) for at in times
    )
    return Cue(start, end, folded(_text(speaker)), folded(_text(text)))


def _whisper_cpp(data: dict[str, Any]) -> Iterator[Cue]:
    for row in rows_of(data, "transcription"):
        times = _within(row, "offsets")
        said = {"start": times.get("from"), "end": times.get("to"), "text": row.get("text")}
        yield _segment(said, 1000)


def _youtube(data: dict[str, Any]) -> Iterator[Cue]:
    """The lines of captions. Each is shown until the one after the next comes up."""
    for row in rows_of(data, "events"):
        parts = rows_of(row, "segs") if row.get("segs") else []
        text = "".join(str(part.get("utf8", "")) for part in parts)
        yield _segment({"start": row.get("tStartMs"), "text": text}, 1000)


def _deepgram(data: dict[str, Any]) -> Iterator[Cue]:
    """The words of the best reading of each channel, of which several are several speakers; where
    there are none, its text."""
    channels = rows_of(_within(data, "results"), "channels")
    for number, channel in enumerate(channels):
        best = next(iter(rows_of(channel, "alternatives")), {})
        words = best.get("words") or [{"transcript": best.get("transcript")}]
        speaker = {"speaker": number} if len(channels) > 1 else {}
        for row in rows_of(words, "words"):
            yield _segment(speaker | row)


def _assembly_ai(data: dict[str, Any]) -> Iterator[Cue]:
    """Words, in milliseconds where the file says how long the audio is; each voice is a letter."""
    unit = 1000 if "audio_duration" in data else 1
    for row in rows_of(data, "words"):
        voice = row.get("speaker")
        named = {"speaker": f"Speaker {voice}"} if _text(voice) else {}
        yield _segment(row | named, unit)


# The layouts by a name that they have, the one that says most first.
_LAYOUTS = {
    "segments": _segments,
    "transcription": _whisper_cpp,
    "results": _deepgram,
    "events": _youtube,
    "words": _assembly_ai,
}


def _within(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def _first(row: dict[str, Any], *names: str) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _text(value: Any) -> str:
    return storable(value) if isinstance(value, str) and value.strip() else ""


# --- Front matter and headings of text files -----------------------------------------------------

# Between two lines of "---" (YAML) or "+++" (TOML) at the beginning of a file.
_FRONT = re.compile(
    r"\s*(---|\+\+\+)[ \t]*\n(.{0,20000}?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL
)
_LINE = re.compile(r"([A-Za-z][\w-]{0,40})[ \t]*[:=][ \t]*([\"']?)(\S[^\n]{0,2000}?)\2\s*")
_HEADING = re.compile(r"^#[ \t]+(\S[^\n]{0,500}?)[ \t#]*(?:\n|\Z)", re.MULTILINE)
# A heading further down comes in the middle of what is said.
_BEFORE = 2_000  # characters
# "**Ada:** text", "## Part", "> quote", "[words](https://…)", "* * *": marks around words.
_MARKS = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+|>(?!>)[ \t]?|(?:[-*_][ \t]*){3,}$)|\*\*"
    r"|!?\[([^\[\]\n]{0,300})\]\((?:[^()\n]|\([^()\n]{0,300}\)){0,1000}\)",
    re.MULTILINE,
)
# "*words*", "_words_", "`code`" within a line; a whole line between stars is a sound.
_STRESS = re.compile(
    r"(?!^\*[^*\n]*\*$)(?<![\w*`])(\*|_|`{1,3})(?!\1|\s)([^\n]{1,300}?)(?<!\s)\1(?![\w*`])",
    re.MULTILINE,
)


def facts_of(text: str) -> dict[str, str]:
    """The values of the front matter by their names in lower case, `-` as `_`; lists and nested
    values are left out."""
    lines = map(_LINE.fullmatch, _parted(text)[0].split("\n"))
    return {line[1].lower().replace("-", "_"): line[3] for line in lines if line}


def _parted(text: str) -> tuple[str, str]:
    """The front matter of a text, and what follows it."""
    front = _FRONT.match(text)
    return (front[2], text[front.end() :]) if front else ("", text)
