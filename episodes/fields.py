"""The table of an episode's fields: a row for each says what it is called, how entries state it,
how it is typed, worded, chosen, compared, stored and exported. Everything that lists fields reads
it; pure.

Where sources were read in several ways before, these hold:
- A date or length that cannot be read is told as the source words it, and never becomes a value.
- Notes that come as markup alone are read as `to_text` reads them, paragraph by paragraph, as the
  catalog shows them.
- What a person types may be worded in many ways (`typed`); what is stored is worded in one
  (`parse`, `text`).
- A season and number that only the title prints ("S2E5") are values. So is a number alone at its
  beginning ("Ep. 12"), in the show's own sources (identity/numbers.py).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar, cast

from .dates import LONGEST_DATE, read_length, typed_dates
from .records import (
    DETAILS,
    AudioFile,
    DurationRange,
    EntryData,
    NotesText,
    PublicationDate,
    RankedEntry,
    parse_date,
)
from .text.formatting import clock, day, length
from .text.media_types import played_type
from .text.normalize import folded_opening, is_cut, squash, without_marks
from .text.numbering import season_and_number
from .text.show_notes import to_text
from .text.urls import host_of, is_web

V = TypeVar("V")
LONGEST = 240  # characters of a value that pages quote
DAYS_AGREE = 2
TYPES = ("full", "trailer", "bonus")
FURNITURE = 60  # characters, without white space, that a page may put behind a text: "[More]"
DIGITS = re.compile(r"[0-9]{1,9}")  # no database column takes many more
HOST = re.compile(r"(?:[^\W_-][\w-]*\.)+[^\W\d_]{2,}(?=[:/]|$)")  # of `example.org/page`
LENGTH_OFF = 0.25  # lengths that differ by more cannot be of one episode


class NotAValue(ValueError):
    """Raised for a text that is no value of the field; the message says which field, what was typed, and
    what to enter."""


@dataclass(frozen=True, slots=True)
class Chosen(Generic[V]):
    """The value of a field and the source that gave it."""

    value: V | None = None
    source: str = ""


@dataclass(
    frozen=True, slots=True, eq=False
)  # each is one of a kind, and is looked up all the time
class Field(Generic[V]):
    """A field of an episode; its values are of type `V`, and None is an unknown one.

    Many methods give a text; they differ in what of and for whom:

        text      a value as it is stored and typed; `parse` is the way back
        text_in   the same of the value that an entry states
        shown     the same of the value that an episode has: for exports
        in_form   the value that an episode has, for editing
        in_words  a value as pages write it, where that says more; "" elsewhere
        words_in  the value that an entry states, as pages write it
        words     a stored text as pages write it, cut short
        told      a stored text as the history writes it, in full
    """

    may_be_blank: ClassVar[bool] = True  # by a person's hand
    wrong: ClassVar[str] = "cannot be used"  # what is said of a text that is no value
    raw: ClassVar[str] = ""  # the attribute of an entry with the words that could not be read
    # The columns of an episode that hold the value: the value itself under the field's name, or its
    # attributes; the first shows whether there is a value. `blank` is held where there is none.
    parts: ClassVar[Mapping[str, str]] = {}
    blank: ClassVar[Any] = None
    made: ClassVar[Callable[..., Any]]  # the value that several columns hold, by what they hold

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
        return cast(V, getattr(entry, self.name, "").strip() or None)

    def unread_in(self, entry: EntryData) -> str:
        """The words of an entry instead of a value that can be read."""
        return getattr(entry, self.raw, "")

    def text_in(self, entry: EntryData) -> str:
        """The value of an entry as a curator would type it; "" for none."""
        return self.text(self.value_in(entry)) or self.unread_in(entry)

    def words_in(self, entry: EntryData) -> str:
        """The value of an entry, in words."""
        words = self.in_words(self.value_in(entry)) or self.text_in(entry)
        return " ".join(words.split())

    def as_entry(self, value: V) -> dict[str, Any]:
        """The attributes of EntryData that state the value."""
        return {self.name: self.text(value)}

    # -- as text -----------------------------------------------------------------------------------

    def parse(self, text: str) -> V | None:
        """The value that a person means by `text`, or that was stored as it; None for what is
        none."""
        raise NotImplementedError

    def typed(self, text: str) -> V:
        """The value that a person typed, in whatever form.

        Raises:
            NotAValue: it is none, or could be several.
        """
        values = self.meanings(text)
        if len(values) > 1:
            words, examples = map(self.in_words, values), map(self.text, values)
            told = f"{self.label}: “{text}” could be {' or '.join(words)}"
            raise NotAValue(f"{told}. Enter {' or '.join(examples)}.")
        if not values:
            told = f"{self.label}: “{_clipped(text)}” {self.wrong}"
            raise NotAValue(f"{told}. Enter {self.expects}, or leave it empty.")
        return values[0]

    def meanings(self, text: str) -> Sequence[V]:
        """The values that a person may mean."""
        value = self.parse(text)
        return () if value is None else (value,)

    def text(self, value: V | None) -> str:
        """The value as it is stored, "" for None; `parse` is the way back."""
        return "" if value is None else str(next(iter(self.columns(value).values())))

    def in_form(self, episode: Any) -> str:
        """The value of an episode as forms show it for editing."""
        return self.shown(episode)

    def in_words(self, value: V | None) -> str:
        """The value in words, where they say more than the value as it is typed."""
        return ""

    def words(self, text: str) -> str:
        """A typed or stated value as pages write it; as it is where it cannot be read."""
        return _clipped(self.told(text))

    def told(self, text: str) -> str:
        """A typed or stated value as the history writes it: in words, and in full."""
        return self.in_words(self.parse(text)) or text

    # -- chosen and compared -----------------------------------------------------------------------

    def choose(self, voices: Sequence[RankedEntry]) -> Chosen[V]:
        """The best-ranked value, unless another voice says the same more exactly; nothing never
        replaces something."""
        values = [
            Chosen(value, voice.source)
            for voice in voices
            if (value := self.value_in(voice.said)) is not None
        ]
        # Rank gives way to exactness alone: an instant of the very day, seconds of the very
        # minutes.
        refined = [one for one in values[1:] if self.refines(one.value, values[0].value)]
        return next(iter(refined + values), Chosen())

    def refines(self, value: Any, first: Any) -> bool:
        """True where a value says what the first says, only more exactly."""
        return False

    def differ(self, one: RankedEntry, other: RankedEntry) -> bool:
        """True where both cannot be right."""
        return False

    # -- in the catalog ----------------------------------------------------------------------------

    def columns(self, value: V | None) -> dict[str, Any]:
        """The columns of the catalog that hold the value."""
        held = self.blank if value is None else value
        columns = {column: getattr(held, part) for column, part in self.parts.items()}
        return columns or {self.name: held}

    def column(self, episode: Any) -> Any:
        """The first column of an episode's value; None where it has no value."""
        column, nothing = next(iter(self.columns(None).items()))
        stored = getattr(episode, column)
        return None if stored == nothing else stored

    def of(self, episode: Any) -> V | None:
        """The value of an episode in the catalog."""
        value: V | None = self.column(episode)
        if value is None or not self.parts:
            return value
        return cast(V, self.made(*(getattr(episode, column) for column in self.parts)))

    def shown(self, episode: Any) -> str:
        return self.text(self.of(episode))

    def export(self, episode: Any) -> dict[str, Any]:
        """The members of the JSON export."""
        return {self.name: self.column(episode)}

    def in_rss(self, episode: Any) -> str:
        """The text of the field's element in an RSS item; "" for none, and for a number 0."""
        text = str(self.column(episode)).lower()
        return "" if text in ("none", "0") else text


