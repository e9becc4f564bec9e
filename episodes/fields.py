"""The table of an episode's fields: a row for each says what it is called, how entries state it,
how it is typed, worded, chosen, compared, stored and exported. Everything that lists fields reads
it; pure.

Where sources were read in several ways before, these hold:
- A date or length that cannot be read is told as the source words it, and never becomes a value.
- Notes that come as markup alone are read as `to_text` reads them, paragraph by paragraph, as the
  catalog shows them.
- What a person types may be worded in many ways (`typed`); what is stored is worded in one
  (`parse`, `text`).
- A season and number that only the title says ("S2E5") are values; a number alone in a title is
  one where the titles of the show count its episodes (identity/counting.py): else it may be a rank.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from .dates import typed_dates, typed_length
from .records import (
    DETAILS,
    AudioFile,
    DurationRange,
    EntryData,
    NotesText,
    PublicationDate,
    parse_date,
)
from .text.formatting import clock, day, length
from .text.normalize import is_cut, squash, without_marks
from .text.numbering import season_and_number
from .text.show_notes import to_text
from .text.urls import host_of, is_web

V = TypeVar("V")
LONGEST = 240  # characters of a value that pages quote
DAYS_AGREE = 2
ZONES_APART = 1  # days: one moment has two dates in two time zones
TYPES = ("full", "trailer", "bonus")
FLAGS = {"yes": True, "no": False, "true": True, "false": False}
FURNITURE = 60  # characters, without white space, that a page may put behind a text: "[More]"
DIGITS = re.compile(r"[0-9]{1,9}")  # no database column takes many more
HOST = re.compile(r"(?:[^\W_-][\w-]*\.)+[^\W\d_]{2,}(?=[:/]|$)")  # of `example.org/page`
LENGTH_OFF = 0.25  # lengths that differ by more cannot be of one episode


class NotAValue(ValueError):
    """Raised for a text that is no value of the field; the message says which field, what was typed, and
    what to enter."""


class Voice(Protocol):
    """An entry of an episode among others, in the order of rank."""

    @property
    def source(self) -> str: ...
    @property
    def said(self) -> EntryData: ...
    @property
    def text(self) -> str: ...  # the notes as plain text
    @property
    def bare_title(self) -> str: ...  # folded, without rank, number and the show's name


@dataclass(frozen=True, slots=True)
class Chosen(Generic[V]):
    """The value of a field and the source that gave it."""

    value: V | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Field(Generic[V]):
    """A field of an episode; its values are of type `V`, and None is an unknown one.

    Many methods give a text; they differ in what of and for whom:

        text, written    a value as it is stored and typed; `parse` is the way back
        text_in          the same of the value that an entry states
        shown, in_form   the same of the value that an episode has: for exports, for a form
        worded, in_words a value as pages write it, where that says more; "" elsewhere
        words_in         the value that an entry states, as pages write it
        words, told      a stored text as pages write it: cut short, and in full for the history
    """

    may_be_blank: ClassVar[bool] = True  # by a person's hand
    wrong: ClassVar[str] = "cannot be used"  # what is said of a text that is no value

    name: str  # in decisions, exports and spreadsheets
    label: str
    expects: str = ""  # examples of what can be typed
    hint: str = ""
    stated: bool = True  # entries state it
    own: bool = False  # only the show's own sources set it
    overridable: bool = True
    optional: bool = False  # many shows have none, and nobody misses it
    long: bool = False  # a text of many lines
    picker: str = ""  # the type of an input that helps to type it
    rss: str = ""  # the element of an item

    # -- as entries state it -----------------------------------------------------------------------

    def value_in(self, entry: EntryData) -> V | None:
        """The value that an entry states."""
        return getattr(entry, self.name) or None

    def unread_in(self, entry: EntryData) -> str:
        """The words of an entry instead of a value that can be read."""
        return ""

    def text_in(self, entry: EntryData) -> str:
        """The value of an entry as a curator would type it; "" for none."""
        return self.text(self.value_in(entry)) or self.unread_in(entry)

    def text_from(self, voice: Voice) -> str:
        """The value that a voice states, as `text_in`; quicker where the voice has been read."""
        return self.text_in(voice.said)

    def words_in(self, entry: EntryData) -> str:
        """The value of an entry, in words."""
        value = self.value_in(entry)
        words = self.in_words(value) or " ".join(self.text(value).split())
        return words or self.unread_in(entry)

    def as_entry(self, value: V) -> dict[str, Any]:
        """The attributes of EntryData that state the value."""
        return {self.name: value}

    # -- as text -----------------------------------------------------------------------------------

    def parse(self, text: str) -> V | None:
        """The value that was stored as `text`; None for what is none."""
        raise NotImplementedError

    def typed(self, text: str) -> V:
        """The value that a person typed, in whatever form.

        Raises:
            NotAValue: it is none, or could be several.
        """
        value = self.read(text)
        if value is None:
            raise NotAValue(
                f"{self.label}: “{_clipped(text)}” {self.wrong}. Enter {self.expects}, or leave it empty."
            )
        return value

    def read(self, text: str) -> V | None:
        """The value that a person means by `text`; None for none."""
        return self.parse(text)

    def text(self, value: V | None) -> str:
        """The value as it is stored, "" for None; `parse` is the way back."""
        return "" if value is None else self.written(value)

    def written(self, value: V) -> str:
        """The value as it is stored."""
        return str(value)

    def in_form(self, episode: Any) -> str:
        """The value of an episode as forms show it for editing."""
        return self.shown(episode)

    def worded(self, value: V) -> str:
        """The value in words, where they say more than the value as it is typed."""
        return ""

    def in_words(self, value: V | None) -> str:
        """The value in words; "" for None."""
        return "" if value is None else self.worded(value)

    def words(self, text: str) -> str:
        """A typed or stated value as pages write it; as it is where it cannot be read."""
        return _clipped(self.told(text))

    def told(self, text: str) -> str:
        """A typed or stated value as the history writes it: in words, and in full."""
        return self.in_words(self.parse(text)) or text

    # -- chosen and compared -----------------------------------------------------------------------

    def choose(self, voices: Sequence[Voice]) -> Chosen[V]:
        """The best-ranked value, unless another voice says the same more exactly; nothing never
        replaces something."""
        values = [
            (value, voice.source)
            for voice in voices
            if (value := self.value_in(voice.said)) is not None
        ]
        refined = [one for one in values if self.refines(one[0], values[0][0])]
        return Chosen(*(refined + values + [(None, "")])[0])

    def refines(self, value: V, first: V) -> bool:
        """True where a value says what the first says, only more exactly."""
        return False

    def differ(self, one: Voice, other: Voice) -> bool:
        """True where both cannot be right."""
        return False

    def contradicts(self, one: Voice, other: Voice) -> bool:
        """True where one of the two is wrong, however little: many of these refute a source."""
        return self.differ(one, other)

    # -- in the catalog ----------------------------------------------------------------------------

    @property
    def unknown(self) -> dict[str, Any]:
        """The columns of an episode that has no value; the first of them shows that."""
        return {self.name: None}

    def of(self, episode: Any) -> V | None:
        """The value of an episode in the catalog."""
        return None if self.column(episode) is None else self.stored(episode)

    def column(self, episode: Any) -> Any:
        """The first column of an episode's value; None where it has no value."""
        column, nothing = next(iter(self.unknown.items()))
        stored = getattr(episode, column)
        return None if stored == nothing else stored

    def stored(self, episode: Any) -> V:
        """The value of an episode that has one."""
        return getattr(episode, self.name)  # type: ignore[no-any-return]

    def shown(self, episode: Any) -> str:
        return self.text(self.of(episode))

    def columns(self, value: V | None) -> dict[str, Any]:
        """The columns of the catalog that hold the value."""
        return self.unknown if value is None else self.known(value)

    def known(self, value: V) -> dict[str, Any]:
        """The columns of the catalog that hold a value other than None."""
        return {self.name: value}

    def export(self, episode: Any) -> dict[str, Any]:
        """The members of the JSON export."""
        return {self.name: self.column(episode)}

    def in_rss(self, episode: Any) -> str:
        """The text of the field's element in an RSS item; "" for none."""
        text = self.shown(episode)
        return "" if text == "0" else text


