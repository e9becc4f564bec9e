"""The fields of an episode: for each its name, how entries state it, and how it is typed, displayed,
chosen, compared, stored and exported. Everything that lists fields uses this table. Pure.

- A date or length that cannot be parsed is displayed as the source writes it, and never becomes a value.
- Notes that come as markup alone are read as `to_text` reads them, paragraph by paragraph.
- A person can type a value in many forms (`parse_typed`). A stored value has one (`parse`, `to_text`).
- A season and number that only the title prints ("S2E5") are values. So is a number alone at its
  beginning ("Ep. 12"), in the show's own sources (identity/numbers.py).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, cast

from .dates import MAX_DATE_LENGTH, feed_length_seconds_range, parse_typed_dates
from .records import (
    DETAIL_ELEMENTS,
    AudioFile,
    DurationRange,
    EntryData,
    NotesText,
    PublicationDate,
    RankedEntry,
    publication_date_of_isoformat,
)
from .text.formatting import format_day, format_length, format_time
from .text.media_types import playable_media_type_or_none
from .text.normalize import fold_without_spaces, folded_opening, is_truncated, strip_cut_marks
from .text.numbering import season_and_number
from .text.show_notes import to_text
from .text.urls import host_of, is_web_url

V = TypeVar("V")
DATE_TOLERANCE_DAYS = 2
EPISODE_TYPE_VALUES = ("full", "trailer", "bonus")


class InvalidFieldValue(ValueError):
    """A text is no value of the field. The message tells the field, the text, and examples of values."""


@dataclass(frozen=True, slots=True)
class SourcedValue(Generic[V]):
    """The value of a field and the source that gave it."""

    value: V | None = None
    source: str = ""


# Not compared by value, as fields are keys of dictionaries.
@dataclass(frozen=True, slots=True, eq=False)
class Field(Generic[V]):
    """A field of an episode. Its values are of type `V`, and None is an unknown value.

    Many methods return a text:

    | method | text of | for |
    |---|---|---|
    | `to_text` | a value | storing and typing. `parse_typed` is the way back |
    | `text_of_entry` | an entry's value | storing and typing |
    | `text_of_episode` | an episode's value | exports |
    | `form_text` | an episode's value | editing |
    | `describe` | a value | pages, if words say more than `to_text`, else "" |
    | `display_entry_value` | an entry's value | pages |
    | `display` | a stored text | pages, shortened |
    | `display_full` | a stored text | the history, in full |
    """

    may_be_blank: ClassVar[bool] = True  # by a person's hand
    refusal: ClassVar[str] = (
        "cannot be used"  # the predicate of the error about a text that is no value
    )
    raw_attribute: ClassVar[str] = ""  # of an entry, with the words that the value is parsed from
    blank: ClassVar[Any] = None  # is stored if there is no value

    name: str  # in decisions, exports and spreadsheets
    label: str
    expects: str = ""  # examples of what can be typed
    hint: str = ""
    stated: bool = True  # entries state it
    is_publisher_only: bool = False  # only the show's own sources set it
    overridable: bool = True
    optional: bool = False  # many shows have none, and nobody misses it
    is_multiline: bool = False  # a text of many lines
    input_type: str = ""  # the type of an input that helps to type it
    rss_element: str = ""  # the element of an item

    # -- in entries ----------------------------------------------------------------------------------

    def value_of_entry(self, entry: EntryData) -> V | None:
        return cast(V, getattr(entry, self.name, "").strip() or None)

    def text_as_source_writes_it(self, entry: EntryData) -> str:
        return getattr(entry, self.raw_attribute, "")

    def text_of_entry(self, entry: EntryData) -> str:
        return self.to_text(self.value_of_entry(entry)) or self.text_as_source_writes_it(entry)

    def display_entry_value(self, entry: EntryData) -> str:
        words = self.describe(self.value_of_entry(entry)) or self.text_of_entry(entry)
        return " ".join(words.split())

    def entry_attributes(self, value: V) -> dict[str, Any]:
        """Return the attributes of EntryData that state the value."""
        return {self.name: self.to_text(value)}

    # -- as text -----------------------------------------------------------------------------------

    def parse(self, text: str) -> V | None:
        """Return the value that was stored as `text`, or None if it is none."""
        raise NotImplementedError

    def parse_typed(self, text: str) -> V:
        """Return the value that a person typed, in any form.

        Raises:
            InvalidFieldValue: the text is no value, or could be several.
        """
        values = self.possible_values(text)
        is_ambiguous = len(values) > 1  # "4/5/21" is in April or in May
        if is_ambiguous:
            descriptions = " or ".join(self.describe(value) for value in values)
            unambiguous_texts = " or ".join(self.to_text(value) for value in values)
            raise InvalidFieldValue(
                f"{self.label}: “{text}” could be {descriptions}. Enter {unambiguous_texts}."
            )
        if not values:
            fault = f"{self.label}: “{_shortened(text)}” {self.refusal}"
            raise InvalidFieldValue(f"{fault}. Enter {self.expects}, or leave it empty.")
        (value,) = values
        return value

    def possible_values(self, text: str) -> Sequence[V]:
        value = self.parse(text)
        return () if value is None else (value,)

    def to_text(self, value: V | None) -> str:
        """Return the value as it is stored, "" for None. `parse` is the way back."""
        if value is None:
            return ""
        first_column = next(iter(self.episode_columns(value).values()))
        return str(first_column)

    def form_text(self, episode: Any) -> str:
        return self.text_of_episode(episode)

    def describe(self, value: V | None) -> str:
        """Return the value in words, or "" if they say no more than the value as it is typed."""
        return ""

    def display(self, text: str) -> str:
        return _shortened(self.display_full(text))

    def display_full(self, text: str) -> str:
        return self.describe(self.parse(text)) or text

    # -- chosen and compared -----------------------------------------------------------------------

    def choose_sourced_value(self, ranked_entries: Sequence[RankedEntry]) -> SourcedValue[V]:
        """Return the first value of the entries, and its source."""
        for entry in ranked_entries:
            value = self.value_of_entry(entry.values)
            if value is not None:
                return SourcedValue(value, entry.source)
        return SourcedValue()

    def entries_contradict(self, left: RankedEntry, right: RankedEntry) -> bool:
        """Return whether the values of two entries cannot both be right."""
        left_value = self.value_of_entry(left.values)
        right_value = self.value_of_entry(right.values)
        # The words of an entry may be no value that can be compared.
        if left_value is None or right_value is None:
            return False
        return self.values_contradict(left_value, right_value)

    def values_contradict(self, left: Any, right: Any) -> bool:
        return False

    # -- in the catalog ----------------------------------------------------------------------------

    def episode_columns(self, value: V | None) -> dict[str, Any]:
        """Return the contents of the columns that store the value in the catalog, by name of column."""
        return {self.name: self.blank if value is None else value}

    def first_column_value(self, episode: Any) -> Any:
        """Return the first column of an episode's value, or None if it has no value."""
        blank_columns = self.episode_columns(None)
        first_column = next(iter(blank_columns))
        stored = getattr(episode, first_column)
        return None if stored == blank_columns[first_column] else stored

    def value_of_episode(self, episode: Any) -> V | None:
        return cast("V | None", self.first_column_value(episode))

    def text_of_episode(self, episode: Any) -> str:
        return self.to_text(self.value_of_episode(episode))

    def export_members(self, episode: Any) -> dict[str, Any]:
        return {self.name: self.first_column_value(episode)}

    def rss_text(self, episode: Any) -> str:
        """Return the text of the field's element in an RSS item, or "" to leave it out."""
        text = str(self.first_column_value(episode)).lower()
        # A feed may number its trailer 0, but itunes:episode and itunes:season begin at 1.
        return "" if text in ("none", "0") else text


