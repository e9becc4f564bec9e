"""The catalog in memory, as far as most pages need all of it: shows, topics, and which episodes are counted where.

A snapshot is of one version of the catalog (`CatalogVersion`).

Every episode that lists show has a place, and a set of episodes is a number with a bit for each place: filters are ANDs,
counts are counts of bits.

Fragments of pages are kept as they were printed: those of a version until there is another, those of a show, such as the
cards of its episodes, until its `state` changes. Their memory is bounded.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property, reduce
from hashlib import blake2b
from itertools import compress, islice
from operator import or_
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Exists, Model, OuterRef, Prefetch, Q, prefetch_related_objects
from django.db.models import Value as Constant
from django.db.models.functions import Coalesce
from django.urls import get_script_prefix
from django.utils.safestring import SafeString

from ..text.faults import SLOW, fault_of
from .bounded import OF_AN_ENTRY, Bounded
from .catalog import Episode, EpisodeTopic
from .configuration import Podcast, Topic
from .paths import LearningPath
from .querysets import MicrosecondsOf, MonthOf, batches
from .version import CatalogVersion

if TYPE_CHECKING:
    from ..search import Vocabulary

FEW = 20  # one episode in so many is looked up by itself
NEVER = -(1 << 62)
SHELVES = 25  # shows that are read at once: their rows are in memory together
UNTIMED = -1  # the seconds of an episode whose length is not known
ROOM = 6_000_000  # bytes for the sets of words that were searched for
MOST_ASKED = 1_000
BORDERS = (0, 15, 20, 30, 60)  # minutes, of the bands that lists offer
LIMITS = tuple(60 * minutes for minutes in BORDERS)
# Of each byte whether it has a binary digit.
OF_DIGIT = [bytes(byte >> digit & 1 for byte in range(256)) for digit in range(8)]
BINARY, DIGITS = bytes.maketrans(b"01", b"\0\1"), bytes.maketrans(b"\0\1", b"01")

Sets = dict[str, dict[object, int]]
Row: TypeAlias = tuple[int, int, int, str]  # id, microseconds, length, month
AUDIBLE = ("", "not")
Value = TypeVar("Value")
Asked = TypeVar("Asked", bound=Hashable)


class PlacesById:
    """The ids in a row, and the place of each."""

    def __init__(self, ids: array[int]) -> None:
        self.places = array("i", sorted(range(len(ids)), key=ids.__getitem__))
        self.ids = array("q", map(ids.__getitem__, self.places))

    def place(self, pk: int) -> int | None:
        at = bisect_left(self.ids, pk)
        return self.places[at] if at < len(self.ids) and self.ids[at] == pk else None


@dataclass(frozen=True)
class Shelf:
    """The listed episodes of a show, the newest first, and the sets that they are in; filled up to whole bytes."""

    token: str
    ids: array[int]
    at: array[int]
    seconds: array[int]  # of four bytes each
    sets: Sets

    @property
    def count(self) -> int:
        return self.sets["all"].get("", 0).bit_count()

    @cached_property
    def latest(self) -> int:
        """When its newest episode came out."""
        return max(self.at[: self.count], default=NEVER)

    def place(self, pk: int) -> int | None:
        """The place of an episode; None for one that is not on it."""
        return self._by_id.place(pk)

    def id_at(self, place: int) -> int | None:
        return self.ids[place] or None if 0 <= place < len(self.ids) else None

    @cached_property
    def _by_id(self) -> PlacesById:
        return PlacesById(self.ids)


NO_SHELF = Shelf("", array("q"), array("q"), array("i"), {"all": {}, "topic": {}})


class CatalogIndex:
    """Where each listed episode of the catalog is counted."""

    def __init__(self, shelves: Mapping[int, Shelf]) -> None:
        self.ids, self.at, self.seconds = array("q"), array("q"), array("i")
        self.total = sum(len(shelf.ids) for shelf in shelves.values())
        self._bytes: dict[object, tuple[int, int]] = {}  # from where to where the bits of a show are
        for show in sorted(shelves):
            start, shelf = len(self.ids) // 8, shelves[show]
            self.ids += shelf.ids
            self.at += shelf.at
            self.seconds += shelf.seconds
            self._bytes[show] = (start, len(self.ids) // 8)
        names = dict.fromkeys(name for shelf in shelves.values() for name in shelf.sets)
        self.sets: Sets = {name: self._joined(name, shelves) for name in names}
        self._orders: dict[tuple[str, bool], Sequence[int]] = {}
        self._ranks: dict[bool, Sequence[int]] = {}
        self._counts: dict[str, dict[object, int]] = {}
        self._answers: Bounded[int] = Bounded(ROOM)

    def _joined(self, name: str, shelves: Mapping[int, Shelf]) -> dict[object, int]:
        """The sets of this name of all shelves."""
        joined: dict[object, bytearray] = {}
        for show, shelf in shelves.items():
            start, stop = self._bytes[show]
            for value, bits in shelf.sets.get(name, {}).items():
                place = joined.setdefault(value, bytearray(self.total // 8))
                place[start:stop] = bits.to_bytes(stop - start, "little")
        return {value: int.from_bytes(bits, "little") for value, bits in joined.items()}

    def set(self, name: str, value: object = "") -> int:
        return self._of_show(value) if name == "show" else self.sets.get(name, {}).get(value, 0)

    def _of_show(self, show: object) -> int:
        """Made when it is asked for: with a set for each show the index would grow with the square of the catalog."""
        start, stop = self._bytes.get(show, (0, 0))
        return ((1 << 8 * (stop - start)) - 1 << 8 * start) & self.all

    @property
    def all(self) -> int:
        return self.set("all")

    def any_of(self, name: str, values: Iterable[object]) -> int:
        """The episodes that are in one of these sets."""
        return reduce(or_, (self.set(name, value) for value in values), 0)

    def of_ids(self, ids: Iterable[int]) -> int:
        """Those of these episodes that are listed."""
        wanted = frozenset(ids)
        if len(wanted) > self.total // FEW:
            return _bits(bytes(map(wanted.__contains__, self.ids)))
        mask = bytearray(self.total)
        for pk in wanted:
            if (place := self._by_id.place(pk)) is not None:
                mask[place] = 1
        return _bits(mask) & self.all

    def answers(
        self, questions: Sequence[Asked], ids_of: Callable[[Sequence[Asked]], Iterable[Iterable[int]]]
    ) -> list[int]:
        """The sets of the ids that answer these questions; of one that was asked before, as long as there is room, the same."""
        known = {question: self._answers.get(question) for question in questions}
        missing = [question for question, bits in known.items() if bits is None]
        for question, ids in zip(missing, ids_of(missing) if missing else (), strict=True):
            known[question] = bits = self.of_ids(ids)
            self._answers.put(question, bits, bits.bit_length() // 8)
        return [known[question] or 0 for question in questions]

    @cached_property
    def _by_id(self) -> PlacesById:
        return PlacesById(self.ids)

    def within(self, least: int, below: int | None) -> int:
        """Those of at least `least` seconds, and of less than `below`."""
        if (least, below) in self.sets.get("band", {}):
            return self.set("band", (least, below))
        longer = self._at_least(below) if below is not None else 0
        return self._at_least(least) & ~longer

    def _at_least(self, seconds: int) -> int:
        """The episodes of a known length of at least so many seconds; compared digit by digit, the highest first."""
        longer, equal = 0, self.all & ~self.untimed
        if seconds.bit_length() > len(self._digits):
            return 0
        for place in reversed(range(len(self._digits))):
            bits = self._digits[place]
            if seconds >> place & 1:
                equal &= bits
            else:
                longer |= equal & bits
                equal &= ~bits
        return longer | equal

    @property
    def untimed(self) -> int:
        return self.set("band", None)

    def in_year(self, year: int) -> int:
        return self.set("year", f"{year:04}")

    def counts(self, name: str, among: int) -> dict[object, int]:
        """How many of the episodes are in each set of this name, without the empty ones."""
        if among != self.all:
            return self._counted(name, among)
        # Every page asks for these.
        if name not in self._counts:
            self._counts[name] = self._counted(name, among)
        return self._counts[name].copy()

    def _counted(self, name: str, among: int) -> dict[object, int]:
        if name == "show":
            counted = self._by_show(among)
        else:
            counted = ((value, (bits & among).bit_count()) for value, bits in self.sets.get(name, {}).items())
        return {value: count for value, count in counted if count}

    def _by_show(self, among: int) -> Iterator[tuple[object, int]]:
        bits = among.to_bytes(self.total // 8, "little")
        return (
            (show, int.from_bytes(bits[start:stop], "little").bit_count())
            for show, (start, stop) in self._bytes.items()
        )

    def months(self, among: int) -> dict[date | None, int]:
        """How many each month has that has any; under None those whose date is not known."""
        return {
            date.fromisoformat(f"{month}-01") if month else None: count
            for month, count in self.counts("month", among).items()
        }

    def extent(self, among: int) -> dict[str, int]:
        """How many these are, their seconds together, and how many have a known length, a date, an audio file."""
        episodes, untimed = among.bit_count(), (among & self.untimed).bit_count()
        return {
            "episodes": episodes,
            "seconds": sum((bits & among).bit_count() << place for place, bits in enumerate(self._digits)),
            "timed": episodes - untimed,
            "dated": episodes - (among & self.set("month")).bit_count(),
            "audible": (among & self.set("audible")).bit_count(),
        }

    @cached_property
    def _digits(self) -> list[int]:
        """The lengths as sets: of each binary digit the episodes that have it; so a sum is some counts."""
        timed, found = self.all & ~self.untimed, []
        numbers = array("i", self.seconds)
        if sys.byteorder == "big":
            numbers.byteswap()
        columns = numbers.tobytes()
        for byte in range(numbers.itemsize):
            found += [_bits(columns[byte :: numbers.itemsize].translate(digit)) & timed for digit in OF_DIGIT]
        return found

    def places(self, among: int, order: Iterable[int], start: int = 0, stop: int | None = None) -> list[int]:
        """The places of a set in this order of all places, from one to another."""
        if among == self.all and isinstance(order, array):
            return list(order[start:stop])
        mask = _mask(among, self.total)
        if isinstance(order, range):
            found = compress(order, mask if order.step == 1 else reversed(mask))
        else:
            order = order if isinstance(order, array) else list(order)
            found = compress(order, map(mask.__getitem__, order))
        return list(islice(found, start, stop))

    def members(self, among: int) -> Iterator[int]:
        """The places of a set; fast for a small one."""
        mask = _mask(among, self.total)
        place = mask.find(1)
        while place >= 0:
            yield place
            place = mask.find(1, place + 1)

    def ranks(self, *, one_show: bool) -> Sequence[int]:
        """The position of each place when the newest come first."""
        if one_show not in self._ranks:
            found = array("i", bytes(4 * self.total))
            for rank, place in enumerate(self.order("newest", one_show=one_show)):
                found[place] = rank
            self._ranks[one_show] = found
        return self._ranks[one_show]

    def newest(self, among: int, *, one_show: bool) -> list[int]:
        """The places of a set, the newest first; fast for a small one."""
        if among.bit_count() > self.total // FEW:
            return self.places(among, self.order("newest", one_show=one_show))
        return sorted(self.members(among), key=self.ranks(one_show=one_show).__getitem__)

    def order(self, sort: str, *, one_show: bool) -> Sequence[int]:
        """All places in the order of that name: what `EpisodeQuerySet.sorted_by` says in SQL."""
        if (sort, one_show) not in self._orders:
            self._orders[sort, one_show] = self._sorted(sort, one_show)
        return self._orders[sort, one_show]

    def _sorted(self, sort: str, one_show: bool) -> Sequence[int]:
        if sort == "newest":
            if one_show:
                return range(self.total)  # by show, within one the newest first
            return array("i", sorted(self.members(self.all), key=self.at.__getitem__, reverse=True))
        newest = self.order("newest", one_show=one_show)
        if sort == "oldest":
            return newest[::-1]
        sign = 1 if sort == "shortest" else -1
        lengths = [sign * seconds if seconds != UNTIMED else 1 << 62 for seconds in self.seconds]
        places = self.members(self.all) if one_show else newest
        return array("i", sorted(places, key=lengths.__getitem__))


def _mask(bits: int, size: int) -> bytes:
    """A byte for each place: 1 where the bit is set."""
    return f"{bits:0{size}b}"[::-1].encode().translate(BINARY) if size else b""


def _bits(mask: bytes | bytearray) -> int:
    return int(mask[::-1].translate(DIGITS), 2) if mask else 0


class Snapshot:
    """The catalog of one version; each part is read when it is first asked for."""

    def __init__(self, version: str) -> None:
        self.version = version
        self._kept: dict[Hashable, Any] = {}
        self._states: dict[int, str] = {}
        self._asked: Bounded[tuple[Any]] = Bounded(MOST_ASKED * OF_AN_ENTRY)

    def kept(self, name: Hashable, make: Callable[[], Value]) -> Value:
        """What is worked out once for this version of the catalog; small things that many pages need."""
        if name not in self._kept:
            self._kept[name] = make()
        found: Value = self._kept[name]
        return found

    def printed(
        self, name: Hashable, make: Callable[[], str], *, show: int | None = None, asked: str = ""
    ) -> SafeString:
        """A fragment, printed once for this version of the catalog, or for this state of a show.

        `make` prints it from rows, `name` and `asked`, and from nothing else: never from a request. `asked` is what of it a
        stranger can make up: the query of an address, the host.
        """
        found = self.fragment(name, asked=asked)
        return self.keep(name, make(), show=show, asked=asked) if found is None else found

    def fragment(self, name: Hashable, *, asked: str = "") -> SafeString | None:
        """What is kept under this name, as long as what it is of is as it was."""
        held = FRAGMENTS[bool(asked)].get((name, asked))
        if held is None or not self.version or self.state(held.show) != held.state:
            return None
        return SafeString(held.text.decode())

    def keep(self, name: Hashable, text: str, *, show: int | None = None, asked: str = "") -> SafeString:
        if self.version:
            held = Fragment(show, self.state(show), text.encode())
            FRAGMENTS[bool(asked)].put((name, asked), held, len(held.text) + len(asked))
        return SafeString(text)

    def state(self, show: int | None) -> str:
        """What a fragment holds for: the version of the catalog, or the rows of a show's lists, its own and all topics."""
        if show is None:
            return self.version
        if show not in self._states:
            shelf, podcast = self.shelves.get(show, NO_SHELF), self.podcasts.get(show)
            rows = (shelf.token, podcast and _values(podcast), self._values_of_topics)
            self._states[show] = blake2b(repr(rows).encode(errors="replace"), digest_size=16).hexdigest()
        return self._states[show]

    @cached_property
    def _values_of_topics(self) -> list[list[object]]:
        return [_values(topic) for topic in self.topics.values()]

    def remembered(self, question: Hashable, make: Callable[[], Value]) -> Value:
        """A small answer to what somebody asked of this version: kept until so many others were asked for since."""
        held = self._asked.get(question)
        if held is None:
            held = (make(),)
            self._asked.put(question, held, 0)
        found: Value = held[0]
        return found

    @cached_property
    def podcasts(self) -> dict[int, Podcast]:
        """All shows, also the removed ones, by id; each with `has_paths`: whether a learning path leads through it."""
        paths = LearningPath.objects.shown().filter(Q(podcast=OuterRef("pk")) | Q(podcast=None))
        return {podcast.pk: podcast for podcast in Podcast.objects.annotate(has_paths=Exists(paths))}

    @cached_property
    def topics(self) -> dict[str, Topic]:
        """All topics by their slugs."""
        return {topic.slug: topic for topic in Topic.objects.all()}

    @cached_property
    def _topics_by_id(self) -> dict[object, Topic]:
        return {topic.pk: topic for topic in self.topics.values()}

    @cached_property
    def show_ids(self) -> dict[str, int]:
        return {podcast.slug: podcast.pk for podcast in self.podcasts.values()}

    @cached_property
    def shelves(self) -> dict[int, Shelf]:
        shows = dict.fromkeys(self.podcasts, self.version)
        return {show: read for some in batches(shows, SHELVES) for show, read in read_shelves(some, shows).items()}

    def share(self, rows: Iterable[Episode]) -> None:
        """Give these episodes their shows and topics, as pages list them; of those that lists show without a question."""
        of_shows: dict[int, list[Episode]] = {}
        for row in rows:
            row.podcast = self.podcasts.get(row.podcast_id) or row.podcast
            of_shows.setdefault(row.podcast_id, []).append(row)
        for show, theirs in of_shows.items():
            known = self._topics_on(self.shelves.get(show, NO_SHELF))
            for row in theirs:
                row.topics_in_order = known(row.pk) or []
            # Lists leave some out, and one that came a moment ago is on no shelf.
            elsewhere = [row for row in theirs if known(row.pk) is None]
            if elsewhere:
                uses = EpisodeTopic.objects.select_related("topic")
                prefetch_related_objects(elsewhere, Prefetch("topic_uses", uses))
            for row in elsewhere:
                row.topics_in_order = [use.topic for use in row.topic_uses.all()]

    def _topics_on(self, shelf: Shelf) -> Callable[[int], list[Topic] | None]:
        """What tells the topics of an episode by its id; None of one that is not on the shelf."""
        uses = shelf.sets["topic"]
        in_order = [(topic, uses[pk]) for pk, topic in self._topics_by_id.items() if pk in uses]

        def topics(pk: int) -> list[Topic] | None:
            place = shelf.place(pk)
            return None if place is None else [topic for topic, bits in in_order if bits >> place & 1]

        return topics

    @cached_property
    def index(self) -> CatalogIndex:
        return CatalogIndex(self.shelves)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of the catalog; none where there are more than the database can read in its time. Then searches go without
        corrections."""
        from ..search import Vocabulary

        try:
            return Vocabulary.of()
        except DatabaseError as error:
            if fault_of(error) != SLOW:
                raise
            return Vocabulary({})


def read_shelves(shows: Sequence[int], tokens: Mapping[int, str]) -> dict[int, Shelf]:
    """Read the shelves of these shows; an index holds all columns of the rows, a tenth of the table."""
    listed = Episode.objects.listed().filter(podcast__in=shows).order_by()
    length, month = Coalesce("duration_seconds", UNTIMED), Coalesce(MonthOf("published_at"), Constant(""))
    columns = ("podcast_id", "pk", MicrosecondsOf("sorted_at"), length, month)
    rows: dict[int, list[Row]] = {show: [] for show in shows}
    for show, *row in listed.order_by("podcast", "-order").values_list(*columns):
        rows[show].append(cast(Row, row))
    uses: dict[int, list[tuple[int, int]]] = {show: [] for show in shows}
    of_listed = EpisodeTopic.objects.filter(episode__podcast__in=shows, episode__listed=True).order_by()
    for show, topic, episode in of_listed.values_list("episode__podcast_id", "topic_id", "episode_id"):
        uses[show].append((topic, episode))
    silent = frozenset(listed.filter(audio_url="").values_list("pk", flat=True))
    return {show: shelf(tokens[show], rows[show], uses[show], silent) for show in shows}


def shelf(token: str, rows: Sequence[Row], uses: Iterable[tuple[int, int]], silent: Container[int]) -> Shelf:
    """A show's shelf of its rows, the uses of topics, and the episodes without audio."""
    ids, ats, lengths, months = zip(*rows, strict=True) if rows else ((),) * 4
    places = {pk: place for place, pk in enumerate(ids)}
    values: dict[str, Iterable[tuple[int, object]]] = {
        "all": enumerate([""] * len(rows)),
        "month": enumerate(months),
        "year": enumerate(month[:4] for month in months),
        "band": enumerate(map(_band, lengths)),
        "audible": enumerate(AUDIBLE[pk in silent] for pk in ids),
        "topic": ((places[episode], topic) for topic, episode in uses if episode in places),
    }
    sets = {name: _sets(len(rows), of_places) for name, of_places in values.items()}
    return Shelf(token, _whole_bytes("q", ids), _whole_bytes("q", ats), _whole_bytes("i", lengths), sets)


