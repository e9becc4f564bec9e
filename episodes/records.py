"""The frozen values that pass between the steps, from a document to the catalog; no Django, nothing
of ours."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain, product
from typing import Any, ClassVar, Self

NO_DATE = datetime(
    1970, 1, 2, tzinfo=UTC
)  # programs take the first second of 1970 for no date at all

NEVER = 1 << 62  # a version of a document
LONGEST_IN_KEY = 300  # characters of a value in the key of a conflict


@dataclass(frozen=True, slots=True)
class DetailElement:
    """An element of Podcasting 2.0, and the names of its values with where they are in it: "." is
    the text, "@name" an attribute, "child@name" a child's."""

    element: str
    values: Mapping[str, str]


# What a feed says of an episode or a show beside its fields, by kind.
DETAILS: Mapping[str, DetailElement] = {
    "season": DetailElement("season", {"name": "@name"}),
    "episode": DetailElement("episode", {"display": "@display"}),
    "soundbite": DetailElement(
        "soundbite", {"start": "@startTime", "duration": "@duration", "title": "."}
    ),
    "location": DetailElement("location", {"name": ".", "geo": "@geo", "osm": "@osm"}),
    "license": DetailElement("license", {"name": ".", "url": "@url"}),
    "funding": DetailElement("funding", {"label": ".", "url": "@url"}),
    "social": DetailElement(
        "socialInteract", {"url": "@uri", "protocol": "@protocol", "account": "@accountId"}
    ),
    "alternate": DetailElement(
        "alternateEnclosure", {"url": "source@uri", "type": "@type", "title": "@title"}
    ),
    "link": DetailElement("contentLink", {"label": ".", "url": "@href"}),
}


@dataclass(frozen=True, slots=True)
class PublicationDate:
    """A point of time that says how exactly it is known: an instant in UTC, or a calendar day (kept
    as 00:00 UTC)."""

    at: datetime
    precision: str  # "instant" | "day"

    @property
    def is_day(self) -> bool:
        return self.precision == "day"

    def isoformat(self) -> str:
        """`2021-08-18` for a day, `2021-08-18T13:00:00Z` for an instant (contract: JSON export)."""
        if self.is_day:
            return self.at.date().isoformat()
        return self.at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


@dataclass(frozen=True, slots=True)
class DurationRange:
    """The length of an episode in seconds, as the span a source's words allow: "13 minutes" is 780
    up to 839."""

    low: int
    high: int

    @classmethod
    def of(cls, low: int, exact: bool) -> Self:
        """A length in seconds, or in minutes where it is not `exact`."""
        return cls(low, low if exact else low + 59)

    @property
    def exact(self) -> bool:
        return self.low == self.high

    def gap(self, other: Self) -> int:
        """Seconds between two ranges; 0 where they overlap."""
        return max(0, self.low - other.high, other.low - self.high)


