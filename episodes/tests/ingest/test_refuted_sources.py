"""A page whose dates contradict the feed's dates nothing, in any order, and its source says so."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from ..read.pages import see
from .conftest import export, run
from .known_show import feed, item

pytestmark = pytest.mark.django_db
FEED, PAGE = "https://bees.example/feed.xml", "https://hives.example/"
TITLES = (
    "Wax and combs",
    "Honey harvest",
    "Winter hives",
    "Young queens",
    "Swarm season",
    "Quiet robbing",
    "Old frames",
)
UNDATED = "Quiet robbing"
SENTENCE = "Its dates often contradict better sources, so they are not used."


def documents(folder: Path, days_off: int) -> list[tuple[Path, dict[str, str]]]:
    """The feed of a show with one undated episode, and a page that dates all, so many days late."""
    undated = {UNDATED: {"date": ""}}
    items = [item(title, day, **undated.get(title, {})) for day, title in enumerate(TITLES, 1)]
    rows = "".join(
        f"<article><h3><a href=/{day}>{title}</a></h3><p>{day + days_off} April 2024</p></article>"
        for day, title in enumerate(TITLES, 1)
    )
    feed_file, page_file = folder / "bees.xml", folder / "hives.html"
    feed_file.write_bytes(feed("Bee Talk", *items))
    page_file.write_text(f"<!doctype html><html><body><h1>Bee Talk</h1>{rows}</body></html>")
    listed, confirmed = {"podcast": "bee-talk"}, {"source": "hives.example"}
    return [
        (feed_file, {"url": FEED}),
        (page_file, {"url": PAGE, **listed}),
        (page_file, {"url": PAGE, **confirmed}),
    ]


def dates() -> dict[str, str | None]:
    episodes = json.loads(export())["episodes"]
    return {episode["title"]: (episode["published"] or "")[:10] for episode in episodes}


def test_a_page_whose_dates_are_refuted_fills_no_gap(tmp_path: Path, client: Client) -> None:
    for path, options in documents(tmp_path, days_off=2):
        assert run(path, **options).code == 0
    in_feed = {title: f"2024-04-{day:02}" for day, title in enumerate(TITLES, 1)}
    assert dates() == in_feed | {UNDATED: ""}
    page = see(client, "/sources/")
    assert page.text.count(SENTENCE) == 1
    assert SENTENCE in page.one('[id="hives.example"]').text()
    before = export()
    call_command("rebuild", verbosity=0)
    assert export() == before


def test_a_page_whose_dates_agree_fills_the_gap(tmp_path: Path, client: Client) -> None:
    for path, options in documents(tmp_path, days_off=1):
        assert run(path, **options).code == 0
    assert dates()[UNDATED] == "2024-04-07"
    assert "not used" not in see(client, "/sources/").text