def _whole_bytes(kind: str, numbers: Sequence[int]) -> array[int]:
    """These numbers, filled up to as many as whole bytes have bits."""
    return array(kind, [*numbers, *[0] * (-len(numbers) % 8)])


def _sets(size: int, values: Iterable[tuple[int, object]]) -> dict[object, int]:
    """For each value the set of the places that have it."""
    found: dict[object, bytearray] = {}
    for place, value in values:
        if value not in found:
            found[value] = bytearray(size // 8 + 1)
        found[value][place >> 3] |= 1 << (place & 7)
    return {value: int.from_bytes(bits, "little") for value, bits in found.items()}


def _band(seconds: int) -> tuple[int, int | None] | None:
    """The band of a length by its limits in seconds; None for one that is not known."""
    if seconds == UNTIMED:
        return None
    place = bisect_right(LIMITS, seconds)
    return LIMITS[place - 1], (*LIMITS, None)[place]


def _values(row: Model) -> list[object]:
    return [getattr(row, field.attname) for field in row._meta.concrete_fields]


def surroundings() -> tuple[str, str, str]:
    """What a fragment depends on beside the catalog, as a part of its name: where the site is mounted, and its settings."""
    return get_script_prefix(), settings.SITE_NAME, settings.IMAGES


@dataclass(frozen=True)
class Kept:
    """What a template prints once (`{% kept %}`): all that it depends on beside the rows, and how its context is made.

    The context is made only when the fragment is not there; `show` and `asked` are those of `Snapshot.printed`.
    """

    now: Snapshot
    name: tuple[Hashable, ...]
    context: Callable[[], dict[str, Any]]
    show: int | None = None
    asked: str = ""


@dataclass(frozen=True)
class Fragment:
    """A printed part of a page: the show that it is of, None for one of the whole catalog, and the state that it is of."""

    show: int | None
    state: str
    text: bytes


# Those that depend on what strangers can make up have a memory of their own, and push out no others.
FRAGMENTS: dict[bool, Bounded[Fragment]] = {False: Bounded(8_000_000), True: Bounded(2_000_000)}


class _Memory:
    last = Snapshot("")


def snapshot() -> Snapshot:
    """The snapshot of the catalog as it is now; asks the database for its version."""
    version = CatalogVersion.current()
    last = _Memory.last
    if version and last.version == version:
        return last
    # The version before any rows: after a change in between the next snapshot sees another one.
    new = Snapshot(version)
    if version:
        _Memory.last = new
    return new