class Stored:
    """A value that is stored as JSON."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def payload(self) -> dict[str, Any]:
        """The fields that say something, as JSON-ready values; `from_payload` is the way back."""
        said = {name: getattr(self, name) for name in self.__dataclass_fields__}
        defaults = self.__dataclass_fields__
        return {n: _lists(value) for n, value in said.items() if value != defaults[n].default}

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        known = cls.__dataclass_fields__
        return cls(**{name: _tuples(value) for name, value in payload.items() if name in known})


@dataclass(frozen=True, slots=True)
class EntryData(Stored):
    """One entry as its source states it; the payload of a revision.

    Text fields are "" where nothing is said. `text` is plain text with "\\n" between paragraphs,
    `html` the markup it came from; the verbatim bytes are the document's capture. `cut` tells what
    the site's own convention says of the text: True, False, or None where it says nothing.
    """

    title: str = ""
    text: str = ""
    html: str = ""
    cut: bool | None = None
    date_raw: str = ""
    published: str = ""  # PublicationDate.isoformat()
    length_raw: str = ""
    seconds_low: int | None = None
    seconds_high: int | None = None
    number: int | None = None
    season: int | None = None
    episode_type: str = ""  # full | trailer | bonus
    guid: str = ""
    url: str = ""
    audio_url: str = ""
    audio_type: str = ""
    image_url: str = ""
    explicit: str = ""  # yes | no
    author: str = ""
    show: str = ""
    names_show: bool = False  # so that an equal title is enough: what it says is surely of its show
    keywords: tuple[str, ...] = ()
    people: tuple[tuple[str, str, str], ...] = ()  # name, role, address
    # ("transcript", address, type, language, rel), ("chapters", address, type), ("chapter", start,
    # title, address, image), of an imported transcript ("file", name), ("words", first words),
    # ("times", "yes" or "no"), and the kinds of DETAILS
    extras: tuple[tuple[str, ...], ...] = ()
    # Its XML could be read only in part, so that a value it lacks is not taken back. Not stored.
    is_broken: bool = False

    def extra(self, kind: str) -> list[str]:
        """The first values of the extras of a kind."""
        return [value for name, value, *_ in self.extras if name == kind]

    def completed(self, earlier: Self) -> Self:
        """Return a broken entry as a whole one, with the values that only an earlier revision has."""
        values: dict[str, Any] = {"is_broken": False}
        for name, field_of_entry in self.__dataclass_fields__.items():
            value, earlier_value = getattr(self, name), getattr(earlier, name)
            if isinstance(earlier_value, tuple):
                values[name] = tuple(dict.fromkeys((*value, *earlier_value)))
            elif value == field_of_entry.default:
                values[name] = earlier_value
        return replace(self, **values)

    @property
    def moment(self) -> PublicationDate | None:
        return parse_date(self.published)

    @property
    def length(self) -> DurationRange | None:
        if self.seconds_low is None or self.seconds_high is None:
            return None
        return DurationRange(self.seconds_low, self.seconds_high)


def _lists(value: Any) -> Any:
    """As JSON gives it back, so that what is stored and what is said anew can be compared."""
    return [_lists(v) for v in value] if isinstance(value, tuple) else value


def _tuples(value: Any) -> Any:
    return tuple(_tuples(v) for v in value) if isinstance(value, list) else value


def parse_date(text: str) -> PublicationDate | None:
    """The way back from `PublicationDate.isoformat`; None for "" and for what is no date."""
    try:
        at = datetime.fromisoformat(text)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return PublicationDate(at, "instant" if "T" in text else "day")


@dataclass(frozen=True, slots=True)
class FetchedDocument:
    """A document as it came: bytes, the address it is a copy of ("" where not known), and what the
    server said of it."""

    body: bytes
    address: str = ""
    content_type: str = ""
    name: str = ""  # of the file, where it is one
    etag: str = ""
    last_modified: str = ""
    moved_to: str = ""  # where the server says that it is for good
    # By which it was fetched, as `https://name:password@host`. Never shown.
    login: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Show:
    """A podcast as readers of documents know it."""

    slug: str
    title: str
    feed_url: str = ""
    site_url: str = ""
    author: str = ""
    language: str = ""
    has_symbols: bool = False  # names of code are looked for
    not_code: tuple[str, ...] = ()  # words that look like names of code and are none
    owner: str = ""  # by the feed
    people: tuple[
        tuple[str, str, str], ...
    ] = ()  # of all episodes that name none: name, role, address
    description: str = ""  # markup or text
    categories: tuple[str, ...] = ()  # by the feed


@dataclass(frozen=True, slots=True)
class Channel(Stored):
    """A feed's statements about its show; "" where it makes none."""

    title: str = ""
    author: str = ""
    owner: str = ""
    language: str = ""
    site_url: str = ""
    description: str = ""
    self_url: str = ""  # the address that it calls its own
    new_feed_url: str = ""
    guid: str = ""  # podcast:guid
    image_url: str = ""
    explicit: str = ""  # yes | no
    kind: str = ""  # episodic | serial
    medium: str = ""
    blocked: bool = False  # by itunes:block or podcast:block: directories should not list it
    copyright: str = ""
    categories: tuple[str, ...] = ()
    people: tuple[tuple[str, str, str], ...] = ()  # name, role, address
    details: tuple[tuple[str, ...], ...] = ()  # of DETAILS


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page as it was read: its entries in their order, and what the page says of
    itself."""

    entries: tuple[EntryData, ...] = ()
    show: str = ""  # the show the page is about, as it names it
    foreign: int = 0  # entries that name another show, left alone
    left_out: tuple[tuple[str, str], ...] = ()  # title as printed, and why; is not stored
    reasons: tuple[str, ...] = ()  # why each entry is listed, of a page of any site; is not stored
    posts: bool = False  # entries are posts that give title and summary to links, never episodes
    channel: Channel | None = None  # of a feed
    # Of a feed: of all that the reading of an item depends on beside its text.
    fingerprint: str = ""
    next_page: str = ""  # of a feed: the address of the page with its older items
    # Of a feed whose XML had to be repaired: the number of items that could be read only in part.
    broken_entries: int | None = None


LONGEST_TITLE = 500  # characters of the title of a show or an episode; more of it is cut off


@dataclass(frozen=True, slots=True)
class KnownFeed:
    """A version of a feed that was read before: its bytes, the entry of each item, and the
    fingerprint of their reading."""

    body: bytes
    entries: tuple[EntryData, ...]
    fingerprint: str


class DocumentRejected(Exception):
    """A document that must not be taken; the message is shown to the person who brought it."""


class WrongShow(DocumentRejected):
    """A page that a reader can read, about another show."""


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """An item of evidence as resolve sees it: what it says now, where it stands, and what its
    source may do."""

    source: str
    document: str
    key: str
    position: int
    said: EntryData
    rank: int = 100
    may_create: bool = True
    own: bool = True  # its source is the show's own
    url: str = ""  # of the document
    host: str = ""  # of the document's site
    configured: bool = False  # the document is at the address that its source is configured with
    # The document is confirmed. An unconfirmed one only says where an episode is listed.
    vouched: bool = True
    first_version: int = 1
    gone_version: int | None = None
    # For each time it was gone: the first version without it, and that in which it came back.
    absences: tuple[tuple[int, int], ...] = ()
    is_post: bool = False
    is_transcript: bool = False  # brought by somebody: offers words, and says nothing else
    before: tuple[
        tuple[str, ...], ...
    ] = ()  # files that it offered beside the audio in earlier revisions
    titles: tuple[tuple[int, str], ...] = ()  # all that it had, with the version of its document

    @property
    def ref(self) -> tuple[str, str, str]:
        """The identity of the entry: source, document, key."""
        return (self.source, self.document, self.key)

    @property
    def source_key(self) -> tuple[str, str]:
        """Source and key of the entry, by which decisions name it."""
        return (self.source, self.key)

    @property
    def is_listed(self) -> bool:
        """True for an entry of a list of episodes: no post, and no transcript."""
        return not (self.is_post or self.is_transcript)

    @property
    def address(self) -> str:
        """Document and key of the entry, by which a person finds it."""
        return f"{self.document} {self.key}"

    @property
    def document_order(self) -> tuple[Any, ...]:
        """The place of the entry's document: by rank; of one source's, the configured address,
        others, then saved files. Transcripts come last."""
        place = (self.rank, self.source, not self.configured, not self.url, self.document)
        return (self.is_transcript, *place)

    @property
    def order(self) -> tuple[Any, ...]:
        """The place of the entry among all entries of a show, whatever the order in which they
        came."""
        return (*self.version_order, self.position, self.key)

    @property
    def version_order(self) -> tuple[Any, ...]:
        """The place of the version that the entry is of: the newest of its document, then those
        that it is gone from, newest first."""
        gone = self.gone_version
        return (*self.document_order, gone is not None, -(gone or 0))

    @property
    def listed(self) -> Sequence[tuple[int, int]]:
        """For each time it was listed: the first version with it, and the first without it; one
        that never comes where it is listed still."""
        edges = (self.first_version, *chain(*self.absences), self.gone_version or NEVER)
        return tuple(zip(edges[::2], edges[1::2], strict=True))

    def beside(self, other: Self) -> bool:
        """True if one version of one document listed both."""
        return (self.source, self.document) == (other.source, other.document) and any(
            first < gone and came < end
            for (first, end), (came, gone) in product(self.listed, other.listed)
        )


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """An entry of an episode among others, as merging reads it: its notes as plain text, and with
    the number that its title prints if it declares none."""

    entry: SourceEntry
    bare_title: str  # folded, without rank, number and the show's name

    @property
    def source(self) -> str:
        return self.entry.source

    @property
    def said(self) -> EntryData:
        return self.entry.said


def trusted(entries: Sequence[SourceEntry]) -> tuple[SourceEntry, ...]:
    """Return the entries of an episode whose values count: the confirmed ones, else all.

    Transcripts have no values.
    """
    stated = tuple(entry for entry in entries if not entry.is_transcript)
    return tuple(entry for entry in stated if entry.vouched) or stated


@dataclass(frozen=True, slots=True)
class Ruling:
    """A curator's judgement on an entry: it is, or is not, what the other one is; each as (source,
    key).

    `kept`: nobody judged this entry; it stays with the other one because it was there before a
    merge.
    """

    one: tuple[str, str]
    other: tuple[str, str]
    same: bool
    kept: bool = False


@dataclass(frozen=True, slots=True)
class JudgedRepeat:
    """A curator's judgement on two episodes, each by an entry: the later one replaces or repeats
    the other, or neither."""

    one: tuple[str, str]
    other: tuple[str, str]
    kind: str  # replaces | repeats | unrelated


@dataclass(frozen=True, slots=True)
class WithdrawalData:
    """A curator's decision to take out the episode that an entry belongs to, with the address that
    stays its own, and an entry of the episode that replaces it; ("", "") where none does."""

    entry: tuple[str, str]
    kind: str  # no-episode | hidden | replaced
    address: str
    other: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class CorrectedValue:
    """A curator's value of a field of something that many episodes name (notes/corrections.py)."""

    kind: str  # person | link | symbol
    key: str
    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions about one show that are in force: overrides and removals by (source, key)
    of an entry."""

    rulings: tuple[Ruling, ...] = ()
    overrides: tuple[tuple[tuple[str, str], str, str], ...] = ()  # entry, field, value
    removals: tuple[tuple[tuple[str, str], str, str], ...] = ()  # entry, kind, key
    additions: tuple[tuple[tuple[str, str], str, str, str], ...] = ()  # entry, kind, key, detail
    # Entries that are an episode of their own, whatever they resemble, and those of them that join
    # no other, whatever they share with it.
    alone: frozenset[tuple[str, str]] = frozenset()
    apart: frozenset[tuple[str, str]] = frozenset()
    unwanted: frozenset[tuple[str, str]] = frozenset()  # entries that are no episode
    repeats: tuple[JudgedRepeat, ...] = ()
    withdrawals: tuple[WithdrawalData, ...] = ()
    refused_topics: frozenset[str] = frozenset()  # `topic_key`s of removed names
    corrections: tuple[CorrectedValue, ...] = ()


UNDECIDED = Decisions()


@dataclass(frozen=True, slots=True)
class Candidate:
    """An episode that a held entry may belong to, named by one of its entries, with the reasons in
    words."""

    ref: tuple[str, str, str]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matching:
    """The entries by what belongs together: groups of entries (one an episode), held entries with candidates, and
    the rest."""

    groups: tuple[tuple[SourceEntry, ...], ...]
    held: tuple[tuple[SourceEntry, tuple[Candidate, ...]], ...] = ()
    ignored: tuple[SourceEntry, ...] = ()
    reasons: dict[tuple[str, str, str], tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NotesText:
    """Show notes as plain text, with their markup and whether the text is cut off."""

    text: str
    html: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True)
class AudioFile:
    """The address of an episode's audio and its media type, "" where not known."""

    url: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class Provenance(Stored):
    """The source whose value of a field is shown, the sources that agree, and the other values that
    are given, each with its sources."""

    source: str | None = None
    locked: bool = False  # by a curator
    agree: tuple[str, ...] = ()
    others: tuple[tuple[str, tuple[str, ...]], ...] = ()
    editorial: bool = False  # a summary written for the catalog


