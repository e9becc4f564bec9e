"""The first run: what is shipped at once, then the sources by the schedule."""

from io import StringIO

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.db.models import Count
from django.utils import timezone

from episodes.management.commands import first_run
from episodes.models import Episode, Held, LearningPath, Podcast, Source, Topic, Transcript, load_paths_with_episodes
from episodes.schedule import plan_new_and_moved_sources

pytestmark = pytest.mark.django_db


def test_first_run_loads_what_is_shipped_once(catalog: None) -> None:
    assert Episode.objects.count() == 82
    call_command("first_run", verbosity=0)
    assert Episode.objects.count() == 82


@pytest.mark.parametrize("fetches, due", [(True, {"feed", "pod-casts-io", "ezyang-blog"}), (False, set())])
def test_sources_are_due_at_once_unless_switched_off(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch, fetches: bool, due: set[str]
) -> None:
    monkeypatch.setattr(
        first_run.Command, "load_sample_show", lambda self: call_command("loaddata", "sources", verbosity=0)
    )
    settings.FIRST_RUN_FETCH = fetches
    call_command("first_run", verbosity=0)
    plan_new_and_moved_sources(timezone.now())
    now_due = Source.objects.filter(schedule__next_at__lte=timezone.now())
    assert set(now_due.values_list("slug", flat=True)) == due


def test_demo_brings_shows_transcripts_topics_path() -> None:
    call_command("first_run", demo=True, verbosity=0)
    assert dict(Podcast.objects.values_list("language", Count("episodes"))) == {"en": 7, "de": 6, "fr": 5}
    assert (Transcript.objects.count(), Held.objects.count()) == (2, 0)
    (route,) = load_paths_with_episodes(LearningPath.objects.all())
    assert (len(route.steps), route.missing_steps) == (4, [])
    assert set(Topic.objects.filter(uses__isnull=False)) == set(Topic.objects.all())
    for demo, told in ((False, ""), (True, "This database has shows already: nothing was loaded.\n")):
        call_command("first_run", demo=demo, verbosity=0, stdout=(out := StringIO()))
        assert (Podcast.objects.count(), out.getvalue()) == (3, told)
