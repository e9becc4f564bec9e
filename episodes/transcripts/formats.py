"""Reads transcripts of all formats in use as cues: WebVTT, SubRip, JSON, HTML and plain text."""

import html as entities
import json
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import zip_longest
from posixpath import splitext
from typing import Any, NamedTuple

from ..text.encodings import UndecodableError, decode_bytes
from ..text.markup import (
    plain_text_and_links_of_pieces,
    split_into_allowed_tags_and_texts,
    storable_text,
)
from ..text.timecodes import MAX_SECONDS, TIMECODE_PATTERN, parse_seconds, timecode_seconds
from ..text.urls import safe_urlsplit
from .transcript_cues import (
    MAX_PARAGRAPH_LENGTH,
    UNKNOWN_SPEAKER,
    Cue,
    CueLines,
    fold_spaces,
    iterate_cues_with_speakers_filled_in,
    sorted_cues_with_text,
    split_into_cues_by_speaker,
)

MAX_TRANSCRIPT_BYTES = 20_000_000  # ten hours of speech, timed word by word, are a tenth of it
# Lines, tags or values. Far beyond any transcript, and as much as a small machine can hold.
MAX_TRANSCRIPT_PARTS = 1_000_000


def decode_text_or_raise(body: bytes, content_type: str = "") -> str:
    """Return the text of a file, with "\\n" at the ends of lines, without characters that databases
    refuse.

    Raises:
        ValueError: it is too large, or is not a text.
    """
    if len(body) > MAX_TRANSCRIPT_BYTES:
        raise ValueError(f"larger than {MAX_TRANSCRIPT_BYTES // 1_000_000} MB")
    if _begins_like_binary_file(body):
        raise ValueError("not a text file")
    try:
        text = decode_bytes(body, content_type)
    except UndecodableError as error:
        raise ValueError(str(error)) from None
    if _has_many_control_characters(text[:65_536]):
        raise ValueError("not a text file")
    # A byte order mark, as programs of Windows write it, is no part of the text.
    text = text.removeprefix("\ufeff")
    # "\r\r\n" ends a line of a file that was converted for Windows twice. A blank line would end a caption.
    for line_end in ("\r\r\n", "\r\n", "\r"):
        text = text.replace(line_end, "\n")
    text = storable_text(text)
    if max(text.count("\n"), text.count("<")) > MAX_TRANSCRIPT_PARTS:
        raise ValueError("more lines or tags than any transcript has")
    return text


def _begins_like_binary_file(body: bytes) -> bool:
    """Return whether these are the first bytes of PDF, ZIP, gzip, RTF, audio, images or old Office files."""
    binary_beginnings = (
        b"%PDF", b"PK\x03\x04", b"\x1f\x8b", b"{\\rtf", b"ID3", b"OggS", b"\x89PNG", b"GIF8", b"\xff\xd8\xff",
        b"\xd0\xcf\x11",
    )  # fmt: skip
    return body.startswith(binary_beginnings)