@dataclass(frozen=True, slots=True)
class FieldConflict:
    """Two values of a field that cannot both be right, each with a source."""

    field: str
    source: str | None
    value: str
    other_source: str | None
    other_value: str

    @property
    def key(self) -> str:
        """The same for as long as the same values contradict each other, whichever sources give
        them."""
        values = []
        for value in (self.value, self.other_value):
            end = f"… {sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
            is_long = len(value) > LONGEST_IN_KEY  # more than a key can have
            values.append(value[:LONGEST_IN_KEY] + end if is_long else value)
        return "\n".join((self.field, *sorted(values)))


@dataclass(frozen=True, slots=True)
class Merged:
    """The best value of every field of an episode, who gave it, what others say, and where they
    differ.

    `values` holds what fields.py chose, under the fields' names; a field that nobody gives is None.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Provenance] = field(default_factory=dict)
    conflicts: tuple[FieldConflict, ...] = ()

    @property
    def title(self) -> str:
        return self.values.get("title") or ""

    @property
    def number(self) -> int | None:
        return self.values.get("number")

    @property
    def season(self) -> int | None:
        return self.values.get("season")

    @property
    def moment(self) -> PublicationDate | None:
        return self.values.get("published")

    @property
    def length(self) -> DurationRange | None:
        return self.values.get("duration_seconds")

    @property
    def notes(self) -> NotesText:
        return self.values.get("description_text") or NotesText("")

    @property
    def text(self) -> str:
        return self.notes.text


@dataclass(frozen=True, slots=True)
class EpisodeLinkData:
    """A link of an episode: typed identity, the address as first published, its place in the
    notes."""

    kind: str
    key: str
    url: str
    text: str
    position: int
    label: str = ""  # a curator's
    replacement: str = ""  # the address to follow in place of a dead one


@dataclass(frozen=True, slots=True)
class CreditData:
    """A person's part in an episode, with the name as published and at its fullest.

    `full_name` is "" if a curator merged the person into another one. `corrected` are name, page
    and photo as curators gave them. `evidence` are the words that credit the person, or "" if a
    feed declares it.
    """

    identity: str
    role: str
    credited_as: str
    full_name: str
    corrected: dict[str, str] = field(default_factory=dict)
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceData:
    """An episode that the notes name: by slug, what it is to this one, and the words that say so."""

    kind: str  # prerequisite | see-also | follow-up
    episode: str
    evidence: str


@dataclass(frozen=True, slots=True)
class RelatedEpisode:
    """An episode by slug that has something in common with another, how much speaks for it
    (comparable within one answer only), and the strongest reason."""

    slug: str
    score: int
    reason: str


@dataclass(frozen=True, slots=True)
class RepeatData:
    """An episode by slug that was published before, as `of`, and what speaks for it in words.

    `kind` is replaces (the later stands for both) or repeats (the earlier does).
    """

    episode: str
    of: str
    kind: str
    evidence: tuple[str, ...]
    accepted: bool = False  # by a curator; else it is proposed


@dataclass(frozen=True, slots=True)
class TopicTag:
    """One topic of an episode and the strongest evidence for it: the term as the rule has it, and
    where it was found.

    `field` is title, notes, links or keywords; `position` the 0-based offset in the title or the
    notes, the index in the list of links or keywords. `confidence` is "low" for one mention deep in
    the notes and for links.
    """

    topic: str
    term: str
    field: str
    position: int
    confidence: str


@dataclass(frozen=True, slots=True)
class SymbolUse:
    """A name of code in an episode: the field, the 0-based offset in it, and the sentence around
    it."""

    name: str
    field: str  # title | notes
    position: int
    sentence: str


@dataclass(frozen=True, slots=True)
class ResolvedEpisode:
    """An episode as the catalog will hold it; `order` counts from 1, the oldest, `sorted_at` sorts
    it among shows."""

    slug: str
    order: int
    merged: Merged
    entries: tuple[SourceEntry, ...]
    links: tuple[EpisodeLinkData, ...] = ()
    topics: tuple[TopicTag, ...] = ()
    names: tuple[SymbolUse, ...] = ()
    people: tuple[CreditData, ...] = ()
    references: tuple[ReferenceData, ...] = ()
    related: tuple[RelatedEpisode, ...] = ()
    summary: str = ""  # a line or two of its notes
    sorted_at: datetime = NO_DATE
    own_guid: str = ""
    listed: bool = True  # False where lists show another episode in its place
    # The episodes that it replaces or repeats, or that do so to it, and the proposals of such.
    versions: tuple[Mapping[str, Any], ...] = ()
    proposed_repeats: tuple[Mapping[str, Any], ...] = ()
    # Names of errors by the addresses of entries of which a text could not be read.
    failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def trusted(self) -> tuple[SourceEntry, ...]:
        """The entries that say what it is called, who is heard and what it is about."""
        return trusted(self.entries)


@dataclass(frozen=True, slots=True)
class ResolvedWithdrawal:
    """An episode that was taken out: the address that stays its own, and that of the episode that
    stands for it; "" where none does."""

    slug: str
    merged: Merged
    entries: tuple[SourceEntry, ...]
    decision: WithdrawalData
    replaced_by: str = ""


@dataclass(frozen=True, slots=True)
class DeclaredTopic:
    """A topic that keywords of a show's feed declare."""

    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class EpisodePlace:
    """The place of an episode in its show, and fingerprints of what it was made from."""

    slug: str
    order: int  # from 1, the oldest
    sorted_at: datetime
    fingerprint: str  # of all that the episode is made from
    outline_fingerprint: str  # of the entries and decisions that its outline was read from


