"""Pages tell what was read last, and are made whatever an import does meanwhile."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import pytest
from django.db.models import Count
from django.test import Client
from django.utils import timezone

from episodes.models import (
    Attachment,
    CatalogState,
    Document,
    Episode,
    Image,
    IngestRun,
    Item,
    Person,
    Podcast,
    Reference,
    Revision,
    Source,
)
from episodes.resolve.apply_counts import source_counts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]

NEW = "Zorblax"
EPISODE, OTHER = "/episodes/vmap/", "compiler-collectives"


def vmap() -> Episode:
    return Episode.objects.get(slug="vmap")


def page(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def other() -> Episode:
    return Episode.objects.get(slug=OTHER)


def test_a_page_is_made_whatever_an_import_deletes_meanwhile(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    Reference.objects.create(episode=other(), target=vmap(), kind="see-also")
    third = Episode.objects.exclude(slug__in=dict(vmap().related)).exclude(slug__in=("vmap", OTHER))[0]
    Episode.objects.filter(slug="vmap").update(related=[[third.slug, NEW]])
    left = [other().slug, third.slug]
    way = import_module("episodes.views.episode.nearby")

    def merged_meanwhile(episode: Episode) -> Any:
        yield from notes(episode)
        Episode.objects.filter(slug__in=left).delete()

    notes = way._notes
    monkeypatch.setattr(way, "_notes", merged_meanwhile)
    assert client.get(EPISODE).status_code == 200
    assert not any(f"/episodes/{slug}/" in page(client, EPISODE) for slug in left)


def test_an_episode_that_lists_leave_out_has_its_topics_on_the_page_of_a_person(client: Client) -> None:
    person = Person.objects.annotate(n=Count("credits")).order_by("-n", "pk")[0]
    address = person.get_absolute_url()
    episodes = Episode.objects.filter(pk__in=person.credits.values("episode"), topic_uses__isnull=False).distinct()
    before = page(client, address)
    assert episodes.update(listed=False) > 1
    assert page(client, address).count('class="dot') == before.count('class="dot') > 0


def test_a_change_of_a_source_is_told_at_once(client: Client) -> None:
    assert "No changes" in page(client, "/changes/")
    item = vmap().attachments.get(item__document__source__slug="snapshot").item
    Revision.objects.create(
        item=item, version=2, payload=item.said.payload() | {"title": NEW}, recorded_at=timezone.now()
    )
    assert NEW in page(client, "/changes/")
    Episode.objects.filter(slug="vmap").update(slug="vmap-again")
    assert "/episodes/vmap-again/" in page(client, "/changes/")


def count_sources(podcast: Podcast) -> None:
    CatalogState.objects.filter(podcast=podcast).update(sources=source_counts(podcast, {}, {}))


def test_the_page_of_sources_counts_anew(client: Client) -> None:
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


def test_when_an_episode_was_checked_follows_the_last_good_reading(client: Client) -> None:
    at = datetime(2031, 5, 6, tzinfo=UTC)
    for document in Document.objects.filter(items__attachment__episode=vmap()).distinct():
        IngestRun.objects.create(
            source=document.source, document=document, started_at=at, finished_at=at, outcome="taken"
        )
    assert "checked 6 May 2031" in page(client, EPISODE)
    assert "last checked 6 May 2031" in page(client, EPISODE)
    Item.objects.filter(attachment__episode=vmap()).update(gone_version=9)
    assert "2031" not in page(client, EPISODE)
