"""Feeds as clients know them: ids that no other has, dates that keep the order, and what apps and readers make of both."""

from __future__ import annotations

import io
import json
import os
import shutil
import sqlite3
import subprocess
from calendar import timegm
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from time import struct_time
from typing import Any

import feedparser
import podcastparser
import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes.identity.guids import guid_hash
from episodes.models import Episode, EpisodeQuerySet, Podcast, Topic

from ..curation.conftest import export
from ..loopback import Loopback
from ..patience import PATIENCE

Item = tuple[int | None, str | None]  # day of May 2021, guid
DAY = "<pubDate>{:02} May 2021 13:00:00 GMT</pubDate>"
ONCE = settings(max_examples=20)


def feed(items: Sequence[Item], show: str = "Small Talks", titles: str = "Talk") -> str:
    """A feed with these items, whose texts have nothing in common."""
    rows = ""
    for (day, guid), letter in zip(items, "abcdefghij", strict=False):
        rows += f"<item><title>{titles} on {letter * 3}</title>"
        rows += DAY.format(day) if day else ""
        rows += f"<guid>{guid}</guid>" if guid else ""
        rows += f"<description>{f'{letter}{titles.lower()} ' * 20}</description></item>"
    return f'<rss version="2.0"><channel><title>{show}</title>{rows}</channel></rss>'


def take(text: str, path: Path, show: str = "small") -> None:
    (path / "feed.xml").write_text(text)
    call_command("ingest", str(path / "feed.xml"), url=f"https://{show}.example/feed.xml", verbosity=0)


def feeds(client: Client, query: str = "") -> dict[str, list[tuple[str, str, datetime]]]:
    """Slug, id and date of every entry in every feed."""
    found = {}
    for ending in ("rss", "atom"):
        parsed = feedparser.parse(client.get(f"/episodes.{ending}{query}").content)
        assert not parsed.bozo
        dates = "published_parsed" if ending == "rss" else "updated_parsed"
        found[ending] = [(e.link, e.id, datetime.fromtimestamp(timegm(e[dates]), UTC)) for e in parsed.entries]
    items = json.loads(client.get(f"/episodes.json{query}").content)["items"]
    found["json"] = [(i["url"], i["id"], datetime.fromisoformat(i["date_published"])) for i in items]
    return {ending: [(link.split("/")[-2], *rest) for link, *rest in rows] for ending, rows in found.items()}


@ONCE
@given(
    items=st.lists(
        st.tuples(st.none() | st.integers(1, 4), st.sampled_from((None, "a", "A", "a b", "ab", "c"))), max_size=8
    )
)
def test_ids_differ_and_dates_follow_the_order_whatever_a_feed_lacks_or_repeats(
    db: None, client: Client, tmp_path: Path, items: list[Item]
) -> None:
    with transaction.atomic():
        take(feed([*items, (None, "last")]), tmp_path)
        slugs = list(Episode.objects.newest_first().values_list("slug", flat=True))
        for ending, rows in feeds(client).items():
            assert [slug for slug, *_ in rows] == slugs, ending
            ids = ["".join(known.split()).casefold() for _, known, _ in rows]
            assert len(set(ids)) == len(ids)
            dates = [date for *_, date in rows]
            assert all(newer > older for newer, older in pairwise(dates))
        transaction.set_rollback(True)


def test_an_undated_episode_comes_a_second_after_the_one_before_it(db: None, client: Client, tmp_path: Path) -> None:
    take(feed([(None, "f"), (9, "e"), (None, "d"), (None, "c"), (3, "b"), (None, "a")]), tmp_path)
    for ending, rows in feeds(client).items():
        assert [f"{date:%d %H:%M:%S}" for *_, date in rows] == [
            "09 13:00:01", "09 13:00:00", "03 13:00:02", "03 13:00:01", "03 13:00:00", "03 12:59:59"
        ], ending  # fmt: skip


def test_only_a_guid_that_one_episode_has_is_passed_on(db: None, client: Client, tmp_path: Path) -> None:
    take(feed([(5, "Same"), (4, "same"), (3, "own"), (2, None)]), tmp_path)
    ids = [known for _, known, _ in feeds(client)["rss"]]
    assert ids[2] == "own"
    assert all(known.startswith("urn:uuid:") for known in (ids[0], ids[1], ids[3]))
    assert feeds(client)["json"][0][1] == ids[0]


