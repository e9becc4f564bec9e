"""The frozen values that pass between the steps, from a document to the catalog. Imports neither Django
nor other modules of the program."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import product
from typing import Any, ClassVar, NamedTuple, Self

# Programs take the first second of 1970 for no date at all.
NO_DATE = datetime(1970, 1, 2, tzinfo=UTC)
NEVER = 1 << 62  # the number of a version that never comes
# Called with the number of units that are done, the number of all, and the word for them.
CountCallback = Callable[[int, int, str], None]


def ignore_count(done: int, total: int, unit: str) -> None:
    """Ignore the progress."""


@dataclass(frozen=True, slots=True)
class DetailElement:
    """An element of Podcasting 2.0, and the names of its values with their paths: "." is the text,
    "@name" an attribute, "child@name" an attribute of a child."""

    element: str
    values: Mapping[str, str]


# The facts of a feed about an episode or a show that have no field, by kind.
DETAIL_ELEMENTS: Mapping[str, DetailElement] = {
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
    """A publication date and its precision: an instant in UTC, or a calendar day, stored as 00:00
    UTC."""

    at: datetime
    precision: str  # "instant" | "day"

    @property
    def is_day(self) -> bool:
        return self.precision == "day"

    def isoformat(self) -> str:
        """Return `2021-08-18` for a day, `2021-08-18T13:00:00Z` for an instant, as the JSON export has it."""
        if self.is_day:
            return self.at.date().isoformat()
        return self.at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


@dataclass(frozen=True, slots=True)
class DurationRange:
    """The length of an episode in seconds, as a range: "13 minutes" is 780 up to 839."""

    low: int
    high: int

    @classmethod
    def of(cls, low: int, exact: bool) -> Self:
        """Return a length to the second, or to the minute if it is not `exact`."""
        return cls(low, low if exact else low + 59)

    @property
    def exact(self) -> bool:
        return self.low == self.high

    def gap(self, other: Self) -> int:
        return max(0, self.low - other.high, other.low - self.high)


class Stored:
    """A value that is stored as JSON, without the fields that have their defaults."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def payload(self) -> dict[str, Any]:
        """Return the fields without their defaults, as JSON-ready values. `from_payload` is the way
        back."""
        payload = {}
        for name, stored_field in self.__dataclass_fields__.items():
            value = getattr(self, name)
            if value != stored_field.default:
                payload[name] = _as_lists(value)
        return payload

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        names = payload.keys() & cls.__dataclass_fields__.keys()
        return cls(**{name: _as_tuples(payload[name]) for name in names})


def _as_lists(value: Any) -> Any:
    """Return tuples as JSON has them, so that stored and new values can be compared."""
    return [_as_lists(part) for part in value] if isinstance(value, tuple) else value