class LineField(Field[str]):
    """A line of text."""

    def parse(self, text: str) -> str | None:
        return text

    @property
    def unknown(self) -> dict[str, Any]:
        return {self.name: ""}


class TitleField(LineField):
    may_be_blank = False

    def differ(self, one: Voice, other: Voice) -> bool:
        return "" != one.bare_title != other.bare_title != ""


class SlugField(LineField):
    """The end of the episode's address; sources do not state it."""

    def value_in(self, entry: EntryData) -> str | None:
        return None


class GuidField(LineField):
    def value_in(self, entry: EntryData) -> str | None:
        return entry.guid.strip() or None


class WebField(LineField):
    wrong = "is not a web address"

    def parse(self, text: str) -> str | None:
        return text if is_web(text) else None

    def read(self, text: str) -> str | None:
        return self.parse(web_address(text))


class CountField(Field[int]):
    """A whole number."""

    wrong = "is not a whole number"

    def parse(self, text: str) -> int | None:
        return _whole(text)

    def read(self, text: str) -> int | None:
        whole, _, fraction = text.removeprefix("#").partition(".")
        return None if fraction.strip("0") else _whole(whole)  # spreadsheets make 46.0 of 46


class NumberField(CountField):
    wrong = "is not a whole number above 0"

    def read(self, text: str) -> int | None:
        """Numbers that people give begin at 1; a feed may number its trailer 0."""
        return super().read(text) or None

    def value_in(self, entry: EntryData) -> int | None:
        return _season_and_number(entry)[1]

    def choose(self, voices: Sequence[Voice]) -> Chosen[int]:
        """The best number; of a trailer or bonus only what its own source declares, whatever a title
        or a list counts it as."""
        special = (voice for voice in voices if voice.said.episode_type in TYPES[1:])
        voice = next(special, None)
        return Chosen(voice.said.number, voice.source) if voice else super().choose(voices)

    def differ(self, one: Voice, other: Voice) -> bool:
        """True for two numbers of one season that are not equal; numbers of different seasons are not
        compared, nor one that counts through all seasons with one that does not."""
        return SEASON.value_in(one.said) == SEASON.value_in(other.said) and self.value_in(
            one.said
        ) != self.value_in(other.said)


