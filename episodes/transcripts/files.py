"""Reads off a transcript that somebody brings which episode it is of, as far as it says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..records import EntryData, parse_date
from ..text.timecodes import LONGEST as MOST_SECONDS
from ..text.urls import is_web
from .choosing import check_words
from .decoding import text_of
from .formats import cues
from .front_matter import facts_of, headings_of
from .json_layouts import is_machine_made, language_in, seconds_in
from .offered import FILE, MACHINE_MADE, NAME, TRANSCRIPT
from .transcript_cues import Cue

TYPES = {
    "json": "application/json",
    "json3": "application/json",
    "vtt": "text/vtt",
    "srt": "application/srt",
    "html": "text/html",
    "htm": "text/html",
    "txt": "text/plain",
    "text": "text/plain",
    "md": "text/markdown",
    "markdown": "text/markdown",
}
WITHOUT_WORDS = 60  # seconds of music at the end
LONGEST_NAME = 300  # characters

# The names that front matter has for one thing.
_TITLE = ("title", "episode_title")
_NUMBER = ("episode", "episode_number", "number", "ep")
_DATE = ("date", "published", "pubdate")
_GUID = ("guid", "episode_guid")
_AUDIO = ("audio", "audio_url", "audio_file", "enclosure", "mp3", "file")
_PAGE = ("episode_url", "url", "link")
_LANGUAGE = ("language", "lang")
_MADE_BY = ("transcribed_by", "generator", "made_by")

_AUDIO_ENDING = re.compile(r"\.(?:mp3|m4[ab]|mp4|aac|ogg|oga|opus|flac|wav|webm|mkv|mov)\Z", re.I)
_TONGUE = re.compile(r"\.([a-z]{2,3}(?:-(?:[A-Z]{2}|[A-Z][a-z]{3}|orig))?)\Z")
_RECOGNISER = re.compile(r"whisper|deepgram|assembly ?ai|speech.to.text|youtube|machine|auto", re.I)
_VIDEO = re.compile(r"\s*\[[\w-]{11}\]\Z")  # as yt-dlp names files
# What transcripts are called, and the tools that put their own name behind that of a file.
_CALLED = r"transcripts?|transcription|transkript|captions|subtitles|whisper|deepgram|otter[ .]ai"
_FURNITURE = re.compile(
    rf"\A(?:{_CALLED})\b\W*|\W*\b(?:{_CALLED})\Z|\s*\([0-9]{{1,2}}\)\Z", re.IGNORECASE
)
_DAY = re.compile(
    r"(?:\A|(?<=[\s(\[]))((?:19|20)\d\d)[-_. ]?(0[1-9]|1[0-2])[-_. ]?(0[1-9]|[12]\d|3[01])(?!\d)[\s\W_]*"
)


def ending_of(path: str) -> str:
    """The ending of a file's name in lower case, without the dot; "" where it has none."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


def entry_of(path: str, body: bytes, *, machine_made: bool = False) -> EntryData:
    """A transcript's name and front matter as what they say of its episode, and the file as what is
    offered. Its date is of recording, upload or publication, nobody knows which.

    Raises:
        ValueError: it is no transcript that can be read; the message says why.
    """
    content_type = TYPES[ending_of(path)]
    said, text = cues(body, content_type, path), text_of(body)
    if len(said) == 1 or said[0].start is None:
        check_words(said)
    is_json = content_type == TYPES["json"]
    facts = {} if is_json else facts_of(text)
    heading, first_line = ("", "") if content_type == TYPES["vtt"] else headings_of(text)
    stem, tongue = _stem(path)
    names = [_first(facts, _TITLE), heading, _named(stem), "" if is_json else first_line]
    title, *others = _each_once([*map(_bare, names), *names]) or [""]
    audio = _first(facts, _AUDIO)
    language = _first(facts, _LANGUAGE) or (language_in(text) if is_json else tongue)
    is_by_machine = machine_made or _says_machine(facts) or (is_json and is_machine_made(text))
    rel = MACHINE_MADE if is_by_machine else ""
    files = _each_once([stem, _AUDIO_ENDING.sub("", audio.rpartition("/")[2])])
    shortest, longest = _lengths(said, seconds_in(text) if is_json else None)
    return EntryData(
        title=title,
        published=_day(_first(facts, _DATE)) or _day(stem),
        seconds_low=shortest,
        seconds_high=longest,
        number=_number(_first(facts, _NUMBER)),
        season=_number(facts.get("season", "")),
        guid=_first(facts, _GUID),
        url=_web(_first(facts, _PAGE)),
        audio_url=_web(audio),
        extras=(
            (TRANSCRIPT, "", content_type, language, rel),
            *((NAME, name) for name in others),
            *((FILE, name) for name in files),
        ),
    )


def _lengths(said: Sequence[Cue], declared: int | None) -> tuple[int | None, int | None]:
    """The length of the audio in seconds, as far as a transcript tells it: at least and at most."""
    if declared is not None and declared < MOST_SECONDS:
        return declared, declared
    end = int(max(cue.end or cue.start or 0 for cue in said))
    return (end, end + WITHOUT_WORDS) if end else (None, None)


def _stem(path: str) -> tuple[str, str]:
    """The name of a file without endings and without what programs put behind the name, and the
    code of a language that it ends in."""
    name = path.rpartition("/")[2].rpartition(".")[0]
    tongue = _TONGUE.search(name) if ending_of(path) in ("vtt", "srt", "json3") else None
    name = name[: tongue.start()] if tongue else name
    return _VIDEO.sub("", _AUDIO_ENDING.sub("", name)), tongue[1] if tongue else ""


def _named(stem: str) -> str:
    """The words of a file's name without a date."""
    return _DAY.sub(" ", re.sub(r"[_\s]+", " ", stem)).strip()


def _bare(name: str) -> str:
    """A name without what every transcript is called."""
    return _FURNITURE.sub("", _FURNITURE.sub("", name)).strip(" -_.")


def _day(text: str) -> str:
    found = _DAY.search(text.replace("_", " "))
    day = "-".join(found.groups()) if found else ""
    return day if parse_date(day) else ""


def _first(facts: dict[str, str], names: Iterable[str]) -> str:
    return next((facts[name] for name in names if facts.get(name)), "")


def _each_once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name[:LONGEST_NAME] for name in names if name))


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,5}", text) else None


def _web(address: str) -> str:
    return address if is_web(address) else ""


def _says_machine(facts: dict[str, str]) -> bool:
    is_said = facts.get("machine_made", "").lower() in ("true", "yes")
    return is_said or bool(_RECOGNISER.search(_first(facts, _MADE_BY)))