def _as_tuples(value: Any) -> Any:
    return tuple(_as_tuples(part) for part in value) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class EntryData(Stored):
    """An entry as its source states it. It is the payload of a revision.

    A text without a value is "". `text` is plain text with "\\n" between paragraphs, `html` is the
    markup it came from. `cut` tells whether the text is cut by the site's own convention, or None if the
    site has none.
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
    names_show: bool = False  # it surely is of the show, so that an equal title is enough
    keywords: tuple[str, ...] = ()
    people: tuple[tuple[str, str, str], ...] = ()  # name, role, address
    # ("transcript", address, type, language, rel), ("chapters", address, type), ("chapter", start,
    # title, address, image), of an imported transcript ("file", name), ("words", first words),
    # ("times", "yes" or "no"), and the kinds of DETAILS
    extras: tuple[tuple[str, ...], ...] = ()
    # Its XML was parsed only in part, so that a missing value is not withdrawn. Not stored.
    is_broken: bool = False

    def extra(self, kind: str) -> list[str]:
        """Return the first values of the extras of a kind."""
        return [value for name, value, *_ in self.extras if name == kind]

    def with_missing_values_from(self, earlier: Self) -> Self:
        """Return an entry, of which only a part could be read, with the values of an earlier revision
        in place of missing values. It is no longer broken."""
        changed_values: dict[str, Any] = {}
        for name, field_of_entry in self.__dataclass_fields__.items():
            value = getattr(self, name)
            earlier_value = getattr(earlier, name)
            if isinstance(earlier_value, tuple):
                # The members of both, each once: of the new ones some may be unreadable.
                changed_values[name] = tuple(dict.fromkeys((*value, *earlier_value)))
            elif value == field_of_entry.default:
                changed_values[name] = earlier_value
        changed_values["is_broken"] = False
        return replace(self, **changed_values)

    @property
    def moment(self) -> PublicationDate | None:
        return publication_date_of_isoformat(self.published)

    @property
    def length(self) -> DurationRange | None:
        if self.seconds_low is None or self.seconds_high is None:
            return None
        return DurationRange(self.seconds_low, self.seconds_high)


def publication_date_of_isoformat(text: str) -> PublicationDate | None:
    """Return the date that `PublicationDate.isoformat` wrote, or None for any other text."""
    try:
        at = datetime.fromisoformat(text)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    has_time = "T" in text
    return PublicationDate(at, "instant" if has_time else "day")


@dataclass(frozen=True, slots=True)
class FetchedDocument:
    """A document as it was fetched or uploaded: its bytes, its address if known, and headers of the
    response."""

    body: bytes
    address: str = ""
    content_type: str = ""
    name: str = ""  # of an uploaded file
    etag: str = ""
    last_modified: str = ""
    moved_to: str = ""  # the target of a permanent redirect
    # The login of the request, as `https://name:password@host`. Never displayed.
    login: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Show:
    """A show as parsers of documents need it."""

    slug: str
    title: str
    feed_url: str = ""
    site_url: str = ""
    author: str = ""
    language: str = ""
    has_symbols: bool = False  # symbols are searched for in its notes
    not_code: tuple[str, ...] = ()  # words that look like symbols
    owner: str = ""  # by the feed
    # Name, role and address, for episodes without people of their own.
    people: tuple[tuple[str, str, str], ...] = ()
    description: str = ""  # markup or text
    categories: tuple[str, ...] = ()  # by the feed


@dataclass(frozen=True, slots=True)
class Channel(Stored):
    """A feed's statements about its show. One that is missing is ""."""

    title: str = ""
    author: str = ""
    owner: str = ""
    language: str = ""
    site_url: str = ""
    description: str = ""
    self_url: str = ""  # atom:link with rel="self"
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
    """A parsed document: its entries in their order, and its statements about itself."""

    entries: tuple[EntryData, ...] = ()
    show: str = ""  # the name of its show, as the page prints it
    foreign: int = 0  # number of ignored entries that name another show
    left_out: tuple[tuple[str, str], ...] = ()  # printed title and reason. Not stored.
    reasons: tuple[str, ...] = ()  # for each entry of a page of any site. Not stored.
    posts: bool = False  # entries are posts that give title and summary to links, never episodes
    channel: Channel | None = None  # of a feed
    # Of a feed: of everything beside its text that the entry of an item depends on.
    fingerprint: str = ""
    next_page: str = ""  # of a feed: the address of the page with its older items
    # The number of items that were parsed only in part, if the XML of a feed had to be repaired.
    broken_entries: int | None = None


MAX_STORED_TITLE = 500  # characters of the title of a show or an episode. The rest is cut off.


@dataclass(frozen=True, slots=True)
class EarlierFeed:
    """A version of a feed that was parsed before: its bytes, the entry of each item, and the
    fingerprint of the parser."""

    body: bytes
    entries: tuple[EntryData, ...]
    fingerprint: str


class DocumentRejected(Exception):
    """A document must not be imported. The message is shown to the person who imports it."""


class WrongShow(DocumentRejected):
    """A page that can be parsed is about another show."""