class MultiColumnField(Field[V]):
    """A field with a column of an episode for each attribute of a value. The first column shows whether
    there is a value."""

    attribute_of_column: ClassVar[Mapping[str, str]]  # in the order of the parameters below
    value_of_columns: ClassVar[Callable[..., Any]]

    def episode_columns(self, value: V | None) -> dict[str, Any]:
        stored = self.blank if value is None else value
        columns = {}
        for column, attribute in self.attribute_of_column.items():
            columns[column] = getattr(stored, attribute)
        return columns

    def value_of_episode(self, episode: Any) -> V | None:
        if self.first_column_value(episode) is None:
            return None
        columns = [getattr(episode, column) for column in self.attribute_of_column]
        return cast(V, self.value_of_columns(*columns))


class LineField(Field[str]):
    blank = ""

    def parse(self, text: str) -> str | None:
        return text


class TitleField(LineField):
    may_be_blank = False

    def entries_contradict(self, left: RankedEntry, right: RankedEntry) -> bool:
        """Return whether the titles differ in more than rank, number and the show's name."""
        return left.bare_title != right.bare_title


class WebField(LineField):
    refusal = "is not a web address"

    def parse(self, text: str) -> str | None:
        return complete_web_address_or_empty(text) or None


class CountField(Field[int]):
    """A whole number."""

    refusal = "is not a whole number"

    def entry_attributes(self, value: int) -> dict[str, Any]:
        return {self.name: value}

    def parse(self, text: str) -> int | None:
        # Spreadsheets make 46.0 of 46. No database column takes many more digits.
        number = re.fullmatch(r"#?([0-9]{1,9})(?:\.0*)?", text)
        return int(number[1]) if number else None


