"""A page of any site says where episodes are listed, whatever the order in which documents come."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.test import Client

from episodes.models import Capture, Decision, Document, Episode, Item, Podcast, Revision, Source

from ..read.pages import see
from .conftest import DOCUMENTS, FIXTURES, Ran, export, run

NOW = datetime(2026, 3, 4, tzinfo=UTC)

ADDRESS = "https://tensorcast.example/shows/91"
PAGE = """<html><title>PyTorch Developer Podcast</title><h1>PyTorch Developer Podcast</h1><ul>
<li><a href="/e/4062">Strides</a> <i>30 May 2022</i></li>
<li><a href="/e/4063">Multiple dispatch in __torch_function__</a></li>
<li><a href="/e/4064">An interview that never was</a> <i>9 May 2022</i></li></ul></html>"""
LISTED = {
    "Strides": "https://tensorcast.example/e/4062",
    "Multiple dispatch in __torch_function__": "https://tensorcast.example/e/4063",
}


def take(folder: Path, *words: object, **options: object) -> Ran:
    path = folder / "page.html"
    path.write_text(PAGE)
    return run(path, "--url", ADDRESS, *words, **options)


def listed() -> dict[str, str]:
    """The titles of the episodes that the page lists, each with the address that it gives."""
    found = {}
    for episode in told()["episodes"]:
        for source in episode["sources"]:
            if source["source"] == "tensorcast.example":
                found[episode["title"]] = source["url"]
    return found


def own_values() -> set[tuple[str, ...]]:
    """Fields that only the show's own sources may give an episode."""
    return set(Episode.objects.values_list("slug", "url", "audio_url", "audio_type", "guid"))


def told() -> dict[str, Any]:
    return json.loads(export())  # type: ignore[no-any-return]


def test_saved_copy_of_page_changes_no_listing(catalog: None, tmp_path: Path) -> None:
    """Its links are relative, and only the first import says where it was."""
    assert take(tmp_path).code == 0
    assert listed() == LISTED
    before = export()
    assert run(tmp_path / "page.html").code == 0
    assert export() == before
    assert run(tmp_path / "page.html", source="tensorcast.example").code == 0
    assert listed() == LISTED
    confirmed = export()
    assert take(tmp_path).code == 0
    assert export() == confirmed
    assert [document.address for document in Document.objects.filter(source__slug="tensorcast.example")] == [ADDRESS]