class ListedPeriod(NamedTuple):
    """Versions of a document, one after another, that list an entry."""

    first_version: int  # the first one with the entry
    gone_version: int  # the first one without it again, NEVER if it is still listed

    def overlaps(self, other: Self) -> bool:
        return self.first_version < other.gone_version and other.first_version < self.gone_version


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """An entry with its current values, its position, and the rights of its source."""

    source: str
    document: str
    key: str
    position: int
    values: EntryData
    rank: int = 100
    may_create: bool = True
    is_publisher: bool = True  # its source is the show's feed or site
    url: str = ""  # of the document
    host: str = ""  # of the document's site
    is_at_source_address: bool = (
        False  # the document is at the address that its source is configured with
    )
    # The document is confirmed. An unconfirmed one only tells that it lists an episode.
    is_confirmed: bool = True
    first_version: int = 1
    gone_version: int | None = None
    # For each time it was gone: the first version without it, and the version that has it again.
    absences: tuple[tuple[int, int], ...] = ()
    is_post: bool = False
    is_transcript: bool = False  # imported: it has a text, and no values
    # Files that earlier revisions offered beside the audio.
    former_files: tuple[tuple[str, ...], ...] = ()
    titles: tuple[tuple[int, str], ...] = ()  # of all revisions, with the version of the document
    first_published: str = ""  # the date of the first revision, as `EntryData` has it
    # The version with which it came replaced all of several entries, as another host does that keeps no GUID.
    came_with_new_host: bool = False

    @property
    def ref(self) -> tuple[str, str, str]:
        """Return the identity of the entry: source, document, key."""
        return (self.source, self.document, self.key)

    @property
    def document_ref(self) -> tuple[str, str]:
        return (self.source, self.document)

    @property
    def source_key(self) -> tuple[str, str]:
        """Return source and key of the entry, as decisions name it."""
        return (self.source, self.key)

    @property
    def is_listed(self) -> bool:
        return not (self.is_post or self.is_transcript)

    @property
    def address(self) -> str:
        """Return document and key of the entry, for people."""
        return f"{self.document} {self.key}"

    @property
    def document_order(self) -> tuple[Any, ...]:
        """Return the order of the entry's document: by rank, then, in a source, the configured address, other
        addresses, and saved files. Transcripts come last."""
        is_other_address = not self.is_at_source_address
        is_file = not self.url
        by_source = (self.rank, self.source, is_other_address, is_file, self.document)
        return (self.is_transcript, *by_source)

    @property
    def version_order(self) -> tuple[Any, ...]:
        """Return the order of the entry's version: the newest of its document, then older ones that the entry
        is gone from, newest first."""
        is_gone = self.gone_version is not None
        return (*self.document_order, is_gone, -(self.gone_version or 0))

    @property
    def order(self) -> tuple[Any, ...]:
        return (*self.version_order, self.position, self.key)

    @property
    def listed_version_ranges(self) -> Sequence[ListedPeriod]:
        periods = []
        first_version = self.first_version
        for gone_version, returned_version in self.absences:
            periods.append(ListedPeriod(first_version, gone_version))
            first_version = returned_version
        last_gone_version = self.gone_version or NEVER
        periods.append(ListedPeriod(first_version, last_gone_version))
        return periods

    def was_listed_with(self, other_entry: Self) -> bool:
        """Return whether one version of one document listed both."""
        if self.document_ref != other_entry.document_ref:
            return False
        # Each period of this entry with each period of the other entry.
        pairs = product(self.listed_version_ranges, other_entry.listed_version_ranges)
        return any(left.overlaps(right) for left, right in pairs)


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """An entry of an episode, ready for merging: with its notes as plain text, and with the number that
    its title prints if it declares none."""

    entry: SourceEntry
    bare_title: str  # folded, without rank, number and the show's name

    @property
    def source(self) -> str:
        return self.entry.source

    @property
    def values(self) -> EntryData:
        return self.entry.values


