"""What an import places at once, without its show, is what the whole show makes of it."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from typing import Any, NamedTuple
from unittest import mock

import time_machine
from django.core.management import call_command
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from episodes.ingest import Loaded, Options, Target, take
from episodes.models import (
    Attachment,
    CatalogState,
    Episode,
    Held,
    Podcast,
    Redirect,
    Source,
)
from episodes.records import FetchedDocument
from episodes.resolve import catch_up

from ..examples import tries
from .build import LONG, OTHER
from .histories import differences, everything

GREETING = "Welcome to the widget show, where two people who know little talk about a lot of widgets for hours. "
TITLES = ("Talk @ by somebody", "Kettles", "Ladders of the north", "Ladders of the north!", "Mirrors", "Bonus", "Tea")
OWN = "@ " * 30
TEXTS = (OWN, "", LONG, LONG[:60], GREETING + LONG, GREETING + OTHER)
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # a history is small, and takes seconds
NOW = datetime(2021, 8, 1, tzinfo=UTC)


class Item(NamedTuple):
    """An item of a feed: its guid and audio by number, and what else it says."""

    number: int
    title: str = TITLES[0]
    text: str = OWN
    day: int = 1
    audio: int = 0
    season: int | None = None
    image: int = 0


class Change(NamedTuple):
    """A version of a feed: items that come at the head or the end, one that says something else, and how many of the
    last go."""

    source: str
    new: tuple[Item, ...] = ()
    other: tuple[int, str, Any] = (0, "", None)
    gone: int = 0
    at_the_end: bool = False


own_titles, own_texts = st.sampled_from((*TITLES[:1] * 9, *TITLES)), st.sampled_from((*TEXTS[:1] * 6, *TEXTS))
items = st.builds(
    Item, st.integers(1, 30), own_titles, own_texts, st.integers(1, 30), st.sampled_from((0,) * 5 + (9, 24))
)
others = st.one_of(
    st.tuples(st.integers(0, 3), st.just("title"), st.sampled_from(TITLES)),
    st.tuples(st.integers(0, 3), st.just("text"), st.sampled_from(TEXTS)),
    st.tuples(st.integers(0, 3), st.just("day"), st.integers(1, 30)),
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
    def setUp(self) -> None:
        self.listed: dict[str, list[Item]] = {"feed": [], "other": []}

    @settings(phases=PHASES, max_examples=tries(8, 500), suppress_health_check=list(HealthCheck), deadline=None)
    @given(st.lists(changes, min_size=1, max_size=5), st.booleans())
    def test_what_a_version_places_alone_stays_when_the_show_follows(self, steps: list[Change], alone: bool) -> None:
        with time_machine.travel(NOW):
            self.begin(alone)
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

    def begin(self, alone: bool) -> None:
        self.listed = {"feed": [], "other": []}
        podcast = Podcast.objects.create(slug="talks", title="Talks", feed_url="https://talks.example/feed")
        for rank, name in enumerate(self.listed, 1):
            address = f"https://talks.example/{name}"
            own = {"own": rank == 1, "complete": rank == 1, "may_create": rank == 1}
            Source.objects.create(podcast=podcast, slug=name, reader="feed", rank=rank, address=address, **own)
        for step in BEGINNING[: 1 if alone else 2]:
            self.take_in(step)

    def take_in(self, step: Change) -> None:
        place, field, value = step.other
        listed = self.listed[step.source]
        if field and place < len(listed):
            listed[place] = listed[place]._replace(**{field: value})
        del listed[max(1, len(listed) - step.gone) :]
        fresh = {item.number: item for item in step.new if item.number not in {one.number for one in listed}}
        listed[:] = [*listed, *fresh.values()] if step.at_the_end else [*fresh.values(), *listed]
        source = Source.objects.get(slug=step.source)
        body = f"<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><title>Talks</title>{''.join(map(told, listed))}</channel></rss>"
        page = FetchedDocument(body.encode(), source.address)
        options = Options(accept=True, files=False, later=True)
        assert take(Loaded(Target(step.source, source=source), page), options, lambda: NOW).ok


def told(item: Item) -> str:
    title, text = (words.replace("@", f"{item.number:x}" * 3) for words in item[1:3])
    season = f"<itunes:season>{item.season}</itunes:season>" if item.season else ""
    season += f"<itunes:image href='https://talks.example/{item.image}.png'/>" if item.image else ""
    return (
        f"<item><title>{title}</title><guid isPermaLink='false'>g-{item.number}</guid>{season}"
        f"<pubDate>{item.day:02} Jun 2021 10:00:00 GMT</pubDate><description>{escape(text)}"
        f"</description><enclosure url='https://cdn.example/{item.audio or item.number + 20}.mp3' length='1'/></item>"
    )


def placed() -> dict[str, object]:
    """The catalog but for what only the whole show tells: which entries are where, under which addresses, with which
    values."""
    columns = [
        f.attname for f in Episode._meta.concrete_fields if f.name not in ("id", "order", "sorted_at", "conflicts")
    ]
    return {
        "episodes": sorted(map(repr, Episode.objects.order_by().values_list(*columns))),
        "entries": sorted(Attachment.objects.values_list("item", "episode__slug")),
        "held": sorted(Held.objects.values_list("item", flat=True)),
        "addresses": sorted(Redirect.objects.values_list("slug", "entry")),
    }
