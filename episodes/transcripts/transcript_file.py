"""Reads the facts in an imported transcript: its front matter, and title, number and date in the name of
its file. `identity/match_transcripts.py` finds the episode by them."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..records import EntryData
from .choose_files import (
    FILE,
    MACHINE_MADE,
    TIMES,
    TRANSCRIPT,
    WORDS,
    text_of_cues_or_raise_if_short,
)
from .formats import (
    TYPES_BY_EXTENSION,
    decode_text_or_raise,
    file_extension,
    find_declared_facts_in_json,
    front_matter_values,
    read_cues,
)
from .transcript_cues import Cue

AUDIO_ENDING = re.compile(r"\.(?:mp3|m4[ab]|mp4|aac|ogg|oga|opus|flac|wav|webm|mkv|mov)\Z", re.I)
# "episode-12.en-GB.vtt"
_LANGUAGE_ENDING = re.compile(
    r"\.(?P<code>[a-z]{2,3}(?:-(?:[A-Z]{2}|[A-Z][a-z]{3}|orig))?)(?=\.(?:vtt|srt|json3)\Z)"
)


def parse_transcript_file_as_entry(
    path: str, body: bytes, *, machine_made: bool = False
) -> EntryData:
    """Return an entry with the facts in a transcript and in its name. The entry offers the file as
    its transcript. "2021-08-18-looms.en.vtt" has a title, a date and a language by its name alone.

    Its date may be of the recording, the upload or the publication.

    Raises:
        ValueError: it cannot be read as a transcript. The message says why.
    """
    content_type = TYPES_BY_EXTENSION[file_extension(path)]
    cues = read_cues(body, content_type, path)
    # Even a trailer has more words.
    words = text_of_cues_or_raise_if_short(cues, min_words_without_times=10)
    text = decode_text_or_raise(body)
    is_json = content_type == TYPES_BY_EXTENSION["json"]
    facts = find_declared_facts_in_json(text) if is_json else front_matter_values(text)
    name = _stem_and_language_of_file(path)
    least_seconds, most_seconds = _audio_length_range(cues)
    max_length = 300  # characters of the title, and of the words that the inbox shows
    title = _first_fact_or_empty(facts, "title", "episode_title") or name.stem
    date = _first_fact_or_empty(facts, "date", "published", "pubdate")
    language = _first_fact_or_empty(facts, "language", "lang") or name.language
    has_times = any(cue.start is not None for cue in cues)
    transcript_address = ""  # the transcript is the document of the entry itself
    rel = MACHINE_MADE if machine_made or _declares_machine_made(facts) else ""
    return EntryData(
        title=title[:max_length],
        published=_first_date_in(date, name.stem),
        seconds_low=least_seconds,
        seconds_high=most_seconds,
        number=_number_or_none(
            _first_fact_or_empty(facts, "episode", "episode_number", "number", "ep")
        ),
        season=_number_or_none(facts.get("season", "")),
        guid=_first_fact_or_empty(facts, "guid", "episode_guid"),
        url=_first_fact_or_empty(facts, "episode_url", "url", "link"),
        audio_url=_first_fact_or_empty(
            facts, "audio", "audio_url", "audio_file", "enclosure", "mp3"
        ),
        extras=(
            (TRANSCRIPT, transcript_address, content_type, language, rel),
            (FILE, name.stem),
            (WORDS, words[:max_length]),
            (TIMES, "yes" if has_times else "no"),
        ),
    )


class _FileName(NamedTuple):
    """The parts of a file's name."""

    stem: str  # without endings and marks of programs
    language: str  # a code, or ""


def _stem_and_language_of_file(path: str) -> _FileName:
    """Return the parts of the name of a file: stem "looms-12" and language "en" of "looms-12.en.vtt"."""
    _, _, name = path.rpartition("/")
    language = _LANGUAGE_ENDING.search(name)
    without_language = _LANGUAGE_ENDING.sub("", name)
    stem = re.sub(r"\.\w{1,8}\Z", "", without_language)
    stem = AUDIO_ENDING.sub("", stem)  # "looms-12.mp3.vtt"
    stem = re.sub(r"\s{0,20}\[[\w-]{11}\]\Z", "", stem)  # the id of a video, as yt-dlp names files
    stem = re.sub(r"\s{0,20}\([0-9]{1,2}\)\Z", "", stem)  # "looms-12 (1)"
    return _FileName(stem, language["code"] if language else "")


def _declares_machine_made(facts: Mapping[str, str]) -> bool:
    if facts.get("machine_made") in ("yes", "true"):
        return True
    author = _first_fact_or_empty(facts, "transcribed_by", "generator", "made_by")
    programs = r"whisper|deepgram|assembly ?ai|speech.to.text|youtube|machine|auto"
    return re.search(programs, author.lower()) is not None


def _audio_length_range(cues: Sequence[Cue]) -> tuple[int | None, int | None]:
    """Return the least and the greatest length of the audio in seconds, with up to a minute of music
    after the last words."""
    end = int(cues[-1].end or cues[-1].start or 0)
    return (end, end + 60) if end else (None, None)


def _first_date_in(*texts: str) -> str:
    """Return the first date, "2021-08-18" or "20210818", as `2021-08-18`, or ""."""
    date = re.search(
        r"(?<!\d)(?P<year>(?:19|20)\d\d)[-. ]?(?P<month>0[1-9]|1[0-2])[-. ]?(?P<day>0[1-9]|[12]\d|3[01])(?!\d)",
        "\n".join(texts),
    )
    return f"{date['year']}-{date['month']}-{date['day']}" if date else ""


def _first_fact_or_empty(facts: Mapping[str, str], *names: str) -> str:
    # Programs and people name a fact in different ways.
    values = map(facts.get, names)
    return next(filter(None, values), "")


def _number_or_none(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,5}", text) else None
