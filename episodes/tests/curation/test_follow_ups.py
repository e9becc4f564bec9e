"""A decision resolves its show in the request; what is too large for that waits, and is never forgotten."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import OperationalError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from episodes import queue
from episodes.curation import merge_episodes as merge
from episodes.curation import merge_topics, override_fields, run_and_roll_back, save_row, undo_change
from episodes.curation import split_episode as split
from episodes.models import (
    CatalogState,
    Change,
    Episode,
    EpisodeTopic,
    Item,
    Podcast,
    ScheduleMark,
    Topic,
)
from episodes.resolve import background, resolve_all_waiting, update_catalog, waiting_states
from episodes.resolve.write import compute_catalog
from episodes.schedule import JOBS, JobContext
from podcast_catalog import checks

from ..admin.conftest import doubtful, talks
from ..forks import Forks
from ..ingest.conftest import run
from ..patience import PATIENCE, until
from ..processes import migrated, rows
from .conftest import export, feed
from .test_kills import setup

__all__ = ["doubtful", "migrated", "talks"]


@pytest.fixture
def large(talks: Podcast, monkeypatch: pytest.MonkeyPatch) -> Podcast:
    """A show whose changes wait until a test has them resolved."""
    monkeypatch.setattr(background, "MAX_EPISODES_IN_REQUEST", 0)
    return talks


def named(title: str) -> int:
    return Episode.objects.filter(title=title).count()


def at(place: int) -> Episode:
    return Episode.objects.order_by("order")[place]


def items(place: int) -> list[Item]:
    return list(Item.objects.filter(attachment__episode=at(place)).order_by("pk"))


def retitle(user: User) -> None:
    override_fields(user, at(0), {"title": "Mine"})


def test_topic_restored_before_a_resolve_keeps_its_episodes(large: Podcast, administrator: User) -> None:
    household, music = Topic.objects.get(slug="household"), Topic.objects.get(slug="music")
    assert household.uses.count() == 1
    merge_topics(administrator, household, music)
    undo_change(administrator, Change.objects.latest("pk"))
    list(resolve_all_waiting())
    assert EpisodeTopic.objects.filter(topic__slug="household").count() == 1


def test_request_resolves_shows_up_to_a_limit(
    talks: Podcast, administrator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    Podcast.objects.create(slug="empty", title="Empty")
    monkeypatch.setattr(background, "MAX_EPISODES_IN_REQUEST", 4)
    save_row(administrator, Topic(slug="new", name="New", rules={"title": ["kettles"]}))
    assert [state.podcast for state in waiting_states()] == [talks]
    monkeypatch.setattr(background, "MAX_EPISODES_IN_REQUEST", 5)
    save_row(administrator, Topic(slug="newer", name="Newer", rules={"title": ["kettles"]}))
    assert waiting_states() == []


def test_preview_of_large_show_is_the_real_thing(large: Podcast, administrator: User) -> None:
    topic, before = Topic(slug="new", name="New", rules={"title": ["kettles"]}, podcast=large), export()
    uses = lambda: Episode.objects.filter(topics__slug="new").count()  # noqa: E731
    assert run_and_roll_back(lambda: save_row(administrator, topic), uses) == 1
    assert run_and_roll_back(lambda: retitle(administrator), lambda: named("Mine")) == 1
    assert (uses(), named("Mine"), waiting_states()) == (0, 0, [])
    retitle(administrator)
    undo_change(administrator, Change.objects.get())
    list(resolve_all_waiting())
    assert export() == before


@pytest.mark.on_both
def test_change_meanwhile_is_resolved_too(large: Podcast, curator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(podcast: Podcast) -> Any:
        made = compute_catalog(podcast)
        if not Change.objects.filter(verb="edit")[1:].exists():
            override_fields(curator, at(0), {"number": "77"})
        return made

    monkeypatch.setattr(background, "compute_catalog", slow)
    retitle(curator)
    assert list(resolve_all_waiting()) == [large]
    assert Episode.objects.get(title="Mine").number == 77


@pytest.mark.on_both
def test_import_meanwhile_is_not_overwritten(
    large: Podcast, curator: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "longer.xml").write_bytes(feed(range(7)))

    def slow(podcast: Podcast) -> Any:
        made = compute_catalog(podcast)
        if Episode.objects.count() == 5:
            assert run(tmp_path / "longer.xml", "--source", "feed").code == 0
        return made

    monkeypatch.setattr(background, "compute_catalog", slow)
    retitle(curator)
    list(resolve_all_waiting())
    assert (Episode.objects.count(), named("Mine"), waiting_states()) == (7, 1, [])


def test_show_waits_since_its_first_unresolved_change(small: Podcast) -> None:
    first, second = timezone.now(), timezone.now() + timedelta(hours=1)
    for moment in (first, second):
        CatalogState.mark_changed(small, moment)
    assert CatalogState.objects.get(podcast=small).waiting_since == first


def test_job_resolves_show_too_large_for_request(large: Podcast, curator: User) -> None:
    retitle(curator)
    assert (named("Mine"), [state.podcast for state in waiting_states()]) == (0, [large])
    job = JOBS["follow_ups"]
    (show,) = job.find_due_keys(timezone.now())
    job.run(JobContext(), show)
    assert waiting_states() == [] == job.find_due_keys(timezone.now())
    assert named("Mine") == 1
    job.run(JobContext(), "999999")  # a show that was deleted meanwhile


@pytest.mark.on_both
@pytest.mark.django_db(transaction=True)
def test_sweep_finds_show_left_by_kill(small: Podcast, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    def end(*_: object, **__: object) -> None:
        assert CatalogState.objects.get().waiting_since, "it is committed"
        raise Killed

    monkeypatch.setattr(queue, "is_queued", lambda: True)
    monkeypatch.setattr(queue, "enqueue_unless_waiting", end)
    with pytest.raises(Killed), transaction.atomic():
        background.queue_resolve(small)
    assert [*JOBS["follow_ups"].find_due_keys(timezone.now())] == [str(small.pk)]


@pytest.fixture
def reader(large: Podcast, curator: User, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Somebody who reads pages that are kept, while a change waits."""
    settings.PAGES_KEPT, settings.ALLOWED_HOSTS = 8, ["testserver"]
    retitle(curator)
    monkeypatch.setattr(background, "MAX_EPISODES_IN_REQUEST", 5)
    return Client()


