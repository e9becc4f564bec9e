"""Proposed topics: accepted, joined or refused by a curator, kept by imports and rebuilds, taken back without a trace."""

import json
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from episodes.curation import Impossible, accept_topic, delete_row, undo
from episodes.models import Change, EpisodeTopic, Podcast, Topic, TopicProposal

from ..ingest.conftest import run
from ..kept import made_once
from .conftest import export

SUBJECTS = (
    "Lighthouses",
    "Lighthouses",
    "Lighthouses",
    "Rope",
    "Rope",
    "Rope",
    "Sunday",
    "Monday",
    "Tuesday",
    "Friday",
)
WAYS = ("we saw", "they had", "all for")
KEYWORDS = {0: "knots", 3: "Knots", 6: "knot", 7: "weather", 8: "weather"}


def page(show: str, numbers: range, notes: str = "It was a good day.") -> bytes:
    year, first = (2021, 0) if show == "Tides" else (2022, 100)
    items = "".join(
        f"<item><title>{SUBJECTS[n % 10]} {first + n}</title><pubDate>{n + 1:02} May {year} 13:00:00 GMT</pubDate>"
        f"<description>{notes} {show} {n}: {WAYS[n % 3]} {SUBJECTS[n % 10]}.</description><guid isPermaLink='false'>{show}-{n}</guid>"
        f"<itunes:keywords>{KEYWORDS.get(n % 10, '')}</itunes:keywords></item>"
        for n in reversed(numbers)
    )
    namespace = 'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
    return f'<rss version="2.0" {namespace}><channel><title>{show}</title>{items}</channel></rss>'.encode()


def take(folder: Path, show: str, numbers: range = range(10), notes: str = "It was a good day.") -> Podcast:
    path = folder / f"{show}.xml"
    path.write_bytes(page(show, numbers, notes))
    ran = run(path, "--url", f"https://{show.lower()}.example/feed.xml")
    assert ran.code == 0, ran.err
    return Podcast.objects.get(title=show)


@pytest.fixture
def tides(db: None) -> Podcast:
    """A show that was added by its feed and has no topics."""
    made_once(_tides)
    return Podcast.objects.get(title="Tides")


def _tides() -> None:
    with TemporaryDirectory() as folder:
        take(Path(folder), "Tides")


def proposal(name: str, show: str = "Tides") -> TopicProposal:
    return TopicProposal.objects.get(name=name, podcast__title=show)


def names(show: str = "Tides") -> list[str]:
    return list(TopicProposal.objects.filter(podcast__title=show).order_by("place").values_list("name", flat=True))


def rows() -> list[tuple[object, ...]]:
    fields = ("podcast__slug", "key", "place", "name", "source", "terms", "count", "uses")
    return list(TopicProposal.objects.order_by("podcast__slug", "place").values_list(*fields))


def having(topic: Topic) -> set[str]:
    return set(EpisodeTopic.objects.filter(topic=topic).values_list("episode__title", flat=True))


def test_an_import_proposes_topics_and_gives_none(tides: Podcast) -> None:
    assert names() == ["Knots", "Lighthouses", "Rope"]
    assert not Topic.objects.exists()
    assert all(not episode["topics"] for episode in json.loads(export())["episodes"])


def test_an_accepted_topic_is_in_its_episodes_and_in_those_of_later_imports(
    curator: User, tides: Podcast, tmp_path: Path
) -> None:
    topic = accept_topic(curator, proposal("Lighthouses"))
    keyword = accept_topic(curator, proposal("Knots"), "Tying knots")
    assert (topic.podcast, topic.slug, keyword.slug) == (tides, "lighthouses", "tying-knots")
    assert having(topic) == {"Lighthouses 0", "Lighthouses 1", "Lighthouses 2"}
    assert having(keyword) == {"Lighthouses 0", "Rope 3", "Sunday 6"}
    assert names() == ["Rope"]
    take(tmp_path, "Tides", range(14))
    assert having(topic) >= {"Lighthouses 0", "Lighthouses 10", "Lighthouses 12"}
    assert "Rope 13" in having(keyword)


def test_one_mention_in_the_notes_is_enough_whatever_else_an_episode_is_about(
    curator: User, tides: Podcast, tmp_path: Path
) -> None:
    accept_topic(curator, proposal("Rope"))
    topic = accept_topic(curator, proposal("Lighthouses"))
    take(tmp_path, "Tides", range(10), "It was a good day. " * 20 + "We had more than one lighthouses.")
    assert len(having(topic)) == 10


def test_a_deleted_topic_is_not_proposed_again(curator: User, tides: Podcast) -> None:
    delete_row(curator, accept_topic(curator, proposal("Lighthouses")))
    assert names() == ["Knots", "Rope"]
    undo(curator, Change.objects.latest("id"))
    undo(curator, Change.objects.order_by("id")[0])
    assert names() == ["Knots", "Lighthouses", "Rope"]


def test_a_name_that_another_shows_topic_has_is_refused(curator: User, tides: Podcast, tmp_path: Path) -> None:
    take(tmp_path, "Waves")
    accept_topic(curator, proposal("Lighthouses"))
    for name in ("", "lightHOUSES"):
        with pytest.raises(Impossible, match=r"Lighthouses of Tides has one .* give it to every show"):
            accept_topic(curator, proposal("Lighthouses", "Waves"), name)
    assert Topic.objects.get().podcast == tides


@pytest.mark.parametrize("name, slug", [("Größe", "grosse"), ("Маяки", "topic"), ("C++", "c"), ("a" * 100, "a" * 100)])
def test_a_topic_gets_an_address_that_no_topic_has_or_had(curator: User, tides: Podcast, name: str, slug: str) -> None:
    Topic.objects.create(slug="c", name="C")
    topic = accept_topic(curator, proposal("Rope"), name)
    assert topic.slug == ("c-2" if slug == "c" else slug)
    assert topic.name == name


def test_a_topic_with_a_long_name_takes_over_no_former_address(curator: User, tides: Podcast) -> None:
    other = Topic.objects.create(slug="c", name="C")
    other.former.create(kind="topic", slug="a" * 100)
    Topic.objects.create(slug="a" * 95 + "-2", name="D")
    topic = accept_topic(curator, proposal("Rope"), "a" * 100)
    assert topic.slug == "a" * 95 + "-3"
    assert other.former.get().slug == "a" * 100


def test_documents_in_any_order_give_the_same_proposals(curator: User, db: None, tmp_path: Path) -> None:
    found = set()
    for order in permutations(("Tides", "Waves")):
        with transaction.atomic():
            for show in (*order, order[0]):
                take(tmp_path, show)
            found.add(json.dumps(rows()))
            transaction.set_rollback(True)
    assert len(found) == 1