@dataclass(frozen=True, slots=True)
class Resolved:
    """The catalog of one show: the episodes that are not as they were, oldest first, the places of all
    episodes, what is held, and titles that posts give to links."""

    episodes: tuple[ResolvedEpisode, ...]
    places: tuple[EpisodePlace, ...] = ()
    held: tuple[tuple[SourceEntry, tuple[Candidate, ...]], ...] = ()
    ignored: tuple[SourceEntry, ...] = ()
    reasons: dict[tuple[str, str, str], tuple[str, ...]] = field(default_factory=dict)
    link_titles: dict[str, tuple[str, str]] = field(default_factory=dict)  # key: title, summary
    repeats: tuple[RepeatData, ...] = ()
    declared_topics: tuple[DeclaredTopic, ...] = ()
    withdrawn: tuple[ResolvedWithdrawal, ...] = ()
    # By slug the other episodes that each has most in common with. None: as they were.
    related: Mapping[str, tuple[RelatedEpisode, ...]] | None = None
    slugs: Mapping[tuple[str, str, str], str] = field(default_factory=dict)  # of entries
    # What the next resolve need not read again (resolve/reading.py)
    readings: Mapping[str, Any] = field(default_factory=dict, compare=False)  # by fingerprint
    match_keys: Mapping[tuple[str, str, str], Any] = field(default_factory=dict, compare=False)

    def each(self, name: str) -> Iterator[tuple[str, Any]]:
        """Yield the parts of one kind of the episodes, each with the slug of its episode."""
        return ((e.slug, part) for e in self.episodes for part in getattr(e, name))