class SeasonField(CountField):
    def value_in(self, entry: EntryData) -> int | None:
        return _season_and_number(entry)[0]

    def choose(self, voices: Sequence[Voice]) -> Chosen[int]:
        """The best-ranked season of those that give the number that is shown, or none: the two
        identify together."""
        number = NUMBER.choose(voices).value
        return super().choose(
            [voice for voice in voices if NUMBER.value_in(voice.said) in (None, number)]
        )

    def differ(self, one: Voice, other: Voice) -> bool:
        return self.value_in(one.said) != self.value_in(other.said)


class DateField(Field[PublicationDate]):
    wrong = "is not a date"

    def value_in(self, entry: EntryData) -> PublicationDate | None:
        return entry.moment

    def unread_in(self, entry: EntryData) -> str:
        return entry.date_raw

    def as_entry(self, value: PublicationDate) -> dict[str, Any]:
        return {"published": value.isoformat(), "date_raw": value.isoformat()}

    def parse(self, text: str) -> PublicationDate | None:
        return parse_date(text)

    def typed(self, text: str) -> PublicationDate:
        readings = typed_dates(text)
        if len(readings) > 1:
            words = " or ".join(self.worded(reading) for reading in readings)
            examples = " or ".join(reading.isoformat() for reading in readings)
            raise NotAValue(f"{self.label}: “{text}” could be {words}. Enter {examples}.")
        return super().typed(text)

    def read(self, text: str) -> PublicationDate | None:
        return next(iter(typed_dates(text)), None)

    def written(self, value: PublicationDate) -> str:
        return value.isoformat()

    def worded(self, value: PublicationDate) -> str:
        return day(value.at) if value.is_day else f"{day(value.at)}, {value.at:%H:%M} UTC"

    def refines(self, value: PublicationDate, first: PublicationDate) -> bool:
        """An instant of the day that was given."""
        return first.is_day and not value.is_day and value.at.date() == first.at.date()

    def differ(self, one: Voice, other: Voice) -> bool:
        return _days_apart(one, other) > DAYS_AGREE

    def contradicts(self, one: Voice, other: Voice) -> bool:
        return _days_apart(one, other) > ZONES_APART

    @property
    def unknown(self) -> dict[str, Any]:
        return {"published_at": None, "published_precision": ""}

    def stored(self, episode: Any) -> PublicationDate:
        return PublicationDate(episode.published_at, episode.published_precision)

    def known(self, value: PublicationDate) -> dict[str, Any]:
        return {"published_at": value.at, "published_precision": value.precision}

    def export(self, episode: Any) -> dict[str, Any]:
        return {
            "published": self.shown(episode) or None,
            "published_precision": episode.published_precision or None,
        }


