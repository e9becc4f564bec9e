"""The page of one thing shows every change at once, whatever was worked out for it before; and no address makes it keep more."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import pytest
from django.db.models import Count, Model
from django.test import Client
from django.utils import timezone

from episodes.models import (
    Attachment,
    Chapter,
    CodeMention,
    CodeName,
    Credit,
    Document,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    Image,
    IngestRun,
    Item,
    LearningPath,
    Link,
    Person,
    Podcast,
    Reference,
    Related,
    Revision,
    Source,
    Topic,
    Transcript,
)
from episodes.resolve.apply_counts import write_source_counts
from episodes.views.links.mentions import own_page

from .test_bounded_work import statements

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalog")]

NEW = "Zorblax"
EPISODE, OTHER = "/episodes/vmap/", "compiler-collectives"


def vmap() -> Episode:
    return Episode.objects.get(slug="vmap")


def page(client: Client, address: str) -> str:
    return client.get(address).content.decode()


def beside(model: Any, **fields: Any) -> Callable[[], Model]:
    """A new row of the episode."""
    return lambda: model.objects.create(episode=vmap(), **{k: v() if callable(v) else v for k, v in fields.items()})


def other() -> Episode:
    return Episode.objects.get(slug=OTHER)


def new_link() -> Link:
    return Link.objects.create(key="https://example.org/zorblax", kind="other", title=NEW)


ADDED: dict[str, Callable[[], object]] = {
    "chapter": beside(Chapter, start=5, title=NEW),
    "credit": beside(Credit, person=lambda: Person.objects.create(slug="z", name=NEW), role="guest"),
    "name": beside(CodeMention, name=lambda: CodeName.objects.create(slug="z", name=NEW), field="title", position=0),
    "link": beside(EpisodeLink, link=new_link, position=99, url="https://example.org/zorblax"),
    "topic": beside(EpisodeTopic, topic=lambda: Topic.objects.create(slug="z", name=NEW), term="z", field="title"),
    "related": lambda: Related.objects.update_or_create(
        episode=vmap(), place=0, defaults={"other": Episode.objects.exclude(pk__in=vmap().related.values("other"))[0], "reasons": [NEW]}
    ),
    "transcript": lambda: Transcript.objects.update_or_create(
        episode=vmap(), defaults={"url": "u", "sha256": "s", "text": NEW, "cues": [[0, "", NEW]]}
    ),
    "path": lambda: LearningPath.objects.create(slug="z", title=NEW, steps=[{"episode": "vmap", "why": ""}]),
}  # fmt: skip


@pytest.mark.parametrize("kind", ADDED)
def test_what_is_added_to_an_episode_is_on_its_page(client: Client, kind: str) -> None:
    assert NEW not in page(client, EPISODE)
    ADDED[kind]()
    assert NEW in page(client, EPISODE)


@pytest.mark.parametrize("kind, words", [("see-also", "Mentions this"), ("prerequisite", "Builds on this")])
def test_an_episode_that_names_another_is_on_its_page(client: Client, kind: str, words: str) -> None:
    Reference.objects.filter(target=vmap()).delete()
    assert words not in page(client, EPISODE)
    Reference.objects.create(episode=other(), target=vmap(), kind=kind)
    assert words in page(client, EPISODE)


def test_a_page_is_made_whatever_an_import_deletes_meanwhile(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    Reference.objects.create(episode=other(), target=vmap(), kind="see-also")
    ADDED["related"]()
    left = [other().slug, vmap().related.get(place=0).other.slug]
    way = import_module("episodes.views.episode.nearby")

    def merged_meanwhile(episode: Episode) -> Any:
        yield from notes(episode)
        Episode.objects.filter(slug__in=left).delete()

    notes = way._notes
    monkeypatch.setattr(way, "_notes", merged_meanwhile)
    assert client.get(EPISODE).status_code == 200
    assert not any(f"/episodes/{slug}/" in page(client, EPISODE) for slug in left)


def of_episode(model: Any, **path: Any) -> Callable[[], Any]:
    return lambda: model.objects.filter(**(path or {"episode": vmap()}))


CHANGED: list[tuple[str, Callable[[], Any], dict[str, Any]]] = [
    (EPISODE, of_episode(Episode, slug="vmap"), {"title": NEW}),
    (EPISODE, of_episode(Episode, slug="vmap"), {"description_html": f"<p>{NEW}</p>"}),
    (EPISODE, of_episode(Attachment), {"reasons": [NEW]}),
    (EPISODE, lambda: Link.objects.filter(mentions__episode=vmap()), {"title": NEW}),
    (EPISODE, lambda: Topic.objects.filter(uses__episode=vmap()), {"name": NEW}),
    (EPISODE, lambda: Source.objects.all(), {"title": NEW}),
    (EPISODE, lambda: Podcast.objects.all(), {"title": NEW}),
    (EPISODE, lambda: Episode.objects.filter(order__in=(vmap().order - 1, vmap().order + 1)), {"title": NEW}),
    (EPISODE, lambda: Episode.objects.exclude(slug="vmap"), {"title": NEW}),
    ("/people/", lambda: Person.objects.all(), {"name": NEW}),
    ("/people/", lambda: Credit.objects.filter(pk=Credit.objects.values("pk")[:1]), {"role": "zorblax"}),
    ("/links/", lambda: Link.objects.all(), {"title": NEW}),
    ("/links/", lambda: Episode.objects.all(), {"title": NEW}),
    ("/sources/", lambda: Source.objects.all(), {"title": NEW}),
    ("/sources/", lambda: Document.objects.all(), {"address": f"https://example.org/{NEW}"}),
    ("/about/", lambda: Source.objects.all(), {"title": NEW}),
    ("/about/", lambda: Podcast.objects.all(), {"title": NEW}),
]


@pytest.mark.parametrize("number", range(len(CHANGED)))
def test_what_is_changed_is_on_the_page(client: Client, number: int) -> None:
    address, rows, values = CHANGED[number]
    assert NEW.lower() not in page(client, address).lower()
    found = rows()
    if "address" in values:
        found = found.filter(pk=found.filter(kind="listing").values("pk")[:1])
    assert found.update(**values)
    assert NEW.lower() in page(client, address).lower()


def most(model: Any, related: str) -> Any:
    return model.objects.annotate(n=Count(related)).order_by("-n", "pk").first()


def things() -> dict[str, tuple[str, Any]]:
    """The page of a person, a link and a name, and an episode on it."""
    person, link, name = most(Person, "credits"), most(Link, "mentions"), most(CodeName, "mentions")
    return {
        "person": (person.get_absolute_url(), person.credits),
        "link": (own_page(link.key), link.mentions),
        "name": (name.get_absolute_url(), name.mentions),
    }


@pytest.mark.parametrize("thing", ["person", "link", "name"])
def test_the_page_of_a_thing_shows_its_episodes_as_they_are(client: Client, thing: str) -> None:
    address, uses = things()[thing]
    assert NEW not in page(client, address)
    last = uses.order_by("episode__podcast", "-episode__order").first().episode
    Episode.objects.filter(pk=last.pk).update(title=NEW)
    assert NEW in page(client, address)
    uses.filter(episode=last).delete()
    assert NEW not in page(client, address)


@pytest.mark.parametrize("thing", ["person", "link", "name"])
def test_the_page_of_a_thing_asks_few_questions(client: Client, thing: str) -> None:
    address, _ = things()[thing]
    client.get(address)
    assert len(statements(client, address)) <= 13


def test_an_episode_that_lists_leave_out_has_its_topics_on_the_page_of_a_person(client: Client) -> None:
    address, credits_ = things()["person"]
    episodes = Episode.objects.filter(pk__in=credits_.values("episode"), topic_uses__isnull=False).distinct()
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


def test_the_page_of_sources_counts_anew(client: Client) -> None:
    known, at = Source.objects.get(slug="snapshot"), datetime(2030, 1, 2, 3, 4, tzinfo=UTC)
    total = Episode.objects.count()
    assert f"of {total} episodes" in page(client, "/sources/")
    attached = Attachment.objects.filter(item__document__source=known)
    assert f">{attached.count()} of {total} episodes" in page(client, "/sources/")
    attached.filter(episode=vmap()).delete()
    write_source_counts(known.podcast, {})
    assert f">{attached.count()} of {total} episodes" in page(client, "/sources/")
    Episode.objects.create(podcast=known.podcast, slug="z", order=total + 1)
    write_source_counts(known.podcast, {})
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
