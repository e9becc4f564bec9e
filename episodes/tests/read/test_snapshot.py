"""What is held in memory says the same as the database, and is read anew when something changes."""

from __future__ import annotations

from array import array
from collections import Counter
from datetime import UTC, date, datetime

import pytest
from django.db import connection
from django.db.models import Count, Q, Sum
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from episodes.models import BORDERS, CatalogIndex, Episode, EpisodeQuerySet, Podcast, Topic, snapshot
from episodes.models.snapshot import UNTIMED, Shelf, read_shelves, shelf
from episodes.search import prepare
from episodes.views.lists.ranking import best_matches

pytestmark = pytest.mark.django_db


def add(show: Podcast, order: int, **fields: object) -> Episode:
    at = datetime(2020, 1, order, tzinfo=UTC)
    return Episode.objects.create(podcast=show, slug=f"{show.slug}-{order}", order=order, sorted_at=at, **fields)


def ids(index: CatalogIndex, among: int, sort: str = "newest", *, one_show: bool = False) -> list[int]:
    return [index.ids[place] for place in index.places(among, index.order(sort, one_show=one_show))]


def keys(found: EpisodeQuerySet) -> list[int]:
    return list(found.values_list("pk", flat=True))


def extent(found: EpisodeQuerySet) -> dict[str, int]:
    sums = found.aggregate(
        episodes=Count("pk"),
        seconds=Sum("duration_seconds"),
        timed=Count("duration_seconds"),
        dated=Count("published_at"),
        audible=Count("pk", filter=~Q(audio_url="")),
    )
    return {name: value or 0 for name, value in sums.items()}


def by_month(found: EpisodeQuerySet) -> dict[date | None, int]:
    months = [at and at.date().replace(day=1) for at in found.values_list("published_at", flat=True)]
    return dict(Counter(months))


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("sort", ["newest", "oldest", "shortest", "longest"])
def test_an_order_is_that_of_the_database(sort: str) -> None:
    other = Podcast.objects.create(slug="other", title="Other")
    for order in range(1, 12):
        add(other, order, duration_seconds=order * 300 if order % 3 else None)
    index = snapshot().index
    for one_show in (True, False):
        found = Episode.objects.filter(podcast=other) if one_show else Episode.objects.listed()
        among = index.set("show", other.pk) if one_show else index.all
        assert ids(index, among, sort, one_show=one_show) == keys(found.sorted_by(sort, one_show=one_show))


@pytest.mark.usefixtures("catalog")
def test_counts_are_those_of_the_database() -> None:
    index, listed = snapshot().index, Episode.objects.listed()
    uses = listed.order_by().values_list("topics").annotate(n=Count("pk"))
    assert index.counts("topic", index.all) == {topic: n for topic, n in uses if topic}
    topic = Topic.objects.get(slug="autograd")
    about = index.set("topic", topic.pk)
    assert index.extent(about) == extent(listed.filter(topics=topic))
    assert index.months(about) == by_month(listed.filter(topics=topic))
    assert index.in_year(2021) == index.of_ids(keys(listed.published_in(2021)))
    for least, below in [(0, 900), (600, 1_200), (1_800, None)]:
        found = listed.filter(duration_seconds__gte=least)
        found = found.filter(duration_seconds__lt=below) if below else found
        assert index.within(least, below) == index.of_ids(keys(found))
    assert BORDERS[0] == 0


def test_a_list_shows_a_change_at_once(client: Client) -> None:
    show = Podcast.objects.create(slug="one", title="one")
    episode = add(show, 1, title="Before")
    assert b"Before" in client.get("/episodes/").content
    episode.title = "After"
    episode.save()
    assert b"After" in client.get("/episodes/").content


