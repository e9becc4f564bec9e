"""Topics that feeds declare: any order of imports, curators' changes of them, and what stays."""

import json
from itertools import permutations
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from django.test import Client

from episodes import curation
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
    return {one["title"]: one["topics"] for one in json.loads(export())["episodes"] if one["topics"]}


def test_shared_keyword_is_topic(tides: Podcast) -> None:
    assert topics() == {"Tides talk 0": ["knots"], "Tides talk 1": ["knots"]}
    topic = Topic.objects.get()
    assert (topic.name, topic.podcast, topic.declared) == ("Knots", tides, True)
    before = export()
    call_command("rebuild", verbosity=0)
    assert export() == before


def test_common_or_refused_keyword_is_no_topic(tides: Podcast, tmp_path: Path) -> None:
    take(tmp_path, "Tides", "knots", "Knots", "knots", "knots", "", "")
    assert topics() == {}
    assert Client().get("/topics/knots/").status_code == 200
    assert "Knots" not in Client().get("/topics/").content.decode()
    waves = take(tmp_path, "Waves", "", "", "", "", "", "")
    Decision.objects.create(kind="refusal", podcast=waves, key="sail", detail="Sails")  # by an older release
    take(tmp_path, "Waves", "sails", "sails", "", "", "", "")
    assert topics() == {}


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


def test_renamed_topic_keeps_its_episodes_until_deleted(tides: Podcast, curator: User, tmp_path: Path) -> None:
    topic = Topic.objects.get()
    topic.name, topic.slug = "Tying", "tying"
    curation.save_row(curator, topic)
    assert topics() == {"Tides talk 0": ["tying"], "Tides talk 1": ["tying"]}
    take(tmp_path, "Tides", "knots", "knots", "knots", "", "", "")
    assert [one for own in topics().values() for one in own] == ["tying"] * 3
    assert Topic.objects.count() == 1
    curation.delete_topic_or_path(curator, Topic.objects.get())
    take(tmp_path, "Tides", "knots", "knots", "", "knots", "", "")
    assert (topics(), Topic.objects.count()) == ({}, 0)
    curation.undo_change(curator, Change.objects.latest("id"))
    assert len(topics()) == 3


def test_topic_of_an_episode_is_removed_and_added(tides: Podcast, curator: User) -> None:
    first, _, third, *_ = Episode.objects.order_by("order")
    curation.remove_list_entry(curator, first, "topic", "knots")
    curation.add_list_entry(curator, third, "topic", "knots")
    assert topics() == {"Tides talk 1": ["knots"], "Tides talk 2": ["knots"]}
    call_command("rebuild", verbosity=0)
    assert topics() == {"Tides talk 1": ["knots"], "Tides talk 2": ["knots"]}
    other = Topic.objects.create(podcast=tides, slug="rope-work", name="Rope work")
    curation.merge_topics(curator, Topic.objects.get(slug="knots"), other)
    assert topics() == {"Tides talk 1": ["rope-work"], "Tides talk 2": ["rope-work"]}


def test_topic_of_another_show_is_shared(tides: Podcast, curator: User, tmp_path: Path) -> None:
    topic = Topic.objects.get()
    topic.name = "Tying knots"
    curation.save_row(curator, topic)
    take(tmp_path, "Waves", "Tying Knots", "tying knots", "surf", "")
    assert topics()["Waves talk 0"] == ["knots"]
    assert Topic.objects.count() == 1
    curation.delete_topic_or_path(curator, topic)
    assert topics() == {}


def test_topics_are_listed_by_show(tides: Podcast, tmp_path: Path) -> None:
    assert "Tides" not in Client().get("/topics/").content.decode().partition("<main")[2].partition("</main>")[0]
    take(tmp_path, "Waves", "Knots,surf", "knots,surf", "", "")
    page = Client().get("/topics/").content.decode()
    listed = page.partition("<main")[2]
    places = [listed.index(words) for words in (">Tides<", ">Knots<", ">Waves<", ">surf<")]
    assert places == sorted(places)
    assert listed.count('"/topics/knots/"') == 2
