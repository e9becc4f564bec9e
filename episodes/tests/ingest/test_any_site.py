"""A page of a site that nobody wrote a reader for adds to the catalog, whatever the order in which documents come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from episodes.models import Episode, Podcast, Source

from ..read.pages import see
from .conftest import DOCUMENTS, FIXTURES, Ran, export, run

LISTINGS = Path(__file__).parents[1] / "data" / "listings"
NAMES = ("castnest-de", "topic-mixed-en", "ep-prefix", "detail-sidebar")


def page(name: str) -> tuple[Path, dict[str, Any]]:
    folder = LISTINGS / name
    return next(folder.glob("page.*")), json.loads((folder / "expected.json").read_text("utf-8"))


def take(name: str, **options: object) -> Ran:
    path, expected = page(name)
    return run(path, "--url", expected["url"], **options)


def own_values() -> set[tuple[str, ...]]:
    """Fields that only the show's own sources may give an episode."""
    return set(Episode.objects.values_list("slug", "url", "audio_url", "audio_type", "guid"))


def told() -> dict[str, Any]:
    return json.loads(export())  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_attached_to_the_episodes_it_lists_and_makes_none(catalog: None, name: str) -> None:
    _, expected = page(name)
    before = own_values()
    ran = take(name)
    assert ran.code == 0, ran.err
    made = Source.objects.get(reader="listing")
    assert (made.rank, made.own, made.title) == (100, False, made.slug)
    host = made.slug
    assert ran.out.startswith(f"{host}: ")
    attached = {e["number"]: s["url"] for e in told()["episodes"] for s in e["sources"] if s["source"] == host}
    assert set(attached) == {wanted["number"] for wanted in expected["attached"]}
    assert own_values() == before
    held = {h["title"]: h["candidates"] for h in told()["held"] if h["source"] == host}
    assert set(held) == set(expected["held"])
    assert not any(held.values())


def test_a_directorys_page_is_where_an_episode_is_listed_never_its_own_page(catalog: None, client: Client) -> None:
    assert take("topic-mixed-en").code == 0
    found = see(client, "/episodes/strides/")
    assert '<a href="https://topicwave.example/e/strides-4062" rel="nofollow' in found.html
    assert "topicwave.example" in [a.text() for a in found.tree.css(".listen a")]
    assert "Listen on topicwave.example" not in found.text


def test_a_page_that_comes_before_anything_is_known_waits_and_says_so(ready: None) -> None:
    ran = take("castnest-de")
    assert ran.code == 0
    assert "no known episode of PyTorch Developer Podcast found on the page" in ran.err
    run(DOCUMENTS[0])
    assert sum(s["source"].startswith("castnest") for e in told()["episodes"] for s in e["sources"]) == 24


def test_a_saved_file_that_only_names_the_show_is_refused_and_makes_no_source(catalog: None, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# How to host the PyTorch Developer Podcast\n", "utf-8")
    before = export()
    refused = run(tmp_path / "README.md")
    assert (refused.code, refused.out) == (1, "")
    assert "no known episode of PyTorch Developer Podcast found on the page README.md" in refused.err
    assert (export(), Source.objects.filter(reader="listing").count()) == (before, 0)
    named = run(tmp_path / "README.md", "--podcast", "pytorch-developer-podcast")
    assert named.code == 0
    assert "no known episode" in named.err


def test_a_dry_run_of_such_a_page_says_the_same_and_leaves_nothing(catalog: None) -> None:
    before = export()
    dry = take("castnest-de", dry_run=True)
    assert (export(), Source.objects.filter(reader="listing").count()) == (before, 0)
    assert dry.as_real == take("castnest-de")
    again = take("castnest-de")
    assert again.out.endswith("24 unchanged since last time\n")


def test_a_page_that_names_no_show_is_refused_with_the_way_out(catalog: None, tmp_path: Path) -> None:
    path = tmp_path / "page.txt"
    path.write_text("Nice talks\n\nvmap\nJune 21, 2021\n\nBatching\nAugust 18, 2021\n")
    before = export()
    ran = run(path, "--url", "https://nice.example/talks")
    assert ran.code == 1
    assert "give its show with --podcast" in ran.err
    assert export() == before
    assert not Source.objects.filter(slug="nice.example").exists()
    ran = run(path, "--url", "https://nice.example/talks", "--podcast", "pytorch-developer-podcast")
    assert ran.out.startswith("nice.example: 2 items: 0 new, 2 matched")


FEED = """<rss version="2.0"><channel><title>Looms Weekly</title><link>https://looms.example</link>
<language>en</language><item><title>Jacquard</title><guid>1</guid><pubDate>Sat, 01 May 2021 10:00:00 GMT</pubDate>
<description>Cards and shuttles.</description></item></channel></rss>"""


def test_one_of_two_shows_can_be_told_for_a_page_that_names_both(catalog: None, tmp_path: Path) -> None:
    looms, both = tmp_path / "looms.xml", tmp_path / "both.txt"
    looms.write_text(FEED)
    run(looms)
    both.write_text("Looms Weekly and PyTorch Developer Podcast\n\nJacquard\nMay 1, 2021\n")
    ran = run(both, "--url", "https://both.example/")
    assert (ran.code, "give its show with --podcast" in ran.err) == (1, True)
    assert run(both, "--url", "https://both.example/", "--podcast", "looms-weekly").code == 0


def test_a_page_of_which_nothing_is_known_to_be_the_shows_names_the_way_on(db: None, tmp_path: Path) -> None:
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


def test_a_page_in_a_layout_that_two_shows_have_is_of_the_show_it_names(ready: None, tmp_path: Path) -> None:
    """Its bytes are those of no shipped document."""
    other = Podcast.objects.create(slug="bees", title="Bee Talk", language="en")
    Source.objects.create(podcast=other, slug="list", reader="numbered-list", rank=5, may_create=True)
    (tmp_path / "list.txt").write_bytes((FIXTURES / "pages" / "numbered-top-10.txt").read_bytes() + b"\n \n")
    ran = run(tmp_path / "list.txt")
    assert ran.out.startswith("pytorch-developer-podcast · numbered-list: 10 items"), ran.err


def test_every_entry_of_a_page_is_told_with_what_became_of_it_and_why(catalog: None, tmp_path: Path) -> None:
    looms, page = tmp_path / "looms.xml", tmp_path / "page.html"
    looms.write_text(FEED)
    run(looms)
    rows = [("Jacquard", "May 1, 2021", "Looms Weekly"), ("Jacquard", "May 1, 2021", "Bee Talk"),
            ("Warping", "May 8, 2021", "Looms Weekly"), ("Jacquard", "May 1, 2021", "Looms Weekly")]  # fmt: skip
    cards = (f"<article><h3>{title}</h3><p>{day}<p class=show>{show}</article>" for title, day, show in rows)
    page.write_text(f"<html><title>Cloth radio</title>{''.join(cards)}")
    told = run(page, "--url", "https://cloth.example/", "--podcast", "looms-weekly", "--explain").out.splitlines()
    assert told[0].startswith("looms-weekly · cloth.example: 4 items: 0 new, 1 matched, 1 held, 2 ignored")
    assert [line.split(": ")[:2] for line in told[1:]] == [
        ["  Jacquard", "attached"], ["  Warping", "held"], ["  Jacquard", "ignored"], ["  Jacquard", "ignored"],
    ]  # fmt: skip
    assert "equal title" in told[1]
    assert "another show" in told[3]
    assert "fits its episode better" in told[4]
    again = run(page, "--url", "https://cloth.example/", "--explain", dry_run=True).out.splitlines()
    assert again[1:] == told[1:]
