"""Every screen of the admin opens for who may see it, and nobody writes evidence or catalog there."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from episodes.models import Episode, IngestRun, Item, Judgement, Override, Podcast, Removal, Topic

OURS = sorted((m for m in admin.site._registry if m._meta.app_label == "episodes"), key=lambda m: m.__name__)
READ_ONLY = [m for m in OURS if m.__name__ not in ("Judgement", "Override", "Podcast", "Removal", "Source", "Topic")]


@pytest.fixture
def curator(client: Client, catalog: None) -> Client:
    client.force_login(User.objects.create_superuser("curator", "", "secret"))
    return client


def page(model: type[Model], name: str, *args: object) -> str:
    return reverse(f"admin:episodes_{model._meta.model_name}_{name}", args=args)


@pytest.mark.parametrize("model", OURS)
def test_every_list_opens_and_can_be_searched(curator: Client, model: type[Model]) -> None:
    assert curator.get(page(model, "changelist")).status_code == 200
    if admin.site._registry[model].search_fields:
        assert curator.get(page(model, "changelist"), {"q": "vmap ' % \\"}).status_code == 200


@pytest.mark.parametrize("model", OURS)
def test_every_record_opens(curator: Client, model: type[Model]) -> None:
    found = model._default_manager.first()
    if found is not None:
        assert curator.get(page(model, "change", found.pk)).status_code == 200


@pytest.mark.parametrize("model", READ_ONLY)
def test_evidence_and_catalog_are_read_only(curator: Client, model: type[Model]) -> None:
    assert curator.get(page(model, "add")).status_code == 403
    found = model._default_manager.first()
    if found is not None:
        assert curator.post(page(model, "change", found.pk), {}).status_code == 403
        assert curator.post(page(model, "delete", found.pk), {"post": "yes"}).status_code == 403


def override(field: str, value: str) -> dict[str, object]:
    item = Item.objects.get(attachment__episode__slug="vmap", document__source__slug="feed")
    podcast = Podcast.objects.get()
    return {
        "podcast": podcast.pk,
        "source": "feed",
        "item_key": item.key,
        "field": field,
        "value": value,
        "reason": "typo",
    }


def test_an_override_takes_effect_at_once_and_ending_it_brings_back_what_the_source_says(curator: Client) -> None:
    assert curator.post(page(Override, "add"), override("title", "vmap, explained")).status_code == 302
    assert Episode.objects.get(number=34).title == "vmap, explained"
    row = Override.objects.get()
    assert (row.made_by.username, row.reason) == ("curator", "typo")  # type: ignore[union-attr]
    curator.post(page(Override, "changelist"), {"action": "end", "_selected_action": [row.pk]})
    assert Episode.objects.get(number=34).title == "vmap"
    assert Override.objects.get().ended_at is not None


@pytest.mark.parametrize(
    "field, value",
    [("number", "many"), ("number", "²"), ("number", "9" * 25), ("duration_seconds", "-1"), ("published", "04/05/21")],
)
def test_a_value_that_cannot_be_read_is_refused(curator: Client, field: str, value: str) -> None:
    answer = curator.post(page(Override, "add"), override(field, value))
    assert answer.status_code == 200
    assert b"or nothing." in answer.content
    assert not Override.objects.exists()


def test_a_decision_about_an_entry_that_is_not_there_is_refused(curator: Client) -> None:
    answer = curator.post(page(Override, "add"), override("title", "x") | {"item_key": "title:nothing"})
    assert b"No source has an entry with this key." in answer.content


def test_a_removed_topic_stays_removed(curator: Client) -> None:
    data = override("", "") | {"kind": "topic", "key": "functorch"}
    assert curator.post(page(Removal, "add"), data).status_code == 302
    assert "functorch" not in Episode.objects.get(slug="vmap").topics.values_list("slug", flat=True)


def test_two_episodes_can_be_judged_the_same_and_parted_again(curator: Client) -> None:
    one, other = (Item.objects.get(attachment__episode__number=n, document__source__slug="player-fm") for n in (83, 81))
    feed = Item.objects.get(attachment__episode__number=83, document__source__slug="feed")
    podcast = Podcast.objects.get().pk
    data = {
        "podcast": podcast,
        "source": "feed",
        "item_key": feed.key,
        "other_source": "player-fm",
        "other_key": one.key,
    }
    assert curator.post(page(Judgement, "add"), data | {"verdict": "different", "reason": "a test"}).status_code == 302
    assert Item.objects.get(pk=one.pk).attachment.episode.number != 83
    curator.post(page(Judgement, "changelist"), {"action": "end", "_selected_action": [Judgement.objects.get().pk]})
    assert Item.objects.get(pk=one.pk).attachment.episode.number == 83
    assert other.attachment.episode.number == 81


def test_a_topic_that_is_changed_is_proposed_anew_at_once(curator: Client) -> None:
    topic = Topic.objects.get(slug="functorch")
    data = {
        "slug": "functorch",
        "name": topic.name,
        "group": topic.group,
        "position": 1,
        "description": "",
        "aliases": "[]",
        "rules": "{}",
    }
    assert curator.post(page(Topic, "change", topic.pk), data).status_code == 302
    assert not Episode.objects.filter(slug="history-of-functorch", topics__slug="functorch").exists()


def test_a_viewer_sees_and_changes_nothing(client: Client, catalog: None) -> None:
    viewer = User.objects.create_user("viewer", password="secret", is_staff=True)
    viewer.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client.force_login(viewer)
    assert client.get(page(Override, "changelist")).status_code == 200
    assert client.post(page(Override, "add"), override("title", "x")).status_code == 403
    assert not Override.objects.exists()
    assert not IngestRun.objects.filter(outcome="failed").exists()


def test_a_stranger_is_sent_to_the_login(client: Client, catalog: None) -> None:
    answer = client.post(page(Override, "add"), override("title", "x"))
    assert answer.status_code == 302
    assert "login" in answer["Location"]
