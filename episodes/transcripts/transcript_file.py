"""Reads the facts in an imported transcript: its front matter, and title, number and date in the name of
its file. `identity/match_transcripts.py` finds the episode by them."""

import re
from collections.abc import Mapping, Sequence

from ..records import EntryData
from .choose_files import FILE, MACHINE_MADE, TIMES, TRANSCRIPT, WORDS, checked_words
from .formats import (
    TYPES_BY_EXTENSION,
    decode_text,
    file_extension,
    front_matter_values,
    metadata_of_json,
    read_cues,
)
from .transcript_cues import Cue

AUDIO_ENDING = re.compile(r"\.(?:mp3|m4[ab]|mp4|aac|ogg|oga|opus|flac|wav|webm|mkv|mov)\Z", re.I)
_LANGUAGE_ENDING = re.compile(
    r"\.([a-z]{2,3}(?:-(?:[A-Z]{2}|[A-Z][a-z]{3}|orig))?)(?=\.(?:vtt|srt|json3)\Z)"
)
_ANY_ENDING = re.compile(r"\.\w{1,8}\Z")
_VIDEO_ID = re.compile(r"\s{0,20}\[[\w-]{11}\]\Z")  # as yt-dlp names files
_COPY_NUMBER = re.compile(r"\s{0,20}\([0-9]{1,2}\)\Z")
_PROGRAM_NAME = re.compile(
    r"whisper|deepgram|assembly ?ai|speech.to.text|youtube|machine|auto", re.I
)
_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-. ]?(0[1-9]|1[0-2])[-. ]?(0[1-9]|[12]\d|3[01])(?!\d)")


def parse_transcript_file(path: str, body: bytes, *, machine_made: bool = False) -> EntryData:
    """Return an entry with the facts in a transcript and in its name. The entry offers the file as
    its transcript.

    Its date may be of the recording, the upload or the publication.

    Raises:
        ValueError: it cannot be read as a transcript. The message says why.
    """
    content_type = TYPES_BY_EXTENSION[file_extension(path)]
    cues = read_cues(body, content_type, path)
    words = checked_words(cues, 10)  # a trailer has more
    text = decode_text(body)
    facts = (
        metadata_of_json(text)
        if content_type == TYPES_BY_EXTENSION["json"]
        else front_matter_values(text)
    )
    stem, language = _stem_and_language(path)
    shortest, longest = _audio_lengths(cues)
    title = _first_fact(facts, "title", "episode_title") or stem
    is_machine_made = machine_made or _names_program(facts)
    transcript = (
        TRANSCRIPT,
        "",
        content_type,
        _first_fact(facts, "language", "lang") or language,
        MACHINE_MADE if is_machine_made else "",
    )
    return EntryData(
        title=title[:300],
        published=_first_date_in(_first_fact(facts, "date", "published", "pubdate"), stem),
        seconds_low=shortest,
        seconds_high=longest,
        number=_number(_first_fact(facts, "episode", "episode_number", "number", "ep")),
        season=_number(facts.get("season", "")),
        guid=_first_fact(facts, "guid", "episode_guid"),
        url=_first_fact(facts, "episode_url", "url", "link"),
        audio_url=_first_fact(facts, "audio", "audio_url", "audio_file", "enclosure", "mp3"),
        extras=(
            transcript,
            (FILE, stem),
            (WORDS, words[:300]),
            (TIMES, "no" if cues[-1].start is None else "yes"),
        ),
    )


def _stem_and_language(path: str) -> tuple[str, str]:
    """Return the name of a file without endings and marks of programs, and the language code in it
    or ""."""
    name = path.rpartition("/")[2]
    language = _LANGUAGE_ENDING.search(name)
    stem = _ANY_ENDING.sub("", _LANGUAGE_ENDING.sub("", name))
    for mark in (AUDIO_ENDING, _VIDEO_ID, _COPY_NUMBER):
        stem = mark.sub("", stem)
    return stem, language[1] if language else ""


def _names_program(facts: Mapping[str, str]) -> bool:
    """Return whether the file says that a program made it."""
    if facts.get("machine_made") in ("yes", "true"):
        return True
    author = _first_fact(facts, "transcribed_by", "generator", "made_by")
    return _PROGRAM_NAME.search(author) is not None


def _audio_lengths(cues: Sequence[Cue]) -> tuple[int | None, int | None]:
    """Return the least and the greatest length of the audio in seconds, with up to a minute of music
    after the last words."""
    end = int(cues[-1].end or cues[-1].start or 0)
    return (end, end + 60) if end else (None, None)


def _first_date_in(*texts: str) -> str:
    """Return the first date, as `2021-08-18`, in the first text that has one, or ""."""
    for text in texts:
        day = _DAY.search(text)
        if day:
            return "-".join(day.groups())
    return ""


def _first_fact(facts: Mapping[str, str], *names: str) -> str:
    """Return the value of the first of these names that has one. Front matter differs in names."""
    for name in names:
        if facts.get(name):
            return facts[name]
    return ""


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,5}", text) else None
