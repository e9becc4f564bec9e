"""Topics that feeds declare: any order of imports, curators' changes of them, and what stays."""

import json
from itertools import permutations
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from django.test import Client

from episodes.curation import (
    add_list_entry,
    delete_topic_or_path,
    merge_topics,
    remove_list_entry,
    save_row,
    undo_change,
)
from episodes.models import Change, Decision, Episode, Podcast, Topic

from ..ingest.conftest import run
from .conftest import export

pytestmark = pytest.mark.django_db


def feed(show: str, *keywords: str) -> bytes:
    items = "".join(
        f"<item><title>{show} talk {n}</title><pubDate>{n + 1:02} May 2021 13:00:00 GMT</pubDate>"
        f"<description>We talk about {n} things of {show}.</description>"
        f"<guid isPermaLink='false'>{show}-{n}</guid><itunes:keywords>{words}</itunes:keywords></item>"
        for n, words in reversed(list(enumerate(keywords)))
    )
    namespace = 'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
    return f'<rss version="2.0" {namespace}><channel><title>{show}</title>{items}</channel></rss>'.encode()


def take(folder: Path, show: str, *keywords: str) -> Podcast:
    path = folder / f"{show}.xml"
    path.write_bytes(feed(show, *keywords))
    ran = run(path, "--url", f"https://{show.lower()}.example/feed.xml")
    assert ran.code == 0, ran.err
    return Podcast.objects.get(title=show)


@pytest.fixture
def tides(tmp_path: Path) -> Podcast:
    """A show of six episodes, two of which have the keyword "knots"."""
    return take(tmp_path, "Tides", "knots,sea", "Knots", "rope", "", "", "")


def topics() -> dict[str, list[str]]:
    """Return the topics of the episodes that have any."""
    return {one["title"]: one["topics"] for one in json.loads(export())["episodes"] if one["topics"]}


def test_shared_keyword_is_topic(tides: Podcast) -> None:
    assert topics() == {"Tides talk 0": ["knots"], "Tides talk 1": ["knots"]}
    topic = Topic.objects.get()
    assert (topic.name, topic.podcast, topic.declared) == ("Knots", tides, True)
    before = export()
    call_command("rebuild", verbosity=0)
    assert export() == before


def test_keyword_of_most_episodes_is_no_topic(tides: Podcast, tmp_path: Path) -> None:
    take(tmp_path, "Tides", "knots", "Knots", "knots", "knots", "", "")
    assert topics() == {}
    assert Client().get("/topics/knots/").status_code == 200
    assert "Knots" not in Client().get("/topics/").content.decode()


def test_any_order_gives_the_same_topics(tmp_path: Path) -> None:
    shows = {"Tides": ("knots", "knots", "", ""), "Waves": ("Knots,surf", "knots,surf", "", "")}
    exports = set()
    for order in permutations(shows):
        with transaction.atomic():
            for show in (*order, order[0]):
                take(tmp_path, show, *shows[show])
            exports.add(export())
            transaction.set_rollback(True)
    assert len(exports) == 1


def test_renamed_topic_keeps_its_episodes(tides: Podcast, curator: User, tmp_path: Path) -> None:
    topic = Topic.objects.get()
    topic.name, topic.slug = "Tying", "tying"
    save_row(curator, topic)
    assert topics() == {"Tides talk 0": ["tying"], "Tides talk 1": ["tying"]}
    take(tmp_path, "Tides", "knots", "knots", "knots", "", "", "")
    assert [one for own in topics().values() for one in own] == ["tying"] * 3
    assert Topic.objects.count() == 1


def test_merged_topic_is_the_other(tides: Podcast, curator: User) -> None:
    other = Topic.objects.create(podcast=tides, slug="rope-work", name="Rope work")
    merge_topics(curator, Topic.objects.get(slug="knots"), other)
    assert topics() == {"Tides talk 0": ["rope-work"], "Tides talk 1": ["rope-work"]}


def test_deleted_topic_stays_away(tides: Podcast, curator: User, tmp_path: Path) -> None:
    delete_topic_or_path(curator, Topic.objects.get())
    take(tmp_path, "Tides", "knots", "knots", "knots", "", "", "")
    assert (topics(), Topic.objects.count()) == ({}, 0)
    undo_change(curator, Change.objects.latest("id"))
    assert len(topics()) == 3


def test_name_refused_in_older_release_is_no_topic(curator: User, tmp_path: Path) -> None:
    tides = take(tmp_path, "Tides", "", "", "", "", "", "")
    Decision.objects.create(kind="refusal", podcast=tides, key="knot", detail="Knots")
    take(tmp_path, "Tides", "knots", "knots", "", "", "", "")
    assert topics() == {}


def test_topic_of_an_episode_is_removed_and_added(tides: Podcast, curator: User) -> None:
    first, _, third, *_ = Episode.objects.order_by("order")
    remove_list_entry(curator, first, "topic", "knots")
    add_list_entry(curator, third, "topic", "knots")
    assert topics() == {"Tides talk 1": ["knots"], "Tides talk 2": ["knots"]}
    call_command("rebuild", verbosity=0)
    assert topics() == {"Tides talk 1": ["knots"], "Tides talk 2": ["knots"]}


def test_topic_of_another_show_is_shared(tides: Podcast, curator: User, tmp_path: Path) -> None:
    topic = Topic.objects.get()
    topic.name = "Tying knots"
    save_row(curator, topic)
    take(tmp_path, "Waves", "Tying Knots", "tying knots", "surf", "")
    assert topics()["Waves talk 0"] == ["knots"]
    assert Topic.objects.count() == 1
    delete_topic_or_path(curator, topic)
    assert topics() == {}


def test_topics_are_listed_by_show(tides: Podcast, tmp_path: Path) -> None:
    assert "Tides" not in Client().get("/topics/").content.decode().partition("<main")[2].partition("</main>")[0]
    take(tmp_path, "Waves", "Knots,surf", "knots,surf", "", "")
    page = Client().get("/topics/").content.decode()
    listed = page.partition("<main")[2]
    places = [listed.index(words) for words in (">Tides<", ">Knots<", ">Waves<", ">surf<")]
    assert places == sorted(places)
    assert listed.count('"/topics/knots/"') == 2