def test_a_guid_that_two_shows_use_is_passed_on_for_neither(db: None, client: Client, tmp_path: Path) -> None:
    take(feed([(5, "2"), (3, "1")]), tmp_path)
    assert [known for _, known, _ in feeds(client)["rss"]] == ["2", "1"]
    take(feed([(6, "b"), (4, "c")], "Other Hours", "Hour"), tmp_path, "other")
    Episode.objects.filter(guid="b").update(guid="2", guid_hash=guid_hash("2"))
    ids = [known for _, known, _ in feeds(client, "?podcast=small-talks")["rss"]]
    assert ids[0].startswith("urn:uuid:")
    assert ids[1] == "1"
    assert len({known for _, known, _ in feeds(client)["rss"]}) == 4


def test_an_id_of_our_own_stays_when_title_and_address_change(db: None, client: Client, tmp_path: Path) -> None:
    take(
        feed([(5, None), (3, None)]).replace(
            "Talk on aaa</title>", "Talk on aaa</title><link>https://small.example/a</link>"
        ),
        tmp_path,
    )
    before = {slug: known for slug, known, _ in feeds(client)["rss"]}
    take(
        feed([(5, None), (3, None)]).replace(
            "Talk on aaa</title>", "A new name</title><link>https://small.example/a</link>"
        ),
        tmp_path,
    )
    after = {slug: known for slug, known, _ in feeds(client)["rss"]}
    assert before["talk-on-aaa"] == after["a-new-name"]
    call_command("rebuild", verbosity=0)
    assert after == {slug: known for slug, known, _ in feeds(client)["rss"]}


@pytest.fixture
def two(db: None, tmp_path: Path) -> None:
    """Two shows that take turns, with an undated episode in each."""
    take(feed([(9, "a5"), (None, "a4"), (5, "a3"), (1, "a1")], "Big Daily", "Big"), tmp_path, "big")
    take(feed([(8, "b4"), (7, "b3"), (None, "b2"), (3, "b1")], "Art Hour", "Art"), tmp_path, "art")


TURNS = ["big-on-aaa", "art-on-aaa", "art-on-bbb", "big-on-bbb", "big-on-ccc", "art-on-ccc", "art-on-ddd", "big-on-ddd"]


