"""Podcast apps and feed readers subscribe to what is served, and know titles, dates and audio files as the catalog does."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
from calendar import timegm
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import struct_time
from typing import Any

import feedparser
import podcastparser
import pytest
from django.test import Client

from episodes.models import Episode, EpisodeQuerySet, Topic

from ..loopback import Loopback
from ..patience import PATIENCE
from .test_feeds import DAY, take

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
PODGET = """
# Podget configuration file created by version {version}
CONFIG_SERVERLIST=serverlist
DIR_SESSION={folder}/session
DIR_LIBRARY={folder}/library
LOG_FAIL=errors
LOG_COMPLETE=done
WGET_BASEOPTS="-nH --tries=1"
MOST_RECENT=0
CLEANUP=0
"""

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


@pytest.fixture(scope="module")
def podget(plain: Loopback, tmp_path_factory: pytest.TempPathFactory) -> None:
    with _left_out_without("podget"):
        config = _podget(tmp_path_factory.mktemp("podget"), f"{plain.address('/feed')} List Plain\n")
        _run("podget", "-d", "config", folder=config.parent)
        assert _lines(config.parent / "library" / ".LOG" / "done") == {plain.address("/one.mp3")}


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


def known(name: str, *, heard: bool = False) -> list[Known]:
    """The episodes of a list in the catalog, newest first."""
    found: EpisodeQuerySet = Episode.objects.newest_first()
    if name.startswith("/topics/"):
        found = found.about_all(Topic.objects.filter(slug="cloth").values_list("pk", flat=True))
    if "?" in name:
        found = found.filter(podcast__slug="small-talks")
    return [(e.heading, e.sorted_at, e.audio_url) for e in found if e.audio_url or not heard]


def subscriptions(site: Site) -> set[str]:
    """The feeds that /shows.opml lists: each show's own and its list here, and the topics."""
    shows = {site.address(f"/episodes?podcast={slug}") for slug in ("small-talks", "big-daily")}
    return {"https://small.example/feed.xml", "https://big.example/feed.xml", site.address(LISTS[1]), *shows}


def instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def test_the_lists_of_this_test_hold_what_clients_stumble_over(site: Site) -> None:
    assert [len(known(name)) for name in LISTS] == [6, 4, 4]
    assert Episode.objects.filter(published_at=None).count() == 2
    dates = [date for _, date, _ in known(LISTS[0])]
    assert dates == sorted(set(dates), reverse=True)


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


def test_a_json_feed_says_the_same(site: Site) -> None:
    for name in LISTS:
        items = json.loads(site.read(site.address(name, "json")))["items"]
        assert [_of_json(item) for item in items] == known(name), name


def _of_json(item: dict[str, Any]) -> Known:
    audio = item["attachments"][0]["url"] if "attachments" in item else ""
    return item["title"], datetime.fromisoformat(item["date_published"]), audio


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


@pytest.mark.usefixtures("newsboat")
def test_newsboat_imports_the_subscriptions_and_what_changed(site: Site, tmp_path: Path) -> None:
    (tmp_path / "urls").touch()
    (tmp_path / "shows.opml").write_bytes(site.read(site.server.address("/shows.opml")))
    _run("newsboat", *NEWSBOAT, "-c", "cache.db", "-i", "shows.opml", folder=tmp_path)
    assert {line.split()[0] for line in (tmp_path / "urls").read_text().splitlines()} == subscriptions(site)
    (tmp_path / "urls").write_text(site.server.address("/changes.rss"))
    _run("newsboat", *NEWSBOAT, "-c", "cache.db", "-x", "reload", folder=tmp_path)
    assert [title for title, _, _ in _of_newsboat(tmp_path / "cache.db")] == [CHANGED[0]]


@pytest.mark.usefixtures("podget")
def test_podget_downloads_the_audio_files(site: Site, tmp_path: Path) -> None:
    for place, (name, ending) in enumerate(FEEDS):
        config = _podget(tmp_path / str(place), f"{site.address(name, ending)} List Cloth\n")
        _run("podget", "-d", "config", folder=config.parent)
        library = config.parent / "library"
        assert _lines(library / ".LOG" / "done") == {audio for _, _, audio in known(name, heard=True)}
        assert not _lines(library / ".LOG" / "errors")
        assert {file.read_bytes() for file in (library / "List" / "Cloth").iterdir()} == {SOUND}


@pytest.mark.usefixtures("podget")
def test_podget_imports_the_subscriptions(site: Site, tmp_path: Path) -> None:
    config = _podget(tmp_path, "")
    _run("podget", "-d", "config", "--import_opml", site.server.address("/shows.opml"), folder=tmp_path)
    assert {line.split()[0] for line in _lines(config / "serverlist")} == subscriptions(site)


def _podget(folder: Path, servers: str) -> Path:
    """A configuration that downloads everything; without one it would ask a feed of its own first."""
    config = folder / "config"
    config.mkdir(parents=True)
    version = re.search(r"Version: ([\d.]+)", _run("podget", "-V", folder=folder))
    assert version
    (config / "podgetrc").write_text(PODGET.format(version=version[1], folder=folder))
    (config / "serverlist").write_text(servers)
    return config


def _lines(path: Path) -> set[str]:
    return {line for line in path.read_text().splitlines() if line and not line.startswith("#")}


def _run(*command: str, folder: Path) -> str:
    """The output of the program; it sees no settings of whoever runs the tests."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", "no_proxy": "*"}
    ran = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, timeout=PATIENCE)
    assert ran.returncode == 0, f"{ran.stdout}{ran.stderr}"
    return ran.stdout + ran.stderr