class NumberField(CountField):
    refusal = "is not a whole number above 0"

    def parse(self, text: str) -> int | None:
        """Return a number from 1 on. Only a feed may number its trailer 0."""
        return CountField.parse(self, text) or None

    def value_of_entry(self, entry: EntryData) -> int | None:
        return _numbering_of_entry(entry).number

    def choose_sourced_value(self, ranked_entries: Sequence[RankedEntry]) -> SourcedValue[int]:
        """Return the first number, but for a trailer or bonus the number that its own source declares."""
        # Lists count trailers as they come. The show itself does not.
        for entry in ranked_entries:
            if entry.values.episode_type in ("trailer", "bonus"):
                return SourcedValue(entry.values.number, entry.source)
        return Field.choose_sourced_value(self, ranked_entries)

    def entries_contradict(self, left: RankedEntry, right: RankedEntry) -> bool:
        """Return whether the numbers of two entries, which both have one, differ within a season."""
        left_numbering = _numbering_of_entry(left.values)
        right_numbering = _numbering_of_entry(right.values)
        # Season 2, number 3 may be number 17 of a source that counts through all seasons.
        if left_numbering.season != right_numbering.season:
            return False
        return left_numbering.number != right_numbering.number


class SeasonField(CountField):
    """The season of an episode, only of entries that agree with its chosen number."""

    def value_of_entry(self, entry: EntryData) -> int | None:
        return _numbering_of_entry(entry).season

    def choose_sourced_value(self, ranked_entries: Sequence[RankedEntry]) -> SourcedValue[int]:
        """Return the first season of the entries that have the chosen number, or no season."""
        # Season 2 of one source and number 17 of another would name no episode.
        chosen_number = NUMBER_FIELD.choose_sourced_value(ranked_entries).value
        agreeing_entries = []
        for entry in ranked_entries:
            number = NUMBER_FIELD.value_of_entry(entry.values)
            if number is None or number == chosen_number:
                agreeing_entries.append(entry)
        return Field.choose_sourced_value(self, agreeing_entries)

    def entries_contradict(self, left: RankedEntry, right: RankedEntry) -> bool:
        return self.value_of_entry(left.values) != self.value_of_entry(right.values)


class EpisodeNumbering(NamedTuple):
    """The season of an episode, and its number."""

    season: int | None
    number: int | None


