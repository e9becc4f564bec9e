"""Reads off a transcript that somebody brings which episode it is of, as far as it says so."""

import re
from collections.abc import Iterable, Mapping, Sequence

from ..records import EntryData, parse_date
from ..text.normalize import fold, words
from ..text.timecodes import position
from .choosing import FILE, MACHINE_MADE, NAME, TIMES, TRANSCRIPT, UNSAID, WORDS, check_words
from .formats import (
    TIMED_FORMATS,
    TYPES,
    cues,
    ending_of,
    facts_of,
    facts_of_json,
    format_of,
    headings_of,
    text_of,
)
from .transcript_cues import Cue

CAPTIONS = ("vtt", "srt", "json3")  # whose names may end in a language
WITHOUT_WORDS = 60  # seconds of music at the end
FEW_WORDS = 10  # without times, that may be said in place of a transcript; a trailer has more
TELLING = 4  # letters of a word that says something
BEGINNING = 5  # letters in which forms of a word are alike
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
YES = ("yes", "true")
MAKER = ("transcribed_by", "generator", "made_by")

AUDIO_ENDING = re.compile(r"\.(?:mp3|m4[ab]|mp4|aac|ogg|oga|opus|flac|wav|webm|mkv|mov)\Z", re.I)
_TONGUE = re.compile(r"\.([a-z]{2,3}(?:-(?:[A-Z]{2}|[A-Z][a-z]{3}|orig))?)\Z")
_VIDEO = re.compile(r"\s{0,20}\[[\w-]{11}\]\Z")  # as yt-dlp names files
_MACHINE = re.compile(r"whisper|deepgram|assembly ?ai|speech.to.text|youtube|machine|auto", re.I)
# What transcripts are called, and the tools that put their own name behind that of a file.
_CALLED = r"transcripts?|transcription|transkript|captions|subtitles|whisper|deepgram|otter[ .]ai"
_FURNITURE = re.compile(
    rf"\A(?:{_CALLED})\b\W{{0,20}}|\W{{0,20}}\b(?:{_CALLED})\Z|\s{{0,20}}\([0-9]{{1,2}}\)\Z",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"(?:\A|(?<=[\s(\[]))((?:19|20)\d\d)[-. ]?(0[1-9]|1[0-2])[-. ]?(0[1-9]|[12]\d|3[01])(?!\d)\W*"
)


def entry_of(path: str, body: bytes, *, machine_made: bool = False) -> EntryData:
    """A transcript's name and front matter as what they say of its episode, and the file as what is
    offered. Its date is of recording, upload or publication, nobody knows which.

    Raises:
        ValueError: it is no transcript that can be read; the message says why.
    """
    content_type = TYPES[ending_of(path)]
    said, text = cues(body, content_type, path), text_of(body)
    spoken = check_words(said, FEW_WORDS)
    facts = facts_of_json(text) if content_type == TYPES["json"] else facts_of(text)
    heading, line = headings_of(text)
    stem, tongue = _stem(path)
    spaced = stem.replace("_", " ")
    names = [_first(facts, TITLE), heading, _DAY.sub(" ", spaced).strip(), line]
    every = dict.fromkeys(name[:LONGEST_NAME] for name in (*map(_bare, names), *names) if name)
    title, *others = every or [""]
    shortest, longest = _lengths(said, facts.get("duration", ""))
    told = facts.get("machine_made") in YES or _MACHINE.search(_first(facts, MAKER))
    rel = MACHINE_MADE if machine_made or told else ""
    return EntryData(
        title=title,
        published=_day(_first(facts, DATE)) or _day(spaced),
        seconds_low=shortest,
        seconds_high=longest,
        number=_number(_first(facts, NUMBER)),
        season=_number(facts.get("season", "")),
        guid=_first(facts, GUID),
        url=_first(facts, PAGE),
        audio_url=_first(facts, AUDIO),
        extras=(
            (TRANSCRIPT, "", content_type, _first(facts, LANGUAGE) or tongue, rel),
            *((NAME, name) for name in others),
            *(() if _is_said(title, spoken) else ((UNSAID, title),)),
            (FILE, stem),
            (WORDS, spoken[:OPENING]),
            *_unusual_times(said, content_type),
        ),
    )


def _unusual_times(said: Sequence[Cue], content_type: str) -> list[tuple[str, str]]:
    """Return a row that says whether a transcript has times, if its format does not tell."""
    has_times = any(cue.start is not None for cue in said)
    if has_times == (format_of(content_type, "") in TIMED_FORMATS):
        return []
    return [(TIMES, "yes" if has_times else "no")]


def _is_said(title: str, spoken: str) -> bool:
    """False for a title of several words of which none is said."""
    telling = [word[:BEGINNING] for word in words(title) if len(word) >= TELLING]
    text = fold(spoken)
    return len(telling) < 2 or any(word in text for word in telling)


def _stem(path: str) -> tuple[str, str]:
    """The name of a file without endings and without what programs put behind the name, and the
    code of a language that it ends in."""
    name = path.rpartition("/")[2].rpartition(".")[0]
    tongue = _TONGUE.search(name) if ending_of(path) in CAPTIONS else None
    stem = name[: tongue.start()] if tongue else name
    return _VIDEO.sub("", AUDIO_ENDING.sub("", stem)), tongue[1] if tongue else ""


def _bare(name: str) -> str:
    """A name without what every transcript is called."""
    return _FURNITURE.sub("", _FURNITURE.sub("", name)).strip(" -_.")


def _lengths(said: Sequence[Cue], declared: str) -> tuple[int | None, int | None]:
    """The length of the audio in seconds, at least and at most, as a transcript tells it."""
    if length := round(position(declared) or 0):
        return length, length
    end = int(max(cue.end or cue.start or 0 for cue in said))
    return (end, end + WITHOUT_WORDS) if end else (None, None)


def _day(text: str) -> str:
    found = _DAY.search(text)
    day = "-".join(found.groups()) if found else ""
    return day if parse_date(day) else ""


def _first(facts: Mapping[str, str], names: Iterable[str]) -> str:
    return next((facts[name] for name in names if facts.get(name)), "")


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,5}", text) else None
