"""Who else has a form open: shown to others, written seldom, gone by itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from episodes.models import CatalogVersion, Change, OpenForm, Podcast, Source, Topic

from ..curation.conftest import staff
from .conftest import at, episode, logged_in, said

HERE = "is editing this"


@pytest.fixture
def grace(db: None) -> Client:
    return logged_in(staff("grace", "administrator"))


@pytest.fixture(autouse=True)
def now() -> Iterator[time_machine.Traveller]:
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False) as traveller:
        yield traveller


def opened_before(minutes: int) -> None:
    OpenForm.objects.update(opened_at=timezone.now() - timedelta(minutes=minutes))


def test_a_form_tells_who_else_has_it_open(talks: Podcast, curator: User, grace: Client) -> None:
    other = logged_in(curator)
    pages = [
        at(episode(1)),
        reverse("admin:episodes_topic_change", args=(Topic.objects.order_by("pk")[0].pk,)),
    ]
    for page in pages:
        assert HERE not in said(grace.get(page))
        assert "grace is editing this, opened just now" in said(other.get(page))
        opened_before(2)
        assert "grace is editing this, opened 2 minutes ago" in said(other.get(page))
    assert HERE not in said(other.get(at(episode(2))))


def test_forms_of_shows_and_sources_tell_it_too(talks: Podcast, administrator: User, grace: Client) -> None:
    for name, row in (("podcast", talks), ("source", Source.objects.order_by("pk")[0])):
        page = reverse(f"admin:episodes_{name}_change", args=(row.pk,))
        grace.get(page)
        assert HERE in said(logged_in(administrator).get(page))


def test_it_ends_after_a_while(talks: Podcast, curator: User, grace: Client) -> None:
    grace.get(at(episode(1)))
    opened_before(16)
    assert HERE not in said(logged_in(curator).get(at(episode(1))))
    assert [row.user.username for row in OpenForm.objects.all()] == ["carla"]


def test_it_is_written_once_a_minute(talks: Podcast, grace: Client, now: time_machine.Traveller) -> None:
    grace.get(at(episode(1)))
    first = OpenForm.objects.get().opened_at
    for seconds, later in ((59, 0), (1, 60)):
        now.shift(seconds)
        grace.get(at(episode(1)))
        assert OpenForm.objects.get().opened_at == first + timedelta(seconds=later)


def test_who_may_only_look_edits_nothing(talks: Podcast, viewer: User, curator: User, grace: Client) -> None:
    grace.get(at(episode(1)))
    assert HERE not in said(logged_in(viewer).get(at(episode(1))))
    assert OpenForm.objects.count() == 1


def test_a_form_that_was_left_is_forgotten_and_a_later_one_is_not(talks: Podcast, grace: Client) -> None:
    page = at(episode(1))
    token = grace.get(page).context["left"]
    opened_before(5)
    assert grace.post(page, {"_left": token}).status_code == 204
    assert OpenForm.objects.count() == 1
    token = grace.get(page).context["left"]
    assert grace.post(page, {"_left": token}).status_code == 204
    assert not OpenForm.objects.exists()


def test_it_is_no_change_of_the_catalog(talks: Podcast, grace: Client) -> None:
    before = CatalogVersion.current(), Change.objects.count()
    grace.get(at(episode(1)))
    assert (CatalogVersion.current(), Change.objects.count()) == before