def trusted_only(entries: Sequence[SourceEntry]) -> tuple[SourceEntry, ...]:
    """Return the confirmed entries of an episode, or all if none is confirmed. Leave out
    transcripts."""
    with_values = tuple(entry for entry in entries if not entry.is_transcript)
    return tuple(entry for entry in with_values if entry.is_confirmed) or with_values


def cluster_by_entry(clusters: Iterable[Iterable[SourceEntry]]) -> dict[tuple[str, str], int]:
    """Return the index of the cluster of each entry, by source and key, as decisions name it."""
    return {entry.source_key: index for index, cluster in enumerate(clusters) for entry in cluster}


@dataclass(frozen=True, slots=True)
class MatchDecision:
    """A curator's decision that two entries, each as (source, key), are the same episode or not.

    `is_inherited`: nobody judged this entry. It stays with the other entry because it was there before
    a merge.
    """

    entry: tuple[str, str]
    other_entry: tuple[str, str]
    is_same: bool
    is_inherited: bool = False


@dataclass(frozen=True, slots=True)
class RerunDecision:
    """A curator's decision about two episodes, each given by an entry: the later one replaces or repeats
    the earlier one, or neither."""

    later_entry: tuple[str, str]
    earlier_entry: tuple[str, str]
    kind: str  # replaces | repeats | unrelated


@dataclass(frozen=True, slots=True)
class WithdrawalData:
    """A curator's decision to withdraw the episode of an entry. The episode keeps its address."""

    entry: tuple[str, str]
    kind: str  # no-episode | hidden | replaced
    address: str
    replacement: tuple[str, str] = ("", "")  # an entry of the episode that replaces it


@dataclass(frozen=True, slots=True)
class CorrectedValue:
    """A curator's value of a field of a person, link or symbol (notes/corrections.py)."""

    kind: str  # person | link | symbol
    key: str
    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions about a show that are in force. Each names an entry by (source, key)."""

    match_decisions: tuple[MatchDecision, ...] = ()
    overrides: tuple[tuple[tuple[str, str], str, str], ...] = ()  # entry, field, value
    removals: tuple[tuple[tuple[str, str], str, str], ...] = ()  # entry, kind, key
    additions: tuple[tuple[tuple[str, str], str, str, str], ...] = ()  # entry, kind, key, detail
    # Entries that are an episode of their own whatever they resemble, and entries that join no episode
    # whatever they share with it.
    own_episodes: frozenset[tuple[str, str]] = frozenset()
    never_joined: frozenset[tuple[str, str]] = frozenset()
    not_episodes: frozenset[tuple[str, str]] = frozenset()  # are no episode
    rerun_decisions: tuple[RerunDecision, ...] = ()
    withdrawals: tuple[WithdrawalData, ...] = ()
    refused_topics: frozenset[str] = frozenset()  # `topic_name_key`s of removed names
    corrections: tuple[CorrectedValue, ...] = ()


NO_DECISIONS = Decisions()


@dataclass(frozen=True, slots=True)
class Candidate:
    """An episode that an unmatched entry may belong to, given by an entry of it, with the reasons in
    words."""

    ref: tuple[str, str, str]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchingResult:
    """The entries of a show in clusters, one an episode, and the unmatched and the ignored entries."""

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
    """The address of an episode's audio, and its media type if known."""

    url: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class Provenance(Stored):
    """The source of the displayed value of a field, the sources that agree, and the other values with
    their sources."""

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
        """Return the identity of the conflict as a text: its field and both values, whatever sources give
        them."""
        values = []
        for value in (self.value, self.other_value):
            # A column for keys has no room for a long text. A hash stands for its rest.
            if len(value) > 300:
                digest = sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
                value = f"{value[:300]}… {digest[:16]}"
            values.append(value)
        # Sorted, because either source may come first.
        return "\n".join([self.field, *sorted(values)])