def _numbering_of_entry(entry: EntryData) -> EpisodeNumbering:
    printed_season, printed_number = season_and_number(entry.title) or (None, None)
    return EpisodeNumbering(
        season=printed_season if entry.season is None else entry.season,
        number=printed_number if entry.number is None else entry.number,
    )


class DateField(MultiColumnField[PublicationDate]):
    refusal = "is not a date"
    raw_attribute = "date_raw"
    attribute_of_column: ClassVar[Mapping[str, str]] = {
        "published_at": "at",
        "published_precision": "precision",
    }
    blank = PublicationDate(None, "")  # type: ignore[arg-type]
    value_of_columns = PublicationDate

    def value_of_entry(self, entry: EntryData) -> PublicationDate | None:
        return entry.moment

    def entry_attributes(self, value: PublicationDate) -> dict[str, Any]:
        return {"published": value.isoformat(), "date_raw": value.isoformat()}

    def parse(self, text: str) -> PublicationDate | None:
        return publication_date_of_isoformat(text)

    def possible_values(self, text: str) -> Sequence[PublicationDate]:
        return parse_typed_dates(text)

    def to_text(self, value: PublicationDate | None) -> str:
        return value.isoformat() if value else ""

    def describe(self, value: PublicationDate | None) -> str:
        at, precision = self.episode_columns(value).values()
        return f"{format_day(at)}, {at:%H:%M} UTC" if precision == "instant" else format_day(at)

    def values_contradict(self, left: PublicationDate, right: PublicationDate) -> bool:
        return abs((left.at.date() - right.at.date()).days) > DATE_TOLERANCE_DAYS

    def export_members(self, episode: Any) -> dict[str, Any]:
        return {
            "published": self.text_of_episode(episode) or None,
            "published_precision": episode.published_precision or None,
        }


class LengthField(MultiColumnField[DurationRange]):
    refusal = "is not a length"
    raw_attribute = "length_raw"
    attribute_of_column: ClassVar[Mapping[str, str]] = {
        "duration_seconds": "low",
        "duration_exact": "exact",
    }
    blank = DurationRange(None, None)  # type: ignore[arg-type]
    value_of_columns = DurationRange.of

    def value_of_entry(self, entry: EntryData) -> DurationRange | None:
        return entry.length

    def entry_attributes(self, value: DurationRange) -> dict[str, Any]:
        return {"seconds_low": value.low, "seconds_high": value.high}

    def parse(self, text: str) -> DurationRange | None:
        span = feed_length_seconds_range(text[:MAX_DATE_LENGTH])
        return DurationRange(*span) if span else None

    def describe(self, value: DurationRange | None) -> str:
        return format_length(*self.episode_columns(value).values())

    def values_contradict(self, left: DurationRange, right: DurationRange) -> bool:
        return lengths_differ(left, right)

    def form_text(self, episode: Any) -> str:
        seconds = episode.duration_seconds
        return "" if seconds is None else format_time(seconds)


class NotesField(MultiColumnField[NotesText]):
    """The notes of an episode: the first text that no source has cut, or else the longest that continues
    the first text."""

    attribute_of_column: ClassVar[Mapping[str, str]] = {
        "description_text": "text",
        "description_html": "html",
        "description_truncated": "cut",
    }
    blank = NotesText("")
    value_of_columns = NotesText

    def value_of_entry(self, entry: EntryData) -> NotesText | None:
        text = without_tail(plain_notes(entry), entry)
        return NotesText(text, entry.html) if text else None

    def entry_attributes(self, value: NotesText) -> dict[str, Any]:
        return {"text": value.text, "cut": False}

    def parse(self, text: str) -> NotesText | None:
        return NotesText(text)

    def choose_sourced_value(
        self, ranked_entries: Sequence[RankedEntry]
    ) -> SourcedValue[NotesText]:
        """Return the first whole text, else the longest of the first text and the texts that continue
        it."""
        choices = notes_choices_marked_if_cut(ranked_entries)
        if not choices:
            return SourcedValue()
        whole_texts = [choice for choice in choices if not choice.cut]
        best = whole_texts[0] if whole_texts else _longest_continuation_of_first(choices)
        notes = NotesText(best.plain, best.ranked_entry.values.html, best.cut)
        return SourcedValue(notes, best.ranked_entry.source)

    def text_of_episode(self, episode: Any) -> str:
        return str(episode.description_text)  # lists leave the markup out

    def export_members(self, episode: Any) -> dict[str, Any]:
        return {
            "description_text": episode.description_text or None,
            "description_truncated": episode.description_truncated,
            "description_editorial": episode.provenance.get(self.name, {}).get("editorial", False),
        }


