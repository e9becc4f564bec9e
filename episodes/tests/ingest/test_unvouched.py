"""A file's name is no identity, and a page that only names a show says where an episode is listed, and nothing else."""

import itertools
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction

from episodes.models import (
    Attachment,
    CodeMention,
    Credit,
    Document,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    Podcast,
    Reference,
    Source,
)
from episodes.tests.loopback import Loopback

from ..examples import LONG
from .conftest import FIXTURES, PAGES, export, run

pytestmark = pytest.mark.django_db
Write = Callable[[str, bytes | str], Path]

SHOW, SLUG = "PyTorch Developer Podcast", "pytorch-developer-podcast"
EVIL = "https://evil.example"
RSS = {"Content-Type": "application/rss+xml"}
ITEMS = ET.parse(FIXTURES / "feed.xml").getroot().findall("channel/item")


def told() -> dict[str, Any]:
    return json.loads(export())  # type: ignore[no-any-return]


def small_feed(title: str, *names: str) -> bytes:
    items = (
        f"<item><title>{name}</title><pubDate>01 Feb 2024 10:00:00 GMT</pubDate>"
        f"<description>All that there is to know about {name}.</description></item>"
        for name in names
    )
    return f'<rss version="2.0"><channel><title>{title}</title>{"".join(items)}</channel></rss>'.encode()


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def test_saved_feed_is_known_by_its_bytes(db: None, file: Write, settings: Any) -> None:
    first, second = small_feed("Bee Talk", "Wax"), small_feed("Bee Talk", "Wax", "Honey")
    with Loopback({"/feed": (200, RSS, first)}) as web:
        settings.FETCH_ALLOW = web.allow
        assert run(web.address("/feed")).code == 0
        web.routes["/feed"] = (200, RSS, second)
        assert run("feed").code == 0
    before = export()
    ran = run(file("any-name.xml", second))
    assert ran.out == "feed: 2 items: 0 new, 2 matched, 0 held, 0 ignored; 2 unchanged since last time\n"
    assert export() == before
    # An older copy is stored beside the newest one, and takes nothing back.
    assert run(file("any-name.xml", first)).out.startswith("feed: 1 items: 0 new, 1 matched")
    assert {episode["title"] for episode in told()["episodes"]} == {"Wax", "Honey"}
    assert Podcast.objects.count() == 1


def test_next_version_of_file_needs_its_show(db: None, file: Write) -> None:
    body, next_one = small_feed("Looms", "Jacquard"), small_feed("Looms", "Dobby", "Jacquard")
    assert run(file("looms.xml", body)).out.startswith("feed: 1 items: 1 new")
    assert run(file("looms.xml", body)).out.endswith("1 unchanged since last time\n")
    ran = run(file("looms.xml", next_one))
    assert (ran.code, "--podcast looms --source feed" in ran.err, Episode.objects.count()) == (2, True, 1)
    assert run(file("looms.xml", next_one), podcast="looms").code == 2
    assert run(file("looms.xml", next_one), podcast="looms", source="feed").out.startswith(
        "feed: 2 items: 1 new, 1 matched"
    )
    assert Document.objects.get().address == "file:looms.xml"


def lies(n: int, item: ET.Element) -> dict[str, Any]:
    """A stranger's entry of an episode: the beginning of its notes, and then what is to be sold."""
    known = " ".join(re.sub(r"<[^>]+>", " ", item.findtext("description") or "").split())
    date = item.findtext("pubDate")
    return {
        "name": item.findtext("title") or "New CI",
        "description": f"{known[:250]} And buy gold from our guest Eve Gold at {EVIL}/shop/{n}, today and every day.",
        "datePublished": parsedate_to_datetime(f"{date} 00:00:00 +0000").date().isoformat() if date else "2020-01-01",
        "duration": item.findtext("{http://www.itunes.com/dtds/podcast-1.0.dtd}duration") or "PT99M",
    }


def json_ld(told: list[dict[str, Any]], **more: Any) -> str:
    series = {"@type": "PodcastSeries", "name": SHOW}
    own = [{"@type": "PodcastEpisode", "partOfSeries": series, "author": "Eve Gold", **one} for one in told]
    data = {"@context": "https://schema.org", **series, "episode": own, **more}
    return f'<title>{SHOW}</title><h1>{SHOW}</h1><script type="application/ld+json">{json.dumps(data)}</script>'


