"""A date that is ahead of the reading that brought it is shown, and leads nothing before a reading near it."""

import sys
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from episodes.curation import add_episode_and_return_entry, override_fields
from episodes.ingest import ImportOptions, ImportTarget, iterate_import_reports
from episodes.models import Episode, Podcast

from ..read.pages import see
from .known_show import feed, item

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
FEED = "https://bees.example/feed.xml"


def dated(title: str, at: datetime, day: int, number: int | None = None) -> str:
    given = {"date": f"<pubDate>{format_datetime(at)}</pubDate>"}
    return item(title, day, **given, number=f"<itunes:episode>{number}</itunes:episode>" if number else "")


WAX, HONEY = dated("Wax and combs", NOW - 20 * DAY, 1), dated("Honey harvest", NOW - 10 * DAY, 2)


def read(folder: Path, at: datetime, *items: str, address: str = FEED, title: str = "Bee Talk") -> str:
    path = folder / "feed.xml"
    path.write_bytes(feed(title, *items))
    (report,) = iterate_import_reports([ImportTarget(path.name, path=path)], ImportOptions(url=address), lambda: at)
    assert not report.exit_code, report.summary
    return report.outcome


def ahead(at: datetime, number: int | None = None) -> str:
    return dated("Swarm season", at, 3, number)


def order() -> list[str]:
    return list(Episode.objects.newest_first(is_single_show=True).values_list("title", flat=True))


SHOWN_FIRST = ["Swarm season", "Honey harvest", "Wax and combs"]
SHOWN_SECOND = ["Honey harvest", "Swarm season", "Wax and combs"]


@pytest.mark.parametrize("by, first", [(2 * DAY, True), (2 * DAY + SECOND, False), (3650 * DAY, False), (-DAY, True)])
def test_more_than_two_days_ahead_is_shown_second(tmp_path: Path, by: timedelta, first: bool) -> None:
    read(tmp_path, NOW, ahead(NOW + by), HONEY, WAX)
    assert order() == (SHOWN_FIRST if first else SHOWN_SECOND)
    assert Episode.objects.get(title="Swarm season").published_at == NOW + by


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("number", [0, 1])
def test_future_episode_leads_nothing(tmp_path: Path, client: Client, number: int, several: bool) -> None:
    one, two = (dated(title, NOW - day * DAY, day, number and 9 - day) for title, day in (("Wax", 8), ("Honey", 7)))
    read(tmp_path, NOW, ahead(NOW + 3650 * DAY, number * 3), two, one)
    if several:
        read(tmp_path, NOW, dated("Gears", NOW - 15 * DAY, 4), address="https://gears.example/", title="Machines")
    assert see(client, "/episodes/").entries[0] == "/episodes/honey/"
    news = see(client, "/").entries
    assert 0 == news.index("/episodes/honey/") < news.index("/episodes/swarm-season/")
    assert client.get("/episodes.json").json()["items"][0]["title"] == "Honey"
    for address in ("/episodes.rss", "/episodes.atom"):
        text = client.get(address).content.decode()
        assert 0 < text.index(">Honey<") < text.index(">Swarm season<")
        assert "2036" not in text
    assert "<published>" not in text[text.index(">Swarm season<") :].partition("</entry>")[0]
    assert "27 February 2036" in see(client, "/episodes/swarm-season/").text, "the page has what the feed says"


def test_poll_near_date_releases_the_episode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    items = (ahead(NOW + 10 * DAY), HONEY, WAX)
    assert read(tmp_path, NOW, *items) == "taken"
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["episodes.resolve.write"], "resolve_show", None)
        assert read(tmp_path, NOW + 8 * DAY - SECOND, *items) == "unchanged"
    assert order() == SHOWN_SECOND
    assert read(tmp_path, NOW + 8 * DAY, *items) == "unchanged"
    assert order() == SHOWN_FIRST
    assert Episode.objects.get(title="Swarm season").sorted_at == NOW + 10 * DAY
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["episodes.resolve.write"], "resolve_show", None)
        assert read(tmp_path, NOW + 9 * DAY, *items) == "unchanged"


def test_a_reading_that_was_refused_releases_nothing(tmp_path: Path) -> None:
    items = (ahead(NOW + 10 * DAY), HONEY, WAX)
    read(tmp_path, NOW, *items)
    path = tmp_path / "feed.xml"
    path.write_text("<rss><channel><title>Bee Talk</title>")
    (report,) = iterate_import_reports(
        [ImportTarget("feed.xml", path=path)], ImportOptions(url=FEED), lambda: NOW + 9 * DAY
    )
    assert report.exit_code
    call_command("rebuild", verbosity=0)
    assert order() == SHOWN_SECOND


def test_a_changed_reading_releases_it_too(tmp_path: Path) -> None:
    read(tmp_path, NOW, ahead(NOW + 10 * DAY), HONEY, WAX)
    young = dated("Young queens", NOW + 4 * DAY, 4)
    read(tmp_path, NOW + 5 * DAY, ahead(NOW + 10 * DAY), young, HONEY, WAX)
    assert order() == ["Young queens", *SHOWN_FIRST]
    read(tmp_path, NOW + 9 * DAY, ahead(NOW + 10 * DAY), young, HONEY)
    assert order() == ["Swarm season", "Young queens", "Honey harvest", "Wax and combs"]


def test_curators_date_holds_at_once(tmp_path: Path, django_user_model: type[User]) -> None:
    read(tmp_path, NOW, ahead(NOW - 5 * DAY), HONEY, WAX)
    curator = django_user_model.objects.create_superuser("ada")
    override_fields(curator, Episode.objects.get(title="Honey harvest"), {"published": "2096-04-01"})
    assert order() == ["Honey harvest", "Swarm season", "Wax and combs"]
    add_episode_and_return_entry(curator, Podcast.objects.get(), {"title": "Old frames", "published": "2096-05-01"})
    assert order() == ["Old frames", "Honey harvest", "Swarm season", "Wax and combs"]


def test_future_show_keeps_order_and_leads_none(tmp_path: Path) -> None:
    items = [dated(title, NOW + day * DAY, day) for day, title in ((30, "Three"), (20, "Two"), (10, "One"))]
    read(tmp_path, NOW, *items)
    assert order() == ["Three", "Two", "One"]
    read(tmp_path, NOW, dated("Gears", NOW - 900 * DAY, 4), address="https://gears.example/", title="Machines")
    both = Episode.objects.newest_first(is_single_show=False).values_list("title", flat=True)
    assert list(both) == ["Gears", "Three", "Two", "One"]