class AudioField(MultiColumnField[AudioFile]):
    refusal = "is not a web address"
    attribute_of_column: ClassVar[Mapping[str, str]] = {"audio_url": "url", "audio_type": "type"}
    blank = AudioFile("")
    value_of_columns = AudioFile

    def value_of_entry(self, entry: EntryData) -> AudioFile | None:
        return _audio_file(entry.audio_url, entry.audio_type)

    def parse(self, text: str) -> AudioFile | None:
        return _audio_file(complete_web_address_or_empty(text), "")


def _audio_file(address: str, declared: str) -> AudioFile | None:
    """Return the audio at an address, or None without an address and for a picture or document."""
    kind = playable_media_type_or_none(address, declared)
    return AudioFile(address, kind) if address and kind is not None else None


class ChoiceField(Field[V]):
    """A choice of a few values, each with its words, in any case: feeds write "Full" and "FULL"."""

    value_of_word: ClassVar[Mapping[str, Any]]

    def value_of_entry(self, entry: EntryData) -> V | None:
        return self.parse(getattr(entry, self.name))

    def parse(self, text: str) -> V | None:
        return self.value_of_word.get(text.strip().lower())

    def to_text(self, value: V | None) -> str:
        for word, value_of_word in self.value_of_word.items():
            if value_of_word == value:
                return word
        return ""


class TypeField(ChoiceField[str]):
    blank = ""
    value_of_word: ClassVar[Mapping[str, str]] = {kind: kind for kind in EPISODE_TYPE_VALUES}


class FlagField(ChoiceField[bool]):
    """Yes, no, or unknown."""

    value_of_word: ClassVar[Mapping[str, bool]] = {
        "yes": True,
        "no": False,
        "true": True,
        "false": False,
    }


DetailRows = tuple[tuple[str, ...], ...]


class DetailsField(Field[DetailRows]):
    """Facts about an episode from the show's own feed that have no field: location, licence, soundbites …"""

    def value_of_entry(self, entry: EntryData) -> DetailRows | None:
        return tuple(row for row in entry.extras if row[0] in DETAIL_ELEMENTS) or None

    def entry_attributes(self, value: DetailRows) -> dict[str, Any]:
        return {"extras": value}

    def parse(self, text: str) -> DetailRows | None:
        """Return the rows that a person typed: one per line, its kind and values between bars. Return
        None if a line is wrong, or without rows."""
        rows = []
        for line in text.splitlines():
            if not line.strip(" |"):  # a line without values
                continue
            row = _parse_typed_detail_row_or_none(line)
            if row is None:
                return None
            rows.append(row)
        return tuple(rows) or None

    def to_text(self, value: DetailRows | None) -> str:
        lines = []
        for row in value or ():
            # A bar or a line break within a value would split it.
            parts = [" ".join(part.replace("|", "/").split()) for part in row]
            line = " | ".join(parts)
            lines.append(line.rstrip(" |"))  # without empty values at its end
        return "\n".join(lines)

    def describe(self, value: DetailRows | None) -> str:
        return self.to_text(value).replace(" | ", " ").replace("\n", "; ")

    def episode_columns(self, value: DetailRows | None) -> dict[str, Any]:
        return {self.name: detail_dicts_without_blanks(value or ())}

    def value_of_episode(self, episode: Any) -> DetailRows | None:
        rows = []
        for detail in episode.details:
            value_names = DETAIL_ELEMENTS[detail["kind"]].values
            names = ("kind", *value_names)
            rows.append(tuple(detail.get(name, "") for name in names))
        return tuple(rows) or None

    def export_members(self, episode: Any) -> dict[str, Any]:
        # In the declared order: PostgreSQL keeps another one.
        return self.episode_columns(self.value_of_episode(episode))


