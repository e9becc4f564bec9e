"""Entries that an import places at once, without its show, are placed as the whole show places them."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from html import escape
from io import BytesIO
from typing import Any, NamedTuple
from unittest import mock

import pytest
import time_machine
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from episodes.ingest import Loaded, Options, Target, TranscriptFile, import_transcripts, take
from episodes.models import (
    Attachment,
    CatalogState,
    Decision,
    Document,
    Episode,
    Held,
    Podcast,
    Redirect,
    Source,
)
from episodes.records import FetchedDocument
from episodes.resolve import apply, catch_up, core, follow_ups
from episodes.resolve.inputs import evidence

from ..examples import tries
from ..kept import made_once
from .build import LONG, OTHER
from .histories import differences, everything

GREETING = "Welcome to the widget show, where two people who know little talk about a lot of widgets for hours. "
TITLES = ("Talk @ by somebody", "Kettles", "Ladders of the north", "Ladders of the north!", "Mirrors", "Bonus", "Tea")
OWN = "@ " * 30
TEXTS = (OWN, "", LONG, LONG[:60], GREETING + LONG, GREETING + OTHER)
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # a history is small, and takes seconds
ITUNES = "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'"
NOW = datetime(2021, 8, 1, tzinfo=UTC)
FIRST_DAY = datetime(2021, 6, 1, 10, tzinfo=UTC)
AHEAD = 64  # the first day that is more than two after NOW
SECOND_OF_DAY = 1 / 86400


class Item(NamedTuple):
    """An item of a feed: its guid and audio by number, and what else it says."""

    number: int
    title: str = TITLES[0]
    text: str = OWN
    day: float = 1
    audio: int = 0
    season: int | None = None
    image: int = 0
    episode: int | None = None


class Change(NamedTuple):
    """A version of a feed: items that come at the head or the end, one that says something else, and how many of the
    last go."""

    source: str
    new: tuple[Item, ...] = ()
    other: tuple[int, str, Any] = (0, "", None)
    gone: int = 0
    at_the_end: bool = False


own_titles, own_texts = st.sampled_from((*TITLES[:1] * 20, *TITLES)), st.sampled_from((*TEXTS[:1] * 9, *TEXTS))
days = st.one_of(st.integers(1, 30), st.integers(30, 63), st.sampled_from((0, 20, 40, 63, AHEAD)))
numbers = st.one_of(st.none(), st.none(), st.integers(1, 9))
items = st.builds(
    Item,
    st.integers(1, 30),
    own_titles,
    own_texts,
    days,
    st.sampled_from((0,) * 5 + (9, 24)),
    st.sampled_from((None, None, 1)),
    episode=numbers,
)
others = st.one_of(
    st.tuples(st.integers(0, 3), st.just("title"), st.sampled_from(TITLES)),
    st.tuples(st.integers(0, 3), st.just("text"), st.sampled_from(TEXTS)),
    st.tuples(st.integers(0, 3), st.just("day"), days),
    st.tuples(st.integers(0, 3), st.just("episode"), numbers),
    st.tuples(st.integers(0, 3), st.sampled_from(("audio", "season", "image", "image")), st.integers(1, 9)),
    st.just((0, "", None)),
)
changes = st.builds(
    Change,
    st.sampled_from(("feed",) * 5 + ("other",)),
    st.lists(items, max_size=2).map(tuple),
    others,
    st.sampled_from((0, 0, 0, 1)),
    st.booleans(),
)
BEGINNING = (
    Change("feed", tuple(Item(n, TITLES[n % 7], TEXTS[n % 6], n) for n in (9, 8, 5, 4, 3))),
    Change("other", (Item(40, "Mirrors", TEXTS[5], 2), Item(41, "Tea", LONG[:90], 3, 23))),
)


class Placing(TestCase):
    listed: dict[str, list[Item]]

    @settings(phases=PHASES, max_examples=tries(5, 500), suppress_health_check=list(HealthCheck), deadline=None)
    @given(st.lists(changes, min_size=1, max_size=5), st.booleans())
    def test_what_a_version_places_alone_stays_when_the_show_follows(self, steps: list[Change], alone: bool) -> None:
        with time_machine.travel(NOW):
            begin()
            self.listed = {"feed": [], "other": []}
            for step in BEGINNING[: 1 if alone else 2]:
                self.take_in(step)
            for step in steps:
                if alone and step.source == "other":
                    continue
                self.take_in(step)
                waits = CatalogState.objects.filter(waiting_since__isnull=False).exists()
                event("placed alone" if waits else "with the show")
                at_once = placed()
                list(catch_up())
                assert placed() == at_once
            by_steps = everything()
            call_command("rebuild", stdout=mock.Mock())
            assert differences(by_steps, everything()) == {}

    def take_in(self, step: Change) -> None:
        place, field, value = step.other
        listed = self.listed[step.source]
        if field and place < len(listed):
            listed[place] = listed[place]._replace(**{field: value})
        del listed[max(1, len(listed) - step.gone) :]
        fresh = {item.number: item for item in step.new if item.number not in {one.number for one in listed}}
        listed[:] = [*listed, *fresh.values()] if step.at_the_end else [*fresh.values(), *listed]
        version(step.source, listed)


def begin() -> None:
    podcast = Podcast.objects.create(slug="talks", title="Talks", feed_url="https://talks.example/feed")
    for rank, name in enumerate(("feed", "other"), 1):
        address = f"https://talks.example/{name}"
        own = {"own": rank == 1, "complete": rank == 1, "may_create": rank == 1}
        Source.objects.create(podcast=podcast, slug=name, reader="feed", rank=rank, address=address, **own)


@dataclass(frozen=True)
class Listed:
    """Versions of the feed, then one of the other list, from which several tests start."""

    feeds: tuple[tuple[Item, ...], ...]
    other: tuple[Item, ...] = ()

    def __call__(self) -> None:
        begin()
        for feed in self.feeds:
            version("feed", feed)
        if self.other:
            version("other", self.other)
        if len(self.feeds) > 1:
            list(catch_up())


def start(*feeds: Sequence[Item], other: Sequence[Item] = ()) -> None:
    made_once(Listed(tuple(map(tuple, feeds)), tuple(other)))


def version(name: str, listed: Sequence[Item], ending: str = "", *, later: bool = True) -> bool:
    """Import a version of a feed; True where what follows in the show waits."""
    source = Source.objects.get(slug=name)
    items = "".join(map(told, listed))
    body = f"<rss version='2.0' {ITUNES}><channel><title>Talks</title>{items}</channel></rss>{ending}".encode()
    options = Options(accept=True, files=False, later=later)
    page = FetchedDocument(body, source.address)
    assert not take(Loaded(Target(name, source=source), page), options, lambda: NOW).exit_code
    return CatalogState.objects.filter(waiting_since__isnull=False).exists()


def told(item: Item) -> str:
    title, text = (words.replace("@", f"{item.number:x}" * 3) for words in item[1:3])
    at = FIRST_DAY + timedelta(days=item.day - 1)
    day = f"<pubDate>{at:%d %b %Y %H:%M:%S} GMT</pubDate>" if item.day else ""
    season = f"<itunes:season>{item.season}</itunes:season>" if item.season else ""
    season += f"<itunes:episode>{item.episode}</itunes:episode>" if item.episode else ""
    season += f"<itunes:image href='https://talks.example/{item.image}.png'/>" if item.image else ""
    return (
        f"<item><title>{title}</title><guid isPermaLink='false'>g-{item.number}</guid>{season}"
        f"{day}<description>{escape(text)}"
        f"</description><enclosure url='https://cdn.example/{item.audio or item.number + 20}.mp3' length='1'/></item>"
    )


def placed() -> dict[str, object]:
    """The catalog but for what only the whole show tells, such as its order and the numbers in titles: which entries are
    where, under which addresses, with which values."""
    of_the_show = ("id", "conflicts", "related", "repeats", "summary", "order", "sorted_at", "number", "season")
    columns = [f.attname for f in Episode._meta.concrete_fields if f.name not in of_the_show]
    return {
        "episodes": sorted(map(repr, Episode.objects.order_by().values_list(*columns))),
        "entries": sorted(Attachment.objects.values_list("item", "episode__slug")),
        "held": sorted(Held.objects.values_list("item", flat=True)),
        "addresses": sorted(Redirect.objects.values_list("slug", "entry")),
    }


# --- What takes the show --------------------------------------------------------------------------------------------------

FEED = [Item(9, day=9), Item(8, day=8), Item(7, day=7)]
OTHER_LIST = [Item(40, "Mirrors", LONG, 20), Item(41, day=9, audio=29), Item(42, "Talk 777 by somebody", OTHER, 0)]
FIRST, SECOND, LAST = FEED


@pytest.mark.parametrize(
    "listed, alone",
    [
        ([Item(10, day=10), *FEED], True),
        ([Item(11, day=11), Item(10, day=10), *FEED], True),
        ([*FEED, Item(10, day=10)], True),
        ([FIRST, Item(10, day=10), SECOND, LAST], True),
        ([SECOND, FIRST, LAST], False),
        ([FIRST, SECOND._replace(image=2), LAST], True),
        ([FIRST, SECOND._replace(text="Other words"), LAST], True),
        ([FIRST, SECOND._replace(title="Tea"), LAST], True),
        ([FIRST, SECOND._replace(title="Talk 999 by somebody"), LAST], False),
        ([FIRST, SECOND], True),
        ([FIRST, SECOND, LAST, Item(6, day=6)], False),  # it was there before
        ([Item(10, day=10), FIRST, SECOND], True),
        ([Item(10, "Talk 888 by somebody", day=10), FIRST, SECOND, LAST], False),  # which address is whose
        ([Item(10, day=10, audio=29), *FEED], False),
        ([Item(10, day=0), *FEED], False),
        ([Item(10, "…", day=10), *FEED], False),
    ],
)
def test_items_of_the_only_list_are_placed_alone(db: None, listed: list[Item], alone: bool) -> None:
    start([*FEED, Item(6, day=6)], FEED)
    placed_alone_or_with_the_show(listed, alone)


@pytest.mark.parametrize(
    "listed, alone",
    [
        ([Item(10, day=10), *FEED], True),
        ([Item(10, "Mirrors", day=10), *FEED], False),
        ([Item(10, "Mirrors!", day=22), *FEED], False),
        ([Item(10, "Mirrors!", day=23), *FEED], True),
        ([Item(10, "Talk 777 by somebodies", day=10), *FEED], False),  # as one that waits
        ([Item(10, "Talk 777 of all", day=10), *FEED], True),
        ([Item(10, day=10, text=LONG), *FEED], False),
        ([Item(10, day=10, text=LONG[:40]), *FEED], False),  # 33 characters without white space
        ([Item(10, day=10, text=LONG[:38]), *FEED], True),
        ([Item(10, day=10, text=LONG[:80] + OTHER), *FEED], False),
        ([Item(10, day=10, text=LONG[:70] + OTHER), *FEED], True),
        ([Item(10, day=10, audio=60), *FEED], False),
        ([FIRST._replace(image=3), SECOND, LAST], True),  # it is in both lists
        ([FIRST._replace(text="Other words"), SECOND, LAST], False),
        ([FIRST, SECOND._replace(text="Other words"), LAST], True),
        ([FIRST, SECOND], False),  # the last is in both lists
        ([FIRST, LAST], True),
    ],
)
def test_items_that_meet_none_of_another_list_are_placed_alone(db: None, listed: list[Item], alone: bool) -> None:
    start(FEED, other=OTHER_LIST)
    placed_alone_or_with_the_show(listed, alone)


def placed_alone_or_with_the_show(listed: list[Item], alone: bool) -> None:
    """What is placed alone is where the whole show has it."""
    assert version("feed", listed) is alone
    at_once = placed()
    list(catch_up())
    assert placed() == at_once


SECONDS = [Item(n, day=8 + at * SECOND_OF_DAY, episode=n) for n, at in ((4, 4), (3, -9), (2, 2), (1, 2))]
SAME_DAY = [Item(9, "Kettles", day=9), Item(8, "Mirrors", day=9)]
NUMBERED = [Item(n, day=n, episode=n) for n in (9, 8, 7)]
SEASONS = [Item(9, "Kettles", day=9, episode=1, season=2), Item(8, "Mirrors", day=8, episode=9, season=1)]

TITLED = [Item(n, f"{n + 20}: {chr(64 + n) * 4}", day=n) for n in range(8, 0, -1)]


@pytest.mark.parametrize(
    "before, listed",
    [
        (FEED, [Item(10, day=9), *FEED]),
        (FEED, [Item(10, day=8.5), *FEED]),
        (FEED, [Item(11, day=10), Item(10, day=6), *FEED]),
        ([Item(6, day=AHEAD), *FEED], [Item(10, day=10), Item(6, day=AHEAD), *FEED]),
        ([*FEED, Item(6, day=0)], [Item(10, day=10), *FEED, Item(6, day=0)]),
        (FEED, [FIRST, SECOND._replace(day=6), LAST]),
        (FEED, [FIRST._replace(episode=1), SECOND, LAST]),
        (SAME_DAY, [SAME_DAY[0], SAME_DAY[1]._replace(title="Bonus")]),  # that is the newer now
        (NUMBERED, [Item(10, day=10, episode=8), *NUMBERED]),
        (NUMBERED, [Item(10, day=8.5, episode=10), *NUMBERED]),  # its date contradicts its number
        (NUMBERED, [Item(11, day=10, episode=12), Item(10, day=11, episode=11), *NUMBERED]),
        (SEASONS, [Item(10, day=10, episode=3, season=1), *SEASONS]),
        (SEASONS, [Item(10, day=10, episode=40), *SEASONS]),
        (TITLED, [Item(9, "34: Far", day=9), *TITLED]),
        (TITLED, [Item(9, "35: Farther", day=9), *TITLED]),
        (TITLED, [Item(9, "28: Again", day=9), *TITLED]),
        # The second of one date has a second more, and now moves those behind it.
        (SECONDS, [SECONDS[0], SECONDS[1]._replace(day=8 + 3 * SECOND_OF_DAY), *SECONDS[2:]]),
    ],
)
def test_the_order_and_the_numbers_in_titles_follow_with_the_show(
    db: None, before: list[Item], listed: list[Item]
) -> None:
    start(before)
    assert version("feed", listed)
    list(catch_up())
    by_steps = everything()
    call_command("rebuild", stdout=mock.Mock())
    assert differences(by_steps, everything()) == {}


def test_a_new_episode_comes_before_those_that_are_older_until_the_show_follows(db: None) -> None:
    start(FEED)
    assert version("feed", [Item(10, "New", day=10), *FEED])
    assert str(Episode.objects.newest_first()[0]) == "New"


@pytest.mark.parametrize("listed", [[Item(10, day=AHEAD), *FEED], [FIRST._replace(day=AHEAD), SECOND, LAST]])
def test_a_date_that_is_still_to_come_takes_the_show(db: None, listed: list[Item]) -> None:
    start(FEED)
    placed_alone_or_with_the_show(listed, alone=False)


def test_the_summary_of_an_item_placed_alone_is_without_what_others_repeat(db: None) -> None:
    with time_machine.travel(NOW):
        begin()
        told = "On looms, on wool, and on what weavers make of w@."
        feed = [Item(n, text=f"{GREETING}\n{told}", day=n) for n in (9, 8, 7)]
        version("feed", feed, later=False)
        assert version("feed", [feed[0]._replace(number=10, day=10), *feed])
        assert set(Episode.objects.values_list("summary", flat=True)) == {
            told.replace("@", f"{n:x}{n:x}{n:x}") for n in (7, 8, 9, 10)
        }


def test_of_a_feed_that_is_only_dated_anew_nothing_follows(db: None) -> None:
    start(FEED)
    before = CatalogState.objects.get().token
    assert not version("feed", FEED, "<!-- today -->")
    assert CatalogState.objects.get().token == before


def test_a_command_makes_the_show_once(db: None) -> None:
    begin()
    version("feed", FEED, later=False)
    with mock.patch.object(follow_ups, "place_items", side_effect=AssertionError("placed")):
        assert not version("feed", [Item(10, day=10), *FEED], later=False)
    assert CatalogState.objects.get().waiting_since is None
    assert Episode.objects.count() == 4


@pytest.mark.parametrize("new, alone", [(follow_ups.MOST_PLACED, True), (follow_ups.MOST_PLACED + 1, False)])
def test_many_items_take_the_show(db: None, new: int, alone: bool) -> None:
    start(FEED)
    assert version("feed", [*(Item(10 + n, day=10 + n / 100) for n in range(new)), *FEED]) is alone


def judged_before() -> None:
    podcast = Podcast.objects.get()
    Decision.objects.create(podcast=podcast, kind="match", source="feed", item_key="guid:g-8", value="new")
    apply(podcast)


def waits_already() -> None:
    CatalogState.objects.update(waiting_since=NOW)


def renamed() -> None:
    Podcast.objects.update(title="Other talks")


def has_a_page() -> None:
    podcast = Podcast.objects.get()
    source = Source.objects.create(podcast=podcast, slug="site", reader="listing", rank=9)
    listed = "".join(f"<li>{e.title} <time>{e.published_at:%Y-%m-%d}</time></li>" for e in podcast.episodes.all())
    page = FetchedDocument(f"<html><h1>Talks</h1><ul>{listed}</ul></html>".encode(), "https://site.example/")
    assert not take(Loaded(Target("site", source=source), page), Options(accept=True), lambda: NOW).exit_code


def has_transcripts_of_its_own() -> None:
    words = "WEBVTT\n\n00:00.000 --> 09:59.000\n<v Bo>About mirrors.\n"
    assert import_transcripts(
        Podcast.objects.get(), [TranscriptFile("Tea.vtt", partial(BytesIO, words.encode()))], lambda: NOW
    )


@pytest.mark.parametrize(
    "happens, alone",
    [
        (lambda: None, True),
        (judged_before, False),
        (waits_already, False),
        (renamed, False),
        (has_a_page, False),
        (has_transcripts_of_its_own, False),
        (lambda: Source.objects.filter(slug="feed").update(may_create=False), False),
    ],
)
def test_what_else_there_is_takes_the_show(db: None, happens: Callable[[], None], alone: bool) -> None:
    start(FEED)
    happens()
    assert version("feed", [FIRST, SECOND._replace(text="Other words"), LAST]) is alone


@pytest.mark.parametrize(
    "source, said, alone",
    [
        ("feed", {"title": "Tea"}, True),
        ("feed", {"title": ""}, False),
        ("other", {"title": "Tea"}, False),  # of a document that nobody vouched for
    ],
)
def test_what_is_no_episode_by_itself_takes_the_show(db: None, source: str, said: dict[str, str], alone: bool) -> None:
    start(FEED, other=OTHER_LIST)
    Source.objects.update(may_create=True)
    Document.objects.filter(source__slug="other").update(vouched=False)
    apply(podcast := Podcast.objects.get())
    document = Document.objects.get(source__slug=source)
    item = document.items.create(key="new", position=9, first_version=2)
    item.revisions.create(version=2, payload={"published": "2021-06-25", **said}, recorded_at=NOW)
    with nullcontext() if alone else pytest.raises(core.TakesTheShow):
        core.place_items(podcast, [item.pk])


def test_a_new_item_costs_as_little_in_a_large_show(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded, costs = Counter[int](), {}

    def counted(*given: Any, **only: Any) -> Any:
        entries, ids = evidence(*given, **only)
        loaded[size] += len(entries)
        return entries, ids

    monkeypatch.setattr(core, "evidence", counted)
    begin()
    for size in (3, 80):
        listed = [Item(n, day=9) for n in range(size)]
        version("feed", listed)
        list(catch_up())
        loaded[size] = 0
        with CaptureQueriesContext(connection) as asked:
            assert version("feed", [Item(100 + size, day=10 + size % 3), *listed])
        costs[size] = len(asked)
        list(catch_up())
    assert costs[3] == costs[80]
    assert loaded == {3: 2, 80: 2}
