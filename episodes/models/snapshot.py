"""The catalog in memory, as far as most pages need all of it: shows, topics, and which episodes are counted where.

A snapshot is of one version of the catalog (`CatalogVersion`). What takes longest to read, the shelf of a show, is taken
over from the snapshot before it until something changes that is counted of this show (`ShowVersion`).

Every episode that lists show has a place, and a set of episodes is a number with a bit for each place: filters are ANDs,
counts are counts of bits.

Fragments of pages are kept as they were printed: those of a version until there is another, those of a show, such as the
cards of its episodes, until its `state` changes. Their memory is bounded.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property, reduce
from hashlib import blake2b
from itertools import compress, islice
from operator import or_
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from django.db.models import (
    BooleanField,
    Exists,
    ExpressionWrapper,
    Model,
    OuterRef,
    Prefetch,
    Q,
    prefetch_related_objects,
)
from django.urls import get_script_prefix
from django.utils.safestring import SafeString

from .bounded import Bounded
from .catalog import Episode, EpisodeTopic
from .configuration import Podcast, Topic
from .paths import LearningPath
from .querysets import MicrosecondsOf, MonthOf
from .version import CatalogVersion, ShowVersion

if TYPE_CHECKING:
    from ..search import Vocabulary

FEW = 20  # one episode in so many is looked up by itself
NEVER = -(1 << 62)
UNTIMED = -1  # the seconds of an episode whose length is not known
BORDERS = (0, 15, 20, 30, 60)  # minutes, of the bands that lists offer
LIMITS = tuple(60 * minutes for minutes in BORDERS)
BINARY, DIGITS = bytes.maketrans(b"01", b"\0\1"), bytes.maketrans(b"\0\1", b"01")

Sets = dict[str, dict[object, int]]
Value = TypeVar("Value")


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
    seconds: array[int]
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


NO_SHELF = Shelf("", array("q"), array("q"), array("q"), {"all": {}, "topic": {}})


class CatalogIndex:
    """Where each listed episode of the catalog is counted."""

    def __init__(self, shelves: Mapping[int, Shelf]) -> None:
        self.ids, self.at, self.seconds = array("q"), array("q"), array("q")
        self.total = sum(len(shelf.ids) for shelf in shelves.values())
        joined: dict[str, dict[object, bytearray]] = {}
        for show in sorted(shelves):
            shelf, start = shelves[show], len(self.ids) // 8
            size = len(shelf.ids) // 8
            all_sets: Sets = shelf.sets | {"show": {show: shelf.sets["all"].get("", 0)}}
            for name, sets in all_sets.items():
                for value, bits in sets.items():
                    place = joined.setdefault(name, {}).setdefault(value, bytearray(self.total // 8))
                    place[start : start + size] = bits.to_bytes(size, "little")
            self.ids += shelf.ids
            self.at += shelf.at
            self.seconds += shelf.seconds
        self.sets: Sets = {
            name: {value: int.from_bytes(bits, "little") for value, bits in sets.items()}
            for name, sets in joined.items()
        }
        self._orders: dict[tuple[str, bool], Sequence[int]] = {}

    def set(self, name: str, value: object = "") -> int:
        return self.sets.get(name, {}).get(value, 0)

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

    @cached_property
    def _by_id(self) -> PlacesById:
        return PlacesById(self.ids)

    def within(self, least: int, below: int | None) -> int:
        """Those of at least `least` seconds, and of less than `below`."""
        if (least, below) in self.sets.get("band", {}):
            return self.set("band", (least, below))
        limit = below if below is not None else 1 << 62
        return _bits(bytes(least <= seconds < limit for seconds in self.seconds)) & self.all

    @property
    def untimed(self) -> int:
        return self.set("band", None)

    def in_year(self, year: int) -> int:
        return self.set("year", f"{year:04}")

    def counts(self, name: str, among: int) -> dict[object, int]:
        """How many of the episodes are in each set of this name, without the empty ones."""
        counted = ((value, (bits & among).bit_count()) for value, bits in self.sets.get(name, {}).items())
        return {value: count for value, count in counted if count}

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
            "seconds": sum(compress(self.seconds, _mask(among, self.total))) - untimed * UNTIMED,
            "timed": episodes - untimed,
            "dated": episodes - (among & self.set("month")).bit_count(),
            "audible": (among & self.set("audible")).bit_count(),
        }

    def places(self, among: int, order: Iterable[int], start: int = 0, stop: int | None = None) -> list[int]:
        """The places of a set in this order of all places, from one to another."""
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

    def ranks(self, order: Sequence[int]) -> Sequence[int]:
        """The position of each place in this order of all places."""
        found = array("i", bytes(4 * self.total))
        for rank, place in enumerate(order):
            found[place] = rank
        return found

    def ordered(self, among: int, order: Sequence[int], ranks: Sequence[int]) -> list[int]:
        """The places of a set in this order; `ranks` are those of the order."""
        if among.bit_count() > self.total // FEW:
            return self.places(among, order)
        return sorted(self.members(among), key=ranks.__getitem__)

    def order(self, sort: str, *, one_show: bool) -> Sequence[int]:
        """All places in the order of that name: what `EpisodeQuerySet.sorted_by` says in SQL."""
        if (sort, one_show) not in self._orders:
            self._orders[sort, one_show] = self._sorted(sort, one_show)
        return self._orders[sort, one_show]

    def _sorted(self, sort: str, one_show: bool) -> Sequence[int]:
        if sort == "newest":
            places = range(self.total)  # by show, within one the newest first
            return places if one_show else array("q", sorted(places, key=self.at.__getitem__, reverse=True))
        newest = self.order("newest", one_show=one_show)
        if sort == "oldest":
            return newest[::-1]
        sign = 1 if sort == "shortest" else -1
        lengths = [sign * seconds if seconds != UNTIMED else 1 << 62 for seconds in self.seconds]
        return array("q", sorted(newest, key=lengths.__getitem__))


def _mask(bits: int, size: int) -> bytes:
    """A byte for each place: 1 where the bit is set."""
    return f"{bits:0{size}b}"[::-1].encode().translate(BINARY) if size else b""


def _bits(mask: bytes | bytearray) -> int:
    return int(mask[::-1].translate(DIGITS), 2) if mask else 0


class Snapshot:
    """The catalog of one version; each part is read when it is first asked for."""

    def __init__(self, version: str, tokens: Mapping[int, str], shelves: Mapping[int, Shelf]) -> None:
        """`tokens` are the versions of the shows (`ShowVersion`), `shelves` those of the snapshot before this one."""
        self.version, self._tokens, self._shelves_before = version, tokens, shelves
        self._kept: dict[Hashable, Any] = {}
        self._states: dict[int, str] = {}

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
        before = self._shelves_before
        return {
            show: before[show] if show in before and before[show].token == token else shelf(show, token)
            for show, token in self._tokens.items()
        }

    @property
    def shelves_known(self) -> Mapping[int, Shelf]:
        """For the next snapshot: these shelves, or those before where no page has asked for any of this version."""
        known: Mapping[int, Shelf] = vars(self).get("shelves", self._shelves_before)
        return known

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
        from ..search import Vocabulary

        return Vocabulary.of()


def shelf(show: int, token: str) -> Shelf:
    """Read the shelf of a show."""
    listed = Episode.objects.listed().filter(podcast=show).order_by("-order")
    audible = ExpressionWrapper(~Q(audio_url=""), BooleanField())
    at, month = MicrosecondsOf("sorted_at"), MonthOf("published_at")
    rows = list(listed.values_list("pk", at, "duration_seconds", month, audible))
    ids, ats, lengths, published, heard = zip(*rows, strict=True) if rows else ((),) * 5
    sets: Sets = {
        "all": _sets([""] * len(rows)),
        "month": _sets([month or "" for month in published]),
        "year": _sets([(month or "")[:4] for month in published]),
        "band": _sets(map(_band, lengths)),
        "audible": _sets(["not", ""][is_heard] for is_heard in heard),
        "topic": _topic_sets(show, ids),
    }
    padding = [0] * (-len(rows) % 8)
    seconds = [UNTIMED if length is None else length for length in lengths]
    return Shelf(
        token, array("q", [*ids, *padding]), array("q", [*ats, *padding]), array("q", [*seconds, *padding]), sets
    )


def _sets(values: Iterable[object]) -> dict[object, int]:
    """For each value the set of the places that have it."""
    found: dict[object, int] = {}
    for place, value in enumerate(values):
        found[value] = found.get(value, 0) | 1 << place
    return found


def _topic_sets(show: int, ids: Sequence[int]) -> dict[object, int]:
    bits = {pk: 1 << place for place, pk in enumerate(ids)}
    uses = EpisodeTopic.objects.filter(episode__podcast=show, episode__listed=True).order_by()
    found: dict[object, int] = {}
    for topic, episode in uses.values_list("topic_id", "episode_id"):
        found[topic] = found.get(topic, 0) | bits.get(episode, 0)
    return found


def _band(seconds: int | None) -> tuple[int, int | None] | None:
    """The band of a length by its limits in seconds; None for one that is not known."""
    if seconds is None:
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
    last = Snapshot("", {}, {})


def snapshot() -> Snapshot:
    """The snapshot of the catalog as it is now; asks the database for its version, and of a new one for those of the shows."""
    version = CatalogVersion.seen()
    last = _Memory.last
    if version and last.version == version:
        return last
    # The tokens before any rows: of a change in between the next snapshot sees another token.
    new = Snapshot(version, dict(ShowVersion.objects.values_list("podcast", "token")), last.shelves_known)
    if version:
        _Memory.last = new
    return new