ADDRESS_EXAMPLE = "a full address such as https://example.org/page"
TITLE_FIELD = TitleField("title", "Title")
NUMBER_FIELD = NumberField(
    "number",
    "Number",
    "a whole number such as 46",
    "Decides the order of the show, within the season.",
    rss_element="itunes:episode",
)
SEASON_FIELD = SeasonField(
    "season",
    "Season",
    "a whole number such as 2",
    "For shows that count by seasons.",
    optional=True,
    rss_element="itunes:season",
)
PUBLISHED_FIELD = DateField(
    "published",
    "Date",
    "a date such as 2021-08-18 or 18 August 2021, with a time such as 2021-08-18 13:00 if known",
    "Such as 2021-08-18, 18 August 2021, or 2021-08-18 13:00 (UTC unless you add a time zone).",
    input_type="date",
)
DURATION = LengthField(
    "duration_seconds",
    "Length",
    "13:45, 1:02:03, 14 min, or 825 for seconds",
    "Such as 13:45, 1:02:03 or 14 min; a number alone means seconds.",
    rss_element="itunes:duration",
)
NOTES_FIELD = NotesField("description_text", "Notes", is_multiline=True)
SLUG = LineField(
    "slug",
    "Address",
    hint="Follows the title unless you set it. Old addresses keep redirecting.",
    stated=False,
)
GUID = LineField("guid", "Guid", is_publisher_only=True, overridable=False)
URL = WebField(
    "url",
    "Page",
    ADDRESS_EXAMPLE,
    "Filled in from the show’s own feed or site, never from a directory.",
    is_publisher_only=True,
)
AUDIO = AudioField("audio_url", "Audio", ADDRESS_EXAMPLE, is_publisher_only=True)

EPISODE_TYPE_FIELD = TypeField(
    "episode_type",
    "Type",
    "full, trailer or bonus",
    is_publisher_only=True,
    optional=True,
    rss_element="itunes:episodeType",
)
EXPLICIT_FIELD = FlagField(
    "explicit",
    "Explicit",
    "yes or no",
    is_publisher_only=True,
    optional=True,
    rss_element="itunes:explicit",
)
IMAGE = WebField("image_url", "Image", ADDRESS_EXAMPLE, is_publisher_only=True, optional=True)
DETAIL_EXAMPLES = """
season | The first year
episode | Bonus 3
soundbite | 73 | 12.5 | A kettle sings
location | Leith | geo:55.9,-3.1
license | CC BY | https://creativecommons.org/licenses/by/4.0/
funding | Support us | https://example.org/support
social | https://example.social/@show/1 | activitypub | @show
alternate | https://example.org/small.opus | audio/opus | Small file
link | The paper | https://example.org/paper
"""
MORE = DetailsField(
    "details",
    "Details",
    "one per line, such as location | Leith | geo:55.9,-3.1",
    f"One per line, as in these examples. Times are in seconds.{DETAIL_EXAMPLES.rstrip()}",
    is_publisher_only=True,
    optional=True,
    is_multiline=True,
)