class LengthField(Field[DurationRange]):
    wrong = "is not a length"

    def value_in(self, entry: EntryData) -> DurationRange | None:
        return entry.length

    def unread_in(self, entry: EntryData) -> str:
        return entry.length_raw

    def as_entry(self, value: DurationRange) -> dict[str, Any]:
        return {"seconds_low": value.low, "seconds_high": value.high}

    def parse(self, text: str) -> DurationRange | None:
        seconds = _whole(text)
        return DurationRange(seconds, seconds) if seconds else None

    def read(self, text: str) -> DurationRange | None:
        return typed_length(text)

    def written(self, value: DurationRange) -> str:
        return str(value.low)

    def worded(self, value: DurationRange) -> str:
        return length(value.low, value.exact)

    def refines(self, value: DurationRange, first: DurationRange) -> bool:
        """A length to the second within the minutes that were given."""
        return not first.exact and value.exact and first.low <= value.low <= first.high

    def differ(self, one: Voice, other: Voice) -> bool:
        a, b = one.said.length, other.said.length
        return a is not None and b is not None and lengths_differ(a, b)

    def in_form(self, episode: Any) -> str:
        value = self.of(episode)
        return clock(value.low) if value else ""

    @property
    def unknown(self) -> dict[str, Any]:
        return {"duration_seconds": None, "duration_exact": True}

    def stored(self, episode: Any) -> DurationRange:
        low = episode.duration_seconds
        return DurationRange(low, low if episode.duration_exact else low + 59)

    def known(self, value: DurationRange) -> dict[str, Any]:
        return {"duration_seconds": value.low, "duration_exact": value.exact}


class NotesField(Field[NotesText]):
    def value_in(self, entry: EntryData) -> NotesText | None:
        """The text without the mark of a cut."""
        text = without_tail(plain_notes(entry), entry)
        return NotesText(text, entry.html) if text else None

    def text_from(self, voice: Voice) -> str:
        return without_tail(voice.text, voice.said)

    def as_entry(self, value: NotesText) -> dict[str, Any]:
        return {"text": value.text, "cut": False}

    def parse(self, text: str) -> NotesText | None:
        return NotesText(text)

    def written(self, value: NotesText) -> str:
        return value.text

    def choose(self, voices: Sequence[Voice]) -> Chosen[NotesText]:
        """The best whole text by rank; else, of the best-ranked text and those that continue it,
        the longest."""
        found = texts(voices)
        line = [text for text in found if text.folded.startswith(found[0].folded)]
        longest = sorted(line, key=lambda text: len(text.folded), reverse=True)[:1]
        best = next(iter([text for text in found if not text.cut] + longest), None)
        if best is None:
            return Chosen()
        return Chosen(NotesText(best.plain, best.voice.said.html, best.cut), best.voice.source)

    @property
    def unknown(self) -> dict[str, Any]:
        return self.known(NotesText(""))

    def stored(self, episode: Any) -> NotesText:
        own = episode.description_text, episode.description_html, episode.description_truncated
        return NotesText(*own)

    def shown(self, episode: Any) -> str:
        return str(episode.description_text)  # lists leave the markup out

    def known(self, value: NotesText) -> dict[str, Any]:
        return {
            "description_text": value.text,
            "description_html": value.html,
            "description_truncated": value.cut,
        }

    def export(self, episode: Any) -> dict[str, Any]:
        return {
            "description_text": episode.description_text or None,
            "description_truncated": episode.description_truncated,
            "description_editorial": episode.provenance.get(self.name, {}).get("editorial", False),
        }