class LineField(Field[str]):
    """A line of text."""

    blank = ""

    def parse(self, text: str) -> str | None:
        return text


class TitleField(LineField):
    may_be_blank = False

    def differ(self, one: RankedEntry, other: RankedEntry) -> bool:
        return "" != one.bare_title != other.bare_title != ""


class WebField(LineField):
    wrong = "is not a web address"

    def parse(self, text: str) -> str | None:
        return web_address(text) or None


class CountField(Field[int]):
    """A whole number."""

    wrong = "is not a whole number"

    def as_entry(self, value: int) -> dict[str, Any]:
        return {self.name: value}

    def parse(self, text: str) -> int | None:
        whole, _, fraction = text.removeprefix("#").partition(".")
        # Spreadsheets make 46.0 of 46.
        return int(whole) if DIGITS.fullmatch(whole) and not fraction.strip("0") else None


class NumberField(CountField):
    wrong = "is not a whole number above 0"

    def parse(self, text: str) -> int | None:
        """Numbers that people give begin at 1; a feed may number its trailer 0."""
        return CountField.parse(self, text) or None

    def value_in(self, entry: EntryData) -> int | None:
        return _season_and_number(entry)[1]

    def choose(self, voices: Sequence[RankedEntry]) -> Chosen[int]:
        """The best number; of a trailer or bonus only what its own source declares, whatever a title
        or a list counts it as."""
        # Lists count trailers as they come; the show itself does not.
        special = (voice for voice in voices if voice.said.episode_type in TYPES[1:])
        voice = next(special, None)
        return Chosen(voice.said.number, voice.source) if voice else Field.choose(self, voices)

    def differ(self, one: RankedEntry, other: RankedEntry) -> bool:
        """True for two numbers of one season that are not equal; numbers of different seasons are not
        compared, nor one that counts through all seasons with one that does not."""
        (season, number), (other_season, other_number) = map(
            _season_and_number, (one.said, other.said)
        )
        return season == other_season and number != other_number