QUERIES = [
    "autograd",
    "torch",
    "python",
    "cuda graphs",
    "cudagraphs",
    "vmap",
    "c++",
    "torch.nn",
    "how dispatcher",
    '"in the"',
    "plus",
    "pytorch tensor autograd function code python talk people",
    "tensor memory stride view storage layout contiguous",
    "march 2021",
    "autograd 2020",
    "under 15 minutes",
    "tensor over 15 minutes",
    "52",
    "#52 batching",
    "naïve",
    "é pytorch",
    "ＶＭＡＰ",
    "C10 ﬁle",
]


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("query", QUERIES)
def test_a_search_is_ranked_by_sets_as_by_the_database(query: str) -> None:
    asked = prepare(query)
    found = Episode.objects.listed().search(asked).sorted_by("match", asked, one_show=True)
    assert best_matches(snapshot(), asked, 100, one_show=True) == keys(found)[:100]


def test_of_many_matches_the_newest_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    show = Podcast.objects.create(slug="one", title="one")
    for order, title in enumerate(["tensors", "a longer title of tensors", "long tensors"], start=1):
        add(show, order, title=title)
    numbers = {episode.pk: episode.order for episode in Episode.objects.all()}
    assert [numbers[pk] for pk in best_matches(snapshot(), prepare("tens"), 9, one_show=True)] == [1, 3, 2]
    monkeypatch.setattr("episodes.views.lists.ranking.MOST_TITLES", 2)
    assert [numbers[pk] for pk in best_matches(snapshot(), prepare("tens"), 9, one_show=True)] == [3, 2, 1]


def test_shelves_are_read_some_shows_at_a_time_from_indexes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    shows = [Podcast.objects.create(slug=f"show-{number}", title="x", rank=number) for number in range(5)]
    for show in shows:
        for order in range(1, 12):
            add(show, order, audio_url="x" if order % 3 else "", listed=order != 5)
    monkeypatch.setitem(read_shelves.__globals__, "SHELVES", 2)
    with CaptureQueriesContext(connection) as asked:
        index = snapshot().index
    assert index.all.bit_count() == 50
    assert index.counts("show", index.all) == {show.pk: 10 for show in shows}
    assert index.extent(index.set("audible")) == extent(Episode.objects.listed().exclude(audio_url=""))
    of_rows = [query["sql"] for query in asked if "strftime" in query["sql"] or "extract(epoch" in query["sql"].lower()]
    assert len(of_rows) == 3
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            plan = cursor.execute(f"EXPLAIN QUERY PLAN {of_rows[0]}").fetchall()
        assert any("COVERING INDEX episode_shelf" in row[3] for row in plan)


@given(st.lists(st.lists(st.integers(0, 30), unique=True, max_size=12), max_size=4))
def test_the_sets_of_several_shelves_are_joined(shows: list[list[int]]) -> None:
    shelves = {}
    for number, chosen in enumerate(shows):
        every = array("q", range(100 * number + 1, 100 * number + 33))
        sets: dict[str, dict[object, int]] = {
            "all": {"": (1 << 31) - 1},
            "topic": {7: sum(1 << place for place in chosen)},
        }
        shelves[number] = Shelf("", every, every, array("i", every), sets)
    index = CatalogIndex(shelves)
    wanted = {100 * number + 1 + place for number, chosen in enumerate(shows) for place in chosen}
    assert set(ids(index, index.set("topic", 7))) == wanted
    assert index.of_ids(wanted) == index.set("topic", 7)


LENGTHS = st.one_of(st.none(), st.integers(0, 10**6))


@given(st.lists(LENGTHS, max_size=20), st.integers(0, 10**6), st.one_of(st.none(), st.integers(0, 10**6)))
def test_lengths_are_added_up_and_compared_by_their_digits(
    lengths: list[int | None], least: int, below: int | None
) -> None:
    places = range(len(lengths))
    rows = [(place + 1, 0, UNTIMED if length is None else length, "") for place, length in enumerate(lengths)]
    index = CatalogIndex({1: shelf("", rows, [], frozenset())})
    timed = {place: length for place, length in enumerate(lengths) if length is not None}
    assert index.extent(index.all)["seconds"] == sum(timed.values())
    some = sum(1 << place for place in places if place % 2) & index.all
    assert index.extent(some)["seconds"] == sum(length for place, length in timed.items() if place % 2)
    wanted = [place for place, length in timed.items() if least <= length and (below is None or length < below)]
    if (least, below) not in index.sets["band"]:
        assert list(index.members(index.within(least, below))) == wanted