FACT_FIELDS: tuple[Field[Any], ...] = (
    TITLE_FIELD,
    NUMBER_FIELD,
    SEASON_FIELD,
    PUBLISHED_FIELD,
    DURATION,
)
SOURCED_FIELDS = (*FACT_FIELDS, NOTES_FIELD)  # an episode tells which source each came from
FIELDS = (
    *SOURCED_FIELDS,
    SLUG,
    GUID,
    URL,
    AUDIO,
    EPISODE_TYPE_FIELD,
    EXPLICIT_FIELD,
    IMAGE,
    MORE,
)
FIELDS_BY_NAME: Mapping[str, Field[Any]] = {field.name: field for field in FIELDS}
STATED_FIELDS = tuple(field for field in FIELDS if field.stated)
OVERRIDABLE_FIELDS = tuple(field for field in FIELDS if field.overridable)
ADD_EPISODE_FIELDS = tuple(field for field in OVERRIDABLE_FIELDS if field.stated)
RSS_FIELDS = tuple(
    sorted((field for field in FIELDS if field.rss_element), key=lambda field: field.rss_element)
)
# Scripts read columns by their place: this list only grows, at its end.
CSV_COLUMNS = (
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


# -- functions that several packages share --------------------------------------------------------


@dataclass(frozen=True)
class NotesChoice:
    """The notes of one entry, without the mark of a cut."""

    ranked_entry: RankedEntry
    plain: str
    cut: bool

    @cached_property
    def folded(self) -> str:
        return fold_without_spaces(self.plain)


def notes_choices_marked_if_cut(ranked_entries: Sequence[RankedEntry]) -> list[NotesChoice]:
    """Return the notes of each entry that has some, with whether they are cut: by the site's
    convention, or because another text continues them."""
    choices = _readable_notes_choices(ranked_entries)
    # A single text has no other text to be compared with, and folding is slow.
    if len(choices) == 1:
        return choices
    compared_choices = []
    for choice in choices:
        is_cut = choice.cut or _is_beginning_of_longer_text(choice, choices)
        compared_choices.append(replace(choice, cut=is_cut))
    return compared_choices


def _readable_notes_choices(ranked_entries: Sequence[RankedEntry]) -> list[NotesChoice]:
    choices = []
    for entry in ranked_entries:
        text = plain_notes(entry.values)
        is_cut = _is_cut_by_site(text, entry.values)
        choice = NotesChoice(entry, without_tail(text, entry.values), is_cut)
        # Signs alone, such as "…", are no notes.
        has_letters = folded_opening(choice.plain, 1) != ""
        if has_letters:
            choices.append(choice)
    return choices


def _is_cut_by_site(text: str, entry: EntryData) -> bool:
    return is_truncated(text) if entry.cut is None else entry.cut


def _is_beginning_of_longer_text(choice: NotesChoice, choices: Sequence[NotesChoice]) -> bool:
    """Return True if another text continues a text: "Of kettles and lids." continues "Of kettles…"."""
    # Without white space and apostrophes, because sites differ in them.
    beginning = fold_without_spaces(strip_cut_marks(choice.plain))
    for candidate in choices:
        is_declared_uncut = candidate.ranked_entry.values.cut is False
        does_site_mark_cuts = candidate.cut or is_declared_uncut
        # On other sites up to 60 further characters may be words such as "[More]" that a page puts behind
        # the same text.
        ignored_length = 0 if does_site_mark_cuts else 60
        is_longer = len(candidate.folded) > len(choice.folded) + ignored_length
        if is_longer and candidate.folded.startswith(beginning):
            return True
    return False


def _longest_continuation_of_first(choices: Sequence[NotesChoice]) -> NotesChoice:
    # A longer text that begins otherwise may be of another episode, or a translation.
    beginning = choices[0].folded
    continuations = [choice for choice in choices if choice.folded.startswith(beginning)]
    return max(continuations, key=lambda choice: len(choice.folded))


class FieldChange(NamedTuple):
    """A field that differs between two states of an entry, as pages display it."""

    field: Field[Any]
    old: str
    new: str


def iterate_field_changes(old_entry: EntryData, new_entry: EntryData) -> Iterator[FieldChange]:
    """Yield each field that differs between two states of an entry.

    Another way of writing a value, or a better parse of the same words, is no difference.
    """
    for field in STATED_FIELDS:
        old_words = field.display_entry_value(old_entry)
        new_words = field.display_entry_value(new_entry)
        # Entries have dates and lengths also as the source writes them. If these texts are equal, only the
        # parser has changed.
        old_source_text = field.text_as_source_writes_it(old_entry)
        new_source_text = field.text_as_source_writes_it(new_entry)
        has_same_source_text = old_source_text != "" and old_source_text == new_source_text
        if old_words != new_words and not has_same_source_text:
            yield FieldChange(field, old_words, new_words)


def detail_dicts_without_blanks(feed_rows: DetailRows) -> list[dict[str, str]]:
    """Return each row as a dictionary, without empty values: `{"kind": "location", "name":
    "Bath"}`. Leave out kinds that are no detail, such as chapters and transcripts."""
    details = []
    for row in feed_rows:
        kind = row[0]
        if kind in DETAIL_ELEMENTS:
            names = ("kind", *DETAIL_ELEMENTS[kind].values)
            # The row may lack values at its end.
            names_and_values = zip(names, row, strict=False)
            details.append({name: value for name, value in names_and_values if value})
    return details


def _parse_typed_detail_row_or_none(line: str) -> tuple[str, ...] | None:
    """Return the kind and the values of a line that a person typed, "" for a missing value.

    Return None if the kind is unknown, all values are empty, there are too many, an address is no web
    address, or a position is no number of seconds.
    """
    kind, *values = (part.strip() for part in line.split("|"))
    if kind not in DETAIL_ELEMENTS:
        return None
    names = DETAIL_ELEMENTS[kind].values
    if not any(values) or len(values) > len(names):
        return None
    value_by_name = dict(zip_longest(names, values, fillvalue=""))
    if not _has_valid_address_and_times(value_by_name):
        return None
    return (kind, *value_by_name.values())


def _has_valid_address_and_times(value_by_name: Mapping[str, str]) -> bool:
    """Return False if the address of a detail is no web address, or a position is no number of seconds."""
    address = value_by_name.get("url")
    if address and not is_web_url(address):
        return False
    times = (value_by_name.get("start", ""), value_by_name.get("duration", ""))
    seconds_or_blank = re.compile(r"(?:[0-9]{1,12}(?:\.[0-9]*)?)?")
    return all(map(seconds_or_blank.fullmatch, times))


def details_by_kind(
    detail_dicts: Sequence[Mapping[str, str]],
) -> dict[str, list[Mapping[str, str]]]:
    """Return detail dictionaries in lists by kind. A value that is left out is ""."""
    details: dict[str, list[Mapping[str, str]]] = {}
    for row in detail_dicts:
        kind = row["kind"]
        blank = dict.fromkeys(DETAIL_ELEMENTS[kind].values, "")
        complete = {**blank, **row}
        details.setdefault(kind, []).append(complete)
    return details


def plain_notes(entry: EntryData) -> str:
    return entry.text or to_text(entry.html)


def without_tail(text: str, entry: EntryData) -> str:
    """Return a text without the mark of a cut. An ellipsis of the author's own stays."""
    return strip_cut_marks(text) if _is_cut_by_site(text, entry) else text


def lengths_differ(left: DurationRange, right: DurationRange) -> bool:
    return left.gap(right) > 0.25 * max(left.high, right.high)


def _shortened(text: str) -> str:
    return text if len(text) <= 240 else f"{text[:239]}…"


def complete_web_address_or_empty(text: str) -> str:
    """Return a typed web address, with the https:// that people leave out, or "" if it is none."""
    # "example.org", "example.org/page" and "example.org:8000"
    begins_with_host = re.match(r"(?:[^\W_-][\w-]*\.)+[^\W\d_]{2,}(?=[:/]|$)", text)
    if begins_with_host:
        text = f"https://{text}"
    host = host_of(text)
    is_one_word = host.split() == [host]  # neither "" nor with a space in it
    return text if is_one_word and is_web_url(text) else ""
