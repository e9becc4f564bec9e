"""Changes of large shows: kept at once, worked into the catalog afterwards, and then as if they had been at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import time_machine
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from episodes.curation import Impossible, NoPreview, override, rolled_back, save_topic, undo
from episodes.models import Change, Episode, Override, PendingUpdate, Podcast, Topic
from episodes.resolve import apply, catch_up, pending
from episodes.resolve.apply import prepared
from episodes.schedule import Schedule, Worker
from podcast_catalog import checks

from ..ingest.conftest import command, run
from ..patience import PATIENCE, until
from .acts import ACTS
from .conftest import export, feed
from .test_laws import decide


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The processes that were to be started."""
    found: list[str] = []
    monkeypatch.setattr(pending, "start", lambda: found.append("process"))
    return found


@pytest.fixture
def large(small: Podcast, tmp_path: Path, settings: LazySettings, started: list[str]) -> Podcast:
    """The small show, which counts as large."""
    (tmp_path / "feed.xml").write_bytes(feed(range(5)))
    (tmp_path / "other.xml").write_bytes(feed(range(4), cut=True))
    for source in ("feed", "other"):
        assert run(tmp_path / f"{source}.xml", "--source", source).code == 0
    settings.RESOLVE_AT_ONCE = 0
    return small


def named(title: str) -> int:
    return Episode.objects.filter(title=title).count()


def some() -> Episode:
    return Episode.objects.order_by("order")[0]


