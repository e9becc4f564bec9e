"""Reads off an imported transcript which episode it is of, as far as its front matter and the name of its
file say so."""

import re
from collections.abc import Iterable, Mapping, Sequence

from ..records import EntryData
from .choosing import FILE, MACHINE_MADE, TIMES, TRANSCRIPT, WORDS, check_words
from .formats import TYPES, cues, ending_of, facts_of, facts_of_json, text_of
from .transcript_cues import Cue

WITHOUT_WORDS = 60  # seconds of music at the end
FEW_WORDS = 10  # without times, that may be said in place of a transcript; a trailer has more
LONGEST_NAME = 300  # characters
OPENING = 300  # characters that a reviewer sees

# The names that front matter has for one thing.
TITLE = ("title", "episode_title")
NUMBER = ("episode", "episode_number", "number", "ep")
DATE = ("date", "published", "pubdate")
GUID = ("guid", "episode_guid")
AUDIO = ("audio", "audio_url", "audio_file", "enclosure", "mp3")
PAGE = ("episode_url", "url", "link")
LANGUAGE = ("language", "lang")
MAKER = ("transcribed_by", "generator", "made_by")

AUDIO_ENDING = re.compile(r"\.(?:mp3|m4[ab]|mp4|aac|ogg|oga|opus|flac|wav|webm|mkv|mov)\Z", re.I)
_LANGUAGE = re.compile(
    r"\.([a-z]{2,3}(?:-(?:[A-Z]{2}|[A-Z][a-z]{3}|orig))?)(?=\.(?:vtt|srt|json3)\Z)"
)
_ENDING = re.compile(r"\.\w{1,8}\Z")
_VIDEO = re.compile(r"\s{0,20}\[[\w-]{11}\]\Z")  # as yt-dlp names files
_COPY = re.compile(r"\s{0,20}\([0-9]{1,2}\)\Z")
_MACHINE = re.compile(r"whisper|deepgram|assembly ?ai|speech.to.text|youtube|machine|auto", re.I)
_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-. ]?(0[1-9]|1[0-2])[-. ]?(0[1-9]|[12]\d|3[01])(?!\d)")


def parse_transcript(path: str, body: bytes, *, machine_made: bool = False) -> EntryData:
    """Return the name and front matter of a transcript as an entry that offers its file.

    Its date may be of the recording, the upload or the publication.

    Raises:
        ValueError: it is no transcript that can be read; the message says why.
    """
    content_type = TYPES[ending_of(path)]
    said, text = cues(body, content_type, path), text_of(body)
    spoken = check_words(said, FEW_WORDS)
    facts = facts_of_json(text) if content_type == TYPES["json"] else facts_of(text)
    stem, language = _name_of(path)
    marked = facts.get("machine_made") in ("yes", "true")
    is_machine_made = machine_made or marked or _MACHINE.search(_first(facts, MAKER))
    shortest, longest = _lengths(said)
    return EntryData(
        title=(_first(facts, TITLE) or stem)[:LONGEST_NAME],
        published=_day(_first(facts, DATE)) or _day(stem),
        seconds_low=shortest,
        seconds_high=longest,
        number=_number(_first(facts, NUMBER)),
        season=_number(facts.get("season", "")),
        guid=_first(facts, GUID),
        url=_first(facts, PAGE),
        audio_url=_first(facts, AUDIO),
        extras=(
            (
                TRANSCRIPT,
                "",
                content_type,
                _first(facts, LANGUAGE) or language,
                MACHINE_MADE if is_machine_made else "",
            ),
            (FILE, stem),
            (WORDS, spoken[:OPENING]),
            (TIMES, "no" if said[-1].start is None else "yes"),
        ),
    )


def _name_of(path: str) -> tuple[str, str]:
    """Return the name of a file without endings and marks of programs, and the language in it."""
    name = path.rpartition("/")[2]
    language = _LANGUAGE.search(name)
    stem = _ENDING.sub("", _LANGUAGE.sub("", name))
    for mark in (AUDIO_ENDING, _VIDEO, _COPY):
        stem = mark.sub("", stem)
    return stem, language[1] if language else ""


def _lengths(said: Sequence[Cue]) -> tuple[int | None, int | None]:
    """Return the least and the greatest length of the audio in seconds, by the last words."""
    end = int(said[-1].end or said[-1].start or 0)
    return (end, end + WITHOUT_WORDS) if end else (None, None)


def _day(text: str) -> str:
    """Return the first day in a text, or ""."""
    day = _DAY.search(text)
    return "-".join(day.groups()) if day else ""


def _first(facts: Mapping[str, str], names: Iterable[str]) -> str:
    return next((facts[name] for name in names if facts.get(name)), "")


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,5}", text) else None
