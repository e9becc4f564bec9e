"""Episodes of a feed as clients know them (feedparser, and gPodder's podcastparser): ids that no other has, dates in order."""

import io
import json
import re
from calendar import timegm
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import feedparser
import podcastparser
import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes.identity.slugs import guid_hash
from episodes.models import Episode

from ..curation.conftest import export
from ..examples import examples

Item = tuple[int | None, str | None]  # day of May 2021, guid
DAY = "<pubDate>{:02} May 2021 13:00:00 GMT</pubDate>"


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
    found = {}
    for ending in ("rss", "atom"):
        parsed = feedparser.parse(client.get(f"/episodes.{ending}{query}").content)
        assert not parsed.bozo
        dates = "published_parsed" if ending == "rss" else "updated_parsed"
        found[ending] = [(e.link, e.id, datetime.fromtimestamp(timegm(e[dates]), UTC)) for e in parsed.entries]
    heard = podcastparser.parse("", io.BytesIO(client.get(f"/episodes.rss{query}").content))["episodes"]
    apart = {(e["guid"], datetime.fromtimestamp(e["published"], UTC)) for e in heard}
    assert apart == {(known, at) for _, known, at in found["rss"]}
    items = json.loads(client.get(f"/episodes.json{query}").content)["items"]
    found["json"] = [(i["url"], i["id"], datetime.fromisoformat(i["date_published"])) for i in items]
    return {ending: [(link.split("/")[-2], *rest) for link, *rest in rows] for ending, rows in found.items()}


ITEMS = st.tuples(st.none() | st.integers(1, 4), st.sampled_from((None, "a", "A", "a b", "ab", "c")))


@settings(max_examples=examples(10, 50))
@given(items=st.lists(ITEMS, max_size=8))
def test_feed_ids_differ_and_dates_follow_order(db: None, client: Client, tmp_path: Path, items: list[Item]) -> None:
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


def test_only_a_unique_guid_is_passed_on(db: None, client: Client, tmp_path: Path) -> None:
    take(feed([(5, "Same"), (4, "same"), (3, "own"), (2, None)]), tmp_path)
    ids = [known for _, known, _ in feeds(client)["rss"]]
    assert ids[2] == "own"
    assert all(known.startswith("urn:uuid:") for known in (ids[0], ids[1], ids[3]))
    assert feeds(client)["json"][0][1] == ids[0]


def test_guid_of_two_shows_is_not_passed(db: None, client: Client, tmp_path: Path) -> None:
    take(feed([(5, "2"), (3, "1")]), tmp_path)
    assert [known for _, known, _ in feeds(client)["rss"]] == ["2", "1"]
    take(feed([(6, "b"), (4, "c")], "Other Hours", "Hour"), tmp_path, "other")
    Episode.objects.filter(guid="b").update(guid="2", guid_hash=guid_hash("2"))
    ids = [known for _, known, _ in feeds(client, "?podcast=small-talks")["rss"]]
    assert ids[0].startswith("urn:uuid:")
    assert ids[1] == "1"
    assert len({known for _, known, _ in feeds(client)["rss"]}) == 4


def test_own_id_survives_new_title(db: None, client: Client, tmp_path: Path) -> None:
    linked = feed([(5, None), (3, None)]).replace("aaa</title>", "aaa</title><link>https://small.example/a</link>")
    take(linked, tmp_path)
    before = {slug: known for slug, known, _ in feeds(client)["rss"]}
    take(linked.replace("Talk on aaa", "A new name"), tmp_path)
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


def test_several_shows_are_sorted_by_date(two: None, client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    page = client.get("/episodes/").content.decode()
    assert sorted(TURNS, key=lambda slug: page.index(f'href="/episodes/{slug}/"')) == TURNS
    for rows in feeds(client).values():
        assert [slug for slug, *_ in rows] == TURNS
    assert [row.split(",")[1] for row in client.get("/episodes.csv").content.decode().split("\r\n")[1:-1]] == TURNS
    assert [e["slug"] for e in json.loads(export())["episodes"]] == TURNS
    for form in ("csv", "rss"):
        call_command("export", format=form)
        out = capsys.readouterr().out
        names = [slug.replace("-", " ").capitalize() for slug in TURNS]
        assert sorted(names, key=out.index) == names
    assert "<channel><title>Podcast catalog</title>" in re.sub(r">\s+<", "><", out)
    assert [slug for slug, *_ in feeds(client, "?sort=oldest")["rss"]] == TURNS[::-1]
    assert [slug for slug, *_ in feeds(client, "?q=ccc")["rss"]] == ["big-on-ccc", "art-on-ccc"]


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_an_index_has_the_order_of_the_list(two: None, order: str) -> None:
    plan = Episode.objects.order_by().sorted_by(order)[:25].only("slug").explain()
    if "SCAN" in plan:  # PostgreSQL sorts eight rows faster
        assert "USING INDEX episode_newest" in plan
        assert "TEMP B-TREE" not in plan