def test_a_change_is_kept_at_once_and_shown_after_it_is_worked_in(
    large: Podcast, curator: User, started: list[str], django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        override(curator, some(), {"title": "Mine"})
        override(curator, some(), {"number": "77"})
    assert started == ["process"]
    assert (named("Mine"), Override.objects.count(), Change.objects.count()) == (0, 2, 2)
    assert command("rebuild", "--pending").out == "small-talks: changes worked in\n"
    assert (named("Mine"), PendingUpdate.objects.count()) == (1, 0)
    assert list(catch_up()) == []


def test_a_small_show_waits_for_nothing(large: Podcast, curator: User, settings: LazySettings) -> None:
    settings.RESOLVE_AT_ONCE = 5
    override(curator, some(), {"title": "Mine"})
    assert named("Mine") == 1
    assert not PendingUpdate.objects.exists()


def test_every_act_that_waited_is_worked_in_as_a_rebuild_would(
    large: Podcast, administrator: User, tmp_path: Path
) -> None:
    # An act that goes on from what another one brought needs it in the catalog.
    steps = [(name, n, n + 1) for n, name in enumerate(ACTS) if name != "join_symbols"]
    for step in steps:
        decide(administrator, tmp_path, [step])
        if len(step[0]) % 3 == 0:
            list(catch_up())
    list(catch_up())
    worked_in = export()
    assert Change.objects.count() > len(steps) / 2
    call_command("rebuild", verbosity=0)
    assert export() == worked_in


def test_an_undo_before_anything_was_worked_in_leaves_the_catalog_as_it_was(large: Podcast, curator: User) -> None:
    before = export()
    override(curator, some(), {"title": "Mine"})
    undo(curator, Change.objects.get())
    list(catch_up())
    assert export() == before


def test_a_change_that_comes_meanwhile_has_its_own_turn(
    large: Podcast, curator: User, monkeypatch: pytest.MonkeyPatch
) -> None:

    def slow(podcast: Podcast) -> Any:
        found = prepared(podcast)
        if not Override.objects.filter(value="77").exists():
            override(curator, some(), {"number": "77"})
        return found

    monkeypatch.setattr(pending, "prepared", slow)
    override(curator, some(), {"title": "Mine"})
    assert len(list(catch_up())) == 2
    assert Episode.objects.get(title="Mine").number == 77


def test_an_import_that_comes_meanwhile_is_not_overwritten(
    large: Podcast, curator: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "longer.xml").write_bytes(feed(range(7)))

    def slow(podcast: Podcast) -> Any:
        found = prepared(podcast)
        if Episode.objects.count() == 5:
            held = PendingUpdate.objects.get()
            assert run(tmp_path / "longer.xml", "--source", "feed").code == 0
            held.save()  # as if a change had come after the import
        return found

    monkeypatch.setattr(pending, "prepared", slow)
    override(curator, some(), {"title": "Mine"})
    list(catch_up())
    assert (Episode.objects.count(), named("Mine")) == (7, 1)


def test_the_work_of_a_process_that_was_killed_is_taken_over(large: Podcast, curator: User) -> None:
    override(curator, some(), {"title": "Mine"})
    PendingUpdate.objects.update(worker="killed", held_until=timezone.now() + timedelta(minutes=5))
    assert list(catch_up()) == []
    later = timezone.now() + timedelta(minutes=6)
    assert list(catch_up(lambda: later)) == [large]
    assert named("Mine") == 1


def test_the_schedule_works_in_what_no_process_did(large: Podcast, curator: User) -> None:
    override(curator, some(), {"title": "Mine"})
    Worker(Schedule(options=None, check_links=False), timezone.now, print, print).look_around()  # type: ignore[arg-type]
    assert named("Mine") == 1


def test_an_import_works_in_what_waited(large: Podcast, curator: User, tmp_path: Path) -> None:
    override(curator, some(), {"title": "Mine"})
    (tmp_path / "feed.xml").write_bytes(feed(range(6)))
    assert run(tmp_path / "feed.xml", "--source", "feed").code == 0
    assert (named("Mine"), PendingUpdate.objects.count()) == (1, 0)


def test_a_preview_says_that_there_is_none_and_writes_nothing(large: Podcast, curator: User) -> None:
    with pytest.raises(NoPreview, match="There is no preview"):
        rolled_back(lambda: override(curator, some(), {"title": "Mine"}), export)
    assert not Override.objects.exists()
    assert not PendingUpdate.objects.exists()


def test_curators_are_told_what_waits(large: Podcast, curator: User, client: Client) -> None:
    client.force_login(curator)
    said = "Small Talks: changes made in the last 0\xa0minutes are saved and being applied."
    page = reverse("admin:episodes_episode_changelist")
    with time_machine.travel(timezone.now(), tick=False):
        assert said not in client.get(page).content.decode()
        override(curator, some(), {"title": "Mine"})
        assert said in client.get(page).content.decode()


def test_what_waits_for_long_is_warned_of(large: Podcast, curator: User) -> None:
    override(curator, some(), {"title": "Mine"})
    assert checks.changes_are_worked_in(None) == []
    PendingUpdate.objects.update(since=timezone.now() - timedelta(hours=2))
    (warning,) = checks.changes_are_worked_in(None)
    assert warning.msg == "Changes wait to be worked in for more than an hour: Small Talks."


def test_a_show_is_written_as_a_whole(large: Podcast, curator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise Impossible

    override(curator, some(), {"title": "Mine"})
    monkeypatch.setattr(pending, "apply", broken)
    with pytest.raises(Impossible), transaction.atomic():
        list(catch_up())
    assert PendingUpdate.objects.get().asked == 1
    assert apply(large)
    assert not PendingUpdate.objects.exists()


def waits_for_a_second() -> bool:
    """True where another statement has waited for a lock that long."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' "
            "AND clock_timestamp() - query_start > interval '1.1 s'"
        )
        return cursor.fetchone() is not None


@pytest.mark.only_on("postgresql")
@pytest.mark.django_db(transaction=True)
def test_a_change_waits_for_an_import_of_its_show_longer_than_a_page_may_take(small: Podcast) -> None:
    def hold() -> None:
        try:
            with transaction.atomic():
                Podcast.objects.select_for_update().get()
                held.set()
                until(lambda: ended.is_set() or waits_for_a_second())
        finally:
            connection.close()

    held, ended, root = Event(), Event(), User.objects.create_superuser("root")
    importing = Thread(target=hold)
    importing.start()
    held.wait(PATIENCE)
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = '1s'")
    try:
        save_topic(root, Topic(slug="new", name="New", podcast=small))
    finally:
        ended.set()
        with connection.cursor() as cursor:
            cursor.execute("RESET statement_timeout")
        importing.join()
    assert Topic.objects.filter(slug="new").exists()