def test_page_lists_known_episodes(catalog: None, client: Client, tmp_path: Path) -> None:
    before = own_values()
    ran = take(tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("tensorcast.example: 3 items: 0 new, 2 matched, 0 held, 1 ignored")
    made = Source.objects.get(reader="listing")
    assert (made.rank, made.own, made.title) == (100, False, made.slug)
    assert listed() == LISTED
    assert own_values() == before
    found = see(client, "/episodes/strides/")
    assert '<a href="https://tensorcast.example/e/4062" rel="nofollow' in " ".join(found.html.split())
    assert "tensorcast.example" in [a.text() for a in found.tree.css(".listen a")]
    assert "Listen on tensorcast.example" not in found.text


def test_page_waits_for_its_show(ready: None, tmp_path: Path) -> None:
    ran = take(tmp_path)
    assert ran.code == 0
    assert "no known episode of PyTorch Developer Podcast found on the page" in ran.err
    run(DOCUMENTS[0])
    assert listed() == LISTED


def store_as_older_release(title: str) -> Item:
    """Store the page's entries as if an older release had parsed them: one of them has another title."""
    item = Item.objects.get(document__address=ADDRESS, key__contains="4063")
    entry = item.revisions.get()
    entry.payload["title"] = title
    entry.save()
    stored = {"known": "before the upgrade", "entries": [entry.payload], "said": {}}
    Capture.objects.filter(document=item.document).update(reading=zlib.compress(json.dumps(stored).encode()))
    return item


def test_migrate_parses_stored_pages(catalog: None, tmp_path: Path) -> None:
    take(tmp_path)
    store_as_older_release("Nobody knows this")
    call_command("migrate", verbosity=0)
    assert listed() == LISTED
    before = export()
    call_command("rebuild", verbosity=0)
    assert export() == before


def test_upgrade_keeps_decided_entries(catalog: None, tmp_path: Path) -> None:
    take(tmp_path)
    item = store_as_older_release("Nobody knows this")
    Item.objects.filter(pk=item.pk).update(key="title:nobody knows this")
    gone = Item.objects.create(document=item.document, key="title:once", position=9, first_version=1)
    Revision.objects.create(item=gone, version=1, payload={"title": "Once"}, recorded_at=NOW)
    Decision.objects.create(
        podcast=item.document.source.podcast, kind="match", source="tensorcast.example", item_key="title:once",
        value="new", made_at=NOW,
    )  # fmt: skip
    call_command("rebuild", verbosity=0)
    keys = set(Item.objects.filter(document__address=ADDRESS).values_list("key", flat=True))
    assert "title:once" in keys
    assert "Once" in {episode["title"] for episode in told()["episodes"]}


def test_file_that_names_show_makes_no_source(catalog: None, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# How to host the PyTorch Developer Podcast\n", "utf-8")
    before = export()
    refused = run(tmp_path / "README.md")
    assert (refused.code, refused.out) == (1, "")
    assert "no known episode of PyTorch Developer Podcast found on the page README.md" in refused.err
    assert (export(), Source.objects.filter(reader="listing").count()) == (before, 0)
    named = run(tmp_path / "README.md", "--podcast", "pytorch-developer-podcast")
    assert named.code == 0
    assert "no known episode" in named.err


def test_page_without_show_is_refused(catalog: None, tmp_path: Path) -> None:
    path = tmp_path / "page.txt"
    path.write_text("Nice talks\n\nvmap\nJune 21, 2021\n\nBatching\nAugust 18, 2021\n")
    before = export()
    ran = run(path, "--url", "https://nice.example/talks")
    assert ran.code == 1
    assert "give its show with --podcast" in ran.err
    assert export() == before
    assert not Source.objects.filter(slug="nice.example").exists()
    ran = run(path, "--url", "https://nice.example/talks", "--podcast", "pytorch-developer-podcast")
    assert ran.out.startswith("nice.example: 3 items: 0 new, 2 matched, 0 held, 1 ignored")


FEED = """<rss version="2.0"><channel><title>Looms Weekly</title><link>https://looms.example</link>
<language>en</language><item><title>Jacquard</title><guid>1</guid><pubDate>Sat, 01 May 2021 10:00:00 GMT</pubDate>
<description>Cards and shuttles.</description></item></channel></rss>"""


def test_ambiguous_page_needs_its_show(catalog: None, tmp_path: Path) -> None:
    looms, both = tmp_path / "looms.xml", tmp_path / "both.txt"
    looms.write_text(FEED)
    run(looms)
    both.write_text("Looms Weekly and PyTorch Developer Podcast\n\nJacquard\nMay 1, 2021\n")
    ran = run(both, "--url", "https://both.example/")
    assert (ran.code, "give its show with --podcast" in ran.err) == (1, True)
    assert run(both, "--url", "https://both.example/", "--podcast", "looms-weekly").code == 0


def test_unrecognised_page_names_the_remedy(db: None, tmp_path: Path) -> None:
    looms, page = tmp_path / "looms.xml", tmp_path / "page.html"
    items = (
        f"<item><title>The {name} and its thread</title><guid>{day}</guid>"
        f"<pubDate>{day:02} May 2021 10:00:00 GMT</pubDate><description>All about it.</description></item>"
        for day, name in enumerate(("loom", "heddle", "shuttle", "reed", "beam", "treadle"), 1)
    )
    looms.write_text(f'<rss version="2.0"><channel><title>Loom Talk</title>{"".join(items)}</channel></rss>')
    run(looms)
    rows = (f"<li><h3>The {name} and its thread</h3><p>{day} May 2021" for day, name in ((1, "loom"), (2, "heddle")))
    page.write_text(f"<html><title>Loom Talk episodes</title><h1>Loom Talk episodes</h1><ul>{''.join(rows)}</ul>")
    ran = run(page, "--url", "https://cloth.example/")
    assert "2 items: 0 new, 0 matched, 0 held, 2 ignored" in ran.out
    assert "import the page with --podcast loom-talk" in ran.err
    assert not run(page, "--url", "https://cloth.example/", "--podcast", "loom-talk").err


def test_shared_layout_belongs_to_named_show(ready: None, tmp_path: Path) -> None:
    other = Podcast.objects.create(slug="bees", title="Bee Talk", language="en")
    Source.objects.create(podcast=other, slug="list", reader="numbered-list", rank=5, may_create=True)
    (tmp_path / "list.txt").write_bytes((FIXTURES / "pages" / "numbered-top-10.txt").read_bytes() + b"\n \n")
    ran = run(tmp_path / "list.txt")
    assert ran.out.startswith("pytorch-developer-podcast · numbered-list: 10 items"), ran.err


def test_explain_gives_each_entrys_outcome(catalog: None, tmp_path: Path) -> None:
    looms, page = tmp_path / "looms.xml", tmp_path / "page.html"
    looms.write_text(FEED)
    run(looms)
    rows = [("Jacquard", "May 1, 2021"), ("Jacquard", "June 9, 2019"), ("Warping", "May 8, 2021")]
    cards = (f"<article><h3>{title}</h3><p>{day}</article>" for title, day in rows)
    page.write_text(f"<html><title>Cloth radio</title>{''.join(cards)}")
    told = run(page, "--url", "https://cloth.example/", "--podcast", "looms-weekly", "--explain").out.splitlines()
    assert told[0].startswith("looms-weekly · cloth.example: 3 items: 0 new, 1 matched, 0 held, 2 ignored")
    assert told[1:] == [
        "  Jacquard: attached: Jacquard; its date agrees",
        "  Jacquard: ignored: its date is 2019-06-09, which is far from the episode's",
        "  Warping: ignored: no known episode has its title",
    ]
    again = run(page, "--url", "https://cloth.example/", "--explain", dry_run=True).out.splitlines()
    assert again[1:] == told[1:]