@pytest.mark.parametrize("age, is_resolved", [(None, True), (5, False), (16, True)])
def test_page_resolves_unless_a_process_lives(reader: Client, age: float | None, is_resolved: bool) -> None:
    if age is not None:
        beat = timezone.now() - timedelta(seconds=age)
        ScheduleMark.objects.create(key=ScheduleMark.BEAT, at=beat)
    assert ("Mine" in reader.get("/episodes/").content.decode()) is is_resolved
    assert (waiting_states() == []) is is_resolved


def test_page_of_the_admin_resolves_too(reader: Client, curator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(background, "MAX_EPISODES_IN_REQUEST", 4)
        assert reader.get("/episodes/").status_code == 200
        assert len(waiting_states()) == 1, "the show is too large for a page"
    reader.force_login(curator)
    assert not WAITS.search(reader.get(reverse("admin:index")).content.decode())
    assert (named("Mine"), waiting_states()) == (1, [])


WAITS = re.compile(r'<p class="working"[^>]*>Working in your changes. Lists of other episodes follow in a moment.')


def test_curators_are_told_what_waits(large: Podcast, curator: User, client: Client) -> None:
    client.force_login(curator)
    start, page = reverse("admin:index"), reverse("admin:episodes_episode_changelist")
    with time_machine.travel(timezone.now(), tick=False):
        assert not WAITS.search(client.get(page).content.decode())
        assert client.get(reverse("admin:working")).json() == {"working": False}
        retitle(curator)
        line = WAITS.search(client.get(page).content.decode())
        assert line
        assert "hidden" in line[0], "for five seconds"
        assert client.get(reverse("admin:working")).json() == {"working": True}
        CatalogState.objects.update(waiting_since=timezone.now() - timedelta(seconds=9))
        line = WAITS.search(client.get(page).content.decode())
        assert line
        assert "hidden" not in line[0]
        assert [*checks.check_unresolved_shows(None)] == []
        assert "Shows whose changes wait" not in client.get(start).content.decode()
        CatalogState.objects.update(waiting_since=timezone.now() - timedelta(seconds=11))
        (warning,) = checks.check_unresolved_shows(None)
        assert warning.msg == "Changes of these shows wait for more than 10 seconds: Small Talks."
        assert "Shows whose changes wait" in client.get(start).content.decode()


@pytest.fixture
def broken(talks: Podcast, monkeypatch: pytest.MonkeyPatch) -> Podcast:
    """One of two shows, which cannot be resolved."""
    Podcast.objects.create(slug="whole", title="Whole")

    def fail(podcast: Podcast, *_: object) -> object:
        if podcast == talks:
            Topic.objects.update(name="half done")
            raise ZeroDivisionError
        return update_catalog(podcast)

    monkeypatch.setattr(background, "update_catalog", fail)
    return talks


def test_show_that_fails_hurts_no_other(broken: Podcast, administrator: User, client: Client) -> None:
    save_row(administrator, Topic(slug="new", name="New", rules={"title": ["kettles"]}))
    assert [state.podcast for state in waiting_states()] == [broken]
    assert set(Topic.objects.values_list("name", flat=True)) == {"Household", "Music", "New"}
    with time_machine.travel(timezone.now(), tick=False) as clock:
        CatalogState.mark_changed(Podcast.objects.get(slug="whole"), timezone.now())
        assert [show.slug for show in resolve_all_waiting()] == ["whole"]
        # Nor is it tried again and again.
        assert JOBS["follow_ups"].find_due_keys(timezone.now()) == []
        clock.shift(301)
        assert JOBS["follow_ups"].find_due_keys(timezone.now()) == [str(broken.pk)]
    client.force_login(administrator)
    CatalogState.objects.update(waiting_since=timezone.now() - timedelta(minutes=1))
    page = client.get(reverse("admin:index")).content.decode()
    assert "it could not be resolved" in " ".join(page.split())


def test_silent_database_is_no_fault_of_a_show(large: Podcast, curator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("the server went away")

    retitle(curator)
    with monkeypatch.context() as patch:
        patch.setattr(background, "update_catalog", fail)
        with pytest.raises(OperationalError), transaction.atomic():
            list(resolve_all_waiting())
    assert list(resolve_all_waiting()) == [large]


@pytest.fixture
def forks(migrated: str, tmp_path: Path) -> Iterator[Forks]:
    """Processes beside each other, which have the show with five episodes."""
    (tmp_path / "setup.json").write_text(setup("https://small.example/feed"))
    (tmp_path / "feed.xml").write_bytes(feed(range(5)))
    with Forks(migrated, tmp_path) as processes:
        processes.run("loaddata", tmp_path / "setup.json", "-v", "0")
        processes.run("ingest", tmp_path / "feed.xml", "--source", "feed")
        yield processes


@pytest.mark.on_both
def test_two_curators_and_an_import_lose_nothing(forks: Forks, migrated: str) -> None:
    (forks.folder / "feed.xml").write_bytes(feed(range(7)))
    begun = [
        forks.begin("decide", 1, "First"),
        forks.begin("ingest", forks.folder / "feed.xml", "--source", "feed"),
        forks.begin("catch_up"),
        forks.begin("decide", 2, "Second", "waits"),
    ]
    assert [(forks.ended(process), process.err) for process in begun] == [(0, "")] * 4
    forks.run("catch_up")
    titles = {title for (title,) in rows(migrated, "SELECT title FROM episodes_episode")}
    assert (len(titles), titles >= {"First", "Second", "All about pianos 5"}) == (7, True)
    assert rows(migrated, "SELECT 1 FROM episodes_catalogstate WHERE waiting_since IS NOT NULL") == []
    together = forks.run("export")
    forks.run("rebuild")
    assert forks.run("export") == together


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
def test_change_waits_for_import_beyond_statement_timeout(small: Podcast) -> None:
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
        save_row(root, Topic(slug="new", name="New", podcast=small))
    finally:
        ended.set()
        with connection.cursor() as cursor:
            cursor.execute("RESET statement_timeout")
        importing.join()
    assert Topic.objects.filter(slug="new").exists()


def test_split_keeps_the_row_of_the_rest(talks: Podcast, curator: User) -> None:
    merge(curator, at(0), at(1))
    before = at(0)
    first = [item for item in items(0) if item.key[-1] == "0"]
    rest = [item for item in items(0) if item not in first]
    split(curator, before, first)
    assert {Episode.objects.get(attachments__item=item).pk for item in rest} == {before.pk}
    own = Episode.objects.get(attachments__item=first[0])
    assert (own.pk != before.pk, own.order) == (True, 1)  # it is the oldest
    guids = Episode.objects.values_list("own_guid", flat=True)
    assert len({*guids} - {""}) == 5
