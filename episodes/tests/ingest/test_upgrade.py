"""Catalogs that were made before the shipped file was a source of its own go on with all that was decided and undone."""

from __future__ import annotations

import json
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db.models import F
from django.test import Client

from episodes.curation import add, override, undo
from episodes.models import Change, Episode, FormerAddress, IngestRun, Override, Source

from .conftest import FIXTURES, PAGES, export, run

pytestmark = pytest.mark.django_db
upgrade = import_module("episodes.migrations.0012_snapshot").move_shipped_feed


@pytest.fixture
def before(ready: None, admin_user: User) -> User:
    """A catalog as version 1 made it: the shipped file is the live feed's, and a curator has worked on it."""
    Source.objects.filter(slug="snapshot").delete()
    Source.objects.filter(slug__in=("pod-casts-io", "numbered-list", "player-fm")).update(rank=F("rank") - 1)
    assert run(FIXTURES / "feed.xml", source="feed").code == 0
    assert run(*PAGES).code == 0
    return admin_user


def test_the_shipped_file_moves_to_the_snapshot_with_its_decisions_and_their_history(
    before: User, client: Client
) -> None:
    vmap = Episode.objects.get(slug="vmap")
    override(before, vmap, {"title": "vmap, explained"})
    add(before, Episode.objects.get(slug="vmap-explained"), "topic", "cuda")
    edited = json.loads(export())
    upgrade(apps, None)
    call_command("rebuild", verbosity=0)
    after = json.loads(export())
    assert {e["slug"] for e in after["episodes"]} == {e["slug"] for e in edited["episodes"]}
    assert "feed" not in {s["source"] for e in after["episodes"] for s in e["sources"]}
    vmap = Episode.objects.get(slug="vmap-explained")
    assert "cuda" in vmap.topics.values_list("slug", flat=True)
    assert client.get("/episodes/vmap/").status_code == 301
    assert set(IngestRun.objects.values_list("source__slug", flat=True)) >= {"snapshot"}
    assert not FormerAddress.objects.filter(source__slug="feed").exists()
    undo(before, Change.objects.earliest("pk"))
    assert Episode.objects.get(slug="vmap").title == "vmap"


def test_a_fresh_catalog_and_an_upgraded_one_are_equal(before: User) -> None:
    upgrade(apps, None)
    call_command("rebuild", verbosity=0)
    upgraded = export()
    ranks = list(Source.objects.order_by("slug").values_list("slug", "rank"))
    call_command("loaddata", "sources", verbosity=0)
    call_command("rebuild", verbosity=0)
    assert export() == upgraded
    assert list(Source.objects.order_by("slug").values_list("slug", "rank")) == ranks


def test_decisions_on_other_entries_of_the_feed_stay(before: User) -> None:
    podcast = Source.objects.get(slug="feed").podcast
    Override.objects.create(podcast=podcast, source="feed", item_key="guid:live", field="title", value="Live")
    upgrade(apps, None)
    assert Override.objects.get().source == "feed"
