"""Numbers by which titles count are those of the episodes, to readers, in addresses, searches, and exports."""

import json
from pathlib import Path

import pytest
from django.test import Client

from episodes.models import Episode

from ..read.pages import see
from .conftest import export, run
from .known_show import feed, item

pytestmark = pytest.mark.django_db
FEED = "https://bees.example/feed.xml"
TITLES = ("52: Wax", "53: Honey", "54: Hives", "55: Queens", "56: Swarms", "Letters", "57: Frames")


def bring(folder: Path, *titles: str) -> None:
    path = folder / "bees.xml"
    path.write_bytes(feed("Bee Talk", *(item(title, day) for day, title in enumerate(titles, 1))))
    assert run(path, url=FEED).code == 0


def numbers() -> list[int | None]:
    return [episode["number"] for episode in json.loads(export())["episodes"]][::-1]


def test_number_in_title_is_shown_once(tmp_path: Path, client: Client) -> None:
    bring(tmp_path, *TITLES)
    assert numbers() == [52, 53, 54, 55, 56, None, 57]
    wax = Episode.objects.get(number=52)
    assert (wax.title, wax.slug) == ("52: Wax", "52-wax")
    assert client.get("/52").headers["Location"] == "/episodes/52-wax/"
    assert "52: Wax" in see(client, "/episodes/", q="52").one("article").text()
    assert not see(client, "/episodes/").tree.css("article .number")
    page = see(client, wax.get_absolute_url())
    assert not page.tree.css("header .number")