def _has_many_control_characters(sample: str) -> bool:
    # Tabs, line breaks and escapes are no signs of a binary file. "\ufffd" stands for bytes that are no text.
    control_count = len(re.findall(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]", sample))
    # More than a fifth of control characters. A few may be in any short text.
    return control_count * 5 > len(sample) + 40


def parse_limited_json(text: str, *, by_line: bool = False) -> Any:
    """Return the value of a JSON text, or a list of the values of its lines.

    Raises:
        ValueError: it is not JSON, or has too many parts.
    """
    if text.count("{") + text.count("[") > MAX_TRANSCRIPT_PARTS:
        raise ValueError("JSON of too many parts")
    if by_line:
        values = ",".join(text.strip().splitlines())
        text = f"[{values}]"
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        raise ValueError("JSON that cannot be read") from None


def json_rows(parsed_json: Any, list_name: str) -> list[dict[str, Any]]:
    """Return the objects in a JSON list, or in the list with this name.

    Raises:
        ValueError: there is no such list.
    """
    rows = parsed_json.get(list_name) if isinstance(parsed_json, dict) else parsed_json
    if not isinstance(rows, list):
        raise ValueError(f"JSON without {list_name}")
    return [row for row in rows if isinstance(row, dict)]


# --- Formats --------------------------------------------------------------------------------------

# Media types by format, the most detailed format first.
FORMATS = {
    "json": "application/json text/json application/x-json",
    "vtt": "text/vtt text/webvtt application/vtt application/x-vtt",
    "srt": "application/srt application/x-subrip text/srt application/x-srt text/x-srt text/x-subrip",
    "html": "text/html application/xhtml+xml",
    "txt": "text/plain text/markdown",
}
TIMED_FORMATS = ("json", "vtt", "srt")
# Media types by endings of files.
TYPES_BY_EXTENSION = {
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
_FORMAT_OF_TYPE = {
    media_type: name for name, media_types in FORMATS.items() for media_type in media_types.split()
}

_MARKUP = re.compile(
    r"\s*(?:<\?xml[^<>]*>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*)*<(?:!doctype\s+html|html|head|body|cite|time|p|div|h[1-6]|article"
    r"|section|main|br|hr|span|b|i|strong|em|ul|ol|dl|pre|figure|blockquote|meta|title|style|script)\b",
    re.IGNORECASE,
)


def read_cues(body: bytes, content_type: str, address: str) -> tuple[Cue, ...]:
    """Return the cues of a transcript by start. Its content tells the format, else its type and name.

    Formats:
    https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/examples/transcripts/transcripts.md,
    and plain text. A missing or impossible time is None.

    Raises:
        ValueError: it cannot be read. The message says why.
    """
    text = decode_text_or_raise(body, content_type)
    if not text.strip():
        raise ValueError("the file is empty")
    cues = sorted_cues_with_text(_cues_of_detected_format(text, content_type, address))
    if not cues:
        raise ValueError("no words in it")
    return cues


def _cues_of_detected_format(text: str, content_type: str, address: str) -> Iterable[Cue]:
    # The order matters: captions and JSON may have tags in their texts, and a page may have timings in its text.
    declared = declared_format(content_type, address)
    beginning = text[:65_536].lstrip()  # a page may begin with long comments
    if beginning.startswith("WEBVTT"):
        return split_into_cues_by_speaker(_iterate_captions_by_speaker(text, is_vtt=True))
    # A server may send a page about an error in place of declared JSON.
    is_declared_json = declared == "json" and not beginning.startswith("<")
    begins_like_json = re.match(r"\{\s*[\"}]|\[\s*[{\]]", beginning)  # '{"', "[{", "[]"
    if begins_like_json or is_declared_json:
        is_by_line = file_extension(address) == "jsonl"
        return json_cues(parse_limited_json(text, by_line=is_by_line))
    if _MARKUP.match(beginning):
        # Other formats than HTML. An error page at an address that ends with ".vtt" has the type "text/html".
        format_of_ending = declared_format("", address)
        promised_formats = {declared, format_of_ending} - {"", "html"}
        return _cues_of_html_unless_error_page(text, promised_formats)
    # Such as a feed, or captions in TTML.
    is_other_markup = re.match(
        r"<(?:\?xml|!doctype|tt|rss|feed|error|transcript|svg)\b", beginning, flags=re.IGNORECASE
    )
    if is_other_markup:
        raise ValueError("markup that is no HTML")
    if TIMING.search(text):  # SubRip, or WebVTT without its first line
        return split_into_cues_by_speaker(
            _iterate_captions_by_speaker(text, is_vtt=declared == "vtt")
        )
    plain_text = _without_front_matter_and_markdown(text)
    return split_into_cues_by_speaker(_iterate_paragraphs_of_plain_text(plain_text))


def declared_format(content_type: str, address: str) -> str:
    """Return the format in FORMATS that a media type and an address declare, or "". The ending of
    the address counts more than "text/plain"."""
    media_type = content_type.partition(";")[0].strip().lower()
    by_type = _FORMAT_OF_TYPE.get(media_type, "")
    if by_type not in ("", "txt"):
        return by_type
    ending = file_extension(safe_urlsplit(address).path)
    type_of_ending = TYPES_BY_EXTENSION.get(ending, "")
    return _FORMAT_OF_TYPE.get(type_of_ending, by_type)


def file_extension(path: str) -> str:
    """Return "vtt" for "words/Looms.VTT", or ""."""
    _, ending = splitext(path)
    return ending.removeprefix(".").lower()


# --- HTML --------------------------------------------------------------------------------------


def _cues_of_html_unless_error_page(text: str, promised_formats: set[str]) -> Iterable[Cue]:
    """Return the cues of a page. `<cite>` is a speaker, and `<time>` the start of the text behind it.

    Raises:
        ValueError: other formats were promised by its type or address, and the page has no times and no speakers.
    """
    # "<time>(1:02)</time>" becomes " [1:02] ", which is read as a stamp of plain text.
    page = re.sub(
        r"<time\b[^<>]*>[\s(\[]*(?P<time>[\d:.]+)[\s)\]]*</time>",
        r" [\g<time>] ",
        text,
        flags=re.IGNORECASE,
    )
    # "<p><cite>Ada</cite>" becomes "<p><p>Ada: ". Within a sentence `<cite>` is the title of a work.
    page = re.sub(
        r"(?<=>)\s*<cite\b[^<>]*>(?P<name>[^<>]*)</cite>",
        _speaker_paragraph,
        page,
        flags=re.IGNORECASE,
    )
    # Each block is a paragraph, and empty lines separate paragraphs of plain text.
    pieces = split_into_allowed_tags_and_texts(page)
    plain_text = plain_text_and_links_of_pieces(pieces).text.replace("\n", "\n\n")
    # A page may have the text of a file of captions.
    if TIMING.search(plain_text):
        return split_into_cues_by_speaker(_iterate_captions_by_speaker(plain_text, is_vtt=False))
    cues = split_into_cues_by_speaker(_iterate_paragraphs_of_plain_text(plain_text))
    has_speakers_or_times = any(cue.speaker or cue.start is not None for cue in cues)
    # A server answers with a page of its own if a file of captions is gone. Type and address may promise two formats,
    # and the message names one of them.
    if promised_formats and not has_speakers_or_times:
        raise ValueError(f"an HTML page in place of a transcript ({min(promised_formats)})")
    return cues


def _speaker_paragraph(cite: re.Match[str]) -> str:
    name = " ".join(cite["name"].split()).rstrip(": ")
    return f"<p>{name}: "


# --- Plain text --------------------------------------------------------------------------------

# " --> 00:04.500", and ":12 - 00:00:07:01" with frames.
_STAMP_END = r"(?:(?::[0-9]{2})?[ \t]*-(?:->)?[ \t]*[0-9:.]{4,13})?"
# "[00:01:02] text", "[00:01.000 --> 00:04.500] text", "Sarah 0:03", "Sarah | 0:03" and "Sarah (0:03): text".
# "(?(name)…)": behind a name a time counts only before a colon or at the end of a heading.
_STAMP = re.compile(
    r"(?:(?P<name>[^\W\d_][\w.'’ -]{0,40}?)(?::|[ \t]*\|)?[ \t]+)?"
    rf"[\[(]?(?P<time>{TIMECODE_PATTERN}(?:\.[0-9]{{1,3}})?){_STAMP_END}[\])]?"
    r"(?(name)(?=[ \t]*:|(?:[ \t]+[-–—])?\Z))"
    r"(?:[ \t]*:)?(?:[ \t]+[-–—])?(?:[ \t]+(?P<text>\S.*))?"
)


def _iterate_paragraphs_of_plain_text(text: str) -> Iterator[CueLines]:
    """Yield the paragraphs of a text, or its lines if no empty lines separate paragraphs.

    A paragraph may begin with a stamp: a time, perhaps behind a name. A stamp alone on a line belongs
    to the next paragraph.
    """
    lines = list(map(fold_spaces, text.strip().split("\n")))
    stamps_by_line = _stamps_by_line_text_or_empty(lines)
    stamp = NO_STAMP
    for paragraph in _split_into_paragraphs(lines, stamps_by_line):
        first_line, *other_lines = paragraph.split("\n")
        if first_line in stamps_by_line:
            stamp = stamps_by_line[first_line]
            first_line = stamp.text
        # Of a paragraph that is a stamp alone nothing is left, so the stamp stays for the next one.
        if first_line or other_lines:
            yield CueLines(stamp.start, None, (first_line, *other_lines), stamp.speaker)
            stamp = NO_STAMP


def _split_into_paragraphs(lines: Sequence[str], stamp_lines: Container[str]) -> list[str]:
    # A line with a stamp begins a paragraph, so it gets an empty line before it.
    separated = "\n".join(f"\n{line}" if line in stamp_lines else line for line in lines)
    text = separated.strip("\n")
    if "\n\n" in text:
        return re.split(r"\n{2,}", text)
    # Without empty lines, long lines are paragraphs. In a long text short lines are sentences, or cut to fit a
    # page of 80 characters: they stay one paragraph, which `join_into_paragraphs` splits between sentences.
    mean_line_length = len(text) / len(lines)
    if mean_line_length < 200 and len(text) > MAX_PARAGRAPH_LENGTH:
        return [text]
    return text.split("\n")


class Stamp(NamedTuple):
    """A line of a text that begins with a time."""

    start: float | None
    speaker: str  # the name before the time, or ""
    text: str  # behind the time


NO_STAMP = Stamp(None, "", "")


def _stamps_by_line_text_or_empty(lines: Sequence[str]) -> dict[str, Stamp]:
    """Return the parts of each line that begins with a time, by the text of the line: 3.0, "Sarah" and "Hello" for
    "Sarah (0:03): Hello".

    Return {} if fewer than two lines do, or if their times do not ascend: then they are no stamps.
    """
    stamps_by_line = {}
    seconds = []
    for line in dict.fromkeys(lines):  # equal lines once
        match = _STAMP.fullmatch(line)
        if match:
            parts = match.groupdict("")
            stamps_by_line[line] = Stamp(parse_seconds(parts["time"]), parts["name"], parts["text"])
            # Without fractions: "[0:05.5]" may stand before "[0:05]" of another speaker.
            seconds.append(timecode_seconds(match))
    do_ascend = seconds == sorted(seconds)
    return stamps_by_line if do_ascend and len(seconds) > 1 else {}


# --- Captions: WebVTT, SubRip and SBV, as leniently as players do --------------------------------

_CUE_TIME = r"(?:[0-9]{1,4}:)?[0-9]{1,4}:[0-9]{1,2}(?:[.,][0-9]{0,9})?"
TIMING = re.compile(
    rf"^[ \t]*(?P<start>{_CUE_TIME})[ \t]*(?:(?:-{{1,2}}|[–—])(?:>|&gt;)|,(?=[0-9]+:))[ \t]*"
    rf"(?P<end>{_CUE_TIME})?(?:[ \t][^\n]*)?$",
    re.MULTILINE,
)
_EMPTY_LINE = re.compile(r"\n[ \t]*(?:\n|\Z)")
_VTT_COMMENT = re.compile(r"^(?:NOTE|STYLE|REGION)\b.*?(?:\n[ \t]*\n|\Z)", re.MULTILINE | re.DOTALL)
_VOICE = re.compile(r"<v(?:\.[\w.-]{0,60})?[ \t]+(?P<name>[^<>\n]{1,200})>")  # "<v.loud Ada>"
# Other words in angle brackets, "<inaudible>" or "vector<T>", are text.
_TAG = re.compile(
    r"</?(?:b|i|u|c|v|lang|ruby|rt|font)(?:[. \t][^<>\n]{0,200})?/?>|<[0-9:.]{1,20}>|\{\\[^{}\n]{1,20}\}",
    re.IGNORECASE,
)


def _iterate_captions_by_speaker(text: str, *, is_vtt: bool) -> Iterator[CueLines]:
    """Yield the captions of a file in its order. A caption of several speakers gives one for each: "<v Ada>Hi"
    below "00:01.000 --> 00:02.500" is "Hi" of Ada, from second 1 to 2.5."""
    if is_vtt:
        text = _VTT_COMMENT.sub("\n", text)
    # If a file names voices, a caption without a voice is not of the speaker before it.
    default_speaker = UNKNOWN_SPEAKER if _VOICE.search(text) else ""
    for timing, caption in _iterate_timings_and_captions(text, is_vtt=is_vtt):
        start = parse_seconds(timing["start"])
        end = parse_seconds(timing["end"])
        for part in _iterate_parts_by_voice(caption):
            lines = entities.unescape(_TAG.sub("", part.words)).split("\n")
            speaker = entities.unescape(part.name) or default_speaker
            yield CueLines(start, end, tuple(lines), speaker)


def _iterate_timings_and_captions(
    text: str, *, is_vtt: bool
) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the matches of timings, each with the text below it.

    In WebVTT (https://www.w3.org/TR/webvtt1/) an empty line ends a caption. SubRip has no rules: there the
    next timing ends it, with the number of its caption.
    """
    timings = list(TIMING.finditer(text))
    for timing, next_timing in zip_longest(timings, timings[1:]):
        caption_end = next_timing.start() if next_timing else len(text)
        caption = text[timing.end() : caption_end].lstrip()
        if is_vtt:
            caption, *_ = _EMPTY_LINE.split(caption, maxsplit=1)
        elif next_timing:
            # The number of the next caption, on a line of its own.
            caption = re.sub(r"(?:\A|\n)[ \t]*[0-9]{1,9}[ \t]*\n?\Z", "", caption)
        yield timing, caption


class VoicePart(NamedTuple):
    """The part of a caption that one speaker says."""

    name: str  # "" for the part before the first voice
    words: str


def _iterate_parts_by_voice(caption: str) -> Iterator[VoicePart]:
    """Yield the parts of a caption: "Hi <v Ada>Hello" has "Hi" without a name, and "Hello" of Ada."""
    name = ""
    start = 0  # of the words of `name`
    for voice in _VOICE.finditer(caption):
        yield VoicePart(name, caption[start : voice.start()])
        name = voice["name"]
        start = voice.end()
    yield VoicePart(name, caption[start:])


# --- JSON of Podcasting 2.0 and of programs that recognise speech ---------------------------------


def json_cues(parsed_json: Any) -> Iterable[Cue]:
    """Return the cues of JSON in any of these layouts: Podcasting 2.0, openai-whisper and
    faster-whisper (`segments`), whisper.cpp (`transcription`), Deepgram (`results`), YouTube's json3
    (`events`), AssemblyAI (`words`).

    Raises:
        ValueError: it has no such layout.
    """
    layout = parsed_json if isinstance(parsed_json, dict) else {"segments": parsed_json}
    return iterate_cues_with_speakers_filled_in(
        sorted_cues_with_text(_cues_of_detected_json_layout(layout))
    )


def _cues_of_detected_json_layout(parsed_json: dict[str, Any]) -> Iterable[Cue]:
    readers_by_name = {
        "segments": _segment_cues,
        "transcription": _whisper_cpp_cues,
        "results": _deepgram_cues,
        "events": _youtube_cues,
        "words": _assembly_ai_word_cues,
    }
    for name, read_cues_of_layout in readers_by_name.items():
        if parsed_json.get(name):
            return read_cues_of_layout(parsed_json)
    if "text" in parsed_json:  # without times
        return [_cue_of_row(parsed_json)]
    # It raises ValueError, because there is no list of segments.
    return _segment_cues(parsed_json)


def find_declared_facts_in_json(text: str) -> dict[str, str]:
    """Return `language` and `audio_url` as a JSON text declares them, and `machine_made` if it says how sure a
    program is of words."""
    # Facts stand in a few lines before and behind the words of the transcript, which may be long.
    beginning_and_end = f"{text[:4000]}\n{text[-4000:]}"
    patterns = {
        # "language_code": "en-GB"
        "language": r'"language(?:_code)?"\s*:\s*"([a-zA-Z]{2,3}(?:[-_]\w{2,4})?)"',
        # "audio_url": "https://loom.example/1.mp3"
        "audio_url": r'"audio_url"\s*:\s*"(https?://[^"\s]{1,1000})"',
    }
    facts = {}
    for name, pattern in patterns.items():
        if fact := re.search(pattern, beginning_and_end):
            facts[name] = fact[1]
    # Only programs write how sure they are of words, and how they were set up.
    if re.search(
        r"\"(?:confidence|avg_logprob|no_speech_prob|probability|acAsrConf|systeminfo|word_segments)\"\s*:",
        text,
    ):
        facts["machine_made"] = "yes"
    return facts


def _segment_cues(parsed_json: dict[str, Any]) -> Iterable[Cue]:
    return map(_cue_of_row, json_rows(parsed_json, "segments"))


def _whisper_cpp_cues(parsed_json: dict[str, Any]) -> Iterator[Cue]:
    for row in json_rows(parsed_json, "transcription"):
        times = _object_or_empty(row.get("offsets"))
        segment = {"start": times.get("from"), "end": times.get("to"), "text": row.get("text")}
        yield _cue_of_row(segment, units_per_second=1000)


def _youtube_cues(parsed_json: dict[str, Any]) -> Iterator[Cue]:
    """Yield the lines of captions. Their ends overlap, so they are left out."""
    for row in json_rows(parsed_json, "events"):
        # An event without text styles a window.
        parts = json_rows(row.get("segs", []), "segs")
        text = "".join(str(part.get("utf8", "")) for part in parts)
        line = {"start": row.get("tStartMs"), "text": text}
        yield _cue_of_row(line, units_per_second=1000)


def _deepgram_cues(parsed_json: dict[str, Any]) -> Iterator[Cue]:
    """Yield the words of the best alternative of each channel, or its text. Several channels are
    several speakers."""
    channels = json_rows(_object_or_empty(parsed_json.get("results")), "channels")
    for number, channel in enumerate(channels):
        channel_speaker = {"speaker": number} if len(channels) > 1 else {}
        best_first = json_rows(channel, "alternatives")
        for best in best_first[:1]:  # there may be no alternative
            # Without words the alternative has its text itself, as a word does.
            rows = best.get("words") or [best]
            for row in json_rows(rows, "words"):
                # A word's own speaker counts more than its channel.
                yield _cue_of_row(channel_speaker | row)


def _assembly_ai_word_cues(parsed_json: dict[str, Any]) -> Iterator[Cue]:
    """Yield words. Times are in milliseconds if the file has the length of the audio. Speakers are
    letters."""
    units_per_second = 1000 if "audio_duration" in parsed_json else 1
    for row in json_rows(parsed_json, "words"):
        letter = row.get("speaker")
        if _clean_text_or_empty(letter):
            row = row | {"speaker": f"Speaker {letter}"}
        yield _cue_of_row(row, units_per_second)


def _cue_of_row(row: dict[str, Any], units_per_second: int = 1) -> Cue:
    # Podlove gives the name as `voice`. Programs count speakers.
    speaker = _first_value_or_none(row, "voice", "speaker")
    if isinstance(speaker, int):
        speaker = f"Speaker {speaker}"
    text = _first_value_or_none(row, "body", "punctuated_word", "text", "word", "transcript")
    return Cue(
        start=_seconds_or_none(_first_value_or_none(row, "startTime", "start"), units_per_second),
        end=_seconds_or_none(_first_value_or_none(row, "endTime", "end"), units_per_second),
        speaker=fold_spaces(_clean_text_or_empty(speaker)),
        text=fold_spaces(_clean_text_or_empty(text)),
    )


def _seconds_or_none(time: Any, units_per_second: int) -> float | None:
    if units_per_second > 1 and isinstance(time, int | float):
        # Python cannot divide 10 ** 400. No time is longer than MAX_SECONDS.
        time = max(-1, min(time, MAX_SECONDS * units_per_second)) / units_per_second
    return parse_seconds(time)


def _first_value_or_none(row: dict[str, Any], *names: str) -> Any:
    for name in names:
        if row.get(name) is not None:
            return row[name]
    return None


def _object_or_empty(json_value: Any) -> dict[str, Any]:
    return json_value if isinstance(json_value, dict) else {}


def _clean_text_or_empty(json_value: Any) -> str:
    return storable_text(json_value) if isinstance(json_value, str) and json_value.strip() else ""


# --- Front matter and headings of text files -----------------------------------------------------

# Between two lines of "---" (YAML) or "+++" (TOML) at the beginning of a file.
_FRONT = re.compile(
    r"\s*(?P<fence>---|\+\+\+)[ \t]*\n(?P<lines>.{0,20000}?)\n(?:(?P=fence)|\.\.\.)[ \t]*(?:\n|\Z)",
    re.DOTALL,
)
_HEADING = re.compile(r"^#[ \t]+(\S[^\n]{0,500}?)[ \t#]*(?:\n|\Z)", re.MULTILINE)
# "**Ada:** text", "## Part", "> quote", "[words](https://…)", "* * *": marks around words.
_MARKS = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+|>(?!>)[ \t]?|(?:[-*_][ \t]*){3,}$)|\*\*"
    r"|!?\[(?P<link_text>[^\[\]\n]{0,300})\]\((?:[^()\n]|\([^()\n]{0,300}\)){0,1000}\)",
    re.MULTILINE,
)
# "*words*", "_words_", "`code`" within a line. A whole line between stars is a sound.
_STRESS = re.compile(
    r"(?!^\*[^*\n]*\*$)(?<![\w*`])(?P<mark>\*|_|`{1,3})(?!(?P=mark)|\s)"
    r"(?P<words>[^\n]{1,300}?)(?<!\s)(?P=mark)(?![\w*`])",
    re.MULTILINE,
)


def front_matter_values(text: str) -> dict[str, str]:
    """Return the values of the front matter by their names in lower case, with `_` for `-`. Lists and
    nested values are left out."""
    front_matter, _ = _front_matter_and_body(text)
    facts = {}
    for line in front_matter.split("\n"):
        # "title: Springs", 'title = "Springs"'
        match = re.fullmatch(
            r"(?P<name>[A-Za-z][\w-]{0,40})[ \t]*[:=][ \t]*"
            r"(?P<quote>[\"']?)(?P<value>\S[^\n]{0,2000}?)(?P=quote)\s*",
            line,
        )
        if match:
            name = match["name"].lower().replace("-", "_")
            facts[name] = match["value"]
    return facts


def _without_front_matter_and_markdown(text: str) -> str:
    """Return the text without front matter, Markdown, and its heading with all before it."""
    _, body = _front_matter_and_body(text)
    # A heading further down is in the middle of the transcript.
    heading = _HEADING.search(body, 0, 2000)
    if heading:
        body = body[heading.end() :]
    without_marks = _MARKS.sub(r"\g<link_text>", body)
    return _STRESS.sub(r"\g<words>", without_marks)


def _front_matter_and_body(text: str) -> tuple[str, str]:
    front = _FRONT.match(text)
    if front is None:
        return "", text
    return front["lines"], text[front.end() :]
