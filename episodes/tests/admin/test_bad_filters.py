"""Filters in the addresses of the admin's lists that mean nothing to a database, and those that would keep it busy."""

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import models, transaction
from django.test import Client
from django.urls import reverse

from episodes.admin import base
from episodes.models import Episode, Podcast

from ..tables import cases
from .conftest import logged_in

CASES = cases("admin_bad_filters")

# The list of jobs, which PostgreSQL has, is the library's own; no role but the superuser may see it.
SCREENS = sorted(
    (model for model in admin.site._registry if model._meta.app_label != "procrastinate"),
    key=lambda model: model._meta.label,
)
NONSENSE = [
    "pk__range=1",
    "pk__range=",
    "pk__in=" + "9" * 30,
    "pk__gt=x",
    "pk__year=x",
    "nothing=1",
    "pk__iexact=\0",
    "pk=\0",
    "q=vmap ' % \\\\",
]


@pytest.fixture
def client(talks: Podcast) -> Client:
    return logged_in(User.objects.create_superuser("root", "", "secret"))


def asked(client: Client, model: type[models.Model], query: str) -> Any:
    """The answer of a list; what a database made of a bad query is taken back, as it would be after a request."""
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    place = transaction.savepoint()
    answer = client.get(f"{address}?{query}")
    transaction.savepoint_rollback(place)
    return answer


@pytest.mark.on_both
@pytest.mark.parametrize("model", SCREENS, ids=lambda model: model.__name__)
def test_no_filter_breaks_a_list(client: Client, model: type[models.Model]) -> None:
    for query in NONSENSE:
        assert asked(client, model, query).status_code in (200, 302, 400), query
    for name in ("regex", "iregex"):
        assert asked(client, model, f"pk__{name}=(1%2B)%2B$").status_code == 400


@pytest.mark.parametrize("model, query", CASES["who_filters_by_nonsense_is_back_at_the_list_with_a_note"])
def test_meaningless_filter_returns_to_list_with_note(client: Client, model: str, query: str) -> None:
    answer = asked(client, next(m for m in SCREENS if m._meta.model_name == model), query)
    assert answer.status_code in (200, 302)
    assert answer.status_code == 200 or answer["Location"].endswith("?e=1")


@pytest.mark.parametrize("model", SCREENS, ids=lambda model: model.__name__)
def test_no_list_offers_every_show_of_very_many(
    client: Client, model: type[models.Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        show = Podcast.objects.create(slug=f"show-{number}", title=f"Show {number}")
        Episode.objects.create(podcast=show, slug=f"e-{number}", title="One", order=1)
    monkeypatch.setattr(base, "MAX_FILTER_CHOICES", 3)
    page = asked(client, model, "").content.decode()
    assert "podcast__id__exact=" not in page
