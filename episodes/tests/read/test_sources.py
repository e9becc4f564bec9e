"""The page of sources with many shows, the state of each source for programs, and pages that tell what was read last."""

from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from episodes.models import (
    Attachment,
    Capture,
    CatalogState,
    Content,
    Document,
    Episode,
    Image,
    IngestRun,
    Item,
    Podcast,
    Reference,
    Source,
    SourceSchedule,
    Status,
)
from episodes.resolve.counts import entry_statistics_by_source_slug
from episodes.views.sources import load_sources_with_coverage, sources_failed_first

from .pages import see

MANY = 60


def add(number: int, outcome: str = "taken", reason: str = "", **plan: Any) -> Source:
    podcast = Podcast.objects.create(slug=f"show-{number}", title=f"Show {number}")
    source = Source.objects.create(podcast=podcast, slug="feed", title="Feed", address=f"https://{number}.example/")
    if outcome:
        now = timezone.now()
        counts = {"items": 3, "new": 0, "matched": 2, "held": 0, "ignored": 1, "unchanged": 3}
        run = {"started_at": now, "finished_at": now, "outcome": outcome, "reason": reason, "counts": counts}
        IngestRun.objects.create(source=source, **run)
    SourceSchedule.objects.create(source=source, **{"next_at": timezone.now() + timedelta(hours=1), **plan})
    return source


def states(client: Client, query: str = "") -> dict[str, str]:
    return {row["podcast"]: row["state"] for row in client.get(f"/sources.json{query}").json()["sources"]}


@pytest.fixture
def each_state(db: None) -> None:
    """A source in each of the states, in an order of their own."""
    month = timezone.now() - timedelta(days=31)
    add(1)
    add(2, next_at=timezone.now() - timedelta(days=2))
    add(3, "refused", "the feed is cut off", failures=2)
    add(4, "failed", "no answer", failures=1, failing_since=timezone.now())
    add(5, "failed", "no answer", failures=9, failing_since=month)
    add(6, "failed", "410 Gone", failures=1, status=410)
    add(7, "")
    Podcast.objects.filter(pk=add(8, "failed").podcast_id).update(status=Status.PAUSED)
    Podcast.objects.filter(pk=add(9, "failed").podcast_id).update(status=Status.REMOVED)


def test_sources_are_sorted_by_state(each_state: None, client: Client) -> None:
    assert list(states(client).items()) == [
        ("show-5", "gone"), ("show-6", "gone"), ("show-3", "refused"), ("show-4", "failing"), ("show-2", "late"),
        ("show-7", "new"), ("show-1", "ok"), ("show-8", "paused"),
    ]  # fmt: skip


def test_json_reports_reason_and_times(db: None, client: Client) -> None:
    at = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
    add(1, "refused", "the feed is cut off", failures=2, failing_since=at, next_at=at, changed_at=at)
    answer = client.get("/sources.json")
    assert answer["Cache-Control"] == "no-store"
    body = answer.json()
    assert (body["total"], body["next_url"]) == (1, None)
    (row,) = body["sources"]
    told = {name: row[name] for name in ("show", "title", "reason", "failures", "last_success", "next_attempt")}
    assert told == {
        "show": "Show 1", "title": "Feed", "reason": "the feed is cut off", "failures": 2, "last_success": None,
        "next_attempt": "2030-01-02T03:04:05Z",
    }  # fmt: skip
    assert row["failing_since"] == row["last_change"] == "2030-01-02T03:04:05Z"
    assert row["last_import"]["counts"]["ignored"] == 1
    assert row["address"] == "https://1.example/"
    Source.objects.update(address="")
    assert client.get("/sources.json").json()["sources"][0]["address"] is None


def test_json_reports_newest_copy_or_null(db: None, client: Client) -> None:
    source = add(1)
    (row,) = client.get("/sources.json").json()["sources"]
    assert (row["reason"], row["bytes"], row["failing_since"]) == (None, None, None)
    assert row["last_change"] == row["last_success"] == row["last_import"]["at"]
    Source.objects.update(title="Fütterung")
    assert '"title": "Fütterung"' in client.get("/sources.json").content.decode()
    document = Document.objects.create(source=source, address=source.address, kind="listing")
    IngestRun.objects.update(document=document)
    for day, size in ((2, 20), (3, 30), (1, 10)):
        Content.objects.create(sha256=f"{size}" * 32, packed=b"", size=size)
        at = datetime(2030, 1, day, tzinfo=UTC)
        Capture.objects.create(document=document, sha256=f"{size}" * 32, taken_at=at, refused="cut off")
    Capture.objects.create(document=document, sha256="10" * 32, taken_at=datetime(2029, 1, 1, tzinfo=UTC), version=1)
    assert client.get("/sources.json").json()["sources"][0]["bytes"] == 30
    assert load_sources_with_coverage(list(sources_failed_first("")))[0].refused == 3


def test_pages_of_a_chosen_show_keep_the_choice(db: None, client: Client) -> None:
    source = add(1)
    for n in range(40):
        Source.objects.create(podcast=source.podcast, slug=f"s-{n}", title=f"S {n}", address=f"https://{n}.b.example/")
    page = see(client, "/sources/?podcast=show-1")
    assert page.one(".pages a[rel=next]").attributes["href"] == "/sources/?podcast=show-1&page=2"


def test_page_lists_200_broken_images(db: None, client: Client) -> None:
    add(1)
    Image.objects.bulk_create(Image(address=f"https://a.example/{n:03}.png", trouble="no answer") for n in range(201))
    Image.objects.create(address="https://a.example/000-good.png")
    said = client.get("/sources/").content.decode()
    assert "000-good.png" not in said
    assert [f"a.example/{n:03}.png" in said for n in (0, 199, 200)] == [True, True, False]


