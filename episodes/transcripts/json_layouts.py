"""Reads the JSON of Podcasting 2.0 and of programs that recognise speech, as cues."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..text.markup import storable
from ..text.timecodes import position
from .decoding import rows_of
from .transcript_cues import Cue, carried, folded, in_order

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