def of_rows(told: list[dict[str, Any]]) -> str:
    rows = "".join(
        f'<article><h2><a href="{EVIL}/{n}">{_escaped(one["name"])}</a></h2><time>{one["datePublished"]}</time> <span>99 min</span>'
        f"<p>{_escaped(one['description'])}</p></article>"
        for n, one in enumerate(told)
    )
    return f"<title>{SHOW}</title><h1>{SHOW}</h1>{rows}"


TOLD = [lies(n, item) for n, item in enumerate(ITEMS)]
LYING = {"JSON-LD": json_ld(TOLD), "rows": of_rows(TOLD)}
SHOWN = (Episode, EpisodeLink, EpisodeTopic, CodeMention, Credit, Reference)


def shown() -> list[Any]:
    """All that readers see of the episodes, but where they are listed."""
    return [list(model.objects.order_by("pk").values()) for model in SHOWN]


@pytest.mark.parametrize("name, is_saved", [("JSON-LD", False), ("rows", True)])
def test_unconfirmed_page_only_adds_listings(catalog: None, file: Write, name: str, is_saved: bool) -> None:
    before, data = shown(), told()
    path = file("list.html", f"<html>{LYING[name]}</html>")
    ran = run(path) if is_saved else run(path, url=f"{EVIL}/list")
    host = "saved-pages" if is_saved else "evil.example"
    assert (ran.code, ran.out.startswith(f"{host}: ")) == (0, True), ran.err
    assert shown() == before
    after = told()
    listed = [s for e in after["episodes"] for s in e["sources"] if s["source"] == host]
    assert len(listed) > 30
    for episode in after["episodes"]:
        episode["sources"] = [source for source in episode["sources"] if source["source"] != host]
    assert after["episodes"] == data["episodes"]
    assert [one for one in after["held"] if one["source"] != host] == data["held"]


def test_page_confirmed_later_equals_one_confirmed_at_once(catalog: None, file: Write) -> None:
    before, path = shown(), file("list.html", f"<html>{LYING['rows']}</html>")
    podcast = Podcast.objects.get(slug=SLUG)
    Source.objects.create(podcast=podcast, slug="saved-pages", title="saved-pages", reader="listing")
    with transaction.atomic():
        assert run(path, source="saved-pages").code == 0
        at_once = export()
        transaction.set_rollback(True)
    assert run(path, podcast=SLUG).code == 0
    assert shown() == before
    assert run(path, source="saved-pages").code == 0
    assert (export(), shown() != before) == (at_once, True)
    assert Document.objects.get(source__slug="saved-pages").address == "file:list.html"
    assert run(path).out.endswith(" unchanged since last time\n"), "its bytes are known now"
    assert export() == at_once


PLAYER = (FIXTURES / "pages" / "player-fm-pytorch.txt").read_text("utf-8")


def spoilt(text: str, kept: int) -> str:
    """The list with other texts in all entries but some."""
    lines = text.split("\n")
    ends = [place for place, line in enumerate(lines) if "continue reading" in line]
    for n, place in enumerate(ends[kept:]):
        lines[place - 1] = f"Gold number {n} is what we sell, and it is better than any gold with another number."
    return "\n".join(lines)


def test_unknown_entries_of_copied_layout_wait(catalog: None, file: Write) -> None:
    before, data = shown(), told()
    ran = run(file("player-fm-pytorch.txt", spoilt(PLAYER, 1)))
    assert ran.code == 0
    new, matched, held = map(int, re.findall(r"(\d+) (?:new|matched|held)", ran.out))
    assert (new, matched, held > 40) == (0, 1, True)
    assert shown() == before
    after = told()
    assert all(one["source"] == "player-fm" and not one["candidates"] for one in after["held"])
    listed = [sum(s["source"] == "player-fm" for s in e["sources"]) for e in after["episodes"]]
    assert (sum(listed), max(listed)) == (sum(len(e["sources"]) for e in data["episodes"]) - 82 - 30 - 10 + 1, 2)


def test_source_lets_a_copied_layout_create_episodes(catalog: None, file: Write) -> None:
    ran = run(file("list.txt", spoilt(PLAYER, 1)), source="player-fm")
    assert re.search(r"4\d new, 1 matched, 0 held", ran.out)


UNCONFIRMED = {
    "the show": {"podcast": SLUG},
    "the show and a page of the directory": {"podcast": SLUG, "url": "https://player.fm/series/x"},
    "a host below it, with a port": {"url": "http://evil.player.fm:80/x"},
}