class AudioField(Field[AudioFile]):
    wrong = "is not a web address"

    def value_in(self, entry: EntryData) -> AudioFile | None:
        return AudioFile(entry.audio_url, entry.audio_type) if entry.audio_url else None

    def as_entry(self, value: AudioFile) -> dict[str, Any]:
        return {"audio_url": value.url}

    def parse(self, text: str) -> AudioFile | None:
        return AudioFile(text) if is_web(text) else None

    def read(self, text: str) -> AudioFile | None:
        return self.parse(web_address(text))

    def written(self, value: AudioFile) -> str:
        return value.url

    @property
    def unknown(self) -> dict[str, Any]:
        return self.known(AudioFile(""))

    def stored(self, episode: Any) -> AudioFile:
        return AudioFile(episode.audio_url, episode.audio_type)

    def known(self, value: AudioFile) -> dict[str, Any]:
        return {"audio_url": value.url, "audio_type": value.type}


class TypeField(LineField):
    """`full`, `trailer` or `bonus`; anything else that a feed says is no type."""

    def value_in(self, entry: EntryData) -> str | None:
        return self.parse(entry.episode_type)

    def parse(self, text: str) -> str | None:
        return dict(zip(TYPES, TYPES, strict=True)).get(text.strip().lower())


class FlagField(Field[bool]):
    """Yes, no, or unknown."""

    def value_in(self, entry: EntryData) -> bool | None:
        return self.parse(getattr(entry, self.name))

    def as_entry(self, value: bool) -> dict[str, Any]:
        return {self.name: self.text(value)}

    def parse(self, text: str) -> bool | None:
        return FLAGS.get(text.strip().lower())

    def written(self, value: bool) -> str:
        return "yes" if value else "no"

    def in_rss(self, episode: Any) -> str:
        value = self.of(episode)
        return "" if value is None else str(value).lower()


Rows = tuple[tuple[str, ...], ...]


class DetailsField(Field[Rows]):
    """Statements of the show's own feed about an episode that have no field of their own: place,
    licence, soundbites …"""

    def value_in(self, entry: EntryData) -> Rows | None:
        return tuple(row for row in entry.extras if row[0] in DETAILS) or None

    def as_entry(self, value: Rows) -> dict[str, Any]:
        return {"extras": value}

    def parse(self, text: str) -> Rows | None:
        """A row a line, its values between bars; None where a line is none of the kinds, or lacks
        what it is about."""
        rows = [_detail(line) for line in text.splitlines() if line.strip(" |")]
        return tuple(rows) if rows and all(rows) else None

    def written(self, value: Rows) -> str:
        rows = ([" ".join(text.replace("|", "/").split()) for text in row] for row in value)
        return "\n".join(" | ".join(row).rstrip(" |") for row in rows)

    def worded(self, value: Rows) -> str:
        return self.written(value).replace(" | ", " ").replace("\n", "; ")

    @property
    def unknown(self) -> dict[str, Any]:
        return {self.name: []}

    def stored(self, episode: Any) -> Rows:
        rows = (
            tuple(row.get(name, "") for name in ("kind", *DETAILS[row["kind"]].values))
            for row in episode.details
        )
        return tuple(rows)

    def known(self, value: Rows) -> dict[str, Any]:
        return {self.name: details(value)}

    def export(self, episode: Any) -> dict[str, Any]:
        return {self.name: episode.details}