class SeasonField(CountField):
    def value_in(self, entry: EntryData) -> int | None:
        return _season_and_number(entry)[0]

    def choose(self, voices: Sequence[RankedEntry]) -> Chosen[int]:
        """The best-ranked season of those that give the number that is shown, or none: the two
        identify together."""
        number = NUMBER.choose(voices).value
        # Season 2 of one source and number 17 of another would name no episode.
        agreeing = [v for v in voices if NUMBER.value_in(v.said) in (None, number)]
        return Field.choose(self, agreeing)

    def differ(self, one: RankedEntry, other: RankedEntry) -> bool:
        return self.value_in(one.said) != self.value_in(other.said)


class DateField(Field[PublicationDate]):
    wrong = "is not a date"
    raw = "date_raw"
    parts: ClassVar[Mapping[str, str]] = {"published_at": "at", "published_precision": "precision"}
    blank = PublicationDate(None, "")  # type: ignore[arg-type]
    made = PublicationDate

    def value_in(self, entry: EntryData) -> PublicationDate | None:
        return entry.moment

    def as_entry(self, value: PublicationDate) -> dict[str, Any]:
        return {"published": value.isoformat(), "date_raw": value.isoformat()}

    def parse(self, text: str) -> PublicationDate | None:
        return parse_date(text)

    def meanings(self, text: str) -> Sequence[PublicationDate]:
        return typed_dates(text)

    def text(self, value: PublicationDate | None) -> str:
        return value.isoformat() if value else ""

    def in_words(self, value: PublicationDate | None) -> str:
        at, precision = self.columns(value).values()
        return f"{day(at)}, {at:%H:%M} UTC" if precision == "instant" else day(at)

    def refines(self, value: PublicationDate, first: PublicationDate) -> bool:
        """An instant of the day that was given."""
        return first.is_day and not value.is_day and value.at.date() == first.at.date()

    def differ(self, one: RankedEntry, other: RankedEntry) -> bool:
        return _days_apart(one, other) > DAYS_AGREE

    def export(self, episode: Any) -> dict[str, Any]:
        return {
            "published": self.shown(episode) or None,
            "published_precision": episode.published_precision or None,
        }


