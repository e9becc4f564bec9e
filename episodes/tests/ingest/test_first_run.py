"""The first run: what is shipped at once, then the live feed in the background."""

import subprocess
from io import StringIO
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.db.models import Count

from episodes.management.commands import first_run
from episodes.models import Episode, Held, LearningPath, Podcast, Topic, Transcript, routes

pytestmark = pytest.mark.django_db


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    commands: list[list[str]] = []

    def start(command: list[str]) -> Any:
        assert Episode.objects.count() == 82, "what is shipped comes first"
        commands.append(command)

    monkeypatch.setattr(subprocess, "Popen", start)
    return commands


def test_the_first_run_tries_the_live_feed_once(started: list[list[str]]) -> None:
    call_command("first_run", fetch=True, verbosity=0)
    call_command("first_run", fetch=True, verbosity=0)
    assert [command[-2:] for command in started] == [["ingest", "feed"]]


def test_a_first_run_asks_no_server_where_that_is_switched_off(
    started: list[list[str]], settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_run.Command, "load", lambda self: None)
    settings.FIRST_RUN_FETCH = False
    call_command("first_run", fetch=True, verbosity=0)
    assert started == []


def test_the_demo_brings_three_shows_with_transcripts_topics_and_a_path(db: None, started: list[list[str]]) -> None:
    call_command("first_run", demo=True, fetch=True, verbosity=0)
    assert dict(Podcast.objects.values_list("language", Count("episodes"))) == {"en": 7, "de": 6, "fr": 5}
    assert (Transcript.objects.count(), Held.objects.count(), started) == (2, 0, [])
    (route,) = routes(LearningPath.objects.all())
    assert (len(route.parts), route.lost) == (4, [])
    assert set(Topic.objects.filter(uses__isnull=False)) == set(Topic.objects.all())
    for demo, told in ((False, ""), (True, "This database has shows already: nothing was loaded.\n")):
        call_command("first_run", demo=demo, verbosity=0, stdout=(out := StringIO()))
        assert (Podcast.objects.count(), out.getvalue()) == (3, told)