@pytest.mark.parametrize("options", UNCONFIRMED.values(), ids=UNCONFIRMED)
def test_host_and_podcast_confirm_nothing(catalog: None, file: Write, options: dict[str, str]) -> None:
    before = shown()
    ran = run(file("list.txt", spoilt(PLAYER, 1)), **options)
    assert re.search(r" 0 new, 1 matched, 4\d held", ran.out)
    assert shown() == before


def test_invented_entries_confirm_no_episode(catalog: None, file: Write) -> None:
    numbered = f"{SHOW}\n" + "\n".join(f"{n}) Gold number {n}\nBuy gold, it is number {n} of all." for n in range(1, 6))
    assert " 0 new, 0 matched, 5 held" in run(file("list.txt", numbered)).out
    rows = "".join(f"<li>Gold number {n}, January {n}, 2024</li>" for n in range(1, 6))
    page = file("list.html", f"<html><title>{SHOW}</title><h1>{SHOW}</h1><ul>{rows}</ul></html>")
    ran = run(page, url="https://nice.example/list", podcast=SLUG)
    assert ran.out.startswith("nice.example: 0 items")


SOURCE_OF = {"numbered": "numbered-list", "player": "player-fm", "pod": "pod-casts-io"}


def test_listings_alone_make_a_catalog_in_any_order(ready: None, file: Write) -> None:
    # With other bytes than the shipped files only `--source` confirms them.
    paths = [file(path.name, path.read_text("utf-8") + "\n \n") for path in PAGES if "ezyang" not in path.name]
    feed = FIXTURES / "feed.xml"
    alone, with_feed = set(), set()
    orders = list(itertools.permutations(paths))
    for order in orders if LONG else (orders[0], orders[-1]):
        with transaction.atomic():
            for path in order:
                assert run(path, source=SOURCE_OF[path.name.partition("-")[0].partition(".")[0]]).code == 0
            alone.add(export())
            assert run(feed).code == 0
            with_feed.add(export())
            transaction.set_rollback(True)
    for path in paths:
        assert run(path).code == 0
    assert not told()["episodes"], "unconfirmed pages create no episode"
    assert run(feed).code == 0
    unconfirmed = told()["episodes"]
    assert (len(alone), len(with_feed)) == (1, 1)
    first = json.loads(alone.pop())["episodes"]
    assert len(first) > 50
    assert sum(bool(episode["published"]) for episode in first) >= 30
    assert len(unconfirmed) == 82
    values = {value for episode in unconfirmed for value in episode["provenance"].values()}
    assert values == {"snapshot", None}, "the lists say where episodes are listed"
    assert Attachment.objects.filter(item__document__vouched=False).count() == 86


UPGRADED = {  # address of the document, configured address, reader: confirmed by its host alone
    "another page of the host": ("https://player.fm/series/other", "https://player.fm/series/one", "player-fm", True),
    "the configured address": ("http://player.fm/series/one/", "https://player.fm/series/one", "player-fm", False),
    "a saved file": ("file:list.txt", "", "player-fm", False),
    "a page of any site": ("https://nice.example/list", "", "listing", False),
    "a feed": ("https://old.example/feed", "https://new.example/feed", "feed", False),
}


@pytest.mark.parametrize("address, configured, reader, by_host", UPGRADED.values(), ids=UPGRADED)
def test_upgrade_notes_documents_confirmed_by_host(
    db: None, address: str, configured: str, reader: str, by_host: bool
) -> None:
    podcast = Podcast.objects.create(slug="looms", title="Looms")
    source = Source.objects.create(podcast=podcast, slug="list", reader=reader, address=configured)
    document = Document.objects.create(source=source, address=address, vouched=True)
    import_module("episodes.migrations.0390_confirmed_documents").copy_confirmations(apps, None)
    document.refresh_from_db()
    assert (document.vouched, document.show_confirmed, document.confirmed_by_host) == (True, True, by_host)


def test_saved_page_belongs_to_stated_site(catalog: None, file: Write) -> None:
    claim = '<link rel="canonical" href="https://player.fm/x"><meta property="og:url" content="https://player.fm/x">'
    path = file("page.html", f"<html>{claim}{LYING['rows']}</html>")
    assert run(path).code == 0
    found = {(s["source"], s["url"] or "") for e in told()["episodes"] for s in e["sources"]}
    assert not [1 for source, url in found if "player" in source and "evil" in url]
    assert {source for source, url in found if "evil" in url} == {"saved-pages"}
    ran = run(path, url="https://nice.example/list")
    assert ran.out.startswith("nice.example: ")