class LengthField(Field[DurationRange]):
    wrong = "is not a length"
    raw = "length_raw"
    parts: ClassVar[Mapping[str, str]] = {"duration_seconds": "low", "duration_exact": "exact"}
    blank = DurationRange(None, None)  # type: ignore[arg-type]
    made = DurationRange.of

    def value_in(self, entry: EntryData) -> DurationRange | None:
        return entry.length

    def as_entry(self, value: DurationRange) -> dict[str, Any]:
        return {"seconds_low": value.low, "seconds_high": value.high}

    def parse(self, text: str) -> DurationRange | None:
        span = read_length(text[:LONGEST_DATE])
        return DurationRange(*span) if span else None

    def in_words(self, value: DurationRange | None) -> str:
        return length(*self.columns(value).values())

    def refines(self, value: DurationRange, first: DurationRange) -> bool:
        """A length to the second within the minutes that were given."""
        return not first.exact and value.exact and first.low <= value.low <= first.high

    def differ(self, one: RankedEntry, other: RankedEntry) -> bool:
        a, b = one.said.length, other.said.length
        return a is not None and b is not None and lengths_differ(a, b)

    def in_form(self, episode: Any) -> str:
        seconds = episode.duration_seconds
        return "" if seconds is None else clock(seconds)


class NotesField(Field[NotesText]):
    parts: ClassVar[Mapping[str, str]] = {
        "description_text": "text",
        "description_html": "html",
        "description_truncated": "cut",
    }
    blank = NotesText("")
    made = NotesText

    def value_in(self, entry: EntryData) -> NotesText | None:
        """The text without the mark of a cut."""
        text = without_tail(plain_notes(entry), entry)
        return NotesText(text, entry.html) if text else None

    def as_entry(self, value: NotesText) -> dict[str, Any]:
        return {"text": value.text, "cut": False}

    def parse(self, text: str) -> NotesText | None:
        return NotesText(text)

    def choose(self, voices: Sequence[RankedEntry]) -> Chosen[NotesText]:
        """The best whole text by rank; else, of the best-ranked text and those that continue it,
        the longest."""
        found = texts(voices)
        # Rank alone would show half a text where a whole one is known.
        best = next((text for text in found if not text.cut), None)
        if best is None and found:
            # A longer text that begins otherwise may be of another episode, or a translation.
            line = [text for text in found if text.folded.startswith(found[0].folded)]
            best = max(line, key=lambda text: len(text.folded))
        if best is None:
            return Chosen()
        return Chosen(NotesText(best.plain, best.voice.said.html, best.cut), best.voice.source)

    def shown(self, episode: Any) -> str:
        return str(episode.description_text)  # lists leave the markup out

    def export(self, episode: Any) -> dict[str, Any]:
        return {
            "description_text": episode.description_text or None,
            "description_truncated": episode.description_truncated,
            "description_editorial": episode.provenance.get(self.name, {}).get("editorial", False),
        }


class AudioField(Field[AudioFile]):
    wrong = "is not a web address"
    parts: ClassVar[Mapping[str, str]] = {"audio_url": "url", "audio_type": "type"}
    blank = AudioFile("")
    made = AudioFile

    def value_in(self, entry: EntryData) -> AudioFile | None:
        return _audio_file(entry.audio_url, entry.audio_type)

    def parse(self, text: str) -> AudioFile | None:
        return _audio_file(web_address(text) or "", "")


def _audio_file(address: str, declared: str) -> AudioFile | None:
    kind = played_type(address, declared)
    return AudioFile(address, kind) if address and kind is not None else None


class ChoiceField(Field[V]):
    """One of a few values, each with the words for it, in any case: feeds write "Full" and "FULL".
    Anything else that a feed says is no value."""

    values: ClassVar[Mapping[str, Any]]

    def value_in(self, entry: EntryData) -> V | None:
        return self.parse(getattr(entry, self.name))

    def parse(self, text: str) -> V | None:
        return self.values.get(text.strip().lower())

    def text(self, value: V | None) -> str:
        return next((word for word, one in self.values.items() if one == value), "")


class TypeField(ChoiceField[str]):
    blank = ""
    values: ClassVar[Mapping[str, str]] = {kind: kind for kind in TYPES}