@dataclass(frozen=True, slots=True)
class MergedValues:
    """The best value of every field of an episode, with provenance and conflicts.

    `values` has the values that fields.py chose by the names of the fields, or None.
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
    """A link of an episode: its typed identity, its address as first published, its position in the
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
    """An episode that the notes refer to, by slug, and the words of the notes."""

    kind: str  # prerequisite | see-also | follow-up
    episode: str
    evidence: str


@dataclass(frozen=True, slots=True)
class RelatedEpisode:
    """An episode, by slug, that has something in common with another, and the strongest reason. Scores
    are comparable within one list only."""

    slug: str
    score: int
    reason: str


@dataclass(frozen=True, slots=True)
class RerunData:
    """An episode, by slug, that was published before as `of`.

    `kind` is replaces (lists show the later one) or repeats (lists show the earlier one).
    """

    episode: str
    of: str
    kind: str


@dataclass(frozen=True, slots=True)
class TopicTag:
    """A topic of an episode and the strongest evidence for it: the term of the rule, and its position.

    `field` is title, notes, links or keywords. `position` is the 0-based offset in the title or the
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
    """A symbol in an episode: the field, the 0-based offset in it, and the sentence around it."""

    name: str
    field: str  # title | notes
    position: int
    sentence: str


@dataclass(frozen=True, slots=True)
class ResolvedEpisode:
    """An episode as the catalog stores it. `order` counts from 1, the oldest. `sorted_at` sorts it among
    shows."""

    slug: str
    order: int
    merged: MergedValues
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
    listed: bool = True  # False if lists show another episode in its place
    # The episodes that it replaces or repeats, or that replace or repeat it.
    versions: tuple[Mapping[str, Any], ...] = ()
    # Names of errors, by the addresses of the entries with a text that failed.
    failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def trusted_entries(self) -> tuple[SourceEntry, ...]:
        return trusted_only(self.entries)


@dataclass(frozen=True, slots=True)
class ResolvedWithdrawal:
    """A withdrawn episode. It keeps its address."""

    slug: str
    merged: MergedValues
    entries: tuple[SourceEntry, ...]
    decision: WithdrawalData
    replaced_by: str = ""  # the slug of the episode that represents it


@dataclass(frozen=True, slots=True)
class DeclaredTopic:
    """A topic that keywords of a show's feed declare."""

    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class EpisodePosition:
    """The position of an episode in its show, and fingerprints of its inputs."""

    slug: str
    order: int  # from 1, the oldest
    sorted_at: datetime
    fingerprint: str  # of all inputs of the episode
    outline_fingerprint: str  # of the entries and decisions of its outline


@dataclass(frozen=True, slots=True)
class ResolvedShow:
    """The catalog of one show: the changed episodes, oldest first, the positions of all episodes, the
    unmatched entries, and titles that posts give to links."""

    episodes: tuple[ResolvedEpisode, ...]
    positions: tuple[EpisodePosition, ...] = ()
    held: tuple[tuple[SourceEntry, tuple[Candidate, ...]], ...] = ()
    ignored: tuple[SourceEntry, ...] = ()
    reasons: dict[tuple[str, str, str], tuple[str, ...]] = field(default_factory=dict)
    link_titles: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # key: title, summary
    declared_topics: tuple[DeclaredTopic, ...] = ()
    withdrawn: tuple[ResolvedWithdrawal, ...] = ()
    # The related episodes of each, by slug. None: unchanged.
    related: Mapping[str, tuple[RelatedEpisode, ...]] | None = None
    slugs: Mapping[tuple[str, str, str], str] = field(default_factory=dict)  # of entries
    # Stored for the next resolve (resolve/read_episodes.py).
    readings: Mapping[str, Any] = field(default_factory=dict, compare=False)  # by fingerprint
    match_keys: Mapping[tuple[str, str, str], Any] = field(default_factory=dict, compare=False)

    def iterate_parts(self, name: str) -> Iterator[tuple[str, Any]]:
        for episode in self.episodes:
            for part in getattr(episode, name):
                yield episode.slug, part