@pytest.mark.usefixtures("two")
def test_lists_of_several_shows_are_by_date_in_every_format(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    page = client.get("/episodes/").content.decode()
    assert sorted(TURNS, key=lambda slug: page.index(f'href="/episodes/{slug}/"')) == TURNS
    assert {ending: [slug for slug, *_ in rows] for ending, rows in feeds(client).items()} == dict.fromkeys(
        ("rss", "atom", "json"), TURNS
    )
    assert [row.split(",")[1] for row in client.get("/episodes.csv").content.decode().split("\r\n")[1:-1]] == TURNS
    assert [e["slug"] for e in json.loads(export())["episodes"]] == TURNS
    for form in ("csv", "rss"):
        call_command("export", format=form)
        out = capsys.readouterr().out
        names = [slug.replace("-", " ").capitalize() for slug in TURNS]
        assert sorted(names, key=out.index) == names
    assert [slug for slug, *_ in feeds(client, "?sort=oldest")["rss"]] == TURNS[::-1]
    assert [slug for slug, *_ in feeds(client, "?q=ccc")["rss"]] == ["big-on-ccc", "art-on-ccc"]


@pytest.mark.usefixtures("two")
def test_a_list_of_one_show_keeps_the_order_of_the_show(client: Client) -> None:
    Episode.objects.filter(slug="art-on-ddd").update(sorted_at=datetime(2030, 1, 1, tzinfo=UTC))
    assert feeds(client)["rss"][0][0] == "art-on-ddd"
    own = [slug for slug, *_ in feeds(client, "?podcast=art-hour")["rss"]]
    assert own == ["art-on-aaa", "art-on-bbb", "art-on-ccc", "art-on-ddd"]
    Podcast.objects.get(slug="big-daily").episodes.all().delete()
    assert feeds(client)["rss"][0][0] == "art-on-ddd"


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_an_index_has_the_order_of_the_list(order: str) -> None:
    plan = Episode.objects.order_by().sorted_by(order)[:25].only("slug").explain()
    if "SCAN" in plan:  # PostgreSQL sorts eight rows faster
        assert "USING INDEX episode_newest" in plan
        assert "TEMP B-TREE" not in plan


LISTS = ("/episodes", "/topics/cloth", "/episodes?podcast=small-talks")
FEEDS = [(name, ending) for name in LISTS for ending in ("rss", "atom")]
# Ampersands and letters of other scripts; a day without a time; none at all.
SHOWS = {
    "Small Talks": (
        ("Looms & <looms>", DAY.format(9), "looms.mp3"),
        ("Ткани «Москвы»", "", "moscow.mp3?from=feed&amp;part=1"),
        ("Felt: a “soft” cloth", "<pubDate>Mon, 03 May 2021</pubDate>", "felt.m4a"),
        ("Only notes of cloth", DAY.format(2), ""),
    ),
    "Big Daily": (
        ("Über Wolle", DAY.format(8), "wolle.mp3"),
        ("Cloth, cut", "", "cut.mp3"),
    ),
}
CHANGED = ("Felt: a “soft” cloth", "Felt")  # the title today, and before

SOUND = b"ID3!"
NEWSBOAT = ("-u", "urls", "-C", "/dev/null")
Known = tuple[str, datetime, str]  # title, date, address of the audio or ""


# A feed that every client reads; AT is where it lies.
PLAIN = (
    '<rss version="2.0"><channel><title>Plain</title><item><title>One</title><pubDate>Mon, 03 May 2021 13:00:00 GMT'
    '</pubDate><enclosure url="AT/one.mp3" length="4" type="audio/mpeg"/></item></channel></rss>'
)


@pytest.fixture(scope="module")
def plain() -> Iterator[Loopback]:
    with Loopback() as server:
        feed = PLAIN.replace("AT", server.address(""))
        server.routes |= {"/feed": (200, {}, feed.encode()), "/one.mp3": (200, {}, SOUND)}
        yield server


@pytest.fixture(scope="module")
def newsboat(plain: Loopback, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests are left out where this program is missing, or of a version that is used in another way."""
    folder = tmp_path_factory.mktemp("newsboat")
    (folder / "urls").write_text(plain.address("/feed"))
    with _left_out_without("newsboat"):
        _run("newsboat", *NEWSBOAT, "-c", "cache.db", "-x", "reload", folder=folder)
        ((title, date, audio),) = _of_newsboat(folder / "cache.db")
        assert (title, date.isoformat(), audio) == ("One", "2021-05-03T13:00:00+00:00", plain.address("/one.mp3"))


@contextmanager
def _left_out_without(program: str) -> Iterator[None]:
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed (Debian: apt-get install {program})")
    try:
        yield
    except (AssertionError, OSError, ValueError, sqlite3.Error) as error:
        pytest.skip(f"{program} of this machine does not read a plain feed: {error!r:.300}")


@dataclass(frozen=True)
class Site:
    """The catalog as it is served, beside the audio files that it names."""

    server: Loopback

    def address(self, name: str, ending: str = "rss") -> str:
        return self.server.address(_path(name, ending))

    def read(self, address: str) -> bytes:
        reply = self.server.routes[address.removeprefix(self.server.address(""))]
        assert isinstance(reply, tuple)
        return reply[2]


@pytest.fixture
def site(db: None, tmp_path: Path, client: Client) -> Iterator[Site]:
    with Loopback() as server:
        Topic.objects.create(slug="cloth", name="Cloth & yarn", rules={"title": ["cloth", "looms"], "notes": ["cloth"]})
        for name, items in SHOWS.items():
            text = _feed(name, items, server)
            for version in dict.fromkeys((text.replace(*CHANGED), text)):
                take(version, tmp_path, name.split()[0].lower())
        lists = [_path(name, ending) for name in LISTS for ending in ("rss", "atom", "json")]
        for path in (*lists, "/shows.opml", "/changes.rss"):
            answer = client.get(path, headers={"host": server.pair})
            assert answer.status_code == 200, path
            server.routes[path] = (200, dict(answer.items()), answer.content)
        yield Site(server)


def _path(name: str, ending: str) -> str:
    path, mark, query = name.partition("?")
    return f"{path}.{ending}{mark}{query}"


def _feed(name: str, items: tuple[tuple[str, str, str], ...], server: Loopback) -> str:
    rows = ""
    for place, (title, date, file) in enumerate(items):
        sound = f'<enclosure url="{server.address(f"/audio/{file}")}" length="4" type="audio/mpeg"/>' if file else ""
        server.routes[f"/audio/{file}".replace("&amp;", "&")] = (200, {"Content-Type": "audio/mpeg"}, SOUND)
        words = f"{'abcdef'[place]}{name.split()[0].lower()} " * 20
        rows += f"<item><title><![CDATA[{title}]]></title>{date}{sound}<description>{words}</description></item>"
    return f'<rss version="2.0"><channel><title>{name}</title>{rows}</channel></rss>'


def known(name: str) -> list[Known]:
    """The episodes of a list in the catalog, newest first."""
    found: EpisodeQuerySet = Episode.objects.newest_first()
    if name.startswith("/topics/"):
        found = found.about_all(Topic.objects.filter(slug="cloth").values_list("pk", flat=True))
    if "?" in name:
        found = found.filter(podcast__slug="small-talks")
    return [(e.heading, e.sorted_at, e.audio_url) for e in found]


def instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def test_feedparser_reads_every_feed(site: Site) -> None:
    for name, ending in FEEDS:
        read = feedparser.parse(site.read(site.address(name, ending)))
        assert not read.bozo
        assert [_of_feedparser(entry) for entry in read.entries] == known(name), (name, ending)
    assert not feedparser.parse(site.read(site.server.address("/changes.rss"))).bozo


def _of_feedparser(entry: Any) -> Known:
    date: struct_time = entry.updated_parsed if "updated" in entry else entry.published_parsed
    audio = entry.enclosures[0].href if entry.enclosures else ""
    return entry.title, instant(timegm(date)), audio


def test_podcastparser_reads_every_feed(site: Site) -> None:
    for name, ending in FEEDS:
        address = site.address(name, ending)
        read = podcastparser.parse(address, io.BytesIO(site.read(address)))
        assert [_of_podcastparser(e) for e in read["episodes"]] == known(name), (name, ending)
    address = site.server.address("/changes.rss")
    assert [e["title"] for e in podcastparser.parse(address, io.BytesIO(site.read(address)))["episodes"]] == [
        CHANGED[0]
    ]


def _of_podcastparser(e: dict[str, Any]) -> Known:
    audio = e["enclosures"][0]["url"] if e["enclosures"] else ""
    return e["title"], instant(e["published"]), audio


@pytest.mark.usefixtures("newsboat")
def test_newsboat_subscribes(site: Site, tmp_path: Path) -> None:
    # It keeps an episode once, under the last feed that has it: so each feed gets a cache of its own.
    for place, (name, ending) in enumerate(FEEDS):
        (tmp_path / "urls").write_text(site.address(name, ending))
        said = _run("newsboat", *NEWSBOAT, "-c", f"{place}.db", "-x", "reload", folder=tmp_path)
        assert not said
        assert _of_newsboat(tmp_path / f"{place}.db") == known(name)


def _of_newsboat(cache: Path) -> list[Known]:
    with closing(sqlite3.connect(cache)) as opened:
        rows = opened.execute("SELECT title, pubDate, enclosure_url FROM rss_item ORDER BY pubDate DESC").fetchall()
    return [(title, instant(date), audio) for title, date, audio in rows]


def _run(*command: str, folder: Path) -> str:
    """The output of the program; it sees no settings of whoever runs the tests."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", "no_proxy": "*"}
    ran = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, timeout=PATIENCE)
    assert ran.returncode == 0, f"{ran.stdout}{ran.stderr}"
    return ran.stdout + ran.stderr