class FlagField(ChoiceField[bool]):
    """Yes, no, or unknown."""

    values: ClassVar[Mapping[str, bool]] = {"yes": True, "no": False, "true": True, "false": False}


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

    def text(self, value: Rows | None) -> str:
        rows = ([" ".join(text.replace("|", "/").split()) for text in row] for row in value or ())
        return "\n".join(" | ".join(row).rstrip(" |") for row in rows)

    def in_words(self, value: Rows | None) -> str:
        return self.text(value).replace(" | ", " ").replace("\n", "; ")

    def columns(self, value: Rows | None) -> dict[str, Any]:
        return {self.name: details(value or ())}

    def of(self, episode: Any) -> Rows | None:
        names = {kind: ("kind", *detail.values) for kind, detail in DETAILS.items()}
        rows = ((names[row["kind"]], row) for row in episode.details)
        return tuple(tuple(row.get(name, "") for name in own) for own, row in rows) or None

    def export(self, episode: Any) -> dict[str, Any]:
        # In the declared order: PostgreSQL keeps another one.
        return self.columns(self.of(episode))


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
SLUG = LineField(
    "slug",
    "Address",
    hint="Follows the title unless you set it. Old addresses keep redirecting.",
    stated=False,
)
GUID = LineField("guid", "Guid", own=True, overridable=False)
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
FACTS: tuple[Field[Any], ...] = (TITLE, NUMBER, SEASON, PUBLISHED, DURATION)
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

    voice: RankedEntry
    plain: str
    cut: bool

    @cached_property
    def folded(self) -> str:
        return squash(self.plain)


def texts(voices: Sequence[RankedEntry]) -> list[NotesChoice]:
    """Every voice's notes with whether they are cut: as its site's convention says, or because
    others go on where they end."""
    found = []
    for voice in voices:
        text = plain_notes(voice.said)
        own = NotesChoice(voice, without_tail(text, voice.said), _says_cut(text, voice.said))
        found += [own] if folded_opening(own.plain, 1) else []
    if len(found) == 1:
        return found
    return [replace(own, cut=own.cut or _is_continued(own, found)) for own in found]


def _says_cut(text: str, entry: EntryData) -> bool:
    return is_cut(text) if entry.cut is None else entry.cut


def _is_continued(own: NotesChoice, texts: Sequence[NotesChoice]) -> bool:
    """True where another text continues this one, by more than a few words: these are furniture of a
    page, unless its site tells where its texts end."""
    # Without white space and apostrophes, in which sites differ.
    begun = squash(without_marks(own.plain))
    return any(
        len(other.folded) - len(own.folded)
        > (0 if other.cut or other.voice.said.cut is False else FURNITURE)
        and other.folded.startswith(begun)
        for other in texts
    )


def differing(before: EntryData, now: EntryData) -> Iterator[tuple[Field[Any], str, str]]:
    """The fields in which two states of an entry differ, with the words of both.

    Another way of writing a value, or a better reading of the same words, is no difference.
    """
    for field in STATED:
        raw, old, new = field.unread_in(before), field.words_in(before), field.words_in(now)
        if old != new and (not raw or raw != field.unread_in(now)):
            yield field, old, new


def details(rows: Rows) -> list[dict[str, str]]:
    """Rows of DETAILS by the names of their values, empty ones left out: `{"kind": "location",
    "name": "Bath"}`. A channel can also offer chapters and transcripts, which are no details."""
    return [
        {
            name: value
            for name, value in zip(("kind", *DETAILS[row[0]].values), row, strict=False)
            if value
        }
        for row in rows
        if row[0] in DETAILS
    ]


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
    """Rows of `details`, grouped by kind; what a row leaves out is ""."""
    found: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        blank = dict.fromkeys(DETAILS[row["kind"]].values, "")
        found.setdefault(row["kind"], []).append(blank | {**row})
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


def _days_apart(one: RankedEntry, other: RankedEntry) -> int:
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
    # People leave it out, and browsers show addresses without.
    text = f"https://{text}" if HOST.match(text) else text
    host = host_of(text)
    return text if is_web(text) and host.split() == [host] else ""