def test_episode_listed_twice_counts_once(catalog: None, client: Client) -> None:
    def told() -> str:
        (line,) = [line for line in see(client, "/about/").tree.css("tr") if "Player FM" in line.text()]
        return " ".join(line.text().split())

    assert "46 episodes" in told()
    first = Attachment.objects.filter(item__document__source__slug="player-fm")[0]
    document = Document.objects.create(source=first.item.document.source, address="https://player.fm/again")
    again, post = (
        Item.objects.create(document=document, key=key, position=1, first_version=1, is_post=key == "post")
        for key in ("again", "post")
    )
    Attachment.objects.create(item=again, episode=first.episode)
    assert "46 episodes" in told()
    assert post.is_post
    assert "1 post" in told()


def test_troubled_sources_come_first(db: None, client: Client) -> None:
    for number in range(MANY):
        add(number, "failed" if number == 40 else "taken", "no answer at all")
    page = see(client, "/sources/")
    assert "Not imported" in page.tree.css(".source")[0].text()
    assert len(page.tree.css(".source")) == 40
    assert len(see(client, "/sources/?page=2").tree.css(".source")) == MANY - 40
    assert client.get("/sources/?page=3").status_code == 404


@pytest.mark.parametrize(
    "asked, found", [("show-1", 1), ("Show 1", 2), ("nothing", 0), ("%00", 3), ("%FF", 0), ("", 3)]
)
def test_the_sources_of_one_show_can_be_chosen(db: None, client: Client, asked: str, found: int) -> None:
    for number in (1, 10, 2):
        add(number)
    page = see(client, f"/sources/?podcast={asked}")
    assert len(page.tree.css(".source")) == found
    assert len(states(client, f"?podcast={asked}")) == found
    assert ("No show matches “nothing”" in page.text) == (asked == "nothing")


def test_the_json_comes_in_parts(db: None, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("episodes.views.sources"), "SOURCES_PER_JSON_PAGE", 2)
    for number in range(3):
        add(number)
    first = client.get("/sources.json").json()
    assert first["next_url"] == "http://testserver/sources.json?page=2"
    assert len(client.get(first["next_url"]).json()["sources"]) == 1


NEW = "Zorblax"
EPISODE, OTHER = "/episodes/vmap/", "compiler-collectives"


def vmap() -> Episode:
    return Episode.objects.get(slug="vmap")


def page(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def test_page_survives_concurrent_import(catalog: None, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Episode.objects.get(slug=OTHER)
    Reference.objects.create(episode=other, target=vmap(), kind="see-also")
    third = Episode.objects.exclude(slug__in=dict(vmap().related)).exclude(slug__in=("vmap", OTHER))[0]
    Episode.objects.filter(slug="vmap").update(related=[[third.slug, NEW]])
    left = [OTHER, third.slug]
    nearby = import_module("episodes.views.nearby")

    def merged_meanwhile(episode: Episode) -> Any:
        yield from relations(episode)
        Episode.objects.filter(slug__in=left).delete()

    relations = nearby.iterate_relations_in_page_order
    monkeypatch.setattr(nearby, "iterate_relations_in_page_order", merged_meanwhile)
    assert client.get(EPISODE).status_code == 200
    assert not any(f"/episodes/{slug}/" in page(client, EPISODE) for slug in left)


def count_sources(podcast: Podcast) -> None:
    CatalogState.objects.filter(podcast=podcast).update(sources=entry_statistics_by_source_slug(podcast))


def test_sources_page_counts_anew(catalog: None, client: Client) -> None:
    known, at = Source.objects.get(slug="snapshot"), datetime(2030, 1, 2, 3, 4, tzinfo=UTC)
    total = Episode.objects.count()
    assert f"of {total} episodes" in page(client, "/sources/")
    attached = Attachment.objects.filter(item__document__source=known)
    assert f">{attached.count()} of {total} episodes" in page(client, "/sources/")
    attached.filter(episode=vmap()).delete()
    count_sources(known.podcast)
    assert f">{attached.count()} of {total} episodes" in page(client, "/sources/")
    Episode.objects.create(podcast=known.podcast, slug="z", order=total + 1)
    count_sources(known.podcast)
    assert f"of {total + 1} episodes" in page(client, "/sources/")
    IngestRun.objects.create(source=known, started_at=at, finished_at=at, outcome="unchanged")
    assert "2 January 2030, 03:04 UTC" in page(client, "/sources/")
    IngestRun.objects.create(source=known, started_at=at, finished_at=at, outcome="failed", reason=NEW)
    assert f"Not imported: {NEW}" in page(client, "/sources/")
    Podcast.objects.update(image_url="https://example.org/z.png")
    Image.objects.create(address="https://example.org/z.png", trouble=f"{NEW} image")
    assert f"{NEW} image" in page(client, "/sources/")


def test_checked_date_follows_last_import(catalog: None, client: Client) -> None:
    at = datetime(2031, 5, 6, tzinfo=UTC)
    for document in Document.objects.filter(items__attachment__episode=vmap()).distinct():
        run = {"started_at": at, "finished_at": at, "outcome": "taken"}
        IngestRun.objects.create(source=document.source, document=document, **run)
    assert "checked 6 May 2031" in page(client, EPISODE)
    assert "last checked 6 May 2031" in page(client, EPISODE)
    Item.objects.filter(attachment__episode=vmap()).update(gone_version=9)
    assert "2031" not in page(client, EPISODE)