SECONDS = re.compile(r"[0-9]{1,12}(?:\.[0-9]*)?")
WHOLE = "a whole number such as 46"
ADDRESS = "a full address such as https://example.org/page"
TITLE = TitleField("title", "Title")
NUMBER = NumberField(
    "number",
    "Number",
    WHOLE,
    "Decides the order of the show, within the season.",
    rss="itunes:episode",
)
SEASON = SeasonField(
    "season",
    "Season",
    "a whole number such as 2",
    "For shows that count by seasons.",
    optional=True,
    rss="itunes:season",
)
PUBLISHED = DateField(
    "published",
    "Date",
    "a date such as 2021-08-18 or 18 August 2021, with a time such as 2021-08-18 13:00 if known",
    "Such as 2021-08-18, 18 August 2021, or 2021-08-18 13:00 (UTC unless you add a time zone).",
    picker="date",
)
DURATION = LengthField(
    "duration_seconds",
    "Length",
    "13:45, 1:02:03, 14 min, or 825 for seconds",
    "Such as 13:45, 1:02:03 or 14 min; a number alone means seconds.",
    rss="itunes:duration",
)
NOTES = NotesField("description_text", "Notes", long=True)
SLUG = SlugField(
    "slug",
    "Address",
    hint="Follows the title unless you set it. Old addresses keep redirecting.",
    stated=False,
)
GUID = GuidField("guid", "Guid", own=True, overridable=False)
URL = WebField(
    "url",
    "Page",
    ADDRESS,
    "Filled in from the show’s own feed or site, never from a directory.",
    own=True,
)
AUDIO = AudioField("audio_url", "Audio", ADDRESS, own=True)

EPISODE_TYPE = TypeField(
    "episode_type",
    "Type",
    "full, trailer or bonus",
    own=True,
    optional=True,
    rss="itunes:episodeType",
)
EXPLICIT = FlagField(
    "explicit", "Explicit", "yes or no", own=True, optional=True, rss="itunes:explicit"
)
IMAGE = WebField("image_url", "Image", ADDRESS, own=True, optional=True)
DETAIL_LINES = ", ".join(" | ".join((kind, *detail.values)) for kind, detail in DETAILS.items())
MORE = DetailsField(
    "details",
    "Details",
    f"one a line: {DETAIL_LINES}",
    f"One a line: {DETAIL_LINES}.",
    own=True,
    optional=True,
    long=True,
)

FIELDS: tuple[Field[Any], ...] = (
    TITLE,
    NUMBER,
    SEASON,
    PUBLISHED,
    DURATION,
    NOTES,
    SLUG,
    GUID,
    URL,
    AUDIO,
    EPISODE_TYPE,
    EXPLICIT,
    IMAGE,
    MORE,
)
BY_NAME: Mapping[str, Field[Any]] = {field.name: field for field in FIELDS}
STATED = tuple(field for field in FIELDS if field.stated)
# A title is kept where its source is refuted, as an episode needs one to be found; it can do
# without the others.
REFUTABLE: tuple[Field[Any], ...] = (NUMBER, SEASON, PUBLISHED, DURATION)
FACTS: tuple[Field[Any], ...] = (TITLE, *REFUTABLE)
SOURCED = (*FACTS, NOTES)  # an episode tells which source each came from
OVERRIDABLE = tuple(field for field in FIELDS if field.overridable)
BY_HAND = tuple(field for field in OVERRIDABLE if field.stated)
IN_RSS = tuple(sorted((field for field in FIELDS if field.rss), key=lambda field: field.rss))
# Scripts read columns by their place: this list only grows, at its end.
CSV = (
    "podcast",
    "slug",
    "number",
    "title",
    "published",
    "duration_seconds",
    "topics",
    "url",
    "description_text",
    "season",
    "episode_type",
)


# -- readings that several places share ------------------------------------------------------------


@dataclass(frozen=True)
class NotesChoice:
    """The notes of one entry, without the marks of a cut."""

    voice: Voice
    plain: str
    cut: bool

    @cached_property
    def folded(self) -> str:
        return squash(self.plain)


