"""Fifty shows of fifty habits in one catalog: feeds written by somebody who had not seen the reader, with their key.

`data/shows/key.json` says of each feed what a careful person would expect; `note` names what is odd about it.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from episodes.gather.sources import feed
from episodes.models import Episode, Podcast
from episodes.records import EntryData, FetchedDocument, Show

from ..examples import examples
from .conftest import command, export, run

SHOWS = Path(__file__).parents[1] / "data" / "shows"
KEY: dict[str, Any] = json.loads((SHOWS / "key.json").read_text("utf-8"))
SAME_NAME = "42-same-name-loose-gravel-b.xml"  # its title is that of another show
EMPTY = [name for name, key in KEY.items() if not key["items"]]
MOST = examples(40, 2_000)  # episodes of the longest show


def address(name: str) -> str:
    return f"https://{name.partition('.')[0]}.example/feed.xml"


@pytest.fixture(scope="session")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The feeds by name, and a show with an episode a day for years, whose titles differ in the date alone."""
    path = tmp_path_factory.mktemp("feeds") / "daily.xml"
    days = (datetime(2024, 6, 30, 5, tzinfo=UTC) - timedelta(days=back) for back in range(MOST))
    items = (
        f"<item><title>Tides for {day:%a, %b} {day.day}, {day.year}</title><guid>tide-{day:%Y%m%d}</guid>"
        f"<pubDate>{day:%a, %d %b %Y %H:%M:%S} +0000</pubDate><enclosure url='https://cdn.example/{day:%Y%m%d}.mp3' "
        "type='audio/mpeg' length='1'/></item>"
        for day in days
    )
    path.write_text(f"<rss version='2.0'><channel><title>Tides</title>{''.join(items)}</channel></rss>")
    return {name: SHOWS / name for name in sorted(KEY)} | {"daily.xml": path}


def expected(item: dict[str, Any], field: str) -> list[Any]:
    return [item[field], *item.get("accept", {}).get(field, [])]


def read(name: str) -> tuple[str, tuple[EntryData, ...]]:
    reading = feed.read(FetchedDocument((SHOWS / name).read_bytes(), name=name), Show("", ""))
    return reading.show, reading.entries


def differences(said: EntryData, item: dict[str, Any]) -> list[str]:
    got = {
        "title": said.title or None,
        "season": said.season,
        "number": said.number,
        "type": said.episode_type or "full",
        "enclosure": said.audio_url or None,
        "has_notes": bool(said.html),
    }
    wrong = [f"{name}: {value!r}" for name, value in got.items() if value not in expected(item, name)]
    if item["guid"] and said.guid != item["guid"]:
        wrong.append(f"guid: {said.guid!r}")
    lengths = expected(item, "duration")
    span = range(said.seconds_low or 0, (said.seconds_high or 0) + 1)
    if not any((length or 0) in span for length in lengths):
        wrong.append(f"duration: {said.length_raw!r} as {said.seconds_low}")
    dates = expected(item, "date")
    if (said.published or None) not in dates and not any(date and said.published == date[:10] for date in dates):
        wrong.append(f"date: {said.date_raw!r} as {said.published!r}")
    return wrong


@pytest.mark.parametrize("name", KEY)
def test_a_feed_gives_what_its_key_says(name: str) -> None:
    title, entries = read(name)
    assert title == KEY[name]["title"]
    assert len(entries) == len(KEY[name]["items"])
    wrong = [differences(said, item) for said, item in zip(entries, KEY[name]["items"], strict=True)]
    assert not any(wrong)


def test_fifty_shows_lose_no_item(db: None, documents: dict[str, Path]) -> None:
    some = {name: documents[name] for name in (*list(KEY)[:: examples(6, 1)], "daily.xml")}
    for name, path in some.items():
        if name == SAME_NAME:
            refused = run(path, url=address(name))
            assert (refused.code, "add_show" in refused.err) == (1, True)
            assert command("add_show", path, url=address(name), new=True).code == 0
            continue
        assert run(path, url=address(name)).code == (name in EMPTY), name
    shows = {podcast.feed_url: podcast for podcast in Podcast.objects.all()}
    assert len(shows) == len(some.keys() - EMPTY)
    for name, key in KEY.items():
        if name in some.keys() - EMPTY:
            found = Episode.objects.filter(podcast=shows[address(name)])
            assert found.count() == key["episodes"], f"{name}: {key['note']}"
    assert Episode.objects.filter(podcast=shows[address("daily.xml")]).count() == MOST
    before = export()
    for name, path in some.items():
        if address(name) in shows:
            ran = run(path, url=address(name))
            assert (ran.code, " 0 new" in ran.out) == (0, True), f"{name}: {ran}"
    assert export() == before


SAME = (
    "title", "published", "duration_seconds", "season", "number", "episode_type", "explicit", "audio_url", "details",
)  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("03-buzzsprout-two-spoons.xml", marks=pytest.mark.long),
        "08-castopod-carnet-de-brume.xml",
        pytest.param("27-arabic-dafatir-almina.xml", marks=pytest.mark.long),
    ],
)
def test_own_feed_read_again_gives_same_episodes(db: None, client: Client, tmp_path: Path, name: str) -> None:
    run(SHOWS / name, url=address(name))
    podcast = Podcast.objects.get()
    before, body = _facts(), client.get(f"/episodes.rss?podcast={podcast.slug}").content
    connection.check_constraints()  # PostgreSQL empties no table whose references it has still to look at
    call_command("flush", interactive=False, verbosity=0)
    path = tmp_path / "ours.xml"
    path.write_bytes(body)
    assert run(path, url="https://archive.example/show.rss").code == 0
    for one, other in zip(_facts(), before, strict=True):
        assert one == other
    again = Podcast.objects.get()
    assert (again.title, again.language, again.author) == (podcast.title, podcast.language, podcast.author)
    assert again.channel.categories == podcast.channel.categories


def _facts() -> list[dict[str, Any]]:
    episodes = json.loads(export())["episodes"]
    return [{field: episode[field] for field in SAME} for episode in episodes]
