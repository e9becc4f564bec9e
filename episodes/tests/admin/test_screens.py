"""Every table of the admin opens for who may see it, and nobody writes evidence, catalog or decisions in them."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from episodes import curation as verbs
from episodes.models import Decision, Episode

OURS = sorted((m for m in admin.site._registry if m._meta.app_label == "episodes"), key=lambda m: m.__name__)
EDITED = ("CodeName", "Episode", "LearningPath", "Link", "Person", "Podcast", "Source", "Topic")
READ_ONLY = [m for m in OURS if m.__name__ not in EDITED]


@pytest.fixture
def curator(client: Client, catalog: None) -> Client:
    client.force_login(User.objects.create_superuser("curator", "", "secret"))
    return client


def screen(model: type[Model], name: str, *args: object) -> str:
    return reverse(f"admin:episodes_{model._meta.model_name}_{name}", args=args)


@pytest.mark.parametrize("model", READ_ONLY)
def test_evidence_and_catalog_are_read_only(curator: Client, model: type[Model]) -> None:
    assert curator.get(screen(model, "add")).status_code == 403
    found = model._default_manager.first()
    if found is not None:
        assert curator.post(screen(model, "change", found.pk), {}).status_code == 403
        assert curator.post(screen(model, "delete", found.pk), {"post": "yes"}).status_code == 403


def test_decision_cannot_be_edited_by_key(curator: Client) -> None:
    verbs.override_fields(User.objects.get(), Episode.objects.get(number=34), {"title": "vmap, explained"})
    data = {"action": "end", "_selected_action": [row.pk for row in Decision.objects.all()]}
    curator.post(screen(Decision, "changelist"), data)
    assert Decision.objects.get(kind="value").ended_at is None
    assert curator.post(screen(Decision, "add"), {"item_key": "x"}).status_code == 403


def test_the_tables_stand_in_groups(curator: Client) -> None:
    groups = [app["name"] for app in curator.get("/admin/").context["app_list"]]
    assert groups == ["Desk", "Advanced"]


def test_episode_list_does_not_query_per_row(
    curator: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(40):
        curator.get(screen(Episode, "changelist"))