def texts(voices: Sequence[Voice]) -> list[NotesChoice]:
    """Every voice's notes with whether they are cut: as its site's convention says, or because
    others go on where they end."""
    found = [
        NotesChoice(voice, without_tail(voice.text, voice.said), _says_cut(voice.text, voice.said))
        for voice in voices
        if voice.text
    ]
    return [replace(own, cut=own.cut or _is_continued(own, found)) for own in found if own.folded]


def _says_cut(text: str, entry: EntryData) -> bool:
    return is_cut(text) if entry.cut is None else entry.cut


def _is_continued(own: NotesChoice, texts: Sequence[NotesChoice]) -> bool:
    """True where another text continues this one."""
    begun = squash(without_marks(own.plain))
    return any(_is_longer(other, own) and other.folded.startswith(begun) for other in texts)


def _is_longer(other: NotesChoice, own: NotesChoice) -> bool:
    """True for a text that says more than the other one, and not only a few words behind it.

    So few are furniture of a page, unless its site tells where its texts end.
    """
    tells_its_end = other.cut or other.voice.said.cut is False
    return len(other.folded) - len(own.folded) > (0 if tells_its_end else FURNITURE)


def details(rows: Rows) -> list[dict[str, str]]:
    """Rows of DETAILS by the names of their values, empty ones left out: `{"kind": "location",
    "name": "Bath"}`."""
    named = (zip(("kind", *DETAILS[row[0]].values), row, strict=False) for row in rows)
    return [{name: value for name, value in pairs if value} for pairs in named]


def _detail(line: str) -> tuple[str, ...]:
    """A row of DETAILS with a place for each value of its kind; nothing where a value has none, an
    address cannot be followed, or a position is no number of seconds."""
    kind, *values = (value.strip() for value in line.split("|"))
    names: Sequence[str] = getattr(DETAILS.get(kind), "values", ())
    checks: dict[str, Callable[[str], object]] = {
        "url": is_web,
        "start": SECONDS.fullmatch,
        "duration": SECONDS.fullmatch,
    }
    pairs = zip(names, values, strict=False)
    fits = all(not value or checks.get(name, bool)(value) for name, value in pairs)
    is_whole = fits and any(values) and len(values) <= len(names)
    return (kind, *values, *[""] * (len(names) - len(values))) if is_whole else ()


def by_kind(rows: Sequence[Mapping[str, str]]) -> dict[str, list[Mapping[str, str]]]:
    """Rows of `details`, grouped by kind."""
    found: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        found.setdefault(row["kind"], []).append(row)
    return found


def plain_notes(entry: EntryData) -> str:
    """The notes of an entry as plain text, whether they came as such or as markup."""
    return entry.text or to_text(entry.html)


def _season_and_number(entry: EntryData) -> tuple[int | None, int | None]:
    """Season and number as an entry declares them, else as its title has them."""
    season, number = season_and_number(entry.title) or (None, None)
    return (
        season if entry.season is None else entry.season,
        number if entry.number is None else entry.number,
    )


def _days_apart(one: Voice, other: Voice) -> int:
    """The days between two dates, 0 where one is not known."""
    a, b = one.said.moment, other.said.moment
    return abs((a.at.date() - b.at.date()).days) if a and b else 0


def without_tail(text: str, entry: EntryData) -> str:
    """A text without the mark of a cut; an ellipsis of the author's own stays."""
    return without_marks(text) if _says_cut(text, entry) else text


def lengths_differ(one: DurationRange, other: DurationRange) -> bool:
    """True for lengths that cannot be of one episode."""
    return one.gap(other) > LENGTH_OFF * max(one.high, other.high)


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def web_address(text: str) -> str:
    """A typed web address, with the https:// that people leave out; "" for none."""
    text = f"https://{text}" if HOST.match(text) else text
    host = host_of(text)
    return text if is_web(text) and host.split() == [host] else ""


def _whole(text: str) -> int | None:
    return int(text) if DIGITS.fullmatch(text) else None
